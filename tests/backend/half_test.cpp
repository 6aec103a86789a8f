// Arithmetic of halves, against integers: fused multiply-adds that are rounded to odd and then to a half are
// the exact sum, rounded once.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/kernel.h"
#include "backend/x64/halves_encoding.h"
#include "base/random.h"
#include "ir/evaluate.h"

namespace warpjit::backend {
namespace {

using ir::Opcode;

__extension__ using Wide = __int128;

// A finite half in units of 2^-24, with the sign of a zero lost.
std::int64_t units(std::uint32_t half) {
  const std::uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff;
  const std::int64_t magnitude =
      exponent == 0 ? fraction : static_cast<std::int64_t>(fraction | 0x400) << (exponent - 1);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// The half nearest to a number of units of 2^-48 that is not 0, ties to even.
std::uint32_t nearest_half(Wide exact) {
  const std::uint32_t sign = exact < 0 ? 0x8000 : 0;
  const Wide magnitude = exact < 0 ? -exact : exact;
  // Magnitudes of halves grow with their bits.
  std::uint32_t below = 0, above = 0x7c00;
  while (above - below > 1) {
    const std::uint32_t middle = (below + above) / 2;
    (Wide{units(middle)} << 24 <= magnitude ? below : above) = middle;
  }
  const Wide lower = Wide{units(below)} << 24;
  const Wide upper = above == 0x7c00 ? Wide{65536} << 48 : Wide{units(above)} << 24;
  const Wide twice = 2 * magnitude - lower - upper;
  return sign | (twice > 0 || (twice == 0 && below % 2 != 0) ? above : below);
}

std::uint32_t fused(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const auto special = [](std::uint32_t h) { return (h & 0x7c00) == 0x7c00; };
  const auto nan = [](std::uint32_t h) { return (h & 0x7fff) > 0x7c00; };
  const auto zero = [](std::uint32_t h) { return (h & 0x7fff) == 0; };
  const std::uint32_t sign = (a ^ b) & 0x8000;
  if (nan(a) || nan(b) || nan(c)) return 0x7e00;
  if (special(a) || special(b)) {
    if (zero(a) || zero(b) || (special(c) && (c & 0x8000) != sign)) return 0x7e00;
    return sign | 0x7c00;
  }
  if (special(c)) return c;
  const Wide exact = Wide{units(a)} * units(b) + (Wide{units(c)} << 24);
  if (exact != 0) return nearest_half(exact);
  const bool product_zero = zero(a) || zero(b);
  return product_zero && zero(c) && (c & 0x8000) == sign ? sign : 0;
}

ir::Function fused_halves() {
  KernelBuilder k(1, 1);
  const auto row = k.b.LoadInput(0);
  std::array<ir::F32, 3> x;
  for (std::size_t n = 0; n < 3; ++n) x[n] = k.b.HalfToF32(k.word(row[n]));
  const ir::F32 odd = k.b.FFmaOdd32(x[0], x[1], x[2]);
  const ir::F32 turned = k.b.FFmaOdd32(k.b.FNeg32(x[0]), k.b.FAbs32(x[1]), k.b.constant(0.25F));
  k.store(k.real(k.b.F32ToHalf(odd)), k.b.CanonicalizeNaN32(k.b.FRoundHalf32(odd)),
          k.b.CanonicalizeNaN32(odd), k.real(k.b.F32ToHalf(turned)));
  k.b.ret();
  return k.function;
}

class HalfCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(HalfCode);
WARPJIT_ON_TARGETS_WITH_HALVES(HalfCode);

TEST_P(HalfCode, FusedProductsRoundOnce) {
  const Executable executable(compile(fused_halves(), {GetParam(), 2, 0}));
  if (HasFailure()) return;
  std::vector<std::array<std::uint32_t, 3>> operands;
  const std::uint32_t edges[] = {0,      1,      2,      0x1ff,  0x200,  0x3ff,  0x400,  0x401,
                                 0x1400, 0x2fff, 0x3000, 0x3bff, 0x3c00, 0x3c01, 0x3fff, 0x57ff,
                                 0x5bff, 0x77ff, 0x7800, 0x7bfe, 0x7bff, 0x7c00, 0x7c01, 0x7e00};
  for (const std::uint32_t a : edges)
    for (const std::uint32_t b : edges)
      for (const std::uint32_t c : edges)
        for (std::uint32_t signs = 0; signs < 4; ++signs)
          operands.push_back({a | (signs & 1) << 15, b, c | (signs & 2) << 14});
  Random random(7);
  for (std::uint32_t n = 0; n < 200000; ++n) {
    const auto half = [&] { return static_cast<std::uint32_t>(random.next()) & 0xffff; };
    std::array<std::uint32_t, 3> one{half(), half(), half()};
    // Sums that nearly cancel, and products beside the middle between two halves.
    const std::uint32_t product = fused(one[0], one[1], 0x8000);
    if (n % 4 == 1) one[2] = (product ^ 0x8000) + random.below(4);
    if (n % 4 == 2) one = {half() & 0xffe0, half() & 0xffc0, half()};
    if (n % 4 == 3) one[2] = (product & 0x8000) ^ (random.below(0x1000) | random.below(2) << 15);
    one[2] &= 0xffff;
    operands.push_back(one);
  }
  while (operands.size() % executable.code().lanes != 0) operands.push_back({});
  Launch launch;
  launch.threads = operands.size();
  launch.inputs.emplace_back(launch.threads, 16);
  launch.outputs.emplace_back(launch.threads, 16);
  for (std::size_t t = 0; t < operands.size(); ++t) {
    const auto& [a, b, c] = operands[t];
    const std::uint32_t above = static_cast<std::uint32_t>(t * 0x10001) << 16;  // which means nothing
    launch.inputs[0].set(t, {a | above, b | above, c, 0});
  }
  run(executable, launch);
  const auto of = [](Opcode opcode, std::initializer_list<std::uint64_t> values) {
    return static_cast<std::uint32_t>(ir::evaluate(opcode, {values.begin(), values.size()}));
  };
  const auto real = [&](std::uint32_t half) { return of(Opcode::HalfToF32, {half}); };
  for (std::size_t t = 0; t < operands.size(); ++t) {
    const std::uint32_t a = operands[t][0], b = operands[t][1], c = operands[t][2];
    const Words got = launch.outputs[0].get(t);
    const std::uint32_t wanted = fused(a, b, c);
    const auto text = [&] {
      char buffer[64];
      std::snprintf(buffer, sizeof buffer, "%04x * %04x + %04x", a, b, c);
      return std::string(buffer);
    };
    ASSERT_EQ(got[0], wanted) << text();
    ASSERT_EQ(got[1], of(Opcode::CanonicalizeNaN32, {real(wanted)})) << text();
    ASSERT_EQ(got[2], of(Opcode::CanonicalizeNaN32, {of(Opcode::FFmaOdd32, {real(a), real(b), real(c)})}))
        << text();
    ASSERT_EQ(got[3], fused(a ^ 0x8000, b & 0x7fff, 0x3400)) << text();
  }
}

// Every half, through approximations where the host has them.
TEST_P(HalfCode, ReciprocalsAndRoots) {
  KernelBuilder k(1, 1);
  const ir::F32 x = k.b.HalfToF32(k.word(k.b.LoadInput(0)[0])), one = k.b.constant(1.0F);
  const ir::F32 reciprocal = k.b.FDiv32(one, x), root = k.b.FDiv32(one, k.b.FSqrt32(x));
  k.store(k.real(k.b.F32ToHalf(reciprocal)), k.real(k.b.F32ToHalf(root)),
          k.b.CanonicalizeNaN32(k.b.FRoundHalf32(reciprocal)), k.real(k.b.HalvesOfF32(root, reciprocal)));
  k.b.ret();
  const Executable executable(compile(k.function, {GetParam(), 1, 0}));
  if (HasFailure()) return;
  constexpr std::uint32_t kCount = 1U << 16;
  Launch launch;
  launch.threads = kCount;
  launch.inputs.emplace_back(kCount, 16);
  launch.outputs.emplace_back(kCount, 16);
  for (std::uint32_t half = 0; half < kCount; ++half) launch.inputs[0].set(half, {half, 0, 0, 0});
  run(executable, launch);
  const auto of = [](Opcode opcode, std::initializer_list<std::uint64_t> values) {
    return static_cast<std::uint32_t>(ir::evaluate(opcode, {values.begin(), values.size()}));
  };
  for (std::uint32_t half = 0; half < kCount; ++half) {
    constexpr std::uint32_t kOne = 0x3f800000;
    const std::uint32_t number = of(Opcode::HalfToF32, {half});
    const std::uint32_t first = of(Opcode::F32ToHalf, {of(Opcode::FDiv32, {kOne, number})}),
                        second = of(Opcode::F32ToHalf,
                                    {of(Opcode::FDiv32, {kOne, of(Opcode::FSqrt32, {number})})});
    const Words got = launch.outputs[0].get(half);
    const std::uint32_t both = of(Opcode::CanonicalizeNaNHalves, {got[3]});
    ASSERT_EQ(got[0], first) << std::hex << half;
    ASSERT_EQ(got[1], second) << std::hex << half;
    ASSERT_EQ(got[2], of(Opcode::CanonicalizeNaN32, {of(Opcode::HalfToF32, {first})})) << std::hex << half;
    ASSERT_EQ(both, second | first << 16) << std::hex << half;
  }
}

TEST_P(HalfCode, BytesAsFractions) {
  KernelBuilder k(1, 1);
  const ir::I32 word = k.word(k.b.LoadInput(0)[0]);
  k.store(k.real(k.b.HalvesOfBytes(word)), k.real(k.b.HalvesOfUpperBytes(word)), k.b.constant(0.0F),
          k.b.constant(0.0F));
  k.b.ret();
  const Executable executable(compile(k.function, {GetParam(), 1, 0}));
  if (HasFailure()) return;
  constexpr std::uint32_t kCount = 256;
  Launch launch;
  launch.threads = kCount;
  launch.inputs.emplace_back(kCount, 16);
  launch.outputs.emplace_back(kCount, 16);
  for (std::uint32_t n = 0; n < kCount; ++n) launch.inputs[0].set(n, {n | (255 - n) << 8 | n << 16, 0, 0, 0});
  run(executable, launch);
  const auto half = [](std::uint32_t n) {  // the nearest one, by whole numbers
    return n == 0 ? 0 : nearest_half(((Wide{n} << 50) / 255 + 1) / 4);
  };
  for (std::uint32_t n = 0; n < kCount; ++n) {
    ASSERT_EQ(launch.outputs[0].get(n)[0], half(n) | half(255 - n) << 16) << n;
    ASSERT_EQ(launch.outputs[0].get(n)[1], half(n)) << n;
  }
}

// What folding makes of texels: their f32 numbers, n times the f32 nearest to 1 / 255, round to the same
// halves.
TEST(Halves, ProductsOfBytesRoundAsQuotients) {
  for (std::uint32_t n = 0; n < 256; ++n) {
    const float product = static_cast<float>(n) * (1.0F / 255);
    EXPECT_EQ(ir::evaluate(Opcode::F32ToHalf, {{std::bit_cast<std::uint32_t>(product)}}),
              ir::evaluate(Opcode::HalvesOfBytes, {{n}}))
        << n;
  }
}

#if WARPJIT_HAS_ZYDIS
// What asmjit does not know, with registers of all numbers: another decoder reads what was meant.
TEST(Halves, EncodingsAreReadByAnotherDecoder) {
  const auto read = [](const x64::HalfCode& code) {
    const auto bytes = code.bytes();
    MachineCode made;
    made.target = Target::x64_v4_fp16;
    made.bytes.assign(bytes.begin(), bytes.begin() + code.size());
    made.code_size = code.size();
    const std::string text = list(made);
    const std::size_t at = text.find('v');
    return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
  };
  for (std::uint32_t r = 0; r < 32; ++r) {
    const std::uint32_t first = (7 * r + 3) % 32, second = (13 * r + 5) % 32;
    for (const Op op : {Op::HalvesAdd, Op::HalvesMul, Op::HalvesMin, Op::HalvesMax}) {
      const x64::HalfCode code{x64::half_instruction(op), r, first, second};
      EXPECT_EQ(read(code), code.text());
    }
    for (const x64::HalfInstruction& fma : {x64::kFma213OfHalves, x64::kFma231OfHalves}) {
      const x64::HalfCode code{fma, r, first, second};
      EXPECT_EQ(read(code), code.text());
    }
    const std::string compared = read({x64::kCompareHalves, 0, first, second, 3});
    EXPECT_EQ(compared,
              "vcmpph k0, zmm" + std::to_string(first) + ", zmm" + std::to_string(second) + ", 0x03");
  }
}
#endif

// In units of the exact result, how near 1/x and 1/sqrt(x) of a half come to the middle between two halves:
// what an approximation may be wrong by.
TEST(Halves, ReciprocalsAreFarFromTheMiddle) {
  long double nearest = 1, nearest_root = 1;
  const auto number = [](std::uint32_t half) { return static_cast<long double>(units(half)) * 0x1p-24L; };
  for (std::uint32_t half = 1; half < 0x7c00; ++half)
    for (const bool root : {false, true}) {
      const long double x = number(half), exact = 1 / (root ? std::sqrt(x) : x);
      if (exact >= 65520) continue;  // infinite from there on
      const auto below = [&] {
        std::uint32_t low = 0, high = 0x7c00;
        while (high - low > 1) (number((low + high) / 2) <= exact ? low : high) = (low + high) / 2;
        return low;
      }();
      const long double upper = below == 0x7bff ? 65536 : number(below + 1);
      const long double distance = std::fabs((number(below) + upper) / 2 - exact) / exact;
      long double& least = root ? nearest_root : nearest;
      least = std::min(least, distance);
    }
  EXPECT_GE(nearest, 0.9999L * 0x1p-22L);
  EXPECT_GE(nearest_root, 3.51e-7L);  // 2^-21.44
}

}  // namespace
}  // namespace warpjit::backend
