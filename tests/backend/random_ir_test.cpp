// Random programs through the whole pipeline: what generated code stores, in every setting, is what the
// interpreter stores thread by thread. WARPJIT_SEEDS (count) and WARPJIT_FIRST_SEED change what is run.
#include <gtest/gtest.h>

#include "backend/kernel.h"
#include "ir/analysis/uniformity.h"
#include "ir/parser.h"
#include "ir/pass/passes.h"
#include "ir/pipeline.h"
#include "ir/printer.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::backend {
namespace {

using warpjit::testing::difference;
using warpjit::testing::random_any_function;
using warpjit::testing::random_pixel_function;
using warpjit::testing::RandomMemory;
using warpjit::testing::seeds_of_run;

constexpr std::uint32_t kThreads = 96;  // whole groups at 1, 2 and 3 parts
constexpr std::uint64_t kFuel = 100'000;

// `pixels`: for a function over pixels; the words of the tile follow then. `invalid`, if given, gets whether
// the code raised the invalid flag.
std::vector<std::uint32_t> run_code(const MachineCode& code, const RandomMemory& memory, bool pixels = false,
                                    bool* invalid = nullptr) {
  Launch launch;
  std::vector<std::uint32_t> tile = memory.tile;
  launch.quads = memory.quads.data();
  launch.groups = memory.groups.data();
  launch.tile = reinterpret_cast<std::byte*>(tile.data());
  launch.threads = kThreads;
  launch.fuel = kFuel * code.lanes;
  launch.table = memory.uniform;
  launch.table.resize(std::max<std::size_t>(launch.table.size(), code.table_bytes / 4));
  for (const auto& input : memory.inputs) {
    launch.inputs.emplace_back(kThreads, 16);
    for (std::uint32_t t = 0; t < kThreads; ++t) launch.inputs.back().set(t, input[t]);
  }
  for (std::uint32_t k = 0; k < RandomMemory::kOutputs; ++k) {
    launch.outputs.emplace_back(kThreads, 16);
    for (std::uint32_t t = 0; t < kThreads; ++t)
      launch.outputs.back().set(t, {0xcccccccc, 0xcccccccc, 0xcccccccc, 0xcccccccc});
  }
  const Outcome outcome = run(Executable(code), launch);
  EXPECT_EQ(outcome.status, KernelStatus::done);
  if (invalid != nullptr) *invalid = outcome.invalid;
  std::vector<std::uint32_t> words;
  for (std::uint32_t t = 0; t < kThreads; ++t)
    for (const Rows& rows : launch.outputs)
      for (std::uint32_t word : rows.get(t))
        words.push_back((word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word);
  if (pixels) words.insert(words.end(), tile.begin(), tile.end());
  return words;
}

class RandomCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(RandomCode);
WARPJIT_ON_TARGETS_WITH_HALVES(RandomCode);

TEST_P(RandomCode, StoresWhatTheInterpreterStores) {
  const auto [first, count] = seeds_of_run(40);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const ir::Function thread_form = random_any_function(seed);
    const RandomMemory memory(seed, kThreads);
    const auto wanted = memory.run(thread_form, 1, kFuel);
    ASSERT_TRUE(wanted.ok()) << "seed " << seed << ": " << to_string(wanted.error());
    ir::PipelineOptions options;
    options.verify = true;
    options.dispatch_all = seed % 4 == 1;
    options.optimize = seed % 4 != 2;
    options.masks_are_numbers = seed % 3 != 0;
    const auto program = ir::run_pipeline(thread_form, options);
    ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << to_string(program.error());
    for (const Setting& setting : all_settings(GetParam())) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + setting.text());
      const MachineCode code = compile(*program, setting);
      if (HasFailure()) return;
      const std::string wrong = difference(*wanted, run_code(code, memory));
      ASSERT_EQ(wrong, "") << ir::print(program->preamble) << ir::print(program->kernel);
      if (HasFailure()) return;
    }
  }
}

