// Compilation in the background: the queue by itself, and runs that go on meanwhile.
#include "runtime/engine/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/engine/engine.h"
#include "runtime/fakes.h"
#include "runtime/shaders.h"

namespace warpjit::runtime {
namespace {

using test::Bench;
using test::FakeKernel;
using test::key_of;
using State = CompileJob::State;

CodeCache::KernelResult succeed() {
  return std::shared_ptr<const Kernel>(std::make_shared<FakeKernel>(1, 10));
}
CodeCache::KernelResult fail() { return Error{ErrorCode::bad_input, "no good", "here"}; }

// A door that jobs wait at until it is opened.
class Door {
 public:
  void open() {
    open_ = true;
    open_.notify_all();
  }
  void pass() {
    reached_ = true;
    reached_.notify_all();
    open_.wait(false);
  }
  void wait_for_visitor() { reached_.wait(false); }
  CompileJob::Work work() {
    return [this] {
      pass();
      return succeed();
    };
  }

 private:
  std::atomic<bool> open_{false}, reached_{false};
};

TEST(Background, OneJobAKey) {
  Door door;
  Background background(2, 10);
  const auto first = background.submit(key_of(1), false, door.work());
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(background.submit(key_of(1), true, fail), first);
  const auto other = background.submit(key_of(2), false, succeed);
  EXPECT_NE(other, first);
  EXPECT_TRUE(other->wait(std::nullopt));
  EXPECT_EQ(other->state(), State::done);
  EXPECT_TRUE(other->report());
  EXPECT_FALSE(first->wait(std::chrono::milliseconds(1)));
  door.open();
  background.wait_idle();
  EXPECT_EQ(first->state(), State::done);
  EngineStatistics statistics;
  background.report(statistics);
  EXPECT_EQ(statistics.background_compiles, 2u);
  EXPECT_EQ(statistics.waiting + statistics.compiling, 0u);
  // A job that is done is not remembered: the cache has what it made.
  EXPECT_NE(background.submit(key_of(1), false, succeed), first);
}

TEST(Background, UrgentJobsGoFirst) {
  Door door;
  std::vector<int> order;  // of one thread
  Background background(1, 10);
  background.submit(key_of(0), false, door.work());
  door.wait_for_visitor();
  const auto record = [&](int n) {
    return [&order, n] {
      order.push_back(n);
      return succeed();
    };
  };
  for (int n = 1; n <= 4; ++n) background.submit(key_of(n), false, record(n));
  background.submit(key_of(5), true, record(5));
  background.submit(key_of(3), true, fail);  // asked for again, by a run
  door.open();
  background.wait_idle();
  EXPECT_EQ(order, (std::vector{5, 3, 1, 2, 4}));
}

TEST(Background, TheQueueIsBounded) {
  Door door;
  Background background(1, 2);
  const auto running = background.submit(key_of(0), false, door.work());
  door.wait_for_visitor();
  const auto second = background.submit(key_of(1), false, succeed);
  EXPECT_NE(second, nullptr);
  EXPECT_NE(background.submit(key_of(2), true, succeed), nullptr);
  EXPECT_EQ(background.submit(key_of(3), true, succeed), nullptr);
  EXPECT_EQ(background.submit(key_of(1), true, succeed), second);
  door.open();
  background.wait_idle();
  EXPECT_NE(background.submit(key_of(3), true, succeed), nullptr);
  Background nobody(0, 10);
  EXPECT_EQ(nobody.submit(key_of(1), true, succeed), nullptr);
  nobody.wait_idle();
}

TEST(Background, Cancelling) {
  Door door;
  Background background(1, 10);
  const auto running = background.submit(key_of(0), false, door.work());
  door.wait_for_visitor();
  const auto one = background.submit(key_of(1), false, fail), two = background.submit(key_of(2), true, fail);
  EXPECT_FALSE(running->cancel());
  EXPECT_TRUE(one->cancel());
  EXPECT_FALSE(one->cancel());
  EXPECT_TRUE(one->wait(std::nullopt));
  EXPECT_EQ(one->report().error().code, ErrorCode::cancelled);
  // Whoever needs it now asks anew.
  const auto again = background.submit(key_of(1), false, succeed);
  EXPECT_NE(again, one);
  background.cancel();
  EXPECT_EQ(two->state(), State::cancelled);
  EXPECT_EQ(again->state(), State::cancelled);
  EXPECT_EQ(running->state(), State::compiling);
  door.open();
  background.wait_idle();
  EXPECT_EQ(running->state(), State::done);
}

TEST(Background, HandlesOutliveIt) {
  Door door;
  std::shared_ptr<CompileJob> running, waiting;
  {
    Background background(1, 10);
    running = background.submit(key_of(0), false, door.work());
    door.wait_for_visitor();
    waiting = background.submit(key_of(1), false, succeed);
    std::thread opener([&] {
      waiting->wait(std::nullopt);  // the destructor cancels it ...
      door.open();                  // ... and waits for the other
    });
    opener.detach();
  }
  EXPECT_EQ(running->state(), State::done);
  EXPECT_EQ(waiting->state(), State::cancelled);
}

TEST(Background, FailuresAreKeptUntilForgotten) {
  Background background(1, 1000);
  const auto failed = background.submit(key_of(1), false, fail);
  EXPECT_TRUE(failed->wait(std::nullopt));
  background.wait_idle();
  EXPECT_EQ(failed->state(), State::failed);
  EXPECT_EQ(failed->report().error().message, "no good");
  EXPECT_EQ(background.submit(key_of(1), false, succeed), failed);
  background.forget_failures();
  EXPECT_NE(background.submit(key_of(1), false, succeed), failed);
  // The oldest go.
  const auto long_key = [](int n) { return CodeCache::Key(8 + static_cast<std::size_t>(n)); };
  std::vector<std::shared_ptr<CompileJob>> jobs;
  for (int n = 0; n < 300; ++n) jobs.push_back(background.submit(long_key(n), false, fail));
  background.wait_idle();
  EXPECT_NE(background.submit(long_key(0), false, fail), jobs[0]);
  EXPECT_EQ(background.submit(long_key(299), false, fail), jobs[299]);
}

TEST(Background, RemainingPartsAreCompiledForKernelsInUse) {
  Background background(1, 10);
  std::shared_ptr<CompileJob> job;
  std::atomic<int> done{0};
  Door door;
  const auto rest = [&](const Kernel&) {
    done += job->state() == State::done;  // its kernel can be run already
  };
  background.submit(key_of(0), false, door.work());
  job = background.submit(key_of(1), false, succeed, rest);
  background.submit(key_of(2), false, fail, rest);
  door.open();
  background.wait_idle();
  EXPECT_EQ(done, 1);
}

// ---- Runs ----------------------------------------------------------------------------------------------

RunOptions in_background() {
  RunOptions options;
  options.background = true;
  return options;
}

// An engine whose compile thread is kept busy until the door opens.
struct BusyEngine {
  Door door;
  EngineState engine;
  explicit BusyEngine(const EngineOptions& options = {}) : engine(options) {
    engine.background().submit(key_of(0), true, door.work());
    door.wait_for_visitor();
  }
  ~BusyEngine() { door.open(); }
};

TEST(BackgroundRuns, AreServedMeanwhileWithTheSameBits) {
  for (const char* name : {"mvp_light.shbin", "skin_loop.shbin", "branchy.shbin", "breakc_loop.shbin"}) {
    Bench bench(test::example(name), 2000);
    const auto expected = bench.run(Engine(), RunOptions());
    BusyEngine busy;
    for (const unsigned threads : {1u, 3u}) {
      RunOptions options = in_background();
      options.threads = threads;
      std::fill(bench.outputs.begin(), bench.outputs.end(), 0);
      const auto report = busy.engine.run(bench.launch.state(), options);
      ASSERT_TRUE(report) << to_string(report.error());
      EXPECT_EQ(report->engine, EngineKind::guest);
      EXPECT_EQ(report->interpreted, 2000u);
      EXPECT_EQ(report->threads, threads);
      EXPECT_TRUE(bench.outputs == expected) << name;
    }
    EXPECT_EQ(busy.engine.statistics().waiting, 1u);
    EXPECT_EQ(busy.engine.statistics().interpreted_runs, 2u);
    EXPECT_EQ(busy.engine.statistics().kernels, 0u);
    busy.door.open();
    busy.engine.background().wait_idle();
    const auto report = busy.engine.run(bench.launch.state(), in_background());
    ASSERT_TRUE(report);
    EXPECT_NE(report->engine, EngineKind::guest);
    EXPECT_TRUE(report->cache_hit);
    EXPECT_EQ(report->interpreted, 0u);
    EXPECT_TRUE(bench.outputs == expected) << name;
    EXPECT_EQ(busy.engine.statistics().background_compiles, 2u);  // and what kept the thread busy
    EXPECT_EQ(busy.engine.statistics().misses, 1u);
  }
}

// Lets the kernel become ready after some ranges of the interpreter.
class OpeningExecutor final : public Executor {
 public:
  std::function<void()> then;
  int calls = 0;
  unsigned concurrency() const override { return 2; }
  void parallel_for(std::size_t count, void (*body)(void*, std::size_t), void* context) override {
    for (std::size_t n = 0; n < count; ++n) body(context, n);
    if (++calls == 3) then();
  }
};

TEST(BackgroundRuns, ChangeToTheKernelDuringARun) {
  const auto executor = std::make_shared<OpeningExecutor>();
  EngineOptions engine_options;
  engine_options.executor = executor;
  Bench bench(test::example("skin_loop.shbin"), 5000);
  const auto expected = bench.run(Engine(), RunOptions());
  bench.outputs.assign(bench.outputs.size(), 0);
  BusyEngine busy(engine_options);
  executor->then = [&] {
    busy.door.open();
    busy.engine.background().wait_idle();
  };
  RunOptions options = in_background();
  options.threads = 2;
  const auto report = busy.engine.run(bench.launch.state(), options);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_NE(report->engine, EngineKind::guest);
  EXPECT_EQ(report->interpreted, 3u * 2 * 256);
  EXPECT_TRUE(bench.outputs == expected);
}

TEST(BackgroundRuns, LaunchesProgramsAndEnginesEndMeanwhile) {
  std::optional<Compilation> compilation;
  {
    BusyEngine busy;
    {
      Bench bench(test::example("branchy.shbin"), 10);
      ASSERT_TRUE(busy.engine.run(bench.launch.state(), in_background()));
      auto warmed = busy.engine.warm(bench.launch.state(), RunOptions());
      ASSERT_TRUE(warmed);
      compilation = *warmed;
    }
    EXPECT_EQ(compilation->state(), Compilation::State::waiting);
    EXPECT_FALSE(compilation->wait_for(std::chrono::microseconds(1)));
    busy.door.open();
    EXPECT_TRUE(compilation->wait());
    Bench bench(test::example("branchy.shbin"), 10);
    const auto report = busy.engine.run(bench.launch.state(), RunOptions());
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->cache_hit);
  }
  EXPECT_EQ(compilation->state(), Compilation::State::done);
  for (int n = 0; n < 20; ++n) {
    Bench bench(test::example("mvp_light.shbin"), 10);
    const Engine engine;
    ASSERT_TRUE(engine.run(bench.launch, in_background()));
    compilation = *engine.warm(bench.launch);
  }
  EXPECT_NE(compilation->state(), Compilation::State::waiting);
  EXPECT_NE(compilation->state(), Compilation::State::compiling);
}

TEST(BackgroundRuns, Warming) {
  const Engine engine;
  Bench bench(test::example("mvp_light.shbin"), 10);
  const auto compilation = engine.warm(bench.launch);
  ASSERT_TRUE(compilation);
  const auto report = compilation->wait();
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_GT(report->translate_time.count(), 0);
  const auto run = engine.run(bench.launch);
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->cache_hit);
  EXPECT_EQ(engine.warm(bench.launch)->state(), Compilation::State::done);
  // Without threads it happens at once.
  EngineOptions options;
  options.compile_threads = 0;
  const Engine alone(options);
  EXPECT_EQ(alone.warm(bench.launch)->state(), Compilation::State::done);
  const auto served = alone.run(Bench(test::example("branchy.shbin"), 10).launch, in_background());
  ASSERT_TRUE(served);
  EXPECT_EQ(served->interpreted, 0u);
  EXPECT_FALSE(served->cache_hit);
}

