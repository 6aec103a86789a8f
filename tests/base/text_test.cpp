#include "base/text.h"

#include <gtest/gtest.h>

namespace warpjit::text {
namespace {

using Kind = Token::Kind;

constexpr Language kNames{.comment = ";", .punctuation = ".,:()[]+-!=", .doubled = "&|"};
constexpr Language kWords{.comment = "//", .punctuation = "(){}", .free_words = true};
constexpr Language kBlocks{.punctuation = "{}=", .free_words = true, .lines = false};

const std::string kFile = "f";

// "kind:text@line:column ..."
std::string tokens_of(std::string_view source, const Language& language) {
  constexpr const char* kKinds[] = {"name", "dir", "num", "punct", "eol", "bad", "eof"};
  std::string result;
  Lexer lexer(source, kFile, language);
  for (Token token = lexer.next();; token = lexer.next()) {
    result += std::string(kKinds[static_cast<int>(token.kind)]);
    if (!token.ends()) result += ":" + std::string(token.text);
    result += "@" + std::to_string(token.position.line) + ":" + std::to_string(token.position.column);
    if (token.kind == Kind::end_of_file) return result;
    result += " ";
  }
}

TEST(Text, NamesAndNumbers) {
  EXPECT_EQ(tokens_of("add r0.xy, -1.5e-3 ; comment\n.end", kNames),
            "name:add@1:1 name:r0@1:5 punct:.@1:7 name:xy@1:8 punct:,@1:10 punct:-@1:12 num:1.5e-3@1:13 "
            "eol@1:29 dir:end@2:1 eol@2:5 eof@2:5");
  EXPECT_EQ(tokens_of("0x1e+2 a&&b", kNames),
            "num:0x1e@1:1 punct:+@1:5 num:2@1:6 name:a@1:8 punct:&&@1:9 name:b@1:11 eol@1:12 eof@1:12");
  EXPECT_EQ(tokens_of("a & b", kNames), "name:a@1:1 bad:&@1:3 name:b@1:5 eol@1:6 eof@1:6");
}

TEST(Text, FreeWords) {
  EXPECT_EQ(tokens_of("l: add (mul s[$a1+0x4])// c\n\n$r1//", kWords),
            "name:l:@1:1 name:add@1:4 punct:(@1:8 name:mul@1:9 name:s[$a1+0x4]@1:13 punct:)@1:23 eol@1:28 "
            "eol@2:1 name:$r1@3:1 eol@3:6 eof@3:6");
  EXPECT_EQ(tokens_of("code{ \n a=b }", kBlocks),
            "name:code@1:1 punct:{@1:5 name:a@2:2 punct:=@2:3 name:b@2:4 punct:}@2:6 eof@2:7");
  EXPECT_EQ(tokens_of("", kBlocks), "eof@1:1");
  EXPECT_EQ(tokens_of("", kNames), "eof@1:1");
}

TEST(Text, EndOfFileRepeats) {
  Lexer lexer("a", kFile, kNames);
  for (const Kind kind : {Kind::name, Kind::end_of_line, Kind::end_of_file, Kind::end_of_file})
    EXPECT_EQ(lexer.next().kind, kind);
}

TEST(Text, InvalidCharactersHaveAPlace) {
  const auto tokens = tokenize("ok\n  ?", kFile, kNames);
  ASSERT_FALSE(tokens.ok());
  EXPECT_EQ(to_string(tokens.error()), "f:2:3: unexpected character");
}

TEST(Text, Numbers) {
  EXPECT_EQ(parse_unsigned("4294967295"), 4294967295U);
  EXPECT_EQ(parse_unsigned("0xfF"), 255U);
  EXPECT_EQ(parse_unsigned("0xffffffffffffffff", UINT64_MAX), UINT64_MAX);
  for (const char* bad : {"", "0x", "-1", "+1", "1 ", "4294967296", "0x100000000", "f", "1.0"})
    EXPECT_FALSE(parse_unsigned(bad)) << bad;
  EXPECT_EQ(parse_hexadecimal("10"), 16U);
  EXPECT_FALSE(parse_hexadecimal("0x10"));
}

TEST(Text, ReaderNamesWhatItFound) {
  const auto tokens = tokenize("x - 0x12 300 inf y", kFile, kNames);
  ASSERT_TRUE(tokens.ok());
  TokenReader in(*tokens);
  EXPECT_EQ(to_string(in.expect(",").error()), "f:1:1: expected ',', found 'x'");
  EXPECT_EQ(in.expect_name("a name")->text, "x");
  EXPECT_EQ(*in.expect_integer(-18, 0), -18);
  EXPECT_EQ(to_string(in.expect_integer(0, 255).error()), "f:1:10: 300 is outside 0 to 255");
  EXPECT_EQ(*in.expect_float(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(to_string(in.expect_end().error()), "f:1:18: expected the end of the line, found 'y'");
  in.take();
  EXPECT_EQ(to_string(in.expect_name("a name").error()),
            "f:1:19: expected a name, found the end of the line");
}

TEST(Text, QuotesAreShort) {
  EXPECT_EQ(text::quoted(std::string(60, 'a')), "'" + std::string(60, 'a') + "'");
  EXPECT_EQ(text::quoted(std::string(5'000'000, 'a')),
            "'" + std::string(40, 'a') + "... (5000000 bytes) ..." + std::string(20, 'a') + "'");
}

TEST(Text, WordsHaveALimit) {
  const std::string file = "a";
  const Language language;
  EXPECT_TRUE(tokenize(std::string(kMaxToken, 'a'), file, language).ok());
  EXPECT_EQ(tokenize(std::string(kMaxToken + 1, 'a'), file, language).error().message,
            "a word of 4097 bytes; at most 4096 are allowed");
}

TEST(Text, InvisibleCharactersBecomeVisible) {
  EXPECT_EQ(visible("plain \\x1b, \u00e9 \u4e2d \U0001f600"), "plain \\x1b, \u00e9 \u4e2d \U0001f600");
  EXPECT_EQ(visible("\x1b[2J\a\x7f\n\t"), "\\x1b[2J\\x07\\x7f\\x0a\\x09");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("\u009b31m\u202eabc\u2066\ufeff\U000e0041"),
            "\\u009b31m\\u202eabc\\u2066\\ufeff\\U000e0041");
  EXPECT_EQ(visible_lines("a\n\tb\r"), "a\n\tb\\x0d");
}

TEST(Text, BytesThatAreNotUtf8BecomeVisible) {
  EXPECT_EQ(visible("\xff\xc3"), "\\xff\\xc3");                             // never a lead; nothing follows
  EXPECT_EQ(visible("\xc0\xaf\xe0\x80\xaf"), "\\xc0\\xaf\\xe0\\x80\\xaf");  // longer than need be
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");                    // a surrogate
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");           // after the last code point
  EXPECT_EQ(visible("\xe4\xb8z"), "\\xe4\\xb8z");
}

// Also of characters and escapes that a cut would part.
TEST(Text, LongNamesAreShort) {
  for (std::size_t size = 200; size < 216; ++size)
    for (const char* part : {"a", "\u00e9", "\U0001f600", "\x1b", "\xff"}) {
      std::string name;
      while (name.size() < size) name += part;
      const std::string text = shortened(name);
      EXPECT_EQ(visible(text), text) << size << part;
      EXPECT_LE(text.size(), name.size() <= kMostOfName ? 4 * kMostOfName : kMostOfName + 24) << size << part;
      EXPECT_EQ(text.find(" bytes)") != std::string::npos, name.size() > kMostOfName) << size << part;
    }
}

}  // namespace
}  // namespace warpjit::text
