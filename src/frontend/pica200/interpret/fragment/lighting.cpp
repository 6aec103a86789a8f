#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "frontend/pica200/interpret/fragment/number.h"
#include "frontend/pica200/interpret/fragment/units.h"

namespace warpjit::pica200::fragment {

namespace {

using Vector = std::array<Number, 3>;
using Table = std::array<std::uint32_t, 256>;

Vector vector_of(const std::array<float, 3>& from) { return {from[0], from[1], from[2]}; }
Number dot(const Vector& a, const Vector& b) { return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]; }
Vector sum(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
// A vector without length gives 0.
Vector normalized(const Vector& v, Number length) {
  if (length == 0) return {};
  return {v[0] / length, v[1] / length, v[2] / length};
}
Vector normalized(const Vector& v) { return normalized(v, sqrt(dot(v, v))); }

Vector rotated(const std::array<Number, 4>& q, const Vector& v) {
  const Vector axis = {q[0], q[1], q[2]};
  Vector inner = cross(axis, v);
  for (std::size_t n = 0; n < 3; ++n) inner[n] = inner[n] + q[3] * v[n];
  const Vector outer = cross(axis, inner);
  return {v[0] + 2.0f * outer[0], v[1] + 2.0f * outer[1], v[2] + 2.0f * outer[2]};
}

// 0 for a NaN.
Number number(Number x) { return x.is_nan() ? Number() : x; }

Number entry(const Table& table, std::int32_t i, Number scaled) {
  const std::uint32_t word = table[static_cast<std::size_t>(i & 255)];
  const Number value = static_cast<float>(bits(word, 0, 12)) / 4095.0f;
  const Number magnitude = static_cast<float>(bits(word, 12, 11)) / 2047.0f;
  const Number difference = (word >> 23 & 1) != 0 ? -magnitude : magnitude;
  return value + difference * (scaled - static_cast<float>(i));
}
Number look_up(const Table& table, Number x) {
  const Number scaled = 256.0f * x;
  return entry(table, integer(std::clamp<Number>(floor(scaled), 0.0f, 255.0f)), scaled);
}
Number look_up_signed(const Table& table, Number x) {
  const Number scaled = 128.0f * x;
  return entry(table, integer(std::clamp<Number>(floor(scaled), -128.0f, 127.0f)), scaled);
}

Number scale_of(std::uint8_t code) {
  constexpr std::array<float, 8> kScales = {1, 2, 4, 8, 1, 1, 0.25f, 0.5f};
  return kScales[code];
}

struct Frame {
  Vector normal{}, tangent{};
};

Frame frame_of(const LightingState& state, const LightingInputs& inputs) {
  std::array<Number, 4> q;
  std::ranges::copy(inputs.quaternion, q.begin());
  const Number length = sqrt(((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3]);
  for (Number& component : q) component = length == 0 ? Number() : component / length;
  Vector normal = {0, 0, 1}, tangent = {1, 0, 0};
  if (state.bump != BumpMode::none) {
    Vector p{};
    for (std::size_t n = 0; n < 3; ++n) p[n] = Number(static_cast<float>(inputs.bump[n])) / 127.5f - 1.0f;
    if (state.bump == BumpMode::tangent) {
      tangent = p;
    } else {
      if (!state.keeps_z) p[2] = sqrt(std::max<Number>(0.0f, (1.0f - p[0] * p[0]) - p[1] * p[1]));
      normal = p;
    }
  }
  return {rotated(q, normal), rotated(q, tangent)};
}

std::uint8_t to_byte(Number x) { return static_cast<std::uint8_t>(integer(255.0f * limited(x, 0.0f, 1.0f))); }

}  // namespace

LightColors light(const LightingState& state, const FragmentValues& values, const LightingInputs& inputs) {
  const Frame frame = frame_of(state, inputs);
  const Vector& N = frame.normal;
  const Vector V = normalized(vector_of(inputs.view));

  std::array<Number, 4> shadow = {1, 1, 1, 1};
  if (state.shadow)
    for (std::size_t n = 0; n < 4; ++n) {
      shadow[n] = Number(static_cast<float>(inputs.shadow[n])) / 255.0f;
      if (state.shadow_inverted) shadow[n] = 1.0f - shadow[n];
    }

  Vector primary{}, secondary{};
  Number primary_alpha = 1, secondary_alpha = 1;
  for (unsigned slot = 0; slot < state.count; ++slot) {
    const LightState& light = state.lights[slot];
    const LightValues& own = values.lights[slot];
    const Vector to_light =
        light.directional ? vector_of(own.position) : sum(vector_of(own.position), vector_of(inputs.view));
    const Number distance = sqrt(dot(to_light, to_light));
    const Vector L = normalized(to_light, distance);
    const Vector half = sum(L, V);
    const Number half_squared = dot(half, half);
    const Vector H = normalized(half, sqrt(half_squared));

    const auto input = [&](std::uint8_t code) -> Number {
      switch (code) {
        case 0:
          return dot(N, H);
        case 1:
          return dot(V, H);
        case 2:
          return dot(N, V);
        case 3:
          return dot(L, N);
        case 4:
          return dot(L, vector_of(own.spot));
        case 5: {
          const Number along = dot(N, H);
          return dot({H[0] - N[0] * along, H[1] - N[1] * along, H[2] - N[2] * along}, frame.tangent);
        }
        default:
          return 0.0f;
      }
    };
    const auto table = [&](LightTable which, std::size_t number_of_table) -> Number {
      const LightTableState& from = state.tables[which];
      if (!from.on) return 1.0f;
      const Table& words = values.tables->lights[number_of_table];
      const Number x = number(input(from.input));
      const Number found = from.is_signed
                               ? look_up_signed(words, x)
                               : look_up(words, light.two_sided ? abs(x) : std::max<Number>(x, 0.0f));
      return found * scale_of(from.scale);
    };

    Number attenuation = 1;
    if (light.attenuated) {
      const Number x = number(own.distance_scale * distance + own.distance_bias);
      attenuation = look_up(values.tables->lights[16u + own.id], std::clamp<Number>(x, 0.0f, 1.0f));
    }
    const Number spot = light.spot ? table(kSP, 8u + own.id) : Number(1.0f);
    const Number d0 = table(kD0, 0), d1 = table(kD1, 1), rr = table(kRR, 6);
    const Vector reflection = {rr, state.tables[kRG].on ? table(kRG, 5) : rr,
                               state.tables[kRB].on ? table(kRB, 4) : rr};

    const Number towards = number(dot(L, N));
    const Number diffuse = light.two_sided ? abs(towards) : std::max<Number>(towards, 0.0f);
    const Number geometric = half_squared == 0 ? Number() : std::min<Number>(diffuse / half_squared, 1.0f);
    const Number highlight = state.clamp_highlights && diffuse == 0 ? 0.0f : 1.0f;
    for (std::size_t n = 0; n < 3; ++n) {
      Number specular0 = d0 * Number(own.specular0[n]);
      Number specular1 = d1 * reflection[n] * Number(own.specular1[n]);
      if (light.geometric[0]) specular0 = specular0 * geometric;
      if (light.geometric[1]) specular1 = specular1 * geometric;
      const Number s0 = light.shadowed && state.shadow_primary ? shadow[n] : Number(1.0f);
      const Number s1 = light.shadowed && state.shadow_secondary ? shadow[n] : Number(1.0f);
      primary[n] = primary[n] + (own.diffuse[n] * diffuse * s0 + own.ambient[n]) * attenuation * spot;
      secondary[n] = secondary[n] + (specular0 + specular1) * highlight * attenuation * spot * s1;
    }
    if (slot + 1u == state.count && state.tables[kFR].on) {
      const Number fresnel = table(kFR, 3);
      if (state.fresnel_primary) primary_alpha = fresnel;
      if (state.fresnel_secondary) secondary_alpha = fresnel;
    }
  }
  if (state.shadow && state.shadow_alpha) {
    if (state.fresnel_primary) primary_alpha = primary_alpha * shadow[3];
    if (state.fresnel_secondary) secondary_alpha = secondary_alpha * shadow[3];
  }
  LightColors colors;
  for (std::size_t n = 0; n < 3; ++n) {
    colors.primary[n] = to_byte(primary[n] + values.ambient[n]);
    colors.secondary[n] = to_byte(secondary[n]);
  }
  colors.primary[3] = to_byte(primary_alpha);
  colors.secondary[3] = to_byte(secondary_alpha);
  return colors;
}

}  // namespace warpjit::pica200::fragment
