// The 24-bit mode: rounding against the format's own encoder and decoder, and which results are rounded.
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "base/math.h"
#include "pica200/pica_test.h"

namespace warpjit::pica200 {
namespace {

void expect_rounded(float x) {
  const float got = math::round_f24(x), wanted = decode_f24(encode_f24(x));
  if (std::isnan(wanted)) {
    ASSERT_TRUE(std::isnan(got)) << x;
  } else {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(wanted)) << x;
  }
}

TEST(F24, RoundsAsTheFormatIsEncoded) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (float x :
       {0.0f, 1.0f, 0x1p-62f, 0x1.fffffep-63f, 0x1p-63f, 0x1p-126f, 0x1p-149f, 0x1.fffffep63f, 0x1p64f,
        0x1.0000fep0f, 0x1.0000ffp0f, 0x1.fffffep127f, kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    expect_rounded(x);
    expect_rounded(-x);
  }
  for (std::uint32_t signaling : {0x7f800001u, 0xff80007fu}) expect_rounded(std::bit_cast<float>(signaling));
  std::mt19937 random(24);
  for (int n = 0; n < 1'000'000; ++n)
    expect_rounded(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  EXPECT_EQ(math::round_f24(-0x1p-80f), 0.0f);
  EXPECT_TRUE(std::signbit(math::round_f24(-0x1p-80f)));
}

// Sums inside an instruction are f32; what it writes is f24; the address and flags see unrounded sources.
TEST(F24, ResultsAreRoundedAsTheyAreWritten) {
  Program program = program_of_main("add r0, v0, v1\nmov o0, v0\ndp4 o1, v0, v1\nmad o2, v0, v1, r0\n");
  const auto run = [&] {
    const auto interpreter = Interpreter::prepare(program, program.entry);
    EXPECT_TRUE(interpreter.ok());
    ThreadState state;
    for (int k = 0; k < 4; ++k) {
      state.v[0][k] = 1.0f + 0x1p-20f * static_cast<float>(k + 1);
      state.v[1][k] = 3.0f + 0x1p-19f * static_cast<float>(k);
    }
    EXPECT_TRUE(interpreter->run(Uniforms(), state, 0));
    return state;
  };
  const ThreadState wide = run();
  program.f24 = true;
  const ThreadState narrow = run();
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(narrow.r[0][k], math::round_f24(wide.r[0][k]));
    EXPECT_EQ(narrow.o[0][k], 1.0f);
    EXPECT_EQ(narrow.o[1][k], math::round_f24(wide.o[1][k]));
    const float product = wide.v[0][k] * wide.v[1][k];  // not rounded before the addition
    EXPECT_EQ(narrow.o[2][k], math::round_f24(product + narrow.r[0][k]));
  }
}

}  // namespace
}  // namespace warpjit::pica200
