// Loads, stores and atomics (tesla.md 9).
#include "frontend/encoding/names.h"
#include "frontend/tesla/facts/launch.h"
#include "frontend/tesla/translate/instruction.h"

namespace warpjit::tesla {

using ir::I1;
using ir::I32;

namespace {

ir::Element element_of(Type type) {
  switch (type) {
    case Type::u8:
    case Type::b8:
      return ir::Element::u8;
    case Type::s8:
      return ir::Element::s8;
    case Type::u16:
    case Type::b16:
      return ir::Element::u16;
    case Type::s16:
      return ir::Element::s16;
    default:
      return ir::Element::word;
  }
}

ir::AtomicFunction function_of(AtomicOperation operation, bool is_signed) {
  using enum AtomicOperation;
  using Function = ir::AtomicFunction;
  constexpr std::pair<AtomicOperation, Function> kFunctions[] = {
      {add, Function::add},       {exch, Function::exchange}, {cas, Function::compare_exchange},
      {inc, Function::increment}, {dec, Function::decrement}, {max, Function::max_u},
      {min, Function::min_u},     {and_, Function::and_},     {or_, Function::or_},
      {xor_, Function::xor_}};
  if (is_signed && operation == max) return Function::max_s;
  if (is_signed && operation == min) return Function::min_s;
  return encoding::look_up(kFunctions, operation, Function::add);
}

unsigned words_of(Type type) { return std::max(1U, size_of(type) / 4); }

}  // namespace

// 16 bits but for g[].
I32 InstructionTranslator::address(const Operand& operand) {
  if (operand.kind == Operand::Kind::global) return gpr(operand.value);
  const I32 base = address_register(operand.address);
  if (operand.post_increment) return base;
  return b_.IAnd32(b_.IAdd32(base, word(operand.value)), word(0xffff));
}

ir::MemoryAccess InstructionTranslator::access(const Operand& operand, unsigned word) {
  const auto size = static_cast<std::uint8_t>(size_of(operand.type));
  return {.space = space_of(operand.kind),
          .index = operand.space,
          .element = element_of(operand.type),
          .alignment = size,
          .extent = size,
          .offset = static_cast<std::uint8_t>(4 * word)};
}

I32 InstructionTranslator::load(const Operand& operand, unsigned word) {
  const bool fixed = operand.kind == Operand::Kind::shared && operand.address == 0 && !operand.post_increment;
  const std::uint32_t size = size_of(operand.type), at = operand.value & 0xffff;
  if (fixed && !stores_shared_ && at % size == 0 && at + size <= facts_.shared_bytes)
    return launched(element_of(operand.type), at + 4 * word);
  return b_.LoadMemory(guard_, address(operand), access(operand, word).pack());
}

I32 InstructionTranslator::branch_target(const Instruction& i) {
  const std::uint32_t bytes = facts_.constant_bytes[i.src[0].space];
  if (bytes < 4) return word(~0U);
  const I32 at = address(i.src[0]);
  guard_ = b_.And1(b_.ILeU32(at, word(bytes - 4)), is_zero(b_.IAnd32(at, word(3))));
  return b_.select(guard_, load(i.src[0]), word(~0U));
}

I32 InstructionTranslator::launched(ir::Element element, std::uint32_t address) {
  const auto table = [&](std::uint32_t at) {
    const std::uint32_t place = textures_.table.end() + at;
    function_.uniform_bytes = std::max(function_.uniform_bytes, place + 4);
    return b_.LoadUniformI32(place);
  };
  // Half-words of the header that are known, or of the block.
  const auto half = [&](std::uint32_t at) {
    if (at >= 0x2 && at < 0x8) return word(facts_.block[at / 2 - 1]);
    if (at >= 0xc) return b_.BlockIndex(at / 2 - 6);
    return b_.IAnd32(b_.IShrU32(table(at & ~3U), word(at % 4 * 8)), word(0xffff));
  };
  const bool is_header = address < kParameterOffset;
  I32 value, bit = word(address % 4 * 8);
  if (is_header && size_of(element) <= 2) {
    value = half(address & ~1U);
    bit = word(address % 2 * 8);
  } else if (is_header) {
    value = b_.IOr32(half(address), b_.IShl32(half(address + 2), word(16)));
  } else {
    value = table(address & ~3U);
  }
  switch (element) {
    case ir::Element::u8:
      return b_.IAnd32(b_.IShrU32(value, bit), word(0xff));
    case ir::Element::s8:
      return b_.IShrS32(b_.IShl32(b_.IShrU32(value, bit), word(24)), word(24));
    case ir::Element::u16:
      return b_.IAnd32(b_.IShrU32(value, bit), word(0xffff));
    case ir::Element::s16:
      return b_.IShrS32(b_.IShl32(b_.IShrU32(value, bit), word(16)), word(16));
    default:
      return value;
  }
}

void InstructionTranslator::memory(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::ld_a:
    case Opcode::st_o:
      return set_destination(i, source(i, 0));
    case Opcode::ld_c:
      return set_destination(i, load(i.src[0]));
    case Opcode::ld_s:
      return i.lock != 0 ? load_locked(i) : set_destination(i, load(i.src[0]));
    case Opcode::st_s:
      return store_shared(i);
    case Opcode::ld_l:
    case Opcode::ld_g:
      return load_registers(i);
    case Opcode::st_g:
      guard_ = changing_memory(guard_);
      return store_registers(i);
    case Opcode::st_l:
      return store_registers(i);
    case Opcode::red_g:
    case Opcode::atom_g:
      guard_ = changing_memory(guard_);
      return atomic(i);
    default:
      return;
  }
}

