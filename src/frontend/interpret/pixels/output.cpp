#include "frontend/interpret/pixels/output.h"

#include <array>
#include <cstddef>
#include <utility>

#include "base/bits.h"
#include "frontend/interpret/pixels/arithmetic.h"
#include "frontend/interpret/pixels/format.h"

namespace warpjit::interpret {

namespace {

using Color = std::array<std::uint32_t, 4>;
constexpr std::size_t kAlpha = 3;

// What is compared: a denormal is a zero.
float number(std::uint32_t word) { return to_float(f32::flushed(word)); }

// A NaN is neither less nor equal nor greater.
template <class Number>
bool compare(Compare compare, Number a, Number b) {
  switch (compare) {
    case Compare::never:
      return false;
    case Compare::less:
      return a < b;
    case Compare::equal:
      return a == b;
    case Compare::less_equal:
      return a <= b;
    case Compare::greater:
      return a > b;
    case Compare::not_equal:
      return !(a == b);
    case Compare::greater_equal:
      return a >= b;
    case Compare::always:
      break;
  }
  return true;
}

std::uint32_t apply(StencilOp op, std::uint32_t stored, std::uint32_t reference) {
  switch (op) {
    case StencilOp::keep:
      break;
    case StencilOp::zero:
      return 0;
    case StencilOp::replace:
      return reference;
    case StencilOp::increment_clamp:
      return stored == 255 ? 255 : stored + 1;
    case StencilOp::decrement_clamp:
      return stored == 0 ? 0 : stored - 1;
    case StencilOp::invert:
      return ~stored & 255;
    case StencilOp::increment_wrap:
      return (stored + 1) & 255;
    case StencilOp::decrement_wrap:
      return (stored - 1) & 255;
  }
  return stored;
}

std::byte* pixel_of(const PixelTarget& target, std::size_t bytes, std::int32_t x, std::int32_t y) {
  return target.data + target.pitch * y + static_cast<std::ptrdiff_t>(bytes) * x;
}

// Both tests and what they write. Without a depth target, or without the component in it, a test passes.
bool depth_stencil_test(const PixelWork& work, bool front_facing, std::uint32_t depth, std::int32_t x,
                        std::int32_t y) {
  const FormatInfo& format = format_info(work.output.depth_format);
  if (work.depth.data == nullptr || format.bytes == 0) return true;
  std::byte* const place = pixel_of(work.depth, format.bytes, x, y);
  const PixelWords stored = load_pixel(place, format.bytes);
  PixelWords result = stored;

  const Component &depth_bits = format.components[0], &stencil_bits = format.components[1];
  const bool stencil = work.output.stencil.test && stencil_bits.encoding != Encoding::none;
  const StencilFace& face = front_facing ? work.output.stencil.front : work.output.stencil.back;
  const std::uint32_t old_stencil = stencil ? extract(stencil_bits, stored) : 0;
  const auto update_stencil = [&](StencilOp op) {
    if (!stencil) return;
    const std::uint32_t value = apply(op, old_stencil, face.reference), mask = face.write_mask;
    insert(stencil_bits, result, (old_stencil & ~mask) | (value & mask));
  };
  const auto store = [&] { store_pixel(place, format.bytes, result); };

  if (stencil &&
      !compare<std::uint32_t>(face.compare, face.reference & face.read_mask, old_stencil & face.read_mask)) {
    update_stencil(face.fail);
    store();
    return false;
  }
  if (work.output.depth.test) {
    const std::uint32_t value = encode(depth_bits, f32::unit(depth)), old = extract(depth_bits, stored);
    const bool passes = depth_bits.encoding == Encoding::unorm
                            ? compare(work.output.depth.compare, value, old)
                            : compare(work.output.depth.compare, number(value), number(old));
    if (!passes) {
      update_stencil(face.depth_fail);
      store();
      return false;
    }
    if (work.output.depth.write) insert(depth_bits, result, value);
  }
  update_stencil(face.pass);
  store();
  return true;
}

// --- Blending ----------------------------------------------------------------------------------------------

std::uint32_t result(std::uint32_t word) { return f32::is_nan(word) ? f32::kNan : f32::flushed(word); }
std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return result(number(a) < number(b) ? a : b); }
std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return result(number(a) > number(b) ? a : b); }
std::uint32_t one_minus(std::uint32_t x) { return f32::sub(f32::kOne, x); }

struct BlendInput {
  Color source, target, constant;
};

