#include "frontend/usse/interpret/sample.h"

#include <algorithm>
#include <cmath>

#include "base/srgb.h"
#include "frontend/usse/facts/texels.h"
#include "frontend/usse/interpret/numbers.h"
#include "textures/format.h"

namespace warpjit::usse {
namespace {

constexpr float kNoLevel = -126.0F;
constexpr std::int64_t kMostTexel = 1 << 22, kMostPlace = 1 << 30;

// To -most ... most; what is not a number is 0.
float limited(float value, float most) { return value == value ? std::clamp(value, -most, most) : 0.0F; }
float number(float value) { return value == value ? value : 0.0F; }

float mix(float a, float b, std::uint32_t weight) {
  const float difference = b - a;
  return a + difference * (static_cast<float>(weight) / 256.0F);
}
Texels mix(const Texels& a, const Texels& b, std::uint32_t weight) {
  Texels result;
  for (unsigned k = 0; k < 4; ++k) result[k] = mix(a[k], b[k], weight);
  return result;
}

// The component's number. Where it is an integer: c / (2^n - 1) rounded once, then the colours of sRGB
// decoded; or c itself.
float decoded(const TextureFormat& format, unsigned n, const std::byte* bytes, bool native) {
  const TexelComponent& component = format.components[n];
  const bool scaled = component.type == TexelType::uscaled || component.type == TexelType::sscaled;
  const bool normalized = component.type == TexelType::unorm || component.type == TexelType::snorm;
  if (!scaled && !normalized) return to_float(textures::decode_texel(format, bytes)[n]);
  std::uint64_t raw = 0;
  for (unsigned byte = 0; byte < format.bytes; ++byte)
    if (byte >= component.first_bit / 8U && byte < component.first_bit / 8U + 8U)
      raw |= std::to_integer<std::uint64_t>(bytes[byte]) << 8 * (byte - component.first_bit / 8U);
  const auto field =
      static_cast<std::uint32_t>(raw >> component.first_bit % 8) & low_mask<std::uint32_t>(component.bits);
  const IntegerType integer{component.bits,
                            component.type == TexelType::snorm || component.type == TexelType::sscaled};
  if (scaled && !native) return static_cast<float>(integer_value(integer, field));
  if (format.srgb && n < 3) return to_float(kSrgbDecoded[field & 0xff]);
  return normalized_value(integer, field);
}

}  // namespace

TextureSampler::Place TextureSampler::place(const Coordinates& at) const {
  if (!is_cube()) return {number(at[0]), number(at[1]), 0};
  const float x = number(at[0]), y = number(at[1]), z = number(at[2]);
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  if (ax == 0 && ay == 0 && az == 0) return {0.5F, 0.5F, 0};
  float s = 0, t = 0, most = 0;
  std::uint32_t face = 0;
  if (ax >= ay && ax >= az) {
    face = std::signbit(x) ? 1 : 0;
    s = face == 0 ? -z : z, t = -y, most = ax;
  } else if (ay >= az) {
    face = std::signbit(y) ? 3 : 2;
    s = x, t = face == 2 ? z : -z, most = ay;
  } else {
    face = std::signbit(z) ? 5 : 4;
    s = face == 4 ? x : -x, t = -y, most = az;
  }
  // Two infinities divide to no number.
  return {number((s / most + 1.0F) / 2.0F), number((t / most + 1.0F) / 2.0F), face};
}

Coordinates TextureSampler::difference(const Place& from, const Place& to) {
  if (from.face != to.face) return {};
  return {to.u - from.u, to.v - from.v, 0};
}

float TextureSampler::level_of(const Coordinates& dx, const Coordinates& dy) const {
  const auto width = static_cast<float>(texture_.levels[0].width),
             height = static_cast<float>(texture_.levels[0].height);
  const auto squared = [&](const Coordinates& d) {
    const float u = d[0] * width, v = d[1] * height;
    return u * u + v * v;
  };
  const float along_x = squared(dx), along_y = squared(dy);
  if (along_x != along_x || along_y != along_y) return kNoLevel;
  const float most = maximum(along_x, along_y);
  return most == 0 ? kNoLevel : 0.5F * logarithm(most);
}

float TextureSampler::level_of_quad(const std::array<Coordinates, kLanes>& lanes) const {
  const Place own = place(lanes[0]);
  return level_of(difference(own, place(lanes[1])), difference(own, place(lanes[2])));
}

float TextureSampler::level_of_gradients(const Coordinates& at, const Coordinates& dx,
                                         const Coordinates& dy) const {
  if (!is_cube()) return level_of(dx, dy);
  const Place own = place(at);
  const auto moved = [&](const Coordinates& by) {
    return place({at[0] + by[0], at[1] + by[1], at[2] + by[2]});
  };
  return level_of(difference(own, moved(dx)), difference(own, moved(dy)));
}

TextureSampler::Detail TextureSampler::detail(float level) const {
  const float limit = level == level ? std::clamp(level, -126.0F, 126.0F) : kNoLevel;
  auto q = static_cast<std::int32_t>(std::nearbyint(limit * 256.0F));
  Detail detail;
  detail.filter = q > 0 ? sampler_.minify : sampler_.magnify;
  if (texture_.level_count == 1) return detail;
  const auto last = static_cast<std::int32_t>(texture_.level_count) - 1;
  q = std::clamp(q, std::clamp(texture_.min_lod, 0, 256 * last), 256 * last);
  if (sampler_.mip == MipFilter::linear) {
    detail.mixes = true;
    detail.level = static_cast<std::uint32_t>(q >> 8);
    detail.next = static_cast<std::uint32_t>(std::min(last, (q >> 8) + 1));
    detail.weight = static_cast<std::uint32_t>(q & 255);
  } else {
    detail.level = static_cast<std::uint32_t>((q + 128) >> 8);
  }
  return detail;
}

std::uint32_t TextureSampler::wrap(std::int64_t texel, unsigned axis, std::uint32_t size) const {
  const std::int64_t n = size;
  const auto modulo = [](std::int64_t value, std::int64_t by) { return (value % by + by) % by; };
  switch (is_cube() ? Wrap::clamp_to_edge : sampler_.wrap[axis]) {
    case Wrap::repeat:
      return static_cast<std::uint32_t>(modulo(texel, n));
    case Wrap::mirror: {
      const std::int64_t place = modulo(texel, 2 * n);
      return static_cast<std::uint32_t>(place < n ? place : 2 * n - 1 - place);
    }
    case Wrap::mirror_once_to_edge:
      if (texel < 0) texel = -1 - texel;
      break;
    default:
      break;
  }
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(texel, 0, n - 1));
}

