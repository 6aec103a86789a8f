// Captures of version 2 that are cut, or lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <vector>

#include "capture/known_bytes.h"
#include "capture/memory_writer.h"
#include "capture/pica200/scene_machine.h"
#include "hostile_bytes.h"
#include "support/resident_bytes.h"
#include "support/same_bytes.h"

namespace warpjit::tests {
namespace {

using capture::Numbers;
using capture::SectionKind;
using capture::SectionWriter;

std::vector<std::byte> some_bytes(std::size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>((seed = seed * 1664525 + 1013904223) >> 24);
  return bytes;
}

// One of everything.
pica200::Scene small_scene() {
  pica200::Scene scene;
  scene.memory.push_back({0x20000000, some_bytes(0x80, 1)});
  scene.memory.push_back({0x18000000, std::vector<std::byte>(0x40)});
  scene.registers = {{0x40, 3}, {0x41, 4}};
  scene.jobs.emplace_back(
      pica200::StateLoad{std::make_shared<const std::vector<std::byte>>(some_bytes(20, 2)), false});
  scene.jobs.emplace_back(pica200::MemoryFill{0x18000000, 0x18000020, 0x12345678, 0x200});
  scene.jobs.emplace_back(
      pica200::make_load(0x20000004, std::make_shared<const std::vector<std::byte>>(some_bytes(8, 3))));
  scene.jobs.emplace_back(pica200::CommandList{0x20000000, 16});
  scene.jobs.emplace_back(pica200::DisplayTransfer{1, 2, 3, 4, 5});
  scene.jobs.emplace_back(pica200::TextureCopy{1, 2, 3, 4, 5});
  scene.frame_ends = {6};
  scene.outputs.push_back({.name = "words",
                           .address = 0x18000000,
                           .size = 0x20,
                           .tolerance = 0,
                           .layout = pica200::SceneOutput::Layout::bytes,
                           .width = 0,
                           .height = 0,
                           .format = 0,
                           .expected = some_bytes(0x20, 4)});
  scene.texts.names.push_back({CaptureName::Of::address, 0x18000000, "colours"});
  scene.texts.notes.emplace_back("a note");
  return scene;
}

TEST(SectionFile, KeepsEverything) {
  const pica200::Scene scene = small_scene();
  const auto again = read(written(scene));
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  ASSERT_EQ(again->memory.size(), 2u);
  EXPECT_EQ(again->memory[0].address, 0x18000000u);
  EXPECT_EQ(again->memory[0].bytes, scene.memory[1].bytes);
  EXPECT_EQ(again->memory[1].bytes, scene.memory[0].bytes);
  ASSERT_EQ(again->registers.size(), 2u);
  EXPECT_EQ(again->registers[1].id, 0x41u);
  EXPECT_EQ(again->registers[1].value, 4u);
  ASSERT_EQ(again->jobs.size(), scene.jobs.size());
  for (std::size_t n = 0; n < scene.jobs.size(); ++n)
    EXPECT_EQ(again->jobs[n].index(), scene.jobs[n].index()) << n;
  const auto& load = std::get<pica200::MemoryLoad>(again->jobs[2]);
  EXPECT_EQ(load.address, 0x20000004u);
  EXPECT_TRUE(same_bytes(load.bytes, std::get<pica200::MemoryLoad>(scene.jobs[2]).bytes));
  EXPECT_EQ(std::get<pica200::MemoryFill>(again->jobs[1]).control, 0x200u);
  EXPECT_EQ(std::get<pica200::DisplayTransfer>(again->jobs[4]).flags, 5u);
  EXPECT_EQ(std::get<pica200::TextureCopy>(again->jobs[5]).output_line, 5u);
  EXPECT_EQ(again->frame_ends, scene.frame_ends);
  ASSERT_EQ(again->outputs.size(), 1u);
  EXPECT_EQ(again->outputs[0].name, "words");
  EXPECT_EQ(again->outputs[0].expected, scene.outputs[0].expected);
  ASSERT_EQ(again->texts.names.size(), 1u);
  EXPECT_EQ(again->texts.names[0].text, "colours");
  EXPECT_EQ(again->texts.notes, scene.texts.notes);
  // Written again, it is the same file, but for the order of pieces.
  EXPECT_EQ(written(*again).size(), written(scene).size());
}

TEST(SectionFile, CutAnywhereIsRefusedAtAByte) {
  const std::vector<std::byte> bytes = written(small_scene());
  ASSERT_GT(bytes.size(), 500u);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = read({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_NE(cut.error().where.find("file.wjcap, byte 0x"), std::string::npos) << cut.error().where;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back({});
  EXPECT_FALSE(read(longer).ok());
}

// Whatever a byte is: a file, or an error with its byte, and no more memory than the limit.
TEST(SectionFile, AnyByteMayLie) {
  const std::vector<std::byte> bytes = written(small_scene());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned value : {0x00u, 0x01u, 0x7Fu, 0x80u, 0xFFu}) {
      std::vector<std::byte> spoilt = bytes;
      spoilt[at] = static_cast<std::byte>(value);
      const auto scene = read(spoilt, {.memory = 1 << 16, .loads = 1 << 16});
      if (scene) continue;
      ++refused;
      EXPECT_FALSE(scene.error().message.empty());
      EXPECT_NE(scene.error().where.find("byte 0x"), std::string::npos) << scene.error().where;
    }
  EXPECT_GT(refused, bytes.size());
}

// A file with one section, whose numbers are `words`.
std::vector<std::byte> file_of(SectionKind kind, std::initializer_list<std::uint64_t> words,
                               std::uint32_t flags = 0) {
  std::vector<std::byte> bytes;
  SectionWriter file(append, &bytes, capture::FileGuest::pica200);
  Numbers numbers;
  for (const std::uint64_t word : words) numbers.long_word(word);
  file.write(kind, flags, numbers.bytes());
  EXPECT_TRUE(file.finish().ok());
  return bytes;
}

std::string error_of(std::vector<std::byte> bytes) {
  const auto scene = read(std::move(bytes));
  return scene ? "none" : scene.error().message + " (" + scene.error().where + ")";
}

TEST(SectionFile, ErrorsNameTheByteAndWhatWasExpected) {
  EXPECT_EQ(error_of(file_of(SectionKind::memory_zero, {0x20000000, 0})),
            "0x0 bytes at 0x20000000, expected at least one below 2^32 (file.wjcap, byte 0x30)");
  EXPECT_EQ(error_of(file_of(SectionKind::memory_zero, {0xFFFFFFFF, 2})),
            "0x2 bytes at 0xffffffff, expected at least one below 2^32 (file.wjcap, byte 0x30)");
  EXPECT_EQ(error_of(file_of(SectionKind::memory_zero, {~std::uint64_t{0}, ~std::uint64_t{0}})),
            "0xffffffffffffffff bytes at 0xffffffffffffffff, expected at least one below 2^32 "
            "(file.wjcap, byte 0x30)");
  EXPECT_EQ(error_of(file_of(SectionKind::memory, {0x20000000, 0x1000})),
            "the section of memory has 0x10 bytes, expected 0x1010 (file.wjcap, byte 0x28)");
  // What is named again lies before, so that nothing goes in a circle.
  EXPECT_EQ(error_of(file_of(SectionKind::memory_again, {0x20000000, 0x20, 0x20, 0})),
            "0x20 bytes at byte 0x20 do not lie before the section (file.wjcap, byte 0x40)");
  EXPECT_EQ(error_of(file_of(SectionKind::memory_again, {0x20000000, 0x20, ~std::uint64_t{0}, 0})),
            "0x20 bytes at byte 0xffffffffffffffff do not lie before the section (file.wjcap, "
            "byte 0x40)");
  EXPECT_EQ(error_of(file_of(SectionKind::memory_zero, {0, 0x80000000})),
            "the memory has more than 0x20000000 bytes (file.wjcap, byte 0x0)");
  EXPECT_EQ(error_of(file_of(SectionKind::registers, {0x300})),
            "register 0x300, expected at most 0x2ff (file.wjcap, byte 0x30)");
  EXPECT_EQ(error_of(file_of(SectionKind::fill, {1, 2, 3})),
            "the section of a fill has 0x18 bytes, expected 0x10 (file.wjcap, byte 0x28)");
}

TEST(SectionFile, MemoryThatLiesOverOtherMemoryIsRefused) {
  std::vector<std::byte> bytes;
  SectionWriter file(append, &bytes, capture::FileGuest::pica200);
  for (const std::uint64_t address : {0x20001000u, 0x20003000u, 0x20000000u}) {
    Numbers numbers;
    file.write(SectionKind::memory_zero, 0, numbers.long_word(address).long_word(0x1001).bytes());
  }
  ASSERT_TRUE(file.finish().ok());
  EXPECT_EQ(error_of(bytes), "the memory lies over that of the section at byte 0x20 (file.wjcap, byte 0x70)");
}

TEST(SectionFile, KindsThatMustBeKnownAreRefused) {
  const auto kind = static_cast<SectionKind>(99);
  EXPECT_EQ(error_of(file_of(kind, {1})), "none");
  EXPECT_EQ(error_of(file_of(kind, {1}, capture::kMustKnow)),
            "a section of kind 99, expected 1 to 23 (file.wjcap, byte 0x20)");
}

TEST(SectionFile, OtherGuestsAndVersionsAreRefusedByName) {
  std::vector<std::byte> bytes = written(small_scene());
  bytes[8] = std::byte{3};
  EXPECT_EQ(error_of(bytes), "the capture is of another guest than a PICA200 (file.wjcap, byte 0x8)");
  bytes[8] = std::byte{9};
  EXPECT_EQ(error_of(bytes),
            "guest is 9, expected 1 (PICA200), 2 (Tesla), 3 (USSE) or 4 (Valhall) (file.wjcap, "
            "byte 0x8)");
  bytes[4] = std::byte{3};
  EXPECT_EQ(error_of(bytes), "version is 3, expected 2 (file.wjcap, byte 0x4)");
  bytes[0] = std::byte{0};
  EXPECT_EQ(error_of(bytes), "the file does not begin with WJC1 and a version (file.wjcap, byte 0x0)");
}

TEST(SectionFile, EqualPagesAreStoredOnce) {
  pica200::Scene scene;
  const std::vector<std::byte> page = some_bytes(capture::kPageBytes, 5);
  std::vector<std::byte> pages;
  for (unsigned n = 0; n < 64; ++n) pages.insert(pages.end(), page.begin(), page.end());
  scene.memory.push_back({0x20000000, pages});
  const std::vector<std::byte> bytes = written(scene);
  EXPECT_LT(bytes.size(), 3 * capture::kPageBytes);
  const auto again = read(bytes);
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_EQ(again->memory[0].bytes, scene.memory[0].bytes);
}

// A file that names some bytes again and again, at other addresses.
std::vector<std::byte> repeated(std::size_t size, std::uint64_t times) {
  std::vector<std::byte> bytes;
  SectionWriter file(append, &bytes, capture::FileGuest::pica200);
  Numbers numbers;
  const std::uint64_t place =
      file.write(SectionKind::memory, 0, numbers.long_word(0x20000000).long_word(size).bytes(),
                 some_bytes(size, 9)) +
      16;
  for (std::uint64_t n = 1; n < times; ++n) {
    numbers.clear();
    numbers.long_word(0x20000000 + n * size).long_word(size).long_word(place).long_word(0);
    file.write(SectionKind::memory_again, 0, numbers.bytes());
  }
  EXPECT_TRUE(file.finish().ok());
  return bytes;
}

TEST(SectionFile, MemoryHasALimitByTheBytesOfTheFile) {
  constexpr std::size_t kBytes = 0x10000;
  const auto some = read(repeated(kBytes, 100));
  ASSERT_TRUE(some.ok()) << to_string(some.error());
  EXPECT_EQ(some->memory[0].bytes.size(), 100 * kBytes);
  const auto many = read(repeated(kBytes, 200));
  ASSERT_FALSE(many.ok());
  EXPECT_EQ(many.error().code, ErrorCode::resource_limit);
  EXPECT_EQ(many.error().message, "the file names its bytes again as more than 128 times as much memory");
  // Files that are written here stay far below it, also those of repeated pages.
  const std::vector<std::byte> pattern = some_bytes(3 * capture::kPageBytes, 3);
  std::vector<std::byte> pages;
  for (unsigned n = 0; n < 1000; ++n) pages.insert(pages.end(), pattern.begin(), pattern.end());
  pica200::Scene scene;
  scene.memory.push_back({0x20000000, pages});
  const auto again = read(written(scene));
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_TRUE(again->memory[0].bytes == scene.memory[0].bytes);
}

// As many zeros as a file may have: what is read, and what runs on it, takes the memory of what is written there.
TEST(SectionFile, ZerosTakeNoMemory) {
#if WARPJIT_SANITIZED
  GTEST_SKIP() << "sanitizers keep notes of all memory";
#endif
  std::vector<std::byte> bytes;
  SectionWriter file(append, &bytes, capture::FileGuest::pica200);
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 29;
  const auto write = [&](std::uint32_t flags, std::uint64_t address, std::uint64_t size) {
    Numbers numbers;
    file.write(SectionKind::memory_zero, flags, numbers.long_word(address).long_word(size).bytes());
  };
  write(0, 0x20000000, kBytes);
  Numbers fill;
  file.write(SectionKind::fill, 0,
             fill.word(0x20000000).word(0x20000100).word(0x12345678).word(0x200).bytes());
  write(0, 0x20000000, kBytes);
  ASSERT_TRUE(file.finish().ok());
  const std::size_t before = resident_bytes();
  const auto scene = read(bytes);
  ASSERT_TRUE(scene.ok()) << to_string(scene.error());
  const auto machine = pica200::SceneMachine::make(*scene, "file.wjcap");
  ASSERT_TRUE(machine.ok()) << to_string(machine.error());
  for (unsigned frame = 0; frame < 2; ++frame) {
    ASSERT_TRUE((*machine)->begin().ok());
    ASSERT_TRUE((*machine)->run_job(0, Engine(), {}).ok());
    EXPECT_NE((*machine)->memory()[0].bytes[0], std::byte{0});
    ASSERT_TRUE((*machine)->run_job(1, Engine(), {}).ok());
    EXPECT_EQ((*machine)->memory()[0].bytes[0], std::byte{0});
  }
  if (before != 0) {
    EXPECT_LT(resident_bytes(), before + kBytes / 8);
  }
}

// Many small pieces, which a GPU could not have, become fewer.
TEST(SectionFile, SmallGapsBetweenPiecesAreFilled) {
  std::vector<std::byte> bytes;
  SectionWriter file(append, &bytes, capture::FileGuest::pica200);
  for (std::uint64_t n = 0; n < 200; ++n) {
    Numbers numbers;
    file.write(SectionKind::memory_zero, 0,
               numbers.long_word(0x10000000 * (1 + n % 2) + n * 0x2000).long_word(0x1000).bytes());
  }
  ASSERT_TRUE(file.finish().ok());
  const auto scene = read(bytes);
  ASSERT_TRUE(scene.ok()) << to_string(scene.error());
  EXPECT_LE(scene->memory.size(), pica200::kMaxMemoryRanges);
}

// Four times the sections take four times as long: the least of several runs.
TEST(SectionFile, LoadingTakesTimeInProportion) {
  const auto file_with = [](std::size_t count) {
    std::vector<std::byte> bytes;
    SectionWriter file(append, &bytes, capture::FileGuest::pica200);
    capture::MemoryWriter memory(file);
    for (std::size_t n = 0; n < count; ++n) {
      memory.write(0x20000000 + n * 0x100, some_bytes(0x80, static_cast<unsigned>(n)), true);
      if (n % 2 == 0) pica200::write_job(file, pica200::MemoryFill{0x20000000, 0x20000010, 1, 0});
      memory.write(0x20000000 + n % 7 * 0x100, some_bytes(0x40, static_cast<unsigned>(n)), false);
    }
    EXPECT_TRUE(file.finish().ok());
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  };
  const auto time_of = [&](std::size_t count) {
    const auto bytes = file_with(count);
    auto least = std::chrono::nanoseconds::max();
    for (unsigned n = 0; n < 5; ++n) {
      const auto start = std::chrono::steady_clock::now();
      EXPECT_TRUE(pica200::read_capture(bytes, "file.wjcap").ok());
      least = std::min(least, std::chrono::nanoseconds(std::chrono::steady_clock::now() - start));
    }
    return least;
  };
  // Again, if the machine was busy.
  bool in_proportion = false;
  for (unsigned attempt = 0; attempt < 5 && !in_proportion; ++attempt)
    in_proportion = time_of(64000) < 12 * time_of(16000);
  EXPECT_TRUE(in_proportion);
}

TEST(SectionFile, ASinkThatTakesNothingIsAnError) {
  const Status done = pica200::write_capture(
      small_scene(), [](void*, std::span<const std::byte>) { return false; }, nullptr);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::io);
}

TEST(KnownBytes, AreEqualOnes) {
  capture::KnownBytes known;
  const auto find = [&](std::string_view text, std::uint64_t value) {
    return known.find_or_add(std::as_bytes(std::span(text)), value);
  };
  EXPECT_FALSE(find("one", 1));
  EXPECT_FALSE(find("two", 2));
  EXPECT_FALSE(find("", 3));
  EXPECT_EQ(find("one", 4), 1u);
  EXPECT_EQ(find("two", 5), 2u);
  EXPECT_EQ(find("", 6), 3u);
}

TEST(KnownBytes, EqualHashesDoNotMakeEqualBytes) {
  capture::KnownBytes known([](std::span<const std::byte>) { return std::uint64_t{7}; });
  const auto find = [&](std::string_view text, std::uint64_t value) {
    return known.find_or_add(std::as_bytes(std::span(text)), value);
  };
  EXPECT_FALSE(find("one", 1));
  EXPECT_FALSE(find("two", 2));
  EXPECT_FALSE(find("one and two", 3));
  EXPECT_EQ(find("one", 4), 1u);
  EXPECT_EQ(find("two", 5), 2u);
  EXPECT_EQ(find("one and two", 6), 3u);
}

// A sink has all of a frame once that ends, large contents at once, and nothing after it took no more.
TEST(SectionFile, SinksGetLargePartsAndWholeFrames) {
  struct Sink {
    std::vector<std::size_t> parts;
    std::size_t most = SIZE_MAX;
    static bool take(void* to, std::span<const std::byte> bytes) {
      auto& sink = *static_cast<Sink*>(to);
      sink.parts.push_back(bytes.size());
      return sink.parts.size() <= sink.most;
    }
    std::size_t size() const { return std::accumulate(parts.begin(), parts.end(), std::size_t{0}); }
  };
  Sink sink;
  capture::SectionWriter file(Sink::take, &sink, capture::FileGuest::usse);
  const std::vector<std::byte> small(100), large(200000);
  for (unsigned n = 0; n < 10; ++n) file.write(capture::SectionKind::note, 0, small);
  EXPECT_TRUE(sink.parts.empty());
  file.write(capture::SectionKind::frame_end, 0, {});
  EXPECT_EQ(sink.size(), file.place());
  EXPECT_EQ(sink.parts.size(), 1u);
  file.write(capture::SectionKind::note, 0, small, large);
  EXPECT_EQ(sink.parts.size(), 3u) << "what waits, then the large part as it is";
  ASSERT_TRUE(file.finish().ok());
  EXPECT_EQ(sink.size(), file.place());

  Sink full;
  full.most = 1;
  capture::SectionWriter cut(Sink::take, &full, capture::FileGuest::usse);
  for (unsigned n = 0; n < 3; ++n) cut.write(capture::SectionKind::note, 0, large);
  EXPECT_EQ(cut.finish().error().code, ErrorCode::io);
  EXPECT_EQ(full.parts.size(), 2u);
}

}  // namespace
}  // namespace warpjit::tests
