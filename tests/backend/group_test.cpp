// What code does for groups as a whole, and what it calls out for: lanes that meet, callouts, frames
// of groups at barriers, stops, every calling convention.
#include <gtest/gtest.h>

#include <cstring>

#include "backend/block.h"
#include "base/float_environment.h"
#include "ir/analysis/uniformity.h"
#include "ir/callout.h"
#include "ir/evaluate.h"
#include "ir/look_up.h"
#include "ir/pipeline.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::backend {
namespace {

using ir::F32;
using ir::I1;
using ir::I32;
using ir::MemoryAccess;
using ir::Opcode;
using ir::Space;
using ir::Value;
using warpjit::testing::Random;

class GroupCode : public OnTarget {};
// Quads, and warps of two kinds of GPU: part of a vector, one, or several, as the target has it.
constexpr std::uint32_t kWidths[] = {4, 16, 32};
WARPJIT_ON_EVERY_TARGET(GroupCode);

// A word of each thread's own, at random, and one that all share.
I32 varying_word(BlockKernel& k) {
  MemoryAccess kept;
  kept.index = BlockKernel::kKept;
  return k.load(kept, k.b.IShl32(k.thread(), k.word(5)));
}
I32 uniform_word(BlockKernel& k) { return I32{k.b.LoadUniformI32(0)}; }
I32 group_word(BlockKernel& k) {
  MemoryAccess kept;
  kept.index = BlockKernel::kKept;
  return k.load(kept, k.b.IShl32(k.b.GroupIndex(), k.word(2)));
}

// Arithmetic between accesses whose group lies in two ranges of memory, which code makes twice: for a group
// in one range, and for others. What is in the minority changes the mode there.
TEST_P(GroupCode, ModesBetweenAccessesOfTwoRanges) {
  for (unsigned kind = 0; kind < 6; ++kind) {
    SCOPED_TRACE("kind " + std::to_string(kind));
    const bool mostly_flushes = kind >= 3;
    BlockSetup setup;
    setup.globals = {{{0, 64}, {64, 4096}}};
    BlockKernel k(setup);
    auto& b = k.b;
    F32 other = b.constant(0x1p-130F);
    for (int n = 0; n < 6; ++n) {
      const F32 more = b.BitcastI32ToF32(b.IAdd32(k.thread(), k.word(1)));
      other = mostly_flushes ? b.FAddFlush32(other, more) : b.FAdd32(other, more);
    }
    k.keep(b.BitcastF32ToI32(b.CanonicalizeNaN32(other)), 1);
    MemoryAccess word;
    const I32 address = b.IShl32(k.thread(), k.word(2));
    const F32 denormal =
        b.BitcastI32ToF32(b.IOr32(b.IAnd32(k.load(word, address), k.word(0x807fffff)), k.word(1)));
    const F32 product = b.BitcastI32ToF32(b.IOr32(b.BitcastF32ToI32(denormal), k.word(0x0d800000)));
    F32 made;
    switch (kind) {
      case 0:
        made = b.FFlush32(denormal);
        break;
      case 1:
        made = b.FMulFlush32(product, b.constant(0x1p-31F));
        break;
      case 2:
        made = b.FAddFlush32(denormal, b.constant(0x1p-127F));
        break;
      case 3:
        made =
            b.FMul32(b.constant(0x1.fffffcp-1F), b.BitcastI32ToF32(b.IOr32(k.word(0x00800001), k.thread())));
        break;
      case 4:
        made = b.FAdd32(denormal, denormal);
        break;
      default:
        made = b.FMul32(product, b.constant(0x1p-31F));
        break;
    }
    const I32 second = k.load(word, b.IAdd32(address, k.word(256)));
    k.keep(b.BitcastF32ToI32(made), 2);
    k.keep(second, 3);
    k.keep(b.BitcastF32ToI32(b.FFlush32(b.BitcastI32ToF32(b.IAnd32(second, k.word(0x807fffff))))), 4);
    k.keep(b.BitcastF32ToI32(b.FAdd32(denormal, b.constant(0x1p-149F))), 5);
    b.ret();
    expect_same(k.function, setup, GetParam(), kind);
  }
}

TEST_P(GroupCode, LanesMeet) {
  for (std::uint64_t seed = 0; seed < share(60) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    BlockSetup setup;
    setup.groups = 1 + random.below(4);
    setup.lanes = kWidths[seed % std::size(kWidths)];
    setup.table = {static_cast<std::uint32_t>(random.next()), random.below(2)};
    BlockKernel k(setup);
    auto& b = k.b;
    const auto condition = [&]() -> I1 {
      switch (random.below(6)) {
        case 0:
          return b.constant(random.chance(50));
        case 1:
          return b.IEq32(I32{b.LoadUniformI32(4)}, k.word(0));
        case 2:
          return b.ILtU32(b.LaneIndex(), k.word(random.below(setup.lanes + 2)));
        case 3:
          return b.Not1(b.ILtS32(varying_word(k), k.word(0)));
        case 4:
          return b.IEq32(b.GroupIndex(), k.word(random.below(3)));
        default:
          return b.IEq32(b.IAnd32(varying_word(k), k.word(random.below(8))), k.word(0));
      }
    };
    const auto truth = [&](I1 bit) { return b.SelectI32(bit, k.word(1), k.word(0)); };
    const I1 guard = condition(), predicate = condition();
    k.keep(truth(b.AnyActive(guard, predicate)), 1);
    k.keep(truth(b.AllActive(guard, predicate)), 2);
    k.keep(b.QuadSwizzle32(varying_word(k), random.below(256)), 3);
    k.keep(b.QuadSwizzle32(uniform_word(k), random.below(256)), 4);
    k.keep(b.IAdd32(b.LaneIndex(), b.IShl32(b.GroupIndex(), k.word(8))), 5);
    b.ret();
    expect_same(k.function, setup, GetParam(), seed);
  }
}

TEST_P(GroupCode, Callouts) {
  std::uint64_t seed = 0;
  const auto check = [&](Opcode opcode, std::uint64_t immediate) {
    for (const int kind : {0, 1, 2}) {
      SCOPED_TRACE(std::string(ir::info(opcode).name) + " " + std::to_string(immediate) + " of kind " +
                   std::to_string(kind));
      BlockSetup setup;
      setup.lanes = kWidths[(static_cast<std::size_t>(kind) + immediate) % std::size(kWidths)];
      setup.table = {0x3fc00000 + static_cast<std::uint32_t>(seed)};
      BlockKernel k(setup);
      std::vector<Value> operands;
      for (const char letter : ir::info(opcode).operands) {
        const I32 word = kind == 0 ? varying_word(k) : kind == 1 ? uniform_word(k) : group_word(k);
        operands.push_back(letter == 'f' ? Value(k.b.BitcastI32ToF32(word)) : Value(word));
      }
      const ir::Inst made = k.b.emit_inst(opcode, operands, immediate);
      for (std::uint32_t n = 0; n < k.function.inst(made).result_count; ++n) {
        const Value result = k.function.result(made, n);
        k.keep(ir::info(opcode).results[n] == 'f'
                   ? k.b.BitcastF32ToI32(k.b.CanonicalizeNaNOnes32(F32{result}))
                   : I32{result},
               n + 1);
      }
      k.b.ret();
      expect_same(k.function, setup, GetParam(), ++seed);
    }
  };
  for (std::uint64_t n = 0; n < ir::kSpecialFunctions; ++n) check(Opcode::TeslaSpecialFunction32, n);
  for (std::uint64_t n = 0; n < 8; ++n) {
    if (n < 4) check(Opcode::TeslaF32ToF16, n);
    check(Opcode::IntToF32, n);
    check(Opcode::IntToF16, n);
  }
  for (std::uint64_t n = 0; n < ir::kLookUpTables; ++n) check(Opcode::LookUp32, n);
  check(Opcode::FmaScaled32, 0);
  check(Opcode::TeslaF16ToF32, 0);
  check(Opcode::IMulHi24, 0);
  check(Opcode::IMulHi24, 1);
  for (std::uint64_t n = 0; n < ir::kF64Functions; ++n) {
    check(Opcode::TeslaF64Operation, n);
    check(Opcode::TeslaF64Operation, n | 3 << 8);
  }
}

// Indices go through all words of small tables, and count modulo their number.
TEST_P(GroupCode, LooksUpEveryWord) {
  constexpr std::uint32_t kResults = 8;
  for (std::uint64_t table = 0; table < ir::kLookUpTables && !HasFailure(); ++table) {
    SCOPED_TRACE("table " + std::to_string(table));
    const BlockSetup setup;
    BlockKernel k(setup);
    for (std::uint32_t n = 0; n < kResults; ++n) {
      const std::uint32_t first = 0xa5000000 + n * setup.groups * setup.lanes;
      k.keep(k.b.LookUp32(k.b.IAdd32(k.thread(), k.word(first)), table), n);
    }
    k.b.ret();
    expect_same(k.function, setup, GetParam());
  }
}

TEST_P(GroupCode, KeepsDenormalsBesideFlushing) {
  BlockSetup setup;
  BlockKernel k(setup);
  const I32 word = k.b.IAnd32(varying_word(k), k.word(0x807fffff));
  const F32 denormal = k.b.BitcastI32ToF32(word), one = k.b.constant(1.0f);
  k.keep(k.b.BitcastF32ToI32(k.b.FMul32(denormal, one)), 1);
  k.keep(k.b.BitcastF32ToI32(k.b.FMulFlush32(denormal, one)), 2);
  k.keep(k.b.SelectI32(k.b.FEq32(denormal, k.b.constant(0.0f)), word, k.word(0)), 3);
  k.keep(k.b.BitcastF32ToI32(k.b.FMaxNum32(denormal, k.b.constant(0.0f))), 4);
  k.keep(k.b.BitcastF32ToI32(k.b.FFloor32(denormal)), 5);
  k.b.ret();
  expect_same(k.function, setup, GetParam());
}

// Operations of both kinds in random order, in blocks that lanes take or not, on numbers around the least
// one.
TEST_P(GroupCode, KeepsAndFlushesByTurns) {
  for (std::uint64_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    BlockSetup setup;
    setup.lanes = kWidths[seed % std::size(kWidths)];
    setup.table = {0x00400000};
    BlockKernel k(setup);
    auto& b = k.b;
    const I32 bits = varying_word(k);
    const auto small = [&](unsigned shift) {
      return b.BitcastI32ToF32(b.IAnd32(b.IShrU32(bits, k.word(shift)), k.word(0x80ffffff)));
    };
    std::vector<F32> values{small(0), small(3), b.BitcastI32ToF32(uniform_word(k)), b.constant(0x1.8p-3F)};
    const unsigned flushing = random.below(100);  // how many of a hundred
    const auto step = [&] {
      const auto any = [&] { return values[random.below(static_cast<std::uint32_t>(values.size()))]; };
      const F32 x = any(), y = any(), z = any();
      const bool flush = random.chance(flushing);
      F32 made;
      switch (random.below(6)) {
        case 0:
          made = flush ? b.FAddFlush32(x, y) : b.FAdd32(x, y);
          break;
        case 1:
          made = flush ? b.FMulFlush32(x, y) : b.FMul32(x, y);
          break;
        case 2:
          made = flush ? b.FFmaFlush32(x, y, z) : b.FFma32(x, y, z);
          break;
        case 3:
          made = flush ? b.FFlush32(x) : b.FMaxNum32(x, y);
          break;
        case 4:
          made = flush ? b.FSubFlush32(x, y) : b.FFloor32(x);
          break;
        default:
          made = b.select(b.FLt32(x, y), z, x);
          break;
      }
      values.push_back(b.BitcastI32ToF32(b.BitcastF32ToI32(b.CanonicalizeNaNOnes32(made))));
    };
    for (unsigned n = 0; n < 6; ++n) step();
    const std::size_t before = values.size();
    const ir::Block side = k.function.add_block(), join = k.function.add_block();
    const I1 taken =
        random.chance(50) ? b.ILtS32(bits, k.word(0)) : b.IEq32(uniform_word(k), k.word(0x00400000));
    b.branch(taken, side, join);
    b.set_block(side);
    for (unsigned n = 0; n < 6; ++n) step();
    k.keep(b.BitcastF32ToI32(values.back()), 1);
    b.jump(join);
    b.set_block(join);
    values.resize(before);
    for (unsigned n = 0; n < 6; ++n) step();
    for (unsigned n = 0; n < 6; ++n) k.keep(b.BitcastF32ToI32(values[before + n]), 2 + n);
    b.ret();
    expect_same(k.function, setup, GetParam(), seed);
  }
}

// One call runs several blocks: columns first, then rows, then planes.
TEST_P(GroupCode, BlocksOfAGridFollowEachOther) {
  constexpr std::uint32_t kColumns = 3, kRows = 2, kPlanes = 4, kBlocks = kColumns * kRows * kPlanes;
  BlockSetup setup;
  setup.groups = 1;
  setup.globals = {{{0, kBlocks * setup.lanes * 4}}};
  BlockKernel k(setup);
  const I32 column = k.b.BlockIndex(0), row = k.b.BlockIndex(1), plane = k.b.BlockIndex(2);
  const I32 rows = k.b.IAdd32(k.b.IMul32(plane, k.word(kRows)), row);
  const I32 number = k.b.IAdd32(k.b.IMul32(rows, k.word(kColumns)), column);
  const I32 thread = k.b.IAdd32(k.b.IMul32(number, k.word(setup.lanes)), k.b.LaneIndex());
  const I32 value = k.b.IOr32(column, k.b.IOr32(k.b.IShl32(row, k.word(8)), k.b.IShl32(plane, k.word(16))));
  k.store({}, k.b.IShl32(thread, k.word(2)), value);
  k.b.ret();
  const auto program = ir::run_pipeline(k.function, {});
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const auto code = compile(*program, GetParam(), {.validate = true});
  ASSERT_TRUE(code.ok()) << to_string(code.error());

  BlockContents contents(setup, 1);
  MemoryWindows windows;
  windows.set(contents.memory);
  Launch launch;
  launch.threads = setup.lanes;
  GuardedBytes table((code->table_bytes + 127) / 64 * 64, true);
  KernelArgs args = make_args(*code, launch, reinterpret_cast<std::uint32_t*>(table.data()));
  args.memory = &contents.memory;
  args.windows = windows.data();
  args.grid_columns = kColumns;
  args.grid_rows = kRows;
  args.block_groups = 1;
  args.more_blocks = kBlocks - 1;
  const Executable executable(*code);
  const FloatEnvironment environment;
  using Entry = void (*)(KernelArgs*);
  if (executable.preamble() != nullptr) reinterpret_cast<Entry>(executable.preamble())(&args);
  reinterpret_cast<Entry>(executable.kernel())(&args);
  EXPECT_EQ(args.status, KernelStatus::done);
  const std::byte* words = contents.memory.globals[0][0].bytes;
  for (std::uint32_t n = 0; n < kBlocks * setup.lanes; ++n) {
    const std::uint32_t block = n / setup.lanes;
    std::uint32_t got;
    std::memcpy(&got, words + std::size_t{n} * 4, 4);
    ASSERT_EQ(got, block % kColumns | block / kColumns % kRows << 8 | block / (kColumns * kRows) << 16) << n;
  }
}

TEST_P(GroupCode, BarriersKeepWhatGroupsNeed) {
  for (std::uint32_t n = 0; n < 9; ++n) {
    BlockSetup setup;
    setup.groups = std::array{1u, 2u, 5u}[n / 3];
    setup.lanes = kWidths[n % 3];
    setup.shared_bytes = setup.groups * setup.lanes * 4;
    setup.local_bytes = 16;
    BlockKernel k(setup);
    auto& b = k.b;
    MemoryAccess shared, local;
    shared.space = Space::shared;
    local.space = Space::local;
    const I32 mine = b.IShl32(k.thread(), k.word(2)), word = varying_word(k), same = group_word(k);
    k.store(shared, mine, word);
    k.store(local, k.word(4), word);
    b.Barrier(k.always(), 0);
    const I32 other = b.ISub32(k.word(setup.shared_bytes - 4), mine);
    const I32 got = k.load(shared, other);
    k.keep(b.IAdd32(got, same), 1);
    b.Barrier(k.always(), 1);
    k.store(shared, other, b.IAdd32(got, word));
    b.Barrier(k.always(), 0);
    k.keep(k.load(shared, mine), 2);
    k.keep(k.load(local, k.word(4)), 3);
    b.ret();
    expect_same(k.function, setup, GetParam());
  }
}

// Rows count modulo their number, from the first slot on, and leave the slots beside them alone.
TEST_P(GroupCode, FrameRowsAreRings) {
  constexpr std::uint32_t kFirst = 2, kRows = 8;
  constexpr std::uint64_t kRing = kFirst | std::uint64_t{kRows} << 32;
  BlockSetup setup;
  setup.groups = 3;
  setup.table = {0, 5, 7, 8, 13, 0x80000001, 0xffffffff};
  for (std::uint32_t written = 0; written < setup.table.size(); ++written) {
    setup.lanes = kWidths[written % std::size(kWidths)];
    BlockKernel k(setup);
    k.function.form = ir::Form::group;
    k.function.frame_slots = kFirst + kRows + 1;
    auto& b = k.b;
    const auto depth = [&](std::uint32_t n) { return I32{b.LoadUniformI32(4 * n)}; };
    const I32 word = varying_word(k);
    for (std::uint32_t slot = 0; slot < k.function.frame_slots; ++slot)
      b.StoreFrame(b.GroupIndex(), b.IAdd32(word, k.word(slot + 1)), slot);
    b.StoreFrameRow(b.GroupIndex(), depth(written), word, kRing);
    b.StoreFrameRow(b.GroupIndex(), b.IAdd32(depth(written), k.word(1)), k.word(99), kRing);
    for (std::uint32_t n = 0; n < setup.table.size(); ++n)
      k.keep(b.LoadFrameRow(b.GroupIndex(), depth(n), kRing), n);
    I32 sum = b.LoadFrame(b.GroupIndex(), 0);
    for (std::uint32_t slot = 1; slot < k.function.frame_slots; ++slot)
      sum = b.IXor32(b.IMul32(sum, k.word(3)), b.LoadFrame(b.GroupIndex(), slot));
    k.keep(sum, 7);
    b.ret();
    ir::analyze_uniformity(k.function);
    expect_same(ir::GroupProgram{{}, k.function}, setup, GetParam());
  }
}

// Slots of the dispatcher, and what it asks of all lanes.
TEST_P(GroupCode, SlotsAndVotes) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    BlockSetup setup;
    setup.groups = 3;
    setup.lanes = kWidths[seed % std::size(kWidths)];
    BlockKernel k(setup);
    k.function.form = ir::Form::group;
    k.function.slot_count = 2;
    auto& b = k.b;
    const I32 word = varying_word(k), lane = b.LaneIndex();
    const I1 some = b.ILtU32(lane, k.word(random.below(setup.lanes + 1))), other = b.ILtS32(word, k.word(0));
    b.StoreSlot(k.always(), word, 0);
    b.StoreSlot(k.always(), lane, 1);
    b.StoreSlot(some, b.IAdd32(word, lane), 0);
    b.StoreSlot(other, b.LoadSlot(0), 1);
    k.keep(b.LoadSlot(0), 1);
    k.keep(b.LoadSlot(1), 2);
    k.keep(b.MinLaneU32(word), 3);
    k.keep(b.MinLaneU32(b.ISub32(k.word(100), lane)), 4);  // the last lane has the least
    k.keep(b.SelectI32(b.AnyLane(b.ILtU32(k.word(setup.lanes - 1), lane)), k.word(1), k.word(2)), 5);
    k.keep(b.SelectI32(b.AnyLane(other), k.word(1), k.word(2)), 6);
    k.keep(b.SelectI32(b.AnyLane(b.IEq32(lane, k.word(setup.lanes - 1))), k.word(1), k.word(2)), 7);
    b.ret();
    ir::analyze_uniformity(k.function);
    expect_same(ir::GroupProgram{{}, k.function}, setup, GetParam(), seed);
  }
}

