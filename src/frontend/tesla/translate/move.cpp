// Moves between registers of all kinds (tesla.md 4), and operations across lanes (13).
#include "frontend/tesla/translate/instruction.h"

namespace warpjit::tesla {

using ir::F32;
using ir::I1;
using ir::I32;

void InstructionTranslator::move(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::mov:
      return set_destination(i, source(i, 0));
    case Opcode::mov_from_c: {
      const auto [z, s, c, o] = flags(i.src[0].value);
      return set_destination(i, b_.IOr32(b_.IOr32(truth(z, kZero), truth(s, kSign)),
                                         b_.IOr32(truth(c, kCarry), truth(o, kOverflow))));
    }
    case Opcode::mov_from_a:
      return set_destination(i, address_register(i.src[0].value));
    case Opcode::mov_from_sr:
      return set_destination(i, special_register(i.src[0].value));
    case Opcode::mov_to_c: {
      const I32 bits = source(i, 0);
      return set_flags(i, {has_bit(bits, 0), has_bit(bits, 1), has_bit(bits, 2), has_bit(bits, 3)});
    }
    case Opcode::shl_a:
      return set_address_register(i.dst.value, b_.IShl32(source(i, 0), word(i.number)));
    case Opcode::add_a:
      return set_address_register(i.dst.value, b_.IAdd32(address_register(i.src[0].value), word(i.number)));
    case Opcode::vote:
      return vote(i);
    default:
      return quadop(i);
  }
}

// tesla.md 9.6: $physid is the lane and the warp in its block; clocks and counters stand at 0.
I32 InstructionTranslator::special_register(std::uint32_t index) {
  switch (index) {
    case 0:
      return physical_id();
    case 3:
      return word(0x20);
    default:
      return word(0);
  }
}

I32 InstructionTranslator::physical_id() {
  const I32 thread = thread_index();
  return b_.IOr32(b_.IAnd32(thread, word(kLanes - 1)), b_.IShl32(b_.IShrU32(thread, word(5)), word(8)));
}

I1 InstructionTranslator::voted(VoteOperation operation, I1 condition) {
  return operation == VoteOperation::any ? b_.AnyActive(lanes_, condition) : b_.AllActive(lanes_, condition);
}

// The condition is data: all active lanes get the result, true as S, false as Z.
void InstructionTranslator::vote(const Instruction& i) {
  const I1 condition = guard_;
  guard_ = lanes_;
  const I1 result = voted(static_cast<VoteOperation>(i.operation), condition);
  set_flags(i, {b_.Not1(result), result, no(), no()});
}

void InstructionTranslator::quadop(const Instruction& i) {
  const bool is_register = i.src[0].kind == Operand::Kind::gpr && i.src[0].type != Type::b16;
  I32 values = is_register ? neighbours_register(i.src[0].value) : source(i, 0);
  // A lane that does not execute it loads nothing, unless all load the same.
  if (i.src[0].is_memory() && (i.src[0].address != 0 || i.src[0].kind == Operand::Kind::local))
    values = b_.select(guard_, values, word(0));
  // Selects 4 to 7 are neighbours in x or y in fragment programs only.
  constexpr std::uint32_t kNeighbours[] = {0x00, 0x55, 0xaa, 0xff, 0xb1, 0x4e, 0xb1, 0x4e};
  const bool is_number = i.quad_lane >= 4 && program_.type != ProgramType::fragment;
  const F32 x = is_number ? b_.constant_bits(facts_.modes.infinite_derivatives ? 0x7f800000 : 0)
                          : as_float(b_.QuadSwizzle32(values, kNeighbours[i.quad_lane]));
  const F32 y = float_source(i, 1);
  const I32 lane = b_.IAnd32(b_.LaneIndex(), word(3));
  F32 result = quad_operation(static_cast<QuadOperation>(i.quad[3]), x, y);
  for (unsigned k = 3; k-- > 0;)
    if (i.quad[k] != i.quad[3])
      result = b_.select(b_.IEq32(lane, word(k)), quad_operation(static_cast<QuadOperation>(i.quad[k]), x, y),
                         result);
  set_float(i, result);
}

F32 InstructionTranslator::quad_operation(QuadOperation operation, F32 x, F32 y) {
  switch (operation) {
    case QuadOperation::add:
      return b_.FAddFlush32(x, y);
    case QuadOperation::subr:
      return b_.FSubFlush32(y, x);
    case QuadOperation::sub:
      return b_.FSubFlush32(x, y);
    case QuadOperation::mov2:
      break;
  }
  return b_.FAddFlush32(b_.constant(0.0F), y);  // -0 becomes +0, as the shared adder makes it
}

}  // namespace warpjit::tesla
