// Random kernels: translator, passes and IR interpreter against the guest interpreter.
#include <cstdlib>
#include <map>

#include "random/tesla/random.h"
#include "support/share.h"
#include "tesla/translate_test.h"

namespace warpjit::tesla {
namespace {

Compared compare_random(std::uint64_t seed, const RandomOptions& options, std::string& reason) {
  const RandomKernel kernel = random_kernel(seed, options);
  Comparison comparison{.c0 = kernel.c0,
                        .g0 = kernel.g0,
                        .g1 = Words(kernel.g1_words),
                        .expect_supported = false,
                        .reason = &reason};
  comparison.launch.grid = {kernel.grid[0], kernel.grid[1], 1};
  comparison.launch.block = kernel.block;
  comparison.launch.fuel = kRandomFuel;
  return compare(kernel.program, comparison, "seed " + std::to_string(seed));
}

// In turn: quads; straight code; no memory between lanes; all of these, or lanes that do not meet.
RandomOptions options_of(std::uint64_t seed) {
  RandomOptions options{.quads = seed % 4 == 0};
  if (seed % 4 == 1) options.flow = false;
  if (seed % 4 == 2) options.warp_synchronous = options.votes = false;
  options.lanes_meet = seed % 8 != 3;
  options.wild_barriers = seed % 16 == 4;
  return options;
}

// WARPJIT_TESLA_SEEDS=FIRST..LAST checks these instead and prints how many can be translated.
TEST(TeslaTranslateRandom, KernelsAgree) {
  std::uint64_t first = 1, last = share(300);
  const char* given = std::getenv("WARPJIT_TESLA_SEEDS");
  if (given != nullptr) {
    char* end = nullptr;
    first = std::strtoull(given, &end, 10);
    last = *end == '.' ? std::strtoull(end + 2, nullptr, 10) : first;
  }
  std::uint64_t different = 0;
  std::map<std::string, std::uint64_t> unsupported;
  for (std::uint64_t seed = first; seed <= last && different < 10; ++seed) {
    std::string reason;
    const Compared result = compare_random(seed, options_of(seed), reason);
    if (result == Compared::unsupported) ++unsupported[reason];
    if (result == Compared::different) ++different;
  }
  EXPECT_EQ(different, 0U);
  EXPECT_TRUE(unsupported.empty());
  if (given != nullptr)
    for (const auto& [reason, count] : unsupported)
      std::printf("%llu unsupported: %s\n", static_cast<unsigned long long>(count), reason.c_str());
}

}  // namespace
}  // namespace warpjit::tesla
