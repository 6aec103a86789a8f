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

// What combiners read, by CombinerSource; previous result, buffer and constant are not set.
using CombinerInputs = std::array<Bytes4, 11>;
Bytes4 combine(const FragmentState& state, const FragmentValues& values, const CombinerInputs& inputs);
// A product of bytes as a byte: v / 255, rounded to nearest; 0 for what is negative.
std::uint8_t quotient(std::int32_t v);

Bytes4 apply_fog(const FragmentState& state, const FragmentValues& values, const Bytes4& color, float depth);

}  // namespace warpjit::pica200::fragment
