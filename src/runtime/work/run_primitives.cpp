// Geometry launches: the vertex stage first, then rounds of ranges of invocations. Ranges of a round run on
// all workers; what they emitted is then copied to where the ranges before it end.
// Ordered invocations run on one.
#include <algorithm>
#include <new>
#include <optional>

#include "runtime/work/primitives.h"
#include "runtime/work/run.h"

namespace warpjit::runtime {
namespace {

constexpr std::uint64_t kMaxStageBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kStageRange = 64;  // vertices that a task has at least
// Ranges of a round for each worker, to balance the load.
constexpr std::uint64_t kRangesPerWorker = 4;

// The stage's vertices, all of them: a primitive may use any.
Result<std::vector<std::uint32_t>> run_listed(const Run& run, KernelUse& use, const RowPlan& stage,
                                              const frontend::PrimitiveFacts& facts) {
  const LaunchState& launch = run.launch;
  const LaunchData::Primitives& primitives = *launch.primitives;
  const std::uint64_t count = primitives.vertex->count, row = primitives.attribute_count() * kRowBytes;
  if (count > kMaxStageBytes / row || run.report.invocations > kMaxStageBytes / (facts.row_count * kRowBytes))
    return Error{ErrorCode::resource_limit,
                 "vertices or primitives need more than " + std::to_string(kMaxStageBytes) + " bytes",
                 launch.shader->source_name()};
  std::unique_ptr<std::byte[]> vertices(new (std::nothrow) std::byte[static_cast<std::size_t>(count * row)]);
  if (!vertices) return Error{ErrorCode::resource_limit, "no memory for the vertices", ""};
  unsigned workers = 0;
  std::uint64_t next = 0;
  WARPJIT_CHECK(
      run_units(run, use, stage.with_rows(vertices.get(), 0), {count, 1, kStageRange}, next, workers));
  const frontend::PrimitiveLimits limits = launch.shader->geometry_unit()->primitive_limits();
  return gather_primitives(
      primitives, facts, vertices.get(),
      std::span(launch.values.words).subspan(limits.uniform_word, limits.uniform_rows * 4));
}

Status run_rounds(Run& run, PrimitivePlan& plan) {
  Report& report = run.report;
  const std::uint64_t ranges = (report.invocations + plan.chunk() - 1) / plan.chunk();
  Pool<PrimitiveRound>::Lease lease = run.memory.rounds.borrow();
  const auto size = static_cast<std::size_t>(
      std::min<std::uint64_t>(ranges, report.threads == 1 ? 1 : report.threads * kRangesPerWorker));
  if (lease->ranges.size() < size) lease->ranges.resize(size);
  const std::span<PrimitiveRange> round(lease->ranges.data(), size);
  for (PrimitiveRange& range : round) WARPJIT_CHECK(plan.set_up(range.area));
  WARPJIT_TRY(const std::uint64_t begun, plan.begin(report.invocations, round[0].area));
  if (begun != 0) {
    report.triangles = round[0].area.triangle_count;
    WARPJIT_CHECK(plan.reserve(report.triangles));
    plan.append(round[0].area, begun, 0);
  }
  for (std::uint64_t first = begun; first < report.invocations;) {
    if (plan.cancelled()) return cancelled_run();
    std::size_t used = 0;
    for (; used < round.size() && first < report.invocations; ++used, first += round[used - 1].count) {
      round[used].first = first;
      round[used].count = std::min(plan.chunk(), report.invocations - first);
    }
    run.runner.each(used, report.threads, [&](std::size_t k) {
      round[k].status = plan.run(round[k].first, round[k].count, round[k].area);
    });
    for (std::size_t k = 0; k < used; ++k) {
      if (!round[k].status) return round[k].status;
      round[k].place = report.triangles;
      report.triangles += round[k].area.triangle_count;
      plan.note_marks(round[k].area);
    }
    WARPJIT_CHECK(plan.reserve(report.triangles));
    run.runner.each(used, report.threads,
                    [&](std::size_t k) { plan.append(round[k].area, round[k].count, round[k].place); });
  }
  return plan.finish(report.invocations, round[0].area);
}

}  // namespace

Status run_primitives(Run& run) {
  LaunchState& launch = run.launch;
  const RunOptions& options = run.options;
  Report& report = run.report;
  WARPJIT_CHECK(check_primitives(launch));
  WARPJIT_CHECK(launch.check());
  // Whichever kernel is there runs all of it.
  KernelUse use;
  WARPJIT_CHECK(run.kernels.lease_at_once(launch, options, use, report, false));
  report.work = Work::primitives;
  report.invocations = launch.thread_count();
  if (report.invocations == 0) return {};
  const auto start = RunClock::now();
  const Kernel& kernel = use.kernel();
  if (report.engine == EngineKind::guest && options.engine != EngineKind::guest)
    report.interpreted = report.invocations;
  WARPJIT_TRY(const frontend::Facts facts, launch.facts(0));
  report.threads = kernel.report().ordered
                       ? 1
                       : run.runner.worker_count({report.invocations, 1, kernel.lanes()}, options, kernel);

  const LaunchData::Primitives& primitives = *launch.primitives;
  std::optional<LaunchState> stage;
  KernelUse stage_use;  // ends before the launch that it is of
  std::optional<RowPlan> stage_plan;
  std::vector<std::uint32_t> rows;
  if (primitives.vertex) {
    stage.emplace(*primitives.vertex);
    WARPJIT_CHECK(stage->become_stage(primitives.attributes));
    CompileReport ignored;
    WARPJIT_CHECK(run.kernels.lease_at_once(*stage, options, stage_use, ignored, false));
    stage_use.awaited.reset();
    stage_plan.emplace(run.call(*stage, stage_use));
    if (primitives.input.mode == PrimitiveMode::variable) {
      WARPJIT_TRY(rows, run_listed(run, stage_use, *stage_plan, facts.get<frontend::PrimitiveFacts>()));
      stage_plan.reset();
    }
  }
  PrimitivePlan plan(run.call(launch, use), facts, stage_plan ? &*stage_plan : nullptr,
                     rows.empty() ? primitives.rows.data : reinterpret_cast<const std::byte*>(rows.data()));
  WARPJIT_CHECK(run_rounds(run, plan));
  report.run_time = RunClock::now() - start;
  return {};
}

}  // namespace warpjit::runtime
