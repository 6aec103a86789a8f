// A page with a whole draw: a malloc vertex job, a fragment job and all that they name.
#pragma once

#include <bit>

#include "device/valhall/capture.h"
#include "valhall/image_builder.h"

namespace warpjit::valhall {

namespace in_draw {
inline constexpr std::uint32_t kVertexJob = 0x000, kFragmentJob = 0x180, kTiler = 0x200, kFramebuffer = 0x400,
                               kExtension = 0x480, kTargets = 0x4c0, kDepthStencil = 0x700, kBlend = 0x720,
                               kPositionProgram = 0x7c0, kFragmentProgram = 0x7e0, kVertexTables = 0x800,
                               kFragmentTables = 0x840, kAttribute = 0x8a0, kAttributeBuffer = 0x8c0,
                               kSampler = 0x8e0, kTexture = 0x900, kPlanes = 0x940, kUniforms = 0xb00,
                               kIndices = 0xc00, kVertices = 0xe00, kPositionCode = 0x1000,
                               kFragmentCode = 0x1400, kTargetMemory = 0x2000, kTextureMemory = 0x4000,
                               kDepthMemory = 0x6000, kBytes = 0x8000;
inline constexpr std::uint32_t kDraw = kVertexJob + 128, kFragmentEnvironment = kDraw + 64;
inline constexpr std::uint32_t kExtent = 32;  // columns and rows of the target
}  // namespace in_draw

// A program that writes u0 to u3.
inline constexpr const char* kUniformColor =
    ".stage fragment\n"
    "MOV.i32 r0, u0\n"
    "MOV.i32 r1, u1\n"
    "MOV.i32 r2, u2\n"
    "MOV.i32 r3, u3\n"
    "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n";
// That program after `code`.
inline std::string before_uniform_color(const std::string& code) {
  std::string program = kUniformColor;
  return program.insert(program.find('\n') + 1, code);
}

inline void put_floats(ImagePage& page, std::uint32_t offset, std::initializer_list<float> values) {
  for (const float value : values) {
    page.u32(offset, std::bit_cast<std::uint32_t>(value));
    offset += 4;
  }
}

// An environment with a program and tables, but no uniforms.
inline void set_draw_environment(ImagePage& page, std::uint32_t at, std::uint32_t tables, std::uint32_t count,
                                 std::uint32_t program, std::uint32_t stage, std::uint32_t code) {
  page.point(at + 32, tables, count);
  page.point(at + 40, program);
  page.u32(program, 8 | stage << 4);
  page.point(program + 8, code);
}
inline void set_table(ImagePage& page, std::uint32_t entry, std::uint32_t descriptors, std::uint32_t count) {
  page.point(entry, descriptors, std::uint64_t{1} << 56);
  page.u32(entry + 8, 32 * count);
}

// One triangle over the upper left half of a 32 x 32 target of RGBA8, linear in memory, cleared to
// 0x04030201; the fragment program writes u0 to u3 = 1, 0, 0.5, 1. Window depth is 0.5; D24 without stencil,
// cleared to 1.
inline ImagePage draw_page(std::uint64_t address = 0x200001000) {
  using namespace in_draw;
  ImagePage page(address, kBytes);
  page.u32(kVertexJob + 16, 11 << 1 | 1 << 16);
  page.u32(kVertexJob + 32, 8);   // triangles
  page.u32(kVertexJob + 44, 3);   // indices
  page.u32(kVertexJob + 48, 1);   // instances
  page.u32(kVertexJob + 52, 16);  // packets without varyings
  page.point(kVertexJob + 56, kTiler);
  page.u32(kVertexJob + 108, (kExtent - 1) << 16 | (kExtent - 1));
  put_floats(page, kVertexJob + 112, {1});
  page.point(kVertexJob + 120, kIndices);
  page.u32(kTiler + 12, (kExtent - 1) << 16 | (kExtent - 1));

  page.u32(kDraw + 4, 0xffff | 1 << 16);  // samples, target 0
  put_floats(page, kDraw + 24, {0, 1});
  page.point(kDraw + 40, kDepthStencil);
  page.point(kDraw + 48, kBlend, 1);
  page.u32(kDepthStencil, 7);
  page.u32(kDepthStencil + 16,
           1U << 22 | 1U << 23 | 2U << 25 | 7U << 29);  // clip, clamp to 0 and 1, fixed function, always
  page.u32(kBlend, 1 << 9);
  page.u32(kBlend + 4, 0xf << 28 | 0x122 << 12 | 0x122);  // replace
  page.u32(kBlend + 8, 1 | 3 << 3);                       // opaque, four components, target 0
  page.u32(kBlend + 12, 237 << 12 | 1 << 24);

  set_draw_environment(page, kVertexJob + 256, kVertexTables, 3, kPositionProgram, 3, kPositionCode);
  set_table(page, kVertexTables + 16, kAttribute, 1);
  set_table(page, kVertexTables + 32, kAttributeBuffer, 1);
  page.u32(kAttribute, 5 | 1 << 4 | (191U << 12) << 10);
  page.u32(kAttribute + 4, 2);
  page.u32(kAttribute + 16, 16);
  page.u32(kAttributeBuffer, 9 | 1 << 4);
  page.u32(kAttributeBuffer + 4, 0x200);
  page.point(kAttributeBuffer + 8, kVertices);
  put_floats(page, kVertices, {0, 0, 0.5F, 1, 32, 0, 0.5F, 1, 0, 32, 0.5F, 1});
  page.code(kPositionCode,
            ".stage vertex\n"
            "LD_ATTR_IMM.v4.f32.slot0.wait0 @r0:r1:r2:r3, r60, r61, index:0x0, table:0x1\n"
            "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
            "STORE.i128.slot2.end @r0:r1:r2:r3, r4, offset:0\n");

  set_draw_environment(page, kFragmentEnvironment, kFragmentTables, 5, kFragmentProgram, 2, kFragmentCode);
  page.u32(kFragmentEnvironment + 4, 2);
  page.point(kFragmentEnvironment + 56, kUniforms);
  put_floats(page, kUniforms, {1, 0, 0.5F, 1});
  page.code(kFragmentCode, kUniformColor);

  page.u32(kFragmentJob + 16, 9 << 1 | 1 << 16);
  page.u32(kFragmentJob + 36, 1 << 16 | 1);  // tiles 0 to 1 each way
  page.point(kFragmentJob + 40, kFramebuffer, 3);
  page.u32(kFramebuffer + 32, (kExtent - 1) << 16 | (kExtent - 1));
  page.u32(kFramebuffer + 40, (kExtent - 1) << 16 | (kExtent - 1));
  page.u32(kFramebuffer + 48, 1 << 16 | 1 << 21);  // D24, with extension
  put_floats(page, kFramebuffer + 52, {1});
  page.point(kFramebuffer + 56, kTiler);
  page.u32(kTargets, 1 << 26);
  page.u32(kTargets + 4, 1U | 19 << 3 | 2 << 8 | 1672U << 16 | 1U << 31);
  page.point(kTargets + 32, kTargetMemory);
  page.u32(kTargets + 40, 4 * kExtent);
  for (std::uint32_t k = 0; k < 4; ++k) page.u32(kTargets + 48 + 4 * k, 0x04030201);
  return page;
}

// Pictures of a run by target, and its draws.
struct SeenCapture final : CaptureVisitor {
  struct Picture {
    PixelFormat format = PixelFormat::none;
    std::uint32_t width = 0, height = 0;
    std::size_t pixel_bytes = 0;
    bool stored = false;
    std::vector<std::byte> pixels;

