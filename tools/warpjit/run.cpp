// warpjit run: runs a launch and prints its results.
#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "bound_launch.h"
#include "command.h"
#include "compute.h"
#include "files.h"
#include "runtime/engine/engine.h"

namespace warpjit::tool {

namespace {

constexpr std::uint64_t kThreadsShown = 4;

struct RunCommand {
  RunInput input;
  std::string engine = "jit", target = "automatic", out;
  bool all = false, json = false, dispatch = false, background = false, stats = false;
};

// The columns that the launch file lists, with the components it asks for.
std::vector<ResultColumn> listed_columns(const BoundLaunch& bound) {
  std::vector<ResultColumn> columns;
  for (const LaunchOutput& output : bound.file().outputs)
    for (const ResultColumn& column : bound.columns())
      if (column.state == output.state)
        columns.push_back({output.name, output.state, output.components, column.first, true});
  return columns;
}

void print_threads(const BoundLaunch& bound, std::uint64_t count) {
  const std::vector<ResultColumn> columns = listed_columns(bound);
  std::size_t width = 0;
  for (const ResultColumn& column : columns) width = std::max(width, column.name.size());
  for (std::uint64_t thread = 0; thread < count; ++thread) {
    fmt::print("thread {}\n", thread);
    for (const ResultColumn& column : columns) {
      fmt::print("  {:{}} ", column.name, width);
      for (unsigned k = 0; k < column.components; ++k) {
        const std::uint32_t word = bound.word(column, thread, k);
        if (is_float(column.state))
          fmt::print(" {:<14}", std::bit_cast<float>(word));
        else
          fmt::print(" {:<14}", static_cast<std::int32_t>(word));
      }
      fmt::print("\n");
    }
  }
  if (count < bound.threads())
    fmt::print("... and {} more (--all prints them, --out and --json give them)\n", bound.threads() - count);
}

void print_triangles(const BoundLaunch& bound, std::uint64_t count) {
  for (std::uint64_t n = 0; n < count; ++n) {
    fmt::print("triangle {}{}\n", n, bound.inverted(n) ? ", inverted" : "");
    for (unsigned reg = 0, place = 0; reg < 16; ++reg) {
      if ((bound.file().geometry.outputs >> reg & 1) == 0) continue;
      for (unsigned vertex = 0; vertex < 3; ++vertex) {
        fmt::print("  {:4}", vertex == 0 ? fmt::format("o{}", reg) : "");
        for (unsigned k = 0; k < 4; ++k)
          fmt::print(" {:<14}",
                     std::bit_cast<float>(bound.triangle(n)[vertex * bound.vertex_words() + place + k]));
        fmt::print("\n");
      }
      place += 4;
    }
  }
  if (count < bound.triangle_count())
    fmt::print("... and {} more triangles\n", bound.triangle_count() - count);
}

// Like expect.triangles of a launch file.
Json triangles_json(const BoundLaunch& bound) {
  Json list = Json::array();
  for (std::uint64_t n = 0; n < bound.triangle_count(); ++n) {
    Json triangle{{"inverted", bound.inverted(n)}};
    for (unsigned reg = 0, place = 0; reg < 16; ++reg) {
      if ((bound.file().geometry.outputs >> reg & 1) == 0) continue;
      Json vertices = Json::array();
      for (unsigned vertex = 0; vertex < 3; ++vertex) {
        Json row = Json::array();
        for (unsigned k = 0; k < 4; ++k)
          row.push_back(hex(bound.triangle(n)[vertex * bound.vertex_words() + place + k]));
        vertices.push_back(std::move(row));
      }
      triangle[fmt::format("o{}", reg)] = std::move(vertices);
      place += 4;
    }
    list.push_back(std::move(triangle));
  }
  return list;
}

Json to_json(const BoundLaunch& bound, const Report& report, const EngineStatistics& statistics,
             const std::optional<Mismatch>& mismatch) {
  Json json{
      {"launch", bound.file().name}, {"count", bound.file().count}, {"engine", warpjit::name(report.engine)}};
  if (report.engine == EngineKind::jit) json["target"] = warpjit::name(report.target);
  json["lanes"] = report.lanes;
  json["compile_ns"] = report.translate_ns + report.passes_ns + report.backend_ns + report.place_ns;
  json["run_ns"] = report.run_ns;
  if (report.interpreted != 0) json["interpreted"] = report.interpreted;
  json["statistics"] = statistics_json(statistics);
  json["checksum"] = fmt::format("{:#018x}", bound.checksum());
  Json outputs = Json::object();
  for (const ResultColumn& column : listed_columns(bound)) {
    Json data = Json::array();
    for (std::uint64_t thread = 0; thread < bound.threads(); ++thread)
      for (unsigned k = 0; k < column.components; ++k) {
        const std::uint32_t word = bound.word(column, thread, k);
        data.push_back(is_float(column.state) ? Json(hex(word)) : Json(static_cast<std::int32_t>(word)));
      }
    outputs[column.name] = {{"components", column.components}, {"data", std::move(data)}};
  }
  json["outputs"] = std::move(outputs);
  if (bound.file().is_geometry()) {
    json["invocations"] = bound.threads();
    json["triangles"] = triangles_json(bound);
  }
  if (!bound.file().expectations.empty() || bound.file().triangles)
    json["expect"] = mismatch ? "mismatch" : "ok";
  if (mismatch)
    json["mismatch"] = {{"thread", mismatch->thread},
                        {"register", mismatch->name},
                        {"got", hex(mismatch->got)},
                        {"wanted", hex(mismatch->wanted)}};
  return json;
}

// All listed results as little-endian words, one packed row a thread; then of a geometry program its
// triangles, three vertices each.
std::vector<std::byte> to_bytes(const BoundLaunch& bound) {
  std::vector<std::byte> bytes;
  const auto add = [&](std::uint32_t word) {
    for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(word >> shift));
  };
  const std::vector<ResultColumn> columns = listed_columns(bound);
  for (std::uint64_t thread = 0; thread < bound.threads(); ++thread)
    for (const ResultColumn& column : columns)
      for (unsigned k = 0; k < column.components; ++k) add(bound.word(column, thread, k));
  for (std::uint64_t n = 0; n < bound.triangle_count(); ++n)
    for (unsigned k = 0; k < bound.triangle_words(); ++k) add(bound.triangle(n)[k]);
  return bytes;
}

void print_timing(const BoundLaunch& bound, const Report& report) {
  const bool jit = report.engine == EngineKind::jit;
  const std::uint64_t compile = report.translate_ns + report.passes_ns + report.backend_ns + report.place_ns;
  fmt::print(stderr, "{}: {} threads, engine {}", bound.file().name, bound.file().count,
             warpjit::name(report.engine));
  if (jit)
    fmt::print(stderr, " {} ({} lanes a group, {} bytes of code)", warpjit::name(report.target), report.lanes,
               report.code_bytes);
  fmt::print(stderr, ", compiled in {:.1f} us, ran in {:.1f} us ({:.2f} M threads/s)",
             static_cast<double>(compile) / 1e3, static_cast<double>(report.run_ns) / 1e3,
             static_cast<double>(bound.file().count) * 1e3 /
                 std::max<double>(1, static_cast<double>(report.run_ns)));
  if (bound.file().is_geometry())
    fmt::print(stderr, "; {} invocations{} emitted {} triangles", report.invocations,
               report.ordered ? " in order" : "", report.triangles);
  fmt::print(stderr, "\n");
  if (report.interpreted != 0)
    fmt::print(stderr, "{}: {} threads ran in the guest interpreter while the kernel was compiled\n",
               bound.file().name, report.interpreted);
}

int run_launch(const RunCommand& options) {
  RunOptions run = options.input.on(*parse_engine(options.engine), *parse_target(options.target));
  run.background = options.background;
  if (is_compute(options.input.file))
    return run_compute({options.input, options.out, options.all, options.json, options.stats}, run,
                       options.dispatch);
  if (options.stats)
    return fail(Error{ErrorCode::bad_input, "--stats is for compute kernels", options.input.file});
  auto file = load_launch(options.input);
  if (!file) return fail(file.error());
  auto made = BoundLaunch::make(std::move(*file));
  if (!made) return fail(made.error());
  BoundLaunch& bound = *made;

  const Engine engine;
  engine.state().set_hooks({.dispatch_all = options.dispatch});
  const auto report = bound.run(engine, run);
  if (!report) return fail(report.error());
  if (report->engine != run.engine && report->interpreted == 0) {
    const std::string reason = engine.info().no_jit_reason;
    fmt::print(stderr, "warpjit: engine {} is not available here ({}); used {}\n", options.engine,
               reason.empty() ? "the program is beyond a limit of the compiler" : reason,
               warpjit::name(report->engine));
  }
  print_timing(bound, *report);

  const std::optional<Mismatch> mismatch = check_expectations(bound);
  if (options.json) {
    const Json json = to_json(bound, *report, engine.statistics(), mismatch);
    if (options.out.empty())
      print_json(json);
    else if (const Status written = write_file(options.out, json.dump(1) + "\n"); !written)
      return fail(written.error());
  } else if (!options.out.empty()) {
    if (const Status written = write_file(options.out, to_bytes(bound)); !written)
      return fail(written.error());
  }
  if (!options.json) {
    const auto shown = [&](std::uint64_t all) { return options.all ? all : std::min(kThreadsShown, all); };
    if (bound.row_words() != 0) print_threads(bound, shown(bound.threads()));
    print_triangles(bound, shown(bound.triangle_count()));
    fmt::print("checksum {:#018x}\n", bound.checksum());
  }
  if (mismatch) {
    fmt::print(stderr, "warpjit: mismatch: {}\n", to_string(*mismatch));
    return kMismatch;
  }
  return kOk;
}

}  // namespace

