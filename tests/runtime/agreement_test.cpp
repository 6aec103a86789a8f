// The same launch gives the same bits in every engine, on every target, for any count, thread count, stride
// and format.
#include <gtest/gtest.h>

#include "base/float_environment.h"
#include "runtime/shaders.h"

namespace warpjit::test {
namespace {

void expect_agreement(const Engine& engine, const Program& program, std::uint64_t count, std::uint64_t seed) {
  Bench bench(program, count, seed);
  std::vector<std::uint32_t> reference;
  for (const Way& way : all_ways(engine)) {
    const std::vector<std::uint32_t> got = bench.run(engine, way.options);
    if (reference.empty()) reference = got;
    for (std::size_t n = 0; n < got.size(); ++n)
      ASSERT_EQ(got[n], reference[n])
          << program.source_name() << ' ' << way.name << " count " << count << " seed " << seed << " output "
          << n / (4 * count) << " thread " << n / 4 % count << " component " << n % 4;
  }
}

class Examples : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Examples, testing::Values("mvp_light", "branchy", "breakc_loop", "skin_loop"),
                         [](const auto& info) { return info.param; });

TEST_P(Examples, EnginesAgree) {
  const Engine engine;
  const Program program = example(std::string(GetParam()) + ".shbin");
  for (std::uint64_t seed = 1; seed <= 6; ++seed) expect_agreement(engine, program, 300, seed);
}

TEST_P(Examples, TailsOfAllSizes) {
  const Engine engine;
  const Program program = example(std::string(GetParam()) + ".shbin");
  for (std::uint64_t count = 1; count <= 70; ++count) expect_agreement(engine, program, count, count);
}

TEST_P(Examples, ThreadCountDoesNotMatter) {
  EngineOptions options;
  options.executor = make_thread_pool(4);
  const Engine pool(options), standard;
  Bench bench(example(std::string(GetParam()) + ".shbin"), 5000);
  for (const Way& way : all_ways(pool)) {
    std::vector<std::uint32_t> reference;
    for (const Engine* engine : {&pool, &standard})
      for (const unsigned threads : {1u, 2u, 4u, 0u}) {
        RunOptions run = way.options;
        run.threads = threads;
        const auto got = bench.run(*engine, run);
        if (reference.empty()) reference = got;
        EXPECT_TRUE(got == reference) << way.name << " threads " << threads;
      }
  }
}

TEST(Agreement, FormatsAndStrides) {
  const Program program = assemble(
      ".verbatim\n.out outpos position\n.out outclr color\n.out outtex texcoord0\n"
      ".proc main\nmul o0, c0, v0\nadd o1, v0, v1\nmov o2, v1.wzyx\nend\n.end\n");
  const Engine engine;
  const std::uint64_t count = 77;
  const std::vector<std::byte> bytes = [] {
    std::vector<std::byte> made(40000);
    for (std::size_t n = 0; n < made.size(); ++n) made[n] = static_cast<std::byte>(n * 29 % 61);
    return made;
  }();
  for (const ComponentType type :
       {ComponentType::f32, ComponentType::u8, ComponentType::s8, ComponentType::u16, ComponentType::s16,
        ComponentType::unorm8, ComponentType::snorm8, ComponentType::unorm16, ComponentType::snorm16})
    for (std::uint8_t components = 1; components <= 4; ++components)
      for (const std::size_t gap : {0u, 1u, 20u}) {
        const Format format{type, components};
        const std::size_t stride = size(format) + gap, used = (count - 1) * stride + size(format);
        Launch launch(program);
        std::vector<float> interleaved(count * 10), apart(count * 3);
        ASSERT_TRUE(launch.set_uniform("c0", std::array{1.f, 2.f, 3.f, 4.f}));
        ASSERT_TRUE(launch.bind_input("v0", {bytes.data(), used, stride, format}));
        ASSERT_TRUE(launch.bind_input("v1", {bytes.data() + 3, 16, 0, f32x4}));
        ASSERT_TRUE(launch.bind_output("position", {interleaved.data(), count * 40, 40, f32x4}));
        ASSERT_TRUE(launch.bind_output("color", {interleaved.data() + 4, count * 40 - 16, 40, f32x4}));
        ASSERT_TRUE(launch.bind_output("texcoord0", {apart.data(), count * 12, 12, f32x3}));
        EXPECT_TRUE(launch.set_count(count));
        std::vector<float> first, second;
        for (const Way& way : all_ways(engine)) {
          std::fill(interleaved.begin(), interleaved.end(), -7.0f);
          const auto report = engine.run(launch, way.options);
          ASSERT_TRUE(report) << way.name << ' ' << to_string(report.error());
          if (first.empty()) first = interleaved, second = apart;
          ASSERT_EQ(std::memcmp(first.data(), interleaved.data(), count * 40), 0)
              << way.name << ' ' << name(format);
          ASSERT_EQ(std::memcmp(second.data(), apart.data(), count * 12), 0)
              << way.name << ' ' << name(format);
          for (std::size_t n = 0; n < count; ++n) ASSERT_EQ(interleaved[n * 10 + 9], -7.0f);
        }
      }
}

// A kernel for many rows is made for the way in which they lie, and asks for cache lines after the last.
TEST(Agreement, ManyRowsInSeveralLayouts) {
  const Program program = assemble(
      ".verbatim\n.out outpos position\n.out outclr color\n.proc main\nadd o0, v0, v1\nmov o1, "
      "v1\nend\n.end\n");
  Engine engine;
  engine.state().set_hooks({.tuning = backend::Tuning{.bytes_ahead_of_rows = 8192}});  // on every processor
  RunOptions options;
  options.engine = engine.info().jit ? EngineKind::jit : EngineKind::ir;
  options.threads = 1;
  constexpr std::size_t kCount = 40000;
  using Row = std::array<float, 4>;
  std::uint64_t kernels = 0;
  for (const bool interleaved : {false, true})
    for (const bool packed : {false, true}) {
      std::vector<Row> in(2 * kCount), out(2 * kCount);
      const std::size_t in_step = interleaved ? 2 : 1, in_second = interleaved ? 1 : kCount;
      const std::size_t out_step = packed ? 2 : 1, out_second = packed ? 1 : kCount;
      for (std::size_t n = 0; n < kCount; ++n) {
        in[n * in_step] = {static_cast<float>(n), 1, 2, 3};
        in[n * in_step + in_second] = {0.5f, static_cast<float>(n), 0, 1};
      }
      const auto bytes_from = [](std::size_t row) { return (2 * kCount - row) * sizeof(Row); };
      Launch launch(program);
      EXPECT_TRUE(launch.set_count(kCount));
      for (const std::size_t n : {0, 1}) {
        const std::size_t first_in = n * in_second, first_out = n * out_second;
        ASSERT_TRUE(launch.bind_input(
            n == 0 ? "v0" : "v1", {in[first_in].data(), bytes_from(first_in), in_step * sizeof(Row), f32x4}));
        ASSERT_TRUE(launch.bind_output(
            n == 0 ? "position" : "color",
            {out[first_out].data(), bytes_from(first_out), out_step * sizeof(Row), f32x4}));
      }
      const auto report = engine.run(launch, options);
      ASSERT_TRUE(report) << to_string(report.error());
      for (std::size_t n = 0; n < kCount; ++n) {
        ASSERT_EQ(out[n * out_step], (Row{static_cast<float>(n) + 0.5f, static_cast<float>(n) + 1, 2, 4}))
            << n;
        ASSERT_EQ(out[n * out_step + out_second], in[n * in_step + in_second]) << n;
      }
      ++kernels;
      EXPECT_EQ(engine.statistics().compiles, options.engine == EngineKind::jit ? kernels : 1);
    }
}

TEST(Agreement, UnboundInputsAndInitialState) {
  const Program program = assemble(
      ".out outpos position\n.out outclr color\n"
      ".proc main\nadd o0, r3, v5\nmov r4, v1\nadd o1, c4[aL], r1\ncmp r1.x, gt, lt, v0.y\nend\n.end\n");
  const Engine engine;
  for (const Way& way : all_ways(engine)) {
    Launch launch(program);
    float o0[4], o1[4];
    std::int32_t a0[2], aL[1];
    std::uint32_t cmp[2];
    const float one[4] = {1, 2, 3, 4};
    ASSERT_TRUE(launch.set_state("r3", std::array<std::uint32_t, 4>{0x40000000, 0, 0x3F800000, 0}));
    ASSERT_TRUE(launch.set_state("a0", std::array<std::uint32_t, 2>{5, ~1u}));
    ASSERT_TRUE(launch.set_state("aL", std::array<std::uint32_t, 1>{3}));
    ASSERT_TRUE(launch.set_state("cmp", std::array<std::uint32_t, 2>{1, 0}));
    ASSERT_TRUE(launch.set_uniform("c7", std::array{7.f, 8.f, 9.f, 10.f}));
    ASSERT_TRUE(launch.bind_input("v0", {one, 16, 16, f32x4}));
    ASSERT_TRUE(launch.bind_output("o0", {o0, 16, 16, f32x4}));
    ASSERT_TRUE(launch.bind_output("o1", {o1, 16, 16, f32x4}));
    ASSERT_TRUE(launch.bind_output("a0", {a0, 8, 8, {ComponentType::s32, 2}}));
    ASSERT_TRUE(launch.bind_output("aL", {aL, 4, 4, {ComponentType::s32, 1}}));
    ASSERT_TRUE(launch.bind_output("cmp", {cmp, 8, 8, {ComponentType::u32, 2}}));
    EXPECT_TRUE(launch.set_count(1));
    const auto report = engine.run(launch, way.options);
    ASSERT_TRUE(report) << way.name << ' ' << to_string(report.error());
    EXPECT_EQ(o0[0], 2.0f) << way.name;
    EXPECT_EQ(o0[2], 1.0f) << way.name;
    EXPECT_EQ(o1[0], 7.0f) << way.name;
    EXPECT_EQ(o1[3], 10.0f) << way.name;
    EXPECT_EQ(a0[0], 5) << way.name;
    EXPECT_EQ(a0[1], -2) << way.name;
    EXPECT_EQ(aL[0], 3) << way.name;
    EXPECT_EQ(cmp[0], 0u) << way.name;  // 0 > 1
    EXPECT_EQ(cmp[1], 1u) << way.name;  // 0 < 2
  }
}

TEST(Agreement, CallersFloatEnvironmentDoesNotMatter) {
  // Toward zero, denormals flushed in operands and results, two sticky flags; on Arm also default NaNs.
#if defined(__x86_64__)
  constexpr FloatEnvironment::Word kHostile = 0xFFC3;
#elif defined(__aarch64__)
  constexpr FloatEnvironment::Word kHostile = std::uint64_t{0x03C00000} << 32 | 0x11;
#else
  constexpr FloatEnvironment::Word kHostile = FloatEnvironment::kDefault;
  GTEST_SKIP() << "nothing to set on this host";
#endif
  const Engine engine;
  Bench bench(example("mvp_light.shbin"), 300);
  for (const Way& way : all_ways(engine)) {
    const auto reference = bench.run(engine, way.options);
    const auto before = FloatEnvironment::read();
    FloatEnvironment::write(kHostile);
    const auto report = engine.run(bench.launch, way.options);
    const auto after = FloatEnvironment::read();
    FloatEnvironment::write(before);
    ASSERT_TRUE(report);
    EXPECT_EQ(after, kHostile);
    EXPECT_TRUE(bench.outputs == reference) << way.name;
  }
}

}  // namespace
}  // namespace warpjit::test
