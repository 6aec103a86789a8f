// Which textures and samplers a launch binds, and which a program means.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ir/memory.h"
#include "textures/view.h"

namespace warpjit::frontend {

// Textures and samplers of a launch by their slots.
struct BoundTextures {
  std::vector<std::shared_ptr<const textures::TextureView>> textures{};
  std::vector<std::optional<Sampler>> samplers{};
  // Memory that code loads words from without a sampler (LoadTexel), numbered after what it samples.
  std::vector<ir::TexelView> memories{};

  // Null: none is bound.
  const textures::TextureView* texture(std::size_t slot) const {
    return slot < textures.size() ? textures[slot].get() : nullptr;
  }
  const Sampler* sampler(std::size_t slot) const {
    return slot < samplers.size() && samplers[slot] ? &*samplers[slot] : nullptr;
  }
};

// A texture that a program samples.
struct TextureUse {
  std::uint8_t texture = 0;  // its slot
  std::uint8_t sampler = 0;  // the sampler's, if it needs one
  bool needs_sampler = true;
  auto operator<=>(const TextureUse&) const = default;
};

// What a program samples.
struct Sampling {
  std::vector<TextureUse> uses{};  // by the reachable code, each once, ascending
  // True if the code computes which texture or sampler an instruction means: it may be any that is bound.
  bool computed = false;
  // Why the guest has no such texture with such a sampler; null if it has. None: it has all.
  const char* (*refusal)(const textures::TextureView&, const Sampler&) = nullptr;

  bool any() const { return computed || !uses.empty(); }
};

// For each slot the first slot with an equal sampler; kNoSampler if the slot has no sampler.
inline constexpr std::uint8_t kNoSampler = 0xff;
std::vector<std::uint8_t> equal_samplers(const BoundTextures& bound);
// What an instruction may mean that computes it: each texture that is bound, alone and with each sampler that
// goes with it, of equal ones the first. Empty: there are more than kMaxComputedUses, among which compiled
// code does not choose.
inline constexpr std::size_t kMaxComputedUses = 72;  // of 8 textures and 8 samplers
std::vector<TextureUse> computed_uses(const BoundTextures& bound);

// Calls visit(use, texture, sampler) for all that a launch may sample, in the order of Facts::samples. What
// is null is not bound, or the use needs no sampler.
template <class Visit>
void each_sample(const Sampling& sampling, const BoundTextures& bound, const Visit& visit) {
  const auto visit_all = [&](const std::vector<TextureUse>& uses) {
    for (const TextureUse& use : uses)
      visit(use, bound.texture(use.texture), use.needs_sampler ? bound.sampler(use.sampler) : nullptr);
  };
  visit_all(sampling.uses);
  if (sampling.computed) visit_all(computed_uses(bound));
}

}  // namespace warpjit::frontend
