// How many vectors values are made of.
#include "backend/lower/choose_parts.h"

#include <gtest/gtest.h>

#include "backend/host.h"
#include "backend/kernel.h"
#include "ir/analysis/uniformity.h"

namespace warpjit::backend {
namespace {

// A loop through which `kept` values and what it carries live, whose turns some or all lanes make, and in
// which so many sums wait for each other. Before it, `beside` values are live at once.
ir::Function loop_over(std::uint32_t kept, bool masked, std::uint32_t chain = 0, std::uint32_t beside = 0) {
  KernelBuilder k(1);
  ir::Builder& b = k.b;
  ir::Function& f = k.function;
  std::vector<ir::F32> values = {b.LoadInput(0)[0]}, before;
  for (std::uint32_t n = 0; n < beside; ++n)
    before.push_back(b.FMul32(values[0], b.constant(static_cast<float>(n + 2))));
  for (ir::F32 v : before) values[0] = b.FAdd32(values[0], v);
  for (std::uint32_t n = 1; n < kept; ++n)
    values.push_back(b.FAdd32(values.back(), b.constant(static_cast<float>(n))));
  const ir::I1 lanes = masked ? b.FLt32(values[0], b.constant(0.5f)) : b.constant(true);
  const ir::Block from = b.block(), turn = f.add_block(), end = f.add_block();
  b.jump(turn);
  b.set_block(turn);
  const ir::I32 count = b.phi<ir::I32>(turn), next = b.IAdd32(count, b.constant(1));
  const ir::F32 carried = b.phi<ir::F32>(turn);
  ir::F32 last = carried;
  for (std::uint32_t n = 0; n < chain; ++n) last = b.FAdd32(last, last);
  b.BurnFuel(lanes);
  b.branch(b.ILtU32(next, b.LoadUniformI32(0)), turn, end);
  const bool from_first = f.block(turn).predecessors[0] == from;
  k.arrive(count, {from_first ? b.constant(0) : next, from_first ? next : b.constant(0)});
  k.arrive(carried, {from_first ? values[0] : last, from_first ? last : values[0]});
  b.set_block(end);
  ir::F32 sum = values[0];
  for (std::uint32_t n = 1; n < kept; ++n) sum = b.FAdd32(sum, values[n]);
  k.store(sum, sum, sum, sum);
  b.ret();
  f.uniform_bytes = 16;
  ir::analyze_uniformity(f);
  return f;
}

TEST(ChooseParts, FuelCountersTakeNoRegister) {
  for (const Target target : kPlainTargets) {
    const Host* host = find_host(target);
    if (host == nullptr) continue;
    for (const bool masked : {false, true}) {
      EXPECT_EQ(choose_parts(loop_over(host->vector_registers - 1, masked), *host), 2u)
          << name(target) << masked;
      EXPECT_EQ(choose_parts(loop_over(host->vector_registers, masked), *host), 1u) << name(target) << masked;
    }
  }
}

// Groups of pixels are wide where primitives are large, and wider where operations wait and values fit.
TEST(ChooseParts, LargePrimitivesGetWideGroups) {
  for (const Target target : kPlainTargets) {
    const Host* host = find_host(target);
    if (host == nullptr) continue;
    const auto choose = [&](std::uint32_t kept, std::uint32_t chain, bool large) {
      ir::Function f = loop_over(kept, false, chain);
      f.pixels = true;
      return choose_parts(f, *host, {.large_primitives = large});
    };
    EXPECT_LE(choose(2, 8, false) * host->lanes, 16u) << name(target);
    EXPECT_EQ(choose(2, 8, true), 8u) << name(target);
    EXPECT_EQ(choose(host->vector_registers / 4, 8, true), 4u) << name(target);
    EXPECT_EQ(choose(2, 0, true), 4u) << name(target);
  }
}

// Texels are waited for: more parts than there are registers for.
TEST(ChooseParts, WaitingForTexelsIsWorthRegisters) {
  for (const Target target : kPlainTargets) {
    const Host* host = find_host(target);
    if (host == nullptr) continue;
    for (const bool texels : {false, true}) {
      KernelBuilder k(0, 0);
      ir::Builder& b = k.b;
      ir::Function& f = k.function;
      f.pixels = true;
      f.tile_planes = 1;
      f.texture_count = 1;
      const ir::I32 word = b.LoadTile(0);
      std::vector<ir::I32> values = {texels ? b.LoadTexel(word, 0) : word};
      for (std::uint32_t n = 2; n < host->vector_registers * 9 / 8; ++n)
        values.push_back(b.IMul32(values.back(), b.constant(n)));
      ir::I32 sum = values[0];
      for (std::size_t n = 1; n < values.size(); ++n) sum = b.IXor32(sum, values[n]);
      b.StoreTile(b.constant(true), sum, 0);
      b.ret();
      ir::analyze_uniformity(f);
      const std::uint32_t narrow = 2 * host->lanes <= 16 && texels ? 2 : 1;  // of small primitives
      EXPECT_EQ(choose_parts(f, *host), narrow) << name(target) << texels;
    }
  }
}

// Sums of which each waits for the one before, in one chain or in several, while `kept` values are live.
ir::Function sums(std::uint32_t kept, std::uint32_t chains, std::uint32_t count = 240) {
  KernelBuilder k(1);
  ir::Builder& b = k.b;
  std::vector<ir::F32> values = {b.LoadInput(0)[0]};
  for (std::uint32_t n = 1; n < kept; ++n)
    values.push_back(b.FAdd32(values[0], b.constant(static_cast<float>(n))));
  for (std::uint32_t n = 0; n < count; ++n)
    values[n % chains] = b.FAdd32(values[n % chains], values[kept - 1]);
  ir::F32 sum = values[0];
  for (std::uint32_t n = 1; n < kept; ++n) sum = b.FAdd32(sum, values[n]);
  k.store(sum, sum, sum, sum);
  b.ret();
  k.function.uniform_bytes = 16;
  ir::analyze_uniformity(k.function);
  return std::move(k.function);
}

// More values than there are registers pay where operations wait: twice as many parts for rows, of which a
// wide group may have few.
TEST(ChooseParts, LongChainsGetWideGroups) {
  for (const Target target : kPlainTargets) {
    const Host* host = find_host(target);
    if (host == nullptr) continue;
    const std::uint32_t kept = host->vector_registers * 2 / 3;
    EXPECT_EQ(choose_parts(sums(kept, 1), *host), 4u) << name(target);
    EXPECT_EQ(choose_parts(sums(kept, kept - 1), *host), 2u) << name(target);
    ir::Function pixels = sums(kept, kept - 1);
    pixels.pixels = true;
    EXPECT_EQ(choose_parts(pixels, *host, {.large_primitives = true}), 4u) << name(target);
  }
}

// A short loop beside much code that is none: its values in eight parts would not fit the frame.
TEST(ChooseParts, CodeAroundLoopsCounts) {
  for (const Target target : kPlainTargets) {
    const Host* host = find_host(target);
    if (host == nullptr) continue;
    ir::Function f = loop_over(2, false, 8, 450);
    f.pixels = true;
    EXPECT_EQ(choose_parts(f, *host, {.large_primitives = true}), 2u) << name(target);
  }
}

// Threads that meet at barriers are one group where constants alone tell which of them do what.
TEST(ChooseParts, BlocksWhoseThreadsAreKnownAreOneGroup) {
  for (const Target target : {Target::x64_v3, Target::x64_v4}) {
    if (find_host(target) == nullptr) continue;
    for (const bool known : {true, false}) {
      ir::Function f;
      ir::Builder b(f);
      b.set_block(f.add_block());
      f.form = ir::Form::group;
      f.group_lanes = 32;
      f.block_groups = 4;
      f.uniform_bytes = 16;
      f.may_widen = true;
      constexpr std::uint64_t kWord = ir::MemoryAccess{.space = ir::Space::shared}.pack();
      const ir::I32 thread = b.ThreadIndex(), place = b.IShl32(thread, b.constant(2U));
      const ir::I32 bound = known ? b.constant(64U) : ir::I32{b.LoadUniformI32(0)};
      const ir::I1 guard = b.INe32(thread, bound);
      b.StoreMemory(b.constant(true), place, thread, kWord);
      b.Barrier(b.constant(true), 0);
      b.StoreMemory(guard, place, b.LoadMemory(guard, place, kWord), kWord);
      b.ret();
      ir::analyze_uniformity(f);
      EXPECT_EQ(choose_group_lanes(f, target) == 128, known) << name(target);
    }
  }
}

TEST(ChooseParts, PrefetchedRowsAreFew) {
  for (const Target target : kPlainTargets) {
    const Host* host = find_host(target);
    if (host == nullptr) continue;
    for (const std::uint32_t kept : {2u, host->vector_registers * 5 / 4})  // two parts to begin with, and one
      EXPECT_LE(choose_parts(sums(kept, 1), *host, {.most_rows = 32}) * host->lanes, 32u)
          << name(target) << kept;
  }
}

}  // namespace
}  // namespace warpjit::backend
