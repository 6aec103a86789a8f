// How many vectors each value is made of. More of them hide latency, because their chains do not depend on
// each other; too many do not fit the registers.
#include "backend/lower/choose_parts.h"

#include <algorithm>
#include <bit>

#include "backend/lower/clocks.h"
#include "backend/lower/value_forms.h"
#include "ir/analysis/lane_comparison.h"
#include "ir/analysis/lane_sets.h"
#include "ir/analysis/liveness.h"
#include "ir/analysis/loops.h"
#include "ir/callout.h"
#include "ir/memory.h"

namespace warpjit::backend {
namespace {

using ir::Opcode;
using ir::Type;
using ir::Value;

// Numbers of threads, their sums, and these shifted, masked or multiplied by uniform values: where they
// address memory, lanes are rows of a run (memory_runs), and no vector has them. One pass; by value.
std::vector<char> linear_values(const ir::Function& f) {
  std::vector<char> linear(f.value_count(), 0);
  const auto uniform = [&](Value v) { return f.value(v).uniformity != ir::Uniformity::varying; };
  const auto is_linear = [&](Value v) { return uniform(v) || linear[v.id] != 0; };
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (ir::Inst i : f.insts(ir::Block{b})) {
      const Opcode opcode = f.inst(i).opcode;
      const bool sum = opcode == Opcode::IAdd32 || opcode == Opcode::ISub32;
      const bool scaled = opcode == Opcode::IShl32 || opcode == Opcode::IMul32 || opcode == Opcode::IAnd32 ||
                          opcode == Opcode::IShrU32;
      if (opcode == Opcode::LaneIndex || opcode == Opcode::ThreadIndex)
        linear[f.result(i).id] = 1;
      else if (sum || (scaled && (uniform(f.operand(i, 0)) || uniform(f.operand(i, 1)))))
        linear[f.result(i).id] = is_linear(f.operand(i, 0)) && is_linear(f.operand(i, 1)) ? 1 : 0;
      else if (opcode == Opcode::Phi && f.value(f.result(i)).type == Type::i32)  // from where it was seen
        linear[f.result(i).id] = is_linear(f.operand(i, 0)) ? 1 : 0;
    }
  return linear;
}

// True if split_addresses makes an ir::LaneComparison of the mask: a thread's number, or its sum with a
// number for all lanes, is below such a number or not.
bool becomes_lane_comparison(const ir::Function& f, Value mask) {
  if (ir::lane_comparison(f, mask)) return true;
  ir::Inst made = f.definition(mask);
  if (f.inst(made).opcode == Opcode::Not1) made = f.definition(f.operand(made, 0));
  if (f.inst(made).opcode != Opcode::ILtU32 && f.inst(made).opcode != Opcode::ILeU32) return false;
  const auto uniform = [&](Value v) { return f.value(v).uniformity != ir::Uniformity::varying; };
  for (std::uint32_t k = 0; k < 2; ++k) {
    if (!uniform(f.operand(made, 1 - k))) continue;
    constexpr int kDepth = 4;
    Value v = f.operand(made, k);
    for (int depth = 0; depth < kDepth; ++depth) {
      const ir::Inst i = f.definition(v);
      const Opcode opcode = f.inst(i).opcode;
      if (opcode == Opcode::ThreadIndex || opcode == Opcode::LaneIndex) return true;
      if (opcode != Opcode::IAdd32 || uniform(f.operand(i, 0)) == uniform(f.operand(i, 1))) break;
      v = f.operand(i, uniform(f.operand(i, 0)) ? 1 : 0);
    }
  }
  return false;
}

// Most values that are live at once and differ between lanes.
struct Pressure {
  std::uint32_t vectors = 0, masks = 0;
  std::uint32_t all_masks = 0;  // and comparisons of lanes, which many parts do not keep
};

// Input rows count from their first use on, because that is where lowering loads them. Masks that only
// BurnFuel looks at do not count: code that is hardly ever reached loads them again.
// With `loops`, only blocks in loops count. What is known of masks (`sets`) is no vector.
Pressure pressure(const ir::Function& f, bool masks_are_vectors, const ir::Loops* loops = nullptr,
                  const ir::LaneSets* sets = nullptr) {
  const ir::Liveness live(f, ir::Liveness::Uses::of_lanes);
  const std::vector<char> linear = linear_values(f);
  std::vector<char> alive(f.value_count(), 0);
  std::vector<ir::Inst> insts, first_use(f.inst_count());
  Pressure most, now;
  std::uint32_t comparisons = 0;
  bool counts = true;
  const auto count = [&](Value v) -> std::uint32_t* {
    if (f.value(v).uniformity != ir::Uniformity::varying || linear[v.id] != 0) return nullptr;
    if (sets != nullptr && sets->find(v) != nullptr) return nullptr;
    if (f.value(v).type != Type::i1 || masks_are_vectors) return &now.vectors;
    return becomes_lane_comparison(f, v) ? &comparisons : &now.masks;
  };
  const auto revive = [&](Value v) {
    if (std::uint32_t* counter = count(v); counter != nullptr && alive[v.id] == 0) ++*counter;
    alive[v.id] = 1;
  };
  const auto kill = [&](ir::Inst made) {
    for (std::uint32_t r = 0; r < f.inst(made).result_count; ++r) {
      const Value v = f.result(made, r);
      if (std::uint32_t* counter = count(v); counter != nullptr && alive[v.id] != 0) --*counter;
      alive[v.id] = 0;
    }
  };
  const auto look = [&](std::uint32_t temporaries) {
    if (!counts) return;
    most.vectors = std::max(most.vectors, now.vectors + temporaries);
    most.masks = std::max(most.masks, now.masks);
    most.all_masks = std::max(most.all_masks, now.masks + comparisons);
  };
  for (std::uint32_t b = 0; b < f.block_count(); ++b) {
    const ir::Block block{b};
    counts = loops == nullptr || loops->depth(block) != 0;
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
    for (Value v : live.live_out(block)) revive(v);
    look(0);
    for (std::size_t k = insts.size(); k-- > 0;) {
      const ir::Inst i = insts[k];
      kill(i);
      if (f.inst(i).opcode == Opcode::Phi || f.inst(i).opcode == Opcode::BurnFuel) continue;
      for (Value v : f.operands(i)) revive(v);
      // The exact sequence keeps product and sum until it has seen all parts.
      look(f.inst(i).opcode == Opcode::FMadTruncFlush32 ? 2 : 0);
      for (Value v : f.operands(i)) {
        ir::Inst made = f.definition(v);
        if (f.inst(made).opcode == Opcode::LoadInput && first_use[made.id] == i) kill(made);
      }
    }
    for (Value v : live.live_out(block)) alive[v.id] = 0;
    for (Value v : live.live_in(block)) alive[v.id] = 0;
    now = {};
    comparisons = 0;
  }
  return most;
}

// Instructions of a part, roughly.
double work(const ir::Function& f, const Host& host) {
  double sum = 0;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (ir::Inst i : f.insts(ir::Block{b})) sum += instructions_of(f, i, host);
  return sum;
}

// The work of all parts of a block that is one group, without those whose lanes are known to take no part in
// what becomes of it. One pass against the order of blocks; what loops carry is needed in all parts.
double work_of_parts(const ir::Function& f, const ir::LaneSets& sets, std::uint32_t parts, const Host& host) {
  const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << parts) - 1);
  const ir::LaneSet part = ir::LaneSet((std::uint64_t{1} << host.lanes) - 1);
  const auto parts_with = [&](Value mask, bool has) {
    const ir::LaneSet* set = sets.find(mask);
    if (set == nullptr || f.is_constant(mask)) return all;
    const ir::LaneSet having = has ? *set : ~*set;
    std::uint32_t found = 0;
    for (std::uint32_t p = 0; p < parts; ++p)
      if ((having >> (p * host.lanes) & part).any()) found |= 1u << p;
    return found;
  };
  const std::vector<ir::Block> order = ir::reverse_postorder(f);
  // By block: parts that come there, as far as branches tell, which is in thread form.
  std::vector<std::uint32_t> come(f.block_count(), 0);
  std::vector<char> visited(f.block_count(), 0);
  for (const ir::Block b : order) {
    const auto& from = f.block(b).predecessors;
    if (from.empty()) come[b.id] = all;
    for (const ir::Block p : from) {
      const ir::Inst end = f.terminator(p);
      const auto& targets = f.block(p).successors;
      const bool branches = f.inst(end).opcode == Opcode::Branch && targets[0] != targets[1];
      come[b.id] |= visited[p.id] == 0 ? all
                    : branches         ? come[p.id] & parts_with(f.operand(end, 0), targets[0] == b)
                                       : come[p.id];
    }
    visited[b.id] = 1;
  }
  std::vector<std::uint32_t> needed(f.value_count(), 0);
  std::vector<ir::Inst> insts;
  double sum = 0;
  for (auto b = order.rbegin(); b != order.rend(); ++b) {
    insts.clear();
    for (ir::Inst i : f.insts(*b)) insts.push_back(i);
    for (auto at = insts.rbegin(); at != insts.rend(); ++at) {
      const ir::Inst i = *at;
      const ir::InstData& data = f.inst(i);
      const ir::OpcodeInfo& row = ir::info(data.opcode);
      std::uint32_t made = data.opcode == Opcode::Phi || !row.pure ? all : 0;
      for (std::uint32_t r = 0; r < data.result_count; ++r) made |= needed[f.result(i, r).id];
      made &= come[b->id];
      if (row.guarded) made &= parts_with(f.operand(i, 0), true);
      const bool select = data.opcode == Opcode::SelectI32 || data.opcode == Opcode::SelectF32;
      for (std::uint32_t k = 0; k < data.operand_count; ++k)
        needed[f.operand(i, k).id] |= made & (select && k != 0 ? parts_with(f.operand(i, 0), k == 1) : all);
      sum += instructions_of(f, i, host) * std::popcount(made);
    }
  }
  return sum;
}

