// Finding the kernel of a launch: in the launch's own cache, in the code cache, or by making it, here
// or in the background.
#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "backend/processor.h"
#include "base/float_environment.h"
#include "base/hash.h"
#include "runtime/engine/engine.h"
#include "runtime/work/needed_kernels.h"

namespace warpjit::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// Families whose variants are remembered. Beyond it all are forgotten and may specialize again.
constexpr std::size_t kMaxFamilies = 4096;

// From which number of vertices on they hardly come from the caches: a million bytes and more.
constexpr std::uint64_t kManyRows = 32768;

// How long a run interprets before it has a compilation begin that may begin later.
constexpr std::chrono::microseconds kPatience{60};

#if defined(WARPJIT_CHECKS)
constexpr bool kAlwaysCheck = true;
#else
constexpr bool kAlwaysCheck = false;
#endif

class AwaitedJob final : public AwaitedKernel {
 public:
  using Begin = std::function<std::shared_ptr<CompileJob>()>;
  // `looks` is TestHooks::asks.
  AwaitedJob(std::shared_ptr<CompileJob> job, std::optional<std::uint64_t> looks)
      : job_(std::move(job)), looks_(looks) {}
  explicit AwaitedJob(Begin begin) : begin_(std::move(begin)), since_(std::chrono::steady_clock::now()) {}

  void begin() override {
    if (begin_) job_ = std::exchange(begin_, {})();
  }

 private:
  std::shared_ptr<const Kernel> look() override {
    if (begin_ && std::chrono::steady_clock::now() - since_ > kPatience) begin();
    if (!job_) return nullptr;
    if (looks_) {
      if (*looks_ != 0) {
        --*looks_;
        return nullptr;
      }
      job_->wait(std::nullopt);
    }
    return job_->kernel();
  }

  std::shared_ptr<CompileJob> job_;  // null: it has not begun, or the queue was full
  Begin begin_;
  std::chrono::steady_clock::time_point since_;  // from when on begin_ waits to be called
  std::optional<std::uint64_t> looks_;
};

// True if the rows of one thread lie beside each other in all inputs.
bool has_interleaved_inputs(const LaunchState& launch) {
  const std::byte* first = nullptr;
  std::size_t stride = 0;
  const auto fits = [&](const void* data, std::size_t step) {
    const auto* row = static_cast<const std::byte*>(data);
    if (first == nullptr) first = row, stride = step;
    const std::uintptr_t a = reinterpret_cast<std::uintptr_t>(row),
                         b = reinterpret_cast<std::uintptr_t>(first);
    return step == stride && (a < b ? b - a : a - b) < stride;
  };
  if (launch.work() == Work::draw)
    return std::ranges::all_of(std::span(launch.draw.rows).first(launch.draw.facts.row_count),
                               [&](const DrawBindings::Rows& rows) { return fits(rows.data, rows.stride); });
  for (std::size_t n = 0; n < launch.inputs.size(); ++n) {
    const Attribute& input = launch.inputs[n].attribute;
    if ((launch.bound_inputs >> n & 1) != 0 && !fits(input.data, input.stride)) return false;
  }
  return true;
}

bool has_packed_outputs(const LaunchState& launch) {
  constexpr std::size_t kRow = 16;
  if (launch.work() == Work::draw)
    return launch.draw.result_stride == kRow * launch.draw.facts.output_bindings();
  const auto first = reinterpret_cast<std::uintptr_t>(launch.outputs[0].buffer.data);
  for (std::size_t n = 0; n < launch.output_count; ++n) {
    const OutputBuffer& buffer = launch.outputs[n].buffer;
    if (reinterpret_cast<std::uintptr_t>(buffer.data) != first + n * kRow ||
        buffer.stride != launch.output_count * kRow)
      return false;
  }
  return launch.output_count != 0;
}

backend::RowLayout row_layout_of(const LaunchState& launch) {
  return {has_interleaved_inputs(launch), has_packed_outputs(launch)};
}

}  // namespace

