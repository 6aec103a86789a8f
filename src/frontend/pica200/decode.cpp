#include "frontend/pica200/decode.h"

namespace warpjit::pica200 {
namespace {

struct FormatInfo {
  std::uint8_t opcode_low;
  std::uint8_t wide;
};

constexpr FormatInfo kFormats[] = {
#define PICA_FORMAT(name, low, wide) {low, wide},
#include "frontend/pica200/encoding.inc"
};

constexpr OpcodeInfo kOpcodes[] = {
#define PICA_OPCODE(name, mnemonic, first, last, format, traits, reads1, reads2, reads3, swapped) \
  {mnemonic, first, last, Format::format, traits, {reads1, reads2, reads3}, Opcode::swapped},
#include "frontend/pica200/encoding.inc"
};

struct FieldRow {
  Format format;
  Field field;
};

// Rows of a format are adjacent in the table.
constexpr FieldRow kFieldRows[] = {
#define PICA_FIELD(format, member, low, width, kind) \
  {Format::format, {#member, &Instruction::member, low, width, Field::Kind::kind}},
#include "frontend/pica200/encoding.inc"
};

constexpr std::size_t kFormatCount = std::size(kFormats);

struct FieldLists {
  std::array<std::array<Field, 6>, kFormatCount> list{};
  std::array<std::uint8_t, kFormatCount> count{};
  std::array<std::uint32_t, kFormatCount> unused{};
};

constexpr std::uint32_t bits(unsigned low, unsigned width) {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << width) - 1) << low);
}

constexpr FieldLists kFields = [] {
  FieldLists result;
  for (std::size_t f = 0; f < kFormatCount; ++f) result.unused[f] = bits(0, kFormats[f].opcode_low);
  for (const FieldRow& row : kFieldRows) {
    const auto f = static_cast<std::size_t>(row.format);
    result.list[f][result.count[f]++] = row.field;
    result.unused[f] &= ~bits(row.field.low, row.field.width);
  }
  return result;
}();

constexpr std::uint8_t kNoOpcode = 0xFF;

// Opcode by the top six bits of a word.
constexpr std::array<std::uint8_t, 64> kByTopBits = [] {
  std::array<std::uint8_t, 64> table{};
  table.fill(kNoOpcode);
  for (std::size_t i = 0; i < std::size(kOpcodes); ++i)
    for (unsigned top = kOpcodes[i].first; top <= kOpcodes[i].last; ++top)
      table[top] = static_cast<std::uint8_t>(i);
  return table;
}();

constexpr char kFileLetters[] = "vrcoib";
constexpr std::uint8_t kFileSizes[] = {16, 16, 96, 16, 4, 16};

}  // namespace

const OpcodeInfo& info(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)]; }

std::optional<Opcode> find_opcode(std::string_view mnemonic) {
  for (std::size_t i = 0; i < std::size(kOpcodes); ++i)
    if (kOpcodes[i].name == mnemonic) return static_cast<Opcode>(i);
  return std::nullopt;
}

int wide_source(Format format) { return kFormats[static_cast<std::size_t>(format)].wide; }

std::string name(Register reg) {
  return kFileLetters[static_cast<std::size_t>(reg.file)] + std::to_string(reg.index);
}

Register source_register(unsigned code) {
  if (code < 0x10) return {RegisterFile::v, static_cast<std::uint8_t>(code)};
  if (code < 0x20) return {RegisterFile::r, static_cast<std::uint8_t>(code - 0x10)};
  return {RegisterFile::c, static_cast<std::uint8_t>((code & 0x7F) - 0x20)};
}

Register dest_register(unsigned code) {
  return {(code & 0x10) != 0 ? RegisterFile::r : RegisterFile::o, static_cast<std::uint8_t>(code & 0xF)};
}

std::optional<unsigned> source_code(Register reg) {
  switch (reg.file) {
    case RegisterFile::v:
      return reg.index;
    case RegisterFile::r:
      return reg.index + 0x10U;
    case RegisterFile::c:
      return reg.index + 0x20U;
    default:
      return std::nullopt;
  }
}

std::optional<unsigned> dest_code(Register reg) {
  if (reg.file == RegisterFile::o) return reg.index;
  if (reg.file == RegisterFile::r) return reg.index + 0x10U;
  return std::nullopt;
}

std::optional<Register> parse_register(std::string_view text) {
  if (text.size() < 2 || text.size() > 3) return std::nullopt;
  const std::size_t file = std::string_view(kFileLetters).find(text[0]);
  if (file == std::string_view::npos || (text.size() == 3 && text[1] == '0')) return std::nullopt;
  unsigned index = 0;
  for (const char digit : text.substr(1)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    index = index * 10 + static_cast<unsigned>(digit - '0');
  }
  if (index >= kFileSizes[file]) return std::nullopt;
  return Register{static_cast<RegisterFile>(file), static_cast<std::uint8_t>(index)};
}

int Instruction::source_count() const {
  int count = 0;
  for (const std::uint8_t reads : info().reads) count += reads != 0 ? 1 : 0;
  return count;
}

std::span<const Field> fields(Format format) {
  const auto f = static_cast<std::size_t>(format);
  return std::span(kFields.list[f]).first(kFields.count[f]);
}

std::uint32_t unused_bits(Format format) { return kFields.unused[static_cast<std::size_t>(format)]; }

std::optional<Instruction> try_decode(std::uint32_t word) {
  const std::uint8_t opcode = kByTopBits[word >> 26];
  if (opcode == kNoOpcode) return std::nullopt;
  Instruction result;
  result.opcode = static_cast<Opcode>(opcode);
  result.raw = word;
  const Format format = kOpcodes[opcode].format;
  result.unused = word & unused_bits(format);
  for (const Field& field : fields(format))
    result.*field.member = static_cast<std::uint16_t>(word >> field.low & bits(0, field.width));
  return result;
}

Result<Instruction> decode(std::uint32_t word, std::uint32_t address, const std::string& file) {
  if (const auto instruction = try_decode(word)) return *instruction;
  return Error{ErrorCode::bad_input, "undefined PICA200 opcode", where_word(file, address, word)};
}

std::uint32_t encode(const Instruction& instruction) {
  const OpcodeInfo& info = instruction.info();
  const std::uint32_t opcode_bits = ~bits(0, kFormats[static_cast<std::size_t>(info.format)].opcode_low);
  std::uint32_t word =
      (std::uint32_t{info.first} << 26 & opcode_bits) | (instruction.unused & unused_bits(info.format));
  for (const Field& field : fields(info.format))
    word |= (instruction.*field.member & bits(0, field.width)) << field.low;
  return word;
}

Descriptor decode_descriptor(std::uint32_t word) {
  Descriptor result;
#define PICA_DESCRIPTOR_FIELD(member, low, width) \
  result.member = static_cast<std::uint8_t>(word >> (low)&bits(0, width));
#include "frontend/pica200/encoding.inc"
  return result;
}

std::uint32_t encode_descriptor(const Descriptor& descriptor) {
  std::uint32_t word = 0;
#define PICA_DESCRIPTOR_FIELD(member, low, width) word |= (descriptor.member & bits(0, width)) << (low);
#include "frontend/pica200/encoding.inc"
  return word;
}

}  // namespace warpjit::pica200
