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
