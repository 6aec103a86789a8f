// What compile() says about its code: the address map, the listing, where it may lie, its figures.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "backend/kernel.h"

namespace warpjit::backend {
namespace {

using ir::Block;
using ir::F32;
using ir::I32;

constexpr std::uint32_t kFirstAddress = 0x10, kLastAddress = 0x1c;

// A loop and a diamond whose instructions carry guest addresses 0x10 to 0x1c; constants in the pool.
ir::GroupProgram addressed_program() {
  ir::GroupProgram program;
  KernelBuilder before(0, 0, 32);
  before.b.set_guest_address(0x11);
  before.b.StoreUniformF32(before.b.FMul32(before.b.LoadUniformF32(0), before.b.constant(3.0f)), 16);
  before.b.ret();
  program.preamble = before.function;
  KernelBuilder k(1, 1, 32);
  const Block header = k.function.add_block(), yes = k.function.add_block(), no = k.function.add_block(),
              latch = k.function.add_block(), end = k.function.add_block();
  std::uint32_t address = kFirstAddress;
  const auto step = [&] { k.b.set_guest_address(address++); };
  const auto in = k.b.LoadInput(0);
  step();
  const F32 x = k.b.FMul32(in[0], k.b.constant(1.25f));
  step();
  const F32 y = k.b.FFma32(in[1], x, k.b.LoadUniformF32(16));
  k.b.jump(header);
  const I32 turn = k.uniform_phi<I32>(header);
  const F32 sum = k.b.phi<F32>(header);
  k.b.set_block(header);
  step();
  k.b.branch(k.b.INe32(k.b.IAnd32(turn, k.b.constant(1)), k.b.constant(0)), yes, no);
  k.b.set_block(yes);
  step();
  const F32 a = k.b.FAdd32(sum, x);
  k.b.jump(latch);
  k.b.set_block(no);
  step();
  const F32 b = k.b.FAdd32(sum, y);
  k.b.jump(latch);
  const F32 next_sum = k.b.phi<F32>(latch);
  k.arrive(next_sum, {a, b});
  k.b.set_block(latch);
  step();
  const I32 next = k.b.IAdd32(turn, k.b.constant(1));
  step();
  k.b.BurnFuel(k.b.constant(true));
  k.b.branch(k.b.ILtU32(next, k.b.LoadUniformI32(4)), header, end);
  k.arrive(turn, {k.b.constant(0), next});
  k.arrive(sum, {k.b.constant(0.0f), next_sum});
  k.b.set_block(end);
  address = kLastAddress;
  step();
  k.store(next_sum, k.b.constant(7.5f), k.b.constant(-2.0f), x);
  k.b.ret();
  program.kernel = k.function;
  return program;
}

Launch addressed_launch(std::uint64_t threads) {
  Launch launch;
  launch.threads = threads;
  launch.table = {0x3f800000, 6, 0, 0, 0, 0, 0, 0};
  launch.inputs.emplace_back(threads, 16);
  launch.outputs.emplace_back(threads, 16);
  for (std::uint64_t t = 0; t < threads; ++t)
    launch.inputs[0].set(t, {std::bit_cast<std::uint32_t>(static_cast<float>(t)), 0x40000000, 0, 0});
  return launch;
}

// Code is made on any host, whatever it runs.
class EmittedCode : public testing::TestWithParam<Target> {};
WARPJIT_ON_EVERY_TARGET(EmittedCode);

TEST_P(EmittedCode, TheMapAscendsAndCovers) {
  const ir::GroupProgram program = addressed_program();
  for (const Setting& setting : all_settings(GetParam())) {
    SCOPED_TRACE(setting.text());
    const MachineCode code = compile(program, setting);
    ASSERT_FALSE(code.map.empty());
    EXPECT_EQ(code.map.front().offset, 0u);
    for (std::size_t k = 0; k + 1 < code.map.size(); ++k)
      EXPECT_LT(code.map[k].offset, code.map[k + 1].offset);
    EXPECT_LT(code.map.back().offset, code.code_size);
    std::vector<std::uint32_t> seen;
    for (const AddressMapping& m : code.map) seen.push_back(m.guest_address);
    for (std::uint32_t address : {0x10u, 0x11u, 0x12u, 0x13u, 0x14u, 0x15u, 0x16u, kLastAddress})
      EXPECT_NE(std::find(seen.begin(), seen.end(), address), seen.end()) << address;
    for (std::uint32_t address : seen)
      EXPECT_TRUE(address == ir::kNoAddress || (address >= kFirstAddress && address <= kLastAddress))
          << address;
  }
}

TEST_P(EmittedCode, OffsetsAndFigures) {
  const MachineCode code = compile(addressed_program(), {GetParam(), 1, 0});
  EXPECT_EQ(code.target, GetParam());
  EXPECT_EQ(code.kernel_offset, 0u);
  EXPECT_EQ(code.preamble_offset % 16, 0u);
  EXPECT_GT(code.preamble_offset, code.kernel_offset);
  EXPECT_LT(code.preamble_offset, code.code_size);
  EXPECT_LE(code.code_size, code.bytes.size());
  EXPECT_EQ(code.table_bytes, 32u);
  EXPECT_GT(code.statistics.instructions, code.statistics.group_instructions);
  EXPECT_GT(code.statistics.vector_arithmetic, 5u);
  EXPECT_EQ(code.statistics.spill_loads, 0u);
  ir::GroupProgram without = addressed_program();
  without.preamble = {};
  EXPECT_EQ(compile(without, {GetParam(), 1, 0}).preamble_offset, ~0u);
}

TEST_P(EmittedCode, TheListingShowsEveryInstruction) {
  CompileOptions options;
  options.parts = 2;
  options.listing = GetParam() == Target::a64;  // Zydis has no AArch64
  const MachineCode code = compile(addressed_program(), GetParam(), options).value();
  const std::string text =
      list(code, [](std::uint32_t address) { return "guest@" + std::to_string(address); });
  EXPECT_NE(text.find("kernel:"), std::string::npos);
  EXPECT_NE(text.find("preamble:"), std::string::npos);
  EXPECT_NE(text.find("guest@16\n"), std::string::npos) << text;
#if !WARPJIT_HAS_ZYDIS
  if (!options.listing) return;
#endif
  EXPECT_EQ(text.find(".byte"), std::string::npos) << text;
  EXPECT_NE(text.find(GetParam() == Target::a64 ? "fmul" : "vmulps"), std::string::npos);
  EXPECT_NE(text.find("ret"), std::string::npos);
  // Offsets ascend, and their lines count every instruction that the statistics count.
  std::istringstream lines(text);
  std::uint32_t last = 0, count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  ", 0) != 0) continue;
    const auto offset = static_cast<std::uint32_t>(std::stoul(line, nullptr, 16));
    if (count++ != 0) {
      EXPECT_GT(offset, last);
    }
    last = offset;
  }
  EXPECT_LT(last, code.code_size);
  EXPECT_GE(count, code.statistics.instructions);
}

TEST_P(EmittedCode, EqualInputsGiveEqualBytes) {
  const ir::GroupProgram program = addressed_program();
  for (const Setting& setting : all_settings(GetParam()))
    EXPECT_EQ(compile(program, setting).bytes, compile(program, setting).bytes);
}

TEST_P(EmittedCode, RunsAtAnyAddress) {
  if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << name(GetParam());
  for (const Setting& setting : all_settings(GetParam())) {
    const MachineCode code = compile(addressed_program(), setting);
    const Executable here(code), there(code, 64 * 77);
    Launch first = addressed_launch(2 * code.lanes), second = addressed_launch(2 * code.lanes);
    EXPECT_EQ(run(here, first).status, KernelStatus::done);
    EXPECT_EQ(run(there, second).status, KernelStatus::done);
    for (std::uint64_t t = 0; t < first.threads; ++t) {
      const float x = static_cast<float>(t) * 1.25f, y = 2.0f * x + 3.0f;
      const Words wanted = {std::bit_cast<std::uint32_t>((y + x) + y + x + y + x), 0x40f00000, 0xc0000000,
                            std::bit_cast<std::uint32_t>(x)};
      ASSERT_EQ(first.outputs[0].get(t), wanted) << t;
      ASSERT_EQ(second.outputs[0].get(t), wanted) << t;
    }
  }
}

TEST(Targets, NamesAndLimits) {
  for (Target target : kTargets) EXPECT_EQ(parse_target(name(target)).value(), target);
  EXPECT_EQ(parse_target("v5").error().code, ErrorCode::bad_input);
  if (runs_here(Target::x64_v3)) {
    EXPECT_TRUE(best_target().ok());
  }
  // More live values than a frame may hold.
  KernelBuilder k(0, 1, 0);
  k.function.slot_count = 9000;
  k.store_words(k.load_slot(8999), k.load_slot(0), k.load_slot(1), k.load_slot(2));
  k.b.ret();
  for (Target target : kTargets) {
    CompileOptions options;
    options.parts = 2;
    const Result<MachineCode> code = compile(ir::GroupProgram{{}, k.function}, target, options);
    ASSERT_FALSE(code.ok());
    EXPECT_EQ(code.error().code, ErrorCode::resource_limit);
  }
}

// A constant that only masked lanes would read does not bring its page in.
TEST(Emission, EntriesReadEachPageOfConstantsWhereLoadsAreMasked) {
  ir::GroupProgram program;
  KernelBuilder k(1, 1, 32);
  F32 sum = k.b.LoadInput(0)[0];
  for (int n = 0; n < 1500; ++n) sum = k.b.FAdd32(sum, k.b.constant(static_cast<float>(n) + 0.5F));
  k.store(sum, sum, sum, sum);
  k.b.ret();
  program.kernel = k.function;
  for (const Target target : {Target::x64_v3, Target::x64_v4}) {
    SCOPED_TRACE(name(target));
    CompileOptions options;
    options.listing = options.validate = true;
    const auto code = compile(program, target, options);
    ASSERT_TRUE(code) << to_string(code.error());
    const std::size_t pool = (std::size_t{code->code_size} + 63) / 64 * 64;
    const std::size_t end = code->unwinding.empty() ? code->bytes.size() : code->unwinding.front().info;
    ASSERT_GT(end, pool + 4096);
    std::vector<std::string> reads;
    for (const MachineCode::Line& line : code->listing) {
      if (line.text.find("ymm") != std::string::npos || line.text.find("zmm") != std::string::npos) break;
      if (line.text.find("[L0") != std::string::npos) reads.push_back(line.text);
    }
    if (target == Target::x64_v3) {
      EXPECT_TRUE(reads.empty()) << reads.front();
      continue;
    }
    ASSERT_GE(reads.size(), 3U);
    const auto has = [&](std::size_t at) {
      const std::string place = at == 0 ? "[L0]" : "[L0+" + std::to_string(at) + "]";
      return std::ranges::any_of(reads,
                                 [&](const std::string& read) { return read.find(place) != read.npos; });
    };
    for (std::size_t at = 0; at < end - pool; at += 4096) EXPECT_TRUE(has(at)) << at;
    EXPECT_TRUE(has(end - pool - 4));
  }
}

}  // namespace
}  // namespace warpjit::backend
