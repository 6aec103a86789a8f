// Descriptors of textures and samplers in the terms that all GPUs share.
#include <cstring>

#include "device/valhall/pixel_format.h"
#include "device/valhall/textures.h"
#include "textures/view.h"
#include "valhall/page_change.h"

namespace warpjit::valhall {
namespace {

using namespace in_draw;

// A 2D texture of 20 x 9 RGBA8 in two levels, u-interleaved.
void set_texture(ImagePage& page) {
  page.u32(kTexture, 2 | 2 << 4 | (187U << 12) << 10);
  page.u32(kTexture + 4, 8 << 16 | 19);
  page.u32(kTexture + 8, 1672 | 1 << 12 | 1 << 16);
  page.u32(kTexture + 12, 256 << 16);
  page.point(kTexture + 16, kPlanes);
  for (std::uint32_t n = 0; n < 2; ++n) {
    page.u32(kPlanes + 32 * n, 10 | 1 << 4 | 1 << 8 | 2 << 24);
    page.u32(kPlanes + 32 * n + 4, 2048);
    page.point(kPlanes + 32 * n + 8, kTextureMemory + 2048 * n);
    page.u32(kPlanes + 32 * n + 16, n == 0 ? 2048 : 1024);
  }
  set_table(page, kFragmentTables + 64, kTexture, 1);
}
Result<BoundTexture> texture_of(const PageChange& change, const TargetMemory& memory = {}) {
  ImagePage page = draw_page();
  set_texture(page);
  change(page);
  static std::vector<std::unique_ptr<Image>> kept;  // whose memory the textures are
  kept.push_back(std::make_unique<Image>(std::move(*page.image())));
  const Image& image = *kept.back();
  WARPJIT_TRY(const Job job, read_job(image, page.address(kVertexJob)));
  WARPJIT_TRY(const DrawDescriptor draw, read_draw(image, job));
  WARPJIT_TRY(const auto texture, read_texture(image, draw.fragment, 4, 0));
  if (!texture) return Error{ErrorCode::bad_input, "the table has no texture", ""};
  return convert_texture(image, *texture, true, memory);
}
std::string bad_texture(const PageChange& change) {
  const auto texture = texture_of(change);
  return texture ? "is converted" : std::string(name(texture.error().code)) + ", " + texture.error().message;
}

TEST(ValhallDrawState, Texture) {
  auto bound = texture_of([](ImagePage&) {});
  ASSERT_TRUE(bound.ok()) << to_string(bound.error());
  const Texture& t = bound->texture;
  EXPECT_EQ(t.dimension, TextureDimension::d2);
  EXPECT_FALSE(t.array);
  EXPECT_EQ(name(t.format), "rgba8");
  EXPECT_EQ(t.layout, TextureLayout::u_interleaved);
  EXPECT_EQ(t.width, 20U);
  EXPECT_EQ(t.height, 9U);
  EXPECT_EQ(t.levels, 2U);
  ASSERT_EQ(t.level_places.size(), 2U);
  EXPECT_EQ(t.level_places[1].offset, 2048U);
  EXPECT_TRUE(bound->copy.empty());
  EXPECT_EQ(t.size, 3072U);
  const auto view = textures::make_view(t, "texture");
  EXPECT_TRUE(view.ok()) << to_string(view.error());
  // Levels the other way round.
  bound = texture_of([](ImagePage& page) {
    page.point(kPlanes + 8, kTextureMemory + 2048);
    page.point(kPlanes + 40, kTextureMemory);
  });
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(bound->texture.level_places[0].offset, 2048U);
  EXPECT_EQ(bound->texture.level_places[1].offset, 0U);
  EXPECT_TRUE(textures::make_view(bound->texture, "texture").ok());
}

// Two layers, which lie at any distance, or are copied.
TEST(ValhallDrawState, Layers) {
  const auto layers = [](std::uint32_t second, std::uint32_t level) {
    return texture_of([=](ImagePage& page) {
      page.u32(kTexture + 24, 1);
      for (std::uint32_t n = 2; n < 4; ++n) {
        for (std::uint32_t k = 0; k < 32; k += 4)
          page.u32(kPlanes + 32 * n + k, static_cast<std::uint32_t>(page.get(kPlanes + 32 * (n - 2) + k, 4)));
        page.point(kPlanes + 32 * n + 8, n == 2 ? second : level);
      }
      page.u32(kTextureMemory, 0x11111111);
      page.u32(kTextureMemory + 2048, 0x22222222);
      page.u32(second, 0x33333333);
      page.u32(level, 0x44444444);
    });
  };
  const auto texel = [](const textures::TextureView& view, std::uint32_t level, std::uint32_t layer) {
    std::uint32_t word = 0;
    std::memcpy(&word, view.base + view.texel_offset(level, layer, 0, 0, 0), 4);
    return word;
  };
  for (const bool copied : {false, true}) {
    const std::uint32_t second = kTextureMemory + 4096;
    const auto bound = layers(second, second + (copied ? 2064 : 2048));
    ASSERT_TRUE(bound.ok()) << to_string(bound.error());
    EXPECT_TRUE(bound->texture.array);
    EXPECT_EQ(bound->texture.layers, 2U);
    EXPECT_EQ(bound->copy.empty(), !copied);
    const auto view = textures::make_view(bound->texture, "texture");
    ASSERT_TRUE(view.ok()) << to_string(view.error());
    EXPECT_EQ(texel(*view, 0, 0), 0x11111111U);
    EXPECT_EQ(texel(*view, 1, 0), 0x22222222U);
    EXPECT_EQ(texel(*view, 0, 1), 0x33333333U);
    EXPECT_EQ(texel(*view, 1, 1), 0x44444444U);
  }
}

TEST(ValhallDrawState, TexelLayouts) {
  using enum TexelSource;
  const auto channels = [](std::uint32_t format, std::uint8_t clump) {
    const auto layout = find_texel_layout(format, clump);
    EXPECT_TRUE(layout) << std::hex << format;
    return layout ? layout->channels : std::array<TexelSource, 4>{};
  };
  using Channels = std::array<TexelSource, 4>;
  EXPECT_EQ(channels(187 << 12, 2), (Channels{red, green, blue, alpha}));
  EXPECT_EQ(channels(187 << 12 | 4, 2), (Channels{blue, green, red, alpha}));
  EXPECT_EQ(channels(187 << 12 | 8, 2), (Channels{green, blue, alpha, red}));
  EXPECT_EQ(channels(187 << 12 | 28, 2), (Channels{alpha, blue, green, one}));
  EXPECT_EQ(channels(187 << 12 | 16, 2), (Channels{red, green, blue, one}));
  EXPECT_EQ(channels(171 << 12 | 228, 1), (Channels{red, red, red, green}));
  EXPECT_EQ(channels(163 << 12 | 229, 0), (Channels{zero, zero, zero, red}));
  EXPECT_EQ(channels(163 << 12, 0), (Channels{red, zero, zero, one}));
  EXPECT_EQ(channels(131 << 12, 0), (Channels{red, zero, zero, integer_one}));
  EXPECT_EQ(channels(93 << 12 | 2, 22), (Channels{green, zero, zero, integer_one}));
  // sRGB wants red, green, blue in front.
  const auto srgb = find_texel_layout(1 << 20 | 187 << 12 | 8, 2);
  ASSERT_TRUE(srgb);
  EXPECT_TRUE(srgb->format.srgb);
  EXPECT_EQ(srgb->channels, (Channels{red, green, blue, alpha}));
  EXPECT_EQ(srgb->format.components[0], (TexelComponent{TexelType::unorm, 8, 8}));
  EXPECT_EQ(srgb->format.components[3], (TexelComponent{TexelType::unorm, 0, 8}));

  const auto named = [](std::uint32_t code, std::uint8_t clump) {
    const auto layout = find_texel_layout(code << 12, clump);
    return layout ? std::string(name(layout->format).value_or("unnamed")) : std::string("none");
  };
  struct Row {
    std::uint32_t code;
    std::uint8_t clump;
    const char* name;
  };
  const Row rows[] = {{163, 0, "r8"},        {99, 0, "r8-snorm"},
                      {195, 0, "r8i"},       {171, 1, "rg8"},
                      {179, 8, "rgb8"},      {155, 2, "rgba8ui"},
                      {164, 1, "r16"},       {199, 1, "r16f"},
                      {215, 9, "rgb16f"},    {223, 3, "rgba16f"},
                      {188, 3, "rgba16"},    {133, 2, "r32ui"},
                      {183, 10, "rgb32f"},   {191, 4, "rgba32f"},
                      {221, 4, "rgba32i"},   {64, 1, "rgb565"},
                      {65, 1, "rgb5a1"},     {186, 1, "rgba4"},
                      {67, 2, "rgb10a2"},    {71, 2, "rgb10a2ui"},
                      {89, 2, "r11g11b10f"}, {91, 2, "rgb9e5"},
                      {75, 1, "r16"},        {77, 2, "d24"},
                      {66, 1, "unnamed"},    {78, 2, "unnamed"},
                      {187, 32, "etc2"},     {187, 37, "etc2-a8"},
                      {187, 48, "bc1"},      {187, 50, "bc3"},
                      {165, 2, "none"},      {187, 1, "none"},
                      {164, 33, "eac-r11"},  {100, 34, "eac-r11-snorm"},
                      {172, 35, "eac-rg11"}, {108, 36, "eac-rg11-snorm"},
                      {187, 39, "none"},     {94, 2, "none"},
                      {237, 2, "none"}};
  for (const Row& row : rows) EXPECT_EQ(named(row.code, row.clump), row.name) << row.code;
  const auto stencil = find_texel_layout(93 << 12, 20);
  ASSERT_TRUE(stencil);
  EXPECT_EQ(stencil->format.bytes, 4);
  EXPECT_EQ(stencil->format.components[1], (TexelComponent{TexelType::uint, 24, 8}));
  EXPECT_FALSE(find_texel_layout(187 << 12 | 1 << 21, 2));
  EXPECT_FALSE(find_texel_layout(187 << 12 | 5, 2));
  EXPECT_EQ(name(find_astc_layout(187 << 12, 8, 5)->format), "astc-8x5");
  EXPECT_EQ(name(find_astc_layout(1 << 20 | 187 << 12, 12, 12)->format), "astc-12x12-srgb");
  EXPECT_FALSE(find_astc_layout(187 << 12, 4, 12));
}

TEST(ValhallDrawState, TexturesRefused) {
  const std::string place =
      "malloc vertex job at 0x200001000, draw, fragment environment, table 4, descriptor 0";
  EXPECT_EQ(bad_texture(word(kTexture + 12, 3 << 13)),
            "not supported, " + place + ": sample count is 8 of a texture that is not plain 2D");
  EXPECT_EQ(bad_texture(word(kTexture + 8, 1672 | 1 << 16 | 1 << 24)),
            "not supported, " + place + ": minimum level is 1");
  EXPECT_EQ(bad_texture(word(kTexture + 8, 7 | 1 << 16)), "bad input, " + place + ": swizzle: there is no 7");
  EXPECT_EQ(bad_texture(word(kTexture + 8, 1672 | 15 << 16)),
            "resource limit, " + place + ": levels: 16 are more than 15");
  EXPECT_EQ(bad_texture(word(kTexture + 24, 0xffff)),
            "resource limit, " + place + ": array size: 65536 is more than 16384");
  EXPECT_EQ(bad_texture(word(kTexture, 2 | 2 << 4 | (94U << 12) << 10)),
            "not supported, " + place + ": format 0x5e000 (snap4) with clump format 2 (raw32)");
  EXPECT_EQ(bad_texture(word(kPlanes, 10 | 6 << 4 | 1 << 8)),
            "not supported, " + place +
                ": plane 0: plane type is 6 (AFBC), and no target of the capture was drawn at 0x200005000: "
                "record with PAN_MESA_DEBUG=noafbc");
  EXPECT_EQ(bad_texture(word(kPlanes, 10 | 8 << 4 | 1 << 8)),
            "not supported, " + place + ": plane 0: plane type is 8 (chroma of two planes)");
  EXPECT_EQ(bad_texture(word(kPlanes, 10 | 1 << 4 | 3 << 8 | 2 << 24)),
            "bad input, " + place + ": plane 0: clump ordering: there is no 3");
  EXPECT_EQ(bad_texture(word(kPlanes + 32, 10 | 1 << 4 | 2 << 8 | 2 << 24)),
            "not supported, " + place + ": plane 1: type, ordering or clump format is not that of plane 0");
  // Its planes are itself, another descriptor, or nowhere.
  EXPECT_EQ(bad_texture([](ImagePage& page) { page.point(kTexture + 16, kTexture); }),
            "bad input, " + place + ", plane 0: type is 2, not 10");
  EXPECT_EQ(bad_texture([](ImagePage& page) { page.point(kTexture + 16, kBytes - 32); }),
            "bad input, " + place + ", plane 0: type is 0, not 10");
  EXPECT_EQ(bad_texture([](ImagePage& page) { page.u64(kTexture + 16, ~std::uint64_t{0} - 15); }),
            "bad input, " + place + ", plane 0: its 32 bytes at 0xfffffffffffffff0 are outside of the image");
  EXPECT_EQ(bad_texture([](ImagePage& page) { page.point(kPlanes + 40, kBytes - 1023); }),
            "bad input, " + place + ": plane 1: 1024 bytes at 0x200008c01 are not all in the image");
  EXPECT_EQ(bad_texture([](ImagePage& page) {
              page.u32(kTexture + 4, 16 << 16 | 19);
              page.u32(kPlanes + 16, 2047);
            }),
            "bad input, " + place + ": plane 0: row stride 2047 is below the 2048 bytes of a row");
  EXPECT_EQ(
      bad_texture([](ImagePage& page) {
        page.u32(kTexture + 4, 0xffff << 16 | 19);
        page.u32(kPlanes + 16, ~0U);
      }),
      "bad input, " + place + ": plane 0: 17587891075073 bytes at 0x200005000 are not all in the image");
  const TargetRange range{.place = "the target", .address = 0x200005bff, .size = 1, .stored = false};
  const auto overlapping = texture_of([](ImagePage&) {}, {.targets = {&range, 1}});
  ASSERT_FALSE(overlapping.ok());
  EXPECT_EQ(overlapping.error().message, place + ": plane 1: its memory is that of the target");
}

TEST(ValhallDrawState, Sampler) {
  const Image image = std::move(*draw_page().image());
  SamplerDescriptor d{.place = "sampler", .wrap = {8, 12, 15}, .keep_srgb = true, .mip = 3, .compare = 6};
  d.bias = -257;
  d.minimum_lod = 5;
  d.maximum_lod = 0x1fff;
  d.border = {1, 2, 3, 4};
  d.magnify_nearest = true;
  auto sampler = convert_sampler(image, d);
  ASSERT_TRUE(sampler.ok()) << to_string(sampler.error());
  EXPECT_EQ(sampler->wrap, (std::array<Wrap, 3>{Wrap::repeat, Wrap::mirror, Wrap::mirror_once_to_border}));
  EXPECT_EQ(sampler->magnify, Filter::nearest);
  EXPECT_EQ(sampler->minify, Filter::linear);
  EXPECT_EQ(sampler->mip, MipFilter::linear);
  EXPECT_FALSE(sampler->decode_srgb);
  EXPECT_EQ(sampler->lod_bias, -257);
  EXPECT_EQ(sampler->min_lod, 5);
  EXPECT_EQ(sampler->max_lod, 0x1fff);
  EXPECT_EQ(sampler->border, d.border);
  // texel >= reference is reference <= texel.
  const Compare wanted[] = {Compare::never, Compare::greater,   Compare::equal,      Compare::greater_equal,
                            Compare::less,  Compare::not_equal, Compare::less_equal, Compare::always};
  for (std::uint8_t k = 0; k < 8; ++k) {
    d.compare = k;
    sampler = convert_sampler(image, d);
    EXPECT_EQ(sampler->compare, k != 0);
    EXPECT_EQ(sampler->compare_op, wanted[k]);
  }
  d.magnify_cutoff = true;
  EXPECT_EQ(convert_sampler(image, d).error().message, "sampler: magnify cutoff is set");
  d.minify_nearest = true;
  EXPECT_TRUE(convert_sampler(image, d).ok());
  d.mip = 2;
  EXPECT_EQ(convert_sampler(image, d).error().message, "sampler: mipmap mode: there is no 2");
  d.wrap[1] = 10;
  EXPECT_EQ(convert_sampler(image, d).error().message, "sampler: wrap mode T: there is no 10");
}

}  // namespace
}  // namespace warpjit::valhall
