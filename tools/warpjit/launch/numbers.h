// Numbers of launch files as the bytes and words that engines read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launch/json_field.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

// The string that `field` holds ("f32x3", "unorm8x4", "s16") as a format.
Result<Format> read_format(const JsonField& field);

// Appends the numbers of an array as stored components, little-endian. Normalized formats are given as the
// integers that are stored.
Status append_components(const JsonField& array, ComponentType type, std::vector<std::byte>& bytes);

// A word as a number of its type: "1.5 (0x3fc00000)", "-3".
std::string number_text(ComponentType type, std::uint32_t word);
// The same for JSON: the bits of a float, else the number.
Json number_json(ComponentType type, std::uint32_t word);

// "0x1000".
std::string address_text(std::uint64_t address);

}  // namespace warpjit::tool
