// Draws of images made by hand, whole: what is drawn where, and what is wrong with others.
#include <functional>

#include "base/random.h"
#include "support/share.h"
#include "valhall/draw_page.h"

namespace warpjit::valhall {
namespace {

using namespace in_draw;

constexpr std::uint32_t kColor = 0xff8000ff;  // u0 to u3 as RGBA8
constexpr std::uint32_t kClear = 0x04030201;
constexpr EngineKind kKinds[] = {EngineKind::guest, EngineKind::ir, EngineKind::jit};

// On all engines, which must agree; the results of the last one.
RanPage draw_everywhere(const ImagePage& page) {
  std::optional<RanPage> first;
  for (const EngineKind kind : kKinds) {
    RanPage ran = run_page(page, true, kind);
    EXPECT_TRUE(ran.status.ok()) << name(kind) << ": " << to_string(ran.status.error());
    if (!ran.status) return ran;
    for (const CaptureDraw& draw : ran.seen.draws)
      if (draw.fragment) {
        EXPECT_EQ(draw.fragment->engine, kind) << draw.fragment->interpreted_because;
      }
    if (!first) {
      first = std::move(ran);
      continue;
    }
    for (const auto& [target, picture] : ran.seen.pictures)
      EXPECT_TRUE(picture.pixels == first->seen.pictures.at(target).pixels)
          << name(kind) << ", target " << target;
  }
  return std::move(*first);
}
std::size_t covered(const RanPage& ran, unsigned target = 0) {
  std::size_t count = 0;
  const auto& picture = ran.seen.pictures.at(target);
  for (std::uint32_t y = 0; y < picture.height; ++y)
    for (std::uint32_t x = 0; x < picture.width; ++x) count += picture.at(x, y) != kClear;
  return count;
}

TEST(ValhallDraw, Triangle) {
  const ImagePage page = draw_page();
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok());
  // Centres below the diagonal; those on it are those of the neighbour.
  for (std::uint32_t y = 0; y < kExtent; ++y)
    for (std::uint32_t x = 0; x < kExtent; ++x) {
      const std::uint32_t wanted = x + y + 1 < kExtent ? kColor : kClear;
      EXPECT_EQ(ran.word(page.address(kTargetMemory + 4 * (kExtent * y + x))), wanted) << x << ", " << y;
    }
  ASSERT_EQ(ran.seen.draws.size(), 1U);
  const CaptureDraw& draw = ran.seen.draws[0];
  EXPECT_EQ(draw.mode, "triangles");
  EXPECT_EQ(draw.vertices, 3U);
  EXPECT_EQ(draw.instances, 1U);
  EXPECT_EQ(draw.targets, 1);
  EXPECT_FALSE(draw.depth);
  EXPECT_TRUE(draw.drawn);
  EXPECT_EQ(draw.job, page.address(kVertexJob));
  EXPECT_EQ(draw.fragment_job, page.address(kFragmentJob));
  EXPECT_EQ(ran.seen.jobs, std::vector<std::string>{"malloc vertex"});
}

TEST(ValhallDraw, Scissor) {
  ImagePage page = draw_page();
  page.u32(kVertexJob + 104, 3 << 16 | 2);
  page.u32(kVertexJob + 108, 4 << 16 | 6);
  EXPECT_EQ(covered(draw_everywhere(page)), 10U);
  page.u32(kVertexJob + 108, 2 << 16 | 6);
  const RanPage none = draw_everywhere(page);
  EXPECT_EQ(covered(none), 0U);
  EXPECT_FALSE(none.seen.draws.at(0).drawn);
}

// Depth alone: there is no fragment program.
TEST(ValhallDraw, DepthAlone) {
  ImagePage page = draw_page();
  page.u64(kFragmentEnvironment + 40, 0);
  page.u32(kDepthStencil + 16, 1U << 23 | 2U << 25 | 1 << 27 | 1U << 29);  // less, written
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok());
  EXPECT_EQ(covered(ran), 0U);
  const auto& depth = ran.seen.pictures.at(CapturePicture::kDepth);
  EXPECT_EQ(depth.at(0, 0), 0x800000U);
  EXPECT_EQ(depth.at(31, 31), 0xffffffU);
  EXPECT_TRUE(ran.seen.draws[0].depth);
}

// Each instance is a column further; all are drawn.
TEST(ValhallDraw, Instances) {
  ImagePage page = draw_page();
  page.u32(kVertexJob + 48, 3);
  put_floats(page, kVertices, {0, 0, 0, 1, 1, 0, 0, 1, 0, 32, 0, 1});
  page.code(kPositionCode,
            ".stage vertex\n"
            "LD_ATTR_IMM.v4.f32.slot0.wait0 @r0:r1:r2:r3, r60, r61, index:0x0, table:0x1\n"
            "U32_TO_F32 r6, r61\n"
            "FADD.f32 r6, r6, r6\n"
            "FADD.f32 r0, r0, r6\n"
            "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
            "STORE.i128.slot2.end @r0:r1:r2:r3, r4, offset:0\n");
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok());
  const auto& picture = ran.seen.pictures.at(0);
  for (std::uint32_t x = 0; x < 8; ++x)
    EXPECT_EQ(picture.at(x, 4), x == 0 || x == 2 || x == 4 ? kColor : kClear) << x;
  EXPECT_EQ(ran.seen.draws[0].instances, 3U);
}

// A quad from indices with a base vertex; then points of sizes that the program gives.
TEST(ValhallDraw, Indices) {
  ImagePage page = draw_page();
  page.u32(kVertexJob + 32, 14 | 1 << 8);
  page.u32(kVertexJob + 36, ~0U);  // base vertex -1
  page.u32(kVertexJob + 44, 4);
  for (std::uint32_t k = 0; k < 4; ++k) page.set(kIndices + k, k + 1, 1);
  put_floats(page, kVertices, {2, 2, 0, 1, 6, 2, 0, 1, 6, 5, 0, 1, 2, 5, 0, 1});
  EXPECT_EQ(covered(draw_everywhere(page)), 12U);
  // An index that is outside of the attribute's buffer reads 0, so that 1/w is 0: nothing is drawn.
  page.set(kIndices, 200, 1);
  EXPECT_EQ(covered(draw_everywhere(page)), 6U);
}

