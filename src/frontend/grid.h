// Work on a grid of blocks: what a launch gives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/fuel.h"
#include "base/result.h"
#include "frontend/memory.h"
#include "frontend/textures/bound.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::frontend {

using warpjit::AttributeSource;
using warpjit::BufferSource;
using warpjit::ImageSource;

// What a launch of a vertex program is made of where programs store their results to memory themselves. Its
// blocks are 64 vertices of an instance each, the last one perhaps fewer; instances are the rows of the grid.
struct Vertices {
  static constexpr std::uint32_t kOfBlock = 64;
  static constexpr std::size_t kResultSpace = 4;  // in LaunchMemory::globals
  std::uint32_t count = 0;                        // of an instance
  std::uint32_t first = 0, first_instance = 0;    // numbers of the first ones
  std::uint32_t attribute_offset = 0;
  std::uint32_t packet_stride = 128;  // bytes from one vertex's results to the next one's, a multiple of 16
  std::vector<AttributeSource> attributes{};
};

struct Extents {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   // blocks
  std::array<std::uint32_t, 3> block{1, 1, 1};  // threads
  std::uint16_t grid_id = 0;                    // for guests whose threads can read it
  std::uint32_t shared_bytes = 0;               // of a block, if more than the program says
  std::array<std::uint32_t, 3> first_block{};   // what threads of block (0, 0, 0) read as its number

  std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  // Block `number`, columns first, then rows.
  ir::BlockPosition block_at(std::uint64_t number) const {
    const std::uint64_t row = number / grid[0];
    return {static_cast<std::uint32_t>(number % grid[0]), static_cast<std::uint32_t>(row % grid[1]),
            static_cast<std::uint32_t>(row / grid[1])};
  }
  // To the block after it, without the divisions.
  void advance(ir::BlockPosition& block) const {
    if (++block[0] < grid[0]) return;
    block[0] = 0;
    if (++block[1] < grid[1]) return;
    block[1] = 0;
    ++block[2];
  }
};

// For guests that name images and buffers by entries of tables.
struct ResourceTables {
  std::vector<ImageSource> images{};
  std::vector<BufferSource> buffers{};
};

// All of it, as a launch gives it. Guests check it (MemorySpaces::check_grid). Work that is no grid has
// extents of one thread.
struct Grid : Extents, LaunchMemory, ResourceTables {
  Vertices vertices{};
  BoundTextures bound{};
  std::uint64_t fuel = kDefaultFuel;  // of a thread
};

// The first fault of some blocks.
struct BlockFault {
  ir::MemoryFault access;
  ir::BlockPosition block{};
};

// Implemented by guests whose hardware writes to shared memory before a block runs.
class BlockHeader {
 public:
  // Writes it from byte 0 on, and gives how many bytes it is; the rest of the memory is zero.
  virtual std::size_t begin_block(const Grid& grid, const ir::BlockPosition& block,
                                  std::span<std::byte> shared) const = 0;
  // Where in shared memory 16 bits of a block's column and of its row stand side by side, at a multiple of 4.
  // What else begin_block writes is the same for all blocks of a run.
  virtual std::uint32_t position_place() const = 0;

 protected:
  ~BlockHeader() = default;
};

}  // namespace warpjit::frontend
