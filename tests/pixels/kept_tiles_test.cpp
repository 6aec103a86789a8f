// KeptTiles against tiles that are loaded and stored each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "base/random.h"
#include "pixels/kept_tiles.h"

namespace warpjit::pixels {
namespace {

std::vector<std::byte> noise(std::size_t size, Random& random) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  return bytes;
}
TargetMemory with_data(TargetMemory target, std::vector<std::byte>& bytes) {
  target.data = bytes.data();
  return target;
}
TilePart random_part(Random& random) {
  const auto range = [&](std::uint32_t step) {
    const std::uint32_t first = random.below(kTileExtent / step),
                        end = first + 1 + random.below(kTileExtent / step - first);
    return std::pair{static_cast<std::uint8_t>(first * step), static_cast<std::uint8_t>(end * step)};
  };
  const auto [left, right] = range(4);
  const auto [top, bottom] = range(2);
  return {left, top, right, bottom};
}

TEST(KeptTiles, MemoryHasWhatWasDrawn) {
  Random random(1);
  for (unsigned turn = 0; turn < 200; ++turn) {
    std::array<TargetMemory, 2> targets;
    std::array<std::vector<std::byte>, 2> kept_memory, memory;
    const std::uint32_t width = 8 * (1 + random.below(20)), height = 1 + random.below(150);
    for (std::size_t role = 0; role < 2; ++role) {
      targets[role] = {
          nullptr, 0, width, height, {static_cast<std::uint8_t>(2 + random.below(3)), random.one_in(2)}};
      memory[role] = kept_memory[role] = noise(block_bytes(targets[role]), random);
    }
    KeptTiles kept;
    std::vector<std::byte> plane(kPlaneBytes);
    for (unsigned draw = 0; draw < 20; ++draw) {
      const unsigned roles = 1 + random.below(3);
      const auto bound = [&](unsigned role) {
        return (roles >> role & 1) != 0 ? with_data(targets[role], kept_memory[role]) : TargetMemory();
      };
      kept.begin(bound(0), bound(1));
      kept.prepare();
      EXPECT_TRUE(kept.holds());
      const std::uint32_t column = random.below((width + 63) / 64), row = random.below((height + 63) / 64);
      const TilePart part = random_part(random);
      for (unsigned number = 0; number < 2; ++number) {
        if ((roles >> number & 1) == 0) continue;
        const auto role = static_cast<KeptTiles::Role>(number);
        const TargetMemory target = with_data(targets[number], memory[number]);
        std::byte* const drawn = kept.planes(column, row) + number * std::size_t{kPlaneBytes};
        // Adds a number to each word, or sets all of them without a look.
        const bool loads = random.one_in(2);
        load_tile(PixelFormat::r32ui, target, column, row, part, plane.data());
        if (loads) kept.load(role, column, row, part);
        for (std::uint32_t y = part.top / 8U; y < (part.bottom + 7U) / 8; ++y)
          for (std::uint32_t x = part.left / 8U; x < (part.right + 7U) / 8; ++x)
            for (std::uint32_t n = 0; n < 64; ++n)
              for (std::byte* const words : {plane.data(), drawn}) {
                std::uint32_t word = 0;
                std::byte* const at = words + 4 * (std::size_t{64} * morton(x, y) + n);
                if (loads) std::memcpy(&word, at, sizeof word);
                word += n + 77 * draw;
                std::memcpy(at, &word, sizeof word);
              }
        store_tile(PixelFormat::r32ui, target, column, row, part, plane.data());
        kept.change(role, column, row, part);
        if (random.one_in(4)) kept.store(role, column, row);
      }
      if (random.one_in(4)) {
        // Somebody reads a byte, or changes it.
        const unsigned role = random.below(2);
        const std::size_t at = random.below(static_cast<unsigned>(memory[role].size()));
        const bool writes = random.one_in(2);
        kept.reach(kept_memory[role].data() + at, 1, writes);
        ASSERT_EQ(kept_memory[role][at], memory[role][at]) << "turn " << turn;
        if (writes) kept_memory[role][at] = memory[role][at] = std::byte{0x5A};
      }
    }
    kept.end();
    EXPECT_FALSE(kept.holds());
    for (std::size_t role = 0; role < 2; ++role)
      ASSERT_TRUE(kept_memory[role] == memory[role]) << "turn " << turn;
  }
}

TEST(KeptTiles, OtherTargetsOverThemAreWrittenBefore) {
  Random random(2);
  std::vector<std::byte> bytes(64 * 64 * 4 * 2);
  const auto at = [&](std::size_t offset, std::uint32_t width, bool last_first = false) {
    return TargetMemory{bytes.data() + offset, 0, width, 64, {4, last_first}};
  };
  constexpr std::size_t kSize = 64 * 64 * 4;
  const auto draw = [&](KeptTiles& kept, const TargetMemory& color, const TargetMemory& depth) {
    kept.begin(color, depth);
    kept.prepare();
    std::memset(kept.planes(0, 0), 7, 2 * std::size_t{kPlaneBytes});
    if (color.data != nullptr) kept.change(KeptTiles::kColor, 0, 0, {});
    if (depth.data != nullptr) kept.change(KeptTiles::kDepth, 0, 0, {});
  };
  const TargetMemory none;
  const TargetMemory color = at(0, 64), depth = at(kSize, 64);
  const auto is_written = [&](std::size_t offset) { return bytes[offset] == std::byte{7}; };
  for (const auto& [next_color, next_depth] :
       {std::pair(at(0, 56), none), std::pair(at(0, 64, true), none), std::pair(none, at(kSize - 256, 64)),
        std::pair(at(256, 64), none), std::pair(none, color), std::pair(depth, none)}) {
    std::ranges::fill(bytes, std::byte{});
    KeptTiles kept;
    draw(kept, color, none);
    EXPECT_FALSE(is_written(0));
    kept.begin(next_color, next_depth);
    EXPECT_TRUE(is_written(0));
  }
  // Those that join, or take turns, stay.
  std::ranges::fill(bytes, std::byte{});
  KeptTiles kept;
  draw(kept, color, none);
  draw(kept, none, depth);
  draw(kept, color, depth);
  EXPECT_FALSE(is_written(0) || is_written(kSize));
  kept.reach(bytes.data() + bytes.size(), 1, true);
  EXPECT_FALSE(is_written(0) || is_written(kSize));
  kept.reach(bytes.data() + bytes.size() - 1, 1, false);
  EXPECT_TRUE(is_written(0) && is_written(kSize));
  EXPECT_TRUE(kept.holds());
  // What is not written when they end is lost, with no harm.
  draw(kept, color, depth);
}

}  // namespace
}  // namespace warpjit::pixels
