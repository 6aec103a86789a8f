// From the thread form that a frontend makes to the group form that a backend lowers: all passes in order.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "ir/function.h"

namespace warpjit::ir {

struct PipelineOptions {
  bool dispatch_all = false;  // run all control flow in the dispatcher (the oracle for linearize)
  bool optimize = true;       // false: only what correctness needs
  bool verify = false;        // verify after every stage; a failure is ErrorCode::internal
  // The kernel may give any result for 0 times infinity, provided that this raises the host's invalid flag:
  // the runtime looks at the flag and then runs the exact kernel instead. The preamble stays exact.
  bool assume_no_zero_inf = false;
  // The width of groups that may be widened, chosen from the otherwise finished function: a multiple of
  // Function::group_lanes, reduced until it divides the threads of a block; or a part of it, taken only where
  // threads of a group cannot tell that others run later. Empty: groups stay as they are.
  std::function<std::uint32_t(const Function&)> group_lanes{};
  // The host's masks are numbers, 0 or -1 in each lane, so that lanes count what they
  // take part in with one operation.
  bool masks_are_numbers = false;
};

// The group form of one kernel. `preamble` runs once per launch, straight-line, all values launch-uniform,
// before any group; its StoreUniform* fill words of the table beyond what the translator laid out.
// kernel.uniform_bytes (equal in both) is the size of the whole table.
struct GroupProgram {
  Function preamble;
  Function kernel;
  // The option was given and made a difference. Backends may then make further assumptions, and raise the
  // flag where one is wrong.
  bool assumes_no_zero_inf = false;
};

// Called after each stage with its name and the function as it is then. In order, those of the optimizer
// several times: "translate", "expand", "simplify", "gvn", "dce", "floats", "nans", "divisors", "normalize",
// "unroll" (where loops are), "uniformity", "comparisons" (where groups have a width), "hoist", "preamble"
// (with the preamble), "assume", "skips", "linearize", "samples" (where there are any; then "nans" again, if
// results may be), "quads" (where lanes read others), "fuel", "freeze" (where that changes loops), "places"
// (for functions of blocks), "addresses" (where groups have a width), "lanes" (where that changes masks),
// "groups" (for functions of blocks), "cleanup", "hoist" and "preamble" again (where there were samples),
// "ahead" (where that changes loops), "gather", "shapes". After "gvn" there may be another "simplify".
using StageObserver = std::function<void(std::string_view stage, const Function& function)>;

// A function that is already in group form (its frontend knows a rule of control flow that passes do not
// know) goes only through the passes after "linearize".
Result<GroupProgram> run_pipeline(Function function, const PipelineOptions& options,
                                  const StageObserver& observer = {});

}  // namespace warpjit::ir
