// Arithmetic without denormals, on many random operands: at the borders of the range, of all signs, and
// products that nearly cancel what is added.
#include <gtest/gtest.h>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <bit>
#include <cmath>

#include "backend/kernel.h"
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

class FlushCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(FlushCode);

TEST_P(FlushCode, RandomOperandsGiveTheMeaning) {
  constexpr std::uint64_t kThreads = 96 * 320;
  for (int number = 0; number < ir::kOpcodeCount; ++number) {
    const auto opcode = static_cast<Opcode>(number);
    if (ir::family(opcode) != ir::Family::float_flush) continue;
    const bool masked = ir::info(opcode).masked;  // where word 3 is not 0
    const std::size_t operands = ir::info(opcode).operands.size() - (masked ? 1 : 0);
    KernelBuilder k(1);
    const auto row = k.b.LoadInput(0);
    std::vector<Value> given(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(operands));
    if (masked) given.push_back(k.b.INe32(k.word(row[3]), k.b.constant(0)));
    const Value value = k.function.result(k.b.emit_inst(opcode, given));
    k.store(ir::F32{value}, row[3], row[3], row[3]);
    k.b.ret();
    for (const Setting& setting : {Setting{GetParam(), 1, 0}, Setting{GetParam(), 2, 4}}) {
      const Executable executable(compile(k.function, setting));
      if (HasFailure()) return;
      Random random(static_cast<std::uint64_t>(opcode));
      for (int round = GetParam() == Target::a64 ? 7 : 0; round < 8; ++round) {
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
          const std::uint32_t wanted = canonical(ir::evaluate(opcode, {values, operands}));
          ASSERT_EQ(wanted, canonical(launch.outputs[0].get(t)[0]))
              << std::hex << ir::info(opcode).name << "(0x" << x[0] << ", 0x" << x[1] << ", 0x" << x[2]
              << ") (" << setting.text() << ")";
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