// What loops of a function wait for.
struct Waits {
  bool barriers = false, loops = false, lanes = false;  // lanes: in loops that go on while any lane does
};
Waits find_waits(const ir::Function& f) {
  Waits found;
  const auto asks_lanes = [&](ir::Block block) {
    const ir::Inst end = f.terminator(block);
    return f.inst(end).operand_count != 0 && f.definition_of(f.operand(end, 0)).opcode == Opcode::AnyLane;
  };
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (ir::Inst i : f.insts(ir::Block{b})) {
      found.barriers = found.barriers || f.inst(i).opcode == Opcode::Barrier;
      if (f.inst(i).opcode != Opcode::BurnFuel) continue;  // on the way around
      found.loops = true;
      const auto& from = f.block(ir::Block{b}).predecessors;
      found.lanes = found.lanes || std::any_of(from.begin(), from.end(), asks_lanes);
    }
  return found;
}

bool loads_texels(const ir::Function& f) {
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (ir::Inst i : f.insts(ir::Block{b}))
      if (family(f.inst(i).opcode) == ir::Family::texel) return true;
  return false;
}

constexpr std::uint32_t kFewParts = 4;          // that hide latency, and are hardly ever too many
constexpr std::uint32_t kMostPartsOfGroup = 8;  // but of a whole block

