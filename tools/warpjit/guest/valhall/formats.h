// The pixel formats of Valhall's attributes by name: "rgb32f", "rgba8unorm", "rgb10a2snorm".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpjit::tool {

std::optional<std::uint32_t> find_valhall_format(std::string_view name);
// Hexadecimal if it has no name.
std::string valhall_format_name(std::uint32_t format);
// All names, for messages.
std::string valhall_format_names();

}  // namespace warpjit::tool
