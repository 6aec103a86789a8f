#include "ir/evaluate.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace warpjit::ir {
namespace {

constexpr std::uint64_t kZero = 0, kMinusZero = 0x80000000, kOne = 0x3f800000, kMinusOne = 0xbf800000,
                        kTwo = 0x40000000, kHalf = 0x3f000000, kInf = 0x7f800000, kMinusInf = 0xff800000,
                        kNaN = 0x7fc00000, kMinusNaN = 0xffc12345, kDenormal = 1, kMax = 0x7f7fffff,
                        kThree = 0x40400000, kAnyNaN = ~std::uint64_t{0};  // as an expectation

struct Case {
  Opcode opcode;
  std::vector<std::uint64_t> operands;
  std::uint64_t wanted;
};

const std::vector<Case>& cases() {
  using enum Opcode;
  static const std::vector<Case> kCases = {
      {FAdd32, {kOne, kOne}, kTwo},
      {FAdd32, {kInf, kMinusInf}, kAnyNaN},
      {FAdd32, {kMinusZero, kMinusZero}, kMinusZero},
      {FAdd32, {kMinusZero, kZero}, kZero},
      {FAdd32, {kDenormal, kDenormal}, 2},
      {FAdd32, {kMax, kMax}, kInf},
      {FAdd32, {0x4b800000, kOne}, 0x4b800000},  // 2^24 + 1: ties to even
      {FSub32, {kOne, kOne}, kZero},
      {FSub32, {kMinusZero, kZero}, kMinusZero},
      {FSub32, {kInf, kInf}, kAnyNaN},
      {FMul32, {kZero, kInf}, kAnyNaN},
      {FMul32, {kMinusOne, kZero}, kMinusZero},
      {FMul32, {0x00800000, kHalf}, 0x00400000},  // into the denormals
      {FMul32, {kDenormal, kHalf}, kZero},        // half of the least denormal: ties to even
      {FMulZeroInf32, {kZero, kInf}, kZero},
      {FMulZeroInf32, {kInf, kMinusZero}, kZero},
      {FMulZeroInf32, {kMinusInf, kZero}, kZero},
      {FMulZeroInf32, {kZero, kNaN}, kAnyNaN},
      {FMulZeroInf32, {kMinusNaN, kInf}, kAnyNaN},
      {FMulZeroInf32, {kMinusOne, kZero}, kMinusZero},
      {FMulZeroInf32, {kTwo, kInf}, kInf},
      {FMulZeroInf32, {kTwo, kHalf}, kOne},
      {FMulNoZeroInf32, {kTwo, kHalf}, kOne},
      {FMulNoZeroInf32, {kMinusOne, kZero}, kMinusZero},
      {FMulNoZeroInf32, {kTwo, kInf}, kInf},
      {FMulNoZeroInf32, {kZero, kMinusInf}, kAnyNaN},
      {FDiv32, {kOne, kZero}, kInf},
      {FDiv32, {kOne, kMinusZero}, kMinusInf},
      {FDiv32, {kZero, kZero}, kAnyNaN},
      {FDiv32, {kOne, kThree}, 0x3eaaaaab},
      {FSqrt32, {kMinusOne}, kAnyNaN},
      {FSqrt32, {kMinusZero}, kMinusZero},
      {FSqrt32, {kTwo}, 0x3fb504f3},
      {FFma32, {0x3f800002, 0x3f800002, kMinusOne}, 0x35000001},  // 2^-21 + 2^-44 needs the exact product
      {FFma32, {kZero, kInf, kOne}, kAnyNaN},
      {FFma32, {kOne, kZero, kMinusZero}, kZero},
      {FFmaOdd32, {kOne, kOne, 0x33000000}, 0x3f800001},  // 1 + 2^-25
      {FFmaOdd32, {kOne, kOne, 0xb3000000}, 0x3f7fffff},  // 1 - 2^-25: the f32 below 1 is odd
      {FFmaOdd32, {kMinusOne, kOne, 0x33000000}, 0xbf7fffff},
      {FFmaOdd32, {0x3f800001, kOne, 0x33000000}, 0x3f800001},  // odd already
      {FFmaOdd32, {kOne, kTwo, kOne}, kThree},
      {FFmaOdd32, {0x3f800001, 0x3f800001, kZero}, 0x3f800003},  // 1 + 2^-22 + 2^-46
      {FFmaOdd32, {kMax, kTwo, kZero}, kMax},                    // the greatest number is odd
      {FFmaOdd32, {kDenormal, kMinusOne, 0x7f}, 0x7e},
      {FFmaOdd32, {kDenormal, kDenormal, kMinusZero}, kDenormal},
      {FFmaOdd32, {kOne, kOne, kMinusOne}, kZero},
      {FFmaOdd32, {kZero, kMinusOne, kMinusZero}, kMinusZero},
      {FFmaOdd32, {kInf, kOne, kMinusOne}, kInf},
      {FFmaOdd32, {kOne, kOne, kMinusInf}, kMinusInf},
      {FFmaOdd32, {kZero, kInf, kOne}, kAnyNaN},
      {FRoundHalf32, {0x3f801000}, kOne},  // 1 + 2^-11: ties to even
      {FRoundHalf32, {0x3f801001}, 0x3f802000},
      {FRoundHalf32, {0x33000000}, kZero},  // 2^-25
      {FRoundHalf32, {0xb3000001}, 0xb3800000},
      {FRoundHalf32, {0x477fefff}, 0x477fe000},  // below 65520
      {FRoundHalf32, {0x477ff000}, kInf},
      {FRoundHalf32, {kMinusInf}, kMinusInf},
      {FRoundHalf32, {kMinusNaN}, kAnyNaN},
      {F32ToHalf, {kMinusOne}, 0xbc00},
      {F32ToHalf, {0x38800000}, 0x0400},  // 2^-14
      {F32ToHalf, {0x387fffff}, 0x0400},
      {F32ToHalf, {0x387fe000}, 0x0400},  // ties to even
      {F32ToHalf, {0x387fc000}, 0x03ff},
      {F32ToHalf, {0xff7fffff}, 0xfc00},
      {F32ToHalf, {kMinusZero}, 0x8000},
      {F32ToHalf, {kMinusNaN}, 0x7e00},
      {HalfToF32, {0x12340001}, 0x33800000},
      {HalfToF32, {0xffff83ff}, 0xb87fc000},
      {HalfToF32, {0xfc00}, kMinusInf},
      {HalfToF32, {0x7c01}, kAnyNaN},
      {CanonicalizeNaNOnes32, {kMinusNaN}, 0x7fffffff},
      {CanonicalizeNaNHalves, {0xfc017c00}, 0x7e007c00},
      {CanonicalizeNaNHalves, {0x0001ffff}, 0x00017e00},
      {HalvesAdd, {0x3c007bff, 0x3c007bff}, 0x40007c00},  // 1 + 1, the greatest number twice
      {HalvesAdd, {0x00018000, 0x00018000}, 0x00028000},
      {HalvesAdd, {0x7c007c01, 0xfc003c00}, 0x7e007e00},
      {HalvesMul, {0x00013c00, 0x3800bc00}, 0x0000bc00},  // half of the least denormal: ties to even
      {HalvesMul, {0x00037800, 0x38004000}, 0x00027c00},
      {HalvesFma, {0x3c013c01, 0x3c013c01, 0xbc028000}, 0x00103c02},  // the product is exact
      {HalvesFma, {0x00007c00, 0x7c003c00, 0x3c00fc00}, 0x7e007e00},
      {HalvesMaxNum, {0x80007e00, 0x00003c00}, 0x00003c00},
      {HalvesMaxNum, {0x3c00fc00, 0x7c018000}, 0x3c008000},
      {HalvesMinNum, {0x00007e00, 0x80003c00}, 0x80003c00},
      {HalvesMinNum, {0x7e007c00, 0x7e00fc00}, 0x7e00fc00},
      {HalvesNeg, {0x00007e00}, 0x8000fe00},
      {HalvesAbs, {0xfe008000}, 0x7e000000},
      {HalvesLow, {0x12345678}, 0x56785678},
      {HalvesHigh, {0x12345678}, 0x12341234},
      {HalvesSwap, {0x12345678}, 0x56781234},
      {HalvesOfBytes, {0xabcdff00}, 0x3c000000},
      {HalvesOfUpperBytes, {0xff00abcd}, 0x3c000000},
      {HalvesOfBytes, {0x0180}, 0x1c043804},
      {HalvesLowBytes, {0xaa11bb22, 0xcc33dd44}, 0x33441122},
      {HalvesEq, {0x80007e00, 0x00007e00}, 0xffff0000},
      {HalvesLt, {0x80003c00, 0x00004000}, 0x0000ffff},
      {HalvesLe, {0x80007e00, 0x00003c00}, 0xffff0000},
      {HalvesOfF32, {kOne, 0x477ff000}, 0x7c003c00},  // 65520 is beside the middle
      {HalvesOfF32, {kMinusInf, kMinusZero}, 0x8000fc00},
      {CanonicalizeNaNOnes32, {kMinusInf}, kMinusInf},
      {FRoundEven32, {0x40200000}, kTwo},  // 2.5
      {FRoundEven32, {0xbf000000}, kMinusZero},
      {FCeil32, {0xbf000000}, kMinusZero},
      {FCeil32, {kHalf}, kOne},
      {FTrunc32, {0xbfc00000}, kMinusOne},
      {FTrunc32, {0xbf000000}, kMinusZero},
      {FMaxNum32, {kMinusZero, kZero}, kZero},
      {FMaxNum32, {kNaN, kMinusInf}, kMinusInf},
      {FMaxNum32, {kNaN, kNaN}, kAnyNaN},
      {FMaxNum32, {kDenormal, kZero}, kDenormal},
      {FMinNum32, {kZero, kMinusZero}, kMinusZero},
      {FMinNum32, {kOne, kMinusNaN}, kOne},
      {FFlush32, {0x807fffff}, kMinusZero},
      {FFlush32, {0x00800000}, 0x00800000},
      {FAddFlush32, {0x00800001, 0x80800000}, kZero},
      {FAddFlush32, {0x80800001, 0x00800000}, kMinusZero},
      {FAddFlush32, {kDenormal, kMinusZero}, kZero},
      {FSubFlush32, {kOne, 0x007fffff}, kOne},
      {FDivFlush32, {0x3f800000, kDenormal}, kInf},
      {FDivFlush32, {kDenormal, 0x3f800000}, kZero},
      {FDivFlush32, {0x80800000, 0x40000000}, kMinusZero},
      {FDivFlush32, {0x00ffffff, 0x40000000}, kZero},  // just below 2^-126
      {FDivFlush32, {kDenormal, kZero}, kAnyNaN},
      {FDivFlush32, {0x3f800000, 0x40400000}, 0x3eaaaaab},
      {FSqrtFlush32, {kDenormal}, kZero},
      {FSqrtFlush32, {0x00800000}, 0x20000000},
      {FSqrtFlush32, {0x40000000}, 0x3fb504f3},
      {FSqrtFlush32, {0xbf800000}, kAnyNaN},
      {FMulFlush32, {0x00800000, kHalf}, kZero},
      {FMulFlush32, {0x80800000, kHalf}, kMinusZero},
      {FMulFlush32,
       {0x00fffffe, 0x3f000001},
       0x00800000},                               // 24 bits with unbounded exponent round up to 2^-126
      {FMulFlush32, {0x00ffffff, kHalf}, kZero},  // just below
      {FMulFlush32, {kDenormal, kInf}, kAnyNaN},
      {FFmaFlush32, {0x00fffffe, 0x3f000001, kZero}, 0x00800000},
      {FFmaFlush32, {0x00ffffff, kHalf, kMinusZero}, kZero},
      {FFmaFlush32, {0x3f800002, 0x3f800002, kMinusOne}, 0x35000001},
      {FMadTruncFlush32, {0x3fffffff, 0x3fffffff, 0xc0000000}, 0x3ffffffc},  // 3.99999976 truncated
      {FMadTruncFlush32, {0x3fc00001, 0x3fc00001, kZero}, 0x40100002},       // to nearest with c zero
      {FMadTruncFlush32, {kMax, kTwo, 0xff7fffff}, kMax},                    // the product exceeds the range
      {FMadTruncFlush32, {kInf, kZero, kOne}, kAnyNaN},
      {FMadTruncFlush32, {kDenormal, kMax, kOne}, kOne},
      {FAddZeroFlush32, {kMax, kMax}, kMax},
      {FAddZeroFlush32, {kOne, 0xb0000000}, 0x3f7fffff},  // 1 - 2^-31
      {FAddZeroFlush32, {0x4b800000, kOne}, 0x4b800000},
      {FAddZeroFlush32, {kInf, kOne}, kInf},
      {FAddZeroFlush32, {kOne, kMinusOne}, kZero},
      {FMulZeroFlush32, {kMax, kMinusOne}, 0xff7fffff},
      {FMulZeroFlush32, {kMax, kTwo}, kMax},
      {FMulZeroFlush32, {kInf, kTwo}, kInf},
      {FMulZeroFlush32, {0x00fffffe, 0x3f000001}, kZero},
      {FMulZeroFlush32, {0x3f800001, 0x3fffffff}, 0x40000000},
      {F32ToU32Sat, {kMinusOne}, 0},
      {F32ToU32Sat, {0x4f800000}, 0xffffffff},
      {F32ToU32Sat, {0x4f7fffff}, 0xffffff00},
      {F32ToU32Sat, {kNaN}, 0},
      {U32ToF32, {0xffffffff}, 0x4f800000},
      {U32ToF32, {0x80000081}, 0x4f000001},
      {IMinS32, {0x80000000, 1}, 0x80000000},
      {IMaxS32, {0x80000000, 1}, 1},
      {IMinU32, {0x80000000, 1}, 1},
      {IMaxU32, {0x80000000, 1}, 0x80000000},
      {FNeg32, {kZero}, kMinusZero},
      {FNeg32, {kMinusNaN}, 0x7fc12345},
      {FAbs32, {kMinusZero}, kZero},
      {FAbs32, {kMinusNaN}, 0x7fc12345},
      {FFloor32, {kMinusZero}, kMinusZero},
      {FFloor32, {0xbf000000}, kMinusOne},
      {FFloor32, {kHalf}, kZero},
      {FFloor32, {kMax}, kMax},
      {FFloor32, {kMinusInf}, kMinusInf},
      {FFloor32, {kNaN}, kAnyNaN},
      {FMaxSelect32, {kZero, kMinusZero}, kMinusZero},
      {FMaxSelect32, {kNaN, kOne}, kOne},
      {FMaxSelect32, {kOne, kNaN}, kAnyNaN},
      {FMaxSelect32, {kTwo, kOne}, kTwo},
      {FMinSelect32, {kZero, kMinusZero}, kMinusZero},
      {FMinSelect32, {kMinusZero, kZero}, kZero},
      {FMinSelect32, {kNaN, kOne}, kOne},
      {FMinSelect32, {kOne, kNaN}, kAnyNaN},
      {FMinSelect32, {kTwo, kOne}, kOne},
      {CanonicalizeNaN32, {kMinusNaN}, kNaN},
      {CanonicalizeNaN32, {0x7f800001}, kNaN},
      {CanonicalizeNaN32, {kMinusInf}, kMinusInf},
      {CanonicalizeNaN32, {kDenormal}, kDenormal},
      {Exp2F32, {kMinusInf}, kZero},
      {Exp2F32, {kThree}, 0x41000000},
      {Exp2F32, {kNaN}, kAnyNaN},
      {Log2F32, {kZero}, kMinusInf},
      {Log2F32, {kMinusOne}, kAnyNaN},
      {Log2F32, {0x41000000}, kThree},
      {RcpF32, {kMinusZero}, kInf},
      {RcpF32, {kTwo}, kHalf},
      {RcpF32, {kMinusInf}, kZero},
      {RsqrtF32, {kZero}, kInf},
      {RsqrtF32, {kMinusOne}, kAnyNaN},
      {RsqrtF32, {0x40800000}, kHalf},
      {FEq32, {kZero, kMinusZero}, 1},
      {FEq32, {kNaN, kNaN}, 0},
      {FNe32, {kNaN, kNaN}, 1},
      {FNe32, {kZero, kMinusZero}, 0},
      {FLt32, {kMinusInf, kOne}, 1},
      {FLt32, {kNaN, kOne}, 0},
      {FLe32, {kOne, kOne}, 1},
      {FLe32, {kOne, kNaN}, 0},
      {FGt32, {kOne, kMinusOne}, 1},
      {FGt32, {kNaN, kNaN}, 0},
      {FGe32, {kMinusZero, kZero}, 1},
      {FGe32, {kNaN, kOne}, 0},
      {FUnordered32, {kNaN, kOne}, 1},
      {FUnordered32, {kOne, kMinusNaN}, 1},
      {FUnordered32, {kInf, kInf}, 0},
      {F32ToI32Lowest, {kNaN}, 0x80000000},
      {F32ToI32Lowest, {kInf}, 0x80000000},
      {F32ToI32Lowest, {0x4f000000}, 0x80000000},  // 2^31
      {F32ToI32Lowest, {0x4effffff}, 0x7fffff80},  // the float below
      {F32ToI32Lowest, {0xcf000000}, 0x80000000},
      {F32ToI32Lowest, {0xcf000001}, 0x80000000},
      {F32ToI32Lowest, {0xbff33333}, 0xffffffff},  // -1.9
      {F32ToI32Sat, {kNaN}, 0},
      {F32ToI32Sat, {kInf}, 0x7fffffff},
      {F32ToI32Sat, {kMinusInf}, 0x80000000},
      {F32ToI32Sat, {0x4f000000}, 0x7fffffff},  // 2^31
      {F32ToI32Sat, {0x4effffff}, 0x7fffff80},  // the float below
      {F32ToI32Sat, {0xcf000000}, 0x80000000},
      {F32ToI32Sat, {0xbff33333}, 0xffffffff},  // -1.9
      {F32ToI32Sat, {kDenormal}, 0},
      {I32ToF32, {0x80000000}, 0xcf000000},
      {I32ToF32, {16777217}, 0x4b800000},
      {I32ToF32, {0xffffffff}, kMinusOne},
      {BitcastF32ToI32, {kMinusNaN}, kMinusNaN},
      {BitcastI32ToF32, {kMinusNaN}, kMinusNaN},
      {IAdd32, {0xffffffff, 1}, 0},
      {ISub32, {0, 1}, 0xffffffff},
      {IMul32, {0xffffffff, 0xffffffff}, 1},
      {IMul32, {0x10000, 0x10000}, 0},
      {IAnd32, {0xff00ff00, 0x0ff00ff0}, 0x0f000f00},
      {IOr32, {0xff000000, 0xff}, 0xff0000ff},
      {IXor32, {0xffffffff, 0xf}, 0xfffffff0},
      {IShl32, {1, 31}, 0x80000000},
      {IShl32, {1, 32}, 0},
      {IShl32, {1, 0xffffffff}, 0},
      {IShl32, {5, 0}, 5},
      {IShrU32, {0x80000000, 31}, 1},
      {IShrU32, {0x80000000, 32}, 0},
      {IShrS32, {0x80000000, 31}, 0xffffffff},
      {IShrS32, {0x80000000, 32}, 0xffffffff},
      {IShrS32, {0x7fffffff, 0x80000000}, 0},
      {IEq32, {7, 7}, 1},
      {INe32, {7, 7}, 0},
      {ILtS32, {0x80000000, 0}, 1},
      {ILeS32, {0, 0}, 1},
      {ILeS32, {1, 0xffffffff}, 0},
      {ILtU32, {0x80000000, 0}, 0},
      {ILeU32, {0, 0xffffffff}, 1},
      {And1, {1, 0}, 0},
      {And1, {1, 1}, 1},
      {Or1, {1, 0}, 1},
      {Or1, {0, 0}, 0},
      {Xor1, {1, 1}, 0},
      {Xor1, {1, 0}, 1},
      {AndNot1, {1, 1}, 0},
      {AndNot1, {1, 0}, 1},
      {AndNot1, {0, 0}, 0},
      {Not1, {1}, 0},
      {Not1, {0}, 1},
      {SelectI1, {1, 0, 1}, 0},
      {SelectI1, {0, 0, 1}, 1},
      {SelectI32, {1, 5, 6}, 5},
      {SelectI32, {0, 5, 6}, 6},
      {SelectF32, {1, kMinusNaN, kOne}, kMinusNaN},
      {SelectF32, {0, kMinusNaN, kOne}, kOne},
  };
  return kCases;
}

TEST(Evaluate, EdgeValues) {
  for (const Case& c : cases()) {
    const std::uint64_t got = evaluate(c.opcode, c.operands);
    const bool nan = (got & 0x7fffffff) > 0x7f800000;
    if (c.wanted == kAnyNaN)
      EXPECT_TRUE(nan) << info(c.opcode).name << " gives " << std::hex << got;
    else
      EXPECT_EQ(got, c.wanted) << info(c.opcode).name << std::hex << " of " << c.operands[0];
  }
}

TEST(Evaluate, EveryLaneWiseOpcodeHasCases) {
  std::set<Opcode> seen;
  for (const Case& c : cases()) {
    EXPECT_TRUE(info(c.opcode).lane_wise());
    EXPECT_EQ(c.operands.size() + (info(c.opcode).masked ? 1 : 0), info(c.opcode).operands.size())
        << info(c.opcode).name;
    seen.insert(c.opcode);
  }
  for (int k = 0; k < kOpcodeCount; ++k) {
    const auto opcode = static_cast<Opcode>(k);
    const OpcodeInfo& row = info(opcode);
    EXPECT_EQ(seen.count(opcode) != 0, row.lane_wise()) << row.name;
  }
}

// Halves there and back; what is between two of them goes to the nearer, or the even one.
TEST(Evaluate, Halves) {
  const auto half = [](std::uint64_t x) { return evaluate(Opcode::F32ToHalf, {{x}}); };
  for (std::uint64_t h = 0; h < 0x10000; ++h) {
    const std::uint64_t x = evaluate(Opcode::HalfToF32, {{h}}), magnitude = h & 0x7fff;
    EXPECT_EQ(half(x), magnitude > 0x7c00 ? 0x7e00 : h);
    if (magnitude >= 0x7bff) continue;
    const std::uint64_t next = evaluate(Opcode::HalfToF32, {{h + 1}});
    const auto real = [](std::uint64_t bits) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    };
    const std::uint64_t middle = std::bit_cast<std::uint32_t>((real(x) + real(next)) / 2);
    EXPECT_EQ(half(middle), h % 2 == 0 ? h : h + 1);
    EXPECT_EQ(half(middle - 1), h);
    EXPECT_EQ(half(middle + 1), h + 1);
    EXPECT_EQ(evaluate(Opcode::FRoundHalf32, {{middle + 1}}), next);
  }
}

TEST(Evaluate, CommutativeRowsCommute) {
  const std::vector<std::uint64_t> values = {kZero,     kMinusZero, kOne, kMinusOne, kInf,
                                             kMinusInf, kDenormal,  kMax, 7,         31};
  for (int k = 0; k < kOpcodeCount; ++k) {
    const auto opcode = static_cast<Opcode>(k);
    const OpcodeInfo& row = info(opcode);
    if (!row.commutative) continue;
    for (std::uint64_t a : values)
      for (std::uint64_t b : values) {
        const bool bits = row.operands[0] == 'b';
        std::vector<std::uint64_t> there = {bits ? a & 1 : a, bits ? b & 1 : b}, back = {there[1], there[0]};
        if (row.operands.size() >= 3) there.push_back(kOne), back.push_back(kOne);
        const std::uint64_t x = evaluate(opcode, there), y = evaluate(opcode, back);
        const bool nan = (x & 0x7fffffff) > 0x7f800000 && (y & 0x7fffffff) > 0x7f800000;
        EXPECT_TRUE(x == y || nan) << row.name << std::hex << " " << a << " " << b;
      }
  }
}

}  // namespace
}  // namespace warpjit::ir
