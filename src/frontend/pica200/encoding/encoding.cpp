#include "frontend/pica200/encoding/encoding.h"

#include <algorithm>
#include <utility>

namespace warpjit::pica200 {
namespace {

using Modifier = encoding::Modifier<Instruction>;

constexpr Modifier kModifiers[] = {
#define PICA_WORDS(member, ...)                                                          \
  encoding::modifier_of_words<Instruction>(                                              \
      #member, [](const Instruction& i) { return static_cast<std::uint8_t>(i.member); }, \
      [](Instruction& i, std::uint8_t value) { i.member = value; }, 0, {__VA_ARGS__}),
#include "frontend/pica200/encoding/encoding.inc"
};

struct Member {
  std::string_view name;
  std::uint16_t Instruction::*member;
  Field::Kind kind;
};
constexpr Member kMembers[] = {
#define PICA_FIELD(member, kind) {#member, &Instruction::member, Field::Kind::kind},
#include "frontend/pica200/encoding/encoding.inc"
};
constexpr const Member& find_member(std::string_view name) {
  for (const Member& member : kMembers)
    if (member.name == name) return member;
  throw "no such field";
}

class Parser : public encoding::PatternParser<Grammar, Parser> {
 public:
  constexpr Parser(Opcode opcode, Format format) : PatternParser(opcode, format, kModifiers) {}

  constexpr bool operand(std::string_view word) {
    using Kind = SyntaxToken::Kind;
    if (!std::exchange(has_mnemonic_, true)) return false;  // "dst" is an instruction, too
    if (word[0] == '{') {
      unstructured_ = true;
      word.remove_prefix(1);
    }
    const bool last = word.ends_with('}');
    if (last) word.remove_suffix(1);
    SyntaxToken token{.unstructured = unstructured_};
    if (last) unstructured_ = false;
    if (word == ",") {
      token.text = ",";
    } else if (word == "dst") {
      token.kind = Kind::dst;
    } else if (word == "a0") {
      token.kind = Kind::address_registers;
    } else if (word == "src1" || word == "src2" || word == "src3") {
      token.kind = Kind::source;
      token.value = static_cast<std::uint8_t>(word[3] - '0');
    } else if (word == "condition") {
      token.kind = Kind::condition;
    } else if (word == "uniform") {
      token.kind = Kind::uniform;
    } else if (word == "!uniform") {
      token.kind = Kind::uniform_or_not;
    } else if (word == "target") {
      token.kind = Kind::target;
    } else if (word == "num") {
      token.kind = Kind::length;
    } else if (word == "vertex") {
      token.kind = Kind::vertex;
    } else if (word == "flags") {
      token.kind = Kind::emit_flags;
    } else {
      const std::size_t at = word.find('@');
      if (at == std::string_view::npos) throw "no such operand";
      for (const Modifier& modifier : kModifiers)
        if (modifier.name == word.substr(0, at)) return false;
      token.kind = Kind::field;
      token.field = field_of(word.substr(at + 1));
      token.member = find_member(word.substr(0, at)).member;
    }
    add(token);
    return true;
  }

