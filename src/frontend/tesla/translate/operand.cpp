// Operands of Tesla instructions, and which family translates what.
#include <algorithm>

#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/translate/instruction.h"

namespace warpjit::tesla {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

std::vector<ir::Type> variable_types(ProgramType type) {
  const bool is_graphics = type != ProgramType::compute;
  std::vector<ir::Type> types(is_graphics ? kGraphicsVariables : kVariables, ir::Type::i32);
  std::fill(types.begin() + kVarC, types.begin() + kVarWords, ir::Type::i1);
  if (is_graphics) types[kVarLive] = ir::Type::i1;
  return types;
}

bool stores_shared(const ReachedCode& code) {
  return std::ranges::any_of(code.instructions(), [](const ReachedInstruction& reached) {
    return reached.instruction.dst.kind == Operand::Kind::shared || reached.instruction.lock != 0;
  });
}

}  // namespace

InstructionTranslator::InstructionTranslator(const Program& program, const ComputeFacts& facts,
                                             const ReachedCode& code, const SampledTextures& textures)
    : program_(program),
      facts_(facts),
      textures_(textures),
      b_(function_),
      ssa_(b_, variable_types(program.type)),
      stores_shared_(stores_shared(code)) {
  function_.name = !program.name.empty()          ? program.name
                   : !program.source_name.empty() ? program.source_name
                                                  : "tesla";
  function_.group_lanes = kLanes;
  function_.block_groups = (facts.threads() + kLanes - 1) / kLanes;
  function_.uniform_bytes = textures.table.end();
  function_.texture_count = textures.table.count;
  for (std::size_t k = 0; k < textures.keys.size(); ++k)
    function_.samples.push_back({textures.keys[k], textures.table.words(k)});
}

ir::BarrierForm barrier_form(const Instruction& i) {
  const bool whole = i.all != 0 || i.count == kWholeBlock || i.arrive == 0;
  return {.number = i.number,
          .arrives = i.arrive != 0,
          .waits = i.wait != 0,
          .arrivals = whole ? 0 : (i.count + kLanes - 1) / kLanes};
}

void InstructionTranslator::barrier(const Instruction& i) {
  if (i.arrive != 0 || i.wait != 0) b_.Barrier(b_.constant(true), barrier_form(i).pack());
}

void InstructionTranslator::instruction(const Instruction& i) {
  if (i.opcode >= Opcode::bra) return;  // nothing of its own for a thread
  const I1 executing = b_.And1(lanes_, condition(i));
  guard_ = executing;
  if (i.lanes != 15) guard_ = b_.And1(executing, lanes_of(i));
  if (i.opcode == Opcode::interp)
    interp(i);
  else if (i.opcode == Opcode::discard)
    discard(guard_);
  else if (is_texture(i.opcode))
    sample(i);
  else if (i.opcode == Opcode::emit)
    emit(guard_);
  else if (i.opcode == Opcode::restart)
    restart(guard_);
  else if (i.opcode <= Opcode::add_a || i.opcode == Opcode::vote || i.opcode == Opcode::quadop)
    move(i);
  else if (i.opcode < Opcode::iadd)
    memory(i);
  else if (i.opcode < Opcode::cvt_i2i)
    integer(i);
  else if (i.opcode <= Opcode::cvt_f2f)
    convert(i);
  else if (i.opcode < Opcode::dfma)
    floating(i);
  else
    double_arithmetic(i);
  guard_ = executing;
  post_increment(i);
}

I1 InstructionTranslator::lanes_of(const Instruction& i) {
  const I32 lane = b_.IAnd32(b_.LaneIndex(), word(3));
  return has_bit(b_.IShrU32(word(i.lanes), lane), 0);
}