TEST(ValhallDraw, Points) {
  ImagePage page = draw_page();
  page.u32(kVertexJob + 32, 1 | 2 << 11);
  page.u32(kVertexJob + 44, 1);
  put_floats(page, kVertices, {8, 8, 0, 1});
  page.code(kPositionCode,
            ".stage vertex\n"
            "LD_ATTR_IMM.v4.f32.slot0.wait0 @r0:r1:r2:r3, r60, r61, index:0x0, table:0x1\n"
            "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
            "STORE.i128.slot2.wait2 @r0:r1:r2:r3, r4, offset:0\n"
            "IADD_IMM.i32 r8, 0x0, #0x4600\n"  // 6 as f16
            "IADD_IMM.i32 r9, r59, #0x4\n"
            "LEA_BUF_IMM.slot1.wait1 @r6:r7, r9, table:0xD, index:0x0\n"
            "STORE.i16.slot2.end @r8, r6, offset:0\n");
  EXPECT_EQ(covered(draw_everywhere(page)), 36U);
  // Without one, that of the primitive.
  page.u32(kVertexJob + 32, 1);
  put_floats(page, kVertexJob + 112, {3});
  EXPECT_EQ(covered(draw_everywhere(page)), 9U);
}

// The varying program gives two words, which the fragment program reads.
TEST(ValhallDraw, Varyings) {
  ImagePage page = draw_page();
  page.u32(kVertexJob + 32, 8 | 1 << 18);
  page.u32(kVertexJob + 52, 24 | 8 << 16);
  set_draw_environment(page, kVertexJob + 320, kVertexTables, 3, kSampler, 3, kPositionCode + 0x100);
  page.code(kPositionCode + 0x100,
            ".stage vertex\n"
            "LD_ATTR_IMM.v4.f32.slot0.wait0 @r0:r1:r2:r3, r60, r61, index:0x0, table:0x1\n"
            "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
            "STORE.i64.slot2.end @r0:r1, r4, offset:0\n");
  page.code(kFragmentCode,
            ".stage fragment\n"
            "LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store.wait0 @r0:r1, r61, index:0x0\n"
            "FMA.f32 r0, r0, u0, 0x0.neg\n"
            "FMA.f32 r1, r1, u0, 0x0.neg\n"
            "MOV.i32 r2, u1\n"
            "MOV.i32 r3, u1\n"
            "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n");
  put_floats(page, kUniforms, {1 / 255.F, 0});
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok());
  // Pixel centres are halves; ties go to even.
  EXPECT_EQ(ran.seen.pictures.at(0).at(5, 8), 0x00000806U);
  EXPECT_EQ(ran.seen.pictures.at(0).at(20, 3), 0x00000414U);
  EXPECT_TRUE(ran.seen.draws[0].varying);
}

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
ImagePage blend_shader_page(const std::string& link, const std::string& behind) {
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
                link + "\nBRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\n" + behind);
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
            "mode is 0, a blend shader, and the program does not call it behind its BLEND");
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

// Two chains, each with a vertex and a fragment job, use one tiler context, one after the other.
TEST(ValhallDraw, Frames) {
  const ImagePage page = draw_page();
  auto capture = Capture::load(page.records(), "test");
  ASSERT_TRUE(capture.ok());
  EXPECT_EQ(capture->chains().size(), 0U);
  for (unsigned k = 0; k < 2; ++k) {
    ASSERT_TRUE(capture->add_chain({page.address(kVertexJob)}).ok());
    ASSERT_TRUE(capture->add_chain({page.address(kFragmentJob), true}).ok());
  }
  EXPECT_EQ(*capture->count_draws(), 2U);
  SeenCapture seen;
  ASSERT_TRUE(capture->run(Engine(), seen).ok());
  ASSERT_EQ(seen.draws.size(), 2U);
  EXPECT_EQ(seen.draws[1].number, 1U);
  // Without a fragment job nothing is drawn, but seen.
  capture->clear_chains();
  ASSERT_TRUE(capture->add_chain({page.address(kVertexJob)}).ok());
  SeenCapture alone;
  ASSERT_TRUE(capture->run(Engine(), alone).ok());
  ASSERT_EQ(alone.draws.size(), 1U);
  EXPECT_FALSE(alone.draws[0].drawn);
  EXPECT_EQ(alone.draws[0].fragment_job, 0U);
  capture->clear_chains();
  const Status none = capture->run(Engine(), alone);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "the capture names no jobs");
}

// The visitor ends a run: what is behind is neither drawn nor stored.
TEST(ValhallDraw, Ended) {
  struct Ending final : CaptureVisitor {
    bool draw(const CaptureDraw&) override { return false; }
    bool picture(const CapturePicture&) override {
      ADD_FAILURE() << "a picture";
      return true;
    }
  } ending;
  const ImagePage page = draw_page();
  auto capture = Capture::load(page.records(), "test");
  ASSERT_TRUE(capture->add_chain({page.address(kVertexJob)}).ok());
  ASSERT_TRUE(capture->add_chain({page.address(kFragmentJob)}).ok());
  EXPECT_TRUE(capture->run(Engine(), ending).ok());
  std::array<std::byte, 4> word{};
  ASSERT_TRUE(capture->read_memory(page.address(kTargetMemory), word).ok());
  EXPECT_EQ(word[0], std::byte{0});
  EXPECT_FALSE(capture->read_memory(page.address(kBytes), word).ok());
}

