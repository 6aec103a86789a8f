// Jobs in memory images of Valhall GPUs, for `warpjit info` and launch files.
#pragma once

#include "guest/guest.h"

namespace warpjit::tool {

// The chain that begins at an address, and the descriptors that its jobs name.
Result<Json> valhall_capture(std::span<const valhall::CaptureBytes> files);
Result<Json> valhall_jobs(std::span<const std::byte> image, const std::string& name, std::uint64_t address);

// The launch of a job's program: compute_launch or vertex_launch. Buffers are copies of the image's bytes.
Status read_valhall_job(const ImageJob& job, LaunchFile& launch);

}  // namespace warpjit::tool
