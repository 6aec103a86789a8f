// The scopes that a thread has open, as block discovery follows them: CALL, IF and LOOP. Two classes with one
// interface, for the two meanings of their ends (docs/guests/pica200.md 9). Both are compared bytewise, so
// unused entries are zero.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "frontend/pica200/flow/control_flow.h"

namespace warpjit::pica200 {

inline constexpr unsigned kCallDepth = 4, kIfDepth = 8, kLoopDepth = 4;

// How an instruction goes on.
enum class Transfer : std::uint8_t {
  next,   // to the next word, or into a scope that it opened
  jump,   // by JMPC or JMPU
  break_  // by BREAK or BREAKC
};

// Where control goes, what is done before it arrives, and whether the innermost LOOP's counter decides first.
struct Move {
  std::uint16_t pc = 0;
  bool decides = false;
  EdgeEffect effect;
};

struct LoopScope {
  std::uint16_t entry = 0, end = 0;
  std::uint8_t uniform = 0, slot = 0;  // slot: where counter and saved aL are
};

// The lowest slot that is not used. `used`: bit n for slot n.
inline std::uint8_t free_slot(unsigned used) {
  std::uint8_t slot = 0;
  while (used >> slot & 1) ++slot;
  return slot;
}

// The hardware's three stacks.
class HardwareScopes {
 public:
  void open_call(std::uint16_t end, std::uint16_t ret) { calls_.push({end, ret}); }
  void open_if(std::uint16_t, std::uint16_t otherwise, std::uint16_t end) { ifs_.push({otherwise, end}); }
  std::uint8_t open_loop(std::uint16_t entry, std::uint16_t end, std::uint8_t uniform) {
    unsigned used = 0;
    for (unsigned k = 0; k < loops_.size; ++k) used |= 1U << loops_.entries[k].slot;
    // If all are open, the slot of the one that is overwritten.
    const std::uint8_t slot = loops_.size == kLoopDepth ? loops_.entries[0].slot : free_slot(used);
    loops_.push({entry, end, uniform, slot});
    return slot;
  }
  const LoopScope& innermost_loop() const { return loops_.top(); }

  // Whether anything happens after an instruction that stands before `next` and does not transfer control.
  bool ends_at(std::uint32_t next) const {
    return (!calls_.empty() && calls_.top().end == next) || (!ifs_.empty() && ifs_.top().otherwise == next) ||
           (!loops_.empty() && loops_.top().end == next);
  }

  // The END check of one instruction, in the hardware's order: CALL, IF, LOOP.
  void close(std::uint16_t next, Transfer transfer, Move& move) {
    std::uint16_t compared = next;
    for (unsigned pops = 1; !calls_.empty() && calls_.top().end == compared; ++pops) {
      compared = calls_.top().ret;
      if (pops < kCallDepth) move.pc = compared;  // the fourth pop leaves the pc as it is: a hardware bug
      calls_.pop();
      if (pops == kCallDepth) break;
    }
    if (!ifs_.empty() && ifs_.top().otherwise == next) {
      move.pc = ifs_.top().end;
      ifs_.pop();
    }
    if (loops_.empty()) return;
    if (transfer == Transfer::break_)
      leave(move);
    else
      move.decides = loops_.top().end == next;
  }
  // The counter decided: once more, or past the end.
  void repeat(Move& move) const { move.pc = loops_.top().entry; }
  void leave(Move& move) {
    const LoopScope loop = loops_.top();
    loops_.pop();
    move.pc = loop.end;
    if (!loops_.empty()) move.effect = {EdgeEffect::Kind::restore_aL, loop.slot, 0};
  }

 private:
  // A push on a full stack overwrites the oldest entry; entries are kept from the oldest on.
  template <class Entry, unsigned kDepth>
  struct Stack {
    std::array<Entry, kDepth> entries{};
    std::uint16_t size = 0;

    bool empty() const { return size == 0; }
    const Entry& top() const { return entries[size - 1U]; }
    void push(const Entry& entry) {
      if (size == kDepth) {
        std::copy(entries.begin() + 1, entries.end(), entries.begin());
        --size;
      }
      entries[size++] = entry;
    }
    void pop() { entries[--size] = Entry{}; }
  };
  struct CallScope {
    std::uint16_t end = 0, ret = 0;
  };
  struct IfScope {
    std::uint16_t otherwise = 0, end = 0;
  };