// A loop that lanes leave one by one: those that no thread has must not keep it running.
TEST_P(GroupCode, LanesLeaveLoops) {
  for (const std::uint32_t lanes : kWidths) {
    BlockSetup setup;
    setup.lanes = lanes;
    BlockKernel k(setup);
    auto& b = k.b;
    const I32 turns = b.IAnd32(varying_word(k), k.word(7));
    const ir::Block entry = b.block(), head = k.function.add_block(), body = k.function.add_block(),
                    end = k.function.add_block();
    b.jump(head);
    b.set_block(head);
    const ir::Inst n =
        k.function.make(Opcode::Phi, std::vector<Value>{k.word(0), k.word(0)}, 0, ir::Type::i32);
    const ir::Inst sum = k.function.make(Opcode::Phi, std::vector<Value>{turns, turns}, 0, ir::Type::i32);
    k.function.append(head, n);
    k.function.append(head, sum);
    const I32 count{k.function.result(n)}, total{k.function.result(sum)};
    b.branch(b.ILtU32(count, turns), body, end);
    b.set_block(body);
    const I32 next = b.IAdd32(count, k.word(1)),
              more = b.IAdd32(b.IMul32(total, k.word(3)), b.QuadRead(k.always(), count, k.word(5), 0x1b));
    b.jump(head, true);
    k.function.set_operand(n, 1, next);
    k.function.set_operand(sum, 1, more);
    b.set_block(end);
    k.keep(total, 1);
    b.ret();
    (void)entry;
    expect_same(k.function, setup, GetParam(), lanes);
  }
}

