#include "frontend/usse/encoding/encoding.h"

#include <algorithm>
#include <initializer_list>

namespace warpjit::usse {
namespace {

constexpr std::string_view kOpcodeNames[] = {
#define USSE_OPCODE(opcode, mnemonic) mnemonic,
#include "frontend/usse/encoding/encoding.inc"
};
constexpr std::string_view kBankNames[] = {"r", "pa", "sa", "o", "i", "c", "g", "#", "idx"};

namespace table {
constexpr std::string_view kNames[] = {"", "p0", "p1", "p2", "p3", "!p0", "!p1", "!p2", "pn"};
constexpr std::string_view kTypeNames[] = {"u8",  "s8",  "o8", "u16", "s16", "f16",
                                           "f32", "c10", "i8", "i16", "i32", "native"};
constexpr std::string_view kFactorNames[] = {"zero", "srcsat", "s0",  "s0a",     "s1",
                                             "s1a",  "s2",     "s2a", "special", "code7"};
constexpr std::span<const std::string_view> names_of(Predicate) { return kNames; }
constexpr std::span<const std::string_view> names_of(Type) { return kTypeNames; }
constexpr std::span<const std::string_view> names_of(Factor) { return kFactorNames; }

template <class Enum>
constexpr Modifier named(std::string_view name, std::uint8_t (*get)(const Instruction&),
                         void (*set)(Instruction&, std::uint8_t),
                         std::initializer_list<std::string_view> words) {
  Modifier modifier{.name = name, .get = get, .set = set};
  const auto names = names_of(Enum{});
  for (const std::string_view word : words) {
    std::uint8_t value = 0;
    if (word != Modifier::kInvalid)
      while (names[value] != word) ++value;  // after the last one the compiler stops
    modifier.words[modifier.count] = word;
    modifier.values[modifier.count++] = value;
  }
  return modifier;
}

constexpr Modifier kModifiers[] = {
#define USSE_WORDS(name, member, first, ...)                                                                \
  encoding::modifier_of_words<Instruction>(                                                                 \
      #name, [](const Instruction& i) { return static_cast<std::uint8_t>(i.member); },                      \
      [](Instruction& i, std::uint8_t value) { i.member = static_cast<decltype(i.member)>(value); }, first, \
      {__VA_ARGS__}),
#define USSE_NAMED(name, member, Enum, ...)                                                          \
  named<Enum>(                                                                                       \
      #name, [](const Instruction& i) { return static_cast<std::uint8_t>(i.member); },               \
      [](Instruction& i, std::uint8_t value) { i.member = static_cast<decltype(i.member)>(value); }, \
      {__VA_ARGS__}),
#include "frontend/usse/encoding/encoding.inc"
};

constexpr SwizzleTable swizzles(std::string_view name, std::initializer_list<std::string_view> words) {
  SwizzleTable result{.name = name};
  std::ranges::copy(words, result.words.begin());
  result.letters = static_cast<std::uint8_t>(words.begin()->size());
  return result;
}
constexpr SwizzleTable kSwizzles[] = {
#define USSE_SWIZZLE(name, ...) swizzles(#name, {__VA_ARGS__}),
#include "frontend/usse/encoding/encoding.inc"
};
}  // namespace table

class Parser : public encoding::PatternParser<Grammar, Parser> {
 public:
  using Kind = SyntaxToken::Kind;

  constexpr Parser(Opcode opcode, Group group, unsigned primary)
      : PatternParser(opcode, group, table::kModifiers) {
    fix(59, 5, primary);
  }

  constexpr bool operand(std::string_view word) {
    if (word == "-") {
      add({.kind = Kind::unread, .field = {{{{28, 2}}}}, .extension = 48});
      return true;
    }
    if (word[0] == '#') return immediate(word.substr(1));
    if (word[0] == 'D') return reg(Kind::destination, word.substr(1));
    if (word[0] == 'S') return reg(Kind::source, word.substr(1));
    return false;
  }

 private:
  // "offset@0:20|s"
  constexpr bool immediate(std::string_view text) {
    SyntaxToken token{.kind = Kind::immediate};
    const std::size_t at = text.find('@');
    std::uint8_t name = 0;
    while (kImmediateNames[name] != text.substr(0, at)) ++name;  // after the last one the compiler stops
    token.immediate = static_cast<Immediate>(name);
    token.is_signed = text.ends_with("|s");
    if (token.is_signed) text.remove_suffix(2);
    token.field = field_of(text.substr(at + 1));
    add(token);
    return true;
  }

