// Rows of the uniform table by an index that varies, in kernels that may raise the invalid flag instead of an
// answer. Without the flag every row must be right. On AVX-512 the flag is raised exactly when a lane leaves
// the window of the tables; elsewhere never.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "backend/kernel.h"

namespace warpjit::backend {
namespace {

using ir::I32;

class RowTablesCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(RowTablesCode);

constexpr std::uint32_t kTableRows = 360;

std::uint64_t at_row(std::uint32_t first, std::uint64_t count) {
  return std::uint64_t{first} * 16 | count << 32;
}

// A kernel that is watched for the flag, and its preamble, which stores one word.
ir::GroupProgram watched(KernelBuilder& kernel) {
  kernel.b.ret();
  kernel.function.uniform_bytes += 4;
  KernelBuilder before(0, 0, kernel.function.uniform_bytes);
  before.b.StoreUniformI32(before.b.constant(77), kTableRows * 16);
  before.b.ret();
  ir::GroupProgram program;
  program.preamble = before.function;
  program.kernel = kernel.function;
  program.assumes_no_zero_inf = true;
  return program;
}

Words row(std::uint32_t number) {
  return {number * 4 + 1000, number * 4 + 1001, 0xff800000u + number, number * 4 + 1003};
}

// Runs the kernel with `index_of(thread)` as the words of its input. `numbers(index)` are the rows that its
// outputs must have, `inside(index)` says whether the tables have them.
void check(const ir::GroupProgram& program, Target target,
           const std::function<std::uint32_t(std::uint64_t)>& index_of,
           const std::function<std::vector<std::uint32_t>(std::uint32_t)>& numbers,
           const std::function<bool(std::uint32_t)>& inside) {
  for (const Setting& setting : all_settings(target)) {
    SCOPED_TRACE(setting.text());
    const Executable executable(compile(program, setting));
    Launch launch;
    launch.threads = setting.lanes() * 3;
    for (std::uint32_t r = 0; r < kTableRows; ++r)
      for (std::uint32_t word : row(r)) launch.table.push_back(word);
    launch.table.resize(std::max<std::size_t>(executable.code().table_bytes / 4, launch.table.size() + 1));
    launch.inputs.emplace_back(launch.threads, 16);
    bool all_inside = true;
    for (std::uint64_t t = 0; t < launch.threads; ++t) {
      launch.inputs[0].set(t, {index_of(t), 0, 0, 0});
      all_inside = all_inside && inside(index_of(t));
    }
    for (std::uint32_t n = 0; n < program.kernel.output_count; ++n)
      launch.outputs.emplace_back(launch.threads, 16);
    const Outcome outcome = run(executable, launch);
    EXPECT_EQ(outcome.invalid, target == Target::x64_v4 && !all_inside);
    EXPECT_EQ(launch.table[kTableRows * 4], 77u);
    if (outcome.invalid) continue;
    for (std::uint64_t t = 0; t < launch.threads; ++t) {
      const std::vector<std::uint32_t> wanted = numbers(index_of(t));
      for (std::uint32_t n = 0; n < wanted.size(); ++n)
        ASSERT_EQ(launch.outputs[n].get(t), row(wanted[n])) << "output " << n << ", index " << index_of(t);
    }
  }
}

// Rows 4, 5 and 6 after an origin of 128 which indices out of -128 to 127 fall back to, as PICA200 has them:
// 0 to 93 are inside.
TEST_P(RowTablesCode, PaletteAfterAnOrigin) {
  KernelBuilder k(1, 3, kTableRows * 16);
  const I32 origin = k.b.constant(128);
  const I32 shifted = k.b.IAdd32(k.word(k.b.LoadInput(0)[0]), origin);
  const I32 index = k.b.select(k.b.ILtU32(shifted, k.b.constant(256)), shifted, origin);
  for (std::uint32_t n = 0; n < 3; ++n) {
    const auto r = k.b.LoadUniformRow(index, at_row(4 + n, 256));
    k.store(r[0], r[1], r[2], r[3], n);
  }
  const ir::GroupProgram program = watched(k);
  const auto clamped = [](std::uint32_t index) { return index + 128 < 256 ? index : 0; };
  const auto numbers = [&](std::uint32_t index) {
    const std::uint32_t first = clamped(index) + 128 + 4;
    return std::vector<std::uint32_t>{first, first + 1, first + 2};
  };
  const auto inside = [&](std::uint32_t index) { return clamped(index) < 94; };
  const auto run_with = [&](const std::function<std::uint32_t(std::uint64_t)>& index_of) {
    check(program, GetParam(), index_of, numbers, inside);
  };
  run_with([](std::uint64_t t) { return static_cast<std::uint32_t>(t * 7 % 30); });
  run_with([](std::uint64_t t) { return static_cast<std::uint32_t>(t * 7 % 62); });
  run_with([](std::uint64_t t) { return static_cast<std::uint32_t>(t * 7 % 94); });
  run_with([](std::uint64_t t) { return static_cast<std::uint32_t>(93 - t % 94); });
  // One lane with each edge, alone among near ones and everywhere.
  for (std::uint32_t edge : {29u, 30u, 31u, 32u, 61u, 62u, 63u, 64u, 93u, 94u, 95u, 96u, 127u, 128u,
                             0x7fffffffu, 0x80000000u, ~0u, ~0u - 127, ~0u - 128}) {
    SCOPED_TRACE(edge);
    run_with([&](std::uint64_t t) { return t == 5 ? edge : static_cast<std::uint32_t>(t % 20); });
    run_with([&](std::uint64_t) { return edge; });
  }
}

// Indices that are known to be small: no lane can be outside.
TEST_P(RowTablesCode, SmallTables) {
  for (std::uint32_t rows : {2u, 16u, 32u, 64u}) {
    KernelBuilder k(1, 2, kTableRows * 16);
    const I32 index = k.b.IAnd32(k.word(k.b.LoadInput(0)[0]), k.b.constant(rows - 1));
    for (std::uint32_t n = 0; n < 2; ++n) {
      const auto r = k.b.LoadUniformRow(index, at_row(7 + 20 * n, rows));
      k.store(r[0], r[1], r[2], r[3], n);
    }
    check(
        watched(k), GetParam(),
        [](std::uint64_t t) { return static_cast<std::uint32_t>(t * 2654435761u >> 7); },
        [&](std::uint32_t index) {
          return std::vector<std::uint32_t>{7 + index % rows, 27 + index % rows};
        },
        [](std::uint32_t) { return true; });
  }
}

// Two indices, and rows that are not a whole number of rows away from the others.
TEST_P(RowTablesCode, RowsThatTablesCannotHave) {
  KernelBuilder k(1, 4, kTableRows * 16);
  const I32 word = k.word(k.b.LoadInput(0)[0]);
  const I32 index = k.b.IAnd32(word, k.b.constant(15)), other = k.b.IXor32(index, k.b.constant(3));
  const auto a = k.b.LoadUniformRow(index, at_row(10, 16)), b = k.b.LoadUniformRow(other, at_row(12, 16));
  const auto c = k.b.LoadUniformRow(index, at_row(300, 16)),
             d = k.b.LoadUniformRow(index, at_row(11, 16) + 8);
  k.store(a[0], a[1], a[2], a[3], 0);
  k.store(b[0], b[1], b[2], b[3], 1);
  k.store(c[0], c[1], c[2], c[3], 2);
  k.store(d[2], d[3], d[2], d[3], 3);
  check(
      watched(k), GetParam(), [](std::uint64_t t) { return static_cast<std::uint32_t>(t * 5); },
      [](std::uint32_t index) {
        return std::vector<std::uint32_t>{10 + index % 16, 12 + (index % 16 ^ 3), 300 + index % 16};
      },
      [](std::uint32_t) { return true; });
}

// A kernel that nobody watches has no tables.
TEST_P(RowTablesCode, OnlyWhereTheFlagIsWatched) {
  KernelBuilder k(1, 1, kTableRows * 16);
  const auto r = k.b.LoadUniformRow(k.word(k.b.LoadInput(0)[0]), at_row(0, 64));
  k.store(r[0], r[1], r[2], r[3]);
  ir::GroupProgram program = watched(k);
  const Setting setting{GetParam(), 1, 0};
  const std::uint32_t own = program.kernel.uniform_bytes, tables = (own + 63) / 64 * 64 + 64 * 16;
  EXPECT_EQ(compile(program, setting).table_bytes, GetParam() == Target::x64_v4 ? tables : own);
  program.assumes_no_zero_inf = false;
  EXPECT_EQ(compile(program, setting).table_bytes, own);
}

}  // namespace
}  // namespace warpjit::backend
