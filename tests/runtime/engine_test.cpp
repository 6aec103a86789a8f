// What an engine promises besides results: fuel, cancelling, caching, fallbacks, concurrency.
#include <gtest/gtest.h>
#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

#include "backend/target.h"
#include "runtime/engine/engine.h"
#include "runtime/shaders.h"
#include "warpjit/pica200.hpp"

namespace {
std::atomic<std::uint64_t> allocations{0};
}
// AddressSanitizer brings its own operators.
#if defined(__SANITIZE_ADDRESS__)
#define WARPJIT_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPJIT_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef WARPJIT_COUNTS_ALLOCATIONS
#define WARPJIT_COUNTS_ALLOCATIONS 1
// GCC sees malloc and free through the replaced operators and takes them for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size != 0 ? size : 1)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace warpjit::test {
namespace {

// Loops while b0 holds; o0 counts nothing.
Program endless() {
  return assemble(
      ".out outpos position\n.bool go\n.proc main\nagain:\nadd r0, c0, r0\njmpu go, again\nmov o0, "
      "r0\nend\n.end\n");
}
// Each thread makes v0.x turns.
Program counting() {
  return assemble(
      ".out outpos position\n.constf k(1.0, 0.0, 0.0, 0.0)\n.proc main\nmov r0, k.yyyy\nagain:\nadd r0, "
      "k.xxxx, "
      "r0\n"
      "cmp r0.xx, lt, lt, v0.xx\njmpc cmp.x, again\nmov o0, r0\nend\n.end\n");
}

TEST(Engine, OutOfFuelInEveryEngine) {
  const Engine engine;
  Bench bench(endless(), 40);
  ASSERT_TRUE(bench.launch.set_bool("go", true));
  bench.launch.set_fuel(1000);
  for (const Way& way : all_ways(engine)) {
    const auto report = engine.run(bench.launch, way.options);
    ASSERT_FALSE(report) << way.name;
    EXPECT_EQ(report.error().code, ErrorCode::out_of_fuel) << way.name;
    EXPECT_NE(report.error().where.find("word"), std::string::npos)
        << way.name << ": " << report.error().where;
  }
  ASSERT_TRUE(bench.launch.set_bool("go", false));
  for (const Way& way : all_ways(engine)) EXPECT_TRUE(engine.run(bench.launch, way.options)) << way.name;
}

TEST(Engine, ExactFuelIsEnough) {
  const Engine engine;
  const Program program = counting();
  Launch launch(program);
  std::vector<float> turns(100), out(400);
  for (std::size_t n = 0; n < turns.size(); ++n) turns[n] = static_cast<float>(n * 7 % 50 + 1);
  ASSERT_TRUE(launch.bind_input("v0", {turns.data(), 400, 4, f32x1}));
  ASSERT_TRUE(launch.bind_output("o0", {out.data(), 1600, 16, f32x4}));
  EXPECT_TRUE(launch.set_count(100));
  launch.set_fuel(50);
  for (const Way& way : all_ways(engine)) {
    const auto report = engine.run(launch, way.options);
    ASSERT_TRUE(report) << way.name << ' ' << to_string(report.error());
    for (std::size_t n = 0; n < turns.size(); ++n) ASSERT_EQ(out[4 * n], turns[n]) << way.name;
  }
  turns[3] = 50 * 200;
  for (const Way& way : all_ways(engine)) {
    const auto report = engine.run(launch, way.options);
    ASSERT_FALSE(report) << way.name;
    EXPECT_EQ(report.error().code, ErrorCode::out_of_fuel) << way.name;
  }
  RunOptions options;
  options.fuel = 20000;
  EXPECT_TRUE(engine.run(launch, options));
}

TEST(Engine, CancelStopsARun) {
  const Engine engine;
  Bench bench(endless(), 40);
  ASSERT_TRUE(bench.launch.set_bool("go", true));
  bench.launch.set_fuel(~std::uint64_t{0});
  for (Way way : all_ways(engine)) {
    if (way.options.engine == EngineKind::guest) continue;  // polls between ranges of threads only
    std::atomic<std::uint32_t> cancel{0};
    way.options.cancel = &cancel;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cancel = 1;
    });
    const auto report = engine.run(bench.launch, way.options);
    other.join();
    ASSERT_FALSE(report) << way.name;
    EXPECT_EQ(report.error().code, ErrorCode::cancelled) << way.name;
  }
  std::atomic<std::uint32_t> cancel{1};
  for (Way way : all_ways(engine)) {
    way.options.cancel = &cancel;
    const auto report = engine.run(bench.launch, way.options);
    ASSERT_FALSE(report) << way.name;
    EXPECT_EQ(report.error().code, ErrorCode::cancelled) << way.name;
  }
}

