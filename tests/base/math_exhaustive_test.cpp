// exp2, log2, rcp and rsqrt of all 2^32 floats against the C library's double functions, whose error is below
// 2^-52 and does not matter here. Runs with WARPJIT_EXHAUSTIVE=1 only, about a minute a function.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "base/bits.h"
#include "base/math.h"

namespace warpjit {
namespace {

constexpr double kBound = 0x1p-22;
constexpr std::uint32_t kChunk = 4096;

class MathExhaustive : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("WARPJIT_EXHAUSTIVE") == nullptr) GTEST_SKIP() << "set WARPJIT_EXHAUSTIVE=1 to run";
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
      GTEST_SKIP() << "needs AVX2 and FMA";
#endif
  }

  // Calls function on all floats, chunk by chunk so that the compiler can vectorize, and check(x, result).
  template <class Function, class Check>
  void for_all(Function function, Check check) {
    float inputs[kChunk];
    float results[kChunk];
    for (std::uint64_t base = 0; base < std::uint64_t{1} << 32; base += kChunk) {
      for (std::uint32_t i = 0; i < kChunk; ++i) inputs[i] = to_float(static_cast<std::uint32_t>(base) + i);
      for (std::uint32_t i = 0; i < kChunk; ++i) results[i] = function(inputs[i]);
      for (std::uint32_t i = 0; i < kChunk; ++i) {
        if (!check(inputs[i], results[i])) {
          FAIL() << "f(" << std::hexfloat << inputs[i] << ") = " << results[i];
        }
      }
    }
  }

  // The relative error of a result, remembered if it is the largest one.
  bool accurate(float got, double exact) {
    const double error = std::fabs((got - exact) / exact);
    worst_ = std::max(worst_, error);
    return error <= kBound;
  }

  void report(const char* function) {
    std::printf("%s: largest error 2^%.4f\n", function, std::log2(worst_));
  }

  double worst_ = 0;
  math::ScalarOps ops_;
};

TEST_F(MathExhaustive, Exp2) {
  double worst_denormal = 0;
  for_all([&](float x) { return math::exp2(ops_, x); },
          [&](float x, float got) {
            if (std::isnan(x)) return std::isnan(got);
            if (x >= 128.0f) return got == std::numeric_limits<float>::infinity();
            if (x <= -151.0f) return to_bits(got) == 0;
            const double exact = std::exp2(static_cast<double>(x));
            if (x >= -126.0f) return accurate(got, exact);
            const double scaled = exact * 0x1p149;
            const double distance = std::fabs(got * 0x1p149 - scaled);
            worst_denormal = std::max(worst_denormal, distance);
            return distance <= 1.05 && std::fabs(got * 0x1p149 - std::nearbyint(scaled)) <= 1.0;
          });
  report("exp2");
  std::printf("exp2: largest error of a denormal result %.4f ulp\n", worst_denormal);
}

TEST_F(MathExhaustive, Log2) {
  for_all([&](float x) { return math::log2(ops_, x); },
          [&](float x, float got) {
            if (std::isnan(x) || x < 0) return std::isnan(got);
            if (x == 0) return got == -std::numeric_limits<float>::infinity();
            if (std::isinf(x)) return got == x;
            if (x == 1.0f) return to_bits(got) == 0;
            return accurate(got, std::log2(static_cast<double>(x)));
          });
  report("log2");
}

TEST_F(MathExhaustive, Rcp) {
  for_all([&](float x) { return math::rcp(ops_, x); },
          [&](float x, float got) {
            if (std::isnan(x)) return std::isnan(got);
            if (x == 0) return got == std::numeric_limits<float>::infinity();
            if (std::isinf(x)) return to_bits(got) == 0;
            return got == static_cast<float>(1.0 / static_cast<double>(x));
          });
}

TEST_F(MathExhaustive, Rsqrt) {
  for_all([&](float x) { return math::rsqrt(ops_, x); },
          [&](float x, float got) {
            if (std::isnan(x) || x < 0) return std::isnan(got);
            if (x == 0) return got == std::numeric_limits<float>::infinity();
            if (std::isinf(x)) return to_bits(got) == 0;
            return accurate(got, 1.0 / std::sqrt(static_cast<double>(x)));
          });
  report("rsqrt");
}

}  // namespace
}  // namespace warpjit
