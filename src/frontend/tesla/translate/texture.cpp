#include "frontend/tesla/translate/texture.h"

#include <algorithm>
#include <string>

#include "frontend/tesla/translate/instruction.h"

namespace warpjit::tesla {

using ir::F32;
using ir::I32;

namespace {

ir::SampleOperation sample_operation(Opcode opcode) {
  switch (opcode) {
    case Opcode::texbias:
      return ir::SampleOperation::bias;
    case Opcode::texlod:
      return ir::SampleOperation::lod;
    case Opcode::texfetch:
      return ir::SampleOperation::fetch;
    case Opcode::texgather:
      return ir::SampleOperation::gather;
    case Opcode::texsize:
      return ir::SampleOperation::size;
    case Opcode::texquerylod:
      return ir::SampleOperation::query_lod;
    default:
      return ir::SampleOperation::automatic;
  }
}

bool has_quads(const Instruction& i, const Program& program) {
  return program.type == ProgramType::fragment || i.deriv != 0;
}

}  // namespace

std::size_t SampledTextures::number_of(const Instruction& i, const Modes& modes) const {
  const bool sampler = needs_sampler(i.opcode);
  const frontend::TextureUse use = {static_cast<std::uint8_t>(i.number),
                                    static_cast<std::uint8_t>(sampler ? sampler_of(i, modes) : 0), sampler};
  return static_cast<std::size_t>(std::ranges::find(uses, use) - uses.begin());
}

Status check_samples(const Program& program, const ReachedCode& code, const SampledTextures& textures,
                     const Modes& modes) {
  // Code after a branch through c[] may sample what Shader::texture_uses did not tell the launch.
  for (const auto& [address, i] : code.instructions())
    if (needs_texture(i.opcode) && textures.number_of(i, modes) >= textures.keys.size())
      return Error{ErrorCode::unsupported, "textures that are not known to be bound", program.where(address)};
  for (std::size_t k = 0; k < textures.keys.size(); ++k)
    if (const char* reason = ir::unsupported(textures.keys[k]))
      return Error{ErrorCode::unsupported,
                   std::string(reason) + ", of texture " + std::to_string(textures.uses[k].texture),
                   program.source_name};
  return {};
}

bool takes_level_from_quad(const Instruction& i, const Program& program, const SampledTextures& textures,
                           const Modes& modes) {
  if (!has_quads(i, program)) return false;
  if (i.opcode == Opcode::texquerylod) return true;
  if (i.opcode != Opcode::texauto && i.opcode != Opcode::texbias) return false;
  return textures.key_of(i, modes).needs_lod();
}

void mark_samples(const Program& program, const ReachedCode& code, const ControlFlow& flow,
                  const SampledTextures& textures, const Modes& modes, std::vector<LaneEffects>& effects) {
  if (textures.uses.empty()) return;
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b)
    for (std::uint32_t pc = flow.blocks[b].first; pc < flow.blocks[b].end;) {
      const Instruction& i = *code.at(pc);
      effects[b].reads_lanes = effects[b].reads_lanes || takes_level_from_quad(i, program, textures, modes);
      pc += 4 * i.words();
    }
}

// Arguments stand one after the other: those that texture and sampler need.
void InstructionTranslator::sample(const Instruction& i) {
  std::uint32_t next = 0;
  const auto argument = [&] {
    const std::uint32_t n = next++;
    return n < i.arguments ? gpr(i.dst.value + n) : word(0);
  };
  std::array<I32, 4> found;
  if (i.opcode == Opcode::texprep) {
    std::array<I32, 4> words;
    for (I32& one : words) one = argument();
    found = cube_place(words);
  } else {
    const std::size_t number = textures_.number_of(i, facts_.modes);
    const ir::SampleKey& key = textures_.keys[number];
    ir::SampleUse use;
    use.operation = sample_operation(i.opcode);
    use.source = static_cast<std::uint16_t>(number);
    use.components = i.results;
    use.from_quad = i.deriv != 0 && takes_level_from_quad(i, program_, textures_, facts_.modes);
    ir::samples::Operands from = {{word(0), word(0), word(0)}, word(0), word(0), word(0)};
    if (i.opcode != Opcode::texsize) {
      const unsigned coordinates = key.is_cube() ? 3 : key.axes();
      for (unsigned k = 0; k < coordinates; ++k) {
        from.coordinates[k] = argument();
        if (!key.is_cube() && i.opcode != Opcode::texquerylod) use.offsets[k] = i.offsets[k];
      }
      if (key.array) from.layer = argument();
      if (key.compare && needs_sampler(i.opcode)) from.reference = argument();
    }
    const bool fetches_level = i.opcode == Opcode::texfetch && key.dimension != TextureDimension::buffer;
    if (i.opcode == Opcode::texbias || i.opcode == Opcode::texlod || i.opcode == Opcode::texsize ||
        fetches_level)
      from.detail = argument();
    found = sampled(from, use);
  }
  std::uint32_t to = i.dst.value;
  for (unsigned k = 0; k < 4; ++k)
    if ((i.results >> k & 1) != 0) set_gpr(to++, found[k]);
}

std::array<I32, 4> InstructionTranslator::sampled(const ir::samples::Operands& from,
                                                  const ir::SampleUse& use) {
  // In thread form linearize gives Sample's guard the lanes that are there.
  if (function_.form == ir::Form::group)
    return ir::samples::expand(b_, function_.samples[use.source], use, from, lanes_,
                               function_.pixels || use.from_quad, ir::Inst{});
  return b_.Sample(b_.constant(true), from.coordinates[0], from.coordinates[1], from.coordinates[2],
                   from.layer, from.reference, from.detail, use.pack());
}

// texprep: the place on the face that a direction meets, and the face's number in an array of cubes.
std::array<I32, 4> InstructionTranslator::cube_place(const std::array<I32, 4>& from) {
  static const ir::SampleSource kNone{};
  std::array<F32, 3> direction;
  for (unsigned k = 0; k < 3; ++k) direction[k] = b_.BitcastI32ToF32(from[k]);
  const ir::samples::Coordinates::Face face = ir::samples::Coordinates(b_, kNone, 0).face(direction);
  const I32 s = as_bits(face.s), t = as_bits(face.t), first = b_.IMul32(from[3], word(6));
  return {s, t, b_.IAdd32(first, face.number), word(0)};
}

}  // namespace warpjit::tesla
