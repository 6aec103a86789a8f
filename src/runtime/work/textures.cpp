#include "runtime/work/textures.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/work/launch.h"

namespace warpjit::runtime {

namespace {

bool shares_memory(const textures::TextureView& texture, const TargetBuffer& target) {
  if (target.data == nullptr) return false;
  const auto begin = reinterpret_cast<std::uintptr_t>(texture.bound);
  const auto target_begin = reinterpret_cast<std::uintptr_t>(target.data);
  return begin < target_begin + target.size && target_begin < begin + texture.bound_size;
}

// "; it samples 3 textures, 0, 2, 5, of which 1 is set". `number`: of a use;
// `is_set`: true if the slot has something.
template <class Number, class IsSet>
std::string among(std::span<const frontend::TextureUse> uses, const char* verb, const char* what,
                  Number number, IsSet is_set) {
  std::vector<unsigned> slots;
  for (const frontend::TextureUse& use : uses)
    if (const std::optional<unsigned> slot = number(use)) slots.push_back(*slot);
  std::ranges::sort(slots);
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  std::string list;
  for (const unsigned slot : slots) list += (list.empty() ? "" : ", ") + std::to_string(slot);
  const auto set = std::ranges::count_if(slots, is_set);
  return std::string("; it ") + verb + " " + std::to_string(slots.size()) + " " + what +
         (slots.size() == 1 ? ", " : "s, ") + list + ", of which " +
         (set == 0 ? "none" : std::to_string(set)) + (set < 2 ? " is set" : " are set");
}

// That a texture lies in no target.
Status check_memory(const LaunchData& launch, unsigned slot, const LaunchPixels& pixels) {
  const textures::TextureView& texture = *launch.values.grid.bound.texture(slot);
  const auto wrong = [&](const std::string& target) {
    return Error{ErrorCode::bad_input, launch.shader->source_name() + " samples memory of " + target,
                 "texture " + std::to_string(slot)};
  };
  for (unsigned n = 0; n < kMaxColorTargets; ++n)
    if (shares_memory(texture, pixels.colors[n])) return wrong("colour target " + std::to_string(n));
  if (shares_memory(texture, pixels.depth)) return wrong("the depth target");
  if (pixels.output.count_passed && shares_memory(texture, pixels.pass_counts))
    return wrong("the pass counts");
  return {};
}

// The programs of `launch` alone; `pixels` has the targets.
Status check_uses(const LaunchData& launch, const LaunchPixels* pixels) {
  const frontend::BoundTextures& bound = launch.values.grid.bound;
  const frontend::Sampling& sampling = launch.shader->sampling();
  for (const frontend::TextureUse& use : sampling.uses) {
    const std::string where = "texture " + std::to_string(use.texture);
    const auto wrong = [&](const std::string& message, const std::string& place) {
      return Error{ErrorCode::bad_input, launch.shader->source_name() + " " + message, place};
    };
    const textures::TextureView* texture = bound.texture(use.texture);
    if (texture == nullptr)
      return wrong(
          "samples it, but it is not set" +
              among(
                  sampling.uses, "samples", "texture",
                  [](const frontend::TextureUse& each) { return std::optional<unsigned>(each.texture); },
                  [&](unsigned slot) { return bound.texture(slot) != nullptr; }),
          where);
    if (use.needs_sampler) {
      const Sampler* sampler = bound.sampler(use.sampler);
      const std::string name = "sampler " + std::to_string(use.sampler);
      if (sampler == nullptr)
        return wrong("samples with it, but it is not set" +
                         among(
                             sampling.uses, "has", "sampler",
                             [](const frontend::TextureUse& each) {
                               return each.needs_sampler ? std::optional<unsigned>(each.sampler)
                                                         : std::nullopt;
                             },
                             [&](unsigned slot) { return bound.sampler(slot) != nullptr; }),
                     name);
      WARPJIT_CHECK(textures::check_pair(*texture, *sampler, where + ", " + name));
      if (const char* why = sampling.refusal != nullptr ? sampling.refusal(*texture, *sampler) : nullptr)
        return Error{ErrorCode::unsupported, launch.shader->source_name() + ": " + why, where};
    }
    if (pixels != nullptr) WARPJIT_CHECK(check_memory(launch, use.texture, *pixels));
  }
  if (pixels == nullptr || !sampling.computed) return {};
  for (unsigned slot = 0; slot < bound.textures.size(); ++slot)
    if (bound.texture(slot) != nullptr) WARPJIT_CHECK(check_memory(launch, slot, *pixels));
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
