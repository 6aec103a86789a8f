// warpjit verify: runs a launch with every engine and compares the results bit by bit, and with what the
// launch expects.
#include <fmt/format.h>

#include "capture/neutral.h"
#include "command.h"
#include "engines.h"
#include "files.h"
#include "launch/random_launch.h"
#include "launch/read_launch.h"
#include "output.h"
#include "render_capture.h"
#include "runtime/engine/engine.h"
#include "scene/load_scene.h"
#include "scene/scene_commands.h"
#include "stop.h"

namespace warpjit::tool {

namespace {

constexpr std::uint64_t kRandomThreads = 256;  // of a program without a launch

struct VerifyOptions {
  RunInput input;
  ProgramInput program;  // its file is that of `input`
  std::vector<std::string> engines;
  std::uint64_t random = 0, seed = 1;
  bool dispatch = false, json = false;
  CaptureInput capture;  // but for its file
};

// A run of one engine.
struct Outcome {
  EngineChoice choice;
  bool dispatch = false;
  std::optional<Error> error;
  std::optional<MemoryFault> fault;
  std::optional<Mismatch> against_expected, against_reference;
  std::string other_fault;  // it faulted and the reference did not, or the other way round
  std::uint64_t checksum = 0;
  bool failed = false;  // a mismatch of any kind
};

// What the first engine that finished left.
struct Reference {
  std::string engine;
  std::vector<std::uint32_t> results;
  bool faulted = false;
};

std::string label(const Outcome& outcome) {
  return name(outcome.choice) + (outcome.dispatch ? "+dispatch" : "");
}

Json to_json(const Outcome& outcome) {
  Json json{{"engine", label(outcome)}, {"ok", !outcome.failed && !outcome.error}};
  if (outcome.error)
    json["error"] = {{"code", warpjit::name(outcome.error->code)},
                     {"message", text::shortened(outcome.error->message)},
                     {"where", text::shortened(outcome.error->where)}};
  else
    json["checksum"] = fmt::format("{:#018x}", outcome.checksum);
  if (outcome.fault) json["fault"] = fault_json(*outcome.fault);
  if (!outcome.other_fault.empty()) json["other_fault"] = outcome.other_fault;
  if (outcome.against_reference) json["differs"] = mismatch_json(*outcome.against_reference);
  if (outcome.against_expected) json["expect"] = mismatch_json(*outcome.against_expected);
  return json;
}

void print(const Outcome& outcome, const std::string& reference, bool expectations) {
  if (outcome.error) {
    print_out("{:16} {}\n", label(outcome), message_of(*outcome.error));
    return;
  }
  print_out("{:16} checksum {:#018x}", label(outcome), outcome.checksum);
  if (outcome.fault) print_out("  fault: {}", fault_text(*outcome.fault));
  if (!outcome.other_fault.empty()) print_out("  {}", outcome.other_fault);
  if (outcome.against_reference)
    print_out("  DIFFERS from {}: {}", reference, to_string(*outcome.against_reference));
  if (outcome.against_expected)
    print_out("  NOT AS EXPECTED: {}", to_string(*outcome.against_expected));
  else if (expectations)
    print_out("  as expected");
  write_out("\n");
}

// The launch of a launch file, or one of a program alone.
Result<LaunchFile> load(const VerifyOptions& options, bool& is_template) {
  ProgramInput program = options.program;
  program.file = options.input.file;
  WARPJIT_TRY(const GivenProgram given, load_program(program));
  is_template = !given.launch;
  return launch_of(given, program, 0);
}

// The same with random data, as the options ask for it, and their count.
Result<LaunchFile> prepare(const VerifyOptions& options, LaunchFile file, bool is_template,
                           std::uint64_t round) {
  const std::uint64_t seed = options.seed + round;
  if (is_template) {
    const std::uint64_t count = options.random != 0 ? options.random : kRandomThreads;
    WARPJIT_CHECK(randomize_template(file, count, seed));
  } else if (options.random != 0) {
    if (const Status status = randomize_data(file, options.random, seed); !status)
      return Error{status.error().code, status.error().message + ": " + file.name, "--random"};
  }
  if (!options.input.count) return file;
  if (file.work == Work::grid)
    return Error{ErrorCode::bad_input,
                 "the grid and block of a kernel, or its vertices, say how many threads there are",
                 "--count"};
  WARPJIT_CHECK(set_count(file, *options.input.count));
  return file;
}

Outcome run_one(const VerifyOptions& options, const Engine& engine, const EngineChoice& choice, bool dispatch,
                BoundLaunch& bound, std::optional<Reference>& reference) {
  Outcome outcome{choice, dispatch, {}, {}, {}, {}, {}};
  engine.state().set_hooks({.dispatch_all = dispatch});
  const auto report = bound.run(engine, options.input.on(choice.engine, choice.target));
  if (!report) {
    outcome.error = report.error();
    // Where a thread needs more than its fuel, but less than twice as much, engines may differ. What only the
    // guest interpreter can run, or has memory for, is no disagreement.
    const ErrorCode code = report.error().code;
    outcome.failed = reference && code != ErrorCode::out_of_fuel && code != ErrorCode::unsupported &&
                     code != ErrorCode::resource_limit;
    return outcome;
  }
  outcome.checksum = bound.checksum();
  outcome.fault = report->fault;
  outcome.against_expected = check_expectations(bound);
  if (!reference) {
    reference = Reference{label(outcome), bound.results(), report->fault.has_value()};
  } else {
    outcome.against_reference = compare_results(bound, reference->results);
    if (report->fault.has_value() != reference->faulted)
      outcome.other_fault = reference->faulted ? "NO FAULT" : "A FAULT of this engine only";
  }
  outcome.failed = outcome.against_expected || outcome.against_reference || !outcome.other_fault.empty();
  return outcome;
}

// One launch on all engines.
struct Round {
  std::vector<Outcome> outcomes;
  std::optional<Reference> reference;
  int exit = kOk;
  bool mismatch = false, faulted = false;

