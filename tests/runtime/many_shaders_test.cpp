// An emulator's worst hour: many different shaders from several threads through a small cache. Under
// ThreadSanitizer this is the test of everything that the threads of an engine share.
#include <gtest/gtest.h>

#include <thread>

#include "runtime/shaders.h"
#include "support/resident_bytes.h"

namespace warpjit::test {
namespace {

constexpr unsigned kShaders = 1000, kThreads = 4, kVertices = 20;
constexpr std::size_t kCacheBytes = std::size_t{1} << 20;

// Shader n adds or multiplies by the bits of n, and some of them depend on a boolean.
std::string source(unsigned n) {
  std::string text = ".out outpos position\n.proc main\nmov r0, v0\n";
  for (unsigned bit = 0; bit < 10; ++bit)
    text += (n >> bit & 1) != 0 ? "add r0, c0, r0\n" : "mul r0, c1, r0\n";
  if (n % 4 == 0) text += "ifu b0\nadd r0, c0, r0\n.end\n";
  return text + "mov o0, r0\nend\n.end\n";
}

float expected(unsigned n, float x, float c0, float c1, bool b0) {
  for (unsigned bit = 0; bit < 10; ++bit) x = (n >> bit & 1) != 0 ? c0 + x : c1 * x;
  return n % 4 == 0 && b0 ? c0 + x : x;
}

struct Shader {
  Program program;
  Launch launch;  // used by all threads, with outputs of none
  explicit Shader(unsigned n) : program(assemble(source(n))), launch(program) {}
};

// Runs its share of the shaders twice over, some of all threads' launches in between.
void work(const Engine& engine, std::vector<std::unique_ptr<Shader>>& shaders, unsigned thread,
          std::atomic<unsigned>& failures) {
  std::vector<float> in(4 * kVertices), out(4 * kVertices);
  for (std::size_t n = 0; n < in.size(); ++n) in[n] = static_cast<float>(n) * 0.125f - 3;
  const auto check = [&](bool good) { failures += good ? 0 : 1; };
  for (unsigned turn = 0; turn < 2 * kShaders / kThreads; ++turn) {
    // Neighbours in time share shaders, so that threads meet at the same keys.
    const unsigned n = (turn * 3 + thread % 2) * 7 % kShaders;
    const float c0 = static_cast<float>(thread) + 0.5f, c1 = 0.75f;
    Launch launch(shaders[n]->program);
    check(launch.set_uniform("c0", std::array{c0, c0, c0, c0}).ok());
    check(launch.set_uniform("c1", std::array{c1, c1, c1, c1}).ok());
    check(launch.set_bool("b0", turn % 2 != 0).ok());
    check(launch.bind_input("v0", {in.data(), in.size() * 4, 16, f32x4}).ok());
    check(launch.bind_output("o0", {out.data(), out.size() * 4, 16, f32x4}).ok());
    EXPECT_TRUE(launch.set_count(kVertices));
    RunOptions options;
    options.background = turn % 3 != 0;
    options.threads = turn % 5 == 0 ? 2 : 1;
    if (turn % 16 == 0) check(engine.warm(shaders[(n + 1) % kShaders]->launch).ok());
    for (int again = 0; again < 2; ++again) {
      out.assign(out.size(), 0);
      const auto report = engine.run(launch, options);
      check(report.ok());
      for (std::size_t k = 0; k < in.size(); ++k) check(out[k] == expected(n, in[k], c0, c1, turn % 2 != 0));
    }
    check(engine.run(shaders[turn % kShaders]->launch, options).ok());
    if (turn % 100 == 50) engine.cancel_compilations();
    if (turn % 200 == thread) engine.clear_cache();
    check(engine.statistics().capacity == kCacheBytes);
  }
}

TEST(ManyShaders, ThroughASmallCache) {
  std::vector<std::unique_ptr<Shader>> shaders;
  for (unsigned n = 0; n < kShaders; ++n) {
    shaders.push_back(std::make_unique<Shader>(n));
    EXPECT_TRUE(shaders.back()->launch.set_count(kVertices));
  }
  EngineOptions options;
  options.cache_bytes = kCacheBytes;
  options.compile_threads = 2;
  options.compile_queue = 64;
  std::atomic<unsigned> failures{0};
  {
    const Engine engine(options);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] { work(engine, shaders, t, failures); });
    for (std::thread& thread : threads) thread.join();
    engine.wait_for_compilations();
    // Each of them once more, so that more was made than fits.
    for (const auto& shader : shaders) failures += engine.run(shader->launch).ok() ? 0 : 1;
    const EngineStatistics statistics = engine.statistics();
    EXPECT_LE(statistics.bytes, kCacheBytes);
    EXPECT_GT(statistics.kernels, 0u);
    EXPECT_GE(statistics.compiles, kShaders);
    EXPECT_GT(statistics.evictions, 0u);
    EXPECT_GT(statistics.hits, 0u);
    EXPECT_EQ(statistics.failures, 0u);
    EXPECT_EQ(statistics.waiting + statistics.compiling, 0u);
    RecordProperty("kernels", static_cast<int>(statistics.kernels));
    RecordProperty("compiles", static_cast<int>(statistics.compiles));
    for (const auto& shader : shaders) failures += engine.warm(shader->launch).ok() ? 0 : 1;
  }  // while it compiles
  EXPECT_EQ(failures, 0u);
}

