#include "scene/trace_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "device/pica200/memory_engines.h"
#include "device/pica200/pipeline.h"
#include "frontend/pica200/facts/fragment_memory.h"
#include "scene/load_scene.h"

namespace warpjit::tool {

namespace {

struct Range {
  std::uint64_t begin = 0, end = 0;
};

// A set of addresses.
class AddressSet {
 public:
  void add(Range range) {
    if (range.begin >= range.end) return;
    auto at = ranges_.upper_bound(range.begin);
    if (at != ranges_.begin() && std::prev(at)->second >= range.begin) --at;
    while (at != ranges_.end() && at->first <= range.end) {
      range.begin = std::min(range.begin, at->first);
      range.end = std::max(range.end, at->second);
      at = ranges_.erase(at);
    }
    ranges_.emplace(range.begin, range.end);
  }
  void remove(Range range) {
    for (const Range& part : parts(range)) {
      const auto at = std::prev(ranges_.upper_bound(part.begin));
      const Range whole{at->first, at->second};
      ranges_.erase(at);
      if (whole.begin < part.begin) ranges_.emplace(whole.begin, part.begin);
      if (part.end < whole.end) ranges_.emplace(part.end, whole.end);
    }
  }
  bool holds(Range range) const {
    const auto at = ranges_.upper_bound(range.begin);
    return range.begin >= range.end || (at != ranges_.begin() && std::prev(at)->second >= range.end);
  }
  // What lies in the range, ascending.
  std::vector<Range> parts(Range range) const {
    std::vector<Range> found;
    auto at = ranges_.upper_bound(range.begin);
    if (at != ranges_.begin()) --at;
    for (; at != ranges_.end() && at->first < range.end; ++at) {
      const Range part{std::max(range.begin, at->first), std::min(range.end, at->second)};
      if (part.begin < part.end) found.push_back(part);
    }
    return found;
  }
  // The first part of the range that does not lie in the set.
  Range first_gap(Range range) const {
    for (const Range& part : parts(range)) {
      if (range.begin < part.begin) return {range.begin, part.begin};
      range.begin = part.end;
    }
    return range;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // the end of each by its begin; none touches another
};

bool reads_color(const pica200::OutputState& output) {
  using pica200::ColorFormat;
  if (output.shadow) return true;
  const bool has_alpha =
      output.color_format != ColorFormat::rgb8 && output.color_format != ColorFormat::rgb565;
  const unsigned all = has_alpha ? 15 : 7;
  if ((output.color_mask & all) != all) return output.color_mask != 0;
  if (!output.blends) return output.logic_op != 0 && (output.logic_op < 3 || output.logic_op > 5);
  constexpr unsigned kOfTarget = 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 14;  // factors that have its colour
  constexpr std::uint8_t kMinimum = 3;
  for (unsigned half = 0; half < 2; ++half)
    if (output.equations[half] >= kMinimum || output.factors[2 * half + 1] != 0 ||
        (kOfTarget >> output.factors[2 * half] & 1) != 0)
      return true;
  return false;
}
bool reads_depth(const pica200::OutputState& output) {
  using pica200::Comparison;
  return output.touches_depth() && (output.stencil || (output.depth_test != Comparison::always &&
                                                       output.depth_test != Comparison::never));
}

class TraceReplay final : public pica200::DrawVisitor {
 public:
  TraceReplay(ImportedScene& imported, SceneMachine& machine) : imported_(imported), machine_(machine) {}

  void run() {
    for (const SceneMemory& piece : machine_.memory())
      if (std::ranges::any_of(piece.bytes, [](std::byte byte) { return byte != std::byte{}; }))
        written_.add({piece.address, piece.address + piece.bytes.size()});
    machine_.set_visitor(this);
    const std::vector<SceneJob>& jobs = imported_.scene.jobs;
    RunOptions options;
    options.engine = EngineKind::guest;
    bool goes_on = true;
    for (std::size_t n = 0; n < jobs.size() && goes_on; ++n) {
      begin_job(n);
      goes_on = machine_.run_job(n, engine_, options).ok();
      if (goes_on) end_job(jobs[n]);
    }
    machine_.set_visitor(nullptr);
    tell();
  }

