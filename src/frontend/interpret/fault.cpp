#include "frontend/interpret/fault.h"

#include <cstdio>

namespace warpjit::interpret {

std::string block_text(const ir::BlockPosition& block) {
  const std::string plane = block[2] != 0 ? ", " + std::to_string(block[2]) : "";
  return " of block (" + std::to_string(block[0]) + ", " + std::to_string(block[1]) + plane + ")";
}

std::string access_text(bool is_store, std::string_view space, std::uint32_t address, std::uint32_t thread,
                        const ir::BlockPosition& block) {
  char place[16];
  std::snprintf(place, sizeof place, "[0x%x]", address);
  std::string text = is_store ? "store to " : "load from ";
  text += space;
  text += place;
  return text + " by thread " + std::to_string(thread) + block_text(block);
}

}  // namespace warpjit::interpret
