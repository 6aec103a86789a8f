// Block discovery for guests whose control flow follows a reconvergence or scope stack: the stack is part of
// the state, so that following it statically turns it into plain edges. A state says all that decides where
// control goes; two ways that meet in equal states meet in one block.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

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

// Strongly connected components of a graph given by successor lists: the component number of each node.
// Two nodes lie on a common cycle if and only if their numbers are equal (a node alone: if it has a self
// edge).
std::vector<std::uint32_t> components(const std::vector<std::vector<std::uint32_t>>& successors);
// Nodes reachable from node 0, in reverse post-order.
std::vector<std::uint32_t> reverse_post_order(const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace warpjit::flow
