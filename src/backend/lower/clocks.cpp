#include "backend/lower/clocks.h"

#include <algorithm>
#include <vector>

#include "backend/cost.h"
#include "base/sfu.h"
#include "ir/callout.h"
#include "ir/look_up.h"

namespace warpjit::backend {
namespace {

using ir::Family;
using ir::Opcode;
using ir::Value;

struct Cost {
  double instructions = 0, latency = 0;
  double busy = 0;  // clocks in which nothing else goes, beside what the instructions take
};

// Guesses by latencies of x64/costs.inc and by listings. Uniform values are made once for all parts: nothing.
Cost cost_of(const ir::Function& f, ir::Inst i, const Host& host) {
  const ir::InstData& data = f.inst(i);
  const ir::OpcodeInfo& row = ir::info(data.opcode);
  if (data.result_count != 0 && f.value(f.result(i)).uniformity != ir::Uniformity::varying) return {};
  constexpr double kFloatLatency = 4;
  const double lanes = host.lanes, instructions = std::min<double>(row.cost, 4);
  switch (data.opcode) {
    case Opcode::FMadTruncFlush32:
      return host.embedded_rounding ? Cost{4, 8} : Cost{8.5, 17};
    case Opcode::TeslaSpecialFunction32: {
      const bool fast = sfu::is_fast(static_cast<ir::TeslaSpecialFunction>(data.immediate));
      return fast ? Cost{15, 25} : host.mask_registers ? Cost{40, 70} : Cost{65, 90};
    }
    case Opcode::FDiv32:
    case Opcode::FSqrt32:
    case Opcode::FDivFlush32:
    case Opcode::FSqrtFlush32:
      return {1, 12, std::max(5.0, lanes * 5 / 8)};
    case Opcode::LoadTexel:
      return {3, 30, lanes / 2};
    case Opcode::LoadTexelPair:
      return {8, 30, lanes};
    case Opcode::LookUp32:
      return ir::look_up_table(data.immediate).size() <= host.permuted_words ? Cost{instructions, 8}
                                                                             : Cost{3, 30, lanes / 2};
    case Opcode::IMul32:
      return {2, 10};
    default:
      break;
  }
  switch (family(data.opcode)) {
    case Family::constant:
    case Family::cast:
    case Family::uniform:
    case Family::phi:
    case Family::control:
    case Family::terminator:
      return {};
    case Family::float_arithmetic:
    case Family::float_flush:
    case Family::conversion:
      return {instructions, kFloatLatency + instructions - 1};
    case Family::half_arithmetic:
      return {instructions, host.half_arithmetic ? kFloatLatency : 4 * kFloatLatency};
    case Family::float_comparison:
      return {1, 3};
    case Family::callout:
      return {30, 60};
    case Family::pixel:
    case Family::binding:
      return {4, 6};
    case Family::memory:
      return {2, 10, lanes / 4};
    case Family::selection:
      return {host.mask_registers ? 1.0 : 2.0, 2};
    case Family::lanes:
      return {1, 3};
    default:
      return {instructions, 1};
  }
}

}  // namespace

double instructions_of(const ir::Function& f, ir::Inst i, const Host& host) {
  return cost_of(f, i, host).instructions;
}

Clocks guess_clocks(const ir::Function& f, const Host& host, const ir::Loops* loops) {
  Clocks sum;
  std::vector<float> ready(f.value_count(), 0);  // by value, since the begin or the turn's
  for (std::uint32_t b = 0; b < f.block_count(); ++b) {
    const ir::Block block{b};
    if (loops != nullptr && loops->depth(block) == 0) continue;
    const bool header = loops != nullptr && loops->is_header(block);
    for (ir::Inst i : f.insts(block)) {
      const Cost cost = cost_of(f, i, host);
      sum.instructions += cost.instructions;
      sum.busy += cost.instructions / host.vector_ports + cost.busy;
      if (header && f.inst(i).opcode == Opcode::Phi) continue;
      float from = 0;
      for (Value v : f.operands(i)) from = std::max(from, ready[v.id]);
      for (std::uint32_t r = 0; r < f.inst(i).result_count; ++r)
        ready[f.result(i, r).id] = from + static_cast<float>(cost.latency);
    }
  }
  if (loops == nullptr) {
    sum.chain = ready.empty() ? 0 : *std::ranges::max_element(ready);
    return sum;
  }
  for (const ir::Loops::Loop& loop : loops->loops())  // what the next turn begins with
    for (ir::Inst i : f.insts(loop.header)) {
      if (f.inst(i).opcode != Opcode::Phi) break;
      for (Value v : f.operands(i)) sum.chain = std::max<double>(sum.chain, ready[v.id]);
    }
  return sum;
}

double clocks_of_part(const Clocks& clocks, const Host& host, bool loops, std::uint32_t vectors,
                      std::uint32_t parts) {
  const std::uint32_t live = vectors * parts;
  const double spills = live > host.vector_registers ? live - host.vector_registers : 0;
  constexpr double kSpill = 0.33;  // clocks: a store and a load beside the ports of arithmetic
  const double busy = clocks.busy * parts + kSpill * spills;
  // What has no loop begins with the next group before this one ends.
  const double groups = loops ? 1 : std::max(1.0, kReorderWindow / (1 + clocks.instructions * parts));
  return std::max(busy, clocks.chain / groups) / parts;
}

}  // namespace warpjit::backend
