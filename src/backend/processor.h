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

// What code is made for, beside a target. As it stands here: a processor of which nothing is known, for which
// Intel's figures are taken.
struct Tuning {
  // How far before a stream's loads its cache lines are asked for, in bytes; 0: they are not. Measured with
  // saxpy and sums: a Xeon has the best rates with 2 KiB, less with half or double of that. An EPYC of Zen 5
  // has 0.65 to 0.7 of saxpy's rate with 2 KiB that it has with 8 to 12, and 0.8 without; sums of 256 have
  // 0.27 without. One of Zen 4 has the best rates without: 2 to 16 KiB have 0.75 to 0.85 of saxpy's.
  std::int32_t bytes_ahead = 2048;
  // Likewise of rows, where there are many: groups are narrower then. On a Xeon the rates of a million
  // vertices in four programs changed by -0.09 to 0.07 with 512 bytes to 4 KiB. On an EPYC of Zen 5 they
  // are 1.3 to 2 times as high with 8 KiB, and up to 0.11 lower if the vertices are in the cache. On one of
  // Zen 4 they are 0.9 to 1.5 times as high with 128 bytes, and 0.6 to 1.2 with 8 KiB.
  std::int32_t bytes_ahead_of_rows = 0;
  // Threads of a group whose rows are asked for ahead, at most, as lines of more rows are not on their way at
  // once: breakc_loop has 0.77 of the rate with 64 rows on an EPYC of Zen 5. One of Zen 3, which loads 24
  // lines at once, has 1.1 to 1.2 times the rate with 32 that it has with 16, if not all are asked for at a
  // time.
  std::uint32_t most_rows_ahead = 32;
  // Lanes that address rows of tables, with AVX2, go to scalars by extractions, not through memory: eight
  // rows take 9 to 10 clocks on an EPYC of Zen 3 in place of 14; on one of Zen 4 raymarch has 1.26 times the
  // rate, on one of Zen 5 1.00 to 1.02, and small triangles 0.82. Of other processors it is not known.
  bool extracts_lanes = false;
  // The processor guesses what an instruction changes the float mode to (mode_guess_number): instructions
  // that change to different modes get different numbers. Valhall's sphere has 0.55 of the rate on an EPYC of
  // Zen 5 where two share one.
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
