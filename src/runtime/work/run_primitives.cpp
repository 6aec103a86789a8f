// Geometry launches: the vertex stage first, then rounds of ranges of invocations. Ranges of a round run on
// all workers; what they emitted is then copied to where the ranges before it end. Ordered invocations run on
// one.
#include <algorithm>
#include <chrono>
#include <optional>

#include "base/float_environment.h"
#include "runtime/engine/engine.h"
#include "runtime/work/primitives.h"

namespace warpjit::runtime {
namespace {

constexpr std::uint64_t kMaxStageBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kStageRange = 64;  // vertices that a task has at least
// Ranges of a round for each worker, to balance the load.
constexpr std::uint64_t kRangesPerWorker = 4;

}  // namespace

// Bound to no buffer: a plan says where the outputs go.
Status EngineState::bind_stage(const LaunchData::Primitives& primitives, LaunchState& stage) {
  stage.output_count = 0;
  if (Status status = stage.check(); !status) return status;
  for (std::uint64_t bits = primitives.attributes; bits != 0; bits &= bits - 1) {
    Location location;
    location.kind = LocationKind::output;
    location.first = static_cast<std::uint16_t>(std::countr_zero(bits));
    WARPJIT_CHECK(stage.bind(location, OutputBuffer{nullptr, 0, 0, f32x4}));
  }
  return {};
}

// A primitive may use any of the vertices.
Result<std::vector<std::uint32_t>> EngineState::run_listed(const LaunchState& launch, const RunPlan& stage,
                                                           const frontend::PrimitiveFacts& facts,
                                                           const Report& report) {
  const LaunchData::Primitives& primitives = *launch.primitives;
  const std::uint64_t count = primitives.vertex->count, row = primitives.attribute_count() * kRowBytes;
  if (count > kMaxStageBytes / row || report.invocations > kMaxStageBytes / (facts.row_count * kRowBytes))
    return Error{ErrorCode::resource_limit,
                 "vertices or primitives need more than " + std::to_string(kMaxStageBytes) + " bytes",
                 launch.shader->source_name()};
  std::unique_ptr<std::byte[]> vertices(new (std::nothrow) std::byte[static_cast<std::size_t>(count * row)]);
  if (!vertices) return Error{ErrorCode::resource_limit, "no memory for the vertices", ""};
  const RunPlan plan = stage.with_rows(vertices.get(), 0);
  const std::uint64_t chunk = (count / report.threads + kStageRange) / kStageRange * kStageRange;
  WARPJIT_CHECK(run_parallel(plan, {0, count, chunk}, report.threads));
  const frontend::PrimitiveLimits limits = launch.shader->primitive_limits();
  return gather_primitives(
      primitives, facts, vertices.get(),
      std::span(launch.values.words).subspan(limits.uniform_word, limits.uniform_rows * 4));
}

Result<Report> EngineState::run_primitives(LaunchState& launch, const RunOptions& options) {
  if (Status status = check_primitives(launch); !status) return status.error();
  if (Status status = launch.check(); !status) return status.error();
  Report report;
  LaunchCache::Lease lease;
  if (Status status = lease_at_once(launch, options, lease, report); !status) return status.error();
  report.work = Work::primitives;
  report.invocations = launch.thread_count();
  if (report.invocations == 0) return report;
  const auto start = std::chrono::steady_clock::now();
  const Kernel& kernel = lease.kernel();
  if (report.engine == EngineKind::guest && options.engine != EngineKind::guest)
    report.interpreted = report.invocations;
  WARPJIT_TRY(const frontend::Facts facts, launch.facts(0));
  report.threads =
      kernel.report().ordered ? 1 : worker_count({report.invocations, 1, kernel.lanes(), 0}, options, kernel);
  const std::uint64_t fuel = options.fuel.value_or(launch.fuel);

  const LaunchData::Primitives& primitives = *launch.primitives;
  std::optional<LaunchState> stage;
  LaunchCache::Lease stage_lease;
  std::optional<RunPlan> stage_plan;
  std::vector<std::uint32_t> rows;
  if (primitives.vertex) {
    stage.emplace(*primitives.vertex);
    if (Status status = bind_stage(primitives, *stage); !status) return status.error();
    CompileReport ignored;
    if (Status status = lease_at_once(*stage, options, stage_lease, ignored); !status) return status.error();
    stage_plan.emplace(*stage, stage_lease.kernel(), stage_lease.table(), fuel, options.cancel);
    if (primitives.input.mode == PrimitiveMode::variable) {
      WARPJIT_TRY(rows, run_listed(launch, *stage_plan, facts.primitives, report));
      stage_plan.reset();
    }
  }
  PrimitivePlan plan(launch, facts, kernel, lease.table(), fuel, options.cancel,
                     stage_plan ? &*stage_plan : nullptr,
                     rows.empty() ? primitives.rows.data : reinterpret_cast<const std::byte*>(rows.data()));
  if (Status status = run_rounds(plan, options, report); !status) return status.error();
  const auto elapsed = std::chrono::steady_clock::now() - start;
  report.run_ns =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
  return report;
}

Status EngineState::run_rounds(PrimitivePlan& plan, const RunOptions& options, Report& report) {
  const std::uint64_t ranges = (report.invocations + plan.chunk() - 1) / plan.chunk();
  Pool<PrimitiveRound>::Lease lease = rounds_.borrow();
  const auto size = static_cast<std::size_t>(
      std::min<std::uint64_t>(ranges, report.threads == 1 ? 1 : report.threads * kRangesPerWorker));
  if (lease->ranges.size() < size) lease->ranges.resize(size);
  const std::span<PrimitiveRange> round(lease->ranges.data(), size);
  for (PrimitiveRange& range : round) WARPJIT_CHECK(plan.set_up(range.area));
  const auto each = [&](std::size_t used, auto body) {
    struct Job {
      PrimitiveRange* ranges;
      decltype(body)& run;
    } job{round.data(), body};
    if (report.threads == 1) {
      for (std::size_t k = 0; k < used; ++k) body(round[k]);
      return;
    }
    executor_->parallel_for(
        used,
        [](void* context, std::size_t k) {
          const FloatEnvironment environment;
          auto& job = *static_cast<Job*>(context);
          job.run(job.ranges[k]);
        },
        &job);
  };
  WARPJIT_TRY(const std::uint64_t begun, plan.begin(report.invocations, round[0].area));
  if (begun != 0) {
    report.triangles = round[0].area.triangle_count;
    WARPJIT_CHECK(plan.reserve(report.triangles));
    plan.append(round[0].area, begun, 0);
  }
  for (std::uint64_t first = begun; first < report.invocations;) {
    if (options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed) != 0)
      return Error{ErrorCode::cancelled, "the run was cancelled", ""};
    std::size_t used = 0;
    for (; used < round.size() && first < report.invocations; ++used, first += round[used - 1].count) {
      round[used].first = first;
      round[used].count = std::min(plan.chunk(), report.invocations - first);
    }
    each(used, [&](PrimitiveRange& range) { range.status = plan.run(range.first, range.count, range.area); });
    for (std::size_t k = 0; k < used; ++k) {
      if (!round[k].status) return round[k].status;
      round[k].place = report.triangles;
      report.triangles += round[k].area.triangle_count;
      plan.note_marks(round[k].area);
    }
    WARPJIT_CHECK(plan.reserve(report.triangles));
    each(used, [&](PrimitiveRange& range) { plan.append(range.area, range.count, range.place); });
  }
  return plan.finish(report.invocations, round[0].area);
}

}  // namespace warpjit::runtime
