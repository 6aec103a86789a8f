// Draws of images made by hand: blending, blend shaders and what targets store.
#include <functional>

#include "base/random.h"
#include "support/share.h"
#include "valhall/draw_everywhere.h"

namespace warpjit::valhall {
namespace {

using namespace in_draw;

// Source plus target, twice.
TEST(ValhallDraw, BlendAndOrder) {
  ImagePage page = draw_page();
  put_floats(page, kUniforms, {32 / 255.F, 0, 0, 0});
  page.u32(kBlend + 4, 0xfU << 28 | 0x911 << 12 | 0x911);  // 0 + (source + target) * (1 - 0)
  page.u32(kBlend + 8, 2 | 3 << 3);
  page.u32(kVertexJob + 44, 6);
  for (std::uint32_t k = 0; k < 12; ++k)
    page.u32(kVertices + 48 + 4 * k, static_cast<std::uint32_t>(page.get(kVertices + 4 * k, 4)));
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok());
  EXPECT_EQ(ran.seen.pictures.at(0).at(3, 3), kClear + 64U);
}

// The greater of source and target, component by component, by a blend shader; then control comes back, or
// the program ends.
constexpr std::uint32_t kBlendShader = 0x1800;
constexpr const char* kGreater =
    ".stage fragment\n"
    "IADD_IMM.i32 r4, 0x0, #0xFF000000\n"
    "LD_TILE.slot0.v4.f32.wait0 @r8:r9:r10:r11, r4, r60, r5\n"
    "FMAX.f32 r0, r0, r8\n"
    "FMAX.f32 r1, r1, r9\n"
    "FMAX.f32 r2, r2, r10\n"
    "FMAX.f32 r3, r3, r11\n"
    "IADD_IMM.i32 r6, 0x0, #0x19\n"
    "IADD_IMM.i32 r7, 0x0, #0x10ED000\n"
    "BLEND.slot0.v4.f32 @r0:r1:r2:r3, r6, r60, target:0x0\n"
    "BRANCHZI.absolute r48, r48\n"
    "NOP.end\n";
ImagePage blend_shader_page(const std::string& link, const std::string& after) {
  ImagePage page = draw_page();
  page.u32(kFragmentEnvironment + 4, 3);
  page.point(kUniforms + 16, kIndices);
  page.code(kFragmentCode,
            ".stage fragment\n"
            "MOV.i32 r0, u0\n"
            "MOV.i32 r1, u1\n"
            "MOV.i32 r2, u2\n"
            "MOV.i32 r3, u3\n"
            "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x2\n"
            "IADD_IMM.i32 r48, " +
                link + "\nBRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\n" + after);
  page.code(kBlendShader, kGreater);
  page.u32(kBlend + 4, 0);
  page.u32(kBlend + 8, 0);
  page.u32(kBlend + 12, static_cast<std::uint32_t>(page.address(kBlendShader)));
  return page;
}
TEST(ValhallDraw, BlendShader) {
  const ImagePage page = blend_shader_page("0x0, #0x0", "");
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok());
  EXPECT_EQ(ran.seen.pictures.at(0).at(3, 3), 0xff8002ffU);
  EXPECT_EQ(ran.seen.pictures.at(0).at(31, 31), kClear);
  EXPECT_EQ(ran.seen.draws[0].targets, 1);
}

