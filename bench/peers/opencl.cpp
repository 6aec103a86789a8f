#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "peer.h"

namespace warpjit::bench {
namespace {

struct Device {
  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
  cl::Program program;

  // Throws cl::Error.
  static Device& get() {
    static Device one = [] {
      setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
      Device made;
      std::vector<cl::Platform> platforms;
      cl::Platform::get(&platforms);
      for (const cl::Platform& platform : platforms) {
        std::vector<cl::Device> devices;
        if (platform.getInfo<CL_PLATFORM_NAME>() != "Portable Computing Language") continue;
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        if (!devices.empty()) made.device = devices[0];
      }
      if (made.device() == nullptr) throw cl::Error(CL_DEVICE_NOT_FOUND, "POCL");
      made.context = cl::Context(made.device);
      made.queue = cl::CommandQueue(made.context, made.device);
      std::stringstream text;
      text << std::ifstream(WARPJIT_PEERS "kernels.cl").rdbuf();
      made.program = cl::Program(made.context, text.str());
      made.program.build({made.device}, "-cl-fast-relaxed-math");
      return made;
    }();
    return one;
  }
};

class OpenClKernel final : public PeerKernel {
 public:
  explicit OpenClKernel(const PeerLaunch& launch)
      : device_(Device::get()),
        kernel_(device_.program, launch.kernel.c_str()),
        all_(launch.groups[0] * launch.group[0], launch.groups[1] * launch.group[1]),
        group_(launch.group[0], launch.group[1]) {
    for (const std::span<std::uint32_t> words : launch.words) {
      buffers_.emplace_back(device_.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, words.size_bytes(),
                            words.data());
      kernel_.setArg(static_cast<cl_uint>(buffers_.size() - 1), buffers_.back());
    }
  }
  void run() override {
    device_.queue.enqueueNDRangeKernel(kernel_, cl::NullRange, all_, group_);
    device_.queue.finish();
  }
  std::vector<std::uint32_t> read(std::size_t buffer) override {
    const std::size_t bytes = buffers_[buffer].getInfo<CL_MEM_SIZE>();
    std::vector<std::uint32_t> words(bytes / 4);
    device_.queue.enqueueReadBuffer(buffers_[buffer], CL_TRUE, 0, bytes, words.data());
    return words;
  }

 private:
  Device& device_;
  cl::Kernel kernel_;
  cl::NDRange all_, group_;
  std::vector<cl::Buffer> buffers_;
};

}  // namespace

std::unique_ptr<PeerKernel> make_opencl(const PeerLaunch& launch, std::string& why_not) {
  try {
    return std::make_unique<OpenClKernel>(launch);
  } catch (const cl::Error& error) {
    why_not = std::string("OpenCL: ") + error.what() + ", error " + std::to_string(error.err());
    return nullptr;
  }
}

}  // namespace warpjit::bench