TEST(ValhallDraw, WriteValues) {
  struct Row {
    std::uint32_t kind;
    std::uint64_t wanted;
  };
  for (const Row& row :
       {Row{1, 0}, Row{2, 0}, Row{3, 0}, Row{4, 0xffffffffffffff88}, Row{5, 0xffffffffffff7788},
        Row{6, 0xffffffff55667788}, Row{7, 0x1122334455667788}}) {
    ImagePage page = draw_page();
    page.u32(kFragmentJob + 16, 2 << 1);
    page.point(kFragmentJob + 32, kUniforms);
    page.u32(kFragmentJob + 40, row.kind);
    page.u64(kFragmentJob + 48, 0x1122334455667788);
    page.u64(kUniforms, ~std::uint64_t{0});
    const RanPage ran = run_page(page, false);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    EXPECT_EQ(ran.word(page.address(kUniforms), 8), row.wanted) << row.kind;
    page.point(kFragmentJob + 32, kBytes - 1);
    if (row.kind != 4) {
      EXPECT_FALSE(run_page(page, false).status.ok());
    }
  }
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

TEST(ValhallDraw, Refused) {
  const auto failure = [](const std::function<void(ImagePage&)>& change) {
    ImagePage page = draw_page();
    change(page);
    const RanPage ran = run_page(page, true);
    if (ran.status) return std::string("runs");
    EXPECT_EQ(ran.word(page.address(kTargetMemory)), 0U);
    return std::string(name(ran.status.error().code)) + ", " + ran.status.error().message;
  };
  const std::string job = "draw 0: malloc vertex job at 0x200001000";
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFragmentProgram, 7); }),
            "bad input, " + job + ", draw, fragment environment, program 0x2000017e0: type is 7, not 8");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFragmentProgram, 8 | 3 << 4); }),
            "not supported, " + job +
                ", draw, fragment environment: program 0x2000017e0, stage: it is a vertex program, not a "
                "fragment program");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kBlend + 8, 0); }),
            "not supported, " + job +
                ", draw, blend 0 at 0x200001720: mode is 0, a blend shader, and the program does not call it "
                "behind its BLEND");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFramebuffer + 44, 1 << 14); }),
            "bad input, " + job +
                ", draw: first provoking vertex of tiler 0x200001200 is not that of fragment job at "
                "0x200001180, framebuffer 0x200001400");
  EXPECT_EQ(failure([](ImagePage& p) { p.point(kVertexJob + 56, kTiler + 8); }),
            "bad input, " + job + ", tiler 0x200001208: its address is no multiple of 64");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kTiler + 16, 1); }),
            "not supported, " + job + ", tiler 0x200001200: layer count is 2");
  EXPECT_EQ(failure([](ImagePage& p) {
              p.u32(kVertexJob + 32, 8 | 2 << 8);
              p.point(kVertexJob + 120, kBytes - 5);
            }),
            "bad input, " + job + ", indices: 3 at 0x200008ffb are not all in the image");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kVertexJob + 44, 1U << 25); }).substr(0, 9), "bad input");
  // Entries of tables that the program names and that are not there.
  const auto samples = [](ImagePage& p) {
    p.code(kFragmentCode,
           ".stage fragment\n"
           "IADD_IMM.i32 r2, 0x0, #0x20031802\n"
           "MOV.i32 r3, 0x0\n"
           "TEX_SINGLE.slot0.f.32.2d.zero.wait0 @r4:r5:r6:r7, @r0:r1, r2\n"
           "BLEND.slot0.v4.f32.end @r4:r5:r6:r7, blend_descriptor_0.w0, r60, target:0x0\n");
    set_table(p, kFragmentTables + 48, kSampler, 2);
    set_table(p, kFragmentTables + 64, kTexture, 1);
    p.u32(kSampler, 1 | 8 << 8 | 8 << 12 | 8 << 16 | 1 << 25);
  };
  const std::string environment = "bad input, " + job + ", draw, fragment environment, ";
  EXPECT_EQ(failure(samples), environment + "sampler 2: table 3 has 2 descriptors, no 2");
  EXPECT_EQ(failure([&](ImagePage& p) {
              samples(p);
              const std::uint64_t word = p.get(kFragmentCode, 8);
              p.u64(kFragmentCode, word & ~(std::uint64_t{2} << 8));
            }),
            environment + "texture 3: table 4 has 1 descriptor, no 3");
  // A chain that comes back.
  EXPECT_EQ(failure([](ImagePage& p) { p.point(kVertexJob + 24, kVertexJob); }).substr(0, 9), "bad input");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFragmentJob + 16, 7 << 1); }).substr(0, 13), "not supported");
}

// Of all texels that are drawn, image 0 (linear) gets the fragment's column and row; image 1, one row of
// tiles, is read where the row is 0.
ImagePage image_page() {
  ImagePage page = draw_page();
  page.code(kFragmentCode,
            ".stage fragment\n"
            "LEA_TEX_IMM.slot0.wait0 @r4:r5:r6, r59, 0x0, table:0x5, index:0x0\n"
            "ST_CVT.u32.slot0.wait0 @r59, r4, r6, offset:0x0\n"
            "LD_TEX_IMM.v4.f32.slot0.wait0 @r0:r1:r2:r3, r59, 0x0, index:0x1, table:0x5\n"
            "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n");
  constexpr std::uint32_t kTables = kFragmentTables, kImages = kUniforms + 0x40, kPlane = kUniforms + 0x80;
  page.point(kFragmentEnvironment + 32, kTables, 6);
  set_table(page, kTables + 80, kImages, 2);
  const std::uint32_t formats[] = {133U << 12, 187U << 12};
  for (std::uint32_t k = 0; k < 2; ++k) {
    const std::uint32_t at = kImages + 32 * k, plane = kPlane + 32 * k;
    page.u32(at, 2 | 2 << 4 | formats[k] << 10);
    page.u32(at + 4, k == 0 ? 7 | 3 << 16 : 15);  // 8 x 4, 16 x 1
    page.point(at + 16, plane);
    page.u32(plane, 10 | 1 << 4 | (k == 0 ? 2U : 1U) << 8 | 2U << 24);
    page.point(plane + 8, kTextureMemory + 0x400 * k);
    page.u32(plane + 16, k == 0 ? 48 : 1024);
  }
  for (std::uint32_t n = 0; n < 256; ++n) page.u32(kTextureMemory + 0x400 + 4 * n, 0xff000000 | n);
  return page;
}