// Nothing that the caller waits for is left out. Other work of the machine may come in between, but not always.
TEST(Engine, CountsAllThatCompilationTakes) {
  Bench bench(example("mvp_light.shbin"), 10);
  double most = 0;
  for (int attempt = 0; attempt < 20 && most < 0.95; ++attempt) {
    const Engine engine;
    const auto start = std::chrono::steady_clock::now();
    const auto report = engine.compile(bench.launch);
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(report);
    EXPECT_LE(report->compile_time(), waited);
    EXPECT_GE(report->other_time.count(), 0);
    most = std::max(
        most, static_cast<double>(report->compile_time().count()) / static_cast<double>(waited.count()));
  }
  EXPECT_GE(most, 0.95);
}

TEST(Engine, CachesKernels) {
  const Engine engine;
  const Program program = example("mvp_light.shbin");
  Bench bench(program, 10);
  const auto first = engine.run(bench.launch);
  const auto second = engine.run(bench.launch);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->cache_hit);
  EXPECT_GT(first->translate_time.count(), 0);
  EXPECT_TRUE(second->cache_hit);
  EXPECT_EQ(second->translate_time.count(), 0);
  // Another launch, and another Program of the same bytes.
  Bench again(example("mvp_light.shbin"), 10);
  const auto third = engine.compile(again.launch);
  ASSERT_TRUE(third);
  EXPECT_TRUE(third->cache_hit);
  EXPECT_EQ(engine.statistics().kernels, 1u);
  EXPECT_EQ(engine.statistics().misses, 1u);
  engine.clear_cache();
  EXPECT_EQ(engine.statistics().kernels, 0u);
  const auto fourth = engine.run(bench.launch);
  ASSERT_TRUE(fourth);
  EXPECT_FALSE(fourth->cache_hit);
}

TEST(Engine, ASmallCacheStillServes) {
  EngineOptions options;
  options.cache_bytes = 100000;
  const Engine engine(options);
  std::vector<std::unique_ptr<Bench>> benches;
  std::vector<std::vector<std::uint32_t>> expected;
  for (int n = 0; n < 12; ++n) {
    const std::string reg = "c" + std::to_string(n);
    benches.push_back(std::make_unique<Bench>(assemble(".out outpos position\n.proc main\nmul r0, " + reg +
                                                       ", v0\nmad o0, r0, " + reg + ", v1\nend\n.end\n"),
                                              20));
    RunOptions guest;
    guest.engine = EngineKind::guest;
    expected.push_back(benches.back()->run(engine, guest));
  }
  for (int turn = 0; turn < 5; ++turn)
    for (std::size_t n = 0; n < benches.size(); ++n)
      EXPECT_TRUE(benches[n]->run(engine, RunOptions()) == expected[n]) << n;
  const EngineStatistics statistics = engine.statistics();
  EXPECT_GT(statistics.evictions, 0u);
  EXPECT_LE(statistics.bytes, 100000u);
}

class Variants : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Engine, Variants, testing::Values(0u, 1u, 4u, 16u));

TEST_P(Variants, ThatAreSpecialized) {
  EngineOptions engine_options;
  EXPECT_EQ(engine_options.boolean_variants, 4u);
  engine_options.boolean_variants = GetParam();
  const Engine engine(engine_options);
  const Program program = assemble(
      ".out outpos position\n.proc main\nmov r0, v0\n"
      "ifu b0\nadd r0, c0, r0\n.end\nifu b1\nadd r0, c1, r0\n.end\nifu b2\nadd r0, c2, r0\n.end\n"
      "ifu b3\nadd r0, c3, r0\n.end\nifu b4\nadd r0, c4, r0\n.end\nmov o0, r0\nend\n.end\n");
  Bench bench(program, 10);
  RunOptions guest;
  guest.engine = EngineKind::guest;
  unsigned generic = 0;
  for (int turn = 0; turn < 2; ++turn)
    for (unsigned bits = 0; bits < 32; ++bits) {
      for (unsigned n = 0; n < 5; ++n)
        ASSERT_TRUE(bench.launch.set_bool("b" + std::to_string(n), (bits >> n & 1) != 0));
      // A boolean that the program does not read changes nothing.
      ASSERT_TRUE(bench.launch.set_bool("b9", (bits & 1) != 0));
      const auto expected = bench.run(engine, guest);
      const auto report = engine.run(bench.launch);
      ASSERT_TRUE(report) << to_string(report.error());
      generic += report->generic;
      EXPECT_TRUE(bench.outputs == expected) << bits;
    }
  EXPECT_EQ(generic, 2 * (32 - GetParam()));
  EXPECT_EQ(engine.statistics().kernels, GetParam() + 1u + 1u);  // and the guest's
}

