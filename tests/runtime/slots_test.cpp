#include "runtime/engine/slots.h"

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
  Slots slots;
  std::shared_ptr<FakeKernel> kernel = std::make_shared<FakeKernel>(4, 0);
  Fixture() { shader.reset(values); }
  Status fill(const SlotKey& key, std::uint64_t generation, Slots::Lease& lease) {
    return slots.fill(key, generation, kernel, shader, values, lease);
  }
};

SlotKey key(std::uint64_t n) {
  SlotKey result;
  result.options = n;
  return result;
}

TEST(Slots, FillsOnceUntilTheValuesChange) {
  Fixture f;
  f.values.words[0] = 5;
  for (int n = 0; n < 3; ++n) {
    Slots::Lease lease;
    EXPECT_EQ(f.slots.find(key(1), 1, lease), n != 0);
    if (n == 0) {
      ASSERT_TRUE(f.fill(key(1), 1, lease));
    }
    EXPECT_EQ(lease.table()[0], 5u);
    EXPECT_EQ(lease.table()[31], 6u);  // the preamble's word
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lease.table()) % 64, 0u);
  }
  EXPECT_EQ(f.shader.fills, 1);
  f.values.words[0] = 9;
  Slots::Lease lease;
  EXPECT_FALSE(f.slots.find(key(1), 2, lease));
  const auto refilled = f.slots.refill(key(1), 2, f.shader, f.values, lease);
  ASSERT_TRUE(refilled && *refilled);
  EXPECT_EQ(lease.table()[31], 10u);
  EXPECT_EQ(f.shader.fills, 2);
  Slots::Lease unknown;
  EXPECT_FALSE(*f.slots.refill(key(2), 2, f.shader, f.values, unknown));
}

TEST(Slots, MoreKernelsThanSlots) {
  Fixture f;
  for (int turn = 0; turn < 3; ++turn)
    for (std::uint64_t n = 0; n < 20; ++n) {
      Slots::Lease lease;
      if (!f.slots.find(key(n), 1, lease)) {
        ASSERT_TRUE(f.fill(key(n), 1, lease));
      }
      EXPECT_EQ(lease.table()[31], 1u);
    }
}

TEST(Slots, SlotsInUseAreLeftAlone) {
  Fixture f;
  std::vector<std::unique_ptr<Slots::Lease>> leases;
  std::vector<std::uint32_t*> tables;
  for (std::uint64_t n = 0; n < 20; ++n) {
    leases.push_back(std::make_unique<Slots::Lease>());
    f.values.words[0] = static_cast<std::uint32_t>(n);
    ASSERT_TRUE(f.fill(key(n), 1, *leases.back()));
  }
  for (std::uint64_t n = 0; n < 20; ++n) EXPECT_EQ(leases[n]->table()[0], n);
}

TEST(Slots, ADroppedKernelIsForgotten) {
  Fixture f;
  {
    Slots::Lease lease;
    ASSERT_TRUE(f.fill(key(1), 1, lease));
  }
  f.kernel = std::make_shared<FakeKernel>(8, 0);
  Slots::Lease lease;
  EXPECT_FALSE(f.slots.find(key(1), 1, lease));
  ASSERT_TRUE(f.fill(key(1), 1, lease));
  EXPECT_EQ(lease.kernel().lanes(), 8u);
}

TEST(Slots, ThreadsTakeAndReplace) {
  Fixture f;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (unsigned n = 0; n < 2000; ++n) {
        const SlotKey wanted = key((n + t) % 12);
        Slots::Lease lease;
        if (!f.slots.find(wanted, 1, lease)) {
          ASSERT_TRUE(f.fill(wanted, 1, lease));
        }
        ASSERT_EQ(lease.table()[31], 1u);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace warpjit::runtime
