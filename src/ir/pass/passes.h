// The passes of the IR, in the order in which the pipeline (ir/pipeline.h) runs them. A pass is a free
// function that leaves valid IR; each is linear, or bounded as it says.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "ir/function.h"

namespace warpjit::ir {

// Folds constants (by evaluate), simplifies algebra that is exact for every input (never x*0 = 0, never
// x+0 = x: NaN, -0 and 0*inf rules hold), turns branches on constants into jumps, removes unreachable
// blocks and trivial phis, merges a block with its only successor's only predecessor. Blocks stay apart where
// lanes wait for each other by address (LaneOrder::lowest_address_first).
void simplify(Function& f);

// Global value numbering over the dominator tree: pure operations and reads of read-only spaces. Conditions
// that a branch on the way tells are constants. Returns whether simplify has more to do: a phi went whose
// readers had been visited, or a branch or a guard became constant.
bool number_values(Function& f);

// Removes instructions whose results nobody needs.
void eliminate_dead_code(Function& f);

// Phis of words that are floats on all ways become phis of floats.
void keep_floats(Function& f);

// Removes the making of canonical NaNs that nobody looks at as bits. Both forms.
void drop_canonical_nans(Function& f);

// Makes products of divisions of bounded whole numbers by constants: the same bits, for two operations.
void multiply_by_reciprocals(Function& f);

// Replaces Exp2F32, Log2F32, RcpF32 and RsqrtF32 by their definitions in base/math.
void expand_math(Function& f);

// Cycles with several entries become loops, by a header of their own that knows where each thread wants to
// go, so that the rest of the function need not run in the dispatcher. Functions in which the order of lanes
// can be seen, and those with barriers, stay as they are; so do cycles in cycles beyond a bound. Returns
// whether f changed.
bool give_loops_one_entry(Function& f);

// Brings control flow into the shape that uniformity and linearize want: one Return, no unreachable blocks;
// every loop with one edge into its header and one back edge, each from a block that goes nowhere else; and
// a phi at the exit for every value that leaves a loop (launch-uniform ones move to the entry instead).
// simplify undoes it. Irreducible functions keep their loops as they are. Returns whether f changed.
bool normalize_loops(Function& f);

// Moves launch-uniform computation (shapes must be set) into `preamble`, a straight-line function in group
// form that stores each needed result to a new word at the end of the uniform table; f loads it from there.
// An empty `preamble` is made; to another one it adds.
void hoist_launch_uniform(Function& f, Function& preamble);

// Makes FMulNoZeroInf32 of products that give 0 for 0 times infinity: right only in runs in which no lane,
// dead ones included, multiplies these two. Such a run does not raise the host's sticky invalid flag. Not in
// functions whose code may clear the flag. Returns whether f changed.
bool assume_no_zero_inf(Function& f);

// Innermost loops with barriers whose turns can be counted, 16 at most, become as many copies. They burn the
// same fuel, all of it before the first turn. In thread form, after normalize_loops, after which it is not
// normal any more. Returns whether f changed.
bool unroll_loops(Function& f);
// True if there is such a loop.
bool has_loops_to_unroll(const Function& f);

// Comparisons that hold in all lanes of a group or in none, although their operands vary, compare the base of
// those (analysis/lane_shape) instead; masks that change nothing go. Shapes must be set. Returns whether f
// changed: then shapes are to be set anew.
bool unify_comparisons(Function& f);

// Decides where a test "no lane here: jump over" pays: marks the blocks that head a costly or memory-touching
// part of the function (BlockData::worth_skipping). Shapes must be set. linearize puts the tests.
void insert_skips(Function& f);

// Thread form to group form: keeps uniform branches, removes divergent ones (docs/ir.md). Shapes must be
// set; sets those of the group form. Functions that are irreducible still, endless ones, those in which very
// many blocks wait for lanes at once, and all if `dispatch_all`, run in the dispatcher (pass/dispatch.h).
// Blocks run in the order that Function::lane_order requires; where they cannot, the function runs in the
// dispatcher. False, and f is spoilt, if it would run there and the order is taken_first or it has barriers.
bool linearize(Function& f, bool dispatch_all);

// Replaces Sample by what it does (ir/sample.h). Bounded: some hundred instructions for each. Returns whether
// there were any.
bool expand_samples(Function& f);

// Replaces QuadRead by swizzles and selects, in group form. Returns whether there were any.
bool expand_quad_reads(Function& f);

// Puts BurnFuel on every edge that is marked backward (splitting it where needed).
void insert_fuel(Function& f);

// Lanes that have left a loop keep what the loop carries, and so compute again, in each turn, the values that
// they take out of it. Done where that needs fewer selects than keeping these values. With
// `masks_are_numbers`, lanes that take the number of their last turn out of it count their turns themselves,
// which pays where masks are numbers. In group form, after insert_fuel. Returns whether f changed.
bool freeze_left_lanes(Function& f, bool masks_are_numbers);

// Addresses of loads and stores that are equal or consecutive in neighbouring lanes become the sum of what
// all lanes share and of what depends on the lane's number alone, so that no vector of addresses need be
// kept. Unsigned comparisons of consecutive numbers, `thread < n`, become comparisons of the lane's number, a
// constant of the code. In group form; sets shapes.
void split_addresses(Function& f);

// A function of one group with Barrier operations becomes one of a whole block, which runs its groups in
// turns (Function::inner_groups); without barriers it stays. After insert_fuel. Errors: resource_limit, also
// for barriers of more than 32 groups that are not all plain (ir/barrier.h).
Status schedule_groups(Function& f);

// Makes the groups `lanes` wide, a multiple of what they are that divides the block's, and puts GroupIndex
// and LaneIndex in the place of ThreadIndex. A function that may_widen must be in group form; for
// others `lanes` must be the width that they have.
void assign_lanes(Function& f, std::uint32_t lanes);

// Masks that are the same lanes as an operand of theirs, as all or as none become that, and votes about what
// is known become constants (analysis/lane_sets). In group form. Returns whether f changed.
bool fold_lane_sets(Function& f);

// Moves operations that stand after an exit of a loop ahead of it, where they are the last to read two
// values made in the block of the exit, so that fewer values are kept across it. With `whole_turns` so does
// all that differs between lanes in the rest of a turn, if it is little and lanes leave one by one. In group
// form; shapes must be set. Returns whether f changed.
bool pull_ahead_of_exits(Function& f, bool whole_turns);

// Moves the making of canonical NaNs, and of their words, down to where one of a block is first read, so that
// they stand in a row; arithmetic reads what there was before. In group form.
void gather_canonical_nans(Function& f);

}  // namespace warpjit::ir
