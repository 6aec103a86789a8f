// The register allocator on random programs: judged by its checker, and by executing the code before and
// after. The checker itself is judged by damaged allocations.
#include "backend/allocate/allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "backend/random_lir.h"
#include "support/share.h"

namespace warpjit::lir {
namespace {

constexpr std::uint32_t kBlocks = 200;

std::array<std::uint32_t, kClassCount> register_counts(std::uint64_t seed) {
  switch (seed % 4) {
    case 0:
      return {4, 4, 4};
    case 1:
      return {5, 5, 5};
    case 2:
      return {32, 7, 11};
    default:
      return {16, 4, 6};
  }
}

std::string first_difference(const Trace& got, const Trace& wanted) {
  for (std::size_t k = 0; k < std::min(got.size(), wanted.size()); ++k)
    if (got[k] != wanted[k])
      return "instruction " + std::to_string(wanted[k].origin) + " sees something else";
  return got.size() == wanted.size() ? "" : "one stops earlier";
}

Allocation damaged(const Allocation& allocation, std::size_t erase) {
  Allocation result = allocation;
  const auto at = static_cast<std::ptrdiff_t>(erase);
  result.insts.erase(result.insts.begin() + at);
  result.origin.erase(result.origin.begin() + at);
  for (std::uint32_t& first : result.block_first)
    if (first > erase) --first;
  return result;
}

TEST(RegisterAllocator, RandomProgramsKeepTheirMeaning) {
  std::uint64_t spilled = 0, rematerialized = 0, moved = 0, folded = 0, fixed = 0;
  for (std::uint64_t seed = 0; seed < share(250); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Code code = random_code(seed, 10 + static_cast<std::uint32_t>(seed % 150));
    ASSERT_EQ(verify(code), "") << print(code);
    const Trace wanted = execute(code, kBlocks);
    for (std::uint64_t n = 0; n < 4; ++n) {
      const RegisterFile file = random_register_file(seed + n, register_counts(n));
      const Allocation allocation = allocate(code, file);
      ASSERT_EQ(check(code, allocation), "") << print(code);
      ASSERT_EQ(first_difference(execute(code, allocation, file, kBlocks), wanted), "") << print(code);
      for (std::size_t c = 0; c < kClassCount; ++c) {
        std::uint32_t usable = 0;
        for (std::uint8_t r : file.allocatable[c]) usable |= 1u << r;
        for (const FixedOperand& fixed : code.fixed) usable |= 1u << fixed.reg;
        ASSERT_EQ(allocation.written[c] & ~usable, 0u);
      }
      for (std::size_t i = 0; i < allocation.insts.size(); ++i) {
        const Inst& inst = allocation.insts[i];
        if (inst.def != kNoReg) {
          const RegClass c = code.classes[inst.virtual_def != kNoReg ? inst.virtual_def : 0];
          if (inst.virtual_def != kNoReg) {
            ASSERT_TRUE(allocation.written[static_cast<std::size_t>(c)] >> inst.def & 1);
          }
        }
        if (allocation.origin[i] == kInserted) continue;
        for (int k = 0; k < inst.use_count; ++k) folded += inst.use[k] == kNoReg;
        if ((inst.flags & kFixed) == 0) continue;
        for (const FixedOperand& operand : code.fixed) {
          if (operand.op != inst.op) continue;
          ASSERT_EQ(operand.use == FixedOperand::kDefinition ? inst.def : inst.use[operand.use], operand.reg);
          ++fixed;
        }
      }
      spilled += allocation.spill_loads;
      rematerialized += allocation.rematerialized;
      moved += allocation.moves;
    }
  }
  // The programs are about what they should be about.
  EXPECT_GT(spilled, share(1000));
  EXPECT_GT(rematerialized, share(1000));
  EXPECT_GT(moved, share(1000));
  EXPECT_GT(folded, share(500));
  EXPECT_GT(fixed, share(1000));
}

// An operand that is in its register already is not copied; one that another value must leave is.
TEST(RegisterAllocator, OperandsThatDemandARegisterAreBroughtThere) {
  static constexpr FixedOperand kFixedOperands[] = {{7, 0, 2}, {7, FixedOperand::kDefinition, 2}};
  for (const bool in_place : {true, false}) {
    Code code;
    code.fixed = kFixedOperands;
    code.blocks.emplace_back();
    Reg made[3];
    for (Reg& r : made) {
      const InstRef inst = code.new_inst();
      inst->op = 1;
      r = inst->def = code.new_reg(RegClass::vector);
    }
    const InstRef inst = code.new_inst();
    inst->op = 7;
    inst->flags = kFixed;
    inst->use[inst->use_count++] = made[in_place ? 2 : 0];
    const Reg result = inst->def = code.new_reg(RegClass::vector);
    const InstRef sink = code.new_inst();
    sink->op = 100;
    for (const Reg r : {made[0], made[1], in_place ? made[1] : made[2], result})
      sink->use[sink->use_count++] = r;
    code.blocks[0].end = 5;
    RegisterFile file = random_register_file(0, {4, 4, 4});
    file.allocatable[0] = {0, 1, 2, 3};
    const Allocation allocation = allocate(code, file);
    EXPECT_EQ(check(code, allocation), "");
    EXPECT_EQ(allocation.moves, in_place ? 0u : 2u);
    EXPECT_EQ(allocation.spill_stores, 0u);
    Allocation damaged = allocation;
    for (Inst& one : damaged.insts)
      if (one.op == 7) one.def = 0;
    EXPECT_NE(check(code, damaged), "");
  }
}

TEST(RegisterAllocator, EnoughRegistersMeanNoSpills) {
  Code code;
  code.blocks.emplace_back();
  for (int k = 0; k < 4; ++k) {
    Inst inst;
    inst.op = 1;
    inst.imm = k;
    inst.def = code.new_reg(RegClass::vector);
    code.insts.push_back(inst);
  }
  Inst sink;
  sink.op = 100;
  for (Reg v = 0; v < 4; ++v) sink.use[sink.use_count++] = v;
  code.insts.push_back(sink);
  code.blocks[0].end = 5;
  const Allocation allocation = allocate(code, random_register_file(0, {4, 4, 4}));
  EXPECT_EQ(allocation.insts.size(), 5u);
  EXPECT_EQ(allocation.spill_stores + allocation.spill_loads + allocation.moves, 0u);
  EXPECT_EQ(check(code, allocation), "");
}

// What it defines is a vector.
Reg append_inst(Code& code, std::uint16_t op, std::initializer_list<Reg> uses, bool defines) {
  const InstRef inst = code.new_inst();
  inst->op = op;
  for (Reg r : uses) inst->use[inst->use_count++] = r;
  if (defines) inst->def = code.new_reg(RegClass::vector);
  return inst->def;
}

// Block 0 makes four values and leads to block 1, which needs the registers, or 2; block 3 reads the values.
Code cold_detour(bool cold) {
  Code code;
  const auto block = [&](Edges successors, Edges predecessors) {
    code.blocks.back().end = static_cast<std::uint32_t>(code.insts.size());
    code.blocks.back().successors = std::move(successors);
    code.blocks.back().predecessors = std::move(predecessors);
  };
  const auto begin = [&] {
    code.blocks.emplace_back();
    code.blocks.back().first = static_cast<std::uint32_t>(code.insts.size());
  };
  const auto add = [&](std::uint16_t op, std::initializer_list<Reg> uses, bool defines) {
    return append_inst(code, op, uses, defines);
  };
  begin();
  for (int k = 0; k < 4; ++k) add(1, {}, true);
  add(201, {}, false);
  block({1, 2}, {});
  begin();
  code.blocks.back().cold = cold;
  for (int k = 0; k < 3; ++k) add(2, {}, true);
  add(100, {4, 5, 6}, false);
  add(200, {}, false);
  block({3}, {0});
  begin();
  add(200, {}, false);
  block({3}, {0});
  begin();
  add(100, {0, 1, 2, 3}, false);
  add(203, {}, false);
  block({}, {1, 2});
  return code;
}

TEST(RegisterAllocator, ValuesReloadedOnlyInColdBlocksAreStoredThere) {
  for (const bool cold : {false, true}) {
    const Code code = cold_detour(cold);
    ASSERT_EQ(verify(code), "");
    const Allocation allocation = allocate(code, random_register_file(0, {4, 4, 4}));
    EXPECT_EQ(check(code, allocation), "");
    std::array<int, 4> stores{};
    for (std::size_t b = 0; b < 4; ++b)
      for (std::uint32_t i = allocation.block_first[b]; i < allocation.block_first[b + 1]; ++i)
        stores[b] += allocation.insts[i].mem.base == MemBase::spill && allocation.insts[i].def == kNoReg;
    if (cold)
      EXPECT_EQ(stores[0], 0);
    else
      EXPECT_EQ(stores[1], 0);
    EXPECT_EQ(stores[cold ? 1 : 0], 3);
  }
}

// Code, block by block.
struct Blocks {
  Code code;
  void begin(Edges successors, Edges predecessors) {
    Block& block = code.blocks.emplace_back();
    block.first = static_cast<std::uint32_t>(code.insts.size());
    block.successors = std::move(successors);
    block.predecessors = std::move(predecessors);
  }
  void end() { code.blocks.back().end = static_cast<std::uint32_t>(code.insts.size()); }
  Reg add(std::uint16_t op, std::initializer_list<Reg> uses, bool defines) {
    return append_inst(code, op, uses, defines);
  }
};

// The same in each turn of a loop, which carries the values: blocks 1 to 4 are 0 to 3 of cold_detour, and
// what block 4 makes of the values is what block 1 begins with.
Code cold_detour_in_loop(bool cold) {
  Blocks made;
  Code& code = made.code;
  made.begin({1}, {});
  for (int k = 0; k < 4; ++k) code.blocks[0].args.push_back(made.add(1, {}, true));
  made.add(200, {}, false);
  made.end();
  Regs params, next;
  for (int k = 0; k < 4; ++k) params.push_back(code.new_reg(RegClass::vector));
  made.begin({2, 3}, {0, 5});
  code.blocks[1].params = params;
  made.add(201, {}, false);
  made.end();
  made.begin({4}, {1});
  code.blocks[2].cold = cold;
  Regs taken;
  for (int k = 0; k < 3; ++k) taken.push_back(made.add(2, {}, true));
  made.add(100, {taken[0], taken[1], taken[2]}, false);
  made.add(200, {}, false);
  made.end();
  made.begin({4}, {1});
  made.add(200, {}, false);
  made.end();
  made.begin({5, 6}, {2, 3});
  for (Reg v : params) next.push_back(made.add(3, {v}, true));
  made.add(201, {}, false);
  made.end();
  made.begin({1}, {4});
  code.blocks[5].args = next;
  made.add(200, {}, false);
  made.end();
  made.begin({}, {4});
  made.add(100, {next[0], next[1], next[2], next[3]}, false);
  made.add(203, {}, false);
  made.end();
  return std::move(made.code);
}

TEST(RegisterAllocator, LoopCarriedValuesAreStoredInColdBlocks) {
  for (const bool cold : {false, true}) {
    const Code code = cold_detour_in_loop(cold);
    ASSERT_EQ(verify(code), "");
    const Allocation allocation = allocate(code, random_register_file(0, {4, 4, 4}));
    EXPECT_EQ(check(code, allocation), "");
    std::array<int, 7> stores{};
    for (std::size_t b = 0; b < stores.size(); ++b)
      for (std::uint32_t i = allocation.block_first[b]; i < allocation.block_first[b + 1]; ++i)
        stores[b] += allocation.insts[i].mem.base == MemBase::spill && allocation.insts[i].def == kNoReg;
    EXPECT_EQ(stores[1] != 0, !cold);
    EXPECT_EQ(stores[2] != 0, cold);
  }
}

// A loop that carries `count` values and makes each from what it was. After it all are read.
Code carrying_loop(std::uint32_t count) {
  Blocks made;
  Code& code = made.code;
  made.begin({1}, {});
  for (std::uint32_t k = 0; k < count; ++k) code.blocks[0].args.push_back(made.add(1, {}, true));
  made.add(200, {}, false);
  made.end();
  made.begin({2, 3}, {0, 2});
  Regs params, next;
  for (std::uint32_t k = 0; k < count; ++k) params.push_back(code.new_reg(RegClass::vector));
  for (std::uint32_t k = 0; k < count; ++k) next.push_back(made.add(2, {params[k], params[k]}, true));
  made.add(201, {}, false);
  code.blocks[1].params = params;
  made.end();
  made.begin({1}, {1});
  code.blocks[2].args = next;
  made.add(200, {}, false);
  made.end();
  made.begin({}, {1});
  for (Reg v : next) made.add(100, {v}, false);
  made.add(203, {}, false);
  made.end();
  return std::move(made.code);
}

// Each value of a turn that has no register is loaded once and stored once: to the slot from which the next
// turn loads it.
TEST(RegisterAllocator, ALoopReadsItsSlotsOnceATurn) {
  constexpr std::uint32_t kCarried = 10, kRegisters = 4;
  const Code code = carrying_loop(kCarried);
  ASSERT_EQ(verify(code), "");
  const RegisterFile file = random_register_file(0, {kRegisters, 4, 4});
  const Allocation allocation = allocate(code, file);
  EXPECT_EQ(check(code, allocation), "");
  EXPECT_EQ(first_difference(execute(code, allocation, file, kBlocks), execute(code, kBlocks)), "");
  std::uint32_t loads = 0, stores = 0;
  for (std::uint32_t i = allocation.block_first[1]; i < allocation.block_first[3]; ++i)
    if (allocation.insts[i].mem.base == MemBase::spill)
      ++(allocation.insts[i].def != kNoReg && allocation.origin[i] == kInserted ? loads : stores);
  EXPECT_LT(loads, kCarried);
  EXPECT_LT(stores, kCarried);
}

// Removing dead code keeps what is seen. Origins count from the code that is executed: compared are values.
TEST(RegisterAllocator, DeadCodeIsNeverSeen) {
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Code code = random_code(seed, 60);
    Code less = code;
    eliminate_dead_code(less);
    EXPECT_LE(less.insts.size(), code.insts.size());
    ASSERT_EQ(verify(less), "");
    const Trace wanted = execute(code, kBlocks), got = execute(less, kBlocks);
    ASSERT_EQ(wanted.size(), got.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      ASSERT_EQ(wanted[k].op, got[k].op);
      ASSERT_EQ(wanted[k].values, got[k].values);
    }
  }
}

// Damage that changes what is executed must be found, and most damage must be.
class Damage {
 public:
  using Change = std::function<bool(const Code&, const RegisterFile&, Allocation&, std::mt19937&)>;
  static void expect_found(const Change& change, double least_share) {
    std::mt19937 random(7);
    std::uint32_t tried = 0, found = 0, wrong_but_not_found = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Code code = random_code(seed, 20 + static_cast<std::uint32_t>(seed % 60));
      const RegisterFile file = random_register_file(seed, register_counts(seed % 2));
      const Allocation good = allocate(code, file);
      const Trace wanted = execute(code, kBlocks);
      for (int n = 0; n < 4; ++n) {
        Allocation bad = good;
        if (!change(code, file, bad, random)) continue;
        ++tried;
        if (!check(code, bad).empty()) {
          ++found;
        } else if (execute(code, bad, file, kBlocks) != wanted) {
          ++wrong_but_not_found;
        }
      }
    }
    EXPECT_GT(tried, 50u);
    EXPECT_EQ(wrong_but_not_found, 0u);
    EXPECT_GE(found, tried * least_share);
  }
  // Any instruction for which `suits` holds, or -1.
  template <class Predicate>
  static std::ptrdiff_t pick(const Allocation& allocation, std::mt19937& random, const Predicate& suits) {
    for (int tries = 0; tries < 200; ++tries) {
      const std::size_t i = random() % allocation.insts.size();
      if (suits(i)) return static_cast<std::ptrdiff_t>(i);
    }
    return -1;
  }
};

