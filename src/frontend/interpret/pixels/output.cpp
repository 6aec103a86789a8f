#include "frontend/interpret/pixels/output.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
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

// --- Blending ----------------------------------------------------------------------------------------------

std::uint32_t result(std::uint32_t word) { return f32::is_nan(word) ? f32::kNan : f32::flushed(word); }
std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return result(number(a) < number(b) ? a : b); }
std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return result(number(a) > number(b) ? a : b); }
std::uint32_t one_minus(std::uint32_t x) { return f32::sub(f32::kOne, x); }

struct BlendInput {
  Color source, target, constant;
};

// A factor that is a component of a colour, or what that lacks to one.
struct ColorFactor {
  std::uint32_t component;
  bool rest;
};
std::optional<ColorFactor> color_factor(BlendFactor factor, std::size_t n, const BlendInput& in) {
  if (factor < BlendFactor::source_color || factor > BlendFactor::one_minus_constant_alpha) return {};
  // Each colour has four: the component, one less it, alpha, and one less that.
  const unsigned k = static_cast<unsigned>(factor) - static_cast<unsigned>(BlendFactor::source_color);
  const Color& color = k < 4 ? in.source : k < 8 ? in.target : in.constant;
  return ColorFactor{color[k % 4 < 2 ? n : kAlpha], k % 2 != 0};
}
static_assert(static_cast<unsigned>(BlendFactor::one_minus_constant_alpha) ==
              static_cast<unsigned>(BlendFactor::source_color) + 11);

std::uint32_t times_factor(std::uint32_t value, BlendFactor factor, std::size_t n, const BlendInput& in) {
  if (const auto by = color_factor(factor, n, in))
    return f32::mul(value, by->rest ? one_minus(by->component) : by->component);
  if (factor == BlendFactor::zero) return 0;
  if (factor == BlendFactor::one || n == kAlpha) return value;
  const bool of_source = factor == BlendFactor::source_alpha_saturate;
  const std::uint32_t source = in.source[kAlpha], target = in.target[kAlpha];
  return f32::mul(value, of_source ? smaller(source, one_minus(target)) : smaller(target, one_minus(source)));
}

std::uint32_t mixed(const BlendMix& mix, std::size_t n, const BlendInput& in) {
  const std::uint32_t source = in.source[n], target = in.target[n];
  const auto with_sign = [](std::uint32_t word, bool negated) { return negated ? f32::negated(word) : word; };
  const auto added = [&] {
    switch (mix.add) {
      case BlendMix::Add::zero:
        break;
      case BlendMix::Add::source:
        return source;
      case BlendMix::Add::target:
        return target;
    }
    return 0U;
  };
  const auto multiplied = [&] {
    switch (mix.multiply) {
      case BlendMix::Multiply::source_minus_target:
        return f32::sub(source, target);
      case BlendMix::Multiply::source_plus_target:
        return f32::add(source, target);
      case BlendMix::Multiply::source:
        return source;
      case BlendMix::Multiply::target:
        break;
    }
    return target;
  };
  const auto by = [&] {
    switch (mix.by) {
      case BlendMix::By::zero:
        break;
      case BlendMix::By::source:
        return source;
      case BlendMix::By::target:
        return target;
      case BlendMix::By::twice_source:
        return f32::add(source, source);
      case BlendMix::By::source_alpha:
        return in.source[kAlpha];
      case BlendMix::By::target_alpha:
        return in.target[kAlpha];
      case BlendMix::By::constant:
        return in.constant[n];
    }
    return 0U;
  };
  std::uint32_t product = with_sign(multiplied(), mix.negate_multiply);
  if (mix.by != BlendMix::By::zero)
    product = f32::mul(product, mix.invert_by ? one_minus(by()) : by());
  else if (!mix.invert_by)
    product = 0;
  return f32::add(with_sign(added(), mix.negate_add), product);
}

