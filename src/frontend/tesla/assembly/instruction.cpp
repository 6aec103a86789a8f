#include "frontend/tesla/assembly/instruction.h"

#include <algorithm>
#include <charconv>

#include "base/float_environment.h"
#include "base/parse_float.h"
#include "frontend/assembly/lines.h"
#include "frontend/encoding/syntax.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "frontend/tesla/encoding/encoding.h"

namespace warpjit::tesla {
namespace {

using assembly::bad_line;
using text::quoted;

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// A decimal number below `limit` at the start of `text`.
std::optional<unsigned> take_index(std::string_view& text, unsigned limit) {
  unsigned value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || value >= limit) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<Operand> parse_register(std::string_view text) {
  Operand operand;
  if (take_prefix(text, "$r")) {
    const auto index = take_index(text, 128);
    if (!index) return {};
    operand = {.kind = Operand::Kind::gpr, .type = Type::b32, .value = *index};
    if (text == "l" || text == "h") {
      operand.type = Type::b16;
      operand.value = *index * 2 + (text == "h" ? 1 : 0);
    } else if (text == "d") {
      operand.type = Type::b64;
    } else if (text == "q") {
      operand.type = Type::b128;
    } else if (!text.empty()) {
      return {};
    }
    return operand;
  }
  if (take_prefix(text, "$c")) {
    const auto index = take_index(text, 4);
    if (!index || !text.empty()) return {};
    return Operand{.kind = Operand::Kind::flags, .type = Type::b8, .value = *index};
  }
  if (take_prefix(text, "$a")) {
    const auto index = take_index(text, 8);
    if (!index || !text.empty()) return {};
    return Operand{.kind = Operand::Kind::address, .type = Type::b16, .value = *index};
  }
  return {};
}

// The inside of the brackets: "$a1++0x4", "$a1+0x4", "$a1", "0x0++0x4", "0x40".
bool parse_address(std::string_view text, Operand& operand) {
  const std::size_t plus = text.find('+');
  const std::string_view base = text.substr(0, plus);
  const auto as_register = parse_register(base);
  const bool has_register = as_register && as_register->kind == Operand::Kind::address;
  if (has_register) operand.address = static_cast<std::uint8_t>(as_register->value);
  if (plus == std::string_view::npos) {
    if (has_register) return true;
    const auto offset = parse_number(base);
    if (!offset) return false;
    operand.value = static_cast<std::uint32_t>(*offset);
    return true;
  }
  std::string_view rest = text.substr(plus + 1);
  operand.post_increment = take_prefix(rest, "+");
  if (!has_register && !(operand.post_increment && base == "0x0")) return false;
  const auto offset = parse_number(rest);
  if (!offset) return false;
  operand.value = static_cast<std::uint32_t>(*offset);
  return true;
}

// Memory, with Type::none unless the text names a type.
std::optional<Operand> parse_memory(std::string_view text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  std::string_view space = text.substr(0, open);
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  const std::string_view suffix = text.substr(close + 1);
  Operand operand;
  constexpr std::pair<std::string_view, Operand::Kind> kSpaces[] = {
      {"c", Operand::Kind::constant},    {"s", Operand::Kind::shared}, {"l", Operand::Kind::local},
      {"a", Operand::Kind::attribute},   {"p", Operand::Kind::vertex}, {"o", Operand::Kind::output},
      {"v", Operand::Kind::interpolant}, {"g", Operand::Kind::global}};
  for (const auto& [letter, kind] : kSpaces)
    if (take_prefix(space, letter)) {
      operand.kind = kind;
      break;
    }
  if (operand.kind == Operand::Kind::none) return {};
  if (operand.kind == Operand::Kind::constant || operand.kind == Operand::Kind::global) {
    const auto index = take_index(space, 16);
    if (!index) return {};
    operand.space = static_cast<std::uint8_t>(*index);
  }
  if (!space.empty()) return {};
  if (operand.kind == Operand::Kind::output) {
    operand.type = suffix == "h" ? Type::b16 : Type::b32;
    if (!suffix.empty() && suffix != "h") return {};
  } else if (!suffix.empty()) {
    return {};
  }
  if (operand.kind == Operand::Kind::global) {
    const auto address = parse_register(inside);
    if (!address || address->kind != Operand::Kind::gpr || address->type != Type::b32) return {};
    operand.value = address->value;
    return operand;
  }
  if (!parse_address(inside, operand)) return {};
  return operand;
}

std::optional<std::uint32_t> parse_immediate(std::string_view word) {
  if (word.find('.') != std::string_view::npos) {
    const FloatEnvironment environment;  // or it would round as the caller does
    float value = 0;
    const auto [end, code] = parse_float(word.data(), word.data() + word.size(), value);
    if (code != std::errc{} || end != word.data() + word.size()) return {};
    return to_bits(value);
  }
  const auto number = parse_number(word);
  if (!number || *number < INT32_MIN || *number > UINT32_MAX) return {};
  return static_cast<std::uint32_t>(*number);
}

class Matcher : public encoding::SyntaxMatcher<Grammar, Matcher> {
 public:
  Matcher(const Pattern& pattern, std::span<const std::string_view> words, const Instruction& start)
      : SyntaxMatcher(pattern, words, start) {
    instruction_.opcode = pattern.opcode;
    instruction_.form = pattern.form;
  }

