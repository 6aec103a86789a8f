#include <bit>
#include <set>

#include "base/random.h"
#include "frontend/tesla/encoding/encoding.h"
#include "support/encoding_checks.h"
#include "support/share.h"
#include "tesla/tesla_test.h"

namespace warpjit::tesla {
namespace {

constexpr ProgramType kTypes[] = {ProgramType::compute, ProgramType::vertex, ProgramType::geometry,
                                  ProgramType::fragment};

void expect_round_trip(ProgramType type, std::uint32_t w0, std::uint32_t w1) {
  const auto instruction = try_decode(type, w0, w1);
  if (!instruction) return;
  const auto word = encode(type, *instruction);
  ASSERT_TRUE(word) << std::hex << w0 << ' ' << w1;
  ASSERT_EQ(*word, instruction->raw) << std::hex << w0 << ' ' << w1;
  const std::string text = disassemble(*instruction);
  const auto assembled = assemble_instruction(type, text);
  ASSERT_TRUE(assembled.ok() || !condition_defined(instruction->condition))
      << text << ": " << to_string(assembled.error());
  if (assembled) {
    ASSERT_EQ(*assembled, instruction->raw) << text;
  }
}

TEST(TeslaEncoding, PatternsDoNotOverlap) {
  encoding::expect_no_overlap(patterns(), [](const Pattern& a, const Pattern& b) {
    // A marker of long instructions is not that of immediate ones (docs/guests/tesla.md 2.1).
    return (a.form == Form::long_ && b.form == Form::immediate) ||
           (a.form == Form::immediate && b.form == Form::long_);
  });
  encoding::expect_fields_beside_fixed_bits(patterns());
}

TEST(TeslaEncoding, EveryOpcodeHasARow) {
  std::set<Opcode> seen;
  for (const Pattern& pattern : patterns()) seen.insert(pattern.opcode);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kOpcodeCount));
}

TEST(TeslaEncoding, WordsOfEveryRowSurvive) {
  Random random{1};
  std::size_t decoded = 0;
  for (const Pattern& pattern : patterns())
    for (std::uint64_t n = 0; n < share(300); ++n) {
      // Few bits set besides those of the pattern: most such words have a meaning.
      std::uint64_t noise = random.next();
      for (std::uint64_t k = n % 4; k > 0; --k) noise &= random.next();
      const std::uint64_t word = pattern.word_with(noise);
      const ProgramType type = kTypes[n % 4];
      const auto w0 = static_cast<std::uint32_t>(word), w1 = static_cast<std::uint32_t>(word >> 32);
      decoded += try_decode(type, w0, w1).has_value() ? 1 : 0;
      expect_round_trip(type, w0, w1);
    }
  EXPECT_GT(decoded, patterns().size() * share(300) / 2);
}

TEST(TeslaEncoding, AnyWordSurvives) {
  Random random{2};
  for (std::uint64_t n = 0; n < share(40000); ++n) {
    const std::uint64_t word = random.next();
    expect_round_trip(kTypes[n % 4], static_cast<std::uint32_t>(word),
                      static_cast<std::uint32_t>(word >> 32));
  }
}

TEST(TeslaEncoding, OperandsAreResolved) {
  const Instruction mad = *try_decode(ProgramType::compute, 0xe408c01d, 0x0021c780);
  EXPECT_EQ(mad.opcode, Opcode::fmad);  // add f32 $r7 (mul b32 s[$a1] $r8) $r7
  EXPECT_EQ(mad.dst, (Operand{.kind = Operand::Kind::gpr, .type = Type::b32, .value = 7}));
  EXPECT_EQ(mad.src[0], (Operand{.kind = Operand::Kind::shared, .type = Type::b32, .address = 1}));
  EXPECT_EQ(mad.src[1].value, 8U);
  EXPECT_EQ(mad.src[2].value, 7U);
  EXPECT_EQ(mad.unused, 0U);

  const Instruction carry = *try_decode(ProgramType::compute, 0x611dee45, 0x0e07d68e);
  EXPECT_EQ(carry.opcode,
            Opcode::imad);  // join (lgu $c1) addc o[0x44] (mul u16 $r59h $r14h) c8[$a4+0x7c] $c1
  EXPECT_EQ(carry.marker, Instruction::Marker::join);
  EXPECT_EQ(carry.condition, 13);
  EXPECT_EQ(carry.condition_register, 1);
  EXPECT_EQ(carry.operation, static_cast<int>(AddOperation::addc));
  EXPECT_EQ(carry.dst, (Operand{.kind = Operand::Kind::output, .type = Type::b32, .value = 0x44}));
  EXPECT_EQ(carry.src[0], (Operand{.kind = Operand::Kind::gpr, .type = Type::b16, .value = 119}));
  EXPECT_EQ(
      carry.src[2],
      (Operand{.kind = Operand::Kind::constant, .type = Type::b32, .space = 8, .address = 4, .value = 0x7c}));

  const Instruction bar = *try_decode(ProgramType::compute, 0x861ffe03, 0);
  EXPECT_EQ(bar.count, kWholeBlock);
  EXPECT_TRUE(bar.arrive && bar.wait);
  const Instruction bra = *try_decode(ProgramType::compute, 0x10011003, 0x780);
  EXPECT_EQ(bra.target, 0x88U);
}

