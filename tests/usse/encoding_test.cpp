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
  EXPECT_EQ(parsed_text("or r5, sa[idx1+31], #0xFFFF, rot:31"), "or r5, sa[idx1+31], #65535, rot:31");
  EXPECT_EQ(parsed_text("vrcp.f32.f32 r246.x, g1.x"), "vrcp.f32.f32 r246.x, g1.x");
  EXPECT_EQ(parsed_text("or r127, r1, #0, rot:0"), "the destination is out of range; numbers are 0 to 123");
  EXPECT_EQ(parsed_text("or r5, sa2.x, #0, rot:0"), "this source cannot be swizzled: 'sa2.x'");
}

// An index counts what the instruction's numbers count: pairs of words where these are doubled.
TEST(UsseEncoding, IndicesCountTheUnitsOfNumbers) {
  for (const char* text :
       {"or r5, sa[idx1+4], #0, rot:0", "or pa[idx2+3], r1, r[idx1+2], rot:0", "vmov.i32 r1.x, r[idx1+7]",
        "vpck.f32.u8 r1.xy, pa[idx1+3]", "vpck.u8.f32 o[idx2+1].x, pa[2*idx2+2].xxxx, sa[2*idx1+4]",
        "i32mad.s r[idx1+1], r0, sa[idx2+1], r2", "sop2.add.add.s1.s2.s1a.s2a r0, r[idx1+1], r1",
        "vtst.isub32.zero.both.chan0.p0 c0, r[idx1+1], r1",
        "vtst.sub.f32.zero.both.chan0.p0 c0, r[2*idx1+2], r2", "limm r[idx2+5], value:0x00000001",
        "vmov.f16 r[2*idx2+2].xz, pa[2*idx1+0]", "ld.b32.x1.drc0 r0, sa0, r[idx1+1], #0",
        "st.b32.x1.drc0 r0, sa0, #0, r[idx1+1]", "smp.2d.f32.f32.replace.drc0 r0, pa0, sa0, r[2*idx1+2]",
        "dual3.vmad.+frcp.f32.cfg0.unified r[2*idx1+2], i0, i1, i2, i0, pa0",
        "dual3.vmad.+frcp.f32.cfg0 r[idx1+3], i0, i1, i2, i0, pa0"})
    EXPECT_EQ(parsed_text(text), text);
  EXPECT_EQ(parsed_text("or r5, sa[2*idx1+4], #0, rot:0"),
            "source 1 is by an index that counts words: idx1, idx2");
  EXPECT_EQ(parsed_text("vmov.f32 r4.xy, sa[idx1+4]"),
            "source 1 is by an index that counts pairs of words: 2*idx1, 2*idx2");
  for (const char* text : {"or r5, sa[3*idx1+4], #0, rot:0", "or r5, sa[idx3+4], #0, rot:0",
                           "or r5, sa[idx1], #0, rot:0", "or r5, sa[idx1+4, #0, rot:0"})
    EXPECT_NE(parsed_text(text).find("expected a register"), std::string::npos) << parsed_text(text);
}

// Dot products and sums of squares write a number: their unified destination is not doubled, sources are.
TEST(UsseEncoding, UnifiedDestinationsOfNumbers) {
  const auto text = [](std::uint64_t word) { return disassemble(*decode(word)); };
  EXPECT_EQ(text(0x288f60128065a086), "dual4.frsq.+vdp.f32.cfg1.skipinv pa3, i0.x, i0.xxxx, i2, pa12.xyz1");
  EXPECT_EQ(decode(0x288f60128065a086)->d[0].number, 3);
  for (const char* written : {"dual3.vssq.+frsq.f32.cfg0.unified pa5, i1, i0.xyz, i1.xyz, pa4.xyz",
                              "dual3.vdp.+frcp.f32.cfg0.unified pa7, i1, i0.xyz, i1.xyz, i0, sa18.xyz",
                              "dual3.frsq.+vssq.f32.cfg0 pa3, i1, i0.xyz, i1.xyz, pa3.xyz",
                              "dual4.vmul.+vdp.f16.cfg0 o9, i1.xyzw, i0.xyzw, i1.xyzw, i2, pa6.xyzw",
                              "dual3.vmul.+vmov.f32.cfg0 pa6, i1, i0.xyz, i1.xyz, i2, pa6.xyz"}) {
    const auto word = assemble_instruction(written);
    ASSERT_TRUE(word.ok()) << written << ": " << to_string(word.error());
    const auto decoded = decode(*word);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(*assemble_instruction(disassemble(*decoded)), *word) << written;
  }
  EXPECT_NE(
      parsed_text("dual3.vmul.+vmov.f32.cfg0 pa5, i1, i0.xyz, i1.xyz, i2, pa6.xyz").find("even register"),
      std::string::npos);
}

TEST(UsseEncoding, Errors) {
  const auto message = [](std::uint64_t word) {
    const auto decoded = decode(word);
    return decoded ? "decoded: " + disassemble(*decoded) : decoded.error().message;
  };
  EXPECT_EQ(message(0xb800000000000000), "opcode 23 is not defined; 0 to 21, 26 and 28 to 31 are");
  EXPECT_EQ(message(0xc800000000000000), "i8mad2 is known by name alone");
  EXPECT_EQ(message(0xf830000000000000), "the coefficient control of points is known by name alone");
  EXPECT_EQ(
      message(0xfb20000000000000),
      "opcode 31 has no instruction with these fixed bits; the nearest, ba, differs in 0x20000000000000");
  EXPECT_EQ(
      message(0xe000400000000000),
      "smp: the value 1 of sample_type in bits 46 to 47 is reserved; it is one of 0 native, 2 f16, 3 f32");
  EXPECT_EQ(message(0x18a1818401fec041), "vmad3: source 0: swizzle 31 is reserved");
  EXPECT_EQ(message(0x2000000000000000).substr(0, 73),
            "dual3: the value 0 of op2 in bits 18 to 20 is reserved; it is one of 1 +v");
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
  EXPECT_EQ(encode_error(i), "the destination is out of range; numbers are 0 to 118");
  i = mad;
  i.d[0].number = 3;
  EXPECT_EQ(encode_error(i), "the destination begins with an even register");
  i = mad;
  i.s[0].bank = Bank::sa;
  EXPECT_EQ(encode_error(i), "source 0 cannot be in bank sa; it may be in r, pa");
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
