#include "capture/launch/sampled_textures.h"

#include <set>
#include <string>

#include "base/bits.h"
#include "frontend/interpret/textures/sample.h"
#include "frontend/textures/bound.h"
#include "runtime/work/launch.h"

namespace warpjit::capture {
namespace {

using textures::TextureView;

// 0 to 255, as programs see a component; integers are limited to that.
std::uint8_t byte_of(const TextureView& view, std::size_t result, std::uint32_t word) {
  constexpr std::uint32_t kMost = 255;
  const TexelSource source = view.swizzle[result];
  if (source == TexelSource::zero) return 0;
  if (source > TexelSource::alpha) return kMost;
  const TexelType type = view.format.components[static_cast<std::size_t>(source)].type;
  if (type == TexelType::none) return result == 3 ? kMost : 0;
  if (type == TexelType::uint) return static_cast<std::uint8_t>(std::min(word, kMost));
  if (type == TexelType::sint) return static_cast<std::uint8_t>(word >> 31 != 0 ? 0 : std::min(word, kMost));
  const float value = to_float(word);
  return static_cast<std::uint8_t>(value > 0 ? std::min(value, 1.0F) * kMost + 0.5F : 0);
}

TexturePicture picture_of(const TextureView& texture, std::uint32_t layer, std::uint32_t most) {
  TextureView view = texture;
  view.format.srgb = false;  // pictures are encoded, too
  const textures::Level& level = view.levels[view.first_level];
  return shrink_texture(level.width, level.height, most, [&](std::uint32_t x, std::uint32_t y) {
    interpret::SamplePlace place;
    place.coordinates = {x, y, 0};
    place.layer = layer;
    const interpret::TexelWords words = interpret::fetch(view, place, 0);
    TexelBytes texel{};
    for (std::size_t n = 0; n < texel.size(); ++n) texel[n] = byte_of(view, n, words[n]);
    return texel;
  });
}

// "rgba8"; of formats without a name how many bits a texel has.
std::string format_of(const runtime::LaunchData& launch, unsigned slot, const TextureView& view) {
  const auto given = std::ranges::find(launch.given_textures, slot, &runtime::GivenTexture::slot);
  const TextureFormat& format = given == launch.given_textures.end() ? view.format : given->texture.format;
  if (const auto found = name(format)) return std::string(*found);
  return std::to_string(8 * format.bytes) + " bits";
}

}  // namespace

bool SampledTextures::show(const Launch& launch, std::size_t draw) {
  const runtime::LaunchData& all = launch.state();
  std::vector<const runtime::LaunchData*> programs;
  const auto add = [&](const std::shared_ptr<const runtime::LaunchData>& stage) {
    if (stage) programs.push_back(stage.get());
  };
  if (all.pixels) {
    add(all.pixels->vertex);
    add(all.pixels->geometry);
  }
  if (all.primitives) add(all.primitives->vertex);
  programs.push_back(&all);
  for (const runtime::LaunchData* program : programs) {
    std::set<unsigned> slots;
    const frontend::BoundTextures& bound = program->values.grid.bound;
    frontend::each_sample(program->shader->sampling(), bound,
                          [&](const frontend::TextureUse& use, const TextureView* texture, const Sampler*) {
                            if (texture != nullptr) slots.insert(use.texture);
                          });
    for (const unsigned slot : slots) {
      const TextureView& view = *bound.texture(slot);
      const textures::Level& level = view.levels[view.first_level];
      const std::string format = format_of(*program, slot, view);
      CaptureTexture texture;
      texture.draw = draw;
      texture.stage = name(program->shader->stage());
      texture.unit = slot;
      texture.address = find_address_(view.bound);
      texture.format = format;
      texture.width = level.width;
      texture.height = level.height;
      texture.levels = view.last_level - view.first_level + 1;
      const std::uint32_t faces = view.dimension == TextureDimension::cube ? 6 : 1;
      for (texture.layer = 0; texture.layer < faces; ++texture.layer) {
        const std::array<std::uint64_t, 6> what = {texture.address,
                                                   texture.layer,
                                                   hash_bytes(std::as_bytes(std::span(format))),
                                                   std::uint64_t{level.width} << 32 | level.height,
                                                   view.first_level,
                                                   hash_bytes(std::as_bytes(std::span(view.swizzle)))};
        const TextureNumbers::Number number = numbers_.of({view.base, view.size}, what);
        TexturePicture picture;
        if (number.is_new) picture = picture_of(view, texture.layer, most_);
        texture.number = number.number;
        texture.picture_width = picture.width;
        texture.picture_height = picture.height;
        texture.rgba = picture.rgba;
        if (!visitor_.texture(texture)) return false;
      }
    }
  }
  return true;
}

}  // namespace warpjit::capture
