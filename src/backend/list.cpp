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
  std::size_t next_cost = 0;
  const auto cost = [&](std::uint32_t offset) {
    while (next_cost < code.costs.size() && code.costs[next_cost].offset < offset) ++next_cost;
    // What has no code stands before what has.
    while (next_cost + 1 < code.costs.size() && code.costs[next_cost + 1].offset == offset) ++next_cost;
    if (next_cost == code.costs.size() || code.costs[next_cost].offset != offset) {
      text += "            ";
      return;
    }
    const InstructionCost& of_it = code.costs[next_cost];
    std::snprintf(line, sizeof line, "%5.2f %4.0f  ", of_it.clocks, of_it.latency);
    text += line;
  };
  const auto begin_line = [&](std::uint32_t offset) {
    if (offset == code.kernel_offset) text += "kernel:\n";
    if (offset == code.preamble_offset) text += "preamble:\n";
    for (std::size_t n = code.loops.size(); n-- > 0;)
      if (code.loops[n].end == offset) text += "; end of loop " + std::to_string(n) + '\n';
    for (std::size_t n = 0; n < code.loops.size(); ++n)
      if (code.loops[n].begin == offset) text += "; begin of loop " + std::to_string(n) + '\n';
    heading(offset);
    std::snprintf(line, sizeof line, "  %05x  ", offset);
    text += line;
    if (!code.costs.empty()) cost(offset);
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