// Code that assumes that 0 never meets infinity stores what the interpreter stores, or raises the invalid
// flag.
TEST_P(RandomCode, WithTheAssumptionIsExactOrRaisesTheFlag) {
  const auto [first, count] = seeds_of_run(200);
  std::uint64_t exact = 0, raised = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    ir::Function thread_form = random_any_function(seed);
    for (std::uint32_t b = 0; b < thread_form.block_count(); ++b)
      for (ir::Inst i : thread_form.insts(ir::Block{b})) {
        ir::Opcode& opcode = thread_form.inst(i).opcode;
        if (opcode == ir::Opcode::FMul32 || opcode == ir::Opcode::FMulNoZeroInf32)
          opcode = ir::Opcode::FMulZeroInf32;
      }
    // Often only constants of the function meet so: few inputs are special.
    RandomMemory memory(seed, kThreads);
    if (seed % 4 != 0)
      for (auto& input : memory.inputs)
        for (auto& words : input)
          for (std::uint32_t& word : words) word = (word & 0x83ffffff) | 0x3c000000;
    const auto wanted = memory.run(thread_form, 1, kFuel);
    ASSERT_TRUE(wanted.ok()) << "seed " << seed << ": " << to_string(wanted.error());
    ir::PipelineOptions options;
    options.verify = true;
    options.dispatch_all = seed % 4 == 1;
    options.masks_are_numbers = seed % 3 != 0;
    options.assume_no_zero_inf = true;
    const auto program = ir::run_pipeline(thread_form, options);
    ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << to_string(program.error());
    if (!program->assumes_no_zero_inf) continue;
    for (const Setting& setting : all_settings(GetParam())) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + setting.text());
      const MachineCode code = compile(*program, setting);
      if (HasFailure()) return;
      bool invalid = false;
      const std::vector<std::uint32_t> got = run_code(code, memory, false, &invalid);
      ++(invalid ? raised : exact);
      if (invalid) continue;
      ASSERT_EQ(difference(*wanted, got), "") << ir::print(program->preamble) << ir::print(program->kernel);
      if (HasFailure()) return;
    }
  }
  if (count < 200) return;
  EXPECT_GT(exact, 20u);
  EXPECT_GT(raised, 20u);
}

// Which way lanes went makes both factors constants only after linearize: the product stays for the flag's
// sake.
TEST_P(RandomCode, ProductOfConstantsRaisesTheFlag) {
  const auto function = ir::parse(R"(function "late" thread inputs 1 outputs 1 uniform 0 slots 0 {
b0:
  %0 : i1 launch = ConstI1 true
  %1 : f32 launch = ConstF32 0x00000000
  %2 : f32 launch = ConstF32 0x7f800000
  %3 : f32 launch = FMulZeroInf32 %1, %2
  StoreOutput 0, %0, %3, %3, %3, %3
  Return
}
)");
  ASSERT_TRUE(function.ok()) << to_string(function.error());
  ir::Function f = *function;
  ASSERT_TRUE(ir::assume_no_zero_inf(f));
  ir::analyze_uniformity(f);
  ir::Function preamble;
  ir::hoist_launch_uniform(f, preamble);
  ir::simplify(f);
  ir::number_values(f);
  ir::simplify(f);
  ir::eliminate_dead_code(f);
  ASSERT_TRUE(ir::linearize(f, false));
  ir::GroupProgram program{std::move(preamble), std::move(f), true};
  const RandomMemory memory(0, kThreads);
  for (const Setting& setting : all_settings(GetParam())) {
    SCOPED_TRACE(setting.text());
    const MachineCode code = compile(program, setting);
    if (HasFailure()) return;
    bool invalid = false;
    run_code(code, memory, false, &invalid);
    EXPECT_TRUE(invalid);
  }
}

