// Textures and samplers in launch files, and the field that each error names; pictures as textures.
#include <gtest/gtest.h>

#include <bit>

#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "launch/texture_fields.h"

namespace warpjit::tool {
namespace {

// A picture's file with other extents in its header, whose check sum holds.
std::vector<std::byte> with_extents(std::vector<std::byte> png, std::uint32_t width, std::uint32_t height) {
  for (unsigned byte = 0; byte < 4; ++byte) {
    png[16 + byte] = static_cast<std::byte>(width >> (24 - 8 * byte));
    png[20 + byte] = static_cast<std::byte>(height >> (24 - 8 * byte));
  }
  std::uint32_t sum = ~0U;
  for (std::size_t at = 12; at < 29; ++at) {
    sum ^= std::to_integer<std::uint32_t>(png[at]);
    for (unsigned bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? sum >> 1 ^ 0xedb88320 : sum >> 1;
  }
  for (unsigned byte = 0; byte < 4; ++byte) png[29 + byte] = static_cast<std::byte>(~sum >> (24 - 8 * byte));
  return png;
}

// A folder in memory.
Result<std::vector<std::byte>> texture_folder(const std::string& name) {
  Image image{3, 2, {}};
  for (unsigned n = 0; n < 24; ++n) image.rgba.push_back(static_cast<std::uint8_t>(10 * n));
  std::vector<std::byte> png = write_png(image);
  if (name == "small.png") return png;
  if (name == "cut.png") {
    png.resize(png.size() / 2);
    return png;
  }
  if (name == "bomb.png") return with_extents(png, 16000, 16000);
  if (name == "wide.png") return with_extents(png, 16385, 1);
  if (name == "memory.bin") return std::vector<std::byte>(4096, std::byte{7});
  return Error{ErrorCode::io, "no such file", name};
}

constexpr const char* kKernel =
    R"("warpjit":1,"isa":"tesla","stage":"compute","program":{"words":["0xf0000001","0xe0000781"]},"grid":[1],"block":[1])";
Result<LaunchFile> with_textures(const std::string& rest) {
  return parse_launch("{" + std::string(kKernel) + "," + rest + "}", "t.json", texture_folder);
}
Result<LaunchFile> with_texture(const std::string& texture) {
  return with_textures(R"("textures":{"4":)" + texture + "}");
}
// What the reader, or binding, says.
std::string problem(const Result<LaunchFile>& file) {
  if (!file) return to_string(file.error());
  const auto bound = BoundLaunch::make(*file);
  return bound ? std::string() : to_string(bound.error());
}

TEST(TextureFiles, Raw) {
  const auto launch = with_texture(
      R"({"file":"memory.bin","offset":64,"format":"rgb565","layout":"block-linear","dimension":"3d","size":[8,4,2],
          "levels":2,"block-height":1,"block-depth":1,"swizzle":"bg0i","normalized":false,"four-pairs":false,
          "depth-border":true,"min-lod":0.5,"lod-bias":-1,"first-level":1,"last-level":1})");
  ASSERT_TRUE(launch) << to_string(launch.error());
  ASSERT_EQ(launch->textures.size(), 1u);
  EXPECT_EQ(launch->textures[0].slot, 4u);
  const Texture& texture = launch->textures[0].texture;
  EXPECT_EQ(texture.format, parse_texture_format("rgb565"));
  EXPECT_EQ(texture.layout, TextureLayout::block_linear);
  EXPECT_EQ(texture.dimension, TextureDimension::d3);
  EXPECT_EQ(texture.depth_extent, 2u);
  EXPECT_EQ(texture.size, 4096u - 64);
  EXPECT_EQ(texture.swizzle,
            (std::array{TexelSource::blue, TexelSource::green, TexelSource::zero, TexelSource::integer_one}));
  EXPECT_EQ(texture.min_lod, 128);
  EXPECT_EQ(texture.lod_bias, -256);
  EXPECT_TRUE(texture.depth && !texture.normalized && !texture.four_pairs && !texture.array);
  EXPECT_EQ(problem(*launch), "");
}

TEST(TextureFiles, Pictures) {
  auto launch = with_texture(R"({"png":"small.png","mips":"generate"})");
  ASSERT_TRUE(launch) << to_string(launch.error());
  const Texture& texture = launch->textures[0].texture;
  EXPECT_EQ(texture.width, 3u);
  EXPECT_EQ(texture.height, 2u);
  EXPECT_EQ(texture.levels, 2u);
  const auto* bytes = static_cast<const unsigned char*>(texture.data);
  EXPECT_EQ(texture.size, 4u * (6 + 1));
  EXPECT_EQ(bytes[4], 40);
  // Red 0, 40, 120 and 160.
  EXPECT_EQ(bytes[24], (0 + 40 + 120 + 160 + 2) / 4);
  launch = with_texture(R"({"png":"small.png","flip":true,"srgb":true})");
  ASSERT_TRUE(launch);
  EXPECT_EQ(static_cast<const unsigned char*>(launch->textures[0].texture.data)[0], 120);
  EXPECT_TRUE(launch->textures[0].texture.format.srgb);
  // Along the curve: black and white mix to 188; alpha does not.
  const Image two{2, 1, {0, 0, 0, 0, 255, 255, 255, 255}};
  const auto levels = picture_levels(two, true, 2);
  EXPECT_EQ(std::to_integer<int>(levels[8]), 188);
  EXPECT_EQ(std::to_integer<int>(levels[11]), 128);
}

TEST(TextureFiles, BadPictures) {
  EXPECT_NE(problem(with_texture(R"({"png":"cut.png"})")).find("t.json, textures.4.png"), std::string::npos);
  EXPECT_EQ(problem(with_texture(R"({"png":"bomb.png"})")),
            "t.json, textures.4.png: bomb.png: the picture has 16000 x 16000 pixels: too many");
  EXPECT_EQ(problem(with_texture(R"({"png":"wide.png"})")),
            "t.json, textures.4.png: wide.png: the picture has 16385 x 1 pixels: too many");
  EXPECT_NE(problem(with_texture(R"({"png":"memory.bin"})")).find("not a PNG"), std::string::npos);
}

TEST(TextureFiles, Samplers) {
  const auto launch = with_textures(
      R"("samplers":{"0":{"wrap":"mirror","magnify":"linear","minify":"linear","mip":"nearest","compare":"greater",
         "decode-srgb":false,"seamless":true,"lod-bias":0.25,"min-lod":1,"max-lod":4,"border":[1,0,0,"0x3f000000"],
         "srgb-border":[0,1,0]},
         "127":{"wrap":["repeat","clamp-to-border"]},"5":{"tsc":["0x26000","0x62","0xf00000",0,0,0,0,0]}})");
  ASSERT_TRUE(launch) << to_string(launch.error());
  ASSERT_EQ(launch->samplers.size(), 3u);
  const Sampler& first = launch->samplers[0].sampler;
  EXPECT_EQ(first.wrap, (std::array{Wrap::mirror, Wrap::mirror, Wrap::mirror}));
  EXPECT_TRUE(first.compare && first.seamless && !first.decode_srgb);
  EXPECT_EQ(first.compare_op, Compare::greater);
  EXPECT_EQ(first.lod_bias, 64);
  EXPECT_EQ(first.max_lod, 1024);
  EXPECT_EQ(first.border[3], 0x3f000000u);
  EXPECT_EQ((*first.srgb_border)[1], 0x3f800000u);
  EXPECT_EQ(launch->samplers[1].slot, 127u);
  EXPECT_EQ(launch->samplers[1].sampler.wrap[1], Wrap::clamp_to_border);
  EXPECT_EQ(launch->samplers[2].sampler.magnify, Filter::linear);
  EXPECT_EQ(problem(*launch), "");
}