TextureSampler::Axis TextureSampler::nearest(float u, unsigned axis, std::uint32_t size) const {
  const float place = limited(std::floor(u * static_cast<float>(size)), static_cast<float>(kMostTexel));
  const std::uint32_t texel = wrap(static_cast<std::int64_t>(place), axis, size);
  return {texel, texel, 0};
}

TextureSampler::Axis TextureSampler::linear(float u, unsigned axis, std::uint32_t size) const {
  const float middle = u * static_cast<float>(size) - 0.5F;
  const auto t =
      static_cast<std::int64_t>(limited(std::nearbyint(middle * 256.0F), static_cast<float>(kMostPlace)));
  return {wrap(t >> 8, axis, size), wrap((t >> 8) + 1, axis, size), static_cast<std::uint32_t>(t & 255)};
}

Texels TextureSampler::texel(std::uint32_t level, std::uint32_t face, std::uint32_t x,
                             std::uint32_t y) const {
  const std::byte* const bytes = texture_.base + texture_.texel_offset(level, face, x, y, 0);
  Texels result{};
  for (unsigned k = 0; k < 4; ++k) {
    const TexelSource source = texture_.swizzle[k];
    if (source <= TexelSource::alpha)
      result[k] = decoded(texture_.format, static_cast<unsigned>(source), bytes, native_);
    else
      result[k] = source == TexelSource::zero ? 0.0F : 1.0F;
  }
  return result;
}

void TextureSampler::show(const Place& at, std::uint32_t level, const Axis& x, const Axis& y,
                          float share) const {
  for (unsigned n = 0; n < 4; ++n) {
    const std::uint32_t u = (n & 1) != 0 ? x.weight : 256 - x.weight,
                        v = (n >> 1) != 0 ? y.weight : 256 - y.weight;
    if (u == 0 || v == 0) continue;
    seen_->see(texture_, level, at.face,
               {(n & 1) != 0 ? x.second : x.first, (n >> 1) != 0 ? y.second : y.first},
               share * static_cast<float>(u * v) / 65536.0F);
  }
}

