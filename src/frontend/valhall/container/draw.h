// Draws of malloc vertex jobs in the memory of a Mali v9: what their descriptors say of tests, blending and
// the fragment program (docs/guests/valhall.md 11). Fields that nothing here needs are left out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/valhall/container/job.h"

namespace warpjit::valhall {

// 32 bytes. Functions are 0 never to 7 always, operations those of the hardware.
struct StencilSide {
  std::uint8_t function = 0, fail = 0, depth_fail = 0, depth_pass = 0;
  std::uint8_t write_mask = 0, value_mask = 0, reference = 0;
};
enum class DepthSource : std::uint8_t { minimum, maximum, fixed_function, shader };
struct DepthStencilDescriptor {
  std::uint64_t address = 0;
  std::string place;  // for messages
  bool stencil_test = false, stencil_from_shader = false;
  StencilSide front, back;
  bool depth_cull = false;       // clip at the draw's minimum and maximum Z
  bool clamp_to_bounds = false;  // depth to these; else to 0 and 1
  DepthSource depth_source = DepthSource::fixed_function;
  bool depth_write = false, depth_bias = false;
  std::uint8_t depth_function = 7;
  float units = 0, factor = 0, bias_clamp = 0;
};

// A + B * C.
struct BlendFunction {
  std::uint8_t a = 0, b = 0, c = 0;
  bool negate_a = false, negate_b = false, invert_c = false;
};
enum class BlendMode : std::uint8_t { shader, opaque, fixed_function, off };
// 16 bytes.
struct BlendDescriptor {
  std::uint64_t address = 0;
  std::string place;
  bool alpha_to_one = false, enable = false, srgb = false;
  std::uint16_t constant = 0;
  BlendFunction color, alpha;
  std::uint8_t mask = 0;  // of components that are written, bit 0 red
  BlendMode mode = BlendMode::off;
  std::uint8_t components = 4, target = 0;  // of opaque and fixed_function
  std::uint32_t format = 0;                 // pixel format of 22 bits, of the same modes
  bool raw = false;
  std::uint32_t shader = 0;  // low word of its address, of shader
};

// What is counted of the pixels that pass: whether there are any, or how many.
enum class OcclusionQuery : std::uint8_t { off = 0, any = 1, count = 3 };

enum class TestTime : std::uint8_t { force_early, strong_early, weak_early, force_late };

struct DrawDescriptor {
  std::uint64_t address = 0;
  std::string place;  // "malloc vertex job at 0xf7fd3180, draw"
  TestTime pixel_kill = TestTime::force_early, depth_update = TestTime::force_early;
  OcclusionQuery query = OcclusionQuery::off;
  std::uint64_t query_result = 0;  // address, of 8 bytes
  bool front_counterclockwise = false, cull_front = false, cull_back = false;
  bool multisample = false, per_sample = false;
  std::uint16_t sample_mask = 0;
  std::uint8_t target_mask = 0;
  float minimum_depth = 0, maximum_depth = 1;  // infinite: no limit there
  std::array<std::uint16_t, 2> scissor_first{}, scissor_last{};
  float size = 1;                    // of points without a size of their own, and of lines
  std::uint8_t point_size_bits = 0;  // of the sizes that the position program stores; 0: it stores none
  DepthStencilDescriptor depth_stencil{};
  std::vector<BlendDescriptor> blend{};
  Environment fragment{};  // without a program: depth and stencil alone
};

// Reads the draw of a malloc vertex job. Errors name descriptor, address and field: bad_input; unsupported
// for what is refused by name.
Result<DrawDescriptor> read_draw(const Image& image, const Job& job);

// 128 bytes at the address, as frames have them: without a scissor rectangle, sizes and vertices. `place`
// begins the messages. Errors are those of read_draw.
inline constexpr std::uint32_t kDrawBytes = 128;
Result<DrawDescriptor> read_draw_at(const Image& image, std::string place, std::uint64_t address);

// 192 bytes.
struct TilerContext {
  std::uint64_t address = 0;
  bool first_provoking = false;
  std::uint32_t width = 0, height = 0;
};
// `place` begins the messages.
Result<TilerContext> read_tiler(const Image& image, const std::string& place, std::uint64_t address);

}  // namespace warpjit::valhall
