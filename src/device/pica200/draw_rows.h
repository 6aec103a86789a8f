// Which 16-byte rows a draw's kernel reads so that they hold all its attributes, and where in them each
// attribute lies. Attributes of one array of structures share rows.
#pragma once

#include <array>
#include <span>

#include "runtime/work/draw.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

using runtime::DrawBindings;

// An attribute in an array, on its way to an input register.
struct ArrayInput {
  pica200::AttributeArray array;
  std::uint8_t reg = 0;
};

// Sets row_count, input_count and inputs of draw.facts, and draw.rows for vertex 0. `inputs`: at most
// kMaxRows, of valid formats, each with its first vertex inside its array.
// The facts depend on no address or size.
void lay_out_rows(std::span<const ArrayInput> inputs, DrawBindings& draw);

// How many vertices from 0 on have all their rows, of 16 bytes each, inside the arrays.
std::uint64_t whole_vertices(std::span<const ArrayInput> inputs, const DrawBindings& draw);

}  // namespace warpjit::pica200
