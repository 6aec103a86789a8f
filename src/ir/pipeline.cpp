#include "ir/pipeline.h"

#include <algorithm>
#include <utility>

#include "ir/analysis/dominators.h"
#include "ir/analysis/lane_order.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/uniformity.h"
#include "ir/pass/passes.h"
#include "ir/verifier.h"

namespace warpjit::ir {
namespace {

#ifdef WARPJIT_CHECKS
constexpr bool kAlwaysVerify = true;
#else
constexpr bool kAlwaysVerify = false;
#endif

// Runs passes on one function; after each, the observer and the verifier.
class Stages {
 public:
  Stages(const PipelineOptions& options, const StageObserver& observer)
      : verify_(options.verify || kAlwaysVerify), observer_(observer) {}

  template <class Pass>
  Status run(std::string_view stage, Function& f, Pass pass) {
    pass(f);
    return done(stage, f);
  }

  Status done(std::string_view stage, const Function& f) {
    if (observer_) observer_(stage, f);
    if (!verify_) return {};
    Status status = verify(f);
    if (status) return status;
    Error error = status.error();
    return Error{error.code, std::move(error.message), "after " + std::string(stage) + ": " + error.where};
  }

  // Folding, numbering and removal, each working on the results of the one before.
  Status optimize(Function& f, std::string_view simplified) {
    WARPJIT_CHECK(run(simplified, f, simplify));
    bool again = false;
    WARPJIT_CHECK(run("gvn", f, [&](Function& g) { again = number_values(g); }));
    if (again) WARPJIT_CHECK(run("simplify", f, simplify));
    return run("dce", f, eliminate_dead_code);
  }

