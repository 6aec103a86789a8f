#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "frontend/pica200/container/program.h"
#include "frontend/pica200/encoding/encoding.h"
#include "random/pica200/random.h"
#include "support/encoding_checks.h"

namespace warpjit::pica200 {
namespace {

TEST(PicaEncoding, OpcodesDoNotOverlap) {
  encoding::expect_no_overlap(patterns(), [](const Pattern&, const Pattern&) { return false; });
  std::set<std::string_view> names;
  for (int k = 0; k < kOpcodeCount; ++k) {
    const OpcodeInfo& info = pica200::info(static_cast<Opcode>(k));
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(find_opcode(info.name), static_cast<Opcode>(k));
    EXPECT_EQ(pica200::info(info.swapped).swapped, static_cast<Opcode>(k)) << info.name;
  }
  // docs/guests/pica200.md 6: these are undefined and nothing else is.
  for (std::uint32_t top = 0; top < 64; ++top) {
    const bool undefined =
        top == 0x10 || top == 0x11 || (top >= 0x14 && top <= 0x17) || (top >= 0x1C && top <= 0x1F);
    const auto instruction = try_decode(top << 26);
    EXPECT_EQ(instruction.has_value(), !undefined) << top;
    if (!instruction) continue;
    EXPECT_TRUE(patterns()[static_cast<std::size_t>(instruction->opcode)].matches(top << 26));
  }
}

TEST(PicaEncoding, FieldsDoNotOverlap) {
  encoding::expect_fields_beside_fixed_bits(patterns());
  for (const Pattern& pattern : patterns()) {
    std::uint32_t covered = unused_bits(pattern.opcode);
    for (const Field& field : fields(pattern.opcode)) {
      const std::uint32_t bits = ((1U << field.width) - 1) << field.low;
      EXPECT_EQ(covered & bits, 0U) << info(pattern.opcode).name << " " << field.name;
      covered |= bits;
    }
    EXPECT_EQ(covered, ~pattern.mask);
    // What is left is the opcode: the top bits, without a gap.
    EXPECT_EQ(std::countl_one(~covered), std::popcount(~covered));
  }
}

TEST(PicaEncoding, EncodeInvertsDecode) {
  for (int k = 0; k < kOpcodeCount; ++k)
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      const std::uint32_t word = random_word(seed, static_cast<Opcode>(k));
      const auto instruction = try_decode(word);
      ASSERT_TRUE(instruction.has_value());
      EXPECT_EQ(instruction->opcode, static_cast<Opcode>(k));
      EXPECT_EQ(encode(*instruction), word);
    }
  std::uint32_t word = 1;
  for (int k = 0; k < 200000; ++k) {
    word = word * 1664525 + 1013904223;
    const auto instruction = try_decode(word);
    ASSERT_TRUE(!instruction || encode(*instruction) == word);
  }
}

TEST(PicaEncoding, UndefinedOpcodeNamesAddressAndWord) {
  const auto result = decode(0x4000ABCD, 7, "a.shbin");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::bad_input);
  EXPECT_EQ(result.error().where, "a.shbin, word 7 (0x4000abcd)");
}

TEST(PicaEncoding, Descriptors) {
  std::uint32_t word = 7;
  for (int k = 0; k < 10000; ++k) {
    word = word * 1664525 + 1013904223;
    EXPECT_EQ(encode_descriptor(decode_descriptor(word)), word);
  }
  const Descriptor d = decode_descriptor(0x0006c368);  // of a real file: dp4 r1.x
  EXPECT_EQ(d.mask, kX);
  EXPECT_EQ(d.selector[0], kIdentitySelector);
  EXPECT_EQ(d.selector[1], kIdentitySelector);
}

TEST(PicaEncoding, WordsOfRealFiles) {
  const Instruction mad = *try_decode(0xf528aaa4);  // mad r5, r4.xxxx, c26, r5
  EXPECT_EQ(mad.opcode, Opcode::mad);
  EXPECT_EQ(dest_register(mad.dst), (Register{RegisterFile::r, 5}));
  EXPECT_EQ(source_register(mad.src1), (Register{RegisterFile::r, 4}));
  EXPECT_EQ(source_register(mad.src2), (Register{RegisterFile::c, 10}));
  EXPECT_EQ(source_register(mad.src3), (Register{RegisterFile::r, 5}));
  const Instruction cmp = *try_decode(0xbc67f906);  // cmp c95.xx, gt, le, r2.zz
  EXPECT_EQ(cmp.opcode, Opcode::cmp);
  EXPECT_EQ(cmp.cmp_x, 4);
  EXPECT_EQ(cmp.cmp_y, 3);
  EXPECT_EQ(source_register(cmp.src1), (Register{RegisterFile::c, 95}));
}

TEST(PicaEncoding, RegisterNames) {
  EXPECT_EQ(parse_register("c95"), (Register{RegisterFile::c, 95}));
  for (const char* text : {"c96", "v16", "r16", "o16", "i4", "b16", "c", "c01", "x1", "v1x", "c100"})
    EXPECT_FALSE(parse_register(text)) << text;
}

TEST(PicaFloat24, Format) {
  // Bit patterns of the 24-bit format.
  EXPECT_EQ(decode_f24(0x3F0000), 1.0F);
  EXPECT_EQ(decode_f24(0x408000), 3.0F);
  EXPECT_EQ(decode_f24(0xBE0000), -0.5F);
  const auto bits_of = [](std::uint32_t f24) { return std::bit_cast<std::uint32_t>(decode_f24(f24)); };
  EXPECT_EQ(bits_of(0x010000), 0x20800000U);
  EXPECT_EQ(bits_of(0x7EFFFF), 0x5F7FFF80U);
  EXPECT_EQ(bits_of(0x7F0000), 0x7F800000U);
  EXPECT_EQ(bits_of(0x7F8000), 0x7FC00000U);
  EXPECT_EQ(bits_of(0x000001), 0x18800000U);
  EXPECT_EQ(bits_of(0x800000), 0x80000000U);
  EXPECT_EQ(encode_f24(0.0005F), 0x340624U);  // truncated, as in breakc_loop.shbin
  EXPECT_EQ(encode_f24(1e-30F), 0U);
  EXPECT_EQ(encode_f24(-1e30F), 0xFF0000U);
  for (std::uint32_t f24 = 0x010000; f24 < 0x1000000; f24 += 0x101) {
    const std::uint32_t exponent = f24 >> 16 & 0x7F;
    if (exponent == 0 || (exponent == 0x7F && (f24 & 0xFFFF) != 0)) continue;
    EXPECT_EQ(encode_f24(decode_f24(f24)), f24);
  }
}

// Every word, against the format's definition.
TEST(PicaFloat24, EachOfTheWordsIsDecodedExactly) {
  for (std::uint32_t word = 0; word < 0x1000000; ++word) {
    const std::uint32_t mantissa = word & 0xFFFF, sign = (word & 0x800000) << 8;
    const int exponent = static_cast<int>(word >> 16 & 0x7F);
    std::uint32_t expected = 0x7F800000 | mantissa << 7;
    if (exponent != 0x7F) {
      const double value =
          exponent == 0 ? mantissa * 0x1p-78 : (1 + mantissa * 0x1p-16) * std::ldexp(1, exponent - 63);
      expected = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    }
    if (f24_to_f32(word) != (expected | sign)) FAIL() << std::hex << word;
  }
  EXPECT_EQ(f24_to_f32(0xAB000000 | 0x3F0000), 0x3F800000U);  // what is above 24 bits does not count
}

}  // namespace
}  // namespace warpjit::pica200
