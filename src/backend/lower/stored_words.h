// Words of shared memory that are still in registers, for threads that store words side by side and then load
// their neighbours', as sums over a warp do. Processors do not hand a store on to a load that begins
// elsewhere, so that such a load waits until the store is in memory. Knows the accesses of one run.
#pragma once

#include <optional>
#include <vector>

#include "backend/lower/host_parts.h"

namespace warpjit::backend {

class StoredWords : protected ValueForms {
 public:
  // Lanes have words side by side from the byte `first` of a span on; or all load the one that is there; or
  // it is another access.
  struct Access {
    enum class Kind : std::uint8_t { load, store, load_of_one, other } kind = Kind::other;
    std::size_t span = 0;
    std::int64_t first = 0, bytes = 0;
    Value guard{};  // of a store
  };
  StoredWords(State& state, HostMemory& memory) : ValueForms(state), memory_(memory) {}

  // The accesses of a run. `read_behind`: memory may be read after it.
  void begin(std::vector<Access> accesses, bool read_behind);
  // True if all of store n will be made again before anything reads it from memory, or
  // if nothing will read it.
  bool is_needless(std::size_t n) const;
  // Notes store n. `load` gives the vector that begins at a byte of the span, from memory; it is called
  // before the store is made.
  template <class Load>
  void store(std::size_t n, const Regs& values, Load load) {
    const Access& access = accesses_[n];
    if (access.kind != Access::Kind::store) {
      known_.reset();
      return;
    }
    const bool again = known_ && is_same_place(access, accesses_[known_->store]);
    if (known_ && !again &&
        (access.span != accesses_[known_->store].span || overlap(access, accesses_[known_->store])))
      known_.reset();
    if (read_[n] == 0) {
      if (again) known_.reset();
      return;
    }
    Known made{n, values};
    if (!is_constant(access.guard))
      for (std::uint32_t p = 0; p < parts_; ++p) {
        const PartLanes lanes = lanes_of(access.guard, p);
        if (lanes == PartLanes::all) continue;
        Reg before = again ? known_->words[p] : load(access.first + p * std::int64_t{host_.vector_bytes});
        if (lanes == PartLanes::none) {
          made.words[p] = before;
          continue;
        }
        made.words[p] = blend(before, reg_source(values[p]), mask(access.guard, p));
      }
    known_ = made;
  }
  // What load n gives, if part of it is known.
  template <class Load>
  Regs loaded(std::size_t n, Load load) {
    if (!holds(n)) return {};
    const Access& stored = accesses_[known_->store];
    const std::int64_t lanes = host_.lanes;
    const auto is_known = [&](std::int64_t word) { return word >= 0 && word < lanes * parts_; };
    std::optional<std::int64_t> at;  // the vector outside that was loaded last
    Reg outside = lir::kNoReg;
    const auto vector_at = [&](std::int64_t word) {
      if (is_known(word)) return known_->words[static_cast<std::size_t>(word / lanes)];
      if (at != word) at = word, outside = load(stored.first + 4 * word);
      return outside;
    };
    Regs made;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      const std::int64_t word = (accesses_[n].first - stored.first) / 4 + p * lanes;
      const std::int64_t shift = (word % lanes + lanes) % lanes, low = word - shift;
      if (!is_known(low) && (shift == 0 || !is_known(low + lanes)))
        made.push_back(load(stored.first + 4 * word));
      else if (shift == 0)
        made.push_back(vector_at(low));
      else
        made.push_back(
            memory_.words_from(vector_at(low), vector_at(low + lanes), static_cast<std::uint32_t>(shift)));
    }
    return made;
  }

 private:
  struct Known {
    std::size_t store;  // the last one
    Regs words;         // what memory has there, by part
  };
  bool is_same_place(const Access& a, const Access& b) const {
    return a.span == b.span && a.first == b.first;
  }
  // For accesses of one span.
  bool overlap(const Access& a, const Access& b) const {
    return a.first < b.first + b.bytes && b.first < a.first + a.bytes;
  }
  bool whole_words_apart(const Access& a, const Access& b) const { return (a.first - b.first) % 4 == 0; }
  bool is_read(std::size_t n) const;
  bool holds(std::size_t n) const;

  HostMemory& memory_;
  std::vector<Access> accesses_;
  std::vector<char> read_;  // by access: is_read
  std::optional<Known> known_;
  bool read_behind_ = true;
};

}  // namespace warpjit::backend