TEST(TeslaEncoding, FormsOfAnOperationAgree) {
  // add b32 $r6 $r3 $r1, short and long; mul24 in variants 3 and 9.
  Instruction shorter = *try_decode(ProgramType::compute, 0x20018618, 0);
  const Instruction longer = *try_decode(ProgramType::compute, 0x20000619, 0x04004780);
  shorter.form = longer.form;
  shorter.raw = longer.raw;
  EXPECT_EQ(shorter, longer);
  Instruction alias = *try_decode(ProgramType::compute, 0x70000005, 0x20000780);
  EXPECT_EQ(alias.type, Type::u24);
  EXPECT_NE(alias.unused, 0U);
}

TEST(TeslaEncoding, Errors) {
  const auto message = [](std::vector<std::uint32_t> code, std::uint32_t address) {
    const auto result = decode(ProgramType::compute, code, address, "a.bin");
    return result ? std::string("decoded") : to_string(result.error());
  };
  EXPECT_EQ(message({0x20018618, 0x20000619, 0x04004780}, 4),
            "a.bin, byte 0x4 (0x20000619): a long instruction is not aligned to 8 bytes");
  EXPECT_EQ(message({0x20000619}, 0),
            "a.bin, byte 0x0 (0x20000619): the code ends inside a long instruction");
  EXPECT_EQ(message({0x20018618}, 4), "a.bin, byte 0x4 (0x00000000): the address is outside the code");
  EXPECT_EQ(message({0x20018618}, 2),
            "a.bin, byte 0x2 (0x20018618): an instruction address is a multiple of 4");
  EXPECT_EQ(message({0x20000001, 0x20000780}, 0), "a.bin, byte 0x0 (0x20000001): undefined opcode");
  EXPECT_EQ(message({0x20000001, 0x04000a00}, 0),
            "a.bin, byte 0x0 (0x20000001): the condition is not defined");
}

TEST(TeslaEncoding, Conditions) {
  // Z = 1, S = 2, C = 4, O = 8; a few conditions of docs/guests/tesla.md 2.4.
  EXPECT_TRUE(condition_holds(0x02, 1) && !condition_holds(0x02, 3));   // e
  EXPECT_TRUE(condition_holds(0x01, 2) && !condition_holds(0x01, 10));  // l
  EXPECT_TRUE(condition_holds(0x04, 0) && condition_holds(0x04, 10));   // g
  EXPECT_TRUE(condition_holds(0x12, 4) && !condition_holds(0x12, 5));   // a
  EXPECT_TRUE(condition_holds(0x1d, 5) && condition_holds(0x1d, 0));    // na
  for (unsigned flags = 0; flags < 16; ++flags) {
    EXPECT_FALSE(condition_holds(0, flags));
    EXPECT_TRUE(condition_holds(15, flags));
    EXPECT_EQ(condition_holds(0x06, flags), !condition_holds(0x09, flags));
    EXPECT_NE(condition_holds(0x10, flags), condition_holds(0x1f, flags));
    EXPECT_NE(condition_holds(0x11, flags), condition_holds(0x1e, flags));
    EXPECT_NE(condition_holds(0x12, flags), condition_holds(0x1d, flags));
    EXPECT_NE(condition_holds(0x13, flags), condition_holds(0x1c, flags));
  }
}

}  // namespace
}  // namespace warpjit::tesla
