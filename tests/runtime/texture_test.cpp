// Textures through the public interfaces: kernels that sample, what is refused and how, C and C++ alike.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "frontend/tesla/assembly/assemble.h"
#include "random/textures.h"
#include "runtime/shaders.h"
#include "support/share.h"
#include "warpjit/tesla.hpp"
#include "warpjit/textures.h"

// The handle as the library has it.
#include "runtime/api/c/boundary.h"
#include "support/same_bytes.h"

namespace warpjit::test {
namespace {

// Thread n fetches texel n and stores its red.
constexpr const char* kFetch =
    ".registers 4\nand b32 $r0 $r0 0xffff\nshl b32 $r3 $r0 0x2\nmov b32 $r1 0x0\nmov b32 $r2 0x0\n"
    "texfetch all $r0:#:#:# $t3 $s0 $r0:$r1:$r2 0x0 0x0 0x0\nst b32 g0[$r3] $r0\nexit nop\n";
// Samples texture 1 with sampler 2.
constexpr const char* kSample =
    ".registers 4\nand b32 $r0 $r0 0xffff\nshl b32 $r3 $r0 0x2\nmov b32 $r0 0x3f000000\nmov b32 $r1 "
    "0x3f000000\n"
    "texauto all $r0:#:#:# $t1 $s2 $r0:$r1 0x0 0x0 0x0\nst b32 g0[$r3] $r0\nexit nop\n";

Program texture_program(const char* source) {
  auto program = tesla::load_assembly(source);
  EXPECT_TRUE(program) << to_string(program.error());
  return *program;
}

struct TextureLaunch {
  Launch launch;
  std::vector<std::uint32_t> results = std::vector<std::uint32_t>(8);
  explicit TextureLaunch(const char* source) : launch(texture_program(source)) {
    EXPECT_TRUE(launch.set_block(8));
    EXPECT_TRUE(launch.map_memory("g0", 0, results.data(), 4 * results.size()));
  }
  std::string run() {
    const auto report = Engine().run(launch);
    return report ? std::string() : to_string(report.error());
  }
};

std::vector<std::uint32_t> texels() { return {10, 11, 12, 13, 14, 15, 16, 17}; }
Texture texture_of(const std::vector<std::uint32_t>& words, const char* format) {
  Texture texture;
  texture.format = *parse_texture_format(format);
  texture.width = 8;
  texture.data = words.data();
  texture.size = 4 * words.size();
  return texture;
}

TEST(Textures, KernelsFetch) {
  const auto words = texels();
  TextureLaunch work(kFetch);
  ASSERT_TRUE(work.launch.set_texture(3, texture_of(words, "r32ui")));
  EXPECT_EQ(work.run(), "");
  EXPECT_EQ(work.results, words);
  // A copy of the launch has them, too.
  work.results.assign(8, 0);
  TextureLaunch other(kFetch);
  other.launch = work.launch;
  EXPECT_EQ(other.run(), "");
  EXPECT_EQ(work.results, words);
}

// Reads four words of a thread from g0, samples with them as arguments, and stores four words to g1. Threads
// whose fifth word is odd leave before, or are predicated off.
enum class Leaving { none, exit, predicate };
std::string sampling_kernel(const std::string& sample, Leaving leaving) {
  std::string text =
      ".registers 16\nand b32 $r8 $r0 0xffff\nshl b32 $r9 $r8 0x5\nld b128 $r0q g0[$r9]\n"
      "mov b32 $r10 0x10\nadd b32 $r10 $r9 $r10\nld b32 $r11 g0[$r10]\n"
      "mov b32 $r12 0x1\nand b32 $c0 # $r11 $r12\n";
  if (leaving == Leaving::exit) text += "(e $c0) bra #on\nexit nop\non:\n";
  if (leaving == Leaving::predicate) text += "(e $c0) ";
  return text + sample + "\nshl b32 $r8 $r8 0x4\nst b128 g1[$r8] $r0q\nexit nop\n";
}

std::uint32_t random_argument(Random& random, bool integer) {
  constexpr std::uint32_t kEdges[] = {0,          0x3f800000, 0xbf800000, 0x3f000000, 0x80000000,
                                      0x00000001, 0x7f800000, 0xff800000, 0x7fc00000, 0x4b800000,
                                      0xc9742400, 0x3e800000, 0x477fff00};
  if (integer) return random.below(5) == 0 ? random.below(2) - 1 : random.below(20);
  if (random.one_in(6)) return kEdges[random.below(static_cast<unsigned>(std::size(kEdges)))];
  return std::bit_cast<std::uint32_t>(static_cast<float>(random.below(400)) / 128 - 1);
}

// All forms in kernels, of random textures, with quads that are whole and that are not: every engine gives
// the same bits, and none leaves the work to another.
TEST(Textures, KernelsSampleAlike) {
  constexpr const char* kForms[] = {
      "texauto all R $t0 $s0 A 0x0 0x0 0x0",
      "texauto all deriv R $t0 $s0 A 0x1 -0x1 0x2",
      "texbias all deriv R $t0 $s0 A 0x0 0x0 0x0",
      "texbias all R $t0 $s0 A 0x0 0x0 0x0",
      "texlod all deriv R $t0 $s0 A 0x0 0x0 -0x3",
      "texfetch all R $t0 $s0 A 0x1 0x0 0x0",
      "texsize all R $t0 $s0 A",
      "texprep cube all R $t0 $s0 A",
      "texquerylod all deriv R $t0 $s0 A",
      "texquerylod all R $t0 $s0 A",
      "texgather all R $t0 $s0 A 0x0 0x0 0x1",
  };
  constexpr std::uint32_t kBlocks[] = {64, 32, 50, 7, 128};
  Engine engine;
  std::uint64_t compiled = 0;
  for (std::uint64_t seed = 1; seed <= share(220); ++seed) {
    Random random(seed);
    std::string form = kForms[seed % std::size(kForms)];
    form.replace(form.find(" R "), 3, random.one_in(4) ? " #:$r0:#:$r1 " : " $r0:$r1:$r2:$r3 ");
    form.replace(form.find(" A"), 2, random.one_in(4) ? " $r0:$r1" : " $r0:$r1:$r2:$r3");
    const auto leaving = static_cast<Leaving>(random.below(3));
    const std::string source = sampling_kernel(form, leaving);
    const std::uint32_t threads = kBlocks[random.below(static_cast<unsigned>(std::size(kBlocks)))];
    constexpr std::uint32_t kBlockCount = 2;
    std::vector<std::uint32_t> arguments;
    const bool integers = form.starts_with("texfetch") || form.starts_with("texsize");
    for (std::uint32_t k = 0; k < 8 * threads; ++k)
      arguments.push_back(k % 8 == 4 ? random.below(2) : random_argument(random, integers));
    Launch launch(texture_program(source.c_str()));
    EXPECT_TRUE(launch.set_grid(kBlockCount, 1));
    EXPECT_TRUE(launch.set_block(threads));
    std::vector<std::uint32_t> results(4 * threads);
    ASSERT_TRUE(launch.map_memory("g0", 0, arguments.data(), 4 * arguments.size()));
    ASSERT_TRUE(launch.map_memory("g1", 0, results.data(), 4 * results.size()));
    ASSERT_TRUE(random::set_textures(launch, random, 1, 1));
    std::vector<std::uint32_t> wanted;
    for (const Way& way : all_ways(engine)) {
      results.assign(4 * threads, 0x11111111);
      const auto report = engine.run(launch, with_hooks(engine, way.options));
      ASSERT_TRUE(report) << way.name << ": " << to_string(report.error()) << '\n' << source;
      EXPECT_EQ(report->engine, way.options.engine) << report->interpreted_because;
      EXPECT_FALSE(report->fault);
      if (way.options.engine == EngineKind::guest) {
        wanted = results;
        continue;
      }
      ++compiled;
      const auto at = tests::first_difference(results, wanted);
      ASSERT_EQ(results, wanted) << "seed " << seed << ", " << way.name << ", thread " << at / 4 << '\n'
                                 << source;
    }
  }
  EXPECT_GT(compiled, share(220) * 4);
}

// Beyond the edge both slices are one, and yet their weights count: each product rounds. By the rules of
// filters: with S the sum of a slice, S * (256 - w) + S * w, each rounded, times 1 / (255 * 2^24).
float clamped_slices(std::uint32_t sum, float coordinate, std::uint32_t depth) {
  const auto t =
      static_cast<std::int32_t>(std::nearbyint(coordinate * static_cast<float>(depth) * 256)) - 128;
  const auto weight = static_cast<float>(t & 255), s = static_cast<float>(sum);
  const float first = s * (256 - weight), second = s * weight;
  const float both = first + second;
  return both * (1.0F / 255 * 0x1p-24F);
}

TEST(Textures, SlicesBeyondTheEdgeHaveWeights) {
  constexpr std::uint32_t kThreads = 64;
  const std::string source =
      sampling_kernel("texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0", Leaving::none);
  // Two columns, so that sums have all 24 bits.
  const std::vector<std::uint32_t> words = {0x01fe8033, 0xfb10c1ff};
  std::vector<std::uint32_t> arguments(8 * kThreads), results(4 * kThreads);
  const auto coordinate = [](std::uint32_t thread, unsigned axis) {
    return axis == 0 ? 0.25F + static_cast<float>(thread % 37) / 74 : static_cast<float>(thread) / 11 - 1.6F;
  };
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    for (const unsigned axis : {0U, 2U})
      arguments[8 * thread + axis] = std::bit_cast<std::uint32_t>(coordinate(thread, axis));
  for (const Wrap wrap : {Wrap::clamp_to_edge, Wrap::repeat}) {
    Launch launch(texture_program(source.c_str()));
    EXPECT_TRUE(launch.set_block(kThreads));
    ASSERT_TRUE(launch.map_memory("g0", 0, arguments.data(), 4 * arguments.size()));
    ASSERT_TRUE(launch.map_memory("g1", 0, results.data(), 4 * results.size()));
    Texture texture = texture_of(words, "rgba8");
    texture.width = 2;
    texture.dimension = TextureDimension::d3;
    ASSERT_TRUE(launch.set_texture(0, texture));
    Sampler sampler;
    sampler.wrap = {Wrap::clamp_to_edge, Wrap::clamp_to_edge, wrap};
    sampler.magnify = sampler.minify = Filter::linear;
    ASSERT_TRUE(launch.set_sampler(0, sampler));
    const Engine engine;
    for (const Way& way : all_ways(engine)) {
      results.assign(4 * kThreads, 0);
      const auto report = engine.run(launch, with_hooks(engine, way.options));
      ASSERT_TRUE(report) << to_string(report.error());
      for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
        const auto t = static_cast<std::int32_t>(std::nearbyint(coordinate(thread, 0) * 2 * 256)) - 128;
        const auto weight = static_cast<std::uint32_t>(t & 255);
        float z = coordinate(thread, 2);
        if (wrap == Wrap::repeat) z -= std::floor(z);
        for (unsigned c = 0; c < 4; ++c) {
          const std::uint32_t a = words[0] >> 8 * c & 255, b = words[1] >> 8 * c & 255;
          // One of both columns, and rows of which there is one.
          const std::uint32_t sum = t < 0      ? a * 65536
                                    : t >= 256 ? b * 65536
                                               : 256 * (a * (256 - weight) + b * weight);
          EXPECT_EQ(results[4 * thread + c], std::bit_cast<std::uint32_t>(clamped_slices(sum, z, 1)))
              << way.name << ", thread " << thread << ", component " << c;
        }
      }
    }
  }
}

// A lane that is alone in its quad has no gradient, whatever its coordinates: the level of detail is the
// least.
TEST(Textures, LanesThatAreAlone) {
  constexpr std::uint32_t kCoordinates[] = {0x3f000000, 0x7f800000, 0xff800000, 0x7fc00000};
  constexpr std::uint32_t kThreads = 64, kLeast = 0U - (1U << 20), kGreatest = 1U << 20;
  const auto words = texels();
  const std::string source =
      sampling_kernel("texquerylod all deriv $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2:$r3", Leaving::exit);
  std::vector<std::uint32_t> arguments(8 * kThreads), results(4 * kThreads);
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    arguments[8 * thread] = kCoordinates[thread / 4 % 4];
    arguments[8 * thread + 4] = thread >= kThreads / 2 || thread % 4 == 2 ? 0 : 1;  // 1: leaves
  }
  Launch launch(texture_program(source.c_str()));
  EXPECT_TRUE(launch.set_block(kThreads));
  ASSERT_TRUE(launch.map_memory("g0", 0, arguments.data(), 4 * arguments.size()));
  ASSERT_TRUE(launch.map_memory("g1", 0, results.data(), 4 * results.size()));
  ASSERT_TRUE(launch.set_texture(0, texture_of(words, "rgba8")));
  ASSERT_TRUE(launch.set_sampler(0, {}));
  const Engine engine;
  for (const Way& way : all_ways(engine)) {
    const auto report = engine.run(launch, with_hooks(engine, way.options));
    ASSERT_TRUE(report) << to_string(report.error());
    for (std::uint32_t thread = 2; thread < kThreads; thread += 4) {
      const bool is_alone = thread < kThreads / 2, is_finite = thread / 4 % 4 == 0;
      EXPECT_EQ(results[4 * thread + 1], is_alone || is_finite ? kLeast : kGreatest)
          << way.name << ", thread " << thread;
    }
  }
}

