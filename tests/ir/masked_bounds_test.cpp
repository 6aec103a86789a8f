// Bounds of factors in lanes that have a mask: where random masks hold, random factors lie within them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "ir/analysis/masked_bounds.h"
#include "ir/builder.h"
#include "ir/evaluate.h"
#include "support/share.h"

namespace warpjit::ir {
namespace {

// What is made in a function, and which bits it has for the operands that were drawn.
struct Made {
  Value value;
  std::uint64_t bits;
  float real() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
};

class Expression {
 public:
  explicit Expression(Random& random) : random_(random) {
    f.input_count = 1;
    b.set_block(f.add_block());
    for (const Value v : b.LoadInput(0)) numbers_.push_back({v, any_word()});
    for (const Opcode opcode : {Opcode::FAddFlush32, Opcode::FMulFlush32, Opcode::FNeg32, Opcode::FFlush32})
      numbers_.push_back(of_some(opcode));
  }

  Made number() { return numbers_[random_.below(static_cast<unsigned>(numbers_.size()))]; }
  Made make(Opcode opcode, const std::vector<Made>& operands) {
    std::vector<Value> values;
    std::vector<std::uint64_t> words;
    for (const Made& one : operands) values.push_back(one.value), words.push_back(one.bits);
    return {f.result(b.emit_inst(opcode, values)), evaluate(opcode, words)};
  }
  Made of_some(Opcode opcode) {
    std::vector<Made> operands = {number()};
    while (operands.size() < info(opcode).operands.size())
      operands.push_back(random_.one_in(3) ? operands[0] : number());
    return make(opcode, operands);
  }
  Made constant(std::uint32_t word) { return {b.constant_bits(word), word}; }

  // Mostly of what has no sign.
  Made sum(int depth) {
    const Made x = number();
    const Opcode square = random_.one_in(2) ? Opcode::FMulFlush32 : Opcode::FMul32;
    if (depth == 0 || random_.one_in(4))
      return random_.one_in(12)  ? x
             : random_.one_in(5) ? make(Opcode::FAbs32, {x})
             : random_.one_in(8) ? constant(random_.one_in(2) ? 0x3f800000 : 0xbf800000)
                                 : make(square, {x, random_.one_in(12) ? number() : x});
    if (random_.one_in(4)) return make(Opcode::FFmaFlush32, {x, x, sum(depth - 1)});
    return make(random_.one_in(2) ? Opcode::FAddFlush32 : Opcode::FAdd32, {sum(depth - 1), sum(depth - 1)});
  }
  Made mask(int depth) {
    if (depth != 0 && random_.one_in(2)) {
      constexpr Opcode kOpcodes[] = {Opcode::And1, Opcode::And1, Opcode::AndNot1, Opcode::Or1};
      if (random_.one_in(4)) return make(Opcode::Not1, {mask(depth - 1)});
      return make(kOpcodes[random_.below(4)], {mask(depth - 1), mask(depth - 1)});
    }
    constexpr Opcode kOpcodes[] = {Opcode::FLt32, Opcode::FLe32, Opcode::FGt32, Opcode::FGe32};
    constexpr std::uint32_t kLimits[] = {0x40800000, 0x3f800000, 0x3e000000, 0x41000000,
                                         0x60000000, 0x20000000, 0xbf800000, 0};
    const Made limit = constant(kLimits[random_.below(8)]), x = sum(2);
    const Opcode opcode = kOpcodes[random_.below(4)];
    return random_.one_in(2) ? make(opcode, {x, limit}) : make(opcode, {limit, x});
  }
  Made factor() {
    return random_.one_in(3)   ? number()
           : random_.one_in(2) ? of_some(Opcode::FAddFlush32)
                               : of_some(random_.one_in(2) ? Opcode::FMulFlush32 : Opcode::FSubFlush32);
  }

  Function f;
  Builder b{f};

 private:
  std::uint32_t any_word() {
    constexpr std::uint32_t kWords[] = {0,          0x80000000, 0x3f800000, 0xbfffffff,
                                        0x40000000, 0x40000001, 0x7f800000, 0xff800000,
                                        0x7fc00000, 0x00000001, 0x7f7fffff, 0x20000001};
    const auto word = static_cast<std::uint32_t>(random_.next());
    return random_.one_in(3) ? kWords[random_.below(12)]
                             : (word & 0x80ffffff) | (0x3a + (word >> 24) % 8) << 24;
  }

  Random& random_;
  std::vector<Made> numbers_;
};

TEST(MaskedBounds, HoldWhereRandomMasksDo) {
  std::uint64_t found = 0, unequal = 0;
  for (std::uint64_t seed = 0; seed < share(60000); ++seed) {
    Random random(seed);
    Expression e(random);
    const Made mask = e.mask(2), a = e.factor(), b = e.factor();
    const auto bounds = factor_bounds(e.f, mask.value, a.value, b.value);
    if (!bounds) continue;
    ++found;
    unequal += bounds->first != bounds->second ? 1 : 0;
    if ((mask.bits & 1) == 0 || std::isnan(a.real()) || std::isnan(b.real())) continue;
    ASSERT_LT(std::abs(a.real()), std::ldexp(1.0, bounds->first)) << seed;
    ASSERT_LT(std::abs(b.real()), std::ldexp(1.0, bounds->second)) << seed;
  }
  EXPECT_GT(found, share(60000) / 50);
  EXPECT_GT(unequal, share(60000) / 200);
}

// The parts of z where |z|^2 <= 4, as a loop asks that lanes leave by |z|^2 > 4. A NaN leaves no lane, but is
// in the product.
TEST(MaskedBounds, EscapeTime) {
  Function f;
  f.input_count = 1;
  Builder b(f);
  b.set_block(f.add_block());
  const auto in = b.LoadInput(0);
  const F32 x = in[0], y = in[1];
  const F32 norm = b.FAddFlush32(b.FMulFlush32(x, x), b.FMulFlush32(y, y));
  const I1 stays = b.AndNot1(b.FLt32(in[2], in[3]), b.FGt32(norm, b.constant(4.0F)));
  const auto bounds = factor_bounds(f, stays, b.FAddFlush32(x, x), y);
  ASSERT_TRUE(bounds.has_value());
  EXPECT_EQ(bounds->first, 3);
  EXPECT_EQ(bounds->second, 2);
  EXPECT_FALSE(factor_bounds(f, stays, x, x).has_value()) << "y may be a NaN, and x anything";
  EXPECT_FALSE(factor_bounds(f, b.Not1(stays), x, y).has_value());
  EXPECT_TRUE(factor_bounds(f, b.FLe32(norm, b.constant(4.0F)), x, x).has_value());
  EXPECT_FALSE(factor_bounds(f, b.FLe32(b.FMulFlush32(x, y), b.constant(4.0F)), x, y).has_value());
  EXPECT_FALSE(factor_bounds(f, b.FLe32(norm, in[2]), x, y).has_value());
}

}  // namespace
}  // namespace warpjit::ir
