#include "frontend/textures/bound.h"

namespace warpjit::frontend {

std::vector<std::uint8_t> equal_samplers(const BoundTextures& bound) {
  std::vector<std::uint8_t> first(bound.samplers.size(), kNoSampler);
  for (std::size_t slot = 0; slot < first.size(); ++slot) {
    if (bound.sampler(slot) == nullptr) continue;
    std::size_t other = 0;
    while (bound.sampler(other) == nullptr || *bound.sampler(other) != *bound.sampler(slot)) ++other;
    first[slot] = static_cast<std::uint8_t>(other);
  }
  return first;
}

std::vector<TextureUse> computed_uses(const BoundTextures& bound) {
  const std::vector<std::uint8_t> samplers = equal_samplers(bound);
  std::vector<TextureUse> uses;
  for (std::size_t texture = 0; texture < bound.textures.size(); ++texture) {
    if (bound.texture(texture) == nullptr) continue;
    const auto slot = static_cast<std::uint8_t>(texture);
    uses.push_back({.texture = slot, .needs_sampler = false});
    for (std::size_t sampler = 0; sampler < samplers.size(); ++sampler)
      if (samplers[sampler] == sampler &&
          textures::check_pair(*bound.texture(texture), *bound.sampler(sampler), {}))
        uses.push_back({.texture = slot, .sampler = static_cast<std::uint8_t>(sampler)});
    if (uses.size() > kMaxComputedUses) return {};
  }
  return uses;
}

}  // namespace warpjit::frontend
