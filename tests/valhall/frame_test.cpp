// Fragment jobs without draws: clears, what goes to memory, and what is wrong with others.
#include <functional>

#include "base/bits.h"
#include "valhall/draw_page.h"

namespace warpjit::valhall {
namespace {

using namespace in_draw;

constexpr std::uint32_t kTile = 16;

ImagePage cleared(std::uint32_t tile_format, std::uint32_t stored, std::uint32_t blocks = 2,
                  std::uint32_t swizzle = 1672) {
  ImagePage page = draw_page();
  page.u32(kTargets, tile_format << 26);
  page.u32(kTargets + 4, 1U | stored << 3 | blocks << 8 | swizzle << 16 | 1U << 31);
  page.u32(kTargets + 40, blocks == 2 ? 4 * kExtent : 256 * 4 * 2);
  return page;
}
void clear_to(ImagePage& page, std::initializer_list<std::uint32_t> words) {
  std::uint32_t offset = kTargets + 48;
  for (const std::uint32_t word : words) {
    page.u32(offset, word);
    offset += 4;
  }
}

TEST(ValhallFrame, Linear) {
  const ImagePage page = cleared(1, 19);
  const RanPage ran = run_page(page, false);
  ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
  const auto& picture = ran.seen.pictures.at(0);
  EXPECT_EQ(picture.format, PixelFormat::rgba8);
  EXPECT_EQ(picture.width, kExtent);
  EXPECT_EQ(picture.height, kExtent);
  EXPECT_TRUE(picture.stored);
  EXPECT_EQ(picture.at(31, 31), 0x04030201U);
  for (const std::uint32_t offset : {0U, 4U * 31, 4U * 32, 4U * 1023})
    EXPECT_EQ(ran.word(page.address(kTargetMemory + offset)), 0x04030201U) << offset;
  EXPECT_EQ(ran.word(page.address(kTargetMemory + 4 * 1024)), 0U);
  // Depth stays in the tile: nothing says where it goes.
  const auto& depth = ran.seen.pictures.at(CapturePicture::kDepth);
  EXPECT_EQ(depth.format, PixelFormat::d24s8);
  EXPECT_EQ(depth.at(3, 3), 0x00ffffffU);
  EXPECT_FALSE(depth.stored);
}

// Columns 5 to 20, rows 16 to 18, through the bounds and the job's tiles.
TEST(ValhallFrame, Bounds) {
  ImagePage page = cleared(1, 19);
  page.u32(kFramebuffer + 36, 3 << 16 | 5);
  page.u32(kFramebuffer + 40, 18 << 16 | 20);
  page.u32(kFragmentJob + 32, 1 << 16);
  const RanPage ran = run_page(page, false);
  ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
  for (std::uint32_t y = 0; y < kExtent; ++y)
    for (std::uint32_t x = 0; x < kExtent; ++x) {
      const bool inside = x >= 5 && x <= 20 && y >= kTile && y <= 18;
      EXPECT_EQ(ran.word(page.address(kTargetMemory + 4 * (kExtent * y + x))), inside ? 0x04030201U : 0U)
          << x << ", " << y;
    }
  EXPECT_EQ(ran.seen.pictures.at(0).at(0, 0), 0x04030201U);
}

// Two swapped channels, a 0 and a 1; and fewer channels.
TEST(ValhallFrame, StoredFormats) {
  struct Row {
    std::uint32_t tile, stored, swizzle;
    std::uint32_t clear;
    std::uint64_t wanted;
    std::uint32_t bytes;
  };
  const Row rows[] = {
      {1, 19, 0 | 1 << 3 | 2 << 6 | 3 << 9, 0x44332211, 0x44332211, 4},
      {1, 19, 2 | 1 << 3 | 0 << 6 | 3 << 9, 0x44332211, 0x44112233, 4},
      {1, 19, 4 | 1 << 3 | 5 << 6 | 3 << 9, 0x44332211, 0x44ff2200, 4},
      {1, 16, 3, 0x44332211, 0x44, 1},
      {1, 17, 1672, 0x44332211, 0x2211, 2},
      {1, 18, 1672, 0x44332211, 0x332211, 3},
      {2, 24, 1672, 0x80300801, 0x80300801, 4},
      {2, 25, 1672, 0x80300801, 0x00408302 | 1U << 30 >> 8, 4},
      // Internal fractions are rounded to even: 7.5, 8.5, 1.25 and the greatest one.
      {4, 20, 1672, 0xff148878, 0xf188, 2},
      {5, 21, 1672, 31 << 5 | (20 << 4 | 9) << 10 | 3 << 5 << 20, 31 | 21 << 5 | 3 << 11, 2},
      {6, 28, 1672, 1 << 5 | 2 << 15 | 3 << 25 | 1U << 31, 1 | 2 << 5 | 3 << 10 | 1 << 15, 2},
      {6, 29, 1672, 1 << 5 | 2 << 15 | 3 << 25 | 1U << 31, 1 | 3 << 1 | 2 << 6 | 1 << 11, 2},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::Message() << row.tile << " to " << row.stored);
    ImagePage page = cleared(row.tile, row.stored, 2, row.swizzle);
    clear_to(page, {row.clear, row.clear, row.clear, row.clear});
    const RanPage ran = run_page(page, false);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    if (row.stored != 25) {
      EXPECT_EQ(ran.word(page.address(kTargetMemory + row.bytes * 7), row.bytes), row.wanted);
    } else {
      // Alpha lowest, then blue, green, red.
      const std::uint64_t r = row.clear & 1023, g = row.clear >> 10 & 1023, b = row.clear >> 20 & 1023;
      EXPECT_EQ(ran.word(page.address(kTargetMemory + row.bytes * 7), 4),
                (row.clear >> 30 | b << 2 | g << 12 | r << 22) & 0xffffffffU);
    }
  }
}

TEST(ValhallFrame, Raw) {
  ImagePage page = cleared(35, 5);
  page.u32(kTargets + 40, 8 * kExtent);
  clear_to(page, {0x11111111, 0x22222222, 0x33333333, 0x44444444});
  RanPage ran = run_page(page, false);
  ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
  EXPECT_EQ(ran.word(page.address(kTargetMemory + 8 * 5), 8), 0x2222222211111111U);
  EXPECT_EQ(ran.seen.pictures.at(0).format, PixelFormat::none);
  EXPECT_EQ(ran.seen.pictures.at(0).pixel_bytes, 8U);
  // 24 bits of 32.
  page = cleared(34, 2);
  clear_to(page, {0x44332211});
  ran = run_page(page, false);
  ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
  EXPECT_EQ(ran.word(page.address(kTargetMemory + 3), 3), 0x332211U);
}

// Depth and stencil with a place in memory of their own.
TEST(ValhallFrame, Depth) {
  ImagePage page = draw_page();
  page.u32(kFramebuffer + 48, 0x5a | 1 << 8 | 1 << 16 | 1 << 18 | 1 << 21);
  put_floats(page, kFramebuffer + 52, {0.25F});
  page.u32(kExtension, 5 | 1 << 4 | 1U << 31);  // D24S8, u-interleaved
  page.point(kExtension + 32, kDepthMemory);
  page.u32(kExtension + 40, 2 * 256 * 4);
  const RanPage ran = run_page(page, false);
  ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
  for (const std::uint32_t offset : {0U, 4U * 1023})
    EXPECT_EQ(ran.word(page.address(kDepthMemory + offset)), 0x5a400000U);
  EXPECT_TRUE(ran.seen.pictures.at(CapturePicture::kDepth).stored);
  // D24X8 has no stencil; S8 has it alone.
  page.u32(kExtension, 4 | 2 << 4 | 1 << 16 | 2 << 20 | 1U << 31);
  page.u32(kExtension + 40, 4 * kExtent);
  page.point(kExtension + 48, kDepthMemory + 0x1000);
  page.u32(kExtension + 56, kExtent);
  const RanPage other = run_page(page, false);
  ASSERT_TRUE(other.status.ok()) << to_string(other.status.error());
  EXPECT_EQ(other.word(page.address(kDepthMemory + 4 * 77)), 0x00400000U);
  EXPECT_EQ(other.word(page.address(kDepthMemory + 0x1000 + 77), 1), 0x5aU);
  // D16 and D32.
  for (const bool wide : {false, true}) {
    page.u32(kFramebuffer + 48, (wide ? 2 : 0) << 16 | 1 << 18 | 1 << 21);
    page.u32(kExtension, (wide ? 14 : 1) | 2 << 4 | 1U << 31);
    const RanPage third = run_page(page, false);
    ASSERT_TRUE(third.status.ok()) << to_string(third.status.error());
    EXPECT_EQ(third.word(page.address(kDepthMemory + 4 * kExtent), wide ? 4 : 2),
              wide ? 0x3e800000U : 0x4000U);
  }
}

// Every pixel of a u-interleaved target is where its x and y say.
TEST(ValhallFrame, Interleaved) {
  Framebuffer framebuffer;
  framebuffer.place = "frame";
  framebuffer.width = 20;
  framebuffer.height = 18;
  framebuffer.last = {19, 17};
  RenderTarget& target = framebuffer.targets.emplace_back();
  target.place = "target";
  target.tile_format = 1;
  target.stored_format = 19;
  target.blocks = BlockFormat::u_interleaved;
  target.write = target.write_clean = true;
  target.swizzle = 1672;
  target.memory = 0x200001000;
  target.row_stride = 2 * 256 * 4;
  const ImagePage page(0x200001000, 4 * 256 * 4);
  auto image = page.image();
  const DrawArea area{.last = {19, 17}};
  auto frame = begin_frame(*image, framebuffer, area);
  ASSERT_TRUE(frame.ok()) << to_string(frame.error());
  for (std::uint32_t k = 0; k < 20 * 18; ++k) {
    frame->colors[0].bytes[4 * k] = static_cast<std::byte>(k % 20);
    frame->colors[0].bytes[4 * k + 1] = static_cast<std::byte>(k / 20 + 1);
  }
  store_frame(*image, framebuffer, area, *frame);
  for (std::uint32_t y = 0; y < 18; ++y)
    for (std::uint32_t x = 0; x < 20; ++x) {
      const std::uint32_t bits = (y >> 3 & 1) << 7 | ((x ^ y) >> 3 & 1) << 6 | (y >> 2 & 1) << 5 |
                                 ((x ^ y) >> 2 & 1) << 4 | (y >> 1 & 1) << 3 | ((x ^ y) >> 1 & 1) << 2 |
                                 (y & 1) << 1 | ((x ^ y) & 1);
      const std::uint64_t at = (y / 16) * 2048 + (x / 16) * 1024 + 4 * bits;
      EXPECT_EQ(*image->u32(0x200001000 + at), x | (y + 1) << 8) << x << ", " << y;
    }
}

// The mean of four samples, by the kind of their components.
TEST(ValhallFrame, SamplesOfAllFormats) {
  const auto mean = [](PixelFormat format, const std::array<std::uint32_t, 4>& values) {
    std::array<FramePixels, 4> samples;
    for (std::size_t n = 0; n < 4; ++n) {
      TilePixels& color = samples[n].colors.emplace_back();
      // A sample that nothing has drawn to does not know the format.
      color.format = n == 0 ? PixelFormat::none : format;
      color.pixel_bytes = 4;
      color.bytes.resize(4);
      std::memcpy(color.bytes.data(), &values[n], 4);
      samples[n].passed = {static_cast<std::uint32_t>(n)};
    }
    const FramePixels resolved = resolve_samples(samples);
    EXPECT_EQ(resolved.passed[0], 6U);
    std::uint32_t value = 0;
    std::memcpy(&value, resolved.colors[0].bytes.data(), 4);
    return value;
  };
  EXPECT_EQ(mean(PixelFormat::rgba8, {0xff000001, 0xff000001, 0x01000001, 0x00000003}), 0x80000002U);
  EXPECT_EQ(mean(PixelFormat::rgb10a2, {0xc0000003, 0xc0000002, 0, 0}), 0x80000001U);
  EXPECT_EQ(mean(PixelFormat::rgba8_snorm, {0x81, 0x7f, 0x81, 0x83}), 0xc1U);  // -127, 127, -127, -125
  EXPECT_EQ(mean(PixelFormat::r16_snorm, {0xffff, 0xffff, 0, 0}), 0U);         // -1/2 to even
  EXPECT_EQ(mean(PixelFormat::rg16, {0x10000, 0x30000, 0x50004, 0x30000}), 0x30001U);
  EXPECT_EQ(mean(PixelFormat::r32f, {to_bits(1.0F), to_bits(2.0F), to_bits(-1.0F), 0}), to_bits(0.5F));
  EXPECT_EQ(mean(PixelFormat::rg16f, {0x3c003c00, 0x3c000000, 0x3c000000, 0x3c000000}), 0x3c003400U);
  EXPECT_EQ(mean(PixelFormat::r11g11b10f, {0x3c0, 0x3c0, 0, 0}), 0x380U);  // 1, 1, 0, 0
  EXPECT_EQ(mean(PixelFormat::rgba8i, {5, 7, 7, 7}), 5U);
  EXPECT_EQ(mean(PixelFormat::none, {5, 7, 7, 7}), 5U);
}

// Layers of samples lie in windows of the image, each as a whole.
TEST(ValhallFrame, LayersBetweenWindows) {
  ImagePage page = draw_page(), far(0x500003000, 0x1000);
  page.u32(kFramebuffer + 44, 2 | 2 << 3);
  page.u32(kTargets + 4, 1U | 19 << 3 | 2 << 8 | 3U << 12 | 1672U << 16 | 1U << 31);
  page.u32(kTargets + 44, 4 * kExtent * kExtent);
  const std::vector<std::byte> more = far.records();
  const auto run = [&](const ImagePage& changed) {
    std::vector<std::byte> all = changed.records();
    all.insert(all.end(), more.begin(), more.end());
    auto capture = Capture::load(all, "test");
    EXPECT_TRUE(capture.ok());
    EXPECT_TRUE(capture->add_chain({changed.address(kFragmentJob)}).ok());
    SeenCapture seen;
    const Status status = capture->run(Engine(), seen);
    return status ? std::string("runs") : status.error().message;
  };
  EXPECT_EQ(run(page), "runs");
  // Three times this stride is the distance of the windows; between them there is nothing.
  page.u64(kTargets + 32, 0x500003000 - 3ULL * 0xfffff000);
  page.u32(kTargets + 44, 0xfffff000);
  EXPECT_NE(run(page).find("are not all in the image"), std::string::npos);
}

TEST(ValhallFrame, Refused) {
  const auto failure = [](const std::function<void(ImagePage&)>& change) {
    ImagePage page = draw_page();
    change(page);
    const RanPage ran = run_page(page, false);
    if (ran.status) return std::string("runs");
    EXPECT_TRUE(ran.seen.pictures.empty());
    // Nothing was stored.
    EXPECT_EQ(ran.word(page.address(kTargetMemory)), 0U);
    return std::string(name(ran.status.error().code)) + ", " + ran.status.error().message;
  };
  const std::string job = "fragment job at 0x200001180, framebuffer 0x200001400";
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFramebuffer, 4); }),
            "bad input, " + job + ": pre frame 0: there is no mode 4");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFramebuffer, 1); }),
            "bad input, " + job + ", pre-frame draw 0: its 128 bytes at 0x0 are outside of the image");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFramebuffer, 2 << 6); }),
            "not supported, " + job + ": post frame is 2");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFramebuffer + 44, 2); }),
            "not supported, " + job + ": sample pattern is 0 of 4 samples, not 1 or 2");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFramebuffer + 44, 3 | 3 << 3); }),
            "not supported, " + job + ": sample count is 8");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFramebuffer + 44, 2 | 2 << 3); }),
            "not supported, " + job + ", target 0: writeback MSAA is 0 of 4 samples");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFramebuffer + 32, 8192); }),
            "resource limit, " + job + ": 8193 x 1 pixels are more than 8192 each way");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFramebuffer + 44, 8 << 19); }),
            "bad input, " + job + ": render target count is 9, above 8");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFramebuffer + 52, 0x7fc00000); }),
            "bad input, " + job + ": Z clear is no finite number");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kFramebuffer + 48, 3 << 16 | 1 << 21); }),
            "bad input, " + job + ": Z internal format: there is no 3");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kTargets, 3 << 26); }),
            "not supported, " + job + ", target 0: internal format is 3 (rgb8a2)");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kTargets, 1 << 24 | 1 << 26); }),
            "not supported, " + job + ", target 0: YUV enable is set");
  const auto target = [](std::uint32_t word) { return [word](ImagePage& p) { p.u32(kTargets + 4, word); }; };
  EXPECT_EQ(failure(target(1U | 19 << 3 | 2 << 8 | 1 << 12 | 1672U << 16 | 1U << 31)),
            "not supported, " + job + ", target 0: writeback MSAA is 1 of 1 sample");
  EXPECT_EQ(failure(target(1U | 19 << 3 | 5 << 8 | 1672U << 16 | 1U << 31)),
            "bad input, " + job + ", target 0: writeback block format: there is no 5");
  EXPECT_EQ(failure(target(1U | 31 << 3 | 2 << 8 | 1672U << 16 | 1U << 31)),
            "not supported, " + job + ", target 0: writeback format is 31 (no format)");
  EXPECT_EQ(failure(target(1U | 20 << 3 | 2 << 8 | 1672U << 16 | 1U << 31)),
            "not supported, " + job + ", target 0: writeback format 20 (rgba4) of internal format 1 (rgba8)");
  EXPECT_EQ(failure(target(1U | 19 << 3 | 2 << 8 | 7U << 16 | 1U << 31)),
            "not supported, " + job + ", target 0: swizzle: there is no 7");
  // Memory outside: by the base, by the stride.
  EXPECT_EQ(failure([](ImagePage& p) { p.point(kTargets + 32, kBytes - 4095); }),
            "bad input, " + job + ", target 0: base: 4096 bytes at 0x200008001 are not all in the image");
  EXPECT_EQ(
      failure([](ImagePage& p) { p.u32(kTargets + 40, 0xffffff80); }),
      "bad input, " + job + ", target 0: base: 133143982336 bytes at 0x200003000 are not all in the image");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kTargets + 40, 127); }),
            "bad input, " + job + ", target 0: row stride 127 is below the 128 bytes of a row");
  EXPECT_EQ(failure([](ImagePage& p) {
              p.u32(kFramebuffer + 48, 1 << 16 | 1 << 18 | 1 << 21);
              p.u32(kExtension, 1 | 2 << 4 | 1U << 31);
            }),
            "not supported, " + job + ", ZS/CRC extension: ZS write format is 1 (d16) of D24");
  EXPECT_EQ(failure([](ImagePage& p) { p.u64(kFragmentJob + 40, 0x300000000); }),
            "bad input, fragment job at 0x200001180, framebuffer 0x300000000: its 64 bytes at 0x300000000 "
            "are outside of the image");
}