// Textures that are bound anew are sampled anew, by the same code.
TEST(Textures, KernelsSeeWhatIsBound) {
  std::vector<std::uint32_t> first = texels(), second(16, 3);
  TextureLaunch work(kFetch);
  Engine engine;
  RunOptions options;
  options.engine = EngineKind::ir;
  const auto run = [&] {
    work.results.assign(8, 0);
    const auto report = engine.run(work.launch, options);
    EXPECT_TRUE(report) << to_string(report.error());
    return report && report->cache_hit;
  };
  ASSERT_TRUE(work.launch.set_texture(3, texture_of(first, "r32ui")));
  EXPECT_FALSE(run());
  EXPECT_EQ(work.results, first);
  first[1] = 99;  // the caller's memory is read in place
  EXPECT_TRUE(run());
  EXPECT_EQ(work.results, first);
  Texture other = texture_of(second, "r32ui");
  other.width = 4;
  ASSERT_TRUE(work.launch.set_texture(3, other));
  EXPECT_TRUE(run());
  EXPECT_EQ(work.results, (std::vector<std::uint32_t>{3, 3, 3, 3, 0, 0, 0, 0}));
  ASSERT_TRUE(work.launch.set_texture(3, texture_of(second, "r16ui")));
  EXPECT_FALSE(run());
  EXPECT_EQ(work.results, (std::vector<std::uint32_t>{3, 0, 3, 0, 3, 0, 3, 0}));
}

