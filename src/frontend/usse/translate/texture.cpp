// Samples of textures (docs/guests/usse.md 6).
#include <algorithm>
#include <string>

#include "frontend/usse/facts/slots.h"
#include "frontend/usse/translate/program.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

ParameterType type_of_result(const Instruction& i, ParameterType native) {
  return i.type == Type::f16 ? ParameterType::f16 : i.type == Type::f32 ? ParameterType::f32 : native;
}

}  // namespace

std::vector<frontend::TextureUse> texture_uses(const Program& program) {
  std::uint32_t units = 0;
  for (const UnitSample& sample : unit_samples(program)) units |= 1U << sample.unit;
  std::vector<frontend::TextureUse> uses;
  for (unsigned unit = 0; unit < kTextureUnits; ++unit)
    if ((units >> unit & 1) != 0)
      uses.push_back({static_cast<std::uint8_t>(unit), static_cast<std::uint8_t>(unit)});
  return uses;
}

Status ProgramTranslator::check_textures() const {
  for (const UnitSample& sample : unit_samples(program_))
    if (const ir::SampleKey* const key = key_of_unit(sample.unit))
      WARPJIT_CHECK(check_dimension(program_, sample, key->dimension));
  return {};
}

const ir::SampleKey* ProgramTranslator::key_of_unit(unsigned unit) const {
  const auto found = std::ranges::find(uses_, unit, &frontend::TextureUse::texture);
  const auto number = static_cast<std::size_t>(found - uses_.begin());
  return found == uses_.end() || number >= samples_.size() ? nullptr : &samples_[number];
}

bool ProgramTranslator::takes_level_from_quad(const Instruction& i) const {
  if ((i.lod_mode != LodMode::quad && i.lod_mode != LodMode::bias) || gathers(i)) return false;
  const auto unit = sampled_unit(program_, i);
  const ir::SampleKey* const key = unit ? key_of_unit(*unit) : nullptr;
  return key != nullptr && key->needs_lod();
}

Result<ProgramTranslator::Sampled> ProgramTranslator::find_sampled(const Instruction* i, unsigned unit,
                                                                   bool native) const {
  const auto refused = [&](const std::string& why) {
    return i != nullptr ? unsupported(*i, why) : Error{ErrorCode::unsupported, why, program_.source_name};
  };
  const ir::SampleKey* const found = key_of_unit(unit);
  if (found == nullptr) return refused("no texture is bound to unit " + std::to_string(unit));
  ir::SampleKey key = *found;
  key.without_denormals = false;
  if (native) key.format = as_normalized(key.format);
  if (const char* reason = ir::unsupported(key)) return refused(reason);
  constexpr ParameterType kTypes[] = {ParameterType::u8,  ParameterType::s8,  ParameterType::u16,
                                      ParameterType::s16, ParameterType::f16, ParameterType::f32};
  const auto number = static_cast<std::uint32_t>(found - samples_.data());
  return Sampled{{key, table_.sample_table().words(number)},
                 number,
                 texel_components(key.swizzle),
                 kTypes[static_cast<unsigned>(native_texel(key.format))]};
}

Result<ProgramTranslator::Texel> ProgramTranslator::fetch_texel(const Instruction* i, unsigned unit,
                                                                const SampleRequest& request, bool native,
                                                                bool all) {
  WARPJIT_TRY(const Sampled sampled, find_sampled(i, unit, native));
  const unsigned count = all ? 4 : sampled.components;
  SampleTranslator sampler(b_, sampled.source, sampled.number, count);
  return Texel{sampler.sample(request), count, sampled.native};
}

InstructionTranslator::Part ProgramTranslator::packed(ParameterType type, unsigned k, F32 value) {
  const Register outside{.bank = Bank::pa};
  switch (type) {
    case ParameterType::f32:
      return part_of(outside, Type::f32, k, value);
    case ParameterType::f16:
      return part_of(outside, Type::f16, k, value);
    case ParameterType::c10:
      return part_of(outside, Type::c10, k, value);
    default:
      break;
  }
  const bool wide = type == ParameterType::u16 || type == ParameterType::s16,
             is_signed = type == ParameterType::s16 || type == ParameterType::s8;
  const Type field = wide ? (is_signed ? Type::s16 : Type::u16) : is_signed ? Type::s8 : Type::u8;
  const unsigned bits = wide ? 16 : 8, count = 32 / bits, shift = k % count * bits;
  return {.offset = k / count,
          .mask = low_mask<std::uint32_t>(bits) << shift,
          .value = b_.IShl32(field_of(field, value, true), word(shift))};
}

SampleRequest ProgramTranslator::sample_request(const Instruction& i) {
  using Level = SampleRequest::Level;
  SampleRequest request;
  const unsigned count = coordinate_count(i);
  const auto coordinates = [&] {
    std::array<F32, 3> at;
    for (unsigned k = 0; k < count; ++k) at[k] = raw_component(i.s[0], i.source_type, k);
    return at;
  };
  const auto operand = [&](unsigned k) { return raw_component(i.s[2], i.source_type, k); };
  request.coordinates = coordinates();
  if (gathers(i) && i.lod_mode != LodMode::replace) {
    request.level = Level::zero;
    return request;
  }
  switch (i.lod_mode) {
    case LodMode::replace:
      request.level = Level::given;
      request.detail = operand(0);
      return request;
    case LodMode::gradients:
      request.level = Level::of_gradients;
      for (unsigned n = 0; n < 2; ++n)
        for (unsigned k = 0; k < count; ++k) request.gradients[n][k] = operand(n * count + k);
      return request;
    default:
      break;
  }
  if (i.lod_mode == LodMode::bias) request.detail = operand(0);
  if (secondary_)
    request.level = Level::of_nothing;
  else if (view_of_others() == View::last && !same_in_all_lanes(i.s[0]) && takes_level_from_quad(i))
    request.last_coordinates = seen(View::last, coordinates);
  return request;
}

Status ProgramTranslator::sample(const Instruction& i) {
  const unsigned unit = *sampled_unit(program_, i);
  if (i.gather != Gather::none) return gather(i, unit);
  WARPJIT_TRY(const Texel texel, fetch_texel(&i, unit, sample_request(i), i.type == Type::native));
  const ParameterType type = type_of_result(i, texel.native);
  for (unsigned k = 0; k < texel.count; ++k) write_part(i.d[0], packed(type, k, texel.components[k]));
  return {};
}

// Results one after the other, each from a new word on; and what else a sample tells of its footprint.
Status ProgramTranslator::gather(const Instruction& i, unsigned unit) {
  WARPJIT_TRY(const Sampled sampled, find_sampled(&i, unit, i.type == Type::native));
  SampleTranslator sampler(b_, sampled.source, sampled.number, sampled.components);
  if (i.gather == Gather::info) {
    write_word(i.d[0], 0, sampler.query(sample_request(i)));
    return {};
  }
  const SampleTranslator::Gathered gathered = sampler.gather(sample_request(i));
  std::uint32_t first = 0;
  const auto write_result = [&](ParameterType type, const std::array<F32, 4>& values, unsigned count) {
    std::uint32_t last = 0;
    for (unsigned k = 0; k < count; ++k) {
      Part part = packed(type, k, values[k]);
      last = part.offset;
      part.offset += first;
      write_part(i.d[0], part);
    }
    first += last + 1;
  };
  for (const std::array<F32, 4>& texel : gathered.texels)
    write_result(type_of_result(i, sampled.native), texel, sampled.components);
  if (i.gather == Gather::texels_and_weights) write_result(ParameterType::f16, gathered.weights, 4);
  return {};
}

}  // namespace warpjit::usse