KernelHints EngineState::hints_of(const LaunchState& launch) const {
  KernelHints hints;
  const Work work = launch.work();
  if ((work == Work::rows || work == Work::draw) && launch.count >= kManyRows &&
      tuning().bytes_ahead_of_rows != 0)
    hints.rows_ahead = row_layout_of(launch);
  hints.many_ranges = launch.many_ranges;
  return hints;
}

Result<EngineState::Choice> EngineState::choose(const RunOptions& options, const KernelHints& hints) const {
  Choice choice{options.engine, best_.value_or(backend::Target::x64_v3)};
  choice.hints = hints;
  if (options.engine != EngineKind::jit) return choice;
  if (const std::optional<backend::Target> named = backend_target(options.target)) {
    choice.target = *named;
    if (!runs_here_[static_cast<std::size_t>(*named)])
      return Error{ErrorCode::target_unavailable,
                   "this machine does not run code for " + std::string(backend::name(*named)), ""};
    if (!memory_) return Error{ErrorCode::target_unavailable, no_jit_reason_, ""};
    return choice;
  }
  if (!memory_) choice.engine = EngineKind::ir;
  return choice;
}

LaunchKey EngineState::launch_key(const LaunchState& launch, const RunOptions& options, Choice choice) const {
  const bool specialized = !options.generic && choice.engine != EngineKind::guest;
  // Kernels of interpreters are for runs that name no target.
  const bool is_named = choice.engine == EngineKind::jit && options.target != Target::automatic;
  LaunchKey key;
  key.engine = this;
  key.facts_generation = launch.facts_generation;
  key.bools = specialized ? launch.values.bools & launch.usage.bools : 0;
  key.options = static_cast<std::uint64_t>(choice.engine) | static_cast<std::uint64_t>(choice.target) << 4 |
                static_cast<std::uint64_t>(hooks_.dispatch_all) << 8 |
                static_cast<std::uint64_t>(options.generic) << 9 |
                static_cast<std::uint64_t>(hooks_.speculate) << 10 |
                static_cast<std::uint64_t>(choice.hints.large_primitives) << 11 |
                static_cast<std::uint64_t>(choice.hints.small_primitives) << 17 |
                static_cast<std::uint64_t>(choice.hints.flat_w) << 12 |
                std::uint64_t{number_of(choice.hints.rows_ahead)} << 14 |
                static_cast<std::uint64_t>(choice.hints.many_ranges) << 13 |
                static_cast<std::uint64_t>(is_named) << 19 | std::uint64_t{hooks_.parts} << 20 |
                std::uint64_t{hooks_.registers} << 40;
  return key;
}

Result<bool> EngineState::admit_variant(const Request& request, std::uint64_t bools) {
  std::uint64_t family = 0;
  if (std::holds_alternative<frontend::DrawFacts>(request.facts.work)) {
    frontend::Facts facts = request.facts;
    facts.work = frontend::DrawFacts();
    WARPJIT_TRY(const CodeCache::Key key, kernel_key(*request.shader, facts, request.options));
    family = hash_bytes(key);
  } else {
    family = hash_bytes(request.key);
  }
  const std::lock_guard lock(variants_mutex_);
  if (variants_.size() >= kMaxFamilies && !variants_.contains(family)) variants_.clear();
  std::vector<std::uint64_t>& known = variants_[family];
  if (std::find(known.begin(), known.end(), bools) != known.end()) return true;
  if (known.size() >= options_.boolean_variants) return false;
  known.push_back(bools);
  return true;
}

KernelOptions EngineState::kernel_options(Choice choice) const {
  KernelOptions result;
  result.engine = choice.engine;
  result.target = choice.target;
  result.dispatch_all = hooks_.dispatch_all;
  result.checks = options_.checks || kAlwaysCheck;
  result.speculate = hooks_.speculate;
  result.parts = hooks_.parts != 0 ? hooks_.parts : choice.few_threads ? 1 : 0;
  result.small_primitives = choice.hints.small_primitives && choice.engine == EngineKind::jit;
  result.large_primitives = choice.hints.large_primitives && choice.engine == EngineKind::jit;
  if (choice.engine == EngineKind::jit) result.rows_ahead = choice.hints.rows_ahead;
  result.many_ranges = choice.hints.many_ranges && choice.engine == EngineKind::jit;
  result.tuning = tuning();
  result.registers = hooks_.registers;
  result.code_bytes = hooks_.code_bytes;
  return result;
}

