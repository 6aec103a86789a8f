// Loads from the memory of textures, by offsets that differ, are the same, or lie outside.
#include <gtest/gtest.h>

#include <cstring>

#include "backend/kernel.h"
#include "ir/interpret.h"
#include "support/random_ir.h"

namespace warpjit::backend {
namespace {

using testing::Random;

struct Memory {
  // 8 bytes are the least.
  explicit Memory(std::size_t size) : bytes(size, true) {
    Random random(size);
    for (std::size_t k = 0; k < size; ++k) bytes.data()[k] = static_cast<std::byte>(random.next());
  }
  ir::TexelView view() const { return ir::texel_view({bytes.data(), bytes.size()}); }
  std::uint32_t word(std::uint32_t at) const {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, 4);
    return word;
  }
  tests::GuardedBytes bytes;
};

class TexelCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(TexelCode);

constexpr std::uint32_t kThreads = 16 * 3 * 8;

std::uint32_t offset_of(std::uint32_t thread, std::uint32_t size) {
  Random random(thread + 7);
  switch (thread % 5) {
    case 0:
      return random.below(size) & ~3u;
    case 1:
      return random.below(size);
    case 2:
      return static_cast<std::uint32_t>(random.next());
    case 3:
      return size - thread % 13;
    default:
      return 0u - thread % 17;
  }
}

TEST_P(TexelCode, LoadsAreLimitedToTheView) {
  const Memory small(8), large(1004);
  for (const std::uint32_t texture : {0u, 1u}) {
    const Memory& memory = texture != 0 ? large : small;
    KernelBuilder kernel(1, 2);
    kernel.function.texture_count = 2;
    ir::Builder& b = kernel.b;
    const ir::I32 offset = kernel.word(b.LoadInput(0)[0]);
    const auto pair = b.LoadTexelPair(offset, texture);
    kernel.store_words(b.LoadTexel(offset, texture), pair[0], pair[1], b.LoadTexel(b.constant(6u), texture));
    const auto same = b.LoadTexelPair(b.constant(0xfffffff0u), texture);
    b.StoreOutput(b.constant(true), kernel.real(same[0]), kernel.real(same[1]),
                  kernel.real(b.LoadTexel(b.constant(0x7ffffffcu), texture)), b.constant(0.0F), 1);
    b.ret();
    const ir::TexelView view = memory.view();
    for (const Setting& setting : all_settings(GetParam())) {
      SCOPED_TRACE(setting.text());
      const MachineCode code = compile(kernel.function, setting);
      if (HasFailure()) return;
      Launch launch;
      launch.threads = kThreads;
      launch.textures = {small.view(), large.view()};
      launch.inputs.emplace_back(kThreads, 16);
      for (int k = 0; k < 2; ++k) launch.outputs.emplace_back(kThreads, 16);
      for (std::uint32_t t = 0; t < kThreads; ++t)
        launch.inputs[0].set(t, {offset_of(t, view.last + 4), 0, 0, 0});
      EXPECT_EQ(run(Executable(code), launch).status, KernelStatus::done);
      for (std::uint32_t t = 0; t < kThreads; ++t) {
        const std::uint32_t at = offset_of(t, view.last + 4);
        const std::uint32_t one = std::min(at, view.last), two = std::min(at, view.last_pair);
        const Words wanted = {memory.word(one), memory.word(two), memory.word(two + 4),
                              memory.word(std::min(6u, view.last))};
        EXPECT_EQ(launch.outputs[0].get(t), wanted) << t << ": " << at;
        EXPECT_EQ(launch.outputs[1].get(t),
                  (Words{memory.word(view.last_pair), memory.word(view.last), memory.word(view.last), 0}));
      }
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace warpjit::backend
