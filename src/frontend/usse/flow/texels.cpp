#include "frontend/usse/flow/texels.h"

#include <algorithm>

namespace warpjit::usse {

NativeTexel native_texel(const TextureFormat& format) {
  unsigned most = 0;
  bool is_signed = false;
  for (const TexelComponent& component : format.components) {
    if (component.type == TexelType::shared_exponent) return NativeTexel::f16;
    if (component.type == TexelType::float_bits)
      return component.bits == 32 ? NativeTexel::f32 : NativeTexel::f16;
    is_signed |= component.type == TexelType::snorm;
    if (component.type != TexelType::none) most = std::max<unsigned>(most, component.bits);
  }
  if (most > 16) return NativeTexel::f32;
  if (most > 8) return is_signed ? NativeTexel::s16 : NativeTexel::u16;
  return is_signed ? NativeTexel::s8 : NativeTexel::u8;
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

}  // namespace warpjit::usse