// Raw targets of several formats: u0 to u3 as numbers, as integers of those bits, and in the pixels' memory.
TEST(ValhallDraw, RawTargets) {
  struct Row {
    std::uint32_t code, tile, stored;
    const char* type;
    std::uint64_t pixel;
  };
  const Row rows[] = {
      {89 << 12 | 16, 34, 3, "f32", 0x3c0U | 0x1c0U << 22},
      {220 << 12, 35, 5, "s32", 0x7fff'7fff'0000'7fff},
      {156 << 12, 35, 5, "u32", 0xffff'ffff'0000'ffff},
      {188 << 12, 35, 5, "f32", 0xffff'8000'0000'ffff},
      {124 << 12, 35, 5, "f32", 0x7fff'4000'0000'7fff},
      {141 << 12 | 16, 35, 5, "u32", 0x3f800000},
      {71 << 12, 34, 3, "u32", 0xfff003ff},
      {123 << 12, 34, 3, "f32", 0x7f40007f},
      {207 << 12 | 16, 34, 3, "f32", 0x3c00},
      {171 << 12 | 16, 33, 1, "f32", 0x00ff},
      {131 << 12 | 16, 32, 0, "u32", 0xff},
      {99 << 12 | 16, 32, 0, "f32", 0x7f},
  };
  for (const Row& row : rows) {
    ImagePage page = draw_page();
    const std::uint32_t bytes = 1U << (row.tile - 32);
    page.code(kFragmentCode,
              std::string(".stage fragment\nMOV.i32 r0, u0\nMOV.i32 r1, u1\nMOV.i32 r2, u2\nMOV.i32 r3, u3\n"
                          "BLEND.slot0.v4.") +
                  row.type + ".end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n");
    page.u32(kBlend + 12, row.code | 1 << 24);
    page.u32(kTargets, row.tile << 26);
    page.u32(kTargets + 4, 1U | row.stored << 3 | 2 << 8 | 1672U << 16 | 1U << 31);
    page.u32(kTargets + 40, bytes * kExtent);
    const RanPage ran = draw_everywhere(page);
    ASSERT_TRUE(ran.status.ok()) << row.code << ' ' << to_string(ran.status.error());
    const auto& picture = ran.seen.pictures.at(0);
    EXPECT_EQ(picture.pixel_bytes, bytes);
    EXPECT_EQ(picture.at(3, 3), row.pixel) << std::hex << picture.at(3, 3) << std::dec << ' ' << row.code;
    const std::uint32_t offset = kTargetMemory + 3 * bytes * (kExtent + 1),
                        word = ran.word(page.address(offset & ~3U));
    const std::uint32_t above = bytes < 4 ? 32 - 8 * bytes : 0;
    EXPECT_EQ(word >> 8 * (offset & 3) << above, static_cast<std::uint32_t>(row.pixel) << above) << row.code;
  }
}

// Pictures have what memory has: channels that are not stored are 0, alpha 1.
TEST(ValhallDraw, ChannelsThatAreNotStored) {
  const auto pixel = [](std::uint32_t stored, std::uint32_t swizzle) {
    ImagePage page = draw_page();
    put_floats(page, kUniforms, {0.2F, 0.4F, 0.6F, 0.8F});
    page.u32(kTargets + 4, 1U | stored << 3 | 2 << 8 | swizzle << 16 | 1U << 31);
    const RanPage ran = draw_everywhere(page);
    EXPECT_TRUE(ran.status.ok());
    return ran.seen.pictures.at(0).at(3, 3);
  };
  EXPECT_EQ(pixel(19, 03210), 0xcc996633U);
  EXPECT_EQ(pixel(16, 03210), 0xff000033U);
  EXPECT_EQ(pixel(17, 03210), 0xff006633U);
  EXPECT_EQ(pixel(18, 03210), 0xff996633U);
  EXPECT_EQ(pixel(19, 05012), 0xff996633U);  // blue lowest, alpha always 1
  EXPECT_EQ(pixel(16, 03213), 0xcc000000U);  // alpha alone
}

// A blend shader reads and writes a target of floats without signs.
TEST(ValhallDraw, BlendShaderOfSmallFloats) {
  ImagePage page = blend_shader_page("0x0, #0x0", "");
  std::string source = kGreater;
  const std::string word = "#0x10ED000";
  source.replace(source.find(word), word.size(), "#0x1059010");
  page.code(kBlendShader, source);
  page.u32(kTargets, 34 << 26);
  page.u32(kTargets + 4, 1U | 3 << 3 | 2 << 8 | 1672U << 16 | 1U << 31);
  // 0.25, 2, 0.75
  const std::uint32_t clear = 0x340U | 0x400U << 11 | 0x1d0U << 22;
  for (std::uint32_t k = 0; k < 4; ++k) page.u32(kTargets + 48 + 4 * k, clear);
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
  EXPECT_EQ(ran.seen.pictures.at(0).format, PixelFormat::r11g11b10f);
  EXPECT_EQ(ran.seen.pictures.at(0).at(3, 3), 0x3c0U | 0x400U << 11 | 0x1d0U << 22);
  EXPECT_EQ(ran.seen.pictures.at(0).at(31, 31), clear);
}

// The same, stored by an ST_TILE.
std::string with_tile_store() {
  std::string source = kGreater;
  const std::string blend = "BLEND.slot0.v4.f32 @r0:r1:r2:r3, r6, r60, target:0x0";
  source.replace(source.find(blend), blend.size(), "ST_TILE.slot0.v4.f32 @r0:r1:r2:r3, r4, r60, r7");
  return source;
}
TEST(ValhallDraw, BlendShaderThatStoresTheTile) {
  ImagePage page = blend_shader_page("0x0, #0x0", "");
  page.code(kBlendShader, with_tile_store());
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok());
  EXPECT_EQ(ran.seen.pictures.at(0).at(3, 3), 0xff8002ffU);
  EXPECT_EQ(ran.seen.pictures.at(0).at(31, 31), kClear);
}

TEST(ValhallDraw, BlendShaderThatReturns) {
  const ImagePage page = blend_shader_page("program_counter.w0, #0x8",
                                           "IADD_IMM.i32 r20, 0x0, #0x1234\n"
                                           "STORE.i32.slot0.end @r20, u4, offset:0\n");
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok());
  EXPECT_EQ(ran.seen.pictures.at(0).at(3, 3), 0xff8002ffU);
  EXPECT_EQ(ran.word(page.address(kIndices)), 0x1234U);
}

// Targets that the draw's mask leaves out stay as they are.
TEST(ValhallDraw, BlendShaderOfMaskedTarget) {
  ImagePage page = blend_shader_page("0x0, #0x0", "");
  page.u32(kDraw + 4, 0xffff);
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok());
  EXPECT_EQ(covered(ran), 0U);
}

TEST(ValhallDraw, BlendShadersRefused) {
  const auto failure = [](const std::function<void(ImagePage&)>& change, const char* link = "0x0, #0x0") {
    ImagePage page = blend_shader_page(link, "");
    change(page);
    const RanPage ran = run_page(page, true);
    if (ran.status) return std::string("runs");
    EXPECT_EQ(ran.word(page.address(kTargetMemory)), 0U);
    const std::string place = "draw 0: malloc vertex job at 0x200001000, draw, blend 0 at 0x200001720: ";
    const std::string text = ran.status.error().message;
    return text.starts_with(place) ? text.substr(place.size()) : text;
  };
  const auto changed = [](std::string source, const std::string& from, const char* to) {
    source.replace(source.find(from), from.size(), to);
    return [source](ImagePage& page) { page.code(kBlendShader, source); };
  };
  const auto shader = [&](const char* from, const char* to) { return changed(kGreater, from, to); };
  const auto stores = [&](const char* from, const char* to) { return changed(with_tile_store(), from, to); };
  EXPECT_EQ(failure(stores("#0xFF000000", "#0xFF000100")), "target is 1 of 1");
  EXPECT_EQ(failure(stores("#0x10ED000", "#0x10EE000")),
            "format 0xee000 (tile rgb10a2) is not that of fragment job at 0x200001180, framebuffer "
            "0x200001400, target 0, "
            "internal format 1 (rgba8)");
  EXPECT_EQ(failure(stores("r60, r7", "r60, r0")),
            "shader, ST_TILE at 0x200002840: its target or its format is no constant");
  EXPECT_NE(failure([](ImagePage& p) {
              p.code(kFragmentCode, ".stage fragment\nST_TILE.f32.slot0 @r0, r1, r60, r2\nNOP.end\n");
            }).find("fragment program: ST_TILE at 0x200002400, outside of a blend shader"),
            std::string::npos);
  EXPECT_EQ(failure([](ImagePage& p) {
              p.code(kFragmentCode, kUniformColor);
              p.u64(kFragmentCode + 40, 0);
              p.u64(kFragmentCode + 48, 0);
            }),
            "mode is 0, a blend shader, and the program does not call it after its BLEND");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kBlend + 12, 0xfffffff0); }),
            "shader address 0x2fffffff0 is outside of the image");
  EXPECT_EQ(failure([](ImagePage&) {}, "0x0, #0x3"), "the call of the blend shader returns to 0x3");
  EXPECT_EQ(failure(shader("#0x19", "#0x1A")), "shader, BLEND at 0x200002840: mode is 2, not 1");
  EXPECT_EQ(failure(shader("#0x19", "#0x10019")), "target is 1 of 1");
  EXPECT_EQ(failure(shader("#0x10ED000", "#0x10EE000")),
            "format 0xee000 (tile rgb10a2) is not that of fragment job at 0x200001180, framebuffer "
            "0x200001400, target 0, "
            "internal format 1 (rgba8)");
  EXPECT_EQ(failure(shader("IADD_IMM.i32 r6, 0x0", "IADD_IMM.i32 r6, r0")),
            "shader, BLEND at 0x200002840: its descriptor is no constant");
  EXPECT_EQ(failure(shader("r48, r48", "r48, r47")),
            "another BRANCHZI than that of r48 at 0x200002848 in the blend shader");
  EXPECT_EQ(failure(shader("r4, 0x0, #0xFF000000", "r4, program_counter.w0, #0x0")),
            "program_counter at 0x200002800 in the blend shader");
  EXPECT_NE(failure(shader("NOP.end", "BRANCHZ.eq 0x0, offset:5000000")), "runs");
}

