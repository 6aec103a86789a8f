#include "frontend/valhall/flow/texture_uses.h"

#include <algorithm>
#include <array>

#include "frontend/valhall/encoding/encoding.h"

namespace warpjit::valhall {
namespace {

constexpr std::size_t kRegisterCount = 64, kMostBlocks = 1U << 16, kMostSteps = 1U << 23;
constexpr std::uint32_t kSamplerTable = 3, kTextureTable = 4;

// The constant in each register that holds one.
using Registers = std::array<std::optional<std::uint32_t>, kRegisterCount>;

// What a thread begins with: presets, from r48 on at most, and zeros.
Registers at_start() {
  Registers registers{};
  for (std::size_t k = 0; k < 48; ++k) registers[k] = 0;
  return registers;
}

std::optional<std::uint32_t> whole(const Source& source, const Registers& registers, unsigned half = 0) {
  if (source.lanes != Lanes::none_ || source.negate || source.absolute || source.invert) return std::nullopt;
  if (source.kind == Source::Kind::constant) return half == 0 ? kConstants[source.value] : 0;
  if (source.kind == Source::Kind::gpr && source.value + half < kRegisterCount)
    return registers[source.value + half];
  return std::nullopt;
}

// What an instruction with a destination of 32 bits computes from constants. The ones here are those that
// build constants.
std::optional<std::uint32_t> computed(const Instruction& i, const Registers& registers) {
  if (i.write_mask != 3 || i.unused != 0) return std::nullopt;
  const auto a = whole(i.source[0], registers);
  if (!a) return std::nullopt;
  switch (i.opcode) {
    case Opcode::mov:
      return a;
    case Opcode::iadd_imm:
      if (i.type != Type::i32) return std::nullopt;
      return *a + i.constant;
    case Opcode::iadd: {
      if ((i.type != Type::u32 && i.type != Type::s32) || i.saturate) return std::nullopt;
      const auto b = whole(i.source[1], registers);
      return b ? std::optional(*a + *b) : std::nullopt;
    }
    case Opcode::lshift_or: {
      Source by = i.source[1];
      if (i.type != Type::i32 || i.not_result || by.lanes != Lanes::b02) return std::nullopt;
      by.lanes = Lanes::none_;
      const auto b = whole(by, registers), c = whole(i.source[2], registers);
      return b && c ? std::optional(*a << (*b & 31) | *c) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

void step(const Instruction& i, Registers& registers) {
  const auto lose = [&](std::size_t first, std::size_t count) {
    for (std::size_t k = first; k < std::min(first + count, kRegisterCount); ++k) registers[k].reset();
  };
  lose(i.write.first, i.write.count);
  const Pattern* pattern = find_pattern(i.opcode, i.type);
  if (pattern == nullptr) return;
  for (const SyntaxToken& token : pattern->syntax()) {
    if (token.kind != SyntaxToken::Kind::destination) continue;
    const auto value = token.wide ? std::nullopt : computed(i, registers);
    lose(i.destination, token.wide ? 2 : 1);
    registers[i.destination] = value;
  }
}

// Keeps what both have; whether that is less than before.
bool meet(Registers& into, const Registers& other) {
  bool less = false;
  for (std::size_t k = 0; k < kRegisterCount; ++k)
    if (into[k] && into[k] != other[k]) {
      into[k].reset();
      less = true;
    }
  return less;
}

std::optional<frontend::TextureUse> use_of(const Instruction& i, const Registers& registers) {
  const auto low = whole(i.source[0], registers, 0), high = whole(i.source[0], registers, 1);
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

std::optional<std::uint32_t> offsets_of(const Instruction& i, const Registers& registers) {
  const SampleOperands operands = sample_operands(i);
  if (operands.offsets == 0) return 0;
  const std::size_t at = i.read.first + operands.offsets;
  return at < kRegisterCount ? registers[at] : std::nullopt;
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
  const ControlFlow flow = find_blocks(program, code);
  if (flow.blocks.size() > kMostBlocks) return found;

  std::vector<std::optional<Registers>> before(flow.blocks.size());
  before[0] = at_start();
  const auto after = [&](const FlowBlock& block, Registers registers, const auto& visit) {
    for (std::uint32_t pc = block.first; pc < block.end; pc += 8) {
      visit(pc, registers);
      step(*code.at(pc), registers);
    }
    return registers;
  };
  std::vector<std::uint32_t> work{0};
  std::size_t steps = 0;
  while (!work.empty()) {
    const std::uint32_t number = work.back();
    const FlowBlock& block = flow.blocks[number];
    work.pop_back();
    steps += (block.end - block.first) / 8;
    if (steps > kMostSteps) return found;
    const Registers left = after(block, *before[number], [](std::uint32_t, const Registers&) {});
    for (unsigned k = 0; k < block.edge_count; ++k) {
      const std::uint32_t target = block.edges[k].target;
      if (target == kThreadEnds) continue;
      if (!before[target])
        before[target] = left;
      else if (!meet(*before[target], left))
        continue;
      work.push_back(target);
    }
  }
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b)
    if (before[b])
      after(flow.blocks[b], *before[b], [&](std::uint32_t pc, const Registers& registers) {
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