// A second target that is all zero, and that nothing stores, keeps nothing and has no picture.
TEST(ValhallFrame, TargetThatIsOff) {
  ImagePage page = draw_page();
  page.u32(kFramebuffer + 44, 1 << 19);  // two targets
  for (const bool draws : {false, true}) {
    const RanPage ran = run_page(page, draws);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    EXPECT_EQ(ran.seen.pictures.at(0).at(31, 31), 0x04030201U);
    EXPECT_EQ(ran.seen.pictures.at(0).at(0, 0), draws ? 0xff8000ffU : 0x04030201U);
    EXPECT_EQ(ran.seen.pictures.count(1), 0U);
    EXPECT_EQ(ran.word(page.address(kTargetMemory + 4 * 1023)), 0x04030201U);
  }
  // What a draw writes to it is gone.
  page.u32(kDraw + 4, 0xffff | 3 << 16);
  page.u32(kBlend + 8, 1 | 3 << 3 | 1 << 16);
  const RanPage gone = run_page(page, true);
  ASSERT_TRUE(gone.status.ok()) << to_string(gone.status.error());
  EXPECT_EQ(gone.seen.pictures.at(0).at(0, 0), 0x04030201U);
  // One that is stored must be something.
  page.u32(kTargets + 64 + 4, 1);
  EXPECT_FALSE(run_page(page, false).status.ok());
}