TEST(ValhallDraw, StencilFromShader) {
  const auto pixel = [](const std::string& reference, std::uint32_t state) {
    ImagePage page = draw_page();
    page.u32(kDraw, 3 << 2);                                // tests come late
    page.u32(kDepthStencil, 7 | 2 << 4 | 2 << 16 | state);  // both faces: equal
    page.u32(kDepthStencil + 4, 0xffffffff);
    page.u32(kDepthStencil + 8, 0x5555);
    page.code(kFragmentCode,
              ".stage fragment\nIADD_IMM.i32 r8, 0x0, #" + reference +
                  "\nZS_EMIT.stencil.slot0 @r60, r0, r8, r60\n"
                  "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n");
    const RanPage ran = run_page(page, true);
    if (!ran.status) return ran.status.error().message;
    return hex_text(ran.seen.pictures.at(0).at(0, 0));
  };
  constexpr std::uint32_t kTest = 1U << 31, kFromShader = 1U << 30;
  EXPECT_EQ(pixel("0x100", kTest | kFromShader), "0x0");
  EXPECT_EQ(pixel("0x9", kTest | kFromShader), "0x4030201");
  EXPECT_EQ(pixel("0x9", 0), "0x0");
  EXPECT_NE(pixel("0x9", kTest).find("stencil from shader is not set"), std::string::npos);
}

