// The register files by what messages call them, and names as containers store them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "frontend/pica200/encoding/decode.h"

namespace warpjit::pica200 {

inline constexpr std::string_view kRegisterLetters = "vrcoib";
inline constexpr unsigned kRegisterCounts[] = {16, 16, 96, 16, 4, 16};
inline constexpr std::string_view kRegisterKinds[] = {"input",  "temporary",       "float uniform",
                                                      "output", "integer uniform", "bool uniform"};

inline std::string_view register_kind(RegisterFile file) {
  return kRegisterKinds[static_cast<std::size_t>(file)];
}
// "c0 to c95"
inline std::string file_range(RegisterFile file) {
  return name(Register{file, 0}) + " to " +
         name(Register{file, static_cast<std::uint8_t>(kRegisterCounts[static_cast<std::size_t>(file)] - 1)});
}

// As a container stores it.
inline std::string stored_name(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '$', '.');
  return text;
}

}  // namespace warpjit::pica200
