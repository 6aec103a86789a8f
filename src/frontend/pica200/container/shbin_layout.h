// The layout of SHBIN containers (docs/guests/pica200.md 12), shared by the reader and the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "frontend/pica200/encoding/decode.h"

namespace warpjit::pica200::shbin {

constexpr std::uint32_t magic(const char (&text)[5]) {
  return static_cast<std::uint32_t>(text[0]) | static_cast<std::uint32_t>(text[1]) << 8 |
         static_cast<std::uint32_t>(text[2]) << 16 | static_cast<std::uint32_t>(text[3]) << 24;
}
inline constexpr std::uint32_t kDvlb = magic("DVLB"), kDvlp = magic("DVLP"), kDvle = magic("DVLE");

inline constexpr std::size_t kDvlpSize = 0x28;  // 0x1C are used; the community's assembler reserves 0x28
inline constexpr std::size_t kDvlpUsed = 0x1C;
inline constexpr std::size_t kDvleSize = 0x40;
inline constexpr std::size_t kDescriptorSize = 8, kConstantSize = 0x14, kLabelSize = 0x10, kOutputSize = 8,
                             kSymbolSize = 8;
inline constexpr std::size_t kMaxPrograms = 256;

// Register numbers of the uniform table.
struct SymbolRange {
  RegisterFile file;
  std::uint16_t first, count;
};
inline constexpr SymbolRange kSymbolRanges[] = {{RegisterFile::v, 0x00, 16},
                                                {RegisterFile::c, 0x10, 96},
                                                {RegisterFile::i, 0x70, 4},
                                                {RegisterFile::b, 0x78, 16}};

inline std::optional<Register> symbol_register(std::uint16_t number) {
  for (const SymbolRange& range : kSymbolRanges)
    if (number >= range.first && number < range.first + range.count)
      return Register{range.file, static_cast<std::uint8_t>(number - range.first)};
  return std::nullopt;
}

inline std::uint16_t symbol_number(Register reg) {
  for (const SymbolRange& range : kSymbolRanges)
    if (range.file == reg.file) return static_cast<std::uint16_t>(range.first + reg.index);
  return 0;
}

}  // namespace warpjit::pica200::shbin
