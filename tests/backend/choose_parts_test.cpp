// How many vectors values are made of.
#include "backend/lower/choose_parts.h"

#include <gtest/gtest.h>

#include "backend/host.h"
#include "backend/kernel.h"
#include "ir/analysis/uniformity.h"

namespace warpjit::backend {
namespace {

// A loop through which `kept` values live, and whose turns some or all lanes make.
ir::Function loop_over(std::uint32_t kept, bool masked) {
  KernelBuilder k(1);
  ir::Builder& b = k.b;
  ir::Function& f = k.function;
  std::vector<ir::F32> values = {b.LoadInput(0)[0]};
  for (std::uint32_t n = 1; n < kept; ++n)
    values.push_back(b.FAdd32(values.back(), b.constant(static_cast<float>(n))));
  const ir::I1 lanes = masked ? b.FLt32(values[0], b.constant(0.5f)) : b.constant(true);
  const ir::Block from = b.block(), turn = f.add_block(), end = f.add_block();
  b.jump(turn);
  b.set_block(turn);
  const ir::I32 count = b.phi<ir::I32>(turn), next = b.IAdd32(count, b.constant(1));
  b.BurnFuel(lanes);
  b.branch(b.ILtU32(next, b.LoadUniformI32(0)), turn, end);
  const bool from_first = f.block(turn).predecessors[0] == from;
  k.arrive(count, {from_first ? b.constant(0) : next, from_first ? next : b.constant(0)});
  b.set_block(end);
  ir::F32 sum = values[0];
  for (std::uint32_t n = 1; n < kept; ++n) sum = b.FAdd32(sum, values[n]);
  k.store(sum, sum, sum, sum);
  b.ret();
  f.uniform_bytes = 16;
  ir::analyze_uniformity(f);
  return f;
}

TEST(ChooseParts, WhatOnlyCountsFuelTakesNoRegister) {
  for (const Target target : kPlainTargets) {
    const Host* host = find_host(target);
    if (host == nullptr) continue;
    for (const bool masked : {false, true}) {
      EXPECT_EQ(choose_parts(loop_over(host->vector_registers, masked), *host), 2u) << name(target) << masked;
      EXPECT_EQ(choose_parts(loop_over(host->vector_registers + 1, masked), *host), 1u)
          << name(target) << masked;
    }
  }
}

// Groups of pixels are wide where primitives are large, as far as the values of loops fit the registers.
TEST(ChooseParts, LargePrimitivesGetWideGroups) {
  for (const Target target : kPlainTargets) {
    const Host* host = find_host(target);
    if (host == nullptr) continue;
    ir::Function f = loop_over(2, false);
    f.pixels = true;
    EXPECT_LE(choose_parts(f, *host) * host->lanes, 16u) << name(target);
    EXPECT_EQ(choose_parts(f, *host, true), 8u) << name(target);
    f = loop_over(host->vector_registers + 1, false);
    f.pixels = true;
    EXPECT_EQ(choose_parts(f, *host, true), 1u) << name(target);
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
      for (std::uint32_t n = 2; n < host->vector_registers / 2; ++n)
        values.push_back(b.IMul32(values.back(), b.constant(n)));
      ir::I32 sum = values[0];
      for (std::size_t n = 1; n < values.size(); ++n) sum = b.IXor32(sum, values[n]);
      b.StoreTile(b.constant(true), sum, 0);
      b.ret();
      ir::analyze_uniformity(f);
      EXPECT_EQ(choose_parts(f, *host, true), texels ? 4u : 2u) << name(target);
    }
  }
}

// Sums of which each waits for the one before, in one chain or in several, while `kept` values are live.
ir::Function sums(std::uint32_t kept, std::uint32_t chains) {
  constexpr std::uint32_t kSums = 240;
  KernelBuilder k(1);
  ir::Builder& b = k.b;
  std::vector<ir::F32> values = {b.LoadInput(0)[0]};
  for (std::uint32_t n = 1; n < kept; ++n)
    values.push_back(b.FAdd32(values[0], b.constant(static_cast<float>(n))));
  for (std::uint32_t n = 0; n < kSums; ++n)
    values[n % chains] = b.FAdd32(values[n % chains], values[kept - 1]);
  ir::F32 sum = values[0];
  for (std::uint32_t n = 1; n < kept; ++n) sum = b.FAdd32(sum, values[n]);
  k.store(sum, sum, sum, sum);
  b.ret();
  k.function.uniform_bytes = 16;
  ir::analyze_uniformity(k.function);
  k.function.pixels = true;
  return std::move(k.function);
}

// More values than there are registers pay where operations wait.
TEST(ChooseParts, LongChainsGetWideGroups) {
  for (const Target target : kPlainTargets) {
    const Host* host = find_host(target);
    if (host == nullptr) continue;
    const std::uint32_t kept = host->vector_registers * 2 / 3;
    EXPECT_EQ(choose_parts(sums(kept, 1), *host, true), 4u) << name(target);
    EXPECT_EQ(choose_parts(sums(kept, kept - 1), *host, true), 2u) << name(target);
  }
}

}  // namespace
}  // namespace warpjit::backend
