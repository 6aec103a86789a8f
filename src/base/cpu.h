// The host's processor, as the instruction CPUID of x86-64 tells it; on others nothing is known.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace warpjit::cpu {

enum class Feature : std::uint8_t {
  avx2,
  fma,
  bmi,
  bmi2,
  avx512f,
  avx512bw,
  avx512dq,
  avx512vl,
  avx512_fp16
};

// True if the processor has it, and the system keeps the registers that it takes.
bool has(Feature feature);
bool has(std::initializer_list<Feature> features);  // all of them

// What the maker calls itself ("AuthenticAMD", "GenuineIntel"), and the number of the family, with its extension; both
// are 0 where nothing is known.
struct Model {
  char maker[13];
  unsigned family;
};
Model model();

}  // namespace warpjit::cpu