std::uint32_t times_factor(std::uint32_t value, BlendFactor factor, std::size_t n, const BlendInput& in) {
  switch (factor) {
    case BlendFactor::zero:
      return 0;
    case BlendFactor::one:
      return value;
    case BlendFactor::source_color:
      return f32::mul(value, in.source[n]);
    case BlendFactor::one_minus_source_color:
      return f32::mul(value, one_minus(in.source[n]));
    case BlendFactor::source_alpha:
      return f32::mul(value, in.source[kAlpha]);
    case BlendFactor::one_minus_source_alpha:
      return f32::mul(value, one_minus(in.source[kAlpha]));
    case BlendFactor::target_color:
      return f32::mul(value, in.target[n]);
    case BlendFactor::one_minus_target_color:
      return f32::mul(value, one_minus(in.target[n]));
    case BlendFactor::target_alpha:
      return f32::mul(value, in.target[kAlpha]);
    case BlendFactor::one_minus_target_alpha:
      return f32::mul(value, one_minus(in.target[kAlpha]));
    case BlendFactor::constant_color:
      return f32::mul(value, in.constant[n]);
    case BlendFactor::one_minus_constant_color:
      return f32::mul(value, one_minus(in.constant[n]));
    case BlendFactor::constant_alpha:
      return f32::mul(value, in.constant[kAlpha]);
    case BlendFactor::one_minus_constant_alpha:
      return f32::mul(value, one_minus(in.constant[kAlpha]));
    case BlendFactor::source_alpha_saturate:
      break;
  }
  if (n == kAlpha) return value;  // times one
  return f32::mul(value, smaller(in.source[kAlpha], one_minus(in.target[kAlpha])));
}

std::uint32_t combine(const BlendState& state, std::size_t n, const BlendInput& in) {
  const bool alpha = n == kAlpha;
  const std::uint32_t source = times_factor(in.source[n], alpha ? state.source_alpha : state.source, n, in);
  const std::uint32_t target = times_factor(in.target[n], alpha ? state.target_alpha : state.target, n, in);
  switch (alpha ? state.op_alpha : state.op) {
    case BlendOp::add:
      return f32::add(source, target);
    case BlendOp::subtract:
      return f32::sub(source, target);
    case BlendOp::reverse_subtract:
      return f32::sub(target, source);
    case BlendOp::min:
      return smaller(in.source[n], in.target[n]);
    case BlendOp::max:
      break;
  }
  return larger(in.source[n], in.target[n]);
}

Color blended(const BlendState& state, const FormatInfo& format, const PixelWords& pixel, const Color& source,
              const std::array<float, 4>& constant) {
  const bool limited = format.kind == Kind::limited;
  BlendInput in;
  for (std::size_t n = 0; n < 4; ++n) {
    const Component& component = format.components[n];
    in.target[n] = component.encoding != Encoding::none ? decode(component, extract(component, pixel))
                   : n == kAlpha                        ? f32::kOne
                                                        : 0;
    in.source[n] = limited ? f32::unit(source[n]) : source[n];
    in.constant[n] = limited ? f32::unit(to_bits(constant[n])) : to_bits(constant[n]);
  }
  return {combine(state, 0, in), combine(state, 1, in), combine(state, 2, in), combine(state, 3, in)};
}

void write_color(const PixelWork& work, unsigned number, const Color& color, std::int32_t x, std::int32_t y) {
  const FormatInfo& format = format_info(work.output.colors[number]);
  const PixelTarget& target = work.colors[number];
  if (target.data == nullptr || format.bytes == 0) return;
  const BlendState& state = work.output.blend[number];
  std::byte* const place = pixel_of(target, format.bytes, x, y);
  PixelWords pixel = load_pixel(place, format.bytes);
  const Color result = state.enabled && format.kind != Kind::integer
                           ? blended(state, format, pixel, color, work.output.blend_constant)
                           : color;
  for (std::size_t n = 0; n < 4; ++n) {
    const Component& component = format.components[n];
    if (component.encoding == Encoding::none || (state.write_mask >> n & 1) == 0) continue;
    insert(component, pixel, encode(component, result[n]));
  }
  store_pixel(place, format.bytes, pixel);
}

}  // namespace

void write_fragment(const PixelWork& work, bool front_facing, std::uint32_t depth, const Fragment& fragment,
                    std::int32_t x, std::int32_t y) {
  const OutputState& state = work.output;
  const bool integers = format_info(state.colors[0]).kind == Kind::integer;
  if (state.alpha_test && !integers &&
      !compare(state.alpha_compare, number(fragment.colors[0][kAlpha]),
               number(to_bits(state.alpha_reference))))
    return;
  if (!depth_stencil_test(work, front_facing, depth, x, y)) return;
  for (unsigned number = 0; number < kMaxColorTargets; ++number)
    write_color(work, number, fragment.colors[number], x, y);
}

}  // namespace warpjit::interpret
