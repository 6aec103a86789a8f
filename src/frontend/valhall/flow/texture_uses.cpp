#include "frontend/valhall/flow/texture_uses.h"

#include <algorithm>

#include "frontend/valhall/encoding/encoding.h"
#include "frontend/valhall/flow/constants.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kSamplerTable = 3, kTextureTable = 4;

std::optional<frontend::TextureUse> use_of(const Instruction& i, const RegisterConstants& registers) {
  const auto low = constant_of(i.source[0], registers, 0), high = constant_of(i.source[0], registers, 1);
  if (!low || (i.wide_indices && !high)) return std::nullopt;
  std::uint32_t sampler = *low & 0x7ff, sampler_table = *low >> 11 & 31, texture = *low >> 16 & 0x7ff,
                texture_table = *low >> 27;
  if (i.wide_indices) {
    sampler = *low & 0xffffff, sampler_table = *low >> 24;
    texture = *high & 0xffffff, texture_table = *high >> 24;
  }
  if (texture_table != kTextureTable || texture >= kMaxTextures) return std::nullopt;
  if (i.opcode == Opcode::tex_fetch)
    return frontend::TextureUse{.texture = static_cast<std::uint8_t>(texture), .needs_sampler = false};
  if (sampler_table != kSamplerTable || sampler >= kMaxSamplers) return std::nullopt;
  return frontend::TextureUse{.texture = static_cast<std::uint8_t>(texture),
                              .sampler = static_cast<std::uint8_t>(sampler)};
}

std::optional<std::uint32_t> offsets_of(const Instruction& i, const RegisterConstants& registers) {
  const SampleOperands operands = sample_operands(i);
  if (operands.offsets == 0) return 0;
  const std::size_t at = i.read.first + operands.offsets;
  return at < registers.size() ? registers[at] : std::nullopt;
}

}  // namespace

bool is_sample(Opcode opcode) {
  return opcode == Opcode::tex_single || opcode == Opcode::tex_fetch || opcode == Opcode::tex_gather;
}

SampleOperands sample_operands(const Instruction& i) {
  constexpr std::uint8_t kCoordinates[] = {1, 2, 3, 2};
  constexpr std::uint8_t kExplicit = 4, kComputedBias = 5;
  SampleOperands operands;
  std::uint8_t next = operands.coordinates = kCoordinates[i.dimension & 3];
  if (i.array) operands.layer = next++;
  if (i.shadow) operands.reference = next++;
  if (i.texel_offset) operands.offsets = next++;
  if (i.opcode == Opcode::tex_single && (i.lod_mode == kExplicit || i.lod_mode == kComputedBias))
    operands.level = next++;
  operands.count = next;
  return operands;
}

std::vector<SamplingInstruction> sampling_instructions(const Program& program, const ReachedCode& code) {
  std::vector<SamplingInstruction> found;
  for (const auto& [address, i] : code.instructions())
    if (is_sample(i.opcode)) found.push_back({address, {}, {}});
  std::ranges::sort(found, {}, &SamplingInstruction::address);
  if (found.empty()) return found;
  follow_constants(program, code, constants_at_start(),
                   [&](std::uint32_t pc, const RegisterConstants& registers) {
                     const auto at = std::ranges::lower_bound(found, pc, {}, &SamplingInstruction::address);
                     if (at == found.end() || at->address != pc) return;
                     at->use = use_of(*code.at(pc), registers);
                     at->offsets = offsets_of(*code.at(pc), registers);
                   });
  return found;
}

std::vector<frontend::TextureUse> texture_uses(const std::vector<SamplingInstruction>& instructions) {
  std::vector<frontend::TextureUse> uses;
  for (const SamplingInstruction& one : instructions)
    if (one.use) uses.push_back(*one.use);
  std::ranges::sort(uses);
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  return uses;
}

}  // namespace warpjit::valhall