constexpr std::uint32_t kPreDraw = 0xc80, kPreTables = 0xd40, kPreCode = 0x1600, kPreVarying = 0x1700,
                        kPreBuffer = 0x1720, kPreSampler = 0x1740, kPreTexture = 0x1760, kPrePlane = 0x1780,
                        kPreProgram = 0x17a0, kPreCorners = 0x17c0, kPreBlend = 0xd80;

// A page whose frame begins with a draw that loads target 0, as drivers have it.
ImagePage loading_page(std::uint32_t mode) {
  ImagePage page = draw_page();
  page.u32(kFramebuffer, mode);
  page.point(kFramebuffer + 24, kPreDraw);
  page.u32(kTargets + 4, 1U | 19 << 3 | 2 << 8 | 1672U << 16);  // only what is written is stored
  for (std::uint32_t n = 0; n < kExtent * kExtent; ++n) page.u32(kTargetMemory + 4 * n, 0xff000000 | n);
  page.u32(kPreDraw, 3);
  page.u32(kPreDraw + 4, 0xffff | 1 << 16);
  put_floats(page, kPreDraw + 24, {0, 1});
  page.point(kPreDraw + 40, kDepthStencil);
  page.point(kPreDraw + 48, kPreBlend, 1);
  page.u32(kPreBlend, 1 << 9);
  page.u32(kPreBlend + 4, 0xf << 28 | 0x122 << 12 | 0x122);
  page.u32(kPreBlend + 8, 1 | 3 << 3);
  page.u32(kPreBlend + 12, 237 << 12 | 1 << 24);
  set_draw_environment(page, kPreDraw + 64, kPreTables, 4, kPreProgram, 2, kPreCode);
  set_table(page, kPreTables, kPreVarying, 1);
  set_table(page, kPreTables + 16, kPreBuffer, 1);
  set_table(page, kPreTables + 32, kPreSampler, 1);
  set_table(page, kPreTables + 48, kPreTexture, 1);
  page.u32(kPreVarying, 5 | 1 << 4 | (183U << 12 | 16) << 10);
  page.u32(kPreVarying + 4, 1);
  page.u32(kPreVarying + 16, 16);
  page.u32(kPreBuffer, 9 | 1 << 4);
  page.u32(kPreBuffer + 4, 64);
  page.point(kPreBuffer + 8, kPreCorners);
  put_floats(page, kPreCorners, {0, 0, 0, 1, kExtent, 0, 0, 1, 0, kExtent, 0, 1, kExtent, kExtent, 0, 1});
  page.u32(kPreSampler, 1 | 9 << 8 | 9 << 12 | 9 << 16 | 3 << 27);
  page.u32(kPreTexture, 2 | 2 << 4 | (187U << 12) << 10);
  page.u32(kPreTexture + 4, (kExtent - 1) << 16 | (kExtent - 1));
  page.u32(kPreTexture + 8, 0x688);
  page.point(kPreTexture + 16, kPrePlane);
  page.u32(kPrePlane, 10 | 1 << 4 | 2 << 8 | 2U << 24);
  page.u32(kPrePlane + 4, 4 * kExtent * kExtent);
  page.point(kPrePlane + 8, kTargetMemory);
  page.u32(kPrePlane + 16, 4 * kExtent);
  page.code(kPreCode,
            ".stage fragment\n"
            "LD_VAR_IMM.slot0.v2.f32.center.store.discard @r0:r1, ^r61, table:0x0, index:0x0\n"
            "IADD_IMM.i32 r2, 0x0, #0x18001000\n"
            "MOV.i32.wait0 r3, 0x0\n"
            "TEX_SINGLE.slot1.skip.auto.32.2d.zero.wait0126 @r0:r1:r2:r3, @r0:r1, ^r2\n"
            "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, ^r60, target:0x0\n");
  return page;
}

