// Geometry launches: the vertex stage first, then rounds of ranges of invocations. Ranges of a round run on all
// workers; what they emitted is then copied to where the ranges before it end. Ordered invocations run on one.
#include <algorithm>
#include <chrono>

#include "base/float_environment.h"
#include "runtime/engine.h"
#include "runtime/primitives.h"

namespace warpjit::runtime {
namespace {

constexpr std::uint64_t kMaxVertexBytes = std::uint64_t{4} << 30;
// Ranges of a round for each worker, to even out their speeds.
constexpr std::uint64_t kRangesPerWorker = 4;

}  // namespace

Result<std::unique_ptr<std::byte[]>> EngineState::run_vertex_stage(const LaunchState& launch,
                                                                   const RunOptions& options) {
  const LaunchData::Primitives& primitives = *launch.primitives;
  const std::size_t row = primitives.attribute_count() * kRowBytes;
  const std::uint64_t count = primitives.vertex->count;
  if (count > kMaxVertexBytes / row)
    return Error{ErrorCode::resource_limit,
                 "the vertex stage gives more than " + std::to_string(kMaxVertexBytes) + " bytes",
                 launch.shader->source_name()};
  const std::size_t bytes = static_cast<std::size_t>(count) * row;
  std::unique_ptr<std::byte[]> vertices(new (std::nothrow) std::byte[bytes + 1]);
  if (!vertices) return Error{ErrorCode::resource_limit, "no memory for the vertices", ""};
  LaunchState stage(*primitives.vertex);
  stage.output_count = 0;
  stage.allow_overlap = false;
  std::size_t offset = 0;
  for (std::uint64_t bits = primitives.attributes; bits != 0; bits &= bits - 1, offset += kRowBytes) {
    Location location;
    location.kind = LocationKind::output;
    location.first = static_cast<std::uint16_t>(std::countr_zero(bits));
    const OutputBuffer buffer{vertices.get() + offset, bytes - std::min(offset, bytes), row, f32x4};
    if (Status status = stage.bind(location, buffer); !status) return status.error();
  }
  if (auto report = run(stage, options); !report) return report.error();
  return vertices;
}

Result<RunReport> EngineState::run_geometry(LaunchState& launch, const RunOptions& options) {
  if (Status status = check_primitives(launch); !status) return status.error();
  if (Status status = launch.check_bindings(); !status) return status.error();
  RunReport report;
  Slots::Lease lease;
  if (Status status = lease_kernel(launch, options, lease, report); !status) return status.error();
  report.invocations = launch.thread_count();
  const auto start = std::chrono::steady_clock::now();
  std::unique_ptr<std::byte[]> vertices;
  if (launch.primitives->vertex) {
    WARPJIT_TRY(vertices, run_vertex_stage(launch, options));
  }
  const Kernel& kernel = lease.kernel();
  WARPJIT_TRY(const frontend::Facts facts, launch.facts(0));
  std::vector<std::uint32_t> rows;
  if (vertices && launch.primitives->input.mode == PrimitiveMode::variable) {
    WARPJIT_TRY(const Location first, launch.shader->find(LocationKind::float_uniform, "c0"));
    const std::uint64_t words = report.invocations * facts.primitives.row_count * 4;
    if (words > kMaxVertexBytes / 4)
      return Error{ErrorCode::resource_limit, "the primitives need too much memory",
                   launch.shader->source_name()};
    rows = gather_primitives(*launch.primitives, facts.primitives, vertices.get(),
                             std::span(launch.values.words).subspan(first.word, frontend::kUniformRows * 4));
  }
  const PrimitivePlan plan(launch, facts, kernel, lease.table(), options.fuel.value_or(launch.fuel),
                           options.cancel, vertices.get(),
                           rows.empty() ? nullptr : reinterpret_cast<const std::byte*>(rows.data()));
  report.threads = kernel.report().ordered ? 1 : worker_count(report.invocations, options, kernel);
  if (Status status = run_rounds(plan, options, report); !status) return status.error();
  const auto elapsed = std::chrono::steady_clock::now() - start;
  report.run_ns =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
  return report;
}

Status EngineState::run_rounds(const PrimitivePlan& plan, const RunOptions& options, RunReport& report) {
  struct Range {
    PrimitiveArea area;
    std::uint64_t first = 0, count = 0, place = 0;
    Status status;
  };
  const std::uint64_t ranges = (report.invocations + plan.chunk() - 1) / plan.chunk();
  std::vector<Range> round(static_cast<std::size_t>(
      std::min<std::uint64_t>(ranges, report.threads == 1 ? 1 : report.threads * kRangesPerWorker)));
  for (Range& range : round) {
    WARPJIT_TRY(range.area, plan.make_area());
  }
  const auto each = [&](std::size_t used, auto body) {
    struct Job {
      Range* ranges;
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
  for (std::uint64_t first = 0; first < report.invocations;) {
    if (options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed) != 0)
      return Error{ErrorCode::cancelled, "the run was cancelled", ""};
    std::size_t used = 0;
    for (; used < round.size() && first < report.invocations; ++used, first += round[used - 1].count) {
      round[used].first = first;
      round[used].count = std::min(plan.chunk(), report.invocations - first);
    }
    each(used, [&](Range& range) { range.status = plan.run(range.first, range.count, range.area); });
    for (std::size_t k = 0; k < used; ++k) {
      if (!round[k].status) return round[k].status;
      round[k].place = report.triangles;
      report.triangles += round[k].area.triangle_count;
      if (report.triangles > plan.room())
        return Error{ErrorCode::resource_limit,
                     "the triangle buffer has room for " + std::to_string(plan.room()) + ", more are emitted",
                     "triangles"};
    }
    each(used, [&](Range& range) { plan.append(range.area, range.count, range.place); });
  }
  return {};
}

}  // namespace warpjit::runtime
