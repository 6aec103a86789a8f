#include "runtime/engine/background.h"

#include <algorithm>
#include <exception>

#include "base/float_environment.h"
#include "base/hash.h"

namespace warpjit {
namespace runtime {

// ---- One job -------------------------------------------------------------------------------------------

CompileJob::State CompileJob::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool CompileJob::failed_for_good() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::failed && !passing_;
}

bool CompileJob::wait(std::optional<std::chrono::nanoseconds> timeout) const {
  std::unique_lock lock(mutex_);
  const auto over = [this] { return state_ > State::compiling; };
  if (timeout) return ended_.wait_for(lock, *timeout, over);
  ended_.wait(lock, over);
  return true;
}

Result<CompileReport> CompileJob::report() const {
  const std::lock_guard lock(mutex_);
  if (state_ == State::cancelled) return Error{ErrorCode::cancelled, "the compilation was cancelled", ""};
  if (!status_) return status_.error();
  return report_;
}

std::shared_ptr<const Kernel> CompileJob::kernel() const {
  const std::lock_guard lock(mutex_);
  return kernel_.lock();
}

bool CompileJob::cancel() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::waiting) return false;
    state_ = State::cancelled;
  }
  ended_.notify_all();
  work_ = nullptr;
  rest_ = nullptr;
  return true;
}

bool CompileJob::execute() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::waiting) return false;
    state_ = State::compiling;
  }
  const FloatEnvironment environment;
  try {
    const KernelResult result = work_();
    end(result);
    if (result && rest_) rest_(**result);
  } catch (...) {
    if (!ended()) fail(caught(), true);
  }
  work_ = nullptr;
  rest_ = nullptr;
  return true;
}

void CompileJob::end(const KernelResult& result) {
  if (!result) return fail(result.error(), false);
  {
    const std::lock_guard lock(mutex_);
    report_ = (*result)->report();
    kernel_ = *result;
    state_ = State::done;
  }
  announce_end();
}

void CompileJob::fail(Error error, bool passing) {
  {
    const std::lock_guard lock(mutex_);
    passing_ = passing;
    status_ = std::move(error);
    state_ = State::failed;
  }
  announce_end();
}

void CompileJob::announce_end() {
  ended_.notify_all();
  const std::lock_guard lock(stand_in_mutex_);
  stand_in_.reset();
}

CompileJob::KernelResult CompileJob::stand_in(const std::string& program_name, const Work& make) {
  const std::lock_guard lock(stand_in_mutex_);
  if (stand_in_ && stand_in_name_ == program_name) return stand_in_;
  KernelResult result = make();
  if (result && !ended()) {
    stand_in_ = *result;
    stand_in_name_ = program_name;
  }
  return result;
}

// ---- The queue -----------------------------------------------------------------------------------------

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  cancel();
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Background::JobPointer Background::find(std::uint64_t hash, const CodeCache::Key& key) const {
  const auto [begin, end] = jobs_.equal_range(hash);
  for (auto at = begin; at != end; ++at)
    if (at->second->key() == key) return at->second;
  return nullptr;
}

bool Background::would_begin(const CodeCache::Key& key) {
  const std::uint64_t hash = hash_bytes(key);
  const std::lock_guard lock(mutex_);
  return find(hash, key) == nullptr && urgent_.size() + waiting_.size() < most_waiting_ && start_threads();
}

void Background::forget(const JobPointer& job) {
  const auto [begin, end] = jobs_.equal_range(hash_bytes(job->key()));
  const auto at = std::find_if(begin, end, [&](const auto& entry) { return entry.second == job; });
  if (at != end) jobs_.erase(at);
}

bool Background::start_threads() {
  while (threads_.size() < most_threads_) {
    // If the system gives fewer threads, fewer work.
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::exception&) {
      break;
    }
  }
  return !threads_.empty();
}

Background::JobPointer Background::submit(const CodeCache::Key& key, bool urgent,
                                          const CompileJob::Work& work, const CompileJob::Rest& rest) {
  const std::uint64_t hash = hash_bytes(key);
  std::unique_lock lock(mutex_);
  if (JobPointer job = find(hash, key)) {
    if (job->state() != CompileJob::State::cancelled) {
      const auto at = urgent ? std::find(waiting_.begin(), waiting_.end(), job) : waiting_.end();
      if (at != waiting_.end()) urgent_.splice(urgent_.end(), waiting_, at);
      return job;
    }
    forget(job);
  }
  if (urgent_.size() + waiting_.size() >= most_waiting_ || !start_threads()) return nullptr;
  const auto job = std::make_shared<CompileJob>(key, work, rest);
  std::list<JobPointer> queued{job};
  jobs_.emplace(hash, job);
  std::list<JobPointer>& queue = urgent ? urgent_ : waiting_;
  queue.splice(queue.end(), queued);
  lock.unlock();  // or the thread that wakes would wait for it
  wake_.notify_one();
  return job;
}

void Background::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !urgent_.empty() || !waiting_.empty(); });
    if (stop_) return;
    std::list<JobPointer>& queue = urgent_.empty() ? waiting_ : urgent_;
    std::list<JobPointer> taken;
    taken.splice(taken.begin(), queue, queue.begin());
    const JobPointer& job = taken.front();
    ++running_;
    lock.unlock();
    job->execute();
    lock.lock();
    --running_;
    if (job->failed_for_good()) {
      failed_.splice(failed_.end(), taken);
      if (failed_.size() > kMostFailures) {
        forget(failed_.front());
        failed_.pop_front();
      }
    } else {
      compiled_ += job->state() == CompileJob::State::done;
      forget(job);
    }
    if (running_ == 0 && urgent_.empty() && waiting_.empty()) idle_.notify_all();
  }
}

void Background::forget_failures() {
  const std::lock_guard lock(mutex_);
  for (const JobPointer& job : failed_) forget(job);
  failed_.clear();
}

void Background::cancel() {
  const std::lock_guard lock(mutex_);
  for (std::list<JobPointer>* queue : {&urgent_, &waiting_}) {
    for (const JobPointer& job : *queue) {
      job->cancel();
      forget(job);
    }
    queue->clear();
  }
  if (running_ == 0) idle_.notify_all();
}

void Background::wait_idle() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return running_ == 0 && urgent_.empty() && waiting_.empty(); });
}

void Background::report(EngineStatistics& statistics) const {
  const std::lock_guard lock(mutex_);
  statistics.background_compiles = compiled_;
  statistics.compiling = running_;
  statistics.waiting = urgent_.size() + waiting_.size();
}

}  // namespace runtime

namespace {

runtime::CompileJob& job_of(const std::shared_ptr<Compilation::Job>& job) {
  return static_cast<runtime::CompileJob&>(*job);
}

}  // namespace

Compilation::State Compilation::state() const { return job_of(job_).state(); }
bool Compilation::wait_for(std::chrono::nanoseconds time) const {
  constexpr std::chrono::nanoseconds kLongest{std::int64_t{1} << 60};  // 36 years; more would overflow clocks
  return job_of(job_).wait(std::min(time, kLongest));
}
Result<CompileReport> Compilation::wait() const try {
  job_of(job_).wait(std::nullopt);
  return job_of(job_).report();
} catch (...) {
  return caught();
}
bool Compilation::cancel() const { return job_of(job_).cancel(); }

}  // namespace warpjit
