// Names of the formats that descriptors of a Mali v9 have as numbers, for messages.
#pragma once

#include <cstdint>
#include <string>

namespace warpjit::valhall {

// A pixel format of 22 bits, as "0xbb004 (rgba8unorm, BGRA)"; without a name "0x3ff000 (no format)".
std::string pixel_format_text(std::uint32_t format);
// Others as "20 (x24s8)", "9 (no format)".
std::string clump_text(std::uint32_t clump);
std::string plane_kind_text(std::uint32_t kind);
std::string tile_format_text(std::uint32_t format);    // internal formats of targets
std::string stored_format_text(std::uint32_t format);  // writeback formats of targets
std::string depth_format_text(std::uint32_t format);   // ZS write formats
std::string stencil_format_text(std::uint32_t format);

}  // namespace warpjit::valhall
