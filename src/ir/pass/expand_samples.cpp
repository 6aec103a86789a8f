// Samples become the instructions of their steps (samples/).
#include "ir/pass/passes.h"
#include "ir/pass/samples/filter.h"

namespace warpjit::ir {

bool expand_samples(Function& f) {
  std::vector<Inst> samples;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (f.inst(i).opcode == Opcode::Sample) samples.push_back(i);
  if (samples.empty()) return false;
  constexpr std::size_t kOfSample = 384;  // about what one becomes that is filtered in two levels
  f.reserve(kOfSample * samples.size());
  Builder builder(f);
  std::vector<Value> replacement(f.value_count());
  const auto resolve = [&](Value v) {
    while (v.id < replacement.size() && replacement[v.id].valid()) v = replacement[v.id];
    return v;
  };
  for (Inst i : samples) {
    builder.set_before(i);
    builder.set_guest_address(f.inst(i).guest_address);
    const SampleUse use = SampleUse::unpack(f.inst(i).immediate);
    const auto operand = [&](std::uint32_t k) { return I32{resolve(f.operand(i, k))}; };
    const samples::Operands operands = {
        {operand(1), operand(2), operand(3)}, operand(4), operand(5), operand(6)};
    const samples::Filter::Results results =
        samples::expand(builder, f.samples[use.source], use, operands, I1{resolve(f.operand(i, 0))},
                        f.pixels || use.from_quad, f.form == Form::group ? i : Inst{});
    for (std::uint32_t k = 0; k < 4; ++k) replacement[f.result(i, k).id] = results[k];
  }
  f.replace_values(replacement);
  for (Inst i : samples) f.remove(i);
  return true;
}

}  // namespace warpjit::ir
