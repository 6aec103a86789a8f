#include "frontend/pica200/encoding/decode.h"

#include "base/bits.h"

namespace warpjit::pica200 {
namespace {

constexpr char kFileLetters[] = "vrcoib";
constexpr std::uint8_t kFileSizes[] = {16, 16, 96, 16, 4, 16};

}  // namespace

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

Result<Instruction> decode(std::uint32_t word, std::uint32_t address, const std::string& file) {
  if (const auto instruction = try_decode(word)) return *instruction;
  return Error{ErrorCode::bad_input, "undefined PICA200 opcode", where_word(file, address, word)};
}

Descriptor decode_descriptor(std::uint32_t word) {
  Descriptor result;
#define PICA_DESCRIPTOR_FIELD(member, low, width) \
  result.member = static_cast<std::uint8_t>(bits<std::uint32_t>(word, low, width));
#include "frontend/pica200/encoding/encoding.inc"
  return result;
}

std::uint32_t encode_descriptor(const Descriptor& descriptor) {
  std::uint32_t word = 0;
#define PICA_DESCRIPTOR_FIELD(member, low, width) \
  word = with_bits<std::uint32_t>(word, low, width, descriptor.member);
#include "frontend/pica200/encoding/encoding.inc"
  return word;
}

}  // namespace warpjit::pica200
