// Compiles kernels on its own threads while their launches run in an interpreter. A key has at most one job:
// a request for a key whose job waits, runs or has failed gets that job.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "runtime/engine/code_cache.h"

// What the public handle holds.
class warpjit::Compilation::Job {};

namespace warpjit::runtime {

// One compilation. Shared by the queue, the runs that wait for its kernel, and the Compilation handles; any
// of these may be destroyed first. Thread-safe.
class CompileJob : public Compilation::Job {
 public:
  using State = Compilation::State;
  using KernelResult = CodeCache::KernelResult;
  using Work = std::function<KernelResult()>;
  // Further work on a kernel that is already in use.
  using Rest = std::function<void(const Kernel&)>;

  CompileJob(CodeCache::Key key, Work work, Rest rest = {})
      : key_(std::move(key)), work_(std::move(work)), rest_(std::move(rest)) {}
  // One that has ended, with the kernel or an error.
  explicit CompileJob(const KernelResult& result) { end(result); }

  const CodeCache::Key& key() const { return key_; }
  State state() const;
  bool ended() const { return state() > State::compiling; }
  // True if the same request would fail again: not for want of memory.
  bool failed_for_good() const;
  // Waits for the end, at most that long. False: it has not ended.
  bool wait(std::optional<std::chrono::nanoseconds> timeout) const;
  // After the end: its result. Errors: the compilation's, or `cancelled`.
  Result<CompileReport> report() const;
  // The kernel; null before the end, after a failure, or if the cache has dropped it.
  std::shared_ptr<const Kernel> kernel() const;
  // Ends the job if it still waits. False: it runs, or has ended.
  bool cancel();
  // Runs the job if it still waits, then the further work on its kernel. False: it was cancelled.
  bool execute();

  // The interpreter kernel that runs the work meanwhile, made by the first run that needs it. Its messages
  // have the program's name.
  KernelResult stand_in(const std::string& program_name, const Work& make);

 private:
  void end(const KernelResult& result);
  void fail(Error error, bool passing);
  void announce_end();

  const CodeCache::Key key_;
  Work work_;  // of the thread that executes or cancels, as is rest_
  Rest rest_;
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  State state_ = State::waiting;
  bool passing_ = false;  // of a failure: there was no memory
  Status status_;
  CompileReport report_;
  std::weak_ptr<const Kernel> kernel_;  // weak: the cache alone bounds what is kept
  std::mutex stand_in_mutex_;
  std::shared_ptr<const Kernel> stand_in_;
  std::string stand_in_name_;
};

class Background {
 public:
  // `threads` start when the first job comes; `most_waiting` jobs may wait.
  Background(unsigned threads, std::size_t most_waiting)
      : most_threads_(threads), most_waiting_(most_waiting) {}
  // Cancels what waits, and returns when what runs has ended.
  ~Background();

  // The job of `key` if it waits, runs or has failed, else a new one. Urgent ones are done first. Null: the
  // queue is full, or no thread can be had.
  std::shared_ptr<CompileJob> submit(const CodeCache::Key& key, bool urgent, const CompileJob::Work& work,
                                     const CompileJob::Rest& rest = {});
  // True if there is no job of it yet, and submit() would begin one now.
  bool would_begin(const CodeCache::Key& key);
  // Failures are kept, so that runs report them, until they are forgotten.
  void forget_failures();

  // Cancels what waits.
  void cancel();
  // Waits until no job waits or runs.
  void wait_idle();
  // Sets the members that are about the background.
  void report(EngineStatistics& statistics) const;

 private:
  static constexpr std::size_t kMostFailures = 256;  // then the oldest is forgotten
  using JobPointer = std::shared_ptr<CompileJob>;

  JobPointer find(std::uint64_t hash, const CodeCache::Key& key) const;
  void forget(const JobPointer& job);
  bool start_threads();
  void work();

  const unsigned most_threads_;
  const std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::unordered_multimap<std::uint64_t, JobPointer> jobs_;  // by hash of the key
  std::list<JobPointer> urgent_, waiting_;                   // first come, first served
  std::list<JobPointer> failed_;                             // oldest first
  std::size_t running_ = 0;
  std::uint64_t compiled_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace warpjit::runtime