TEST(Engine, WithoutExecutableMemoryTheInterpreterRuns) {
  EngineOptions options;
  options.code_memory = CodeMemory::none;
  const Engine engine(options);
  EXPECT_FALSE(engine.info().jit);
  EXPECT_FALSE(engine.info().no_jit_reason.empty());
  Bench bench(example("branchy.shbin"), 50);
  RunOptions guest;
  guest.engine = EngineKind::guest;
  const auto expected = bench.run(engine, guest);
  const auto report = engine.run(bench.launch);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->engine, EngineKind::ir);
  EXPECT_TRUE(bench.outputs == expected);
  RunOptions named;
  named.target = Target::v3;
  const auto refused = engine.run(bench.launch, named);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::target_unavailable);
}

TEST(Engine, DeniedExecutableMemoryIsTheReasonGiven) {
  if (!backend::best_target()) GTEST_SKIP() << "no target runs here: that is the reason then";
  runtime::EngineState denied(EngineOptions(), {.dual = true, .flip = true});
  EXPECT_FALSE(denied.info().jit);
  EXPECT_EQ(denied.info().code_memory, CodeMemory::none);
  EXPECT_NE(denied.info().no_jit_reason.find("the system gives no executable memory"), std::string::npos)
      << denied.info().no_jit_reason;
  Bench bench(example("mvp_light.shbin"), 50);
  const auto expected = bench.run(Engine(), RunOptions());
  bench.outputs.assign(bench.outputs.size(), 0);
  const auto report = denied.run(bench.launch.state(), RunOptions());
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->engine, EngineKind::ir);
  EXPECT_TRUE(bench.outputs == expected);
  for (const Target target : denied.info().targets) {
    RunOptions named;
    named.target = target;
    const auto refused = denied.run(bench.launch.state(), named);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::target_unavailable);
    EXPECT_NE(refused.error().message.find("the system gives no executable memory"), std::string::npos);
  }
}

TEST(Engine, WithoutATargetTheBackendsReasonIsGiven) {
  const auto best = backend::best_target();
  if (best) GTEST_SKIP() << backend::name(*best) << " runs here";
  const EngineInfo info = Engine().info();
  EXPECT_FALSE(info.jit);
  EXPECT_TRUE(info.targets.empty());
  EXPECT_EQ(info.no_jit_reason, to_string(best.error()));
}

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
// Takes executable pages away from this process for good, as a hardened system does; false where that is not
// possible, as under qemu-user.
bool forbid_executable_pages() {
  constexpr std::uint32_t kProtection = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);  // low half
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kProtection),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

TEST(Engine, ASystemThatForbidsExecutablePages) {
  if (!backend::best_target()) GTEST_SKIP() << "no target runs here";
  constexpr int kNotPossible = 42;
  const auto child = [] {
    if (!forbid_executable_pages()) _exit(kNotPossible);
    const Engine engine;
    Bench bench(example("mvp_light.shbin"), 50);
    RunOptions options;
    options.threads = 1;
    const auto report = engine.run(bench.launch, options);
    const EngineInfo info = engine.info();
    const bool right = report && report->engine == EngineKind::ir && !info.jit &&
                       info.no_jit_reason.find("Permission denied") != std::string::npos;
    std::fprintf(stderr, "%s\n", info.no_jit_reason.c_str());
    _exit(right ? 0 : 1);
  };
  const pid_t id = fork();
  if (id == 0) child();
  ASSERT_GT(id, 0);
  int status = 0;
  ASSERT_EQ(waitpid(id, &status, 0), id);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == kNotPossible) GTEST_SKIP() << "seccomp is not available";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

