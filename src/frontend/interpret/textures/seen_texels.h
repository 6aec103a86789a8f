// The texels that a sampler reads for a lane, for an observer.
#pragma once

#include <vector>

#include "frontend/interpret/observer.h"
#include "textures/view.h"

namespace warpjit::interpret {

class SeenTexels {
 public:
  // They are added to `texels`, as those of a texture.
  SeenTexels(std::vector<Event::Texel>& texels, unsigned texture, unsigned lane)
      : texels_(texels),
        texture_(static_cast<std::uint16_t>(texture)),
        lane_(static_cast<std::uint8_t>(lane)) {}

  void see(const textures::TextureView& texture, unsigned level, std::uint32_t layer,
           const std::array<std::uint32_t, 3>& at, float weight);
  // The same, of bytes that are a texel, or the block that has it.
  void see(const std::byte* place, unsigned bytes, unsigned level, std::uint32_t layer, std::uint32_t x,
           std::uint32_t y, float weight);

 private:
  std::vector<Event::Texel>& texels_;
  std::uint16_t texture_;
  std::uint8_t lane_;
};

}  // namespace warpjit::interpret
