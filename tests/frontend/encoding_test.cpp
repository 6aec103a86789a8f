// The grammar of encoding tables on a guest of 128-bit words that exists only here.
#include <gtest/gtest.h>

#include "frontend/encoding/syntax.h"
#include "support/encoding_checks.h"

namespace warpjit::encoding {
namespace {

enum class Opcode : std::uint8_t { add, load, jump };
enum class Form : std::uint8_t { only };

struct Instruction {
  Opcode opcode{};
  std::uint8_t saturate = 0, kind = 0;
  std::uint32_t dst = 0, src = 0, offset = 0;
};

struct Token {
  enum class Kind : std::uint8_t { literal, modifier, fixed_modifier, dst, src, offset };
  Kind kind = Kind::literal;
  std::string_view text{};
  std::uint8_t modifier = 0, value = 0;
  BitField field{};
};

struct Grammar {
  using Word = LongWord<2>;
  using Instruction = encoding::Instruction;
  using Opcode = encoding::Opcode;
  using Form = encoding::Form;
  using Token = encoding::Token;
  static constexpr std::size_t kMostTokens = 8;
  static std::span<const Modifier<encoding::Instruction>> modifiers();
};

constexpr Modifier<Instruction> kModifiers[] = {
    modifier_of_words<Instruction>(
        "sat", [](const Instruction& i) { return i.saturate; },
        [](Instruction& i, std::uint8_t value) { i.saturate = value; }, 0, {"", "sat"}),
    modifier_of_words<Instruction>(
        "kind", [](const Instruction& i) { return i.kind; },
        [](Instruction& i, std::uint8_t value) { i.kind = value; }, 0, {"u32", "?", "f32"}),
};
std::span<const Modifier<Instruction>> Grammar::modifiers() { return kModifiers; }

class Parser : public PatternParser<Grammar, Parser> {
 public:
  constexpr explicit Parser(Opcode opcode) : PatternParser(opcode, Form::only, kModifiers) {}
  constexpr bool operand(std::string_view word) {
    if (word.starts_with("D@")) return operand(Token::Kind::dst, word);
    if (word.starts_with("A@")) return operand(Token::Kind::src, word);
    if (word.starts_with("O@")) return operand(Token::Kind::offset, word);
    return false;
  }