Result<EngineState::Request> EngineState::request(const LaunchState& launch, const RunOptions& options,
                                                  Choice choice) {
  const Clock::time_point start = Clock::now();
  Request request;
  request.shader = frontend::shared_shader(launch.program);
  request.options = kernel_options(choice);
  request.may_interpret = choice.engine == EngineKind::jit && options.target == Target::automatic;
  WARPJIT_TRY(request.facts, launch.facts(0));
  if (auto* const pixels = std::get_if<frontend::PixelFacts>(&request.facts.work))
    pixels->flat_w = choice.hints.flat_w && choice.engine != EngineKind::guest;
  request.facts.half_arithmetic =
      choice.engine == EngineKind::jit && backend::has_half_arithmetic(choice.target);
  WARPJIT_TRY(request.key, kernel_key(*request.shader, request.facts, request.options));
  const std::uint64_t bools = launch.usage.bools;
  const bool may_specialize = bools != 0 && !options.generic && choice.engine != EngineKind::guest;
  WARPJIT_TRY(const bool specialized,
              may_specialize ? admit_variant(request, launch.values.bools & bools) : Result<bool>(false));
  if (specialized) {
    request.facts.known_bools = bools;
    request.facts.bools = launch.values.bools & bools;
    WARPJIT_TRY(request.key, kernel_key(*request.shader, request.facts, request.options));
  }
  request.time = Clock::now() - start;
  return request;
}

CodeCache::KernelResult EngineState::make(const Request& request) {
  const Clock::time_point start = Clock::now();
  KernelOptions options = request.options;
  std::string because;
  for (;;) {
    Result<std::shared_ptr<Kernel>> kernel =
        make_kernel(*request.shader, request.facts, options, memory_.get(), workspaces_);
    if (kernel) {
      (*kernel)->set_compile_time(request.time + (Clock::now() - start));
      const CompileReport& report = (*kernel)->report();
      if (options_.log != nullptr)
        log(LogLevel::debug, "compiled " + request.shader->source_name() + " for " + name(report.engine) +
                                 " in " + std::to_string(report.compile_time().count()) + " ns, " +
                                 std::to_string(report.code_bytes) + " bytes of code");
      if (!because.empty()) (*kernel)->set_interpreted_because(std::move(because));
      return std::shared_ptr<const Kernel>(std::move(*kernel));
    }
    // Programs still run in an interpreter if their code is too large for the backend or for the remaining
    // executable memory, or if only the guest interpreter can run them.
    const Error& error = kernel.error();
    const bool ir = error.code == ErrorCode::resource_limit && options.engine == EngineKind::jit;
    const bool guest = error.code == ErrorCode::unsupported && options.engine != EngineKind::guest;
    if (!request.may_interpret || (!ir && !guest)) return error;
    options.engine = ir ? EngineKind::ir : EngineKind::guest;
    because = to_string(error);
    log(LogLevel::warning, "interpreted, not compiled: " + because);
  }
}

CodeCache::KernelResult EngineState::find_or_make(const Request& request, bool& hit) {
  CodeCache::KernelResult result = cache_.get(
      request.key, [&] { return make(request); }, hit);
  // A run that asks for the JIT by name does not accept the IR interpreter in its place.
  const bool right = !result || request.may_interpret || (*result)->report().engine == request.options.engine;
  if (right) return result;
  hit = false;
  return make(request);
}

std::shared_ptr<CompileJob> EngineState::submit(Request request, bool urgent,
                                                std::shared_ptr<const std::vector<Request>> others) {
  const CodeCache::Key key = request.key;
  const auto shared = std::make_shared<const Request>(std::move(request));
  return background_.submit(
      key, urgent,
      [this, shared, others] {
        CodeCache::KernelResult result = make_all(*shared, others ? *others : std::vector<Request>());
        if (!result) log(LogLevel::warning, "not compiled in the background: " + to_string(result.error()));
        return result;
      },
      [shared](const Kernel& kernel) { kernel.complete(*shared->shader); });
}

