// Textures, their planes, and samplers in the memory of a Mali v9 (docs/guests/valhall.md 11).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/valhall/container/job.h"

namespace warpjit::valhall {

// 32 bytes.
struct PlaneDescriptor {
  std::uint64_t address = 0;
  static constexpr std::uint8_t kGeneric = 1, kAstc = 4, kAfbc = 6;
  static constexpr std::uint8_t kUInterleaved = 1, kLinear = 2;
  std::uint8_t kind = 0;                           // 0 none, kGeneric, kAstc, 5 ASTC 3D, kAfbc, 8 chroma
  std::uint8_t ordering = 0;                       // kUInterleaved or kLinear
  std::uint8_t clump = 0;                          // what lies in memory for a texel or block
  std::uint8_t block_width = 0, block_height = 0;  // codes, of ASTC 2D
  bool hdr = false;                                // of ASTC
  std::uint32_t size = 0;                          // bytes
  std::uint64_t memory = 0;                        // address
  std::uint32_t row_stride = 0, slice_stride = 0;
};

enum class TextureKind : std::uint8_t { cube, one, two, three };
// 32 bytes.
struct TextureDescriptor {
  std::uint64_t address = 0;
  std::string place;  // for messages
  TextureKind kind = TextureKind::two;
  std::uint32_t format = 0;  // pixel format of 22 bits
  std::uint32_t width = 0, height = 0, depth = 0, layers = 0, levels = 0;
  std::uint16_t swizzle = 0;  // four selectors of 3 bits
  bool interleaved = false;
  std::uint32_t minimum_level = 0;
  std::uint16_t minimum_lod = 0, maximum_lod = 0;  // in 1/256
  std::uint32_t samples = 1;
  std::uint64_t surfaces = 0;  // address of the planes

  std::uint32_t faces() const { return kind == TextureKind::cube ? 6 : 1; }
};

// 32 bytes.
struct SamplerDescriptor {
  std::uint64_t address = 0;
  std::string place;
  std::array<std::uint8_t, 3> wrap{};  // S, T, R
  bool keep_srgb = false;              // do not decode
  bool seamless = false, normalized = true;
  bool minify_nearest = false, magnify_nearest = false, magnify_cutoff = false;
  std::uint8_t mip = 0;                            // 0 nearest, 1 none, 3 trilinear
  std::uint8_t compare = 0;                        // 0 never to 7 always
  std::uint16_t minimum_lod = 0, maximum_lod = 0;  // in 1/256
  std::int16_t bias = 0;                           // in 1/256
  std::uint8_t anisotropy = 1;
  std::array<std::uint32_t, 4> border{};
};

// Entry `index` of a table, as read_buffer.
Result<std::optional<TextureDescriptor>> read_texture(const Image& image, const Environment& environment,
                                                      std::uint32_t table, std::uint32_t index);
Result<std::optional<SamplerDescriptor>> read_sampler(const Image& image, const Environment& environment,
                                                      std::uint32_t table, std::uint32_t index);

// Planes by layer, then face, then level. Errors: also more of them than textures can have
// (resource_limit), and descriptors that are no planes.
Result<std::vector<PlaneDescriptor>> read_planes(const Image& image, const TextureDescriptor& texture);

}  // namespace warpjit::valhall
