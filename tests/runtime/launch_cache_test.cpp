#include "runtime/kernel/launch_cache.h"

#include <gtest/gtest.h>

#include <thread>

#include "runtime/fakes.h"

namespace warpjit::runtime {
namespace {

using test::FakeKernel;
using test::FakeShader;

struct Fixture {
  FakeShader shader;
  frontend::Values values;
  LaunchCache cache;
  std::shared_ptr<FakeKernel> kernel = std::make_shared<FakeKernel>(4, 0);
  Fixture() { shader.reset(values); }
  Status fill(const LaunchKey& key, std::uint64_t generation, LaunchCache::Lease& lease) {
    return cache.fill(key, generation, kernel, shader, values, lease);
  }
};

LaunchKey key(std::uint64_t n) {
  LaunchKey result;
  result.options = n;
  return result;
}

TEST(LaunchCache, FillsOnceUntilTheValuesChange) {
  Fixture f;
  f.values.words[0] = 5;
  for (int n = 0; n < 3; ++n) {
    LaunchCache::Lease lease;
    EXPECT_EQ(f.cache.find(key(1), 1, lease), n != 0);
    if (n == 0) {
      ASSERT_TRUE(f.fill(key(1), 1, lease));
    }
    EXPECT_EQ(lease.table()[0], 5u);
    EXPECT_EQ(lease.table()[31], 6u);  // the preamble's word
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lease.table()) % 64, 0u);
  }
  EXPECT_EQ(f.shader.fills, 1);
  f.values.words[0] = 9;
  LaunchCache::Lease lease;
  EXPECT_FALSE(f.cache.find(key(1), 2, lease));
  const auto refilled = f.cache.refill(key(1), 2, f.shader, f.values, lease);
  ASSERT_TRUE(refilled && *refilled);
  EXPECT_EQ(lease.table()[31], 10u);
  EXPECT_EQ(f.shader.fills, 2);
  LaunchCache::Lease unknown;
  EXPECT_FALSE(*f.cache.refill(key(2), 2, f.shader, f.values, unknown));
}

TEST(LaunchCache, MoreKernelsThanEntries) {
  Fixture f;
  for (int turn = 0; turn < 3; ++turn)
    for (std::uint64_t n = 0; n < 20; ++n) {
      LaunchCache::Lease lease;
      if (!f.cache.find(key(n), 1, lease)) {
        ASSERT_TRUE(f.fill(key(n), 1, lease));
      }
      EXPECT_EQ(lease.table()[31], 1u);
    }
}

TEST(LaunchCache, EntriesInUseAreLeftAlone) {
  Fixture f;
  std::vector<std::unique_ptr<LaunchCache::Lease>> leases;
  std::vector<std::uint32_t*> tables;
  for (std::uint64_t n = 0; n < 20; ++n) {
    leases.push_back(std::make_unique<LaunchCache::Lease>());
    f.values.words[0] = static_cast<std::uint32_t>(n);
    ASSERT_TRUE(f.fill(key(n), 1, *leases.back()));
  }
  for (std::uint64_t n = 0; n < 20; ++n) EXPECT_EQ(leases[n]->table()[0], n);
}

TEST(LaunchCache, DroppedKernelsAreForgotten) {
  Fixture f;
  {
    LaunchCache::Lease lease;
    ASSERT_TRUE(f.fill(key(1), 1, lease));
  }
  f.kernel = std::make_shared<FakeKernel>(8, 0);
  LaunchCache::Lease lease;
  EXPECT_FALSE(f.cache.find(key(1), 1, lease));
  ASSERT_TRUE(f.fill(key(1), 1, lease));
  EXPECT_EQ(lease.kernel().lanes(), 8u);
}

TEST(LaunchCache, ThreadsTakeAndReplace) {
  Fixture f;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (unsigned n = 0; n < 2000; ++n) {
        const LaunchKey wanted = key((n + t) % 12);
        LaunchCache::Lease lease;
        if (!f.cache.find(wanted, 1, lease)) {
          ASSERT_TRUE(f.fill(wanted, 1, lease));
        }
        ASSERT_EQ(lease.table()[31], 1u);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace warpjit::runtime
