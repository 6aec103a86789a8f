// Fixed-function state as launch files have it (docs/launch.md): its enumerations, and the members that are
// read and written alike.
#pragma once

#include <string_view>

#include "launch/fields.h"
#include "warpjit/pixels.hpp"

namespace warpjit::tool {

inline constexpr std::string_view kTopologies[] = {"points",    "lines",          "line-strip",
                                                   "triangles", "triangle-strip", "triangle-fan"};
inline constexpr std::string_view kShadeModels[] = {"smooth", "flat"};
inline constexpr std::string_view kStencilOps[] = {
    "keep",   "zero",           "replace",       "increment-clamp", "decrement-clamp",
    "invert", "increment-wrap", "decrement-wrap"};
inline constexpr std::string_view kFactors[] = {"zero",
                                                "one",
                                                "source-color",
                                                "one-minus-source-color",
                                                "source-alpha",
                                                "one-minus-source-alpha",
                                                "target-color",
                                                "one-minus-target-color",
                                                "target-alpha",
                                                "one-minus-target-alpha",
                                                "constant-color",
                                                "one-minus-constant-color",
                                                "constant-alpha",
                                                "one-minus-constant-alpha",
                                                "source-alpha-saturate",
                                                "target-alpha-saturate"};
inline constexpr std::string_view kBlendOps[] = {"add", "subtract", "reverse-subtract", "min", "max"};
inline constexpr std::string_view kMixAdds[] = {"zero", "source", "target"};
inline constexpr std::string_view kMixMultiplies[] = {"source-minus-target", "source-plus-target", "source",
                                                      "target"};
inline constexpr std::string_view kMixBys[] = {"zero",         "source",       "target",  "twice-source",
                                               "source-alpha", "target-alpha", "constant"};

inline constexpr std::string_view kProvoking[] = {"first", "last"};

// Without topology, viewport, scissor and sample point.
const Fields<RasterState>& raster_fields();
const Fields<RasterState>& viewport_fields();
const Fields<RasterState::Distances>& distance_fields();
const Fields<RasterState::DepthBias>& depth_bias_fields();
const Fields<StencilFace>& stencil_fields();
const Fields<DepthState>& depth_fields();
const Fields<BlendMix>& mix_fields();
const Fields<OutputState>& alpha_test_fields();

}  // namespace warpjit::tool