// A kernel in group form for one group.
ir::Function stopping(bool any) {
  KernelBuilder k(0, 1);
  k.function.group_lanes = 32;
  k.function.block_groups = 1;
  k.b.set_guest_address(77);
  const I32 lane = k.b.LaneIndex();
  k.b.emit_inst(Opcode::Stop,
                std::vector<Value>{k.b.IEq32(lane, k.b.constant(any ? std::int32_t{31} : std::int32_t{32}))},
                static_cast<std::uint64_t>(ir::StopReason::trap));
  k.store_words(lane, lane, lane, lane);
  k.b.ret();
  return k.function;
}

TEST_P(GroupCode, StopsWhereALaneDoes) {
  for (const bool any : {false, true}) {
    CompileOptions options;
    options.validate = true;
    const auto code = compile(ir::GroupProgram{{}, stopping(any)}, GetParam(), options);
    ASSERT_TRUE(code.ok()) << to_string(code.error());
    Launch launch;
    launch.threads = 32;
    launch.outputs.emplace_back(32, 16);
    for (std::uint32_t t = 0; t < 32; ++t) launch.outputs[0].set(t, {99, 99, 99, 99});
    std::vector<std::uint32_t> table(64);
    KernelArgs args = make_args(*code, launch, table.data());
    const Executable executable(*code);
    const FloatEnvironment environment;
    reinterpret_cast<void (*)(KernelArgs*)>(executable.kernel())(&args);
    EXPECT_EQ(args.status, any ? KernelStatus::stopped : KernelStatus::done);
    EXPECT_EQ(launch.outputs[0].get(3)[0], any ? 99u : 3u);
    if (!any) continue;
    EXPECT_EQ(args.guest_address, 77u);
    EXPECT_EQ(args.stop_reason, static_cast<std::uint32_t>(ir::StopReason::trap));
  }
}

