// warpjit bench of a scene: what a frame takes in each engine.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "capture_names.h"
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

// What one draw takes.
struct DrawCost {
  std::uint64_t number = 0, vertices = 0, triangles = 0;
  std::optional<std::uint32_t> command;
  // Milliseconds: in a frame whose kernels are there, and compilations of the first frame.
  double vertex_ms = 0, pixel_ms = 0, compile_ms = 0;
  double all() const { return vertex_ms + pixel_ms; }
  const char* why() const {
    if (compile_ms > all()) return "compile";
    return pixel_ms > vertex_ms ? "pixels" : "vertices";
  }
};

// Times between draws. Pixels of a draw are drawn before the next one is visited: what lies between are the pixels of
// a draw, and the vertices of the next. Frames without pixels tell the one from the other.
class DrawTimer final : public pica200::DrawVisitor {
 public:
  DrawTimer(SceneMachine& machine, const Engine& engine, const RunOptions& options)
      : machine_(machine), engine_(engine), options_(options) {}

  Result<std::vector<DrawCost>> measure(double seconds) {
    machine_.set_visitor(this);
    const Status done = run_frames(seconds);
    machine_.set_visitor(nullptr);
    if (!done) return done.error();
    return std::move(costs_);
  }

  Result<bool> visit(const pica200::DrawView& draw) override {
    end_part();
    if (next_ == costs_.size()) {
      DrawCost& cost = costs_.emplace_back();
      cost.number = next_;
      cost.vertices = draw.vertices;
      cost.triangles = draw.triangles.count();
      cost.command = draw.command;
      cost.compile_ms = std::exchange(new_compile_ms_, 0);
    }
    last_ = next_++;
    begin_part();
    return pixels_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double milliseconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
  }

  Status run_frames(double seconds) {
    WARPJIT_CHECK(run_frame(false, true));
    WARPJIT_CHECK(run_frame(true, true));
    const auto start = Clock::now();
    for (bool first = true; first || milliseconds(Clock::now() - start) < seconds * 1e3; first = false) {
      first_ = first;
      WARPJIT_CHECK(run_frame(false, false));
      WARPJIT_CHECK(run_frame(true, false));
      if (stopping()) return stop_error();
    }
    return {};
  }

  Status run_frame(bool pixels, bool compiles) {
    pixels_ = pixels;
    compiles_ = compiles;
    next_ = 0;
    WARPJIT_CHECK(machine_.begin());
    machine_.set_visitor(this);
    for (std::size_t job = 0; job < machine_.scene().jobs.size(); ++job) {
      last_.reset();
      begin_part();
      WARPJIT_CHECK(machine_.run_job(job, engine_, options_));
      job_ends_ = true;
      if (last_) end_part();
      job_ends_ = false;
    }
    return {};
  }

  void begin_part() {
    compiled_ = engine_.statistics().compile_time;
    start_ = Clock::now();
  }
  // Vertices of the draw that is visited, and the pixels of the one before.
  void end_part() {
    if (job_ends_ && !pixels_) return;
    const double time = milliseconds(Clock::now() - start_);
    if (compiles_) {
      // Kernels of vertices are there when pixels are drawn.
      const std::size_t draw = pixels_ ? last_.value_or(next_) : next_;
      const double compiled = milliseconds(engine_.statistics().compile_time - compiled_);
      if (draw < costs_.size())
        costs_[draw].compile_ms += compiled;
      else  // it is added in a moment
        new_compile_ms_ = compiled;
      return;
    }
    const auto least = [&](double& cost, double now) { cost = first_ ? now : std::min(cost, now); };
    if (!pixels_) {
      if (next_ < costs_.size()) least(costs_[next_].vertex_ms, time);
    } else if (last_) {
      const double vertices = next_ < costs_.size() && !job_ends_ ? costs_[next_].vertex_ms : 0;
      least(costs_[*last_].pixel_ms, std::max(0.0, time - vertices));
    }
  }

