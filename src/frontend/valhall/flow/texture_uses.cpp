#include "frontend/valhall/flow/texture_uses.h"

#include <algorithm>

#include "frontend/valhall/encoding/encoding.h"
#include "frontend/valhall/flow/constants.h"

namespace warpjit::valhall {
namespace {

std::optional<TextureHandle> handle_of(const Instruction& i, const RegisterConstants& registers) {
  const auto low = constant_of(i.source[0], registers, 0), high = constant_of(i.source[0], registers, 1);
  if (!low || (i.wide_indices && !high)) return std::nullopt;
  if (i.wide_indices)
    return TextureHandle{.texture_table = *high >> 24,
                         .texture = *high & 0xffffff,
                         .sampler_table = *low >> 24,
                         .sampler = *low & 0xffffff};
  return TextureHandle{.texture_table = *low >> 27,
                       .texture = *low >> 16 & 0x7ff,
                       .sampler_table = *low >> 11 & 31,
                       .sampler = *low & 0x7ff};
}

std::optional<frontend::TextureUse> use_of(const Instruction& i, const TextureHandle& handle,
                                           const FragmentSetup& setup) {
  if (handle.texture_table != setup.texture_table || handle.texture >= kMaxTextures) return std::nullopt;
  const auto texture = static_cast<std::uint8_t>(handle.texture);
  if (i.opcode == Opcode::tex_fetch) return frontend::TextureUse{.texture = texture, .needs_sampler = false};
  if (handle.sampler_table != setup.sampler_table || handle.sampler >= kMaxSamplers) return std::nullopt;
  return frontend::TextureUse{.texture = texture, .sampler = static_cast<std::uint8_t>(handle.sampler)};
}

std::optional<std::uint32_t> offsets_of(const Instruction& i, const RegisterConstants& registers) {
  const SampleOperands operands = sample_operands(i);
  if (operands.offsets == 0) return 0;
  const std::size_t at = i.read.first + operands.offsets;
  return at < registers.size() ? registers[at] : std::nullopt;
}

}  // namespace

bool is_sample(Opcode opcode) {
  return opcode == Opcode::tex_single || opcode == Opcode::tex_fetch || opcode == Opcode::tex_gather ||
         opcode == Opcode::tex_gradient;
}

SampleOperands sample_operands(const Instruction& i) {
  constexpr std::uint8_t kCoordinates[] = {1, 2, 3, 2};
  constexpr std::uint8_t kExplicit = 4, kComputedBias = 5, kGradient = 6;
  SampleOperands operands;
  std::uint8_t next = operands.coordinates = kCoordinates[i.dimension & 3];
  if (i.opcode == Opcode::tex_gradient && i.derivatives) {
    operands.count = static_cast<std::uint8_t>(2 * next);
    return operands;
  }
  if (i.array) operands.layer = next++;
  if (i.shadow) operands.reference = next++;
  if (i.texel_offset) operands.offsets = next++;
  if (i.opcode == Opcode::tex_single &&
      (i.lod_mode == kExplicit || i.lod_mode == kComputedBias || i.lod_mode == kGradient)) {
    operands.level = next;
    next = static_cast<std::uint8_t>(next + (i.lod_mode == kGradient ? 2 : 1));
  }
  operands.count = next;
  return operands;
}

std::vector<SamplingInstruction> sampling_instructions(const Program& program, const ReachedCode& code) {
  std::vector<SamplingInstruction> found;
  for (const auto& [address, i] : code.instructions())
    if (is_sample(i.opcode)) found.push_back({address, {}, {}, {}});
  std::ranges::sort(found, {}, &SamplingInstruction::address);
  if (found.empty()) return found;
  follow_constants(program, code, constants_at_start(),
                   [&](std::uint32_t pc, const RegisterConstants& registers) {
                     const auto at = std::ranges::lower_bound(found, pc, {}, &SamplingInstruction::address);
                     if (at == found.end() || at->address != pc) return;
                     at->handle = handle_of(*code.at(pc), registers);
                     if (at->handle) at->use = use_of(*code.at(pc), *at->handle, program.fragment);
                     at->offsets = offsets_of(*code.at(pc), registers);
                   });
  return found;
}

Status choose_tables(Program& program) {
  const auto code = find_reached(program);
  if (!code) return {};  // who runs it says why
  std::optional<std::uint32_t> textures, samplers;
  const auto take = [&](std::optional<std::uint32_t>& known, std::uint32_t table, std::uint32_t address,
                        const char* what) -> Status {
    if (known.value_or(table) != table)
      return Error{ErrorCode::unsupported,
                   std::string(what) + " of the tables " + std::to_string(*known) + " and " +
                       std::to_string(table) + " in one program",
                   program.where(address)};
    known = table;
    return {};
  };
  for (const SamplingInstruction& one : sampling_instructions(program, *code)) {
    if (!one.handle) continue;
    WARPJIT_CHECK(take(textures, one.handle->texture_table, one.address, "textures"));
    if (code->at(one.address)->opcode == Opcode::tex_fetch) continue;
    WARPJIT_CHECK(take(samplers, one.handle->sampler_table, one.address, "samplers"));
  }
  if (textures) program.fragment.texture_table = static_cast<std::uint8_t>(*textures);
  if (samplers) program.fragment.sampler_table = static_cast<std::uint8_t>(*samplers);
  return {};
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
