// The fixed function in words: formulas, and the steps that fragments of a state make.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "frontend/pica200/facts/fragment.h"

namespace warpjit::pica200 {

// "texture0.rgb * primary.rgb": the colour (0) or alpha (1) of a stage. `constant`: the stage's, or null.
std::string combiner_formula(const CombinerHalf& half, unsigned which,
                             const std::array<std::uint8_t, 4>* constant);
// "passes where a < b".
std::string test_text(Comparison comparison, const std::string& a, const std::string& b);
// "src * src.a + dst * (1 - src.a)", of the colour (0) or of alpha (1).
std::string blend_formula(const OutputState& output, unsigned half);
std::string logic_formula(unsigned op);

// A line for each step of FragmentStep that fragments of the state make: "TEXT // STEP:".
std::string list_fragment(const FragmentState& state);

}  // namespace warpjit::pica200