  // "1@6:6|x2|b@30:2|e@49|z:A1@20:2,44|abs@38|neg@37", after the letter
  constexpr bool reg(Kind kind, std::string_view text) {
    SyntaxToken token{.kind = kind};
    if (text[0] != '@') {
      token.index = static_cast<std::uint8_t>(text[0] - '0');
      text.remove_prefix(1);
    }
    token.field = field_of(take_option(text).substr(1));
    while (!text.empty()) option(token, take_option(text));
    add(token);
    return true;
  }
  static constexpr std::string_view take_option(std::string_view& text) {
    const std::size_t bar = text.find('|');
    const std::string_view option = text.substr(0, bar);
    text.remove_prefix(bar == std::string_view::npos ? text.size() : bar + 1);
    return option;
  }
  static constexpr void option(SyntaxToken& token, std::string_view option) {
    const std::size_t at = option.find('@');
    const std::string_view name = option.substr(0, at);
    if (at == std::string_view::npos) {
      if (name == "x2")
        token.doubled = true;
      else if (name == "xu")
        token.dual = true;
      else if (name == "i")
        token.internal = true;
      else if (name == "sa")
        token.secondary = true;
      else
        throw "no such option";
      return;
    }
    const BitField field = field_of(option.substr(at + 1));
    const std::uint8_t bit = field.ranges[0].low;
    if (name == "b")
      token.bank = field;
    else if (name == "e")
      token.extension = bit;
    else if (name == "m" || name == "mw")
      token.mask = field, token.mask_from_w = name == "mw";
    else if (name == "y")
      token.swizzle_high = field;
    else if (name == "neg")
      token.negate = bit;
    else if (name == "abs")
      token.absolute = bit;
    else if (name == "h")
      token.high = field;
    else if (name.starts_with("z:"))
      token.table = table_of(name.substr(2)), token.swizzle = field;
    else
      throw "no such option";
  }
  static constexpr std::uint8_t table_of(std::string_view name) {
    if (name == "free") return kFreeSwizzle;
    if (name == "pack") return kPackSwizzle;
    std::uint8_t k = 0;
    while (table::kSwizzles[k].name != name) ++k;  // after the last one the compiler stops
    return k;
  }
};

// Each call is a constant expression of its own: compilers limit the steps of one.
consteval Pattern parse_pattern(Opcode opcode, Group group, unsigned primary, std::string_view syntax) {
  return Parser(opcode, group, primary).parse(syntax).pattern();
}

constexpr Pattern kPatterns[] = {
#define USSE_ENCODING(opcode, group, primary, syntax) \
  parse_pattern(Opcode::opcode, Group::group, primary, syntax),
#include "frontend/usse/encoding/encoding.inc"
};

constexpr BitField kKey{{{{59, 5}}}};
constexpr encoding::PatternIndex<kKey, encoding::index_entries(kPatterns, kKey)> kIndex(kPatterns);
constexpr encoding::OpcodePatterns<kOpcodeCount> kOpcodePatterns(kPatterns);

constexpr std::string_view kLetters = "xyzw012h";

}  // namespace

std::span<const Modifier> modifiers() { return table::kModifiers; }
bool is_predicate(const Modifier& modifier) {
  constexpr std::string_view kTables[] = {"pext", "pvec", "pdual", "pshort", "pkill"};
  return std::ranges::find(kTables, modifier.name) != std::end(kTables);
}
std::span<const SwizzleTable> swizzle_tables() { return table::kSwizzles; }
std::span<const Pattern> patterns() { return kPatterns; }
std::span<const std::uint16_t> candidates(std::uint64_t word) { return kIndex.candidates(word); }
std::span<const Pattern> patterns_of(Opcode opcode) {
  return kOpcodePatterns.of(patterns(), static_cast<std::size_t>(opcode));
}

std::string_view name(Opcode opcode) { return kOpcodeNames[static_cast<std::size_t>(opcode)]; }
std::string_view name(Bank bank) { return kBankNames[static_cast<std::size_t>(bank)]; }

std::string swizzle_text(const SyntaxToken& token, const Swizzle& swizzle) {
  std::string text;
  for (const Select select : swizzle) text += kLetters[static_cast<std::size_t>(select)];
  return token.table < kFreeSwizzle ? text.substr(0, swizzle_tables()[token.table].letters) : text;
}

bool parse_swizzle(const SyntaxToken& token, std::string_view text, Swizzle& swizzle) {
  const std::size_t letters = token.table < kFreeSwizzle ? swizzle_tables()[token.table].letters : 4;
  if (text.size() != letters) return false;
  Swizzle result{};
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t letter = kLetters.find(k < letters ? text[k] : letters == 3 ? 'x' : text[0]);
    if (letter == std::string_view::npos || (token.table == kPackSwizzle && letter > 3)) return false;
    result[k] = static_cast<Select>(letter);
  }
  if (token.table < kFreeSwizzle && std::ranges::find(swizzle_tables()[token.table].words, text) ==
                                        swizzle_tables()[token.table].words.end())
    return false;
  swizzle = result;
  return true;
}

bool is_identity(const SyntaxToken& token, const Swizzle& swizzle) {
  Swizzle identity = kIdentity;
  const std::uint8_t letters = token.table < kFreeSwizzle ? swizzle_tables()[token.table].letters : 4;
  if (letters == 1) return false;
  if (letters == 3) identity[3] = Select::x;
  return swizzle == identity;
}

}  // namespace warpjit::usse