// Lanes that leave a loop one by one wait for the others, the more the more there are.
std::uint32_t most_lanes(const Waits& waits) {
  constexpr std::uint32_t kMost = 64, kMostInLockstep = 128;
  return waits.loops && !waits.lanes ? kMostInLockstep : kMost;
}

// Doubles the lanes of a group as long as that pays.
// Measured: integer hash, 2.2 times as fast in 8 parts as in 2 on v4 and 1.6 in 8 as in 4 on v3;
// mandelbrot, 1.15 in 4 as in 2, but slower in more, as lanes wait for each other at the end of its loop;
// matrix product with fast-fmad, 1.2 in 8 as in 4 and 1.2 in 16 as in 8, which is a whole block.
// exact raymarch, a loop of 300 instructions, 1.1 in two parts as in one on v4.
// What has no loop gains little but a smaller share of what each group costs.
std::uint32_t widen(std::uint32_t lanes, const Host& host, std::uint32_t most, const Pressure& needed,
                    double for_each_part) {
  constexpr double kMostWork = 1500, kMostWorkOfTwo = 2500;  // instructions times parts: compile time
  const auto fits = [&](std::uint32_t wider) {
    const std::uint32_t parts = wider / host.lanes;
    return wider <= most && parts <= kMostPartsOfGroup &&
           for_each_part * parts <= (parts == 2 ? kMostWorkOfTwo : kMostWork) &&
           2 * parts * needed.vectors <= 3 * host.vector_registers &&
           parts * (parts < kManyParts ? needed.all_masks : needed.masks) <= 2 * host.mask_registers;
  };
  while (lanes != 0 && fits(2 * lanes)) lanes *= 2;
  return lanes;
}

