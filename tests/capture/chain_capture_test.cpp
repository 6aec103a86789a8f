// Captures of Mali GPUs by the public class, from every file that has some.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "capture/memory_writer.h"
#include "capture/valhall/chain_frames.h"
#include "capture/valhall/chain_sections.h"
#include "hostile_bytes.h"
#include "part_checks.h"
#include "valhall/dumped_frames.h"
#include "warpjit/capture.hpp"
#include "warpjit/valhall.hpp"

namespace warpjit {
namespace {

using valhall::DumpDialect;
using valhall::DumpTextWriter;

std::vector<std::byte> seed(const std::string& name) { return valhall::capture_seed(name); }

// What a run shows, in its order.
struct ChainRun final : CaptureVisitor {
  explicit ChainRun(const CaptureInterest& wanted = {}) : wanted(wanted) {}
  CaptureInterest interest() const override { return wanted; }
  bool job(const CaptureJob& job) override {
    EXPECT_EQ(job.number, jobs.size());
    EXPECT_LE(frame, job.frame);
    frame = job.frame;
    jobs.emplace_back(job.what);
    for (const CaptureProgram& program : job.programs) {
      EXPECT_NE(program.report, nullptr);
      job_programs.emplace_back(program.stage);
    }
    return true;
  }
  bool draw(const CaptureDraw& draw) override {
    EXPECT_EQ(draw.job, jobs.size());
    draws.emplace_back(draw.what);
    std::string stages;
    for (const CaptureProgram& program : draw.programs) stages += std::string(program.stage) + " ";
    programs.push_back(stages);
    return draws.size() < most_draws;
  }
  bool picture(const CapturePicture& picture) override {
    EXPECT_TRUE(picture.address != 0 || picture.name == "depth");
    EXPECT_FALSE(picture.bytes.empty());
    auto& list = picture.draw ? targets : pictures;
    EXPECT_EQ(picture.draw.value_or(draws.size() - 1) + 1, draws.size());
    list.push_back(std::string(picture.name) + " " + std::string(picture.pixels.size(), '#'));
    bytes.emplace_back(picture.bytes.begin(), picture.bytes.end());
    pixels.emplace_back(picture.pixels.begin(), picture.pixels.end());
    if (picture.compared) compared.push_back(*picture.compared);
    return true;
  }