 private:
  constexpr bool operand(Token::Kind kind, std::string_view word) {
    add({.kind = kind, .field = field_of(word.substr(2))});
    return true;
  }
};

constexpr Pattern<Grammar> kPatterns[] = {
    Parser(Opcode::add).parse("[120:8=0x11] add sat@64 kind@3,127:1 D@60:8 A@8:8").pattern(),
    Parser(Opcode::load).parse("[120:7=0x12] ld kind=f32 D@60:8 ( A@8:8 O@32:16,80:16 )").pattern(),
    Parser(Opcode::jump).parse("[120:7=0x13] jmp O@40:32").pattern(),
};
constexpr BitField kKey{{{{120, 8}}}};
constexpr PatternIndex<kKey, index_entries(kPatterns, kKey)> kIndex(kPatterns);

TEST(EncodingGrammar, PatternsSayBitsAndWords) {
  EXPECT_EQ(kPatterns[1].mask, (LongWord<2>{{0, std::uint64_t{0x7f} << 56}}));
  EXPECT_EQ(kPatterns[1].match, (LongWord<2>{{0, std::uint64_t{0x12} << 56}}));
  EXPECT_EQ(kPatterns[1].word_with(~LongWord<2>{}), (LongWord<2>{{~std::uint64_t{0}, 0x92ffffffffffffff}}));
  EXPECT_EQ(kPatterns[1].syntax().size(), 7U);
  EXPECT_EQ(kPatterns[1].syntax()[1].value, 2);  // f32
}

TEST(EncodingGrammar, FieldsCrossPartsOfLongWords) {
  const BitField dst = kPatterns[0].syntax()[3].field;
  const LongWord<2> word = dst.set(LongWord<2>{{~std::uint64_t{0}, 0}}, 0xa5);
  EXPECT_EQ(word, (LongWord<2>{{0x5fffffffffffffff, 0xa}}));
  EXPECT_EQ(dst.get(word), 0xa5U);
  const BitField offset = kPatterns[1].syntax()[5].field;
  EXPECT_EQ(offset.get(offset.set(LongWord<2>{}, 0x12345678)), 0x12345678U);
  const BitField all{{{{40, 32}}}};
  EXPECT_EQ(all.get(all.set(LongWord<2>{}, 0xfedcba98)), 0xfedcba98U);
}

TEST(EncodingGrammar, IndexFindsTheRowsOfAWord) {
  for (std::uint64_t top = 0; top < 256; ++top) {
    const LongWord<2> word{{0, top << 56}};
    std::vector<std::uint16_t> wanted;
    for (std::uint16_t k = 0; k < std::size(kPatterns); ++k)
      if (kPatterns[k].matches(word)) wanted.push_back(k);
    const auto found = kIndex.candidates(word);
    EXPECT_EQ(std::vector<std::uint16_t>(found.begin(), found.end()), wanted) << top;
  }
}

TEST(EncodingGrammar, ChecksSeeWhatOverlaps) {
  expect_no_overlap<Grammar>(kPatterns, [](const auto&, const auto&) { return false; });
  expect_fields_beside_fixed_bits<Grammar>(std::span(kPatterns).subspan(1));
  EXPECT_NE(kPatterns[0].syntax()[2].field.get(kPatterns[0].mask), 0U);  // bit 127 is fixed as well
}

TEST(EncodingGrammar, Modifiers) {
  Instruction i;
  LongWord<2> word = write_bits(kPatterns[0].match, 64, 1, 1);
  EXPECT_TRUE(decode_modifiers(kPatterns[0], word, i));
  EXPECT_EQ(i.saturate, 1);
  EXPECT_FALSE(decode_modifiers(kPatterns[0], write_bits(word, 3, 1, 1), i));  // "?"
  EXPECT_TRUE(modifiers_fit(kPatterns[0], i));
  EXPECT_FALSE(modifiers_fit(kPatterns[1], i));  // it cannot saturate
  EXPECT_EQ(encode_modifiers(kPatterns[0], i, LongWord<2>{}), (LongWord<2>{{0, 1}}));
}

class Matcher : public SyntaxMatcher<Grammar, Matcher> {
 public:
  Matcher(const Pattern<Grammar>& pattern, std::span<const std::string_view> words)
      : SyntaxMatcher(pattern, words, {}) {}
  bool operand(const Token& token) {
    if (peek().empty() || peek()[0] != 'r') return false;
    (token.kind == Token::Kind::dst ? instruction_.dst : instruction_.src) =
        static_cast<std::uint32_t>(peek()[1] - '0');
    skip();
    return true;
  }
};

TEST(EncodingGrammar, TextIsPrintedAndMatched) {
  const Instruction i{Opcode::add, 1, 2, 3, 4, 0};
  Text text;
  print_syntax<Grammar>(kPatterns[0].syntax(), i, text, [&](const Token& token, Text& out) {
    out.add("r" + std::to_string(token.kind == Token::Kind::dst ? i.dst : i.src));
  });
  EXPECT_EQ(text.take(), "add sat f32 r3 r4");
  const auto matches = [](std::vector<std::string_view> words) {
    Matcher matcher(kPatterns[0], words);
    return matcher.match() ? int{matcher.instruction().kind} : -1;
  };
  EXPECT_EQ(matches({"add", "sat", "f32", "r3", "r4"}), 2);
  EXPECT_EQ(matches({"add", "f32", "sat", "r3", "r4"}), 2);  // in any order
  EXPECT_EQ(matches({"add", "u32", "r3", "r4"}), 0);
  EXPECT_EQ(matches({"add", "?", "r3", "r4"}), -1);
  EXPECT_EQ(matches({"add", "u32", "r3"}), -1);
  EXPECT_EQ(matches({"add", "u32", "r3", "r4", "r5"}), -1);
  EXPECT_EQ(matches({"sub", "u32", "r3", "r4"}), -1);
}

}  // namespace
}  // namespace warpjit::encoding
