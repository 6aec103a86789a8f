// Engines: code cache, executor, options; they run and compile launches.
//
//   warpjit::Engine engine;
//   auto report = engine.run(launch);
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpjit/launch.hpp"
#include "warpjit/report.hpp"
#include "warpjit/result.hpp"
#include "warpjit/types.hpp"

namespace warpjit {

// Where work runs in parallel. An embedder can pass its own.
class WARPJIT_API Executor {
 public:
  virtual ~Executor();
  // Tasks that may run at once, the caller's thread included; at least 1.
  virtual unsigned concurrency() const = 0;
  // Calls body(context, i) once for each i below count, on any threads and in any order, and returns when
  // all have returned. Called from several threads at once. Bodies never throw and never wait for each other.
  virtual void parallel_for(std::size_t count, void (*body)(void* context, std::size_t index),
                            void* context) = 0;
};
// A pool of host threads, the caller's included (0: one for each CPU), which start when they are first needed;
// where the system gives fewer, fewer work. Null without memory for it.
WARPJIT_API std::shared_ptr<Executor> make_thread_pool(unsigned threads = 0);
// The pool, one thread for each CPU, that all engines of the process share.
WARPJIT_API std::shared_ptr<Executor> make_default_executor();

// How executable memory is allocated. Nothing is ever writable and executable through one mapping.
enum class CodeMemory : std::uint8_t {
  automatic,  // as the environment variable WARPJIT_CODE_MEMORY names it; without it dual, else flip
  dual,       // two mappings of the same pages
  flip,       // one mapping whose protection is switched
  none,       // no JIT
};

enum class LogLevel : std::uint8_t {
  debug,    // each compilation
  info,     // what this machine cannot do
  warning,  // what runs slower than it might, or failed where nobody sees the error yet
};
// Called from any thread, from several at once; must not call the engine that calls it. `message` is one
// line without its end, valid until the call returns.
using LogFunction = void (*)(void* context, LogLevel level, const char* message);

struct EngineOptions {
  std::size_t cache_bytes = std::size_t{64} << 20;  // kernels kept; the least recently used go first
  std::shared_ptr<Executor> executor;               // empty: make_default_executor()
  CodeMemory code_memory = CodeMemory::automatic;
  // Threads of the engine that compile in the background, started when first needed; at most 64. With 0 there
  // is no background: what RunOptions::background or warm() would compile there, the caller compiles.
  unsigned compile_threads = 1;
  // Compilations that may wait for such a thread; beyond it, a caller with one more compiles it itself.
  std::size_t compile_queue = 1024;
  // Combinations of booleans' values, of a program, that get kernels of their own, in each of which they are
  // constants; further ones share kernels that test them.
  std::size_t boolean_variants = 4;
  LogFunction log = nullptr;
  void* log_context = nullptr;
  bool perf_map = false;  // list kernels in /tmp/perf-PID.map
  bool checks = false;    // verify the IR and the machine code between all stages (slow)
};

struct RunOptions {
  EngineKind engine = EngineKind::jit;
  Target target = Target::automatic;
  unsigned threads = 0;               // host threads; 0: chosen by the amount of work
  std::optional<std::uint64_t> fuel;  // instead of the launch's
  bool generic = false;               // do not specialize for the values of booleans
  // Do not wait for a kernel that is not there: it is compiled in the background, and the guest interpreter
  // runs the work until it is ready (of a geometry program all of it), with the same bits. If the
  // compilation fails, the runs after it do.
  bool background = false;
  // Runs stop with `cancelled` soon after it becomes other than 0. Must outlive the run.
  const std::atomic<std::uint32_t>* cancel = nullptr;
  friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

struct EngineInfo {
  std::vector<Target> targets;  // that this machine and build can run, widest last
  Target best = Target::automatic;
  bool jit = false;
  std::string no_jit_reason;  // where jit is false
  CodeMemory code_memory = CodeMemory::none;
  unsigned concurrency = 1;
};

// A compilation in the background. A cheap shared handle, which may outlive launch and engine;
// all calls are thread-safe.
class WARPJIT_API Compilation {
 public:
  enum class State : std::uint8_t { waiting, compiling, done, failed, cancelled };
  State state() const;
  // Waits until it has ended, at most that long; false if it has not.
  bool wait_for(std::chrono::nanoseconds time) const;
  // Waits, and gives its result. Errors: those of Engine::compile; cancelled.
  Result<CompileReport> wait() const;
  // Gives it up, for all who requested this kernel, if it has not begun; false otherwise. A run that needs
  // the kernel requests it again.
  bool cancel() const;

