#include "runtime/work/textures.h"

#include <string>

#include "runtime/work/launch.h"

namespace warpjit::runtime {

namespace {

bool shares_memory(const textures::TextureView& texture, const TargetBuffer& target) {
  if (target.data == nullptr) return false;
  const auto begin = reinterpret_cast<std::uintptr_t>(texture.bound);
  const auto target_begin = reinterpret_cast<std::uintptr_t>(target.data);
  return begin < target_begin + target.size && target_begin < begin + texture.bound_size;
}

// Which textures a program samples, and which of them are set.
std::string sampled_textures(const LaunchData& launch) {
  std::string sampled, set;
  for (const frontend::TextureUse& use : launch.shader->texture_uses()) {
    const auto add = [&](std::string& list) {
      list += (list.empty() ? "" : ", ") + std::to_string(use.texture);
    };
    add(sampled);
    if (launch.values.grid.bound.texture(use.texture) != nullptr) add(set);
  }
  return "it samples textures " + sampled + ", of which " + (set.empty() ? "none is" : set + " are") + " set";
}

// Of the programs of `launch` alone; `pixels`: whose targets count.
Status check_uses(const LaunchData& launch, const LaunchPixels* pixels) {
  const frontend::BoundTextures& bound = launch.values.grid.bound;
  for (const frontend::TextureUse& use : launch.shader->texture_uses()) {
    const std::string where = "texture " + std::to_string(use.texture);
    const auto wrong = [&](const std::string& message, const std::string& place) {
      return Error{ErrorCode::bad_input, launch.shader->source_name() + " " + message, place};
    };
    const textures::TextureView* texture = bound.texture(use.texture);
    if (texture == nullptr) return wrong("samples it, but it is not set; " + sampled_textures(launch), where);
    if (use.needs_sampler) {
      const Sampler* sampler = bound.sampler(use.sampler);
      const std::string name = "sampler " + std::to_string(use.sampler);
      if (sampler == nullptr) return wrong("samples with it, but it is not set", name);
      WARPJIT_CHECK(textures::check_pair(*texture, *sampler, where + ", " + name));
      if (const char* why = launch.shader->refuses(*texture, *sampler))
        return Error{ErrorCode::unsupported, launch.shader->source_name() + ": " + why, where};
    }
    if (pixels == nullptr) continue;
    for (unsigned n = 0; n < kMaxColorTargets; ++n)
      if (shares_memory(*texture, pixels->colors[n]))
        return wrong("samples memory of colour target " + std::to_string(n), where);
    if (shares_memory(*texture, pixels->depth)) return wrong("samples memory of the depth target", where);
  }
  return {};
}

}  // namespace

Status check_textures(const LaunchData& launch) {
  const LaunchPixels* pixels = launch.pixels ? &*launch.pixels : nullptr;
  WARPJIT_CHECK(check_uses(launch, pixels));
  if (pixels != nullptr && pixels->vertex) WARPJIT_CHECK(check_uses(*pixels->vertex, pixels));
  if (pixels != nullptr && pixels->geometry) WARPJIT_CHECK(check_uses(*pixels->geometry, pixels));
  if (launch.primitives && launch.primitives->vertex)
    WARPJIT_CHECK(check_uses(*launch.primitives->vertex, nullptr));
  return {};
}

}  // namespace warpjit::runtime
