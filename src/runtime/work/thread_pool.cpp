#include "runtime/work/thread_pool.h"

#include <algorithm>
#include <exception>

namespace warpjit {

Executor::~Executor() = default;

std::shared_ptr<Executor> make_thread_pool(unsigned threads) {
  try {
    return std::make_shared<runtime::ThreadPool>(threads);
  } catch (...) {
    return nullptr;
  }
}

namespace runtime {
namespace {

// How often a thread without work looks for some before it sleeps. Waking one costs about 50 us on a virtual
// machine, looking as often as this about 30 us.
constexpr int kLooks = 100;

template <class Ready>
void look_for(Ready ready) {
  for (int n = 0; n < kLooks && !ready(); ++n) std::this_thread::yield();
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads)
    : concurrency_(threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency())) {}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

// With the first job, so that an engine that runs small launches alone has no threads.
void ThreadPool::start() {
  started_ = true;
  while (workers_.size() + 1 < concurrency_) {
    try {
      workers_.emplace_back([this] { work(); });
    } catch (const std::exception&) {
      return;
    }
  }
}

void ThreadPool::unlink(Job& job) {
  if (jobs_ == &job) {
    jobs_ = job.following;
    return;
  }
  for (Job* before = jobs_; before != nullptr; before = before->following)
    if (before->following == &job) {
      before->following = job.following;
      return;
    }
}

// Takes one index of the job and runs it without the lock.
void ThreadPool::run_one(Job& job, std::unique_lock<std::mutex>& lock) {
  const std::size_t index = job.next++;
  ++job.running;
  if (job.next == job.count) unlink(job);
  lock.unlock();
  job.body(job.context, index);
  lock.lock();
  // The last one to leave frees the caller; after that the job may be gone.
  if (--job.running == 0 && job.next == job.count) done_.notify_all();
}

void ThreadPool::work() {
  const auto ready = [this] { return stop_ || jobs_ != nullptr; };
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!ready()) {
      lock.unlock();
      look_for(ready);
      lock.lock();
      ++sleeping_;
      wake_.wait(lock, ready);
      --sleeping_;
    }
    if (stop_) return;
    run_one(*jobs_, lock);
  }
}

void ThreadPool::parallel_for(std::size_t count, void (*body)(void* context, std::size_t index),
                              void* context) {
  if (count == 0) return;
  std::unique_lock lock(mutex_, std::defer_lock);
  if (count > 1 && concurrency_ > 1) {
    lock.lock();
    if (!started_) start();
  }
  if (!lock.owns_lock() || workers_.empty()) {
    if (lock.owns_lock()) lock.unlock();
    for (std::size_t n = 0; n < count; ++n) body(context, n);
    return;
  }
  Job job{body, context, count};
  job.following = jobs_;
  jobs_ = &job;
  for (std::size_t n = 0; n < std::min(count - 1, sleeping_); ++n) wake_.notify_one();
  while (job.next < job.count) run_one(job, lock);
  const auto ended = [&] { return job.running == 0; };
  if (!ended()) {
    lock.unlock();
    look_for(ended);
    lock.lock();
  }
  done_.wait(lock, ended);
}

}  // namespace runtime
}  // namespace warpjit