  // Without what is left out of loads.
  std::vector<SceneJob> kept_jobs() const {
    std::vector<SceneJob> kept;
    for (std::size_t n = 0; n < imported_.scene.jobs.size(); ++n) {
      const SceneJob& job = imported_.scene.jobs[n];
      const auto cut = cuts_.find(n);
      if (cut == cuts_.end()) {
        kept.push_back(job);
        continue;
      }
      const auto& load = std::get<MemoryLoad>(job);
      Range rest{load.address, std::uint64_t{load.address} + load.size};
      const auto keep = [&](std::uint64_t end) {
        if (rest.begin >= end) return;
        const auto size = static_cast<std::size_t>(end - rest.begin);
        MemoryLoad part{
            static_cast<std::uint32_t>(rest.begin), static_cast<std::uint32_t>(size), {}, load.owner};
        if (!load.bytes.empty())
          part.bytes = load.bytes.subspan(static_cast<std::size_t>(rest.begin - load.address), size);
        kept.emplace_back(std::move(part));
      };
      for (const Range& part : cut->second.parts(rest)) {
        keep(part.begin);
        rest.begin = part.end;
      }
      keep(rest.end);
    }
    return kept;
  }

  Result<bool> visit(const pica200::DrawView& draw) override {
    const std::string name = fmt::format("draw {}: ", draw.number);
    note_vertices(draw, name);
    note_textures(draw.setup, name);
    note_targets(draw.setup, name);
    return false;
  }

 private:
  // A load over what jobs wrote, until a list shows whether it is a texture's.
  struct DoubtfulLoad {
    std::size_t job = 0;
    std::vector<Range> replayed;
  };

  void begin_job(std::size_t n) {
    const SceneJob& job = imported_.scene.jobs[n];
    if (const auto* load = std::get_if<MemoryLoad>(&job)) {
      const Range range{load->address, std::uint64_t{load->address} + load->size};
      std::vector<Range> replayed = replayed_.parts(range);
      if (!replayed.empty()) doubtful_.push_back({n, std::move(replayed)});
      replayed_.remove(range);
      written_.add(range);
    } else if (const auto* list = std::get_if<CommandList>(&job)) {
      read({list->address, std::uint64_t{list->address} + list->bytes},
           [] { return std::string("the command list"); });
    } else if (const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job)) {
      read_input(pica200::memory_of(*transfer), "the input of a display transfer");
    } else if (const auto* copy = std::get_if<pica200::TextureCopy>(&job)) {
      read_input(pica200::memory_of(*copy), "the input of a texture copy");
    }
  }
  void end_job(const SceneJob& job) {
    if (const auto* fill = std::get_if<pica200::MemoryFill>(&job)) {
      write_output(pica200::memory_of(*fill));
    } else if (const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job)) {
      write_output(pica200::memory_of(*transfer));
    } else if (const auto* copy = std::get_if<pica200::TextureCopy>(&job)) {
      write_output(pica200::memory_of(*copy));
    } else if (std::holds_alternative<CommandList>(job)) {
      for (const DoubtfulLoad& load : doubtful_)
        for (const Range& range : load.replayed)
          for (const Range& part : sampled_.parts(range)) {
            cuts_[load.job].add(part);
            replayed_.add(part);
          }
      doubtful_.clear();
      sampled_ = {};
    }
  }
  void read_input(const Result<pica200::JobMemory>& memory, const char* what) {
    if (memory) read({memory->input, memory->input + memory->input_size}, [&] { return std::string(what); });
  }
  void write_output(const Result<pica200::JobMemory>& memory) {
    if (memory) write({memory->output, memory->output + memory->output_size});
  }
  void write(Range range) {
    written_.add(range);
    replayed_.add(range);
  }

  // True if something was written there.
  template <class Name>
  bool read(Range range, const Name& what) {
    if (written_.holds(range)) return true;
    const Range gap = written_.first_gap(range);
    if (known_gaps_.insert(gap.begin).second)
      gaps_.push_back(fmt::format("{} reads {:#010x} to {:#010x}, which nothing in the trace wrote", what(),
                                  gap.begin, gap.end - 1));
    return false;
  }

