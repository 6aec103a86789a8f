#include "runtime/engine/code_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/fakes.h"

namespace warpjit::runtime {
namespace {

using test::FakeKernel;
using test::key_of;

std::shared_ptr<const Kernel> get(CodeCache& cache, int n, bool& hit, std::size_t cost = 92) {
  auto result = cache.get(
      key_of(n),
      [&]() -> CodeCache::KernelResult {
        return std::shared_ptr<const Kernel>(std::make_shared<FakeKernel>(1, cost));
      },
      hit);
  return result ? *result : nullptr;
}

// What an entry of cost 92 counts, with a key of 8 bytes and the bookkeeping.
std::size_t entry_bytes() {
  CodeCache cache(1000);
  bool hit;
  get(cache, 1, hit);
  return cache.statistics().bytes;
}

TEST(CodeCache, HitsAndMisses) {
  CodeCache cache(1000);
  bool hit = true;
  const auto first = get(cache, 1, hit);
  EXPECT_FALSE(hit);
  EXPECT_EQ(get(cache, 1, hit), first);
  EXPECT_TRUE(hit);
  EXPECT_NE(get(cache, 2, hit), first);
  EXPECT_FALSE(hit);
  const EngineStatistics statistics = cache.statistics();
  EXPECT_EQ(statistics.hits, 1u);
  EXPECT_EQ(statistics.misses, 2u);
  EXPECT_EQ(statistics.compiles, 2u);
  EXPECT_EQ(statistics.kernels, 2u);
  EXPECT_GE(statistics.bytes, 200u);
  EXPECT_EQ(statistics.bytes, 2 * entry_bytes());
  EXPECT_EQ(statistics.capacity, 1000u);
}

TEST(CodeCache, DropsTheLeastRecentlyUsed) {
  CodeCache cache(3 * entry_bytes());
  bool hit;
  for (int n = 1; n <= 3; ++n) get(cache, n, hit);
  get(cache, 1, hit);
  EXPECT_TRUE(hit);
  get(cache, 4, hit);  // drops 2
  EXPECT_EQ(cache.statistics().evictions, 1u);
  get(cache, 1, hit);
  EXPECT_TRUE(hit);
  get(cache, 3, hit);
  EXPECT_TRUE(hit);
  get(cache, 2, hit);
  EXPECT_FALSE(hit);
  EXPECT_LE(cache.statistics().bytes, 3 * entry_bytes());
}

TEST(CodeCache, KeepsWhatRunsAndWhatLaunchesTouched) {
  CodeCache cache(3 * entry_bytes());
  bool hit;
  const auto running = get(cache, 1, hit);
  const Kernel* remembered = get(cache, 2, hit).get();
  get(cache, 3, hit);
  cache.note_use(*remembered);
  get(cache, 4, hit);  // 1 runs, 2 was used: drops 3
  get(cache, 1, hit);
  EXPECT_TRUE(hit);
  get(cache, 2, hit);
  EXPECT_TRUE(hit);
  get(cache, 3, hit);
  EXPECT_FALSE(hit);
  for (int n = 10; n < 40; ++n) get(cache, n, hit);
  EXPECT_EQ(get(cache, 1, hit), running);
  EXPECT_LE(cache.statistics().bytes, 3 * entry_bytes());
}

TEST(CodeCache, UsesWithoutALookupCount) {
  CodeCache cache(3 * entry_bytes());
  bool hit;
  std::vector<const Kernel*> kernels;
  for (int n = 1; n <= 3; ++n) kernels.push_back(get(cache, n, hit).get());
  // All were used since; 3 least recently.
  for (const int n : {3, 2, 1}) cache.note_use(*kernels[static_cast<std::size_t>(n - 1)]);
  get(cache, 4, hit);
  EXPECT_EQ(cache.statistics().hits, 3u);
  EXPECT_EQ(cache.find(key_of(3)), nullptr);
  EXPECT_EQ(cache.find(key_of(2)).get(), kernels[1]);
  EXPECT_EQ(cache.find(key_of(1)).get(), kernels[0]);
  get(cache, 5, hit);
  EXPECT_EQ(cache.find(key_of(4)), nullptr);
  EXPECT_EQ(cache.statistics().hits, 5u);
  EXPECT_EQ(cache.statistics().evictions, 2u);
}

TEST(CodeCache, FindDoesNotWait) {
  CodeCache cache(1000);
  bool hit;
  const auto made = cache.get(
      key_of(1),
      [&]() -> CodeCache::KernelResult {
        EXPECT_EQ(cache.find(key_of(1)), nullptr);
        return std::shared_ptr<const Kernel>(std::make_shared<FakeKernel>(1, 10));
      },
      hit);
  ASSERT_TRUE(made);
  EXPECT_EQ(cache.find(key_of(1)), *made);
}

TEST(CodeCache, AKernelLargerThanTheCacheIsServed) {
  CodeCache cache(10);
  bool hit;
  EXPECT_NE(get(cache, 1, hit), nullptr);
  EXPECT_NE(get(cache, 2, hit), nullptr);
  EXPECT_EQ(cache.statistics().kernels, 1u);
  cache.clear();
  EXPECT_EQ(cache.statistics().kernels, 0u);
  EXPECT_EQ(cache.statistics().bytes, 0u);
}

TEST(CodeCache, FailuresAreNotRemembered) {
  CodeCache cache(1000);
  bool hit;
  const auto failed = cache.get(
      key_of(1), []() -> CodeCache::KernelResult { return Error{}; }, hit);
  EXPECT_FALSE(failed);
  EXPECT_EQ(cache.statistics().failures, 1u);
  EXPECT_NE(get(cache, 1, hit), nullptr);
  EXPECT_FALSE(hit);
}

TEST(CodeCache, ThreadsShareOneCompilation) {
  CodeCache cache(1000);
  std::atomic<int> builds{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int n = 0; n < 100; ++n) {
        bool hit;
        const auto kernel = cache.get(
            key_of(n % 10),
            [&]() -> CodeCache::KernelResult {
              ++builds;
              std::this_thread::yield();
              return std::shared_ptr<const Kernel>(std::make_shared<FakeKernel>(1, 10));
            },
            hit);
        EXPECT_TRUE(kernel);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(builds, 10);
}

}  // namespace
}  // namespace warpjit::runtime
