// The caller's rounding, flushes and masks of exceptions do not count in anything that an engine does, and are
// there again after it; nor do those of the threads that an embedder's executor lends.
#include <thread>

#include "base/float_environment.h"
#include "runtime/every_work.h"
#include "support/engine_ways.h"

namespace warpjit::test {
namespace {

using Word = FloatEnvironment::Word;

// Rounding in all directions, with and without denormals, and with exceptions that trap; some sticky flags.
std::vector<Word> odd_modes() {
  std::vector<Word> modes;
  for (Word rounding = 0; rounding < 4; ++rounding) {
#if defined(__x86_64__)
    for (const Word rest : {0x1F80U, 0x9FC0U, 0x9F80U}) modes.push_back(rounding << 13 | rest | 0x20);
    modes.push_back(rounding << 13);  // all exceptions trap
#elif defined(__aarch64__)
    for (const Word rest : {Word{0}, Word{1} << 24, Word{1} << 19})
      modes.push_back((rounding << 22 | rest) << 32 | 0x10);
#endif
  }
  return modes;
}

// Calls it in a mode, and expects the mode to be there after it. The results of `call` are looked at outside.
template <class Call>
auto in_mode(Word mode, Call call) {
  const Word before = FloatEnvironment::read();
  FloatEnvironment::write(mode);
  auto result = call();
  const Word after = FloatEnvironment::read();
  FloatEnvironment::write(before);
  EXPECT_EQ(after, mode);
  return result;
}

// Threads that have odd modes, and must have them again after each body.
class OddPool final : public Executor {
 public:
  explicit OddPool(Word mode) : mode_(mode) {}
  unsigned concurrency() const override { return 2; }
  void parallel_for(std::size_t count, void (*body)(void* context, std::size_t index),
                    void* context) override {
    std::vector<std::thread> threads;
    for (std::size_t n = 0; n < count; ++n)
      threads.emplace_back([=, this] {
        in_mode(mode_, [&] {
          body(context, n);
          return 0;
        });
      });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  const Word mode_;
};

TEST(FloatModes, DoNotCountInRuns) {
  const Engine engine;
  for (const WorkKind& kind : every_kind_of_work()) {
    const auto work = kind.make(1);
    for (const EngineWay& way : engine_ways(engine)) {
      SCOPED_TRACE(kind.name + ", " + way.name);
      work->clear();
      ASSERT_TRUE(engine.run(work->launch, way.options));
      const auto expected = work->results;
      for (const Word mode : odd_modes()) {
        work->clear();
        const auto report = in_mode(mode, [&] { return engine.run(work->launch, way.options); });
        ASSERT_TRUE(report) << to_string(report.error());
        EXPECT_EQ(work->results, expected) << std::hex << mode;
      }
    }
  }
}

// What is compiled in an odd mode is the same code: constants are folded when it is made.
TEST(FloatModes, DoNotCountInCompilations) {
  for (const WorkKind& kind : every_kind_of_work()) {
    const auto work = kind.make(1);
    ASSERT_TRUE(Engine().run(work->launch));
    const auto expected = work->results;
    unsigned turn = 0;
    for (const Word mode : odd_modes()) {
      SCOPED_TRACE(kind.name);
      const Engine engine;
      work->clear();
      if (++turn % 2 == 0) {
        const auto report = in_mode(mode, [&] { return engine.compile(work->launch); });
        ASSERT_TRUE(report) << to_string(report.error());
      } else {
        const auto compilation = in_mode(mode, [&] { return engine.warm(work->launch); });
        ASSERT_TRUE(compilation) << to_string(compilation.error());
        const auto report = in_mode(mode, [&] { return compilation->wait(); });
        ASSERT_TRUE(report) << to_string(report.error());
      }
      ASSERT_TRUE(engine.run(work->launch));
      EXPECT_EQ(work->results, expected) << std::hex << mode;
    }
  }
}

TEST(FloatModes, DoNotCountInPreparedRuns) {
  const Engine engine;
  for (const WorkKind& kind : every_kind_of_work()) {
    const auto work = kind.make(1);
    if (!engine.prepare(work->launch)) continue;  // it is no work over rows
    ASSERT_TRUE(engine.run(work->launch));
    const auto expected = work->results;
    for (const Word mode : odd_modes()) {
      SCOPED_TRACE(kind.name);
      work->clear();
      auto prepared = in_mode(mode, [&] { return engine.prepare(work->launch); });
      ASSERT_TRUE(prepared) << to_string(prepared.error());
      const Status status = in_mode(mode, [&] { return prepared->run(); });
      ASSERT_TRUE(status) << to_string(status.error());
      EXPECT_EQ(work->results, expected) << std::hex << mode;
    }
  }
}

TEST(FloatModes, DoNotCountInAnExecutorsThreads) {
  for (const Word mode : odd_modes()) {
    EngineOptions options;
    options.executor = std::make_shared<OddPool>(mode);
    const Engine engine(options);
    for (const WorkKind& kind : every_kind_of_work()) {
      const auto work = kind.make(1);
      ASSERT_TRUE(Engine().run(work->launch));
      const auto expected = work->results;
      std::vector<RunOptions> ways(4);
      ways[0].engine = EngineKind::guest;
      ways[1].engine = EngineKind::ir;
      ways[2].background = true;
      for (RunOptions& run : ways) {
        SCOPED_TRACE(kind.name + ", " + name(run.engine));
        run.threads = 2;
        work->clear();
        const auto report = engine.run(work->launch, run);
        ASSERT_TRUE(report) << to_string(report.error());
        EXPECT_EQ(work->results, expected) << std::hex << mode;
      }
    }
    engine.wait_for_compilations();
  }
}

// Programs are read in the caller's mode: numbers in their text, and what containers hold.
TEST(FloatModes, DoNotCountInPrograms) {
  const Engine engine;
  const auto run = [&](const Result<Program>& program) {
    EXPECT_TRUE(program) << to_string(program.error());
    WorkLaunch work(*program);
    WorkLaunch::Words& out = work.result(32);
    EXPECT_TRUE(work.launch.set_block(32));
    EXPECT_TRUE(work.launch.map_memory("g14", 0, out.data(), 4 * out.size()));
    const auto report = engine.run(work.launch);
    EXPECT_TRUE(report) << to_string(report.error());
    return work.results;
  };
  const auto load = [] {
    return tesla::load_assembly(
        ".kernel k\n.registers 8\n.shared 0x10\nmov b32 $r1 0.1\nmov b32 $r2 3.3333333\nmov b32 $r3 0x1000\n"
        "shl b32 $r0 $r0 0x2\nadd rn f32 $r4 $r1 $r2\nadd b32 $r4 $r4 $r3\nst b32 g14[$r0] $r4\nexit nop\n",
        {.entry = "k", .source_name = "test"});
  };
  const auto expected = run(load());
  for (const Word mode : odd_modes()) EXPECT_EQ(run(in_mode(mode, load)), expected) << std::hex << mode;
}

}  // namespace
}  // namespace warpjit::test
