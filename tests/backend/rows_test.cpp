// Bindings with several rows a thread: known, uniform and varying row numbers, guards, rows outside.
#include <gtest/gtest.h>

#include "backend/kernel.h"

namespace warpjit::backend {
namespace {

using ir::F32;
using ir::I1;
using ir::I32;

class RowCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(RowCode);

constexpr std::uint32_t kRowCount = 5;
constexpr std::uint64_t kManyRows = std::uint64_t{kRowCount} << 32;
constexpr std::uint32_t kIndices[] = {0, 4, 2, 5, 1, 0xffffffff, 3, 0x10000001, 0x80000000};

std::uint64_t place(std::uint64_t thread, std::uint32_t row, std::uint32_t rows) {
  return thread * rows + row;
}

Words pattern(std::uint64_t n) {
  Words words;
  for (std::uint32_t k = 0; k < 4; ++k) words[k] = static_cast<std::uint32_t>((n * 4 + k + 1) * 0x9e3779b9u);
  return words;
}

enum class Index { constant, uniform, varying };

I32 index_value(KernelBuilder& k, Index kind, std::uint32_t constant, F32 varying) {
  if (kind == Index::constant) return k.b.constant(constant);
  return kind == Index::uniform ? k.b.LoadUniformI32(0) : k.word(varying);
}

TEST_P(RowCode, LoadsOneOfSeveralRows) {
  for (Index kind : {Index::constant, Index::uniform, Index::varying})
    for (std::uint32_t constant : kIndices) {
      if (kind == Index::varying && constant != 0) continue;
      KernelBuilder k(2, 1, 16);
      const I32 index = index_value(k, kind, constant, k.b.LoadInput(0)[1]);
      const auto row = k.b.LoadInputRow(index, kManyRows | 1);
      k.store(row[0], row[1], row[2], row[3]);
      k.b.ret();
      for (const Setting& setting : all_settings(GetParam())) {
        SCOPED_TRACE(setting.text());
        Launch launch;
        launch.threads = 2 * setting.lanes();
        launch.table = {constant, 0, 0, 0};
        launch.inputs.emplace_back(launch.threads, 16);
        launch.outputs.emplace_back(launch.threads, 16);
        Rows records(launch.threads * kRowCount, 16);
        records.per_thread = kRowCount;
        for (std::uint64_t t = 0; t < launch.threads; ++t) {
          launch.inputs[0].set(t, {9, kIndices[t % std::size(kIndices)], 9, 9});
          for (std::uint32_t r = 0; r < kRowCount; ++r)
            records.set(place(t, r, kRowCount), pattern(t * 7 + r));
        }
        launch.inputs.push_back(std::move(records));
        run(Executable(compile(k.function, setting)), launch);
        for (std::uint64_t t = 0; t < launch.threads; ++t) {
          const std::uint32_t wanted = kind == Index::varying ? kIndices[t % std::size(kIndices)] : constant;
          ASSERT_EQ(launch.outputs[0].get(t), pattern(t * 7 + std::min(wanted, kRowCount - 1))) << t;
        }
      }
    }
}

TEST_P(RowCode, StoresOneOfSeveralRowsWhereTheGuardHolds) {
  for (Index kind : {Index::constant, Index::uniform, Index::varying})
    for (bool guarded : {false, true})
      for (std::uint32_t constant : kIndices) {
        if (kind == Index::varying && constant != 0) continue;
        KernelBuilder k(1, 1, 16);
        const auto in = k.b.LoadInput(0);
        const I32 index = index_value(k, kind, constant, in[1]);
        const I1 guard = guarded ? k.b.ILtU32(k.word(in[0]), k.b.constant(0x80000000u)) : k.b.constant(true);
        k.b.StoreOutputRow(guard, index, in[0], in[1], in[2], in[3], kManyRows);
        k.b.ret();
        for (const Setting& setting : all_settings(GetParam())) {
          SCOPED_TRACE(setting.text());
          Launch launch;
          launch.threads = 2 * setting.lanes();
          launch.table = {constant, 0, 0, 0};
          launch.inputs.emplace_back(launch.threads, 16);
          // One row more than there are.
          Rows records(launch.threads * (kRowCount + 1), 16);
          records.per_thread = kRowCount + 1;
          for (std::uint64_t t = 0; t < launch.threads; ++t) {
            Words words = pattern(t);
            words[1] = kIndices[t % std::size(kIndices)];
            launch.inputs[0].set(t, words);
            for (std::uint32_t r = 0; r <= kRowCount; ++r)
              records.set(place(t, r, kRowCount + 1), {1, 2, 3, 4});
          }
          launch.outputs.push_back(std::move(records));
          run(Executable(compile(k.function, setting)), launch);
          for (std::uint64_t t = 0; t < launch.threads; ++t) {
            const Words x = launch.inputs[0].get(t);
            const std::uint32_t index_of_t = kind == Index::varying ? x[1] : constant;
            const bool stored = !guarded || x[0] < 0x80000000u;
            for (std::uint32_t r = 0; r < kRowCount; ++r)
              ASSERT_EQ(launch.outputs[0].get(place(t, r, kRowCount + 1)),
                        stored && index_of_t == r ? x : (Words{1, 2, 3, 4}))
                  << "thread " << t << ", row " << r;
          }
        }
      }
}

// How many asks for cache lines code has beyond code without any, which has `plain` instructions.
std::uint32_t asks(const MachineCode& code, std::uint32_t plain) {
  return code.statistics.instructions - plain;
}

// Code may prefetch cache lines after the last row, where no memory is mapped. Rows may have a layout other
// than the one that the compiler was told.
TEST_P(RowCode, PrefetchedRowsAreTheSame) {
  constexpr RowLayout kLayouts[] = {{}, {.packed_outputs = true}, {true, true}};
  constexpr std::int32_t kNear = 128, kFar = 8192;
  for (bool guarded : {false, true}) {
    KernelBuilder k(2, 2, 16);
    const auto a = k.b.LoadInput(0), b = k.b.LoadInput(1);
    const I1 guard = guarded ? k.b.ILtU32(k.word(a[0]), k.b.constant(0x80000000u)) : k.b.constant(true);
    k.b.StoreOutput(guard, a[0], b[1], a[2], b[3], 0);
    k.b.StoreOutput(guard, b[0], a[1], b[2], a[3], 1);
    k.b.ret();
    for (Setting setting : all_settings(GetParam())) {
      const auto code_of_setting = [&] {
        SCOPED_TRACE(setting.text());
        Launch launch;
        launch.threads = 3 * setting.lanes();
        launch.table = {0, 0, 0, 0};
        launch.inputs.emplace_back(launch.threads, 16);
        launch.inputs.emplace_back(launch.threads, 48);
        for (int n : {0, 1}) {
          launch.outputs.emplace_back(launch.threads, 32);
          for (std::uint64_t t = 0; t < launch.threads; ++t) {
            launch.inputs[n].set(t, pattern(t + 99 * n));
            launch.outputs[n].set(t, {1, 2, 3, 4});
          }
        }
        MachineCode code = compile(k.function, setting);
        run(Executable(code), launch);
        for (std::uint64_t t = 0; t < launch.threads; ++t) {
          const Words x = pattern(t), y = pattern(t + 99);
          const bool stored = !guarded || x[0] < 0x80000000u;
          EXPECT_EQ(launch.outputs[0].get(t), stored ? (Words{x[0], y[1], x[2], y[3]}) : (Words{1, 2, 3, 4}))
              << t;
          EXPECT_EQ(launch.outputs[1].get(t), stored ? (Words{y[0], x[1], y[2], x[3]}) : (Words{1, 2, 3, 4}))
              << t;
        }
        return code;
      };
      const std::uint32_t plain = code_of_setting().statistics.instructions;
      for (const std::int32_t bytes : {kNear, kFar}) {
        setting.bytes_ahead_of_rows = bytes;
        std::array<std::uint32_t, 3> count{};
        for (std::size_t n = 0; n < 3; ++n) {
          setting.rows_ahead = kLayouts[n];
          count[n] = asks(code_of_setting(), plain);
        }
        setting.rows_ahead.reset();
        SCOPED_TRACE(setting.text() + (bytes == kFar ? ", far" : ", near"));
        if (GetParam() == Target::a64) {
          EXPECT_EQ(count, (std::array<std::uint32_t, 3>{}));
          continue;
        }
        if (setting.registers != 0) continue;  // spills differ, too
        // Packed outputs: the first one's rows are prefetched.
        EXPECT_EQ(count[0] - count[1], setting.lanes());
        // Interleaved inputs: also in parts after the first half, if those are prefetched later.
        const std::uint32_t later = bytes == kFar ? setting.parts / 2 * backend::lanes(GetParam()) : 0;
        EXPECT_GE(count[1] - count[2], later);
        EXPECT_EQ(count[1] == count[2], later == 0);
        if (later == 0) {
          EXPECT_EQ(count[0], 4 * setting.lanes());
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpjit::backend
