// The draws with which a frame begins: they load what its targets held before (docs/guests/valhall.md 11.3).
#pragma once

#include "device/valhall/run_launch.h"
#include "frontend/valhall/flow/control_flow.h"

namespace warpjit::valhall {

// A rectangle over the whole framebuffer, as a strip: window positions, then four words for each varying of
// table 0 that the program names. Element n of a varying's attribute is its value at corner n: left, right
// corner of row 0, left, right corner below the last row. Errors name descriptor and field.
Result<ShadedVertices> pre_frame_vertices(const Image& image, const Environment& environment,
                                          const Framebuffer& framebuffer, const Program& program);

// The address of an LD_VAR, LD_VAR_FLAT or immediate form of these that control reaches, if there is one.
std::optional<std::uint32_t> find_table_varying(const ReachedCode& code);

}  // namespace warpjit::valhall
