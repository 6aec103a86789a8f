// Arithmetic against definitions written another way, in places that the vectors of instructions_test do not
// reach, and both of the interpreter's loops against each other.
#include <cfenv>
#include <cmath>

#include "base/sfu.h"
#include "frontend/tesla/encoding/encoding.h"
#include "support/share.h"
#include "tesla/interpret_test.h"
#include "tesla/random_operands.h"

namespace warpjit::tesla {
namespace {

float as_float(std::uint32_t x) { return std::bit_cast<float>(x); }
std::uint32_t as_word(float x) { return std::bit_cast<std::uint32_t>(x); }

// One instruction on 32 lanes; registers $r0 to $r7 are random and given back.
void run_instruction(const std::string& text, WarpRegisters& registers, const Modes& modes = {}) {
  auto interpreter = Interpreter::prepare(program_of(text + "\nexit nop\n"), modes);
  ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
  RunReport report;
  const Status status = interpreter->run_warp(Launch{}, registers, report);
  ASSERT_TRUE(status.ok()) << to_string(status.error());
}

void randomize(WarpRegisters& registers, Operands& random) {
  for (auto& row : registers.r)
    for (std::uint32_t& lane : row) lane = random.word();
  for (unsigned k = 1; k < 8; ++k)
    for (std::uint32_t& lane : registers.a[k]) lane = random.word() & 0xffff;
  for (auto& row : registers.c)
    for (std::uint32_t& lane : row) lane = random.word() & 15;
}

TEST(TeslaArithmetic, BothLoopsGiveTheSameBits) {
  Operands random{3};
  const std::vector<std::byte> constants = random_constants(random);
  Launch launch;
  launch.constants.fill(constants);
  launch.shared_bytes = 4096;
  int ran = 0;
  for (const Pattern& pattern : patterns()) {
    if (pattern.opcode >= Opcode::bra) continue;
    for (std::uint64_t n = 0; n < share(40); ++n) {
      std::uint64_t noise = random.next();
      for (std::uint64_t k = n % 3; k > 0; --k) noise &= random.next();
      std::uint64_t word = pattern.match | (noise & ~pattern.mask);
      if (pattern.form == Form::long_) word &= ~(std::uint64_t{3} << 32);  // no exit or join
      Program program;
      program.source_name = "random";
      program.code = {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32), 0xf0000001,
                      0xe0000781};
      if (!is_long_word(program.code[0])) program.code[1] = 0x1000a850;
      auto interpreter = Interpreter::prepare(program);
      if (!interpreter) continue;
      auto best = std::make_unique<WarpRegisters>();
      randomize(*best, random);
      auto portable = std::make_unique<WarpRegisters>(*best);
      std::vector<std::uint64_t> memory[2] = {std::vector<std::uint64_t>(64, 5),
                                              std::vector<std::uint64_t>(64, 5)};
      RunReport reports[2];
      for (const HostCode code : {HostCode::best, HostCode::portable}) {
        const bool is_best = code == HostCode::best;
        for (auto& space : launch.globals)
          space = {{.address = 0, .bytes = std::as_writable_bytes(std::span(memory[is_best ? 0 : 1]))}};
        const Status status =
            interpreter->run_warp(launch, is_best ? *best : *portable, reports[is_best ? 0 : 1], code);
        ASSERT_TRUE(status.ok()) << to_string(status.error());
      }
      const auto text = disassemble(*try_decode(ProgramType::compute, program.code[0], program.code[1]));
      ASSERT_EQ(std::memcmp(best.get(), portable.get(), sizeof *best), 0) << text;
      ASSERT_EQ(memory[0], memory[1]) << text;
      ASSERT_EQ(reports[0].first_fault.has_value(), reports[1].first_fault.has_value()) << text;
      ++ran;
    }
  }
  EXPECT_GT(ran, static_cast<int>(share(2000)));
}

// docs/guests/tesla.md 8.3 in extended precision: the significands as integers.
std::uint32_t fmad_by_definition(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const auto flush = [](std::uint32_t x) { return (x & 0x7f800000) == 0 ? x & 0x80000000 : x; };
  const float x = as_float(flush(a)), y = as_float(flush(b)), z = as_float(flush(c));
  const auto finish = [&](long double exact) {
    if (std::isnan(exact)) return 0x7fffffffU;
    if (std::isinf(exact)) return as_word(static_cast<float>(exact));
    if (exact == 0) return as_word(std::signbit(exact) ? -0.0F : 0.0F);
    int exponent = 0;
    const long double fraction = std::frexp(std::fabs(exact), &exponent);  // [1/2, 1)
    const long double rounded = std::nearbyint(std::ldexp(fraction, 24));
    const long double magnitude = std::ldexp(rounded, exponent - 24);
    const std::uint32_t sign = exact < 0 ? 0x80000000 : 0;
    if (magnitude < 0x1p-126L) return sign;
    if (magnitude > 0x1.fffffep127L) return sign | 0x7f800000;
    return sign | as_word(static_cast<float>(magnitude));
  };
  if (x == 0 || y == 0 || z == 0) {
    const std::uint32_t product = finish(static_cast<long double>(x) * y);
    return finish(static_cast<long double>(as_float(product)) + z);
  }
  long double product = static_cast<long double>(x) * y;
  if (std::isfinite(product)) {
    int exponent = 0;
    const long double fraction = std::frexp(product, &exponent);
    product = std::ldexp(std::trunc(std::ldexp(fraction, 24)), exponent - 24);
  }
  return finish(product + static_cast<long double>(z));
}

TEST(TeslaArithmetic, FmadIsItsDefinition) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "no long double wider than double";
  Operands random{5};
  WarpRegisters registers;
  for (int n = 0; n < 4000; ++n) {
    for (unsigned l = 0; l < kLanes; ++l) {
      for (unsigned k = 0; k < 3; ++k) registers.r[k][l] = random.word();
      // Sums that cancel, and products near the smallest normal number.
      if (l % 4 == 1)
        registers.r[2][l] = as_word(-as_float(registers.r[0][l]) * as_float(registers.r[1][l])) + l;
      if (l % 4 == 2) {
        registers.r[0][l] = 0x1f800000 | (registers.r[0][l] & 0x807fffff);
        registers.r[1][l] = 0x1f800000 | (registers.r[1][l] & 0x807fffff);
        registers.r[2][l] = l % 8 == 2 ? 0 : registers.r[2][l] & 0x80ffffff;
      }
    }
    WarpRegisters after = registers;
    run_instruction("add f32 $r3 (mul $r0 $r1) $r2", after);
    for (unsigned l = 0; l < kLanes; ++l) {
      // x87's 64 bits are not enough where the addends lie far apart; a double with a sticky bit is what
      // counts.
      const int gap = std::abs(static_cast<int>(registers.r[0][l] >> 23 & 255) +
                               static_cast<int>(registers.r[1][l] >> 23 & 255) - 127 -
                               static_cast<int>(registers.r[2][l] >> 23 & 255));
      if (gap > 38 && gap < 45) continue;
      ASSERT_EQ(after.r[3][l], fmad_by_definition(registers.r[0][l], registers.r[1][l], registers.r[2][l]))
          << std::hex << registers.r[0][l] << ' ' << registers.r[1][l] << ' ' << registers.r[2][l];
    }
  }
}

