#include "frontend/tesla/encoding.h"

#include <algorithm>

namespace warpjit::tesla {
namespace {

constexpr std::string_view kInvalid = Modifier::kInvalid;

constexpr std::string_view kTypeNames[] = {"",    "b8",  "b16", "b32", "b64", "b128", "u8",
                                           "s8",  "u16", "s16", "u24", "s24", "u32",  "s32",
                                           "u64", "s64", "f16", "f32", "f64"};

constexpr Modifier of_words(std::string_view name, std::uint8_t (*get)(const Instruction&),
                            void (*set)(Instruction&, std::uint8_t), std::uint8_t first,
                            std::initializer_list<std::string_view> words) {
  Modifier modifier{.name = name, .get = get, .set = set};
  for (const std::string_view word : words) {
    modifier.words[modifier.count] = word;
    modifier.values[modifier.count] = static_cast<std::uint8_t>(first + modifier.count);
    ++modifier.count;
  }
  return modifier;
}

constexpr Modifier of_types(std::string_view name, std::uint8_t (*get)(const Instruction&),
                            void (*set)(Instruction&, std::uint8_t), std::initializer_list<Type> types) {
  Modifier modifier{.name = name, .get = get, .set = set};
  for (const Type type : types) {
    modifier.words[modifier.count] = type == Type::none ? kInvalid : kTypeNames[static_cast<int>(type)];
    modifier.values[modifier.count++] = static_cast<std::uint8_t>(type);
  }
  return modifier;
}

namespace table {
using enum Type;
constexpr Modifier kModifiers[] = {
#define TESLA_WORDS(name, member, first, ...)                               \
  of_words(                                                                 \
      #name, [](const Instruction& i) -> std::uint8_t { return i.member; }, \
      [](Instruction& i, std::uint8_t value) { i.member = value; }, first, {__VA_ARGS__}),
#define TESLA_TYPES(name, member, ...)                                                 \
  of_types(                                                                            \
      #name, [](const Instruction& i) { return static_cast<std::uint8_t>(i.member); }, \
      [](Instruction& i, std::uint8_t value) { i.member = static_cast<Type>(value); }, {__VA_ARGS__}),
#include "frontend/tesla/encoding.inc"
};
}  // namespace table

// Parses the syntax of one row. A mistake in the table stops the compiler at `throw`.
class RowParser {
 public:
  constexpr RowParser(Opcode opcode, Form form, unsigned primary, unsigned secondary, std::string_view syntax)
      : text_(syntax) {
    row_.opcode = opcode;
    row_.form = form;
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

  constexpr Row parse() {
    while (true) {
      skip_spaces();
      if (at_ == text_.size()) return row_;
      std::size_t end = text_.find(' ', at_);
      if (end == std::string_view::npos) end = text_.size();
      word_ = text_.substr(at_, end - at_);
      at_ = end;
      parse_word();
    }
  }

 private:
  constexpr void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  constexpr void fix(unsigned low, unsigned width, std::uint64_t value) {
    row_.mask = with_bits<std::uint64_t>(row_.mask, low, width, ~std::uint64_t{0});
    row_.match = with_bits<std::uint64_t>(row_.match, low, width, value);
  }

  constexpr unsigned number(std::string_view& text) {
    unsigned value = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits)
      value = value * 10 + static_cast<unsigned>(text[digits] - '0');
    if (digits == 0) throw "a number is missing";
    text.remove_prefix(digits);
    return value;
  }

  constexpr void parse_fixed_bits() {
    std::string_view rest = word_.substr(1);
    const unsigned low = number(rest);
    unsigned width = 1;
    if (rest[0] == ':') {
      rest.remove_prefix(1);
      width = number(rest);
    }
    if (rest[0] != '=') throw "= is missing";
    rest.remove_prefix(1);
    fix(low, width, number(rest));
  }

