#include "backend/processor.h"

#include <string_view>

#include "base/cpu.h"

namespace warpjit::backend {
namespace {

struct FamilyTuning {
  Family family;
  Tuning tuning;
};
// What a row does not name is as for a processor of which nothing is known.
constexpr FamilyTuning kTunings[] = {
    {Family::unknown, {}},
    {Family::amd, {.bytes_ahead = 8192, .bytes_ahead_of_rows = 8192}},
    {Family::zen3, {.bytes_ahead = 8192, .bytes_ahead_of_rows = 8192, .extracts_lanes = true}},
    {Family::zen4, {.bytes_ahead = 0, .bytes_ahead_of_rows = 128, .extracts_lanes = true}},
    {Family::zen5, {.bytes_ahead = 8192, .bytes_ahead_of_rows = 8192, .guesses_modes = true}},
};

}  // namespace

Maker maker() {
  const cpu::Model model = cpu::model();
  const std::string_view name = model.maker;
  if (name == "AuthenticAMD") return Maker::amd;
  if (name == "GenuineIntel") return Maker::intel;
  return Maker::other;
}

// Zen 3 and 4 are of family 19h, of which Zen 4 has AVX-512; Zen 5 is of 1Ah.
Family family() {
  if (maker() != Maker::amd) return Family::unknown;
  const unsigned number = cpu::model().family;
  if (number == 0x19) return cpu::has(cpu::Feature::avx512f) ? Family::zen4 : Family::zen3;
  return number == 0x1a ? Family::zen5 : Family::amd;
}

Tuning tuning(Family family) {
  for (const FamilyTuning& row : kTunings)
    if (row.family == family) return row.tuning;
  return {};
}

Tuning tuning_here() {
  static const Tuning kHere = tuning(family());
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
