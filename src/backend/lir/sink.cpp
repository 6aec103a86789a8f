// Computes what only cold blocks read in these blocks.
#include <algorithm>
#include <array>
#include <utility>

#include "backend/host.h"

namespace warpjit::backend {

using lir::Inst;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

namespace {

class Sinker {
 public:
  Sinker(lir::Code& code, const std::vector<std::uint32_t>& uses, std::vector<Inst>& workspace)
      : code_(code), uses_(uses), workspace_(workspace) {}

  bool run() {
    lir::find_cold_entries(code_, entry_);
    if (entry_.empty()) return false;
    table_changes_ = std::ranges::any_of(code_.insts, [](const Inst& inst) {
      return inst.mem.base == MemBase::table && (inst.flags & lir::kPure) == 0;
    });
    if (!find_candidates()) return false;
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b)
      if (entry_[b] != lir::kNoBlock) note_uses(b);
    if (!decide()) return false;
    rebuild();
    return true;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::size_t kMostPlaces = 4, kMostOfResults = 3;

  struct Place {
    std::uint32_t block;
    Reg made;
  };
  struct Candidate {
    std::uint32_t inst;
    bool stays = false;
    std::size_t most_places = 1;
    SmallVector<Place, kMostPlaces> places{};
  };

  // Whatever the mode of the processor.
  static constexpr auto kMovable = [] {
    std::array<bool, kOpCount> movable{};
    for (const Op op : {Op::BroadcastScalar,
                        Op::And,
                        Op::AndNot,
                        Op::Or,
                        Op::Xor,
                        Op::IAdd,
                        Op::ISub,
                        Op::IMul,
                        Op::Shl,
                        Op::IMinU,
                        Op::IMaxU,
                        Op::ICmpEq,
                        Op::ICmpGt,
                        Op::ICmpGe,
                        Op::ICmpHi,
                        Op::ICmpHs,
                        Op::CmpI,
                        Op::CmpU,
                        Op::Not,
                        Op::KNot})
      movable[static_cast<std::size_t>(op)] = true;
    return movable;
  }();
  // From at most one vector or mask, so that no more are live than before; numbers in all lanes do not count,
  // as most of them go along.
  bool may_sink(const Inst& inst) const {
    if (!kMovable[inst.op] || (inst.flags & lir::kPure) == 0 ||
        (inst.flags & (lir::kRemat | lir::kTied | lir::kEarlyClobber)) != 0 || inst.def == lir::kNoReg ||
        (inst.mem.base != MemBase::none && inst.mem.base != MemBase::pool &&
         (inst.mem.base != MemBase::table || table_changes_)))
      return false;
    int wide = 0;
    for (int k = 0; k < inst.use_count; ++k)
      if (inst.use[k] != lir::kNoReg && code_.classes[inst.use[k]] != RegClass::scalar &&
          !is_number(inst.use[k]))
        ++wide;
    return wide <= 1;
  }

  // A number in all lanes, or made of such: repeating it costs no vectors that are live for it.
  bool is_of_number(const Inst& inst) const {
    return std::all_of(inst.use.begin(), inst.use.begin() + inst.use_count, [&](Reg r) {
      return r == lir::kNoReg || code_.classes[r] == RegClass::scalar || is_number(r);
    });
  }
  bool is_number(Reg r) const { return candidate_[r] != kNone && candidates_[candidate_[r]].most_places > 1; }

  // In hot blocks, what others than candidates read there stays. True if there is one that may go.
  bool find_candidates() {
    candidate_.assign(code_.classes.size(), kNone);
    std::size_t staying = 0;
    const auto stay = [&](Reg r) {
      if (r == lir::kNoReg || candidate_[r] == kNone || candidates_[candidate_[r]].stays) return;
      candidates_[candidate_[r]].stays = true;
      ++staying;
    };
    for (const lir::Block& block : code_.blocks) {
      if (block.cold) continue;
      for (std::uint32_t i = block.first; i < block.end; ++i) {
        const Inst& inst = code_.insts[i];
        if (lir::is_dead(inst, uses_)) continue;
        if (!may_sink(inst)) {
          for (int k = 0; k < inst.use_count; ++k) stay(inst.use[k]);
          continue;
        }
        const std::size_t most = !is_of_number(inst)                               ? 1
                                 : static_cast<Op>(inst.op) == Op::BroadcastScalar ? kMostPlaces
                                                                                   : kMostOfResults;
        candidate_[inst.def] = static_cast<std::uint32_t>(candidates_.size());
        candidates_.push_back({i, false, most});
      }
      for (Reg arg : block.args) stay(arg);
    }
    return staying != candidates_.size();
  }