Result<std::vector<EngineState::Request>> EngineState::requests(LaunchState& launch,
                                                                const RunOptions& options, bool shades) {
  Run run{launch, options, *this, runner_, work_memory_};
  WARPJIT_TRY(const NeededKernels needed, needed_kernels(run, shades));
  std::vector<Request> list;
  for (const NeededKernel& kernel : needed.list) {
    WARPJIT_TRY(const Choice choice, choose(options, kernel.hints));
    WARPJIT_TRY(Request one, request(*kernel.launch, options, choice));
    list.push_back(std::move(one));
  }
  return list;
}

Result<CompileReport> EngineState::compile(LaunchState& launch, const RunOptions& options) {
  const FloatEnvironment environment;
  WARPJIT_TRY(const std::vector<Request> needed, requests(launch, options, true));
  CompileReport report;
  for (const Request& one : needed) {
    bool hit = false;
    WARPJIT_TRY(const std::shared_ptr<const Kernel> kernel, find_or_make(one, hit));
    if (&one == &needed.front()) report = report_of(*kernel, hit);
  }
  return report;
}

Result<Compilation> EngineState::warm(LaunchState& launch, const RunOptions& options) {
  const FloatEnvironment environment;
  WARPJIT_TRY(std::vector<Request> needed, requests(launch, options, false));
  std::shared_ptr<const Kernel> found;
  std::erase_if(needed, [&](const Request& one) {
    std::shared_ptr<const Kernel> kernel = cache_.find(one.key);
    if (&one == &needed.front()) found = kernel;
    return kernel != nullptr;
  });
  if (needed.empty()) return Compilation(std::make_shared<CompileJob>(std::move(found)));
  Request first = std::move(needed.front());
  needed.erase(needed.begin());
  const auto others = std::make_shared<const std::vector<Request>>(std::move(needed));
  if (std::shared_ptr<CompileJob> job = submit(first, false, others)) return Compilation(std::move(job));
  return Compilation(std::make_shared<CompileJob>(make_all(first, *others)));
}

CodeCache::KernelResult EngineState::make_all(const Request& request, const std::vector<Request>& others) {
  bool hit = false;
  for (const Request& other : others)
    if (CodeCache::KernelResult kernel = find_or_make(other, hit); !kernel) return kernel;
  return find_or_make(request, hit);
}

Result<bool> EngineState::recall(LaunchState& launch, const LaunchKey& key, LaunchCache::Lease& lease) {
  if (launch.shader->traits().memory.code_addresses) return false;
  if (launch.kernels.find(key, launch.values_generation, lease)) return true;
  return launch.kernels.refill(key, launch.values_generation, *launch.shader, launch.values, lease);
}

Status EngineState::fill(LaunchState& launch, const LaunchKey& key, std::shared_ptr<const Kernel> kernel,
                         LaunchCache::Lease& lease) {
  if (launch.shader->traits().memory.code_addresses)
    return LaunchCache::fill_once(std::move(kernel), *launch.shader, launch.values, lease);
  return launch.kernels.fill(key, launch.values_generation, std::move(kernel), *launch.shader, launch.values,
                             lease);
}

Status EngineState::lease(LaunchState& launch, const RunOptions& options, KernelUse& use,
                          CompileReport& report) {
  LaunchCache::Lease& lease = use.lease.emplace();
  WARPJIT_TRY(const Choice choice, choose(options, use.hints));
  const LaunchKey key = launch_key(launch, options, choice);
  WARPJIT_TRY(const bool remembered, lease_remembered(launch, key, lease, report));
  if (remembered) return {};
  bool hit = false;
  WARPJIT_TRY(const Request needed, request(launch, options, choice));
  WARPJIT_TRY(std::shared_ptr<const Kernel> kernel, find_or_make(needed, hit));
  WARPJIT_CHECK(fill(launch, key, std::move(kernel), lease));
  report = report_of(lease.kernel(), hit);
  return {};
}

Result<bool> EngineState::lease_remembered(LaunchState& launch, const LaunchKey& key,
                                           LaunchCache::Lease& lease, CompileReport& report) {
  WARPJIT_TRY(const bool remembered, recall(launch, key, lease));
  if (!remembered) return false;
  cache_.note_use(lease.kernel());
  report = report_of(lease.kernel(), true);
  return true;
}