std::uint32_t combine(const BlendState& state, std::size_t n, const BlendInput& in) {
  const bool alpha = n == kAlpha;
  if (state.mixed) return mixed(alpha ? state.mix_alpha : state.mix, n, in);
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

// Blending of bytes.
constexpr std::uint32_t kMostByte = 255;

std::uint32_t byte_of(std::uint32_t word) {
  const std::uint32_t scaled = f32::mul(f32::unit(word), to_bits(255.0F));
  return static_cast<std::uint32_t>(to_float(f32::add(scaled, to_bits(0.5F))));  // rounds down
}
Color bytes_of(const Color& color) {
  return {byte_of(color[0]), byte_of(color[1]), byte_of(color[2]), byte_of(color[3])};
}

std::uint32_t byte_factor(BlendFactor factor, std::size_t n, const BlendInput& in) {
  if (const auto by = color_factor(factor, n, in))
    return by->rest ? kMostByte - by->component : by->component;
  if (factor == BlendFactor::zero) return 0;
  if (factor == BlendFactor::one || n == kAlpha) return kMostByte;
  const std::uint32_t source = in.source[kAlpha], target = in.target[kAlpha];
  return factor == BlendFactor::source_alpha_saturate ? std::min(source, kMostByte - target)
                                                      : std::min(target, kMostByte - source);
}

std::uint32_t combine_bytes(const BlendState& state, std::size_t n, const BlendInput& in) {
  const bool alpha = n == kAlpha;
  const auto term = [&](std::uint32_t byte, BlendFactor factor) {
    return (byte * byte_factor(factor, n, in) + 127) / 255;
  };
  const auto difference = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : 0; };
  const std::uint32_t source = term(in.source[n], alpha ? state.source_alpha : state.source);
  const std::uint32_t target = term(in.target[n], alpha ? state.target_alpha : state.target);
  switch (alpha ? state.op_alpha : state.op) {
    case BlendOp::add:
      return std::min(source + target, kMostByte);
    case BlendOp::subtract:
      return difference(source, target);
    case BlendOp::reverse_subtract:
      return difference(target, source);
    case BlendOp::min:
      return std::min(in.source[n], in.target[n]);
    case BlendOp::max:
      break;
  }
  return std::max(in.source[n], in.target[n]);
}

// A component that the format lacks is 0, alpha 1.
Color decoded(const FormatInfo& format, const PixelWords& pixel) {
  Color color{0, 0, 0, format.kind == Kind::integer ? 1 : f32::kOne};
  for (std::size_t n = 0; n < 4; ++n) {
    const Component& component = format.components[n];
    if (component.encoding != Encoding::none) color[n] = decode(component, extract(component, pixel));
  }
  return color;
}

Color blended(const BlendState& state, const FormatInfo& format, const PixelWords& pixel, const Color& source,
              const std::array<float, 4>& constant) {
  const bool limited = format.kind == Kind::limited;
  const auto in_range = [&](std::uint32_t word) {
    return limited ? f32::unit(word) : format.kind == Kind::balanced ? f32::balanced(word) : word;
  };
  BlendInput in;
  in.target = decoded(format, pixel);
  for (std::size_t n = 0; n < 4; ++n) {
    in.source[n] = in_range(source[n]);
    in.constant[n] = in_range(to_bits(constant[n]));
  }
  if (!state.bytes || state.mixed || !limited)
    return {combine(state, 0, in), combine(state, 1, in), combine(state, 2, in), combine(state, 3, in)};
  const BlendInput bytes{bytes_of(in.source), bytes_of(in.target), bytes_of(in.constant)};
  Color color;
  for (std::size_t n = 0; n < 4; ++n)
    color[n] = decode({Encoding::unorm, 0, 8}, combine_bytes(state, n, bytes));
  return color;
}

