// Bounds of floats: values of random expressions lie within them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "ir/analysis/float_bounds.h"
#include "ir/analysis/range.h"
#include "ir/builder.h"
#include "ir/evaluate.h"
#include "support/share.h"

namespace warpjit::ir {
namespace {

// An expression that is made and evaluated along the way.
struct Known {
  Value value;
  std::uint64_t bits;
};

bool within(const FloatBounds& bounds, float x, bool minus_zero) {
  if (std::isnan(x)) return bounds.nan;
  return x >= bounds.least && x <= bounds.greatest && (!minus_zero || bounds.minus_zero);
}

TEST(FloatBounds, HoldOfRandomExpressions) {
  constexpr Opcode kOpcodes[] = {Opcode::FMul32,       Opcode::FMulZeroInf32,    Opcode::FMulFlush32,
                                 Opcode::FAdd32,       Opcode::FAddFlush32,      Opcode::FFma32,
                                 Opcode::FFmaFlush32,  Opcode::FMaxSelect32,     Opcode::FMinSelect32,
                                 Opcode::FMaxNum32,    Opcode::FMinNum32,        Opcode::FFlush32,
                                 Opcode::FFloor32,     Opcode::FCeil32,          Opcode::FTrunc32,
                                 Opcode::FRoundEven32, Opcode::CanonicalizeNaN32};
  constexpr std::uint32_t kConstants[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000,
                                          0x437f0000, 0x3b808081, 0x00000001, 0x80000001, 0x7f7fffff,
                                          0xff7fffff, 0x00800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                          0x3f8ccccd, 0x4b000000, 0x33d6bf95};
  std::uint64_t bounded = 0;
  for (std::uint64_t seed = 0; seed < share(20000); ++seed) {
    Random random(seed);
    Function f;
    f.input_count = 1;
    Builder b(f);
    b.set_block(f.add_block());
    const auto in = b.LoadInput(0);
    std::vector<Known> pool;
    const auto any_float = [&] {
      const auto word = random.one_in(2)
                            ? kConstants[random.below(static_cast<unsigned>(std::size(kConstants)))]
                            : static_cast<std::uint32_t>(random.next());
      return word;
    };
    for (std::size_t k = 0; k < 2; ++k) pool.push_back({in[k], any_float()});
    for (int k = 0; k < 6; ++k) {
      const std::uint32_t word = kConstants[random.below(static_cast<unsigned>(std::size(kConstants)))];
      pool.push_back({b.constant_bits(word), word});
    }
    // A byte of a word, as textures have them.
    const auto word = static_cast<std::uint32_t>(random.next());
    const I32 byte = b.IAnd32(b.BitcastF32ToI32(in[2]), b.constant(255));
    pool.push_back({b.I32ToF32(byte), std::bit_cast<std::uint32_t>(static_cast<float>(word & 255))});
    const I32 top = b.IShrU32(b.BitcastF32ToI32(in[2]), b.constant(24));
    pool.push_back({b.I32ToF32(top), std::bit_cast<std::uint32_t>(static_cast<float>(word >> 24))});
    pool.push_back({b.U32ToF32(top), pool.back().bits});
    const I32 low = b.IShrS32(b.BitcastF32ToI32(in[2]), b.constant(20));
    const auto low_number = static_cast<float>(static_cast<std::int32_t>(word) >> 20);
    pool.push_back({b.I32ToF32(low), std::bit_cast<std::uint32_t>(low_number)});
    for (int k = 0; k < 12; ++k) {
      const Opcode opcode = kOpcodes[random.below(static_cast<unsigned>(std::size(kOpcodes)))];
      std::vector<Value> operands;
      std::vector<std::uint64_t> words;
      for (std::size_t n = 0; n < info(opcode).operands.size(); ++n) {
        const Known& operand = random.one_in(3) && n > 0
                                   ? pool[pool.size() - 1]
                                   : pool[random.below(static_cast<unsigned>(pool.size()))];
        operands.push_back(operand.value);
        words.push_back(operand.bits);
      }
      const Value made = f.result(b.emit_inst(opcode, operands, 0));
      pool.push_back({made, evaluate(opcode, words)});
      const FloatBounds bounds = float_bounds(f, made);
      const auto bits = static_cast<std::uint32_t>(pool.back().bits);
      ASSERT_TRUE(within(bounds, std::bit_cast<float>(bits), bits == 0x80000000))
          << seed << ": " << info(opcode).name << " gives " << std::bit_cast<float>(bits) << " outside of "
          << bounds.least << " to " << bounds.greatest;
      bounded += std::isfinite(bounds.least) && std::isfinite(bounds.greatest) ? 1 : 0;
    }
  }
  EXPECT_GT(bounded, share(20000));
}

// Bounds of integers ask for those of floats and the other way round: each looks at a few instructions all
// the same.
TEST(FloatBounds, ChainsOfConversions) {
  for (const bool squares : {false, true}) {
    Function f;
    f.input_count = 1;
    Builder b(f);
    b.set_block(f.add_block());
    const auto in = b.LoadInput(0);
    I32 word = b.BitcastF32ToI32(in[0]);
    F32 number = in[0];
    for (int n = 0; n < 20000; ++n) {
      number = b.I32ToF32(word);
      if (squares) number = b.FAdd32(number, b.FMul32(number, number));
      word = b.F32ToI32Sat(number);
    }
    EXPECT_EQ(upper_bound(f, word), kMaxWord);
    const FloatBounds bounds = float_bounds(f, number);
    EXPECT_TRUE(bounds.least < 0 && bounds.greatest > 0);
  }
}

}  // namespace
}  // namespace warpjit::ir
