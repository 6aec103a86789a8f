// The executor that needs nothing but std::thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "warpjit/warpjit.hpp"

namespace warpjit::runtime {

// A caller works on its own job, so jobs of several callers, and jobs inside jobs, cannot block each other.
// A job lives on its caller's stack; nothing is allocated per job.
class ThreadPool final : public Executor {
 public:
  explicit ThreadPool(unsigned threads);  // 0: one per hardware thread
  ~ThreadPool() override;
  unsigned concurrency() const override { return static_cast<unsigned>(workers_.size()) + 1; }
  void parallel_for(std::size_t count, void (*body)(void* context, std::size_t index),
                    void* context) override;

 private:
  struct Job {
    void (*body)(void*, std::size_t);
    void* context;
    std::size_t count, next = 0, running = 0;
    Job* following = nullptr;
  };
  void work();
  void run_one(Job& job, std::unique_lock<std::mutex>& lock);
  void unlink(Job& job);

  std::mutex mutex_;  // guards all jobs
  std::condition_variable wake_, done_;
  Job* jobs_ = nullptr;  // with indices not handed out yet
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace warpjit::runtime
