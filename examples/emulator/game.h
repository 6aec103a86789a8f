// The console's side of a frame: what a game leaves in memory, and what it sends to the GPU.
// A turning torus over a floor, both lit in each pixel, and a ring of glowing sparks, which a geometry program
// makes of points.
#pragma once

#include <cstdint>
#include <vector>

struct Memory {
  static constexpr std::uint32_t kAddress = 0x20000000;  // physical, a multiple of 16
  std::vector<std::uint8_t> bytes;
};

// Where the game has its targets, and the screen's size: a screen lies on its side, its rows go upwards.
struct Video {
  static constexpr std::uint32_t kAddress = 0x18000000, kSize = 0x100000;
  static constexpr std::uint32_t kWidth = 240, kHeight = 400, kPixels = kWidth * kHeight;
  static constexpr std::uint32_t kColor = kAddress, kDepth = kAddress + 0x60000, kScreen = kAddress + 0xB0000;
  static constexpr std::uint32_t kBackground = 0x182038;  // red, green, blue
};

class Game {
 public:
  Game();
  const Memory& memory() const { return memory_; }
  // The words of the command list of a frame.
  std::vector<std::uint32_t> frame(unsigned number) const;

 private:
  Memory memory_;
  std::uint32_t index_offset_ = 0, index_count_ = 0, floor_offset_ = 0, points_offset_ = 0;
  std::uint32_t tiles_ = 0, glow_ = 0;  // textures: offsets
};
