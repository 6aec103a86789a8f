// What an emulator keeps of the console's graphics library as a game calls it: addresses in the guest's
// memory, and state in the numbers of the library's headers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace gxm {

// The guest's memory from kAddress on; 64-bit elements align it.
struct Memory {
  static constexpr std::uint32_t kAddress = 0x60000000;
  std::vector<std::uint64_t> words;
};

enum Stage : unsigned { kVertex, kFragment, kStages };

// sceGxmShaderPatcherCreateVertexProgram
struct VertexAttribute {
  std::uint16_t stream, offset;
  std::uint8_t format, components;
  std::uint16_t reg;
};
struct VertexStream {
  std::uint16_t stride, index_source;  // sources 2 and 3 are instances
};
struct VertexProgram {
  std::uint32_t gxp = 0;  // address
  std::vector<VertexAttribute> attributes;
  std::vector<VertexStream> streams;
};
// sceGxmShaderPatcherCreateFragmentProgram
struct FragmentProgram {
  std::uint32_t gxp = 0;
  std::optional<std::uint32_t> blend;  // a SceGxmBlendInfo
};

using Texture = std::array<std::uint32_t, 4>;  // a SceGxmTexture

constexpr std::uint32_t kLess = 0x00400000, kLessEqual = 0x00c00000, kAlways = 0x01c00000;
constexpr std::uint32_t kWriteDisabled = 0x00100000;
constexpr std::uint32_t kTriangles = 0, kPoints = 0x08000000, kStrip = 0x0c000000, kFan = 0x10000000;
constexpr std::uint32_t kIndices16 = 0, kIndices32 = 0x01000000;

// What sceGxmSet... leaves in a context.
struct Context {
  const VertexProgram* vertex_program = nullptr;
  const FragmentProgram* fragment_program = nullptr;
  std::array<std::uint32_t, 16> streams{};  // addresses
  std::array<std::uint32_t, kStages> default_uniforms{};
  std::array<std::array<std::uint32_t, 14>, kStages> uniform_buffers{};  // 0: none
  std::array<std::array<std::optional<Texture>, 16>, kStages> textures{};
  std::array<float, 6> viewport{};  // offset and scale of x, of y, of z
  std::uint32_t cull = 0;
  std::uint32_t depth_function = kLessEqual, depth_write = 0;
};

struct ColorSurface {
  std::uint32_t format = 0, type = 0, width = 0, height = 0, stride = 0, address = 0;
};

}  // namespace gxm
