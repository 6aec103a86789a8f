// First runs, compilations, warm-ups, clears and statistics of one launch, and of copies of it, at the same time
// from several threads. Meant for ThreadSanitizer; results must be right everywhere.
#include <thread>

#include "runtime/every_work.h"

namespace warpjit::test {
namespace {

constexpr unsigned kThreads = 4, kTurns = 4;

// Calls body(thread) on several threads, which begin together.
template <class Body>
void on_threads(Body body) {
  std::atomic<unsigned> ready{0};
  std::vector<std::thread> threads;
  for (unsigned n = 0; n < kThreads; ++n)
    threads.emplace_back([&, n] {
      ++ready;
      while (ready != kThreads) std::this_thread::yield();
      body(n);
    });
  for (std::thread& thread : threads) thread.join();
}

// What a thread does in a turn; errors come back.
Status act(const Engine& engine, const Launch& launch, unsigned what) {
  RunOptions options;
  options.threads = 1 + what % 2;
  switch (what % 8) {
    case 0:
    case 1: {
      const auto report = engine.run(launch, options);
      return report ? Status() : report.error();
    }
    case 2: {
      const auto report = engine.compile(launch, options);
      return report ? Status() : report.error();
    }
    case 3: {
      const auto compilation = engine.warm(launch, options);
      return compilation ? Status() : compilation.error();
    }
    case 4: {
      options.background = true;
      const auto report = engine.run(launch, options);
      return report ? Status() : report.error();
    }
    case 5: {
      options.engine = what % 16 < 8 ? EngineKind::guest : EngineKind::ir;
      const auto report = engine.run(launch, options);
      return report ? Status() : report.error();
    }
    case 6:
      engine.clear_cache();
      return {};
    default:
      return engine.statistics().capacity != 0 ? Status() : Error{ErrorCode::internal, "no statistics", ""};
  }
}

// Takes away what runs write to: those of one launch at the same time would race there by themselves.
void take_results(WorkLaunch& work) {
  runtime::LaunchState& launch = work.launch.state();
  launch.output_count = 0;
  for (auto& ranges : launch.values.grid.globals) ranges.clear();
  if (launch.primitives) launch.primitives->triangles = {};
  if (launch.pixels) launch.pixels->raster.scissor = {0, 0, 0, 0};
  ++launch.values_generation, ++launch.facts_generation, ++launch.bindings_generation;
}

EngineOptions busy() {
  EngineOptions options;
  options.executor = make_thread_pool(2);
  options.compile_threads = 2;
  return options;
}

TEST(SharedLaunch, OneOnSeveralThreads) {
  for (const WorkKind& kind : every_kind_of_work()) {
    SCOPED_TRACE(kind.name);
    const Engine engine(busy());
    const auto work = kind.make(1);
    take_results(*work);
    std::array<Status, kThreads> failed;
    on_threads([&](unsigned n) {
      const Launch copy = work->launch;
      for (unsigned turn = 0; turn < kTurns && failed[n]; ++turn) {
        failed[n] = act(engine, work->launch, 3 * n + 5 * turn);
        if (failed[n]) failed[n] = act(engine, copy, 3 * n + 5 * turn + 1);
      }
      if (failed[n]) failed[n] = act(engine, work->launch, 0);
    });
    for (const Status& status : failed) EXPECT_TRUE(status) << to_string(status.error());
  }
}

// Each thread has a launch of its own, with results; they share kernels.
TEST(SharedLaunch, EqualOnesOnSeveralThreads) {
  for (const WorkKind& kind : every_kind_of_work()) {
    SCOPED_TRACE(kind.name);
    const Engine engine(busy());
    std::vector<std::unique_ptr<WorkLaunch>> works;
    for (unsigned n = 0; n < kThreads; ++n) works.push_back(kind.make(1));
    const auto expected = kind.make(1);
    ASSERT_TRUE(Engine().run(expected->launch));
    std::array<Status, kThreads> failed;
    on_threads([&](unsigned n) {
      for (unsigned turn = 0; turn < kTurns && failed[n]; ++turn)
        failed[n] = act(engine, works[n]->launch, 3 * n + 5 * turn);
      if (failed[n]) failed[n] = act(engine, works[n]->launch, 0);
    });
    for (unsigned n = 0; n < kThreads; ++n) {
      EXPECT_TRUE(failed[n]) << to_string(failed[n].error());
      EXPECT_EQ(works[n]->results, expected->results);
    }
  }
}

}  // namespace
}  // namespace warpjit::test
