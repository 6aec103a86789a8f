#include "frontend/pica200/facts/fragment_words.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/bits.h"

namespace warpjit::pica200 {

namespace {

template <std::size_t N>
std::uint32_t packed(const std::array<std::uint8_t, N>& bytes) {
  std::uint32_t word = 0;
  for (std::size_t n = 0; n < N; ++n) word |= std::uint32_t{bytes[n]} << 8 * n;
  return word;
}

TextureWords words_of(const TextureState& state, const TextureValues& values) {
  TextureWords words;
  if (state.type == TextureType::off) return words;
  words.log_width = static_cast<std::uint32_t>(std::countr_zero(values.width));
  words.log_height = static_cast<std::uint32_t>(std::countr_zero(values.height));
  words.bias = values.bias;
  words.least = values.least * 256;
  words.greatest = values.greatest * 256;
  words.border = packed(values.border);
  words.shadow_bias = values.shadow_bias;
  words.last_level = static_cast<std::uint32_t>(values.last_level());
  for (std::size_t face = 0; face < values.addresses.size(); ++face)
    words.faces_there |= (values.addresses[face] != 0 ? 1u : 0u) << face;
  std::uint32_t offset = 0;
  for (std::uint32_t level = 0; level < kTextureLevels; ++level) {
    words.levels[level] = offset;
    offset += (values.width >> level) * (values.height >> level) * texel_bits(state.format) / 8;
  }
  return words;
}

ProceduralWords words_of(const ProceduralValues& values) {
  ProceduralWords words;
  for (std::size_t n = 0; n < 2; ++n) words.amplitudes[n] = static_cast<float>(values.amplitudes[n]);
  words.phases = values.phases;
  words.frequencies = values.frequencies;
  words.scale = std::fabs(static_cast<float>(values.width) * values.bias);
  words.least = static_cast<float>(values.least);
  words.greatest = static_cast<float>(std::min(values.greatest, 7));
  words.width = static_cast<std::uint32_t>(values.width);
  std::ranges::copy(values.offsets, words.offsets.begin());
  return words;
}

constexpr std::uint32_t table_offset(std::size_t number) {
  return static_cast<std::uint32_t>(offsetof(TableMemory, lights) +
                                    number * 256 * sizeof(TableMemory::Entry));
}

LightWords words_of(const LightValues& values) {
  constexpr std::size_t kSpotTables = 8, kDistanceTables = 16;
  LightWords words;
  words.specular0 = values.specular0;
  words.specular1 = values.specular1;
  words.diffuse = values.diffuse;
  words.ambient = values.ambient;
  words.position = values.position;
  words.spot = values.spot;
  words.distance_bias = values.distance_bias;
  words.distance_scale = values.distance_scale;
  words.spot_table = table_offset(kSpotTables + values.id);
  words.distance_table = table_offset(kDistanceTables + values.id);
  return words;
}

}  // namespace

FragmentWords words_of(const FragmentSetup& setup) {
  const FragmentValues& values = setup.values;
  FragmentWords words;
  for (std::size_t n = 0; n < kCombinerStages; ++n) words.constants[n] = packed(values.constants[n]);
  words.buffer = packed(values.buffer);
  words.fog_color = packed(values.fog_color);
  words.blend_constant = packed(values.blend_constant);
  words.alpha_reference = values.alpha_reference;
  words.stencil_reference = values.stencil_reference;
  words.stencil_input_mask = values.stencil_input_mask;
  words.stencil_write_mask = values.stencil_write_mask;
  words.depth_scale = values.depth_scale;
  words.depth_offset = values.depth_offset;
  words.shadow_constant = values.shadow_constant;
  words.shadow_linear = values.shadow_linear;
  words.ambient = values.ambient;
  const RasterSetup& raster = setup.raster;
  words.box = {static_cast<float>(raster.left), static_cast<float>(raster.right),
               static_cast<float>(raster.bottom), static_cast<float>(raster.top)};
  words.etc_modifiers = {2, 8, 5, 17, 9, 29, 13, 42, 18, 60, 24, 80, 33, 106, 47, 183};
  for (std::size_t unit = 0; unit < 3; ++unit)
    words.textures[unit] = words_of(setup.state.textures[unit], values.textures[unit]);
  words.procedural = words_of(values.procedural);
  for (std::size_t slot = 0; slot < setup.state.lighting.count; ++slot)
    words.lights[slot] = words_of(values.lights[slot]);
  return words;
}

void fill(const FragmentTables& tables, TableMemory& memory) {
  for (std::size_t table = 0; table < memory.lights.size(); ++table)
    for (std::size_t n = 0; n < 256; ++n) {
      const std::uint32_t word = tables.lights[table][n];
      const float magnitude = static_cast<float>(bits(word, 12, 11)) / 2047.0f;
      memory.lights[table][n] = {static_cast<float>(bits(word, 0, 12)) / 4095.0f,
                                 bits(word, 23, 1) != 0 ? -magnitude : magnitude};
    }
  const auto map_entry = [](std::uint32_t word) {
    return TableMemory::Entry{static_cast<float>(bits(word, 0, 12)) / 4095.0f,
                              static_cast<float>(sign_extend(word >> 12, 12)) / 4095.0f};
  };
  for (std::size_t n = 0; n < 128; ++n) {
    const std::uint32_t word = tables.fog[n];
    memory.fog[n] = {static_cast<float>(bits(word, 13, 11)) / 2047.0f,
                     static_cast<float>(sign_extend(word, 13)) / 2047.0f};
    memory.noise[n] = map_entry(tables.noise[n]);
    memory.color_map[n] = map_entry(tables.color_map[n]);
    memory.alpha_map[n] = map_entry(tables.alpha_map[n]);
  }
  for (std::size_t n = 0; n < 256; ++n) memory.colors[n] = {tables.colors[n], tables.color_differences[n]};
}

bool reads_quads(const FragmentState& state) {
  if (state.procedural.on && state.procedural.filter >= 2 && state.procedural.biased) return true;
  return std::ranges::any_of(state.textures, [](const TextureState& unit) { return unit.needs_detail(); });
}

VertexSlot coordinates_slot(const FragmentState& state, unsigned unit) {
  if (unit == 0) return kCoordinates0Slot;
  return unit == 1 || state.unit2_uses_coordinates1 ? kCoordinates1Slot : kCoordinates2Slot;
}

std::vector<pixels::SlotUse> slot_uses(const FragmentState& state) {
  using Plane = pixels::SlotUse::Plane;
  std::array<bool, kVertexSlots> used{};
  const auto use = [&](unsigned first, unsigned count) {
    for (unsigned n = 0; n < count; ++n) used[first + n] = true;
  };
  if (state.lighting.on) {
    use(kQuaternionSlot, 4);
    use(kViewSlot, 3);
  }
  if (reads(state, CombinerSource::primary)) use(kColorSlot, 4);
  for (unsigned unit = 0; unit < 3; ++unit) {
    const TextureState& texture = state.textures[unit];
    if (texture.type == TextureType::off) continue;
    use(coordinates_slot(state, unit), 2);
    if (texture.reads_w()) use(kCoordinatesWSlot, 1);
  }
  constexpr std::array<VertexSlot, 3> kCoordinates = {kCoordinates0Slot, kCoordinates1Slot,
                                                      kCoordinates2Slot};
  if (state.procedural.on) use(kCoordinates[state.procedural.coordinates], 2);
  std::vector<pixels::SlotUse> uses;
  for (unsigned slot = 0; slot < kVertexSlots; ++slot) {
    if (!used[slot]) continue;
    const bool flat = state.flat_color && slot >= kColorSlot && slot < kColorSlot + 4;
    uses.push_back(
        {.slot = static_cast<std::uint8_t>(slot), .plane = flat ? Plane::none : Plane::perspective});
  }
  return uses;
}

FragmentMemories::FragmentMemories(const FragmentState& state) {
  for (std::size_t unit = 0; unit < 3; ++unit)
    if (state.textures[unit].type != TextureType::off) units[unit] = count++;
  has_tables = state.lighting.on || state.procedural.on || state.fog;
  if (has_tables) tables = count++;
}

}  // namespace warpjit::pica200