TEST(ValhallDraw, Images) {
  for (const EngineKind engine : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
    const ImagePage page = image_page();
    const RanPage ran = run_page(page, true, engine);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    for (std::uint32_t y = 0; y < 5; ++y)
      for (std::uint32_t x = 0; x < 12; ++x)
        EXPECT_EQ(ran.word(page.address(kTextureMemory + 48 * y + 4 * x)), x < 8 && y < 4 ? y << 16 | x : 0)
            << x << ' ' << y;
    const SeenCapture::Picture& picture = ran.seen.pictures.at(0);
    constexpr std::uint32_t kPlaces[] = {0, 1, 4, 5, 16, 17, 20, 21};
    for (std::uint32_t x = 0; x < 8; ++x) EXPECT_EQ(picture.at(x, 0), 0xff000000 | kPlaces[x]) << x;
    EXPECT_EQ(picture.at(16, 0), 0U);  // outside of image 1
    EXPECT_EQ(picture.at(0, 1), 0U);
    ASSERT_EQ(ran.seen.draws.size(), 1U);
    EXPECT_FALSE(ran.seen.draws[0].fragment->fault);
    EXPECT_EQ(ran.seen.draws[0].fragment->engine, engine);
  }
}

// A texel buffer: one linear row. And the layers of an array.
TEST(ValhallDraw, ImagesOfOtherKinds) {
  constexpr std::uint32_t kImage = kUniforms + 0x60, kPlane = kUniforms + 0xa0;
  ImagePage page = image_page();
  page.u32(kImage, 2 | 1 << 4 | (187U << 12) << 10);
  page.u32(kPlane, 10 | 1 << 4 | 2 << 8 | 2U << 24);
  RanPage ran = run_page(page, true, EngineKind::jit);
  ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
  for (std::uint32_t x = 0; x < 17; ++x)
    EXPECT_EQ(ran.seen.pictures.at(0).at(x, 0), x < 16 ? 0xff000000 | x : 0) << x;
  // Two layers of 4 x 2, of which the second one is read.
  page.u32(kImage, 2 | 2 << 4 | (187U << 12) << 10);
  page.u32(kImage + 4, 3 | 1 << 16);
  page.u32(kImage + 24, 1);
  for (std::uint32_t k = 0; k < 2; ++k) {
    page.u32(kPlane + 32 * k, 10 | 1 << 4 | 2 << 8 | 2U << 24);
    page.point(kPlane + 32 * k + 8, kTextureMemory + 0x400 + 0x80 * k);
    page.u32(kPlane + 32 * k + 16, 16);
  }
  page.code(kFragmentCode,
            ".stage fragment\n"
            "IADD_IMM.i32 r8, 0x0, #0x10000\n"
            "LD_TEX_IMM.v4.f32.slot0.wait0 @r0:r1:r2:r3, r59, r8, index:0x1, table:0x5\n"
            "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n");
  for (const EngineKind engine : {EngineKind::guest, EngineKind::jit}) {
    ran = run_page(page, true, engine);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    for (std::uint32_t y = 0; y < 3; ++y)
      for (std::uint32_t x = 0; x < 5; ++x)
        EXPECT_EQ(ran.seen.pictures.at(0).at(x, y), x < 4 && y < 2 ? 0xff000020 | (4 * y + x) : 0)
            << x << ' ' << y;
  }
  page.point(kPlane + 40, kTextureMemory);  // before the first one
  EXPECT_NE(
      run_page(page, true).status.error().message.find("plane 1: address: it is not up to 4 GiB behind"),
      std::string::npos);
}

TEST(ValhallDraw, ImagesRefused) {
  const auto failure = [](std::uint32_t at, std::uint32_t word) {
    ImagePage page = image_page();
    page.u32(at, word);
    const RanPage ran = run_page(page, true);
    return ran.status ? std::string("runs")
                      : std::string(name(ran.status.error().code)) + ", " + ran.status.error().message;
  };
  constexpr std::uint32_t kImages = kUniforms + 0x40, kPlane = kUniforms + 0x80;
  const auto ends_with = [&](const std::string& text, const std::string& end) {
    return text.find(", image 0: ") != std::string::npos && text.ends_with(end);
  };
  EXPECT_EQ(failure(kImages, 0), "runs");  // a fault
  const std::string samples = failure(kImages + 12, 1 << 13);
  EXPECT_TRUE(ends_with(samples, ": sample count is 2")) << samples;
  // A 3D image of several slices, but not of layers, too.
  ImagePage deep = image_page();
  const auto first = static_cast<std::uint32_t>(deep.get(kImages, 4));
  EXPECT_EQ(failure(kImages, first | 3 << 4), "runs");
  deep.u32(kImages, first | 3 << 4);
  deep.u32(kImages + 24, 1);
  const RanPage layers = run_page(deep, true);
  ASSERT_FALSE(layers.status.ok());
  EXPECT_TRUE(ends_with(layers.status.error().message, ": array size of a 3D image is 2"))
      << layers.status.error().message;
  const std::string kind = failure(kPlane, 10 | 6 << 4 | 2 << 8);
  EXPECT_TRUE(ends_with(kind, ": plane 0: plane type is 6 (AFBC), not 1")) << kind;
  const std::string clump = failure(kPlane, 10 | 1 << 4 | 2 << 8);
  EXPECT_TRUE(ends_with(clump, ": plane 0: clump format 0 (raw8) with format 0x85000 (r32uint)")) << clump;
  const std::string outside = failure(kPlane + 8, 0x40);
  EXPECT_TRUE(ends_with(outside, " are not all in the image")) << outside;
  const std::string target =
      failure(kPlane + 8, static_cast<std::uint32_t>(draw_page().address(kTargetMemory)));
  EXPECT_NE(target.find(": plane 0: its memory is that of "), std::string::npos) << target;
}

