// What the combiners read beside textures, and the combiners: the procedural unit, lighting, six stages, fog.
#pragma once

#include <array>
#include <cstdint>

#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/interpret/fragment/texture.h"

namespace warpjit::pica200::fragment {

// `quad`: u and v in the first pixel of the quad and its neighbours to the right and above.
Bytes4 sample_procedural(const ProceduralState& state, const ProceduralValues& values,
                         const FragmentTables& tables, float u, float v,
                         const std::array<std::array<float, 2>, 3>& quad);

struct LightingInputs {
  std::array<float, 4> quaternion{};
  std::array<float, 3> view{};
  Bytes4 bump{}, shadow{};  // texels of the units that lighting reads
};
struct LightColors {
  Bytes4 primary{}, secondary{};
};
LightColors light(const LightingState& state, const FragmentValues& values, const LightingInputs& inputs);

class FragmentSteps;

// What combiners read, by CombinerSource; previous result, buffer and constant are not set.
using CombinerInputs = std::array<Bytes4, 11>;
// `steps`: null, or is told of each stage.
Bytes4 combine(const FragmentState& state, const FragmentValues& values, const CombinerInputs& inputs,
               FragmentSteps* steps = nullptr);
// The component that an operand takes: of component n of a colour, and of alpha.
std::size_t color_component(std::uint8_t code, std::size_t n);
std::size_t alpha_component(std::uint8_t code);
// A product of bytes as a byte: v / 255, rounded to nearest; 0 for what is negative.
std::uint8_t quotient(std::int32_t v);

// `factor`: if not null, becomes the part of the colour that the fog leaves.
Bytes4 apply_fog(const FragmentState& state, const FragmentValues& values, const Bytes4& color, float depth,
                 float* factor = nullptr);

}  // namespace warpjit::pica200::fragment
