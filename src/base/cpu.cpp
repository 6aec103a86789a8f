// Both instructions that this takes have a form of its own in each compiler, and none in standard C++.
#include "base/cpu.h"

#include <algorithm>
#include <cstring>

#include "base/compiler.h"

#if WARPJIT_HOST_X64
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#endif

namespace warpjit::cpu {

#if WARPJIT_HOST_X64

namespace {

struct Registers {
  std::uint32_t a, b, c, d;
};
Registers read(std::uint32_t leaf) {
#if defined(_MSC_VER)
  int values[4];
  __cpuidex(values, static_cast<int>(leaf), 0);
  Registers registers;
  std::memcpy(&registers, values, sizeof registers);
#else
  Registers registers;
  __cpuid_count(leaf, 0, registers.a, registers.b, registers.c, registers.d);
#endif
  return registers;
}
// The registers that the system keeps.
std::uint64_t kept_registers() {
#if defined(_MSC_VER)
  return _xgetbv(0);
#else
  std::uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
#endif
}

std::uint32_t read_features() {
  if (read(0).a < 7) return 0;
  const Registers basic = read(1), extended = read(7);
  constexpr std::uint64_t kOfAvx = 0x06, kOfAvx512 = 0xe6;
  const std::uint64_t kept = (basic.c >> 27 & 1) != 0 ? kept_registers() : 0;
  std::uint32_t features = 0;
  const auto add = [&features](Feature feature, std::uint32_t word, unsigned bit, bool usable) {
    if (usable && (word >> bit & 1) != 0) features |= 1U << static_cast<unsigned>(feature);
  };
  const bool avx = (kept & kOfAvx) == kOfAvx && (basic.c >> 28 & 1) != 0;
  const bool avx512 = avx && (kept & kOfAvx512) == kOfAvx512;
  add(Feature::fma, basic.c, 12, avx);
  add(Feature::bmi, extended.b, 3, true);
  add(Feature::avx2, extended.b, 5, avx);
  add(Feature::bmi2, extended.b, 8, true);
  add(Feature::avx512f, extended.b, 16, avx512);
  add(Feature::avx512dq, extended.b, 17, avx512);
  add(Feature::avx512bw, extended.b, 30, avx512);
  add(Feature::avx512vl, extended.b, 31, avx512);
  add(Feature::avx512_fp16, extended.d, 23, avx512);
  return features;
}

}  // namespace

bool has(Feature feature) {
  static const std::uint32_t kFeatures = read_features();
  return (kFeatures >> static_cast<unsigned>(feature) & 1) != 0;
}

namespace {

// In a virtual machine each read takes some microseconds.
Model read_model() {
  Model model{};
  const Registers name = read(0);
  std::memcpy(model.maker, &name.b, 4);
  std::memcpy(model.maker + 4, &name.d, 4);
  std::memcpy(model.maker + 8, &name.c, 4);
  if (name.a == 0) return model;
  const std::uint32_t numbers = read(1).a;
  model.family = (numbers >> 8 & 15) + ((numbers >> 8 & 15) == 15 ? numbers >> 20 & 255 : 0);
  return model;
}

}  // namespace

Model model() {
  static const Model kModel = read_model();
  return kModel;
}

#else

bool has(Feature) { return false; }
Model model() { return {}; }

#endif

bool has(std::initializer_list<Feature> features) {
  return std::all_of(features.begin(), features.end(), [](Feature feature) { return has(feature); });
}

}  // namespace warpjit::cpu
