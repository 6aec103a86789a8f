// Fixed-function state of work over pixels: targets, primitives, coverage, tests and blending. Guest-neutral:
// the headers of the GPUs say how their registers map to it. docs/pixels.md has the exact rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "warpjit/result.hpp"

namespace warpjit {

// Pixels in memory, little endian. Names list components from the lowest bits or bytes up.
enum class PixelFormat : std::uint8_t {
  none,
  rgba8,     // unorm
  srgb8,     // like rgba8, colours encoded by the sRGB curve
  rgb565,    // 16 bits, red lowest
  rgba4,     // 16 bits
  rgb5a1,    // 16 bits
  rgb10a2,   // 32 bits, unorm
  rgba16f,   // four halves
  rgba32f,   // four floats
  r32f,      // one float
  rgba32i,   // four words, the program's bits as they are
  rgba32ui,  // the same
  r32i,      // one word
  r32ui,     // the same
  rgba8i,    // four signed bytes; a value is clamped
  rgba8ui,   // four unsigned bytes; a value is clamped
  d16,       // depth, unorm
  d24s8,     // depth in bits 0-23, unorm; stencil in bits 24-31
  d32f,      // depth
  // Unorm.
  r8,
  rg8,
  r16,
  rg16,
  rgba16,
  // Snorm.
  r8_snorm,
  rg8_snorm,
  rgba8_snorm,
  r16_snorm,
  rg16_snorm,
  rgba16_snorm,
  // Floats.
  r16f,
  rg16f,
  rg32f,
  r11g11b10f,  // 32 bits, without signs
  // Integers; a value is clamped.
  r8i,
  r8ui,
  rg8i,
  rg8ui,
  r16i,
  r16ui,
  rg16i,
  rg16ui,
  rgba16i,
  rgba16ui,
  rg32i,
  rg32ui,
  rgb10a2ui,  // 32 bits
};
inline constexpr PixelFormat kLastPixelFormat = PixelFormat::rgb10a2ui;
// Lower-case names as above, with a hyphen: "r8-snorm".
WARPJIT_API const char* name(PixelFormat format);
WARPJIT_API std::optional<PixelFormat> parse_pixel_format(std::string_view text);
WARPJIT_API std::size_t pixel_size(PixelFormat format);  // bytes; 0 for `none`
WARPJIT_API bool is_depth(PixelFormat format);
WARPJIT_API bool is_integer(PixelFormat format);  // a colour's

enum class Compare : std::uint8_t {
  never,
  less,
  equal,
  less_equal,
  greater,
  not_equal,
  greater_equal,
  always
};
enum class StencilOp : std::uint8_t {
  keep,
  zero,
  replace,
  increment_clamp,
  decrement_clamp,
  invert,
  increment_wrap,
  decrement_wrap
};
enum class BlendFactor : std::uint8_t {
  zero,
  one,
  source_color,
  one_minus_source_color,
  source_alpha,
  one_minus_source_alpha,
  target_color,
  one_minus_target_color,
  target_alpha,
  one_minus_target_alpha,
  constant_color,
  one_minus_constant_color,
  constant_alpha,
  one_minus_constant_alpha,
  source_alpha_saturate,  // min(source alpha, 1 - target alpha); alpha: one
  target_alpha_saturate,  // min(target alpha, 1 - source alpha); alpha: one
};
enum class BlendOp : std::uint8_t { add, subtract, reverse_subtract, min, max };
// A component as A + B * C; the product is rounded first.
struct BlendMix {
  enum class Add : std::uint8_t { zero, source, target } add = Add::zero;
  bool negate_add = false;
  enum class Multiply : std::uint8_t {
    source_minus_target,
    source_plus_target,
    source,
    target
  } multiply = Multiply::source;
  bool negate_multiply = false;
  enum class By : std::uint8_t {
    zero,
    source,
    target,
    twice_source,
    source_alpha,
    target_alpha,
    constant
  } by = By::zero;
  bool invert_by = true;  // 1 - C in place of C
  friend bool operator==(const BlendMix&, const BlendMix&) = default;
};

struct DepthState {
  bool test = false;  // without it there are no depth writes either
  bool write = true;
  Compare compare = Compare::less;  // fragment OP stored
  friend bool operator==(const DepthState&, const DepthState&) = default;
};
struct StencilFace {
  Compare compare = Compare::always;  // (reference & read mask) OP (stored & read mask)
  StencilOp fail = StencilOp::keep, depth_fail = StencilOp::keep, pass = StencilOp::keep;
  std::uint8_t reference = 0, read_mask = 0xff, write_mask = 0xff;
  friend bool operator==(const StencilFace&, const StencilFace&) = default;
};
struct StencilState {
  bool test = false;
  StencilFace front, back;
  friend bool operator==(const StencilState&, const StencilState&) = default;
};
struct BlendState {
  bool enabled = false;  // ignored by integer formats
  BlendFactor source = BlendFactor::one, target = BlendFactor::zero;
  BlendFactor source_alpha = BlendFactor::one, target_alpha = BlendFactor::zero;
  BlendOp op = BlendOp::add, op_alpha = BlendOp::add;
  std::uint8_t write_mask = 0xf;  // bit 0: red
  bool mixed = false;             // by `mix` and `mix_alpha` instead of factors and operation
  BlendMix mix{}, mix_alpha{};
  // Unorm formats that are not mixed: factors and operation on bytes, each product rounded.
  bool bytes = false;
  friend bool operator==(const BlendState&, const BlendState&) = default;
};

inline constexpr unsigned kMaxColorTargets = 8;
inline constexpr std::uint32_t kMaxTargetExtent = 16384;  // columns, rows

// What happens to a fragment's results. Its code is specialized for all members but blend_constant and
// alpha_reference.
struct OutputState {
  std::array<PixelFormat, kMaxColorTargets> colors{};  // none: not bound
  PixelFormat depth_format = PixelFormat::none;
  DepthState depth;
  StencilState stencil;
  std::array<BlendState, kMaxColorTargets> blend{};
  bool alpha_test = false;  // alpha of colour 0 OP alpha_reference
  Compare alpha_compare = Compare::always;
  float alpha_reference = 0;
  std::array<float, 4> blend_constant{};
  // Depth and stencil are tested and written before the program runs, also if it discards or changes them.
  bool early_tests = false;
  bool count_passed = false;  // pixels that pass all tests are counted (Launch::bind_pass_counts)
  friend bool operator==(const OutputState&, const OutputState&) = default;
};

enum class Topology : std::uint8_t { points, lines, line_strip, triangles, triangle_strip, triangle_fan };

// What the slots of colours have that Tesla's graphics state names (tesla::GraphicsState::color_slots). Other
// guests name no such slots: `flat` is bad_input for their programs.
enum class ShadeModel : std::uint8_t {
  smooth,  // their own planes
  flat,    // the provoking vertex's colours, though the program interpolates them
};

// How vertices become covered pixels. Row 0 of a target is the row with the smallest window y.
struct RasterState {
  Topology topology = Topology::triangles;
  // window = clip / w * scale + translate; x, y in pixels, z as depth.
  std::array<float, 3> viewport_scale{1, 1, 1}, viewport_translate{0, 0, 0};
  // Pixels outside are not drawn: columns from x to x + width - 1. Starts as everything.
  struct Rectangle {
    std::uint32_t x = 0, y = 0, width = ~0U, height = ~0U;
    friend bool operator==(const Rectangle&, const Rectangle&) = default;
  } scissor;
  bool depth_zero_to_one = false;          // clip space has 0 <= z <= w, else -w <= z <= w
  bool clip_near = true, clip_far = true;  // off: depth is clamped instead
  // Triangles whose area is positive, with rows growing downward, are front-facing.
  bool positive_is_front = false;
  bool cull_front = false, cull_back = false;
  bool provoking_last = true;  // which vertex gives flat slots
  ShadeModel shade = ShadeModel::smooth;
  float point_size = 1;              // pixels
  std::uint8_t point_size_slot = 0;  // not 0: the slot of the vertex that has the size instead
  float line_width = 1;              // pixels
  // Slots first to first + count - 1 are distances; bit n of `clip` and of `cull` says what distance n does.
  struct Distances {
    std::uint8_t first = 0, count = 0, clip = 0, cull = 0;
    friend bool operator==(const Distances&, const Distances&) = default;
  } distances;
  // Positions are window coordinates with 1/w in place of w.
  bool window_positions = false;
  // What a triangle's depth is moved by: slope * the larger of its changes per column and per row, + units *
  // the smallest step of the depth format. clamp > 0 is the most that this may be, clamp < 0 the least.
  struct DepthBias {
    float units = 0, slope = 0, clamp = 0;
    friend bool operator==(const DepthBias&, const DepthBias&) = default;
  } depth_bias;
  // Least and greatest depth, 0 <= least <= greatest <= 1: depth is limited to that.
  std::array<float, 2> depth_bounds{0, 1};
  // With window positions, clip_near and clip_far cut at these depths, the first not above the second.
  std::array<float, 2> clip_bounds{0, 1};
  // Where in a pixel its coverage and depth are taken, of a target that has a sample there: columns and rows
  // from its corner, 1/256 pixels, 0 to 255. What the program interpolates stays at the centre, unless it
  // asks for the sample.
  std::array<std::uint8_t, 2> sample_point{128, 128};
  friend bool operator==(const RasterState&, const RasterState&) = default;
};

// What became of the primitives of a draw, to tell why pixels stayed as they were.
struct DrawCounts {
  // In all instances, or as a geometry program emitted them.
  std::uint64_t primitives = 0;
  // Those of which nothing was drawn, each by what ended it; all others had a shape to fill.
  std::uint64_t missing = 0;     // an index names no vertex
  std::uint64_t not_finite = 0;  // a coordinate of a position is NaN or infinite
  std::uint64_t outside = 0;     // of the view volume, or of a clip or cull distance
  std::uint64_t culled = 0;      // by the side that is seen
  std::uint64_t empty = 0;       // without area; points and lines: a size that is not above 0
  std::uint64_t beside = 0;      // around them no centre of a pixel inside the targets and the scissor
  // Counted by the guest engine alone, which looks at every pixel: those that primitives covered, and of
  // these the ones that the program discarded or a test rejected.
  std::uint64_t covered = 0, discarded = 0, alpha_failed = 0, stencil_failed = 0, depth_failed = 0;
};

}  // namespace warpjit
