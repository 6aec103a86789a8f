#include "backend/host.h"

namespace warpjit::backend {
namespace {

using lir::Inst;
using lir::MemBase;
using lir::Reg;

// True if the instruction reads only what does not change while the code runs.
bool reads_what_stays(const Inst& inst, const OpInfo& row) {
  if (row.takes_address || (!row.reads && inst.mem.base == MemBase::none)) return true;
  return inst.mem.base == MemBase::pool || inst.mem.base == MemBase::table || inst.mem.base == MemBase::args;
}

std::string check(const Inst& inst, bool last, const std::vector<std::uint32_t>& uses) {
  const OpInfo& row = info(static_cast<Op>(inst.op));
  if (row.ends_block != last) return last ? "the block has no end" : "the block goes on behind its end";
  if ((inst.flags & lir::kPure) && !row.pure()) return "may be removed although it has an effect";
  if ((inst.flags & lir::kRemat) && (!row.pure() || !reads_what_stays(inst, row)))
    return "may be made again although that may differ";
  if (row.clears == OpInfo::kNoUse) return {};
  const Reg cleared = row.clears < inst.use_count ? inst.use[row.clears] : lir::kNoReg;
  return cleared == lir::kNoReg || uses[cleared] != 1 ? "clears a register that another one reads" : "";
}

}  // namespace

std::string verify_effects(const lir::Code& code) {
  std::vector<std::uint32_t> uses(code.classes.size(), 0);
  for (const Inst& inst : code.insts)
    for (int k = 0; k < inst.use_count; ++k)
      if (inst.use[k] != lir::kNoReg) ++uses[inst.use[k]];
  for (const lir::Block& block : code.blocks)
    for (Reg arg : block.args) ++uses[arg];
  for (std::size_t b = 0; b < code.blocks.size(); ++b)
    for (std::uint32_t i = code.blocks[b].first; i < code.blocks[b].end; ++i)
      if (const std::string wrong = check(code.insts[i], i + 1 == code.blocks[b].end, uses); !wrong.empty())
        return "LIR block " + std::to_string(b) + ", instruction " + std::to_string(i) + ": " + wrong;
  return {};
}

}  // namespace warpjit::backend