// Products are made ahead of their sums. A multiply-add for all lanes waits for the mask of lanes that take
// it, which here is of what sums of sums are.
TEST_P(RandomCode, MultiplyAddsForAllLanesUnderAMaskOfSums) {
  const auto function = ir::parse(R"(function "mask" thread inputs 1 outputs 1 uniform 256 slots 0 {
b0:
  %0 : i1 launch = ConstI1 true
  %1 : i32 launch = ConstI32 1
  %2 : f32, %3 : f32, %4 : f32, %5 : f32 = LoadInput 0
  %6 : i32 launch = ConstI32 5
  %7 : f32 launch = LoadUniformF32 4
  %8 : f32 launch = LoadUniformF32 8
  Jump b1
b1: <- b0, b3
  %9 : f32 = Phi b0: %2, b3: %21
  %10 : f32 = Phi b0: %3, b3: %15
  %11 : f32 = Phi b0: %4, b3: %16
  %12 : f32 = Phi b0: %5, b3: %17
  %13 : i32 group = Phi b0: %6, b3: %22
  %14 : f32 = FMadTruncFlush32 %9, %10, %11, %0
  %15 : f32 = FMadTruncFlush32 %10, %11, %12, %0
  %16 : f32 = FMadTruncFlush32 %14, %15, %9, %0
  %17 : f32 = FMadTruncFlush32 %15, %11, %10, %0
  %18 : i1 = FLt32 %16, %17
  %19 : f32 group = I32ToF32 %13
  Branch %18, b4, b2
b4: <- b1
  Jump b3
b2: <- b1
  %20 : f32 = FMadTruncFlush32 %19, %8, %7, %0
  Jump b3
b3: <- b4, b2
  %21 : f32 = Phi b4: %16, b2: %20
  %22 : i32 = ISub32 %13, %1
  %23 : i1 = IEq32 %22, %1
  Branch %23, b5, b1
b5: <- b3
  StoreOutput 0, %0, %21, %15, %16, %17
  Return
}
)");
  ASSERT_TRUE(function.ok()) << to_string(function.error());
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    RandomMemory memory(seed, kThreads);
    testing::Random random(seed);
    for (auto& words : memory.inputs[0])
      for (std::uint32_t& word : words)
        word = (static_cast<std::uint32_t>(random.next()) & 0x807fffff) | (120 + random.below(8)) << 23;
    const auto wanted = memory.run(*function, 1, kFuel);
    ASSERT_TRUE(wanted.ok()) << to_string(wanted.error());
    const auto program = ir::run_pipeline(*function, {.verify = true});
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    for (const std::uint32_t parts : {2u, 4u}) {
      const Setting setting = {.target = GetParam(), .parts = parts};
      if (kThreads % (parts * lanes(GetParam())) != 0) continue;  // no whole groups
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + setting.text());
      const MachineCode code = compile(*program, setting);
      if (HasFailure()) return;
      ASSERT_EQ(difference(*wanted, run_code(code, memory)), "");
    }
  }
}

// z = (x, y) becomes (x^2 - y^2 + cx, 2xy + cy) until |z|^2 says that a lane leaves: its factors are bounded
// as long as it stays, whatever they become later.
std::string escape_loop(std::uint64_t seed) {
  constexpr const char* kLeaves[] = {"FGt32 %16, %2", "FLe32 %16, %2", "FLt32 %2, %16", "FGe32 %2, %16"};
  constexpr const char* kWays[] = {"b3, b2", "b2, b3", "b3, b2", "b2, b3"};
  constexpr const char* kProducts[] = {"%20, %13", "%13, %20", "%12, %13", "%20, %20"};
  constexpr const char* kLimits[] = {"0x40800000", "0x41200000", "0x3f800000", "0x5f000000"};
  std::string text = R"(function "escape" thread inputs 3 outputs 2 uniform 256 slots 0 {
b0:
  %0 : i1 launch = ConstI1 true
  %1 : i32 launch = ConstI32 0x00000000
  %2 : f32 launch = ConstF32 LIMIT
  %3 : i32 launch = ConstI32 0x00000001
  %4 : f32, %5 : f32, %6 : f32, %7 : f32 = LoadInput 0
  %8 : f32, %9 : f32, %10 : f32, %11 : f32 = LoadInput 1
  Jump b1
b1: <- b0, b2
  %12 : f32 = Phi b0: %4, b2: %22
  %13 : f32 = Phi b0: %5, b2: %21
  %14 : i32 = Phi b0: %1, b2: %23
  %15 : f32 = FMulFlush32 %12, %12
  %25 : f32 = FMulFlush32 %13, %13
  %16 : f32 = FAddFlush32 %15, %25
  %17 : i1 = LEAVES
  Branch %17, WAYS
b2: <- b1
  %18 : f32 = FSubFlush32 %15, %25
  %20 : f32 = FAddFlush32 %12, %12
  %21 : f32 = FMadTruncFlush32 PRODUCT, %7, %0
  %22 : f32 = FAddFlush32 %18, %6
  %23 : i32 = IAdd32 %14, %3
  %26 : i32 launch = ConstI32 0x00000009
  %27 : i1 = ILtU32 %23, %26
  Branch %27, b1, b3
b3: <- b1, b2
  %28 : f32 = Phi b1: %12, b2: %22
  %29 : f32 = Phi b1: %13, b2: %21
  %30 : f32 = BitcastI32ToF32 %14
  StoreOutput 0, %0, %28, %29, %16, %30
  StoreOutput 1, %0, %28, %29, %8, %30
  Return
}
)";
  const auto replace = [&](const std::string& name, const char* by) {
    text.replace(text.find(name), name.size(), by);
  };
  replace("LIMIT", kLimits[seed / 16 % 4]);
  replace("LEAVES", kLeaves[seed % 4]);
  replace("WAYS", kWays[seed % 4]);
  replace("PRODUCT", kProducts[seed / 4 % 4]);
  return text;
}

