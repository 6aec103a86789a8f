#include "frontend/valhall/flow/constants.h"

#include <algorithm>
#include <vector>

#include "frontend/valhall/encoding/encoding.h"

namespace warpjit::valhall {
namespace {

constexpr std::size_t kRegisterCount = 64, kMostBlocks = 1U << 16, kMostSteps = 1U << 23;

// What an instruction with a destination of 32 bits computes from constants.
// The ones here are those that build constants.
std::optional<std::uint32_t> computed(const Instruction& i, const RegisterConstants& registers) {
  if (i.write_mask != 3 || i.unused != 0) return std::nullopt;
  const auto a = constant_of(i.source[0], registers);
  if (!a) return std::nullopt;
  switch (i.opcode) {
    case Opcode::mov:
      return a;
    case Opcode::iadd_imm:
      if (i.type != Type::i32) return std::nullopt;
      return *a + i.constant;
    case Opcode::iadd: {
      if ((i.type != Type::u32 && i.type != Type::s32) || i.saturate) return std::nullopt;
      const auto b = constant_of(i.source[1], registers);
      return b ? std::optional(*a + *b) : std::nullopt;
    }
    case Opcode::lshift_or: {
      Source by = i.source[1];
      if (i.type != Type::i32 || i.not_result || by.lanes != Lanes::b02) return std::nullopt;
      by.lanes = Lanes::none_;
      const auto b = constant_of(by, registers), c = constant_of(i.source[2], registers);
      return b && c ? std::optional(*a << (*b & 31) | *c) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

void step(const Instruction& i, RegisterConstants& registers) {
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
bool meet(RegisterConstants& into, const RegisterConstants& other) {
  bool less = false;
  for (std::size_t k = 0; k < kRegisterCount; ++k)
    if (into[k] && into[k] != other[k]) {
      into[k].reset();
      less = true;
    }
  return less;
}

}  // namespace

RegisterConstants constants_at_start() {
  RegisterConstants registers{};
  for (std::size_t k = 0; k < 48; ++k) registers[k] = 0;
  return registers;
}

std::optional<std::uint32_t> constant_of(const Source& source, const RegisterConstants& registers,
                                         unsigned half) {
  if (source.lanes != Lanes::none_ || source.negate || source.absolute || source.invert) return std::nullopt;
  if (source.kind == Source::Kind::constant) return half == 0 ? kConstants[source.value] : 0;
  if (source.kind == Source::Kind::gpr && source.value + half < kRegisterCount)
    return registers[source.value + half];
  return std::nullopt;
}

bool follow_constants(const Program& program, const ReachedCode& code, const RegisterConstants& at_start,
                      const std::function<void(std::uint32_t, const RegisterConstants&)>& visit) {
  const ControlFlow flow = find_blocks(program, code);
  if (flow.blocks.size() > kMostBlocks) return false;
  std::vector<std::optional<RegisterConstants>> before(flow.blocks.size());
  before[0] = at_start;
  std::vector<std::uint32_t> work{0};
  std::size_t steps = 0;
  while (!work.empty()) {
    const FlowBlock& block = flow.blocks[work.back()];
    RegisterConstants registers = *before[work.back()];
    work.pop_back();
    steps += (block.end - block.first) / 8;
    if (steps > kMostSteps) return false;
    for (std::uint32_t pc = block.first; pc < block.end; pc += 8) step(*code.at(pc), registers);
    for (unsigned k = 0; k < block.edge_count; ++k) {
      const std::uint32_t target = block.edges[k].target;
      if (target == kThreadEnds) continue;
      if (!before[target])
        before[target] = registers;
      else if (!meet(*before[target], registers))
        continue;
      work.push_back(target);
    }
  }
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    if (!before[b]) continue;
    for (std::uint32_t pc = flow.blocks[b].first; pc < flow.blocks[b].end; pc += 8) {
      visit(pc, *before[b]);
      step(*code.at(pc), *before[b]);
    }
  }
  return true;
}

}  // namespace warpjit::valhall
