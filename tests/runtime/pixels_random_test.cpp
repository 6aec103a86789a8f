// Random fragment programs over random primitives, often from a random vertex or geometry program and in
// instances, with random textures, memory, tests and blending: every engine and target gives the same targets
// and memory, with any number of threads. The guest engine has its own rasterizer.
#include <algorithm>
#include <bit>

#include "base/random.h"
#include "random/pixel_states.h"
#include "random/tesla/stages.h"
#include "runtime/shaders.h"
#include "support/same_bytes.h"
#include "support/share.h"

namespace warpjit::test {
namespace {

constexpr std::uint32_t kWidth = 90, kHeight = 70;  // of several tiles, not whole ones

struct Target {
  TargetBuffer buffer;
  std::vector<std::byte> bytes, initial;
};

using random::coordinate;
using random::output_state;
using random::raster_state;

std::uint32_t word(Random& random) {
  return random.one_in(8) ? static_cast<std::uint32_t>(random.next())
                          : std::bit_cast<std::uint32_t>(coordinate(random));
}

// A launch with memory of its own, over which it can run again and again.
struct RandomDraw {
  std::vector<std::uint32_t> vertices;
  std::vector<Target> targets;
  std::vector<std::uint32_t> memory;  // g0, if the program has it
  Launch launch;
  Topology topology{};

  static constexpr PixelFormat kColors[] = {
      PixelFormat::rgba8,      PixelFormat::srgb8,    PixelFormat::rgb565,     PixelFormat::rgba4,
      PixelFormat::rgb5a1,     PixelFormat::rgb10a2,  PixelFormat::rgba16f,    PixelFormat::rgba32f,
      PixelFormat::r32f,       PixelFormat::rgba32i,  PixelFormat::r32ui,      PixelFormat::rgba8i,
      PixelFormat::rgba8ui,    PixelFormat::rg8,      PixelFormat::rgba16,     PixelFormat::r8_snorm,
      PixelFormat::rg16_snorm, PixelFormat::rg16f,    PixelFormat::r11g11b10f, PixelFormat::r8ui,
      PixelFormat::rgba16i,    PixelFormat::rgb10a2ui};
  static constexpr PixelFormat kDepths[] = {PixelFormat::d16, PixelFormat::d24s8, PixelFormat::d32f};

  RandomDraw(const Program& program, const tesla::RandomFragment& fragment, Random& random)
      : launch(program), slots(fragment.slots) {
    const std::uint32_t colors = std::min<std::uint32_t>(fragment.targets, 8);
    const std::vector<std::uint32_t>& c0 = fragment.c0;
    const std::uint32_t count = 3 + random.below(18);
    const bool has_flat_w = random.one_in(4);
    for (std::uint32_t n = 0; n < count; ++n)
      for (std::uint32_t slot = 0; slot < slots; ++slot)
        vertices.push_back(slot == 3  ? std::bit_cast<std::uint32_t>(has_flat_w         ? 1.0F
                                                                     : random.one_in(3) ? coordinate(random)
                                                                                        : 1.5F)
                           : slot < 3 ? std::bit_cast<std::uint32_t>(coordinate(random))
                                      : word(random));
    const bool depth = !random.one_in(4);
    for (std::uint32_t k = 0; k < colors + (depth ? 1 : 0); ++k) {
      Target& target = targets.emplace_back();
      const PixelFormat format =
          k < colors ? kColors[random.below(std::size(kColors))] : kDepths[random.below(3)];
      const std::size_t pitch = kWidth * pixel_size(format) + random.below(3);
      target.initial.resize(pitch * kHeight);
      for (std::byte& byte : target.initial) byte = static_cast<std::byte>(random.below(256));
      target.bytes = target.initial;
      target.buffer = {target.bytes.data(), target.bytes.size(), pitch, format};
      EXPECT_TRUE(k < colors ? launch.bind_color(k, target.buffer) : launch.bind_depth(target.buffer));
    }
    EXPECT_TRUE(launch.set_target_size(kWidth, kHeight));
    RasterState raster = raster_state(random, kWidth, kHeight);
    if (random.one_in(3)) raster.shade = ShadeModel::flat;
    EXPECT_TRUE(launch.set_raster_state(raster));
    topology = raster.topology;
    EXPECT_TRUE(launch.set_instances(random.one_in(3) ? 1 + random.below(3) : 1));
    EXPECT_TRUE(launch.set_output_state(output_state(random)));
    EXPECT_TRUE(launch.bind_vertices({vertices.data(), vertices.size() * 4, slots * std::size_t{4}, slots}));
    EXPECT_TRUE(launch.bind_constants("c0", c0.data(), c0.size() * 4));
    EXPECT_TRUE(launch.set_count(count));
    launch.set_fuel(tesla::kRandomFuel);
    if (fragment.samples) {
      EXPECT_TRUE(random::set_textures(launch, random, tesla::kRandomTextures, tesla::kRandomSamplers));
    }
    if (fragment.memory) {
      memory.resize(std::size_t{kHeight} * tesla::kRandomPixelColumns * tesla::kRandomPixelBytes / 4);
      EXPECT_TRUE(launch.map_memory("g0", 0, memory.data(), 4 * memory.size()));
    }
    if (random.one_in(2)) {
      std::vector<std::uint32_t> indices(random.below(30));
      for (std::uint32_t& index : indices) index = random.one_in(30) ? 1000 : random.below(count);
      EXPECT_TRUE(launch.set_indices(indices));
    }
  }