    std::uint64_t at(std::uint32_t x, std::uint32_t y) const {
      std::uint64_t value = 0;
      const std::size_t from = (std::size_t{y} * width + x) * pixel_bytes;
      for (std::size_t k = 0; k < std::min<std::size_t>(pixel_bytes, 8); ++k)
        value |= std::to_integer<std::uint64_t>(pixels[from + k]) << 8 * k;
      return value;
    }
  };
  bool draw(const CaptureDraw& draw) override {
    draws.push_back(draw);
    return true;
  }
  bool job(const CaptureJob& job) override {
    jobs.emplace_back(job.kind);
    return true;
  }
  bool picture(const CapturePicture& picture) override {
    pictures[picture.target] = {picture.format, picture.width,
                                picture.height, picture.pixel_bytes,
                                picture.stored, {picture.pixels.begin(), picture.pixels.end()}};
    return true;
  }

  std::vector<CaptureDraw> draws;
  std::vector<std::string> jobs;
  std::map<unsigned, Picture> pictures;
};

// Runs the page's two jobs, or the fragment job alone.
struct RanPage {
  Status status;
  SeenCapture seen;
  std::optional<Capture> capture;

  std::uint64_t word(std::uint64_t address, std::size_t size = 4) const {
    std::array<std::byte, 8> bytes{};
    EXPECT_TRUE(capture->read_memory(address, std::span(bytes).first(size)).ok());
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < size; ++k) value |= std::to_integer<std::uint64_t>(bytes[k]) << 8 * k;
    return value;
  }
};
inline RanPage run_page(const ImagePage& page, bool draws, EngineKind engine = EngineKind::guest) {
  RanPage ran;
  auto capture = Capture::load(page.records(), "test");
  if (!capture) {
    ran.status = capture.error();
    return ran;
  }
  ran.capture.emplace(std::move(*capture));
  if (draws) {
    EXPECT_TRUE(ran.capture->add_chain({page.address(in_draw::kVertexJob)}).ok());
  }
  EXPECT_TRUE(ran.capture->add_chain({page.address(in_draw::kFragmentJob), true}).ok());
  RunOptions options;
  options.engine = engine;
  options.threads = 1;
  ran.status = ran.capture->run(Engine(), ran.seen, options);
  return ran;
}
// The message of the error that the page's jobs end with; "runs".
inline std::string failure_of(const ImagePage& page) {
  const RanPage ran = run_page(page, true);
  return ran.status ? "runs" : ran.status.error().message;
}

}  // namespace warpjit::valhall