  // False if the words do not match.
  bool run() {
    if (!match()) return false;
    complete_types();
    return true;
  }
  std::string_view label() const { return label_; }

 private:
  friend SyntaxMatcher;

  bool match_register(Operand::Kind kind, Operand& into) {
    const auto operand = parse_register(peek());
    if (!operand || operand->kind != kind) return false;
    into = *operand;
    ++at_;
    return true;
  }

  bool match_dst(const SyntaxToken& token) {
    if (token.memory_allowed && (peek() == "#" || peek() == "#h")) {
      instruction_.dst = {.kind = Operand::Kind::discarded, .type = peek() == "#" ? Type::b32 : Type::b16};
      ++at_;
      return true;
    }
    if (const auto memory = parse_memory(peek());
        token.memory_allowed && memory && memory->kind == Operand::Kind::output && memory->address == 0) {
      instruction_.dst = *memory;
      ++at_;
      return true;
    }
    return match_register(Operand::Kind::gpr, instruction_.dst);
  }

  bool match_source(const SyntaxToken& token) {
    Operand& into = instruction_.src[token.index];
    if (match_register(Operand::Kind::gpr, into)) return true;
    if (!token.memory_allowed) return false;
    // The element type of s[].
    Type element = Type::none;
    for (const Type type : {Type::u8, Type::u16, Type::s16, Type::b32})
      if (peek() == name(type)) element = type;
    if (element != Type::none) ++at_;
    const auto memory = parse_memory(peek());
    if (!memory || (memory->kind == Operand::Kind::shared) != (element != Type::none)) return false;
    into = *memory;
    into.type = element;
    ++at_;
    return true;
  }

  bool match_number(std::uint32_t& into) {
    const auto number = parse_number(peek());
    if (!number || *number < 0 || *number > UINT32_MAX) return false;
    into = static_cast<std::uint32_t>(*number);
    ++at_;
    return true;
  }

  bool match_address_register(Operand& into) {
    if (match_register(Operand::Kind::address, into)) return true;
    into = {.kind = Operand::Kind::address, .type = Type::b16};
    return take("0x0");
  }

