// Random valid compute and fragment programs, for differential tests and fuzzing. They end within kRandomFuel
// backward transfers of each thread with any data, and are free of races between workgroups and between
// warps: each thread writes only its own words of memory and of its workgroup's, others read the latter
// after a barrier or, in its own warp, without one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/valhall/container/program.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::valhall {

inline constexpr std::uint64_t kRandomFuel = 1 << 14;

struct RandomOptions {
  bool flow = true;         // ifs, loops, jumps, early ends
  bool memory = true;       // loads, stores and atomics of all kinds, and images; some are outside
  bool other_lanes = true;  // CLPER, WMASK
  bool barriers = true;     // in half of the programs
  bool textures = false;    // fragment programs sample
  unsigned size = 60;       // about how many instructions
};

struct RandomKernel {
  Program program;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::vector<std::uint32_t> uniforms, buffer;  // of buffer 0
  // Read only. Addresses that the program computes from it never come to the output.
  std::vector<std::uint32_t> input;
  std::uint64_t input_address = 0, output_address = 0;
  // 32 for each thread, then 16 that atomics add to.
  std::uint32_t output_words = 0;
  std::vector<ImageSource> images;  // of the output, a row a thread, and of the input
  std::vector<BufferSource> buffers{};
};

// Fragment programs. Each pixel of a target has kRandomPixelBytes of memory, in rows of kRandomPixelColumns
// pixels from the address on: those of row and column 0 first, as far as helpers reach. Behind them are
// counters, which atomics add to.
inline constexpr std::uint32_t kRandomPixelColumns = 96, kRandomPixelRows = 76, kRandomPixelBytes = 64;
inline constexpr std::uint32_t kRandomCounters = kRandomPixelColumns * kRandomPixelRows * kRandomPixelBytes,
                               kRandomCounterWords = 16;
inline constexpr std::uint64_t kRandomPixelAddress = 0x9'0010'0000;

inline constexpr unsigned kRandomTextures = 2;
struct RandomFragment {
  Program program;
  std::uint32_t slots = 0, targets = 0;         // words of a vertex; colour targets that may be written
  std::vector<std::uint32_t> uniforms, buffer;  // of buffer 0
  bool memory = false;                          // mapped at kRandomPixelAddress
  bool samples = false;             // textures 0 to kRandomTextures - 1, no cubes, and as many samplers
  std::vector<ImageSource> images;  // of it, a row a pixel
  std::vector<BufferSource> buffers{};
};

// The same seed and options give the same program on every host.
RandomFragment random_fragment(std::uint64_t seed, const RandomOptions& options = {});
RandomKernel random_kernel(std::uint64_t seed, const RandomOptions& options = {});

}  // namespace warpjit::valhall
