// Samples of textures (docs/guests/usse.md 6).
#include <algorithm>

#include "frontend/usse/flow/slots.h"
#include "frontend/usse/translate/program.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

constexpr std::uint8_t kCube = 2;                // of Instruction::dimension
constexpr std::uint8_t kBias = 1, kReplace = 2;  // of Instruction::lod_mode

}  // namespace

std::vector<frontend::TextureUse> texture_uses(const Program& program) {
  std::uint32_t units = 0;
  for (const FragmentInput& input : program.fragment.inputs)
    if (input.sampled) units |= 1U << (input.sampled->unit % kTextureUnits);
  for (const auto* code : {&program.primary, &program.secondary})
    for (const std::uint64_t word : *code) {
      const Result<Instruction> i = decode(word);
      if (!i || i->opcode != Opcode::smp) continue;
      if (const auto unit = sampled_unit(program, *i)) units |= 1U << *unit;
    }
  std::vector<frontend::TextureUse> uses;
  for (unsigned unit = 0; unit < kTextureUnits; ++unit)
    if ((units >> unit & 1) != 0)
      uses.push_back({static_cast<std::uint8_t>(unit), static_cast<std::uint8_t>(unit)});
  return uses;
}

Result<ProgramTranslator::Texel> ProgramTranslator::fetch_texel(const Instruction* i, unsigned unit,
                                                                const Coordinates& coordinates) {
  const auto refused = [&](const std::string& why) {
    return i != nullptr ? unsupported(*i, why) : Error{ErrorCode::unsupported, why, program_.source_name};
  };
  const auto found = std::ranges::find(uses_, unit, &frontend::TextureUse::texture);
  const auto number = static_cast<std::size_t>(found - uses_.begin());
  if (found == uses_.end() || number >= samples_.size())
    return refused("a texture that is not known to be bound");
  ir::SampleKey key = samples_[number];
  if (key.is_cube() != samples_cube(program_, unit))
    return Error{
        ErrorCode::bad_input,
        "the texture of unit " + std::to_string(unit) + " has not the dimension that the program samples",
        program_.source_name};
  key.without_denormals = false;
  if (const char* reason = ir::unsupported(key)) return refused(reason);
  Texel texel;
  texel.count = texel_components(key.swizzle);
  constexpr ParameterType kTypes[] = {ParameterType::u8,  ParameterType::s8,  ParameterType::u16,
                                      ParameterType::s16, ParameterType::f16, ParameterType::f32};
  texel.native = kTypes[static_cast<unsigned>(native_texel(key.format))];
  SampleRequest request;
  request.coordinates = coordinates.at;
  request.detail = coordinates.detail;
  request.level = secondary_ && coordinates.level != SampleRequest::Level::given ? SampleRequest::Level::zero
                                                                                 : coordinates.level;
  const ir::SampleSource source{key, table_.sample_table().words(number)};
  TextureSampler sampler(b_, source, static_cast<std::uint32_t>(number), texel.count);
  texel.components = sampler.sample(request);
  return texel;
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

Status ProgramTranslator::sample(const Instruction& i) {
  if (i.gather != 0) return unsupported(i, "gathers and what a sample looks at");
  if (i.min_pack) return unsupported(i, "minpack");
  if (i.lod_mode > kReplace) return unsupported(i, "gradients");
  const auto unit = sampled_unit(program_, i);
  if (!unit) return unsupported(i, "control words that are no dependent sampler");
  for (std::size_t k = 0; k < kControlWords; ++k)
    if (const std::size_t n = i.s[1].number + k; n < written_sa_.size() && written_sa_[n])
      return unsupported(i, "control words that the secondary program writes");
  if (samples_cube(program_, *unit) != (i.dimension == kCube))
    return unsupported(i, "a cube as another texture, or the reverse");
  Coordinates coordinates;
  for (unsigned k = 0; k <= i.dimension; ++k) coordinates.at[k] = component(i.s[0], i.source_type, k);
  if (i.lod_mode != 0) {
    coordinates.level = i.lod_mode == kBias ? SampleRequest::Level::biased : SampleRequest::Level::given;
    coordinates.detail = component(i.s[2], i.source_type, 0);
  }
  WARPJIT_TRY(const Texel texel, fetch_texel(&i, *unit, coordinates));
  const ParameterType type = i.type == Type::f16   ? ParameterType::f16
                             : i.type == Type::f32 ? ParameterType::f32
                                                   : texel.native;
  for (unsigned k = 0; k < texel.count; ++k) write_part(i.d[0], packed(type, k, texel.components[k]));
  return {};
}

}  // namespace warpjit::usse
