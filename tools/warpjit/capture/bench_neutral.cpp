// warpjit bench of a capture of any guest: what a run takes in each engine, and its slowest draws.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "capture/neutral.h"
#include "capture_names.h"
#include "command.h"
#include "engines.h"
#include "output.h"
#include "stop.h"

namespace warpjit::tool {

namespace {

using std::chrono::nanoseconds;

double milliseconds(nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

// What a draw took, by the least of all runs but the first one, which compiles.
struct DrawTime {
  std::size_t number = 0;
  std::string what;
  nanoseconds vertices{}, pixels{}, threads{};  // threads: of programs that draw nothing
  nanoseconds compile{};                        // of the first run
  std::uint64_t primitives = 0, groups = 0;

  nanoseconds all() const { return vertices + pixels + threads; }
  double run_ms() const { return milliseconds(all()); }
  double compile_ms() const { return milliseconds(compile); }
  // What costs most.
  const char* why() const {
    if (compile > all()) return "compile";
    if (threads > vertices && threads > pixels) return "threads";
    return pixels > vertices ? "pixels" : "vertices";
  }
};

bool shades_vertices(std::string_view stage) {
  return stage == "vertex" || stage == "geometry" || stage == "position" || stage == "varying";
}

class DrawTimes final : public CaptureVisitor {
 public:
  explicit DrawTimes(const Engine& engine) : engine_(engine), compiled_(engine.statistics().compile_time) {}

  bool draw(const CaptureDraw& draw) override {
    if (draws.size() <= draw.number) draws.resize(draw.number + 1);
    DrawTime now;
    now.number = draw.number;
    now.what = draw.what;
    bool is_later = false;  // than its vertices, which may be those of many draws
    for (const CaptureDraw::Program& program : draw.programs) {
      if (program.report == nullptr) continue;
      const Report& report = *program.report;
      is_later = is_later || program.stage == "position";
      now.compile += report.compile_time();
      now.primitives += report.primitives;
      now.groups += report.groups;
      if (report.work == Work::pixels) {
        now.vertices += report.vertex_time;
        now.pixels += report.run_time - report.vertex_time;
      } else {
        (shades_vertices(program.stage) ? now.vertices : now.threads) += report.run_time;
      }
    }
    // Reports do not have the compilation of vertex stages.
    const nanoseconds compiled = engine_.statistics().compile_time;
    if (!is_later) now.compile = compiled - compiled_;
    compiled_ = compiled;
    DrawTime& best = draws[draw.number];
    if (runs != 0) now.compile = best.compile;
    if (runs < 2 || now.all() < best.all()) best = std::move(now);
    return true;
  }

  std::vector<DrawTime> draws;
  std::size_t runs = 0;

 private:
  const Engine& engine_;
  nanoseconds compiled_;
};

struct BenchRow {
  std::string engine;
  double first_ms = 0, best_ms = 0, median_ms = 0;
  std::size_t runs = 0, draws = 0, frames = 0;
  std::vector<DrawTime> slowest;

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
  DrawTimes draws(engine);
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
  row.slowest = std::move(draws.draws);
  std::ranges::stable_sort(row.slowest, std::greater(), &DrawTime::all);
  if (row.slowest.size() > options.slowest) row.slowest.resize(options.slowest);
  return row;
}

Json row_json(const BenchRow& row, const NameTable& names) {
  Json json{{"engine", row.engine},
            {"runs", row.runs},
            {"first_ms", row.first_ms},
            {"best_ms", row.best_ms},
            {"median_ms", row.median_ms},
            {"draws_per_second", row.per_second(row.draws)},
            {"frames_per_second", row.per_second(row.frames)},
            {"slowest", Json::array()}};
  for (const DrawTime& draw : row.slowest) {
    Json slow{{"draw", draw.number},
              {"does", names.with_addresses(std::string_view(draw.what))},
              {"why", draw.why()},
              {"run_ms", draw.run_ms()},
              {"vertex_ms", milliseconds(draw.vertices)},
              {"pixel_ms", milliseconds(draw.pixels)},
              {"thread_ms", milliseconds(draw.threads)},
              {"compile_ms", draw.compile_ms()},
              {"primitives", draw.primitives},
              {"groups", draw.groups}};
    if (const auto name = names.find(CaptureName::Of::draw, draw.number); !name.empty()) slow["name"] = name;
    json["slowest"].push_back(std::move(slow));
  }
  return json;
}

}  // namespace

int bench_neutral(const NeutralBench& options) {
  const auto capture = load_neutral_capture(options.file);
  if (!capture) return fail(capture.error());
  const NameTable names(capture->names());
  const Engine engine;
  const auto choices = usable_engines(engine, options.engines);
  if (!choices) return fail(choices.error());
  std::vector<BenchRow> rows;
  for (const EngineChoice& choice : choices->usable) {
    auto row = measure_engine(options, *capture, engine, choice);
    if (!row) return fail(names.in(row.error()));
    rows.push_back(std::move(*row));
  }
  if (options.json) {
    Json json{
        {"file", options.file},        {"isa", name(capture->isa())}, {"host_threads", options.run.threads},
        {"frames", capture->frames()}, {"draws", rows.front().draws}, {"results", Json::array()}};
    for (const BenchRow& row : rows) json["results"].push_back(row_json(row, names));
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
  if (last.slowest.empty()) return kOk;
  print_out("slowest draws of {}:\n{:>8}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}  {:<8}  does\n", last.engine,
            "draw", "vertex us", "pixel us", "thread us", "compile us", "primitives", "why");
  for (const DrawTime& draw : last.slowest)
    print_out("{:>8}  {:>10.1f}  {:>10.1f}  {:>10.1f}  {:>10.1f}  {:>10}  {:<8}  {}{}\n", draw.number,
              milliseconds(draw.vertices) * 1e3, milliseconds(draw.pixels) * 1e3,
              milliseconds(draw.threads) * 1e3, draw.compile_ms() * 1e3, draw.primitives, draw.why(),
              names.with_addresses(std::string_view(draw.what)), names.of_draw(draw.number));
  return kOk;
}

}  // namespace warpjit::tool