  // "46:4" or "58,59".
  constexpr BitField parse_bits(std::string_view rest) {
    BitField field;
    unsigned count = 0;
    while (true) {
      const unsigned low = number(rest);
      unsigned width = 1;
      if (!rest.empty() && rest[0] == ':') {
        rest.remove_prefix(1);
        width = number(rest);
      }
      field.pieces[count++] = {static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(width)};
      if (rest.empty()) return field;
      rest.remove_prefix(1);
    }
  }

  constexpr std::uint8_t find_modifier(std::string_view name) {
    for (std::uint8_t k = 0; k < std::size(table::kModifiers); ++k)
      if (table::kModifiers[k].name == name) return k;
    throw "no such modifier";
  }

  constexpr BitField register_field(char letter) {
    const bool long_form = row_.form == Form::long_;
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

  constexpr void parse_register(char letter, bool memory_allowed, std::string_view width) {
    Token token;
    const bool is_dst = letter == 'D' && !stores_;
    token.kind = is_dst ? Token::Kind::dst : Token::Kind::src;
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
      token.width_bit = static_cast<std::uint8_t>(number(width));
    } else if (width[0] == '*') {
      token.width = 1;
    } else {
      token.width = static_cast<std::uint8_t>(number(width));
    }
    add(token);
  }

  constexpr void parse_memory() {
    Token token{.kind = Token::Kind::memory};
    token.is_store = stores_;
    if (!stores_) token.index = sources_++;
    switch (word_[0]) {
      case 'c':
        token.space = Operand::Kind::constant;
        token.field = {{{{9, 16}}}};
        break;
      case 's':
        token.space = Operand::Kind::shared;
        token.field = {{{{9, 16}}}};
        break;
      case 'l':
        token.space = Operand::Kind::local;
        token.field = {{{{9, 16}}}};
        break;
      case 'o':
        token.space = Operand::Kind::output;
        token.field = {{{{9, 14}}}};
        break;
      case 'a':
        token.space = Operand::Kind::attribute;
        token.field = {{{{9, 7}}}};
        break;
      case 'g':
      case 'G':
        token.space = Operand::Kind::global;
        token.atomic = word_[0] == 'G';
        token.field = {{{{9, 7}}}};
        break;
      default:
        throw "no such memory";
    }
    add(token);
  }

  constexpr void simple(Token::Kind kind) { add({.kind = kind}); }
  constexpr void source(Token::Kind kind, BitField field = {}) {
    add({.kind = kind, .index = sources_++, .field = field});
  }

  constexpr void parse_word() {
    using Kind = Token::Kind;
    const std::size_t at = word_.find('@');
    if (word_[0] == '[') return parse_fixed_bits();
    if (word_.ends_with("[]")) return parse_memory();
    if (word_ == "F") return simple(Kind::flags);
    if (word_ == "F!") return simple(Kind::flags_always);
    if (word_ == "F?") return simple(Kind::carry);
    if (word_ == "K") return source(Kind::condition_read);
    if (word_ == "X") return simple(Kind::address_dst);
    if (word_ == "Y") return source(Kind::address_src);
    if (word_ == "I") return source(Kind::immediate, {{{{16, 6}, {34, 26}}}});
    if (word_ == "T") return add({.kind = Kind::target, .field = {{{{11, 16}, {46, 6}}}}});
    if (word_ == "P") return simple(Kind::predicate);
    if (word_ == "DD") return source(Kind::dst_again);
    if (word_.starts_with("L@")) return add({.kind = Kind::lanes, .field = parse_bits(word_.substr(2))});
    if (word_.starts_with("S@")) return source(Kind::special, parse_bits(word_.substr(2)));
    if (word_.starts_with("#@")) return add({.kind = Kind::number, .field = parse_bits(word_.substr(2))});
    if (word_.starts_with("N@")) return source(Kind::number_operand, parse_bits(word_.substr(2)));
    if (word_.starts_with("count@")) return add({.kind = Kind::count, .field = parse_bits(word_.substr(6))});
    const char first = word_[0];
    if (word_.size() > 1 && is_width(word_[1])) {
      if (first >= 'A' && first <= 'D') return parse_register(first, true, word_.substr(1));
      if (first >= 'a' && first <= 'd')
        return parse_register(static_cast<char>(first - 'a' + 'A'), false, word_.substr(1));
    }
    if (at != std::string_view::npos)
      return add({.kind = Kind::modifier,
                  .modifier = find_modifier(word_.substr(0, at)),
                  .field = parse_bits(word_.substr(at + 1))});
    if (const std::size_t equals = word_.find('='); equals != std::string_view::npos)
      return parse_fixed_modifier(word_.substr(0, equals), word_.substr(equals + 1));
    if (word_ == "st" || word_ == "red") stores_ = true;
    add({.kind = Kind::literal, .text = word_});
  }