I1 InstructionTranslator::condition(const Instruction& i) {
  if (i.condition == kAlways) return b_.constant(true);
  const Flags bits = flags(i.condition_register);
  const I1 z = bits.zero, s = bits.sign, c = bits.carry, o = bits.overflow;
  const auto less = [&] { return b_.Xor1(s, o); };
  switch (i.condition) {
    case 0x01:
    case 0x0e: {
      const I1 l = b_.Xor1(b_.AndNot1(s, z), o);
      return i.condition == 0x01 ? l : b_.Not1(l);
    }
    case 0x02:
      return b_.AndNot1(z, s);
    case 0x03:
      return b_.Xor1(s, b_.Or1(z, o));
    case 0x04:
      return b_.Not1(b_.Or1(z, less()));
    case 0x05:
      return b_.Not1(z);
    case 0x06:
      return b_.Not1(less());
    case 0x07:
      return b_.Not1(b_.And1(z, s));
    case 0x08:
      return b_.And1(z, s);
    case 0x09:
      return less();
    case 0x0a:
      return z;
    case 0x0b:
      return b_.Or1(z, less());
    case 0x0c:
      return b_.Not1(b_.Xor1(s, b_.Or1(z, o)));
    case 0x0d:
      return b_.Not1(b_.AndNot1(z, s));
    case 0x10:
      return o;
    case 0x11:
      return c;
    case 0x12:
      return b_.AndNot1(c, z);
    case 0x13:
      return s;
    case 0x1c:
      return b_.Not1(s);
    case 0x1d:
      return b_.Not1(b_.AndNot1(c, z));
    case 0x1e:
      return b_.Not1(c);
    case 0x1f:
      return b_.Not1(o);
    default:
      return no();
  }
}

I32 InstructionTranslator::thread_index() {
  return function_.may_widen ? b_.ThreadIndex()
                             : b_.IAdd32(b_.IMul32(b_.GroupIndex(), word(kLanes)), b_.LaneIndex());
}

void InstructionTranslator::begin_thread(I32 thread) {
  // Exact for dividends and divisors up to 512.
  const auto divided = [&](I32 n, std::uint32_t divisor) {
    if ((divisor & (divisor - 1)) == 0)
      return b_.IShrU32(n, word(static_cast<std::uint32_t>(std::countr_zero(divisor))));
    const std::uint32_t inverse = ((1U << 20) + divisor - 1) / divisor;
    return b_.IShrU32(b_.IMul32(n, word(inverse)), word(20));
  };
  const auto rest = [&](I32 n, I32 quotient, std::uint32_t divisor) {
    if ((divisor & (divisor - 1)) == 0) return b_.IAnd32(n, word(divisor - 1));
    return b_.ISub32(n, b_.IMul32(quotient, word(divisor)));
  };
  const auto& [x, y, z] = facts_.block;
  I32 id = thread;
  if (y * z != 1) {
    const I32 row = divided(thread, x);
    id = rest(thread, row, x);
    if (z == 1) {
      id = b_.IOr32(id, b_.IShl32(row, word(16)));
    } else {
      const I32 plane = divided(row, y);
      id = b_.IOr32(id, b_.IShl32(rest(row, plane, y), word(16)));
      id = b_.IOr32(id, b_.IShl32(plane, word(26)));
    }
  }
  write(kVarR, id);
}

I1 InstructionTranslator::has_bit(I32 x, unsigned bit) {
  return b_.INe32(b_.IAnd32(x, word(1U << bit)), word(0));
}

// Registers beyond the program's read 0 and cannot be written.
I32 InstructionTranslator::gpr(std::uint32_t index) {
  return index < program_.registers ? read<I32>(kVarR + index) : word(0);
}

void InstructionTranslator::set_gpr(std::uint32_t index, I32 value) {
  if (index >= program_.registers) return;
  write(kVarR + index, b_.select(guard_, value, read<I32>(kVarR + index)));
  register_written(index, guard_, value);
}

I32 InstructionTranslator::address_register(std::uint32_t index) {
  return index == 0 ? word(0) : read<I32>(kVarA + index);
}

void InstructionTranslator::set_address_register(std::uint32_t index, I32 value) {
  if (index == 0) return;
  write(kVarA + index, b_.select(guard_, b_.IAnd32(value, word(0xffff)), read<I32>(kVarA + index)));
}