TEST(ValhallFrame, PreFrameDrawsLoadTargets) {
  for (const std::uint32_t mode : {1U, 2U, 3U})
    for (const EngineKind engine : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
      SCOPED_TRACE(testing::Message() << mode << ", " << name(engine));
      const ImagePage page = loading_page(mode);
      const RanPage ran = run_page(page, true, engine);
      ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
      for (std::uint32_t y = 0; y < kExtent; ++y)
        for (std::uint32_t x = 0; x < kExtent; ++x) {
          const std::uint32_t n = kExtent * y + x;
          const std::uint32_t wanted = x + y < kExtent - 1 ? 0xff8000ff : 0xff000000 | n;
          if (x + y == kExtent - 1) continue;  // the edge
          ASSERT_EQ(ran.word(page.address(kTargetMemory + 4 * n)), wanted) << x << ", " << y;
          ASSERT_EQ(ran.seen.pictures.at(0).at(x, y), wanted) << x << ", " << y;
        }
    }
}

// What is loaded only where a draw touches a tile of 16 x 16 pixels is clear elsewhere, and stored so.
TEST(ValhallFrame, TilesThatNothingTouches) {
  for (const EngineKind engine : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
    ImagePage page = loading_page(2);
    page.u32(kTargets + 4, 1U | 19 << 3 | 2 << 8 | 1672U << 16 | 1U << 31);
    put_floats(page, kVertices, {0, 0, 0.5F, 1, 8, 0, 0.5F, 1, 0, 8, 0.5F, 1});
    const RanPage ran = run_page(page, true, engine);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    const auto at = [&](std::uint32_t x, std::uint32_t y) {
      EXPECT_EQ(ran.word(page.address(kTargetMemory + 4 * (kExtent * y + x))),
                ran.seen.pictures.at(0).at(x, y));
      return ran.seen.pictures.at(0).at(x, y);
    };
    EXPECT_EQ(at(0, 0), 0xff8000ffU);
    EXPECT_EQ(at(15, 15), 0xff000000 | (15 * kExtent + 15));
    for (const auto& [x, y] : {std::pair(16U, 0U), {0U, 16U}, {31U, 31U}}) EXPECT_EQ(at(x, y), 0x04030201U);
  }
}

