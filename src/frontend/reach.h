// Code that control can reach by addresses in the code, for any data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace warpjit::flow {

template <class Instruction>
struct Reached {
  std::uint32_t address = 0;
  Instruction instruction;
};

// Decoded instructions, in the order in which they were found, and by their addresses, which are
// multiples of kUnit.
template <class Instruction, unsigned kUnit>
class CodeMap {
 public:
  CodeMap() = default;
  explicit CodeMap(std::size_t units) : index_(units, kNone) {}

  void add(std::uint32_t address, const Instruction& instruction) {
    index_[address / kUnit] = static_cast<std::uint32_t>(instructions_.size());
    instructions_.push_back({address, instruction});
  }
  std::span<const Reached<Instruction>> instructions() const { return instructions_; }
  // Null if no instruction is reached there.
  const Instruction* at(std::uint32_t address) const {
    const std::uint32_t unit = address / kUnit;
    if (unit >= index_.size() || index_[unit] == kNone) return nullptr;
    return &instructions_[index_[unit]].instruction;
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;

  std::vector<Reached<Instruction>> instructions_;
  std::vector<std::uint32_t> index_;  // of the instruction at each unit of the code
};

// Addresses still to be visited, each given once; those from `limit` on are left out.
class Worklist {
 public:
  explicit Worklist(std::size_t limit) : seen_(limit, false) {}

  void add(std::uint32_t address) {
    if (address < seen_.size() && !seen_[address]) addresses_.push_back(address);
  }
  // Takes the one that was added last and not taken before; false if all were taken.
  bool take(std::uint32_t& address) {
    while (!addresses_.empty()) {
      address = addresses_.back();
      addresses_.pop_back();
      if (seen_[address]) continue;
      seen_[address] = true;
      return true;
    }
    return false;
  }

 private:
  std::vector<bool> seen_;
  std::vector<std::uint32_t> addresses_;
};

}  // namespace warpjit::flow
