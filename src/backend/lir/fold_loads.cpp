// Loads of vectors that one instruction needs become its memory operand.
#include <utility>

#include "backend/host.h"

namespace warpjit::backend {

using lir::Inst;
using lir::MemBase;
using lir::Reg;

namespace {

class LoadFolder {
 public:
  LoadFolder(lir::Code& code, const Host& host, std::vector<std::uint32_t>& uses)
      : code_(code), host_(host), uses_(uses) {}

  void run() {
    for (const lir::Block& block : code_.blocks) {
      block_first_ = first_readable_ = block.first;
      for (std::uint32_t i = block.first; i < block.end; ++i) {
        Inst& inst = code_.insts[i];
        if (lir::is_dead(inst, uses_)) continue;
        if (inst.fold != 0 && !loads_.empty()) fold_into(inst);
        if (foldable(inst)) note_load(inst.def, i);
        if (info(static_cast<Op>(inst.op)).writes) first_readable_ = i + 1;
      }
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  bool foldable(const Inst& inst) const {
    if (inst.def == lir::kNoReg || uses_[inst.def] != 1) return false;
    const Op op = static_cast<Op>(inst.op);
    if (inst.mem.base != MemBase::reg) return inst.mem.base == MemBase::pool && op == Op::LoadConstant;
    return op == Op::LoadFull || (op == Op::Broadcast && host_.broadcast_operands);
  }

  void note_load(Reg v, std::uint32_t i) {
    if (loads_.empty()) loads_.assign(code_.classes.size(), kNone);
    loads_[v] = i;
  }

  // True if a load in this block defines use k, with no write to memory between them.
  bool is_load(const Inst& inst, int k) const {
    const Reg v = inst.use[k];
    if (v == lir::kNoReg || loads_[v] == kNone) return false;
    const bool constant = code_.insts[loads_[v]].mem.base == MemBase::pool;
    if (loads_[v] < (constant ? block_first_ : first_readable_)) return false;
    return inst.use_count + code_.insts[loads_[v]].use_count <= lir::kMaxUses;
  }

  void fold_into(Inst& inst) {
    if (inst.mem.base != MemBase::none) return;
    if ((inst.fold >> 1 & 1) && info(static_cast<Op>(inst.op)).commutes && !is_load(inst, 1) &&
        is_load(inst, 0))
      std::swap(inst.use[0], inst.use[1]);
    for (int k = 0; k < inst.use_count; ++k) {
      if (!(inst.fold >> k & 1) || !is_load(inst, k)) continue;
      const Inst& load = code_.insts[loads_[inst.use[k]]];
      inst.use[k] = lir::kNoReg;
      inst.mem = load.mem;
      if (load.mem.base_use != 0xff) {
        inst.mem.base_use = inst.use_count;
        inst.use[inst.use_count++] = load.use[load.mem.base_use];
      }
      if (load.mem.index_use != 0xff) {
        inst.mem.index_use = inst.use_count;
        inst.use[inst.use_count++] = load.use[load.mem.index_use];
      }
      inst.fold = 0;
      uses_[load.def] = 0;
      return;
    }
  }

  lir::Code& code_;
  const Host& host_;
  std::vector<std::uint32_t>& uses_;  // of registers
  std::vector<std::uint32_t> loads_;  // by register: the load that makes it; empty before the first load
  std::uint32_t block_first_ = 0;
  std::uint32_t first_readable_ = 0;  // loads from here on may be made later
};

}  // namespace

void fold_loads(lir::Code& code, const Host& host, std::vector<std::uint32_t>& uses) {
  if (host.memory_operands) LoadFolder(code, host, uses).run();
}

}  // namespace warpjit::backend
