#include "backend/allocate/parallel_move.h"

#include <algorithm>
#include <bit>

#include "base/small_vector.h"

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
    count_reads();
    if (moves_.size() > kMany) order_chains();
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
        if (m.source == parked) {
          --reads(parked);
          m.source = park;
          ++reads(park);
        }
    }
  }

 private:
  static constexpr std::size_t kMany = 64;

  // Where moves from slot to slot need registers, first what gives registers back, and last what takes them.
  enum Rank { gives_register, needs_register, takes_register, kRanks };
  static Rank rank(const Move& m) {
    if (m.destination.kind == Kind::reg) return takes_register;
    return m.source.kind == Kind::reg ? gives_register : needs_register;
  }
  // Performs moves whose destinations nobody reads any more. False: there was no such move.
  bool perform_some() {
    const bool ranked = std::ranges::any_of(moves_, [](const Move& m) { return rank(m) == needs_register; });
    const std::size_t before = moves_.size();
    for (int r = ranked ? gives_register : takes_register; r < kRanks && moves_.size() == before; ++r)
      std::erase_if(moves_, [&](const Move& move) {
        const std::uint32_t own = move.source == move.destination ? 1 : 0;
        if ((ranked && rank(move) != r) || reads(move.destination) != own) return false;
        if (move.source.kind != Kind::emit) --reads(move.source);
        perform(move);
        return true;
      });
    return moves_.size() != before;
  }

  // Puts each move after those that read its destination, but for cycles: else each pass might perform one.
  void order_chains() {
    std::vector<std::uint32_t> by_destination(moves_.size()), ready;
    for (std::uint32_t k = 0; k < moves_.size(); ++k) by_destination[k] = k;
    const auto place = [&](std::uint32_t k) { return key(moves_[k].destination); };
    std::ranges::sort(by_destination, {}, place);
    const auto registers = registers_;
    const auto slots = slots_;
    std::vector<char> ordered(moves_.size());
    for (std::uint32_t k = 0; k < moves_.size(); ++k)
      if (reads(moves_[k].destination) == 0) ready.push_back(k);
    for (std::size_t n = 0; n < ready.size(); ++n) {
      const Location source = moves_[ready[n]].source;
      ordered[ready[n]] = 1;
      if (source.kind == Kind::emit || --reads(source) != 0) continue;
      const auto writes = std::ranges::lower_bound(by_destination, key(source), {}, place);
      if (writes != by_destination.end() && moves_[*writes].destination == source) ready.push_back(*writes);
    }
    for (std::uint32_t k = 0; k < moves_.size(); ++k)
      for (std::uint32_t at = k; ordered[at] == 0;) {  // around a cycle
        ordered[at] = 1;
        ready.push_back(at);
        at = *std::ranges::lower_bound(by_destination, key(moves_[at].source), {}, place);
      }
    std::vector<Move> moves;
    for (std::uint32_t k : ready) moves.push_back(moves_[k]);
    moves_.swap(moves);
    registers_ = registers;
    slots_ = slots;
  }
  static std::uint64_t key(const Location& location) {
    const auto cls = location.kind == Kind::reg ? static_cast<std::uint64_t>(location.cls) : 0;
    return static_cast<std::uint64_t>(location.kind) << 40 | cls << 32 | location.index;
  }

  // How many moves that are left read each location.
  void count_reads() {
    for (const Move& m : moves_)
      if (m.source.kind == Kind::slot) slots_.push_back({m.source.index, 0});
    slots_.push_back({kCycleSlot, 0});
    std::ranges::sort(slots_, {}, &SlotReads::slot);
    for (const Move& m : moves_)
      if (m.source.kind != Kind::emit) ++reads(m.source);
  }
  std::uint32_t& reads(const Location& location) {
    if (location.kind == Kind::reg) return registers_[static_cast<std::size_t>(location.cls)][location.index];
    const auto found = std::ranges::lower_bound(slots_, location.index, {}, &SlotReads::slot);
    if (found != slots_.end() && found->slot == location.index) return found->moves;
    return none_ = 0;
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
    for (std::uint32_t rest = usable_[c] & ~taken; rest != 0; rest &= rest - 1)
      if (const int r = std::countr_zero(rest); registers_[c][static_cast<std::size_t>(r)] != 0)
        taken |= 1u << r;
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
  struct SlotReads {
    std::uint32_t slot, moves;
  };
  std::array<std::array<std::uint32_t, 32>, kClassCount> registers_{};
  SmallVector<SlotReads, 16> slots_;  // by slot; of equal ones the first counts
  std::uint32_t none_ = 0;
};

}  // namespace

void resolve_parallel_moves(std::vector<Move>& moves, const std::array<std::uint32_t, kClassCount>& usable,
                            const std::array<std::uint32_t, kClassCount>& busy,
                            std::vector<MoveStep>& steps) {
  Resolver(moves, usable, busy, steps).run();
}

}  // namespace warpjit::lir
