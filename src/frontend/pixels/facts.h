// What a fragment program is translated for, beside its code: what happens to its results, what it reads of
// primitives, and where targets lie in a tile.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "pixels/records.h"
#include "warpjit/pixels.hpp"

namespace warpjit::frontend {

// Values of the states that are no facts: blend_constant and alpha_reference of the state below are 0.
// They begin the uniform table of fragment programs; the guest's own words follow.
struct PixelValues {
  std::array<float, 4> blend_constant{};
  float alpha_reference = 0;
  std::array<float, 2> depth_bounds{0, 1};
  bool positive_is_front = false;
  std::uint32_t width = 0, height = 0;  // of the targets; guests put them where they need them
};
// Bytes of the table; what stands at kPositiveIsFrontOffset is 1 or 0.
inline constexpr std::uint32_t kBlendConstantOffset = 0, kAlphaReferenceOffset = 16, kDepthBoundsOffset = 20,
                               kPositiveIsFrontOffset = 28, kPixelTableBytes = 64;
inline void fill_pixel_table(const PixelValues& values, std::span<std::uint32_t> table) {
  for (std::size_t k = 0; k < 4; ++k) table[k] = std::bit_cast<std::uint32_t>(values.blend_constant[k]);
  table[kAlphaReferenceOffset / 4] = std::bit_cast<std::uint32_t>(values.alpha_reference);
  for (std::size_t k = 0; k < 2; ++k)
    table[kDepthBoundsOffset / 4 + k] = std::bit_cast<std::uint32_t>(values.depth_bounds[k]);
  table[kPositiveIsFrontOffset / 4] = values.positive_is_front ? 1 : 0;
}

struct PixelFacts {
  OutputState output;
  std::vector<pixels::SlotUse> uses;  // of the shader; rows of a primitive follow them
  bool flat_w = false;                // of all primitives the plane of 1/w is 1, as in two dimensions
  bool narrow_depth = false;          // depth bounds are not 0 and 1
  bool operator==(const PixelFacts&) const = default;
  std::uint32_t input_bindings() const { return 0; }
  std::uint32_t output_bindings() const { return 0; }

  std::uint32_t primitive_bytes() const {
    return static_cast<std::uint32_t>((pixels::kHeaderRows + uses.size()) * sizeof(pixels::PlaneRow));
  }
};

// Appends what a translation depends on.
void append_key(const PixelFacts& facts, std::vector<std::byte>& key);

// Planes of a tile: those of each bound colour target in order, then those of depth and of what has passed.
struct TileLayout {
  static constexpr std::uint8_t kNone = 0xff;
  std::array<std::uint8_t, kMaxColorTargets> color{};  // the first plane of each; kNone: not bound
  std::uint8_t depth = kNone, passed = kNone;
  std::uint8_t planes = 0;
  explicit TileLayout(const OutputState& output);
};

// Planes that a format takes: a word of each pixel holds up to 32 of its bits.
inline std::uint32_t planes_of(PixelFormat format) {
  return static_cast<std::uint32_t>((pixel_size(format) + 3) / 4);
}

}  // namespace warpjit::frontend
