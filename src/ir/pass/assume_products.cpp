#include <algorithm>

#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

// Code of arithmetic without denormals changes the host's float mode, and with that clears the sticky flags.
bool clears_flags(const Function& f) {
  if (std::ranges::any_of(f.samples, [](const SampleSource& source) { return source.key.without_denormals; }))
    return true;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (family(f.inst(i).opcode) == Family::float_flush) return true;
  return false;
}

}  // namespace

bool assume_no_zero_inf(Function& f) {
  if (clears_flags(f)) return false;
  bool changed = false;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      InstData& data = f.inst(i);
      if (data.opcode != Opcode::FMulZeroInf32) continue;
      data.opcode = Opcode::FMulNoZeroInf32;
      changed = true;
    }
  return changed;
}

}  // namespace warpjit::ir
