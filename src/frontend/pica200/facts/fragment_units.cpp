// Texture units, the procedural unit and lighting.
#include "base/bits.h"
#include "frontend/pica200/facts/fragment.h"

namespace warpjit::pica200 {

namespace {

constexpr std::array<std::uint32_t, 3> kUnitIds = {0x081, 0x091, 0x099}, kFormatIds = {0x08E, 0x096, 0x09E};

// A side of level 0: a power of two from 8 to 1024.
bool is_side(std::uint32_t size) { return size >= 8 && size <= 1024 && (size & (size - 1)) == 0; }

Status read_unit(GpuRegisters r, unsigned unit, FragmentSetup& setup) {
  TextureState& state = setup.state.textures[unit];
  TextureValues& values = setup.values.textures[unit];
  const std::uint32_t id = kUnitIds[unit], parameters = r[id + 2];
  const std::uint32_t type = unit == 0 ? bits(parameters, 28, 3) : 0;
  if (type > 5) return reserved(id + 2, "texture type " + std::to_string(type));
  if (type == 5) return {};
  state.type = static_cast<TextureType>(type);
  const std::uint32_t format = bits(r[kFormatIds[unit]], 0, 4);
  if (format > 13) return reserved(kFormatIds[unit], "texture format " + std::to_string(format));
  state.format = static_cast<TexelFormat>(format);
  const bool cube = state.type == TextureType::cube || state.type == TextureType::shadow_cube;
  const bool shadow = state.type == TextureType::shadow || state.type == TextureType::shadow_cube;
  if (shadow && state.format != TexelFormat::rgba8)
    return reserved(kFormatIds[unit], "a shadow map in another format than RGBA8");
  values.width = bits(r[id + 1], 16, 11);
  values.height = bits(r[id + 1], 0, 11);
  if (!is_side(values.width) || !is_side(values.height))
    return Error{ErrorCode::bad_input,
                 "the texture has " + std::to_string(values.width) + " x " + std::to_string(values.height) +
                     " texels, allowed are powers of two from 8 to 1024",
                 register_name(id + 1)};
  if (!shadow) {
    state.magnify_linear = bit(parameters, 1);
    state.minify_linear = bit(parameters, 2);
    state.mip_linear = bit(parameters, 24);
    if (!cube) {
      state.wrap_t = static_cast<std::uint8_t>(bits(parameters, 8, 3));
      state.wrap_s = static_cast<std::uint8_t>(bits(parameters, 12, 3));
    }
    const std::uint32_t levels = r[id + 3];
    values.bias = sign_extend(levels, 13);
    values.greatest = static_cast<std::int32_t>(bits(levels, 16, 4));
    values.least = static_cast<std::int32_t>(bits(levels, 24, 4));
    for (unsigned n = 0; n < 4; ++n) values.border[n] = static_cast<std::uint8_t>(r[id] >> 8 * n);
  }
  state.divides =
      state.type == TextureType::projection || (state.type == TextureType::shadow && !bit(r[0x08B], 0));
  if (shadow) values.shadow_bias = r[0x08B] & 0xFFFFFE;
  const std::uint32_t first = bits(r[id + 4], 0, 28);
  values.addresses[0] = first << 3;
  values.address_ids[0] = id + 4;
  if (cube)
    for (unsigned face = 1; face < 6; ++face) {
      values.addresses[face] = ((first & ~low_mask<std::uint32_t>(22)) | bits(r[0x085 + face], 0, 22)) << 3;
      values.address_ids[face] = 0x085 + face;
    }
  // What makes no difference is the same for all.
  state.absent = !cube && values.addresses[0] == 0;
  state.one_level = values.least >= values.greatest;
  if (state.one_level) state.mip_linear = false;
  state.lacks_levels = !state.absent && !state.one_level && values.greatest > values.last_level();
  return {};
}

std::array<float, 3> color_of(std::uint32_t word) {
  return {static_cast<float>(bits(word, 20, 10)) / 255.0f, static_cast<float>(bits(word, 10, 10)) / 255.0f,
          static_cast<float>(bits(word, 0, 10)) / 255.0f};
}

// Which tables an environment has: bit n is table n.
constexpr std::uint8_t kAll = 0x7F;
constexpr std::uint8_t of(LightTable table) { return static_cast<std::uint8_t>(1u << table); }
constexpr std::array<std::uint8_t, 9> kEnvironments = {of(kD0) | of(kRR) | of(kSP),
                                                       of(kFR) | of(kRR) | of(kSP),
                                                       of(kD0) | of(kD1) | of(kRR),
                                                       of(kD0) | of(kD1) | of(kFR),
                                                       kAll & ~of(kFR),
                                                       kAll & ~of(kD1),
                                                       kAll & ~(of(kRG) | of(kRB)),
                                                       0,
                                                       kAll};

Status read_light(GpuRegisters r, unsigned slot, FragmentSetup& setup) {
  LightState& state = setup.state.lighting.lights[slot];
  LightValues& values = setup.values.lights[slot];
  const std::uint32_t id = bits(r[0x1D9], 4 * slot, 3), first = 0x140 + 16 * id;
  values.id = static_cast<std::uint8_t>(id);
  values.specular0 = color_of(r[first]);
  values.specular1 = color_of(r[first + 1]);
  values.diffuse = color_of(r[first + 2]);
  values.ambient = color_of(r[first + 3]);
  values.position = {decode_float(r[first + 4], 5, 10), decode_float(r[first + 4] >> 16, 5, 10),
                     decode_float(r[first + 5], 5, 10)};
  const auto spot = [](std::uint32_t word) { return static_cast<float>(sign_extend(word, 13)) / 2047.0f; };
  values.spot = {spot(r[first + 6]), spot(r[first + 6] >> 16), spot(r[first + 7])};
  state.directional = bit(r[first + 9], 0);
  state.two_sided = bit(r[first + 9], 1);
  state.geometric = {bit(r[first + 9], 2), bit(r[first + 9], 3)};
  state.shadowed = setup.state.lighting.shadow && !bit(r[0x1C4], id);
  state.spot = setup.state.lighting.tables[kSP].on && !bit(r[0x1C4], 8 + id);
  state.attenuated = !bit(r[0x1C4], 24 + id);
  if (state.attenuated) {
    values.distance_bias = decode_float(r[first + 10], 7, 12);
    values.distance_scale = decode_float(r[first + 11], 7, 12);
  }
  return {};
}

}  // namespace

unsigned texel_bits(TexelFormat format) {
  constexpr std::array<std::uint8_t, 14> kBits = {32, 24, 16, 16, 16, 16, 16, 8, 8, 8, 4, 4, 4, 8};
  return kBits[static_cast<std::size_t>(format)];
}

Status read_texture_units(GpuRegisters registers, const UsedSources& used, FragmentSetup& setup) {
  for (unsigned unit = 0; unit < 3; ++unit)
    if (used[static_cast<std::size_t>(CombinerSource::texture0) + unit] && bit(registers[0x080], unit))
      WARPJIT_CHECK(read_unit(registers, unit, setup));
  setup.state.unit2_uses_coordinates1 =
      setup.state.textures[2].type != TextureType::off && bit(registers[0x080], 13);
  return {};
}

Status read_procedural(GpuRegisters r, FragmentSetup& setup) {
  ProceduralState& state = setup.state.procedural;
  ProceduralValues& values = setup.values.procedural;
  if (!bit(r[0x080], 10)) return {};
  const std::uint32_t first = r[0x0A8], last = r[0x0AC];
  state.on = true;
  state.coordinates = static_cast<std::uint8_t>(bits(r[0x080], 8, 2));
  if (state.coordinates == 3) return reserved(0x080, "coordinates 3 of the procedural texture");
  state.clamp_u = static_cast<std::uint8_t>(bits(first, 0, 3));
  state.clamp_v = static_cast<std::uint8_t>(bits(first, 3, 3));
  state.color_function = static_cast<std::uint8_t>(bits(first, 6, 4));
  state.separate_alpha = bit(first, 14);
  if (state.separate_alpha) state.alpha_function = static_cast<std::uint8_t>(bits(first, 10, 4));
  state.noise = bit(first, 15);
  state.shift_u = static_cast<std::uint8_t>(bits(first, 16, 2));
  state.shift_v = static_cast<std::uint8_t>(bits(first, 18, 2));
  state.filter = static_cast<std::uint8_t>(bits(last, 0, 3));
  if (state.clamp_u > 4 || state.clamp_v > 4) return reserved(0x0A8, "a clamp mode above 4");
  if (state.color_function > 9 || state.alpha_function > 9) return reserved(0x0A8, "a map function above 9");
  if (state.shift_u > 2 || state.shift_v > 2) return reserved(0x0A8, "shift 3");
  if (state.filter > 5) return reserved(0x0AC, "filter " + std::to_string(state.filter));
  values.least = static_cast<std::int32_t>(bits(last, 3, 4));
  values.greatest = static_cast<std::int32_t>(bits(last, 7, 4));
  values.width = static_cast<std::int32_t>(bits(last, 11, 8));
  values.bias = decode_float(bits(first, 20, 8) | bits(last, 19, 8) << 8, 5, 10);
  state.biased = values.bias != 0;
  for (unsigned n = 0; n < 8; ++n)
    values.offsets[n] = static_cast<std::uint8_t>(r[0x0AD + n / 4] >> 8 * (n % 4));
  if (state.noise) {
    values.amplitudes = {sign_extend(r[0x0A9], 16), sign_extend(r[0x0AA], 16)};
    values.phases = {decode_float(r[0x0A9] >> 16, 5, 10), decode_float(r[0x0AA] >> 16, 5, 10)};
    values.frequencies = {decode_float(r[0x0AB], 5, 10), decode_float(r[0x0AB] >> 16, 5, 10)};
  }
  return {};
}

Status read_lighting(GpuRegisters r, FragmentSetup& setup) {
  LightingState& state = setup.state.lighting;
  if (!bit(r[0x08F], 0) || bit(r[0x1C6], 0)) return {};
  state.on = true;
  const std::uint32_t common = r[0x1C3];
  const std::uint32_t environment = bits(common, 4, 4);
  if (environment == 7 || environment > 8)
    return reserved(0x1C3, "lighting environment " + std::to_string(environment));
  state.count = static_cast<std::uint8_t>(bits(r[0x1C2], 0, 3) + 1);

  // Bits of 0x1C4 that take tables out; SP has a bit for each light.
  constexpr std::array<unsigned, kLightTables> kOff = {16, 17, 0, 19, 20, 21, 22};
  for (unsigned n = 0; n < kLightTables; ++n) {
    LightTableState& table = state.tables[n];
    table.on = (kEnvironments[environment] >> n & 1) != 0 && (n == kSP || !bit(r[0x1C4], kOff[n]));
    if (!table.on) continue;
    table.is_signed = bit(r[0x1D0], 4 * n + 1);
    table.input = static_cast<std::uint8_t>(bits(r[0x1D1], 4 * n, 3));
    table.scale = static_cast<std::uint8_t>(bits(r[0x1D2], 4 * n, 3));
    if (table.input > 5) return reserved(0x1D1, "table input " + std::to_string(table.input));
    if (table.scale == 4 || table.scale == 5)
      return reserved(0x1D2, "table scale " + std::to_string(table.scale));
    // 6 is cos phi in environments without it: it reads 0.
    if (table.input == 5 && environment != 8) table.input = 6;
  }

  state.bump = static_cast<BumpMode>(bits(common, 28, 2));
  if (bits(common, 28, 2) == 3) return reserved(0x1C3, "bump mode 3");
  if (state.bump != BumpMode::none) {
    state.bump_unit = static_cast<std::uint8_t>(bits(common, 22, 2));
    if (state.bump_unit == 3) return reserved(0x1C3, "a bump map of unit 3");
    state.keeps_z = state.bump == BumpMode::normal && bit(common, 30);
  }
  state.shadow = bit(common, 0);
  if (state.shadow) {
    state.shadow_unit = static_cast<std::uint8_t>(bits(common, 24, 2));
    state.shadow_primary = bit(common, 16);
    state.shadow_secondary = bit(common, 17);
    state.shadow_inverted = bit(common, 18);
    state.shadow_alpha = bit(common, 19);
  }
  state.fresnel_primary = bit(common, 2);
  state.fresnel_secondary = bit(common, 3);
  state.clamp_highlights = bit(common, 27);
  setup.values.ambient = color_of(r[0x1C0]);
  for (unsigned slot = 0; slot < state.count; ++slot) WARPJIT_CHECK(read_light(r, slot, setup));
  return {};
}

}  // namespace warpjit::pica200
