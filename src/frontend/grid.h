// Work on a grid of blocks: what a launch gives, and what a guest makes of it when it checks the grid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ir/memory.h"
#include "textures/view.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::frontend {

// A piece of a writable space.
struct MappedRange {
  std::uint32_t address = 0;  // guest address of its first byte
  std::span<std::byte> bytes{};
};

// Textures and samplers of a launch by their slots.
struct BoundTextures {
  std::vector<std::shared_ptr<const textures::TextureView>> textures{};
  std::vector<std::optional<Sampler>> samplers{};

  // Null: none is bound.
  const textures::TextureView* texture(std::size_t slot) const {
    return slot < textures.size() ? textures[slot].get() : nullptr;
  }
  const Sampler* sampler(std::size_t slot) const {
    return slot < samplers.size() && samplers[slot] ? &*samplers[slot] : nullptr;
  }
};

using warpjit::AttributeSource;
using warpjit::BufferSource;
using warpjit::ImageSource;

// What a launch of a vertex program is made of where programs store their results to memory themselves. Its
// blocks are 64 vertices of an instance each, the last one perhaps fewer; instances are the rows of the grid.
struct Vertices {
  static constexpr std::uint32_t kOfBlock = 64;
  static constexpr std::size_t kResultSpace = 4;  // in Grid::globals
  std::uint32_t count = 0;                        // of an instance
  std::uint32_t first = 0, first_instance = 0;    // numbers of the first ones
  std::uint32_t attribute_offset = 0;
  std::uint32_t packet_stride = 128;  // bytes from one vertex's results to the next one's, a multiple of 16
  std::vector<AttributeSource> attributes{};
};

// Extents, parameters and memory of a launch, as it gives them. Guests check them (Shader::check_grid).
struct Grid {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   // blocks
  std::array<std::uint32_t, 3> block{1, 1, 1};  // threads
  std::uint16_t grid_id = 0;                    // for guests whose threads can read it
  std::vector<std::byte> parameters{};
  std::uint32_t shared_bytes = 0;  // of a block, if more than the program says
  // Constant spaces. Where these are empty or shorter, the container's preset constants apply.
  std::array<std::span<const std::byte>, ir::kMaxSpaces> constants{};
  std::array<std::vector<MappedRange>, ir::kMaxSpaces> globals{};  // sorted by address, not overlapping
  // Of guests with one space of 64-bit addresses: globals[k] is what lies at those with the high word
  // high_words[k]. No two are equal.
  std::vector<std::uint32_t> high_words{};
  Vertices vertices{};                         // of vertex programs
  std::vector<ImageSource> images{};           // of guests that have them
  std::vector<BufferSource> buffers{};         // likewise
  std::array<std::uint32_t, 3> first_block{};  // what threads of block (0, 0, 0) read as its number
  std::uint64_t fuel = kDefaultFuel;           // of a thread
  BoundTextures bound{};                       // of programs of all kinds

  std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  // Block `number`, columns first, then rows.
  ir::BlockPosition block_at(std::uint64_t number) const {
    const std::uint64_t row = number / grid[0];
    return {static_cast<std::uint32_t>(number % grid[0]), static_cast<std::uint32_t>(row % grid[1]),
            static_cast<std::uint32_t>(row / grid[1])};
  }
  // To the block behind it, without the divisions.
  void advance(ir::BlockPosition& block) const {
    if (++block[0] < grid[0]) return;
    block[0] = 0;
    if (++block[1] < grid[1]) return;
    block[1] = 0;
    ++block[2];
  }
};

// A grid that the program has checked against its limits.
struct CheckedGrid {
  std::uint32_t threads = 0;       // of a block
  std::uint32_t shared_bytes = 0;  // of a block
  std::array<std::span<const std::byte>, ir::kMaxSpaces> constants{};
  std::array<std::vector<std::byte>, ir::kMaxSpaces> merged{};  // storage of merged constants
  // Does it stay valid until the launch is changed? If not, it holds a copy of the caller's memory.
  bool lasting = true;
};

// The facts of a grid that a translation is made for.
struct GridFacts {
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t shared_bytes = 0;
  std::array<std::uint32_t, ir::kMaxSpaces> constant_bytes{};
  std::vector<std::uint32_t> high_words{};
  std::uint32_t parameter_bytes = 0;  // if the translation depends on it
  bool offset_blocks = false;         // is Grid::first_block other than 0?
  // How attributes of vertices are fetched, where images and buffers lie, and words of constants that decide
  // where control can go, in the form that the guest's translator reads.
  std::vector<std::uint32_t> attributes{}, images{}, buffers{};
  std::vector<std::uint32_t> code_addresses{};
  bool operator==(const GridFacts&) const = default;
};

// The first fault of some blocks.
struct BlockFault {
  ir::MemoryFault access;
  ir::BlockPosition block{};
};

}  // namespace warpjit::frontend
