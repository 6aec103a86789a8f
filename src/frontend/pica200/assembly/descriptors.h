// The descriptor table while assembling: descriptors are shared between instructions wherever the bits that
// both depend on agree, by the community assembler's rules, so that equal source gives equal bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/pica200/encoding/decode.h"

namespace warpjit::pica200 {

class DescriptorTable {
 public:
  // The bits of a descriptor that an instruction depends on.
  static std::uint32_t depends(Opcode opcode, std::uint8_t mask);

  // Finds or adds a descriptor with these bits. MAD and MADI reach only the first 32 entries: one that lies
  // higher changes places with one that they do not use, and the words of `code` that name these are changed.
  // Nothing if the table is full.
  std::optional<std::uint16_t> intern(Opcode opcode, std::uint32_t bits, std::vector<std::uint32_t>& code);
  // Appends a raw entry that is neither shared nor moved (the exact form). False if the table is full.
  bool append(std::uint32_t bits);
  // Notes that the word at `address` names a descriptor of intern().
  void used_by(std::uint32_t address) { users_.push_back(address); }

  std::vector<std::uint32_t> words() const;

 private:
  struct Entry {
    std::uint32_t bits, depends;
    bool low;  // used by MAD or MADI, or raw: cannot move
  };
  // Exchanges two entries, and their numbers in the words of `code` that name them.
  void exchange(std::size_t a, std::size_t b, std::vector<std::uint32_t>& code);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> users_;
};

}  // namespace warpjit::pica200