Status EngineState::lease_alone(const LaunchState& launch, const RunOptions& options, bool few_threads,
                                LaunchCache::Lease& lease) {
  WARPJIT_TRY(Choice choice, choose(options, hints_of(launch)));
  choice.few_threads = few_threads;
  // A wider vector would be slower, and mostly empty.
  if (few_threads && choice.engine == EngineKind::jit && options.target == Target::automatic &&
      plain(choice.target) == backend::Target::x64_v4)
    choice.target = backend::Target::x64_v3;
  WARPJIT_TRY(const Request needed, request(launch, options, choice));
  bool hit = false;
  WARPJIT_TRY(std::shared_ptr<const Kernel> kernel, find_or_make(needed, hit));
  return LaunchCache::fill_once(std::move(kernel), *launch.shader, launch.values, lease);
}

Status EngineState::lease_at_once(LaunchState& launch, const RunOptions& options, KernelUse& use,
                                  CompileReport& report, bool may_begin_later) {
  if (!options.background || options.engine == EngineKind::guest) return lease(launch, options, use, report);
  WARPJIT_TRY(const Choice choice, choose(options, use.hints));
  WARPJIT_TRY(const bool remembered,
              lease_remembered(launch, launch_key(launch, options, choice), use.lease.emplace(), report));
  if (remembered) return {};
  WARPJIT_TRY(Request needed, request(launch, options, choice));
  if (cache_.find(needed.key)) return lease(launch, options, use, report);
  if (may_begin_later && !hooks_.asks && background_.would_begin(needed.key)) {
    use.awaited =
        std::make_unique<AwaitedJob>([this, request = std::move(needed)] { return submit(request, true); });
    interpreted_runs_.fetch_add(1, std::memory_order_relaxed);
    RunOptions guest = options;
    guest.engine = EngineKind::guest;
    guest.target = Target::automatic;
    return lease(launch, guest, use, report);
  }
  std::shared_ptr<CompileJob> job = submit(std::move(needed), true);
  if (!job) return lease(launch, options, use, report);
  if (job->state() == CompileJob::State::failed) return job->report().error();
  if (use.hints.rows_ahead) {
    // The kernel without rows_ahead, if it is there, gives the same results sooner than an interpreter.
    KernelHints plain = use.hints;
    plain.rows_ahead.reset();
    WARPJIT_TRY(const Choice unhinted, choose(options, plain));
    WARPJIT_TRY(const Request plain_request, request(launch, options, unhinted));
    if (cache_.find(plain_request.key)) {
      use.hints = plain;
      return lease(launch, options, use, report);
    }
  }
  interpreted_runs_.fetch_add(1, std::memory_order_relaxed);
  WARPJIT_TRY(std::shared_ptr<const Kernel> guest, stand_in(launch, *job));
  report = guest->report();
  use.lease->hold(std::move(guest));
  use.awaited = std::make_unique<AwaitedJob>(std::move(job), hooks_.asks);
  return {};
}

// The guest interpreter, because it is ready about 16 times sooner than the IR interpreter, which needs half
// of the compiler; a kernel is there before the IR interpreter's greater speed would pay.
CodeCache::KernelResult EngineState::stand_in(const LaunchState& launch, CompileJob& job) {
  return job.stand_in(launch.shader->source_name(), [&]() -> CodeCache::KernelResult {
    WARPJIT_TRY(const frontend::Facts facts, launch.facts(0));
    KernelOptions guest;
    guest.engine = EngineKind::guest;
    WARPJIT_TRY(std::shared_ptr<const Kernel> kernel,
                make_kernel(*launch.shader, facts, guest, nullptr, workspaces_));
    return kernel;
  });
}

Status EngineState::lease_awaited(LaunchState& launch, const RunOptions& options, KernelUse& use,
                                  CompileReport& report) {
  WARPJIT_TRY(const Choice choice, choose(options, use.hints));
  WARPJIT_CHECK(
      fill(launch, launch_key(launch, options, choice), use.awaited->kernel(), use.lease.emplace()));
  use.awaited.reset();
  report = use.kernel().report();
  return {};
}

}  // namespace warpjit::runtime
