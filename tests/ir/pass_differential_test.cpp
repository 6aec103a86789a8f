// Every pass keeps what random functions compute, bit for bit up to NaN payloads, and leaves valid IR.
#include <gtest/gtest.h>

#include "ir/analysis/uniformity.h"
#include "ir/pass/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::ir {
namespace {

using testing::RandomMemory;

struct Pass {
  const char* name;
  void (*run)(Function&);
};

void check(const Pass& pass, std::uint64_t first_seed, std::uint64_t count) {
  for (std::uint64_t seed = first_seed; seed < first_seed + share(count); ++seed) {
    Function f = testing::random_any_function(seed);
    const std::string before = print(f);
    const RandomMemory memory(seed, 24);
    const auto wanted = memory.run(f);
    ASSERT_TRUE(wanted.ok()) << seed << to_string(wanted.error());
    pass.run(f);
    const Status valid = verify(f);
    ASSERT_TRUE(valid.ok()) << pass.name << " seed " << seed << ": " << to_string(valid.error()) << before
                            << print(f);
    const auto got = memory.run(f);
    ASSERT_TRUE(got.ok()) << pass.name << " seed " << seed << ": " << to_string(got.error()) << before
                          << print(f);
    ASSERT_EQ(testing::difference(*wanted, *got), "") << pass.name << " seed " << seed << "\n"
                                                      << before << print(f);
    // Backward transfers are counted as before.
    if (seed % 4 != 0) continue;
    const Function original = testing::random_any_function(seed);
    const RandomMemory one(seed, 1);
    for (const std::uint64_t fuel : {0, 1, 2, 3, 5, 8})
      ASSERT_EQ(one.run(original, 1, fuel).ok(), one.run(f, 1, fuel).ok())
          << pass.name << " seed " << seed << " fuel " << fuel << "\n"
          << before << print(f);
  }
}

TEST(PassDifferential, Simplify) { check({"simplify", simplify}, 0, 1500); }
TEST(PassDifferential, NumberValues) {
  check({"number_values", [](Function& f) { number_values(f); }}, 10000, 1500);
}
TEST(PassDifferential, EliminateDeadCode) { check({"dce", eliminate_dead_code}, 20000, 500); }
TEST(PassDifferential, ExpandMath) { check({"expand_math", expand_math}, 30000, 500); }
TEST(PassDifferential, Hoist) {
  for (std::uint64_t seed = 50000; seed < 50000 + share(800); ++seed) {
    Function f = testing::random_any_function(seed), preamble;
    const std::string before = print(f);
    const RandomMemory memory(seed, 24);
    const auto wanted = memory.run(f);
    ASSERT_TRUE(wanted.ok());
    analyze_uniformity(f);
    hoist_launch_uniform(f, preamble);
    for (const Function* each : {&f, &preamble})
      ASSERT_TRUE(verify(*each).ok())
          << seed << ": " << to_string(verify(*each).error()) << before << print(*each);
    const auto got = memory.run(f, 8, 1000, &preamble);
    ASSERT_TRUE(got.ok()) << to_string(got.error());
    ASSERT_EQ(testing::difference(*wanted, *got), "") << seed << "\n"
                                                      << before << print(f) << print(preamble);
  }
}
TEST(PassDifferential, AllInOrder) {
  check({"all",
         [](Function& f) {
           simplify(f);
           number_values(f);
           expand_math(f);
           simplify(f);
           number_values(f);
           simplify(f);
           eliminate_dead_code(f);
         }},
        40000, 1500);
}

}  // namespace
}  // namespace warpjit::ir
