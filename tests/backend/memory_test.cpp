// Inputs, outputs, the uniform table and local slots, as generated code reaches them.
#include <gtest/gtest.h>

#include <functional>

#include "backend/kernel.h"

namespace warpjit::backend {
namespace {

using ir::F32;
using ir::I1;
using ir::I32;

class MemoryCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(MemoryCode);

Words pattern(std::uint64_t thread, std::uint32_t salt) {
  Words words;
  for (std::uint32_t k = 0; k < 4; ++k)
    words[k] = static_cast<std::uint32_t>((thread * 4 + k + 1) * 0x9e3779b9u) ^ salt;
  return words;
}

Rows filled(std::uint64_t threads, std::int64_t stride, std::uint32_t salt) {
  Rows rows(threads, stride);
  for (std::uint64_t t = 0; t < threads; ++t) rows.set(t, pattern(t, salt));
  return rows;
}

TEST_P(MemoryCode, CopiesRowsOfAnyStride) {
  KernelBuilder k(2, 2);
  const auto a = k.b.LoadInput(0), b = k.b.LoadInput(1);
  k.store(a[0], a[1], a[2], a[3], 1);
  k.store(b[3], a[2], b[1], a[0], 0);
  k.b.ret();
  for (const Setting& setting : all_settings(GetParam())) {
    const Executable executable(compile(k.function, setting));
    for (std::int64_t stride : {16, 20, 32, 80, -16, -20, -64, 0})
      for (std::uint64_t groups : {1u, 3u}) {
        SCOPED_TRACE(setting.text() + ", stride " + std::to_string(stride));
        Launch launch;
        launch.threads = groups * setting.lanes();
        launch.inputs.push_back(filled(launch.threads, stride, 7));
        launch.inputs.push_back(filled(launch.threads, 24, 0));
        launch.outputs.emplace_back(launch.threads, stride == 0 ? 28 : stride);
        launch.outputs.emplace_back(launch.threads, stride == 0 ? 16 : -stride);
        EXPECT_EQ(run(executable, launch).status, KernelStatus::done);
        for (std::uint64_t t = 0; t < launch.threads; ++t) {
          const Words x = pattern(stride == 0 ? launch.threads - 1 : t, 7), y = pattern(t, 0);
          ASSERT_EQ(launch.outputs[1].get(t), x) << t;
          ASSERT_EQ(launch.outputs[0].get(t), (Words{y[3], x[2], y[1], x[0]})) << t;
        }
      }
  }
}

// Rows in the order that the words of another input tell, the same one several times.
TEST_P(MemoryCode, NumberedRows) {
  KernelBuilder k(3, 2);
  const auto a = k.b.LoadInput(0 | std::uint64_t{3} << 32), b = k.b.LoadInput(1 | std::uint64_t{3} << 32);
  k.store(a[0], a[1], a[2], a[3], 1);
  k.store(b[3], a[2], b[1], a[0], 0);
  k.b.ret();
  constexpr std::uint64_t kRows = 50;
  for (const Setting& setting : all_settings(GetParam()))
    for (std::int64_t stride : {16, 20, 36, 4096, 0}) {
      SCOPED_TRACE(setting.text() + ", stride " + std::to_string(stride));
      Launch launch;
      launch.threads = 3 * setting.lanes();
      launch.numbered = 3;
      launch.inputs.push_back(filled(kRows, stride, 7));
      launch.inputs.push_back(filled(kRows, 24, 0));
      const auto number = [](std::uint64_t t) { return static_cast<std::uint32_t>(t * 31 % kRows); };
      Rows& numbers = launch.inputs.emplace_back(launch.threads, 4);
      for (std::uint64_t t = 0; t < launch.threads; ++t) numbers.set(t, {number(t), ~0u, ~0u, ~0u});
      launch.outputs.emplace_back(launch.threads, 16);
      launch.outputs.emplace_back(launch.threads, 20);
      EXPECT_EQ(run(Executable(compile(k.function, setting)), launch).status, KernelStatus::done);
      for (std::uint64_t t = 0; t < launch.threads; ++t) {
        const Words x = pattern(stride == 0 ? kRows - 1 : number(t), 7), y = pattern(number(t), 0);
        ASSERT_EQ(launch.outputs[1].get(t), x) << t;
        ASSERT_EQ(launch.outputs[0].get(t), (Words{y[3], x[2], y[1], x[0]})) << t;
      }
    }
}

TEST_P(MemoryCode, AnUnusedInputIsHarmless) {
  KernelBuilder k(1);
  (void)k.b.LoadInput(0);
  k.store(k.b.constant(1.0f), k.b.constant(0.0f), k.b.constant_bits(0xffffffffu), k.b.constant(-0.0f));
  k.b.ret();
  for (const Setting& setting : all_settings(GetParam())) {
    Launch launch;
    launch.threads = setting.lanes();
    launch.inputs.push_back(filled(launch.threads, 16, 0));
    launch.outputs.emplace_back(launch.threads, 16);
    run(Executable(compile(k.function, setting)), launch);
    for (std::uint64_t t = 0; t < launch.threads; ++t)
      ASSERT_EQ(launch.outputs[0].get(t), (Words{0x3f800000u, 0, 0xffffffffu, 0x80000000u}));
  }
}

// Guards that are constant, uniform and varying: where they do not hold, the row keeps its bytes.
TEST_P(MemoryCode, GuardedOutputs) {
  enum Guard { never, always, uniform, varying };
  for (Guard guard : {never, always, uniform, varying}) {
    KernelBuilder k(1, 1, 16);
    const auto in = k.b.LoadInput(0);
    I1 condition = k.b.constant(guard == always);
    if (guard == uniform) condition = k.b.INe32(k.b.LoadUniformI32(8), k.b.constant(0));
    if (guard == varying) condition = k.b.ILtU32(k.word(in[0]), k.b.constant(0x80000000u));
    k.b.StoreOutput(condition, in[0], in[1], k.b.LoadUniformF32(4), in[3], 0);
    k.b.ret();
    for (const Setting& setting : all_settings(GetParam())) {
      const Executable executable(compile(k.function, setting));
      for (std::uint32_t flag : {0u, 1u, 0x80000000u}) {
        SCOPED_TRACE(setting.text());
        Launch launch;
        launch.threads = 2 * setting.lanes();
        launch.table = {1, 0x12345678, flag, 4};
        launch.inputs.push_back(filled(launch.threads, 16, 0));
        launch.outputs.push_back(filled(launch.threads, 20, 99));
        run(executable, launch);
        for (std::uint64_t t = 0; t < launch.threads; ++t) {
          const Words x = pattern(t, 0);
          const bool holds =
              guard == always || (guard == uniform && flag != 0) || (guard == varying && x[0] < 0x80000000u);
          ASSERT_EQ(launch.outputs[0].get(t), holds ? (Words{x[0], x[1], 0x12345678, x[3]}) : pattern(t, 99))
              << "guard " << guard << ", thread " << t;
        }
      }
    }
  }
}

TEST_P(MemoryCode, UniformWordsInEveryRole) {
  KernelBuilder k(1, 2, 32);
  const auto in = k.b.LoadInput(0);
  const F32 u = k.b.LoadUniformF32(4);
  const I32 v = k.b.LoadUniformI32(28);
  k.store(u, k.real(v), k.real(k.b.IXor32(v, k.word(in[0]))), k.real(k.b.IXor32(k.word(u), k.word(in[1]))));
  k.store(k.real(k.b.IXor32(v, k.b.LoadUniformI32(0))), k.real(k.word(u)), in[2], k.real(k.b.IAdd32(v, v)),
          1);
  k.b.ret();
  for (const Setting& setting : all_settings(GetParam())) {
    SCOPED_TRACE(setting.text());
    Launch launch;
    launch.threads = setting.lanes();
    launch.table = {11, 0x7f812345, 0, 0, 0, 0, 0, 0xdeadbeef};
    launch.inputs.push_back(filled(launch.threads, 16, 0));
    launch.outputs.emplace_back(launch.threads, 16);
    launch.outputs.emplace_back(launch.threads, 16);
    run(Executable(compile(k.function, setting)), launch);
    for (std::uint64_t t = 0; t < launch.threads; ++t) {
      const Words x = pattern(t, 0);
      ASSERT_EQ(launch.outputs[0].get(t),
                (Words{0x7f812345, 0xdeadbeef, 0xdeadbeef ^ x[0], 0x7f812345 ^ x[1]}));
      ASSERT_EQ(launch.outputs[1].get(t), (Words{0xdeadbeef ^ 11, 0x7f812345, x[2], 0xdeadbeefu * 2}));
    }
  }
}

// Runs a kernel that looks something up: with an index in word 0 of the table, or one for each thread in word
// 2 of its input row. `wanted` says what there is at an index.
void expect_at(const ir::Function& function, Target target, const std::vector<std::uint32_t>& table,
               const std::vector<std::uint32_t>& indices, bool index_varies,
               const std::function<Words(std::uint32_t)>& wanted) {
  for (const Setting& setting : all_settings(target)) {
    SCOPED_TRACE(setting.text());
    const Executable executable(compile(function, setting));
    for (std::uint32_t uniform : indices) {
      Launch launch;
      launch.threads = setting.lanes() * 2;
      launch.table = table;
      launch.table[0] = uniform;
      launch.inputs.emplace_back(launch.threads, 16);
      for (std::uint64_t t = 0; t < launch.threads; ++t)
        launch.inputs[0].set(t, {1, 1, indices[(t + uniform) % indices.size()], 1});
      launch.outputs.emplace_back(launch.threads, 16);
      run(executable, launch);
      for (std::uint64_t t = 0; t < launch.threads; ++t) {
        const std::uint32_t at = index_varies ? launch.inputs[0].get(t)[2] : uniform;
        ASSERT_EQ(launch.outputs[0].get(t), wanted(at)) << "index " << at;
      }
      if (index_varies && uniform > 8) break;
    }
  }
}

// Rows of a table by an index of every kind; those outside read as zeros, at offsets that wrap around too.
TEST_P(MemoryCode, UniformRows) {
  constexpr std::uint32_t kOffset = 20, kRows = 8, kTable = kOffset + kRows * 16;
  constexpr std::uint64_t kImmediate = kOffset | std::uint64_t{kRows} << 32;
  std::vector<std::uint32_t> table;
  for (std::uint32_t k = 0; k < kTable / 4; ++k) table.push_back(0xc0de0000u + k);
  const std::vector<std::uint32_t> indices = {
      0, 7, 3, 8, 9, 0x7fffffff, 0x80000000, 0x10000000, 0x10000007, 0xffffffff, 0x0ffffff8, 5, 1, 2, 4, 6};
  const auto row = [&](std::uint32_t index) {
    Words words{};
    for (std::uint32_t k = 0; k < 4 && index < kRows; ++k) words[k] = table[kOffset / 4 + index * 4 + k];
    return words;
  };
  for (bool index_varies : {false, true})
    for (bool proved : {false, true}) {
      KernelBuilder k(1, 1, kTable);
      I32 index = index_varies ? k.word(k.b.LoadInput(0)[2]) : k.b.LoadUniformI32(0);
      if (proved) index = k.b.IAnd32(index, k.b.constant(7));
      const auto r = k.b.LoadUniformRow(index, kImmediate);
      k.store(r[0], r[1], r[2], r[3]);
      k.b.ret();
      expect_at(k.function, GetParam(), table, indices, index_varies,
                [&](std::uint32_t index) { return row(proved ? index & 7 : index); });
    }
}

TEST_P(MemoryCode, UniformWordsByIndex) {
  constexpr std::uint32_t kTable = 256, kFirst = 36, kSecond = 192;
  std::vector<std::uint32_t> table;
  for (std::uint32_t k = 0; k < kTable / 4; ++k) table.push_back(0xc0de0000u + k);
  const std::vector<std::uint32_t> indices = {0,  15, 3,  8, 9, 0x7fffffff, 0x80000000, 0x10000007,
                                              16, 23, 24, 7, 1, 0xfffffff8, 14,         12};
  for (bool index_varies : {false, true}) {
    KernelBuilder k(1, 1, kTable);
    const I32 index = index_varies ? k.word(k.b.LoadInput(0)[2]) : k.b.LoadUniformI32(0);
    const auto real = [&](I32 x) { return k.b.BitcastI32ToF32(x); };
    const I32 other = k.b.IXor32(index, k.b.constant(8));
    const I32 five = k.b.LookUpUniform32(k.b.constant(21), kFirst);  // a plain load
    k.store(real(k.b.LookUpUniform32(index, kFirst)), real(k.b.LookUpUniform32(index, kSecond)),
            real(k.b.LookUpUniform32(other, kFirst)), real(five));
    k.b.ret();
    expect_at(k.function, GetParam(), table, indices, index_varies, [&](std::uint32_t at) {
      return Words{table[kFirst / 4 + at % 16], table[kSecond / 4 + at % 16],
                   table[kFirst / 4 + (at ^ 8) % 16], table[kFirst / 4 + 5]};
    });
  }
}

// An index that varies but is the same in all lanes, or in all but one.
TEST_P(MemoryCode, UniformRowsOfOneIndex) {
  constexpr std::uint32_t kTable = 256, kRows = 8;
  std::vector<std::uint32_t> table;
  for (std::uint32_t k = 0; k < kTable / 4; ++k) table.push_back(0x100 + k);
  KernelBuilder k(1, 2, kTable);
  const I32 index = k.word(k.b.LoadInput(0)[0]);
  for (std::uint32_t n = 0; n < 2; ++n) {
    const auto r = k.b.LoadUniformRow(index, (32 + 16 * n) | std::uint64_t{kRows} << 32);
    k.store(r[0], r[1], r[2], r[3], n);
  }
  k.b.ret();
  const auto row = [](std::uint32_t number, std::uint32_t first) {
    const std::uint32_t word = 0x100 + 4 * (number + first);
    return number < kRows ? Words{word, word + 1, word + 2, word + 3} : Words{};
  };
  for (const Setting& setting : all_settings(GetParam())) {
    SCOPED_TRACE(setting.text());
    const Executable executable(compile(k.function, setting));
    for (std::uint32_t same : {0u, 5u, 7u, 8u, 9u, 0x10000000u, 0x7fffffffu, 0x80000000u, ~0u})
      for (std::uint32_t other : {same, 3u, 8u})
        for (std::uint32_t lane : {0u, setting.lanes() - 1}) {
          Launch launch;
          launch.threads = setting.lanes() * 2;
          launch.table = table;
          launch.inputs.emplace_back(launch.threads, 16);
          const auto index_of = [&](std::uint64_t t) { return t % setting.lanes() == lane ? other : same; };
          for (std::uint64_t t = 0; t < launch.threads; ++t) launch.inputs[0].set(t, {index_of(t), 0, 0, 0});
          for (int n = 0; n < 2; ++n) launch.outputs.emplace_back(launch.threads, 16);
          run(executable, launch);
          for (std::uint64_t t = 0; t < launch.threads; ++t)
            for (std::uint32_t n = 0; n < 2; ++n)
              ASSERT_EQ(launch.outputs[n].get(t), row(index_of(t), 2 + n)) << "index " << index_of(t);
        }
  }
}

// The same index serves several tables: one checked, one not, with other rows between.
TEST_P(MemoryCode, UniformRowsShareTheirOffsets) {
  constexpr std::uint32_t kTable = 256;
  std::vector<std::uint32_t> table;
  for (std::uint32_t k = 0; k < kTable / 4; ++k) table.push_back(0x100 + k);
  const auto at = [](std::uint32_t offset, std::uint64_t rows) { return offset | rows << 32; };
  KernelBuilder k(1, 4, kTable);
  const I32 index = k.b.IAnd32(k.word(k.b.LoadInput(0)[0]), k.b.constant(15));
  const I32 other = k.b.IXor32(index, k.b.constant(5));
  const auto a = k.b.LoadUniformRow(index, at(0, 16)), b = k.b.LoadUniformRow(index, at(16, 4));
  const auto c = k.b.LoadUniformRow(other, at(0, 16)), d = k.b.LoadUniformRow(index, at(0, 16));
  k.store(a[0], a[1], a[2], a[3], 0);
  k.store(b[0], b[1], b[2], b[3], 1);
  k.store(c[0], c[1], c[2], c[3], 2);
  k.store(d[0], d[1], d[2], d[3], 3);
  k.b.ret();
  for (const Setting& setting : all_settings(GetParam())) {
    SCOPED_TRACE(setting.text());
    Launch launch;
    launch.threads = setting.lanes();
    launch.table = table;
    launch.inputs.push_back(filled(launch.threads, 16, 0));
    for (int n = 0; n < 4; ++n) launch.outputs.emplace_back(launch.threads, 16);
    run(Executable(compile(k.function, setting)), launch);
    const auto row = [](std::uint32_t first) { return Words{first, first + 1, first + 2, first + 3}; };
    for (std::uint64_t t = 0; t < launch.threads; ++t) {
      const std::uint32_t n = pattern(t, 0)[0] & 15;
      ASSERT_EQ(launch.outputs[0].get(t), row(0x100 + n * 4));
      ASSERT_EQ(launch.outputs[1].get(t), n < 4 ? row(0x104 + n * 4) : Words{});
      ASSERT_EQ(launch.outputs[2].get(t), row(0x100 + (n ^ 5) * 4));
      ASSERT_EQ(launch.outputs[3].get(t), row(0x100 + n * 4));
    }
  }
}

TEST_P(MemoryCode, ATableWithoutRowsReadsAsZeros) {
  for (bool varies : {false, true}) {
    KernelBuilder k(1, 1, 16);
    const auto r = k.b.LoadUniformRow(varies ? k.word(k.b.LoadInput(0)[0]) : k.b.LoadUniformI32(0), 16);
    k.store(r[0], r[1], r[2], r[3]);
    k.b.ret();
    for (const Setting& setting : all_settings(GetParam())) {
      Launch launch;
      launch.threads = setting.lanes();
      launch.table = {0, 1, 2, 3};
      launch.inputs.push_back(filled(launch.threads, 16, 0));
      launch.inputs[0].set(0, {});
      launch.outputs.emplace_back(launch.threads, 16);
      run(Executable(compile(k.function, setting)), launch);
      for (std::uint64_t t = 0; t < launch.threads; ++t) ASSERT_EQ(launch.outputs[0].get(t), Words{});
    }
  }
}

// Without optimizing passes the results do not know that the index is the same in all lanes.
TEST_P(MemoryCode, RowsOfOneIndexMayCountAsVarying) {
  KernelBuilder k(1, 1, 32);
  const auto r = k.b.LoadUniformRow(k.b.LoadUniformI32(4), std::uint64_t{2} << 32);
  for (const F32& word : r) k.function.value(word).uniformity = ir::Uniformity::varying;
  k.store(r[0], r[1], r[2], r[3]);
  k.b.ret();
  for (const Setting& setting : all_settings(GetParam())) {
    SCOPED_TRACE(setting.text());
    Launch launch;
    launch.threads = setting.lanes();
    launch.table = {0, 1, 2, 3, 4, 5, 6, 7};
    launch.inputs.push_back(filled(launch.threads, 16, 0));
    launch.outputs.emplace_back(launch.threads, 16);
    const MachineCode code = compile(k.function, setting);
    if (HasFailure()) return;
    run(Executable(code), launch);
    for (std::uint64_t t = 0; t < launch.threads; ++t)
      ASSERT_EQ(launch.outputs[0].get(t), (Words{4, 5, 6, 7}));
  }
}

TEST_P(MemoryCode, SlotsKeepTheirLanes) {
  KernelBuilder k(1, 1, 16);
  k.function.slot_count = 3;
  const auto in = k.b.LoadInput(0);
  const I32 x = k.word(in[0]), y = k.word(in[1]);
  const I1 yes = k.b.constant(true);
  k.b.StoreSlot(yes, x, 0);
  k.b.StoreSlot(yes, k.b.constant(77), 1);
  k.b.StoreSlot(yes, k.b.LoadUniformI32(4), 2);
  k.b.StoreSlot(k.b.ILtU32(y, k.b.constant(0x80000000u)), y, 1);
  k.b.StoreSlot(k.b.constant(false), y, 0);
  k.b.StoreSlot(k.b.INe32(k.b.LoadUniformI32(0), k.b.constant(0)), y, 2);
  const I32 s0 = k.load_slot(0), s1 = k.load_slot(1), s2 = k.load_slot(2);
  k.b.StoreSlot(k.b.ILtU32(x, k.b.constant(0x80000000u)), s1, 0);
  k.store_words(s0, s1, s2, k.load_slot(0));
  k.b.ret();
  for (const Setting& setting : all_settings(GetParam())) {
    const Executable executable(compile(k.function, setting));
    for (std::uint32_t flag : {0u, 4u}) {
      SCOPED_TRACE(setting.text());
      Launch launch;
      launch.threads = setting.lanes() * 2;
      launch.table = {flag, 5, 0, 0};
      launch.inputs.push_back(filled(launch.threads, 16, 0));
      launch.outputs.emplace_back(launch.threads, 16);
      run(executable, launch);
      for (std::uint64_t t = 0; t < launch.threads; ++t) {
        const Words w = pattern(t, 0);
        const std::uint32_t one = w[1] < 0x80000000u ? w[1] : 77;
        ASSERT_EQ(launch.outputs[0].get(t),
                  (Words{w[0], one, flag != 0 ? w[1] : 5, w[0] < 0x80000000u ? one : w[0]}));
      }
    }
  }
}

TEST_P(MemoryCode, ThePreambleFillsTheTable) {
  ir::GroupProgram program;
  KernelBuilder before(0, 0, 48);
  const F32 product = before.b.FMul32(before.b.LoadUniformF32(0), before.b.LoadUniformF32(4));
  const I32 sum = before.b.IAdd32(before.b.LoadUniformI32(8), before.b.LoadUniformI32(12));
  const auto row =
      before.b.LoadUniformRow(before.b.IAnd32(sum, before.b.constant(1)), std::uint64_t{2} << 32);
  before.b.StoreUniformF32(product, 32);
  before.b.StoreUniformI32(sum, 36);
  before.b.StoreUniformF32(row[1], 40);
  before.b.StoreUniformI32(before.b.constant(0x01020304), 44);
  before.b.ret();
  program.preamble = before.function;
  KernelBuilder k(0, 1, 48);
  k.store(k.b.LoadUniformF32(32), k.b.LoadUniformF32(36), k.b.LoadUniformF32(40), k.b.LoadUniformF32(44));
  k.b.ret();
  program.kernel = k.function;
  for (const Setting& setting : all_settings(GetParam())) {
    SCOPED_TRACE(setting.text());
    Launch launch;
    launch.threads = setting.lanes();
    launch.table = {0x40400000, 0x40a00000, 30, 3, 1, 2, 3, 4, 0, 0, 0, 0};
    launch.outputs.emplace_back(launch.threads, 16);
    const MachineCode code = compile(program, setting);
    EXPECT_EQ(code.table_bytes, 48u);
    run(Executable(code), launch);
    EXPECT_EQ(launch.table, (std::vector<std::uint32_t>{0x40400000, 0x40a00000, 30, 3, 1, 2, 3, 4, 0x41700000,
                                                        33, 2, 0x01020304}));
    for (std::uint64_t t = 0; t < launch.threads; ++t)
      ASSERT_EQ(launch.outputs[0].get(t), (Words{0x41700000, 33, 2, 0x01020304}));
  }
}

}  // namespace
}  // namespace warpjit::backend
