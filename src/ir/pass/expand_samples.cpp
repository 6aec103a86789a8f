// Samples become the instructions of their steps (samples/).
#include <algorithm>

#include "ir/pass/passes.h"
#include "ir/pass/samples/filter.h"

namespace warpjit::ir {

bool expand_samples(Function& f) {
  std::vector<Inst> samples;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (f.inst(i).opcode == Opcode::Sample) samples.push_back(i);
  if (samples.empty()) return false;
  // About what those become that are filtered; a program that is nothing but samples grows by itself.
  constexpr std::size_t kOfSample = 224, kMost = 64;
  f.reserve(kOfSample * std::min(samples.size(), kMost));
  Builder builder(f);
  std::vector<Value> replacement(f.value_count());
  const auto resolve = [&](Value v) {
    while (v.id < replacement.size() && replacement[v.id].valid()) v = replacement[v.id];
    return v;
  };
  // From the last one, so that a block which is split has no samples after the place,
  // and each rest is moved only once.
  for (auto next = samples.rbegin(); next != samples.rend(); ++next) {
    const Inst i = *next;
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
