// How many vectors each value is made of. More of them hide latency, because their chains do not depend on
// each other; too many do not fit the registers.
#include <algorithm>

#include "backend/lower.h"
#include "ir/analysis/liveness.h"

namespace warpjit::backend {
namespace {

using ir::Opcode;
using ir::Type;
using ir::Value;

// Most varying values that are live at once, one vector each. Input rows count from their first use on,
// because that is where lowering loads them.
std::uint32_t vector_pressure(const ir::Function& f, bool masks_are_vectors) {
  ir::Liveness live(f);
  std::vector<char> alive(f.value_count(), 0);
  std::vector<ir::Inst> insts, first_use(f.inst_count());
  std::uint32_t most = 0;
  auto weight = [&](Value v) -> std::uint32_t {
    if (f.value(v).shape != ir::Shape::varying) return 0;
    return f.value(v).type == Type::i1 && !masks_are_vectors ? 0 : 1;
  };
  for (std::uint32_t b = 0; b < f.block_count(); ++b) {
    const ir::Block block{b};
    insts.clear();
    for (ir::Inst i : f.insts(block)) {
      insts.push_back(i);
      for (Value v : f.operands(i)) {
        ir::Inst made = f.definition(v);
        if (f.inst(made).opcode == Opcode::LoadInput && f.inst(made).block == block &&
            !first_use[made.id].valid())
          first_use[made.id] = i;
      }
    }
    std::uint32_t now = 0;
    std::vector<Value> at_end;
    live.for_each_live_out(block, [&](Value v) { at_end.push_back(v); });
    for (Value v : at_end) {
      alive[v.id] = 1;
      now += weight(v);
    }
    most = std::max(most, now);
    for (std::size_t k = insts.size(); k-- > 0;) {
      const ir::Inst i = insts[k];
      auto kill = [&](ir::Inst made) {
        for (std::uint32_t r = 0; r < f.inst(made).result_count; ++r) {
          Value v = f.result(made, r);
          if (alive[v.id]) now -= weight(v);
          alive[v.id] = 0;
        }
      };
      kill(i);
      if (f.inst(i).opcode == Opcode::Phi) continue;
      for (Value v : f.operands(i)) {
        if (alive[v.id]) continue;
        alive[v.id] = 1;
        now += weight(v);
      }
      most = std::max(most, now);
      for (Value v : f.operands(i)) {
        ir::Inst made = f.definition(v);
        if (f.inst(made).opcode == Opcode::LoadInput && first_use[made.id] == i) kill(made);
      }
    }
    for (Value v : at_end) alive[v.id] = 0;
    live.for_each_live_in(block, [&](Value v) { alive[v.id] = 0; });
  }
  return most;
}

}  // namespace

std::uint32_t choose_parts(const ir::Function& f, const Host& host) {
  // Measured on Zen 4 with the examples: two parts win, by up to 40%, as long as they need no more than twice
  // the registers there are, spills included; beyond that they gain nothing and cost compile time. Large
  // programs have work enough in flight.
  constexpr std::size_t kLarge = 1500;
  if (f.inst_count() > kLarge) return 1;
  return vector_pressure(f, !host.mask_registers) <= host.vector_registers ? 2 : 1;
}

// Measured on Zen 4: integer hash, 2.2 times as fast in 8 parts as in 2 on v4 and 1.6 in 8 as in 4 on v3;
// mandelbrot, 1.15 in 4 as in 2, but slower in more, as lanes wait for each other at the end of its loop.
// What has no loop gains little but a smaller share of what each group costs.
std::uint32_t choose_group_lanes(const ir::Function& f, Target target) {
  constexpr std::size_t kMostWork = 1500;  // instructions times parts: compile time
  constexpr std::uint32_t kMostLanes = 64, kMostInLockstep = 128, kMostParts = 8;
  const Host* host = find_host(target);
  if (host == nullptr) return f.group_lanes;
  bool loops = false, lanes_wait = false;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (ir::Inst i : f.insts(ir::Block{b})) {
      loops = loops || f.inst(i).opcode == Opcode::BurnFuel;
      lanes_wait = lanes_wait || f.inst(i).opcode == Opcode::AnyLane;
    }
  const std::uint32_t most = loops && !lanes_wait ? kMostInLockstep : kMostLanes,
                      pressure = vector_pressure(f, !host->mask_registers);
  std::uint32_t lanes = f.group_lanes;
  const auto fits = [&](std::uint32_t wider) {
    const std::uint32_t parts = wider / host->lanes;
    return wider <= most && parts <= kMostParts && f.inst_count() * parts <= kMostWork &&
           2 * parts * pressure <= 3 * host->vector_registers;
  };
  while (lanes != 0 && fits(2 * lanes)) lanes *= 2;
  return lanes;
}

}  // namespace warpjit::backend