 private:
  bool verify_;
  const StageObserver& observer_;
};

// Then their code makes canonical NaNs.
bool samples_may_be_nan(const Function& f) {
  return std::ranges::any_of(f.samples, [](const SampleSource& source) { return may_be_nan(source.key); });
}

Function empty_preamble(const Function& f) {
  Function preamble;
  preamble.name = f.name + " preamble";
  preamble.form = Form::group;
  preamble.uniform_bytes = f.uniform_bytes;
  preamble.append(preamble.add_block(), preamble.make(Opcode::Return, {}));
  return preamble;
}

// The widest group width, up to the one in the options, that divides a block.
std::uint32_t group_lanes(const Function& f, const PipelineOptions& options) {
  if (!f.may_widen || !options.group_lanes) return f.group_lanes;
  std::uint32_t warps = std::min(options.group_lanes(f), kMaxGroupLanes) / f.group_lanes;
  while (warps > 1 && f.block_groups % warps != 0) warps /= 2;
  return f.group_lanes * std::max(warps, 1u);
}

std::uint64_t block_threads(const Function& f) { return std::uint64_t{f.group_lanes} * f.block_groups; }

// True if there are barriers, and they may go because a block becomes one group, if its loops are unrolled.
bool meets_in_loops(const Function& f) {
  constexpr std::size_t kMost = 2000;  // instructions: longer functions are not worth it
  if (!f.may_widen || block_threads(f) > kMaxGroupLanes || f.inst_count() > kMost) return false;
  bool barriers = false, loops = false;
  for (std::uint32_t b = 0; b < f.block_count(); ++b) {
    loops = loops || f.block(Block{b}).backward != 0;
    for (Inst i : f.insts(Block{b})) barriers = barriers || f.inst(i).opcode == Opcode::Barrier;
  }
  return barriers && loops;
}

// The group form of a function in thread form, and the preamble.
Status make_groups(Function& f, GroupProgram& program, const PipelineOptions& options, Stages& stages) {
  const auto normalize = [&](Function& g) {
    if (!options.dispatch_all) give_loops_one_entry(g);
    normalize_loops(g);
  };
  WARPJIT_CHECK(stages.run("normalize", f, normalize));
  if (options.optimize && !options.dispatch_all && meets_in_loops(f) && has_loops_to_unroll(f)) {
    Function unrolled = f;
    if (unroll_loops(unrolled)) {
      simplify(unrolled);
      eliminate_dead_code(unrolled);
      normalize(unrolled);
      analyze_uniformity(unrolled);
      const Dominators dominators(unrolled);
      if (group_lanes(unrolled, options) == block_threads(f) &&
          blocks_keep_lane_order(unrolled, Loops(unrolled, dominators))) {
        f = std::move(unrolled);
        WARPJIT_CHECK(stages.done("unroll", f));
        WARPJIT_CHECK(stages.optimize(f, "simplify"));
        WARPJIT_CHECK(stages.run("normalize", f, normalize));
      }
    }
  }
  WARPJIT_CHECK(stages.run("uniformity", f, [](Function& g) { analyze_uniformity(g); }));
  if (options.optimize) {
    if (f.group_lanes != 0)
      WARPJIT_CHECK(stages.run("comparisons", f, [](Function& g) {
        if (!g.may_widen) assign_lanes(g, g.group_lanes);
        if (unify_comparisons(g)) analyze_uniformity(g);
      }));
    WARPJIT_CHECK(stages.run("hoist", f, [&](Function& g) { hoist_launch_uniform(g, program.preamble); }));
    WARPJIT_CHECK(stages.done("preamble", program.preamble));
    if (options.assume_no_zero_inf) {
      program.assumes_no_zero_inf = assume_no_zero_inf(f);
      WARPJIT_CHECK(stages.done("assume", f));
    }
    WARPJIT_CHECK(stages.run("skips", f, insert_skips));
  } else {
    program.preamble = empty_preamble(f);
  }
  if (!linearize(f, options.dispatch_all))
    return Error{ErrorCode::unsupported, "control flow that only the guest's own stack gives its order",
                 f.name};
  if (f.slot_count > kMaxSlots)
    return Error{ErrorCode::resource_limit,
                 "the program keeps " + std::to_string(f.slot_count) + " values across blocks, more than " +
                     std::to_string(kMaxSlots),
                 f.name};
  return stages.done("linearize", f);
}

}  // namespace

Result<GroupProgram> run_pipeline(Function function, const PipelineOptions& options,
                                  const StageObserver& observer) {
  GroupProgram program;
  program.kernel = std::move(function);
  Function& f = program.kernel;
  Stages stages(options, observer);
  WARPJIT_CHECK(stages.done("translate", f));
  WARPJIT_CHECK(stages.run("expand", f, expand_math));
  if (options.optimize) {
    WARPJIT_CHECK(stages.optimize(f, "simplify"));
    if (f.form == Form::thread) WARPJIT_CHECK(stages.run("floats", f, keep_floats));
    WARPJIT_CHECK(stages.run("nans", f, drop_canonical_nans));
    WARPJIT_CHECK(stages.run("divisors", f, multiply_by_reciprocals));
  }
  if (f.form == Form::thread) {
    WARPJIT_CHECK(make_groups(f, program, options, stages));
  } else {
    program.preamble = empty_preamble(f);
  }
  // Late, so that few passes see what they become.
  const bool had_samples = !f.samples.empty() && expand_samples(f);
  if (had_samples) {
    WARPJIT_CHECK(stages.done("samples", f));
    if (options.optimize && samples_may_be_nan(f)) WARPJIT_CHECK(stages.run("nans", f, drop_canonical_nans));
  }
  if (expand_quad_reads(f)) WARPJIT_CHECK(stages.done("quads", f));
  WARPJIT_CHECK(stages.run("fuel", f, insert_fuel));
  if (options.optimize && freeze_left_lanes(f, options.masks_are_numbers))
    WARPJIT_CHECK(stages.done("freeze", f));
  if (f.block_groups != 0)
    WARPJIT_CHECK(stages.run("places", f, [&](Function& g) { assign_lanes(g, group_lanes(g, options)); }));
  if (options.optimize && f.group_lanes != 0) WARPJIT_CHECK(stages.run("addresses", f, split_addresses));
  if (options.optimize && f.group_lanes != 0 && fold_lane_sets(f)) WARPJIT_CHECK(stages.done("lanes", f));
  WARPJIT_CHECK(schedule_groups(f));
  if (f.block_groups != 0) WARPJIT_CHECK(stages.done("groups", f));
  if (options.optimize) {
    WARPJIT_CHECK(stages.optimize(f, "cleanup"));
    if (had_samples) {
      WARPJIT_CHECK(stages.run("hoist", f, [&](Function& g) { hoist_launch_uniform(g, program.preamble); }));
      WARPJIT_CHECK(stages.done("preamble", program.preamble));
    }
    // Hosts with masks of their own have registers enough for parts that stand in two blocks.
    if (pull_ahead_of_exits(f, options.masks_are_numbers)) WARPJIT_CHECK(stages.done("ahead", f));
    WARPJIT_CHECK(stages.run("gather", f, gather_canonical_nans));
    // With phis and blends removed, some values are uniform that were not before.
    WARPJIT_CHECK(stages.run("shapes", f, [](Function& g) { analyze_uniformity(g); }));
  }
  return program;
}

}  // namespace warpjit::ir