  Stack<CallScope, kCallDepth> calls_;
  Stack<IfScope, kIfDepth> ifs_;
  Stack<LoopScope, kLoopDepth> loops_;
};

// Program::structural_scopes: one stack, whose top is checked wherever control arrives.
class StructuralScopes {
 public:
  void open_call(std::uint16_t end, std::uint16_t ret) { open(kCallDepth, {Kind::call, 0, 0, end, ret}); }
  void open_if(std::uint16_t first, std::uint16_t otherwise, std::uint16_t end) {
    open(kIfDepth, {Kind::conditional, 0, first, otherwise, end});
  }
  std::uint8_t open_loop(std::uint16_t entry, std::uint16_t end, std::uint8_t uniform) {
    open(kLoopDepth, {Kind::loop, 0, entry, end, uniform});
    unsigned used = 0;
    for (unsigned k = 0; k + 1U < size_; ++k)
      if (scopes_[k].kind == Kind::loop) used |= 1U << scopes_[k].slot;
    return top().slot = free_slot(used);
  }
  LoopScope innermost_loop() const {
    const Scope& loop = scopes_[static_cast<std::size_t>(find_loop())];
    return {loop.first, loop.end, static_cast<std::uint8_t>(loop.argument), loop.slot};
  }

  bool ends_at(std::uint32_t next) const { return size_ != 0 && scopes_[size_ - 1U].end == next; }

  void close(std::uint16_t, Transfer transfer, Move& move) {
    if (transfer == Transfer::break_ && find_loop() >= 0) return leave(move);
    // A jump leaves the scopes of its procedure that do not contain its target.
    while (transfer == Transfer::jump && size_ != 0 && top().kind != Kind::call &&
           (move.pc < top().first || move.pc >= top().end))
      pop(move);
    arrive(move);
  }
  void repeat(Move& move) {
    move.pc = top().first;
    arrive(move);
  }
  void leave(Move& move) {
    const int loop = find_loop();
    move.pc = scopes_[static_cast<std::size_t>(loop)].end;
    while (static_cast<int>(size_) > loop) pop(move);
    arrive(move);
  }

 private:
  enum class Kind : std::uint8_t { none, call, conditional, loop };
  struct Scope {
    Kind kind = Kind::none;
    std::uint8_t slot = 0;       // of a LOOP
    std::uint16_t first = 0;     // of a LOOP or IF: its first word
    std::uint16_t end = 0;       // where it is checked
    std::uint16_t argument = 0;  // CALL: where it returns to. IF: after its other side. LOOP: the i register
  };

  Scope& top() { return scopes_[size_ - 1U]; }
  int find_loop() const {
    int k = static_cast<int>(size_) - 1;
    while (k >= 0 && scopes_[static_cast<std::size_t>(k)].kind != Kind::loop) --k;
    return k;
  }
  // The oldest of `depth` scopes of one kind is given up.
  void open(unsigned depth, const Scope& scope) {
    const auto end = scopes_.begin() + size_;
    const auto same = [&](const Scope& other) { return other.kind == scope.kind; };
    if (std::count_if(scopes_.begin(), end, same) == static_cast<std::ptrdiff_t>(depth)) {
      std::copy(std::find_if(scopes_.begin(), end, same) + 1, end, std::find_if(scopes_.begin(), end, same));
      scopes_[--size_] = Scope{};
    }
    scopes_[size_++] = scope;
  }
  void pop(Move& move) {
    const Scope scope = top();
    top() = Scope{};
    --size_;
    if (scope.kind == Kind::loop && find_loop() >= 0)
      move.effect = {EdgeEffect::Kind::restore_aL, scope.slot, 0};
  }
  // Closes what ends where control is, innermost first.
  void arrive(Move& move) {
    while (!move.decides && ends_at(move.pc)) {
      if (top().kind == Kind::loop) {
        move.decides = true;
      } else {
        move.pc = top().argument;
        pop(move);
      }
    }
  }

  std::array<Scope, kCallDepth + kIfDepth + kLoopDepth> scopes_{};  // the innermost last
  std::uint16_t size_ = 0;
};

}  // namespace warpjit::pica200
