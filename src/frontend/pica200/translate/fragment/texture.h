// Texture units: coordinates to texels to a colour (docs/pica-pixels.md).
#pragma once

#include <optional>

#include "frontend/pica200/translate/fragment/steps.h"

namespace warpjit::pica200 {

class TextureSteps : private FragmentSteps {
 public:
  // `unit` is on; `memory`: the number of its texels' memory.
  TextureSteps(ir::Builder& b, const TextureState& state, unsigned unit, std::uint32_t memory);

  // The three values of the unit's coordinates; `w` counts only where it is read. What `live` lanes sample must
  // be there.
  Color sample(F32 u, F32 v, F32 w, I1 live);

 private:
  struct Place {
    F32 u, v, reference;
    I32 face;
  };
  // A level, and where the texture's face begins.
  struct Level {
    I32 log_width, width, height, offset;
  };
  struct Axis {
    I32 first, weight;  // of 256; of the second texel
  };
  // Texels along an axis: their part of a texel's number, and where they are outside.
  struct Line {
    std::array<I32, 2> part;
    std::array<std::optional<I1>, 2> outside;
  };

  Place place(F32 u, F32 v, F32 w);
  Place cube_place(F32 x, F32 y, F32 z);
  I32 detail(const Place& place);
  Level level(I32 number, I32 face);
  Color filtered(const Place& place, I1 live);
  I32 existing_level(I32 number, I1 live);
  Color sums(const Place& place, const Level& level, std::optional<I1> linear);
  Color compared(const Place& place);
  F32 position(std::uint8_t mode, F32 u, I32 size);
  Axis axis(F32 position, bool linear);
  I32 wrap(std::uint8_t mode, I32 index, I32 size, std::optional<I1>& outside);
  I32 column_part(I32 column);
  I32 row_part(I32 row, const Level& level);
  Color texel(I32 number, const Level& level);
  Color block_texel(I32 number, const Level& level);
  I32 load(I32 byte) { return b_.LoadTexel(byte, memory_); }
  I32 texture_word(std::size_t member) { return uniform_word(base_ + static_cast<std::uint32_t>(member)); }
  I32 texture_word_at(std::size_t member, I32 index) {
    return b_.LookUpUniform32(index, base_ + static_cast<std::uint32_t>(member));
  }
  I32 quad_neighbour(I32 x, unsigned lane);

  const TextureState& state_;
  const unsigned unit_;
  const std::uint32_t base_;  // of the unit's words in the uniform table
  const std::uint32_t memory_;
};

}  // namespace warpjit::pica200
