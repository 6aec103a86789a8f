// The instructions that control can reach from an entry by their addresses, decoded, and where it may arrive.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/pica200/container/program.h"
#include "frontend/reach.h"

namespace warpjit::pica200 {

struct ReachedCode {
  flow::CodeMap<Instruction, 1> code;
  // For each word, and one after the last: true if it is a target of reached code or follows a transfer.
  std::vector<char> leader;
  std::vector<std::uint32_t> undefined;  // words that are reached and are no instructions, as they were met
  bool past_end = false;                 // an address after the last word is reached
  bool thread_end = false;               // kEndAddress is reached
};

// Follows both ways of every transfer; undefined words end a way.
ReachedCode find_reached(const Program& program, std::uint32_t entry);

}  // namespace warpjit::pica200
