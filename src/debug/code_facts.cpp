#include "debug/code_facts.h"

namespace warpjit::debug {
namespace {

using frontend::RegisterBank;

// `exponent`: all of its bits; below them is the fraction.
unsigned special_of(std::uint32_t value, std::uint32_t sign, std::uint32_t exponent) {
  const std::uint32_t magnitude = value & (sign - 1);
  return magnitude > exponent ? CodeFacts::kNan : magnitude == exponent ? CodeFacts::kInfinity : 0U;
}
unsigned special_half(std::uint32_t value) { return special_of(value & 0xffff, 0x8000, 0x7c00); }

}  // namespace

CodeFacts::CodeFacts(const frontend::Shader& shader) : banks_(shader.register_banks()) {
  for (const frontend::InstructionFacts& facts : shader.instruction_facts()) {
    has_calls_ = has_calls_ || facts.calls;
    if (facts.results.any() || facts.operands.any() || facts.calls) facts_.emplace(facts.address, facts);
  }
}

const frontend::InstructionFacts* CodeFacts::find(std::uint32_t address) const {
  const auto found = facts_.find(address);
  return found == facts_.end() ? nullptr : &found->second;
}

unsigned CodeFacts::special(const frontend::FloatFormats& formats, unsigned word, std::uint32_t value) const {
  if (!formats.any()) return 0;
  const RegisterBank* const bank = word == kMemory ? nullptr : frontend::bank_of(banks_, word);
  const auto reading = bank != nullptr ? bank->reading : RegisterBank::Reading::as_used;
  if (reading == RegisterBank::Reading::word || reading == RegisterBank::Reading::boolean) return 0;
  const unsigned single = special_of(value, 0x80000000, 0x7f800000);
  if (reading == RegisterBank::Reading::f32) return single;
  unsigned found = 0;
  if (formats.single) found |= single;
  if (formats.half) found |= special_half(value) | special_half(value >> 16);
  // Of NaNs whose fraction lies in the lower half alone nothing is seen here.
  if (formats.upper && bank != nullptr && ((word - bank->first) & 1) != 0)
    found |= special_of(value, 0x80000000, 0x7ff00000);
  return found;
}

unsigned CodeFacts::result(std::uint32_t address, unsigned word, std::uint32_t value) const {
  const frontend::InstructionFacts* const facts = find(address);
  return facts == nullptr ? 0 : special(facts->results, word, value);
}
unsigned CodeFacts::operand(std::uint32_t address, unsigned word, std::uint32_t value) const {
  const frontend::InstructionFacts* const facts = find(address);
  return facts == nullptr ? 0 : special(facts->operands, word, value);
}
bool CodeFacts::calls(std::uint32_t address) const {
  const frontend::InstructionFacts* const facts = find(address);
  return facts != nullptr && facts->calls;
}

}  // namespace warpjit::debug
