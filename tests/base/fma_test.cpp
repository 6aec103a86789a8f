// Fused multiply-add on edge values and random ones: against MPFR where the tests have it, and everywhere against
// the digest of what MPFR gives.
#include "base/fma.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "base/bits.h"
#if WARPJIT_HAS_MPFR
#include <mpfr.h>
#endif

namespace warpjit {
namespace {

template <class Float>
using Triple = std::array<Float, 3>;

template <class Float>
std::vector<Triple<Float>> edge_values() {
  using Limits = std::numeric_limits<Float>;
  const Float one = 1, epsilon = Limits::epsilon(), least = Limits::min();
  std::vector<Float> values{0,
                            Limits::denorm_min(),
                            3 * Limits::denorm_min(),
                            least,
                            least - Limits::denorm_min(),
                            least * (one + epsilon),
                            epsilon,
                            epsilon / 2,
                            epsilon * epsilon / 4,
                            one,
                            one + epsilon,
                            one - epsilon / 2,
                            Float(1.5),
                            3,
                            1 / epsilon,
                            2 / epsilon - 1,
                            std::sqrt(least),
                            std::sqrt(Limits::max()),
                            Limits::max(),
                            Limits::max() / 2,
                            Limits::infinity(),
                            Limits::quiet_NaN()};
  for (std::size_t n = values.size(); n-- > 0;) values.push_back(-values[n]);
  std::vector<Triple<Float>> triples;
  for (const Float a : values)
    for (const Float b : values)
      for (const Float c : values) triples.push_back({a, b, c});
  return triples;
}

// Mostly sums in which bits of both operands meet, or cancel.
template <class Float, class Word>
std::vector<Triple<Float>> random_values(std::size_t count) {
  constexpr int kFraction = std::numeric_limits<Float>::digits - 1,
                kExponents = sizeof(Word) == 4 ? 256 : 2048;
  std::mt19937_64 random(12);
  const auto number = [&](int exponent) {  // biased
    Word word = static_cast<Word>(random()) & low_mask<Word>(kFraction);
    // Few ones, or runs of them, are close to ties.
    if (random() % 4 == 0) word = word & ~low_mask<Word>(static_cast<unsigned>(random() % (kFraction + 1)));
    if (random() % 8 == 0) word = word | low_mask<Word>(static_cast<unsigned>(random() % (kFraction + 1)));
    const auto clamped = static_cast<Word>(std::min(std::max(exponent, 0), kExponents - 1));
    const Word sign = random() % 2 == 0 ? Word{0} : static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
    return std::bit_cast<Float>(static_cast<Word>(word | clamped << kFraction | sign));
  };
  std::vector<Triple<Float>> triples;
  while (triples.size() < count) {
    const int a = static_cast<int>(random() % kExponents), b = static_cast<int>(random() % kExponents);
    const int product = a + b - kExponents / 2;
    const int distance = static_cast<int>(random() % (4 * kFraction)) - 2 * kFraction;
    Triple<Float> triple{
        number(a), number(b),
        number(random() % 16 == 0 ? static_cast<int>(random() % kExponents) : product + distance)};
    if (random() % 4 == 0) {  // close to the negated product
      const Float near = -(triple[0] * triple[1]);
      triple[2] = std::bit_cast<Float>(static_cast<Word>(std::bit_cast<Word>(near) + random() % 3 - 1));
    }
    triples.push_back(triple);
  }
  return triples;
}

template <class Float, class Word>
std::vector<Triple<Float>> all_values() {
  std::vector<Triple<Float>> triples = edge_values<Float>();
  const auto more = random_values<Float, Word>(200'000);
  triples.insert(triples.end(), more.begin(), more.end());
  return triples;
}

class Rounding {
 public:
  explicit Rounding(int mode) { std::fesetround(mode); }
  ~Rounding() { std::fesetround(FE_TONEAREST); }
};
constexpr int kModes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

// What a function gives, a NaN as any NaN.
template <class Word, class Float, class Function>
std::vector<Word> results(const std::vector<Triple<Float>>& triples, Function function,
                          int mode = FE_TONEAREST) {
  std::vector<Word> words;
  words.reserve(triples.size());
  const Rounding rounding(mode);
  for (const auto& [a, b, c] : triples) {
    const volatile Float x = a, y = b, z = c;
    const Float result = function(Float{x}, Float{y}, Float{z});
    words.push_back(result == result ? std::bit_cast<Word>(result) : ~Word{0});
  }
  return words;
}

template <class Word>
std::uint64_t digest(const std::vector<Word>& words) {
  std::uint64_t sum = 0;
  for (const Word word : words) sum = (sum ^ word) * 0x9e3779b97f4a7c15 + (sum >> 29);
  return sum;
}

template <class Float, class Word>
void expect_equal(const std::vector<Triple<Float>>& triples, const std::vector<Word>& got,
                  const std::vector<Word>& expected, const char* what) {
  std::size_t wrong = 0;
  for (std::size_t n = 0; n < triples.size(); ++n) {
    if (got[n] == expected[n] || ++wrong > 3) continue;
    ADD_FAILURE() << what << std::hexfloat << "(" << triples[n][0] << ", " << triples[n][1] << ", "
                  << triples[n][2] << ") = " << std::bit_cast<Float>(got[n]) << ", not "
                  << std::bit_cast<Float>(expected[n]);
  }
  EXPECT_EQ(wrong, 0U) << what << ", of " << triples.size();
}

#if WARPJIT_HAS_MPFR
// Rounds once, with the exponents of the type.
class Exactly {
 public:
  Exactly(int digits, int most_exponent) : digits_(digits) {
    mpfr_set_emin(most_exponent == 128 ? -148 : -1073);
    mpfr_set_emax(most_exponent);
    for (mpfr_ptr number : {a_, b_, c_}) mpfr_init2(number, 53);
    mpfr_init2(result_, digits_);
  }
  ~Exactly() {
    for (mpfr_ptr number : {a_, b_, c_, result_}) mpfr_clear(number);
  }
  double operator()(double a, double b, double c, int mode) {
    const mpfr_rnd_t round = mode == FE_DOWNWARD     ? MPFR_RNDD
                             : mode == FE_UPWARD     ? MPFR_RNDU
                             : mode == FE_TOWARDZERO ? MPFR_RNDZ
                                                     : MPFR_RNDN;
    mpfr_set_d(a_, a, MPFR_RNDN);
    mpfr_set_d(b_, b, MPFR_RNDN);
    mpfr_set_d(c_, c, MPFR_RNDN);
    const int inexact = mpfr_fma(result_, a_, b_, c_, round);
    mpfr_subnormalize(result_, inexact, round);
    return mpfr_get_d(result_, MPFR_RNDN);
  }

 private:
  int digits_;
  mpfr_t a_, b_, c_, result_;
};
#endif

// The digest of what MPFR gives in each mode, floats first.
constexpr std::uint64_t kFloats = 30921996489784663, kDoubles[] = {14130218233459167235u, 4320907447401207777,
                                                                   8724780654705418973, 8081840857745116289};

TEST(Fma, RoundsFloatsOnce) {
  const auto triples = all_values<float, std::uint32_t>();
  const auto in_doubles =
      results<std::uint32_t>(triples, [](float a, float b, float c) { return fma::in_doubles(a, b, c); });
  EXPECT_EQ(digest(in_doubles), kFloats);
  const auto fused =
      results<std::uint32_t>(triples, [](float a, float b, float c) { return fma::fused(a, b, c); });
  expect_equal(triples, fused, in_doubles, "fused");
#if WARPJIT_HAS_MPFR
  Exactly exactly(24, 128);
  const auto expected = results<std::uint32_t>(
      triples, [&](float a, float b, float c) { return static_cast<float>(exactly(a, b, c, FE_TONEAREST)); });
  expect_equal(triples, in_doubles, expected, "in_doubles");
#endif
}

TEST(Fma, RoundsDoublesOnceInEachMode) {
  const auto triples = all_values<double, std::uint64_t>();
  for (std::size_t n = 0; n < std::size(kModes); ++n) {
    SCOPED_TRACE(n);
    const auto in_integers = results<std::uint64_t>(
        triples, [](double a, double b, double c) { return fma::in_integers(a, b, c); }, kModes[n]);
    EXPECT_EQ(digest(in_integers), kDoubles[n]);
    const auto fused = results<std::uint64_t>(
        triples, [](double a, double b, double c) { return fma::fused(a, b, c); }, kModes[n]);
    expect_equal(triples, fused, in_integers, "fused");
#if WARPJIT_HAS_MPFR
    Exactly exactly(53, 1024);
    const auto expected = results<std::uint64_t>(
        triples, [&](double a, double b, double c) { return exactly(a, b, c, kModes[n]); });
    expect_equal(triples, in_integers, expected, "in_integers");
#endif
  }
}

}  // namespace
}  // namespace warpjit
