// Tests of bits that a loop makes anew in each turn are made before it.
#include <algorithm>
#include <bit>
#include <utility>

#include "backend/host.h"

namespace warpjit::backend {

using lir::Inst;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

namespace {

// Blocks that go on if all lanes pass a chain of comparisons, as the truncated multiply-add makes them: each
// looks at the lanes that the one before found. The tests of what the loop does not change become one mask.
class TestHoister {
 public:
  TestHoister(lir::Code& code, std::uint32_t lanes, std::vector<std::uint32_t>& uses,
              std::vector<Inst>& workspace)
      : code_(code), lanes_(lanes), uses_(uses), workspace_(workspace) {}

  void run() {
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b) {
      const lir::Block& block = code_.blocks[b];
      for (std::uint32_t next : block.successors)
        if (next <= b) {
          if (next >= seen_) hoist_from(next, b);
          seen_ = b + 1;  // only innermost loops: one walk
        }
    }
    if (!hoisted_.empty()) rebuild();
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  // A mask in a register during all of a loop is one that others lack.
  static constexpr std::uint32_t kMostOfLoop = 2, kFewest = 2;  // values; instructions one stands for

  struct Hoisted {
    std::uint32_t before;  // which instruction
    Inst inst;
  };

  // Out of the loop among the blocks [header, last], which is entered by its header from one block only.
  void hoist_from(std::uint32_t header, std::uint32_t last) {
    std::uint32_t from = kNone;
    to_visit_.clear();
    for (std::uint32_t p : code_.blocks[header].predecessors) {
      if (p >= header && p <= last) {
        to_visit_.push_back(p);
        continue;
      }
      if (from != kNone || p > last || code_.blocks[p].successors.size() != 1) return;
      from = p;
    }
    if (from == kNone || !find_body(header, last)) return;
    std::uint32_t count = 0;
    for (std::uint32_t b = header; b <= last && count < kMostOfLoop; ++b) {
      const lir::Block& block = code_.blocks[b];
      const Op branch = static_cast<Op>(code_.insts[block.end - 1].op);
      if (!in_body_[b] || block.cold || (branch != Op::BranchUnlessAll && branch != Op::BranchUnlessBits))
        continue;
      if (made_.empty()) find_places();
      const std::uint32_t loop = code_.blocks[header].first, before = code_.blocks[from].end - 1;
      if (branch == Op::BranchUnlessAll ? hoist(block, loop, before) : hoist_bits(block, loop, before))
        ++count;
    }
  }

  // The blocks on the ways from the header to those in to_visit_. False: some other way leads to them.
  bool find_body(std::uint32_t header, std::uint32_t last) {
    in_body_.resize(code_.blocks.size(), 0);
    in_body_[header] = 1;
    while (!to_visit_.empty()) {
      const std::uint32_t b = to_visit_.back();
      to_visit_.pop_back();
      if (in_body_[b]) continue;
      in_body_[b] = 1;
      for (std::uint32_t p : code_.blocks[b].predecessors) {
        if (p < header || p > last) return false;
        to_visit_.push_back(p);
      }
    }
    return true;
  }

  // Where registers are made: numbers of instructions.
  void find_places() {
    made_.assign(code_.classes.size(), kNone);
    for (const lir::Block& block : code_.blocks) {
      for (Reg r : block.params) made_[r] = block.first;
      for (std::uint32_t i = block.first; i < block.end; ++i)
        if (code_.insts[i].def != lir::kNoReg) made_[code_.insts[i].def] = i;
    }
  }

