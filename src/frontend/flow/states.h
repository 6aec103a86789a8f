// Block discovery for guests whose control flow follows a reconvergence or scope stack: the stack is part of
// the state, so that following it statically turns it into plain edges. A state holds everything that decides
// where control goes; paths that reach equal states share one block.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/result.h"

namespace warpjit::flow {

// States numbered in the order in which they were first seen. State must be comparable bytewise (no padding
// that differs). `limit` bounds the number of states.
template <class State>
class StateTable {
  static_assert(std::is_trivially_copyable_v<State>);

 public:
  static constexpr std::uint32_t kFull = ~0u;

  explicit StateTable(std::uint32_t limit) : limit_(limit), slots_(64, kFull) {}

  // The number of the state, a new one if it was not seen before; kFull beyond the limit.
  std::uint32_t intern(const State& state) {
    std::uint64_t hash = hash_of(state);
    std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      if (slots_[at] == kFull) {
        if (states_.size() >= limit_) return kFull;
        slots_[at] = static_cast<std::uint32_t>(states_.size());
        states_.push_back(state);
        if (states_.size() * 2 > slots_.size()) grow();
        return static_cast<std::uint32_t>(states_.size() - 1);
      }
      if (std::memcmp(&states_[slots_[at]], &state, sizeof(State)) == 0) return slots_[at];
    }
  }
  std::size_t size() const { return states_.size(); }
  const State& operator[](std::uint32_t number) const { return states_[number]; }

 private:
  static std::uint64_t hash_of(const State& state) {
    unsigned char bytes[sizeof(State)];
    std::memcpy(bytes, &state, sizeof bytes);
    std::uint64_t hash = 0x9e3779b97f4a7c15ull;
    std::size_t k = 0;
    for (; k + 8 <= sizeof bytes; k += 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes + k, 8);
      hash = (hash ^ word) * 0xff51afd7ed558ccdull;
      hash ^= hash >> 32;
    }
    for (; k < sizeof bytes; ++k) hash = (hash ^ bytes[k]) * 0x100000001b3ull;
    return hash ^ hash >> 29;
  }
  void grow() {
    slots_.assign(slots_.size() * 4, kFull);
    std::size_t mask = slots_.size() - 1;
    for (std::uint32_t k = 0; k < states_.size(); ++k) {
      std::size_t at = hash_of(states_[k]) & mask;
      while (slots_[at] != kFull) at = (at + 1) & mask;
      slots_[at] = k;
    }
  }

  std::uint32_t limit_;
  std::vector<State> states_;
  std::vector<std::uint32_t> slots_;  // open addressing, numbers of states
};

// Finds the blocks of a program, one for each state. Block is the guest's description of a block.
template <class State, class Block>
class Explorer {
 public:
  // `most_blocks` bounds the number of blocks.
  explicit Explorer(std::uint32_t most_blocks) : states_(most_blocks) {}

  // The number of the block that begins in a state: the target of an edge.
  std::uint32_t target(const State& state) {
    const std::uint32_t number = states_.intern(state);
    full_ |= number == StateTable<State>::kFull;
    return number;
  }

  // step(state, block) describes the block that begins in `state`, naming the targets of its edges, and
  // leaves the state as it is at the block's end. Blocks are numbered in the order in which they are found,
  // `start` being 0. too_many(state, message) makes the error of a program that has more than the bound.
  template <class Step, class TooMany>
  Result<std::vector<Block>> run(const State& start, const Step& step, const TooMany& too_many) {
    target(start);
    std::vector<Block> blocks;
    for (std::uint32_t k = 0; k < states_.size(); ++k) {
      State state = states_[k];
      Block block;
      WARPJIT_CHECK(step(state, block));
      if (full_)
        return too_many(
            state, "the control flow unfolds into more than " + std::to_string(states_.size()) + " blocks");
      blocks.push_back(block);
    }
    return blocks;
  }

 private:
  StateTable<State> states_;
  bool full_ = false;
};

}  // namespace warpjit::flow