// Which texture and sampler a uniform says: all of the tables are bound.
TEST(ValhallDraw, ComputedTextures) {
  constexpr std::uint32_t kSecond = kTexture + 32, kSecondPlane = kPlanes + 32;
  ImagePage page = draw_page();
  page.code(kFragmentCode,
            ".stage fragment\nMOV.i32 r0, 0x0\nMOV.i32 r1, 0x0\n"
            "TEX_SINGLE.slot0.auto.32.2d.wide_indices.zero.wait0 @r4:r5:r6:r7, @r0:r1, u0\n"
            "BLEND.slot0.v4.f32.end @r4:r5:r6:r7, blend_descriptor_0.w0, r60, target:0x0\n");
  set_table(page, kFragmentTables + 48, kSampler, 1);
  set_table(page, kFragmentTables + 64, kTexture, 2);
  page.u32(kSampler, 1 | 9 << 8 | 9 << 12 | 9 << 16 | 1 << 25 | 3 << 27);
  for (const auto& [texture, plane, texel] :
       {std::tuple(kTexture, kPlanes, 0x44332211U), std::tuple(kSecond, kSecondPlane, 0x88776655U)}) {
    page.u32(texture, 2 | 2 << 4 | (187U << 12) << 10);
    page.u32(texture + 8, 0x688);
    page.point(texture + 16, plane);
    page.u32(plane, 10 | 1 << 4 | 2 << 8 | 2U << 24);
    page.u32(plane + 4, 4);
    page.point(plane + 8, kTextureMemory + (plane - kPlanes));
    page.u32(plane + 16, 4);
    page.u32(kTextureMemory + (plane - kPlanes), texel);
  }
  for (const std::uint32_t number : {0U, 1U}) {
    page.u32(kUniforms, 3 << 24);
    page.u32(kUniforms + 4, 4 << 24 | number);
    const RanPage ran = run_page(page, true);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    EXPECT_EQ(ran.seen.pictures.at(0).at(0, 0), number == 0 ? 0x44332211U : 0x88776655U);
  }
  page.u32(kSecondPlane, 10 | 6 << 4 | 2 << 8);
  EXPECT_NE(run_page(page, true).status.error().message.find("plane type is 6 (AFBC)"), std::string::npos);
}

// A target in AFBC, and a page of another frame whose draw samples its memory at `column` and `row`, which
// become u0 and u1.
constexpr std::uint64_t kOtherPage = 0x200011000;
ImagePage compressing_page() {
  ImagePage page = draw_page();
  page.u32(kTargets + 4, 1U | 19 << 3 | 12 << 8 | 1672U << 16 | 1U << 31);
  page.u32(kTargets + 40, 0x20);
  return page;
}
ImagePage sampling_page(const ImagePage& target, float column, float row) {
  ImagePage page = draw_page(kOtherPage);
  page.code(kFragmentCode,
            ".stage fragment\n"
            "MOV.i32 r0, u0\nMOV.i32 r1, u1\nIADD_IMM.i32 r2, 0x0, #0x20001800\nMOV.i32 r3, 0x0\n"
            "TEX_SINGLE.slot0.auto.32.2d.zero.wait0 @r4:r5:r6:r7, @r0:r1, r2\n"
            "BLEND.slot0.v4.f32.end @r4:r5:r6:r7, blend_descriptor_0.w0, r60, target:0x0\n");
  put_floats(page, kUniforms, {column, row});
  set_table(page, kFragmentTables + 48, kSampler, 1);
  set_table(page, kFragmentTables + 64, kTexture, 1);
  page.u32(kSampler, 1 | 9 << 8 | 9 << 12 | 9 << 16 | 3 << 27);
  page.u32(kTexture, 2 | 2 << 4 | (187U << 12) << 10);
  page.u32(kTexture + 4, (kExtent - 1) << 16 | (kExtent - 1));
  page.u32(kTexture + 8, 0x688);
  page.point(kTexture + 16, kPlanes);
  page.u32(kPlanes, 10 | 6 << 4);
  page.u32(kPlanes + 4, 0x1000);
  page.u64(kPlanes + 8, target.address(kTargetMemory));
  return page;
}
RanPage run_both(const ImagePage& first, const ImagePage& second, EngineKind engine = EngineKind::guest) {
  RanPage ran;
  std::vector<std::byte> records = first.records();
  const std::vector<std::byte> more = second.records();
  records.insert(records.end(), more.begin(), more.end());
  auto capture = Capture::load(records, "test");
  EXPECT_TRUE(capture.ok());
  ran.capture.emplace(std::move(*capture));
  for (const ImagePage* page : {&first, &second})
    for (const std::uint32_t job : {kVertexJob, kFragmentJob})
      EXPECT_TRUE(ran.capture->add_chain({page->address(job)}).ok());
  RunOptions options;
  options.engine = engine;
  options.threads = 1;
  ran.status = ran.capture->run(Engine(), ran.seen, options);
  return ran;
}

TEST(ValhallDraw, TexturesOfCompressedTargets) {
  const ImagePage first = compressing_page();
  for (const EngineKind engine : kKinds)
    for (const auto& [column, row, wanted] :
         {std::tuple(3.0F, 4.0F, kColor), std::tuple(30.0F, 20.0F, kClear)}) {
      const RanPage ran = run_both(first, sampling_page(first, column, row), engine);
      ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
      EXPECT_EQ(ran.seen.pictures.at(0).at(0, 0), wanted);
      EXPECT_EQ(ran.word(first.address(kTargetMemory)), 0U);  // nothing is there
    }
}

// A target that is not cleared keeps what it held where nothing is written: a later frame shows both.
TEST(ValhallDraw, CompressedTargetsKeepUnwrittenPixels) {
  ImagePage page = compressing_page(), again = draw_page(kOtherPage);
  again.u32(kTargets + 4, 1U | 19 << 3 | 12 << 8 | 1672U << 16);
  again.u64(kTargets + 32, page.address(kTargetMemory));
  put_floats(again, kUniforms, {0, 1, 0, 1});
  put_floats(again, kVertices, {0, 0, 0, 1, 4, 0, 0, 1, 0, 4, 0, 1});
  KeptPictures kept;
  for (const ImagePage* each : {&page, &again}) {
    auto image = each->image();
    ASSERT_TRUE(image.ok());
    const auto job = read_job(*image, each->address(kFragmentJob));
    auto frame = Frame::begin(*image, *job, kept);
    ASSERT_TRUE(frame.ok()) << to_string(frame.error());
    ASSERT_TRUE(frame->store(*image, kept).ok());
  }
  const KeptPicture* const picture = kept.find(page.address(kTargetMemory));
  ASSERT_NE(picture, nullptr);
  EXPECT_EQ(picture->pixel_bytes, 4U);
  ASSERT_EQ(picture->bytes.size(), 4U * kExtent * kExtent);
  EXPECT_EQ(picture->bytes[0], std::byte{1});
  EXPECT_EQ(kept.find_over(page.address(kTargetMemory) + 16, 4), picture);
  EXPECT_EQ(kept.find_over(page.address(kTargetMemory) - 4, 4), nullptr);
  kept.forget(page.address(kTargetMemory) + 64, 1);
  EXPECT_EQ(kept.find(page.address(kTargetMemory)), nullptr);
}