  constexpr void parse_fixed_modifier(std::string_view name, std::string_view value) {
    Token token{.kind = Token::Kind::fixed_modifier, .modifier = find_modifier(name)};
    const Modifier& modifier = table::kModifiers[token.modifier];
    for (std::uint8_t k = 0; k < modifier.count; ++k)
      if (modifier.words[k] == value || (value == "1" && k == 1 && modifier.count == 2)) {
        token.value = k;
        return add(token);
      }
    throw "the modifier has no such value";
  }

  static constexpr bool is_width(char c) { return c == '@' || c == '*' || (c >= '1' && c <= '7'); }

  constexpr void add(const Token& token) { row_.tokens[row_.token_count++] = token; }

  std::string_view text_, word_;
  std::size_t at_ = 0;
  std::uint8_t sources_ = 0;
  bool stores_ = false;
  Row row_{};
};

// Each call is a constant expression of its own: compilers limit the steps of one.
consteval Row parse_row(Opcode opcode, Form form, unsigned primary, unsigned secondary,
                        std::string_view syntax) {
  return RowParser(opcode, form, primary, secondary, syntax).parse();
}

constexpr Row kRows[] = {
#define TESLA_ENCODING(opcode, form, primary, secondary, syntax) \
  parse_row(Opcode::opcode, Form::form, primary, secondary, syntax),
#include "frontend/tesla/encoding.inc"
};

constexpr unsigned primary_of(const Row& row) { return static_cast<unsigned>(row.match >> 28 & 15); }

// Where the rows of each primary opcode begin.
consteval std::array<std::uint16_t, 17> first_rows() {
  std::array<std::uint16_t, 17> first{};
  for (unsigned primary = 0, row = 0; primary <= 16; ++primary) {
    while (row < std::size(kRows) && primary_of(kRows[row]) < primary) ++row;
    first[primary] = static_cast<std::uint16_t>(row);
  }
  return first;
}
constexpr auto kFirstRows = first_rows();
static_assert(std::ranges::is_sorted(kRows, {}, primary_of));

consteval std::array<std::uint16_t, kOpcodeCount> first_of_opcodes() {
  std::array<std::uint16_t, kOpcodeCount> first{};
  for (std::size_t row = std::size(kRows); row-- > 0;)
    first[static_cast<std::size_t>(kRows[row].opcode)] = static_cast<std::uint16_t>(row);
  return first;
}
constexpr auto kFirstOfOpcodes = first_of_opcodes();

}  // namespace

std::span<const Row> rows_from(Opcode opcode) {
  return std::span(kRows).subspan(kFirstOfOpcodes[static_cast<std::size_t>(opcode)]);
}
std::span<const Row> rows_of(unsigned primary) {
  return std::span(kRows).subspan(kFirstRows[primary], kFirstRows[primary + 1] - kFirstRows[primary]);
}
std::span<const Modifier> modifiers() { return table::kModifiers; }
std::span<const Row> rows() { return kRows; }

std::string_view name(Type type) { return kTypeNames[static_cast<int>(type)]; }

}  // namespace warpjit::tesla
