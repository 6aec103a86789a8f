// What launches of compute and vertex programs are, and where a thread finds its values
// (docs/guests/valhall.md 8).
#pragma once

#include <cstdint>
#include <span>

#include "frontend/grid.h"
#include "frontend/valhall/container/image.h"
#include "frontend/valhall/container/program.h"

namespace warpjit::valhall {

// Accesses to other high words name this space, which is empty.
inline constexpr std::uint8_t kNoWindow = 15;
// A handle that names no buffer is the address of a load from this space, which is empty.
inline constexpr std::uint8_t kBufferSpace = 14;
// What names a texture or a sampler that there is not names this space, which is empty as well; the address
// is the word that names it.
inline constexpr std::uint8_t kTextureSpace = 13;
// Constant spaces: buffers of table 0, and the words of the launch that sources name as uniforms,
// which are Grid::parameters.
inline constexpr std::uint32_t kMaxBuffers = 15;
inline constexpr std::uint8_t kUniformSpace = 15;
// Loads of attributes that there are not name this space, and the attribute as their address.
inline constexpr std::uint8_t kAttributeSpace = 14;
inline constexpr std::uint32_t kMaxPacketStride = 2048;
inline constexpr std::uint32_t kMaxUniformWords = 256;
inline constexpr std::uint32_t kMaxBlockThreads = 1024;
inline constexpr std::size_t kMaxAttributes = 16, kMaxImages = 16;
inline constexpr std::size_t kMaxBufferSources = 64;  // of Grid::buffers
inline constexpr std::uint32_t kImageTable = 5;

// What programs name a buffer by: the table in the top byte, the entry in the others.
inline constexpr std::uint32_t kMaxBufferEntry = 0xffffff;
constexpr std::uint32_t buffer_handle(const frontend::BufferSource& buffer) {
  return std::uint32_t{buffer.table} << 24 | buffer.entry;
}
// True if the handle is a constant space; `bytes`: the size of each space.
constexpr bool is_constant_buffer(std::uint32_t handle, const auto& bytes) {
  return handle < kMaxBuffers && bytes[handle] != 0;
}

// The high words of a thread's own memory, of its workgroup's, and of the results of vertices, which all
// begin at the low word 0: the greatest three below 2^16 that the launch does not map.
struct PrivateWindows {
  std::uint32_t local = 0, shared = 0, results = 0;
};
// The memory of these results is Grid::globals of that number. What vertex `v` of the launch stores lies at
// byte v * packet_stride; LEA_BUF_IMM gives the address of record (v * 8 + n) as that + 16 n.
inline constexpr std::uint8_t kResultSpace = frontend::Vertices::kResultSpace;
static_assert(kResultSpace == kMaxWindows);
PrivateWindows private_windows(std::span<const std::uint32_t> high_words);

// Errors: bad_input.
Result<frontend::CheckedGrid> check_launch(const Program& program, const frontend::Grid& launch);

}  // namespace warpjit::valhall
