// What LIR rows say of effects, and what the checker makes of it.
#include <gtest/gtest.h>

#include "backend/host.h"

namespace warpjit::backend {
namespace {

using lir::Inst;
using lir::RegClass;

Inst make(Op op, lir::Reg def, std::initializer_list<lir::Reg> uses, std::uint8_t flags = 0) {
  Inst inst;
  inst.op = static_cast<std::uint16_t>(op);
  inst.def = def;
  inst.flags = flags;
  for (lir::Reg r : uses) inst.use[inst.use_count++] = r;
  return inst;
}

// One block of these, over vector registers.
std::string verified(std::vector<Inst> insts) {
  lir::Code code;
  code.insts = std::move(insts);
  code.classes.assign(8, RegClass::vector);
  code.blocks.emplace_back();
  code.blocks[0].end = static_cast<std::uint32_t>(code.insts.size());
  return verify_effects(code);
}

bool mentions(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(Effects, BlocksEndWhereARowSaysSo) {
  const Inst zero = make(Op::Zero, 0, {}, lir::kPure | lir::kRemat), end = make(Op::Return, lir::kNoReg, {});
  EXPECT_EQ(verified({zero, end}), "");
  EXPECT_TRUE(mentions(verified({zero}), "has no end"));
  EXPECT_TRUE(mentions(verified({end, zero, end}), "goes on behind its end"));
}

TEST(Effects, OperationsWithEffectsStay) {
  const Inst zero = make(Op::Zero, 0, {}, lir::kPure), end = make(Op::Return, lir::kNoReg, {});
  EXPECT_EQ(verified({zero, make(Op::RaiseInvalid, 1, {0, 0, 0}), end}), "");
  EXPECT_TRUE(mentions(verified({zero, make(Op::RaiseInvalid, 1, {0, 0, 0}, lir::kPure), end}), "removed"));
  Inst load = make(Op::LoadFull, 0, {}, lir::kPure | lir::kRemat);
  load.mem.base = lir::MemBase::table;
  EXPECT_EQ(verified({load, end}), "");
  load.mem.base = lir::MemBase::frame;
  EXPECT_TRUE(mentions(verified({load, end}), "made again"));
  Inst address = make(Op::SAddress, 0, {}, lir::kPure | lir::kRemat);
  address.mem.base = lir::MemBase::frame;
  EXPECT_EQ(verified({address, end}), "");
}

TEST(Effects, ClearedOperandsHaveOneReader) {
  const Inst end = make(Op::Return, lir::kNoReg, {});
  const Inst offsets = make(Op::Zero, 0, {}, lir::kPure), mask = make(Op::Ones, 1, {}, lir::kPure);
  const Inst gather = make(Op::Gather, 2, {0, 1, 3}, lir::kPure | lir::kEarlyClobber);
  EXPECT_EQ(verified({offsets, mask, gather, end}), "");
  EXPECT_TRUE(mentions(verified({offsets, mask, gather, make(Op::Not, 4, {1}, lir::kPure), end}), "clears"));
}

// Values of two parts, made one operation after the other, in a loop or not; a load in the middle.
TEST(Effects, LoopsComputeOnePartAfterTheOther) {
  const auto ordered = [](std::uint32_t depth, bool loads) {
    lir::Code code;
    code.classes.assign(8, RegClass::vector);
    code.part_of = {0, 1, 0, 1, 0, 0, 0, 0};
    code.insts = {make(Op::Zero, 0, {}, lir::kPure), make(Op::Ones, 1, {}, lir::kPure),
                  make(Op::Not, 2, {0}, lir::kPure), make(Op::Not, 3, {1}, lir::kPure)};
    if (loads) {
      Inst load = make(Op::LoadFull, 7, {6}, lir::kPure);
      load.mem.base = lir::MemBase::reg;
      load.mem.base_use = 0;
      code.insts.insert(code.insts.begin() + 2, load);
    }
    // Values of both parts, and temporaries, which belong to the part of their operands.
    code.insts.insert(code.insts.end(),
                      {make(Op::Not, 4, {3}, lir::kPure), make(Op::Not, 5, {2}, lir::kPure),
                       make(Op::Or, 6, {4, 5}, lir::kPure), make(Op::Return, lir::kNoReg, {})});
    lir::Block& block = code.blocks.emplace_back();
    block.end = static_cast<std::uint32_t>(code.insts.size());
    block.loop_depth = depth;
    std::vector<Inst> workspace;
    order_parts(code, workspace);
    std::vector<lir::Reg> made;
    for (const Inst& inst : code.insts) made.push_back(inst.def);
    made.pop_back();
    return made;
  };
  using Regs = std::vector<lir::Reg>;
  EXPECT_EQ(ordered(1, false), (Regs{0, 2, 5, 1, 3, 4, 6}));
  EXPECT_EQ(ordered(1, true), (Regs{0, 1, 7, 2, 5, 3, 4, 6}));
  EXPECT_EQ(ordered(0, false), (Regs{0, 1, 2, 3, 4, 5, 6}));
}

// Two compared with a mask that others read or not, a test of bits, and a branch at the result.
TEST(Effects, MasksBecomePartOfComparisonsAndBranches) {
  const auto folded = [](std::vector<Inst> insts) {
    lir::Code code;
    code.classes.assign(10, RegClass::mask);
    code.classes[0] = RegClass::vector;
    insts.insert(insts.begin(), {make(Op::Zero, 0, {}, lir::kPure), make(Op::KOnes, 1, {}, lir::kPure)});
    code.insts = std::move(insts);
    lir::Block& block = code.blocks.emplace_back();
    block.end = static_cast<std::uint32_t>(code.insts.size());
    Host host{};
    std::vector<std::uint32_t> uses;
    lir::count_uses(code, uses);
    fold_masks(code, host, uses);  // of a host without mask registers
    EXPECT_EQ(code.insts.size(), block.end);
    host.mask_registers = true;
    fold_masks(code, host, uses);
    lir::remove_dead(code, uses);
    EXPECT_EQ(lir::verify(code), "");
    EXPECT_EQ(verify_effects(code), "");
    return code.insts;
  };
  const auto ops = [](const std::vector<Inst>& insts) {
    std::vector<Op> all;
    for (std::size_t k = 2; k < insts.size(); ++k) all.push_back(static_cast<Op>(insts[k].op));
    return all;
  };
  const auto compare = [](Op op, lir::Reg def, std::int64_t predicate) {
    Inst inst = make(op, def, {0, 0}, lir::kPure);
    inst.imm = predicate;
    return inst;
  };
  const auto joined = [](Op op, lir::Reg def, lir::Reg a, lir::Reg b) {
    return make(op, def, {a, b}, lir::kPure);
  };
  const Inst branch = make(Op::BranchMask, lir::kNoReg, {3}), store = make(Op::KStore, lir::kNoReg, {1}),
             mode = make(Op::SetFloatMode, lir::kNoReg, {}), greater = compare(Op::CmpF, 2, 0x1e);
  using Ops = std::vector<Op>;

  // Where the mask ends, if others read it; else in the comparison's place.
  std::vector<Inst> made = folded({greater, store, joined(Op::KAndNot, 3, 2, 1), branch});
  EXPECT_EQ(ops(made), (Ops{Op::KStore, Op::CmpFMasked, Op::BranchMask}));
  EXPECT_EQ(made[3].imm, 0x1a);  // not greater, or a NaN
  EXPECT_EQ(made[3].use[2], 1u);
  made = folded({greater, joined(Op::KAnd, 3, 1, 2), branch});
  EXPECT_EQ(ops(made), (Ops{Op::CmpFMasked, Op::BranchMask}));
  EXPECT_EQ(made[2].imm, 0x1e);
  EXPECT_EQ(made[3].use[0], 3u);
  // But not after a change of the mode; and what is negated must be the comparison, which tests of bits are
  // not.
  EXPECT_EQ(ops(folded({greater, mode, store, joined(Op::KAnd, 3, 1, 2), branch})),
            (Ops{Op::CmpFMasked, Op::SetFloatMode, Op::KStore, Op::BranchMask}));
  EXPECT_EQ(ops(folded({compare(Op::CmpI, 2, 1), joined(Op::KAndNot, 3, 1, 2), branch})),
            (Ops{Op::CmpI, Op::KAndNot, Op::BranchMask}));
  EXPECT_EQ(ops(folded({compare(Op::TestBits, 2, 0), joined(Op::KAndNot, 3, 2, 1), branch})),
            (Ops{Op::TestBits, Op::KAndNot, Op::BranchMask}));
  // The second one of two comparisons; not one that others read.
  made = folded({store, compare(Op::CmpI, 2, 1), compare(Op::CmpU, 4, 2), joined(Op::KAnd, 3, 4, 2), branch});
  EXPECT_EQ(ops(made), (Ops{Op::KStore, Op::CmpI, Op::CmpUMasked, Op::BranchMask}));
  EXPECT_EQ(made[4].use[2], 2u);
  EXPECT_EQ(ops(folded({greater, joined(Op::KAnd, 4, 2, 1), joined(Op::KOr, 3, 4, 2), branch})),
            (Ops{Op::CmpF, Op::KAnd, Op::BranchMask}));
  // Any lane of two.
  made = folded({greater, joined(Op::KOr, 3, 2, 1), branch});
  EXPECT_EQ(ops(made), (Ops{Op::CmpF, Op::BranchMask}));
  EXPECT_EQ(made[3].use_count, 2);
  EXPECT_EQ(ops(folded({greater, joined(Op::KOr, 3, 2, 1), make(Op::KStore, lir::kNoReg, {3}), branch})),
            (Ops{Op::CmpF, Op::KOr, Op::KStore, Op::BranchMask}));
}

// A loop that branches at a chain of comparisons: with values of its own, and with two from before it, or
// one; entered from two blocks; and with a mask that comes with the block, which begins with another test.
TEST(Effects, LoopTestsAreHoisted) {
  const auto hoisted = [](bool both_from_before, bool two_ways_in = false, bool given_mask = false) {
    lir::Code code;
    code.classes.assign(10, RegClass::mask);
    for (lir::Reg r : {0, 1, 2}) code.classes[r] = RegClass::vector;
    code.classes[7] = RegClass::scalar;
    const auto block = [&](std::vector<Inst> insts, lir::Edges successors, lir::Edges predecessors) {
      lir::Block& made = code.blocks.emplace_back();
      made.first = static_cast<std::uint32_t>(code.insts.size());
      code.insts.insert(code.insts.end(), insts.begin(), insts.end());
      made.end = static_cast<std::uint32_t>(code.insts.size());
      made.successors = std::move(successors);
      made.predecessors = std::move(predecessors);
    };
    const auto test = [](Op op, lir::Reg def, lir::Reg r, lir::Reg lanes) {
      Inst inst = make(op, def, {r, lir::kNoReg}, lir::kPure);
      if (lanes != lir::kNoReg) inst.use[inst.use_count++] = lanes;
      inst.mem.base = lir::MemBase::pool;
      return inst;
    };
    const auto zero = [](lir::Reg def) { return make(Op::Zero, def, {}, lir::kPure); };
    const Inst jump = make(Op::Jump, lir::kNoReg, {}), end = make(Op::Return, lir::kNoReg, {});
    block({zero(0), zero(1), make(Op::SImm, 7, {}, lir::kPure), jump}, {1}, {});
    block({zero(2), test(Op::TestBits, 3, 0, lir::kNoReg), test(Op::CmpUMasked, 4, 2, 3),
           test(Op::TestMasked, 5, both_from_before ? 1 : 2, 4), test(Op::CmpUMasked, 6, 2, 5),
           make(Op::BranchUnlessAll, lir::kNoReg, {6})},
          {2, 3}, {0, 4});
    if (given_mask) {
      code.insts[code.blocks[1].first] = test(Op::TestBits, 8, 0, lir::kNoReg);
      code.insts[code.blocks[1].first + 1] = make(Op::KStore, lir::kNoReg, {8});
      code.blocks[1].params = {3};
      code.blocks[0].args = {9};
      code.insts[code.blocks[0].first + 1] = test(Op::TestBits, 9, 0, lir::kNoReg);
      for (const std::uint32_t k : {2U, 3U, 4U}) code.insts[code.blocks[1].first + k].use[0] = 0;
    }
    block({end}, {}, {1});
    if (two_ways_in) {
      block({jump}, {4}, {1});
      block({jump}, {1}, {3, 0});
    } else {
      block({make(Op::BranchScalar, lir::kNoReg, {7})}, {4, 5}, {1});
      block({jump}, {1}, {3});
    }
    block({end}, {}, {3});
    if (given_mask) code.blocks[4].args = {9};
    Host host{};
    host.mask_registers = true;
    std::vector<std::uint32_t> uses;
    std::vector<Inst> workspace;
    lir::count_uses(code, uses);
    hoist_tests(code, host, uses, workspace);
    lir::remove_dead(code, uses);
    EXPECT_EQ(lir::verify(code), "");
    std::vector<std::vector<Op>> ops;
    for (std::uint32_t b : {0, 1}) {
      ops.emplace_back();
      for (std::uint32_t i = code.blocks[b].first; i < code.blocks[b].end; ++i)
        ops.back().push_back(static_cast<Op>(code.insts[i].op));
    }
    return ops;
  };
  using Ops = std::vector<std::vector<Op>>;
  EXPECT_EQ(hoisted(true), (Ops{{Op::Zero, Op::Zero, Op::SImm, Op::TestBits, Op::TestMasked, Op::Jump},
                                {Op::Zero, Op::CmpUMasked, Op::CmpUMasked, Op::BranchUnlessAll}}));
  EXPECT_EQ(hoisted(false)[0], (std::vector{Op::Zero, Op::SImm, Op::Jump}));
  EXPECT_EQ(hoisted(true, true)[0], (std::vector{Op::Zero, Op::Zero, Op::Jump}));
  EXPECT_EQ(hoisted(true, false, true)[0], (std::vector{Op::Zero, Op::TestBits, Op::SImm, Op::Jump}));
}

TEST(Effects, Rows) {
  EXPECT_TRUE(info(Op::Add).commutes && info(Op::Add).pure() && !info(Op::Add).reads);
  EXPECT_TRUE(!info(Op::Sub).commutes && !info(Op::AndNot).commutes);
  EXPECT_TRUE(info(Op::LoadFull).reads && info(Op::LoadFull).pure());
  EXPECT_TRUE(info(Op::StoreFull).writes && !info(Op::StoreFull).pure());
  EXPECT_TRUE(info(Op::Call).reads && info(Op::Call).writes && !info(Op::Call).ends_block);
  EXPECT_TRUE(info(Op::Switch).ends_block && !info(Op::StopIfAny).ends_block && info(Op::StopIfAny).may_stop);
  EXPECT_EQ(info(Op::Scatter).clears, 2);
}

// A number is compared with two vectors; the masks are read in cold blocks, or in one that is not.
TEST(Effects, ValuesReadOnlyInColdBlocksAreComputedThere) {
  const auto sunk = [](bool first_is_cold, bool second_is_cold) {
    lir::Code code;
    code.classes = {RegClass::scalar, RegClass::vector, RegClass::vector, RegClass::vector};
    const auto block = [&](std::vector<Inst> insts, bool cold, lir::Edges successors,
                           lir::Edges predecessors) {
      lir::Block& made = code.blocks.emplace_back();
      made.first = static_cast<std::uint32_t>(code.insts.size());
      code.insts.insert(code.insts.end(), insts.begin(), insts.end());
      made.end = static_cast<std::uint32_t>(code.insts.size());
      made.cold = cold;
      made.successors = std::move(successors);
      made.predecessors = std::move(predecessors);
    };
    const auto compare = [&](lir::Reg def) {
      Inst inst = make(Op::ICmpGt, def, {1, lir::kNoReg}, lir::kPure);
      inst.mem.base = lir::MemBase::pool;
      return inst;
    };
    const auto jump = [&] { return make(Op::Jump, lir::kNoReg, {}); };
    block({make(Op::SImm, 0, {}, lir::kPure), make(Op::BroadcastScalar, 1, {0}, lir::kPure), compare(2),
           compare(3), make(Op::BranchScalar, lir::kNoReg, {0})},
          false, {1, 2}, {});
    block({make(Op::StopIfAny, lir::kNoReg, {2}), jump()}, first_is_cold, {3}, {0});
    block({make(Op::StopIfAny, lir::kNoReg, {2}), make(Op::StopIfAny, lir::kNoReg, {3}), jump()},
          second_is_cold, {3}, {0});
    block({make(Op::Return, lir::kNoReg, {})}, false, {}, {1, 2});
    std::vector<Inst> workspace;
    std::vector<std::uint32_t> uses;
    lir::count_uses(code, uses);
    EXPECT_EQ(sink_to_cold(code, uses, workspace), second_is_cold);
    EXPECT_EQ(lir::verify(code), "");
    std::vector<std::vector<Op>> ops;
    for (const lir::Block& b : code.blocks) {
      ops.emplace_back();
      for (std::uint32_t i = b.first; i < b.end; ++i) ops.back().push_back(static_cast<Op>(code.insts[i].op));
    }
    return ops;
  };
  using Ops = std::vector<std::vector<Op>>;
  EXPECT_EQ(sunk(true, true),
            (Ops{{Op::SImm, Op::BranchScalar},
                 {Op::BroadcastScalar, Op::ICmpGt, Op::StopIfAny, Op::Jump},
                 {Op::BroadcastScalar, Op::ICmpGt, Op::ICmpGt, Op::StopIfAny, Op::StopIfAny, Op::Jump},
                 {Op::Return}}));
  EXPECT_EQ(sunk(true, false)[0],
            (std::vector{Op::SImm, Op::BroadcastScalar, Op::ICmpGt, Op::ICmpGt, Op::BranchScalar}));
  EXPECT_EQ(sunk(false, true), (Ops{{Op::SImm, Op::BroadcastScalar, Op::ICmpGt, Op::BranchScalar},
                                    {Op::StopIfAny, Op::Jump},
                                    {Op::ICmpGt, Op::StopIfAny, Op::StopIfAny, Op::Jump},
                                    {Op::Return}}));
}

}  // namespace
}  // namespace warpjit::backend
