// A texture as all that samples it sees it: checked, every level within its memory, not compressed, and
// readable in whole words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "textures/format.h"
#include "textures/layout.h"
#include "warpjit/textures.hpp"

namespace warpjit::textures {

struct TextureView {
  // What code is specialized for.
  TextureDimension dimension = TextureDimension::d2;
  bool array = false;
  TextureFormat format;  // not compressed
  TextureLayout layout = TextureLayout::linear;
  std::array<TexelSource, 4> swizzle{};
  bool normalized = true, four_pairs = true, depth = false;

  // `size` bytes at `base`, both multiples of 4, of the caller's or of `copy`. At most kMaxTextureBytes.
  const std::byte* base = nullptr;
  std::uint32_t size = 0;
  std::shared_ptr<const std::vector<std::uint32_t>> copy;
  // The memory of the caller's that was bound, of which the view may be a copy.
  const std::byte* bound = nullptr;
  std::size_t bound_size = 0;
  bool decoded = false;  // of blocks: only there are the texels where the levels say

  std::array<Level, kMaxTextureLevels> levels{};
  std::uint32_t level_count = 1, first_level = 0, last_level = 0;  // first <= last < count
  std::uint32_t layers = 1;                                        // as memory has them: six a cube
  std::uint32_t layer_bytes = 0;
  std::int32_t min_lod = 0, lod_bias = 0;

  // Bytes from the base to a texel that the texture has.
  std::uint32_t texel_offset(std::uint32_t level, std::uint32_t layer, std::uint32_t x, std::uint32_t y,
                             std::uint32_t z) const {
    return levels[level].offset + layer * layer_bytes +
           element_offset(layout, format.bytes, tile_bits_of(false), levels[level], x, y, z);
  }
};

// Checks everything before it allocates or reads. Decodes what is compressed. `where` names the texture in
// errors: "texture 3". Errors: bad_input, naming the field; resource_limit; unsupported.
Result<TextureView> make_view(const Texture& texture, std::string_view where);
Status check_sampler(const Sampler& sampler, std::string_view where);

// Whether the two go together: linear filters and compare need a fitting format.
Status check_pair(const TextureView& texture, const Sampler& sampler, std::string_view where);

// The border as a program sees it: x, y, z, w.
std::array<std::uint32_t, 4> border_of(const TextureView& texture, const Sampler& sampler);

}  // namespace warpjit::textures
