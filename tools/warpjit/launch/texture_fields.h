// Textures and samplers as launch files write them (docs/launch.md), and the bytes that pictures become.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "launch/fields.h"
#include "picture_file.h"
#include "warpjit/textures.hpp"

namespace warpjit::tool {

inline constexpr std::string_view kDimensions[] = {"1d", "2d", "3d", "cube", "buffer"};
inline constexpr std::string_view kLayouts[] = {"linear", "block-linear", "u-interleaved", "morton"};
inline constexpr std::string_view kWraps[] = {"repeat",
                                              "mirror",
                                              "clamp-to-edge",
                                              "clamp-to-border",
                                              "clamp",
                                              "mirror-once-to-edge",
                                              "mirror-once-to-border",
                                              "mirror-once"};
inline constexpr std::string_view kTexelTypes[] = {"none",  "unorm",           "snorm",   "uint",   "sint",
                                                   "float", "shared-exponent", "uscaled", "sscaled"};
inline constexpr std::string_view kFilters[] = {"nearest", "linear"};
inline constexpr std::string_view kMipFilters[] = {"none", "nearest", "linear"};
inline constexpr std::string_view kSources = "rgba01i";  // letters of swizzles, in the order of TexelSource

// Members that are read and written alike. Textures have two lists: how they lie in
// memory, and what programs see.
const Fields<Texture>& texture_memory_fields();
const Fields<Texture>& texture_view_fields();
const Fields<Sampler>& sampler_fields();

// A picture as levels of rgba8 or srgb8, packed one after the other; `generate`: down to one texel, each of
// them the mean of two by two.
std::vector<std::byte> picture_levels(const Image& image, bool srgb, std::uint32_t levels);
std::uint32_t full_levels(std::uint32_t width, std::uint32_t height);

}  // namespace warpjit::tool
