// What writers of captures know of memory: each byte is stored when something first reaches it, later if it changed.
#include "capture/known_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "capture/launch/buffer_recorder.h"
#include "capture/memory_reader.h"
#include "capture/page_recorder.h"
#include "hostile_bytes.h"
#include "support/same_bytes.h"

namespace warpjit::tests {
namespace {

using capture::KnownMemory;

using Stored = std::tuple<std::uint64_t, std::size_t, bool>;  // address, bytes, first

struct Known {
  std::vector<std::byte> bytes;
  capture::SectionWriter file{append, &bytes, capture::FileGuest::usse};
  capture::MemoryWriter writer{file};
  std::vector<Stored> stored;
  KnownMemory::See see = [this](std::uint64_t address, std::size_t size, bool first) {
    stored.emplace_back(address, size, first);
  };
  std::vector<Stored> take() { return std::exchange(stored, {}); }
};

// All of 40,000 bytes, in blocks and pages that do not begin with it.
struct Memory {
  std::vector<std::byte> bytes = std::vector<std::byte>(40000, std::byte{1});
  std::span<const std::byte> part(std::size_t first, std::size_t size) const {
    return std::span(bytes).subspan(first, size);
  }
};

TEST(KnownMemory, StoresWhatIsFirstReachedAndWhatChanged) {
  constexpr std::uint64_t kBase = 0x7FFC;
  Known known;
  Memory memory;
  KnownMemory pages(known.writer, known.see);
  const auto reach = [&](std::size_t first, std::size_t size) {
    pages.reach(kBase + first, memory.part(first, size));
    return known.take();
  };
  // Several blocks are one section.
  EXPECT_EQ(reach(100, 33000), (std::vector<Stored>{{kBase + 100, 33000, true}}));
  EXPECT_EQ(reach(100, 33000), std::vector<Stored>());
  // The bytes before and after it, and nothing else.
  EXPECT_EQ(reach(0, 40000), (std::vector<Stored>{{kBase, 100, true}, {kBase + 33100, 6900, true}}));
  EXPECT_EQ(reach(0, 40000), std::vector<Stored>());
  // A byte, two with less than 64 between them, two with more, and the last one.
  for (const std::size_t at : {200, 5000, 5060, 9000, 9100, 39999}) memory.bytes[at] = std::byte{2};
  EXPECT_EQ(reach(0, 40000), (std::vector<Stored>{{kBase + 200, 1, false},
                                                  {kBase + 5000, 61, false},
                                                  {kBase + 9000, 1, false},
                                                  {kBase + 9100, 1, false},
                                                  {kBase + 39999, 1, false}}));
  EXPECT_EQ(reach(0, 40000), std::vector<Stored>());
  // What a job has left needs no section.
  std::fill_n(memory.bytes.begin() + 4000, 20000, std::byte{3});
  pages.learn(kBase + 4000, memory.part(4000, 20000));
  EXPECT_EQ(reach(0, 40000), std::vector<Stored>());
  EXPECT_TRUE(same_bytes(pages.read(kBase, 40000), memory.bytes));
}

// Any parts that are reached, changed and left by jobs: a replay of the sections has the same memory.
TEST(KnownMemory, AnyPartsReplay) {
  constexpr std::uint64_t kBase = 0x10F00;
  unsigned seed = 1;
  const auto below = [&](std::size_t end) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % end;
  };
  for (unsigned round = 0; round < 30; ++round) {
    Known known;
    Memory memory;
    std::vector<std::byte> replay(memory.bytes.size());
    std::vector<bool> reached(memory.bytes.size());
    std::size_t wrong = 0;
    KnownMemory pages(known.writer, [&](std::uint64_t address, std::size_t size, bool first) {
      for (std::size_t at = address - kBase; at < address - kBase + size; ++at) {
        wrong += first && reached[at] ? 1 : 0;
        replay[at] = memory.bytes[at];
        reached[at] = true;
      }
    });
    for (unsigned step = 0; step < 40; ++step) {
      const std::size_t first = below(memory.bytes.size()), size = 1 + below(memory.bytes.size() - first);
      for (std::size_t n = below(200); n > 0; --n)
        memory.bytes[below(memory.bytes.size())] = static_cast<std::byte>(below(3));
      pages.reach(kBase + first, memory.part(first, size));
      EXPECT_TRUE(same_bytes(memory.part(first, size), std::span(replay).subspan(first, size)));
      std::fill_n(memory.bytes.begin() + static_cast<std::ptrdiff_t>(first), size / 2, std::byte{4});
      std::fill_n(replay.begin() + static_cast<std::ptrdiff_t>(first), size / 2, std::byte{4});
      pages.learn(kBase + first, memory.part(first, size / 2));
    }
    EXPECT_EQ(wrong, 0u);
  }
}

// Each page is stored once a job, also if the job names several parts of it. The first and the last page of a range are cut.
TEST(PageRecorder, LooksAtPagesOnceAJob) {
  Known known;
  Memory memory;
  capture::PageRecorder pages(known.writer, known.see);
  constexpr std::uint64_t kBase = 0x10000F00;
  pages.add_range(kBase, memory.bytes.data(), memory.bytes.size());
  const auto reach = [&](std::size_t first, std::size_t size, bool writes) {
    EXPECT_TRUE(pages.reach(memory.bytes.data() + first, size, writes));
    return known.take();
  };
  pages.begin_job();
  EXPECT_EQ(reach(10, 4, false), (std::vector<Stored>{{kBase, 0x100, true}}));
  EXPECT_EQ(reach(0, 0x101, false), (std::vector<Stored>{{kBase + 0x100, 0x1000, true}}));
  memory.bytes[0x200] = std::byte{2};
  EXPECT_EQ(reach(0x200, 1, true), std::vector<Stored>()) << "in a job memory does not change";
  EXPECT_EQ(reach(0, 40000, false), (std::vector<Stored>{{kBase + 0x1100, 40000 - 0x1100, true}}));
  pages.end_job();
  pages.begin_job();
  memory.bytes[0x2000] = std::byte{2};
  EXPECT_EQ(reach(0, 40000, true), (std::vector<Stored>{{kBase + 0x2000, 1, false}}));
  std::ranges::fill(memory.bytes, std::byte{5});
  pages.end_job();
  pages.begin_job();
  EXPECT_EQ(reach(0, 40000, false), std::vector<Stored>());
  EXPECT_FALSE(pages.reach(memory.bytes.data() + 39000, 1001, false));
}

// A buffer that overlaps an older region is a memory of its own, and another one of the same job that lay in the
// older region keeps its bytes.
TEST(BufferRecorder, BuffersInAndOverAnOlderRegion) {
  Known known;
  Memory memory;
  capture::BufferRecorder buffers(known.writer);
  const std::byte* const data = memory.bytes.data();
  ASSERT_TRUE(buffers.begin_job(std::vector<capture::BufferRecorder::Buffer>{{data, 20000, false}}).ok());
  const capture::BufferPlace whole = buffers.find(data, 20000);
  EXPECT_EQ(whole.size, 20000u);
  EXPECT_EQ(buffers.find(data + 100, 50).address, whole.address + 100);
  buffers.end_job();
  ASSERT_TRUE(buffers
                  .begin_job(std::vector<capture::BufferRecorder::Buffer>{{data + 10000, 20000, true},
                                                                          {data, 5000, true}})
                  .ok());
  const capture::BufferPlace first = buffers.find(data, 5000), second = buffers.find(data + 10000, 20000);
  EXPECT_EQ(first.size, 5000u);
  EXPECT_EQ(second.size, 20000u);
  EXPECT_TRUE(buffers.has_changed(data, 5000));
  EXPECT_EQ(buffers.find(data + 4000, 7000).size, 0u);
  std::ranges::fill(memory.bytes, std::byte{7});
  buffers.end_job();
  EXPECT_TRUE(same_bytes(buffers.known(first), memory.part(0, 5000)));
  EXPECT_TRUE(same_bytes(buffers.known(second), memory.part(10000, 20000)));
  ASSERT_TRUE(buffers
                  .begin_job(std::vector<capture::BufferRecorder::Buffer>{{data, 5000, false},
                                                                          {data + 12000, 1000, false}})
                  .ok());
  EXPECT_FALSE(buffers.has_changed(data, 5000));
  EXPECT_EQ(buffers.find(data + 12000, 1000).address, second.address + 2000);
}

// A target that the job before had, too, is compared in the rows of tiles that a job draws to, before it first does.
TEST(BufferRecorder, TargetsAreComparedWhereTheyAreDrawnTo) {
  constexpr std::size_t kPitch = 832, kPixel = 4;
  constexpr std::uint32_t kWidth = 200, kHeight = 100;
  std::vector<std::byte> target(kPitch * kHeight, std::byte{1});
  const auto at = [&](std::uint32_t x, std::uint32_t y) { return target.data() + y * kPitch + x * kPixel; };
  Known known;
  capture::BufferRecorder buffers(known.writer);
  using Buffer = capture::BufferRecorder::Buffer;
  using Target = capture::BufferRecorder::Target;
  const Target drawn{target.data(), target.size(), kPitch, kPixel};
  const auto begin = [&](const std::vector<Buffer>& others = {}) {
    std::vector<Buffer> all{{target.data(), target.size(), true, true}};
    all.insert(all.end(), others.begin(), others.end());
    ASSERT_TRUE(buffers.begin_job(all).ok());
    buffers.set_targets({&drawn, 1}, kWidth, kHeight);
  };
  const auto changed = [&](std::uint32_t x, std::uint32_t y) {
    return buffers.has_changed(at(x, y), kPixel);
  };
  const auto replayed = [&](std::uint32_t x, std::uint32_t y) {
    return buffers.known(buffers.find(at(x, y), kPixel))[0];
  };
  begin();
  EXPECT_TRUE(changed(0, 0)) << "all of it is new";
  buffers.draw({0, 0, kWidth, kHeight});
  buffers.end_job();

  *at(10, 10) = *at(100, 50) = std::byte{2};
  begin();
  EXPECT_FALSE(changed(100, 50));
  buffers.draw({96, 48, 10, 10});
  EXPECT_TRUE(changed(100, 50));
  *at(101, 51) = *at(102, 60) = *at(150, 60) = std::byte{3};
  buffers.draw({96, 48, 10, 10});
  EXPECT_FALSE(changed(101, 51)) << "the job itself has changed it";
  buffers.draw({96, 40, 100, 30});
  EXPECT_FALSE(changed(101, 51));
  EXPECT_TRUE(changed(102, 60)) << "nothing was drawn there before";
  EXPECT_TRUE(changed(150, 60));
  EXPECT_FALSE(changed(10, 10)) << "nothing is drawn there";
  *at(199, 69) = *at(199, 70) = std::byte{4};
  buffers.draw({0, 0, 0, 100});
  buffers.draw({kWidth, 0, 1, 1});
  buffers.end_job();
  EXPECT_EQ(replayed(199, 69), std::byte{4});
  EXPECT_EQ(replayed(199, 70), std::byte{1});
  EXPECT_EQ(replayed(10, 10), std::byte{1});

  // Who reads the memory otherwise sees all of it.
  begin({{at(10, 10), 4, false, false}});
  EXPECT_TRUE(changed(10, 10));
  buffers.end_job();
  EXPECT_EQ(replayed(199, 70), std::byte{1});
  // Who may write it otherwise is compared before and copied after, as all memory.
  begin({{at(0, 70), kPitch, true, false}});
  EXPECT_TRUE(changed(199, 70));
  *at(5, 70) = *at(5, 71) = std::byte{5};
  buffers.draw({0, 71, 1, 1});
  EXPECT_FALSE(changed(5, 71));
  buffers.end_job();
  EXPECT_EQ(replayed(5, 70), std::byte{5});
  EXPECT_EQ(replayed(5, 71), std::byte{5});
  // A new frame.
  *at(0, 0) = std::byte{6};
  begin();
  EXPECT_FALSE(changed(0, 0));
  buffers.end_job();
  buffers.forget_targets();
  begin();
  EXPECT_TRUE(changed(0, 0));
  buffers.draw({0, 0, ~0U, ~0U});
  std::ranges::fill(target, std::byte{7});
  buffers.end_job();
  EXPECT_EQ(replayed(0, 0), std::byte{7});
  EXPECT_EQ(replayed(199, 99), std::byte{7});
}

}  // namespace
}  // namespace warpjit::tests
