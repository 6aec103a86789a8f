// Registers and components of USSE instructions.
#include <algorithm>

#include "frontend/usse/facts/special_constants.h"
#include "frontend/usse/translate/instruction.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

std::vector<ir::Type> variable_types(const RegisterFile32& file) {
  std::vector<ir::Type> types(file.end(), ir::Type::i32);
  std::fill(types.begin() + kVarPredicate, types.begin() + kVarBanks, ir::Type::i1);
  return types;
}

}  // namespace

RegisterFile32 register_file(const Program& program) {
  return {.r = std::min(program.temporaries, kMaxRegisters),
          .pa = std::min(program.primary_attributes, kMaxRegisters),
          .o = kMaxRegisters,
          .sa = std::min(program.secondary_attributes, kMaxRegisters)};
}

UniformTable uniform_table(const Program& program, std::size_t samples) {
  return {.first = program.stage == Stage::fragment ? frontend::kPixelTableBytes : 0,
          .words = std::min(program.secondary_attributes, kMaxRegisters),
          .samples = static_cast<std::uint32_t>(samples)};
}

InstructionTranslator::InstructionTranslator(const Program& program, const RegisterFile32& file,
                                             const UniformTable& table)
    : program_(program), file_(file), table_(table), b_(function_), ssa_(b_, variable_types(file)) {
  function_.name = program.source_name.empty() ? "usse" : program.source_name;
  function_.uniform_bytes = table.bytes();
}

Error InstructionTranslator::unsupported(const Instruction& i, const std::string& why) const {
  const bool secondary = address_ >= program_.primary.size();
  return {ErrorCode::unsupported, std::string(name(i.opcode)) + ": " + why,
          program_.where(secondary, secondary ? address_ - program_.primary.size() : address_)};
}

std::uint32_t InstructionTranslator::bank_size(Bank bank) const {
  if (bank == Bank::sa || (secondary_ && (bank == Bank::r || bank == Bank::pa || bank == Bank::o)))
    return file_.sa;
  return bank == Bank::r ? file_.r : bank == Bank::pa ? file_.pa : bank == Bank::o ? file_.o : 0;
}

std::optional<std::uint32_t> InstructionTranslator::variable_of(Bank bank, std::uint32_t number) const {
  if (bank == Bank::i) return number < 16 ? std::optional(kVarInternal + number) : std::nullopt;
  if (bank == Bank::idx)
    return number == 1 || number == 2 ? std::optional(kVarIndex + number - 1) : std::nullopt;
  if (number >= bank_size(bank)) return std::nullopt;
  if (secondary_ || bank == Bank::sa) return file_.first_sa() + number;
  const std::uint32_t first = bank == Bank::r    ? kVarBanks
                              : bank == Bank::pa ? file_.first_pa()
                                                 : file_.first_o();
  return first + number;
}

// ---- Variables, and what other lanes see of them

bool InstructionTranslator::same_in_all_lanes(const Register& reg) {
  return reg.bank == Bank::c || reg.bank == Bank::g || reg.bank == Bank::immediate ||
         (reg.bank == Bank::sa && reg.index == 0);
}

void InstructionTranslator::keep(std::uint32_t variable) {
  if (kept_.empty()) kept_.assign(file_.end(), kNotKept);
  if (kept_[variable] == kNotKept) kept_[variable] = function_.slot_count++;
}

void InstructionTranslator::keep_operand(const Register& reg, bool repeated) {
  constexpr std::uint32_t kMostWords = 4;  // of an operand
  if (same_in_all_lanes(reg)) return;
  const auto keep_word = [&](std::uint32_t number) {
    if (reg.bank == Bank::sa && (number >= file_.sa || !written_sa_[number])) return;
    if (const auto variable = variable_of(reg.bank, number)) keep(*variable);
  };
  if (reg.index != 0) keep(kVarIndex + reg.index - 1U);
  const bool any = reg.index != 0 || repeated;
  const std::uint32_t first = any ? 0 : reg.bank == Bank::i ? 4U * reg.number : reg.number;
  const std::uint32_t count = any ? kMaxRegisters : kMostWords;
  for (std::uint32_t n = first; n < first + count; ++n) keep_word(n);
}

I32 InstructionTranslator::read(std::uint32_t variable) {
  if (view_ == View::unbegun && variable < kVarDepth) return word(0);
  if (view_ == View::last) return b_.LoadSlot(kept_[variable]);
  return ssa_.read<I32>(b_.block(), variable);
}

void InstructionTranslator::write(std::uint32_t variable, ir::Value value) {
  ssa_.write(b_.block(), variable, value);
  if (!secondary_ && !kept_.empty() && kept_[variable] != kNotKept)
    b_.StoreSlot(truth(true), I32{value}, kept_[variable]);
}

// ---- Operands