  // "$r4:$r5:#:#": `mask` has the registers, the first one of which is `first`, if there is one.
  bool match_registers(std::uint32_t& first, unsigned& mask, unsigned& count) {
    std::string_view word = peek();
    unsigned taken = 0;
    mask = count = 0;
    for (bool more = true; more; ++count) {
      const std::size_t colon = word.find(':');
      const std::string_view part = word.substr(0, colon);
      more = colon != std::string_view::npos;
      word.remove_prefix(more ? colon + 1 : word.size());
      if (count == 4) return false;
      if (part == "#") continue;
      std::string_view digits = part;
      if (!take_prefix(digits, "$r")) return false;
      const auto found = take_index(digits, 131);  // after the last register there are three
      if (!found || !digits.empty()) return false;
      if (taken == 0) first = *found;
      if (*found != first + taken++) return false;
      mask |= 1U << count;
    }
    ++at_;
    return true;
  }
  bool match_results() {
    unsigned mask = 0, count = 0;
    std::uint32_t first = 0;
    if (!match_registers(first, mask, count) || count != 4) return false;
    instruction_.results = static_cast<std::uint8_t>(mask);
    instruction_.dst = {.kind = Operand::Kind::gpr, .type = Type::b32, .value = first};
    return true;
  }
  bool match_arguments() {
    unsigned mask = 0, count = 0;
    std::uint32_t first = 0;
    if (!match_registers(first, mask, count) || mask != (1U << count) - 1) return false;
    if (instruction_.results != 0 && instruction_.dst.value != first) return false;
    instruction_.dst.value = first;
    instruction_.arguments = static_cast<std::uint8_t>(count);
    return true;
  }
  bool match_offsets() {
    for (std::int8_t& offset : instruction_.offsets) {
      const auto number = parse_number(peek());
      if (!number || *number < -8 || *number > 7) return false;
      offset = static_cast<std::int8_t>(*number);
      ++at_;
    }
    return true;
  }
  // "$t4", "$s4"
  bool match_slot(std::string_view prefix, std::uint32_t& into) {
    std::string_view word = peek();
    if (!take_prefix(word, prefix)) return false;
    const auto number = take_index(word, 256);
    if (!number || !word.empty()) return false;
    into = *number;
    ++at_;
    return true;
  }

  bool operand(const SyntaxToken& token) {
    switch (token.kind) {
      case SyntaxToken::Kind::results:
        return match_results();
      case SyntaxToken::Kind::arguments:
        return match_arguments();
      case SyntaxToken::Kind::texture:
        return match_slot("$t", instruction_.number);
      case SyntaxToken::Kind::sampler:
        return match_slot("$s", instruction_.count);
      case SyntaxToken::Kind::offsets:
        return match_offsets();
      case SyntaxToken::Kind::dst:
        return match_dst(token);
      case SyntaxToken::Kind::src:
        return match_source(token);
      case SyntaxToken::Kind::dst_again: {
        Operand again;
        if (!match_register(Operand::Kind::gpr, again) || again != instruction_.dst) return false;
        instruction_.src[token.index] = again;
        return true;
      }
      case SyntaxToken::Kind::flags:
      case SyntaxToken::Kind::flags_always:
        if (Operand flags; match_register(Operand::Kind::flags, flags))
          instruction_.flags = static_cast<std::int8_t>(flags.value);
        else if (token.kind == SyntaxToken::Kind::flags_always)
          return false;
        return true;
      case SyntaxToken::Kind::carry: {
        if (instruction_.operation != static_cast<int>(AddOperation::addc)) return true;
        Operand flags;
        if (!match_register(Operand::Kind::flags, flags)) return false;
        return read_condition_register(flags.value);
      }
      case SyntaxToken::Kind::condition_read:
        if (!match_register(Operand::Kind::flags, instruction_.src[token.index])) return false;
        return read_condition_register(instruction_.src[token.index].value);
      case SyntaxToken::Kind::address_dst:
        return match_address_register(instruction_.dst);
      case SyntaxToken::Kind::address_src:
        return match_address_register(instruction_.src[token.index]);
      case SyntaxToken::Kind::special:
        for (unsigned number = 0; number < 16; ++number)
          if (peek() == special_register_name(number) || peek() == "$sr" + std::to_string(number)) {
            instruction_.src[token.index] = {
                .kind = Operand::Kind::special, .type = Type::b32, .value = number};
            ++at_;
            return true;
          }
        return false;
      case SyntaxToken::Kind::number:
        return match_number(instruction_.number);
      case SyntaxToken::Kind::number_operand:
        instruction_.src[token.index] = {.kind = Operand::Kind::number, .type = Type::b32};
        return match_number(instruction_.src[token.index].value);
      case SyntaxToken::Kind::count:
        return match_number(instruction_.count);
      case SyntaxToken::Kind::immediate: {
        const auto value = parse_immediate(peek());
        if (!value) return false;
        instruction_.src[token.index] = {
            .kind = Operand::Kind::immediate, .type = Type::b32, .value = *value};
        ++at_;
        return true;
      }
      case SyntaxToken::Kind::target: {
        std::string_view word = peek();
        if (word.size() > 1 && take_prefix(word, "#")) {
          label_ = word;
          ++at_;
          return true;
        }
        return match_number(instruction_.target);
      }
      case SyntaxToken::Kind::lanes: {
        return match_lanes();
      }
      case SyntaxToken::Kind::memory: {
        const auto memory = parse_memory(peek());
        if (!memory || memory->kind != token.space) return false;
        (token.is_store ? instruction_.dst : instruction_.src[token.index]) = *memory;
        ++at_;
        return true;
      }
      default:
        return true;
    }
  }