TEST(ValhallDraw, CompressedTexturesRefused) {
  const ImagePage first = compressing_page();
  const auto failure = [&](const std::function<void(ImagePage&)>& change_first,
                           const std::function<void(ImagePage&)>& change) {
    ImagePage target = first, page = sampling_page(first, 0, 0);
    change_first(target);
    change(page);
    const RanPage ran = run_both(target, page);
    return ran.status ? std::string("runs") : ran.status.error().message;
  };
  const auto same = [](ImagePage&) {};
  const std::string place =
      "draw 1: malloc vertex job at 0x200011000, draw, fragment environment, table 4, descriptor 0: ";
  const std::string target = "fragment job at 0x200001180, framebuffer 0x200001400, target 0";
  EXPECT_EQ(failure(same, same), "runs");
  EXPECT_EQ(failure(same, [&](ImagePage& p) { p.u64(kPlanes + 8, first.address(kTargetMemory) + 64); }),
            place +
                "plane 0: plane type is 6 (AFBC), and no target of the capture was drawn at 0x200003040: "
                "record with PAN_MESA_DEBUG=noafbc");
  EXPECT_EQ(failure(same, [](ImagePage& p) { p.u32(kTexture + 4, 15 << 16 | 31); }),
            place + "plane 0: plane type is 6 (AFBC), and its target, " + target +
                ", has 32 x 32 pixels, not 32 x 16");
  EXPECT_EQ(failure(same, [](ImagePage& p) { p.u32(kTexture, 2 | 2 << 4 | (67U << 12) << 10); }),
            place + "format 0x43000 (rgb10a2unorm) is not that of its target in AFBC, " + target);
  EXPECT_EQ(
      failure([](ImagePage& p) { p.u32(kTargets + 4, 1U | 30 << 3 | 12 << 8 | 1672U << 16 | 1U << 31); },
              same),
      place + "plane 0: plane type is 6 (AFBC), and its target, " + target +
          ", is not kept: writeback format is 30 (no format)");
  EXPECT_EQ(failure(same, [](ImagePage& p) { p.u32(kTexture, 2 | 1 << 4 | (187U << 12) << 10); }),
            place + "plane 0: plane type is 6 (AFBC), and its target, " + target +
                ", has 32 x 32 pixels, not 32 x 1");
  EXPECT_EQ(failure(same, [](ImagePage& p) { p.u32(kTexture, 2 | 2 << 4 | (93U << 12 | 2) << 10); }),
            place + "plane 0: plane type is 6 (AFBC), and its target, " + target + ", has no stencil");
  // Of a target that is stored where something is written there must be no pixel that nothing has drawn.
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kTargets + 4, 1U | 19 << 3 | 12 << 8 | 1672U << 16); }, same),
            place + "plane 0: plane type is 6 (AFBC), and its target, " + target +
                ", has 528 pixels that nothing of the capture has drawn: record with PAN_MESA_DEBUG=noafbc");
  // A plain texture in memory of a target in AFBC has nothing to read.
  EXPECT_EQ(failure(same,
                    [](ImagePage& p) {
                      p.u32(kPlanes, 10 | 1 << 4 | 2 << 8 | 2U << 24);
                      p.u32(kPlanes + 16, 4 * kExtent);
                    }),
            place + "plane 0: its memory is that of " + target);
}

// ---- Several samples

// Rotated positions; targets are averaged, or each sample has a layer.
ImagePage sampled_page(bool layered) {
  ImagePage page = draw_page();
  page.u32(kFramebuffer + 44, 2 | 2 << 3);
  page.u32(kTargets + 4, 1U | 19 << 3 | 2 << 8 | (layered ? 3U : 1U) << 12 | 1672U << 16 | 1U << 31);
  page.u32(kTargets + 44, 4 * kExtent * kExtent);
  page.u32(kDraw, 1 << 19);
  return page;
}
// Which samples of a pixel lie left of the diagonal: x + y < kExtent.
unsigned left_of_diagonal(std::uint32_t x, std::uint32_t y) {
  constexpr int kRotated[4][2] = {{96, 32}, {224, 96}, {32, 160}, {160, 224}};
  unsigned mask = 0;
  for (unsigned n = 0; n < 4; ++n)
    if (static_cast<int>(256 * (x + y)) + kRotated[n][0] + kRotated[n][1] < static_cast<int>(256 * kExtent))
      mask |= 1U << n;
  return mask;
}

TEST(ValhallDraw, SamplesAreAveraged) {
  const ImagePage page = sampled_page(false);
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok());
  for (std::uint32_t y = 0; y < kExtent; ++y)
    for (std::uint32_t x = 0; x < kExtent; ++x) {
      const unsigned mask = left_of_diagonal(x, y);
      ASSERT_TRUE(mask == 0 || mask == 15 || mask == 5);
      const std::uint64_t got = ran.seen.pictures.at(0).at(x, y);
      ASSERT_EQ(ran.word(page.address(kTargetMemory + 4 * (kExtent * y + x))), got);
      if (mask != 5)
        ASSERT_EQ(got, mask == 15 ? kColor : kClear) << x << ", " << y;
      else
        for (unsigned k = 0; k < 4; ++k) {  // ties to even
          const unsigned sum = (kColor >> 8 * k & 255) + (kClear >> 8 * k & 255), whole = sum / 2;
          ASSERT_EQ(got >> 8 * k & 255, whole + (sum % 2 != 0 && whole % 2 != 0 ? 1 : 0)) << x << ", " << y;
        }
    }
}