  void note_use(Reg r, std::uint32_t entry) {
    if (r == lir::kNoReg || candidate_[r] == kNone) return;
    Candidate& c = candidates_[candidate_[r]];
    if (c.stays) return;
    for (const Place& place : c.places)
      if (place.block == entry) return;
    if (c.places.size() == c.most_places)
      c.stays = true;
    else
      c.places.push_back({entry, lir::kNoReg});
  }

  void note_uses(std::uint32_t cold) {
    const lir::Block& block = code_.blocks[cold];
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      const Inst& inst = code_.insts[i];
      if (lir::is_dead(inst, uses_)) continue;
      for (int k = 0; k < inst.use_count; ++k) note_use(inst.use[k], entry_[cold]);
    }
    for (Reg arg : block.args) note_use(arg, entry_[cold]);
  }

  // Candidates are read by later ones only. True if any goes.
  bool decide() {
    bool any = false;
    for (std::size_t n = candidates_.size(); n-- > 0;) {
      Candidate& c = candidates_[n];
      const Inst& inst = code_.insts[c.inst];
      c.stays |= c.places.empty();
      any |= !c.stays;
      for (int k = 0; k < inst.use_count; ++k) {
        if (!c.stays)
          for (const Place& place : c.places) note_use(inst.use[k], place.block);
        else if (const Reg r = inst.use[k]; r != lir::kNoReg && candidate_[r] != kNone)
          candidates_[candidate_[r]].stays = true;
      }
    }
    return any;
  }

  bool is_sunk(Reg r) const {
    return r != lir::kNoReg && candidate_[r] != kNone && !candidates_[candidate_[r]].stays;
  }
  void rename(Reg& r, std::uint32_t entry) const {
    if (!is_sunk(r)) return;
    for (const Place& place : candidates_[candidate_[r]].places)
      if (place.block == entry) r = place.made;
  }
  void rename_uses(Inst& inst, std::uint32_t entry) const {
    for (int k = 0; k < inst.use_count; ++k) rename(inst.use[k], entry);
  }

  void rebuild() {
    std::vector<std::pair<std::uint32_t, Inst>> made;  // at the begin of blocks
    for (Candidate& c : candidates_) {                 // operands before what reads them
      if (c.stays) continue;
      for (Place& place : c.places) {
        Inst inst = code_.insts[c.inst];
        rename_uses(inst, place.block);
        place.made = &place == &c.places[0] ? inst.def : code_.new_reg(code_.classes[inst.def]);
        inst.def = place.made;
        made.push_back({place.block, inst});
      }
    }
    std::stable_sort(made.begin(), made.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Inst>& insts = workspace_;
    insts.clear();
    insts.reserve(code_.insts.size() + made.size());
    auto next = made.begin();
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b) {
      lir::Block& block = code_.blocks[b];
      const auto first = static_cast<std::uint32_t>(insts.size());
      for (; next != made.end() && next->first == b; ++next) insts.push_back(next->second);
      for (std::uint32_t i = block.first; i < block.end; ++i) {
        if (lir::is_dead(code_.insts[i], uses_)) continue;
        if (entry_[b] == lir::kNoBlock && is_sunk(code_.insts[i].def)) continue;
        insts.push_back(code_.insts[i]);
        if (entry_[b] != lir::kNoBlock) rename_uses(insts.back(), entry_[b]);
      }
      if (entry_[b] != lir::kNoBlock)
        for (Reg& arg : block.args) rename(arg, entry_[b]);
      block.first = first;
      block.end = static_cast<std::uint32_t>(insts.size());
    }
    std::swap(code_.insts, insts);
  }

  lir::Code& code_;
  const std::vector<std::uint32_t>& uses_;
  std::vector<Inst>& workspace_;          // memory that is kept
  bool table_changes_ = false;            // the code stores to the uniform table
  std::vector<std::uint32_t> entry_;      // lir::find_cold_entries
  std::vector<std::uint32_t> candidate_;  // by register
  std::vector<Candidate> candidates_;
};

}  // namespace

bool sink_to_cold(lir::Code& code, const std::vector<std::uint32_t>& uses,
                  std::vector<lir::Inst>& workspace) {
  return Sinker(code, uses, workspace).run();
}

}  // namespace warpjit::backend
