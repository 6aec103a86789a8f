// Draws of images made by hand, whole: what is drawn where, what is counted, and what is wrong with others.
#include <functional>

#include "support/canceller.h"
#include "support/engine_ways.h"
#include "valhall/draw_everywhere.h"

namespace warpjit::valhall {
namespace {

using namespace in_draw;

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

// The visitor ends a run: what comes after is neither drawn nor stored.
TEST(ValhallDraw, VisitorEndsTheRun) {
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
                "after its BLEND");
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

// Descriptors of other kinds where attributes and their buffers should be; empty ones are 0.
TEST(ValhallDraw, AttributesOfOtherKinds) {
  const std::string place = "draw 0: malloc vertex job at 0x200001000, position environment: ";
  const auto failure = [](std::uint32_t at, std::uint32_t word) {
    ImagePage page = draw_page();
    page.u32(at, word);
    return failure_of(page);
  };
  EXPECT_EQ(failure(kAttribute, 2), place + "descriptor 0 of table 1 is a texture, not an attribute");
  EXPECT_EQ(failure(kAttributeBuffer, 1), place + "descriptor 0 of table 2 is a sampler, not a buffer");
  EXPECT_EQ(failure(kAttribute, 0), "runs");
  EXPECT_EQ(failure(kAttributeBuffer, 0), "runs");
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
      page.code(kFragmentCode, before_uniform_color("DISCARD.f32.eq u0, u0\n"));
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
      failure_of(page),
      "draw 0: malloc vertex job at 0x200001000, draw: occlusion: 8 bytes at 0x200008ffc are not all in "
      "the image");
}

// Programs that do not end, in each stage of a frame.
TEST(ValhallDraw, CancelEndsFrames) {
  const char* const endless = "again:\nBRANCHZ.eq 0x0, offset:again\n";
  ImagePage vertices = draw_page(), fragments = draw_page();
  vertices.code(kPositionCode, std::string(".stage vertex\n") + endless + "NOP.end\n");
  fragments.code(kFragmentCode, before_uniform_color(endless));
  const Engine engine;
  for (const ImagePage* const page : {&vertices, &fragments})
    for (const test::EngineWay& way : test::engine_ways(engine)) {
      SCOPED_TRACE(way.name + (page == &vertices ? ", vertices" : ", fragments"));
      auto capture = Capture::load(page->records(), "test");
      ASSERT_TRUE(capture) << to_string(capture.error());
      ASSERT_TRUE(capture->add_chain({page->address(kVertexJob)}));
      ASSERT_TRUE(capture->add_chain({page->address(kFragmentJob), true}));
      test::Canceller canceller;
      RunOptions options = way.options;
      options.fuel = ~std::uint64_t{0};
      options.cancel = &canceller.flag;
      SeenCapture seen;
      const Status status = capture->run(engine, seen, options);
      canceller.expect_soon();
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().code, ErrorCode::cancelled) << to_string(status.error());
    }
}

}  // namespace
}  // namespace warpjit::valhall