I32 InstructionTranslator::read_bank(Bank bank, std::uint32_t number) {
  const auto variable = variable_of(bank, number);
  if (!variable) return word(0);
  if (*variable >= file_.first_sa() && !written_sa_[*variable - file_.first_sa()])
    return b_.LoadUniformI32(table_.sa(*variable - file_.first_sa()));
  return read(*variable);
}

// The number of a register by index.
I32 InstructionTranslator::position(const Register& reg, std::uint32_t offset) {
  I32 first = read(kVarIndex + reg.index - 1U);
  if (reg.index_words == 2) first = b_.IShl32(first, word(1));
  first = b_.IAdd32(first, word(reg.number));
  return b_.IAdd32(b_.IAnd32(first, word(kMaxRegisters - 1)), word(offset));
}

I32 InstructionTranslator::read_word(const Register& reg, std::uint32_t offset) {
  switch (reg.bank) {
    case Bank::c:
      return word(offset < 2 ? kSpecialConstants[reg.number % 64][offset] : 0);
    case Bank::g:
      return reg.number == kFaceRegister && offset == 0 ? anticlockwise() : word(0);
    case Bank::immediate:
      return word(reg.number);
    case Bank::i:
      return read_bank(Bank::i, 4U * reg.number + offset);
    default:
      break;
  }
  if (reg.index == 0) return read_bank(reg.bank, reg.number + offset);
  const I32 at = position(reg, offset);
  const std::uint32_t size = bank_size(reg.bank);
  if (function_.is_constant(at))
    return read_bank(reg.bank, static_cast<std::uint32_t>(function_.constant(at)));
  const bool of_table = secondary_ || reg.bank == Bank::sa;
  I32 value = word(0);
  if (of_table && size != 0 && table_.sa(0) % 16 == 0) {
    const auto row =
        b_.LoadUniformRow(b_.IShrU32(at, word(2)), table_.sa(0) | std::uint64_t{(size + 3) / 4} << 32);
    const I32 low = b_.IAnd32(at, word(3));
    for (std::uint32_t k = 0; k < 4; ++k)
      value = b_.select(b_.IEq32(low, word(k)), b_.BitcastF32ToI32(row[k]), value);
    value = b_.select(b_.ILtU32(at, word(size)), value, word(0));
  }
  for (std::uint32_t n = 0; n < size; ++n)
    if (!of_table || written_sa_[n]) value = b_.select(b_.IEq32(at, word(n)), read_bank(reg.bank, n), value);
  return value;
}

void InstructionTranslator::write_word(const Register& reg, std::uint32_t offset, I32 value,
                                       std::uint32_t mask, bool keeps_index) {
  Write write{.mask = mask, .value = value};
  if (reg.index == 0) {
    const std::uint32_t number = reg.bank == Bank::i     ? 4U * reg.number + offset
                                 : reg.bank == Bank::idx ? reg.number
                                                         : reg.number + offset;
    const auto variable = variable_of(reg.bank, number);
    if (!variable) return;
    write.variable = *variable;
    if (reg.bank == Bank::idx && !keeps_index) {
      write.value = b_.IAnd32(value, word(mask));
      write.mask = ~0U;
    }
    writes_.push_back(write);
    return;
  }
  const I32 at = position(reg, offset);
  for (std::uint32_t n = 0; n < bank_size(reg.bank); ++n) {
    write.variable = *variable_of(reg.bank, n);
    write.only_where = b_.IEq32(at, word(n));
    writes_.push_back(write);
  }
}

void InstructionTranslator::write_predicate(std::uint32_t number, I1 value) {
  writes_.push_back({.variable = kVarPredicate + number, .flag = value});
}

void InstructionTranslator::commit(I1 where) {
  for (std::size_t k = 0; k < writes_.size(); ++k) {
    const Write& first = writes_[k];
    if (first.mask == 0 && !first.flag.valid()) continue;
    if (first.flag.valid()) {
      write(first.variable, where.valid() ? b_.select(where, first.flag, flag(first.variable)) : first.flag);
      continue;
    }
    // All parts of a word together.
    I32 value;
    std::uint32_t covered = 0;
    I1 only_where = first.only_where;
    const std::uint32_t variable = first.variable;
    for (std::size_t other = writes_.size(); other-- > k;) {
      Write& part = writes_[other];
      if (part.flag.valid() || part.variable != variable || (other != k && part.only_where.valid()) ||
          (other != k && only_where.valid()))
        continue;
      const std::uint32_t mask = part.mask & ~covered;
      covered |= part.mask;
      part.mask = 0;
      if (mask == 0) continue;
      const I32 bits = mask == ~0U ? part.value : b_.IAnd32(part.value, word(mask));
      value = value.valid() ? b_.IOr32(value, bits) : bits;
    }
    if (!value.valid()) continue;
    const bool needs_old = covered != ~0U || where.valid() || only_where.valid();
    const I32 old = needs_old ? read(variable) : I32();
    if (covered != ~0U) value = b_.IOr32(b_.IAnd32(old, word(~covered)), value);
    if (only_where.valid()) value = b_.select(only_where, value, old);
    if (where.valid()) value = b_.select(where, value, old);
    write(variable, value);
  }
  writes_.clear();
}

