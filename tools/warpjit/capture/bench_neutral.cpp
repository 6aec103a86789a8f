// warpjit bench of a capture of any guest: what a run takes in each engine, and its slowest draws.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "capture/neutral.h"
#include "command.h"
#include "engines.h"
#include "output.h"
#include "stop.h"

namespace warpjit::tool {

namespace {

constexpr std::size_t kSlowest = 5;

// What a draw took, by the least of all runs but the first one, which compiles.
struct DrawTime {
  std::string what;
  double run_ms = 1e300, compile_ms = 0;  // compile: of the first run
  std::uint64_t primitives = 0, groups = 0;
};

class DrawTimes final : public CaptureVisitor {
 public:
  bool draw(const CaptureDraw& draw) override {
    if (draws.size() <= draw.number) draws.resize(draw.number + 1);
    DrawTime& time = draws[draw.number];
    double run = 0, compile = 0;
    time.what = draw.what;
    time.primitives = time.groups = 0;
    for (const CaptureDraw::Program& program : draw.programs) {
      if (program.report == nullptr) continue;
      run += std::chrono::duration<double, std::milli>(program.report->run_time).count();
      compile += std::chrono::duration<double, std::milli>(program.report->compile_time()).count();
      time.primitives += program.report->primitives;
      time.groups += program.report->groups;
    }
    if (runs == 0) time.compile_ms = compile;
    if (runs != 0) time.run_ms = std::min(time.run_ms, run);
    return true;
  }

  std::vector<DrawTime> draws;
  std::size_t runs = 0;
};

struct BenchRow {
  std::string engine;
  double first_ms = 0, best_ms = 0, median_ms = 0;
  std::size_t runs = 0, draws = 0, frames = 0;
  std::vector<std::pair<std::size_t, DrawTime>> slowest;

  double per_second(std::size_t count) const { return static_cast<double>(count) / best_ms * 1e3; }
};

Result<double> measure(const Capture& capture, const Engine& engine, CaptureVisitor& visitor,
                       const RunOptions& run) {
  const auto start = std::chrono::steady_clock::now();
  WARPJIT_CHECK(capture.run(engine, visitor, run));
  const double time =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (stopping()) return stop_error();
  return time;
}

Result<BenchRow> measure_engine(const NeutralBench& options, const Capture& capture, const Engine& engine,
                                const EngineChoice& choice) {
  RunOptions run = options.run;
  run.engine = choice.engine;
  run.target = choice.target;
  BenchRow row;
  row.engine = name(choice);
  row.frames = capture.frames();
  DrawTimes draws;
  WARPJIT_TRY(row.first_ms, measure(capture, engine, draws, run));
  std::vector<double> times;
  double sum = 0;
  while (times.empty() || sum < options.seconds * 1e3) {
    ++draws.runs;
    WARPJIT_TRY(const double time, measure(capture, engine, draws, run));
    times.push_back(time);
    sum += time;
  }
  std::ranges::sort(times);
  row.best_ms = times.front();
  row.median_ms = times[times.size() / 2];
  row.runs = times.size();
  row.draws = draws.draws.size();
  for (std::size_t n = 0; n < draws.draws.size(); ++n) row.slowest.emplace_back(n, draws.draws[n]);
  std::ranges::stable_sort(row.slowest, std::greater(), [](const auto& one) { return one.second.run_ms; });
  row.slowest.resize(std::min(row.slowest.size(), kSlowest));
  return row;
}

Json row_json(const BenchRow& row) {
  Json json{{"engine", row.engine},
            {"runs", row.runs},
            {"first_ms", row.first_ms},
            {"best_ms", row.best_ms},
            {"median_ms", row.median_ms},
            {"draws_per_second", row.per_second(row.draws)},
            {"frames_per_second", row.per_second(row.frames)},
            {"slowest", Json::array()}};
  for (const auto& [number, draw] : row.slowest)
    json["slowest"].push_back({{"draw", number},
                               {"does", draw.what},
                               {"run_ms", draw.run_ms},
                               {"compile_ms", draw.compile_ms},
                               {"primitives", draw.primitives},
                               {"groups", draw.groups}});
  return json;
}

}  // namespace

int bench_neutral(const NeutralBench& options) {
  const auto capture = load_neutral_capture(options.file);
  if (!capture) return fail(capture.error());
  const Engine engine;
  const auto choices = usable_engines(engine, options.engines);
  if (!choices) return fail(choices.error());
  std::vector<BenchRow> rows;
  for (const EngineChoice& choice : choices->usable) {
    auto row = measure_engine(options, *capture, engine, choice);
    if (!row) return fail(row.error());
    rows.push_back(std::move(*row));
  }
  if (options.json) {
    Json json{
        {"file", options.file},        {"isa", name(capture->isa())}, {"host_threads", options.run.threads},
        {"frames", capture->frames()}, {"draws", rows.front().draws}, {"results", Json::array()}};
    for (const BenchRow& row : rows) json["results"].push_back(row_json(row));
    json["skipped"] = choices->unusable;
    print_json(json);
    return kOk;
  }
  print_out("{}: {} frames, {} draws, {} host thread{}\n", options.file, capture->frames(),
            rows.front().draws, options.run.threads, options.run.threads == 1 ? "" : "s");
  print_out("{:10}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}\n", "engine", "ms/run", "median ms",
            "first ms", "frames/s", "draws/s", "x first");
  for (const BenchRow& row : rows)
    print_out("{:10}  {:>10.3f}  {:>10.3f}  {:>10.3f}  {:>10.1f}  {:>10.1f}  {:>10.2f}\n", row.engine,
              row.best_ms, row.median_ms, row.first_ms, row.per_second(row.frames), row.per_second(row.draws),
              rows.front().best_ms / row.best_ms);
  const BenchRow& last = rows.back();
  print_out("slowest draws of {}:\n", last.engine);
  for (const auto& [number, draw] : last.slowest)
    print_out("  draw {:4}  {:>9.3f} ms, compiled in {:>8.3f} ms, {:>7} primitives, {:>7} groups  {}\n",
              number, draw.run_ms, draw.compile_ms, draw.primitives, draw.groups, draw.what);
  return kOk;
}

}  // namespace warpjit::tool
