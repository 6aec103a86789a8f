// warpjit verify of a scene: all engines leave the same memory, and what the scene expects.
#include <fmt/format.h>

#include "capture_names.h"
#include "command.h"
#include "engines.h"
#include "output.h"
#include "scene/compare_runs.h"
#include "scene/load_scene.h"
#include "scene/scene_commands.h"
#include "scene/vary_scene.h"
#include "stop.h"

namespace warpjit::tool {

namespace {

// How one engine ended.
struct SceneOutcome {
  EngineChoice choice;
  std::uint64_t checksum = 0;
  std::string error;                // of the run
  std::optional<Error> stopped;     // by time or a signal
  std::string unexpected, differs;  // empty: nothing
  bool holds() const { return unexpected.empty() && differs.empty(); }
};

// The same on every host.
std::uint64_t checksum_of(std::span<const SceneMemory> memory) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const SceneMemory& piece : memory)
    for (const std::byte byte : piece.bytes)
      sum = (sum ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  return sum;
}

std::string unexpected_output(const SceneMachine& machine) {
  for (const SceneOutput& output : machine.scene().outputs) {
    const std::span<const std::byte> bytes = machine.bytes_of(output);
    if (!output.expected) continue;
    if (bytes.size() != output.size) return output.name + " does not lie in the scene's memory";
    const CaptureComparison difference = compare_output(output, bytes);
    if (!difference.holds())
      return fmt::format("{}: {} of {} {} differ by more than {}", output.name, difference.beyond,
                         difference.units, output.layout == SceneOutput::Layout::bytes ? "bytes" : "pixels",
                         output.tolerance);
  }
  return {};
}

RunOptions with_engine(RunOptions run, const EngineChoice& choice) {
  run.engine = choice.engine;
  run.target = choice.target;
  return run;
}

struct SceneRound {
  std::vector<SceneOutcome> outcomes;
  bool holds = true;
};

Result<SceneRound> run_round(const SceneVerify& options, const Scene& scene, const Engine& engine,
                             const EngineChoices& choices, bool changed) {
  WARPJIT_TRY(const std::unique_ptr<SceneMachine> machine, SceneMachine::make(scene, options.file));
  const NameTable names(scene.texts.names);
  SceneRound round;
  std::unique_ptr<SceneMachine> reference;
  for (const EngineChoice& choice : choices.usable) {
    SceneOutcome outcome{choice, 0, {}, {}, {}, {}};
    WARPJIT_CHECK(machine->begin());
    const RunOptions run = with_engine(options.run, choice);
    const Status status = machine->run(engine, run);
    if (stopping()) return stop_error();
    if (!status) outcome.error = to_string(names.in(status.error()));
    if (status && scene.refused && !changed) outcome.unexpected = "the scene must be refused, and was drawn";
    outcome.checksum = checksum_of(machine->memory());
    if (status && !changed && !scene.refused) outcome.unexpected = unexpected_output(*machine);
    if (round.outcomes.empty()) {
      round.holds = outcome.holds() && (changed || scene.refused || status.ok());
    } else {
      const SceneOutcome& first = round.outcomes.front();
      if (outcome.error != first.error)
        outcome.differs = outcome.error.empty() ? "no error" : "an error: " + outcome.error;
      else if (outcome.checksum != first.checksum) {
        if (!reference) {
          WARPJIT_TRY(reference, SceneMachine::make(scene, options.file));
        }
        const auto parting =
            find_parting(engine, {*machine, run}, {*reference, with_engine(options.run, first.choice)});
        outcome.differs = names.in(std::string_view(parting ? *parting : "differs in one of two runs"));
      }
    }
    round.holds = round.holds && outcome.holds();
    round.outcomes.push_back(std::move(outcome));
  }
  return round;
}

Json outcome_json(const SceneOutcome& outcome) {
  Json json{{"engine", name(outcome.choice)},
            {"ok", outcome.holds()},
            {"checksum", fmt::format("{:#018x}", outcome.checksum)}};
  if (!outcome.error.empty()) json["error"] = outcome.error;
  if (!outcome.differs.empty()) json["differs"] = outcome.differs;
  if (!outcome.unexpected.empty()) json["expect"] = outcome.unexpected;
  return json;
}

void print_outcome(const SceneOutcome& outcome, const std::string& reference, bool expectations) {
  print_out("{:16} checksum {:#018x}", name(outcome.choice), outcome.checksum);
  if (!outcome.error.empty()) print_out("  {}", outcome.error);
  if (!outcome.differs.empty()) print_out("  DIFFERS from {}: {}", reference, outcome.differs);
  if (!outcome.unexpected.empty())
    print_out("  NOT AS EXPECTED: {}", outcome.unexpected);
  else if (expectations && outcome.error.empty())
    print_out("  as expected");
  write_out("\n");
}

}  // namespace

int verify_scene(const SceneVerify& options) {
  const auto scene = load_scene(options.file);
  if (!scene) return fail(scene.error());
  const Engine engine;
  const auto choices = usable_engines(engine, options.engines);
  if (!choices) return fail(choices.error());
  const SceneVariation variation(*scene);
  const bool changed = options.random != 0;
  if (changed && variation.empty())
    return fail(
        {ErrorCode::bad_input, "the scene's lists write no registers of the fixed function", "--random"});
  SceneRound round;
  std::uint64_t runs = 0, refused = 0;
  do {
    Scene varied;
    if (changed) {
      varied = *scene;
      Random random(options.seed + runs);
      variation.vary(varied, random);
    }
    auto result = run_round(options, changed ? varied : *scene, engine, *choices, changed);
    if (!result) return fail(result.error());
    round = std::move(*result);
    ++runs;
    refused += round.outcomes.front().error.empty() ? 0 : 1;
  } while (round.holds && runs < options.random);

  bool expectations = false;
  for (const SceneOutput& output : scene->outputs) expectations = expectations || output.expected;
  if (options.json) {
    Json json{{"file", options.file}, {"ok", round.holds}};
    if (changed) {
      json["runs"] = runs;
      json["refused"] = refused;
      json["seed"] = options.seed + runs - 1;
    }
    json["engines"] = Json::array();
    for (const SceneOutcome& outcome : round.outcomes) json["engines"].push_back(outcome_json(outcome));
    json["skipped"] = choices->unusable;
    print_json(json);
  } else {
    print_out("{}: {} jobs", options.file, scene->jobs.size());
    if (changed)
      print_out(", {} runs with changed registers, {} of them refused; this is the last, --seed {}", runs,
                refused, options.seed + runs - 1);
    write_out("\n");
    for (const SceneOutcome& outcome : round.outcomes)
      print_outcome(outcome, name(round.outcomes.front().choice), expectations && !changed);
    print_out("{}\n", !round.holds                                             ? "MISMATCH"
                      : round.outcomes.front().error.empty() || scene->refused ? "all agree"
                                                                               : "all agree, and refuse it");
  }
  return round.holds ? kOk : kMismatch;
}

}  // namespace warpjit::tool