  // For warpjit's own modules.
  class Job;
  explicit Compilation(std::shared_ptr<Job> job) : job_(std::move(job)) {}

 private:
  std::shared_ptr<Job> job_;
};

// A launch over rows that runs again and again with little work each time, such as one vertex. What
// Engine::run looks up for each run was found once. The launch may be changed between calls: the next run
// finds again what the change affects. Launch and engine must outlive it. Calls must not overlap each other,
// nor calls on the launch.
class WARPJIT_API PreparedRun {
 public:
  PreparedRun(PreparedRun&&) noexcept;
  PreparedRun& operator=(PreparedRun&&) noexcept;
  ~PreparedRun();

  // Runs all rows on the calling thread. Errors: those of Engine::run.
  Status run();

  // For warpjit's own modules.
  class State;
  explicit PreparedRun(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

// Cache, executor and options. All calls are thread-safe. A run uses at most 384 KiB of the stack of each
// thread that it runs on.
class WARPJIT_API Engine {
 public:
  explicit Engine(const EngineOptions& options);
  Engine() : Engine(EngineOptions()) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  // Waits for the compilation that runs; those that wait for their turn are cancelled. No other call may run.
  ~Engine();

  // Errors: resource_limit if there was no memory for the engine, which every call then gives.
  Status status() const;

  // Runs all work of the launch and returns when it is done. An interpreter runs code that only it can run,
  // unless RunOptions::target names one: then unsupported or resource_limit. Errors: bad_input (bindings, or
  // what this kind of program does not take), unsupported and bad_input (code), fault (a trap, a barrier that
  // can never complete), out_of_fuel, cancelled, target_unavailable (of a target named in the options). After
  // an error the contents of the output buffers are unspecified.
  Result<Report> run(const Launch& launch, const RunOptions& options) const;
  Result<Report> run(const Launch& launch) const { return run(launch, RunOptions()); }
  // Finds what a run needs, compiling if necessary. The options `threads` and `background` do not count.
  // Errors: those of run(); unsupported for other work than rows.
  Result<PreparedRun> prepare(const Launch& launch, const RunOptions& options) const;
  Result<PreparedRun> prepare(const Launch& launch) const { return prepare(launch, RunOptions()); }
  // Gets the kernel without running it, and those of the launch's stages, so that the first run finds them. Large
  // runs may have one of their own: the count should be that of the run. What the vertices of a draw are like
  // decides on its kernel: they are read, and up to 4096 of a stage are computed. If they are not known, all
  // kernels that the draw may need are made.
  Result<CompileReport> compile(const Launch& launch, const RunOptions& options) const;
  Result<CompileReport> compile(const Launch& launch) const { return compile(launch, RunOptions()); }
  // The same in the background: returns at once, unless the queue is full (EngineOptions::compile_queue).
  // Launch and program may be destroyed meanwhile. Errors: those that show without compiling.
  Result<Compilation> warm(const Launch& launch, const RunOptions& options) const;
  Result<Compilation> warm(const Launch& launch) const { return warm(launch, RunOptions()); }
  // Waits until nothing is compiled in the background.
  void wait_for_compilations() const;
  // Cancels what has not begun.
  void cancel_compilations() const;

  // Runs a launch in the guest interpreter, slowly, on the calling thread. `profile` gets what was seen until
  // the end, also if the run ends with an error; of a draw with a vertex stage, of the fragment program. `fuel`
  // and `cancel` of the options count. Errors: as run(); unsupported for guests whose interpreter cannot be observed.
  Result<Report> profile(const Launch& launch, Profile& profile, const RunOptions& options) const;
  Result<Report> profile(const Launch& launch, Profile& profile) const {
    return this->profile(launch, profile, RunOptions());
  }

  EngineInfo info() const;
  EngineStatistics statistics() const;
  // Drops all kernels that are not running, and forgets what failed in the background.
  void clear_cache() const;
  // The guest address that a host address inside a kernel belongs to, for crash reports.
  struct GuestPlace {
    std::string program;
    std::uint32_t guest_address;
  };
  std::optional<GuestPlace> find_guest_place(const void* host_address) const;

  // For warpjit's own modules.
  class State;
  State& state() const;

 private:
  std::unique_ptr<State> state_;  // null without memory for it
};

}  // namespace warpjit