// Each sample has its own depth and colour; the draw's mask leaves one out.
TEST(ValhallDraw, SamplesHaveLayers) {
  for (const EngineKind engine : kKinds) {
    ImagePage page = sampled_page(true);
    page.u32(kDraw + 4, 0xb | 1 << 16);
    const RanPage ran = run_page(page, true, engine);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    for (std::uint32_t y = 0; y < kExtent; ++y)
      for (std::uint32_t x = 0; x < kExtent; ++x)
        for (unsigned n = 0; n < 4; ++n) {
          const bool drawn = n != 2 && (left_of_diagonal(x, y) >> n & 1) != 0;
          const std::uint32_t at = kTargetMemory + 4 * (kExtent * (kExtent * n + y) + x);
          ASSERT_EQ(ran.word(page.address(at)), drawn ? kColor : kClear) << x << ", " << y << ", " << n;
        }
    // Without multisample enable all samples are where the centre is.
    page.u32(kDraw, 0);
    const RanPage centers = run_page(page, true, engine);
    for (unsigned n = 0; n < 4; ++n)
      for (const std::uint32_t x : {30U, 31U})
        ASSERT_EQ(centers.word(page.address(kTargetMemory + 4 * (kExtent * kExtent * n + x))),
                  x == 30 && n != 2 ? kColor : kClear)
            << x << ", " << n;
  }
}

// What is read at the sample and at the centre, and the number of the sample.
TEST(ValhallDraw, SamplesOfPrograms) {
  constexpr int kRotated[4][2] = {{96, 32}, {224, 96}, {32, 160}, {160, 224}};
  for (const EngineKind engine : kKinds) {
    ImagePage page = sampled_page(true);
    page.u32(kTargets, 36 << 26);
    page.u32(kTargets + 4, 1U | 7 << 3 | 2 << 8 | 3U << 12 | 1672U << 16 | 1U << 31);
    // A part of the target, so that it fits.
    page.u32(kTargets + 40, 16 * kExtent);
    page.u32(kTargets + 44, 16 * kExtent);
    page.u32(kFramebuffer + 40, kExtent - 1);
    page.u32(kBlend + 12, 191 << 12 | 1 << 24);
    put_floats(page, kVertices, {0, 0, 0, 1, 64, 0, 0, 2, 0, 64, 0, 1});
    page.code(kFragmentCode,
              ".stage fragment\n"
              "LD_VAR_SPECIAL.f32.sample.store.slot0.wait0 @r0, r61, index:0x2\n"
              "LD_VAR_SPECIAL.f32.centroid.store.slot0.wait0 @r1, r61, index:0x2\n"
              "LD_VAR_SPECIAL.f32.center.store.slot0.wait0 @r2, r61, index:0x2\n"
              "IADD_IMM.i32 r3, r61, #0x0\n"
              "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n");
    const RanPage ran = run_page(page, true, engine);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    for (std::uint32_t n = 0; n < 4; ++n) {
      const std::uint32_t at = kTargetMemory + 16 * (kExtent * n + 3);
      const auto value = [&](std::uint32_t k) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(ran.word(page.address(at + 4 * k))));
      };
      const float sample = 1 + (3 + static_cast<float>(kRotated[n][0]) / 256) / 64;
      EXPECT_EQ(value(0), sample) << n;
      EXPECT_EQ(value(1), sample) << n;
      EXPECT_EQ(value(2), 1 + 3.5F / 64) << n;
      EXPECT_EQ(ran.word(page.address(at + 12)), 1U << n | n << 16);
    }
  }
}

// Coverage is a bit for each sample: what a program leaves of it decides.
TEST(ValhallDraw, SampleMasksOfPrograms) {
  for (const EngineKind engine : kKinds) {
    ImagePage page = sampled_page(true);
    page.code(kFragmentCode, std::string(".stage fragment\nIADD_IMM.i32 r5, 0x0, #0x6\n"
                                         "LSHIFT_AND.i32 r60, r60, 0x0.b00, r5\n") +
                                 std::string(kUniformColor).substr(std::strlen(".stage fragment\n")));
    const RanPage ran = run_page(page, true, engine);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    for (std::uint32_t n = 0; n < 4; ++n)
      EXPECT_EQ(ran.word(page.address(kTargetMemory + 4 * kExtent * kExtent * n)),
                n == 1 || n == 2 ? kColor : kClear)
          << n;
  }
}

// A texture of four samples, which lie as slices do; fetches name one by their offsets.
TEST(ValhallDraw, TexturesOfSeveralSamples) {
  for (const EngineKind engine : kKinds)
    for (std::uint32_t n = 0; n < 4; ++n) {
      ImagePage page = draw_page();
      page.code(kFragmentCode,
                ".stage fragment\nMOV.i32 r0, u0\nMOV.i32 r1, u0\nMOV.i32 r2, u1\n"
                "IADD_IMM.i32 r8, 0x0, #0x20001800\nMOV.i32 r9, 0x0\n"
                "TEX_FETCH.slot0.auto.32.2d.texel_offset.wait0 @r4:r5:r6:r7, @r0:r1:r2, r8\n"
                "BLEND.slot0.v4.f32.end @r4:r5:r6:r7, blend_descriptor_0.w0, r60, target:0x0\n");
      page.u32(kUniforms, 1);
      page.u32(kUniforms + 4, n << 16);
      set_table(page, kFragmentTables + 48, kSampler, 1);
      set_table(page, kFragmentTables + 64, kTexture, 1);
      page.u32(kSampler, 1 | 9 << 8 | 9 << 12 | 9 << 16 | 3 << 27);
      page.u32(kTexture, 2 | 2 << 4 | (187U << 12) << 10);
      page.u32(kTexture + 4, 1 << 16 | 1);
      page.u32(kTexture + 8, 0x688);
      page.u32(kTexture + 12, 2 << 13);
      page.point(kTexture + 16, kPlanes);
      page.u32(kPlanes, 10 | 1 << 4 | 2 << 8 | 2U << 24);
      page.u32(kPlanes + 4, 64);
      page.point(kPlanes + 8, kTextureMemory);
      page.u32(kPlanes + 16, 8);
      page.u32(kPlanes + 24, 16);
      for (std::uint32_t k = 0; k < 16; ++k) page.u32(kTextureMemory + 4 * k, 0x01010101 * (k + 1));
      const RanPage ran = run_page(page, true, engine);
      ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
      EXPECT_EQ(ran.seen.pictures.at(0).at(0, 0), 0x01010101 * (4 * n + 4)) << n;
    }
}

