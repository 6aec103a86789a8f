// Texture units 0 to 2: texels in the guest's memory, wraps, filters, levels, cubes and shadow maps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "frontend/interpret/textures/seen_texels.h"
#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/facts/physical_memory.h"

namespace warpjit::pica200::fragment {

inline std::uint32_t byte_at(const std::byte* data, std::size_t at) {
  return std::to_integer<std::uint32_t>(data[at]);
}
using Bytes4 = std::array<std::uint8_t, 4>;  // red, green, blue, alpha

// One texel; column and row as they lie in memory.
Bytes4 read_texel(TexelFormat format, const std::byte* data, std::uint32_t width, std::uint32_t column,
                  std::uint32_t row);

// Where a pixel samples: what the coordinates become before they are wrapped.
struct TexturePlace {
  float u = 0, v = 0;
  unsigned face = 0;
  float reference = 0;  // of a shadow map, before it is limited
};

class TextureUnit {
 public:
  TextureUnit(const TextureState& state, const TextureValues& values, const PhysicalMemory& memory)
      : state_(state), values_(values), memory_(memory) {}

  bool on() const { return state_.type != TextureType::off; }
  TexturePlace place(float u, float v, float w) const;
  // The level of detail in 1/256, from the first pixel of the quad and its neighbours to the right and above.
  std::int32_t level_of_detail(const std::array<TexturePlace, 3>& quad) const;
  // Errors: a level that is too small or not in memory. `seen`: gets the texels that are read; null: nobody looks.
  Result<Bytes4> sample(const TexturePlace& place, std::int32_t level_of_detail,
                        interpret::SeenTexels* seen = nullptr) const;

 private:
  struct Level {
    const std::byte* data = nullptr;
    std::uint32_t width = 0, height = 0;
    unsigned number = 0;
  };
  Result<Level> find_level(unsigned face, std::int32_t level) const;
  using Sums = std::array<std::uint32_t, 4>;  // times 65536
  // `share`: of the level in the sample.
  Sums sample_level(const Level& level, const TexturePlace& place, bool linear, interpret::SeenTexels* seen,
                    float share = 1) const;
  std::optional<std::int64_t> wrap(std::uint8_t mode, std::int64_t index, std::int64_t size) const;
  Result<Bytes4> compare(const TexturePlace& place, interpret::SeenTexels* seen) const;

  const TextureState& state_;
  const TextureValues& values_;
  const PhysicalMemory& memory_;
};

}  // namespace warpjit::pica200::fragment
