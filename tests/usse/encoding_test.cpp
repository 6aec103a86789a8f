#include "frontend/usse/encoding/encoding.h"

#include <set>

#include "support/encoding_checks.h"
#include "support/share.h"
#include "support/source_dir.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

TEST(UsseEncoding, PatternsDoNotOverlap) {
  encoding::expect_no_overlap(patterns(), [](const Pattern&, const Pattern&) { return false; });
  encoding::expect_fields_beside_fixed_bits(patterns());
}

TEST(UsseEncoding, FieldsOfARowDoNotOverlap) {
  for (const Pattern& pattern : patterns()) {
    std::uint64_t taken = pattern.mask;
    const auto take = [&](const BitField& field) {
      const std::uint64_t bits = field.set(std::uint64_t{}, ~0U);
      EXPECT_EQ(taken & bits, 0U) << name(pattern.opcode) << ' ' << std::hex << (taken & bits);
      taken |= bits;
    };
    for (const SyntaxToken& token : pattern.syntax()) {
      for (const BitField& field : {token.field, token.bank, token.mask, token.swizzle, token.swizzle_high})
        take(field);
      for (const std::uint8_t bit : {token.extension, token.negate, token.absolute})
        if (bit != 0) take({{{{bit, 1}}}});
      take(token.high);
    }
  }
}

TEST(UsseEncoding, EveryOpcodeHasARow) {
  std::set<Opcode> opcodes;
  for (const Pattern& pattern : patterns()) opcodes.insert(pattern.opcode);
  EXPECT_EQ(opcodes.size(), static_cast<std::size_t>(kOpcodeCount));
}

// A word or more of each row with its text.
TEST(UsseEncoding, ListedWords) {
  std::set<std::uint16_t> seen;
  for (const ListedWord& listed : read_listed_words(tests::source_file("tests/usse/data/words.tsv"))) {
    const auto instruction = decode(listed.word);
    ASSERT_TRUE(instruction.ok()) << listed.text << ": " << to_string(instruction.error());
    EXPECT_EQ(disassemble(*instruction), listed.text) << std::hex << listed.word;
    const auto word = assemble_instruction(listed.text);
    ASSERT_TRUE(word.ok()) << listed.text << ": " << to_string(word.error());
    EXPECT_EQ(*word, listed.word) << listed.text;
    for (const std::uint16_t k : candidates(listed.word))
      if (patterns()[k].matches(listed.word)) seen.insert(k);
  }
  EXPECT_EQ(seen.size(), patterns().size());
}

TEST(UsseEncoding, WordsOfEveryRowSurvive) {
  Random random{1};
  for (const Pattern& pattern : patterns())
    for (std::uint64_t n = 0; n < share(300); ++n) {
      const std::uint64_t word = random_word(pattern, random);
      ASSERT_TRUE(survives(word)) << name(pattern.opcode) << std::hex << ' ' << word;
      ASSERT_EQ(decode(word)->opcode, pattern.opcode);
    }
}

TEST(UsseEncoding, AnyWordSurvives) {
  Random random{2};
  for (std::uint64_t n = 0; n < share(40000); ++n) survives(random.next());
}

Register at(Bank bank, unsigned number, unsigned index = 0) {
  return {
      .bank = bank, .index = static_cast<std::uint8_t>(index), .number = static_cast<std::uint16_t>(number)};
}

TEST(UsseEncoding, OperandsAreResolved) {
  // vmad2.f32 pa0.xy, pa2, r2, pa0
  const auto mad = decode(0x0020918620001040);
  ASSERT_TRUE(mad.ok()) << to_string(mad.error());
  EXPECT_EQ(mad->opcode, Opcode::mad2);
  EXPECT_EQ(mad->type, Type::f32);
  EXPECT_EQ(mad->d[0], (Destination{at(Bank::pa, 0), 3}));
  EXPECT_EQ(mad->s[0], Source{at(Bank::pa, 2)});
  EXPECT_EQ(mad->s[1], Source{at(Bank::r, 2)});
  EXPECT_EQ(mad->s[2], Source{at(Bank::pa, 0)});
  EXPECT_EQ(mad->unused, 0U);

  // vmad3 with all three modifiers of a source: i0.xxx, |pa4| -.., ends the program
  const auto mad3 = decode(0x18e5808280018002);
  ASSERT_TRUE(mad3.ok());
  EXPECT_TRUE(mad3->end);
  EXPECT_EQ(mad3->s[0].bank, Bank::i);
  EXPECT_EQ(mad3->s[1], (Source{at(Bank::pa, 4), {Select::x, Select::x, Select::x, Select::x}}));
  EXPECT_EQ(mad3->s[2].swizzle[0], Select::zero);

  // Numbers are doubled where a vector operation uses the unified register.
  const auto dual = decode(0x20051812d0081089);  // vdp i1.x, sa18.yzw, i1 + fmul pa0.x, i0.x, i0.x
  ASSERT_TRUE(dual.ok()) << to_string(dual.error());
  EXPECT_EQ(dual->operation1, Operation::vdp);
  EXPECT_EQ(dual->operation2, Operation::fmul);
  EXPECT_EQ(dual->s[3], (Source{at(Bank::sa, 18), {Select::y, Select::z, Select::w, Select::x}}));
  EXPECT_EQ(dual->d[0], (Destination{at(Bank::pa, 0), 0}));
  EXPECT_EQ(dual_operand(*dual, false, 0), 3U);
  EXPECT_EQ(dual_operand(*dual, false, 1), 1U);
  EXPECT_EQ(dual_operand(*dual, true, 0), 0U);
  const auto scalar = decode(0x2040bc02c02844af);  // fsubflr pa1.x, -sa47.x, i0.x + fmul i0.x, i1.x, i1.x
  ASSERT_TRUE(scalar.ok());
  EXPECT_EQ(scalar->s[3].number, 47);
  EXPECT_TRUE(scalar->s[3].negate);
  EXPECT_EQ(scalar->d[0].number, 1);

  // VPCK of integers has an odd register.
  const auto pck = decode(0x40810786aa802981);
  ASSERT_TRUE(pck.ok());
  EXPECT_EQ(pck->s[1].number, 83);
  EXPECT_EQ(pck->source_type, Type::u16);
  EXPECT_EQ(pck->s[1].swizzle[0], Select::y);
}

