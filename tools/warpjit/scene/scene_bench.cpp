// warpjit bench of a scene: what a frame takes in each engine.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "command.h"
#include "engines.h"
#include "output.h"
#include "scene/load_scene.h"
#include "scene/scene_commands.h"
#include "stop.h"

namespace warpjit::tool {

namespace {

struct FrameRow {
  std::string engine;
  double first_ms = 0, best_ms = 0, median_ms = 0;  // the first one compiles
  std::size_t frames = 0;                           // that were measured
};

Result<double> measure_frame(SceneMachine& machine, const Engine& engine, const RunOptions& run) {
  WARPJIT_CHECK(machine.begin());
  const auto start = std::chrono::steady_clock::now();
  WARPJIT_CHECK(machine.run(engine, run));
  const double time =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (stopping()) return stop_error();
  return time;
}

Result<FrameRow> measure_engine(const SceneBench& options, SceneMachine& machine, const Engine& engine,
                                const EngineChoice& choice) {
  RunOptions run = options.run;
  run.engine = choice.engine;
  run.target = choice.target;
  FrameRow row{name(choice), 0, 0, 0, 0};
  WARPJIT_TRY(row.first_ms, measure_frame(machine, engine, run));
  std::vector<double> times;
  double sum = 0;
  while (times.empty() || sum < options.seconds * 1e3) {
    WARPJIT_TRY(const double time, measure_frame(machine, engine, run));
    times.push_back(time);
    sum += time;
  }
  std::ranges::sort(times);
  row.best_ms = times.front();
  row.median_ms = times[times.size() / 2];
  row.frames = times.size();
  return row;
}

}  // namespace

int bench_scene(const SceneBench& options) {
  const auto scene = load_scene(options.file);
  if (!scene) return fail(scene.error());
  const auto machine = SceneMachine::make(*scene, options.file);
  if (!machine) return fail(machine.error());
  const Engine engine;
  const auto choices = usable_engines(engine, options.engines);
  if (!choices) return fail(choices.error());
  // Only this one counts fragments.
  RunOptions counting = options.run;
  counting.engine = EngineKind::guest;
  if (const auto counted = measure_frame(**machine, engine, counting); !counted) return fail(counted.error());
  const pica200::GpuReport total = (*machine)->total();
  std::vector<FrameRow> rows;
  for (const EngineChoice& choice : choices->usable) {
    auto row = measure_engine(options, **machine, engine, choice);
    if (!row) return fail(row.error());
    rows.push_back(std::move(*row));
  }
  const auto rate = [&](const FrameRow& row) {
    return static_cast<double>(total.fragments) / row.best_ms / 1e3;
  };
  if (options.json) {
    Json json{{"file", options.file},         {"host_threads", options.run.threads},
              {"draws", total.draws},         {"triangles", total.triangles},
              {"fragments", total.fragments}, {"results", Json::array()}};
    for (const FrameRow& row : rows)
      json["results"].push_back({{"engine", row.engine},
                                 {"frames", row.frames},
                                 {"first_ms", row.first_ms},
                                 {"best_ms", row.best_ms},
                                 {"median_ms", row.median_ms},
                                 {"fragments_per_second", rate(row) * 1e6}});
    json["skipped"] = choices->unusable;
    print_json(json);
    return kOk;
  }
  print_out("{}: {} draws, {} triangles, {} fragments a frame, {} host thread{}\n", options.file, total.draws,
            total.triangles, total.fragments, options.run.threads, options.run.threads == 1 ? "" : "s");
  print_out("{:10}  {:>12}  {:>12}  {:>12}  {:>14}  {:>10}\n", "engine", "ms/frame", "median ms", "first ms",
            "M fragments/s", "x first");
  for (const FrameRow& row : rows)
    print_out("{:10}  {:>12.3f}  {:>12.3f}  {:>12.3f}  {:>14.2f}  {:>10.2f}\n", row.engine, row.best_ms,
              row.median_ms, row.first_ms, rate(row), rows.front().best_ms / row.best_ms);
  return kOk;
}

}  // namespace warpjit::tool