#if defined(__linux__)
using tests::resident_bytes;

// More programs through one pipeline than its caches hold, and as many again: what is kept has
// bounds. The first ones fill the caches and what the allocator keeps beside them; the others add nothing.
TEST(ManyShaders, MemoryOfAPipelineIsBounded) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep what is freed";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers keep what is freed";
#endif
#endif
  constexpr unsigned kPrograms = 12000;
  constexpr std::size_t kCache = std::size_t{4} << 20, kRest = std::size_t{40} << 20;
  constexpr std::size_t kNoise = std::size_t{2} << 20;
  EngineOptions options;
  options.cache_bytes = kCache;
  const Engine engine(options);
  pica200::Pipeline pipeline;
  std::vector<float> array(4 * 64, 0.5f);
  ASSERT_TRUE(pipeline.set_attribute_count(1));
  ASSERT_TRUE(pipeline.bind_attribute(0, {array.data(), array.size() * sizeof(float), 0, 16, f32x4}));
  pipeline.set_output_mask(1);
  ASSERT_TRUE(pipeline.set_output_map(std::array<std::uint32_t, 1>{0x03020100}));
  const auto draw = [&](unsigned n) {
    // mov r0, v0; then a mov r0, r0 or a nop for each bit of n; mov o0, r0; end
    std::vector<std::uint32_t> code{0x4E000000};
    for (unsigned bit = 0; bit < 15; ++bit) code.push_back((n >> bit & 1) != 0 ? 0x4E010000 : 0x84000000);
    code.insert(code.end(), {0x4C010000, 0x88000000});
    ASSERT_TRUE(pipeline.set_code(code));
    const auto result = pipeline.draw(engine, 0, 8);
    ASSERT_TRUE(result) << to_string(result.error());
    ASSERT_EQ(result->vertices[7].position[0], 0.5f) << n;
  };
  ASSERT_TRUE(pipeline.set_descriptors(std::array<std::uint32_t, 1>{0x36F}));
  for (unsigned n = 0; n < 100; ++n) draw(n);
  const std::size_t before = resident_bytes();
  for (unsigned n = 100; n < kPrograms; ++n) draw(n);
  const std::size_t full = resident_bytes();
  for (unsigned n = kPrograms; n < 2 * kPrograms; ++n) draw(n);
  const std::size_t after = resident_bytes();
  RecordProperty("bytes", static_cast<int>(after - std::min(after, before)));
  RecordProperty("bytes_of_the_second_half", static_cast<int>(after - std::min(after, full)));
  EXPECT_LE(after, before + kCache + kRest);
  EXPECT_LE(after, full + kNoise);
}
#endif

}  // namespace
}  // namespace warpjit::test
