// What only cold blocks read is made there.
#include <algorithm>
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
  explicit Sinker(lir::Code& code) : code_(code) {}

  void run() {
    lir::find_cold_entries(code_, entry_);
    if (entry_.empty()) return;
    find_candidates();
    if (candidates_.empty()) return;
    for (auto b = static_cast<std::uint32_t>(code_.blocks.size()); b-- > 0;) look_at(b);
    if (sunk_) rebuild();
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::size_t kMostPlaces = 4;

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

  // Whatever the mode of the processor, from at most one vector or mask, so that no more are live than
  // before.
  bool may_sink(const Inst& inst) const {
    if ((inst.flags & lir::kPure) == 0 ||
        (inst.flags & (lir::kRemat | lir::kTied | lir::kEarlyClobber)) != 0 || inst.def == lir::kNoReg ||
        (inst.mem.base != MemBase::none && inst.mem.base != MemBase::pool))
      return false;
    switch (static_cast<Op>(inst.op)) {
      case Op::BroadcastScalar:
      case Op::And:
      case Op::AndNot:
      case Op::Or:
      case Op::Xor:
      case Op::IAdd:
      case Op::ISub:
      case Op::Shl:
      case Op::IMinU:
      case Op::IMaxU:
      case Op::ICmpEq:
      case Op::ICmpGt:
      case Op::ICmpGe:
      case Op::ICmpHi:
      case Op::ICmpHs:
      case Op::CmpI:
      case Op::CmpU:
      case Op::Not:
      case Op::KNot:
        break;
      default:
        return false;
    }
    int wide = 0;
    for (int k = 0; k < inst.use_count; ++k)
      if (inst.use[k] != lir::kNoReg && code_.classes[inst.use[k]] != RegClass::scalar) ++wide;
    return wide <= 1;
  }

  // A number in all lanes, or made of one: repeating it costs no vectors that are live for it.
  bool is_of_number(const Inst& inst) const {
    if (static_cast<Op>(inst.op) == Op::BroadcastScalar) return true;
    return std::all_of(inst.use.begin(), inst.use.begin() + inst.use_count, [&](Reg r) {
      if (r == lir::kNoReg || code_.classes[r] == RegClass::scalar) return true;
      return candidate_[r] != kNone &&
             static_cast<Op>(code_.insts[candidates_[candidate_[r]].inst].op) == Op::BroadcastScalar;
    });
  }

  void find_candidates() {
    for (const lir::Block& block : code_.blocks) {
      if (block.cold) continue;
      for (std::uint32_t i = block.first; i < block.end; ++i) {
        if (!may_sink(code_.insts[i])) continue;
        if (candidates_.empty()) candidate_.assign(code_.classes.size(), kNone);
        candidate_[code_.insts[i].def] = static_cast<std::uint32_t>(candidates_.size());
        candidates_.push_back({i});
        if (is_of_number(code_.insts[i])) candidates_.back().most_places = kMostPlaces;
      }
    }
  }

  void note_use(Reg r, std::uint32_t block) {
    if (r == lir::kNoReg || candidate_[r] == kNone) return;
    Candidate& c = candidates_[candidate_[r]];
    if (c.stays) return;
    const std::uint32_t entry = entry_[block];
    if (entry == lir::kNoBlock) {
      c.stays = true;
      return;
    }
    for (const Place& place : c.places)
      if (place.block == entry) return;
    if (c.places.size() == c.most_places)
      c.stays = true;
    else
      c.places.push_back({entry, lir::kNoReg});
  }

  // Backward, so that all uses of a definition are known when the walk comes to it.
  void look_at(std::uint32_t b) {
    const lir::Block& block = code_.blocks[b];
    for (Reg arg : block.args) note_use(arg, b);
    for (std::uint32_t i = block.end; i-- > block.first;) {
      const Inst& inst = code_.insts[i];
      const bool candidate = inst.def != lir::kNoReg && candidate_[inst.def] != kNone;
      Candidate* c = candidate ? &candidates_[candidate_[inst.def]] : nullptr;
      if (c != nullptr && !c->stays && !c->places.empty()) {
        sunk_ = true;
        for (const Place& place : c->places)
          for (int k = 0; k < inst.use_count; ++k) note_use(inst.use[k], place.block);
        continue;
      }
      if (c != nullptr) c->stays = true;
      for (int k = 0; k < inst.use_count; ++k) note_use(inst.use[k], b);
    }
  }

  bool is_sunk(Reg r) const {
    return r != lir::kNoReg && r < candidate_.size() && candidate_[r] != kNone &&
           !candidates_[candidate_[r]].stays;
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
    std::vector<std::vector<Inst>> made(code_.blocks.size());  // at the begin of blocks
    for (Candidate& c : candidates_) {                         // operands before what reads them
      if (c.stays) continue;
      for (Place& place : c.places) {
        Inst inst = code_.insts[c.inst];
        rename_uses(inst, place.block);
        place.made = &place == &c.places[0] ? inst.def : code_.new_reg(code_.classes[inst.def]);
        inst.def = place.made;
        made[place.block].push_back(inst);
      }
    }
    std::vector<Inst> insts;
    insts.reserve(code_.insts.size() + 16);
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b) {
      lir::Block& block = code_.blocks[b];
      const auto first = static_cast<std::uint32_t>(insts.size());
      insts.insert(insts.end(), made[b].begin(), made[b].end());
      for (std::uint32_t i = block.first; i < block.end; ++i) {
        if (entry_[b] == lir::kNoBlock && is_sunk(code_.insts[i].def)) continue;
        insts.push_back(code_.insts[i]);
        if (entry_[b] != lir::kNoBlock) rename_uses(insts.back(), entry_[b]);
      }
      if (entry_[b] != lir::kNoBlock)
        for (Reg& arg : block.args) rename(arg, entry_[b]);
      block.first = first;
      block.end = static_cast<std::uint32_t>(insts.size());
    }
    code_.insts = std::move(insts);
  }

  lir::Code& code_;
  std::vector<std::uint32_t> entry_;      // lir::find_cold_entries
  std::vector<std::uint32_t> candidate_;  // by register
  std::vector<Candidate> candidates_;
  bool sunk_ = false;
};

}  // namespace

void sink_to_cold(lir::Code& code) { Sinker(code).run(); }

}  // namespace warpjit::backend