  SceneMachine& machine_;
  const Engine& engine_;
  const RunOptions& options_;
  std::vector<DrawCost> costs_;
  std::size_t next_ = 0;
  std::optional<std::size_t> last_;  // the draw before, in the same job
  bool pixels_ = false, compiles_ = false, first_ = false, job_ends_ = false;
  double new_compile_ms_ = 0;
  std::chrono::nanoseconds compiled_{};
  Clock::time_point start_;
};

}  // namespace

int bench_scene(const SceneBench& options) {
  const auto scene = load_scene(options.file);
  if (!scene) return fail(scene.error());
  const NameTable names(scene->texts.names);
  const auto machine = SceneMachine::make(*scene, options.file);
  if (!machine) return fail(machine.error());
  const Engine engine;
  const auto choices = usable_engines(engine, options.engines);
  if (!choices) return fail(choices.error());
  // Only this one counts fragments.
  RunOptions counting = options.run;
  counting.engine = EngineKind::guest;
  if (const auto counted = measure_frame(**machine, engine, counting); !counted)
    return fail(names.in(counted.error()));
  const pica200::GpuReport total = (*machine)->total();
  std::vector<FrameRow> rows;
  for (const EngineChoice& choice : choices->usable) {
    auto row = measure_engine(options, **machine, engine, choice);
    if (!row) return fail(names.in(row.error()));
    rows.push_back(std::move(*row));
  }
  std::vector<DrawCost> slowest;
  if (options.slowest != 0) {
    // An engine that has compiled nothing.
    const Engine fresh;
    RunOptions run = options.run;
    run.engine = choices->usable.back().engine;
    run.target = choices->usable.back().target;
    auto costs = DrawTimer(**machine, fresh, run).measure(options.seconds);
    if (!costs) return fail(names.in(costs.error()));
    slowest = std::move(*costs);
    std::ranges::stable_sort(slowest, std::greater(), &DrawCost::all);
    if (slowest.size() > options.slowest) slowest.resize(options.slowest);
  }
  const double frames =
      1 + static_cast<double>(std::ranges::count_if(
              scene->frame_ends, [&](std::size_t end) { return end != 0 && end < scene->jobs.size(); }));
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
                                 {"fragments_per_second", rate(row) * 1e6},
                                 {"frames_per_second", frames * 1e3 / row.best_ms},
                                 {"draws_per_second", static_cast<double>(total.draws) * 1e3 / row.best_ms}});
    if (options.slowest != 0) json["slowest"] = Json::array();
    for (const DrawCost& cost : slowest) {
      Json draw{{"draw", cost.number},       {"triangles", cost.triangles},
                {"vertices", cost.vertices}, {"vertex_ms", cost.vertex_ms},
                {"pixel_ms", cost.pixel_ms}, {"compile_ms", cost.compile_ms},
                {"why", cost.why()}};
      if (cost.command) draw["command"] = fmt::format("{:#010x}", *cost.command);
      if (const auto name = names.find(CaptureName::Of::draw, cost.number); !name.empty())
        draw["name"] = name;
      json["slowest"].push_back(std::move(draw));
    }
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
  const FrameRow& last = rows.back();
  print_out("{}: {:.1f} frames/s, {:.0f} draws/s\n", last.engine, frames * 1e3 / last.best_ms,
            static_cast<double>(total.draws) * 1e3 / last.best_ms);
  if (slowest.empty()) return kOk;
  print_out("slowest draws of {}:\n{:>8}  {:>9}  {:>9}  {:>10}  {:>10}  {:>10}  why\n", last.engine, "draw",
            "triangles", "vertices", "vertex us", "pixel us", "compile us");
  for (const DrawCost& cost : slowest) {
    const auto name = names.find(CaptureName::Of::draw, cost.number);
    print_out("{:>8}  {:>9}  {:>9}  {:>10.1f}  {:>10.1f}  {:>10.1f}  {}{}\n", cost.number, cost.triangles,
              cost.vertices, cost.vertex_ms * 1e3, cost.pixel_ms * 1e3, cost.compile_ms * 1e3, cost.why(),
              name.empty() ? "" : " (" + std::string(name) + ")");
  }
  return kOk;
}

}  // namespace warpjit::tool