  // A $c that an instruction reads lies in the field of its predicate.
  bool read_condition_register(unsigned index) {
    const bool has_field = pattern_.form == Form::long_;
    if (!has_field || (instruction_.condition != kAlways && instruction_.condition_register != index))
      return !has_field && index == 0;
    instruction_.condition_register = static_cast<std::uint8_t>(index);
    return true;
  }

  // "( l013 )"
  bool match_lanes() {
    if (peek() != "(" || peek(2) != ")") return true;
    std::string_view word = peek(1);
    if (!take_prefix(word, "l")) return false;
    instruction_.lanes = 0;
    if (word != "none")
      for (const char c : word) {
        if (c < '0' || c > '3') return false;
        instruction_.lanes |= static_cast<std::uint8_t>(1 << (c - '0'));
      }
    at_ += 3;
    return true;
  }

  // Memory operands take the width that the modifiers give to the instruction.
  void complete_types() {
    const std::uint64_t word = encode_modifiers(pattern_, instruction_, std::uint64_t{0});
    for (const SyntaxToken& token : pattern_.syntax()) {
      if (token.kind == SyntaxToken::Kind::memory) {
        Operand& operand = token.is_store ? instruction_.dst : instruction_.src[token.index];
        const bool is_word = pattern_.form == Form::control || operand.kind == Operand::Kind::interpolant;
        operand.type = is_word ? Type::b32 : instruction_.type;
      } else if (token.kind == SyntaxToken::Kind::src && instruction_.src[token.index].type == Type::none) {
        const Type width = register_type(token, instruction_, word);
        instruction_.src[token.index].type = width == Type::b16 ? Type::b16 : Type::b32;
      }
    }
  }

