#include "frontend/valhall/facts/instruction_facts.h"

#include "frontend/valhall/encoding/decode.h"

namespace warpjit::valhall {
namespace {

using frontend::FloatFormats;

constexpr FloatFormats kHalves{.half = true}, kSingles{.single = true}, kNoFloats{};

FloatFormats formats_of(Type type) {
  return type == Type::f32 ? kSingles : type == Type::f16 || type == Type::v2f16 ? kHalves : kNoFloats;
}
FloatFormats formats_of(RegisterFormat format) {
  return format == RegisterFormat::f32 ? kSingles : format == RegisterFormat::f16 ? kHalves : kNoFloats;
}

// What a mnemonic without a type says of floats.
struct Conversion {
  FloatFormats from, to;
};
Conversion conversion_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::s8_to_f32:
    case Opcode::s16_to_f32:
    case Opcode::s32_to_f32:
    case Opcode::u8_to_f32:
    case Opcode::u16_to_f32:
    case Opcode::u32_to_f32:
      return {kNoFloats, kSingles};
    case Opcode::v2s8_to_v2f16:
    case Opcode::v2s16_to_v2f16:
    case Opcode::v2u8_to_v2f16:
    case Opcode::v2u16_to_v2f16:
      return {kNoFloats, kHalves};
    case Opcode::f16_to_s32:
    case Opcode::f16_to_u32:
    case Opcode::v2f16_to_v2s16:
    case Opcode::v2f16_to_v2u16:
      return {kHalves, kNoFloats};
    case Opcode::f32_to_s32:
    case Opcode::f32_to_u32:
      return {kSingles, kNoFloats};
    case Opcode::f16_to_f32:
      return {kHalves, kSingles};
    case Opcode::v2f32_to_v2f16:
      return {kSingles, kHalves};
    case Opcode::cube_ssel:
    case Opcode::cube_tsel:
    case Opcode::cubeface1:
      return {kSingles, kSingles};
    case Opcode::cubeface2:  // gives the number of a face
      return {kSingles, kNoFloats};
    default:
      return {kNoFloats, kNoFloats};
  }
}

// True for instructions with a type of floats whose results are integers.
bool gives_integers(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::fcmp_or:
    case Opcode::fcmp_and:
      return i.result_type != ResultType::f1;
    case Opcode::fpclass:
    case Opcode::frexpe:
      return true;
    default:
      return false;
  }
}

frontend::InstructionFacts facts_of(const Instruction& i) {
  if (i.type == Type::none && i.register_format != RegisterFormat::automatic)
    return {.results = formats_of(i.register_format), .operands = formats_of(i.register_format)};
  if (i.type == Type::none) {
    const Conversion conversion = conversion_of(i.opcode);
    return {.results = conversion.to, .operands = conversion.from};
  }
  const FloatFormats floats = formats_of(i.type);
  return {.results = gives_integers(i) ? kNoFloats : floats, .operands = floats};
}

}  // namespace

std::vector<frontend::InstructionFacts> instruction_facts(const Program& program) {
  std::vector<frontend::InstructionFacts> facts;
  for (std::size_t k = 0; k < program.code.size(); ++k)
    if (const auto instruction = decode(program.code[k])) {
      facts.push_back(facts_of(*instruction));
      facts.back().address = static_cast<std::uint32_t>(8 * k);
    }
  return facts;
}

}  // namespace warpjit::valhall