// Without clean pixel write enable, pixels that no fragment writes keep their memory; nothing loads them.
TEST(ValhallFrame, UnwrittenPixelsKeepTheirMemory) {
  for (const EngineKind engine : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
    ImagePage page = draw_page();
    page.u32(kTargets + 4, 1U | 19 << 3 | 2 << 8 | 1672U << 16);
    for (std::uint32_t n = 0; n < kExtent * kExtent; ++n) page.u32(kTargetMemory + 4 * n, 0xff000000 | n);
    // D24S8 in memory, too, where depth fails in the upper rows: the stencil is written there alone.
    page.u32(kFramebuffer + 48, 0x11 | 1 << 8 | 1 << 16 | 1 << 18 | 1 << 21);
    page.u32(kExtension, 5 | 2 << 4);
    page.point(kExtension + 32, kDepthMemory);
    page.u32(kExtension + 40, 4 * kExtent);
    for (std::uint32_t n = 0; n < kExtent * kExtent; ++n) page.u32(kDepthMemory + 4 * n, 0x77000000 | n);
    put_floats(page, kFramebuffer + 52, {0.5F});
    put_floats(page, kVertices, {0, 0, 1, 1, 32, 0, 1, 1, 0, 32, 0, 1});
    // Stencil always, and 1 more where depth fails; depth less, written.
    page.u32(kDepthStencil, 7 | 7 << 4 | 4 << 10 | 7 << 16 | 4 << 22 | 1U << 31);
    page.u32(kDepthStencil + 4, 0xffffffff);
    page.u32(kDepthStencil + 16, 1 << 22 | 1 << 23 | 2 << 25 | 1 << 27 | 1U << 29);
    const RanPage ran = run_page(page, true, engine);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    for (std::uint32_t y = 0; y < kExtent; ++y)
      for (std::uint32_t x = 0; x < kExtent; ++x) {
        SCOPED_TRACE(testing::Message() << x << ", " << y);
        const std::uint32_t n = kExtent * y + x;
        const bool covered = x + y < kExtent - 1, passes = covered && y >= 16;
        ASSERT_EQ(ran.word(page.address(kTargetMemory + 4 * n)), passes ? 0xff8000ff : 0xff000000 | n);
        ASSERT_EQ(ran.seen.pictures.at(0).at(x, y), passes ? 0xff8000ff : 0xff000000 | n);
        const std::uint64_t depth = ran.word(page.address(kDepthMemory + 4 * n));
        if (!covered)
          ASSERT_EQ(depth, 0x77000000 | n);
        else if (passes)
          ASSERT_EQ(depth >> 24, 0x11U);
        else
          ASSERT_EQ(depth, 0x12800000U);
      }
  }
}

