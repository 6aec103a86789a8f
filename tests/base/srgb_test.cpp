// The tables of the sRGB curve, computed again with MPFR.

#include "base/srgb.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/bits.h"

namespace warpjit {
namespace {

// The curve at numerator / 510.
class Curve {
 public:
  explicit Curve(unsigned numerator) {
    mpfr_init2(value_, 200);
    mpfr_init2(scratch_, 200);
    const auto set = [&](mpfr_ptr to, const char* number) { mpfr_set_str(to, number, 10, MPFR_RNDN); };
    mpfr_set_ui(value_, numerator, MPFR_RNDN);
    mpfr_div_ui(value_, value_, 510, MPFR_RNDN);
    set(scratch_, "0.04045");
    const bool linear = mpfr_lessequal_p(value_, scratch_) != 0;
    set(scratch_, linear ? "12.92" : "0.055");
    if (linear) {
      mpfr_div(value_, value_, scratch_, MPFR_RNDN);
      return;
    }
    mpfr_add(value_, value_, scratch_, MPFR_RNDN);
    set(scratch_, "1.055");
    mpfr_div(value_, value_, scratch_, MPFR_RNDN);
    set(scratch_, "2.4");
    mpfr_pow(value_, value_, scratch_, MPFR_RNDN);
  }
  ~Curve() { mpfr_clears(value_, scratch_, nullptr); }
  Curve(const Curve&) = delete;
  Curve& operator=(const Curve&) = delete;
  std::uint32_t rounded() const { return to_bits(mpfr_get_flt(value_, MPFR_RNDN)); }

 private:
  mpfr_t value_, scratch_;
};

TEST(Srgb, Tables) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(kSrgbDecoded[byte], Curve(2 * byte).rounded()) << byte;
    if (byte == 255) break;
    EXPECT_EQ(kSrgbThresholds[byte], Curve(2 * byte + 1).rounded()) << byte;
  }
}

TEST(Srgb, StepsAgreeWithThresholds) {
  const auto steps = srgb_steps();
  const auto by_step = [&](std::uint32_t word) {
    return (steps[(word - kSrgbFirstStep) >> 16] + (word & 0xffff)) >> 16;
  };
  const auto by_thresholds = [](std::uint32_t word) {
    return static_cast<std::uint32_t>(
        std::upper_bound(std::begin(kSrgbThresholds), std::end(kSrgbThresholds), word) -
        std::begin(kSrgbThresholds));
  };
  EXPECT_GT(kSrgbThresholds[0], kSrgbFirstStep);
  for (const std::uint32_t threshold : kSrgbThresholds)
    for (const std::uint32_t word : {threshold - 1, threshold, threshold + 1})
      EXPECT_EQ(by_step(word), by_thresholds(word)) << word;
  for (std::uint32_t word = kSrgbFirstStep; word <= 0x3f800000; word += 0x1001)
    ASSERT_EQ(by_step(word), by_thresholds(word)) << word;
  for (unsigned byte = 0; byte < 256; ++byte) EXPECT_EQ(by_thresholds(kSrgbDecoded[byte]), byte);
  EXPECT_EQ(by_step(0x3f800000), 255U);
}

}  // namespace
}  // namespace warpjit
