// Products that FMA_RSCALE scales (docs/guests/valhall.md 6.5), where compiled code scales a factor.
#include <bit>
#include <cmath>

#include "valhall/run_program.h"

namespace warpjit::valhall {
namespace {

std::vector<std::uint32_t> factors() {
  std::vector<std::uint32_t> words{0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x00ffffff,
                                   0x01000001, 0x3f800000, 0xbfffffff, 0x1a000001, 0x20000001, 0x1fb504f3,
                                   0x5f3504f3, 0x60000000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001};
  for (std::uint32_t k = 0; k < 46; ++k) words.push_back(0x9e3779b9U * (k + 1));
  return words;
}

// What the instruction says: the exact product, scaled, rounded once.
std::uint32_t scaled(float a, float b, int n) {
  const double product = static_cast<double>(a) * b;
  const auto result = static_cast<float>(std::ldexp(product, n));
  return std::isnan(result) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(result);
}

void expect_scaled(const std::string& instruction, int n, const auto& other) {
  GuestOptions options;
  options.grid.block = {64, 1, 1};
  const std::vector<std::uint32_t> given = factors();
  std::ranges::copy(given, options.memory.begin());
  const std::vector<std::uint32_t> words =
      words_of("LOAD.i32.slot0 @r5, r2, offset:0\n" + instruction + "\n", options);
  ASSERT_EQ(given.size(), 64U);
  for (std::size_t k = 0; k < given.size(); ++k) {
    const auto x = std::bit_cast<float>(given[k]);
    EXPECT_EQ(words[k], scaled(x, other(x), n)) << instruction << std::hex << ", " << given[k];
  }
}

TEST(ValhallScaledProduct, Squares) {
  const auto same = [](float x) { return x; };
  expect_scaled("FMA_RSCALE.f32 r4, r5, r5, 0x0.neg, 0xFFFFFFFF", -1, same);
  expect_scaled("FMA_RSCALE.f32 r4, r5, r5.neg, 0x0.neg, 0xFFFFFFFF", -1, [](float x) { return -x; });
  expect_scaled("IADD_IMM.i32 r6, 0x0, #0xFFFFFF9C\nFMA_RSCALE.f32 r4, r5, r5, 0x0.neg, r6", -100, same);
  expect_scaled("IADD_IMM.i32 r6, 0x0, #0xFFFFFF9B\nFMA_RSCALE.f32 r4, r5, r5, 0x0.neg, r6", -101, same);
  expect_scaled("IADD_IMM.i32 r6, 0x0, #0x5\nFMA_RSCALE.f32 r4, r5, r5, 0x0.neg, r6", 5, same);
}

TEST(ValhallScaledProduct, Constants) {
  expect_scaled("IADD_IMM.i32 r6, 0x0, #0x18\nFMA_RSCALE.f32 r4, r5.neg, 0x3F800000, 0x0.neg, r6", 24,
                [](float) { return -1.0F; });
  expect_scaled("IADD_IMM.i32 r6, 0x0, #0xFFFFFFE2\nFMA_RSCALE.f32 r4, 0x40490FDB, r5, 0x0.neg, r6", -30,
                [](float) { return std::bit_cast<float>(0x40490fdbU); });
}

}  // namespace
}  // namespace warpjit::valhall