  // The engines that do not run such a program.
  std::vector<std::string> refusing() const {
    std::vector<std::string> names;
    for (const Outcome& outcome : outcomes)
      if (outcome.error && outcome.error->code == ErrorCode::unsupported) names.push_back(label(outcome));
    return names;
  }
};

Round run_all(const VerifyOptions& options, const Engine& engine, const EngineChoices& choices,
              BoundLaunch& bound) {
  Round round;
  for (const EngineChoice& choice : choices.usable)
    for (const bool dispatch : {false, true}) {
      if (dispatch && (!options.dispatch || choice.engine == EngineKind::guest)) continue;
      Outcome outcome = run_one(options, engine, choice, dispatch, bound, round.reference);
      round.mismatch = round.mismatch || outcome.failed;
      round.faulted = round.faulted || outcome.fault;
      if (outcome.error && outcome.error->code != ErrorCode::unsupported && round.exit == kOk)
        round.exit = exit_code(outcome.error->code);
      round.outcomes.push_back(std::move(outcome));
    }
  // What no engine runs is bad input, as for `run`.
  if (round.exit == kOk && !round.refusing().empty())
    round.exit = round.reference ? kTargetUnavailable : exit_code(ErrorCode::unsupported);
  if (round.mismatch || round.exit == kOk)
    round.exit = run_exit_code(round.mismatch, round.faulted, options.input.ignore_faults);
  return round;
}

std::string verdict(const Round& round) {
  if (round.mismatch) return "MISMATCH";
  if (round.exit == kOk || round.exit == kMismatch)
    return round.faulted ? "all agree, and fault" : "all agree";
  const std::vector<std::string> refusing = round.refusing();
  if (refusing.size() == round.outcomes.size()) return "NOT VERIFIED: no engine runs it";
  if (!round.reference || round.exit != kTargetUnavailable) return "the program does not run to its end";
  const bool one = round.outcomes.size() == refusing.size() + 1;
  return fmt::format("NOT VERIFIED: {} ran{}, not {}", one ? "only " + round.reference->engine : "the others",
                     one ? "" : " and agree", fmt::join(refusing, ", "));
}

void print_round(const VerifyOptions& options, const LaunchFile& file, const Round& round,
                 std::uint64_t rounds, const EngineChoices& choices) {
  if (options.json) {
    Json json = launch_json(file);
    if (rounds > 1) json["runs"] = rounds;
    json["ok"] = round.exit == kOk;
    json["refused"] = round.refusing();
    json["engines"] = Json::array();
    for (const Outcome& outcome : round.outcomes) json["engines"].push_back(to_json(outcome));
    json["skipped"] = choices.unusable;
    print_json(json);
    return;
  }
  print_out("{}: {} threads", file.name, file.threads());
  if (rounds > 1) print_out(", run {} with other data, of which this is the last", rounds);
  print_out("{}\n", modes_warning(file));
  for (const Outcome& outcome : round.outcomes)
    print(outcome, round.reference ? round.reference->engine : std::string(), file.has_expectations());
  print_out("{}\n", verdict(round));
}

int verify_launch(const VerifyOptions& options) {
  bool is_template = false;
  const auto file = load(options, is_template);
  if (!file) return fail(file.error());
  const Engine engine;
  const auto choices = usable_engines(engine, options.engines);
  if (!choices) return fail(choices.error());

  // A kernel's grid has its own number of threads: --random is a number of launches instead.
  const std::uint64_t rounds =
      file->work == Work::grid && options.random != 0 ? options.random : std::uint64_t{1};
  for (std::uint64_t n = 0;; ++n) {
    auto prepared = prepare(options, *file, is_template, n);
    if (!prepared) return fail(prepared.error());
    auto bound = BoundLaunch::make(std::move(*prepared));
    if (!bound) return fail(bound.error());
    const Round round = run_all(options, engine, *choices, *bound);
    if (stopping()) return fail(stop_error());
    if (round.exit == kOk && n + 1 < rounds) continue;
    print_round(options, bound->file(), round, n + 1, *choices);
    return round.exit;
  }
}

}  // namespace

void add_verify(Command& app) {
  const auto options = std::make_shared<VerifyOptions>();
  Command command =
      app.add_command("verify", "Compare all engines and targets bit by bit, and with `expect`");
  options->input.add_to(command);
  options->input.add_faults_to(command);
  command.existing("file").description(
      "launch file; scene; capture; or an SHBIN, cubin, assembly source or bare words to run on random data");
  add_program_options(command, options->program);
  add_engines(command, options->engines);
  command
      .option("--random", options->random,
              "rows of random inputs (special values included) to run instead of the launch's; of a kernel, "
              "whose grid stays, how many launches to run with random contents where its memory has data")
      .range(1, kMaxThreads);
  command.option("--seed", options->seed, "the seed of the random data").show_default();
  command.flag("--dispatch", options->dispatch,
               "also run each compiled engine with all control flow in the dispatcher");
  add_capture_options(command, options->capture);
  add_expected(command, options->capture);
  command.option("--job", options->capture.jobs,
                 "the file is a capture of a Valhall GPU: where a chain of its jobs begins, instead of "
                 "those that the file names");
  command.flag("--json", options->json, "print JSON");
  command.footer(
      "Names the first place (thread and register, triangle, address) and the values that differ.\n"
      "An engine that refuses the program is named, and the exit code is 4. What all engines agree on may "
      "be a fault, an access outside of memory or not aligned: exit code 1, but with --ignore-faults.\n"
      "A scene of the PICA200 runs as a whole, and all its memory is compared; --random is how many times it "
      "runs "
      "with registers changed at random. Names the first draw and pixel that differ.\n"
      "Every target of a capture is compared after every draw, and what is expected at last; of a Valhall "
      "GPU's "
      "all memory, too.\n"
      "Examples:\n"
      "  warpjit verify frame.wjcap\n"
      "  warpjit verify run.json\n"
      "  warpjit verify run.json --random 100000 --seed 7 --dispatch\n"
      "  warpjit verify shader.shbin --random 1000\n"
      "  warpjit verify kernel.cubin --entry saxpy\n"
      "  warpjit verify scene.json --random 1000");
  command.action([options, command] {
    CaptureInput capture = options->capture;
    capture.file = options->input.file;
    if (is_capture(capture)) {
      for (const std::string& name : command.given())
        if (name == "random" || name == "seed" || name == "dispatch" || name == "count")
          return fail({ErrorCode::bad_input, "captures do not take this option", "--" + name});
      return verify_capture({capture, options->input.on(EngineKind::guest, Target::automatic),
                             options->engines, options->json, options->input.ignore_faults});
    }
    if (is_neutral_capture(options->input.file)) {
      if (const Status checked = check_scene_options(
              command, {"engines", "json", "threads", "fuel", "timeout", "ignore-faults"}, "captures");
          !checked)
        return fail(checked.error());
      return verify_neutral({options->input.file, options->input.on(EngineKind::guest, Target::automatic),
                             options->engines, options->json});
    }
    if (!capture.more.empty() || !capture.gpu.empty() || capture.expected)
      return fail({ErrorCode::bad_input,
                   "further files, --gpu and --expected are for captures of Valhall GPUs", capture.file});
    if (!is_scene(options->input.file)) return verify_launch(*options);
    if (const Status checked = check_scene_options(
            command, {"engines", "random", "seed", "json", "threads", "fuel", "timeout", "ignore-faults"});
        !checked)
      return fail(checked.error());
    return verify_scene({options->input.file, options->input.on(EngineKind::guest, Target::automatic),
                         options->engines, options->random, options->seed, options->json});
  });
}

}  // namespace warpjit::tool
