#include "random/tesla/generator.h"

namespace warpjit::tesla {

RandomKernel RandomGenerator::run() {
  RandomKernel kernel;
  kernel.grid = {1 + random_.below(3), 1 + random_.below(2)};
  kernel.block = {1 + random_.below(100), 1, 1};
  if (random_.one_in(3)) kernel.block = {1 + random_.below(20), 1 + random_.below(5), 1 + random_.below(3)};
  if (random_.one_in(6)) kernel.block = {32u << random_.below(4), 1, 1};  // whole groups, up to the widest
  reconverges_ = options_.barriers && options_.lanes_meet && random_.one_in(2);
  has_forms_ = reconverges_ && options_.barrier_forms && random_.one_in(3);
  warps_ = (kernel.block[0] * kernel.block[1] * kernel.block[2] + 31) / 32;
  has_tables_ = options_.flow && options_.tables && random_.one_in(8);
  budget_ = static_cast<int>(options_.size);

  prologue(kernel);
  bodies();
  patch();

  name_program(kernel.program);
  kernel.samples = options_.textures;
  kernel.program.shared_bytes = kSlots + 4 * kernel.block[0] * kernel.block[1] * kernel.block[2];
  for (unsigned k = 0; k < kDataWords; ++k) kernel.c0.push_back(data());
  for (const Label place : tables_) kernel.c0.push_back(labels_[place]);
  for (int k = 0; k < 256; ++k) kernel.g0.push_back(data());
  kernel.g1_words =
      32 * kernel.grid[0] * kernel.grid[1] * kernel.block[0] * kernel.block[1] * kernel.block[2];
  return kernel;
}

RandomKernel random_kernel(std::uint64_t seed, const RandomOptions& options) {
  return RandomGenerator(seed, options).run();
}

}  // namespace warpjit::tesla
