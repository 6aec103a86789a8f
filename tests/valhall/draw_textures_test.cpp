// Draws of images made by hand: images, textures and buffers, also in memory of targets.
#include <functional>

#include "valhall/draw_everywhere.h"

namespace warpjit::valhall {
namespace {

using namespace in_draw;

// Each fragment stores its column and row to its texel of image 0 (linear). Image 1, one row of tiles, is
// read where the row is 0.
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
  EXPECT_NE(failure_of(page).find("plane 1: address: it is not up to 4 GiB after"), std::string::npos);
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
  EXPECT_NE(failure_of(page).find("plane type is 6 (AFBC)"), std::string::npos);
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
  // A target that is stored where something is written must have no pixel that nothing has drawn.
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

// A buffer of a table may not lie in a target of the same job.
TEST(ValhallDraw, BuffersInTargets) {
  constexpr std::uint32_t kBuffer = kTexture;
  ImagePage page = draw_page();
  page.code(kFragmentCode, before_uniform_color("IADD_IMM.i32 r8, 0x0, #0x3000000\n"
                                                "LD_BUFFER.i32.unsigned.slot0.wait0 @r4, 0x0, r8\n"));
  set_table(page, kFragmentTables + 48, kBuffer, 1);
  page.u32(kBuffer, 9 | 1 << 4);
  page.u32(kBuffer + 4, 64);
  page.point(kBuffer + 8, kUniforms);
  EXPECT_EQ(failure_of(page), "runs");
  page.point(kBuffer + 8, kTargetMemory + 4 * kExtent * kExtent - 4);
  EXPECT_EQ(
      failure_of(page),
      "draw 0: malloc vertex job at 0x200001000, draw: buffer 0 of table 3 lies in the memory of fragment "
      "job at 0x200001180, framebuffer 0x200001400, target 0");
}

}  // namespace
}  // namespace warpjit::valhall
