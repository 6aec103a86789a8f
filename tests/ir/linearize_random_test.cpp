// Random programs run thread by thread, linearized, and in the dispatcher: outputs must be equal bit for
// bit. WARPJIT_SEEDS (count) and WARPJIT_FIRST_SEED change what is run.
#include <gtest/gtest.h>

#include <array>
#include "ir/analysis/uniformity.h"
#include "ir/pass/passes.h"
#include "ir/pipeline.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::ir {
namespace {

using warpjit::testing::difference;
using warpjit::testing::random_any_function;
using warpjit::testing::random_pixel_function;
using warpjit::testing::RandomMemory;
using warpjit::testing::seeds_of_run;

enum class Way { linearized, with_skips, dispatched, irreducible_dispatched };

// The group form of f; stops at the first stage that breaks it.
Status to_group_form(Function& f, Way way) {
  if (way == Way::linearized || way == Way::with_skips) {
    give_loops_one_entry(f);
    WARPJIT_CHECK(verify(f));
  }
  normalize_loops(f);
  WARPJIT_CHECK(verify(f));
  analyze_uniformity(f);
  if (way == Way::with_skips) insert_skips(f);
  linearize(f, way == Way::dispatched);
  WARPJIT_CHECK(verify(f));
  insert_fuel(f);
  return verify(f);
}

class RandomPrograms : public ::testing::TestWithParam<Way> {};

TEST_P(RandomPrograms, GiveTheSameOutputsInGroupForm) {
  const auto [first, count] = seeds_of_run(share(1500));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Function thread_form = random_any_function(seed);
    const RandomMemory memory(seed, 21);
    // What the budget of one thread must be for all to finish.
    std::uint64_t fuel = 1;
    auto wanted = memory.run(thread_form, 1, fuel);
    while (!wanted && fuel < 100000) wanted = memory.run(thread_form, 1, fuel *= 2);
    ASSERT_TRUE(wanted.ok()) << "seed " << seed << ": " << to_string(wanted.error());

    Function group_form = thread_form;
    const Status made = to_group_form(group_form, GetParam());
    ASSERT_TRUE(made.ok()) << "seed " << seed << ": " << to_string(made.error()) << "\n"
                           << print(thread_form) << print(group_form);
    for (unsigned lanes : {8u, 16u}) {
      const auto got = memory.run(group_form, lanes, fuel);
      ASSERT_TRUE(got.ok()) << "seed " << seed << ", fuel " << fuel << ": " << to_string(got.error()) << "\n"
                            << print(thread_form) << print(group_form);
      ASSERT_EQ(difference(*wanted, *got), "") << "seed " << seed << "\n"
                                               << print(thread_form) << print(group_form);
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<Way>& info) {
  constexpr std::array<const char*, 4> kNames = {"linearized", "with_skips", "dispatched",
                                                 "irreducible_dispatched"};
  return kNames[static_cast<std::size_t>(info.param)];
}
// Fuel that is enough for every thread is enough for the group; a thread that needs more than twice as much
// stops it.
TEST_P(RandomPrograms, BurnFuelAsThreadsDo) {
  const auto [first, count] = seeds_of_run(share(600));
  std::uint64_t enough = 0, stopped = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Function thread_form = random_any_function(seed);
    const RandomMemory memory(seed, 21);
    Function group_form = thread_form;
    ASSERT_TRUE(to_group_form(group_form, GetParam()).ok()) << "seed " << seed;
    for (const std::uint64_t fuel : {0, 1, 2, 5}) {
      const auto got = memory.run(group_form, 8, fuel);
      if (memory.run(thread_form, 1, fuel).ok()) {
        ++enough;
        ASSERT_TRUE(got.ok()) << "seed " << seed << ", fuel " << fuel << ": " << to_string(got.error())
                              << "\n"
                              << print(thread_form) << print(group_form);
      } else if (!memory.run(thread_form, 1, fuel * 2).ok()) {
        ++stopped;
        ASSERT_FALSE(got.ok()) << "seed " << seed << ", fuel " << fuel << "\n"
                               << print(thread_form) << print(group_form);
        ASSERT_EQ(got.error().code, ErrorCode::out_of_fuel);
      }
    }
  }
  EXPECT_GT(enough, count);
  EXPECT_GT(stopped, count / 8);
}

TEST(RandomPipeline, GivesTheSameOutputs) {
  const auto [first, count] = seeds_of_run(share(1500));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Function thread_form = random_any_function(seed);
    const RandomMemory memory(seed, 21);
    const std::uint64_t fuel = 100000;
    const auto wanted = memory.run(thread_form, 1, fuel);
    ASSERT_TRUE(wanted.ok()) << "seed " << seed << ": " << to_string(wanted.error());
    for (const bool dispatch_all : {false, true}) {
      PipelineOptions options;
      options.verify = true;
      options.dispatch_all = dispatch_all;
      options.optimize = seed % 8 != 0;
      const auto program = run_pipeline(thread_form, options);
      ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << to_string(program.error());
      const auto got = memory.run(program->kernel, 8, fuel, &program->preamble);
      ASSERT_TRUE(got.ok()) << "seed " << seed << ": " << to_string(got.error());
      ASSERT_EQ(difference(*wanted, *got), "")
          << "seed " << seed << "\n"
          << print(thread_form) << print(program->preamble) << print(program->kernel);
    }
  }
}

// Functions over pixels, which read each other's lanes: the dispatcher is the oracle.
TEST(RandomPipeline, KeepsWhatLanesOfQuadsRead) {
  constexpr std::uint32_t kPixels = 48;
  const auto [first, count] = seeds_of_run(share(1500));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Function thread_form = random_pixel_function(seed, false);
    const RandomMemory memory(seed, kPixels);
    std::vector<std::uint32_t> wanted;
    for (const bool dispatch_all : {true, false}) {
      PipelineOptions options;
      options.verify = true;
      options.dispatch_all = dispatch_all;
      options.optimize = !dispatch_all;
      const auto program = run_pipeline(thread_form, options);
      ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << to_string(program.error());
      for (const unsigned lanes : {4u, 8u, 16u}) {
        const auto got = memory.run(program->kernel, lanes, 1000, &program->preamble);
        ASSERT_TRUE(got.ok()) << "seed " << seed << ": " << to_string(got.error());
        if (wanted.empty()) wanted = *got;
        ASSERT_EQ(difference(wanted, *got), "") << "seed " << seed << ", " << lanes << " lanes\n"
                                                << print(thread_form) << print(program->kernel);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, RandomPrograms,
                         ::testing::Values(Way::linearized, Way::with_skips, Way::dispatched,
                                           Way::irreducible_dispatched),
                         name_of);

}  // namespace
}  // namespace warpjit::ir