  CaptureInterest wanted;
  std::size_t frame = 0, most_draws = SIZE_MAX;
  std::vector<std::string> jobs, job_programs, draws, programs, pictures, targets;
  std::vector<std::vector<std::byte>> bytes, pixels;
  std::vector<CaptureComparison> compared;
};

Result<Capture> load(std::span<const std::byte> bytes) { return Capture::load(bytes, "frame"); }

ChainRun run_of(const Capture& capture, EngineKind kind = EngineKind::jit,
                const CaptureInterest& wanted = {}) {
  ChainRun seen(wanted);
  RunOptions options;
  options.engine = kind;
  const Status status = capture.run(Engine(), seen, options);
  EXPECT_TRUE(status.ok()) << (status ? std::string() : to_string(status.error()));
  return seen;
}

void add_chains(DumpTextWriter& writer, const valhall::CaptureFile& file) {
  valhall::add_chains(writer, file, file.image);
}

TEST(ChainCapture, ShowsWhatARunDoes) {
  const auto capture = load(seed("triangle.wjcap"));
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  EXPECT_EQ(capture->isa(), Isa::valhall);
  EXPECT_EQ(capture->frames(), 1u);
  EXPECT_EQ(capture->jobs(), 2u);
  const ChainRun jit = run_of(*capture), guest = run_of(*capture, EngineKind::guest);
  EXPECT_EQ(jit.jobs.size(), 2u);
  EXPECT_EQ(jit.jobs[0].find("malloc vertex at 0x"), 0u) << jit.jobs[0];
  EXPECT_EQ(jit.draws, std::vector<std::string>{"triangles of 3 vertices"});
  EXPECT_NE(jit.programs[0].find("fragment"), std::string::npos);
  EXPECT_FALSE(jit.pictures.empty());
  EXPECT_EQ(jit.pixels, guest.pixels);
  EXPECT_EQ(jit.bytes, guest.bytes);
  // A run leaves the capture as it was.
  EXPECT_EQ(run_of(*capture).bytes, jit.bytes);
  // The pictures are those of the guest's own class.
  struct Own final : valhall::CaptureVisitor {
    bool picture(const valhall::CapturePicture& picture) override {
      pixels.emplace_back(picture.pixels.begin(), picture.pixels.end());
      return true;
    }
    std::vector<std::vector<std::byte>> pixels;
  } own;
  auto other = valhall::Capture::load(seed("triangle.wjcap"), "frame");
  ASSERT_TRUE(other.ok() && other->run(Engine(), own).ok());
  EXPECT_EQ(own.pixels, jit.pixels);
}

TEST(ChainCapture, ShowsTargetsAfterEachDraw) {
  for (const char* name : {"triangle.wjcap", "samples.wjcap", "state.wjcap"}) {
    const auto capture = load(seed(name));
    ASSERT_TRUE(capture.ok()) << to_string(capture.error());
    const CaptureInterest all{.draws = true, .targets_of_draws = true};
    const ChainRun jit = run_of(*capture, EngineKind::jit, all), ir = run_of(*capture, EngineKind::ir, all),
                   none = run_of(*capture);
    EXPECT_FALSE(jit.targets.empty()) << name;
    EXPECT_TRUE(none.targets.empty());
    EXPECT_EQ(jit.targets, ir.targets);
    EXPECT_EQ(jit.bytes, ir.bytes);
    EXPECT_EQ(jit.pictures, none.pictures);
  }
}

TEST(ChainCapture, CanDoWithoutVertices) {
  if (const auto bytes =
          tests::unpacked(tests::corpus_file("valhall/drivers/25.0.7-fs_phong/frame.wjcap.xz"));
      !bytes.empty()) {
    const auto capture = load(bytes);
    ASSERT_TRUE(capture.ok()) << to_string(capture.error());
    tests::expect_fewer_vertices(*capture);
  }
}

TEST(ChainCapture, EndsWhereTheVisitorSaysSo) {
  const auto capture = load(seed("triangle.wjcap"));
  ASSERT_TRUE(capture.ok());
  ChainRun seen;
  seen.most_draws = 1;
  EXPECT_TRUE(capture->run(Engine(), seen).ok());
  EXPECT_EQ(seen.draws.size(), 1u);
  EXPECT_TRUE(seen.pictures.empty());
  EXPECT_EQ(seen.jobs.size(), 1u);
}

TEST(ChainCapture, ReadsTextsOfOneRun) {
  const std::vector<std::byte> bytes = seed("triangle.wjcap");
  const auto file = valhall::read_capture(bytes, "frame");
  const auto whole = load(bytes);
  ASSERT_TRUE(file.ok() && whole.ok());
  for (const DumpDialect dialect : valhall::kDialects) {
    DumpTextWriter first(dialect), second(dialect);
    add_chains(first, *file);
    add_chains(second, *file);
    const CaptureBytes files[] = {{first.bytes(), "run.0000"}, {second.bytes(), "run.0001"}};
    const auto capture = Capture::load(files);
    ASSERT_TRUE(capture.ok()) << to_string(capture.error());
    EXPECT_EQ(capture->frames(), 2u);
    EXPECT_EQ(capture->jobs(), 4u);
    EXPECT_EQ(capture->product(), 0x9093u);
    ASSERT_FALSE(capture->notes().empty());
    EXPECT_NE(capture->notes()[0].find("Mali-G57"), std::string::npos);
    const ChainRun wanted = run_of(*whole), seen = run_of(*capture);
    ASSERT_EQ(seen.pixels.size(), 2 * wanted.pixels.size());
    EXPECT_TRUE(std::equal(wanted.pixels.begin(), wanted.pixels.end(), seen.pixels.begin()));
    EXPECT_EQ(seen.frame, 1u);
  }
}

std::vector<std::byte> file_of(const Capture& capture) {
  std::vector<std::byte> bytes;
  EXPECT_TRUE(capture.write(tests::append, &bytes).ok());
  return bytes;
}

// Two frames whose chains have other memory at the same addresses: the second clears to another colour.
std::vector<std::byte> two_frames() {
  const std::vector<std::byte> bytes = seed("triangle.wjcap");
  auto file = valhall::read_capture(bytes, "frame"), other = valhall::read_capture(bytes, "frame");
  EXPECT_TRUE(file.ok() && other.ok());
  change_clear_color(*other);
  DumpTextWriter writer(DumpDialect::newer);
  add_chains(writer, *file);
  add_chains(writer, *other);
  return {writer.bytes().begin(), writer.bytes().end()};
}

TEST(ChainCapture, WrittenFilesDrawTheSame) {
  const std::vector<std::byte> text = two_frames();
  auto capture = load(text);
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  const CaptureName name{CaptureName::Of::address, 0x200001000, "first job"};
  ASSERT_TRUE(capture->set_names(std::span(&name, 1)).ok());
  const std::vector<std::byte> bytes = file_of(*capture);
  const auto again = load(bytes);
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  const ChainRun wanted = run_of(*capture), seen = run_of(*again);
  EXPECT_EQ(wanted.pixels.size(), 4u);
  EXPECT_NE(wanted.pixels[0], wanted.pixels[2]);
  EXPECT_EQ(seen.pixels, wanted.pixels);
  EXPECT_EQ(seen.bytes, wanted.bytes);
  EXPECT_EQ(again->frames(), 2u);
  EXPECT_EQ(again->product(), 0x9093u);
  EXPECT_EQ(std::vector(again->notes().begin(), again->notes().end()),
            std::vector(capture->notes().begin(), capture->notes().end()));
  ASSERT_EQ(again->names().size(), 1u);
  EXPECT_EQ(again->names()[0].text, "first job");
  EXPECT_EQ(file_of(*again), bytes);
  // Only what changed is stored: the second frame has the colour and no more.
  EXPECT_LT(bytes.size(), file_of(*load(seed("triangle.wjcap"))).size() + 600);
}

// A compute job before a draw; its buffer is freed, and the draw's buffer lies at the same address.
TEST(ChainCapture, ComputeBeforeADraw) {
  const std::vector<std::byte> bytes = seed("triangle.wjcap");
  const auto file = valhall::read_capture(bytes, "frame");
  const std::vector<std::byte> records = valhall::source_bytes("fuzz/corpus/valhall_image/compute");
  const auto compute = valhall::Image::read(records, "compute");
  ASSERT_TRUE(file.ok() && compute.ok());
  const valhall::ImageWindow& window = compute->windows()[0];
  ASSERT_EQ(window.address(), file->image.windows()[0].address());
  const ChainRun wanted = run_of(*load(bytes));
  for (const DumpDialect dialect : valhall::kDialects) {
    DumpTextWriter writer(dialect);
    writer.job(window.address(), "Compute");
    writer.buffer(window.address(), window.bytes());
    add_chains(writer, *file);
    const auto capture = load(writer.bytes());
    ASSERT_TRUE(capture.ok()) << to_string(capture.error());
    const auto again = load(file_of(*capture));
    ASSERT_TRUE(again.ok()) << to_string(again.error());
    for (const Capture* one : {&*capture, &*again}) {
      EXPECT_EQ(one->frames(), 1u);
      const ChainRun seen = run_of(*one), guest = run_of(*one, EngineKind::guest);
      ASSERT_FALSE(seen.jobs.empty());
      EXPECT_EQ(seen.jobs[0], "compute at 0x200001000");
      EXPECT_FALSE(seen.job_programs.empty());
      EXPECT_EQ(seen.job_programs[0], "compute");
      EXPECT_EQ(seen.pixels, wanted.pixels);
      EXPECT_EQ(seen.bytes, guest.bytes);
    }
  }
}

TEST(ChainCapture, CutFilesAreRefused) {
  const std::vector<std::byte> bytes = file_of(*load(two_frames()));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = load(std::span(bytes).first(size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_FALSE(cut.error().message.empty());
  }
  EXPECT_TRUE(load(bytes).ok());
}

// Sections that lie.
TEST(ChainCapture, LyingFilesAreRefused) {
  using capture::Numbers;
  using capture::SectionKind;
  using capture::SectionWriter;
  const auto error_of = [](auto&& write) {
    std::vector<std::byte> bytes;
    SectionWriter file(tests::append, &bytes, capture::FileGuest::valhall, 0x9093);
    Numbers memory;
    const std::vector<std::byte> contents(64, std::byte{1});
    file.write(SectionKind::memory, 1, memory.long_word(0x200001000).long_word(64).bytes(), contents);
    write(file);
    EXPECT_TRUE(file.finish().ok());
    const auto read = load(bytes);
    return read ? std::string("none") : to_string(read.error());
  };
  const auto section = [](SectionKind kind, std::uint32_t flags, std::initializer_list<std::uint64_t> words) {
    return [kind, flags, words = std::vector(words)](SectionWriter& file) {
      Numbers numbers;
      for (const std::uint64_t word : words) numbers.long_word(word);
      file.write(kind, flags, numbers.bytes());
    };
  };
  // The first section lies at byte 0x20 and has 0x60 bytes.
  const auto expect = [&](auto&& write, const std::string& part) {
    const std::string error = error_of(write);
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect([](SectionWriter&) {}, "names no chain of jobs");
  expect(section(SectionKind::chain, 0, {}),
         "frame, byte 0x88: the section of a chain has 0x0 bytes, expected 0x8");
  expect(section(SectionKind::chain, 0, {0x1000, 0}), "has 0x10 bytes, expected 0x8");
  expect(section(SectionKind::chain, 0, {0x500000000}), "0x500000000 are outside of the image");
  expect(section(SectionKind::memory_zero, 0, {0x200001010, 8}), "byte 0x90: the memory lies over that of");
  expect(section(SectionKind::memory_zero, 0, {~std::uint64_t{0}, 8}), "byte 0x90: 0x8 bytes at 0xff");
  expect(section(SectionKind::memory_zero, 0, {0x300000000, std::uint64_t{1} << 32}), "more than 0x40000000");
  expect(section(SectionKind::memory_zero, 0, {0x240001000, 8}), "from the lowest to the highest");
  expect(section(SectionKind::memory_again, 0, {0x300000000, 0x40, 0x90, 0}),
         "do not lie before the section");
  expect(section(SectionKind::commands, 0, {0}),
         "byte 0x80: a section of kind 6, which captures of a Valhall");
  expect(section(SectionKind::frame_end, 0, {}), "a section of kind 11");
  expect(
      [&](SectionWriter& file) {
        for (std::uint64_t high = 3; high < 7; ++high)
          section(SectionKind::memory_zero, 0, {high << 32, 8})(file);
      },
      "byte 0xe0: records at more than four high words");
  expect(
      [&](SectionWriter& file) {
        for (int n = 0; n <= 4096; ++n) section(SectionKind::chain, 0, {0x200001000})(file);
      },
      "more than 4096 chains");
  const auto chain = section(SectionKind::chain, 0, {0x200001000});
  const auto target = [&](std::initializer_list<std::uint64_t> words) {
    return [&, words = std::vector(words)](SectionWriter& file) {
      chain(file);
      Numbers numbers;
      for (const std::uint64_t word : words) numbers.long_word(word);
      file.write(SectionKind::expected_target, 0, numbers.bytes());
    };
  };
  expect(target({0x1000, 8}), "an expected target has 0x10 bytes, expected at least 0x20");
  expect(target({0x1000, 0, 0, 0}), "byte 0xb8: the target has 0x0 bytes, expected 0x0, and at least one");
  expect(target({0x1000, ~std::uint64_t{0}, 0, 0, 0}), "bytes, expected 0x8, and at least one");
  expect(target({0x1000, 8, std::uint64_t{8} << 32, 0, 0}), "the target is 8, expected 0 to 7");
  expect(target({0x1000, 8, 0, 256, 0}), "the tolerance is 256");
  // After a chain, memory is a change, of which more than 1 GiB is too much.
  expect(
      [&](SectionWriter& file) {
        section(SectionKind::chain, 0, {0x200001000})(file);
        for (int n = 0; n < 3; ++n) section(SectionKind::memory_zero, 0, {0x200001000, 0x1ff00000})(file);
      },
      "the jobs load more than 0x40000000 bytes");
}

// Addresses that changes alone name read 0 at first, between the memory that is there.
TEST(ChainCapture, ChangesMayNameMemoryOfTheirOwn) {
  const std::vector<std::byte> bytes = file_of(*load(seed("triangle.wjcap")));
  const CaptureBytes whole{bytes, "frame"};
  auto file = valhall::load_captures(std::span(&whole, 1));
  ASSERT_TRUE(file.ok());
  const std::uint64_t end = file->image.windows()[0].address() + file->image.windows()[0].size();
  const std::vector<std::byte> ones(0x30, std::byte{1});
  file->changes.resize(2);
  file->changes[1].list.push_back({end - 0x10, 0x30, ones});
  file->changes[1].list.push_back({end + 0x100, 0x10, {}});
  std::vector<std::byte> changed;
  ASSERT_TRUE(write_capture(*file, tests::append, &changed).ok());
  const CaptureBytes other{changed, "frame"};
  auto read = valhall::load_captures(std::span(&other, 1));
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(*read->image.u8(end + 0x10), 0u);
  EXPECT_EQ(*read->image.u8(end + 0x10f), 0u);
  ASSERT_EQ(read->changes.size(), 2u);
  apply_changes(read->changes[1], read->image);
  EXPECT_EQ(*read->image.u8(end - 0x10), 1u);
  EXPECT_EQ(*read->image.u8(end + 0x1f), 1u);
  EXPECT_EQ(*read->image.u8(end + 0x20), 0u);
}

// A text as hardware would write it: after the fragment job its target is what was drawn. `change` of a byte of
// the target's second pixel.
std::vector<std::byte> drawn_text(DumpDialect dialect, unsigned change) {
  const std::vector<std::byte> bytes = seed("triangle.wjcap");
  auto file = valhall::read_capture(bytes, "frame");
  const auto frames = valhall::ChainFrames::make(*valhall::read_capture(bytes, "frame"));
  EXPECT_TRUE(file.ok() && frames.ok());
  ChainRun seen;
  EXPECT_TRUE((*frames)->run(Engine(), seen, {}, file->image).ok());
  const auto jobs = read_jobs(file->image, file->chains[1].address);
  const auto framebuffer = read_framebuffer(file->image, jobs->front());
  const auto target = file->image.find_writable(framebuffer->targets[0].memory, 16);
  (*target)[4] ^= static_cast<std::byte>(change);
  DumpTextWriter writer(dialect);
  add_chains(writer, *file);
  return {writer.bytes().begin(), writer.bytes().end()};
}

TEST(ChainCapture, ComparesWithWhatHardwareHasDrawn) {
  for (const DumpDialect dialect : valhall::kDialects) {
    // Two is within the tolerance, four is not.
    for (const unsigned change : {0u, 2u, 4u}) {
      const std::vector<std::byte> text = drawn_text(dialect, change);
      const CaptureBytes one{text, "run.0000"};
      auto file = valhall::load_captures(std::span(&one, 1), {}, true);
      ASSERT_TRUE(file.ok()) << to_string(file.error());
      ASSERT_EQ(file->expected.size(), 1u);
      EXPECT_EQ(file->expected[0].job, 1u);
      EXPECT_EQ(file->expected[0].tolerance, 2u);
      std::vector<std::byte> bytes;
      ASSERT_TRUE(write_capture(*file, tests::append, &bytes).ok());
      const auto again = load(bytes);
      ASSERT_TRUE(again.ok()) << to_string(again.error());
      const ChainRun seen = run_of(*again);
      ASSERT_EQ(seen.compared.size(), 1u);
      EXPECT_NE(seen.compared[0].units, 0u);
      EXPECT_EQ(seen.compared[0].differ, change == 0 ? 0u : 1u);
      EXPECT_EQ(seen.compared[0].holds(), change < 4);
      EXPECT_EQ(file_of(*again), bytes);
      file->expected[0].job = 7;
      std::vector<std::byte> lying;
      ASSERT_TRUE(write_capture(*file, tests::append, &lying).ok());
      const auto refused = load(lying);
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error().message, "a target of job 7 is expected, and there are 2 jobs");
      // Without the user's word a text says nothing.
      EXPECT_TRUE(run_of(*load(text)).compared.empty());
    }
  }
  const std::vector<std::byte> bytes = seed("triangle.wjcap");
  const CaptureBytes one{bytes, "frame"};
  EXPECT_FALSE(valhall::load_captures(std::span(&one, 1), {}, true).ok());
}

// Windows that begin, end or are filled with zeros; what lies between pieces has no bytes and no size.
TEST(ChainCapture, ZerosOfMemoryAreKeptApart) {
  std::vector<valhall::ImagePiece> pieces;
  const std::vector<std::byte> ones(0x1800, std::byte{1});
  pieces.push_back({.address = 0x1008, .size = 0x2000, .bytes = {}, .at = 0});
  pieces.push_back({.address = 0x38000800, .size = ones.size(), .bytes = ones, .at = 0});
  pieces.push_back({.address = 0x38003000, .size = 8, .bytes = {}, .at = 0});
  pieces.push_back({.address = 0x100001000, .size = 8, .bytes = {}, .at = 0});
  pieces.push_back({.address = 0x200001000, .size = 0x38000000, .bytes = {}, .at = 0});
  auto image = valhall::Image::make(pieces, "image");
  ASSERT_TRUE(image.ok()) << to_string(image.error());
  valhall::CaptureFile file;
  file.image = std::move(*image);
  file.chains = {{0x1008, false}};
  std::vector<std::byte> bytes;
  ASSERT_TRUE(write_capture(file, tests::append, &bytes).ok());
  EXPECT_LT(bytes.size(), 0x2200u);
  const CaptureBytes whole{bytes, "frame"};
  const auto read = valhall::load_captures(std::span(&whole, 1));
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  ASSERT_EQ(read->image.windows().size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) {
    const valhall::ImageWindow &was = file.image.windows()[n], &is = read->image.windows()[n];
    EXPECT_EQ(is.address(), was.address());
    ASSERT_EQ(is.size(), was.size());
    EXPECT_EQ(std::memcmp(is.bytes().data(), was.bytes().data(), was.size()), 0);
  }
}

// Texts of real drivers as files of version 2: the memory that an independent recorder saw, byte by byte, and the
// pictures of another driver.
TEST(ChainCapture, RealTextsBecomeFiles) {
  if (!tests::has_whole_corpus()) GTEST_SKIP();
  const std::size_t count =
      valhall::each_real_text([](const std::string& folder, const std::vector<std::byte>& text) {
        const auto imported = load(text);
        ASSERT_TRUE(imported.ok()) << to_string(imported.error());
        const std::vector<std::byte> bytes = file_of(*imported);
        const CaptureBytes whole{bytes, "frame"};
        auto file = valhall::load_captures(std::span(&whole, 1));
        ASSERT_TRUE(file.ok()) << to_string(file.error());
        valhall::expect_recorded_memory(folder, *file);
        const auto again = load(bytes);
        ASSERT_TRUE(again.ok());
        const ChainRun seen = run_of(*again), guest = run_of(*again, EngineKind::guest);
        EXPECT_EQ(seen.bytes, guest.bytes);
        valhall::expect_reference(folder, seen.pixels.at(0));
      });
  EXPECT_EQ(count, 9u);
}

TEST(ChainCapture, WhatNamesNoJobsIsRefused) {
  std::vector<std::byte> records(24);
  records[0] = std::byte{0x10};
  records[8] = std::byte{8};
  const auto error = load(records);
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.error().code, ErrorCode::bad_input);
  EXPECT_NE(error.error().message.find("--job"), std::string::npos) << to_string(error.error());
  records.resize(20);
  const auto other = load(records);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("does not begin with WJC1"), std::string::npos);
  EXPECT_FALSE(load({}).ok());
  const std::vector<std::byte> bytes = seed("triangle.wjcap");
  const CaptureBytes two[] = {{bytes, "a"}, {bytes, "b"}};
  EXPECT_FALSE(Capture::load(two).ok());
  EXPECT_FALSE(Capture::load(std::span<const CaptureBytes>()).ok());
}

// Chains, draws, pages and what is expected can be left out, and what is left is a file.
TEST(ChainCapture, DoesWithoutParts) {
  const auto capture = Capture::load(seed("triangle.wjcap"), "triangle.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  const std::shared_ptr<const capture::Frames> frames = capture->state().frames;
  ChainRun whole;
  ASSERT_TRUE(frames->run(Engine(), whole, {}).ok());
  ASSERT_GE(whole.draws.size(), 1u);
  for (const capture::Part part : {capture::Part::job, capture::Part::draw, capture::Part::memory}) {
    const std::size_t count = frames->parts(part);
    ASSERT_NE(count, 0u);
    const auto same = frames->without(part, std::vector<bool>(count));
    ASSERT_NE(same, nullptr);
    ChainRun again;
    ASSERT_TRUE(same->run(Engine(), again, {}).ok());
    EXPECT_EQ(again.draws, whole.draws);
    EXPECT_EQ(again.pictures, whole.pictures);
  }
  const auto without_draws =
      frames->without(capture::Part::draw, std::vector<bool>(frames->parts(capture::Part::draw), true));
  ASSERT_NE(without_draws, nullptr);
  ChainRun none;
  ASSERT_TRUE(without_draws->run(Engine(), none, {}).ok());
  EXPECT_TRUE(none.draws.empty());
  EXPECT_EQ(without_draws->info().jobs, frames->info().jobs);
  EXPECT_EQ(frames->without(capture::Part::job, std::vector<bool>(frames->parts(capture::Part::job), true)),
            nullptr);
  const auto one_chain = frames->without(capture::Part::job, {false, true});
  ASSERT_NE(one_chain, nullptr);
  EXPECT_LT(one_chain->info().jobs, frames->info().jobs);
}

}  // namespace
}  // namespace warpjit
