// Sets the uniformity of every value: launch (constants, the uniform table and pure operations on them),
// group (the same in every lane of a group) or varying.
//
// Varying are: what is computed from varying values; phis where lanes that a varying branch sent
// different ways meet; values that leave a loop which the lanes leave in different turns. A phi is never
// launch-uniform, so that launch-uniform values form straight-line code.
//
// A value that leaves such a loop without a phi at the exit is itself made varying; after normalize_loops
// there is always a phi, so the value may stay uniform inside the loop (a loop counter, for instance).
#pragma once

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/function.h"

namespace warpjit::ir {

// Works on both forms; in group form branches are uniform. Irreducible functions, and those in which looking
// for joins takes too long (it is quadratic for long chains of branches to one place): in thread form every
// phi is varying.
void analyze_uniformity(Function& f);
void analyze_uniformity(Function& f, const Loops& loops);

}  // namespace warpjit::ir
