#include "ir/pass/ssa.h"

#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::ir {
namespace {

std::size_t count_phis(const Function& f) {
  std::size_t count = 0;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) count += f.inst(i).opcode == Opcode::Phi;
  return count;
}

TEST(Ssa, MakesOnlyNeededPhis) {
  Function f;
  f.output_count = 1;
  f.uniform_bytes = 16;
  Builder b(f);
  SsaBuilder ssa(b, std::vector<Type>{Type::f32, Type::f32, Type::i32});
  const Block entry = f.add_block(), header = f.add_block(), body = f.add_block(), end = f.add_block();
  b.set_block(entry);
  ssa.seal(entry);
  ssa.write(entry, 0, b.LoadUniformF32(0));
  ssa.write(entry, 1, b.LoadUniformF32(4));
  ssa.write(entry, 2, b.constant(0));
  b.jump(header);
  b.set_block(header);
  // All three are read before the header is sealed; only the counter changes in the loop.
  const F32 kept = ssa.read<F32>(header, 0), other = ssa.read<F32>(header, 1);
  b.branch(b.ILtU32(ssa.read<I32>(header, 2), b.constant(4)), body, end);
  b.set_block(body);
  ssa.seal(body);
  ssa.write(body, 2, b.IAdd32(ssa.read<I32>(body, 2), b.constant(1)));
  ssa.write(body, 0, ssa.read(body, 0));
  b.jump(header, true);
  ssa.seal(header);
  b.set_block(end);
  ssa.seal(end);
  b.StoreOutput(b.constant(true), kept, other, ssa.read<F32>(end, 0), kept, 0);
  b.ret();
  ASSERT_TRUE(ssa.finish().ok());
  EXPECT_TRUE(verify(f).ok()) << to_string(verify(f).error()) << print(f);
  EXPECT_EQ(count_phis(f), 1u) << print(f);
}

TEST(Ssa, ReadsInUnreachableCodeAreZero) {
  Function f;
  Builder b(f);
  SsaBuilder ssa(b, std::vector<Type>{Type::i32});
  const Block entry = f.add_block(), lost = f.add_block(), loop = f.add_block();
  b.set_block(entry);
  b.ret();
  b.set_block(lost);
  const I32 x = ssa.read<I32>(lost, 0);
  b.switch_(x, std::array<Block, 1>{loop});
  b.set_block(loop);
  b.switch_(ssa.read<I32>(loop, 0), std::array<Block, 1>{lost});
  ASSERT_TRUE(ssa.finish().ok());
  EXPECT_TRUE(verify(f).ok()) << to_string(verify(f).error()) << print(f);
}

// Long chains and deep nests cost no stack.
TEST(Ssa, TakesLongPrograms) {
  Function f;
  Builder b(f);
  SsaBuilder ssa(b, std::vector<Type>{Type::i32, Type::i1});
  constexpr std::uint32_t kBlocks = 30000;
  for (std::uint32_t k = 0; k < kBlocks; ++k) f.add_block();
  b.set_block(Function::entry());
  ssa.write(Function::entry(), 0, b.constant(7));
  for (std::uint32_t k = 0; k + 2 < kBlocks; ++k) {
    b.set_block(Block{k});
    if (k % 2 == 0)
      b.branch(ssa.read<I1>(Block{k}, 1), Block{k + 1}, Block{k + 2});
    else
      b.jump(Block{k + 1});
  }
  for (std::uint32_t k = kBlocks - 2; k < kBlocks; ++k) {
    b.set_block(Block{k});
    b.ret();
  }
  for (std::uint32_t k = 0; k < kBlocks; ++k) ssa.seal(Block{k});
  const Value last = ssa.read(Block{kBlocks - 1}, 0);
  ASSERT_TRUE(ssa.finish().ok());
  EXPECT_TRUE(f.is_constant(last));
  EXPECT_TRUE(verify(f).ok()) << to_string(verify(f).error());
}

TEST(Ssa, RandomFunctionsAreValidAndEnd) {
  for (std::uint64_t seed = 0; seed < share(1000); ++seed) {
    const Function f = testing::random_any_function(seed);
    const Status status = verify(f);
    ASSERT_TRUE(status.ok()) << seed << ": " << to_string(status.error()) << print(f);
    const auto out = testing::RandomMemory(seed, 5).run(f);
    ASSERT_TRUE(out.ok()) << seed << ": " << to_string(out.error());
  }
}

}  // namespace
}  // namespace warpjit::ir
