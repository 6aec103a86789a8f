// Calls for memory, executable pages and threads that fail, one after the other, while examples are compiled and
// run: the run gives the right results or an error, and the next one the right results. With the environment
// variable WARPJIT_FAIL_ALL=1: all examples, and each call, or as many as kLongest lets each engine try.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "failing/fail_at.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "support/engine_ways.h"
#include "support/share.h"
#include "support/source_dir.h"

namespace warpjit::test {
namespace {

using tool::BoundLaunch;

// How an engine is made, and how it runs.
struct Manner {
  std::string name;
  EngineOptions engine{};
  RunOptions run{};
  unsigned pool = 0;  // host threads of a pool of its own; 0: the default
};

std::vector<Manner> manners() {
  std::vector<Manner> all;
  const Engine here;
  for (const EngineWay& way : engine_ways(here)) all.push_back({way.name, {}, way.options});
  const auto add = [&](const char* name) -> Manner& { return all.emplace_back(Manner{name}); };
  for (const EngineKind engine : {EngineKind::jit, EngineKind::guest}) {
    Manner& pool = add("pool of 3");
    pool.run.engine = engine;
    pool.run.threads = pool.pool = 3;
  }
  add("background").run.background = true;
  Manner& two = add("background, 2 threads");
  two.engine.compile_threads = two.run.threads = 2;
  two.run.background = true;
  add("pages whose protection is switched").engine.code_memory = CodeMemory::flip;
  add("no executable memory").engine.code_memory = CodeMemory::none;
  return all;
}

// An example with one manner: made, compiled, run, run again.
class Case {
 public:
  Case(BoundLaunch& bound, const Manner& manner, std::vector<std::uint32_t> right)
      : bound_(bound), manner_(manner), right_(std::move(right)) {}

  // Calls for memory or threads in a run that nothing disturbs.
  std::uint64_t calls(Failing what) {
    bound_.clear();
    const FailAt count(what, FailAt::kNever);
    const Engine engine = make();
    EXPECT_TRUE(attempt(engine));
    engine.wait_for_compilations();
    return count.calls();
  }

  void fail(Failing what, std::uint64_t n, bool lasting) {
    bound_.clear();
    FailAt failing(what, n, lasting);
    const Engine engine = make();
    const bool done = attempt(engine);
    engine.wait_for_compilations();
    failing.stop();
    if (done) expect_right("while it fails");
    // The same engine, if there was memory for it.
    if (!engine.status() || lacks_target(engine)) return;
    const auto again = bound_.run(engine, manner_.run);
    ASSERT_TRUE(again) << to_string(again.error());
    expect_right("afterwards");
    engine.wait_for_compilations();
    ASSERT_TRUE(bound_.run(engine, manner_.run));
    expect_right("with the kernel");
  }

 private:
  Engine make() const {
    EngineOptions options = manner_.engine;
    if (manner_.pool != 0) options.executor = make_thread_pool(manner_.pool);
    return Engine(options);
  }
  // True if the run names a target of an engine that got no executable memory when it was made.
  bool lacks_target(const Engine& engine) const {
    return manner_.run.target != Target::automatic && !engine.info().jit;
  }
  // True if the run gave results.
  bool attempt(const Engine& engine) {
    const auto check = [&](const auto& result) {
      EXPECT_TRUE(result || result.error().code == ErrorCode::resource_limit || lacks_target(engine))
          << to_string(result.error());
      return static_cast<bool>(result);
    };
    const Launch copy(bound_.launch());
    check(copy.status());
    check(engine.compile(copy, manner_.run));
    check(engine.warm(copy, manner_.run));
    return check(bound_.run_on(engine, manner_.run));
  }
  void expect_right(const char* when) {
    const std::optional<tool::Mismatch> mismatch = compare_results(bound_, right_);
    if (mismatch) ADD_FAILURE() << when << ": " << tool::to_string(*mismatch);
  }

  BoundLaunch& bound_;
  const Manner& manner_;
  const std::vector<std::uint32_t> right_;
};

bool fails_all() {
  const char* const text = std::getenv("WARPJIT_FAIL_ALL");
  return text != nullptr && *text == '1';
}

// How long one run of each try of an engine and an example may take in all; a try takes about six runs.
constexpr std::chrono::milliseconds kLongest{500};

std::vector<std::string> examples() {
  if (!fails_all())
    return {"pica200/mvp_light.json",     "pica200/trail.json",  "tesla/reduce.json",
            "tesla/graphics/points.json", "valhall/reduce.json", "valhall/transform.json",
            "usse/graphics/blend.json"};
  std::vector<std::string> all;
  const std::filesystem::path root = tests::source_file("examples");
  for (const char* guest : {"pica200", "tesla", "usse", "valhall"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / guest))
      if (entry.path().extension() == ".json" && entry.path().filename() != "scene.json")
        all.push_back(entry.path().lexically_relative(root).string());
  std::ranges::sort(all);
  return all;
}

class FailingExamples : public testing::TestWithParam<std::string> {
 protected:
  void sweep(Failing what, std::uint64_t most) {
    auto file = tool::read_launch(tests::source_file("examples/" + GetParam()));
    ASSERT_TRUE(file) << to_string(file.error());
    auto bound = BoundLaunch::make(std::move(*file));
    ASSERT_TRUE(bound) << to_string(bound.error());
    std::vector<std::uint32_t> right;
    {
      const Engine engine;
      const auto report = bound->run(engine, {});
      ASSERT_TRUE(report) << to_string(report.error());
      right = bound->results();
    }
    for (const Manner& manner : manners()) {
      Case sweep(*bound, manner, right);
      const auto begin = std::chrono::steady_clock::now();
      const std::uint64_t count = sweep.calls(what);
      const auto took = std::chrono::steady_clock::now() - begin;
      if (fails_all()) most = std::max<std::uint64_t>(most, kLongest / took);
      const std::uint64_t step = std::max<std::uint64_t>(1, count / share(most));
      for (std::uint64_t n = 1; n <= count + 1; n += step)
        for (const bool lasting : {false, true}) {
          SCOPED_TRACE(manner.name + ", call " + std::to_string(n) + (lasting ? " and all after it" : ""));
          sweep.fail(what, n, lasting);
          if (HasFatalFailure()) return;
        }
    }
  }
};

TEST_P(FailingExamples, Memory) { sweep(Failing::memory, 24); }
TEST_P(FailingExamples, PagesAndThreads) { sweep(Failing::system, 12); }

INSTANTIATE_TEST_SUITE_P(All, FailingExamples, testing::ValuesIn(examples()), [](const auto& info) {
  std::string name = info.param;
  name.resize(name.size() - 5);
  std::ranges::replace(name, '/', '_');
  return name;
});

}  // namespace
}  // namespace warpjit::test
