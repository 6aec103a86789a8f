#include "backend/hungry_kernel.h"

#include <bit>

namespace warpjit::backend {

using ir::F32;
using ir::I32;

ir::GroupProgram hungry_program() {
  constexpr std::uint32_t kTable = 256;
  ir::GroupProgram program;
  KernelBuilder before(0, 0, kTable);
  std::vector<I32> words;
  std::vector<F32> reals;
  for (std::uint32_t n = 0; n < 20; ++n) {
    words.push_back(before.b.IMul32(before.b.LoadUniformI32(n * 4), before.b.LoadUniformI32(n * 4 + 4)));
    reals.push_back(
        before.b.FMul32(before.b.LoadUniformF32(n * 4), before.b.constant(static_cast<float>(n))));
  }
  I32 word = words[0];
  F32 real = reals[0];
  for (std::uint32_t n = 1; n < 20; ++n) {
    word = before.b.IXor32(word, words[n]);
    real = before.b.FAdd32(real, reals[n]);
  }
  before.b.StoreUniformI32(word, kTable - 4);
  before.b.StoreUniformF32(real, kTable - 8);
  before.b.ret();
  program.preamble = before.function;

  KernelBuilder k(2, 2, kTable);
  const ir::Block header = k.function.add_block(), body = k.function.add_block(),
                  end = k.function.add_block();
  const auto in = k.b.LoadInput(0), other = k.b.LoadInput(1);
  std::vector<F32> live;
  std::vector<I32> scalars;
  for (std::uint32_t n = 0; n < 40; ++n)
    live.push_back(k.b.FMul32(in[n % 4], k.b.constant(static_cast<float>(n + 1))));
  for (std::uint32_t n = 0; n < 14; ++n)
    scalars.push_back(
        k.b.IAdd32(k.b.IMul32(k.b.LoadUniformI32(n * 4), k.b.LoadUniformI32(n * 4 + 8)), k.b.constant(n)));
  k.b.jump(header);
  const I32 turn = k.uniform_phi<I32>(header);
  k.b.set_block(header);
  k.b.branch(k.b.ILtU32(turn, k.b.LoadUniformI32(60)), body, end);
  k.b.set_block(body);
  k.b.BurnFuel(k.b.constant(true));
  const I32 next = k.b.IAdd32(turn, k.b.constant(1));
  k.b.jump(header);
  k.arrive(turn, {k.b.constant(0), next});
  k.b.set_block(end);
  F32 sum = other[0];
  I32 total = turn;
  for (F32 v : live) sum = k.b.FAdd32(sum, v);
  for (I32 v : scalars) total = k.b.IXor32(total, v);
  for (I32 v : scalars) total = k.b.IAdd32(total, v);
  k.store(k.b.CanonicalizeNaN32(sum), k.real(total), k.b.LoadUniformF32(kTable - 4), other[3], 0);
  k.store(live[0], live[1], live[2], live[39], 1);
  k.b.ret();
  program.kernel = k.function;
  return program;
}

Launch hungry_launch(std::uint64_t threads) {
  Launch launch;
  launch.threads = threads;
  for (std::uint32_t n = 0; n < 64; ++n) launch.table.push_back(0x3f000000u + n * 77777);
  launch.table[15] = 3;  // turns
  for (std::uint32_t k = 0; k < 2; ++k) {
    launch.inputs.emplace_back(threads, 16);
    launch.outputs.emplace_back(threads, 16);
    for (std::uint64_t t = 0; t < threads; ++t) {
      Words words;
      for (std::uint32_t c = 0; c < 4; ++c)
        words[c] = std::bit_cast<std::uint32_t>(static_cast<float>(t + c) + 0.25f);
      launch.inputs[k].set(t, words);
    }
  }
  return launch;
}

}  // namespace warpjit::backend
