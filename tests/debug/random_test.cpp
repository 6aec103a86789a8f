// Random programs of all guests and stages, with and without an observer: the same results, which are what events say.
// WARPJIT_SEEDS programs from WARPJIT_FIRST_SEED on.
#include <gtest/gtest.h>

#include "engines/fuzzer.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::tests {
namespace {

struct Programs {
  const char *name, *isa, *stage;
  std::unique_ptr<fuzz::Fuzzer> (*make)(const fuzz::Options& options);
};
class ObservedRandom : public ::testing::TestWithParam<Programs> {};

TEST_P(ObservedRandom, IsTheSameAsUnobserved) {
  fuzz::Options options;
  options.isa = GetParam().isa;
  options.stage = GetParam().stage;
  options.out = ::testing::TempDir();
  options.observed = true;
  const std::unique_ptr<fuzz::Fuzzer> fuzzer = GetParam().make(options);
  const auto [first, count] = testing::seeds_of_run(share(100));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    ASSERT_TRUE(fuzzer->run(seed)) << "seed " << seed;
    ASSERT_EQ(fuzzer->failed_alone(), "") << "seed " << seed;
  }
  const ObservedRuns::Counts& seen = fuzzer->observed();
  std::printf(
      "%llu programs, %llu groups, %llu steps, %llu words of results in registers, %llu stored bytes\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(seen.groups),
      static_cast<unsigned long long>(seen.steps), static_cast<unsigned long long>(seen.words),
      static_cast<unsigned long long>(seen.stored));
  EXPECT_GT(seen.steps, 10 * count);
}

// Programs of the Vita that found what was wrong: the last rows moved back under the observer (42); a launch of one row
// got the result of its copy in lane 3, which pn gave another one (162).
TEST(ObservedPrograms, FoundBefore) {
  fuzz::Options options;
  options.isa = "usse";
  options.stage = "mixed";
  options.out = ::testing::TempDir();
  options.observed = true;
  const std::unique_ptr<fuzz::Fuzzer> fuzzer = fuzz::make_usse_fuzzer(options);
  for (const std::uint64_t seed : {42, 162}) EXPECT_TRUE(fuzzer->run(seed)) << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(
    All, ObservedRandom,
    ::testing::Values(Programs{"PicaVertex", "pica200", "vertex", fuzz::make_pica200_fuzzer},
                      Programs{"PicaGeometry", "pica200", "geometry", fuzz::make_pica200_fuzzer},
                      Programs{"PicaPixels", "pica200", "pixels", fuzz::make_pica200_pixels_fuzzer},
                      Programs{"TeslaCompute", "tesla", "mixed", fuzz::make_tesla_fuzzer},
                      Programs{"TeslaDraws", "tesla", "fragment", fuzz::make_tesla_fragment_fuzzer},
                      Programs{"ValhallCompute", "valhall", "mixed", fuzz::make_valhall_fuzzer},
                      Programs{"ValhallFragment", "valhall", "fragment", fuzz::make_valhall_fragment_fuzzer},
                      Programs{"UsseVertex", "usse", "mixed", fuzz::make_usse_fuzzer},
                      Programs{"UsseFragment", "usse", "fragment", fuzz::make_usse_fragment_fuzzer}),
    [](const auto& chosen) { return std::string(chosen.param.name); });

}  // namespace
}  // namespace warpjit::tests