enum class Groups : std::uint8_t {
  few,  // may have fewer threads than lanes: wider ones must gain more
  full,
};

// Doubles the parts as long as the guess of clocks says that it pays; up to four in full groups, as long as
// it does not say that it costs more than a tenth. Measured on Zen 5 with v3 and v4, full groups: four parts
// are 1.0 to 1.4 times as fast as two, even where they need 4 times the registers there are: exact
// mandelbrot 1.4, raymarch 1.16 to 1.2, Phong 1.14, bilinear and trilinear textures 1.13 to 1.2. Eight are
// slower, but for short loops. Vertices: breakc_loop, 1.5 and 1.3 in four.
std::uint32_t double_parts(std::uint32_t parts, const ir::Function& f, const Host& host, const Waits& waits,
                           const Pressure& all, double for_each_part, Groups groups,
                           std::uint32_t most_lanes_of_few = UINT32_MAX) {
  constexpr std::uint32_t kMostLanes = 64;      // in few parts
  constexpr double kMostInstructions = 2500;    // of all parts: compile time
  constexpr double kMostWork = 5000;            // of all parts, also outside of loops
  constexpr std::uint32_t kMostVectors = 1024;  // that are live: the frame has room for them
  std::uint32_t vectors = all.vectors;
  Clocks clocks;
  if (waits.loops) {  // what is spilled around loops costs little beside them
    const ir::Dominators dominators(f);
    const ir::Loops loops(f, dominators);
    vectors = pressure(f, host.mask_registers == 0, &loops).vectors;
    clocks = guess_clocks(f, host, &loops);
  } else {
    clocks = guess_clocks(f, host, nullptr);
  }
  const auto clocks_in = [&](std::uint32_t n) {
    return clocks_of_part(clocks, host, waits.loops, vectors, n);
  };
  const auto pays = [&](std::uint32_t n) {
    if (n > kMostPartsOfGroup || clocks.instructions * n > kMostInstructions ||
        for_each_part * n > kMostWork || all.vectors * n > kMostVectors)
      return false;
    if (groups != Groups::full)
      return n <= kFewParts && n * host.lanes <= most_lanes_of_few && 1.25 * clocks_in(n) < clocks_in(n / 2);
    if (n <= kFewParts) return n * host.lanes <= kMostLanes && clocks_in(n) <= 1.1 * clocks_in(n / 2);
    return n * host.lanes <= most_lanes(waits) && 2 * n * vectors <= 3 * host.vector_registers &&
           n * all.masks <= 2 * host.mask_registers &&
           (waits.lanes ? 1.5 : 1.2) * clocks_in(n) < clocks_in(n / 2);
  };
  while (pays(2 * parts)) parts *= 2;
  return parts;
}

constexpr double kMostWorkOfBlock = 2800;

// A block that is one group has no barriers. Where lanes part it is better to have groups that all skip; but
// for comparisons with the thread's number: prefix sums, 1.15 in 16 parts as in 4. If it is compared with
// constants, parts without lanes take no time, so that values soon need few registers: sums of 256, 2.0
// (v4) and 3.3 times (v3) as fast as in groups of 64.
bool pays_as_one_group(const ir::Function& f, const Host& host, std::uint32_t block) {
  constexpr std::uint32_t kMostPartsOfBlock = 16, kMostIfKnown = 32;
  constexpr std::uint32_t kFewMasks = 3;  // that are not known, beside others
  const std::uint32_t parts = std::max(block / host.lanes, 1u);
  if (parts > kMostIfKnown) return false;
  const ir::LaneSets sets(f, Opcode::ThreadIndex, block);
  const double all = work(f, host) * parts, rest = work_of_parts(f, sets, parts, host);
  const bool known = 4 * rest <= 3 * all;  // that lanes with a quarter of the work take no part
  if ((parts > kMostPartsOfBlock && !known) || (known ? rest : all) > kMostWorkOfBlock) return false;
  const Pressure needed = pressure(f, host.mask_registers == 0, nullptr, &sets);
  return (parts < kManyParts ? needed.all_masks : needed.masks) <= (known ? kFewMasks : 0) &&
         2 * parts * needed.vectors <= (known ? 4 : 3) * host.vector_registers;
}

}  // namespace

