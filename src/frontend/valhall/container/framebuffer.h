// What a fragment job of a Mali v9 draws to: framebuffer, render targets, depth and stencil
// (docs/guests/valhall.md 11).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/valhall/container/job.h"

namespace warpjit::valhall {

inline constexpr std::uint32_t kMaxFramebufferExtent = 8192;

enum class BlockFormat : std::uint8_t { none = 0, u_interleaved = 1, linear = 2, afbc = 12, afbc_tiled = 13 };
std::string_view name(BlockFormat format);  // empty: there is no such format

// What becomes of the samples of a pixel when it is stored: there is one, their average is stored, or each of
// them in a layer of its own.
enum class SampleStore : std::uint8_t { single = 0, average = 1, multiple = 2, layered = 3 };

// 64 bytes.
struct RenderTarget {
  std::uint64_t address = 0;
  std::string place;  // "fragment job at 0xf7fd3100, framebuffer 0xf7fd3000, target 0"
  std::uint8_t tile_format = 0, stored_format = 0;
  BlockFormat blocks = BlockFormat::none;
  bool write = false;
  bool write_clean = false;  // store also pixels that no fragment wrote
  bool srgb = false;
  std::uint16_t swizzle = 0;  // four selectors of 3 bits
  std::uint64_t memory = 0;   // address of row 0
  std::uint32_t row_stride = 0, layer_stride = 0;
  SampleStore samples = SampleStore::single;
  std::array<std::uint32_t, 4> clear{};  // of every pixel

  // Neither kept in the tile nor stored: what draws write to it is gone.
  bool is_off() const { return tile_format == 0 && !write; }
};

// When a frame's own draw runs: always, where a draw touches the tile, always and before the early tests.
enum class FrameShaderMode : std::uint8_t { never, always, intersect, early_always };
std::string_view name(FrameShaderMode mode);

enum class DepthFormat : std::uint8_t { d16, d24, d32 };
std::string_view name(DepthFormat format);

// What the ZS/CRC extension says of one plane.
struct DepthPlane {
  std::uint8_t format = 0;
  BlockFormat blocks = BlockFormat::none;
  std::uint64_t memory = 0;
  std::uint32_t row_stride = 0, layer_stride = 0;
  SampleStore samples = SampleStore::single;
};

inline constexpr unsigned kMostSamples = 4, kPreFrameDraws = 2;

struct Framebuffer {
  std::uint64_t address = 0;
  std::string place;
  std::uint32_t width = 0, height = 0;
  std::array<std::uint32_t, 2> first{}, last{};  // pixels of the bounds, inclusive
  std::uint64_t frame_argument = 0;
  bool first_provoking = false, points_from_bottom = false;
  unsigned samples = 1;  // of a pixel, or 4
  // Where these lie, from the pixel's corner, in 1/256 pixels.
  std::array<std::array<std::uint8_t, 2>, kMostSamples> sample_points{};
  std::vector<RenderTarget> targets{};
  DepthFormat depth_format = DepthFormat::d24;
  float depth_clear = 0;
  std::uint8_t stencil_clear = 0;
  bool depth_write = false, stencil_write = false;  // to memory
  bool depth_write_clean = false;
  std::optional<DepthPlane> depth{}, stencil{};  // where; nothing without the extension
  std::uint64_t tiler = 0;                       // address of the context whose draws these are
  // Draws before all others, over the whole area: the first loads colours, the second depth and stencil.
  std::array<FrameShaderMode, kPreFrameDraws> pre_frame{};
  std::uint64_t frame_draws = 0;  // address of the draws, 128 bytes each
  bool has_pre_frame() const {
    return pre_frame[0] != FrameShaderMode::never || pre_frame[1] != FrameShaderMode::never;
  }
};

// Reads the framebuffer of a fragment job. Errors name descriptor, address and field:
// bad_input; resource_limit for more than kMaxFramebufferExtent columns or rows; unsupported
// for what is refused by name.
Result<Framebuffer> read_framebuffer(const Image& image, const Job& job);

}  // namespace warpjit::valhall
