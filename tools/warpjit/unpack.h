// Files that xz has compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace warpjit::tool {

// The bytes of an xz stream. Errors: bad_input for another one, resource_limit for more than `limit` bytes;
// unsupported in a build without liblzma.
Result<std::vector<std::byte>> unpack_xz(std::span<const std::byte> bytes, const std::string& name,
                                         std::uint64_t limit);

}  // namespace warpjit::tool