TEST(TeslaArithmetic, FastFmadRoundsOnce) {
  Operands random{6};
  WarpRegisters registers;
  for (int n = 0; n < 300; ++n) {
    randomize(registers, random);
    WarpRegisters after = registers;
    run_instruction("add f32 $r3 (mul $r0 $r1) $r2", after, {.fast_fmad = true});
    for (unsigned l = 0; l < kLanes; ++l) {
      const auto flush = [](std::uint32_t x) { return (x & 0x7f800000) == 0 ? x & 0x80000000 : x; };
      const float fused = std::fma(as_float(flush(registers.r[0][l])), as_float(flush(registers.r[1][l])),
                                   as_float(flush(registers.r[2][l])));
      if (std::isnan(fused))
        ASSERT_EQ(after.r[3][l], 0x7fffffffU);
      else if (std::fabs(fused) > 0x1p-126F)
        ASSERT_EQ(after.r[3][l], as_word(fused));
      else
        ASSERT_EQ(after.r[3][l] & 0x7f7fffff, 0U);
    }
  }
}

TEST(TeslaArithmetic, Modes) {
  const auto result = [](const std::string& text, std::uint32_t a, std::uint32_t b, const Modes& modes) {
    WarpRegisters registers;
    registers.r[0][7] = a;
    registers.r[1][7] = b;
    run_instruction(text, registers, modes);
    return registers.r[3][7];
  };
  const std::string add = "add sat rn f32 $r3 $r0 $r1", mul = "mul rn f32 $r3 $r0 $r1";
  EXPECT_EQ(result(add, 0x7f800000, 0xff800000, {}), 0x7fffffffU);
  EXPECT_EQ(result(add, 0x7f800000, 0xff800000, {.saturated_nan_is_zero = true}), 0U);
  EXPECT_EQ(result(add, 0x3f800000, 0x3f800000, {}), 0x3f800000U);
  EXPECT_EQ(result(add, 0x80000000, 0x80000000, {}), 0U);
  EXPECT_EQ(result(mul, 0x80000000, 0x7f800000, {}), 0x7fffffffU);
  EXPECT_EQ(result(mul, 0x80000000, 0x7f800000, {.zero_wins = true}), 0U);
  EXPECT_EQ(result("quadop f32 add add add add $r3 dx $r0 $r1", 5, 0x3f800000, {}), 0x3f800000U);
  EXPECT_EQ(
      result("quadop f32 add add add add $r3 dx $r0 $r1", 5, 0x3f800000, {.infinite_derivatives = true}),
      0x7f800000U);
}

