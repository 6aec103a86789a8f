// What joins masks becomes part of the comparison, or the branch, beside it.
#include <algorithm>
#include <utility>

#include "backend/host.h"

namespace warpjit::backend {

using lir::Inst;
using lir::MemBase;
using lir::Reg;

namespace {

class MaskFolder {
 public:
  MaskFolder(lir::Code& code, std::vector<std::uint32_t>& uses) : code_(code), uses_(uses) {}

  void run() {
    for (const lir::Block& block : code_.blocks) {
      first_ = first_in_mode_ = block.first;
      for (std::uint32_t i = block.first; i < block.end; ++i) {
        Inst& inst = code_.insts[i];
        switch (static_cast<Op>(inst.op)) {
          case Op::KAnd:
          case Op::KAndNot:
            if (!lir::is_dead(inst, uses_)) join(inst);
            break;
          case Op::BranchMask:
            test(inst);
            break;
          default:
            break;
        }
        if (info(static_cast<Op>(inst.op)).sets_mode) first_in_mode_ = i + 1;
        if (inst.def != lir::kNoReg && code_.classes[inst.def] == lir::RegClass::mask) note(inst.def, i);
      }
    }
  }

 private:
  static constexpr std::uint32_t kBefore = 0;  // made before the block

  void note(Reg mask, std::uint32_t i) {
    if (made_.empty()) made_.assign(code_.classes.size(), kBefore);
    made_[mask] = i + 1;
  }
  // One more than the instruction's number if it is in this block.
  std::uint32_t place(Reg mask) const {
    return made_.empty() || made_[mask] <= first_ ? kBefore : made_[mask];
  }
  // What makes a mask in this block for one instruction only.
  Inst* only_for_one(Reg mask) {
    const std::uint32_t at = place(mask);
    return at == kBefore || uses_[mask] != 1 ? nullptr : &code_.insts[at - 1];
  }

  // The comparison that looks only at lanes that are set in use[2].
  static bool masked(Op op, Op& found) {
    using enum Op;
    for (const auto& [plain, masked] : {std::pair{CmpF, CmpFMasked}, std::pair{CmpI, CmpIMasked},
                                        std::pair{CmpU, CmpUMasked}, std::pair{TestBits, TestMasked}})
      if (op == plain) {
        found = masked;
        return true;
      }
    return false;
  }

  // True if the comparison may be made later in its block.
  bool may_wait(const Inst& compare) const {
    return static_cast<std::uint32_t>(&compare - code_.insts.data()) >= first_in_mode_ &&
           (compare.mem.base == MemBase::none || compare.mem.base == MemBase::pool);
  }

  // A comparison and another mask: the comparison makes both. If others also read that mask, the comparison
  // moves to the join, so that its result may take the mask's register, and a loop does not move it there.
  void join(Inst& inst) {
    const bool negated = static_cast<Op>(inst.op) == Op::KAndNot;
    const int last = !negated && place(inst.use[1]) > place(inst.use[0]) ? 1 : 0;
    const Reg other = inst.use[1 - last];
    Inst* compare = only_for_one(inst.use[last]);
    Op op;
    if (compare == nullptr || other == inst.use[last] || compare->use_count != 2 ||
        !masked(static_cast<Op>(compare->op), op))
      return;
    if (negated && op == Op::TestMasked) return;
    const bool waits = uses_[other] != 1 && may_wait(*compare);
    if (!waits && place(other) >= place(inst.use[last])) return;
    constexpr std::int64_t kOtherWay = 4;  // the bit of predicates that negates them
    if (negated) compare->imm ^= kOtherWay;
    compare->op = static_cast<std::uint16_t>(op);
    compare->use[compare->use_count++] = other;
    std::swap(compare->def, inst.def);
    uses_[inst.def] = 0;  // dead
    inst.use_count = 0;
    if (waits)
      std::swap(inst, *compare);
    else
      note(compare->def, static_cast<std::uint32_t>(compare - code_.insts.data()));
  }

  // Any lane of two masks.
  void test(Inst& branch) {
    if (branch.use_count != 1) return;
    Inst* either = only_for_one(branch.use[0]);
    if (either == nullptr || static_cast<Op>(either->op) != Op::KOr) return;
    uses_[either->def] = 0;
    branch.use[0] = either->use[0];
    branch.use[branch.use_count++] = either->use[1];
    either->use_count = 0;
  }

  lir::Code& code_;
  std::vector<std::uint32_t>& uses_;  // of registers
  std::vector<std::uint32_t> made_;   // by register: see place(); empty while there is no mask
  std::uint32_t first_ = 0, first_in_mode_ = 0;
};

}  // namespace

void fold_masks(lir::Code& code, const Host& host, std::vector<std::uint32_t>& uses) {
  if (host.mask_registers) MaskFolder(code, uses).run();
}

}  // namespace warpjit::backend
