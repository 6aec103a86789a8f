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

TEST(Effects, WhatHasAnEffectStays) {
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

TEST(Effects, WhatIsClearedBelongsToOne) {
  const Inst end = make(Op::Return, lir::kNoReg, {});
  const Inst offsets = make(Op::Zero, 0, {}, lir::kPure), mask = make(Op::Ones, 1, {}, lir::kPure);
  const Inst gather = make(Op::Gather, 2, {0, 1, 3}, lir::kPure | lir::kEarlyClobber);
  EXPECT_EQ(verified({offsets, mask, gather, end}), "");
  EXPECT_TRUE(mentions(verified({offsets, mask, gather, make(Op::Not, 4, {1}, lir::kPure), end}), "clears"));
}

// A number is compared with two vectors; the masks are read in cold blocks, or in one that is not.
TEST(Effects, WhatOnlyColdBlocksReadIsMadeThere) {
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

TEST(Effects, Rows) {
  EXPECT_TRUE(info(Op::Add).commutes && info(Op::Add).pure() && !info(Op::Add).reads);
  EXPECT_TRUE(!info(Op::Sub).commutes && !info(Op::AndNot).commutes);
  EXPECT_TRUE(info(Op::LoadFull).reads && info(Op::LoadFull).pure());
  EXPECT_TRUE(info(Op::StoreFull).writes && !info(Op::StoreFull).pure());
  EXPECT_TRUE(info(Op::Call).reads && info(Op::Call).writes && !info(Op::Call).ends_block);
  EXPECT_TRUE(info(Op::Switch).ends_block && !info(Op::StopIfAny).ends_block && info(Op::StopIfAny).may_stop);
  EXPECT_EQ(info(Op::Scatter).clears, 2);
}

}  // namespace
}  // namespace warpjit::backend
