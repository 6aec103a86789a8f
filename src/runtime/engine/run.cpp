// Running the work of a launch: by its kernel, or by the guest interpreter while that is compiled.
#include <algorithm>
#include <chrono>

#include "base/float_environment.h"
#include "runtime/engine/engine.h"
#include "runtime/work/grid_plan.h"

namespace warpjit::runtime {
namespace {

// Threads, or blocks, that a range has at most, so that a run without loops can be cancelled, too.
constexpr std::uint64_t kMostThreads = 65536, kMostBlocks = 4096;
// Guest threads for each host thread; with fewer, handing out work costs more than it gains.
constexpr std::uint64_t kJitThreadsPerWorker = 4096, kInterpreterThreadsPerWorker = 128;
// Guest threads that the interpreter runs on each host thread between two checks of the compilation: 0.05 to
// 0.2 ms. A multiple of the lanes of any kernel.
constexpr std::uint64_t kInterpretedRange = 256;

std::uint64_t nanoseconds_since(std::chrono::steady_clock::time_point start) {
  const auto elapsed = std::chrono::steady_clock::now() - start;
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

WorkSize size_of(const LaunchState& launch, const Kernel& kernel) {
  if (launch.work() != Work::grid) return {launch.count, 1, kernel.lanes(), kMostThreads};
  const auto& [x, y, z] = launch.values.grid.block;
  return {launch.values.grid.blocks(), std::uint64_t{x} * y * z, 1, kMostBlocks};
}

// Calls body(plan) with the plan of the launch's kind of work.
template <class Body>
Status with_plan(const LaunchState& launch, const Kernel& kernel, std::uint32_t* table,
                 const RunOptions& options, Report& report, Body body) {
  const std::uint64_t fuel = options.fuel.value_or(launch.fuel);
  if (launch.work() != Work::grid) {
    const RunPlan plan(launch, kernel, table, fuel, options.cancel);
    return body(plan);
  }
  std::optional<frontend::CheckedGrid> fresh;
  WARPJIT_TRY(const frontend::CheckedGrid* checked, launch.checked_grid(fresh));
  const GridPlan plan(launch, *checked, kernel, table, fuel, options.cancel);
  Status status = body(plan);
  if (!report.fault) report.fault = plan.fault();
  return status;
}

}  // namespace

unsigned EngineState::worker_count(const WorkSize& size, const RunOptions& options,
                                   const Kernel& kernel) const {
  const std::uint64_t ranges = (size.units + size.granule - 1) / size.granule;
  std::uint64_t workers = options.threads;
  if (workers == 0) {
    const std::uint64_t share =
        kernel.report().engine == EngineKind::jit ? kJitThreadsPerWorker : kInterpreterThreadsPerWorker;
    workers = size.units * size.threads_per_unit / share;
    if (workers > 1) workers = std::min<std::uint64_t>(workers, executor_->concurrency());
  }
  return static_cast<unsigned>(std::clamp<std::uint64_t>(std::min(workers, ranges), 1, 1024));
}

Result<Report> EngineState::run(LaunchState& launch, const RunOptions& options) {
  const FloatEnvironment environment;
  if (launch.primitives) return run_primitives(launch, options);
  if (launch.pixels) return run_pixels(launch, options);
  WARPJIT_CHECK(launch.check());
  Report report;
  LaunchCache::Lease lease;
  KernelHints hints = hints_of(launch);
  bool remembered = false;
  if (options.background && options.engine != EngineKind::guest) {
    WARPJIT_TRY(const Choice choice, choose(options, hints));
    const LaunchKey key = launch_key(launch, options, choice);
    WARPJIT_TRY(remembered, lease_remembered(launch, key, lease, report));
    if (!remembered) {
      WARPJIT_TRY(Request asked, request(launch, options, choice));
      const std::shared_ptr<CompileJob> job = cache_.find(asked.key) ? nullptr : submit(asked, true);
      if (job && job->state() == CompileJob::State::failed) return job->report().error();
      if (job && hints.rows_ahead) {
        // The kernel without rows_ahead, if it is there, gives the same results sooner than an interpreter.
        hints.rows_ahead.reset();
        WARPJIT_TRY(const Choice plain, choose(options, hints));
        WARPJIT_TRY(const Request unhinted, request(launch, options, plain));
        if (cache_.find(unhinted.key) == nullptr) return run_meanwhile(launch, options, key, *job);
      } else if (job) {
        return run_meanwhile(launch, options, key, *job);
      }
    }
  }
  if (!remembered) WARPJIT_CHECK(lease_kernel(launch, options, lease, report, hints));
  report.work = launch.work();
  if (report.work != Work::grid && launch.count == 0) return report;
  const auto start = std::chrono::steady_clock::now();
  WARPJIT_CHECK(run_rest(launch, options, lease, 0, report));
  report.run_ns = nanoseconds_since(start);
  return report;
}

Status EngineState::run_rest(const LaunchState& launch, const RunOptions& options,
                             const LaunchCache::Lease& lease, std::uint64_t first, Report& report) {
  const Kernel& kernel = lease.kernel();
  const WorkSize size = size_of(launch, kernel);
  report.threads = worker_count(size, options, kernel);
  // Several ranges for each worker balance the load.
  const std::uint64_t count = size.units - first;
  const std::uint64_t even = report.threads == 1 ? count : count / (report.threads * 4) + 1;
  const std::uint64_t chunk = (std::min(even, size.most) + size.granule - 1) / size.granule * size.granule;
  return with_plan(launch, kernel, lease.table(), options, report, [&](const WorkPlan& plan) {
    return run_parallel(plan, {first, count, chunk}, report.threads);
  });
}

Result<Report> EngineState::run_meanwhile(LaunchState& launch, const RunOptions& options,
                                          const LaunchKey& key, CompileJob& job) {
  interpreted_runs_.fetch_add(1, std::memory_order_relaxed);
  WARPJIT_TRY(const frontend::Facts facts, launch.facts(0));
  // The guest interpreter, because it is ready about 16 times sooner than the IR interpreter, which needs
  // half of the compiler; a kernel is there before the IR interpreter's greater speed would pay.
  KernelOptions guest;
  guest.engine = EngineKind::guest;
  WARPJIT_TRY(const std::shared_ptr<const Kernel> stand_in,
              job.stand_in(launch.shader->source_name(), [&]() -> CodeCache::KernelResult {
                WARPJIT_TRY(std::shared_ptr<const Kernel> made,
                            make_kernel(*launch.shader, facts, guest, nullptr, workspaces_));
                return made;
              }));

  const auto start = std::chrono::steady_clock::now();
  Report report;
  static_cast<CompileReport&>(report) = stand_in->report();
  const WorkSize size = size_of(launch, *stand_in);
  const unsigned workers = report.threads = worker_count(size, options, *stand_in);
  const std::uint64_t each = std::max<std::uint64_t>(1, kInterpretedRange / size.threads_per_unit);
  std::shared_ptr<const Kernel> kernel;
  std::uint64_t done = 0;
  WARPJIT_CHECK(with_plan(launch, *stand_in, nullptr, options, report, [&](const WorkPlan& plan) -> Status {
    while (done < size.units && !(kernel = job.kernel())) {
      const std::uint64_t count = std::min(size.units - done, workers * each);
      WARPJIT_CHECK(run_parallel(plan, {done, count, std::max<std::uint64_t>(1, each / 4)}, workers));
      done += count;
    }
    return {};
  }));
  if (done < size.units) {
    LaunchCache::Lease lease;
    WARPJIT_CHECK(fill(launch, key, std::move(kernel), lease));
    static_cast<CompileReport&>(report) = lease.kernel().report();
    WARPJIT_CHECK(run_rest(launch, options, lease, done, report));
  }
  report.work = launch.work();
  report.interpreted = done;
  report.run_ns = nanoseconds_since(start);
  return report;
}

Status EngineState::run_parallel(const WorkPlan& plan, const Range& range, unsigned workers) {
  struct Job {
    const WorkPlan& plan;
    const Range range;
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex{};
    Status status{};
    std::uint64_t failed = ~std::uint64_t{0};  // the first chunk that failed is the one reported

    void work() {
      while (!stop.load(std::memory_order_relaxed)) {
        const std::uint64_t begin = next.fetch_add(1, std::memory_order_relaxed) * range.chunk;
        if (begin >= range.count) return;
        Status result = plan.cancelled()
                            ? Status(Error{ErrorCode::cancelled, "the run was cancelled", ""})
                            : plan.run(range.first + begin, std::min(range.chunk, range.count - begin));
        if (result) continue;
        stop.store(true, std::memory_order_relaxed);
        const std::lock_guard lock(mutex);
        if (begin < failed) {
          failed = begin;
          status = std::move(result);
        }
      }
    }
  };
  Job job{plan, range};
  if (workers == 1) {
    job.work();
  } else {
    executor_->parallel_for(
        workers,
        [](void* context, std::size_t) {
          const FloatEnvironment environment;
          static_cast<Job*>(context)->work();
        },
        &job);
  }
  return std::move(job.status);
}

Result<Report> EngineState::profile(LaunchState& launch, Profile& profile) {
  const FloatEnvironment environment;
  WARPJIT_CHECK(launch.check());
  Report report;
  report.engine = EngineKind::guest;
  report.work = launch.work();
  std::optional<frontend::BlockFault> fault;
  const auto start = std::chrono::steady_clock::now();
  WARPJIT_CHECK(launch.shader->profile(launch.values.grid, fault, profile));
  report.run_ns = nanoseconds_since(start);
  if (fault) report.fault = describe(*fault, *launch.shader, launch.values.grid);
  return report;
}

}  // namespace warpjit::runtime