TEST(ValhallFrame, PreFrameDrawsThatAreRefused) {
  const auto failure = [](const std::function<void(ImagePage&)>& change) {
    ImagePage page = loading_page(1);
    change(page);
    const RanPage ran = run_page(page, false);
    return ran.status ? std::string("runs") : ran.status.error().message;
  };
  const std::string frame = "fragment job at 0x200001180, framebuffer 0x200001400",
                    draw = frame + ", pre-frame draw 0";
  EXPECT_EQ(failure([](ImagePage&) {}), "runs");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kPreDraw + 4, 0xffff); }), "runs");
  EXPECT_EQ(failure([](ImagePage& p) { p.u64(kPreDraw + 64 + 40, 0); }), draw + ": it has no program");
  EXPECT_EQ(failure([](ImagePage& p) { set_table(p, kPreTables, kPreVarying, 0); }),
            draw + ", fragment environment, varying 0: table 0 has 0 descriptors, no 0");
  EXPECT_EQ(
      failure([](ImagePage& p) { p.u32(kPreVarying, 1); }),
      draw + ", fragment environment, varying 0: descriptor 0 of table 0 is a sampler, not an attribute");
  EXPECT_EQ(failure([](ImagePage& p) { set_table(p, kPreTables + 48, kPreTexture, 0); }),
            draw + ", fragment environment, texture 0: table 3 has 0 descriptors, no 0");
  // Other draws have no such descriptors.
  ImagePage page = draw_page();
  page.code(kFragmentCode,
            ".stage fragment\nLD_VAR_FLAT_IMM.slot0.v4.f32 @r0:r1:r2:r3, table:0x0, index:0x0\n"
            "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n");
  const RanPage ran = run_page(page, true);
  ASSERT_FALSE(ran.status.ok());
  EXPECT_NE(ran.status.error().message.find(
                "LD_VAR_FLAT_IMM: descriptors of varyings are of pre-frame draws alone"),
            std::string::npos)
      << ran.status.error().message;
}

// Compressed targets are the visitor's alone.
TEST(ValhallFrame, Compressed) {
  const ImagePage page = cleared(1, 19, 12);
  const RanPage ran = run_page(page, false);
  ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
  EXPECT_EQ(ran.seen.pictures.at(0).at(5, 5), 0x04030201U);
  EXPECT_FALSE(ran.seen.pictures.at(0).stored);
  for (std::uint32_t k = 0; k < 0x1000; k += 4) EXPECT_EQ(ran.word(page.address(kTargetMemory + k)), 0U);
}

}  // namespace
}  // namespace warpjit::valhall
