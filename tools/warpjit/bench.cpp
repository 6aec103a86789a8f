// warpjit bench: how fast each engine runs a launch, as a table, JSON or a chart.
#include <algorithm>
#include <chrono>

#include "capture/neutral.h"
#include "chart.h"
#include "command.h"
#include "engines.h"
#include "output.h"
#include "render_capture.h"
#include "runtime/engine/engine.h"
#include "scene/load_scene.h"
#include "scene/scene_commands.h"
#include "stop.h"

namespace warpjit::tool {

namespace {

using Clock = std::chrono::steady_clock;

struct BenchOptions {
  RunInput input;
  std::vector<std::string> engines;
  std::vector<std::uint64_t> counts;
  std::vector<std::uint32_t> parts;  // vectors per value to measure beside what is chosen
  std::string chart;
  double seconds = 0.2;  // per measurement
  unsigned slowest = 5;  // draws of a scene that are shown
  bool json = false;
};

struct Row {
  std::string engine;
  std::uint64_t count = 0;
  unsigned lanes = 0;       // threads per group
  std::uint32_t parts = 0;  // vectors per value that were asked for; 0: the backend chose
  double compile_us = 0;    // median of several compilations; 0 for the guest interpreter's preparation
  double items = 0;         // threads per second, best of the batches
};

double elapsed(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The median time in microseconds from bytes to a kernel, each time with an empty cache.
Result<double> measure_compile(const Engine& engine, const Launch& launch, const RunOptions& run) {
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  while (times.size() < 5 || (times.size() < 101 && elapsed(start) < 0.1)) {
    if (stopping()) return stop_error();
    engine.clear_cache();
    const Launch fresh = launch;  // remembers no kernel
    const Clock::time_point before = Clock::now();
    const auto report = engine.compile(fresh, run);
    if (!report) return report.error();
    times.push_back(elapsed(before) * 1e6);
    if (elapsed(start) > 5) break;
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

struct Rate {
  double items = 0;    // threads per second: the best of batches of at least 10 ms
  unsigned lanes = 0;  // threads per group
};
// For `seconds` in all, at least one run. Every run begins with memory as the launch gives it;
// making that is not measured.
Result<Rate> measure_runs(const Engine& engine, BoundLaunch& bound, const RunOptions& run, double seconds) {
  const auto threads = static_cast<double>(bound.file().threads());
  const bool restore = !bound.memory().empty();
  Rate rate;
  const auto first = bound.run(engine, run);  // warms up
  if (!first) return first.error();
  rate.lanes = first->lanes;
  const Clock::time_point start = Clock::now();
  do {
    Clock::time_point before = Clock::now();
    double runs = 0, time = 0, measured = 0;
    do {
      if (restore) {
        measured = time;
        bound.restore_memory();
        before = Clock::now();
      }
      if (const auto report = engine.run(bound.launch(), run); !report) return report.error();
      if (stopping()) return stop_error();
      ++runs;
      time = measured + elapsed(before);
    } while (time < 0.01);
    rate.items = std::max(rate.items, runs * threads / time);
  } while (elapsed(start) < seconds);
  return rate;
}

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, ",");
  return text;
}

void print_table(const std::vector<Row>& rows) {
  print_out("{:>12}  {:10}  {:>5}  {:>14}  {:>12}  {:>10}  {:>12}\n", "threads", "engine", "group",
            "M threads/s", "ns/thread", "x first", "compile us");
  double first = 0;
  std::uint64_t count = 0;
  for (const Row& row : rows) {
    if (row.count != count) first = row.items, count = row.count;
    print_out("{:>12}  {:10}  {:>5}  {:>14.3f}  {:>12.2f}  {:>10.2f}  {:>12.1f}\n", with_commas(row.count),
              row.engine, row.lanes, row.items / 1e6, 1e9 / row.items, row.items / first, row.compile_us);
  }
}

BarChart make_chart(const std::vector<Row>& rows, const std::string& title) {
  BarChart chart{title, "M threads/s (log)", {}, {}};
  for (const Row& row : rows)
    if (std::find(chart.series.begin(), chart.series.end(), row.engine) == chart.series.end())
      chart.series.push_back(row.engine);
  for (const Row& row : rows) {
    const std::string name = with_commas(row.count) + " threads";
    if (chart.groups.empty() || chart.groups.back().name != name)
      chart.groups.push_back({name, std::vector<double>(chart.series.size())});
    const auto place = std::find(chart.series.begin(), chart.series.end(), row.engine) - chart.series.begin();
    chart.groups.back().values[static_cast<std::size_t>(place)] = row.items / 1e6;
  }
  return chart;
}

// The counts to measure with: a kernel's grid says its own.
Result<std::vector<std::uint64_t>> counts_of(const BenchOptions& options, const LaunchFile& file) {
  if (file.work == Work::grid) {
    if (options.counts.empty()) return std::vector<std::uint64_t>{file.threads()};
    return Error{ErrorCode::bad_input,
                 "the grid and block of a kernel, or its vertices, say how many threads there are",
                 "--counts"};
  }
  if (file.work == Work::pixels) {
    if (options.counts.empty()) return std::vector<std::uint64_t>{file.threads()};
    return Error{ErrorCode::bad_input, "the targets say how many pixels there are", "--counts"};
  }
  if (options.input.count) return std::vector<std::uint64_t>{*options.input.count};
  return options.counts.empty() ? std::vector<std::uint64_t>{64, 4096, 1'000'000} : options.counts;
}

// What the backend chooses, and what was asked for.
std::vector<std::uint32_t> parts_of(const BenchOptions& options, const EngineChoice& choice) {
  std::vector<std::uint32_t> parts = {0};
  if (choice.engine == EngineKind::jit) parts.insert(parts.end(), options.parts.begin(), options.parts.end());
  return parts;
}

// The median of a vector.
std::uint32_t lanes_of(Target target) {
  const auto found = backend::parse_target(name(target));
  return found ? backend::lanes(*found) : 0;
}

Result<std::vector<Row>> measure(const BenchOptions& options, const LaunchFile& file, const Engine& engine,
                                 const std::vector<EngineChoice>& choices) {
  WARPJIT_TRY(const std::vector<std::uint64_t> counts, counts_of(options, file));
  std::vector<Row> rows;
  for (const std::uint64_t count : counts) {
    LaunchFile launch = file;
    if (file.work != Work::grid && file.work != Work::pixels) WARPJIT_CHECK(set_count(launch, count));
    WARPJIT_TRY(BoundLaunch bound, BoundLaunch::make(std::move(launch)));
    for (const EngineChoice& choice : choices) {
      const RunOptions run = options.input.on(choice.engine, choice.target);
      for (const std::uint32_t parts : parts_of(options, choice)) {
        engine.state().set_hooks({.parts = parts});
        const std::string label = name(choice) + (parts != 0 ? "/" + std::to_string(parts) : "");
        const Result<double> compile = measure_compile(engine, bound.launch(), run);
        const auto skip = [&](const std::string& why) { print_err("warpjit: skipped {}: {}\n", label, why); };
        const ErrorCode error = compile ? ErrorCode::internal : compile.error().code;
        if (parts != 0 && (error == ErrorCode::unsupported || error == ErrorCode::resource_limit)) {
          skip(to_string(compile.error()));
          continue;
        }
        if (!compile) return compile.error();
        WARPJIT_TRY(const Rate rate, measure_runs(engine, bound, run, options.seconds));
        if (parts != 0 && rate.lanes != parts * lanes_of(choice.target)) {
          skip("its groups have " + std::to_string(rate.lanes) + " threads");
          continue;
        }
        rows.push_back({label, count, rate.lanes, parts, *compile, rate.items});
      }
    }
  }
  return rows;
}

Json to_json(const BenchOptions& options, const LaunchFile& file, const std::vector<Row>& rows,
             const Engine& engine, const EngineChoices& choices) {
  Json json = launch_json(file);
  json["host_threads"] = options.input.threads;
  json["results"] = Json::array();
  for (const Row& row : rows) {
    Json result = {{"count", row.count},
                   {"engine", row.engine},
                   {"lanes", row.lanes},
                   {"threads_per_second", row.items},
                   {"compile_us", row.compile_us}};
    if (row.parts != 0) result["parts"] = row.parts;
    json["results"].push_back(std::move(result));
  }
  json["statistics"] = statistics_json(engine.statistics());
  json["skipped"] = choices.unusable;
  return json;
}

int bench_launch(const BenchOptions& options) {
  if (!options.chart.empty() && !options.chart.ends_with(".svg") && !options.chart.ends_with(".png"))
    return fail({ErrorCode::bad_input, "a chart's name must end in .svg or .png", "--chart"});
  const auto file = load_launch(options.input);
  if (!file) return fail(file.error());
  const Engine engine;
  const auto choices = usable_engines(engine, options.engines);
  if (!choices) return fail(choices.error());

  const auto rows = measure(options, *file, engine, choices->usable);
  if (!rows) return fail(rows.error());
  if (options.json) {
    print_json(to_json(options, *file, *rows, engine, *choices));
  } else {
    print_out("{}, {} host thread{}{}\n", file->name, options.input.threads,
              options.input.threads == 1 ? "" : "s", modes_warning(*file));
    print_table(*rows);
  }
  if (options.chart.empty()) return kOk;
  if (const Status written = write_chart(make_chart(*rows, file->name), options.chart); !written)
    return fail(written.error());
  print_err("chart: {}\n", options.chart);
  return kOk;
}

}  // namespace

void add_bench(Command& app) {
  const auto options = std::make_shared<BenchOptions>();
  Command command = app.add_command("bench", "Measure the throughput of engines and targets");
  options->input.add_to(command);
  command
      .option("--counts", options->counts,
              "threads to measure with (default: 64,4096,1000000); not of kernels")
      .separated_by_commas()
      .range(1, kMaxThreads)
      .excludes(command.existing("--count"));
  add_engines(command, options->engines);
  command
      .option("--parts", options->parts,
              "vectors per value, 1 to 16: also measure JIT engines with each of these (rows named "
              "jit-v3/4), where groups can have that width")
      .separated_by_commas()
      .range(1, 16);
  command.option("--seconds", options->seconds, "seconds for each measurement")
      .between(0.0, 60.0)
      .show_default();
  command
      .option("--slowest", options->slowest,
              "how many draws of a scene or capture are shown, those that take longest")
      .range(0, 1'000'000)
      .show_default();
  command.option("--chart", options->chart, "write a bar chart, *.svg or *.png");
  command.flag("--json", options->json, "print JSON");
  command.footer(
      "Vertex data as the launch has it; results as one row of structures a thread. Rows repeat where a "
      "count is larger than the launch's. Kernels run on the launch's grid, each time over the memory that "
      "it gives.\n"
      "Compile time is the median from guest words to a kernel that can be run.\n"
      "Examples:\n"
      "  warpjit bench examples/pica200/mvp_light.json\n"
      "  warpjit bench run.json --counts 4096 --engines guest,jit --threads 2 --chart run.png\n"
      "  warpjit bench run.json --engines jit-v3 --parts 1,2,4,8   # is what the backend chose best here?\n"
      "  warpjit bench scene.json --engines jit   # milliseconds a frame of a 3DS, fragments a second\n"
      "  warpjit bench frame.wjcap --engines jit   # frames and draws a second, the slowest draws");
  command.action([options, command] {
    if (is_neutral_capture(options->input.file) || is_capture({options->input.file, {}})) {
      if (const Status checked = check_scene_options(
              command, {"engines", "seconds", "json", "threads", "fuel", "timeout", "slowest"}, "captures");
          !checked)
        return fail(checked.error());
      return bench_neutral({options->input.file, options->input.on(EngineKind::guest, Target::automatic),
                            options->engines, options->seconds, options->slowest, options->json});
    }
    if (!is_scene(options->input.file)) return bench_launch(*options);
    if (const Status checked = check_scene_options(
            command, {"engines", "seconds", "json", "threads", "fuel", "timeout", "slowest"});
        !checked)
      return fail(checked.error());
    return bench_scene({options->input.file, options->input.on(EngineKind::guest, Target::automatic),
                        options->engines, options->seconds, options->slowest, options->json});
  });
}

}  // namespace warpjit::tool