TEST(Textures, MissingTexturesAndSamplers) {
  const auto words = texels();
  TextureLaunch work(kSample);
  EXPECT_NE(work.run().find("texture 1: "), std::string::npos) << work.run();
  ASSERT_TRUE(work.launch.set_texture(1, texture_of(words, "rgba8")));
  EXPECT_NE(work.run().find("sampler 2: "), std::string::npos) << work.run();
  ASSERT_TRUE(work.launch.set_sampler(2, {}));
  EXPECT_EQ(work.run(), "");
  ASSERT_TRUE(work.launch.set_texture(1, texture_of(words, "r32ui")));
  Sampler linear;
  linear.minify = Filter::linear;
  ASSERT_TRUE(work.launch.set_sampler(2, linear));
  EXPECT_EQ(work.run(), "texture 1, sampler 2: a linear filter meets integers, of format r32ui");
  work.launch.unset_textures();
  EXPECT_NE(work.run().find("texture 1: "), std::string::npos);
}

TEST(Textures, RefusedTexturesAndSamplers) {
  const auto words = texels();
  TextureLaunch work(kSample);
  Texture texture = texture_of(words, "rgba8");
  EXPECT_EQ(to_string(work.launch.set_texture(128, texture).error()), "texture 128: there are 128 textures");
  texture.width = 9;
  EXPECT_EQ(to_string(work.launch.set_texture(127, texture).error()),
            "texture 127: data has 32 bytes; the levels and layers end at byte 36");
  Sampler sampler;
  sampler.mip = static_cast<MipFilter>(3);
  EXPECT_EQ(to_string(work.launch.set_sampler(5, sampler).error()), "sampler 5: mip is no filter");
  EXPECT_EQ(to_string(work.launch.set_sampler(128, {}).error()), "sampler 128: there are 128 samplers");
}

