#include "random/tesla/generator.h"

namespace warpjit::tesla {

RandomKernel random_kernel(std::uint64_t seed, const RandomOptions& options) {
  return RandomGenerator(seed, options).run();
}

}  // namespace warpjit::tesla
