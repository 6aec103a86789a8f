#include "frontend/valhall/encoding/encoding.h"

namespace warpjit::valhall {
namespace {

constexpr std::string_view kOpcodeNames[] = {
#define VALHALL_OPCODE(opcode, mnemonic) mnemonic,
#include "frontend/valhall/encoding/encoding.inc"
};
constexpr std::string_view kTypeNames[] = {
    "",      "i8",   "i16",  "i24",  "i32",  "i48", "i64", "i96", "i128", "u32",   "s32", "v2i16", "v2u16",
    "v2s16", "v2i8", "v4i8", "v4u8", "v4s8", "u64", "s64", "f16", "f32",  "v2f16", "u4",  "u6"};
static_assert(std::size(kTypeNames) == kTypeCount);
constexpr std::string_view kLanesNames[] = {
    "",      "h0",    "h1",    "b0",    "b1",    "b2",    "b3",    "w0",    "w1",    "and",   "lowbits",
    "h00",   "h10",   "h01",   "h11",   "b00",   "b10",   "b20",   "b30",   "b01",   "b11",   "b21",
    "b31",   "b02",   "b12",   "b22",   "b32",   "b03",   "b13",   "b23",   "b33",   "b0123", "b3210",
    "b0101", "b2323", "b0000", "b1111", "b2222", "b3333", "b2301", "b1032", "b0011", "b2233"};
static_assert(std::size(kLanesNames) == static_cast<std::size_t>(Lanes::reserved));

constexpr std::string_view kSpecialNames[4][16] = {
    {"", "", "warp_id", "", "framebuffer_size", "atest_datum", "sample", "", "blend_descriptor_0",
     "blend_descriptor_1", "blend_descriptor_2", "blend_descriptor_3", "blend_descriptor_4",
     "blend_descriptor_5", "blend_descriptor_6", "blend_descriptor_7"},
    {"", "thread_local_pointer", "", "workgroup_local_pointer", "", "", "", "resource_table_pointer"},
    {},
    {"", "lane_id", "", "core_id", "", "", "", "", "", "", "", "", "", "", "", "program_counter"}};

namespace table {
constexpr std::string_view kNone = Modifier::kInvalid;
constexpr Modifier kModifiers[] = {
#define VALHALL_WORDS(name, member, first, ...)                                                             \
  encoding::modifier_of_words<Instruction>(                                                                 \
      #name, [](const Instruction& i) { return static_cast<std::uint8_t>(i.member); },                      \
      [](Instruction& i, std::uint8_t value) { i.member = static_cast<decltype(i.member)>(value); }, first, \
      {__VA_ARGS__}),
#include "frontend/valhall/encoding/encoding.inc"
};

using enum Lanes;
constexpr Select select_of(std::string_view name, std::uint8_t width, Lanes implied,
                           std::initializer_list<Lanes> lanes) {
  Select select{.name = name, .width = width, .implied = implied};
  select.lanes.fill(reserved);
  std::size_t at = 0;
  for (const Lanes value : lanes) select.lanes[at++] = value;
  return select;
}
constexpr Select kSelects[] = {
#define VALHALL_SELECT(name, width, implied, ...) select_of(#name, width, implied, {__VA_ARGS__}),
#include "frontend/valhall/encoding/encoding.inc"
};
}  // namespace table

class Parser : public encoding::PatternParser<Grammar, Parser> {
 public:
  using Kind = SyntaxToken::Kind;

  constexpr Parser(Opcode opcode, Type type, unsigned primary)
      : PatternParser(opcode, type, table::kModifiers) {
    fix(48, 9, primary);
    fix(63, 1, 0);
  }

  constexpr bool operand(std::string_view word) {
    const char letter = word[0];
    if (word == "-") return take({.kind = Kind::no_destination});
    if (letter == 'D')
      return take({.kind = Kind::destination, .field = {{{{40, 6}}}}, .wide = word == "D64"});
    if (letter == '#') return immediate(word.substr(1));
    if (word.starts_with("R@") || word.starts_with("W@"))
      return staging(letter == 'R' ? Kind::read : Kind::write, word.substr(2));
    constexpr std::string_view kSources = "ABCE";
    if (const std::size_t byte = kSources.find(letter); byte != std::string_view::npos)
      return source(static_cast<std::uint8_t>(byte), word.substr(1));
    return false;
  }

 private:
  constexpr bool take(const SyntaxToken& token) {
    add(token);
    return true;
  }
  static constexpr std::uint8_t take_bit(std::string_view& text) {
    return static_cast<std::uint8_t>(take_number(text));
  }

  // "40#33", "16#36+1", "40#33|8"
  constexpr bool staging(Kind kind, std::string_view text) {
    SyntaxToken token{.kind = kind, .field = {{{{take_bit(text), kRegisterBits}}}}};
    if (!text.starts_with('#')) throw "# is missing";
    text.remove_prefix(1);
    token.count_bit = take_bit(text);
    token.count_less_one = text == "+1";
    token.zero_is_eight = text == "|8";
    return take(token);
  }

