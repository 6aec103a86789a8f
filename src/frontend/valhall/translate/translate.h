// From Valhall programs to the thread form of the IR. Groups of compute and vertex programs are warps of 16
// threads, those of fragment programs are quads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/pixels/facts.h"
#include "frontend/shader.h"
#include "frontend/textures/facts.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/flow/control_flow.h"
#include "frontend/valhall/translate/attributes.h"
#include "frontend/valhall/translate/buffers.h"
#include "frontend/valhall/translate/images.h"
#include "ir/function.h"

namespace warpjit::valhall {

// What is fixed for one translation. Everything here is part of the code cache's key.
struct LaunchFacts {
  std::array<std::uint32_t, 3> block{1, 1, 1};            // threads of a workgroup
  std::uint32_t shared_bytes = 0;                         // of its memory
  bool offset_blocks = false;                             // numbers of workgroups do not begin with 0
  std::uint32_t uniform_words = 0;                        // that the launch gives
  std::vector<std::uint32_t> high_words{};                // of its windows
  std::array<std::uint32_t, kMaxBuffers> buffer_bytes{};  // of those that are constants
  std::vector<BufferFacts> buffers{};                     // that the program may mean, by their handles
  // For vertex programs.
  std::uint32_t packet_stride = 0;
  std::vector<AttributeFacts> attributes{};
  std::vector<ImageFacts> images{};                   // if the program names any
  std::vector<ir::SampleKey> samples{};               // as frontend::Facts has them
  std::vector<frontend::TextureUse> computed_uses{};  // as there
  std::vector<std::uint8_t> equal_samplers{};         // as there
  bool half_arithmetic = false;                       // of the host: both halves of a register at once

  std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
  bool has_constant_buffer(std::uint32_t handle) const { return is_constant_buffer(handle, buffer_bytes); }
};

// The uniform table: the words that sources of the program name as uniforms, up to the last one, those of
// LaunchWord, for each attribute up to the last one that the program names those of AttributeWord, for each
// image up to the last one that it names those of ImageWord, for each buffer of LaunchFacts those of
// BufferWord, and the words of its samples.
enum class LaunchWord : std::uint32_t {
  grid_x,
  grid_y,
  first_x,
  first_y,
  first_z,
  vertices,
  first_vertex,
  first_instance,
  attribute_offset,
  framebuffer_size,  // the width, and the height in the upper half
};
inline constexpr std::uint32_t kLaunchWords = 10;
struct UniformTable {
  std::uint32_t first = 0;  // byte: of fragment programs, other words come before
  std::uint32_t words = 0;  // of the program
  std::uint32_t attributes = 0;
  std::uint32_t images = 0;
  std::uint32_t buffers = 0;
  std::uint32_t samples = 0;
  std::uint32_t uniform(std::uint32_t number) const { return first + 4 * number; }
  std::uint32_t place(LaunchWord word) const { return uniform(words + static_cast<std::uint32_t>(word)); }
  std::uint32_t attribute_place() const { return uniform(words + kLaunchWords); }
  std::uint32_t image_place() const { return attribute_place() + 4 * kAttributeWords * attributes; }
  std::uint32_t buffer_place() const { return image_place() + 4 * kImageWords * images; }
  frontend::SampleTable sample_table() const {
    return {(buffer_place() + 4 * kBufferWords * buffers + 15) / 16 * 16, samples};
  }
  std::uint32_t bytes() const { return sample_table().words(samples); }
};
// `samples`: how many textures with their samplers the code samples; `buffers`: what buffer_uses() say.
UniformTable uniform_table(const Program& program, const ReachedCode& code, std::size_t samples,
                           std::uint32_t buffers);

// Guest addresses in the IR are byte addresses from the program's first word. Errors: unsupported, with the
// address, for what only the guest interpreter can run.
Result<ir::Function> translate(const Program& program, const ReachedCode& code, const LaunchFacts& facts);

Result<ir::Function> translate_fragment(const Program& program, const ReachedCode& code,
                                        const LaunchFacts& facts, const frontend::PixelFacts& pixels);

// What a translation depends on besides the facts: the reachable code, and what the program says of it.
std::vector<std::byte> code_key(const Program& program, const ReachedCode& code);

}  // namespace warpjit::valhall
