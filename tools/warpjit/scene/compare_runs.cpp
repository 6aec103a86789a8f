#include "scene/compare_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/pica200/interpret/fragment/output.h"

namespace warpjit::tool {

namespace {

// A moment of a run: before a draw, or before a job's other parts.
struct Moment {
  std::size_t job = 0;
  std::optional<std::uint64_t> draw;
  std::optional<std::uint32_t> command;
  pica200::TargetSetup target;
  pica200::OutputState output;
  std::uint64_t hash = 0;  // of the memory
};

class MomentRecorder final : public pica200::DrawVisitor {
 public:
  // `kept`: the moment whose memory is kept.
  MomentRecorder(const SceneRun& run, std::optional<std::size_t> kept) : run_(run), kept_(kept) {}

  void record(const Engine& engine) {
    SceneMachine& machine = run_.machine;
    if (!machine.begin()) return;
    machine.set_visitor(this);
    for (job_ = 0; job_ < machine.scene().jobs.size(); ++job_) {
      add({job_, {}, {}, {}, {}, 0});
      if (!machine.run_job(job_, engine, run_.options)) break;
    }
    add({job_, {}, {}, {}, {}, 0});
    machine.set_visitor(nullptr);
  }
  Result<bool> visit(const pica200::DrawView& draw) override {
    add({job_, draw.number, draw.command, draw.setup.target, draw.setup.state.output, 0});
    return true;
  }

  const std::vector<Moment>& moments() const { return moments_; }
  const std::vector<SceneMemory>& memory() const { return memory_; }

 private:
  void add(Moment moment) {
    moment.hash = run_.machine.hash();
    if (kept_ == moments_.size()) memory_.assign(run_.machine.memory().begin(), run_.machine.memory().end());
    moments_.push_back(std::move(moment));
  }

  const SceneRun& run_;
  std::optional<std::size_t> kept_;
  std::size_t job_ = 0;
  std::vector<Moment> moments_;
  std::vector<SceneMemory> memory_;
};

// ": colour of pixel (12, 30)"; empty for an address that is not in a target of the draw.
std::string place_in_target(const Moment& moment, std::uint32_t address) {
  const auto find = [&](const char* what, std::uint32_t first, unsigned pixel_size) -> std::string {
    const pica200::TargetSetup& target = moment.target;
    if (address < first ||
        (address - first) / pixel_size >= std::uint64_t{target.width} * ((target.height + 7) & ~7U))
      return {};
    const std::size_t number = (address - first) / pixel_size;
    for (std::uint32_t row = 0; row < target.height; ++row)
      for (std::uint32_t column = 0; column < target.width; ++column)
        if (pica200::fragment::pixel_number(target, column, row) == number)
          return fmt::format("{} of pixel ({}, {}), ", what, column, row);
    return {};
  };
  std::string text;
  if (moment.output.touches_color())
    text = find("colour", moment.target.color_address, pixel_bytes(moment.output.color_format));
  if (text.empty() && moment.output.touches_depth())
    text = find("depth", moment.target.depth_address, pixel_bytes(moment.output.depth_format));
  return text;
}

}  // namespace

std::optional<std::string> find_parting(const Engine& engine, const SceneRun& got, const SceneRun& wanted) {
  MomentRecorder first(got, {}), second(wanted, {});
  first.record(engine);
  second.record(engine);
  const std::vector<Moment>&a = first.moments(), &b = second.moments();
  const auto parting = std::ranges::mismatch(
      a, b, [](const Moment& x, const Moment& y) { return x.hash == y.hash && x.draw == y.draw; });
  const auto number = static_cast<std::size_t>(parting.in1 - a.begin());
  if (number == a.size() && number == b.size()) return std::nullopt;
  if (number == 0) return "memory differs before the first job";
  const Moment& cause = a[number - 1];
  std::string text = fmt::format("job {}", cause.job);
  if (cause.draw) text += fmt::format(", draw {}", *cause.draw);
  if (cause.command) text += fmt::format(" (command at {:#010x})", *cause.command);
  if (number == a.size() || number == b.size()) return text + ": one run ends there";
  MomentRecorder kept(got, number), other(wanted, number);
  kept.record(engine);
  other.record(engine);
  const auto byte = first_difference(kept.memory(), other.memory());
  if (!byte) return text + ": differs in one of two runs";
  return text + fmt::format(": {}byte {:#010x} is {:#04x}, not {:#04x}",
                            place_in_target(cause, byte->address), byte->address,
                            std::to_integer<unsigned>(byte->got), std::to_integer<unsigned>(byte->wanted));
}

}  // namespace warpjit::tool
