#include "frontend/tesla/decode.h"

#include <algorithm>
#include <cstdio>

#include "frontend/tesla/encoding.h"

namespace warpjit::tesla {
namespace {

// Fields that all instructions of a form share (2.1).
constexpr BitField kMarker{{{{32, 2}}}}, kCondition{{{{39, 5}}}}, kConditionRegister{{{{44, 2}}}};
constexpr BitField kFlagsEnable{{{{38, 1}}}}, kFlagsRegister{{{{36, 2}}}};
constexpr BitField kAddress{{{{26, 2}, {34, 1}}}}, kShortAddress{{{{26, 2}}}};
constexpr BitField kPostIncrement{{{{25, 1}}}}, kToOutput{{{{35, 1}}}}, kAddressDst{{{{2, 3}}}};
constexpr BitField kConstantSpace{{{{54, 4}}}}, kShortConstantSpace{{{{21, 1}}}};
// Selectors of source operands (2.2).
constexpr BitField kSelect{{{{23, 2}}}}, kMemoryA{{{{53, 1}}}};
constexpr BitField kGlobalSpace{{{{16, 4}}}}, kAtomicSpace{{{{23, 4}}}};
constexpr std::uint8_t kDiscardedOutput = 127;

constexpr Type kSharedTypes[] = {Type::u8, Type::u16, Type::s16, Type::b32};

Type half_or_word(bool word) { return word ? Type::b32 : Type::b16; }

bool is_long(Form form) { return form != Form::short_ && form != Form::short_control; }

// The register width that a value of a type takes.
Type width_of(Type type) {
  const unsigned size = size_of(type);
  return size <= 4 ? Type::b32 : size == 8 ? Type::b64 : Type::b128;
}

// What the source selectors of a word say; encode() searches the value that gives the wanted operands.
struct Selection {
  Operand::Kind a = Operand::Kind::gpr;  // else shared, attribute or vertex
  bool constant_b = false, constant_c = false;
  bool constant_indexed = true;  // $a may apply to it
};

Selection selection(ProgramType type, Form form, std::uint64_t word) {
  Selection s;
  const unsigned m = kSelect.get(word);
  const bool geometry = type == ProgramType::geometry;
  if (form == Form::long_) {
    const bool g = kMemoryA.get(word) != 0;
    s.constant_b = m == 1;
    s.constant_c = m == 2;
    if (type == ProgramType::compute) {
      if (g) s.a = Operand::Kind::shared;
    } else if (geometry && m == 3) {
      s.a = Operand::Kind::vertex;
      s.constant_b = s.constant_c = !g;
    } else if (g) {
      s.a = Operand::Kind::attribute;
    }
  } else {
    const bool memory = (m & 2) != 0;
    s.constant_b = form == Form::short_ && (type == ProgramType::compute ? (m & 1) != 0 : m == 1);
    if (memory && type == ProgramType::compute)
      s.a = Operand::Kind::shared;
    else if (geometry && (m == 3 || (memory && form == Form::immediate)))
      s.a = Operand::Kind::vertex;
    else if (memory)
      s.a = Operand::Kind::attribute;
  }
  s.constant_indexed = s.a == Operand::Kind::gpr || s.a == Operand::Kind::attribute;
  return s;
}

// Where the offset of a memory operand lies and in what unit.
struct OffsetField {
  BitField field;
  unsigned scale;
};

OffsetField shared_offset(Form form, Type element) {
  return {form == Form::long_ ? BitField{{{{9, 5}}}} : BitField{{{{9, 4}}}}, size_of(element)};
}
BitField shared_type_field(Form form) {
  return form == Form::long_ ? BitField{{{{14, 2}}}} : BitField{{{{13, 2}}}};
}
OffsetField constant_offset(const Token& token, Form form, Type element) {
  BitField field = token.field;
  if (form != Form::long_) field.pieces[0].width = 5;
  return {field, size_of(element)};
}
// Of ld, st: 16, 15 or 14 bits as the unit grows.
OffsetField wide_offset(const Token& token, Type element) {
  BitField field = token.field;
  unsigned scale = size_of(element);
  if (token.space == Operand::Kind::local || token.space == Operand::Kind::none) scale = 1;
  if (token.space == Operand::Kind::constant || token.space == Operand::Kind::shared)
    field.pieces[0].width = static_cast<std::uint8_t>(scale == 4 ? 14 : scale == 2 ? 15 : 16);
  return {field, scale};
}

void decode_offset(Operand& operand, const OffsetField& where, std::uint64_t word) {
  const std::uint32_t field = where.field.get(word);
  operand.value = field * where.scale;
  if (operand.post_increment)
    operand.value = static_cast<std::uint32_t>(sign_extend(field, where.field.width())) * where.scale;
}

std::uint64_t encode_offset(const Operand& operand, const OffsetField& where, std::uint64_t word) {
  return where.field.set(word, operand.value / where.scale);
}

std::uint64_t set_address(Form form, const Operand& operand, std::uint64_t word) {
  word = is_long(form) && form != Form::immediate ? kAddress.set(word, operand.address)
                                                  : kShortAddress.set(word, operand.address);
  return operand.post_increment ? kPostIncrement.set(word, 1) : word;
}
void get_address(Form form, Operand& operand, std::uint64_t word) {
  operand.address = static_cast<std::uint8_t>(
      is_long(form) && form != Form::immediate ? kAddress.get(word) : kShortAddress.get(word));
  operand.post_increment = kPostIncrement.get(word) != 0;
}

// The element of a c[] operand of arithmetic: there are no 8-bit ones, and wider ones do not exist.
Type constant_type(Type register_type) { return register_type == Type::b16 ? Type::b16 : Type::b32; }

Operand decode_source(ProgramType type, const Row& row, const Token& token, Type width, std::uint64_t word) {
  Operand operand{.kind = Operand::Kind::gpr, .type = width, .value = token.field.get(word)};
  if (!token.memory_allowed) return operand;
  const Selection s = selection(type, row.form, word);
  if (token.slot == 0 && s.a != Operand::Kind::gpr) {
    operand.kind = s.a;
    if (s.a == Operand::Kind::shared) {
      operand.type = kSharedTypes[shared_type_field(row.form).get(word)];
      get_address(row.form, operand, word);
      decode_offset(operand, shared_offset(row.form, operand.type), word);
    } else {
      operand.type = constant_type(width);
      if (s.a == Operand::Kind::vertex) get_address(row.form, operand, word);
      operand.post_increment = false;
      operand.value = token.field.get(word) * 4;
    }
  } else if ((token.slot == 1 && s.constant_b) || (token.slot == 2 && s.constant_c)) {
    operand.kind = Operand::Kind::constant;
    operand.type = constant_type(width);
    operand.space = static_cast<std::uint8_t>(row.form == Form::long_ ? kConstantSpace.get(word)
                                                                      : kShortConstantSpace.get(word));
    if (s.constant_indexed) get_address(row.form, operand, word);
    decode_offset(operand, constant_offset(token, row.form, operand.type), word);
  }
  return operand;
}

Operand decode_memory(const Row& row, const Token& token, Type element, std::uint64_t word) {
  Operand operand{.kind = token.space, .type = element};
  if (token.space == Operand::Kind::global) {
    operand.space = static_cast<std::uint8_t>((token.atomic ? kAtomicSpace : kGlobalSpace).get(word));
    operand.value = token.field.get(word);
    return operand;
  }
  get_address(row.form, operand, word);
  if (token.space == Operand::Kind::constant)
    operand.space = static_cast<std::uint8_t>(kConstantSpace.get(word));
  if (row.form == Form::control) {
    operand.post_increment = false;
    operand.type = Type::b32;
    operand.value = token.field.get(word);  // bytes
    return operand;
  }
  if (token.space == Operand::Kind::output || token.space == Operand::Kind::attribute)
    operand.post_increment = false;
  decode_offset(operand, wide_offset(token, element), word);
  return operand;
}

// Everything but `raw` and `unused`; false if a field holds a value that is not defined.
bool decode_row(ProgramType type, const Row& row, std::uint64_t word, Instruction& i) {
  i.opcode = row.opcode;
  i.form = row.form;
  const bool predicated = row.form == Form::long_;
  if (predicated) {
    const std::uint32_t marker = kMarker.get(word);
    if (marker == 3) return false;
    i.marker = static_cast<Instruction::Marker>(marker);
    i.condition = static_cast<std::uint8_t>(kCondition.get(word));
    i.condition_register = static_cast<std::uint8_t>(kConditionRegister.get(word));
  }
  bool reads_flags = false;  // as an operand
  // Modifiers first: operand widths depend on them.
  for (const Token& token : row.syntax()) {
    if (token.kind != Token::Kind::modifier && token.kind != Token::Kind::fixed_modifier) continue;
    const Modifier& modifier = modifiers()[token.modifier];
    const std::uint32_t field =
        token.kind == Token::Kind::modifier ? token.field.get(word) : std::uint32_t{token.value};
    if (!modifier.defined(field)) return false;
    modifier.set(i, modifier.values[field]);
  }
  for (const Token& token : row.syntax()) {
    switch (token.kind) {
      case Token::Kind::dst: {
        const Type width = register_type(token, i, word);
        i.dst = {.kind = Operand::Kind::gpr, .type = width, .value = token.field.get(word)};
        if (row.form == Form::long_ && token.memory_allowed && size_of(width) <= 4 &&
            kToOutput.get(word) != 0) {
          i.dst.kind = i.dst.value == kDiscardedOutput ? Operand::Kind::discarded : Operand::Kind::output;
          i.dst.value = i.dst.kind == Operand::Kind::discarded ? 0 : i.dst.value * size_of(width);
        }
        break;
      }
      case Token::Kind::src:
        i.src[token.index] = decode_source(type, row, token, register_type(token, i, word), word);
        break;
      case Token::Kind::dst_again:
        i.src[token.index] = i.dst;
        break;
      case Token::Kind::memory:
        (token.is_store ? i.dst : i.src[token.index]) = decode_memory(row, token, i.type, word);
        break;
      case Token::Kind::flags:
        if (kFlagsEnable.get(word) != 0) i.flags = static_cast<std::int8_t>(kFlagsRegister.get(word));
        break;
      case Token::Kind::flags_always:
        i.flags = static_cast<std::int8_t>(kFlagsRegister.get(word));
        break;
      case Token::Kind::condition_read:
        reads_flags = true;
        i.src[token.index] = {.kind = Operand::Kind::flags, .type = Type::b8, .value = i.condition_register};
        break;
      case Token::Kind::address_dst:
        i.dst = {.kind = Operand::Kind::address, .type = Type::b16, .value = kAddressDst.get(word)};
        break;
      case Token::Kind::address_src:
        i.src[token.index] = {.kind = Operand::Kind::address, .type = Type::b16, .value = kAddress.get(word)};
        break;
      case Token::Kind::special:
        i.src[token.index] = {
            .kind = Operand::Kind::special, .type = Type::b32, .value = token.field.get(word)};
        break;
      case Token::Kind::immediate:
        i.src[token.index] = {
            .kind = Operand::Kind::immediate, .type = Type::b32, .value = token.field.get(word)};
        break;
      case Token::Kind::number_operand:
        i.src[token.index] = {
            .kind = Operand::Kind::number, .type = Type::b32, .value = token.field.get(word)};
        break;
      case Token::Kind::number:
        i.number = token.field.get(word);
        break;
      case Token::Kind::count:
        i.count = token.field.get(word);
        break;
      case Token::Kind::target:
        i.target = token.field.get(word) << 2;
        break;
      case Token::Kind::predicate:
        i.condition = static_cast<std::uint8_t>(kCondition.get(word));
        i.condition_register = static_cast<std::uint8_t>(kConditionRegister.get(word));
        break;
      case Token::Kind::lanes:
        i.lanes = static_cast<std::uint8_t>(token.field.get(word));
        break;
      case Token::Kind::literal:
        break;
      case Token::Kind::carry:
        reads_flags |= i.operation == static_cast<int>(AddOperation::addc);
        break;
      case Token::Kind::modifier:
      case Token::Kind::fixed_modifier:
        break;
    }
  }
  if (i.condition == kAlways && !reads_flags) i.condition_register = 0;
  return true;
}

// Sets the selectors so that the sources are what `i` says; false if no selectors do.
bool encode_selection(ProgramType type, const Row& row, const Instruction& i, std::uint64_t& word) {
  bool any = false;
  for (const Token& token : row.syntax()) any |= token.kind == Token::Kind::src && token.memory_allowed;
  if (!any || row.form == Form::short_control || row.form == Form::control) return true;
  // Where w1[21] and w0[24:23] belong to another field, only plain registers can be meant.
  const unsigned choices = row.form == Form::long_ ? 8 : 4;
  for (unsigned choice = 0; choice < choices; ++choice) {
    std::uint64_t candidate = kSelect.set(word, choice & 3);
    if (row.form == Form::long_) candidate = kMemoryA.set(candidate, choice >> 2);
    const Selection s = selection(type, row.form, candidate);
    bool fits = true;
    for (const Token& token : row.syntax()) {
      if (token.kind != Token::Kind::src || !token.memory_allowed) continue;
      const Operand::Kind kind = i.src[token.index].kind;
      if (token.slot == 0) fits &= kind == s.a;
      if (token.slot == 1) fits &= (kind == Operand::Kind::constant) == s.constant_b;
      if (token.slot == 2) fits &= (kind == Operand::Kind::constant) == s.constant_c;
    }
    if (fits) {
      word = candidate;
      return true;
    }
  }
  return false;
}

std::uint64_t encode_source(const Row& row, const Token& token, const Operand& operand, std::uint64_t word) {
  switch (operand.kind) {
    case Operand::Kind::shared: {
      const auto element =
          static_cast<std::uint32_t>(std::ranges::find(kSharedTypes, operand.type) - kSharedTypes);
      word = shared_type_field(row.form).set(word, element);
      word = set_address(row.form, operand, word);
      return encode_offset(operand, shared_offset(row.form, operand.type), word);
    }
    case Operand::Kind::vertex:
      word = set_address(row.form, operand, word);
      return token.field.set(word, operand.value / 4);
    case Operand::Kind::attribute:
      return token.field.set(word, operand.value / 4);
    case Operand::Kind::constant:
      word = row.form == Form::long_ ? kConstantSpace.set(word, operand.space)
                                     : kShortConstantSpace.set(word, operand.space);
      if (operand.address != 0 || operand.post_increment) word = set_address(row.form, operand, word);
      return encode_offset(operand, constant_offset(token, row.form, operand.type), word);
    default:
      return token.field.set(word, operand.value);
  }
}

std::uint64_t encode_memory(const Row& row, const Token& token, const Operand& operand, std::uint64_t word) {
  if (token.space == Operand::Kind::global) {
    word = (token.atomic ? kAtomicSpace : kGlobalSpace).set(word, operand.space);
    return token.field.set(word, operand.value);
  }
  word = set_address(row.form, operand, word);
  if (token.space == Operand::Kind::constant) word = kConstantSpace.set(word, operand.space);
  if (row.form == Form::control) return token.field.set(word, operand.value);
  return encode_offset(operand, wide_offset(token, operand.type), word);
}

// The words that a row gives to an instruction; nothing if its modifiers or operands are others.
std::optional<std::uint64_t> encode_row(ProgramType type, const Row& row, const Instruction& i) {
  if (row.opcode != i.opcode || row.form != i.form || !modifiers_fit(row, i)) return {};
  std::uint64_t word = row.match;
  bool takes_predicate = row.form == Form::long_;
  for (const Token& token : row.syntax()) {
    if (token.kind == Token::Kind::predicate) takes_predicate = true;
    if (token.kind == Token::Kind::modifier) {
      const Modifier& modifier = modifiers()[token.modifier];
      word = token.field.set(word, modifier.field_of(modifier.get(i)));
    }
  }
  if (row.form == Form::long_) word = kMarker.set(word, static_cast<std::uint32_t>(i.marker));
  if (takes_predicate) {
    word = kCondition.set(word, i.condition);
    word = kConditionRegister.set(word, i.condition_register);
  }
  if (!encode_selection(type, row, i, word)) return {};
  for (const Token& token : row.syntax()) {
    switch (token.kind) {
      case Token::Kind::dst:
        if (token.width_bit != 0)
          word = with_bits<std::uint64_t>(word, token.width_bit, 1, i.dst.type == Type::b32);
        if (i.dst.kind == Operand::Kind::gpr) {
          word = token.field.set(word, i.dst.value);
        } else if (i.dst.kind == Operand::Kind::discarded) {
          word = kToOutput.set(token.field.set(word, kDiscardedOutput), 1);
        } else {
          word = kToOutput.set(token.field.set(word, i.dst.value / size_of(i.dst.type)), 1);
        }
        break;
      case Token::Kind::src: {
        const Operand& operand = i.src[token.index];
        if (operand.kind != Operand::Kind::gpr && !operand.is_memory()) return {};
        // A width bit that a type modifier already owns is only added to, for types that leave it open.
        if (token.width_bit != 0 && operand.kind == Operand::Kind::gpr)
          word = with_bits<std::uint64_t>(word, token.width_bit, 1, operand.type == Type::b32);
        word = encode_source(row, token, operand, word);
        break;
      }
      case Token::Kind::memory:
        word = encode_memory(row, token, token.is_store ? i.dst : i.src[token.index], word);
        break;
      case Token::Kind::flags:
        if (i.flags >= 0)
          word = kFlagsRegister.set(kFlagsEnable.set(word, 1), static_cast<std::uint32_t>(i.flags));
        break;
      case Token::Kind::flags_always:
        word = kFlagsRegister.set(word, static_cast<std::uint32_t>(i.flags));
        break;
      case Token::Kind::address_dst:
        word = kAddressDst.set(word, i.dst.value);
        break;
      case Token::Kind::address_src:
        word = kAddress.set(word, i.src[token.index].value);
        break;
      case Token::Kind::special:
      case Token::Kind::immediate:
      case Token::Kind::number_operand: {
        const auto wanted = token.kind == Token::Kind::special     ? Operand::Kind::special
                            : token.kind == Token::Kind::immediate ? Operand::Kind::immediate
                                                                   : Operand::Kind::number;
        if (i.src[token.index].kind != wanted) return {};
        word = token.field.set(word, i.src[token.index].value);
        break;
      }
      case Token::Kind::number:
        word = token.field.set(word, i.number);
        break;
      case Token::Kind::count:
        word = token.field.set(word, i.count);
        break;
      case Token::Kind::target:
        word = token.field.set(word, i.target >> 2);
        break;
      case Token::Kind::lanes:
        word = token.field.set(word, i.lanes);
        break;
      case Token::Kind::literal:
        break;
      case Token::Kind::condition_read:
      case Token::Kind::dst_again:
      case Token::Kind::predicate:
      case Token::Kind::modifier:
      case Token::Kind::fixed_modifier:
      case Token::Kind::carry:
        break;
    }
  }
  return word;
}

// Opcodes of parts of the instruction set that this frontend leaves out: interp, textures, emit.
bool known_but_not_covered(std::uint32_t w0, std::uint32_t w1) {
  const std::uint32_t primary = w0 >> 28;
  if ((w0 & 2) != 0) return false;
  const bool is_long = is_long_word(w0);
  if (is_long && (w1 & 3) == 3) return false;
  const std::uint32_t secondary = is_long ? w1 >> 29 : 0;
  return (primary == 8 && secondary == 0) || (primary == 15 && secondary != 5 && secondary != 7);
}

}  // namespace

bool modifiers_fit(const Row& row, const Instruction& i) {
  Instruction only_these;  // the modifiers that the row mentions
  for (const Token& token : row.syntax()) {
    if (token.kind != Token::Kind::modifier && token.kind != Token::Kind::fixed_modifier) continue;
    const Modifier& modifier = modifiers()[token.modifier];
    const std::uint8_t value = modifier.get(i);
    if (token.kind == Token::Kind::fixed_modifier && value != modifier.values[token.value]) return false;
    const unsigned field = modifier.field_of(value);
    if (field == modifier.count) return false;
    if (token.kind == Token::Kind::modifier && field > low_mask<std::uint32_t>(token.field.width()))
      return false;
    modifier.set(only_these, value);
  }
  return std::ranges::all_of(modifiers(), [&](const Modifier& m) { return m.get(only_these) == m.get(i); });
}

Type register_type(const Token& token, const Instruction& i, std::uint64_t word) {
  switch (token.width) {
    case 0:
      return half_or_word(bits<std::uint64_t>(word, token.width_bit, 1) != 0);
    case 1:  // a conversion's source has its own type
      return width_of(token.kind == Token::Kind::src && i.source_type != Type::none ? i.source_type : i.type);
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

std::optional<Instruction> try_decode(ProgramType type, std::uint32_t w0, std::uint32_t w1) {
  const std::uint64_t word = is_long_word(w0) ? std::uint64_t{w1} << 32 | w0 : w0;
  for (const Row& row : rows()) {
    if ((word & row.mask) != row.match) continue;
    Instruction instruction;
    if (!decode_row(type, row, word, instruction)) continue;
    instruction.raw = word;
    const auto canonical = encode(type, instruction);
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
  if (known_but_not_covered(w0, w1))
    return fail(ErrorCode::unsupported, "texture, interpolation and emit instructions are not supported");
  return fail(ErrorCode::bad_input, "undefined opcode");
}

std::optional<std::uint64_t> encode(ProgramType type, const Instruction& instruction) {
  for (const Row& row : rows())
    if (const auto word = encode_row(type, row, instruction)) return *word ^ instruction.unused;
  return {};
}

bool condition_defined(unsigned condition) {
  return condition < 0x14 || (condition >= 0x1c && condition < 0x20);
}

bool condition_holds(unsigned condition, unsigned flags) {
  const bool z = (flags & kZero) != 0, s = (flags & kSign) != 0, c = (flags & kCarry) != 0,
             o = (flags & kOverflow) != 0;
  switch (condition) {
    case 0x00:
      return false;
    case 0x01:
      return (s && !z) != o;
    case 0x02:
      return z && !s;
    case 0x03:
      return s != (z || o);
    case 0x04:
      return !z && s == o;
    case 0x05:
      return !z;
    case 0x06:
      return s == o;
    case 0x07:
      return !z || !s;
    case 0x08:
      return z && s;
    case 0x09:
      return s != o;
    case 0x0a:
      return z;
    case 0x0b:
      return z || s != o;
    case 0x0c:
      return !s != (z || o);
    case 0x0d:
      return !z || s;
    case 0x0e:
      return (!s || z) != o;
    case 0x0f:
      return true;
    case 0x10:
      return o;
    case 0x11:
      return c;
    case 0x12:
      return !z && c;
    case 0x13:
      return s;
    case 0x1c:
      return !s;
    case 0x1d:
      return z || !c;
    case 0x1e:
      return !c;
    case 0x1f:
      return !o;
    default:
      return false;  // 14 to 1b are undefined; decode() refuses them
  }
}

std::string where_byte(const std::string& file, std::uint32_t address, std::uint32_t word) {
  char text[64];
  std::snprintf(text, sizeof text, "byte 0x%x (0x%08x)", address, word);
  return file.empty() ? std::string(text) : file + ", " + text;
}

}  // namespace warpjit::tesla
