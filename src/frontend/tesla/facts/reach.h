// The instructions that control can reach, by addresses in the code and in c[], decoded. Interpreter and
// translator both start from them, and they are a kernel's key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "frontend/reach.h"
#include "frontend/tesla/container/program.h"

namespace warpjit::tesla {

using ReachedInstruction = flow::Reached<Instruction>;  // addresses are bytes

class ReachedCode {
 public:
  // Both ways of every branch are taken; `bra c[]` goes to all `targets` of its space. Errors, with the guest
  // address: limits (resource_limit), code that is statically reached and undefined, illegal or past the end
  // (bad_input). The address after a call need not hold code, because the callee may exit; nor need
  // `targets`, because words of c[] may be any data.
  static Result<ReachedCode> find(const Program& program, std::span<const BranchTarget> targets = {});

  // In the order in which they were found.
  std::span<const ReachedInstruction> instructions() const { return code_.instructions(); }
  // Null if no instruction is reached there.
  const Instruction* at(std::uint32_t address) const { return code_.at(address); }
  // True if any `bra c[]` was reached.
  bool branches_through_constants() const { return branch_spaces_ != 0; }
  // Where those of a space go: its targets that are code.
  std::span<const BranchTarget> targets(std::uint32_t space) const;

 private:
  flow::CodeMap<Instruction, 4> code_;
  std::uint32_t branch_spaces_ = 0;  // bit k: some bra ck[] was reached
  BranchTargets targets_;            // of these, in order
};

// Bit k: some word of the code may be a `bra ck[]`.
std::uint32_t branch_spaces(const Program& program);

// The targets of these spaces: the words that are addresses of words of the code.
BranchTargets branch_targets(const Program& program, std::uint32_t spaces,
                             std::span<const std::span<const std::byte>> constants);

// Whether the instruction's `target` is an address that control may go to.
bool has_target(const Instruction& i);

// Bit f: the condition holds for flags f.
std::uint16_t condition_table(unsigned condition);

}  // namespace warpjit::tesla
