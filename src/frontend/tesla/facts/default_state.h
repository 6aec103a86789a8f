// The graphics state of code that comes without: what its instructions name.
#pragma once

#include "frontend/tesla/container/program.h"

namespace warpjit::tesla {

// A state with which the code's accesses to a[], o[] and v[] find words, as far as fixed addresses tell; by
// an address register all words are named. Vertex programs: each word of a[] is a component of the
// attributes, in order. The result map of vertex and geometry programs: each word of o[] is the slot of its
// number, up to the last one that is written, at least the position. Geometry programs make triangle strips,
// of as many vertices as there are `emit`, or of as many as there may be if control goes back. Fragment
// programs: v[] begins with 1/w, then come the slots from 4 on.
GraphicsState state_of_code(const Program& program);

// Bytes of l[] that the code names: up to the last one at a fixed address; with addresses of registers, which
// could be any, at least kGuessedLocalBytes. 0: it has no l[].
inline constexpr std::uint32_t kGuessedLocalBytes = 1024;
std::uint32_t local_bytes_of_code(const Program& program);

// Gives a vertex or geometry program without a result map that state.
void complete_state(Program& program);

}  // namespace warpjit::tesla
