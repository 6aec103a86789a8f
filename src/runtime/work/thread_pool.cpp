#include "runtime/work/thread_pool.h"

#include <algorithm>
#include <system_error>

namespace warpjit {

Executor::~Executor() = default;

std::shared_ptr<Executor> make_thread_pool(unsigned threads) {
  return std::make_shared<runtime::ThreadPool>(threads);
}

#ifndef WARPJIT_HAS_TBB
std::shared_ptr<Executor> make_default_executor() { return make_thread_pool(); }
#endif

namespace runtime {

ThreadPool::ThreadPool(unsigned threads) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned n = 1; n < threads; ++n) {
    // If the system gives fewer threads, the pool is smaller.
    try {
      workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      break;
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::unlink(Job& job) {
  Job** link = &jobs_;
  while (*link != nullptr && *link != &job) link = &(*link)->following;
  if (*link != nullptr) *link = job.following;
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
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || jobs_ != nullptr; });
    if (stop_) return;
    run_one(*jobs_, lock);
  }
}

void ThreadPool::parallel_for(std::size_t count, void (*body)(void* context, std::size_t index),
                              void* context) {
  if (count == 0) return;
  if (count == 1 || workers_.empty()) {
    for (std::size_t n = 0; n < count; ++n) body(context, n);
    return;
  }
  Job job{body, context, count};
  std::unique_lock lock(mutex_);
  job.following = jobs_;
  jobs_ = &job;
  for (std::size_t n = 0; n < std::min(count - 1, workers_.size()); ++n) wake_.notify_one();
  while (job.next < job.count) run_one(job, lock);
  done_.wait(lock, [&] { return job.running == 0; });
}

}  // namespace runtime
}  // namespace warpjit
