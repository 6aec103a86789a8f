// Images: where a texel lies, and what its bytes become when registers are stored
// (docs/guests/valhall.md 8.5).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "frontend/valhall/interpret/attribute.h"

namespace warpjit::valhall {

// The address for the words x | y << 16 and z << 16. Nothing: that is outside.
std::optional<std::uint64_t> texel_address(const frontend::ImageSource& image, std::uint32_t texel_bytes,
                                           std::uint32_t xy, std::uint32_t z);

// True if ST_CVT can store it.
bool can_store(const VertexFormat& format);
// The bytes of a texel for r, g, b, a in the register format, 16 bits of them in the low half.
ElementBytes store_element(const VertexFormat& format, const std::array<std::uint32_t, 4>& channels,
                           RegisterFormat from);

}  // namespace warpjit::valhall
