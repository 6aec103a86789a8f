// Control flow, phis, fuel, cancellation and operations across lanes, as generated code does them.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/kernel.h"

namespace warpjit::backend {
namespace {

using ir::Block;
using ir::F32;
using ir::I1;
using ir::I32;

class ControlCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(ControlCode);

std::uint32_t scramble(std::uint64_t n) {
  const auto x = static_cast<std::uint32_t>(n * 0x9e3779b9u);
  return x ^ x >> 15;
}

// Runs `function` and compares output 0 of every thread with `expected(input of the thread, thread)`.
template <class Expected>
void expect_rows(const ir::Function& function, Target target,
                 const std::vector<std::vector<std::uint32_t>>& tables, const Expected& expected) {
  for (const Setting& setting : all_settings(target)) {
    SCOPED_TRACE(setting.text());
    const Executable executable(compile(function, setting));
    for (const std::vector<std::uint32_t>& table : tables) {
      Launch launch;
      launch.threads = 2 * setting.lanes();
      launch.table = table;
      for (std::uint32_t k = 0; k < function.input_count; ++k) {
        launch.inputs.emplace_back(launch.threads, 16);
        for (std::uint64_t t = 0; t < launch.threads; ++t)
          launch.inputs[k].set(t,
                               {scramble(t + k), scramble(t + k + 1000), static_cast<std::uint32_t>(t), k});
      }
      launch.outputs.emplace_back(launch.threads, 16);
      const Outcome outcome = run(executable, launch);
      ASSERT_EQ(outcome.status, KernelStatus::done);
      for (std::uint64_t t = 0; t < launch.threads; ++t) {
        const Words in = function.input_count != 0 ? launch.inputs[0].get(t) : Words{};
        ASSERT_EQ(launch.outputs[0].get(t), expected(in, table, t, setting.lanes())) << "thread " << t;
      }
    }
  }
}

const std::vector<std::vector<std::uint32_t>> kPairs = [] {
  std::vector<std::vector<std::uint32_t>> pairs;
  const std::uint32_t edges[] = {0, 1, 5, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, 0x3f800000};
  for (std::uint32_t a : edges)
    for (std::uint32_t b : edges) pairs.push_back({a, b, 0, 0});
  return pairs;
}();

// Every comparison of two uniform words, or of one with a constant, as the condition of a branch that may
// take it over, and as a value of its own.
TEST_P(ControlCode, BranchesOnEveryComparison) {
  using Compare = I1 (*)(ir::Builder&, I32, I32);
  using Meaning = bool (*)(std::uint32_t, std::uint32_t);
  const auto s = [](std::uint32_t x) { return static_cast<std::int32_t>(x); };
  (void)s;
  const std::pair<Compare, Meaning> rows[] = {
      {[](ir::Builder& b, I32 x, I32 y) { return b.IEq32(x, y); }, [](auto x, auto y) { return x == y; }},
      {[](ir::Builder& b, I32 x, I32 y) { return b.INe32(x, y); }, [](auto x, auto y) { return x != y; }},
      {[](ir::Builder& b, I32 x, I32 y) { return b.ILtU32(x, y); }, [](auto x, auto y) { return x < y; }},
      {[](ir::Builder& b, I32 x, I32 y) { return b.ILeU32(x, y); }, [](auto x, auto y) { return x <= y; }},
      {[](ir::Builder& b, I32 x, I32 y) { return b.ILtS32(x, y); },
       [](std::uint32_t x, std::uint32_t y) {
         return static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y);
       }},
      {[](ir::Builder& b, I32 x, I32 y) { return b.ILeS32(x, y); },
       [](std::uint32_t x, std::uint32_t y) {
         return static_cast<std::int32_t>(x) <= static_cast<std::int32_t>(y);
       }},
      {[](ir::Builder& b, I32 x, I32 y) { return b.FLt32(b.BitcastI32ToF32(x), b.BitcastI32ToF32(y)); },
       [](std::uint32_t x, std::uint32_t y) { return std::bit_cast<float>(x) < std::bit_cast<float>(y); }},
      {[](ir::Builder& b, I32 x, I32 y) { return b.And1(b.ILtU32(x, y), b.INe32(x, b.constant(1))); },
       [](auto x, auto y) { return x < y && x != 1; }},
  };
  for (const auto& [compare, meaning] : rows)
    for (bool used_again : {false, true})
      for (unsigned constants = 0; constants < 3; ++constants) {  // none, the second word, the first one
        KernelBuilder k(1, 1, 16);
        const Block yes = k.function.add_block(), no = k.function.add_block(), end = k.function.add_block();
        const I32 x = constants == 2 ? k.b.constant(5) : k.b.LoadUniformI32(0);
        const I32 y = constants == 1 ? k.b.constant(5) : k.b.LoadUniformI32(4);
        const I1 condition = compare(k.b, x, y);
        k.b.branch(condition, yes, no);
        k.b.set_block(yes);
        k.b.jump(end);
        k.b.set_block(no);
        k.b.jump(end);
        const I32 which = k.uniform_phi<I32>(end);
        k.arrive(which, {k.b.constant(100), k.b.constant(200)});
        k.b.set_block(end);
        const I32 again =
            used_again ? k.b.select(condition, k.b.constant(1), k.b.constant(2)) : k.b.constant(3);
        k.store_words(which, again, k.word(k.b.LoadInput(0)[0]), x);
        k.b.ret();
        expect_rows(k.function, GetParam(), kPairs,
                    [&, meaning = meaning](const Words& in, const std::vector<std::uint32_t>& table,
                                           std::uint64_t, std::uint32_t) {
                      const std::uint32_t first = constants == 2 ? 5 : table[0];
                      const bool holds = meaning(first, constants == 1 ? 5 : table[1]);
                      return Words{holds ? 100u : 200u, used_again ? (holds ? 1u : 2u) : 3u, in[0], first};
                    });
        if (HasFailure()) return;
      }
}

TEST_P(ControlCode, BranchesOnConstants) {
  for (bool value : {false, true}) {
    KernelBuilder k(0, 1, 0);
    const Block yes = k.function.add_block(), end = k.function.add_block();
    const Block entry = k.b.block();
    k.b.branch(k.b.constant(value), yes, end);  // the other edge is critical
    k.b.set_block(yes);
    k.b.jump(end);
    const I32 which = k.uniform_phi<I32>(end);
    const bool entry_first = k.function.block(end).predecessors[0] == entry;
    const I32 a = k.b.constant(7), b = k.b.constant(9);
    if (entry_first)
      k.arrive(which, {a, b});
    else
      k.arrive(which, {b, a});
    k.b.set_block(end);
    k.store_words(which, which, which, which);
    k.b.ret();
    expect_rows(k.function, GetParam(), {{}}, [&](const auto&...) {
      const std::uint32_t w = value ? 9 : 7;
      return Words{w, w, w, w};
    });
  }
}

// Phis of one operand, as loops have them at their exits.
TEST_P(ControlCode, PhisAfterABranch) {
  KernelBuilder k(1, 1, 16);
  const Block yes = k.function.add_block(), no = k.function.add_block();
  const auto in = k.b.LoadInput(0);
  const F32 doubled = k.b.FAdd32(in[2], in[2]);
  const I32 zero = k.b.constant(0);
  k.b.branch(k.b.INe32(k.b.LoadUniformI32(0), zero), yes, no);
  const F32 x = k.b.phi<F32>(yes);
  const I32 y = k.uniform_phi<I32>(yes);
  k.arrive(x, {doubled});
  k.arrive(y, {k.b.constant(8)});
  k.b.set_block(yes);
  k.store(x, k.real(y), doubled, in[0]);
  k.b.ret();
  const F32 z = k.b.phi<F32>(no);
  k.arrive(z, {in[1]});
  k.b.set_block(no);
  k.store(z, z, doubled, in[0]);
  k.b.ret();
  expect_rows(k.function, GetParam(), {{0, 0, 0, 0}, {1, 0, 0, 0}},
              [&](const Words& in, const std::vector<std::uint32_t>& table, std::uint64_t, std::uint32_t) {
                const auto twice = std::bit_cast<std::uint32_t>(2.0f * std::bit_cast<float>(in[2]));
                return table[0] != 0 ? Words{twice, 8, twice, in[0]} : Words{in[1], in[1], twice, in[0]};
              });
}

TEST_P(ControlCode, SwitchesOfEverySize) {
  for (std::uint32_t count : {1u, 2u, 3u, 4u, 5u, 7u, 16u}) {
    KernelBuilder k(1, 1, 16);
    std::vector<Block> arms;
    for (std::uint32_t n = 0; n < count; ++n) arms.push_back(k.function.add_block());
    const Block end = k.function.add_block();
    const auto in = k.b.LoadInput(0);
    k.b.switch_(k.b.LoadUniformI32(8), arms);
    std::vector<ir::Value> arrivals, floats;
    for (std::uint32_t n = 0; n < count; ++n) {
      k.b.set_block(arms[n]);
      arrivals.push_back(k.b.IXor32(k.word(in[0]), k.b.constant(n * 3 + 1)));
      floats.push_back(k.b.constant(static_cast<float>(n)));
      k.b.jump(end);
    }
    const I32 which = k.b.phi<I32>(end);
    const F32 number = k.uniform_phi<F32>(end);
    k.function.set_operands(k.function.definition(which), arrivals);
    k.function.set_operands(k.function.definition(number), floats);
    k.b.set_block(end);
    k.store(k.real(which), number, in[1], in[2]);
    k.b.ret();
    std::vector<std::vector<std::uint32_t>> tables;
    for (std::uint32_t n = 0; n < 20; ++n) tables.push_back({0, 0, n, 0});
    for (std::uint32_t n : {0x7fffffffu, 0x80000000u, 0xffffffffu}) tables.push_back({0, 0, n, 0});
    expect_rows(k.function, GetParam(), tables,
                [&](const Words& in, const std::vector<std::uint32_t>& table, std::uint64_t, std::uint32_t) {
                  const std::uint32_t n = std::min(table[2], count - 1);
                  return Words{in[0] ^ (n * 3 + 1), std::bit_cast<std::uint32_t>(static_cast<float>(n)),
                               in[1], in[2]};
                });
  }
}

// Two switch edges and a jump into one block: critical edges with arguments.
TEST_P(ControlCode, SwitchesIntoAJoin) {
  KernelBuilder k(1, 1, 16);
  const Block side = k.function.add_block(), join = k.function.add_block(), other = k.function.add_block();
  const auto in = k.b.LoadInput(0);
  const I1 even = k.b.IEq32(k.b.IAnd32(k.word(in[0]), k.b.constant(1)), k.b.constant(0));
  const I32 word = k.b.LoadUniformI32(4);
  const F32 real = k.b.LoadUniformF32(8);
  const std::array<Block, 3> arms = {join, side, other};
  k.b.switch_(k.b.LoadUniformI32(0), arms);
  k.b.set_block(side);
  k.b.jump(join);
  k.b.set_block(other);
  k.b.jump(join);
  const I32 which = k.uniform_phi<I32>(join);
  const F32 value = k.b.phi<F32>(join);
  const I1 flag = k.b.phi<I1>(join);
  // Predecessors in the order in which the edges were made: entry, side, other.
  k.arrive(which, {word, k.b.constant(22), k.b.constant(33)});
  k.arrive(value, {in[0], real, in[1]});
  k.arrive(flag, {even, k.b.constant(true), k.b.constant(false)});
  k.b.set_block(join);
  k.store(k.real(which), value, k.b.select(flag, k.b.constant(1.0f), k.b.constant(2.0f)), in[2]);
  k.b.ret();
  expect_rows(k.function, GetParam(), {{0, 11, 12, 0}, {1, 11, 12, 0}, {2, 11, 12, 0}, {9, 11, 12, 0}},
              [&](const Words& in, const std::vector<std::uint32_t>& table, std::uint64_t, std::uint32_t) {
                const std::uint32_t one = 0x3f800000, two = 0x40000000;
                if (table[0] == 0) return Words{11, in[0], in[0] % 2 == 0 ? one : two, in[2]};
                if (table[0] == 1) return Words{22, 12, one, in[2]};
                return Words{33, in[1], two, in[2]};
              });
}

// A loop whose phis swap, rotate and count: every type, varying and uniform.
TEST_P(ControlCode, LoopsWithPhisOfAllTypes) {
  KernelBuilder k(1, 1, 16);
  const Block header = k.function.add_block(), body = k.function.add_block(), end = k.function.add_block();
  const auto in = k.b.LoadInput(0);
  const I32 zero = k.b.constant(0);
  const I1 odd = k.b.INe32(k.b.IAnd32(k.word(in[0]), k.b.constant(1)), zero);
  const I32 first = k.b.LoadUniformI32(4), second = k.b.LoadUniformI32(8);
  k.b.jump(header);
  const I32 turn = k.uniform_phi<I32>(header), u1 = k.uniform_phi<I32>(header),
            u2 = k.uniform_phi<I32>(header);
  const F32 v1 = k.b.phi<F32>(header), v2 = k.b.phi<F32>(header), v3 = k.b.phi<F32>(header);
  const F32 uf = k.uniform_phi<F32>(header);
  const I1 b1 = k.b.phi<I1>(header), b2 = k.b.phi<I1>(header), ub = k.uniform_phi<I1>(header);
  const I32 sum = k.b.phi<I32>(header);
  k.b.set_block(header);
  k.b.branch(k.b.ILtU32(turn, k.b.LoadUniformI32(0)), body, end);
  k.b.set_block(body);
  const I32 next = k.b.IAdd32(turn, k.b.constant(1));
  const I32 next_sum = k.b.IAdd32(sum, k.b.select(b1, k.word(v1), turn));
  k.b.BurnFuel(k.b.constant(true));
  const F32 next_uf = k.b.FAdd32(uf, k.b.constant(1.0f));
  const I1 next_ub = k.b.Not1(ub);
  k.b.jump(header);
  k.arrive(turn, {zero, next});
  k.arrive(u1, {first, u2});
  k.arrive(u2, {second, u1});
  k.arrive(v1, {in[0], v2});
  k.arrive(v2, {in[1], v3});
  k.arrive(v3, {in[2], v1});
  k.arrive(uf, {k.b.constant(0.5f), next_uf});
  k.arrive(b1, {odd, b2});
  k.arrive(b2, {k.b.constant(true), b1});
  k.arrive(ub, {k.b.constant(false), next_ub});
  k.arrive(sum, {zero, next_sum});
  k.b.set_block(end);
  const I32 bits =
      k.b.IOr32(k.b.select(b1, k.b.constant(1), zero),
                k.b.IOr32(k.b.select(b2, k.b.constant(2), zero), k.b.select(ub, k.b.constant(4), zero)));
  k.store_words(k.b.IXor32(k.word(v1), k.b.IMul32(k.word(v2), k.b.constant(3))),
                k.b.IAdd32(k.b.IMul32(u1, k.b.constant(1000)), u2), sum,
                k.b.IXor32(bits, k.b.IShl32(k.word(uf), k.b.constant(4))));
  k.b.ret();
  std::vector<std::vector<std::uint32_t>> tables;
  for (std::uint32_t n : {0u, 1u, 2u, 3u, 4u, 5u, 31u}) tables.push_back({n, 17, 23, 0});
  expect_rows(k.function, GetParam(), tables,
              [&](const Words& in, const std::vector<std::uint32_t>& table, std::uint64_t, std::uint32_t) {
                std::uint32_t v[3] = {in[0], in[1], in[2]}, u[2] = {17, 23}, total = 0;
                bool b[2] = {(in[0] & 1) != 0, true}, flag = false;
                float real = 0.5f;
                for (std::uint32_t n = 0; n < table[0]; ++n) {
                  total += b[0] ? v[0] : n;
                  std::rotate(v, v + 1, v + 3);
                  std::swap(u[0], u[1]);
                  std::swap(b[0], b[1]);
                  flag = !flag;
                  real += 1.0f;
                }
                return Words{v[0] ^ (v[1] * 3), u[0] * 1000 + u[1], total,
                             (b[0] | b[1] << 1 | flag << 2) ^ std::bit_cast<std::uint32_t>(real) << 4};
              });
}

// A loop over lanes that stop at different turns, as linearize makes it; more values than registers.
TEST_P(ControlCode, LoopsWhileAnyLane) {
  constexpr std::size_t kLive = 24;
  KernelBuilder k(1, 1, 16);
  const Block header = k.function.add_block(), body = k.function.add_block(), end = k.function.add_block();
  const auto in = k.b.LoadInput(0);
  const I32 limit = k.b.IAnd32(k.word(in[0]), k.b.constant(7));
  std::vector<F32> kept;
  for (std::size_t n = 0; n < kLive; ++n)
    kept.push_back(k.b.FMul32(k.b.I32ToF32(limit), k.b.constant(static_cast<float>(n + 1))));
  k.b.jump(header);
  const I32 count = k.b.phi<I32>(header);
  k.b.set_block(header);
  const I1 live = k.b.ILtU32(count, limit);
  k.b.branch(k.b.AnyLane(live), body, end);
  k.b.set_block(body);
  k.b.BurnFuel(k.b.constant(true));
  const I32 next = k.b.select(live, k.b.IAdd32(count, k.b.constant(1)), count);
  k.b.jump(header);
  k.arrive(count, {k.b.constant(0), next});
  k.b.set_block(end);
  F32 sum = kept[0];
  for (std::size_t n = 1; n < kLive; ++n) sum = k.b.FAdd32(sum, kept[n]);
  k.store(k.real(count), sum, k.real(limit), in[3]);
  k.b.ret();
  expect_rows(k.function, GetParam(), {{0, 0, 0, 0}},
              [&](const Words& in, const std::vector<std::uint32_t>&, std::uint64_t, std::uint32_t) {
                const std::uint32_t n = in[0] & 7;
                const auto total = static_cast<float>(n * kLive * (kLive + 1) / 2);
                return Words{n, std::bit_cast<std::uint32_t>(total), n, in[3]};
              });
}

// One lane alone decides, wherever it is; the result as a branch and as a value; uniform operands.
TEST_P(ControlCode, AnyLaneSeesEveryLane) {
  for (bool as_branch : {false, true}) {
    KernelBuilder k(1, 1, 16);
    const I32 index = k.word(k.b.LoadInput(0)[2]);
    const I1 any = k.b.AnyLane(k.b.IEq32(index, k.b.LoadUniformI32(0)));
    if (as_branch) {
      const Block yes = k.function.add_block(), no = k.function.add_block();
      k.b.branch(any, yes, no);
      k.b.set_block(yes);
      k.store_words(k.b.constant(1), index, index, index);
      k.b.ret();
      k.b.set_block(no);
      k.store_words(k.b.constant(0), index, index, index);
      k.b.ret();
    } else {
      const I1 uniform = k.b.AnyLane(k.b.ILtU32(k.b.LoadUniformI32(0), k.b.constant(10)));
      const I32 both = k.b.IAdd32(k.b.select(any, k.b.constant(1), k.b.constant(0)),
                                  k.b.select(uniform, k.b.constant(2), k.b.constant(0)));
      k.store_words(both, k.b.select(k.b.AnyLane(k.b.constant(true)), index, both), index, index);
      k.b.ret();
    }
    std::vector<std::vector<std::uint32_t>> tables;
    for (std::uint32_t n = 0; n < 100; ++n) tables.push_back({n, 0, 0, 0});
    expect_rows(
        k.function, GetParam(), tables,
        [&](const Words& in, const std::vector<std::uint32_t>& table, std::uint64_t t, std::uint32_t lanes) {
          std::uint32_t first = table[0] / lanes == t / lanes ? 1 : 0;
          if (!as_branch && table[0] < 10) first += 2;
          return Words{first, in[2], in[2], in[2]};
        });
  }
}

TEST_P(ControlCode, MinLaneIsUnsignedOverAllLanes) {
  for (std::size_t pressure : {0u, 12u, 40u}) {
    KernelBuilder k(1, 1, 16);
    const auto in = k.b.LoadInput(0);
    const I32 index = k.word(in[2]), wanted = k.b.LoadUniformI32(0);
    const I1 here = k.b.IEq32(index, wanted);
    const I32 chosen =
        k.b.select(here, k.b.LoadUniformI32(4), k.b.IOr32(k.word(in[0]), k.b.constant(0x80000000u)));
    // The operand waits in a spill slot while these are made.
    std::vector<I32> kept;
    for (std::uint32_t n = 0; n < pressure; ++n) kept.push_back(k.b.IMul32(index, k.b.constant(n + 3)));
    I32 sum = k.b.constant(0);
    for (I32 v : kept) sum = k.b.IAdd32(sum, k.b.IXor32(v, index));
    std::vector<I32> fresh;  // these fill the registers when the operand is needed
    for (std::uint32_t n = 0; n < 5 && pressure != 0; ++n)
      fresh.push_back(k.b.IAdd32(index, k.b.constant(n + 100)));
    const I32 least = k.b.MinLaneU32(chosen);
    for (I32 v : fresh) sum = k.b.IXor32(sum, v);
    for (I32 v : kept) sum = k.b.IAdd32(sum, v);
    k.store_words(least, k.b.MinLaneU32(k.b.LoadUniformI32(4)), chosen, sum);
    k.b.ret();
    std::vector<std::vector<std::uint32_t>> tables;
    for (std::uint32_t n = 0; n < 96; n += pressure == 0 ? 1 : 7)
      tables.push_back({n, n == 5 ? 0 : 0x7ffffff0 + n % 16, 0, 0});
    expect_rows(
        k.function, GetParam(), tables,
        [&](const Words& in, const std::vector<std::uint32_t>& table, std::uint64_t t, std::uint32_t lanes) {
          const std::uint64_t group = t / lanes * lanes;
          std::uint32_t minimum = ~0u, mine = 0, total = 0;
          for (std::uint64_t lane = group; lane < group + lanes; ++lane) {
            const std::uint32_t x = lane == table[0] ? table[1] : scramble(lane) | 0x80000000u;
            minimum = std::min(minimum, x);
            if (lane == t) mine = x;
          }
          for (std::uint32_t n = 0; n < pressure; ++n) total += (in[2] * (n + 3)) ^ in[2];
          for (std::uint32_t n = 0; n < 5 && pressure != 0; ++n) total ^= in[2] + n + 100;
          for (std::uint32_t n = 0; n < pressure; ++n) total += in[2] * (n + 3);

          return Words{minimum, table[1], mine, total};
        });
  }
}

// Nested loops, burning fuel at two guest addresses.
ir::Function nested_loops() {
  KernelBuilder k(1, 1, 16);
  const Block outer = k.function.add_block(), inner = k.function.add_block(), latch = k.function.add_block(),
              end = k.function.add_block();
  const auto in = k.b.LoadInput(0);
  k.b.jump(outer);
  const I32 i = k.uniform_phi<I32>(outer), total = k.uniform_phi<I32>(outer);
  k.b.set_block(outer);
  k.b.jump(inner);
  const I32 j = k.uniform_phi<I32>(inner), sum = k.uniform_phi<I32>(inner);
  k.b.set_block(inner);
  const I32 next_j = k.b.IAdd32(j, k.b.constant(1)), next_sum = k.b.IAdd32(sum, i);
  k.b.set_guest_address(0x123);
  k.b.BurnFuel(k.b.constant(true));
  k.b.set_guest_address(0x50);
  k.b.branch(k.b.ILtU32(next_j, k.b.LoadUniformI32(4)), inner, latch);
  k.b.set_block(latch);
  const I32 next_i = k.b.IAdd32(i, k.b.constant(1));
  k.b.set_guest_address(0x456);
  k.b.BurnFuel(k.b.constant(true));
  k.b.branch(k.b.ILtU32(next_i, k.b.LoadUniformI32(0)), outer, end);
  k.arrive(i, {k.b.constant(0), next_i});
  k.arrive(total, {k.b.constant(0), next_sum});
  k.arrive(j, {k.b.constant(0), next_j});
  k.arrive(sum, {total, next_sum});
  k.b.set_block(end);
  k.store(k.real(next_sum), in[0], in[1], in[2]);
  k.b.ret();
  return k.function;
}

TEST_P(ControlCode, FuelIsBurntPerGroup) {
  constexpr std::uint32_t kOuter = 3, kInner = 4, kBurns = kOuter * (kInner + 1);
  const ir::Function function = nested_loops();
  for (const Setting& setting : all_settings(GetParam())) {
    SCOPED_TRACE(setting.text());
    const Executable executable(compile(function, setting));
    for (std::uint64_t fuel : {0u, 1u, 3u, 4u, 5u, 9u, kBurns - 1, kBurns, kBurns + 1, ~0u}) {
      Launch launch;
      launch.threads = 4 * setting.lanes();
      launch.fuel = fuel == ~0u ? ~std::uint64_t{0} : fuel;
      launch.table = {kOuter, kInner, 0, 0};
      launch.inputs.emplace_back(launch.threads, 16);
      launch.outputs.emplace_back(launch.threads, 16);
      const Outcome outcome = run(executable, launch);
      if (fuel >= kBurns) {
        EXPECT_EQ(outcome.status, KernelStatus::done) << fuel;
        for (std::uint64_t t = 0; t < launch.threads; ++t) ASSERT_EQ(launch.outputs[0].get(t)[0], 12u);
      } else {
        EXPECT_EQ(outcome.status, KernelStatus::out_of_fuel) << fuel;
        EXPECT_EQ(outcome.guest_address, fuel % (kInner + 1) == kInner ? 0x456u : 0x123u) << fuel;
      }
    }
  }
}

TEST_P(ControlCode, ACancelledCallStops) {
  const ir::Function function = nested_loops();
  for (const Setting& setting : all_settings(GetParam())) {
    SCOPED_TRACE(setting.text());
    const Executable executable(compile(function, setting));
    for (std::uint32_t cancel : {1u, 0x80000000u}) {
      Launch launch;
      launch.threads = setting.lanes();
      launch.cancel = cancel;
      launch.table = {3, 4, 0, 0};
      launch.inputs.emplace_back(launch.threads, 16);
      launch.outputs.emplace_back(launch.threads, 16);
      const Outcome outcome = run(executable, launch);
      EXPECT_EQ(outcome.status, KernelStatus::cancelled);
      EXPECT_EQ(outcome.guest_address, 0x123u);
    }
  }
}

// A select between a number and its next or previous one.
TEST_P(ControlCode, MasksCount) {
  constexpr std::uint64_t kThreads = 96;
  KernelBuilder k(1);
  const auto row = k.b.LoadInput(0);
  const I32 number = k.word(row[0]);
  const I1 mask = k.b.ILtU32(k.word(row[1]), k.word(row[2]));  // of AVX2, the opposite of another one
  const auto selected = [&](const I1& lanes, std::int32_t step, bool swapped) {
    const I32 next = k.b.IAdd32(number, k.b.constant(step));
    return k.real(swapped ? k.b.select(lanes, number, next) : k.b.select(lanes, next, number));
  };
  k.store(selected(mask, 1, false), selected(mask, -1, false), selected(mask, 1, true),
          selected(I1{k.b.IEq32(k.word(row[1]), k.word(row[2]))}, 1, false));
  k.b.ret();
  for (const Setting& setting : all_settings(GetParam())) {
    SCOPED_TRACE(setting.text());
    const Executable executable(compile(k.function, setting));
    if (HasFailure()) return;
    Launch launch;
    launch.threads = kThreads;
    launch.inputs.emplace_back(kThreads, 16);
    launch.outputs.emplace_back(kThreads, 16);
    for (std::uint32_t t = 0; t < kThreads; ++t)
      launch.inputs[0].set(t, {t % 5 == 0 ? 0x7fffffffu + t % 2 : t % 7 - 1, t % 3, t % 4, 0});
    run(executable, launch);
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      const Words x = launch.inputs[0].get(t), got = launch.outputs[0].get(t);
      const std::uint32_t taken = x[1] < x[2] ? 1 : 0, equal = x[1] == x[2] ? 1 : 0;
      const Words wanted = {x[0] + taken, x[0] - taken, x[0] + 1 - taken, x[0] + equal};
      ASSERT_EQ(got, wanted) << "thread " << t;
    }
  }
}

}  // namespace
}  // namespace warpjit::backend
