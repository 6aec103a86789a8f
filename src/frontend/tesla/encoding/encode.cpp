#include <algorithm>

#include "frontend/tesla/encoding/operand_fields.h"

namespace warpjit::tesla {
namespace {

std::uint64_t encode_offset(const Operand& operand, const OffsetField& where, std::uint64_t word) {
  return where.field.set(word, operand.value / where.scale);
}

std::uint64_t set_address(Form form, const Operand& operand, std::uint64_t word) {
  word = is_long(form) && form != Form::immediate ? kAddress.set(word, operand.address)
                                                  : kShortAddress.set(word, operand.address);
  return operand.post_increment ? kPostIncrement.set(word, 1) : word;
}
// Sets the selectors so that the sources are what `i` says; false if no selectors do.
bool encode_selection(ProgramType type, const Pattern& pattern, const Instruction& i, std::uint64_t& word) {
  bool any = false;
  for (const SyntaxToken& token : pattern.syntax())
    any |= token.kind == SyntaxToken::Kind::src && token.memory_allowed;
  if (!any || pattern.form == Form::short_control || pattern.form == Form::control) return true;
  // Where w1[21] and w0[24:23] belong to another field, only plain registers can be meant.
  const unsigned choices = pattern.form == Form::long_ ? 8 : 4;
  for (unsigned choice = 0; choice < choices; ++choice) {
    std::uint64_t candidate = kSelect.set(word, choice & 3);
    if (pattern.form == Form::long_) candidate = kMemoryA.set(candidate, choice >> 2);
    const Selection s = selection(type, pattern.form, candidate);
    bool fits = true;
    for (const SyntaxToken& token : pattern.syntax()) {
      if (token.kind != SyntaxToken::Kind::src || !token.memory_allowed) continue;
      const Operand::Kind kind = i.src[token.index].kind;
      if (token.slot == 0) fits &= kind == s.a;
      if (token.slot == 1) fits &= (kind == Operand::Kind::constant) == s.constant_b;
      if (token.slot == 2) fits &= (kind == Operand::Kind::constant) == s.constant_c;
    }
    if (fits) {
      word = candidate;
      return true;
    }
  }
  return false;
}

std::uint64_t encode_source(const Pattern& pattern, const SyntaxToken& token, const Operand& operand,
                            std::uint64_t word) {
  switch (operand.kind) {
    case Operand::Kind::shared: {
      const auto element =
          static_cast<std::uint32_t>(std::ranges::find(kSharedTypes, operand.type) - kSharedTypes);
      word = shared_type_field(pattern.form).set(word, element);
      word = set_address(pattern.form, operand, word);
      return encode_offset(operand, shared_offset(pattern.form, operand.type), word);
    }
    case Operand::Kind::vertex:
      word = set_address(pattern.form, operand, word);
      return token.field.set(word, operand.value / 4);
    case Operand::Kind::attribute:
      return token.field.set(word, operand.value / 4);
    case Operand::Kind::constant:
      word = pattern.form == Form::long_ ? kConstantSpace.set(word, operand.space)
                                         : kShortConstantSpace.set(word, operand.space);
      if (operand.address != 0 || operand.post_increment) word = set_address(pattern.form, operand, word);
      return encode_offset(operand, constant_offset(token, pattern.form, operand.type), word);
    default:
      return token.field.set(word, operand.value);
  }
}

std::uint64_t encode_memory(const Pattern& pattern, const SyntaxToken& token, const Operand& operand,
                            std::uint64_t word) {
  if (token.space == Operand::Kind::global) {
    word = (token.atomic ? kAtomicSpace : kGlobalSpace).set(word, operand.space);
    return token.field.set(word, operand.value);
  }
  word = set_address(pattern.form, operand, word);
  if (token.space == Operand::Kind::constant) word = kConstantSpace.set(word, operand.space);
  if (pattern.form == Form::control) return token.field.set(word, operand.value);
  return encode_offset(operand, wide_offset(token, operand.type), word);
}

}  // namespace

std::optional<std::uint64_t> encode_as(ProgramType type, const Pattern& pattern, const Instruction& i) {
  std::uint64_t word = encode_modifiers(pattern, i, pattern.match);
  bool takes_predicate = pattern.form == Form::long_;
  for (const SyntaxToken& token : pattern.syntax())
    takes_predicate |= token.kind == SyntaxToken::Kind::predicate;
  if (pattern.form == Form::long_) word = kMarker.set(word, static_cast<std::uint32_t>(i.marker));
  if (takes_predicate) {
    word = kCondition.set(word, i.condition);
    word = kConditionRegister.set(word, i.condition_register);
  }
  if (!encode_selection(type, pattern, i, word)) return {};
  for (const SyntaxToken& token : pattern.syntax()) {
    switch (token.kind) {
      case SyntaxToken::Kind::dst:
        if (token.width_bit != 0)
          word = with_bits<std::uint64_t>(word, token.width_bit, 1, i.dst.type == Type::b32);
        if (i.dst.kind == Operand::Kind::gpr) {
          word = token.field.set(word, i.dst.value);
        } else if (i.dst.kind == Operand::Kind::discarded) {
          word = kToOutput.set(token.field.set(word, kDiscardedOutput), 1);
        } else {
          word = kToOutput.set(token.field.set(word, i.dst.value / size_of(i.dst.type)), 1);
        }
        break;
      case SyntaxToken::Kind::src: {
        const Operand& operand = i.src[token.index];
        if (operand.kind != Operand::Kind::gpr && !operand.is_memory()) return {};
        // A width bit that a type modifier also sets is only ORed into, for types that leave it open.
        if (token.width_bit != 0 && operand.kind == Operand::Kind::gpr)
          word = with_bits<std::uint64_t>(word, token.width_bit, 1, operand.type == Type::b32);
        word = encode_source(pattern, token, operand, word);
        break;
      }
      case SyntaxToken::Kind::memory:
        word = encode_memory(pattern, token, token.is_store ? i.dst : i.src[token.index], word);
        break;
      case SyntaxToken::Kind::flags:
        if (i.flags >= 0)
          word = kFlagsRegister.set(kFlagsEnable.set(word, 1), static_cast<std::uint32_t>(i.flags));
        break;
      case SyntaxToken::Kind::flags_always:
        word = kFlagsRegister.set(word, static_cast<std::uint32_t>(i.flags));
        break;
      case SyntaxToken::Kind::address_dst:
        word = kAddressDst.set(word, i.dst.value);
        break;
      case SyntaxToken::Kind::address_src:
        word = kAddress.set(word, i.src[token.index].value);
        break;
      case SyntaxToken::Kind::special:
      case SyntaxToken::Kind::immediate:
      case SyntaxToken::Kind::number_operand: {
        const auto wanted = token.kind == SyntaxToken::Kind::special     ? Operand::Kind::special
                            : token.kind == SyntaxToken::Kind::immediate ? Operand::Kind::immediate
                                                                         : Operand::Kind::number;
        if (i.src[token.index].kind != wanted) return {};
        word = token.field.set(word, i.src[token.index].value);
        break;
      }
      case SyntaxToken::Kind::number:
        word = token.field.set(word, i.number);
        break;
      case SyntaxToken::Kind::count:
        word = token.field.set(word, i.count);
        break;
      case SyntaxToken::Kind::target:
        word = token.field.set(word, i.target >> 2);
        break;
      case SyntaxToken::Kind::lanes:
        word = token.field.set(word, i.lanes);
        break;
      case SyntaxToken::Kind::results:
        if (token.field.empty() && i.results != 15) return {};
        word = texture_register(pattern.form).set(word, i.dst.value);
        if (!token.field.empty()) word = token.field.set(word, i.results);
        break;
      case SyntaxToken::Kind::arguments:
        word = token.field.set(word, i.arguments - 1U);
        break;
      case SyntaxToken::Kind::texture:
        word = token.field.set(word, i.number);
        break;
      case SyntaxToken::Kind::sampler:
        word = token.field.set(word, i.count);
        break;
      case SyntaxToken::Kind::offsets: {
        std::uint32_t offsets = 0;
        for (unsigned axis = 0; axis < 3; ++axis)
          offsets |= (static_cast<std::uint32_t>(i.offsets[axis]) & 15) << 4 * axis;
        word = token.field.set(word, offsets);
        break;
      }
      case SyntaxToken::Kind::literal:
        break;
      case SyntaxToken::Kind::condition_read:
      case SyntaxToken::Kind::dst_again:
      case SyntaxToken::Kind::predicate:
      case SyntaxToken::Kind::modifier:
      case SyntaxToken::Kind::fixed_modifier:
      case SyntaxToken::Kind::carry:
        break;
    }
  }
  return word;
}

std::optional<std::uint64_t> encode(ProgramType type, const Instruction& instruction) {
  for (const Pattern& pattern : patterns_of(instruction.opcode))
    if (pattern.opcode == instruction.opcode && pattern.form == instruction.form &&
        modifiers_fit(pattern, instruction))
      if (const auto word = encode_as(type, pattern, instruction)) return *word ^ instruction.unused;
  return {};
}

}  // namespace warpjit::tesla
