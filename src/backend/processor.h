// What differs between processors of one instruction set and was measured on them. Results never depend on
// it, nor does the instruction set.
#pragma once

#include <cstdint>

namespace warpjit::backend {

enum class Maker : std::uint8_t { intel, amd, other };
Maker maker();  // of the processor that this runs on
// Processors that code is tuned for: a row each in processor.cpp. amd: others of that maker.
enum class Family : std::uint8_t { unknown, amd, zen3, zen4, zen5 };
Family family();  // of the processor that this runs on

// What code is made for, beside a target. The values here, which are Intel's, are for a processor of which
// nothing is known.
struct Tuning {
  // Code prefetches the cache lines of a stream this number of bytes before it loads them; 0: it does not.
  // Measured with saxpy and sums. A Xeon is fastest with 2 KiB, and slower with half or double of that. Zen 5
  // has 0.65 to 0.7 of saxpy's rate with 2 KiB that it has with 8 to 12, and 0.8 without; sums of 256 have
  // 0.27 without. Zen 4 is fastest without: 2 to 16 KiB have 0.75 to 0.85 of saxpy's rate.
  std::int32_t bytes_ahead = 2048;
  // The same for rows, in runs over many; groups are narrower then. On a Xeon the rates of a million
  // vertices in four programs changed by -0.09 to 0.07 with 512 bytes to 4 KiB. On Zen 5 they are 1.3 to 2
  // times as high with 8 KiB, and up to 0.11 lower if the vertices are in the cache. On Zen 4 they are 0.9
  // to 1.5 times as high with 128 bytes, and 0.6 to 1.2 with 8 KiB.
  std::int32_t bytes_ahead_of_rows = 0;
  // The most threads of a group whose rows are prefetched, because a processor has room for a limited
  // number of lines that are on their way: breakc_loop has 0.77 of the rate with 64 rows on Zen 5.
  // Zen 3, which loads 24 lines at once, has 1.1 to 1.2 times the rate with 32 that it has with 16,
  // if not all are prefetched at a time.
  std::uint32_t most_rows_ahead = 32;
  // With AVX2, lanes that address rows of tables go to scalars by extractions, not through memory. Eight rows
  // take 9 to 10 clocks on Zen 3 in place of 14. Raymarch has 1.26 times the rate on Zen 4, 1.00 to 1.02 on
  // Zen 5, where small triangles have 0.82. Other processors were not measured.
  bool extracts_lanes = false;
  // The processor guesses what an instruction changes the float mode to (mode_guess_number): instructions
  // that change to different modes get different numbers. Valhall's sphere has 0.55 of the rate on Zen 5
  // where two share one.
  bool guesses_modes = false;

  bool operator==(const Tuning&) const = default;
};
Tuning tuning(Family family);
Tuning tuning_here();  // of family()

// Zen 5 guesses that an instruction changes to the mode that the last one with the same number changed to.
// The number, below 32, is made of the address at which the instruction ends. Measured on an EPYC with two of
// them in a loop, at 2,848 distances: a right guess takes a clock, a wrong one 60 to 70.
std::uint32_t mode_guess_number(std::uintptr_t end);

}  // namespace warpjit::backend
