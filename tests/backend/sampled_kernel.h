// A kernel that samples one texture, in three engines: the guest interpreters' sampler, the IR interpreter
// without optimization, and code.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <span>
#include <string>

#include "backend/kernel.h"
#include "ir/interpret.h"
#include "ir/pipeline.h"
#include "ir/sample.h"
#include "textures/view.h"

namespace warpjit::backend {

struct BoundTexture {
  Texture texture;
  Sampler sampler;
  textures::TextureView view;
};
std::string text_of(const BoundTexture& bound, const ir::SampleUse& use);

// x, y, z, layer, reference, level or bias: of one thread.
using SampleOperands = std::array<std::uint32_t, 6>;

class SampledKernel {
 public:
  // A failure fails the test.
  SampledKernel(const ir::SampleKey& key, const ir::SampleUse& use, const Setting& setting);
  // Runs every engine; `threads` are whole groups. They must agree bit for bit.
  void compare(const BoundTexture& bound, std::span<const SampleOperands> threads) const;

 private:
  void make(const Setting& setting);
  Launch launch_of(const BoundTexture& bound, std::span<const SampleOperands> threads,
                   std::uint32_t table_bytes) const;
  // By the scalar sampler.
  Words sampled(const BoundTexture& bound, const SampleOperands& words, std::int32_t implicit) const;
  std::int32_t detail_from_quad(const BoundTexture& bound, std::span<const SampleOperands> quad,
                                unsigned thread) const;

  ir::SampleKey key_;
  ir::SampleUse use_;
  std::optional<ir::GroupProgram> reference_;
  std::optional<ir::Interpreter> interpreter_;
  std::optional<Executable> code_;
};

}  // namespace warpjit::backend
