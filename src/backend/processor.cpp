#include "backend/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace warpjit::backend {
namespace {

// The third and fourth are of family 19h, of which the fourth has AVX-512; the fifth is of 1Ah.
enum class Zen : std::uint8_t { none, third, fourth, fifth };

Zen find_zen() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (maker() != Maker::amd || __get_cpuid(1, &a, &b, &c, &d) == 0) return Zen::none;
  const unsigned family = (a >> 8 & 15) + (a >> 20 & 255);  // of those from 15 on
  if (family == 0x19) return __builtin_cpu_supports("avx512f") ? Zen::fourth : Zen::third;
  if (family == 0x1a) return Zen::fifth;
#endif
  return Zen::none;
}

Tuning find_tuning() {
  Tuning tuning;
  if (maker() != Maker::amd) return tuning;
  const Zen zen = find_zen();
  tuning.bytes_ahead = zen == Zen::fourth ? 0 : 8192;
  tuning.bytes_ahead_of_rows = zen == Zen::fourth ? 128 : 8192;
  tuning.guesses_modes = zen == Zen::fifth;
  tuning.extracts_lanes = zen == Zen::third || zen == Zen::fourth;
  return tuning;
}

}  // namespace

Maker maker() {
#if defined(__x86_64__)
  if (__builtin_cpu_is("amd")) return Maker::amd;
  if (__builtin_cpu_is("intel")) return Maker::intel;
#endif
  return Maker::other;
}

Tuning tuning_here() {
  static const Tuning kHere = find_tuning();
  return kHere;
}

std::uint32_t mode_guess_number(std::uintptr_t end) {
  const auto bit = [&](unsigned n) { return static_cast<std::uint32_t>(end >> n & 1); };
  std::uint32_t number = end & 0x1f;
  for (unsigned n = 0; n < 5; ++n) number ^= bit(5 + n) << (4 - n);
  for (unsigned n = 0; n < 4; ++n) number ^= bit(10 + n) << (1 + n);
  return number;
}

}  // namespace warpjit::backend