// A target that is sampled, as a whole or in part.
TEST(Textures, Targets) {
  auto container = tesla::assemble(
      ".type fragment\n.registers 4\nmov b32 $r0 0\nmov b32 $r1 0\ntexauto all $r0:$r1:$r2:$r3 $t0 $s0 "
      "$r0:$r1 0x0 0x0 0x0\n"
      "exit nop\n",
      "sampling");
  ASSERT_TRUE(container) << to_string(container.error());
  tesla::RawProgram raw;
  raw.code = container->programs.at(0).code;
  raw.registers = 4;
  raw.stage = Stage::fragment;
  raw.source_name = "sampling";
  auto program = tesla::load_words(raw);
  ASSERT_TRUE(program) << to_string(program.error());
  Launch launch(*program);
  std::vector<std::uint32_t> pixels(64 + 8, 0x01020304);
  ASSERT_TRUE(launch.set_target_size(8, 8));
  ASSERT_TRUE(launch.bind_color(0, {pixels.data(), 256, 32, PixelFormat::rgba8}));
  ASSERT_TRUE(launch.set_sampler(0, {}));
  Texture texture = texture_of({}, "rgba8");
  texture.size = 32;
  texture.data = pixels.data() + 63;
  ASSERT_TRUE(launch.set_texture(0, texture));
  const auto overlapping = Engine().run(launch);
  ASSERT_FALSE(overlapping);
  EXPECT_EQ(to_string(overlapping.error()), "texture 0: sampling samples memory of colour target 0");
  texture.data = pixels.data() + 64;
  ASSERT_TRUE(launch.set_texture(0, texture));
  EXPECT_TRUE(Engine().run(launch));
  std::vector<std::uint32_t> depths(64);
  ASSERT_TRUE(launch.bind_depth({depths.data(), 256, 32, PixelFormat::d32f}));
  texture.data = depths.data() + 56;
  ASSERT_TRUE(launch.set_texture(0, texture));
  const auto depth = Engine().run(launch);
  ASSERT_FALSE(depth);
  EXPECT_EQ(to_string(depth.error()), "texture 0: sampling samples memory of the depth target");
}