TEST(BackgroundRuns, ErrorsComeWithTheNextRun) {
  std::vector<std::string> lines;
  std::mutex mutex;
  struct Log {
    std::vector<std::string>& lines;
    std::mutex& mutex;
  } log{lines, mutex};
  EngineOptions options;
  options.log_context = &log;
  options.log = [](void* context, LogLevel level, const char* message) {
    Log& to = *static_cast<Log*>(context);
    const std::lock_guard lock(to.mutex);
    if (level == LogLevel::warning) to.lines.emplace_back(message);
  };
  // An undefined instruction.
  const std::vector<std::uint32_t> code{0x40000000, 0x88000000};
  Launch launch(*pica200::load_words({.code = code, .source_name = "bad.bin"}));
  EXPECT_TRUE(launch.set_count(1));
  {
    BusyEngine busy(options);
    const auto compilation = busy.engine.warm(launch.state(), RunOptions());
    ASSERT_TRUE(compilation);
    busy.door.open();
    const auto report = compilation->wait();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::bad_input);
    EXPECT_EQ(compilation->state(), Compilation::State::failed);
    busy.engine.background().wait_idle();
    for (int n = 0; n < 2; ++n) {
      const auto run = busy.engine.run(launch.state(), in_background());
      ASSERT_FALSE(run);
      EXPECT_EQ(run.error().message, report.error().message);
      EXPECT_NE(run.error().where.find("bad.bin"), std::string::npos) << run.error().where;
    }
    EXPECT_EQ(busy.engine.statistics().failures, 1u);
  }
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("bad.bin"), std::string::npos) << lines[0];
}

TEST(BackgroundRuns, FuelAndCancelling) {
  BusyEngine busy;
  Bench bench(test::assemble(".out outpos position\n.bool go\n.proc main\nagain:\nadd r0, c0, r0\njmpu go, "
                             "again\nmov o0, r0\nend\n.end\n"),
              1000);
  ASSERT_TRUE(bench.launch.set_bool("go", true));
  bench.launch.set_fuel(100);
  const auto report = busy.engine.run(bench.launch.state(), in_background());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::out_of_fuel);
  std::atomic<std::uint32_t> cancel{1};
  RunOptions options = in_background();
  options.cancel = &cancel;
  EXPECT_EQ(busy.engine.run(bench.launch.state(), options).error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace warpjit::runtime
