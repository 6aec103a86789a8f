#include "frontend/usse/facts/texels.h"

#include <algorithm>
#include <string>

#include "frontend/usse/facts/slots.h"

namespace warpjit::usse {

NativeTexel native_texel(const TextureFormat& format) {
  unsigned most = 0;
  bool is_signed = false;
  for (const TexelComponent& component : format.components) {
    if (component.type == TexelType::shared_exponent) return NativeTexel::f16;
    if (component.type == TexelType::float_bits)
      return component.bits == 32 ? NativeTexel::f32 : NativeTexel::f16;
    is_signed |= component.type == TexelType::snorm || component.type == TexelType::sscaled;
    if (component.type != TexelType::none) most = std::max<unsigned>(most, component.bits);
  }
  if (most > 16) return NativeTexel::f32;
  if (most > 8) return is_signed ? NativeTexel::s16 : NativeTexel::u16;
  return is_signed ? NativeTexel::s8 : NativeTexel::u8;
}

TextureFormat as_normalized(TextureFormat format) {
  for (TexelComponent& component : format.components) {
    if (component.type == TexelType::uscaled) component.type = TexelType::unorm;
    if (component.type == TexelType::sscaled) component.type = TexelType::snorm;
  }
  return format;
}

unsigned texel_components(const std::array<TexelSource, 4>& swizzle) {
  using enum TexelSource;
  if (swizzle == std::array{red, zero, zero, one}) return 1;
  return swizzle == std::array{red, green, zero, one} ? 2 : 4;
}

std::optional<unsigned> sampled_unit(const Program& program, const Instruction& sample) {
  const Source& state = sample.s[1];
  const RegisterContainer* const data = program.container(kDataContainer);
  const unsigned base = data == nullptr ? 0 : data->base;
  if (state.bank != Bank::sa || state.index != 0) return std::nullopt;
  const auto word_at = [&](unsigned unit, unsigned word) {
    return std::ranges::any_of(program.dependent_samplers, [&](const DependentSampler& sampler) {
      return sampler.unit == unit && sampler.word == word && base + sampler.offset == state.number + word;
    });
  };
  for (unsigned unit = 0; unit < kTextureUnits; ++unit) {
    bool all = true;
    for (unsigned word = 0; word < kControlWords; ++word) all = all && word_at(unit, word);
    if (all) return unit;
  }
  return std::nullopt;
}

std::vector<UnitSample> unit_samples(const Program& program) {
  std::vector<UnitSample> samples;
  for (const FragmentInput& input : program.fragment.inputs) {
    if (!input.sampled) continue;
    const unsigned unit = input.sampled->unit % kTextureUnits;
    samples.push_back(
        {.unit = static_cast<std::uint8_t>(unit), .cube = samples_cube(program, unit), .input = true});
  }
  for (const bool secondary : {false, true}) {
    const std::vector<std::uint64_t>& words = secondary ? program.secondary : program.primary;
    for (std::size_t k = 0; k < words.size(); ++k) {
      const Result<Instruction> i = decode(words[k]);
      if (!i || i->opcode != Opcode::smp) continue;
      if (const auto unit = sampled_unit(program, *i))
        samples.push_back({.unit = static_cast<std::uint8_t>(*unit),
                           .cube = i->dimension == SampleDimension::cube,
                           .secondary = secondary,
                           .word = static_cast<std::uint32_t>(k)});
    }
  }
  return samples;
}

Status check_dimension(const Program& program, const UnitSample& sample, TextureDimension dimension) {
  if (dimension == (sample.cube ? TextureDimension::cube : TextureDimension::d2)) return {};
  return Error{
      ErrorCode::bad_input,
      std::string(sample.input ? "" : "smp: ") + "the texture of unit " + std::to_string(sample.unit) +
          " has not the dimension of the sample: " + (sample.cube ? "it is no cube" : "it is a cube"),
      sample.input ? program.source_name : program.where(sample.secondary, sample.word)};
}

}  // namespace warpjit::usse