bool inserted(const Allocation& a, std::size_t i) { return a.origin[i] == kInserted; }
// 0: copy, 1: load, 2: store
bool inserted_move(const Allocation& a, std::size_t i, int kind) {
  return inserted(a, i) && a.insts[i].op >= kFirstMove && (a.insts[i].op - kFirstMove) % 3 == kind;
}

TEST(AllocationChecker, FindsAWrongRegisterOfAUse) {
  Damage::expect_found(
      [](const Code& code, const RegisterFile& file, Allocation& a, std::mt19937& random) {
        const std::ptrdiff_t i = Damage::pick(a, random, [&](std::size_t at) {
          return !inserted(a, at) && a.insts[at].use_count != 0 && a.insts[at].use[0] != kNoReg;
        });
        if (i < 0) return false;
        Inst& inst = a.insts[static_cast<std::size_t>(i)];
        const Reg v = code.insts[a.origin[static_cast<std::size_t>(i)]].use[0];
        const auto& registers = file.allocatable[static_cast<std::size_t>(code.classes[v])];
        const Reg other = registers[random() % registers.size()];
        if (other == inst.use[0]) return false;
        inst.use[0] = other;
        return true;
      },
      0.9);
}

TEST(AllocationChecker, FindsAWrongDefinition) {
  Damage::expect_found(
      [](const Code& code, const RegisterFile& file, Allocation& a, std::mt19937& random) {
        const std::ptrdiff_t i = Damage::pick(
            a, random, [&](std::size_t at) { return !inserted(a, at) && a.insts[at].def != kNoReg; });
        if (i < 0) return false;
        Inst& inst = a.insts[static_cast<std::size_t>(i)];
        const auto& registers = file.allocatable[static_cast<std::size_t>(code.classes[inst.virtual_def])];
        const Reg other = registers[random() % registers.size()];
        if (other == inst.def) return false;
        inst.def = other;
        return true;
      },
      0.5);  // many definitions are never used
}

