#include "frontend/tesla/facts/reach.h"

#include <algorithm>
#include <cstring>

#include "warpjit/textures.hpp"

namespace warpjit::tesla {
namespace {

constexpr unsigned bit_of(ProgramType type) { return 1U << static_cast<unsigned>(type); }
constexpr unsigned kCompute = bit_of(ProgramType::compute), kVertex = bit_of(ProgramType::vertex),
                   kGeometry = bit_of(ProgramType::geometry), kFragment = bit_of(ProgramType::fragment);

// Which programs have what (tesla.md 10, 12.5); the rest all of them have.
struct MemoryRule {
  Operand::Kind kind;
  unsigned types;
  const char* otherwise;
};
constexpr MemoryRule kMemoryRules[] = {
    {Operand::Kind::shared, kCompute, "s[] is for compute programs"},
    {Operand::Kind::attribute, kVertex | kGeometry, "a[] is for vertex and geometry programs"},
    {Operand::Kind::vertex, kGeometry, "p[] is for geometry programs"},
    {Operand::Kind::interpolant, kFragment, "v[] is for fragment programs"},
    {Operand::Kind::global, kCompute | kFragment, "g[] is for compute and fragment programs"},
};
struct OpcodeRule {
  Opcode opcode;
  unsigned types;
  const char* otherwise;
};
constexpr OpcodeRule kOpcodeRules[] = {
    {Opcode::st_o, kVertex | kGeometry, "st o[] is for vertex and geometry programs"},
    {Opcode::discard, kFragment, "discard is for fragment programs"},
    {Opcode::emit, kGeometry, "emit is for geometry programs"},
    {Opcode::restart, kGeometry, "restart is for geometry programs"},
    {Opcode::bar, kCompute, "barriers are for compute programs"},
};

// Why a program of the type may not hold an instruction; null if it may.
const char* illegal(ProgramType type, const Instruction& i) {
  for (const OpcodeRule& rule : kOpcodeRules)
    if (i.opcode == rule.opcode && (rule.types & bit_of(type)) == 0) return rule.otherwise;
  for (const Operand* operand : {&i.dst, &i.src[0], &i.src[1], &i.src[2]}) {
    if (operand->post_increment && operand->address == 0) return "a post-increment needs an address register";
    for (const MemoryRule& rule : kMemoryRules)
      if (operand->kind == rule.kind && (rule.types & bit_of(type)) == 0) return rule.otherwise;
    if (operand->kind == Operand::Kind::gpr) {
      if (operand->type == Type::b64 && operand->value % 2 != 0)
        return "a register pair starts at an even register";
      if (operand->type == Type::b128 && operand->value % 4 != 0)
        return "four registers start at a multiple of four";
    }
  }
  if (is_texture(i.opcode) && i.number >= kMaxTextures) return "textures have numbers below 128";
  const auto rounding = static_cast<Rounding>(i.rounding);
  switch (i.opcode) {
    case Opcode::bra_c:
      return i.limited != 0 ? "what a limited branch through c[] does is not known" : nullptr;
    case Opcode::fadd:
    case Opcode::fmul:
      return rounding == Rounding::down || rounding == Rounding::up ? "the rounding mode is not defined here"
                                                                    : nullptr;
    case Opcode::cvt_f2i:
    case Opcode::cvt_i2f:
    case Opcode::cvt_f2f:
      // Memory operands have at most 32 bits (tesla.md 2.2).
      return size_of(i.source_type) == 8 && i.src[0].kind != Operand::Kind::gpr
                 ? "a 64-bit source is a pair of registers"
                 : nullptr;
    case Opcode::ld_s:
      return i.lock != 0 && i.type != Type::b32 ? "only b32 can be locked" : nullptr;
    case Opcode::st_s:
      if (i.lock != 0 && i.type != Type::b32) return "only b32 can be unlocked";
      return i.type == Type::b32 && i.src[0].type != Type::b32 ? "b32 is stored from a 32-bit register"
                                                               : nullptr;
    case Opcode::red_g:
    case Opcode::atom_g: {
      const auto operation = static_cast<AtomicOperation>(i.operation);
      const bool has_wide = operation == AtomicOperation::add || operation == AtomicOperation::exch ||
                            operation == AtomicOperation::cas;
      return size_of(i.type) == 8 && !has_wide ? "this atomic operation has no 64-bit form" : nullptr;
    }
    default:
      return nullptr;
  }
}

// Whether control can go on after an instruction.
bool falls_through(const Instruction& i) {
  if (i.marker == Instruction::Marker::exit) return false;
  const bool always = i.condition == kAlways;
  switch (i.opcode) {
    case Opcode::bra:
    case Opcode::ret:
    case Opcode::brk:
      return !always;
    case Opcode::bra_c:
    case Opcode::trap:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool has_target(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::bra:
      return i.condition != 0;
    case Opcode::call:
    case Opcode::prebrk:
    case Opcode::joinat:
    case Opcode::preret:
      return true;
    default:
      return false;
  }
}

std::uint16_t condition_table(unsigned condition) {
  std::uint16_t table = 0;
  for (unsigned flags = 0; flags < 16; ++flags)
    if (condition_holds(condition, flags)) table |= static_cast<std::uint16_t>(1U << flags);
  return table;
}

Result<ReachedCode> ReachedCode::find(const Program& program, std::span<const BranchTarget> targets) {
  WARPJIT_CHECK(check_limits(program));
  ReachedCode result;
  result.code_ = flow::CodeMap<Instruction, 4>(program.code.size());
  struct Pending {
    std::uint32_t address;
    bool certain;
  };
  // First what is reached without c[], or with targets that were followed before.
  std::vector<Pending> work{{program.entry, true}}, through_constants;
  bool from_constants = false;
  while (!work.empty() || !through_constants.empty()) {
    if (work.empty()) {
      from_constants = true;
      work.swap(through_constants);
    }
    const auto [address, certain] = work.back();
    work.pop_back();
    if (address % 4 == 0 && result.at(address) != nullptr) continue;
    const auto decoded = decode(program.type, program.code, address, program.source_name);
    if (!decoded) {
      if (!certain || from_constants) continue;
      return decoded.error();
    }
    const Instruction& i = *decoded;
    if (const char* reason = illegal(program.type, i)) {
      if (from_constants) continue;
      return Error{ErrorCode::bad_input, reason, program.where(address)};
    }
    result.code_.add(address, i);
    if (has_target(i)) work.push_back({i.target, true});
    if (falls_through(i)) work.push_back({address + 4 * i.words(), i.opcode != Opcode::call});
    if (i.opcode != Opcode::bra_c || (result.branch_spaces_ >> i.src[0].space & 1) != 0) continue;
    result.branch_spaces_ |= 1U << i.src[0].space;
    for (const BranchTarget& target : targets)
      if (target.space == i.src[0].space) through_constants.push_back({target.address, false});
  }
  std::ranges::copy_if(targets, std::back_inserter(result.targets_), [&](const BranchTarget& target) {
    return (result.branch_spaces_ >> target.space & 1) != 0 && result.at(target.address) != nullptr;
  });
  return result;
}

std::span<const BranchTarget> ReachedCode::targets(std::uint32_t space) const {
  const auto first = std::ranges::lower_bound(targets_, space, {}, &BranchTarget::space);
  return {first, std::ranges::upper_bound(first, targets_.end(), space, {}, &BranchTarget::space)};
}

std::uint32_t branch_spaces(const Program& program) {
  std::uint32_t spaces = 0;
  for (std::size_t word = 0; word + 1 < program.code.size(); word += 2) {
    if (!is_long_word(program.code[word])) continue;
    const auto i = try_decode(program.type, program.code[word], program.code[word + 1]);
    if (i && i->opcode == Opcode::bra_c) spaces |= 1U << i->src[0].space;
  }
  return spaces;
}

BranchTargets branch_targets(const Program& program, std::uint32_t spaces,
                             std::span<const std::span<const std::byte>> constants) {
  BranchTargets targets;
  for (std::uint32_t space = 0; space < kConstantSpaces; ++space) {
    if ((spaces >> space & 1) == 0) continue;
    for (std::size_t at = 0; at + 4 <= constants[space].size(); at += 4) {
      std::uint32_t address = 0;
      std::memcpy(&address, constants[space].data() + at, sizeof address);
      if (address % 4 == 0 && address / 4 < program.code.size()) targets.push_back({space, address});
    }
  }
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

}  // namespace warpjit::tesla