std::uint32_t choose_parts(const ir::Function& f, const Host& host, const PartHints& hints) {
  // For groups that may have few threads. Measured on Zen 4 with the examples: two parts win, by up to 40%,
  // as long as they need no more than twice the registers there are, spills included; beyond that they gain
  // nothing and cost compile time. Large programs have work enough in flight.
  constexpr std::size_t kLarge = 1500;
  if (f.inst_count() > kLarge) return 1;
  // Threads that have memory of their own wait for that more than for anything else: a wider group has more
  // of it, which is cleared for each.
  if (ir::memory_use(f).local) return 1;
  Pressure needed = pressure(f, host.mask_registers == 0);
  // A group of pixels holds quads of one primitive. The wider it is, the more of its lanes are idle where
  // primitives are small.
  constexpr std::uint32_t kMostPixels = 16;
  // Texels are waited for. Measured on a Xeon with AMX: a trilinear texture, which needs 19 registers of 16,
  // is 1.35 times as fast in two parts on v3.
  const bool has_texels = loads_texels(f);
  const std::uint32_t quarters = has_texels ? 5 : 4;
  std::uint32_t narrow = 4 * needed.vectors <= quarters * host.vector_registers ? 2 : 1;
  if (f.pixels && 2 * host.lanes > kMostPixels) narrow = 1;
  if (f.pixels && !hints.large_primitives) return narrow;
  const Groups groups = f.pixels ? Groups::full : Groups::few;
  return double_parts(narrow, f, host, find_waits(f), needed, work(f, host), groups, hints.most_rows);
}

// Measured: Phong in triangles of 50 pixels, which touch 70 pixels in quads. Stores go lane by lane then. Triangles of
// 24 pixels gain with every program, from 1 to 5 % with a constant colour to 9 to 16 % with the vertices' colours.
bool single_pixels_pay(const ir::Function& f, const Host& host, bool small_primitives) {
  constexpr double kLeastWork = 130, kWorkOfAccess = 80;
  if (!f.pixels || f.group_lanes != 0 || f.lane_order != ir::LaneOrder::none) return false;
  double accesses = 0;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (ir::Inst i : f.insts(ir::Block{b})) {
      const Opcode opcode = f.inst(i).opcode;
      if (opcode == Opcode::LoadTile || opcode == Opcode::StoreTile) ++accesses;
      if (family(opcode) == ir::Family::lanes || family(opcode) == ir::Family::memory ||
          family(opcode) == ir::Family::place || family(opcode) == ir::Family::slot)
        return false;
    }
  return small_primitives || work(f, host) >= kLeastWork + kWorkOfAccess * accesses;
}

std::uint32_t choose_group_lanes(const ir::Function& f, Target target) {
  const Host* host = find_host(target);
  if (host == nullptr) return f.group_lanes;
  const double for_each_part = work(f, *host);
  if (for_each_part > kMostWorkOfBlock && 2 * f.group_lanes >= host->lanes) return f.group_lanes;
  const Waits waits = find_waits(f);
  const Pressure needed = pressure(f, host->mask_registers == 0);
  std::uint32_t lanes = widen(f.group_lanes, *host, most_lanes(waits), needed, for_each_part);
  if (lanes >= host->lanes && lanes < kFewParts * host->lanes)
    lanes =
        host->lanes * double_parts(lanes / host->lanes, f, *host, waits, needed, for_each_part, Groups::full);
  const std::uint64_t block = std::uint64_t{f.group_lanes} * f.block_groups;
  if (waits.barriers && block <= ir::kMaxGroupLanes && std::has_single_bit(block) &&
      pays_as_one_group(f, *host, static_cast<std::uint32_t>(block)))
    return std::max(lanes, static_cast<std::uint32_t>(block));
  return lanes;
}

}  // namespace warpjit::backend