void expect_missing_found(int kind, double least_share) {
  Damage::expect_found(
      [kind](const Code&, const RegisterFile&, Allocation& a, std::mt19937& random) {
        const std::ptrdiff_t i =
            Damage::pick(a, random, [&](std::size_t at) { return inserted_move(a, at, kind); });
        if (i < 0) return false;
        a = damaged(a, static_cast<std::size_t>(i));
        return true;
      },
      least_share);
}
TEST(AllocationChecker, FindsAMissingMove) { expect_missing_found(0, 0.8); }
TEST(AllocationChecker, FindsAMissingReload) { expect_missing_found(1, 0.8); }
TEST(AllocationChecker, FindsAMissingStore) { expect_missing_found(2, 0.5); }

TEST(AllocationChecker, FindsAWrongSlot) {
  Damage::expect_found(
      [](const Code&, const RegisterFile&, Allocation& a, std::mt19937& random) {
        const std::ptrdiff_t i =
            Damage::pick(a, random, [&](std::size_t at) { return a.insts[at].mem.base == MemBase::spill; });
        if (i < 0) return false;
        auto& slot = a.insts[static_cast<std::size_t>(i)].mem.displacement;
        const auto other = static_cast<std::int32_t>(random() % a.slot_offset.size());
        if (other == slot) return false;
        slot = other;
        return true;
      },
      0.5);
}

