// The instructions of a listing by their addresses.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace warpjit::frontend {

// Takes the lines that end with "// ADDRESS: WORDS".
std::map<std::uint32_t, std::string> lines_of(const std::string& listing);

}  // namespace warpjit::frontend