TEST(Textures, CInterface) {
  const auto words = texels();
  TextureLaunch work(kFetch);
  warpjit_launch handle{work.launch};
  warpjit_error error{};
  error.size = sizeof error;
  warpjit_texture_format format{};
  format.size = sizeof format;
  ASSERT_EQ(warpjit_find_texture_format("r32ui", &format, &error), WARPJIT_OK);
  EXPECT_EQ(format.bytes, 4u);
  EXPECT_EQ(format.components[0].type, WARPJIT_TEXEL_UINT);
  EXPECT_EQ(warpjit_find_texture_format("r33", &format, &error), WARPJIT_BAD_INPUT);
  warpjit_texture texture{};
  texture.size = sizeof texture;
  ASSERT_EQ(warpjit_default_texture(&texture, &error), WARPJIT_OK);
  texture.format = &format;
  texture.width = 8;
  texture.data = words.data();
  texture.byte_count = 32;
  ASSERT_EQ(warpjit_launch_set_texture(&handle, 3, &texture, &error), WARPJIT_OK);
  ASSERT_TRUE(Engine().run(handle.launch));
  EXPECT_EQ(work.results, words);

  const auto refused = [&](auto change) {
    warpjit_texture other = texture;
    change(other);
    EXPECT_EQ(warpjit_launch_set_texture(&handle, 3, &other, &error), WARPJIT_BAD_INPUT);
    return std::string(error.where) + ": " + error.message;
  };
  EXPECT_EQ(refused([](warpjit_texture& t) { t.width = 0; }), "texture 3: width is 0");
  EXPECT_EQ(refused([](warpjit_texture& t) { t.layout = 4; }), "layout: there is no such value: 4");
  EXPECT_EQ(refused([](warpjit_texture& t) { t.swizzle[1] = 7; }), "swizzle: there is no such value: 7");
  EXPECT_EQ(refused([](warpjit_texture& t) { t.data = nullptr; }), "texture 3: data is null");
  warpjit_sampler sampler{};
  sampler.size = sizeof sampler;
  ASSERT_EQ(warpjit_default_sampler(&sampler, &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_launch_set_sampler(&handle, 0, &sampler, &error), WARPJIT_OK);
  sampler.wrap[2] = 8;
  EXPECT_EQ(warpjit_launch_set_sampler(&handle, 0, &sampler, &error), WARPJIT_BAD_INPUT);

  // r32ui of 8 x 1 as the hardware has it, at 0x1000.
  const std::uint32_t tic[8] = {
      0x0f | 4 << 6 | 2 << 18, 0x1000, 1U << 14 | 1U << 18 | 1U << 30 | 1U << 31, 32, 8, 1, 0, 0};
  const std::uint32_t tsc[8] = {0, 1 | 1 << 4 | 1 << 6, 0, 0, 0, 0, 0, 0};
  ASSERT_EQ(warpjit_launch_unset_textures(&handle), WARPJIT_OK);
  EXPECT_FALSE(Engine().run(handle.launch));
  ASSERT_EQ(warpjit_launch_set_tesla_texture(&handle, 3, tic, 0x1000, words.data(), 32, 1, &error),
            WARPJIT_OK)
      << error.message;
  ASSERT_EQ(warpjit_launch_set_tesla_sampler(&handle, 0, tsc, 0, &error), WARPJIT_OK) << error.message;
  work.results.assign(8, 0);
  ASSERT_TRUE(Engine().run(handle.launch));
  EXPECT_EQ(work.results, words);
  EXPECT_EQ(warpjit_launch_set_tesla_texture(&handle, 3, tic, 0x2000, words.data(), 32, 1, &error),
            WARPJIT_BAD_INPUT);
  EXPECT_STREQ(error.where, "texture 3, address");
}

}  // namespace
}  // namespace warpjit::test
