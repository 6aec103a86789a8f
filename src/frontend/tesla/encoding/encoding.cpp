#include "frontend/tesla/encoding/encoding.h"

#include <algorithm>

namespace warpjit::tesla {
namespace {

constexpr std::string_view kTypeNames[] = {"",    "b8",  "b16", "b32", "b64", "b128", "u8",
                                           "s8",  "u16", "s16", "u24", "s24", "u32",  "s32",
                                           "u64", "s64", "f16", "f32", "f64"};

constexpr Modifier of_types(std::string_view name, std::uint8_t (*get)(const Instruction&),
                            void (*set)(Instruction&, std::uint8_t), std::initializer_list<Type> types) {
  Modifier modifier{.name = name, .get = get, .set = set};
  for (const Type type : types) {
    modifier.words[modifier.count] =
        type == Type::none ? Modifier::kInvalid : kTypeNames[static_cast<int>(type)];
    modifier.values[modifier.count++] = static_cast<std::uint8_t>(type);
  }
  return modifier;
}

namespace table {
using enum Type;
constexpr std::string_view kInvalid = Modifier::kInvalid;
constexpr Modifier kModifiers[] = {
#define TESLA_WORDS(name, member, first, ...)                               \
  encoding::modifier_of_words<Instruction>(                                 \
      #name, [](const Instruction& i) -> std::uint8_t { return i.member; }, \
      [](Instruction& i, std::uint8_t value) { i.member = value; }, first, {__VA_ARGS__}),
#define TESLA_TYPES(name, member, ...)                                                 \
  of_types(                                                                            \
      #name, [](const Instruction& i) { return static_cast<std::uint8_t>(i.member); }, \
      [](Instruction& i, std::uint8_t value) { i.member = static_cast<Type>(value); }, {__VA_ARGS__}),
#include "frontend/tesla/encoding/encoding.inc"
};
}  // namespace table

class Parser : public encoding::PatternParser<Grammar, Parser> {
 public:
  constexpr Parser(Opcode opcode, Form form, unsigned primary, unsigned secondary)
      : PatternParser(opcode, form, table::kModifiers), form_(form) {
    fix(28, 4, primary);
    switch (form) {
      case Form::short_:
        fix(0, 2, 0);
        break;
      case Form::short_control:
        fix(0, 2, 2);
        break;
      case Form::long_:
        fix(0, 2, 1);
        fix(61, 3, secondary);
        break;
      case Form::immediate:
        fix(0, 2, 1);
        fix(32, 2, 3);
        break;
      case Form::control:
        fix(0, 2, 3);
        break;
    }
  }

  constexpr bool operand(std::string_view word) {
    using Kind = SyntaxToken::Kind;
    if (word == "st" || word == "red") stores_ = true;
    if (word.ends_with("[]")) return memory(word[0]);
    if (word == "F") return simple(Kind::flags);
    if (word == "F!") return simple(Kind::flags_always);
    if (word == "F?") return simple(Kind::carry);
    if (word == "K") return source(Kind::condition_read);
    if (word == "X") return simple(Kind::address_dst);
    if (word == "Y") return source(Kind::address_src);
    if (word == "I") return source(Kind::immediate, {{{{16, 6}, {34, 26}}}});
    if (word == "T") return simple(Kind::target, {{{{11, 16}, {46, 6}}}});
    if (word == "P") return simple(Kind::predicate);
    if (word == "DD") return source(Kind::dst_again);
    if (word.starts_with("L@")) return simple(Kind::lanes, field_of(word.substr(2)));
    if (word.starts_with("S@")) return source(Kind::special, field_of(word.substr(2)));
    if (word.starts_with("#@")) return simple(Kind::number, field_of(word.substr(2)));
    if (word.starts_with("N@")) return source(Kind::number_operand, field_of(word.substr(2)));
    if (word.starts_with("count@")) return simple(Kind::count, field_of(word.substr(6)));
    if (word == "results") return simple(Kind::results);
    if (word.starts_with("results@")) return simple(Kind::results, field_of(word.substr(8)));
    if (word.starts_with("arguments@")) return simple(Kind::arguments, field_of(word.substr(10)));
    if (word.starts_with("texture@")) return simple(Kind::texture, field_of(word.substr(8)));
    if (word.starts_with("sampler@")) return simple(Kind::sampler, field_of(word.substr(8)));
    if (word.starts_with("offsets@")) return simple(Kind::offsets, field_of(word.substr(8)));
    const char first = word[0];
    if (word.size() > 1 && is_width(word[1])) {
      if (first >= 'A' && first <= 'D') return register_operand(first, true, word.substr(1));
      if (first >= 'a' && first <= 'd')
        return register_operand(static_cast<char>(first - 'a' + 'A'), false, word.substr(1));
    }
    return false;
  }