InstructionTranslator::Flags InstructionTranslator::flags(std::uint32_t index) {
  const std::uint32_t first = kVarC + 4 * index;
  return {read<I1>(first), read<I1>(first + 1), read<I1>(first + 2), read<I1>(first + 3)};
}

void InstructionTranslator::set_flags(const Instruction& i, const Flags& flags) {
  if (i.flags < 0) return;
  std::uint32_t variable = kVarC + 4 * static_cast<std::uint32_t>(i.flags);
  for (const I1 flag : {flags.zero, flags.sign, flags.carry, flags.overflow}) {
    write(variable, b_.select(guard_, flag, read<I1>(variable)));
    ++variable;
  }
}

I32 InstructionTranslator::source(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::gpr:
      if (operand.type != Type::b16) return gpr(operand.value);
      return (operand.value & 1) != 0 ? b_.IShrU32(gpr(operand.value / 2), word(16))
                                      : b_.IAnd32(gpr(operand.value / 2), word(0xffff));
    case Operand::Kind::immediate:
    case Operand::Kind::number:
      return word(operand.value);
    case Operand::Kind::constant:
    case Operand::Kind::shared:
    case Operand::Kind::local:
      return load(operand);
    case Operand::Kind::attribute:
    case Operand::Kind::vertex:
      return operand.type == Type::b16 ? b_.IAnd32(attribute(operand), word(0xffff)) : attribute(operand);
    default:
      return word(0);
  }
}

InstructionTranslator::Pair InstructionTranslator::pair(const Operand& operand) {
  return {gpr(operand.value), gpr(operand.value + 1)};
}

// A word of o[], or a half of it, which begins at a bit of the word.
void InstructionTranslator::set_output(std::uint32_t index, Type type, I32 bit, I1 where, I32 value) {
  const I32 old = read<I32>(kVarOutput + index);
  if (type == Type::b16) {
    const I32 bits = b_.IShl32(word(0xffff), bit);
    value = b_.IOr32(b_.IAnd32(old, b_.IXor32(bits, word(~0U))), b_.IAnd32(b_.IShl32(value, bit), bits));
  }
  write(kVarOutput + index, b_.select(where, value, old));
}

void InstructionTranslator::store_output(const Operand& dst, I32 value) {
  if (is_static(dst)) {
    const std::uint32_t n = (dst.value & 0xffff) / 4;
    if (n < kOutputWords) set_output(n, dst.type, word((dst.value >> 1 & 1) * 16), guard_, value);
    return;
  }
  const I32 at = address(dst), n = b_.IShrU32(at, word(2));
  const I32 bit = b_.IShl32(b_.IAnd32(at, word(2)), word(3));
  for (const std::uint8_t index : used_outputs(program_))
    set_output(index, dst.type, bit, b_.And1(guard_, b_.IEq32(n, word(index))), value);
}

void InstructionTranslator::set_destination(const Instruction& i, I32 value) {
  const Operand& dst = i.dst;
  if (dst.kind == Operand::Kind::output && program_.type != ProgramType::compute)
    return store_output(dst, value);
  if (dst.kind != Operand::Kind::gpr) return;
  if (dst.type != Type::b16) return set_gpr(dst.value, value);
  const I32 old = gpr(dst.value / 2);
  if ((dst.value & 1) != 0)
    set_gpr(dst.value / 2, b_.IOr32(b_.IAnd32(old, word(0xffff)), b_.IShl32(value, word(16))));
  else
    set_gpr(dst.value / 2, b_.IOr32(b_.IAnd32(old, word(0xffff0000)), b_.IAnd32(value, word(0xffff))));
}

void InstructionTranslator::set_pair(const Instruction& i, Pair value) {
  if (i.dst.kind != Operand::Kind::gpr) return;
  set_gpr(i.dst.value, value.low);
  set_gpr(i.dst.value + 1, value.high);
}

}  // namespace warpjit::tesla
