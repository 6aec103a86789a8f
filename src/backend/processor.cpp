#include "backend/processor.h"

namespace warpjit::backend {
namespace {

// The third and fourth are of family 19h; the fourth and those behind it have AVX-512.
enum class Zen : std::uint8_t { none, third, fourth, fifth };

Zen find_zen() {
#if defined(__x86_64__)
  const bool has_avx512 = __builtin_cpu_supports("avx512f");
  if (__builtin_cpu_is("amdfam19h")) return has_avx512 ? Zen::fourth : Zen::third;
  if (__builtin_cpu_is("amd") && has_avx512) return Zen::fifth;
#endif
  return Zen::none;
}

Tuning find_tuning() {
  Tuning tuning;
  if (maker() != Maker::amd) return tuning;
  const Zen zen = find_zen();
  tuning.bytes_ahead = zen == Zen::fourth ? 0 : 8192;
  tuning.bytes_ahead_of_rows = zen == Zen::fourth ? 128 : 8192;
  if (zen == Zen::third) tuning.lanes_without_loops = 32;
  tuning.multiplies_ahead = zen == Zen::third || zen == Zen::fifth;
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

}  // namespace warpjit::backend
