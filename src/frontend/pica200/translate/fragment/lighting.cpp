#include "frontend/pica200/translate/fragment/lighting.h"

namespace warpjit::pica200 {

namespace {

constexpr std::uint32_t table_offset(unsigned number) {
  return static_cast<std::uint32_t>(offsetof(TableMemory, lights) +
                                    number * 256 * sizeof(TableMemory::Entry));
}
float scale_of(std::uint8_t code) {
  constexpr std::array<float, 8> kScales = {1, 2, 4, 8, 1, 1, 0.25f, 0.5f};
  return kScales[code];
}

}  // namespace

LightingSteps::Vector LightingSteps::cross(const Vector& a, const Vector& b) {
  const auto component = [&](std::size_t i, std::size_t k) { return sub(mul(a[i], b[k]), mul(a[k], b[i])); };
  return {component(1, 2), component(2, 0), component(0, 1)};
}

// A vector without length gives 0.
LightingSteps::Vector LightingSteps::normalized(const Vector& v, F32 length) {
  const I1 none = b_.FEq32(length, real(0));
  Vector result;
  for (std::size_t n = 0; n < 3; ++n) result[n] = b_.select(none, real(0), div(v[n], length));
  return result;
}

LightingSteps::Vector LightingSteps::rotated(const std::array<F32, 4>& q, const Vector& v) {
  const Vector axis = {q[0], q[1], q[2]};
  Vector inner = cross(axis, v);
  for (std::size_t n = 0; n < 3; ++n) inner[n] = add(inner[n], mul(q[3], v[n]));
  const Vector outer = cross(axis, inner);
  Vector result;
  for (std::size_t n = 0; n < 3; ++n) result[n] = add(v[n], mul(real(2), outer[n]));
  return result;
}

F32 LightingSteps::light_real(std::size_t member, unsigned slot) {
  return uniform_real(
      static_cast<std::uint32_t>(WARPJIT_FRAGMENT_WORD(lights) + slot * sizeof(LightWords) + member));
}
LightingSteps::Vector LightingSteps::uniform_vector(std::size_t member, unsigned slot) {
  return {light_real(member, slot), light_real(member + 4, slot), light_real(member + 8, slot)};
}

// ---- Tables

F32 LightingSteps::entry(I32 table, F32 scaled, F32 whole) {
  const I32 place = left(both(integer(whole), word(255)), 3);
  const auto [value, difference] = b_.LoadTexelPair(plus(table, place), memory_);
  return add(as_real(value), mul(as_real(difference), sub(scaled, whole)));
}

F32 LightingSteps::look_up_positive(I32 table, F32 x) {
  const F32 scaled = mul(real(256), x);
  return entry(table, scaled, clamped(floor(scaled), 0, 255));
}

F32 LightingSteps::angle(std::uint8_t input, const Angles& a) {
  switch (input) {
    case 0:
      return dot(a.normal, a.half);
    case 1:
      return dot(a.view, a.half);
    case 2:
      return dot(a.normal, a.view);
    case 3:
      return dot(a.to_light, a.normal);
    case 4:
      return dot(a.to_light, a.spot);
    case 5: {
      const F32 along = dot(a.normal, a.half);
      Vector rest;
      for (std::size_t n = 0; n < 3; ++n) rest[n] = sub(a.half[n], mul(a.normal[n], along));
      return dot(rest, a.tangent);
    }
    default:
      return real(0);
  }
}

F32 LightingSteps::look_up(LightTable which, I32 table, const LightState& light, const Angles& angles) {
  const LightTableState& state = state_.tables[which];
  if (!state.on) return real(1);
  const F32 x = number_or_zero(angle(state.input, angles));
  F32 found;
  if (state.is_signed) {
    const F32 scaled = mul(real(128), x);
    found = entry(table, scaled, clamped(floor(scaled), -128, 127));
  } else {
    found = look_up_positive(table, light.two_sided ? abs(x) : greatest(x, real(0)));
  }
  const float scale = scale_of(state.scale);
  return scale == 1 ? found : mul(found, real(scale));
}

// ---- The fragment

void LightingSteps::set_frame(const Inputs& inputs) {
  std::array<F32, 4> q = inputs.quaternion;
  const F32 length = root(add(add(add(mul(q[0], q[0]), mul(q[1], q[1])), mul(q[2], q[2])), mul(q[3], q[3])));
  const I1 none = b_.FEq32(length, real(0));
  for (F32& component : q) component = b_.select(none, real(0), div(component, length));
  Vector normal = {real(0), real(0), real(1)}, tangent = {real(1), real(0), real(0)};
  if (state_.bump != BumpMode::none) {
    Vector p;
    for (std::size_t n = 0; n < 3; ++n) p[n] = sub(div(number(inputs.bump[n]), real(127.5f)), real(1));
    if (state_.bump == BumpMode::tangent) {
      tangent = p;
    } else {
      if (!state_.keeps_z)
        p[2] = root(greatest(real(0), sub(sub(real(1), mul(p[0], p[0])), mul(p[1], p[1]))));
      normal = p;
    }
  }
  normal_ = rotated(q, normal);
  tangent_ = rotated(q, tangent);
}

void LightingSteps::set_shadow(const Color& texel) {
  for (std::size_t n = 0; n < 4; ++n) {
    shadow_[n] = real(1);
    if (!state_.shadow) continue;
    shadow_[n] = div(number(texel[n]), real(255));
    if (state_.shadow_inverted) shadow_[n] = sub(real(1), shadow_[n]);
  }
}

void LightingSteps::add_light(unsigned slot) {
  const LightState& light = state_.lights[slot];
  const Vector position = uniform_vector(offsetof(LightWords, position), slot);
  const Vector to_light = light.directional ? position : sum(position, view_);
  const F32 distance = root(dot(to_light, to_light));
  Angles a{normal_, tangent_, direction_, normalized(to_light, distance), {}, {}};
  const Vector half = sum(a.to_light, direction_);
  const F32 half_squared = dot(half, half);
  a.half = normalized(half, root(half_squared));
  a.spot = uniform_vector(offsetof(LightWords, spot), slot);

  const auto table_of = [&](std::size_t member) {
    return uniform_word(
        static_cast<std::uint32_t>(WARPJIT_FRAGMENT_WORD(lights) + slot * sizeof(LightWords) + member));
  };
  const auto table = [&](LightTable which, unsigned number) {
    return look_up(which, word(table_offset(number)), light, a);
  };
  F32 attenuation = real(1);
  if (light.attenuated) {
    const F32 x = number_or_zero(add(mul(light_real(offsetof(LightWords, distance_scale), slot), distance),
                                     light_real(offsetof(LightWords, distance_bias), slot)));
    attenuation = look_up_positive(table_of(offsetof(LightWords, distance_table)), clamped(x, 0, 1));
  }
  const F32 spot = light.spot ? look_up(kSP, table_of(offsetof(LightWords, spot_table)), light, a) : real(1);
  const F32 d0 = table(kD0, 0), d1 = table(kD1, 1), rr = table(kRR, 6);
  const Vector reflection = {rr, state_.tables[kRG].on ? table(kRG, 5) : rr,
                             state_.tables[kRB].on ? table(kRB, 4) : rr};

  const F32 towards = number_or_zero(dot(a.to_light, normal_));
  const F32 diffuse = light.two_sided ? abs(towards) : greatest(towards, real(0));
  const F32 geometric =
      b_.select(b_.FEq32(half_squared, real(0)), real(0), least(div(diffuse, half_squared), real(1)));
  const auto product = [&](std::initializer_list<F32> factors) {
    // From the left; what is 1 is no factor.
    F32 result;
    for (const F32 factor : factors)
      if (!result.valid())
        result = factor;
      else if (factor.id.id != real(1).id.id)
        result = mul(result, factor);
    return result;
  };
  const F32 highlight =
      state_.clamp_highlights ? b_.select(b_.FEq32(diffuse, real(0)), real(0), real(1)) : real(1);
  const Vector of_specular0 = uniform_vector(offsetof(LightWords, specular0), slot),
               of_specular1 = uniform_vector(offsetof(LightWords, specular1), slot),
               of_diffuse = uniform_vector(offsetof(LightWords, diffuse), slot),
               of_ambient = uniform_vector(offsetof(LightWords, ambient), slot);
  for (std::size_t n = 0; n < 3; ++n) {
    F32 specular0 = mul(d0, of_specular0[n]);
    F32 specular1 = mul(mul(d1, reflection[n]), of_specular1[n]);
    if (light.geometric[0]) specular0 = mul(specular0, geometric);
    if (light.geometric[1]) specular1 = mul(specular1, geometric);
    const F32 s0 = light.shadowed && state_.shadow_primary ? shadow_[n] : real(1);
    const F32 s1 = light.shadowed && state_.shadow_secondary ? shadow_[n] : real(1);
    const F32 lit = add(product({of_diffuse[n], diffuse, s0}), of_ambient[n]);
    sum_.primary[n] = add(sum_.primary[n], product({lit, attenuation, spot}));
    sum_.secondary[n] =
        add(sum_.secondary[n], product({add(specular0, specular1), highlight, attenuation, spot, s1}));
  }
  if (slot + 1u == state_.count && state_.tables[kFR].on) sum_.fresnel = table(kFR, 3);
}

LightingSteps::Colors LightingSteps::light(const Inputs& inputs) {
  set_frame(inputs);
  set_shadow(inputs.shadow);
  view_ = inputs.view;
  direction_ = normalized(view_, root(dot(view_, view_)));
  sum_.primary.fill(real(0));
  sum_.secondary.fill(real(0));
  sum_.fresnel = real(1);
  for (unsigned slot = 0; slot < state_.count; ++slot) add_light(slot);

  const auto alpha = [&](bool fresnel) {
    F32 value = fresnel ? sum_.fresnel : real(1);
    if (state_.shadow && state_.shadow_alpha && fresnel) value = mul(value, shadow_[3]);
    return value;
  };
  Colors colors;
  for (std::size_t n = 0; n < 3; ++n) {
    const F32 ambient = uniform_real(static_cast<std::uint32_t>(WARPJIT_FRAGMENT_WORD(ambient) + 4 * n));
    colors.primary[n] = to_byte(add(sum_.primary[n], ambient));
    colors.secondary[n] = to_byte(sum_.secondary[n]);
  }
  colors.primary[3] = to_byte(alpha(state_.fresnel_primary));
  colors.secondary[3] = to_byte(alpha(state_.fresnel_secondary));
  return colors;
}

}  // namespace warpjit::pica200
