// Kernels of a few lines, and every way to run them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "support/hooks.h"
#include "warpjit/tesla.hpp"

namespace warpjit::compute_test {

using test::HookedOptions;
using test::with_hooks;

inline std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// The IR interpreter and all targets, each as kernels are best run and with the warp's control stack.
inline std::vector<HookedOptions> ways(const Engine& engine) {
  std::vector<HookedOptions> ways;
  for (const bool dispatch_all : {false, true}) {
    HookedOptions way;
    way.dispatch_all = dispatch_all;
    way.engine = EngineKind::ir;
    ways.push_back(way);
    way.engine = EngineKind::jit;
    for (const Target target : engine.info().targets) {
      way.target = target;
      ways.push_back(way);
    }
  }
  return ways;
}

// All engines; without a target, the guest's.
inline std::vector<HookedOptions> all_ways(const Engine& engine) {
  std::vector<HookedOptions> all = ways(engine);
  HookedOptions guest;
  guest.engine = EngineKind::guest;
  all.push_back(guest);
  return all;
}

inline Program kernel(const std::string& body) {
  auto program = tesla::load_assembly(".kernel k\n.registers 16\n.shared 0x400\n" + body,
                                      {.entry = "k", .source_name = "test"});
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  return *program;
}

// Runs a launch over memory that begins at address `first` with `start`, on all engines and targets: the same
// words come out, and no fault. `got` has them then.
inline void expect_same_memory(const Engine& engine, Launch& launch, std::uint32_t first,
                               const std::vector<std::uint32_t>& start,
                               std::vector<std::uint32_t>* got = nullptr) {
  std::vector<HookedOptions> all = all_ways(engine);
  std::ranges::reverse(all);  // the guest interpreter first
  std::vector<std::uint32_t> memory = start, wanted;
  ASSERT_TRUE(launch.map_memory("g14", first, memory.data(), memory.size() * 4).ok());
  for (const HookedOptions& way : all) {
    memory = start;
    const auto report = engine.run(launch, with_hooks(engine, way));
    ASSERT_TRUE(report.ok()) << to_string(report.error());
    ASSERT_FALSE(report->fault) << report->fault->what;
    if (wanted.empty()) wanted = memory;
    ASSERT_EQ(memory, wanted) << name(way.engine) << " " << name(way.target);
  }
  if (got != nullptr) *got = wanted;
}

}  // namespace warpjit::compute_test
