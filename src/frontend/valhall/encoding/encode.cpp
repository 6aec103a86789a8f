#include <algorithm>
#include <optional>

#include "frontend/valhall/encoding/encoding.h"

namespace warpjit::valhall {
namespace {

constexpr unsigned kRegisters = 64;

Error misfit(std::string message) { return {ErrorCode::bad_input, std::move(message), {}}; }

// Builds the word of an instruction field by field.
class Encoder {
 public:
  Encoder(const Pattern& pattern, const Instruction& instruction)
      : instruction_(instruction), word_(encoding::encode_modifiers(pattern, instruction, pattern.match)) {}

  Status add(const SyntaxToken& token) {
    switch (token.kind) {
      case SyntaxToken::Kind::destination:
        WARPJIT_CHECK(put(token.field, instruction_.destination, "destination"));
        return put({{{{kMaskBit, 2}}}}, instruction_.write_mask, "write mask");
      case SyntaxToken::Kind::no_destination:
        word_ = write_bits(word_, kMaskBit, 2, 3);
        return {};
      case SyntaxToken::Kind::source:
        return source(token, instruction_.source[token.index]);
      case SyntaxToken::Kind::read:
        return staging(token, instruction_.read);
      case SyntaxToken::Kind::write:
        return staging(token, instruction_.write);
      case SyntaxToken::Kind::immediate:
        return immediate(token);
      default:
        return {};
    }
  }

  std::uint64_t word() const { return page_ ? write_bits(word_, kPageBit, kPageBits, *page_) : word_; }

 private:
  Status put(const BitField& field, std::uint32_t value, std::string_view what) {
    if (value > low_mask<std::uint32_t>(field.width()))
      return misfit("the " + std::string(what) + " is out of range");
    word_ = field.set(word_, value);
    return {};
  }
  // A bit that changes a source; 0: this source has none.
  Status change(std::uint8_t bit, bool wanted, const char* what) {
    if (wanted && bit == 0) return misfit(std::string("this source cannot be ") + what);
    if (bit != 0) word_ = write_bits(word_, bit, 1, wanted ? 1 : 0);
    return {};
  }
  Status use_page(unsigned page) {
    if (page_ && *page_ != page) return misfit("sources are of two pages of uniforms and special values");
    page_ = page;
    return {};
  }

  Status source(const SyntaxToken& token, const Source& source) {
    std::uint32_t byte = source.value;
    switch (source.kind) {
      case Source::Kind::none:
        return misfit("a source is missing");
      case Source::Kind::gpr:
        if (byte >= kRegisters) return misfit("there is no register r" + std::to_string(byte));
        byte |= source.last_use ? 0x40 : 0;
        break;
      case Source::Kind::uniform:
        WARPJIT_CHECK(use_page(byte / kUniformPage));
        byte = 0x80 | byte % kUniformPage;
        break;
      case Source::Kind::constant:
        if (byte >= kConstants.size()) return misfit("there is no constant k" + std::to_string(byte));
        byte |= 0xc0;
        break;
      case Source::Kind::special:
        WARPJIT_CHECK(use_page(special_page(source.value)));
        byte = 0xe0 | byte % 32;
        break;
    }
    word_ = token.field.set(word_, byte);
    WARPJIT_CHECK(change(token.negate, source.negate, "negated"));
    WARPJIT_CHECK(change(token.absolute, source.absolute, "absolute"));
    WARPJIT_CHECK(change(token.invert, source.invert, "inverted"));
    if (token.select == kNoSelect)
      return source.lanes == Lanes::none_ ? Status() : misfit("this source is taken as a whole");
    const Select& select = selects()[token.select];
    const auto found = std::ranges::find(select.lanes, source.lanes);
    if (found == select.lanes.end() || *found == Lanes::reserved)
      return misfit("this source has no lanes " + std::string(name(source.lanes)));
    word_ = write_bits(word_, token.select_bit, select.width,
                       static_cast<std::uint32_t>(found - select.lanes.begin()));
    return {};
  }

