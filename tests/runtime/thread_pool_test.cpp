#include "runtime/work/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

namespace warpjit {
namespace {

void run_counts(Executor& executor, std::size_t count) {
  std::vector<std::atomic<int>> calls(count);
  executor.parallel_for(
      count,
      [](void* context, std::size_t n) { ++(*static_cast<std::vector<std::atomic<int>>*>(context))[n]; },
      &calls);
  for (const auto& call : calls) EXPECT_EQ(call, 1);
}

TEST(ThreadPool, CallsEachIndexOnce) {
  for (const unsigned threads : {1u, 2u, 5u}) {
    const auto pool = make_thread_pool(threads);
    EXPECT_EQ(pool->concurrency(), threads);
    for (const std::size_t count : {0u, 1u, 2u, 3u, 100u, 1000u}) run_counts(*pool, count);
  }
}

TEST(ThreadPool, DefaultExecutorWorks) {
  const auto executor = make_default_executor();
  EXPECT_GE(executor->concurrency(), 1u);
  for (const std::size_t count : {0u, 1u, 64u}) run_counts(*executor, count);
}

TEST(ThreadPool, SeveralCallersAtOnce) {
  const auto pool = make_thread_pool(3);
  std::vector<std::thread> callers;
  for (int n = 0; n < 4; ++n)
    callers.emplace_back([&] {
      for (int turn = 0; turn < 50; ++turn) run_counts(*pool, 17);
    });
  for (std::thread& caller : callers) caller.join();
}

TEST(ThreadPool, JobsInsideJobs) {
  struct Context {
    Executor* pool;
    std::atomic<int> calls{0};
  } context{nullptr};
  const auto pool = make_thread_pool(2);
  context.pool = pool.get();
  pool->parallel_for(
      8,
      [](void* outer, std::size_t) {
        auto* to = static_cast<Context*>(outer);
        to->pool->parallel_for(
            8, [](void* inner, std::size_t) { ++static_cast<Context*>(inner)->calls; }, to);
      },
      &context);
  EXPECT_EQ(context.calls, 64);
}

}  // namespace
}  // namespace warpjit
