// The console's side of a frame: what a game leaves in memory, and the command list that it sends to the GPU.
// A turning torus, drawn through an index list, and a ring of sparks,
// which a geometry program makes of points.
#pragma once

#include <cstdint>
#include <vector>

struct Memory {
  static constexpr std::uint32_t kAddress = 0x20000000;  // physical, a multiple of 16
  std::vector<std::uint8_t> bytes;
};

class Game {
 public:
  Game();
  const Memory& memory() const { return memory_; }
  // The words of the command list of a frame.
  std::vector<std::uint32_t> frame(unsigned number) const;

 private:
  Memory memory_;
  std::uint32_t index_offset_ = 0, index_count_ = 0, points_offset_ = 0;
};
