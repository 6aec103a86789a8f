// Several NaNs in a row that become canonical: none in a group, one in any lane of any of the values, many.
#include <gtest/gtest.h>

#include "backend/kernel.h"
#include "base/random.h"

namespace warpjit::backend {
namespace {

struct Kind {
  ir::Opcode opcode;
  std::uint32_t canonical;
};
constexpr Kind kKinds[] = {{ir::Opcode::CanonicalizeNaN32, 0x7fc00000},
                           {ir::Opcode::CanonicalizeNaNOnes32, 0x7fffffff}};
constexpr unsigned kMost = 8;

bool is_nan(std::uint32_t word) { return (word & 0x7fffffff) > 0x7f800000; }

// The first `count` words of two rows, made canonical.
ir::Function canonical_words(const Kind& kind, unsigned count) {
  KernelBuilder k(2, 2);
  const auto first = k.b.LoadInput(0), second = k.b.LoadInput(1);
  std::array<ir::F32, kMost> x;
  for (unsigned n = 0; n < kMost; ++n) x[n] = n < 4 ? first[n] : second[n - 4];
  for (unsigned n = 0; n < count; ++n) x[n] = ir::F32{k.b.emit(kind.opcode, std::array<ir::Value, 1>{x[n]})};
  k.store(x[0], x[1], x[2], x[3], 0);
  k.store(x[4], x[5], x[6], x[7], 1);
  k.b.ret();
  return k.function;
}

void check(Target target, const Kind& kind) {
  constexpr std::uint32_t kNumbers[] = {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x3f800000,
                                        0x7f7fffff, 0x7f800000, 0xff800000, 0xbf800001};
  constexpr std::uint32_t kNans[] = {0x7f800001, 0x7fc00000, 0xffc00000, 0x7fffffff, 0xff800001, 0xffffffff};
  Random random(3);
  for (unsigned count = 1; count <= kMost; ++count)
    for (const Setting& setting : all_settings(target)) {
      const Executable executable(compile(canonical_words(kind, count), setting));
      if (::testing::Test::HasFailure()) return;
      const std::uint64_t lanes = executable.code().lanes;
      Launch launch;
      launch.threads = lanes * (2 + kMost * lanes);
      for (auto* rows : {&launch.inputs, &launch.outputs})
        for (unsigned n = 0; n < 2; ++n) rows->emplace_back(launch.threads, 16);
      std::vector<std::array<std::uint32_t, kMost>> words(launch.threads);
      for (std::uint64_t t = 0; t < launch.threads; ++t) {
        for (std::uint32_t& word : words[t]) word = kNumbers[random.below(std::size(kNumbers))];
        // Group 0 has none, the last one many, each of the others one.
        const std::uint64_t group = t / lanes;
        const std::uint64_t only = group - 1;
        for (unsigned n = 0; n < kMost; ++n)
          if (group > kMost * lanes ? random.below(2) == 0 : group != 0 && only == n * lanes + t % lanes)
            words[t][n] = kNans[random.below(std::size(kNans))];
        for (unsigned n = 0; n < 2; ++n)
          launch.inputs[n].set(
              t, {words[t][4 * n], words[t][4 * n + 1], words[t][4 * n + 2], words[t][4 * n + 3]});
      }
      run(executable, launch);
      for (std::uint64_t t = 0; t < launch.threads; ++t)
        for (unsigned n = 0; n < kMost; ++n) {
          const std::uint32_t got = launch.outputs[n / 4].get(t)[n % 4];
          if (n >= count && is_nan(words[t][n])) continue;  // some NaN
          ASSERT_EQ(got, is_nan(words[t][n]) ? kind.canonical : words[t][n])
              << setting.text() << ", " << count << " values, thread " << t << ", value " << n;
        }
    }
}

class NansInARow : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(NansInARow);

TEST_P(NansInARow, BecomeCanonical) {
  for (const Kind& kind : kKinds) check(GetParam(), kind);
}

// One that takes what another one gives stands in no row with that.
TEST_P(NansInARow, OperandsFromTheSameRow) {
  for (const Kind& kind : kKinds) {
    KernelBuilder k(1);
    const auto x = k.b.LoadInput(0);
    const auto canonical = [&](ir::Value v) {
      return ir::F32{k.function.result(k.b.emit_inst(kind.opcode, std::array<ir::Value, 1>{v}))};
    };
    const ir::F32 first = canonical(x[0]), second = canonical(x[1]), third = canonical(first),
                  fourth = canonical(x[3]);
    k.store(first, second, third, fourth);
    k.b.ret();
    const Executable executable(compile(k.function, {GetParam(), 2, 0}));
    if (HasFailure()) return;
    Launch launch;
    launch.threads = executable.code().lanes;
    launch.inputs.emplace_back(launch.threads, 16);
    launch.outputs.emplace_back(launch.threads, 16);
    const Words words{0xffc00001, 0x3f800000, 0, 0x7f800001};
    for (std::uint64_t t = 0; t < launch.threads; ++t) launch.inputs[0].set(t, words);
    run(executable, launch);
    for (std::uint64_t t = 0; t < launch.threads; ++t)
      ASSERT_EQ(launch.outputs[0].get(t), (Words{kind.canonical, words[1], kind.canonical, kind.canonical}));
  }
}

}  // namespace
}  // namespace warpjit::backend
