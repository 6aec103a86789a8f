// The special-function unit: its lanes against one word at a time, its square against the sum it stands for.
// What the functions compute is checked against vectors of the hardware's model (tests/tesla).
#include "base/sfu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace warpjit::sfu {
namespace {

// Each partial product of a 17-bit number loses its low bits.
TEST(Sfu, SquareIsTheTruncatedSum) {
  for (std::uint32_t x = 0; x < 1U << 17; ++x) {
    std::uint32_t sum = 0;
    for (unsigned bit = 0; bit < 17; ++bit)
      if ((x >> bit & 1) != 0) sum += x >> (18 - bit);
    ASSERT_EQ(square(x), sum >> 1) << x;
  }
}

// All exponents with the corners of every segment, and words at even distances; with WARPJIT_EXHAUSTIVE=1
// all.
TEST(Sfu, LanesAreTheWords) {
  using One = std::uint32_t (*)(std::uint32_t);
  constexpr One kWords[] = {rcp, rsqrt, lg2, presin, preex2, sin, cos, ex2};
  std::vector<std::uint32_t> x;
  for (std::uint32_t top = 0; top < 0x400; ++top)
    for (std::uint32_t segment = 0; segment < 0x80; segment += 3)
      for (const std::uint32_t low : {0U, 1U, 0x7fffU, 0xffffU}) x.push_back(top << 22 | segment << 15 | low);
  const std::uint64_t step = std::getenv("WARPJIT_EXHAUSTIVE") != nullptr ? 1 : 9973;
  for (std::uint64_t next = 0; !x.empty();) {
    std::vector<std::uint32_t> results(x.size());
    for (std::size_t f = 0; f < std::size(kWords); ++f) {
      evaluate(static_cast<Function>(f), x, results.data());
      for (std::size_t k = 0; k < x.size(); ++k)
        ASSERT_EQ(results[k], kWords[f](x[k])) << "function " << f << " of 0x" << std::hex << x[k];
    }
    x.clear();
    for (; next < std::uint64_t{1} << 32 && x.size() < 65537; next += step)
      x.push_back(static_cast<std::uint32_t>(next));
  }
}

}  // namespace
}  // namespace warpjit::sfu
