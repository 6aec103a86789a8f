// What a draw of a scene does, and what a job is, in words.
#pragma once

#include <optional>
#include <string>

#include "device/pica200/draw_view.h"
#include "json.h"
#include "scene_file.h"

namespace warpjit::tool {

// "texture0.rgb * primary.rgb"; empty: the half's result is the previous stage's, or nothing reads it.
struct StageFormula {
  std::string color, alpha;
};
std::array<StageFormula, pica200::kCombinerStages> stage_formulas(const pica200::FragmentState& state,
                                                                  const pica200::FragmentValues& values);

// "src * src.a + dst * (1 - src.a)", of the colour (0) or of alpha (1).
std::string blend_formula(const pica200::OutputState& output, unsigned half);
std::string logic_formula(unsigned op);

// An object of words, lists and numbers: what is off has no member.
Json draw_json(const pica200::DrawView& draw);

std::string job_text(const SceneJob& job);

}  // namespace warpjit::tool
