#include "random/tesla/generator.h"

namespace warpjit::tesla {

// An input in a fragment program; else a multiple of the thread's number.
void RandomGenerator::coordinate(const std::string& into) {
  if (type_ == ProgramType::fragment) return interpolate(into);
  const std::uint32_t sign = random_.one_in(4) ? 0x80000000 : 0,
                      factor = 0x3c000000 + random_.below(0x2000000);
  line("mov b32 " + reg(kScratch) + " " + std::to_string(sign | factor));
  line("cvt rn f32 " + into + " u32 " + reg(kThread));
  line("mul rn f32 " + into + " " + into + " " + reg(kScratch));
}

// Arguments are any words that stand there; often coordinates.
void RandomGenerator::sample_texture() {
  constexpr Opcode kOpcodes[] = {Opcode::texauto,   Opcode::texauto,  Opcode::texauto, Opcode::texbias,
                                 Opcode::texlod,    Opcode::texfetch, Opcode::texsize, Opcode::texquerylod,
                                 Opcode::texgather, Opcode::texprep};
  const unsigned first = random_.below(kGeneral - 3);
  for (unsigned k = 0; k < 3; ++k)
    if (!random_.one_in(3)) coordinate(reg(first + k));
  Instruction i;
  i.opcode = kOpcodes[random_.below(std::size(kOpcodes))];
  i.form = Form::long_;
  if (i.opcode == Opcode::texfetch)
    for (unsigned k = 0; k < 4; ++k)
      line("and b32 " + reg(first + k) + " " + reg(first + k) + " " + (k < 2 ? "0x3f" : "0x3"));
  i.dst = {.kind = Operand::Kind::gpr, .type = Type::b32, .value = first};
  i.number = i.opcode == Opcode::texprep ? 0 : random_.below(kRandomTextures);
  i.count = i.opcode == Opcode::texprep ? 0 : random_.below(kRandomSamplers);
  i.arguments = static_cast<std::uint8_t>(random_.one_in(4) ? 1 + random_.below(4) : 4);
  i.results = static_cast<std::uint8_t>(random_.one_in(2) ? 15 : random_.below(16));
  // Levels of detail of quads that are lanes of warps.
  i.deriv = type_ != ProgramType::fragment && options_.lanes_meet && random_.one_in(2) ? 1 : 0;
  if (random_.one_in(4)) {
    i.condition = static_cast<std::uint8_t>(1 + random_.below(6));
    i.condition_register = static_cast<std::uint8_t>(random_.below(4));
  }
  const bool takes_offsets =
      i.opcode != Opcode::texsize && i.opcode != Opcode::texquerylod && i.opcode != Opcode::texprep;
  if (takes_offsets && random_.one_in(4))
    for (std::int8_t& offset : i.offsets) offset = static_cast<std::int8_t>(random_.below(16)) - 8;
  put(*encode(type_, i));
}

}  // namespace warpjit::tesla