// Images in which any words of descriptors are others end, with pictures or with an error.
TEST(ValhallDraw, RandomlyChangedDescriptors) {
  Random random(20);
  std::size_t ran_well = 0, refused = 0;
  for (std::uint64_t n = 0; n < share(3000); ++n) {
    ImagePage page = n % 3 == 0 ? blend_shader_page("0x0, #0x0", "") : draw_page();
    if (n % 9 == 0) page.u32(kBlend + 12, static_cast<std::uint32_t>(page.address(random.below(kBytes))));
    for (unsigned k = random.below(3); k < 3; ++k) {
      const auto at = static_cast<std::uint32_t>(random.below(kUniforms / 4) * 4);
      const auto was = static_cast<std::uint32_t>(page.get(at, 4));
      switch (random.below(5)) {
        case 0:
          page.u32(at, static_cast<std::uint32_t>(random.next()));
          break;
        case 1:
          page.u32(at, ~0U);
          break;
        case 2:
          page.point(at & ~7U, static_cast<std::uint32_t>(random.below(kBytes / 32) * 32));
          break;
        default:
          page.u32(at, was ^ 1U << random.below(32));
          break;
      }
    }
    // Little work.
    const auto most = [&](std::uint32_t at, unsigned low, unsigned bits, std::uint32_t limit) {
      return (static_cast<std::uint32_t>(page.get(at, 4)) >> low & ((1ULL << bits) - 1)) <= limit;
    };
    if (!most(kVertexJob + 44, 0, 32, 64) || !most(kVertexJob + 48, 0, 32, 8) ||
        !most(kFramebuffer + 32, 0, 16, 127) || !most(kFramebuffer + 32, 16, 16, 127))
      continue;
    const RanPage ran = run_page(page, true, n % 2 == 0 ? EngineKind::guest : EngineKind::ir);
    ran_well += ran.status.ok();
    if (ran.status) continue;
    ++refused;
    EXPECT_NE(ran.status.error().message, "");
    EXPECT_NE(ran.status.error().code, ErrorCode::internal) << ran.status.error().message;
  }
  EXPECT_GT(ran_well, share(500));
  EXPECT_GT(refused, share(300));
}

}  // namespace
}  // namespace warpjit::valhall