void InstructionTranslator::load_registers(const Instruction& i) {
  std::array<I32, 4> words;
  const unsigned count = words_of(i.type);
  for (unsigned k = 0; k < count; ++k) words[k] = load(i.src[0], k);
  for (unsigned k = 0; k < count; ++k) set_gpr(i.dst.value + k, words[k]);
}

void InstructionTranslator::store_registers(const Instruction& i) {
  const I32 at = address(i.dst);
  for (unsigned k = 0; k < words_of(i.type); ++k)
    if (!stored_local(i.dst, k, gpr(i.src[0].value + k)))
      b_.StoreMemory(guard_, at, gpr(i.src[0].value + k), access(i.dst, k).pack());
}

void InstructionTranslator::store_shared(const Instruction& i) {
  const I32 at = address(i.dst), value = source(i, 0);
  if (i.lock != 0)
    b_.UnlockMemory(guard_, at, value, access(i.dst).pack());
  else
    b_.StoreMemory(guard_, at, value, access(i.dst).pack());
}

// The lane that gets the lock has S, the others Z (tesla.md 9.2).
void InstructionTranslator::load_locked(const Instruction& i) {
  const auto [value, success] = b_.LockMemory(guard_, address(i.src[0]), access(i.src[0]).pack());
  set_flags(i, {b_.Not1(success), success, no(), no()});
  set_destination(i, value);
}

void InstructionTranslator::atomic(const Instruction& i) {
  const bool is_reduction = i.opcode == Opcode::red_g;
  const Operand& place = is_reduction ? i.dst : i.src[0];
  const Operand& data = is_reduction ? i.src[0] : i.src[1];
  const auto operation = static_cast<AtomicOperation>(i.operation);
  const bool swaps = operation == AtomicOperation::cas;
  ir::MemoryAccess access = InstructionTranslator::access(place);
  access.function = function_of(operation, is_signed(i.type));
  const I32 at = address(place);
  if (size_of(i.type) == 8) {
    access.alignment = access.extent = 8;
    const Pair b = pair(data), c = swaps ? pair(i.src[2]) : Pair{word(0), word(0)};
    const auto [low, high] = b_.AtomicMemory64(guard_, at, b.low, b.high, c.low, c.high, access.pack());
    if (!is_reduction) set_pair(i, {low, high});
    return;
  }
  access.alignment = access.extent = 4;
  access.element = ir::Element::word;
  const I32 c = swaps ? gpr(i.src[2].value) : word(0);
  const I32 old = b_.AtomicMemory(guard_, at, gpr(data.value), c, access.pack());
  if (!is_reduction) set_gpr(i.dst.value, old);
}

void InstructionTranslator::post_increment(const Instruction& i) {
  for (const Operand* operand : {&i.dst, &i.src[0], &i.src[1], &i.src[2]})
    if (operand->post_increment)
      set_address_register(operand->address,
                           b_.IAdd32(address_register(operand->address), word(operand->value)));
}

}  // namespace warpjit::tesla
