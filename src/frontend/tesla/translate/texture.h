// What a program samples, as its translation sees it: of every stage, kernels too (tesla.md 16).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "frontend/shader.h"
#include "frontend/tesla/facts/reach.h"
#include "frontend/tesla/flow/lane_order.h"
#include "frontend/textures/facts.h"
#include "ir/sample.h"

namespace warpjit::tesla {

// Uses and their keys, one by one, and where their words are.
struct SampledTextures {
  std::span<const frontend::TextureUse> uses{};
  std::span<const ir::SampleKey> keys{};
  frontend::SampleTable table{};

  // For an instruction that samples.
  std::size_t number_of(const Instruction& i, const Modes& modes) const;
  const ir::SampleKey& key_of(const Instruction& i, const Modes& modes) const {
    return keys[number_of(i, modes)];
  }
};

// Errors: unsupported, with the place, for what is not bound or only the guest interpreter samples.
Status check_samples(const Program& program, const ReachedCode& code, const SampledTextures& textures,
                     const Modes& modes);

// Whether a sample looks at the coordinates of the others in its quad.
bool takes_level_from_quad(const Instruction& i, const Program& program, const SampledTextures& textures,
                           const Modes& modes);
// Which lanes of its quad are with it decides on such a sample.
void mark_samples(const Program& program, const ReachedCode& code, const ControlFlow& flow,
                  const SampledTextures& textures, const Modes& modes, std::vector<LaneEffects>& effects);

}  // namespace warpjit::tesla
