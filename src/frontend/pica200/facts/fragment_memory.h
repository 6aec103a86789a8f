// Where targets and textures of a draw lie in the guest's memory; what does not is an error that names the register.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/facts/physical_memory.h"

namespace warpjit::pica200 {

// Whole rows of blocks; null where nothing touches them.
struct FoundTargets {
  std::byte* color = nullptr;
  std::byte* depth = nullptr;
  std::size_t color_size = 0, depth_size = 0;  // bytes

  bool overlap(const std::byte* data, std::size_t size) const;
  // Who draws to them tells the memory's watch.
  void reach(const PhysicalMemory& memory) const {
    memory.reach(color, color_size, true);
    memory.reach(depth, depth_size, true);
  }
};
// Errors: bad_input for what is not in memory, and for a depth target over the colour target.
Result<FoundTargets> find_targets(const FragmentSetup& setup, const PhysicalMemory& memory);

// Levels that a unit may sample of a face.
struct SampledLevels {
  std::uint32_t first = 0;
  std::uint64_t begin = 0, size = 0;  // bytes from level 0 on
};
// Errors: bad_input if none is 8 x 8 or larger.
Result<SampledLevels> sampled_levels(const TextureState& state, const TextureValues& values);

// The same in one piece.
struct FoundTexture {
  const std::byte* data = nullptr;
  std::size_t size = 0;                  // bytes from there to the end of the piece
  std::uint32_t first_level = 0;         // that data begins with, of the face at offset 0
  std::array<std::uint32_t, 6> faces{};  // bytes from data to that level of each
  std::vector<std::byte> copy{};         // what data points to, where the faces lie in several pieces
};
// The texture of a unit that is on and not absent. Errors: bad_input for a level that is not in memory, or over a
// target; if none is 8 x 8 or larger.
Status find_texture(const FragmentSetup& setup, unsigned unit, const PhysicalMemory& memory,
                    const FoundTargets& targets, FoundTexture& found);

}  // namespace warpjit::pica200
