// Random Valhall kernels.
#include "engines/grid.h"
#include "frontend/valhall/assembly/disassemble.h"
#include "frontend/valhall/shader.h"
#include "random/reduce.h"
#include "random/valhall/random.h"

namespace warpjit::fuzz {
namespace {

struct ValhallKernels {
  static constexpr const char* kName = "valhall";
  static constexpr std::uint64_t kFuel = valhall::kRandomFuel;
  using Kernel = valhall::RandomKernel;
  struct Variation {
    unsigned host_threads;
  };

  // Atomics whose results programs use are on memory of a workgroup alone, so host threads do not matter.
  static Variation vary(std::uint64_t seed) { return {mix(seed) % 8 == 0 ? 2U : 1U}; }

  static Kernel make(std::uint64_t seed, const Options& options) {
    return valhall::random_kernel(
        seed, {.other_lanes = seed % 3 == 0, .barriers = seed % 2 == 0, .size = options.size});
  }

  static Result<std::shared_ptr<const valhall::Shader>> shader(const Kernel& kernel, const Variation&) {
    return std::make_shared<const valhall::Shader>(kernel.program);
  }
  // Lanes that a program computes, and barriers to which threads come one by one.
  static bool may_be_left(const Kernel&) { return true; }

  static Status bind(Launch& launch, Kernel& kernel, std::vector<std::uint32_t>& output) {
    WARPJIT_CHECK(launch.set_parameters(std::as_bytes(std::span(kernel.uniforms))));
    WARPJIT_CHECK(launch.set_images(kernel.images));
    WARPJIT_CHECK(launch.set_buffers(kernel.buffers));
    WARPJIT_CHECK(launch.bind_constants("c0", kernel.buffer.data(), kernel.buffer.size() * 4));
    // The first one has the shortest way in the code.
    const auto map_input = [&] {
      return launch.map_memory("mem", kernel.input_address, kernel.input.data(), kernel.input.size() * 4);
    };
    const auto map_output = [&] {
      return launch.map_memory("mem", kernel.output_address, output.data(), output.size() * 4);
    };
    const bool input_first = kernel.input_address < kernel.output_address;
    WARPJIT_CHECK(input_first ? map_input() : map_output());
    return input_first ? map_output() : map_input();
  }

  template <class Shows>
  static void reduce(Kernel& kernel, const Shows& shows) {
    constexpr std::uint64_t kNop[] = {0x0000c00000000000};
    random::replace_by_nops(kernel.program.code, kNop, shows);
  }

  static tool::LaunchFile launch_of(const Kernel& kernel, const Variation&) {
    tool::LaunchFile launch;
    launch.work = Work::grid;
    launch.program = std::make_shared<const valhall::Shader>(kernel.program);
    launch.grid.grid = kernel.grid;
    launch.grid.block = kernel.block;
    const auto uniforms = std::as_bytes(std::span(kernel.uniforms));
    launch.grid.parameters.assign(uniforms.begin(), uniforms.end());
    launch.grid.images = kernel.images;
    launch.grid.buffers = kernel.buffers;
    const auto add = [&](const char* space, bool constant, std::uint64_t address,
                         std::span<const std::uint32_t> words) {
      const auto bytes = std::as_bytes(words);
      launch.grid.memory.push_back({space, constant, address, {bytes.begin(), bytes.end()}});
    };
    add("c0", true, 0, kernel.buffer);
    add("mem", false, kernel.input_address, kernel.input);
    add("mem", false, kernel.output_address, std::vector<std::uint32_t>(kernel.output_words));
    tool::LaunchOutput output;
    output.format = {ComponentType::u32, 1};
    output.piece = 2;
    output.count = kernel.output_words;
    launch.outputs.push_back(std::move(output));
    return launch;
  }
};

}  // namespace

std::unique_ptr<Fuzzer> make_valhall_fuzzer(const Options& options) {
  return std::make_unique<GridFuzzer<ValhallKernels>>(options);
}

}  // namespace warpjit::fuzz
