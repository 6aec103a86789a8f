// Divisions of whole numbers by constants: the products that take their place give the same bits.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "base/random.h"
#include "ir/builder.h"
#include "ir/evaluate.h"
#include "ir/pass/passes.h"
#include "ir/verifier.h"
#include "support/share.h"

namespace warpjit::ir {
namespace {

enum class Dividend {
  low_16_unsigned,
  low_16_signed,
  low_24_unsigned,
  any_signed,
  floor_of_float,
  byte_of_float
};

F32 make(Builder& b, Dividend dividend, I32 word) {
  const F32 x = b.BitcastI32ToF32(word);
  switch (dividend) {
    case Dividend::low_16_unsigned:
      return b.I32ToF32(b.IAnd32(word, b.constant(0xffffU)));
    case Dividend::low_16_signed:
      return b.I32ToF32(b.IShrS32(b.IShl32(word, b.constant(16U)), b.constant(16U)));
    case Dividend::low_24_unsigned:
      return b.U32ToF32(b.IAnd32(word, b.constant(0xffffffU)));
    case Dividend::any_signed:
      return b.I32ToF32(word);
    case Dividend::floor_of_float:  // may be -0
      return b.FFloor32(b.FMinSelect32(b.FMaxSelect32(x, b.constant(-9.0F)), b.constant(9.0F)));
    default:
      return b.FFloor32(b.FMinSelect32(b.FMaxSelect32(x, b.constant(1.0F)), b.constant(255.0F)));
  }
}

// A quotient as the pass leaves it.
class Quotient {
 public:
  Quotient(Dividend dividend, float divisor) {
    f_.uniform_bytes = 16;
    f_.output_count = 1;
    Builder b(f_);
    b.set_block(f_.add_block());
    const I32 word = b.LoadUniformI32(0);
    word_ = word;
    const F32 made = b.FDiv32(make(b, dividend, word), b.constant(divisor));
    b.StoreOutput(b.constant(true), made, made, made, made, 0);
    b.ret();
    multiply_by_reciprocals(f_);
    const Status valid = verify(f_);
    EXPECT_TRUE(valid.ok()) << to_string(valid.error());
  }

  bool divides() const {
    bool divides = false;
    for (Inst i : f_.insts(Block{0})) divides = divides || f_.inst(i).opcode == Opcode::FDiv32;
    return divides;
  }

  std::uint32_t operator()(std::uint32_t word) const {
    std::vector<std::uint64_t> bits(f_.value_count());
    std::vector<std::uint64_t> operands;
    for (Inst i : f_.insts(Block{0})) {
      const InstData& data = f_.inst(i);
      operands.clear();
      for (Value v : f_.operands(i)) operands.push_back(bits[v.id]);
      if (data.opcode == Opcode::StoreOutput) return static_cast<std::uint32_t>(operands[1]);
      const bool constant = f_.is_constant(f_.result(i));
      bits[f_.result(i).id] = constant                ? data.immediate
                              : f_.result(i) == word_ ? word
                                                      : evaluate(data.opcode, operands);
    }
    return 0;
  }

 private:
  Function f_;
  Value word_;
};

constexpr float kDivisors[] = {3, 5,    7,    15,   31,   63,    127,   255,     511,
                               6, 1023, 2047, 4095, 8191, 16383, 32767, 1048575, 65535};

TEST(ConstantDivisors, QuotientsAreExact) {
  for (const float divisor : kDivisors) {
    const Quotient of_unsigned(Dividend::low_16_unsigned, divisor),
        of_signed(Dividend::low_16_signed, divisor), of_24(Dividend::low_24_unsigned, divisor);
    ASSERT_FALSE(of_unsigned.divides());
    ASSERT_FALSE(of_signed.divides());
    ASSERT_FALSE(of_24.divides());
    for (std::uint32_t x = 0; x < share(0x10000U); ++x) {
      ASSERT_EQ(of_unsigned(x), std::bit_cast<std::uint32_t>(static_cast<float>(x) / divisor)) << x;
      const auto number = static_cast<float>(static_cast<std::int16_t>(x));
      ASSERT_EQ(of_signed(x), std::bit_cast<std::uint32_t>(number / divisor)) << x;
    }
    Random random(1);
    for (std::uint32_t k = 0; k < share(20000U); ++k) {
      // Near quotients that end in ones or zeros, and anywhere.
      const auto whole = static_cast<std::uint32_t>(divisor);
      const std::uint32_t near = whole * (random.below(0xffffffU / whole) + 1) + random.below(3) - 1;
      const std::uint32_t x = (k % 2 == 0 ? near : static_cast<std::uint32_t>(random.next())) & 0xffffffU;
      ASSERT_EQ(of_24(x), std::bit_cast<std::uint32_t>(static_cast<float>(x) / divisor)) << x;
    }
  }
}

TEST(ConstantDivisors, SomeStayDivisions) {
  EXPECT_TRUE(Quotient(Dividend::any_signed, 255).divides());
  EXPECT_TRUE(Quotient(Dividend::floor_of_float, 255).divides());
  EXPECT_FALSE(Quotient(Dividend::byte_of_float, 255).divides());
  EXPECT_TRUE(Quotient(Dividend::byte_of_float, 2.5F).divides());
  EXPECT_TRUE(Quotient(Dividend::byte_of_float, -255).divides());
  EXPECT_TRUE(Quotient(Dividend::byte_of_float, 0x1.8p20F).divides());
}

}  // namespace
}  // namespace warpjit::ir