// An ulp at the lower edge: 2^-126 is kept only if the product, with unbounded exponent, rounds to it.
TEST(TeslaArithmetic, ProductsAtTheSmallestNormalNumber) {
  const auto product = [](std::uint32_t a, std::uint32_t b) {
    WarpRegisters registers;
    registers.r[0][0] = a;
    registers.r[1][0] = b;
    run_instruction("mul rn f32 $r3 $r0 $r1", registers);
    return registers.r[3][0];
  };
  EXPECT_EQ(product(0x00ffffff, 0x3f000000), 0U);           // (2 - 2^-23) 2^-127: exact, below
  EXPECT_EQ(product(0x00fffffe, 0x3f000001), 0x00800000U);  // rounds up to 2^-126
  EXPECT_EQ(product(0x00800000, 0x3f800000), 0x00800000U);
  EXPECT_EQ(product(0x00800000, 0xbf7fffff), 0x80000000U);
}

TEST(TeslaConversions, Doubles) {
  WarpRegisters registers;
  const double values[] = {0.0,    -0.0,     1.5, -2.5, 1e300,  -1e300,  4294967295.5, -2147483649.0,
                           1e-320, 0x1p-150, 0.5, 3.5,  0x1p63, -0x1p63, 0x1p64,       1.0000000596046448};
  for (unsigned l = 0; l < kLanes; ++l) {
    const auto bits = std::bit_cast<std::uint64_t>(values[l % 16]);
    registers.r[0][l] = static_cast<std::uint32_t>(bits);
    registers.r[1][l] = static_cast<std::uint32_t>(bits >> 32);
  }
  WarpRegisters after = registers;
  run_instruction("cvt rn f32 $c1 $r4 f64 $r0d", after);
  for (unsigned l = 0; l < 16; ++l) {
    EXPECT_EQ(after.r[4][l], as_word(static_cast<float>(values[l]))) << values[l];
    EXPECT_EQ(after.c[1][l], as_float(after.r[4][l]) == 0 ? 1U : values[l] < 0 ? 2U : 0U) << values[l];
  }
  after = registers;
  run_instruction("cvt rzi s32 $c1 $r4 f64 $r0d", after);
  for (unsigned l = 0; l < 16; ++l) {
    const double clamped = std::fmin(std::fmax(std::trunc(values[l]), -2147483648.0), 2147483647.0);
    EXPECT_EQ(static_cast<std::int32_t>(after.r[4][l]), static_cast<std::int32_t>(clamped)) << values[l];
    EXPECT_EQ((after.c[1][l] & kOverflow) != 0, clamped != std::trunc(values[l])) << values[l];
  }
  after = registers;
  run_instruction("cvt rni f64 $r4d f64 $r0d", after);
  for (unsigned l = 0; l < 16; ++l)
    EXPECT_EQ(std::uint64_t{after.r[5][l]} << 32 | after.r[4][l],
              std::bit_cast<std::uint64_t>(std::nearbyint(values[l])))
        << values[l];
  after = registers;
  run_instruction("cvt rzi u64 $r4d f64 $r0d", after);
  EXPECT_EQ(std::uint64_t{after.r[5][14]} << 32 | after.r[4][14], ~std::uint64_t{0});
  EXPECT_EQ(after.r[4][6], 4294967295U);
  EXPECT_EQ(after.r[4][3], 0U);
  // Integers to doubles: 2^63 - 1 rounds.
  for (unsigned l = 0; l < kLanes; ++l) {
    registers.r[0][l] = ~0U;
    registers.r[1][l] = 0x7fffffff;
  }
  after = registers;
  run_instruction("cvt rn f64 $r4d s64 $r0d", after);
  EXPECT_EQ(after.r[5][0], 0x43e00000U);
  run_instruction("cvt rz f64 $r4d s64 $r0d", after);
  EXPECT_EQ(after.r[5][0], 0x43dfffffU);
  run_instruction("cvt rn f64 $r4d s32 $r0", after);
  EXPECT_EQ(after.r[5][0], 0xbff00000U);
}

