// What the GPU's internal registers are called, for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpjit::pica200 {

// "sources of combiner 0"; empty for a register without a documented meaning.
std::string register_title(std::uint32_t id);

// The text with the title after each register that it names: "register 0x100 (fragment mode, blending on)".
std::string with_register_titles(std::string_view text);

}  // namespace warpjit::pica200