void write_color(const PixelWork& work, unsigned number, const BlendState& state, const Color& color,
                 std::int32_t x, std::int32_t y) {
  const PixelTarget& target = work.colors[number];
  if (target.data == nullptr) return;
  const FormatInfo& format = format_info(work.output.colors[number]);
  if (format.bytes == 0) return;
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

TestResult depth_stencil_test(const PixelWork& work, bool front_facing, std::uint32_t depth,
                              std::optional<std::uint8_t> given, std::int32_t x, std::int32_t y) {
  const FormatInfo& format = format_info(work.output.depth_format);
  if (work.depth.data == nullptr || format.bytes == 0) return TestResult::passes;
  std::byte* const place = pixel_of(work.depth, format.bytes, x, y);
  const PixelWords stored = load_pixel(place, format.bytes);
  PixelWords result = stored;

  const Component &depth_bits = format.components[0], &stencil_bits = format.components[1];
  const bool stencil = work.output.stencil.test && stencil_bits.encoding != Encoding::none;
  const StencilFace& face = front_facing ? work.output.stencil.front : work.output.stencil.back;
  const std::uint8_t reference = given.value_or(face.reference);
  const std::uint32_t old_stencil = stencil ? extract(stencil_bits, stored) : 0;
  const auto update_stencil = [&](StencilOp op) {
    if (!stencil) return;
    const std::uint32_t value = apply(op, old_stencil, reference), mask = face.write_mask;
    insert(stencil_bits, result, (old_stencil & ~mask) | (value & mask));
  };
  const auto store = [&] { store_pixel(place, format.bytes, result); };

  if (stencil &&
      !compare<std::uint32_t>(face.compare, reference & face.read_mask, old_stencil & face.read_mask)) {
    update_stencil(face.fail);
    store();
    return TestResult::fails_stencil;
  }
  if (work.output.depth.test) {
    const auto [least, most] = work.raster.depth_bounds;
    const std::uint32_t limited = f32::limited(depth, least, most);
    const std::uint32_t value = encode(depth_bits, limited), old = extract(depth_bits, stored);
    const bool passes = depth_bits.encoding == Encoding::unorm
                            ? compare(work.output.depth.compare, value, old)
                            : compare(work.output.depth.compare, number(value), number(old));
    if (!passes) {
      update_stencil(face.depth_fail);
      store();
      return TestResult::fails_depth;
    }
    if (work.output.depth.write) insert(depth_bits, result, value);
  }
  update_stencil(face.pass);
  store();
  return TestResult::passes;
}

TestResult write_fragment(const PixelWork& work, bool front_facing, std::uint32_t depth,
                          const Fragment& fragment, std::int32_t x, std::int32_t y) {
  const OutputState& state = work.output;
  const bool integers = format_info(state.colors[0]).kind == Kind::integer;
  if (state.alpha_test && !integers && (fragment.written & 1) != 0 &&
      !compare(state.alpha_compare, number(fragment.colors[0][kAlpha]),
               number(to_bits(state.alpha_reference))))
    return TestResult::fails_alpha;
  if (!state.early_tests) {
    const TestResult result = depth_stencil_test(work, front_facing, depth, fragment.stencil_reference, x, y);
    if (result != TestResult::passes) return result;
  }
  constexpr BlendState kReplaced{};
  for (unsigned number = 0; number < kMaxColorTargets; ++number)
    if ((fragment.written >> number & 1) != 0) {
      const BlendState& blend = (fragment.replaced >> number & 1) != 0 ? kReplaced : state.blend[number];
      write_color(work, number, blend, fragment.colors[number], x, y);
    }
  return TestResult::passes;
}

std::array<std::uint32_t, 4> WorkTargets::color(unsigned target, std::int32_t x, std::int32_t y) const {
  const FormatInfo& format = format_info(work_.output.colors[target]);
  const PixelTarget& memory = work_.colors[target];
  if (memory.data == nullptr || format.bytes == 0) return {};
  const auto width = static_cast<std::int32_t>(work_.width), height = static_cast<std::int32_t>(work_.height);
  const bool inside = x >= 0 && x < width && y >= 0 && y < height;
  return decoded(format,
                 inside ? load_pixel(pixel_of(memory, format.bytes, x, y), format.bytes) : PixelWords{});
}

}  // namespace warpjit::interpret