#if defined(__x86_64__) && !defined(_WIN32)
// Callouts and cold accesses in code of the other convention.
TEST(GroupAbi, Win64CodeCallsOut) {
  for (const Target target : {Target::x64_v3, Target::x64_v4}) {
    if (!runs_here(target)) continue;
    KernelBuilder k(1, 1);
    const auto row = k.b.LoadInput(0);
    const F32 root = F32{k.b.emit(Opcode::TeslaSpecialFunction32, std::vector<Value>{row[0]},
                                  static_cast<std::uint64_t>(ir::TeslaSpecialFunction::rsqrt))};
    const F32 sum = k.b.FMadTruncFlush32(row[1], row[2], row[3], k.b.constant(true));
    k.store(root, sum, row[1], row[2]);
    k.b.ret();
    CompileOptions options;
    options.abi = Abi::win64;
    options.validate = true;
    options.parts = 2;
    const auto code = compile(ir::GroupProgram{{}, k.function}, target, options);
    ASSERT_TRUE(code.ok()) << to_string(code.error());
    Launch launch;
    launch.threads = code->lanes * 3;
    launch.inputs.emplace_back(launch.threads, 16);
    launch.outputs.emplace_back(launch.threads, 16);
    for (std::uint32_t t = 0; t < launch.threads; ++t)  // the last word is small: a call
      launch.inputs[0].set(t,
                           {0x40800000, 0x3f800000 + t, 0x3fc00000, t % 5 == 0 ? 0x01000000u : 0x3f000000u});
    std::vector<std::uint32_t> table(64);
    KernelArgs args = make_args(*code, launch, table.data(), options.abi);
    const Executable executable(*code);
    const FloatEnvironment environment;
    using Entry = void(__attribute__((ms_abi))*)(KernelArgs*);
    reinterpret_cast<Entry>(executable.kernel())(&args);
    EXPECT_EQ(FloatEnvironment::read() & ~0x3fu, FloatEnvironment::kDefault);
    for (std::uint32_t t = 0; t < launch.threads; ++t) {
      const Words x = launch.inputs[0].get(t), got = launch.outputs[0].get(t);
      const std::uint64_t operands[] = {x[1], x[2], x[3]};
      EXPECT_EQ(got[0], 0x3f000000u);
      EXPECT_EQ(got[1], ir::evaluate(Opcode::FMadTruncFlush32, operands));
      EXPECT_EQ(got[2], x[1]);
    }
  }
}
#endif

}  // namespace
}  // namespace warpjit::backend