TEST(TextureFiles, BadFields) {
  const std::pair<const char*, const char*> textures[] = {
      {R"({"file":"memory.bin","size":[4]})", "t.json, textures.4: key 'format' is missing"},
      {R"({"file":"memory.bin","format":"rgba9","size":[4]})",
       "t.json, textures.4.format: 'rgba9' is no format of textures: one of "},
      {R"({"format":"rgba8","size":[4]})", "t.json, textures.4: must have either 'file' or 'data'"},
      {R"({"file":"none.bin","format":"rgba8","size":[4]})", "t.json, textures.4.file"},
      {R"({"file":"memory.bin","format":"rgba8","size":[0]})", "t.json, textures.4: width is 0"},
      {R"({"file":"memory.bin","format":"rgba8","size":[4,4,4,4]})", "t.json, textures.4.size"},
      {R"({"file":"memory.bin","format":"rgba8","size":[33,32]})",
       "t.json, textures.4: data has 4096 bytes; the levels and layers end at byte 4224"},
      {R"({"file":"memory.bin","format":"rgba8","size":[4],"offset":4097})",
       "t.json, textures.4.offset: is "},
      {R"({"file":"memory.bin","format":"rgba8","size":[4],"layout":"tiled"})", "t.json, textures.4.layout"},
      {R"({"file":"memory.bin","format":"rgba8","size":[4],"swizzle":"rgbx"})", "t.json, textures.4.swizzle"},
      {R"({"file":"memory.bin","format":"rgba8","size":[4],"lod-bias":1e9})", "t.json, textures.4.lod-bias"},
      {R"({"file":"memory.bin","format":"rgba8","size":[4],"colour":1})", "t.json, textures.4.colour"},
      {R"({"tic":[1,2,3],"file":"memory.bin"})", "t.json, textures.4.tic: must have 8 words, but has 3"},
      {R"({"tic":[0,0,0,0,0,0,0,0],"file":"memory.bin"})", "t.json, textures.4.tic"},
  };
  for (const auto& [text, wanted] : textures) {
    const std::string found = problem(with_texture(text));
    EXPECT_EQ(found.substr(0, std::string(wanted).size()), wanted) << text;
  }
  const std::pair<const char*, const char*> others[] = {
      {R"("textures":{"128":{}})", "t.json, textures.128: is no number from 0 to 127"},
      {R"("textures":{"01":{}})", "t.json, textures.01: is no number from 0 to 127"},
      {R"("textures":[])", "t.json, textures"},
      {R"("samplers":{"0":{"mip":"cubic"}})",
       "t.json, samplers.0.mip: 'cubic' is none of none, nearest, linear"},
      {R"("samplers":{"0":{"border":[1]}})", "t.json, samplers.0.border: must have 4 numbers, but has 1"},
      {R"("samplers":{"0":{"tsc":[0,0,0,0,0,0,0,0]}})", "t.json, samplers.0.tsc"},
  };
  for (const auto& [text, wanted] : others) {
    const std::string found = problem(with_textures(text));
    EXPECT_EQ(found.substr(0, std::string(wanted).size()), wanted) << text;
  }
}

}  // namespace
}  // namespace warpjit::tool