  Status staging(const SyntaxToken& token, const Staging& staging) {
    WARPJIT_CHECK(put(token.field, staging.first, "first staging register"));
    std::uint32_t count = staging.count;
    if (token.zero_is_eight && count == 8)
      count = 0;
    else if ((token.zero_is_eight || token.count_less_one) && count == 0)
      return misfit("this message has at least one staging register");
    if (token.count_less_one) --count;
    return put({{{{token.count_bit, kCountBits}}}}, count, "number of staging registers");
  }

  Status immediate(const SyntaxToken& token) {
    const std::int64_t value = get(instruction_, token.immediate);
    const auto bits = static_cast<std::uint32_t>(value);
    if (!token.is_signed) return put(token.field, bits, name(token.immediate));
    if (sign_extend(bits, token.field.width()) != value)
      return misfit("the " + std::string(name(token.immediate)) + " is out of range");
    word_ = token.field.set(word_, bits);
    return {};
  }

  const Instruction& instruction_;
  std::uint64_t word_;
  std::optional<unsigned> page_;
};

// Different numbers among those that four sources name.
struct Distinct {
  std::array<unsigned, 4> numbers{};
  std::size_t count = 0;
  void add(unsigned number) {
    const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(count);
    if (std::find(numbers.begin(), end, number) == end) numbers[count++] = number;
  }
};

// Which 64-bit entry a uniform or special value is in; both kinds count from 0.
unsigned slot_of(const Source& source) {
  return (source.kind == Source::Kind::special ? 0x100U : 0U) + source.value / 2U;
}

}  // namespace

Result<std::uint64_t> encode(const Instruction& instruction) {
  const Pattern* pattern = find_pattern(instruction.opcode, instruction.type);
  if (pattern == nullptr)
    return misfit(std::string(name(instruction.opcode)) + " has no type " +
                  std::string(name(instruction.type)));
  if (!encoding::modifiers_fit(*pattern, instruction))
    return misfit(std::string(name(instruction.opcode)) + " cannot have these modifiers");
  return encode_as(*pattern, instruction);
}

Result<std::uint64_t> encode_as(const Pattern& pattern, const Instruction& instruction) {
  Encoder encoder(pattern, instruction);
  for (const SyntaxToken& token : pattern.syntax()) {
    if (token.kind == SyntaxToken::Kind::modifier) continue;
    WARPJIT_CHECK(encoder.add(token));
  }
  return encoder.word();
}

Status check_registers(const Instruction& i) {
  const Pattern* pattern = find_pattern(i.opcode, i.type);
  if (pattern == nullptr) return misfit("there is no such instruction");
  for (const SyntaxToken& token : pattern->syntax()) {
    if (token.kind == SyntaxToken::Kind::destination && token.wide && i.destination % 2 != 0)
      return misfit("a pair of registers begins with an even one");
    if (token.kind != SyntaxToken::Kind::source || !token.wide) continue;
    const Source& source = i.source[token.index];
    if (source.kind != Source::Kind::constant && source.value % 2 != 0)
      return misfit("a source of 64 bits begins with an even word");
  }
  for (const Staging& staging : {i.read, i.write}) {
    if (staging.count > 1 && staging.first % 2 != 0)
      return misfit("several staging registers begin with an even one");
    if (staging.first + staging.count > kRegisters)
      return misfit("the staging registers end behind r" + std::to_string(kRegisters - 1));
  }
  return {};
}

Status check_operands(const Instruction& instruction) {
  Distinct values, slots, specials;
  for (const Source& source : instruction.source) {
    if (!source.from_table()) continue;
    values.add(static_cast<unsigned>(source.kind) << 8 | source.value);
    if (source.kind == Source::Kind::constant) continue;
    slots.add(slot_of(source));
    if (source.kind == Source::Kind::special) specials.add(slot_of(source));
  }
  if (values.count > 2)
    return misfit("an instruction takes at most two of uniforms, constants and special values");
  if (specials.count > 1) return misfit("an instruction takes at most one special value");
  // Messages may take two.
  if (!is_message(instruction) && slots.count > 1)
    return misfit("uniforms of one instruction are the two words of one slot");
  return check_registers(instruction);
}

}  // namespace warpjit::valhall
