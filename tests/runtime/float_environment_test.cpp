#include "base/float_environment.h"

#include <gtest/gtest.h>

namespace warpjit {
namespace {

TEST(FloatEnvironment, SetsTheDefaultAndRestoresEverything) {
  const FloatEnvironment::Word before = FloatEnvironment::read();
#if defined(__x86_64__)
  constexpr FloatEnvironment::Word kOdd = 0xFFC0 | 0x15;  // FTZ, DAZ, toward zero, some sticky flags
#elif defined(__aarch64__)
  constexpr FloatEnvironment::Word kOdd = std::uint64_t{0x01C00000} << 32 | 0x11;
#else
  constexpr FloatEnvironment::Word kOdd = 0;
#endif
  FloatEnvironment::write(kOdd);
  {
    const FloatEnvironment environment;
    EXPECT_EQ(FloatEnvironment::read(), FloatEnvironment::kDefault);
    volatile float tiny = 1e-40f, third = 1.0f / 3.0f;
    EXPECT_NE(tiny + 0.0f, 0.0f);
    EXPECT_EQ(third * 3.0f, 1.0f);
  }
  const FloatEnvironment::Word after = FloatEnvironment::read();
  FloatEnvironment::write(before);
  EXPECT_EQ(after, kOdd);
}

}  // namespace
}  // namespace warpjit
