// Random kernels: translator, passes and IR interpreter against the guest interpreter.
#include <cstdlib>

#include "frontend/tesla/random.h"
#include "tesla/translate_test.h"

namespace warpjit::tesla {
namespace {

Compared compare_random(std::uint64_t seed, const RandomOptions& options) {
  const RandomKernel kernel = random_kernel(seed, options);
  Comparison comparison{.c0 = kernel.c0, .g0 = kernel.g0, .g1 = Words(kernel.g1_words), .expect_supported = false};
  comparison.launch.grid = kernel.grid;
  comparison.launch.block = kernel.block;
  comparison.launch.fuel = kRandomFuel;
  return compare(kernel.program, comparison, "seed " + std::to_string(seed));
}

// WARPJIT_TESLA_SEEDS=FIRST..LAST checks these instead and prints how many can be translated.
TEST(TeslaTranslateRandom, KernelsAgree) {
  std::uint64_t first = 1, last = 300;
  const char* given = std::getenv("WARPJIT_TESLA_SEEDS");
  if (given != nullptr) {
    char* end = nullptr;
    first = std::strtoull(given, &end, 10);
    last = *end == '.' ? std::strtoull(end + 2, nullptr, 10) : first;
  }
  std::uint64_t unsupported = 0, different = 0;
  for (std::uint64_t seed = first; seed <= last && different < 10; ++seed) {
    // In turn: everything that is possible; straight code with doubles; control flow alone.
    RandomOptions options{.quads = seed % 4 == 0};
    if (seed % 4 == 1) options.flow = false;
    if (seed % 4 == 2) options.warp_synchronous = options.votes = false;
    if (given != nullptr && std::getenv("WARPJIT_TESLA_BARRIERS") == nullptr) options.barriers = seed % 2 == 0;
    options.barriers = false;
    switch (compare_random(seed, options)) {
      case Compared::same:
        break;
      case Compared::unsupported:
        ++unsupported;
        break;
      case Compared::different:
        ++different;
        break;
    }
  }
  EXPECT_EQ(different, 0U);
  if (given != nullptr) std::printf("%llu unsupported\n", static_cast<unsigned long long>(unsupported));
}

}  // namespace
}  // namespace warpjit::tesla