  bool hoist(const lir::Block& block, std::uint32_t loop, std::uint32_t before) {
    chain_.clear();
    Inst& branch = code_.insts[block.end - 1];
    bool stays = false;
    std::uint32_t going = 0;
    for (Reg r = branch.use[0]; r != lir::kNoReg;) {
      const std::uint32_t at = made_[r];
      if (at < block.first || at >= block.end || uses_[r] != 1) return false;
      const Inst& inst = code_.insts[at];
      if (inst.def != r) return false;  // a parameter of the block
      const Op op = static_cast<Op>(inst.op);
      const bool masked = op == Op::TestMasked || op == Op::CmpUMasked;
      if (!masked && op != Op::TestBits && op != Op::CmpU) return false;
      if (inst.use_count != (masked ? 3 : 2)) return false;
      if (may_go(inst, loop))
        ++going;
      else
        stays = true;
      chain_.push_back(at);
      r = masked ? inst.use[2] : lir::kNoReg;
    }
    if (stays && going < kFewest) return false;
    Reg usual = lir::kNoReg;
    for (std::size_t k = chain_.size(); k-- > 0;) {
      Inst& inst = code_.insts[chain_[k]];
      if (!may_go(inst, loop)) continue;
      const Reg def = code_.new_reg(RegClass::mask);
      uses_.push_back(1);
      made_.push_back(before);
      hoisted_.push_back({before, inst});
      link(hoisted_.back().inst, usual);
      hoisted_.back().inst.def = def;
      uses_[inst.def] = 0;  // dead
      inst.use_count = 0;
      usual = def;
    }
    for (std::size_t k = chain_.size(); k-- > 0;) {
      Inst& inst = code_.insts[chain_[k]];
      if (inst.use_count == 0) continue;
      link(inst, usual);
      usual = inst.def;
    }
    branch.use[0] = usual;
    return true;
  }

  // Without mask registers, as the AVX2 part of Flushing::branch_if_unusual() makes them: products joined by
  // And, whose bits the branch looks at, with those of the loop or alone, all of what the loop does not
  // change. Beside others they are one operand in memory, if registers are short.
  // A branch that looks at nothing else compares a scalar, which is made before the loop, too.
  bool hoist_bits(const lir::Block& block, std::uint32_t loop, std::uint32_t before) {
    const auto made_here = [&](Reg r) -> const Inst* {
      if (r == lir::kNoReg || made_[r] < block.first || made_[r] >= block.end || uses_[r] != 1)
        return nullptr;
      const Inst& inst = code_.insts[made_[r]];
      return inst.def == r ? &inst : nullptr;
    };
    Reg addends = code_.insts[block.end - 1].use[0];
    const Inst* const usual = made_here(addends);
    const bool of_products = usual != nullptr && static_cast<Op>(usual->op) == Op::AndNot;
    if (of_products) addends = usual->use[1];
    chain_.clear();
    for (Reg r = addends; r != lir::kNoReg;) {
      const Inst* const inst = made_here(r);
      if (inst == nullptr) return false;
      chain_.push_back(made_[r]);
      if (is_scaled_addend(*inst, loop)) break;
      if (static_cast<Op>(inst->op) != Op::And || inst->use_count != 2) return false;
      const Inst* const last = made_here(inst->use[1]);
      if (last == nullptr || !is_scaled_addend(*last, loop)) return false;
      chain_.push_back(made_[inst->use[1]]);
      r = inst->use[0];
    }
    if (of_products && chain_.size() < kFewest) return false;
    std::sort(chain_.begin(), chain_.end());
    for (const std::uint32_t at : chain_) {
      Inst& inst = code_.insts[at];
      hoisted_.push_back({before, inst});
      made_[inst.def] = before;
      inst.def = code_.new_reg(code_.classes[inst.def]);
      inst.use_count = 0;
      uses_.push_back(0);  // dead
      made_.push_back(kNone);
    }
    Inst& branch = code_.insts[block.end - 1];
    if (!of_products && std::has_single_bit(static_cast<std::uint32_t>(branch.imm)))
      compare_signs(branch, addends, before);
    return true;
  }