std::string parsed_text(const std::string& text) {
  const auto word = assemble_instruction(text);
  return word ? disassemble(*decode(*word)) : word.error().message;
}

TEST(UsseEncoding, IndexedAndSpecialRegisters) {
  for (const char* text : {"vmad2.f32 o2.xy, pa4, sa[2*idx2+30], c63", "vmov.i32 idx1.x, r3",
                           "vrcp.f32.f32 r246.x, pa254.x", "vmul.f16 r[2*idx1+6], -|o126|, #1"})
    EXPECT_EQ(parsed_text(text), text);
  EXPECT_EQ(parsed_text("or r5, sa[2*idx1+31], #0xFFFF, rot:31"), "or r5, sa[2*idx1+31], #65535, rot:31");
  EXPECT_EQ(parsed_text("vrcp.f32.f32 r246.x, g1.x"), "vrcp.f32.f32 r246.x, g1.x");
  EXPECT_EQ(parsed_text("or r127, r1, #0, rot:0"), "the destination is out of range");
  EXPECT_EQ(parsed_text("or r5, sa2.x, #0, rot:0"), "this source cannot be swizzled: 'sa2.x'");
}

TEST(UsseEncoding, Errors) {
  const auto message = [](std::uint64_t word) {
    const auto decoded = decode(word);
    return decoded ? "decoded: " + disassemble(*decoded) : decoded.error().message;
  };
  EXPECT_EQ(message(0xb800000000000000), "opcode 23 is not defined");
  EXPECT_EQ(message(0xc800000000000000), "i8mad2 is known by name alone");
  EXPECT_EQ(message(0xf830000000000000), "the coefficient control of points is known by name alone");
  EXPECT_EQ(message(0xfb20000000000000), "opcode 31 does not have these fixed bits");
  EXPECT_EQ(message(0xe000400000000000), "smp: the value of sample_type in bits 46 to 47 is reserved");
  EXPECT_EQ(message(0x18a1818401fec041), "vmad3: source 0: swizzle 31 is reserved");
  EXPECT_EQ(message(0x2000000000000000), "dual3: the value of op2 in bits 18 to 20 is reserved");
  EXPECT_EQ(decode(0xc800000000000000).error().code, ErrorCode::unsupported);
}

TEST(UsseEncoding, EncodeChecksRanges) {
  const auto encode_error = [](const Instruction& instruction) {
    const auto word = encode(instruction);
    return word ? "encoded" : word.error().message;
  };
  const Instruction mad = *decode(*assemble_instruction("vmad2.f32 r0.xy, pa2, sa4, r6"));
  Instruction i = mad;
  i.d[0].number = 120;
  EXPECT_EQ(encode_error(i), "the destination is out of range");
  i = mad;
  i.d[0].number = 3;
  EXPECT_EQ(encode_error(i), "the destination begins with an even register");
  i = mad;
  i.s[0].bank = Bank::sa;
  EXPECT_EQ(encode_error(i), "source 0 cannot be in bank sa");
  i = mad;
  i.s[0].negate = true;
  EXPECT_EQ(encode_error(i), "source 0 cannot be negated");
  i = mad;
  i.s[1].swizzle = {Select::w, Select::z, Select::y, Select::x};
  EXPECT_EQ(encode_error(i), "source 1 has no swizzle wzyx");
  i = mad;
  i.type = Type::c10;
  EXPECT_EQ(encode_error(i), "vmad2 cannot have these modifiers");
  i = mad;
  i.s[2].bank = Bank::i;
  i.s[2].index = 1;
  EXPECT_EQ(encode_error(i), "source 2 cannot be indexed in bank i");
}

}  // namespace
}  // namespace warpjit::usse
