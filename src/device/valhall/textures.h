// Textures and samplers of a Mali v9 in the terms that all GPUs share (docs/guests/valhall.md 11).
#pragma once

#include <span>
#include <vector>

#include "device/valhall/tile.h"
#include "frontend/valhall/container/texture.h"
#include "warpjit/textures.hpp"

namespace warpjit::valhall {

struct BoundTexture {
  Texture texture;  // its data are the image's or `copy`, its level_places are `places`
  std::vector<TextureLevelPlace> places;
  // Planes that do not lie as textures do, moved together.
  std::vector<std::byte> copy;
};
// `normalized`: coordinates are, as the sampler says. Textures in AFBC read kept pictures. Errors name
// descriptor and field.
Result<BoundTexture> convert_texture(const Image& image, const TextureDescriptor& descriptor, bool normalized,
                                     const TargetMemory& memory = {});
Result<Sampler> convert_sampler(const Image& image, const SamplerDescriptor& descriptor);

}  // namespace warpjit::valhall