  // The one bit that the branch looks at becomes the lanes' sign.
  void compare_signs(Inst& branch, Reg addends, std::uint32_t before) {
    const auto hoist_one = [&](Op op, RegClass made, Reg of, std::int64_t imm) {
      Inst inst;
      inst.op = static_cast<std::uint16_t>(op);
      inst.def = code_.new_reg(made);
      inst.use[0] = of;
      inst.use_count = 1;
      inst.imm = imm;
      inst.flags = lir::kPure;
      inst.guest_address = branch.guest_address;
      uses_.push_back(1);
      made_.push_back(before);
      hoisted_.push_back({before, inst});
      return inst.def;
    };
    const Reg signs = hoist_one(Op::Shl, RegClass::vector, addends,
                                std::countl_zero(static_cast<std::uint32_t>(branch.imm)));
    Inst compared;
    compared.op = static_cast<std::uint16_t>(Op::BranchCompare);
    compared.guest_address = branch.guest_address;
    compared.use[0] = hoist_one(Op::MaskToScalar, RegClass::scalar, signs, 0);
    compared.use_count = 1;
    compared.imm = pack_condition(Condition::not_equal, (1 << lanes_) - 1);
    branch = compared;
  }

  bool is_scaled_addend(const Inst& inst, std::uint32_t loop) const {
    return static_cast<Op>(inst.op) == Op::Mul && inst.mem.base == MemBase::pool &&
           inst.use[0] != lir::kNoReg && made_[inst.use[0]] < loop;
  }

  bool may_go(const Inst& inst, std::uint32_t loop) const {
    const Op op = static_cast<Op>(inst.op);
    return (op == Op::TestBits || op == Op::TestMasked) && inst.mem.base == MemBase::pool &&
           inst.use[0] != lir::kNoReg && made_[inst.use[0]] < loop;
  }

  // Makes it look at these lanes, or at all.
  static void link(Inst& inst, Reg lanes) {
    const bool compares = static_cast<Op>(inst.op) == Op::CmpU || static_cast<Op>(inst.op) == Op::CmpUMasked;
    const bool all = lanes == lir::kNoReg;
    inst.op = static_cast<std::uint16_t>(compares ? (all ? Op::CmpU : Op::CmpUMasked)
                                                  : (all ? Op::TestBits : Op::TestMasked));
    inst.use_count = all ? 2 : 3;
    inst.use[2] = lanes;
  }

  void rebuild() {
    std::stable_sort(hoisted_.begin(), hoisted_.end(),
                     [](const Hoisted& a, const Hoisted& b) { return a.before < b.before; });
    workspace_.clear();
    workspace_.reserve(code_.insts.size() + hoisted_.size());
    auto next = hoisted_.begin();
    for (lir::Block& block : code_.blocks) {
      const auto first = static_cast<std::uint32_t>(workspace_.size());
      for (std::uint32_t i = block.first; i < block.end; ++i) {
        for (; next != hoisted_.end() && next->before == i; ++next) workspace_.push_back(next->inst);
        workspace_.push_back(code_.insts[i]);
      }
      block.first = first;
      block.end = static_cast<std::uint32_t>(workspace_.size());
    }
    std::swap(code_.insts, workspace_);
  }

  lir::Code& code_;
  std::uint32_t lanes_;
  std::vector<std::uint32_t>& uses_;  // of registers
  std::vector<Inst>& workspace_;      // memory that is kept
  std::vector<std::uint32_t> made_;   // by register; empty until a loop needs it
  std::vector<std::uint32_t> chain_;  // instructions of the chain at hand
  std::vector<Hoisted> hoisted_;
  std::vector<std::uint32_t> to_visit_;
  std::vector<char> in_body_;  // by block
  std::uint32_t seen_ = 0;
};

}  // namespace

void hoist_tests(lir::Code& code, const Host& host, std::vector<std::uint32_t>& uses,
                 std::vector<lir::Inst>& workspace) {
  if (host.mask_registers || host.memory_operands) TestHoister(code, host.lanes, uses, workspace).run();
}

}  // namespace warpjit::backend
