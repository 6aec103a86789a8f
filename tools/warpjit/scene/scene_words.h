// What a draw of a scene does, and what a job is, in words.
#pragma once

#include <optional>
#include <string>

#include "device/pica200/draw_view.h"
#include "frontend/pica200/assembly/fragment_text.h"
#include "json.h"
#include "scene_file.h"

namespace warpjit::tool {

using pica200::blend_formula;
using pica200::logic_formula;

// "texture0.rgb * primary.rgb"; empty: the half's result is the previous stage's, or nothing reads it.
struct StageFormula {
  std::string color, alpha;
};
std::array<StageFormula, pica200::kCombinerStages> stage_formulas(const pica200::FragmentState& state,
                                                                  const pica200::FragmentValues& values);

// An object of words, lists and numbers: what is off has no member.
Json draw_json(const pica200::DrawView& draw);

std::string job_text(const SceneJob& job);

}  // namespace warpjit::tool