TEST(ValhallDraw, SamplesRefused) {
  const auto failure = [](const std::function<void(ImagePage&)>& change) {
    ImagePage page = sampled_page(true);
    change(page);
    const RanPage ran = run_page(page, true);
    return ran.status ? std::string("runs") : ran.status.error().message;
  };
  const std::string frame = "fragment job at 0x200001180, framebuffer 0x200001400";
  EXPECT_EQ(failure([](ImagePage&) {}), "runs");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kTargets + 44, 0x2000); }),
            frame + ", target 0: base: 4096 bytes at 0x200009000 are not all in the image");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kTargets + 44, 64); }),
            frame + ", target 0: surface stride 64 is below the 4096 bytes of a sample's layer");
  EXPECT_EQ(
      failure([](ImagePage& p) {
        p.code(kFragmentCode, std::string(".stage fragment\nSTORE.i32.slot0.wait0 @r0, u0, offset:0\n") +
                                  std::string(kUniformColor).substr(std::strlen(".stage fragment\n")));
      }),
      "draw 0: malloc vertex job at 0x200001000, draw: the program stores to memory once for a pixel, and " +
          frame + " has 4 samples");
}

// Descriptors of other kinds where attributes and their buffers should be; empty ones are 0.
TEST(ValhallDraw, AttributesOfOtherKinds) {
  const std::string place = "draw 0: malloc vertex job at 0x200001000, position environment: ";
  const auto failure = [](std::uint32_t at, std::uint32_t word) {
    ImagePage page = draw_page();
    page.u32(at, word);
    const RanPage ran = run_page(page, true);
    return ran.status ? std::string("runs") : ran.status.error().message;
  };
  EXPECT_EQ(failure(kAttribute, 2), place + "descriptor 0 of table 1 is a texture, not an attribute");
  EXPECT_EQ(failure(kAttributeBuffer, 1), place + "descriptor 0 of table 2 is a sampler, not a buffer");
  EXPECT_EQ(failure(kAttribute, 0), "runs");
  EXPECT_EQ(failure(kAttributeBuffer, 0), "runs");
}

// A buffer of a table may not lie in a target of the same job.
TEST(ValhallDraw, BuffersInTargets) {
  constexpr std::uint32_t kBuffer = kTexture;
  ImagePage page = draw_page();
  page.code(kFragmentCode, std::string(".stage fragment\nIADD_IMM.i32 r8, 0x0, #0x3000000\n"
                                       "LD_BUFFER.i32.unsigned.slot0.wait0 @r4, 0x0, r8\n") +
                               std::string(kUniformColor).substr(std::strlen(".stage fragment\n")));
  set_table(page, kFragmentTables + 48, kBuffer, 1);
  page.u32(kBuffer, 9 | 1 << 4);
  page.u32(kBuffer + 4, 64);
  page.point(kBuffer + 8, kUniforms);
  EXPECT_TRUE(run_page(page, true).status.ok());
  page.point(kBuffer + 8, kTargetMemory + 4 * kExtent * kExtent - 4);
  EXPECT_EQ(
      run_page(page, true).status.error().message,
      "draw 0: malloc vertex job at 0x200001000, draw: buffer 0 of table 3 lies in the memory of fragment "
      "job at 0x200001180, framebuffer 0x200001400, target 0");
}

// Queries: how many pixels pass, added to what is there, and whether any do.
TEST(ValhallDraw, OcclusionQueries) {
  const std::uint32_t covered = kExtent * (kExtent - 1) / 2;
  for (const EngineKind engine : kKinds)
    for (const bool clean : {true, false}) {
      ImagePage page = draw_page();
      if (!clean) page.u32(kTargets + 4, 1U | 19 << 3 | 2 << 8 | 1672U << 16);
      page.point(kDraw + 56, kUniforms + 64);
      page.u64(kUniforms + 64, 0x100000007);
      const auto result = [&] {
        const RanPage ran = run_page(page, true, engine);
        EXPECT_TRUE(ran.status.ok()) << to_string(ran.status.error());
        EXPECT_EQ(ran.word(page.address(kTargetMemory)), kColor);
        return ran.word(page.address(kUniforms + 64), 8);
      };
      page.u32(kDraw, 3 << 14);
      EXPECT_EQ(result(), 0x100000007 + covered);
      page.u32(kDraw, 1 << 14);
      EXPECT_EQ(result(), 1U);
      // Depth fails in one column.
      put_floats(page, kVertices, {0, 0, 0.5F, 1, 32, 0, 0.5F, 1, 0, 32, 0.5F, 1});
      page.u32(kDraw, 3 << 14);
      page.code(kFragmentCode, std::string(".stage fragment\nDISCARD.f32.eq u0, u0\n") +
                                   (std::string(kUniformColor).c_str() + std::strlen(".stage fragment\n")));
      const RanPage gone = run_page(page, true, engine);
      ASSERT_TRUE(gone.status.ok()) << to_string(gone.status.error());
      EXPECT_EQ(gone.word(page.address(kUniforms + 64), 8), 0x100000007U);
      page.u32(kDraw, 1 << 14);
      EXPECT_EQ(run_page(page, true, engine).word(page.address(kUniforms + 64), 8), 0x100000007U);
    }
  ImagePage page = draw_page();
  page.u32(kDraw, 3 << 14);
  page.point(kDraw + 56, kBytes - 4);
  EXPECT_EQ(
      run_page(page, true).status.error().message,
      "draw 0: malloc vertex job at 0x200001000, draw: occlusion: 8 bytes at 0x200008ffc are not all in "
      "the image");
}

// Images in which any words of descriptors are others end, with pictures or with an error.
TEST(ValhallDraw, AnythingChanged) {
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