TEST(TeslaDoubles, DirectedRounding) {
  // 1 + 2^-60 and its negative under the four modes.
  const std::uint64_t one = std::bit_cast<std::uint64_t>(1.0), tiny = std::bit_cast<std::uint64_t>(0x1p-60);
  const std::uint64_t wanted[4] = {one, one, one + 1, one};
  const char* modes[] = {"rn", "rm", "rp", "rz"};
  for (unsigned k = 0; k < 4; ++k) {
    WarpRegisters registers;
    registers.r[1][0] = static_cast<std::uint32_t>(one >> 32);
    registers.r[3][0] = static_cast<std::uint32_t>(tiny >> 32);
    run_instruction(std::string("add ") + modes[k] + " f64 $r4d $r0d $r2d", registers);
    EXPECT_EQ(std::uint64_t{registers.r[5][0]} << 32 | registers.r[4][0], wanted[k]) << modes[k];
  }
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(TeslaSpecialFunctions, AreCloseToExactResults) {
  // No public vectors exist for these four; a wrong table, index or exponent would be far off.
  for (int k = -50000; k < 50000; ++k) {
    const float x = static_cast<float>(k) * 0.0007F;
    const std::uint32_t fixed = sfu::presin(as_word(x));
    ASSERT_NEAR(as_float(sfu::sin(fixed)), std::sin(static_cast<double>(x)), 4e-6) << x;
    ASSERT_NEAR(as_float(sfu::cos(fixed)), std::cos(static_cast<double>(x)), 4e-6) << x;
    ASSERT_NEAR(as_float(sfu::ex2(sfu::preex2(as_word(x)))) / std::exp2(static_cast<double>(x)), 1, 2e-7)
        << x;
    const float y = std::fabs(x) * 100 + 0.001F;
    ASSERT_NEAR(as_float(sfu::rsqrt(as_word(y))) * std::sqrt(static_cast<double>(y)), 1, 2e-7) << y;
  }
  for (int power = -126; power < 128; ++power) {
    const std::uint32_t x = static_cast<std::uint32_t>(power + 127) << 23;
    EXPECT_NEAR(as_float(sfu::lg2(x)), power, 1e-5);  // negative ones are complements, one place off
    EXPECT_EQ(as_float(sfu::ex2(sfu::preex2(as_word(static_cast<float>(power))))),
              std::exp2(static_cast<float>(power)));
    if (power % 2 == 0) {
      EXPECT_EQ(as_float(sfu::rsqrt(x)), std::exp2(static_cast<float>(-power / 2)));
    }
    if (power < 127) {
      EXPECT_EQ(as_float(sfu::rcp(x)),
                power == 126 ? std::exp2(-126.0F) : std::exp2(static_cast<float>(-power)));
    }
  }
}

TEST(TeslaSpecialFunctions, Specials) {
  constexpr std::uint32_t kInf = 0x7f800000, kNan = 0x7fffffff, kSign = 0x80000000;
  EXPECT_EQ(sfu::rcp(kSign), kSign | kInf);
  EXPECT_EQ(sfu::rcp(1), kInf);  // a denormal
  EXPECT_EQ(sfu::rcp(kSign | kInf), kSign);
  EXPECT_EQ(sfu::rsqrt(kSign), kSign | kInf);
  EXPECT_EQ(sfu::rsqrt(kInf), 0U);
  EXPECT_EQ(sfu::rsqrt(0xbf800000), kNan);
  EXPECT_EQ(sfu::lg2(0), kSign | kInf);
  EXPECT_EQ(sfu::lg2(0x3f800000), 0U);
  EXPECT_EQ(sfu::lg2(0xbf800000), kNan);
  EXPECT_EQ(sfu::sin(sfu::presin(kInf)), kNan);
  EXPECT_EQ(sfu::cos(sfu::presin(0x7fc00000)), kNan);
  EXPECT_EQ(sfu::sin(sfu::presin(kSign)), kSign);
  EXPECT_EQ(sfu::ex2(sfu::preex2(kSign | kInf)), 0U);
  EXPECT_EQ(sfu::ex2(sfu::preex2(kInf)), kInf);
  EXPECT_EQ(sfu::ex2(sfu::preex2(0x43000000)), kInf);  // 128
  EXPECT_EQ(sfu::ex2(sfu::preex2(0xc3000000)), 0U);    // -128
  EXPECT_EQ(sfu::ex2(sfu::preex2(0x7fc00000)), kNan);
}

}  // namespace
}  // namespace warpjit::tesla
