// The IR as text, in both forms; ir/parser.h reads it back. The grammar is in docs/ir.md:
//
//   function "name" thread inputs 1 outputs 1 uniform 256 slots 0 {
//   b0: @0x2
//     %0 : f32 launch = ConstF32 0x3f800000  ; 1
//     %1 : f32, %2 : f32, %3 : f32, %4 : f32 = LoadInput 0 @0x2
//     %5 : i1 = FLt32 %1, %0 @0x3
//     Branch %5, b1, b2 backward
//   b1: <- b0
//     ...
//   }
//
// Values are numbered in the order of the text, so two functions print the same if and only if
// they are the same up to the numbers of their entities. Blocks keep their numbers; the text
// leaves out blocks without instructions.
#pragma once

#include <string>

#include "ir/function.h"

namespace warpjit::ir {

// The whole function. Never fails: what is malformed is printed as it is, with `%?` for missing values.
std::string print(const Function& f);

// One instruction on one line without indentation, values by their raw indices: for messages.
std::string print(const Function& f, Inst inst);

}  // namespace warpjit::ir
