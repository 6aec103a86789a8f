#include "frontend/shader.h"

#include <cstdio>

namespace warpjit::frontend {
namespace {

Error not_for(const char* work, std::string where = {}) {
  return {ErrorCode::internal, std::string("this interpreter is not for ") + work, std::move(where)};
}

}  // namespace

Status GuestInterpreter::run(const Values&, const Facts&, std::span<const Rows>, std::span<const Rows>,
                             std::size_t, std::uint64_t) const {
  return not_for("rows");
}

Status GuestInterpreter::run_blocks(const Grid&, std::uint64_t, std::uint64_t, std::uint64_t,
                                    std::optional<BlockFault>&) const {
  return not_for("grids");
}

Status GuestInterpreter::draw(const Values&, const interpret::PixelWork&, std::uint64_t) const {
  return not_for("pixels");
}

Result<Location> Shader::find(LocationKind, std::string_view name) const {
  return Error{ErrorCode::bad_input,
               "'" + std::string(name) + "' is not a name of this program, which has no registers to bind",
               source_name()};
}

Result<SpaceName> Shader::find_space(std::string_view name) const {
  return Error{ErrorCode::bad_input,
               "there is no memory space '" + std::string(name) + "': this program has none to map",
               source_name()};
}

std::string Shader::address_text(const ir::MemoryFault& access, const Grid&) const {
  char text[32];
  std::snprintf(text, sizeof text, "[0x%x]", access.address);
  return text;
}

Result<CheckedGrid> Shader::check_grid(const Grid&) const {
  return Error{ErrorCode::bad_input, "only compute programs run on a grid of blocks", source_name()};
}

Status Shader::profile(const Grid&, std::optional<BlockFault>&, Profile&) const {
  return Error{ErrorCode::unsupported, "there are no profiles of programs of this kind", source_name()};
}

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
