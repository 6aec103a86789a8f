#include "ir/interpret.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "ir/builder.h"
#include "ir/evaluate.h"
#include "ir/verifier.h"

namespace warpjit::ir {
namespace {

using Words = std::array<std::uint32_t, 4>;

struct Execution {
  std::vector<Words> in, out;
  std::vector<std::uint32_t> uniform;
  Status operator()(const Function& f, unsigned lanes, std::uint64_t fuel = 1000) {
    EXPECT_TRUE(verify(f).ok()) << to_string(verify(f).error());
    auto prepared = Interpreter::prepare(f, lanes);
    if (!prepared) return prepared.error();
    const InputBinding input{reinterpret_cast<const std::byte*>(in.data()), 16};
    const OutputBinding output{reinterpret_cast<std::byte*>(out.data()), 16};
    Memory memory{{&input, 1}, {&output, 1}, uniform};
    return prepared->run(memory, 0, in.size(), fuel);
  }
};

// out.x = the sum of 1 .. in.x by a loop; out.y = that and its neighbour swapped every turn.
Function sum_loop(Form form) {
  Function f;
  f.form = form;
  f.input_count = f.output_count = 1;
  Builder b(f);
  const Block entry = f.add_block(1), header = f.add_block(2), body = f.add_block(3), end = f.add_block(4);
  b.set_block(entry);
  const I32 count = b.BitcastF32ToI32(b.LoadInput(0)[0]);
  const I32 zero = b.constant(0), one = b.constant(1);
  b.jump(header);
  const I32 k = b.phi<I32>(header), sum = b.phi<I32>(header), left = b.phi<I32>(header),
            right = b.phi<I32>(header);
  b.set_block(header);
  I1 more = b.ILtU32(k, count);
  if (form == Form::group) more = b.AnyLane(more);
  b.branch(more, body, end);
  b.set_block(body);
  b.set_guest_address(77);
  I32 next_k = b.IAdd32(k, one), next_sum = b.IAdd32(sum, next_k);
  if (form == Form::group) {
    const I1 live = b.ILtU32(k, count);
    next_sum = b.select(live, next_sum, sum);
    next_k = b.select(live, next_k, k);
    b.BurnFuel(b.constant(true));
  }
  b.jump(header, form == Form::thread);
  auto arrive = [&](I32 phi, I32 first, I32 again) {
    const std::array<Value, 2> operands = {first, again};
    f.set_operands(f.definition(phi), operands);
  };
  arrive(k, zero, next_k);
  arrive(sum, zero, next_sum);
  arrive(left, zero, right);  // a swap: both are read before either is written
  arrive(right, one, left);
  b.set_block(end);
  b.StoreOutput(b.INe32(count, b.constant(5)), b.BitcastI32ToF32(sum), b.BitcastI32ToF32(left),
                b.BitcastI32ToF32(right), b.BitcastI32ToF32(k), 0);
  b.ret();
  return f;
}

TEST(Interpret, LoopsInThreadForm) {
  Execution run;
  for (std::uint32_t k = 0; k < 10; ++k) run.in.push_back({k, 0, 0, 0});
  run.out.assign(10, {9, 9, 9, 9});
  const Status status = run(sum_loop(Form::thread), 8);
  ASSERT_TRUE(status.ok()) << to_string(status.error());
  for (std::uint32_t k = 0; k < 10; ++k) {
    const Words wanted = k == 5 ? Words{9, 9, 9, 9} : Words{k * (k + 1) / 2, k % 2, 1 - k % 2, k};
    EXPECT_EQ(run.out[k], wanted) << k;
  }
}

TEST(Interpret, LoopsInGroupFormAtEveryWidth) {
  for (unsigned lanes : {1u, 4u, 8u, 16u, 32u, 64u}) {
    Execution run;
    for (std::uint32_t k = 0; k < 37; ++k) run.in.push_back({k, 0, 0, 0});
    run.out.assign(37, {9, 9, 9, 9});
    const Status status = run(sum_loop(Form::group), lanes);
    ASSERT_TRUE(status.ok()) << to_string(status.error());
    for (std::uint32_t k = 0; k < 37; ++k) {
      if (k == 5) {
        EXPECT_EQ(run.out[k][0], 9u);
        continue;
      }
      EXPECT_EQ(run.out[k][0], k * (k + 1) / 2) << k << " of " << lanes;
      EXPECT_EQ(run.out[k][3], k);
    }
  }
  EXPECT_FALSE(Interpreter::prepare(sum_loop(Form::group), 7).ok());
}

TEST(Interpret, FuelIsPerThread) {
  Execution run;
  run.in = {{3, 0, 0, 0}, {8, 0, 0, 0}, {2, 0, 0, 0}};
  run.out.assign(3, {});
  EXPECT_TRUE(run(sum_loop(Form::thread), 1, 8).ok());
  const Status thread = run(sum_loop(Form::thread), 1, 7);
  ASSERT_FALSE(thread.ok());
  EXPECT_EQ(thread.error().code, ErrorCode::out_of_fuel);
  EXPECT_EQ(thread.error().where, "guest address 77");
  // A group of 4 lanes counts as a whole at first.
  EXPECT_TRUE(run(sum_loop(Form::group), 4, 4).ok());
  const Status group = run(sum_loop(Form::group), 4, 3);
  ASSERT_FALSE(group.ok());
  EXPECT_EQ(group.error().code, ErrorCode::out_of_fuel);
  EXPECT_EQ(group.error().where, "guest address 77");
}

TEST(Interpret, RowsOutsideTheTableAreZero) {
  Function f;
  f.input_count = f.output_count = 1;
  f.uniform_bytes = 64;
  Builder b(f);
  b.set_block(f.add_block());
  const I32 row = b.BitcastF32ToI32(b.LoadInput(0)[0]);
  const auto loaded = b.LoadUniformRow(row, 16 | std::uint64_t{2} << 32);
  b.StoreOutput(b.constant(true), loaded[0], loaded[1], loaded[2], loaded[3], 0);
  b.ret();
  Execution run;
  for (std::uint32_t k = 0; k < 16; ++k) run.uniform.push_back(100 + k);
  run.in = {{0}, {1}, {2}, {0xffffffff}, {0x40000000}};
  run.out.assign(5, {1, 1, 1, 1});
  ASSERT_TRUE(run(f, 1).ok());
  EXPECT_EQ(run.out, (std::vector<Words>{{104, 105, 106, 107}, {108, 109, 110, 111}, {}, {}, {}}));
}

TEST(Interpret, NumberedRows) {
  for (const Form form : {Form::thread, Form::group}) {
    Function f;
    f.form = form;
    f.input_count = 2;
    f.output_count = 1;
    Builder b(f);
    b.set_block(f.add_block());
    const auto row = b.LoadInput(std::uint64_t{2} << 32);
    b.StoreOutput(b.constant(true), row[3], row[2], row[1], row[0], 0);
    b.ret();
    const auto prepared = Interpreter::prepare(f, 8);
    ASSERT_TRUE(prepared);
    const std::vector<Words> rows = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    const std::vector<std::uint32_t> numbers = {99, 2, 0, 2, 1};
    std::vector<Words> out(5);
    const InputBinding inputs[] = {{reinterpret_cast<const std::byte*>(rows.data()), 16},
                                   {reinterpret_cast<const std::byte*>(numbers.data()), 4}};
    const OutputBinding output{reinterpret_cast<std::byte*>(out.data()), 16};
    const Memory memory{inputs, {&output, 1}, {}};
    ASSERT_TRUE(prepared->run(memory, 1, 4, 0));
    EXPECT_EQ(out, (std::vector<Words>{{}, {12, 11, 10, 9}, {4, 3, 2, 1}, {12, 11, 10, 9}, {8, 7, 6, 5}}));
  }
}

TEST(Interpret, PreambleWritesTheTable) {
  Function f;
  f.form = Form::group;
  f.uniform_bytes = 16;
  Builder b(f);
  b.set_block(f.add_block());
  const F32 sum = b.FAdd32(b.LoadUniformF32(0), b.LoadUniformF32(4));
  b.StoreUniformF32(sum, 8);
  b.StoreUniformF32(b.FMul32(sum, b.LoadUniformF32(8)), 12);
  b.ret();
  Execution run;
  run.in.resize(1), run.out.resize(1);
  run.uniform = {0x3f800000, 0x40000000, 0, 0};
  ASSERT_TRUE(run(f, 16).ok());
  EXPECT_EQ(run.uniform[2], 0x40400000u);
  EXPECT_EQ(run.uniform[3], 0x41100000u);
}

TEST(Interpret, SlotsSwitchAndLaneOperations) {
  Function f;
  f.form = Form::group;
  f.input_count = f.output_count = 1;
  f.slot_count = 2;
  Builder b(f);
  const std::array<Block, 3> arms = {Block{1}, Block{2}, Block{3}};
  const Block entry = f.add_block(), zero = f.add_block(), one = f.add_block(), more = f.add_block(),
              end = f.add_block();
  b.set_block(entry);
  const I32 x = b.BitcastF32ToI32(b.LoadInput(0)[0]);
  b.StoreSlot(b.constant(true), x, 1);
  b.StoreSlot(b.ILtU32(x, b.constant(12)), b.constant(1000), 1);
  b.switch_(b.MinLaneU32(b.select(b.ILtU32(x, b.constant(6)), b.constant(50), x)), arms);
  for (Block arm : arms) {
    b.set_block(arm);
    b.jump(end);
  }
  const I32 which = b.phi<I32>(end);
  const std::array<Value, 3> arrivals = {b.constant(10), b.constant(11), b.constant(12)};
  f.set_operands(f.definition(which), arrivals);
  b.set_block(end);
  const I32 slot{f.result(b.emit_inst(Opcode::LoadSlot, {}, 1))};
  b.StoreOutput(b.constant(true), b.BitcastI32ToF32(which), b.BitcastI32ToF32(slot), b.constant(0.0f),
                b.constant(0.0f), 0);
  b.ret();
  (void)zero, (void)one, (void)more;
  Execution run;
  for (std::uint32_t k = 0; k < 20; ++k) run.in.push_back({k});
  run.out.resize(20);
  ASSERT_TRUE(run(f, 4).ok());
  for (std::uint32_t k = 0; k < 20; ++k) {
    EXPECT_EQ(run.out[k][0], 12u);
    EXPECT_EQ(run.out[k][1], k < 12 ? 1000 : k);
  }
}

// Each lane-wise row gives at every width and instruction set what evaluate gives.
TEST(Interpret, EveryRowAgreesWithEvaluate) {
  const std::vector<std::uint32_t> values = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                             0xff800000, 0x7fc00000, 1,          0x7f7fffff, 0x4f000000,
                                             0xcf000000, 0x3eaaaaab, 31,         32,         0xffffffff,
                                             0x40490fdb, 0x00800000};
  for (int row = 0; row < kOpcodeCount; ++row) {
    const auto opcode = static_cast<Opcode>(row);
    if (!info(opcode).lane_wise()) continue;
    const OpcodeInfo& data = info(opcode);
    for (unsigned lanes : {1u, 16u}) {
      Function f;
      f.form = Form::group;
      f.input_count = f.output_count = 1;
      Builder b(f);
      b.set_block(f.add_block());
      const auto in = b.LoadInput(0);
      std::vector<Value> operands;
      for (std::size_t k = 0; k < data.operands.size(); ++k) {
        const I32 word = b.BitcastF32ToI32(in[k]);
        operands.push_back(data.operands[k] == 'f' ? Value(in[k])
                           : data.operands[k] == 'i'
                               ? Value(word)
                               : Value(b.INe32(b.IAnd32(word, b.constant(1)), b.constant(0))));
      }
      const Value result = f.result(b.emit_inst(opcode, operands));
      const F32 out = data.results == "f" ? F32{result}
                      : data.results == "i"
                          ? b.BitcastI32ToF32(I32{result})
                          : b.BitcastI32ToF32(b.select(I1{result}, b.constant(1), b.constant(0)));
      b.StoreOutput(b.constant(true), out, out, out, out, 0);
      b.ret();
      Execution run;
      for (std::uint32_t x : values)
        for (std::uint32_t y : values) run.in.push_back({x, y, values[(x + y) % values.size()]});
      run.out.resize(run.in.size());
      ASSERT_TRUE(run(f, lanes).ok());
      for (std::size_t t = 0; t < run.in.size(); ++t) {
        std::vector<std::uint64_t> bits;
        for (std::size_t k = 0; k < data.operands.size(); ++k)
          bits.push_back(data.operands[k] == 'b' ? run.in[t][k] & 1 : run.in[t][k]);
        const auto wanted = static_cast<std::uint32_t>(evaluate(opcode, bits));
        const bool nan = (wanted & 0x7fffffff) > 0x7f800000 && (run.out[t][0] & 0x7fffffff) > 0x7f800000;
        EXPECT_TRUE(run.out[t][0] == wanted || nan)
            << data.name << std::hex << " " << run.in[t][0] << " " << run.in[t][1] << ": " << run.out[t][0];
      }
    }
  }
}

}  // namespace
}  // namespace warpjit::ir
