// The default executor: needs nothing but std::thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "warpjit/warpjit.hpp"

namespace warpjit::runtime {

// A caller works on its own job, so jobs of several callers, and jobs inside jobs, cannot block each other.
// A job lives on its caller's stack; nothing is allocated per job. Where the system gives fewer threads, or
// none, the callers do the work.
class ThreadPool final : public Executor {
 public:
  explicit ThreadPool(unsigned threads);  // 0: one per hardware thread
  ~ThreadPool() override;
  unsigned concurrency() const override { return concurrency_; }
  void parallel_for(std::size_t count, void (*body)(void* context, std::size_t index),
                    void* context) override;

 private:
  struct Job {
    void (*body)(void*, std::size_t);
    void* context;
    std::size_t count, next = 0;
    std::atomic<std::size_t> running{0};
    Job* following = nullptr;
  };
  void start();
  void work();
  void run_one(Job& job, std::unique_lock<std::mutex>& lock);
  void unlink(Job& job);

  const unsigned concurrency_;
  std::mutex mutex_;  // guards all jobs
  std::condition_variable wake_, done_;
  std::atomic<Job*> jobs_{nullptr};  // with indices not handed out yet; written under the mutex
  std::atomic<bool> stop_{false};    // written under the mutex
  std::size_t sleeping_ = 0;         // workers that wait for wake_
  bool started_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace warpjit::runtime
