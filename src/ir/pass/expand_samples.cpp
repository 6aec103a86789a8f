// Samples become the instructions of their steps (samples/).
#include "ir/pass/passes.h"
#include "ir/pass/samples/filter.h"

namespace warpjit::ir {

void expand_samples(Function& f) {
  std::vector<Inst> samples;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (f.inst(i).opcode == Opcode::Sample) samples.push_back(i);
  if (samples.empty()) return;
  Builder builder(f);
  std::vector<Value> replacement(f.value_count());
  const auto resolve = [&](Value v) {
    while (v.id < replacement.size() && replacement[v.id].valid()) v = replacement[v.id];
    return v;
  };
  for (Inst i : samples) {
    builder.set_before(i);
    builder.set_guest_address(f.inst(i).guest_address);
    samples::Request request;
    request.use = SampleUse::unpack(f.inst(i).immediate);
    const auto operand = [&](std::uint32_t k) { return I32{resolve(f.operand(i, k))}; };
    for (std::uint32_t k = 0; k < 3; ++k) request.coordinates[k] = builder.BitcastI32ToF32(operand(k));
    request.layer = operand(3);
    request.reference = builder.BitcastI32ToF32(operand(4));
    request.detail = builder.BitcastI32ToF32(operand(5));
    samples::Filter filter(builder, f.samples[request.use.source], request.use.source, request);
    samples::Filter::Results results;
    switch (request.use.operation) {
      case SampleOperation::automatic:
      case SampleOperation::bias:
      case SampleOperation::lod:
        results = filter.sample(f.pixels);
        break;
      case SampleOperation::fetch:
        results = filter.fetch();
        break;
      case SampleOperation::gather:
        results = filter.gather();
        break;
      case SampleOperation::size:
        results = filter.size();
        break;
      case SampleOperation::query_lod:
        results = filter.query(f.pixels);
        break;
    }
    for (std::uint32_t k = 0; k < 4; ++k) replacement[f.result(i, k).id] = results[k];
  }
  f.replace_values(replacement);
  for (Inst i : samples) f.remove(i);
}

}  // namespace warpjit::ir
