// Command lists of the PICA200: a parameter, a header, more parameters, padded to 8 bytes
// (docs/guests/pica200.md 11).
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"

namespace warpjit::pica200 {

// One entry of a list.
struct Command {
  std::uint32_t id = 0;      // of the first register
  unsigned bytes = 0;        // of the registers that are written
  bool consecutive = false;  // each parameter goes to the next register, else all to the first
  std::uint32_t first = 0;   // parameter
  std::span<const std::uint32_t> others;
  std::size_t words = 0;  // that the entry takes
};

// The entry at word `at`. Errors: bad_input for one that the list's end cuts, naming word and register.
Result<Command> read_command(std::span<const std::uint32_t> words, std::size_t at);

}  // namespace warpjit::pica200
