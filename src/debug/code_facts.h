// What the guest's tables say of a program's instructions: which words are floats where they give or take them, and
// what calls.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "frontend/shader.h"

namespace warpjit::debug {

class CodeFacts {
 public:
  // What a float may be, as bits.
  enum Special : unsigned { kNan = 1, kInfinity = 2 };
  // In the place of a register's word: memory has it.
  static constexpr unsigned kMemory = ~0U;

  CodeFacts() = default;
  explicit CodeFacts(const frontend::Shader& shader);
  // What a word is that the instruction at an address gives to a register, or takes from one; 0 for words that it
  // does not have as floats.
  unsigned result(std::uint32_t address, unsigned word, std::uint32_t value) const;
  unsigned operand(std::uint32_t address, unsigned word, std::uint32_t value) const;
  // Whether an instruction may go where something comes back to the next one.
  bool calls(std::uint32_t address) const;
  bool has_calls() const { return has_calls_; }

 private:
  unsigned special(const frontend::FloatFormats& formats, unsigned word, std::uint32_t value) const;
  const frontend::InstructionFacts* find(std::uint32_t address) const;

  std::span<const frontend::RegisterBank> banks_;
  std::unordered_map<std::uint32_t, frontend::InstructionFacts> facts_;
  bool has_calls_ = false;
};

}  // namespace warpjit::debug