TEST(AllocationChecker, FindsAWrongConstant) {
  Damage::expect_found(
      [](const Code&, const RegisterFile&, Allocation& a, std::mt19937& random) {
        const std::ptrdiff_t i = Damage::pick(
            a, random, [&](std::size_t at) { return inserted(a, at) && a.insts[at].op < kFirstMove; });
        if (i < 0) return false;
        Inst& inst = a.insts[static_cast<std::size_t>(i)];
        if (random() % 2 && inst.mem.base != MemBase::none)
          inst.mem.displacement += 4;
        else
          ++inst.imm;
        return true;
      },
      1.0);
}

TEST(AllocationChecker, FindsAWrongFoldedOperand) {
  Damage::expect_found(
      [](const Code& code, const RegisterFile&, Allocation& a, std::mt19937& random) {
        const std::ptrdiff_t i = Damage::pick(a, random, [&](std::size_t at) {
          if (inserted(a, at)) return false;
          const Inst& original = code.insts[a.origin[at]];
          return original.mem.base == MemBase::none && a.insts[at].mem.base != MemBase::none &&
                 a.insts[at].mem.base != MemBase::spill;
        });
        if (i < 0) return false;
        a.insts[static_cast<std::size_t>(i)].mem.displacement += 4;
        return true;
      },
      1.0);
}

}  // namespace
}  // namespace warpjit::lir
