// Jobs in memory images of Valhall GPUs, for `warpjit info`.
#pragma once

#include "guest/guest.h"

namespace warpjit::tool {

// The chain that begins at an address, and the descriptors that its jobs name.
Result<Json> valhall_jobs(std::span<const std::byte> image, const std::string& name, std::uint64_t address);

}  // namespace warpjit::tool
