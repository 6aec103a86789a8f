#include <cstdio>

#include "backend/target.h"

#if WARPJIT_HAS_ZYDIS
#include <Zydis/Zydis.h>
#endif

namespace warpjit::backend {

std::string list(const MachineCode& code, const std::function<std::string(std::uint32_t)>& annotate) {
  std::string text;
  char line[64];
  std::size_t next = 0;
  auto heading = [&](std::uint32_t offset) {
    for (; next < code.map.size() && code.map[next].offset <= offset; ++next) {
      if (next + 1 < code.map.size() && code.map[next + 1].offset <= offset) continue;
      std::uint32_t address = code.map[next].guest_address;
      if (address == ir::kNoAddress) {
        text += "; (no guest instruction)\n";
        continue;
      }
      std::snprintf(line, sizeof line, "; guest 0x%03x", address);
      text += line;
      if (annotate) text += "  " + annotate(address);
      text += '\n';
    }
  };
  const auto begin_line = [&](std::uint32_t offset) {
    if (offset == code.kernel_offset) text += "kernel:\n";
    if (offset == code.preamble_offset) text += "preamble:\n";
    heading(offset);
    std::snprintf(line, sizeof line, "  %05x  ", offset);
    text += line;
  };
  if (!code.listing.empty()) {
    for (const MachineCode::Line& instruction : code.listing) {
      begin_line(instruction.offset);
      text += instruction.text + '\n';
    }
    return text;
  }
  for (std::uint32_t offset = 0; offset < code.code_size;) {
    begin_line(offset);
#if WARPJIT_HAS_ZYDIS
    ZydisDisassembledInstruction instruction;
    if (plain(code.target) != Target::a64 &&
        ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, offset, code.bytes.data() + offset,
                                           code.code_size - offset, &instruction))) {
      text += instruction.text;
      text += '\n';
      offset += instruction.info.length;
      continue;
    }
#endif
    std::snprintf(line, sizeof line, ".byte 0x%02x\n", code.bytes[offset]);
    text += line;
    ++offset;
  }
  return text;
}

}  // namespace warpjit::backend
