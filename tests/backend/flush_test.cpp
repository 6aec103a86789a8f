// Arithmetic without denormals, on many random operands: at the borders of the range, of all signs, and
// products that nearly cancel what is added.
#include <gtest/gtest.h>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <bit>
#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>

#include "backend/kernel.h"
#include "ir/analysis/uniformity.h"
#include "ir/evaluate.h"
#include "support/random_ir.h"

namespace warpjit::backend {
namespace {

using ir::Opcode;
using ir::Value;
using warpjit::testing::Random;

std::uint32_t random_float(Random& random) {
  const auto bits = static_cast<std::uint32_t>(random.next());
  const std::uint32_t sign = bits & 0x80000000u,
                      fraction = random.chance(30) ? bits & 0x7ff000 : bits & 0x7fffff;
  switch (random.below(8)) {
    case 0:
      return bits;
    case 1:
      return sign | random.below(4) << 23 | fraction;  // least, and denormals
    case 2:
      return sign | (252 + random.below(4)) << 23 | fraction;  // greatest, infinity, NaN
    case 3:
      return sign | (52 + random.below(24)) << 23 | fraction;  // whose products are least
    case 4:
      return sign | (180 + random.below(24)) << 23 | fraction;  // whose products are greatest
    case 5:
      return random.chance(50) ? sign : sign | 0x7f800000;
    default:
      return sign | (120 + random.below(14)) << 23 | fraction;
  }
}

std::array<std::uint32_t, 3> random_operands(Random& random) {
  std::array<std::uint32_t, 3> x = {random_float(random), random_float(random), random_float(random)};
  if (random.chance(30)) {  // c near -a*b, or near a multiple of its last place
    const float product = std::bit_cast<float>(x[0]) * std::bit_cast<float>(x[1]);
    x[2] = std::bit_cast<std::uint32_t>(-product) + random.below(5) - 2;
    if (random.chance(40))
      x[2] = std::bit_cast<std::uint32_t>(std::ldexp(product, static_cast<int>(random.below(60)) - 30));
  }
  return x;
}

// While it lives, memory that is given back is filled, so that reading it shows.
class FreedMemoryIsFilled {
 public:
#ifdef M_PERTURB
  FreedMemoryIsFilled() { mallopt(M_PERTURB, 0xa5); }
  ~FreedMemoryIsFilled() { mallopt(M_PERTURB, 0); }
#endif
};

std::size_t operand_count(Opcode opcode) {  // without the mask
  return ir::info(opcode).operands.size() - (ir::info(opcode).masked ? 1 : 0);
}
// Word 0 of each row becomes the result of an operation on its first words; word 3 stays. In
// masked operations lanes whose word 3 is 0 do not matter, unless all do.
void make_kernel_of(Opcode opcode, KernelBuilder& k, bool all_matter) {
  const auto row = k.b.LoadInput(0);
  std::vector<Value> given(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(operand_count(opcode)));
  if (ir::info(opcode).masked)
    given.push_back(all_matter ? Value(k.b.constant(true))
                               : Value(k.b.INe32(k.word(row[3]), k.b.constant(0))));
  const Value value = k.function.result(k.b.emit_inst(opcode, given));
  k.store(ir::F32{value}, row[3], row[3], row[3]);
  k.b.ret();
}

// Each pair of parts and registers.
std::vector<Setting> settings_of(Target target,
                                 std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> parts) {
  std::vector<Setting> settings;
  for (const auto& [n, registers] : parts)
    settings.push_back({.target = target, .parts = n, .registers = registers});
  return settings;
}

class FlushCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(FlushCode);

TEST_P(FlushCode, RandomOperandsAgreeWithTheInterpreter) {
  constexpr std::uint64_t kThreads = 96 * 320;
  for (int number = 0; number < ir::kOpcodeCount; ++number) {
    const auto opcode = static_cast<Opcode>(number);
    if (ir::family(opcode) != ir::Family::float_flush) continue;
    const bool masked = ir::info(opcode).masked;
    KernelBuilder k(1);
    make_kernel_of(opcode, k, false);
    for (const Setting& setting : settings_of(GetParam(), {{1, 0}, {2, 4}})) {
      const Executable executable(compile(k.function, setting));
      if (HasFailure()) return;
      Random random(static_cast<std::uint64_t>(opcode));
      for (int round = 0; round < 8; ++round) {
        Launch launch;
        launch.threads = kThreads;
        launch.inputs.emplace_back(kThreads, 16);
        launch.outputs.emplace_back(kThreads, 16);
        std::array<std::uint32_t, 3> x{};
        for (std::uint64_t t = 0; t < kThreads; ++t) {
          // Code has a way of its own where no lane is unusual: in half of the rounds lanes are alike.
          if (round % 2 == 0 || t % 32 == 0) x = random_operands(random);
          launch.inputs[0].set(t, {x[0], x[1], x[2], random.chance(80) ? 1u : 0u});
        }
        run(executable, launch);
        for (std::uint64_t t = 0; t < kThreads; ++t) {
          const Words x = launch.inputs[0].get(t);
          if (masked && x[3] == 0) continue;
          const std::uint64_t values[] = {x[0], x[1], x[2]};
          const auto canonical = [](std::uint64_t bits) {
            return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000u : static_cast<std::uint32_t>(bits);
          };
          const std::uint32_t wanted = canonical(ir::evaluate(opcode, {values, operand_count(opcode)}));
          ASSERT_EQ(wanted, canonical(launch.outputs[0].get(t)[0]))
              << std::hex << ir::info(opcode).name << "(0x" << x[0] << ", 0x" << x[1] << ", 0x" << x[2]
              << ") (" << setting.text() << ")";
        }
      }
    }
  }
}

// Where the processor guesses modes, no two changes to different modes have the same number, wherever the
// code is placed.
TEST_P(FlushCode, ChangesToPredictedModes) {
  if (plain(GetParam()) == Target::a64) GTEST_SKIP() << "a processor with x86-64";
  KernelBuilder k(1);
  ir::Builder& b = k.b;
  const auto row = b.LoadInput(0);
  std::array<ir::F32, 4> x = {row[0], row[1], row[2], row[3]};
  for (std::uint32_t n = 0; n < 60; ++n) {  // code of many lengths between changes
    ir::F32& next = x[n % 4];
    const ir::F32 other = x[(n + 1) % 4];
    next = n % 3 == 0   ? b.FMulFlush32(next, other)
           : n % 3 == 1 ? b.FMul32(next, other)
                        : b.FMulZeroFlush32(next, other);
    if (n % 5 == 0) next = b.FAdd32(next, b.FMaxSelect32(x[(n + 2) % 4], other));
  }
  k.store(x[0], x[1], x[2], x[3]);
  b.ret();
  CompileOptions options;
  options.parts = 2;
  options.validate = true;
  ir::analyze_uniformity(k.function);
  const ir::GroupProgram program = {{}, k.function};
  for (const bool guesses : {false, true}) {
    options.tuning.guesses_modes = guesses;
    const auto code = backend::compile(program, GetParam(), options);
    ASSERT_TRUE(code) << to_string(code.error());
    // There are three modes, but where instructions hold the rounding.
    const std::uint32_t aligned = plain(GetParam()) == Target::x64_v3 ? 1024 : 512;
    EXPECT_EQ(code->alignment, guesses ? aligned : 64u);
    // (v)ldmxcsr [rsp + n]; n names the mode.
    constexpr std::array<std::uint8_t, 3> kLoadOfFrame = {0xae, 0x54, 0x24};
    std::size_t changes = 0;
    for (std::uintptr_t address = 0; address < 1 << 14; address += code->alignment) {
      std::array<std::set<std::uint8_t>, 32> modes;
      for (auto at = code->bytes.begin(); at + 4 <= code->bytes.begin() + code->code_size; ++at) {
        if (!std::equal(kLoadOfFrame.begin(), kLoadOfFrame.end(), at)) continue;
        ++changes;
        modes[mode_guess_number(address + static_cast<std::size_t>(at - code->bytes.begin()) + 4)].insert(
            at[3]);
      }
      const bool right = std::ranges::all_of(modes, [](const auto& of) { return of.size() <= 1; });
      EXPECT_TRUE(right || !guesses) << address;
      EXPECT_FALSE(right && !guesses) << address;  // so many are not right by chance
    }
    EXPECT_GT(changes, 16 * 30u);
  }
}

// Hosts flush before or after they round: results are next to 2^-126, on both sides of where rounding to 24
// bits comes to it.
TEST_P(FlushCode, ResultsNextToTheLeastNormalNumber) {
  constexpr std::array<std::uint32_t, 3> kOperands[] = {
      {0x3f7ffffe, 0x00800001, 0},          {0xbf7ffffe, 0x00800001, 0x80000000},  // 1 - 2^-46
      {0x3f7fffff, 0x00800000, 0},          {0x3f7fffff, 0x80800000, 0},           // 1 - 2^-24
      {0x3f7ffffc, 0x00800002, 0},          {0x3f7ffffd, 0x00800001, 0},
      {0x20000000, 0x20000000, 0},          {0x1fffffff, 0x20000001, 0},
      {0x1fffffff, 0x1fffffff, 0},          {0x3f7ffffe, 0x00800001, 0x0d800000},
      {0x3f7fffff, 0x00800000, 0x00000001}, {0x3f000000, 0x01000000, 0x80800000},
      {0x3f7ffffe, 0x01000002, 0x80800000}, {0x3f7fffff, 0x01000000, 0x80800000},
      {0x3fffffff, 0x00800000, 0x80800000}, {0x3f800001, 0x01000000, 0x80800001}};
  constexpr std::uint64_t kThreads = 192;
  for (const Opcode opcode : {Opcode::FMulFlush32, Opcode::FFmaFlush32, Opcode::FMadTruncFlush32,
                              Opcode::FAddFlush32, Opcode::FMulZeroFlush32}) {
    KernelBuilder k(1);
    // What is kept of flags is far from the frame's begin, which has 256 KiB at most.
    k.function.slot_count = lanes(GetParam()) == 16 ? 512 : 1024;
    make_kernel_of(opcode, k, true);
    for (const Setting& setting : settings_of(GetParam(), {{1, 0}, {4, 0}})) {
      const Executable executable(compile(k.function, setting));
      if (HasFailure()) return;
      for (const auto& [x, y, z] : kOperands) {
        Launch launch;
        launch.threads = kThreads;
        launch.inputs.emplace_back(kThreads, 16);
        launch.outputs.emplace_back(kThreads, 16);
        for (std::uint64_t t = 0; t < kThreads; ++t) launch.inputs[0].set(t, {x, y, z, 0});
        run(executable, launch);
        const std::uint64_t values[] = {x, y, z};
        const auto wanted = static_cast<std::uint32_t>(ir::evaluate(opcode, {values, operand_count(opcode)}));
        for (std::uint64_t t = 0; t < kThreads; ++t)
          ASSERT_EQ(wanted, launch.outputs[0].get(t)[0])
              << std::hex << ir::info(opcode).name << "(0x" << x << ", 0x" << y << ", 0x" << z << ") ("
              << setting.text() << ")";
      }
    }
  }
}

// Truncated multiply-adds near each other share a test for unusual lanes. Operands are inputs, constants,
// some of which make the product exact, and what those before gave, negated or added to. Also of fragment
// programs, whose zeros are seen to.
TEST_P(FlushCode, ConsecutiveMultiplyAddsAgreeWithTheInterpreter) {
  constexpr std::uint64_t kThreads = 96 * 8;
  constexpr std::uint32_t kConstants[] = {0x3fc00001, 0x40000000, 0x3f000000, 0xc0800000, 0,
                                          0x80000000, 0x3f800000, 0x2b800000, 0x7f000000, 0x00800000,
                                          0x40490fdb, 0x0d000001, 0x00000001, 0x7f800000, 0x1a7fffff};
  Random random(5);
  for (unsigned number = 0; number < 120; ++number) {
    KernelBuilder k(2, 2);
    k.function.pixels = number % 3 == 2;
    const auto row = k.b.LoadInput(0), more = k.b.LoadInput(1);
    struct Step {
      Opcode opcode;
      std::array<std::size_t, 3> operands;
    };
    std::vector<Value> values = {row[0], row[1], row[2], more[0], more[1], more[2]};
    const std::size_t inputs = values.size();
    for (const std::uint32_t word : kConstants) values.push_back(k.b.constant(std::bit_cast<float>(word)));
    const std::size_t given = values.size();
    const bool all = random.chance(50);
    const Value mask = all ? k.b.constant(true) : k.b.INe32(k.word(row[3]), k.b.constant(0));
    const unsigned rare = random.below(3);  // constants
    const auto any = [&]() -> std::size_t {
      if (values.size() > given && random.chance(40))
        return given + random.below(static_cast<std::uint32_t>(values.size() - given));
      if (random.below(3) < rare) return random.below(static_cast<std::uint32_t>(inputs));
      return random.below(static_cast<std::uint32_t>(given));
    };
    std::vector<Step> steps;
    const std::size_t count = 1 + random.below(8);
    while (steps.size() < count) {
      Step step{random.chance(75)   ? Opcode::FMadTruncFlush32
                : random.chance(50) ? Opcode::FAddFlush32
                                    : Opcode::FNeg32,
                {any(), any(), any()}};
      if (random.chance(20)) step.operands[1] = step.operands[0];
      std::vector<Value> operands;
      for (std::size_t n = 0; n < (step.opcode == Opcode::FMadTruncFlush32 ? 3U
                                   : step.opcode == Opcode::FNeg32         ? 1U
                                                                           : 2U);
           ++n)
        operands.push_back(values[step.operands[n]]);
      if (step.opcode == Opcode::FMadTruncFlush32) operands.push_back(mask);
      values.push_back(k.function.result(k.b.emit_inst(step.opcode, operands)));
      steps.push_back(step);
    }
    const auto stored = [&](std::size_t n) { return ir::F32{values[given + std::min(n, count - 1)]}; };
    k.store(stored(0), stored(1), stored(2), stored(3), 0);
    k.store(stored(4), stored(5), stored(6), stored(7), 1);
    k.b.ret();
    for (const Setting& setting : settings_of(GetParam(), {{1, 0}, {2, 0}, {2, 4}, {4, 0}})) {
      const Executable executable(compile(k.function, setting));
      if (HasFailure()) return;
      for (unsigned round = 0; round < 3; ++round) {
        Launch launch;
        launch.threads = kThreads;
        for (int n = 0; n < 2; ++n) {
          launch.inputs.emplace_back(kThreads, 16);
          launch.outputs.emplace_back(kThreads, 16);
        }
        std::array<std::uint32_t, 3> x{}, y{};
        const unsigned alike = round == 0 ? 1 : round == 1 ? 16 : 64;
        for (std::uint64_t t = 0; t < kThreads; ++t) {
          if (t % alike == 0 || random.chance(1)) x = random_operands(random), y = random_operands(random);
          launch.inputs[0].set(t, {x[0], x[1], x[2], random.chance(80) ? 1u : 0u});
          launch.inputs[1].set(t, {y[0], y[1], y[2], 0});
        }
        run(executable, launch);
        for (std::uint64_t t = 0; t < kThreads; ++t) {
          const Words a = launch.inputs[0].get(t), b = launch.inputs[1].get(t);
          if (!all && a[3] == 0) continue;
          std::vector<std::uint64_t> meant = {a[0], a[1], a[2], b[0], b[1], b[2]};
          meant.insert(meant.end(), std::begin(kConstants), std::end(kConstants));
          for (std::size_t n = 0; n < count; ++n) {
            const auto& [opcode, from] = steps[n];
            const std::uint64_t operands[] = {meant[from[0]], meant[from[1]], meant[from[2]], 1};
            const std::size_t used = opcode == Opcode::FNeg32 ? 1 : opcode == Opcode::FAddFlush32 ? 2 : 3;
            meant.push_back(ir::evaluate(opcode, {operands, used}));
            const auto canonical = [](std::uint64_t bits) {
              return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000u : static_cast<std::uint32_t>(bits);
            };
            ASSERT_EQ(canonical(meant.back()), canonical(launch.outputs[n / 4].get(t)[n % 4]))
                << "program " << number << ", step " << n << ", " << ir::info(opcode).name << std::hex
                << "(0x" << operands[0] << ", 0x" << operands[1] << ", 0x" << operands[2] << ") ("
                << setting.text() << ")";
          }
        }
      }
    }
  }
}

// Lowering makes instructions in a table that grows, at any of them: what it has made is found again there,
// not where the table was before.
TEST_P(FlushCode, TablesGrowAnywhere) {
  [[maybe_unused]] const FreedMemoryIsFilled filled;
  for (unsigned before = 0; before < 40; ++before) {
    KernelBuilder k(1);
    const auto row = k.b.LoadInput(0);
    Value sum = row[0];
    for (unsigned n = 0; n < before; ++n) sum = k.b.FAdd32(ir::F32{sum}, row[1]);
    const std::array<Value, 4> given = {sum, row[1], row[2], k.b.INe32(k.word(row[3]), k.b.constant(0))};
    const ir::Inst product = k.b.emit_inst(Opcode::FMadTruncFlush32, given);
    k.store(ir::F32{k.function.result(product)}, row[3], row[3], row[3]);
    k.b.ret();
    for (std::uint32_t parts : {1u, 2u, 4u}) {
      compile(k.function, {GetParam(), parts, 0});
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace warpjit::backend
