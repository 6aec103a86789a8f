// warpjit run: runs a launch and prints its results.
#include <fmt/core.h>

#include <algorithm>

#include "command.h"
#include "files.h"
#include "launch/pixel_results.h"
#include "launch/results.h"
#include "output.h"
#include "profile.h"
#include "runtime/engine/engine.h"

namespace warpjit::tool {

namespace {

struct RunCommand {
  RunInput input;
  std::string engine = "jit", target = "automatic", out;
  std::vector<std::string> pixels;
  bool all = false, json = false, dispatch = false, background = false, stats = false;
};

// What a run gave.
struct RunOutcome {
  Report report;
  EngineStatistics statistics;
  std::optional<Profile> profile;
  std::optional<Mismatch> mismatch;
  ResultChoice choice;
  std::string note;  // of a draw that changed nothing
};

Json to_json(const BoundLaunch& bound, const RunOutcome& outcome) {
  const LaunchFile& file = bound.file();
  const Report& report = outcome.report;
  Json json = launch_json(file);
  json["engine"] = name(report.engine);
  if (report.engine == EngineKind::jit) json["target"] = name(report.target);
  json["lanes"] = report.lanes;
  json["compile_ns"] = report.compile_time().count();
  json["run_ns"] = report.run_time.count();
  if (report.interpreted != 0) json["interpreted"] = report.interpreted;
  if (!report.interpreted_because.empty()) json["interpreted_because"] = report.interpreted_because;
  if (report.fault) json["fault"] = fault_json(*report.fault);
  if (file.work == Work::primitives) json["invocations"] = bound.threads();
  if (file.work == Work::pixels) json["draw"] = draw_json(report.draw);
  if (!outcome.note.empty()) json["note"] = outcome.note;
  json["statistics"] = statistics_json(outcome.statistics);
  if (outcome.profile) json["stats"] = profile_json(*outcome.profile);
  json["checksum"] = fmt::format("{:#018x}", bound.checksum());
  add_results(bound, outcome.choice, json);
  if (file.has_expectations()) json["expect"] = outcome.mismatch ? "mismatch" : "ok";
  if (outcome.mismatch) json["mismatch"] = mismatch_json(*outcome.mismatch);
  return json;
}

// What it is that ran: "3 threads", "2 x 1 x 1 blocks of 32 x 1 x 1 threads".
std::string extent_text(const LaunchFile& file) {
  if (file.work == Work::pixels) return fmt::format("{} x {} pixels", file.pixels.width, file.pixels.height);
  if (file.work != Work::grid) return fmt::format("{} threads", file.count);
  if (const auto& vertices = file.grid.vertices)
    return fmt::format("{} vertices, {} instances", vertices->count, vertices->instances);
  const auto &g = file.grid.grid, &b = file.grid.block;
  return fmt::format("{} x {} x {} blocks of {} x {} x {} threads", g[0], g[1], g[2], b[0], b[1], b[2]);
}

void print_timing(const LaunchFile& file, const Report& report) {
  print_err("{}: {}, engine {}", file.name, extent_text(file), name(report.engine));
  if (report.engine == EngineKind::jit)
    print_err(" {} ({} lanes a group, {} bytes of code)", name(report.target), report.lanes,
              report.code_bytes);
  print_err(", compiled in {:.1f} us, ran in {:.1f} us ({:.2f} M threads/s)",
            static_cast<double>(report.compile_time().count()) / 1e3,
            static_cast<double>(report.run_time.count()) / 1e3,
            static_cast<double>(file.threads()) * 1e3 /
                std::max<double>(1, static_cast<double>(report.run_time.count())));
  if (file.work == Work::primitives)
    print_err("; {} invocations{} emitted {} triangles", report.invocations,
              report.ordered ? " in order" : "", report.triangles);
  print_err("{}\n", modes_warning(file));
  if (report.interpreted != 0)
    print_err("{}: the guest interpreter ran {} {} while the kernel was compiled\n", file.name,
              report.interpreted,
              file.work == Work::grid     ? "blocks"
              : file.work == Work::pixels ? "fragments"
                                          : "threads");
}

// Why another engine ran than was asked for.
void print_replacement(const RunOptions& run, const Engine& engine, const Report& report) {
  if (report.engine == run.engine || report.interpreted != 0) return;
  std::string reason = report.interpreted_because;
  if (reason.empty()) reason = engine.info().no_jit_reason;
  if (reason.empty()) reason = "the program is beyond a limit of the compiler";
  print_err("warpjit: engine {} is not available here ({}); used {}\n", name(run.engine), reason,
            name(report.engine));
}

// What was seen until an error may tell why.
int fail_with(const RunCommand& options, const LaunchFile& file, const std::optional<Profile>& profile,
              const Error& error) {
  if (!profile || profile->instructions.empty()) return fail(error);
  if (options.json) {
    Json json = launch_json(file);
    json["stats"] = profile_json(*profile);
    print_json(json);
  } else {
    print_profile(*profile);
  }
  return fail(error);
}

Status write_results(const RunCommand& options, const BoundLaunch& bound, const RunOutcome& outcome) {
  if (options.json) return write_text(options.out, json_text(to_json(bound, outcome)));
  if (!options.out.empty()) WARPJIT_CHECK(write_file(options.out, result_bytes(bound)));
  print_results(bound, outcome.choice);
  print_out("checksum {:#018x}\n", bound.checksum());
  if (outcome.profile) print_profile(*outcome.profile);
  return {};
}

int run_launch(const RunCommand& options) {
  RunOptions run = options.input.on(*parse_engine(options.engine), *parse_target(options.target));
  run.background = options.background;
  auto file = load_launch(options.input);
  if (!file) return fail(file.error());
  RunOutcome outcome;
  outcome.choice.all = options.all;
  if (!options.pixels.empty() && file->work != Work::pixels)
    return fail({ErrorCode::bad_input, "only launches of fragment programs have target pixels", "--pixel"});
  for (const std::string& text : options.pixels) {
    const auto place = parse_place(text, file->pixels.width, file->pixels.height);
    if (!place) return fail(place.error());
    outcome.choice.pixels.push_back(*place);
  }
  auto made = BoundLaunch::make(std::move(*file));
  if (!made) return fail(made.error());
  BoundLaunch& bound = *made;

  const Engine engine;
  engine.state().set_hooks({.dispatch_all = options.dispatch});
  if (options.stats) {
    outcome.profile.emplace();
    run.engine = EngineKind::guest;
  }
  auto report = options.stats ? bound.run_profiled(engine, run, *outcome.profile) : bound.run(engine, run);
  if (!report) return fail_with(options, bound.file(), outcome.profile, report.error());
  outcome.report = std::move(*report);
  outcome.statistics = engine.statistics();
  outcome.mismatch = check_expectations(bound);
  if (bound.file().work == Work::pixels) outcome.note = unchanged_note(bound, outcome.report);
  print_replacement(run, engine, outcome.report);
  print_timing(bound.file(), outcome.report);
  if (const Status written = write_results(options, bound, outcome); !written) return fail(written.error());
  if (!outcome.note.empty()) print_err("warpjit: note: {}\n", outcome.note);
  const auto& fault = outcome.report.fault;
  if (fault) print_err("warpjit: fault: {}\n", fault_text(*fault));
  if (outcome.mismatch) print_err("warpjit: mismatch: {}\n", to_string(*outcome.mismatch));
  return run_exit_code(outcome.mismatch.has_value(), fault.has_value(), options.input.ignore_faults);
}

}  // namespace

void add_run(Command& app) {
  const auto options = std::make_shared<RunCommand>();
  Command command = app.add_command("run", "Run a launch and print its results");
  options->input.add_to(command);
  options->input.add_faults_to(command);
  command
      .option("--engine", options->engine,
              "guest: the guest's own instructions, one thread or warp at a time; ir: the IR interpreter; "
              "jit: host SIMD code")
      .one_of(engine_names())
      .show_default();
  command
      .option("--target", options->target, "host instructions for jit: v3 (AVX2), v4 (AVX-512), a64 (NEON)")
      .one_of(target_names())
      .show_default();
  command.flag("--dispatch", options->dispatch, "run all control flow in the dispatcher (for tests)");
  command.flag("--background", options->background,
               "compile in the background; the guest interpreter runs the first threads meanwhile");
  command.option("-o,--out", options->out,
                 "file for all results: 32-bit words, one packed row a thread, then triangles, then ranges "
                 "of memory or targets; with --json the JSON");
  command.flag("--all", options->all, "print all threads, triangles, words and pixels");
  command.option("--pixel", options->pixels,
                 "X,Y: print this pixel of each target instead of the first that changed; may be repeated. "
                 "Row 0 is the one with the smallest y");
  const Option stats = command.flag(
      "--stats", options->stats,
      "run in the guest interpreter and count, instruction by instruction, how often groups of threads "
      "(warps) executed it (warps), in how many lanes (lanes: the mean; JSON: the sum), how often it parted "
      "a group (diverged), its accesses outside memory or not aligned (faults), its reads of registers and "
      "shared memory that nobody wrote (uninitialized); also races between warps in shared memory. A draw "
      "with "
      "a vertex program shows its fragment program. "
      "docs/launch.md defines the numbers");
  for (const char* option : {"--engine", "--target", "--dispatch", "--background", "--threads"})
    stats.excludes(command.existing(option));
  command.flag("--json", options->json, "print JSON with all results; floats are bit patterns");
  command.footer(
      "Prints the first threads and a checksum. If the launch has `expect`, compares (exit code 1 on a "
      "mismatch).\n"
      "Says the first fault, an access outside of memory or not aligned, on stderr (exit code 1, but with "
      "--ignore-faults).\n"
      "Examples:\n"
      "  warpjit run examples/pica200/mvp_light.json\n"
      "  warpjit run run.json --engine guest --all\n"
      "  warpjit run examples/tesla/reduce.json --stats\n"
      "  warpjit run run.json --target v3 --count 100000 --threads 2 --out results.bin");
  command.action([options] { return run_launch(*options); });
}

}  // namespace warpjit::tool