void add_run(CLI::App& app, int& exit) {
  const auto options = std::make_shared<RunCommand>();
  CLI::App* command = app.add_subcommand("run", "Run a launch and print its results");
  options->input.add_to(*command);
  command
      ->add_option("--engine", options->engine,
                   "guest: the guest's own instructions, one thread at a time; ir: the IR interpreter; jit: "
                   "host SIMD code")
      ->check(engine_names())
      ->capture_default_str();
  command
      ->add_option("--target", options->target,
                   "host instructions for jit: v3 (AVX2), v4 (AVX-512), a64 (NEON)")
      ->check(target_names())
      ->capture_default_str();
  command->add_flag("--dispatch", options->dispatch, "run all control flow in the dispatcher (for tests)");
  command->add_flag("--background", options->background,
                    "compile in the background; the guest interpreter runs the first threads meanwhile");
  command->add_option("-o,--out", options->out,
                      "file for all results: 32-bit words, one packed row a thread; with --json the JSON");
  command->add_flag("--all", options->all, "print all threads");
  command->add_flag(
      "--stats", options->stats,
      "compute kernels: run in the guest interpreter and tell, instruction by instruction, how often "
      "warps executed it and in how many lanes, divergence, faults, reads of what nobody wrote, races "
      "in shared memory");
  command->add_flag("--json", options->json, "print JSON with all results; floats are bit patterns");
  command->footer(
      "Prints the first threads and a checksum. If the launch has `expect`, compares (exit code 1 on a "
      "mismatch).\n"
      "Examples:\n  warpjit run examples/pica200/mvp_light.json\n  warpjit run run.json --engine guest "
      "--all\n"
      "  warpjit run examples/tesla/reduce.json --stats\n"
      "  warpjit run run.json --target v3 --count 100000 --threads 2 --out results.bin");
  command->callback([options, &exit] { exit = run_launch(*options); });
}

}  // namespace warpjit::tool