  // "offset@8:16s"
  constexpr bool immediate(std::string_view text) {
    SyntaxToken token{.kind = Kind::immediate};
    const std::size_t at = text.find('@');
    std::uint8_t name = 0;
    while (kImmediateNames[name] != text.substr(0, at)) ++name;  // after the last one the compiler stops
    token.immediate = static_cast<Immediate>(name);
    token.is_signed = text.ends_with('s');
    if (token.is_signed) text.remove_suffix(1);
    token.field = field_of(text.substr(at + 1));
    return take(token);
  }

  // "64|neg@38|widenf@28", after the letter
  constexpr bool source(std::uint8_t byte, std::string_view text) {
    SyntaxToken token{.kind = Kind::source};
    token.index = sources_++;
    token.field = {{{{static_cast<std::uint8_t>(8 * byte), 8}}}};
    token.wide = text.starts_with("64");
    if (token.wide) text.remove_prefix(2);
    while (!text.empty()) {
      if (text[0] != '|') throw "| is missing";
      const std::size_t at = text.find('@');
      const std::string_view name = text.substr(1, at - 1);
      text.remove_prefix(at + 1);
      if (name == "neg")
        token.negate = take_bit(text);
      else if (name == "abs")
        token.absolute = take_bit(text);
      else if (name == "not")
        token.invert = take_bit(text);
      else
        add_select(token, name, text);
    }
    return take(token);
  }
  static constexpr void add_select(SyntaxToken& token, std::string_view name, std::string_view& text) {
    token.select = 0;
    while (table::kSelects[token.select].name != name) ++token.select;
    token.select_bit = take_bit(text);
  }

  std::uint8_t sources_ = 0;
};

// Each call is a constant expression of its own: compilers limit the steps of one.
// Flow is written last of the modifiers.
consteval Pattern parse_pattern(Opcode opcode, Type type, unsigned primary, std::string_view syntax) {
  return Parser(opcode, type, primary).parse(syntax).parse("flow@59:4").pattern();
}

constexpr Pattern kPatterns[] = {
#define VALHALL_ENCODING(opcode, type, primary, syntax) \
  parse_pattern(Opcode::opcode, Type::type, primary, syntax),
#include "frontend/valhall/encoding/encoding.inc"
};

constexpr BitField kKey{{{{48, 9}}}};
constexpr encoding::PatternIndex<kKey, encoding::index_entries(kPatterns, kKey)> kIndex(kPatterns);
constexpr encoding::OpcodePatterns<kOpcodeCount> kOpcodePatterns(kPatterns);

// Calls `visit` with the member of an instruction that is this immediate.
template <class Visit>
void visit_immediate(auto& instruction, Immediate immediate, const Visit& visit) {
  switch (immediate) {
    case Immediate::offset:
      return visit(instruction.offset);
    case Immediate::constant:
      return visit(instruction.constant);
    case Immediate::table:
      return visit(instruction.table);
    case Immediate::index:
      return visit(instruction.index);
    case Immediate::shift:
      return visit(instruction.shift);
    case Immediate::target:
      return visit(instruction.target);
  }
}

}  // namespace

std::int64_t get(const Instruction& instruction, Immediate immediate) {
  std::int64_t value = 0;
  visit_immediate(instruction, immediate, [&](const auto& member) { value = member; });
  return value;
}
void set(Instruction& instruction, Immediate immediate, std::int64_t value) {
  visit_immediate(instruction, immediate, [&](auto& member) {
    member = static_cast<std::remove_reference_t<decltype(member)>>(value);
  });
}

constexpr std::array<std::uint32_t, 32> kConstants = {
    0x00000000, 0xffffffff, 0x7fffffff, 0xfafcfdfe, 0x01000000, 0x80002000, 0x70605030, 0xc0b0a090,
    0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c,
    0x3f800000, 0x3dcccccd, 0x3ea2f983, 0x3f317218, 0x40490fdb, 0x00000000, 0x477fff00, 0x5c005bf8,
    0x2e660000, 0x34000000, 0x38000000, 0x3c000000, 0x40000000, 0x44000000, 0x48000000, 0x42480000};

std::span<const Modifier> modifiers() { return table::kModifiers; }
std::span<const Select> selects() { return table::kSelects; }
std::span<const Pattern> patterns() { return kPatterns; }
std::span<const std::uint16_t> candidates(std::uint64_t word) { return kIndex.candidates(word); }
const Pattern* find_pattern(Opcode opcode, Type type) {
  for (const Pattern& pattern : kOpcodePatterns.of(patterns(), static_cast<std::size_t>(opcode)))
    if (pattern.opcode == opcode && pattern.form == type) return &pattern;
  return nullptr;
}

std::string_view name(Opcode opcode) { return kOpcodeNames[static_cast<std::size_t>(opcode)]; }
std::string_view name(Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }
std::string_view name(Lanes lanes) {
  return lanes == Lanes::reserved ? std::string_view("?") : kLanesNames[static_cast<std::size_t>(lanes)];
}
std::string mnemonic(Opcode opcode, Type type) {
  std::string text(name(opcode));
  if (type != Type::none) text += "." + std::string(name(type));
  return text;
}
std::string_view special_name(unsigned page, unsigned entry) { return kSpecialNames[page % 4][entry % 16]; }

}  // namespace warpjit::valhall
