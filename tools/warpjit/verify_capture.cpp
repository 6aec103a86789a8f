// warpjit verify of a capture: all engines leave the same targets after every draw, the same pictures and memory.
#include <fmt/format.h>

#include "base/hash.h"
#include "capture/neutral.h"
#include "capture/valhall/chain_frames.h"
#include "capture_names.h"
#include "command.h"
#include "device/valhall/capture.h"
#include "engines.h"
#include "output.h"
#include "render_capture.h"
#include "stop.h"

namespace warpjit::tool {

namespace {

// What a run leaves in its targets, in its order.
class TargetHashes final : public CaptureVisitor {
 public:
  struct Row {
    std::string place;  // "color0 after draw 3"
    std::uint64_t hash = 0;
    bool operator==(const Row&) const = default;
  };
  CaptureInterest interest() const override { return {.draws = true, .targets_of_draws = true}; }
  bool job(const CaptureJob& job) override { return add_faults(job.programs); }
  bool draw(const CaptureDraw& draw) override { return add_faults(draw.programs); }
  bool picture(const CapturePicture& picture) override {
    std::string place = picture.draw ? fmt::format("{} after draw {}", picture.name, *picture.draw)
                                     : fmt::format("{} of frame {}", picture.name, picture.frame);
    unexpected.see(picture);
    rows.push_back({std::move(place), hash_bytes(picture.bytes, hash_bytes(picture.pixels))});
    return true;
  }

  std::vector<Row> rows;
  UnexpectedPictures unexpected;
  bool faulted = false;

 private:
  bool add_faults(std::span<const CaptureProgram> programs) {
    for (const CaptureProgram& program : programs) faulted = faulted || program.report->fault;
    return !stopping();
  }
};

struct CaptureOutcome {
  EngineChoice choice;
  TargetHashes targets;
  std::uint64_t memory = 0;
  std::optional<Error> error;
  std::string differs;     // empty: in nothing
  std::string unexpected;  // empty: nothing
  bool holds() const { return differs.empty() && unexpected.empty(); }
};

std::string first_difference(const CaptureOutcome& a, const CaptureOutcome& b) {
  if (a.error || b.error) {
    const std::string text = a.error ? to_string(*a.error) : std::string();
    const bool same = a.error && b.error && text == to_string(*b.error);
    return same ? std::string() : a.error ? "an error: " + text : "no error";
  }
  const auto [x, y] = std::ranges::mismatch(a.targets.rows, b.targets.rows);
  if (x != a.targets.rows.end()) return x->place;
  if (y != b.targets.rows.end()) return y->place;
  if (a.memory != b.memory) return "memory after the last job";
  return a.targets.faulted == b.targets.faulted ? "" : a.targets.faulted ? "a fault" : "no fault";
}

Json outcome_json(const CaptureOutcome& outcome) {
  Json json{{"engine", name(outcome.choice)}, {"ok", outcome.holds() && !outcome.error}};
  if (outcome.error)
    json["error"] = to_string(*outcome.error);
  else
    json["checksum"] = fmt::format("{:#018x}", outcome.memory);
  if (!outcome.differs.empty()) json["differs"] = outcome.differs;
  if (!outcome.unexpected.empty()) json["expect"] = outcome.unexpected;
  return json;
}

void print_outcome(const CaptureOutcome& outcome, const std::string& reference) {
  if (outcome.error)
    print_out("{:16} {}", name(outcome.choice), to_string(*outcome.error));
  else
    print_out("{:16} checksum {:#018x}", name(outcome.choice), outcome.memory);
  if (!outcome.differs.empty()) print_out("  DIFFERS from {}: {}", reference, outcome.differs);
  if (!outcome.unexpected.empty())
    print_out("  NOT AS EXPECTED: {}", outcome.unexpected);
  else if (outcome.targets.unexpected.compared() && !outcome.error)
    print_out("  as expected");
  write_out("\n");
}

}  // namespace

int verify_capture(const VerifyCapture& options) {
  auto capture = load_capture(options.input);
  if (!capture) return fail(capture.error());
  print_notes(*capture);
  const auto frames = valhall::ChainFrames::make(std::move(*capture));
  if (!frames) return fail(frames.error());
  const NameTable names((*frames)->file().names);
  const Engine engine;
  const auto choices = usable_engines(engine, options.engines);
  if (!choices) return fail(choices.error());
  std::vector<CaptureOutcome> outcomes;
  bool mismatch = false, faulted = false;
  for (const EngineChoice& choice : choices->usable) {
    CaptureOutcome& outcome = outcomes.emplace_back();
    outcome.choice = choice;
    RunOptions run = options.run;
    run.engine = choice.engine;
    run.target = choice.target;
    auto memory = (*frames)->file().image.copy();
    if (!memory) return fail(memory.error());
    if (const Status ran = (*frames)->run(engine, outcome.targets, run, *memory); !ran)
      outcome.error = names.in(ran.error());
    if (stopping()) return fail(stop_error());
    outcome.unexpected = outcome.targets.unexpected.text(
        [&](CaptureVisitor& visitor) { return (*frames)->run(engine, visitor, run); });
    for (const valhall::ImageWindow& window : memory->windows())
      outcome.memory = hash_bytes(window.bytes(), outcome.memory);
    if (outcomes.size() > 1)
      outcome.differs = names.in(std::string_view(first_difference(outcome, outcomes.front())));
    outcome.unexpected = names.in(std::string_view(outcome.unexpected));
    mismatch = mismatch || !outcome.holds();
    faulted = faulted || outcome.targets.faulted;
  }
  const std::optional<Error>& error = outcomes.front().error;
  const bool ok = !mismatch && !error;
  if (options.json) {
    Json json{{"file", options.input.file},     {"ok", ok},
              {"jobs", (*frames)->info().jobs}, {"frames", (*frames)->info().frames},
              {"engines", Json::array()},       {"skipped", choices->unusable}};
    for (const CaptureOutcome& outcome : outcomes) json["engines"].push_back(outcome_json(outcome));
    print_json(json);
  } else {
    print_out("{}: {} jobs, {} frames\n", options.input.file, (*frames)->info().jobs,
              (*frames)->info().frames);
    for (const CaptureOutcome& outcome : outcomes) print_outcome(outcome, name(outcomes.front().choice));
    print_out("{}\n", mismatch  ? "MISMATCH"
                      : error   ? "all agree, and do not run it"
                      : faulted ? "all agree, and fault"
                                : "all agree");
  }
  if (mismatch) return kMismatch;
  if (error) return exit_code(error->code);
  return run_exit_code(false, faulted, options.ignore_faults);
}

}  // namespace warpjit::tool