 private:
  bool has_mnemonic_ = false, unstructured_ = false;
};

struct FormatInfo {
  std::uint8_t wide;
  std::string_view fields;
};
constexpr FormatInfo kFormats[] = {
#define PICA_FORMAT(name, wide, fields) {wide, fields},
#include "frontend/pica200/encoding/encoding.inc"
};

// Each call is a constant expression of its own: compilers limit the steps of one.
consteval Pattern parse_pattern(Opcode opcode, Format format, std::string_view syntax) {
  const std::string_view fields = kFormats[static_cast<std::size_t>(format)].fields;
  return Parser(opcode, format).parse(syntax).parse(fields).pattern();
}

constexpr Pattern kPatterns[] = {
#define PICA_OPCODE(name, format, traits, reads1, reads2, reads3, swapped, syntax) \
  parse_pattern(Opcode::name, Format::format, syntax),
#include "frontend/pica200/encoding/encoding.inc"
};
static_assert(std::size(kPatterns) == kOpcodeCount);

constexpr OpcodeInfo kOpcodes[] = {
#define PICA_OPCODE(name, format, traits, reads1, reads2, reads3, swapped, syntax) \
  {kPatterns[static_cast<std::size_t>(Opcode::name)].tokens[0].text,               \
   Format::format,                                                                 \
   traits,                                                                         \
   {reads1, reads2, reads3},                                                       \
   Opcode::swapped},
#include "frontend/pica200/encoding/encoding.inc"
};

// The fields of each opcode by position, the lowest first.
struct FieldLists {
  std::array<std::array<Field, 6>, kOpcodeCount> list{};
  std::array<std::uint8_t, kOpcodeCount> count{};
  std::array<std::uint32_t, kOpcodeCount> unused{};
};
constexpr FieldLists kFields = [] {
  FieldLists result;
  for (std::size_t k = 0; k < kOpcodeCount; ++k) {
    std::uint32_t unused = ~kPatterns[k].mask;
    auto& list = result.list[k];
    auto& count = result.count[k];
    for (const SyntaxToken& token : kPatterns[k].syntax()) {
      if (token.field.empty()) continue;
      const auto [low, width] = token.field.ranges[0];
      const Member* found = nullptr;
      for (const Member& member : kMembers) {
        const bool is_it = token.kind == SyntaxToken::Kind::modifier
                               ? member.name == kModifiers[token.modifier].name
                               : member.member == token.member;
        if (is_it) found = &member;
      }
      unsigned at = count++;
      for (; at > 0 && list[at - 1].low > low; --at) list[at] = list[at - 1];
      list[at] = {found->name, found->member, low, width, found->kind};
      unused &= ~(low_mask<std::uint32_t>(width) << low);
    }
    result.unused[k] = unused;
  }
  return result;
}();

// The opcode by the top six bits of a word, which are enough.
constexpr encoding::BitField kKey{{{{26, 6}}}};
constexpr std::uint8_t kNoOpcode = 0xFF;
constexpr auto kByKey = [] {
  std::array<std::uint8_t, 1 << kKey.width()> table{};
  table.fill(kNoOpcode);
  encoding::for_each_allowed(kPatterns, kKey, [&](std::uint32_t value, std::size_t pattern) {
    table[value] = static_cast<std::uint8_t>(kPatterns[pattern].opcode);
  });
  return table;
}();

}  // namespace

std::span<const Modifier> Grammar::modifiers() { return kModifiers; }
std::span<const Pattern> patterns() { return kPatterns; }

OperandSyntax operand_syntax(Opcode opcode) {
  const auto syntax = kPatterns[static_cast<std::size_t>(opcode)].syntax().subspan(1);
  const auto first = std::ranges::find(syntax, true, &SyntaxToken::unstructured);
  const auto structured = static_cast<std::size_t>(first - syntax.begin());
  return {syntax.first(structured), syntax.subspan(structured)};
}

const OpcodeInfo& info(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)]; }

std::optional<Opcode> find_opcode(std::string_view mnemonic) {
  for (std::size_t k = 0; k < std::size(kOpcodes); ++k)
    if (kOpcodes[k].name == mnemonic) return static_cast<Opcode>(k);
  return std::nullopt;
}

int wide_source(Format format) { return kFormats[static_cast<std::size_t>(format)].wide; }

std::span<const Field> fields(Opcode opcode) {
  const auto k = static_cast<std::size_t>(opcode);
  return std::span(kFields.list[k]).first(kFields.count[k]);
}

std::uint32_t unused_bits(Opcode opcode) { return kFields.unused[static_cast<std::size_t>(opcode)]; }

std::optional<Instruction> try_decode(std::uint32_t word) {
  const std::uint8_t opcode = kByKey[kKey.get(word)];
  if (opcode == kNoOpcode) return std::nullopt;
  Instruction result;
  result.opcode = static_cast<Opcode>(opcode);
  result.raw = word;
  result.unused = word & unused_bits(result.opcode);
  for (const Field& field : fields(result.opcode))
    result.*field.member = static_cast<std::uint16_t>(word >> field.low & ((1U << field.width) - 1));
  return result;
}

std::uint32_t encode(const Instruction& instruction) {
  std::uint32_t word = kPatterns[static_cast<std::size_t>(instruction.opcode)].match |
                       (instruction.unused & unused_bits(instruction.opcode));
  for (const Field& field : fields(instruction.opcode))
    word |= (instruction.*field.member & low_mask<std::uint32_t>(field.width)) << field.low;
  return word;
}

}  // namespace warpjit::pica200
