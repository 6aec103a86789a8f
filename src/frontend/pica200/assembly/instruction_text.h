// One PICA200 instruction as text, registers and addresses by their names.
#pragma once

#include <cstdio>
#include <map>
#include <span>
#include <string>

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[96];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

// What registers and addresses are called.
struct Names {
  std::span<const Symbol> symbols;
  std::span<const Output> outputs;                 // those with names
  std::map<std::uint32_t, std::string> addresses;  // procedures and labels
  bool structure = false;                          // blocks have .end lines, not addresses as operands
  bool selectors = false;                          // components too on which an instruction does not depend

  // `name[index]` of a symbol that covers the register; idx: relatively addressed by that register.
  std::string of(Register reg, std::uint16_t idx = 0) const;
  std::string address(std::uint32_t address) const;
};

std::string instruction_text(const Instruction& instruction, const Descriptor& descriptor,
                             const Names& names);
// "xyz" of a mask in the container's order, bit 0 = x.
std::string component_letters(unsigned mask);

}  // namespace warpjit::pica200
