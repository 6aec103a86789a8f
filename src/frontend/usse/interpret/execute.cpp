// Repeats and predicates of single instructions.
#include <algorithm>

#include "frontend/usse/interpret/quad.h"

namespace warpjit::usse {
namespace {

// Registers that an operand moves on for a step of one.
unsigned step_registers(const Instruction& i, std::size_t operand) {
  const auto is_float = [](Type type) { return type == Type::f32 || type == Type::f16 || type == Type::c10; };
  switch (i.group) {
    case Group::mad:
    case Group::dp:
    case Group::comp:
      return 2;
    case Group::mov:
      return is_float(i.type) ? 2 : 1;
    case Group::pck:
      return operand != 0 && is_float(i.source_type) ? 2 : 1;
    case Group::tst:
      return static_cast<unsigned>(i.alu) < 16 ? 2 : 1;
    default:
      return 1;
  }
}

void advance(Register& reg, std::int32_t steps, unsigned registers) {
  if (reg.bank == Bank::c || reg.bank == Bank::g || reg.bank == Bank::immediate || reg.bank == Bank::idx)
    return;
  const bool internal = reg.bank == Bank::i;
  const std::int32_t number = reg.number + steps * static_cast<std::int32_t>(internal ? 1 : registers);
  reg.number =
      static_cast<std::uint16_t>(static_cast<std::uint32_t>(number) & (internal ? 3 : kMaxRegisters - 1));
}

}  // namespace

Instruction turned(const Instruction& instruction, unsigned turn, const MoeState& moe) {
  Instruction i = instruction;
  const bool vector = i.group == Group::mad || i.group == Group::dp;
  const auto move = [&](Register& reg, std::size_t operand) {
    if (vector && i.repeat_mode != RepeatMode::moe) {
      const bool internal = reg.bank == Bank::i;
      const bool moves =
          i.repeat_mode == RepeatMode::both || (i.repeat_mode == RepeatMode::internal) == internal;
      constexpr unsigned kVector = 4;
      if (moves) advance(reg, static_cast<std::int32_t>(turn), kVector);
    } else {
      advance(reg, moe.step(operand, turn), step_registers(i, operand));
    }
  };
  if (i.group != Group::dp) move(i.d[0], 0);
  for (std::size_t k = 0; k < 3; ++k) move(i.s[k], k + 1);
  return i;
}

void QuadAlu::execute_turn(const Instruction& i, unsigned lanes, unsigned turn) {
  const auto each = [&](void (QuadAlu::*execute)(const Instruction&, unsigned)) {
    for_lanes(lanes, [&](unsigned lane) { (this->*execute)(i, lane); });
  };
  switch (i.group) {
    case Group::vmad2:
      return mad2(i, lanes);
    case Group::nmad:
      return nmad(i, lanes);
    case Group::mad:
      return mad(i, lanes);
    case Group::dp:
      return dot(i, lanes, turn);
    case Group::dual:
      return dual(i, lanes);
    case Group::comp:
      return complex(i, lanes);
    case Group::mov:
      return each(&QuadAlu::move);
    case Group::pck:
      return each(&QuadAlu::pack);
    case Group::tst:
      return test(i, lanes);
    case Group::bits:
      return each(&QuadAlu::bitwise);
    case Group::sop:
      return each(&QuadAlu::sum_of_products);
    case Group::i8mad:
      return each(&QuadAlu::mad8);
    case Group::i16mad:
      return each(&QuadAlu::mad16);
    case Group::i32mad:
      return each(&QuadAlu::mad32);
    case Group::i32mad2:
      return each(&QuadAlu::mad32_step);
    case Group::limm: {
      const auto value = static_cast<std::uint32_t>(i.value(Immediate::value));
      return write_words(i.d[0], 0, lanes, {value, value, value, value});
    }
    case Group::moe:
    case Group::smp:
    case Group::memory:
    case Group::flow:
    case Group::depthf:
      return;
  }
}

void QuadAlu::execute(const Instruction& instruction, unsigned lanes) {
  lanes &= holds(instruction.predicate);
  if (lanes == 0) return;
  const bool repeats = instruction.group != Group::vmad2 && instruction.group != Group::nmad &&
                       instruction.group != Group::dual && instruction.group != Group::limm;
  const bool in_place = !repeats || std::ranges::all_of(quad_.moe, &MoeState::starts_in_place);
  if (observer_ != nullptr && repeats && (!in_place || instruction.repeat != 0)) [[unlikely]]
    show_moves(instruction, lanes);
  for (unsigned turn = 0; turn <= instruction.repeat; ++turn) {
    if (in_place && (turn == 0 || !repeats))
      execute_turn(instruction, lanes, turn);
    else
      for_lanes(lanes, [&](unsigned lane) {
        execute_turn(turned(instruction, turn, quad_.moe[lane]), 1U << lane, turn);
      });
    commit();
  }
}

}  // namespace warpjit::usse
