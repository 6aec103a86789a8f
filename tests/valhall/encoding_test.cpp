#include "frontend/valhall/encoding/encoding.h"

#include <set>

#include "support/encoding_checks.h"
#include "support/share.h"
#include "support/source_dir.h"
#include "valhall/random_words.h"
#include "valhall/valhall_test.h"

namespace warpjit::valhall {
namespace {

// decode, encode, disassemble and assemble keep the word; false: it has no meaning.
bool survives(std::uint64_t word) {
  const auto instruction = decode(word);
  if (!instruction) return false;
  EXPECT_EQ(instruction->raw, word);
  const auto canonical = encode(*instruction);
  EXPECT_TRUE(canonical.ok()) << std::hex << word;
  if (canonical) {
    EXPECT_EQ(*canonical ^ instruction->unused, word) << std::hex << word;
  }
  const std::string text = disassemble(*instruction);
  const auto assembled = assemble_instruction(text);
  EXPECT_TRUE(assembled.ok()) << text << ": " << to_string(assembled.error());
  if (assembled) {
    EXPECT_EQ(*assembled, word) << text;
  }
  return true;
}

TEST(ValhallEncoding, PatternsDoNotOverlap) {
  encoding::expect_no_overlap(patterns(), [](const Pattern&, const Pattern&) { return false; });
  encoding::expect_fields_beside_fixed_bits(patterns());
}

TEST(ValhallEncoding, FieldsOfARowDoNotOverlap) {
  for (const Pattern& pattern : patterns()) {
    std::uint64_t taken = pattern.mask;
    const auto take = [&](unsigned low, unsigned width) {
      const std::uint64_t field = low_mask<std::uint64_t>(width) << low;
      EXPECT_EQ(taken & field, 0U) << name(pattern.opcode) << '.' << name(pattern.form) << ", bit " << low;
      taken |= field;
    };
    for (const SyntaxToken& token : pattern.syntax()) {
      if (token.kind != SyntaxToken::Kind::no_destination)
        take(token.field.ranges[0].low, token.field.ranges[0].width);
      if (token.kind == SyntaxToken::Kind::destination) take(kMaskBit, 2);
      if (token.select != kNoSelect) take(token.select_bit, selects()[token.select].width);
      for (const std::uint8_t bit : {token.negate, token.absolute, token.invert})
        if (bit != 0) take(bit, 1);
      if (token.count_bit != 0) take(token.count_bit, kCountBits);
    }
  }
}

TEST(ValhallEncoding, EveryOpcodeHasARow) {
  std::set<std::pair<Opcode, Type>> seen;
  std::set<Opcode> opcodes;
  for (const Pattern& pattern : patterns()) {
    EXPECT_TRUE(seen.emplace(pattern.opcode, pattern.form).second) << name(pattern.opcode) << " twice";
    EXPECT_EQ(find_pattern(pattern.opcode, pattern.form), &pattern);
    opcodes.insert(pattern.opcode);
  }
  EXPECT_EQ(opcodes.size(), static_cast<std::size_t>(kOpcodeCount));
}

// A word of each mnemonic with its listing by another program.
TEST(ValhallEncoding, ListedWords) {
  std::set<const Pattern*> seen;
  for (const ListedWord& listed : read_listed_words(tests::source_file("tests/valhall/data/words.tsv"), 0)) {
    expect_listed(listed);
    const auto instruction = decode(listed.word);
    if (instruction) seen.insert(find_pattern(instruction->opcode, instruction->type));
  }
  EXPECT_EQ(seen.size(), patterns().size());
}

TEST(ValhallEncoding, WordsOfEveryRowSurvive) {
  Random random{1};
  for (const Pattern& pattern : patterns())
    for (std::uint64_t n = 0; n < share(400); ++n) {
      const std::uint64_t word = random_word(pattern, random.next(), random);
      ASSERT_TRUE(survives(word)) << mnemonic(pattern.opcode, pattern.form) << std::hex << ' ' << word;
      ASSERT_EQ(decode(word)->opcode, pattern.opcode);
      ASSERT_EQ(decode(word)->type, pattern.form);
    }
}

TEST(ValhallEncoding, AnyWordSurvives) {
  Random random{2};
  for (std::uint64_t n = 0; n < share(40000); ++n) survives(random.next());
}

TEST(ValhallEncoding, OperandsAreResolved) {
  // FMA.f32.clamp_0_1.wait0 r2.h1, ^r3.neg.h0, u66.abs, 0x38000000.h1
  const auto fma = decode(0x0ab2826312da8243);
  ASSERT_TRUE(fma.ok()) << to_string(fma.error());
  EXPECT_EQ(fma->opcode, Opcode::fma);
  EXPECT_EQ(fma->type, Type::f32);
  EXPECT_EQ(fma->clamp, Clamp::zero_to_one);
  EXPECT_EQ(static_cast<int>(fma->flow), 1);
  EXPECT_EQ(fma->destination, 2);
  EXPECT_EQ(fma->write_mask, 2);
  EXPECT_EQ(
      fma->source[0],
      (Source{.kind = Source::Kind::gpr, .value = 3, .last_use = true, .negate = true, .lanes = Lanes::h0}));
  EXPECT_EQ(fma->source[1], (Source{.kind = Source::Kind::uniform, .value = 66, .absolute = true}));
  EXPECT_EQ(fma->source[2], (Source{.kind = Source::Kind::constant, .value = 26, .lanes = Lanes::h1}));
  EXPECT_EQ(kConstants[26], 0x38000000U);
  EXPECT_EQ(fma->source[3].kind, Source::Kind::none);
  EXPECT_EQ(fma->unused, 0U);

  // LOAD.i16.d0.unsigned.slot1 @r4:r5, thread_local_pointer.w0, offset:-2
  const auto load = decode(0x026084b448fffee2);
  ASSERT_TRUE(load.ok()) << to_string(load.error());
  EXPECT_EQ(load->opcode, Opcode::load);
  EXPECT_EQ(load->type, Type::i16);
  EXPECT_EQ(load->lane, LoadLane::d0);
  EXPECT_TRUE(load->zero_extend);
  EXPECT_EQ(load->slot, 1);
  EXPECT_EQ(load->write, (Staging{4, 2}));
  EXPECT_EQ(load->source[0], (Source{.kind = Source::Kind::special, .value = 32 + 2, .wide = true}));
  EXPECT_EQ(load->offset, -2);
  EXPECT_EQ(load->unused, 0U);
}

TEST(ValhallEncoding, ZeroIsANop) {
  const auto zero = decode(0);
  ASSERT_TRUE(zero.ok());
  EXPECT_EQ(zero->opcode, Opcode::nop);
  EXPECT_EQ(zero->unused, 0x0000c00000000000U);
  EXPECT_EQ(zero->flow, Flow::none);
}

std::string error_of(std::uint64_t word) {
  const std::vector<std::uint64_t> code{0, word};
  const auto result = decode(code, 8, "a.bin");
  return result ? "decoded: " + disassemble(*result) : to_string(result.error());
}

TEST(ValhallEncoding, Errors) {
  EXPECT_EQ(error_of(0x8000c00000000000),
            "a.bin, byte 0x8 (0x8000c00000000000): bit 63 is set, which no instruction has");
  EXPECT_EQ(error_of(0x01ff000000000000),
            "a.bin, byte 0x8 (0x01ff000000000000): opcode 0x1ff is not defined");
  EXPECT_EQ(error_of(0x0091c00000010000),
            "a.bin, byte 0x8 (0x0091c00000010000): opcode 0x91 does not have these fixed bits");
  EXPECT_EQ(error_of(0x0126000000000000),
            "a.bin, byte 0x8 (0x0126000000000000): TEX_WEIGHTS is known by name alone");
  EXPECT_EQ(error_of(0x5800c00000000000),
            "a.bin, byte 0x8 (0x5800c00000000000): NOP: the value of flow in bits 59 to 62 is reserved");
  EXPECT_EQ(
      error_of(0x00a0c01000000000),
      "a.bin, byte 0x8 (0x00a0c01000000000): IADD.u32: source 0: the value of widen32 in bits 36 to 39 is "
      "reserved");
  EXPECT_EQ(error_of(0x0091c000000000e0),
            "a.bin, byte 0x8 (0x0091c000000000e0): MOV.i32: source 0: special value 0 of page 0 is reserved");
  const std::vector<std::uint64_t> code{0};
  EXPECT_EQ(to_string(decode(code, 8).error()),
            "byte 0x8 (0x0000000000000000): the address is outside the code");
  EXPECT_EQ(to_string(decode(code, 4).error()),
            "byte 0x4 (0x0000000000000000): an instruction address is a multiple of 8");
}

Instruction parsed(const std::string& text) {
  const auto word = assemble_instruction(text);
  EXPECT_TRUE(word.ok()) << text << ": " << to_string(word.error());
  return word ? *decode(*word) : Instruction{};
}
std::string encode_error(const Instruction& instruction) {
  const auto word = encode(instruction);
  return word ? "encoded" : word.error().message;
}

TEST(ValhallEncoding, EncodeChecksRanges) {
  const Instruction add = parsed("FADD.f32 r0, r1, u3");
  Instruction i = add;
  i.type = Type::v4i8;
  EXPECT_EQ(encode_error(i), "FADD has no type v4i8");
  i = add;
  i.saturate = true;
  EXPECT_EQ(encode_error(i), "FADD cannot have these modifiers");
  i = add;
  i.destination = 64;
  EXPECT_EQ(encode_error(i), "the destination is out of range");
  i = add;
  i.source[0].value = 64;
  EXPECT_EQ(encode_error(i), "there is no register r64");
  i = add;
  i.source[0].invert = true;
  EXPECT_EQ(encode_error(i), "this source cannot be inverted");
  i = add;
  i.source[0].lanes = Lanes::b2;
  EXPECT_EQ(encode_error(i), "this source has no lanes b2");
  i = add;
  i.source[0] = i.source[1];
  i.source[0].value = 64;
  EXPECT_EQ(encode_error(i), "sources are of two pages of uniforms and special values");
  i = add;
  i.source[1] = {};
  EXPECT_EQ(encode_error(i), "a source is missing");

  i = parsed("LOAD.i32.slot0 @r0, r2, offset:-32768");
  i.offset = -32769;
  EXPECT_EQ(encode_error(i), "the offset is out of range");
  i = parsed("ATOM.i32.slot0.aadd @r0, r2, offset:0xFF");
  i.offset = 256;
  EXPECT_EQ(encode_error(i), "the offset is out of range");
  i = parsed("STORE.i8.slot0 @r0, r2, offset:0");
  i.read.count = 8;
  EXPECT_EQ(encode_error(i), "the number of staging registers is out of range");
  i = parsed("TEX_FETCH.slot0.f.32.2d @r0, @r0:r1:r2:r3:r4:r5:r6:r7, u0");
  EXPECT_EQ(i.read.count, 8);
  i.read.count = 0;
  EXPECT_EQ(encode_error(i), "this message has at least one staging register");
  i.read.count = 8;
  i.write.count = 0;
  EXPECT_EQ(encode_error(i), "this message has at least one staging register");
}

TEST(ValhallEncoding, OperandsThatTheHardwareRefuses) {
  const auto refused = [](const std::string& text) {
    const auto word = assemble_instruction(text);
    const auto anyway = assemble_instruction(text + " {unchecked}");
    EXPECT_TRUE(anyway.ok()) << text;
    if (anyway) {
      EXPECT_EQ(disassemble(*decode(*anyway)), text + " {unchecked}");
    }
    return word ? "taken" : word.error().message;
  };
  EXPECT_EQ(refused("FMA.f32 r0, u0, 0x3F800000, 0x3DCCCCCD"),
            "an instruction takes at most two of uniforms, constants and special values");
  EXPECT_EQ(refused("FADD.f32 r0, u1, u2"), "uniforms of one instruction are the two words of one slot");
  EXPECT_EQ(refused("IADD.u32 r0, lane_id.w0, core_id.w0"), "an instruction takes at most one special value");
  EXPECT_EQ(refused("ATOM.i32.slot0.aadd @r0, r3, offset:0x0"),
            "a source of 64 bits begins with an even word");
  EXPECT_EQ(refused("IADD.u64 r0, r2, r3.w0"), "a source of 64 bits begins with an even word");
  EXPECT_EQ(refused("IADD.u64 r1, r2, r4"), "a pair of registers begins with an even one");
  EXPECT_EQ(refused("STORE.i64.slot0 @r1:r2, r4, offset:0"),
            "several staging registers begin with an even one");
  EXPECT_EQ(refused("STORE.i128.slot0 @r62:r63:r64:r65, r4, offset:0"),
            "the staging registers end behind r63");
  for (const char* text :
       {"FADD.f32 r0, u2, u3", "FMA.f32 r0, u0, u0, 0x0", "LD_BUFFER.i32.slot0 @r0, u0, u9",
        "BLEND.slot0.v4.f32 @r0:r1:r2:r3, u0, u3, target:0x0", "IADD.u64 r0, u2.w1, r4.w1"})
    EXPECT_TRUE(assemble_instruction(text).ok()) << text;
}

TEST(ValhallEncoding, Messages) {
  EXPECT_TRUE(is_message(parsed("BARRIER.slot7")));
  EXPECT_TRUE(is_message(parsed("ATOM.i32.slot0.aadd @r0, r2, offset:0x0")));
  EXPECT_FALSE(is_message(parsed("MOV.i32 r0, r1")));
  EXPECT_FALSE(is_message(parsed("BRANCHZ r0, offset:0")));
}

}  // namespace
}  // namespace warpjit::valhall
