// warpjit verify: runs a launch with every engine and compares the results bit by bit, and with what the
// launch expects.
#include <fmt/core.h>

#include "bound_launch.h"
#include "command.h"
#include "compute.h"
#include "engines.h"
#include "random_launch.h"
#include "runtime/engine/engine.h"

namespace warpjit::tool {

namespace {

struct VerifyOptions {
  RunInput input;
  std::string entry;
  std::vector<std::string> engines;
  std::uint64_t random = 0, seed = 1;
  bool dispatch = false, json = false;
};

// A run of one engine.
struct Outcome {
  EngineChoice choice;
  bool dispatch = false;
  std::optional<Error> error;
  std::optional<Mismatch> against_expected, against_reference;
  std::uint64_t checksum = 0;
  bool failed = false;  // a mismatch of any kind
};

std::string label(const Outcome& outcome) {
  return name(outcome.choice) + (outcome.dispatch ? "+dispatch" : "");
}

Result<LaunchFile> load(const VerifyOptions& options) {
  if (is_launch_file(options.input.file)) {
    WARPJIT_TRY(LaunchFile launch, read_launch(options.input.file));
    if (options.random != 0) randomize_inputs(launch, options.random, options.seed);
    if (options.input.count) WARPJIT_CHECK(set_count(launch, *options.input.count));
    return launch;
  }
  WARPJIT_TRY(const LoadedProgram loaded, load_program({options.input.file, options.entry}));
  return random_launch(loaded.program, options.random != 0 ? options.random : 256, options.seed);
}

Json to_json(const Mismatch& mismatch) {
  return {{"thread", mismatch.thread},
          {"register", mismatch.name},
          {"got", hex(mismatch.got)},
          {"wanted", hex(mismatch.wanted)}};
}

Json to_json(const Outcome& outcome) {
  Json json{{"engine", label(outcome)}, {"ok", !outcome.failed}};
  if (outcome.error)
    json["error"] = {{"code", warpjit::name(outcome.error->code)},
                     {"message", outcome.error->message},
                     {"where", outcome.error->where}};
  else
    json["checksum"] = fmt::format("{:#018x}", outcome.checksum);
  if (outcome.against_reference) json["differs"] = to_json(*outcome.against_reference);
  if (outcome.against_expected) json["expect"] = to_json(*outcome.against_expected);
  return json;
}

void print(const Outcome& outcome, const std::string& reference, bool expectations) {
  if (outcome.error) {
    fmt::print("{:16} {}: {}\n", label(outcome), warpjit::name(outcome.error->code),
               to_string(*outcome.error));
    return;
  }
  fmt::print("{:16} checksum {:#018x}", label(outcome), outcome.checksum);
  if (outcome.against_reference)
    fmt::print("  DIFFERS from {}: {}", reference, to_string(*outcome.against_reference));
  if (outcome.against_expected)
    fmt::print("  NOT AS EXPECTED: {}", to_string(*outcome.against_expected));
  else if (expectations)
    fmt::print("  as expected");
  fmt::print("\n");
}

int verify_launch(const VerifyOptions& options) {
  if (is_compute(options.input.file)) {
    if (options.random != 0)
      return fail({ErrorCode::bad_input, "random data is made for vertex programs only", "--random"});
    if (!options.entry.empty())
      return fail({ErrorCode::bad_input, "a launch file names its entry itself", "--entry"});
    return verify_compute({options.input, {}, false, options.json}, options.engines, options.dispatch);
  }
  auto file = load(options);
  if (!file) return fail(file.error());
  auto made = BoundLaunch::make(std::move(*file));
  if (!made) return fail(made.error());
  BoundLaunch& bound = *made;
  const Engine engine;
  const auto choices = choose_engines(engine, options.engines);
  if (!choices) return fail(choices.error());
  for (const std::string& text : choices->unusable) fmt::print(stderr, "warpjit: skipped {}\n", text);
  if (choices->usable.empty()) return kTargetUnavailable;

  std::vector<Outcome> outcomes;
  std::vector<std::uint32_t> reference;  // results of the first engine that finished
  std::string reference_name;
  int exit = kOk;
  for (const EngineChoice& choice : choices->usable)
    for (const bool dispatch : {false, true}) {
      if (dispatch && (!options.dispatch || choice.engine == EngineKind::guest)) continue;
      Outcome outcome{choice, dispatch, {}, {}, {}};
      RunOptions run = options.input.on(choice.engine, choice.target);
      engine.state().set_hooks({.dispatch_all = dispatch});
      if (const auto report = bound.run(engine, run); !report) {
        outcome.error = report.error();
        // Where a thread needs more than its fuel, but less than twice as much, engines may differ.
        outcome.failed = !reference_name.empty() && report.error().code != ErrorCode::out_of_fuel;
        exit = outcome.failed ? kMismatch : exit == kOk ? exit_code(report.error().code) : exit;
      } else {
        outcome.checksum = bound.checksum();
        outcome.against_expected = check_expectations(bound);
        if (reference_name.empty()) {
          reference = bound.results();
          reference_name = label(outcome);
        } else {
          outcome.against_reference = compare_results(bound, reference);
        }
        outcome.failed = outcome.against_expected || outcome.against_reference;
        if (outcome.failed) exit = kMismatch;
      }
      outcomes.push_back(std::move(outcome));
    }

  const LaunchFile& launch = bound.file();
  if (options.json) {
    Json json{{"launch", launch.name}, {"count", launch.count}, {"ok", exit == kOk}};
    json["engines"] = Json::array();
    for (const Outcome& outcome : outcomes) json["engines"].push_back(to_json(outcome));
    json["skipped"] = choices->unusable;
    print_json(json);
  } else {
    fmt::print("{}: {} threads\n", launch.name, launch.count);
    const bool expectations = !launch.expectations.empty() || launch.triangles.has_value();
    for (const Outcome& outcome : outcomes) print(outcome, reference_name, expectations);
    fmt::print("{}\n", exit == kOk         ? "all agree"
                       : exit == kMismatch ? "MISMATCH"
                                           : "the program does not run to its end");
  }
  return exit;
}

}  // namespace

void add_verify(CLI::App& app, int& exit) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App* command =
      app.add_subcommand("verify", "Compare all engines and targets bit by bit, and with `expect`");
  options->input.add_to(*command);
  command->get_option("file")->description("launch file, or an SHBIN or source to run on random data");
  command->add_option("--entry", options->entry, "entry point of an SHBIN or source");
  command
      ->add_option("--engines", options->engines,
                   "which: guest, ir, jit, jit-v3, jit-v4, jit-a64 (default: all)")
      ->delimiter(',');
  command
      ->add_option("--random", options->random,
                   "run on so many random vertices (special values included) instead of the launch's")
      ->check(CLI::Range(std::uint64_t{1}, kMaxThreads));
  command->add_option("--seed", options->seed, "of the random data")->capture_default_str();
  command->add_flag("--dispatch", options->dispatch,
                    "also run each compiled engine with all control flow in the dispatcher");
  command->add_flag("--json", options->json, "print JSON");
  command->footer(
      "Names the first thread, register and values that differ.\nExamples:\n  warpjit verify run.json\n"
      "  warpjit verify run.json --random 100000 --seed 7 --dispatch\n  warpjit verify shader.shbin --random "
      "1000");
  command->callback([options, &exit] { exit = verify_launch(*options); });
}

}  // namespace warpjit::tool