Texels TextureSampler::filtered(const Place& at, std::uint32_t level, Filter filter, float share) const {
  const std::uint32_t width = texture_.levels[level].width, height = texture_.levels[level].height;
  const bool nearby = filter == Filter::nearest;
  const Axis x = nearby ? nearest(at.u, 0, width) : linear(at.u, 0, width),
             y = nearby ? nearest(at.v, 1, height) : linear(at.v, 1, height);
  if (seen_ != nullptr) [[unlikely]]
    show(at, level, x, y, share);
  if (nearby) return texel(level, at.face, x.first, y.first);
  const auto row = [&](std::uint32_t line) {
    return mix(texel(level, at.face, x.first, line), texel(level, at.face, x.second, line), x.weight);
  };
  return mix(row(y.first), row(y.second), y.weight);
}

Texels TextureSampler::sample(const Coordinates& at, float level) const {
  const Detail found = detail(level);
  const Place where = place(at);
  const float share = found.mixes ? static_cast<float>(found.weight) / 256.0F : 0.0F;
  const Texels first = filtered(where, found.level, found.filter, 1.0F - share);
  return found.mixes ? mix(first, filtered(where, found.next, found.filter, share), found.weight) : first;
}

TextureSampler::Gathered TextureSampler::gather(const Coordinates& at, float level) const {
  const std::uint32_t n = detail(level).level;
  const Place where = place(at);
  const Axis x = linear(where.u, 0, texture_.levels[n].width),
             y = linear(where.v, 1, texture_.levels[n].height);
  const float u = static_cast<float>(x.weight) / 256.0F, v = static_cast<float>(y.weight) / 256.0F;
  if (seen_ != nullptr) [[unlikely]]
    show(where, n, x, y, 1.0F);
  return {{texel(n, where.face, x.first, y.second), texel(n, where.face, x.second, y.second),
           texel(n, where.face, x.second, y.first), texel(n, where.face, x.first, y.first)},
          // Reversed: that of (0, 0) is first.
          {(1.0F - u) * (1.0F - v), u * (1.0F - v), u * v, (1.0F - u) * v}};
}

std::array<std::uint8_t, 4> TextureSampler::query(const Coordinates& at, float level) const {
  const Detail found = detail(level);
  const Place where = place(at);
  const Axis x = linear(where.u, 0, texture_.levels[found.level].width),
             y = linear(where.v, 1, texture_.levels[found.level].height);
  return {static_cast<std::uint8_t>(x.weight), static_cast<std::uint8_t>(y.weight),
          static_cast<std::uint8_t>(found.weight), static_cast<std::uint8_t>(found.level)};
}

namespace {

struct Field {
  unsigned bits = 32;
  IntegerType integer{0, false};
  bool half = false;
};
Field field_of(const textures::TextureView& texture, Type type) {
  if (type == Type::f16) return {16, {}, true};
  if (type == Type::f32) return {};
  switch (native_texel(texture.format)) {
    case NativeTexel::u8:
      return {8, {8, false}};
    case NativeTexel::s8:
      return {8, {8, true}};
    case NativeTexel::u16:
      return {16, {16, false}};
    case NativeTexel::s16:
      return {16, {16, true}};
    case NativeTexel::f16:
      return {16, {}, true};
    case NativeTexel::f32:
      break;
  }
  return {};
}

}  // namespace

unsigned words_of_texel(const textures::TextureView& texture, Type type, unsigned components) {
  return (components * field_of(texture, type).bits + 31) / 32;
}

TexelWords pack_texel(const textures::TextureView& texture, Type type, const Texels& texel,
                      unsigned components) {
  const Field field = field_of(texture, type);
  const unsigned count = 32 / field.bits;
  TexelWords packed;
  for (unsigned k = 0; k < components; ++k) {
    const std::uint32_t bits = field.half                ? to_half(texel[k])
                               : field.integer.bits != 0 ? to_normalized(field.integer, texel[k])
                                                         : result_bits(texel[k]);
    const unsigned shift = k % count * field.bits;
    packed.words[k / count] |= bits << shift;
    packed.mask[k / count] |= low_mask<std::uint32_t>(field.bits) << shift;
  }
  return packed;
}

}  // namespace warpjit::usse