TEST(Engine, ManyThreadsRunOneLaunch) {
  const Engine engine;
  Bench bench(example("skin_loop.shbin"), 200);
  const auto expected = bench.run(engine, RunOptions());
  // All write the same bits to the same buffers, so give every thread a copy with its own outputs.
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      RunOptions options;
      options.threads = 1;
      if (t % 2 != 0) options.engine = EngineKind::ir;
      Launch own(bench.launch);
      std::vector<std::uint32_t> o0(800);
      own.unbind_outputs();
      if (!own.bind_output("o0", {o0.data(), 3200, 16, f32x4})) ++failures;
      for (int n = 0; n < 50; ++n) {
        if (!engine.run(own, options)) ++failures;
        if (std::memcmp(o0.data(), expected.data(), 3200) != 0) ++failures;
        if (n % 10 == 0) engine.clear_cache();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST(Engine, OneLaunchFromSeveralThreads) {
  const Engine engine;
  // Without outputs nothing is shared but the launch itself.
  Bench bench(example("skin_loop.shbin"), 200);
  bench.launch.unbind_outputs();
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int n = 0; n < 100; ++n) {
        RunOptions options;
        options.threads = 1;
        options.generic = (n + t) % 2 != 0;
        options.engine = (n / 4 + t) % 4 == 0 ? EngineKind::ir : EngineKind::jit;
        if (!engine.run(bench.launch, options)) ++failures;
        if (n % 16 == t) engine.clear_cache();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST(Engine, ACachedLaunchAllocatesNothing) {
  if (!WARPJIT_COUNTS_ALLOCATIONS) GTEST_SKIP() << "allocations are not counted in this build";
  const Engine engine;
  if (!engine.info().jit) GTEST_SKIP() << "a promise of the JIT: " << engine.info().no_jit_reason;
  Bench bench(example("mvp_light.shbin"), 8);
  const Location c0 = *bench.launch.program().uniform("c0"), v0 = *bench.launch.program().input("v0");
  const std::array matrix{1.f, 0.f, 0.f, 0.f};
  // As many as a vertex shader has; very many need a staging area from the heap.
  bench.launch.unbind_outputs();
  for (const char* reg : {"o0", "o1", "o2", "o3", "o4", "o5", "o6"}) {
    std::uint32_t* rows = bench.outputs.data() + 32 * (reg[1] - '0');
    ASSERT_TRUE(bench.launch.bind_output(reg, {rows, 128, 16, f32x4}));
  }
  for (int n = 0; n < 3; ++n) ASSERT_TRUE(engine.run(bench.launch));
  const std::uint64_t before = allocations;
  for (int n = 0; n < 10; ++n) {
    const bool set = bench.launch.set_uniform(c0, matrix).ok();
    const bool bound =
        bench.launch.bind_input(v0, {bench.inputs.data(), bench.inputs.size() * 4, 256, f32x4}).ok();
    EXPECT_TRUE(bench.launch.set_count(static_cast<std::uint64_t>(n % 8 + 1)));
    const bool ran = engine.run(bench.launch).ok();
    ASSERT_TRUE(set && bound && ran);
  }
  EXPECT_EQ(allocations, before);
}

TEST(Engine, ACachedDrawAllocatesNothing) {
  if (!WARPJIT_COUNTS_ALLOCATIONS) GTEST_SKIP() << "allocations are not counted in this build";
  const Engine engine;
  if (!engine.info().jit) GTEST_SKIP() << "a promise of the JIT: " << engine.info().no_jit_reason;
  const Program program = assemble(".out outpos position\n.proc main\nadd o0, c5, v0\nend\n.end\n");
  const pica200::Program& words =
      dynamic_cast<const pica200::Shader&>(frontend::shader_of(program)).program();
  pica200::Pipeline pipeline;
  ASSERT_TRUE(pipeline.set_code(words.code) && pipeline.set_descriptors(words.descriptors));
  ASSERT_TRUE(pipeline.set_entry(words.entry) && pipeline.set_attribute_count(1));
  pipeline.set_output_mask(1);
  const std::uint32_t map[] = {0x03020100u};
  ASSERT_TRUE(pipeline.set_output_map(map));
  const std::int8_t rows[40] = {};
  const std::uint16_t dense[] = {0, 1, 2, 0, 1, 3}, sparse[] = {0, 2, 4, 9};
  const auto all = [&](std::uint32_t n) {
    const std::uint32_t vector[4] = {n, n, n, n};
    bool good = pipeline.set_float(5, vector).ok();
    good &= pipeline.bind_attribute(0, {rows, sizeof rows, n % 3, 4, {ComponentType::s8, 2}}).ok();
    good &= pipeline.draw(engine, n % 5, n % 4 + 1).ok();
    good &= pipeline.draw_indexed(engine, dense).ok();
    return good && pipeline.draw_indexed(engine, std::span(sparse).first(n % 4 + 1)).ok();
  };
  for (std::uint32_t n = 0; n < 8; ++n) ASSERT_TRUE(all(n));
  const std::uint64_t before = allocations;
  for (std::uint32_t n = 8; n < 20; ++n) ASSERT_TRUE(all(n));
  EXPECT_EQ(allocations, before);
}

TEST(Engine, ACachedDrawWithGeometryAllocatesNothing) {
  if (!WARPJIT_COUNTS_ALLOCATIONS) GTEST_SKIP() << "allocations are not counted in this build";
  const Engine engine;
  if (!engine.info().jit) GTEST_SKIP() << "a promise of the JIT: " << engine.info().no_jit_reason;
  pica200::Pipeline pipeline;
  const auto upload = [&](const Program& program, pica200::Unit unit) {
    const pica200::Program& words =
        dynamic_cast<const pica200::Shader&>(frontend::shader_of(program)).program();
    ASSERT_TRUE(pipeline.set_code(words.code, 0, unit) && pipeline.set_entry(words.entry, unit));
    ASSERT_TRUE(pipeline.set_descriptors(words.descriptors, 0, unit));
    ASSERT_TRUE(pipeline.set_attribute_count(1, unit));
    pipeline.set_output_mask(1, unit);
  };
  upload(assemble(".out outpos position\n.proc main\nadd o0, c5, v0\nend\n.end\n"), pica200::Unit::vertex);
  upload(assemble(".gsh point c0\n.out outpos position\n.proc main\nadd o0, c9, v0\nsetemit 0\nemit\n"
                  "add o0, c0, v0\nsetemit 2, prim\nemit\nend\n.end\n"),
         pica200::Unit::geometry);
  const std::uint32_t map[] = {0x03020100u};
  ASSERT_TRUE(pipeline.set_output_map(map) && pipeline.write_register(0x229, 2));
  const std::int8_t rows[40] = {};
  const std::uint16_t list[] = {3, 1, 2, 0, 2, 5, 9}, sparse[] = {0, 2, 4, 9};
  ASSERT_TRUE(pipeline.bind_attribute(0, {rows, sizeof rows, 0, 4, {ComponentType::s8, 2}}));
  const auto all = [&](std::uint32_t n) {
    const std::uint32_t vector[4] = {n, n, n, n};
    bool good = true;
    for (const std::uint32_t mode : {0u, 2u | 1u << 8 | 2u << 16, 1u}) {
      good &= pipeline.write_register(0x252, mode).ok();
      good &= pipeline.set_float(9, vector, pica200::Unit::geometry).ok();
      if (mode == 1) return good && pipeline.draw_indexed(engine, list).ok();
      good &= pipeline.draw(engine, n % 5, n % 4 + 1).ok() && pipeline.draw_indexed(engine, sparse).ok();
    }
    return good;
  };
  for (std::uint32_t n = 0; n < 8; ++n) ASSERT_TRUE(all(n));
  const std::uint64_t before = allocations;
  for (std::uint32_t n = 8; n < 18; ++n) ASSERT_TRUE(all(n));
  EXPECT_EQ(allocations, before);
}

TEST(Engine, LaunchesOutliveProgramsAndEngines) {
  std::optional<Launch> launch;
  float in[4] = {1, 2, 3, 4}, out[4];
  {
    const Program program = assemble(".out outpos position\n.proc main\nmov o0, v0\nend\n.end\n");
    launch.emplace(program);
  }
  ASSERT_TRUE(launch->bind_input("v0", {in, 16, 16, f32x4}));
  ASSERT_TRUE(launch->bind_output("o0", {out, 16, 16, f32x4}));
  EXPECT_TRUE(launch->set_count(1));
  for (int n = 0; n < 3; ++n) {
    const Engine engine;
    out[3] = 0;
    ASSERT_TRUE(engine.run(*launch));
    EXPECT_EQ(out[3], 4.0f);
  }
}

}  // namespace
}  // namespace warpjit::test