TEST_P(RandomCode, FactorsBoundedByTheirMask) {
  const auto [first, count] = seeds_of_run(share(192));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto function = ir::parse(escape_loop(seed));
    ASSERT_TRUE(function.ok()) << to_string(function.error());
    RandomMemory memory(seed, kThreads);
    testing::Random random(seed);
    // Around 2^exponent; sometimes of few bits, so that products are exact, or nothing, or no number.
    const auto near = [&](std::uint32_t exponent, std::uint32_t range) -> std::uint32_t {
      const auto bits = static_cast<std::uint32_t>(random.next());
      if (random.chance(3)) return random.chance(50) ? bits & 0x80000000 : (bits & 0x80000000) | 0x7f800000;
      if (random.chance(1)) return 0x7fc00000;
      return (bits & (random.chance(30) ? 0x80700000 : 0x807fffff)) | (127 + exponent - random.below(range))
                                                                          << 23;
    };
    const std::uint32_t range = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 24 : 126;
    const bool usual = seed % 2 == 0;  // so are all addends: no lane needs more than the first look
    for (auto& words : memory.inputs[0]) {
      words = {near(1, range), near(1, range), near(0, range), near(0, range)};
      if (usual) words[3] = (words[3] & 0x807fffff) | (60 + random.below(70)) << 23;
      // Where the limit is 2^63: a product of a factor that is hardly there with one that is large.
      if (usual && seed / 16 % 4 == 3)
        words = {near(28u - 127u, 9), near(31, 3), near(0, 3), near(58u - 127u, 4)};
      // Where it is 10: with one from 2 to 3, and addends beside whose last place the product is one half.
      if (seed / 16 % 4 == 1 && random.chance(80)) {
        const auto sign = [&] { return random.chance(50) ? 0u : 0x80000000u; };
        const std::uint32_t fraction =
            random.chance(50) ? 0x7ffffe : static_cast<std::uint32_t>(random.next()) & 0x7fffff;
        words = {sign() | (25 + random.below(2)) << 23 | fraction, sign() | 0x40000000 | random.below(4),
                 near(0, 3), sign() | (usual ? 53 + random.below(4) : 1 + random.below(55)) << 23};
      }
    }
    const auto wanted = memory.run(*function, 1, kFuel);
    ASSERT_TRUE(wanted.ok()) << to_string(wanted.error());
    for (const bool numbers : {false, true}) {
      auto program = ir::run_pipeline(*function, {.verify = true, .masks_are_numbers = numbers});
      ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << to_string(program.error());
      program->kernel.pixels = seed / 64 % 2 != 0;  // whose zeros are seen to
      for (const Setting& setting : all_settings(GetParam())) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + setting.text());
        const MachineCode code = compile(*program, setting);
        if (HasFailure()) return;
        ASSERT_EQ(difference(*wanted, run_code(code, memory)), "") << ir::print(program->kernel);
        if (HasFailure()) return;
      }
    }
  }
}

// What lanes read of each other needs groups: the interpreter's are of other widths.
TEST_P(RandomCode, OverPixelsStoresWhatTheInterpreterStores) {
  const auto [first, count] = seeds_of_run(40);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const ir::Function thread_form = random_pixel_function(seed, seed % 2 == 0);
    const RandomMemory memory(seed, kThreads);
    ir::PipelineOptions options;
    options.verify = true;
    options.dispatch_all = seed % 4 == 1;
    options.optimize = seed % 8 != 2;
    options.masks_are_numbers = seed % 3 != 0;
    const auto program = ir::run_pipeline(thread_form, options);
    ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << to_string(program.error());
    const auto wanted = memory.run(program->kernel, 4, kFuel, &program->preamble);
    ASSERT_TRUE(wanted.ok()) << "seed " << seed << ": " << to_string(wanted.error());
    for (const Setting& setting : all_settings(GetParam())) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + setting.text());
      const MachineCode code = compile(*program, setting);
      if (HasFailure()) return;
      const std::string wrong = difference(*wanted, run_code(code, memory, true));
      ASSERT_EQ(wrong, "") << ir::print(program->preamble) << ir::print(program->kernel);
      if (HasFailure()) return;
    }
  }
}

// For hosts that this machine is not, too: every check but running.
TEST(RandomCodeOfAllTargets, OverPixelsCompiles) {
  for (std::uint64_t seed = 1000; seed < 1000 + share(20); ++seed) {
    const auto program = ir::run_pipeline(random_pixel_function(seed, true), {.verify = true});
    ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << to_string(program.error());
    for (const Target target : kPlainTargets)
      if (built_in(target))
        for (const Setting& setting : all_settings(target)) compile(*program, setting);
  }
}

}  // namespace
}  // namespace warpjit::backend
