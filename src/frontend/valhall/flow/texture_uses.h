// What a program samples (docs/guests/valhall.md 10.4). An instruction takes texture and sampler from a word,
// which compilers put into a register shortly before: the registers that hold the same constant whenever
// control comes there are followed over all blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/shader.h"
#include "frontend/valhall/flow/control_flow.h"

namespace warpjit::valhall {

// True if it reads a texture by the first source's word.
bool is_sample(Opcode opcode);

// What an instruction's word names: entries of tables.
struct TextureHandle {
  std::uint32_t texture_table = 0, texture = 0, sampler_table = 0, sampler = 0;
};

struct SamplingInstruction {
  std::uint32_t address = 0;
  std::optional<TextureHandle> handle;  // none: its word is not known
  // None: its word is not known, or names what no launch binds, which is a fault.
  std::optional<frontend::TextureUse> use;
  std::optional<std::uint32_t> offsets;  // its word of offsets, if that is known; 0 if it has none
};
// By their addresses. No word is known of programs that have more than 2^16 blocks or take too many steps.
std::vector<SamplingInstruction> sampling_instructions(const Program& program, const ReachedCode& code);

// Sets the tables of a job's program to those that its instructions name.
// Errors: unsupported, if they name several.
Status choose_tables(Program& program);

// Each once, ascending.
std::vector<frontend::TextureUse> texture_uses(const std::vector<SamplingInstruction>& instructions);
inline std::vector<frontend::TextureUse> texture_uses(const Program& program, const ReachedCode& code) {
  return texture_uses(sampling_instructions(program, code));
}

// The staging registers of an instruction that samples: how many coordinates, and the place of what follows
// them. 0: it has no such operand. A level that TEX_GRADIENT found takes two. TEX_GRADIENT itself has the
// coordinates, of arrays with a layer, or along each axis the gradients to both neighbours.
struct SampleOperands {
  std::uint8_t coordinates = 0, layer = 0, reference = 0, offsets = 0, level = 0;
  std::uint8_t count = 0;
};
SampleOperands sample_operands(const Instruction& i);

}  // namespace warpjit::valhall
