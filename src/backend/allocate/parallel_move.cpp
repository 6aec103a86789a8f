#include "backend/allocate/parallel_move.h"

#include <algorithm>
#include <bit>

namespace warpjit::lir {
namespace {

using Kind = Location::Kind;

class Resolver {
 public:
  Resolver(std::vector<Move>& moves, const std::array<std::uint32_t, kClassCount>& usable,
           const std::array<std::uint32_t, kClassCount>& busy, std::vector<MoveStep>& steps)
      : moves_(moves), usable_(usable), busy_(busy), steps_(steps) {}

  void run() {
    std::erase_if(moves_, [](const Move& m) { return m.destination == m.source; });
    while (!moves_.empty()) {
      if (perform_some()) continue;
      // Only cycles are left: park what the first destination holds, and read it from there.
      Location parked = moves_.front().destination;
      const std::uint32_t unused = unused_registers(parked.cls);
      Location park = unused == 0 ? Location::in_slot(parked.cls, kCycleSlot)
                                  : Location::in_register(
                                        parked.cls, static_cast<std::uint32_t>(std::countr_zero(unused)));
      Reg value = kNoReg;
      for (const Move& m : moves_)
        if (m.source == parked) value = m.value;
      perform({park, parked, value});
      for (Move& m : moves_)
        if (m.source == parked) m.source = park;
    }
  }

 private:
  // Where moves from slot to slot need registers, first what gives registers back, and last what takes them.
  enum Rank { gives_register, needs_register, takes_register, kRanks };
  static Rank rank(const Move& m) {
    if (m.destination.kind == Kind::reg) return takes_register;
    return m.source.kind == Kind::reg ? gives_register : needs_register;
  }
  // Performs moves whose destinations nobody reads any more. False: there was no such move.
  bool perform_some() {
    const bool ranked = std::ranges::any_of(moves_, [](const Move& m) { return rank(m) == needs_register; });
    bool progress = false;
    for (int r = ranked ? gives_register : takes_register; r < kRanks && !progress; ++r)
      for (std::size_t k = 0; k < moves_.size();) {
        if ((ranked && rank(moves_[k]) != r) || is_source(moves_[k].destination, k)) {
          ++k;
          continue;
        }
        const Move move = moves_[k];
        moves_.erase(moves_.begin() + static_cast<std::ptrdiff_t>(k));
        perform(move);
        progress = true;
      }
    return progress;
  }
  bool is_source(const Location& location, std::size_t except) const {
    for (std::size_t k = 0; k < moves_.size(); ++k)
      if (k != except && moves_[k].source == location) return true;
    return false;
  }
  void step(MoveStep::Kind kind, RegClass c, std::uint32_t destination, std::uint32_t source, Reg value) {
    steps_.push_back({kind, c, destination, source, value});
  }
  void to_register(RegClass c, std::uint32_t r, const Location& source, Reg value) {
    switch (source.kind) {
      case Kind::reg:
        step(MoveStep::Kind::copy, c, r, source.index, value);
        break;
      case Kind::slot:
        step(MoveStep::Kind::load, c, r, source.index, value);
        break;
      case Kind::emit:
        step(MoveStep::Kind::emit, c, r, 0, value);
        break;
    }
  }
  void perform(const Move& m) {
    RegClass c = m.destination.cls;
    if (m.destination.kind == Kind::reg) {
      to_register(c, m.destination.index, m.source, m.value);
    } else if (m.source.kind == Kind::reg) {
      step(MoveStep::Kind::store, c, m.destination.index, m.source.index, m.value);
    } else {
      through_register(m);
    }
  }
  // Those that nobody needs, now or afterwards.
  std::uint32_t unused_registers(RegClass cls) const {
    const auto c = static_cast<std::size_t>(cls);
    std::uint32_t taken = busy_[c];
    for (const Move& other : moves_)
      if (other.source.kind == Kind::reg && other.source.cls == cls) taken |= 1u << other.source.index;
    return usable_[c] & ~taken;
  }
  // Slot to slot: through a register that nobody needs, else through a borrowed one.
  void through_register(const Move& m) {
    std::size_t c = static_cast<std::size_t>(m.destination.cls);
    const std::uint32_t available = unused_registers(m.destination.cls);
    bool borrowed = available == 0;
    std::uint32_t r = static_cast<std::uint32_t>(std::countr_zero(borrowed ? usable_[c] : available));
    if (borrowed) step(MoveStep::Kind::store, m.destination.cls, kLoanSlot, r, kNoReg);
    to_register(m.destination.cls, r, m.source, m.value);
    step(MoveStep::Kind::store, m.destination.cls, m.destination.index, r, m.value);
    if (borrowed) step(MoveStep::Kind::load, m.destination.cls, r, kLoanSlot, kNoReg);
  }

  std::vector<Move>& moves_;
  const std::array<std::uint32_t, kClassCount>& usable_;
  const std::array<std::uint32_t, kClassCount>& busy_;
  std::vector<MoveStep>& steps_;
};

}  // namespace

void resolve_parallel_moves(std::vector<Move>& moves, const std::array<std::uint32_t, kClassCount>& usable,
                            const std::array<std::uint32_t, kClassCount>& busy,
                            std::vector<MoveStep>& steps) {
  Resolver(moves, usable, busy, steps).run();
}

}  // namespace warpjit::lir