  // What the fragment program reads comes from a geometry program.
  void add_geometry(std::uint64_t seed, const tesla::RandomOptions& options, Random& random) {
    const auto stage = tesla::random_geometry_stage(seed, topology, slots, options, random);
    ASSERT_TRUE(stage) << to_string(stage.error());
    EXPECT_TRUE(launch.set_geometry_stage(*stage));
  }
  // What the next stage reads comes from a vertex program.
  void add_vertex(std::uint64_t seed, bool before_geometry, const tesla::RandomOptions& options,
                  Random& random) {
    const auto stage = tesla::random_vertex_stage(seed, vertices, slots, before_geometry, options, random);
    ASSERT_TRUE(stage) << to_string(stage.error());
    EXPECT_TRUE(launch.set_vertex_stage(*stage));
  }

  // Byte `at` of what run() gives, for messages.
  std::string place(std::size_t at) const {
    std::size_t k = 0;
    for (; k < targets.size() && at >= targets[k].bytes.size(); ++k) at -= targets[k].bytes.size();
    if (k == targets.size()) return "memory, byte " + std::to_string(at);
    const TargetBuffer& target = targets[k].buffer;
    return std::string(name(target.format)) + ", column " +
           std::to_string(at % target.pitch / pixel_size(target.format)) + ", row " +
           std::to_string(at / target.pitch);
  }

  // What is in memory after a run; empty if it was refused as unsupported.
  std::vector<std::byte> run(const Engine& engine, const RunOptions& options) {
    for (Target& target : targets)
      std::copy(target.initial.begin(), target.initial.end(), target.bytes.begin());
    for (std::size_t n = 0; n < memory.size(); ++n) memory[n] = static_cast<std::uint32_t>(n * 0x9e3779b9);
    const auto report = engine.run(launch, options);
    if (!report) {
      EXPECT_EQ(report.error().code, ErrorCode::unsupported) << to_string(report.error());
      return {};
    }
    std::vector<std::byte> all;
    for (const Target& target : targets) all.insert(all.end(), target.bytes.begin(), target.bytes.end());
    const auto words = std::as_bytes(std::span(memory));
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

  std::uint32_t slots;  // of a vertex
};

TEST(RandomPixels, EnginesAgree) {
  EngineOptions with_pool;
  with_pool.executor = make_thread_pool(3);
  Engine engine(with_pool);
  constexpr std::uint32_t kParts[] = {0, 4, 0, 8};  // wide groups, too, as large primitives have them
  const char* range = std::getenv("WARPJIT_PIXEL_SEEDS");
  const std::uint64_t seeds = range != nullptr ? std::strtoull(range, nullptr, 10) : share(120);
  RunOptions guest;
  guest.engine = EngineKind::guest;
  std::uint64_t compiled = 0, changed = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const tesla::RandomOptions stages{
        .textures = seed % 2 == 0, .lanes_meet = seed % 5 != 0, .together = seed / 2 % 3 != 0};
    tesla::RandomFragment fragment = tesla::random_fragment(
        seed, {.textures = seed % 5 == 0, .memory = seed % 7 < 2, .together = seed % 4 != 3});
    auto shader = tesla::Shader::make(std::move(fragment.program));
    ASSERT_TRUE(shader) << to_string(shader.error());
    Random random(seed);
    RandomDraw draw(Program(*shader), fragment, random);
    if (seed % 3 == 0) draw.add_geometry(seed, stages, random);
    if (seed % 4 == 1 || seed % 12 == 6) draw.add_vertex(seed, seed % 3 == 0, stages, random);
    const std::vector<std::byte> expected = draw.run(engine, guest);
    ASSERT_FALSE(expected.empty()) << seed;
    engine.state().set_hooks({.parts = kParts[seed % std::size(kParts)]});
    for (const Way& way : all_ways(engine)) {
      RunOptions options = way.options;
      if (options.engine == EngineKind::guest) continue;
      options.threads = seed % 2 == 0 ? 1 : 3;
      const std::vector<std::byte> got = draw.run(engine, options);
      if (got.empty()) continue;  // only the guest interpreter runs it
      ++compiled;
      const auto place = tests::first_difference(got, expected);
      EXPECT_TRUE(got == expected) << "seed " << seed << ", " << way.name << ": " << draw.place(place);
    }
    // The guest interpreter until a kernel takes over: at once, soon, or somewhere in the middle.
    constexpr std::uint64_t kAsks[] = {0, 1, 2, 5, 13, 40};
    engine.state().set_hooks({.asks = kAsks[seed % std::size(kAsks)]});
    engine.clear_cache();
    RunOptions background;
    background.background = true;
    background.threads = seed % 2 == 0 ? 1 : 3;
    const std::vector<std::byte> got = draw.run(engine, background);
    const auto place = tests::first_difference(got, expected);
    EXPECT_TRUE(got == expected) << "seed " << seed << ", in the background: " << draw.place(place);
    engine.wait_for_compilations();
    std::vector<std::byte> before;
    for (const Target& target : draw.targets)
      before.insert(before.end(), target.initial.begin(), target.initial.end());
    if (!tests::same_bytes(before, std::span(expected).first(before.size()))) ++changed;
  }
  EXPECT_GT(compiled, 3 * seeds / 2);
  if (seeds >= 12) {
    EXPECT_GT(changed, seeds / 6);  // about 31 of 100 do, of a few often fewer
  }
  std::printf("%llu runs of compiled programs, %llu of %llu draws changed their targets\n",
              static_cast<unsigned long long>(compiled), static_cast<unsigned long long>(changed),
              static_cast<unsigned long long>(seeds));
}

}  // namespace
}  // namespace warpjit::test
