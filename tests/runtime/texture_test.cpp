// Textures through the public interfaces: a kernel that samples, what is refused and how, C and C++ alike.
#include <vector>

#include "frontend/tesla/assembly/assemble.h"
#include "runtime/shaders.h"
#include "warpjit/tesla.hpp"
#include "warpjit/textures.h"

// The handle as the library has it.
#include "runtime/api/c/boundary.h"

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
    launch.set_block(8);
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

TEST(Textures, WhatIsMissing) {
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
  EXPECT_EQ(work.run(), "texture 1, sampler 2: a linear filter meets integers");
  work.launch.unset_textures();
  EXPECT_NE(work.run().find("texture 1: "), std::string::npos);
}

TEST(Textures, WhatIsRefused) {
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
}

TEST(Textures, InC) {
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
