// Runs of compute kernels: the kernel by its key, the grid in pieces over the executor.
#include <algorithm>
#include <chrono>

#include "base/float_environment.h"
#include "runtime/compute.h"
#include "runtime/engine.h"

namespace warpjit {
namespace runtime {
namespace {

// Blocks that one call covers at most, so that a run can be cancelled.
constexpr std::uint64_t kMaxChunk = 4096;
// Threads of a launch for each host thread, below which handing out work costs more than it gains.
constexpr std::uint64_t kThreadsPerWorker = 4096;

// The pieces of one run.
class Pieces {
 public:
  Pieces(const ComputeKernel& its_kernel, const ComputeRun& its_run, std::uint64_t its_blocks,
         std::uint64_t its_chunk, std::vector<ComputeScratch::Outcome>& its_outcomes)
      : kernel(its_kernel), run(its_run), blocks(its_blocks), chunk(its_chunk), outcomes(its_outcomes) {
    outcomes.assign((blocks + chunk - 1) / chunk, {});
  }

  const ComputeKernel& kernel;
  const ComputeRun& run;
  std::uint64_t blocks, chunk;
  std::vector<ComputeScratch::Outcome>& outcomes;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};

  void work() {
    const FloatEnvironment environment;
    for (std::size_t index; (index = next.fetch_add(1, std::memory_order_relaxed)) < outcomes.size();)
      if (!failed.load(std::memory_order_relaxed)) piece(index);
  }

 private:
  void piece(std::size_t index) {
    ComputeScratch::Outcome& outcome = outcomes[index];
    const std::uint64_t first = index * chunk, count = std::min(chunk, blocks - first);
    if (run.cancel != nullptr && run.cancel->load(std::memory_order_relaxed) != 0)
      outcome.status = Error{ErrorCode::cancelled, "the run was cancelled", run.shader.source_name()};
    else
      outcome.status = kernel.run(run, first, count, outcome.report);
    if (!outcome.status) failed.store(true, std::memory_order_relaxed);
  }
};

}  // namespace

Status EngineState::want(const frontend::ComputeShader& shader, const frontend::ComputeLaunch& launch,
                         const RunOptions& options, ComputeScratch& wanted) const {
  WARPJIT_TRY(const Choice choice, choose(options));
  WARPJIT_TRY(wanted.plan, shader.plan(launch));
  wanted.options = kernel_options(options, choice);
  wanted.may_interpret = options.engine == EngineKind::jit && options.target == Target::automatic;
  return compute_key(shader, launch, wanted.plan, wanted.options, wanted.may_interpret, wanted.key);
}

Result<std::shared_ptr<const ComputeKernel>> EngineState::find_or_make(const frontend::ComputeShader& shader,
                                                                       const frontend::ComputeLaunch& launch,
                                                                       const ComputeScratch& wanted,
                                                                       bool& hit) {
  const auto make = [&] {
    auto made = make_compute_kernel(shader, launch, wanted.plan, wanted.options, wanted.may_interpret,
                                    memory_.get(), workspaces_);
    if (made && !(*made)->interpreted_because().empty())
      log(LogLevel::warning, "interpreted, not compiled: " + (*made)->interpreted_because());
    return made;
  };
  return cache_.get<ComputeKernel>(
      wanted.key, [&make] { return make(); }, hit);  // one reference: nothing is allocated
}

Result<CompileReport> EngineState::compile(const frontend::ComputeShader& shader,
                                           const frontend::ComputeLaunch& launch, const RunOptions& options) {
  const FloatEnvironment environment;
  Pool<ComputeScratch>::Lease wanted = compute_scratch_.borrow();
  WARPJIT_CHECK(want(shader, launch, options, *wanted));
  bool hit = false;
  WARPJIT_TRY(const std::shared_ptr<const ComputeKernel> kernel, find_or_make(shader, launch, *wanted, hit));
  return report_of(*kernel, hit);
}

Result<ComputeReport> EngineState::run(const frontend::ComputeShader& shader,
                                       const frontend::ComputeLaunch& launch, const RunOptions& options) {
  const FloatEnvironment environment;
  Pool<ComputeScratch>::Lease scratch = compute_scratch_.borrow();
  WARPJIT_CHECK(want(shader, launch, options, *scratch));
  bool hit = false;
  WARPJIT_TRY(const std::shared_ptr<const ComputeKernel> kernel, find_or_make(shader, launch, *scratch, hit));
  ComputeReport report;
  static_cast<CompileReport&>(report) = report_of(*kernel, hit);
  report.interpreted_because = kernel->interpreted_because();

  const auto start = std::chrono::steady_clock::now();
  const std::span<std::uint32_t> table = scratch->make_table(kernel->table_bytes() / 4);
  shader.fill_table(launch, std::as_writable_bytes(table));
  WARPJIT_CHECK(kernel->prepare(table.data()));
  const ComputeRun run{shader,        launch, scratch->plan, table.data(), options.fuel.value_or(launch.fuel),
                       options.cancel};
  const std::uint64_t blocks = launch.blocks();
  std::uint64_t workers = options.threads;
  if (workers == 0)
    workers =
        std::min<std::uint64_t>(blocks * scratch->plan.threads / kThreadsPerWorker, executor_->concurrency());
  report.threads = static_cast<unsigned>(std::clamp<std::uint64_t>(std::min(workers, blocks), 1, 1024));
  // A few chunks for each worker even out their speeds.
  const std::uint64_t chunk =
      std::min(kMaxChunk, report.threads == 1 ? blocks : blocks / (report.threads * 4) + 1);
  Pieces pieces(*kernel, run, blocks, chunk, scratch->outcomes);
  if (report.threads == 1)
    pieces.work();
  else
    executor_->parallel_for(
        report.threads, [](void* context, std::size_t) { static_cast<Pieces*>(context)->work(); }, &pieces);
  for (const ComputeScratch::Outcome& outcome : pieces.outcomes) {
    if (outcome.report.fault && !report.fault) report.fault = describe(*outcome.report.fault, shader);
    if (!outcome.status) return outcome.status.error();
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  report.run_ns =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
  return report;
}

}  // namespace runtime

Result<ComputeReport> run_profiled(const ComputeLaunch& launch, ComputeProfile& profile) {
  const FloatEnvironment environment;
  const frontend::ComputeShader& shader = *launch.program().shader();
  ComputeReport report;
  report.engine = EngineKind::guest;
  frontend::BlocksReport blocks;
  const auto start = std::chrono::steady_clock::now();
  WARPJIT_CHECK(shader.run_profiled(launch.state(), blocks, profile));
  const auto elapsed = std::chrono::steady_clock::now() - start;
  report.run_ns =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
  if (blocks.fault) report.fault = runtime::describe(*blocks.fault, shader);
  return report;
}

}  // namespace warpjit