 private:
  constexpr BitField register_field(char letter) {
    const bool long_form = form_ == Form::long_;
    const std::uint8_t width = long_form ? 7 : 6;
    switch (letter) {
      case 'D':
        return {{{{2, width}}}};
      case 'A':
        return {{{{9, width}}}};
      case 'B':
        return {{{{16, width}}}};
      case 'C':
        if (!long_form) throw "only long instructions have a third source field";
        return {{{{46, width}}}};
      default:
        throw "no such field";
    }
  }

  constexpr bool register_operand(char letter, bool memory_allowed, std::string_view width) {
    SyntaxToken token;
    const bool is_dst = letter == 'D' && !stores_;
    token.kind = is_dst ? SyntaxToken::Kind::dst : SyntaxToken::Kind::src;
    token.field = register_field(letter);
    token.memory_allowed = memory_allowed;
    token.slot = static_cast<std::uint8_t>(letter == 'D' ? 3 : letter - 'A');
    if (!is_dst) token.index = sources_++;
    if (letter == 'D' && width[0] == '7') {  // D7@..
      token.field = {{{{2, 7}}}};
      width.remove_prefix(1);
    }
    if (width[0] == '@') {
      width.remove_prefix(1);
      token.width_bit = static_cast<std::uint8_t>(take_number(width));
    } else if (width[0] == '*') {
      token.width = 1;
    } else {
      token.width = static_cast<std::uint8_t>(take_number(width));
    }
    add(token);
    return true;
  }

  constexpr bool memory(char space) {
    SyntaxToken token{.kind = SyntaxToken::Kind::memory};
    token.is_store = stores_;
    if (!stores_) token.index = sources_++;
    struct Row {
      char letter;
      Operand::Kind space;
      std::uint8_t first, width;
    };
    using Kind = Operand::Kind;
    constexpr Row kRows[] = {{'c', Kind::constant, 9, 16}, {'s', Kind::shared, 9, 16},
                             {'l', Kind::local, 9, 16},    {'o', Kind::output, 9, 14},
                             {'a', Kind::attribute, 9, 7}, {'v', Kind::interpolant, 16, 8},
                             {'g', Kind::global, 9, 7},    {'G', Kind::global, 9, 7}};
    std::size_t n = 0;
    while (kRows[n].letter != space) ++n;  // after the last one the compiler stops
    token.space = kRows[n].space;
    token.field = {{{{kRows[n].first, kRows[n].width}}}};
    token.atomic = space == 'G';
    add(token);
    return true;
  }

  constexpr bool simple(SyntaxToken::Kind kind, BitField field = {}) {
    add({.kind = kind, .field = field});
    return true;
  }
  constexpr bool source(SyntaxToken::Kind kind, BitField field = {}) {
    add({.kind = kind, .index = sources_++, .field = field});
    return true;
  }

  static constexpr bool is_width(char c) { return c == '@' || c == '*' || (c >= '1' && c <= '7'); }

  Form form_;
  std::uint8_t sources_ = 0;
  bool stores_ = false;
};

// Each call is a constant expression of its own: compilers limit the steps of one.
consteval Pattern parse_pattern(Opcode opcode, Form form, unsigned primary, unsigned secondary,
                                std::string_view syntax) {
  return Parser(opcode, form, primary, secondary).parse(syntax).pattern();
}

constexpr Pattern kPatterns[] = {
#define TESLA_ENCODING(opcode, form, primary, secondary, syntax) \
  parse_pattern(Opcode::opcode, Form::form, primary, secondary, syntax),
#include "frontend/tesla/encoding/encoding.inc"
};

// The key that separates most patterns: the primary opcode, the form and, of long instructions,
// the secondary opcode.
constexpr BitField kKey{{{{28, 4}, {0, 2}, {61, 3}}}};
constexpr encoding::PatternIndex<kKey, encoding::index_entries(kPatterns, kKey)> kIndex(kPatterns);
constexpr encoding::OpcodePatterns<kOpcodeCount> kOpcodePatterns(kPatterns);

}  // namespace

std::span<const std::uint16_t> candidates(std::uint64_t word) { return kIndex.candidates(word); }
std::span<const Pattern> patterns_of(Opcode opcode) {
  return kOpcodePatterns.of(patterns(), static_cast<std::size_t>(opcode));
}
std::span<const Modifier> modifiers() { return table::kModifiers; }
std::span<const Pattern> patterns() { return kPatterns; }

std::string_view name(Type type) { return kTypeNames[static_cast<int>(type)]; }

}  // namespace warpjit::tesla