  void note_vertices(const pica200::DrawView& draw, const std::string& name) {
    constexpr std::uint32_t kIndexed = 0x22F, kIndices = 0x227, kCount = 0x228, kBase = 0x200;
    if (draw.trigger == kIndexed) {
      const std::uint32_t list = draw.registers[kIndices];
      const std::uint64_t begin = std::uint64_t{draw.registers[kBase] << 3} + (list & 0x0FFFFFFF);
      read({begin, begin + std::uint64_t{draw.registers[kCount]} * (list >> 31 != 0 ? 2 : 1)},
           [&] { return name + "the index list"; });
    }
    std::uint32_t told = 0;  // by attribute
    draw.pipeline.visit_reads([&](unsigned attribute, const std::byte* data, std::size_t bytes) {
      if ((told >> attribute & 1) != 0) return;
      for (const pica200::PhysicalMemory::Piece& piece : draw.memory.pieces()) {
        if (data < piece.data || data >= piece.data + piece.size) continue;
        const std::uint64_t begin = piece.address + static_cast<std::uint64_t>(data - piece.data);
        if (!read({begin, begin + bytes}, [&] { return fmt::format("{}attribute {}", name, attribute); }))
          told |= 1U << attribute;
      }
    });
  }
  void note_textures(const pica200::FragmentSetup& setup, const std::string& name) {
    for (unsigned unit = 0; unit < setup.state.textures.size(); ++unit) {
      const pica200::TextureState& state = setup.state.textures[unit];
      const pica200::TextureValues& values = setup.values.textures[unit];
      if (state.type == pica200::TextureType::off || state.absent) continue;
      const auto levels = pica200::sampled_levels(state, values);
      if (!levels) continue;
      for (unsigned face = 0; face < (state.is_cube() ? 6U : 1U); ++face) {
        if (values.addresses[face] == 0) continue;
        const std::uint64_t begin = values.addresses[face] + levels->begin;
        sampled_.add({begin, begin + levels->size});
        read({begin, begin + levels->size},
             [&] { return fmt::format("{}the texture of unit {}", name, unit); });
      }
    }
  }
  void note_targets(const pica200::FragmentSetup& setup, const std::string& name) {
    const pica200::OutputState& output = setup.state.output;
    const pica200::TargetSetup& target = setup.target;
    const std::uint64_t pixels = std::uint64_t{target.width} * ((target.height + 7) / 8 * 8);
    const Range color{target.color_address, target.color_address + pixels * pixel_bytes(output.color_format)};
    const Range depth{target.depth_address, target.depth_address + pixels * pixel_bytes(output.depth_format)};
    if (reads_color(output)) read(color, [&] { return name + "the colour target"; });
    if (reads_depth(output)) read(depth, [&] { return name + "the depth target"; });
    if (output.touches_color()) write(color);
    if (output.touches_depth() && (output.depth_writes || output.stencil_writes)) write(depth);
  }

  void tell() {
    constexpr std::size_t kMost = 8;
    for (std::size_t n = 0; n < std::min(gaps_.size(), kMost); ++n) imported_.notes.push_back(gaps_[n]);
    if (gaps_.size() > kMost)
      imported_.notes.push_back(
          fmt::format("{} more places are read that nothing in the trace wrote", gaps_.size() - kMost));
    std::uint64_t bytes = 0;
    std::uint64_t first = UINT64_MAX;
    for (const auto& [job, cut] : cuts_)
      for (const Range& part : cut.parts({0, UINT64_MAX})) {
        bytes += part.end - part.begin;
        first = std::min(first, part.begin);
      }
    if (!cuts_.empty())
      imported_.notes.push_back(fmt::format(
          "{} bytes of {} loads, the first at {:#010x}, are left out: textures that the trace itself draws",
          bytes, cuts_.size(), first));
  }

  ImportedScene& imported_;
  SceneMachine& machine_;
  const Engine engine_;
  AddressSet written_;   // by anything
  AddressSet replayed_;  // by jobs, since the last load
  AddressSet sampled_;   // by draws of the list that runs
  std::vector<DoubtfulLoad> doubtful_;
  std::map<std::size_t, AddressSet> cuts_;  // by job: what of a load is left out
  std::set<std::uint64_t> known_gaps_;      // where they begin
  std::vector<std::string> gaps_;
};

}  // namespace

void replay_trace(ImportedScene& imported, const std::string& name) {
  const auto machine = SceneMachine::make(imported.scene, name);
  if (!machine) return;
  TraceReplay replay(imported, **machine);
  replay.run();
  std::vector<SceneJob> kept = replay.kept_jobs();
  imported.scene.jobs = std::move(kept);
}

}  // namespace warpjit::tool
