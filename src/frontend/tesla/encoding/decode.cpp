#include "frontend/tesla/encoding/decode.h"

#include <algorithm>
#include <cstdio>

#include "frontend/tesla/encoding/operand_fields.h"

namespace warpjit::tesla {
namespace {

Type half_or_word(bool word) { return word ? Type::b32 : Type::b16; }

// The register width that a value of a type takes.
Type width_of(Type type) {
  const unsigned size = size_of(type);
  return size <= 4 ? Type::b32 : size == 8 ? Type::b64 : Type::b128;
}

void decode_offset(Operand& operand, const OffsetField& where, std::uint64_t word) {
  const std::uint32_t field = where.field.get(word);
  operand.value = field * where.scale;
  if (operand.post_increment)
    operand.value = static_cast<std::uint32_t>(sign_extend(field, where.field.width())) * where.scale;
}

void get_address(Form form, Operand& operand, std::uint64_t word) {
  operand.address = static_cast<std::uint8_t>(
      is_long(form) && form != Form::immediate ? kAddress.get(word) : kShortAddress.get(word));
  operand.post_increment = kPostIncrement.get(word) != 0;
}

// The element of a c[] operand of arithmetic: there are no 8-bit ones, and wider ones do not exist.
Type constant_type(Type register_type) { return register_type == Type::b16 ? Type::b16 : Type::b32; }

Operand decode_source(ProgramType type, const Pattern& pattern, const SyntaxToken& token, Type width,
                      std::uint64_t word) {
  Operand operand{.kind = Operand::Kind::gpr, .type = width, .value = token.field.get(word)};
  if (!token.memory_allowed) return operand;
  const Selection s = selection(type, pattern.form, word);
  if (token.slot == 0 && s.a != Operand::Kind::gpr) {
    operand.kind = s.a;
    if (s.a == Operand::Kind::shared) {
      operand.type = kSharedTypes[shared_type_field(pattern.form).get(word)];
      get_address(pattern.form, operand, word);
      decode_offset(operand, shared_offset(pattern.form, operand.type), word);
    } else {
      operand.type = constant_type(width);
      if (s.a == Operand::Kind::vertex) get_address(pattern.form, operand, word);
      operand.post_increment = false;
      operand.value = token.field.get(word) * 4;
    }
  } else if ((token.slot == 1 && s.constant_b) || (token.slot == 2 && s.constant_c)) {
    operand.kind = Operand::Kind::constant;
    operand.type = constant_type(width);
    operand.space = static_cast<std::uint8_t>(pattern.form == Form::long_ ? kConstantSpace.get(word)
                                                                          : kShortConstantSpace.get(word));
    if (s.constant_indexed) get_address(pattern.form, operand, word);
    decode_offset(operand, constant_offset(token, pattern.form, operand.type), word);
  }
  return operand;
}

Operand decode_memory(const Pattern& pattern, const SyntaxToken& token, Type element, std::uint64_t word) {
  Operand operand{.kind = token.space, .type = element};
  if (token.space == Operand::Kind::global) {
    operand.space = static_cast<std::uint8_t>((token.atomic ? kAtomicSpace : kGlobalSpace).get(word));
    operand.value = token.field.get(word);
    return operand;
  }
  get_address(pattern.form, operand, word);
  if (token.space == Operand::Kind::constant)
    operand.space = static_cast<std::uint8_t>(kConstantSpace.get(word));
  if (pattern.form == Form::control) {
    operand.post_increment = false;
    operand.type = Type::b32;
    operand.value = token.field.get(word);  // bytes
    return operand;
  }
  if (token.space == Operand::Kind::output || token.space == Operand::Kind::attribute ||
      token.space == Operand::Kind::interpolant)
    operand.post_increment = false;
  if (token.space == Operand::Kind::interpolant) operand.type = Type::b32;
  decode_offset(operand, wide_offset(token, operand.type), word);
  return operand;
}

// Everything but `raw` and `unused`; false if a field holds a value that is not defined.
bool decode_pattern(ProgramType type, const Pattern& pattern, std::uint64_t word, Instruction& i) {
  i.opcode = pattern.opcode;
  i.form = pattern.form;
  const bool predicated = pattern.form == Form::long_;
  if (predicated) {
    const std::uint32_t marker = kMarker.get(word);
    if (marker == 3) return false;
    i.marker = static_cast<Instruction::Marker>(marker);
    i.condition = static_cast<std::uint8_t>(kCondition.get(word));
    i.condition_register = static_cast<std::uint8_t>(kConditionRegister.get(word));
  }
  bool reads_flags = false;  // as an operand
  // Modifiers first: operand widths depend on them.
  if (!decode_modifiers(pattern, word, i)) return false;
  for (const SyntaxToken& token : pattern.syntax()) {
    switch (token.kind) {
      case SyntaxToken::Kind::dst: {
        const Type width = register_type(token, i, word);
        i.dst = {.kind = Operand::Kind::gpr, .type = width, .value = token.field.get(word)};
        if (pattern.form == Form::long_ && token.memory_allowed && size_of(width) <= 4 &&
            kToOutput.get(word) != 0) {
          i.dst.kind = i.dst.value == kDiscardedOutput ? Operand::Kind::discarded : Operand::Kind::output;
          i.dst.value = i.dst.kind == Operand::Kind::discarded ? 0 : i.dst.value * size_of(width);
        }
        break;
      }
      case SyntaxToken::Kind::src:
        i.src[token.index] = decode_source(type, pattern, token, register_type(token, i, word), word);
        break;
      case SyntaxToken::Kind::dst_again:
        i.src[token.index] = i.dst;
        break;
      case SyntaxToken::Kind::memory:
        (token.is_store ? i.dst : i.src[token.index]) = decode_memory(pattern, token, i.type, word);
        break;
      case SyntaxToken::Kind::flags:
        if (kFlagsEnable.get(word) != 0) i.flags = static_cast<std::int8_t>(kFlagsRegister.get(word));
        break;
      case SyntaxToken::Kind::flags_always:
        i.flags = static_cast<std::int8_t>(kFlagsRegister.get(word));
        break;
      case SyntaxToken::Kind::condition_read:
        reads_flags = true;
        i.src[token.index] = {.kind = Operand::Kind::flags, .type = Type::b8, .value = i.condition_register};
        break;
      case SyntaxToken::Kind::address_dst:
        i.dst = {.kind = Operand::Kind::address, .type = Type::b16, .value = kAddressDst.get(word)};
        break;
      case SyntaxToken::Kind::address_src:
        i.src[token.index] = {.kind = Operand::Kind::address, .type = Type::b16, .value = kAddress.get(word)};
        break;
      case SyntaxToken::Kind::special:
        i.src[token.index] = {
            .kind = Operand::Kind::special, .type = Type::b32, .value = token.field.get(word)};
        break;
      case SyntaxToken::Kind::immediate:
        i.src[token.index] = {
            .kind = Operand::Kind::immediate, .type = Type::b32, .value = token.field.get(word)};
        break;
      case SyntaxToken::Kind::number_operand:
        i.src[token.index] = {
            .kind = Operand::Kind::number, .type = Type::b32, .value = token.field.get(word)};
        break;
      case SyntaxToken::Kind::number:
        i.number = token.field.get(word);
        break;
      case SyntaxToken::Kind::count:
        i.count = token.field.get(word);
        break;
      case SyntaxToken::Kind::target:
        i.target = token.field.get(word) << 2;
        break;
      case SyntaxToken::Kind::predicate:
        i.condition = static_cast<std::uint8_t>(kCondition.get(word));
        i.condition_register = static_cast<std::uint8_t>(kConditionRegister.get(word));
        break;
      case SyntaxToken::Kind::lanes:
        i.lanes = static_cast<std::uint8_t>(token.field.get(word));
        break;
      case SyntaxToken::Kind::results:
        i.dst = {
            .kind = Operand::Kind::gpr, .type = Type::b32, .value = texture_register(pattern.form).get(word)};
        i.results = static_cast<std::uint8_t>(token.field.empty() ? 15 : token.field.get(word));
        break;
      case SyntaxToken::Kind::arguments:
        i.arguments = static_cast<std::uint8_t>(token.field.get(word) + 1);
        break;
      case SyntaxToken::Kind::texture:
        i.number = token.field.get(word);
        break;
      case SyntaxToken::Kind::sampler:
        i.count = token.field.get(word);
        break;
      case SyntaxToken::Kind::offsets:
        for (unsigned axis = 0; axis < 3; ++axis)
          i.offsets[axis] = static_cast<std::int8_t>(sign_extend(token.field.get(word) >> 4 * axis, 4));
        break;
      case SyntaxToken::Kind::literal:
        break;
      case SyntaxToken::Kind::carry:
        reads_flags |= i.operation == static_cast<int>(AddOperation::addc);
        break;
      case SyntaxToken::Kind::modifier:
      case SyntaxToken::Kind::fixed_modifier:
        break;
    }
  }
  if (i.condition == kAlways && !reads_flags) i.condition_register = 0;
  return true;
}

// What encode() gives for what `pattern` decoded to: an earlier pattern may say the same.
std::optional<std::uint64_t> canonical_word(ProgramType type, const Pattern& pattern, const Instruction& i) {
  for (const Pattern& earlier : patterns_of(i.opcode)) {
    if (&earlier == &pattern) break;
    if (earlier.opcode != i.opcode || earlier.form != i.form || !modifiers_fit(earlier, i)) continue;
    if (const auto word = encode_as(type, earlier, i)) return word;
  }
  return encode_as(type, pattern, i);
}

}  // namespace

Type register_type(const SyntaxToken& token, const Instruction& i, std::uint64_t word) {
  switch (token.width) {
    case 0:
      return half_or_word(bits<std::uint64_t>(word, token.width_bit, 1) != 0);
    case 1:  // a conversion's source has its own type
      return width_of(token.kind == SyntaxToken::Kind::src && i.source_type != Type::none ? i.source_type
                                                                                          : i.type);
    case 16:
      return Type::b16;
    case 32:
      return Type::b32;
    default:
      return Type::b64;
  }
}

unsigned size_of(Type type) {
  switch (type) {
    case Type::none:
      return 0;
    case Type::b8:
    case Type::u8:
    case Type::s8:
      return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
      return 2;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return 8;
    case Type::b128:
      return 16;
    default:
      return 4;
  }
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s24 || type == Type::s32 || type == Type::s64;
}

constexpr std::string_view kProgramTypes[] = {"compute", "vertex", "geometry", "fragment"};
std::string_view name(ProgramType type) { return kProgramTypes[static_cast<int>(type)]; }
std::optional<ProgramType> find_program_type(std::string_view name) {
  const auto* const found = std::ranges::find(kProgramTypes, name);
  if (found == std::end(kProgramTypes)) return {};
  return static_cast<ProgramType>(found - kProgramTypes);
}

namespace {

// The word that an instruction of the pattern begins with.
std::string_view mnemonic(const Pattern& pattern) {
  for (const SyntaxToken& token : pattern.syntax())
    if (token.kind == SyntaxToken::Kind::literal) return token.text;
  return {};
}

// Why try_decode gives nothing. Programs of another type may have the instruction.
std::string why_undefined(ProgramType type, std::uint32_t w0, std::uint32_t w1) {
  for (const ProgramType other :
       {ProgramType::compute, ProgramType::vertex, ProgramType::geometry, ProgramType::fragment})
    if (other != type && try_decode(other, w0, w1))
      return "an instruction of " + std::string(name(other)) + " programs";
  const std::uint64_t word = is_long_word(w0) ? std::uint64_t{w1} << 32 | w0 : w0;
  for (const std::uint16_t number : candidates(word)) {
    const Pattern& pattern = patterns()[number];
    if (!pattern.matches(word)) continue;
    const std::string opcode(mnemonic(pattern));
    if (pattern.form == Form::long_ && kMarker.get(word) == 3)
      return "'" + opcode + "' has no form with an immediate like this";
    return "a modifier of '" + opcode + "' has no meaning";
  }
  return "undefined opcode";
}

}  // namespace

std::optional<Instruction> try_decode(ProgramType type, std::uint32_t w0, std::uint32_t w1) {
  const std::uint64_t word = is_long_word(w0) ? std::uint64_t{w1} << 32 | w0 : w0;
  for (const std::uint16_t number : candidates(word)) {
    const Pattern& pattern = patterns()[number];
    if (!pattern.matches(word)) continue;
    Instruction instruction;
    if (!decode_pattern(type, pattern, word, instruction)) continue;
    instruction.raw = word;
    const auto canonical = canonical_word(type, pattern, instruction);
    if (!canonical) return {};
    instruction.unused = word ^ *canonical;
    return instruction;
  }
  return {};
}

Result<Instruction> decode(ProgramType type, std::span<const std::uint32_t> code, std::uint32_t address,
                           const std::string& file) {
  const std::size_t index = address / 4;
  const std::uint32_t w0 = index < code.size() ? code[index] : 0;
  const auto fail = [&](ErrorCode error, const char* message) {
    return Error{error, message, where_byte(file, address, w0)};
  };
  if (address % 4 != 0) return fail(ErrorCode::bad_input, "an instruction address is a multiple of 4");
  if (index >= code.size()) return fail(ErrorCode::bad_input, "the address is outside the code");
  std::uint32_t w1 = 0;
  if (is_long_word(w0)) {
    if (address % 8 != 0) return fail(ErrorCode::bad_input, "a long instruction is not aligned to 8 bytes");
    if (index + 1 >= code.size())
      return fail(ErrorCode::bad_input, "the code ends inside a long instruction");
    w1 = code[index + 1];
  }
  if (auto instruction = try_decode(type, w0, w1)) {
    if (!condition_defined(instruction->condition))
      return fail(ErrorCode::bad_input, "the condition is not defined");
    return *instruction;
  }
  return Error{ErrorCode::bad_input, why_undefined(type, w0, w1), where_byte(file, address, w0)};
}

bool condition_defined(unsigned condition) {
  return condition < 0x14 || (condition >= 0x1c && condition < 0x20);
}

bool condition_holds(unsigned condition, unsigned flags) {
  // Each flag in the same form: bit f is the flag of flags f.
  constexpr unsigned z = 0xaaaa, s = 0xcccc, c = 0xf0f0, o = 0xff00;
  static_assert(kZero == 1 && kSign == 2 && kCarry == 4 && kOverflow == 8);
  // clang-format off
  constexpr unsigned kTables[32] = {
      0, (s & ~z) ^ o, z & ~s, s ^ (z | o), ~(z | (s ^ o)), ~z, ~(s ^ o), ~z | ~s,
      z & s, s ^ o, z, z | (s ^ o), ~s ^ (z | o), ~z | s, (~s | z) ^ o, ~0U,
      o, c, ~z & c, s, 0, 0, 0, 0,
      0, 0, 0, 0, ~s, z | ~c, ~c, ~o};
  // clang-format on
  return (kTables[condition & 31] >> (flags & 15) & 1) != 0;  // 14 to 1b are undefined; decode() refuses them
}

std::string where_byte(const std::string& file, std::uint32_t address, std::uint32_t word) {
  char text[64];
  std::snprintf(text, sizeof text, "byte 0x%x (0x%08x)", address, word);
  return file.empty() ? std::string(text) : file + ", " + text;
}

}  // namespace warpjit::tesla