I32 InstructionTranslator::bits_of(I32 value, unsigned low, unsigned count, bool is_signed) {
  if (count == 32) return value;
  if (is_signed) {
    const I32 top = b_.IShl32(value, word(32 - count - low));
    return b_.IShrS32(top, word(32 - count));
  }
  const I32 down = b_.IShrU32(value, word(low));
  return low + count == 32 ? down : b_.IAnd32(down, word(low_mask<std::uint32_t>(count)));
}

F32 InstructionTranslator::raw_component(const Register& reg, Type type, unsigned k) {
  if (reg.bank == Bank::immediate) return real(static_cast<float>(reg.number));
  if (reg.bank == Bank::i || type == Type::f32) return as_float(read_word(reg, k));
  if (type == Type::f16) return half_value(bits_of(read_word(reg, k / 2), 16 * (k % 2), 16, false));
  return c10_value(bits_of(read_word(reg, k / 3), 10 * (k % 3), 10, true));
}

F32 InstructionTranslator::selected(const Register& reg, Type type, Select select) {
  switch (select) {
    case Select::zero:
      return real(0.0F);
    case Select::one:
      return real(1.0F);
    case Select::two:
      return real(2.0F);
    case Select::half:
      return real(0.5F);
    default:
      return raw_component(reg, type, static_cast<unsigned>(select));
  }
}

F32 InstructionTranslator::changed(const Source& source, F32 value) {
  if (source.absolute) value = b_.FAbs32(value);
  return source.negate ? b_.FNeg32(value) : value;
}

F32 InstructionTranslator::component(const Source& source, Type type, unsigned k) {
  return changed(source, selected(source, type, source.swizzle[k]));
}

InstructionTranslator::Part InstructionTranslator::part_of(const Register& reg, Type type, unsigned k,
                                                           F32 value) {
  if (reg.bank == Bank::i || type == Type::f32) return {.offset = k, .value = as_bits(value)};
  if (type == Type::f16) {
    const I32 half = to_half(value);
    return {.offset = k / 2,
            .mask = 0xffffU << 16 * (k % 2),
            .value = k % 2 == 0 ? half : b_.IShl32(half, word(16))};
  }
  const unsigned shift = 10 * (k % 3);
  return {.offset = k / 3, .mask = 0x3ffU << shift, .value = b_.IShl32(to_c10(value), word(shift))};
}

void InstructionTranslator::write_masked(const Destination& d, Type type, unsigned mask,
                                         const std::array<F32, 4>& values) {
  for (unsigned k = 0; k < 4; ++k)
    if ((mask >> k & 1) != 0) write_component(d, type, k, values[k]);
}

InstructionTranslator::Part InstructionTranslator::copied(const Register& to, Type to_type, unsigned k,
                                                          const Register& from, Type from_type,
                                                          Select select) {
  const Type to_layout = to.bank == Bank::i ? Type::f32 : to_type,
             from_layout = from.bank == Bank::i ? Type::f32 : from_type;
  const auto n = static_cast<unsigned>(select);
  if (select > Select::w || to_layout != from_layout || from.bank == Bank::immediate)
    return part_of(to, to_type, k, selected(from, from_type, select));
  const unsigned bits = to_layout == Type::f32 ? 32 : to_layout == Type::f16 ? 16 : 10, count = 32 / bits;
  const std::uint32_t mask = low_mask<std::uint32_t>(bits);
  I32 value = read_word(from, n / count);
  if (bits != 32) value = b_.IShl32(bits_of(value, n % count * bits, bits, false), word(k % count * bits));
  return {.offset = k / count, .mask = mask << (k % count * bits), .value = value};
}

I32 InstructionTranslator::element(const Register& reg, unsigned bits, unsigned k, bool is_signed) {
  if (reg.bank == Bank::immediate) return bits_of(word(reg.number), 0, bits, is_signed);
  const unsigned count = 32 / bits;
  return bits_of(read_word(reg, k / count), k % count * bits, bits, is_signed);
}

void InstructionTranslator::write_element(const Register& reg, unsigned bits, unsigned k, I32 value) {
  if (bits == 32) return write_word(reg, k, value);
  const unsigned count = 32 / bits, shift = k % count * bits;
  write_word(reg, k / count, b_.IShl32(value, word(shift)), low_mask<std::uint32_t>(bits) << shift);
}

}  // namespace warpjit::usse
