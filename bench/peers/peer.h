// The kernels of hand.h on other CPU engines that compile them from source: POCL (OpenCL C, kernels.cl) and
// Mesa's lavapipe (GLSL, *.comp). Each is there if its headers were found when warpjit was built; a device of
// the machine is looked for when a kernel is made. Both use one host thread, unless the environment says
// otherwise (POCL_MAX_PTHREAD_COUNT, LP_NUM_THREADS).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace warpjit::bench {

struct PeerLaunch {
  std::string kernel;                              // its name in the sources
  std::array<std::uint32_t, 2> groups{}, group{};  // work groups; work items of one
  std::vector<std::span<std::uint32_t>> words;     // of its buffers, at the start; may be used as these
};

// A compiled kernel with its buffers.
class PeerKernel {
 public:
  virtual ~PeerKernel() = default;
  virtual void run() = 0;  // and waits for the end
  virtual std::vector<std::uint32_t> read(std::size_t buffer) = 0;
};

// Nothing, and why, if there is no such engine.
using MakePeer = std::unique_ptr<PeerKernel> (*)(const PeerLaunch& launch, std::string& why_not);
std::unique_ptr<PeerKernel> make_opencl(const PeerLaunch& launch, std::string& why_not);
std::unique_ptr<PeerKernel> make_vulkan(const PeerLaunch& launch, std::string& why_not);

}  // namespace warpjit::bench
