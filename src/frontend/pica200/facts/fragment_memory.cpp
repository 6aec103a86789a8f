#include "frontend/pica200/facts/fragment_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace warpjit::pica200 {

namespace {

Result<std::byte*> find_target(const PhysicalMemory& memory, std::uint32_t address, std::uint64_t size,
                               std::uint32_t id, const char* what) {
  if (std::byte* found = memory.find(address, size)) return found;
  char text[96];
  std::snprintf(text, sizeof text, "%llu bytes of the %s target at 0x%08X do not lie in memory",
                static_cast<unsigned long long>(size), what, static_cast<unsigned>(address));
  return Error{ErrorCode::bad_input, text, register_name(id)};
}

bool overlap(const std::byte* a, std::size_t a_size, const std::byte* b, std::size_t b_size) {
  return a_size != 0 && b_size != 0 && a < b + b_size && b < a + a_size;
}

// A texel needs no more than the four bytes from its first one on.
constexpr std::size_t kMargin = 4;
constexpr std::size_t kLeastBytes = 8;  // of a TexelView

}  // namespace

bool FoundTargets::overlap(const std::byte* data, std::size_t size) const {
  return pica200::overlap(color, color_size, data, size) || pica200::overlap(depth, depth_size, data, size);
}

Result<FoundTargets> find_targets(const FragmentSetup& setup, const PhysicalMemory& memory) {
  const OutputState& output = setup.state.output;
  const TargetSetup& target = setup.target;
  const std::size_t pixels = std::size_t{target.width} * ((target.height + 7) / 8 * 8);
  FoundTargets found;
  if (output.touches_color()) {
    found.color_size = pixels * pixel_bytes(output.color_format);
    WARPJIT_TRY(found.color, find_target(memory, target.color_address, found.color_size, 0x11D, "colour"));
  }
  if (output.touches_depth()) {
    found.depth_size = pixels * pixel_bytes(output.depth_format);
    WARPJIT_TRY(found.depth, find_target(memory, target.depth_address, found.depth_size, 0x11C, "depth"));
  }
  if (overlap(found.color, found.color_size, found.depth, found.depth_size))
    return Error{ErrorCode::bad_input, "the depth target lies over the colour target", register_name(0x11C)};
  return found;
}

Result<SampledLevels> sampled_levels(const TextureState& state, const TextureValues& values) {
  constexpr std::uint32_t kLeastSide = 8;
  SampledLevels levels;
  levels.first = static_cast<std::uint32_t>(std::min(values.least, values.greatest));
  const std::uint32_t width = values.width >> levels.first, height = values.height >> levels.first;
  if (width < kLeastSide || height < kLeastSide)
    return Error{ErrorCode::bad_input,
                 "level " + std::to_string(levels.first) + " of the texture, " + std::to_string(width) +
                     " x " + std::to_string(height) + " texels, is smaller than 8 x 8",
                 register_name(values.address_ids[0])};
  const auto last = static_cast<std::uint32_t>(std::min(values.greatest, values.last_level()));
  for (std::uint32_t level = 0; level <= last; ++level) {
    const std::uint64_t bytes =
        std::uint64_t{values.width >> level} * (values.height >> level) * texel_bits(state.format) / 8;
    (level < levels.first ? levels.begin : levels.size) += bytes;
  }
  return levels;
}

Status find_texture(const FragmentSetup& setup, unsigned unit, const PhysicalMemory& memory,
                    const FoundTargets& targets, FoundTexture& found) {
  const TextureState& state = setup.state.textures[unit];
  const TextureValues& values = setup.values.textures[unit];
  WARPJIT_TRY(const SampledLevels levels, sampled_levels(state, values));
  const std::size_t faces = state.is_cube() ? 6 : 1;
  std::array<const std::byte*, 6> data{};
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  for (std::size_t face = 0; face < faces; ++face) {
    if (values.addresses[face] == 0) continue;
    const std::uint64_t address = values.addresses[face] + levels.begin;
    data[face] = memory.access(address, levels.size, false);
    if (data[face] == nullptr) {
      char text[96];
      std::snprintf(text, sizeof text, "%llu bytes of a texture at 0x%08llX do not lie in memory",
                    static_cast<unsigned long long>(levels.size), static_cast<unsigned long long>(address));
      return Error{ErrorCode::bad_input, text, register_name(values.address_ids[face])};
    }
    if (targets.overlap(data[face], levels.size))
      return Error{ErrorCode::bad_input, "the texture lies over a target of the draw",
                   register_name(values.address_ids[face])};
    low = std::min(low, address);
    high = std::max(high, address + levels.size);
  }
  found.first_level = levels.first;
  found.faces = {};
  if (high == 0) {
    static constexpr std::array<std::byte, kLeastBytes> kNothing{};
    found.data = kNothing.data();
    found.size = kNothing.size();
    return {};
  }
  // In place, if there is one piece with room after it.
  found.data = memory.find(low, high - low + kMargin);
  if (found.data != nullptr) {
    found.size = high - low + kMargin;
    for (std::size_t face = 0; face < faces; ++face)
      if (data[face] != nullptr)
        found.faces[face] = static_cast<std::uint32_t>(values.addresses[face] + levels.begin - low);
    return {};
  }
  found.copy.assign(faces * levels.size + kMargin, std::byte{});
  for (std::size_t face = 0; face < faces; ++face) {
    if (data[face] == nullptr) continue;
    found.faces[face] = static_cast<std::uint32_t>(face * levels.size);
    std::memcpy(found.copy.data() + found.faces[face], data[face], levels.size);
  }
  found.data = found.copy.data();
  found.size = found.copy.size();
  return {};
}

}  // namespace warpjit::pica200