  std::string_view label_;
};

// What a token may be written as, of those that are words.
template <class Visit>
void each_word(const SyntaxToken& token, Visit visit) {
  if (token.kind == SyntaxToken::Kind::literal) visit(token.text);
  if (!encoding::is_modifier(token)) return;
  const Modifier& modifier = modifiers()[token.modifier];
  for (unsigned field = 0; field < modifier.count; ++field) {
    const bool fits = token.kind == SyntaxToken::Kind::fixed_modifier
                          ? field == token.value
                          : field <= low_mask<std::uint32_t>(token.field.width());
    if (fits && modifier.defined(field) && !modifier.words[field].empty()) visit(modifier.words[field]);
  }
}

// Whether the pattern writes an instruction that begins with this word.
bool begins_with(const Pattern& pattern, std::string_view mnemonic) {
  for (const SyntaxToken& token : pattern.syntax()) {
    bool any = false, found = false;
    each_word(token, [&](std::string_view word) {
      any = true;
      found = found || word == mnemonic;
    });
    if (any) return found;
  }
  return false;
}

// The words that any form of an instruction may have besides its own.
std::vector<std::string_view> modifiers_of(std::string_view mnemonic) {
  std::vector<std::string_view> words;
  for (const Pattern& pattern : patterns()) {
    if (!begins_with(pattern, mnemonic)) continue;
    bool first = true;
    for (const SyntaxToken& token : pattern.syntax()) {
      bool any = false;
      each_word(token, [&](std::string_view word) {
        any = true;
        if (!first && std::ranges::find(words, word) == words.end()) words.push_back(word);
      });
      first = first && !any;
    }
  }
  return words;
}

// True of words that only a modifier could be, or an element type of memory.
bool is_word(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && is_letter(text[0]) && text.find_first_of("[$#:") == std::string_view::npos;
}

// Says which modifier no form of the instruction has, and which there are;
// empty if that is not what is wrong.
std::string unknown_modifier(std::span<const std::string_view> words) {
  const std::vector<std::string_view> known = modifiers_of(words[0]);
  for (const std::string_view word : words.subspan(1)) {
    if (!is_word(word) || std::ranges::find(known, word) != known.end()) continue;
    bool is_type = false;
    for (const Type type : {Type::u8, Type::u16, Type::s16, Type::b32})
      is_type = is_type || word == name(type);
    if (is_type) continue;
    std::string text = quoted(words[0]) + " has no modifier " + quoted(word);
    if (known.empty()) return text + ", and no other";
    text += "; there are:";
    for (const std::string_view one : known) text += " " + std::string(one);
    return text;
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> parse_number(std::string_view word) {
  const bool negative = take_prefix(word, "-");
  const auto value = text::parse_unsigned(word);
  if (!value) return {};
  return negative ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
}

Result<AssembledInstruction> parse_instruction(ProgramType type, std::vector<std::string_view> words) {
  WARPJIT_TRY(const assembly::Annotations annotations, assembly::take_annotations(words, "short"));
  Instruction start;
  std::span<const std::string_view> rest = words;
  if (!rest.empty() && (rest[0] == "exit" || rest[0] == "join")) {
    start.marker = rest[0] == "exit" ? Instruction::Marker::exit : Instruction::Marker::join;
    rest = rest.subspan(1);
  }
  if (rest.size() >= 3 && rest[0] == "(" && !rest[1].empty() && rest[2] != ")") {
    unsigned condition = 0;
    while (condition < 32 && condition_name(condition) != rest[1]) ++condition;
    if (condition == 32) {
      std::string known;
      for (unsigned k = 0; k < 32; ++k)
        if (condition_defined(k)) known += " " + std::string(condition_name(k));
      return bad_line("unknown condition " + quoted(rest[1]) + "; there are:" + known);
    }
    const auto flags = parse_register(rest[2]);
    if (rest.size() < 4 || rest[3] != ")" || !flags || flags->kind != Operand::Kind::flags)
      return bad_line("expected a predicate like (lg $c0)");
    start.condition = static_cast<std::uint8_t>(condition);
    start.condition_register = static_cast<std::uint8_t>(flags->value);
    rest = rest.subspan(4);
  } else if (rest.size() >= 3 && rest[0] == "(" && rest[1] == "never" && rest[2] == ")") {
    start.condition = 0;
    rest = rest.subspan(3);
  }
  if (rest.empty()) return bad_line("an instruction is missing");
  const bool prefixed = start.condition != kAlways || start.marker != Instruction::Marker::none;

  bool known = false, matched = false;
  for (const Pattern& pattern : patterns()) {
    const bool is_short = pattern.form == Form::short_ || pattern.form == Form::short_control;
    known = known || begins_with(pattern, rest[0]);
    if (is_short != annotations.flag) continue;
    Matcher matcher(pattern, rest, start);
    if (!matcher.run()) continue;
    matched = true;
    AssembledInstruction result{matcher.instruction(), annotations.flipped, matcher.label()};
    // Decoding the word shows whether everything fit its field.
    const auto word = encode(type, result.instruction);
    if (!word) continue;
    auto again = try_decode(type, static_cast<std::uint32_t>(*word), static_cast<std::uint32_t>(*word >> 32));
    if (!again) continue;
    result.instruction.raw = again->raw;
    if (*again != result.instruction) continue;
    return result;
  }
  if (matched && prefixed)
    return bad_line("this form of " + quoted(rest[0]) +
                    " takes no predicate, exit or join, or a value is out of range");
  if (matched) return bad_line("a register, offset or constant of " + quoted(rest[0]) + " is out of range");
  if (known)
    if (std::string unknown = unknown_modifier(rest); !unknown.empty()) return bad_line(std::move(unknown));
  return bad_line((known ? "no form of " : "no instruction ") + quoted(rest[0]) +
                  (known ? " takes these operands" : ""));
}

}  // namespace warpjit::tesla
