// Frames as texts of PAN_MESA_DEBUG=trace,dump draw what they draw as memory: several passes, compute jobs, memory
// that the driver does not write, addresses that are used again.
#include "device/valhall/capture.h"
#include "device/valhall/dump_capture.h"
#include "support/same_bytes.h"
#include "valhall/draw_page.h"
#include "valhall/dumped_frames.h"

namespace warpjit::valhall {
namespace {

using namespace in_draw;

constexpr std::uint64_t kFirstPage = 0x200001000, kSecondPage = 0x200011000, kShared = 0x200021000,
                        kThirdPage = 0x200031000;

// A buffer of a block. What the processor never saw is not in texts of the older dialect.
struct FrameBuffer {
  std::uint64_t address = 0;
  std::vector<std::byte> bytes;
  bool unseen = false;
};
// A chain with the memory before it runs, as the processor has written it.
struct FrameChain {
  std::uint64_t job = 0;
  std::string_view type;
  std::vector<FrameBuffer> buffers;
};

// State, the target and textures of a page as a driver has them.
std::vector<FrameBuffer> buffers_of(const ImagePage& page) {
  const auto part = [&](std::uint32_t from, std::uint32_t to, bool unseen) {
    FrameBuffer buffer{page.address(from), std::vector<std::byte>(to - from), unseen};
    for (std::uint32_t k = from; k < to; ++k) buffer.bytes[k - from] = static_cast<std::byte>(page.get(k, 1));
    return buffer;
  };
  return {part(0, kTargetMemory, false), part(kTargetMemory, kTextureMemory, true),
          part(kTextureMemory, kDepthMemory, false), part(kDepthMemory, kBytes, true)};
}
std::vector<FrameBuffer> joined(std::vector<FrameBuffer> all, const std::vector<FrameBuffer>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
// The vertex job and the fragment job of a page.
void add_chains(std::vector<FrameChain>& frame, const ImagePage& page,
                const std::vector<FrameBuffer>& memory) {
  frame.push_back({page.address(kVertexJob), "Malloc vertex", memory});
  frame.push_back({page.address(kFragmentJob), "Fragment", memory});
}

DumpTextWriter text_of(DumpDialect dialect, std::span<const FrameChain> frame) {
  DumpTextWriter writer(dialect);
  for (const FrameChain& chain : frame) {
    writer.job(chain.job, chain.type);
    for (const FrameBuffer& buffer : chain.buffers)
      if (!buffer.unseen || dialect == DumpDialect::newer) writer.buffer(buffer.address, buffer.bytes);
  }
  return writer;
}

struct AllTargets final : CaptureVisitor {
  bool picture(const CapturePicture& picture) override {
    if (picture.target != CapturePicture::kDepth)
      pictures.emplace_back(picture.pixels.begin(), picture.pixels.end());
    return true;
  }
  std::vector<std::vector<std::byte>> pictures;
};
using Pictures = std::vector<std::vector<std::byte>>;
Pictures pictures_of(Capture& capture) {
  AllTargets seen;
  const Status status = capture.run(Engine(), seen);
  EXPECT_TRUE(status.ok()) << (status ? std::string() : to_string(status.error()));
  return seen.pictures;
}
Pictures pictures_of(std::span<const CaptureBytes> files) {
  auto capture = Capture::load(files);
  EXPECT_TRUE(capture.ok()) << (capture ? std::string() : to_string(capture.error()));
  return capture ? pictures_of(*capture) : Pictures();
}
// What the memory of the first chain gives, with all chains.
Pictures wanted_of(std::span<const FrameChain> frame) {
  std::vector<std::byte> records;
  for (const FrameBuffer& buffer : frame.front().buffers)
    append_record(records, buffer.address, buffer.bytes);
  auto capture = Capture::load(records, "memory");
  EXPECT_TRUE(capture.ok()) << (capture ? std::string() : to_string(capture.error()));
  if (!capture) return {};
  for (const FrameChain& chain : frame) EXPECT_TRUE(capture->add_chain({chain.job, false}).ok());
  return pictures_of(*capture);
}

// In one text, and in one for each chain.
void expect_pictures(std::span<const FrameChain> frame, const Pictures& wanted) {
  for (const DumpDialect dialect : kDialects) {
    SCOPED_TRACE(dialect == DumpDialect::older ? "older" : "newer");
    const DumpTextWriter text = text_of(dialect, frame);
    const CaptureBytes whole{text.bytes(), "text"};
    EXPECT_TRUE(pictures_of(std::span(&whole, 1)) == wanted);
    std::vector<DumpTextWriter> texts;
    std::vector<CaptureBytes> files;
    for (const FrameChain& chain : frame) texts.push_back(text_of(dialect, std::span(&chain, 1)));
    for (const DumpTextWriter& one : texts) files.push_back({one.bytes(), "text"});
    EXPECT_TRUE(pictures_of(files) == wanted);
  }
}

// A page whose draw samples texels of 32 x 32 at `column` and `row`, which lie at `texels`: linear, or in tiles
// of 16 x 16.
ImagePage sampling_page(std::uint64_t address, std::uint64_t texels, float column, float row,
                        bool tiled = false) {
  ImagePage page = draw_page(address);
  page.code(kFragmentCode,
            ".stage fragment\n"
            "MOV.i32 r0, u0\nMOV.i32 r1, u1\nIADD_IMM.i32 r2, 0x0, #0x20001800\nMOV.i32 r3, 0x0\n"
            "TEX_SINGLE.slot0.auto.32.2d.zero.wait0 @r4:r5:r6:r7, @r0:r1, r2\n"
            "BLEND.slot0.v4.f32.end @r4:r5:r6:r7, blend_descriptor_0.w0, r60, target:0x0\n");
  put_floats(page, kUniforms, {column, row});
  set_table(page, kFragmentTables + 48, kSampler, 1);
  set_table(page, kFragmentTables + 64, kTexture, 1);
  page.u32(kSampler, 1 | 9 << 8 | 9 << 12 | 9 << 16 | 1 << 25 | 3 << 27);
  page.u32(kTexture, 2 | 2 << 4 | (187U << 12) << 10);
  page.u32(kTexture + 4, (kExtent - 1) << 16 | (kExtent - 1));
  page.u32(kTexture + 8, 0x688);
  page.point(kTexture + 16, kPlanes);
  page.u32(kPlanes, 10 | 1 << 4 | (tiled ? 1 : 2) << 8 | 2U << 24);
  page.u32(kPlanes + 4, 0x1000);
  page.u64(kPlanes + 8, texels);
  page.u32(kPlanes + 16, tiled ? 2048 : 4 * kExtent);
  return page;
}
ImagePage tiled_page(std::uint64_t address) {
  ImagePage page = draw_page(address);
  page.u32(kTargets + 4, 1U | 19 << 3 | 1 << 8 | 1672U << 16 | 1U << 31);
  page.u32(kTargets + 40, 2048);
  return page;
}

TEST(ValhallDumpFrames, OnePassSamplesWhatAnotherDrew) {
  for (const bool tiled : {false, true})
    for (const float row : {0.1F, 0.9F}) {
      const ImagePage first = tiled ? tiled_page(kFirstPage) : draw_page(kFirstPage);
      const ImagePage second = sampling_page(kSecondPage, first.address(kTargetMemory), row, row, tiled);
      const std::vector<FrameBuffer> memory = joined(buffers_of(first), buffers_of(second));
      std::vector<FrameChain> frame;
      add_chains(frame, first, memory);
      add_chains(frame, second, memory);
      const Pictures wanted = wanted_of(frame);
      ASSERT_EQ(wanted.size(), 2U);
      // The first pass clears to 04030201 and draws ff8000ff over the upper left.
      const std::byte seen[] = {wanted[1][0], wanted[1][1], wanted[1][2], wanted[1][3]};
      EXPECT_EQ(seen[0], row < 0.5F ? std::byte{0xff} : std::byte{1});
      expect_pictures(frame, wanted);
      // Again, in a frame of its own: both passes have the same memory.
      add_chains(frame, first, memory);
      add_chains(frame, second, memory);
      Pictures twice = wanted;
      twice.insert(twice.end(), wanted.begin(), wanted.end());
      expect_pictures(frame, twice);
    }
}

// Targets that the processor sees later, as for glReadPixels, one beside the other: they hold what was drawn.
TEST(ValhallDumpFrames, TargetsAreSeenLater) {
  ImagePage first = draw_page(kFirstPage), second = draw_page(kSecondPage);
  first.u64(kTargets + 32, kShared);
  second.u64(kTargets + 32, kShared + 0x1000);
  put_floats(second, kUniforms, {0, 1, 0, 1});
  for (const std::uint64_t sampled : {kShared, kShared + 0x1000}) {
    const ImagePage third = sampling_page(kThirdPage, sampled, 0.1F, 0.1F);
    const std::vector<FrameBuffer> targets = {{kShared, std::vector<std::byte>(0x1000), true},
                                              {kShared + 0x1000, std::vector<std::byte>(0x1000), true}};
    std::vector<FrameBuffer> memory =
        joined(joined(joined(buffers_of(first), buffers_of(second)), targets), buffers_of(third));
    std::vector<FrameChain> frame;
    add_chains(frame, first, memory);
    add_chains(frame, second, memory);
    for (FrameBuffer& buffer : memory) buffer.unseen = false;
    add_chains(frame, third, memory);
    const Pictures wanted = wanted_of(frame);
    ASSERT_EQ(wanted.size(), 3U);
    EXPECT_EQ(wanted[2][0], sampled == kShared ? std::byte{0xff} : std::byte{0});
    expect_pictures(frame, wanted);
  }
}

// Stores 1, 0.5, 0.25, 1 to `to`, whose address only a uniform has.
ImagePage storing_page(std::uint64_t address, std::uint64_t to) {
  ImagePage own(address);
  own.u32(at::kJob + 16, 4 << 1 | 1 << 16);
  for (std::uint32_t k = 0; k < 3; ++k) own.u32(at::kJob + 40 + 4 * k, 1);
  set_environment(own, at::kJob + 64, 1);
  own.u32(at::kJob + 64 + 4, 3);
  own.u64(at::kUniforms, to);
  put_floats(own, at::kUniforms + 8, {1, 0.5F, 0.25F, 1});
  own.code(at::kCode,
           "MOV.i32 r4, u2\nMOV.i32 r5, u3\nMOV.i32 r6, u4\nMOV.i32 r7, u5\nMOV.i32 r2, u0\nMOV.i32 r3, u1\n"
           "STORE.i128.slot0 @r4:r5:r6:r7, r2, offset:0\n"
           "NOP.end\n");
  return own;
}
FrameBuffer whole(const ImagePage& page, std::uint32_t bytes = 0x1000) {
  FrameBuffer buffer{page.address(0), std::vector<std::byte>(bytes)};
  for (std::uint32_t k = 0; k < bytes; ++k) buffer.bytes[k] = static_cast<std::byte>(page.get(k, 1));
  return buffer;
}

// A draw whose colour is read from memory that a compute job has written, and that no text of the older dialect
// has: below, between and above the others.
TEST(ValhallDumpFrames, DrawsReadWhatComputeJobsStored) {
  for (const std::uint64_t stored : {0x200000000ULL, 0x20000b000ULL, 0x200041000ULL}) {
    const ImagePage compute = storing_page(kShared, stored);
    ImagePage page = draw_page(kFirstPage);
    page.u64(kFragmentEnvironment + 56, stored);
    const std::vector<FrameBuffer> memory =
        joined(joined({whole(compute)}, buffers_of(page)), {{stored, std::vector<std::byte>(0x1000), true}});
    std::vector<FrameChain> frame;
    frame.push_back({compute.address(at::kJob), "Compute", memory});
    add_chains(frame, page, memory);
    const Pictures wanted = wanted_of(frame);
    ASSERT_EQ(wanted.size(), 1U);
    EXPECT_EQ(wanted[0][0], std::byte{0xff});
    EXPECT_EQ(wanted[0][1], std::byte{0x80});
    EXPECT_EQ(wanted[0][2], std::byte{0x40});
    expect_pictures(frame, wanted);
    // The processor writes a few bytes beside them, as it does with counters: what was stored stays.
    for (std::size_t n = 1; n < frame.size(); ++n) {
      FrameBuffer& buffer = frame[n].buffers.back();
      buffer.unseen = false;
      buffer.bytes[0x800] = std::byte{7};
    }
    const DumpTextWriter text = text_of(DumpDialect::newer, frame);
    const CaptureBytes one{text.bytes(), "text"};
    EXPECT_TRUE(pictures_of(std::span(&one, 1)) == wanted);
  }
}

// Vertices whose zeros are at the place of a target that was given back: nothing of its pixels is left.
TEST(ValhallDumpFrames, VerticesInMemoryOfATarget) {
  const ImagePage first = draw_page(kFirstPage);
  ImagePage second = draw_page(kSecondPage);
  const std::uint64_t vertices = first.address(kTargetMemory);
  second.u64(kAttributeBuffer + 8, vertices);
  std::vector<FrameBuffer> memory = joined(buffers_of(first), buffers_of(second)), after = memory;
  after[1].unseen = false;
  for (std::size_t k = 0; k < 48; ++k)
    after[1].bytes[k] = static_cast<std::byte>(second.get(kVertices + static_cast<std::uint32_t>(k), 1));
  std::vector<FrameChain> frame, alone;
  add_chains(frame, first, memory);
  add_chains(frame, second, after);
  add_chains(alone, second, after);
  std::vector<FrameChain> before(frame.begin(), frame.begin() + 2);
  Pictures wanted = wanted_of(before);
  const Pictures later = wanted_of(alone);
  wanted.insert(wanted.end(), later.begin(), later.end());
  ASSERT_EQ(wanted.size(), 2U);
  expect_pictures(frame, wanted);
}

// Texels that end in zeros, at the end of all memory: the older dialect does not say how many there are.
TEST(ValhallDumpFrames, ZerosAtTheEnd) {
  for (const float row : {0.1F, 0.9F}) {
    ImagePage large = sampling_page(kFirstPage, kShared, row, row, true);
    FrameBuffer texels{kShared, std::vector<std::byte>(0x5000)};
    std::fill_n(texels.bytes.begin(), 0x40, std::byte{0x77});
    large.u32(kTexture + 4, 63 << 16 | 63);
    large.u32(kPlanes + 4, 0x4000);
    large.u32(kPlanes + 16, 4096);
    const std::vector<FrameBuffer> memory = joined(buffers_of(large), {texels});
    std::vector<FrameChain> frame;
    add_chains(frame, large, memory);
    expect_pictures(frame, wanted_of(frame));
  }
}

// Several draws in a chain; the chain of a frame again with other uniforms, at the same addresses.
TEST(ValhallDumpFrames, SeveralDrawsAndFrames) {
  ImagePage page = draw_page(kFirstPage), next = draw_page(kSecondPage);
  page.set(kVertexJob + 24, next.address(kVertexJob), 8);
  next.u64(kVertexJob + 56, page.address(kTiler));
  put_floats(next, kVertices, {32, 32, 0.5F, 1, 0, 32, 0.5F, 1, 32, 0, 0.5F, 1});
  put_floats(next, kUniforms, {0, 1, 0, 1});
  std::vector<FrameBuffer> memory = joined(buffers_of(page), buffers_of(next));
  std::vector<FrameChain> frame;
  add_chains(frame, page, memory);
  Pictures wanted = wanted_of(frame);
  ASSERT_EQ(wanted.size(), 1U);
  ImagePage changed = next;
  put_floats(changed, kUniforms, {0, 0, 1, 1});
  memory = joined(buffers_of(page), buffers_of(changed));
  std::vector<FrameChain> again;
  add_chains(again, page, memory);
  const Pictures later = wanted_of(again);
  EXPECT_NE(later, wanted);
  wanted.insert(wanted.end(), later.begin(), later.end());
  frame.insert(frame.end(), again.begin(), again.end());
  expect_pictures(frame, wanted);
}

// What hardware leaves: targets that a chain has drawn to are in its own text already.
TEST(ValhallDumpFrames, ExpectedTargetsAreNotWrittenBeforeTheyAreDrawn) {
  ImagePage page = draw_page(kFirstPage);
  page.u32(kTargets + 4, 1U | 19 << 3 | 2 << 8 | 1672U << 16);
  put_floats(page, kVertices, {0, 0, 0.5F, 1, 4, 0, 0.5F, 1, 0, 4, 0.5F, 1});
  std::vector<FrameBuffer> memory = buffers_of(page);
  std::fill(memory[1].bytes.begin(), memory[1].bytes.begin() + 0x1000, std::byte{0x55});
  std::vector<FrameChain> frame;
  add_chains(frame, page, memory);
  const Pictures wanted = wanted_of(frame);
  ASSERT_EQ(wanted.size(), 1U);
  // Pixels are linear in memory. What nothing has drawn, hardware has kept; the text of another
  // hardware would differ there.
  std::ranges::copy(wanted[0], frame[1].buffers[1].bytes.begin());
  frame[1].buffers[1].bytes[4 * kExtent * 20] = std::byte{0x11};
  const DumpTextWriter text = text_of(DumpDialect::newer, frame);
  const CaptureBytes one{text.bytes(), "text"};
  auto file = read_captures(std::span(&one, 1), {}, true);
  ASSERT_TRUE(file.ok()) << to_string(file.error());
  ASSERT_EQ(file->expected.size(), 1U);
  EXPECT_EQ(file->expected[0].bytes[4 * kExtent * 20], std::byte{0x11});
  const std::uint64_t at = page.address(kTargetMemory) + 4 * kExtent * 20;
  for (const ChainChanges& changes : file->changes) apply_changes(changes, file->image);
  EXPECT_EQ(*file->image.u8(at), 0x55U);
  // Without the user's word they are memory as any other.
  auto plain = read_captures(std::span(&one, 1));
  ASSERT_TRUE(plain.ok());
  for (const ChainChanges& changes : plain->changes) apply_changes(changes, plain->image);
  EXPECT_EQ(*plain->image.u8(at), 0x11U);
}

// A target that ends in zeros, in the older dialect: they are expected, too, after the page in which they begin.
TEST(ValhallDumpFrames, ExpectedTargetsMayEndInZeros) {
  constexpr std::uint32_t kBegin = 0x800;
  ImagePage page = draw_page(kFirstPage);
  for (std::uint32_t k = 0; k < 4; ++k) page.u32(kTargets + 48 + 4 * k, 0);
  page.u64(kTargets + 32, kShared + kBegin);
  put_floats(page, kVertices, {0, 0, 0.5F, 1, 4, 0, 0.5F, 1, 0, 4, 0.5F, 1});
  std::vector<FrameBuffer> memory = joined(buffers_of(page), {{kShared, std::vector<std::byte>(0x2000)}});
  std::vector<FrameChain> frame;
  add_chains(frame, page, memory);
  const Pictures wanted = wanted_of(frame);
  ASSERT_EQ(wanted.size(), 1U);
  ASSERT_EQ(wanted[0].size(), 0x1000U);
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  ASSERT_FALSE(std::ranges::all_of(wanted[0], is_zero));
  ASSERT_TRUE(std::ranges::all_of(std::span(wanted[0]).subspan(kBegin), is_zero));
  for (FrameChain& chain : frame) std::ranges::copy(wanted[0], chain.buffers.back().bytes.begin() + kBegin);
  frame[0].buffers.back().bytes.assign(0x2000, std::byte{0});
  for (const DumpDialect dialect : kDialects) {
    const DumpTextWriter text = text_of(dialect, frame);
    const CaptureBytes one{text.bytes(), "text"};
    auto file = read_captures(std::span(&one, 1), {}, true);
    ASSERT_TRUE(file.ok()) << to_string(file.error());
    ASSERT_EQ(file->expected.size(), 1U);
    EXPECT_TRUE(tests::same_bytes(file->expected[0].bytes, wanted[0]));
  }
}

// What two contexts write at the same time: in one text, and in texts of their own, whose memory is not the same.
TEST(ValhallDumpFrames, TextsOfTwoContexts) {
  const ImagePage first = draw_page(kFirstPage), second = draw_page(kSecondPage);
  const std::vector<FrameBuffer> memory = joined(buffers_of(first), buffers_of(second));
  std::vector<FrameChain> frame;
  add_chains(frame, first, memory);
  add_chains(frame, second, memory);
  const auto message = [](std::span<const CaptureBytes> files) {
    const auto file = read_captures(files);
    return file ? std::string() : to_string(file.error());
  };
  for (const DumpDialect dialect : kDialects) {
    // One chain after the other is right, in any order of the contexts.
    std::swap(frame[1], frame[2]);
    const Pictures wanted = wanted_of(frame);
    ASSERT_EQ(wanted.size(), 2U);
    expect_pictures(frame, wanted);
    // The traces of two chains before the memory of both.
    DumpTextWriter mixed(dialect);
    mixed.job(frame[0].job, frame[0].type);
    mixed.job(frame[1].job, frame[1].type);
    for (const FrameBuffer& buffer : memory) mixed.buffer(buffer.address, buffer.bytes);
    const CaptureBytes one{mixed.bytes(), "text"};
    EXPECT_NE(message(std::span(&one, 1))
                  .find("the job at " + hex_text(frame[1].job) + " is not in the chain of jobs at " +
                        hex_text(frame[0].job) + ", as where two contexts write one text"),
              std::string::npos)
        << message(std::span(&one, 1));
    for (const FrameBuffer& buffer : memory) mixed.buffer(buffer.address, buffer.bytes);
    const CaptureBytes twice{mixed.bytes(), "text"};
    EXPECT_NE(message(std::span(&twice, 1)).find("as where two contexts write one text"), std::string::npos)
        << message(std::span(&twice, 1));
    const DumpTextWriter a = text_of(dialect, std::span(frame).first(2)),
                         b = text_of(dialect, std::span(frame).subspan(2));
    std::vector<CaptureBytes> files{{a.bytes(), "x/run.ctx-0.0000"}, {b.bytes(), "x/run.ctx-0.0001"}};
    EXPECT_EQ(message(files), "");
    files[1].name = "x/run.ctx-1.0000";
    EXPECT_EQ(message(files),
              "x/run.ctx-1.0000: texts of the contexts 0 and 1, each of which has memory of its own: "
              "expected those of "
              "one context");
  }
}

// Runs of pages that are not zeros are buffers; the driver does not write the others in the older dialect.
void add_pages(DumpTextWriter& writer, const Image& image, bool zeros) {
  constexpr std::size_t kPage = 4096;
  for (const ImageWindow& window : image.windows()) {
    if (zeros) {
      writer.buffer(window.address(), window.bytes());
      continue;
    }
    const auto is_zero = [&](std::size_t at) {
      return std::ranges::all_of(window.bytes().subspan(at, std::min(kPage, window.size() - at)),
                                 [](std::byte b) { return b == std::byte{0}; });
    };
    for (std::size_t at = 0; at < window.size();) {
      const std::size_t begin = at;
      while (at < window.size() && !is_zero(at)) at += kPage;
      at = std::min(at, window.size());
      if (at != begin) writer.buffer(window.address() + begin, window.bytes().subspan(begin, at - begin));
      while (at < window.size() && is_zero(at)) at += kPage;
    }
  }
}

// Frames of a driver as texts of both dialects: of many formats and features, with targets and buffers that the
// processor never saw.
TEST(ValhallDumpFrames, FramesOfADriver) {
  const std::string folder = tests::corpus_file("valhall/drivers");
  std::size_t compared = 0;
  for (const auto& frame : std::filesystem::directory_iterator(folder)) {
    const std::string path = frame.path().string() + "/frame.wjcap.xz";
    if (!frame.is_directory() || path.find("smoothline") != std::string::npos) continue;
    SCOPED_TRACE(path);
    const std::vector<std::byte> bytes = tests::unpacked(path);
    const CaptureBytes whole{bytes, "frame"};
    const Pictures wanted = pictures_of(std::span(&whole, 1));
    const auto file = read_capture(bytes, "frame");
    ASSERT_TRUE(file.ok());
    for (const DumpDialect dialect : kDialects) {
      DumpTextWriter writer(dialect);
      for (const JobChain& chain : file->chains) {
        const auto job = read_job(file->image, chain.address);
        ASSERT_TRUE(job.ok());
        writer.job(chain.address, job->kind == JobKind::fragment ? "Fragment" : "Malloc vertex");
        add_pages(writer, file->image, dialect == DumpDialect::newer);
      }
      const CaptureBytes text{writer.bytes(), "text"};
      EXPECT_TRUE(pictures_of(std::span(&text, 1)) == wanted);
    }
    ++compared;
  }
  EXPECT_GE(compared, tests::has_whole_corpus() ? 26U : 2U);
}

}  // namespace
}  // namespace warpjit::valhall
