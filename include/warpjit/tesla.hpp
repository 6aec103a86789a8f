// NVIDIA Tesla (nv50; CUDA 1.x, sm_10 to sm_13): containers and modes of its compute kernels, and its
// graphics programs.
//
//   auto program = warpjit::tesla::load_cubin(bytes, {.entry = "saxpy"});
//   warpjit::Launch launch(*program);
//   launch.set_grid(256);                                      // x and y up to 65535, z is 1
//   launch.set_block(256);                                     // at most 512 threads
//   launch.set_parameters(parameters);                         // bytes at s[0x10]
//   launch.map_memory("g14", 0x10000, buffer, buffer_size);    // spaces g0 to g15, constants c0 to c15
//   auto report = engine.run(launch);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpjit/warpjit.hpp"

namespace warpjit::tesla {

// Modes of the chip that its driver sets, and two that no chip has.
struct Modes {
  bool saturated_nan_is_zero = false;  // G200 and later can; else a saturated NaN stays one
  bool zero_wins = false;              // 0 times anything is +0
  // What quadop's selects 4 to 7 give where they are no neighbours, which is outside
  // fragment programs: +inf, not 0.
  bool infinite_derivatives = false;
  bool fast_fmad = false;  // not of the chip: fmad rounds once, as an FMA
  // Not of the chip: special functions in few instructions. Relative errors are below 2^-22; those of sin(x)
  // and cos(x) absolute, below 2^-22 (1 + |x|). sin, cos and ex2 take what `pre` gives,
  // which the mode changes too.
  bool fast_sfu = false;
  std::uint32_t call_limit = 4096;  // of limited calls
  bool linked_samplers = false;     // LINKED_TSC: texture n is sampled with sampler n
  bool operator==(const Modes&) const = default;
};

// What the driver sets for graphics programs besides their code; registers of the 3D class, by the names of
// rnndb. A program takes the members of its stage, so that one state may serve all programs of a draw. Vertex
// arrays, viewport, targets and tests belong to the draw (warpjit/pixels.hpp). A slot is a word that a vertex
// has when it comes to the rasterizer; slots 0 to 3 are the position.
// Limits are checked when a program is loaded.
struct GraphicsState {
  // ---- Vertex programs
  // VP_ATTR_EN: a nibble for each of 16 attributes, x in its bit 0.
  // a[] holds the enabled words, packed in order.
  std::array<std::uint32_t, 2> attributes{};
  // VP_GP_BUILTIN_ATTR_EN. Bit 0: the vertex's id follows those words; bit 4: then the instance's id does.
  std::uint32_t builtin_attributes = 0;
  // VP_RESULT_MAP: entry n is the word of o[] that becomes slot n, or 0x40 for 0.0, 0x41 for 1.0. Before a
  // geometry program: the word that becomes word n of p[]. At most 64.
  std::vector<std::uint8_t> vertex_results{};
  bool geometry_enabled = false;  // GP_ENABLE

  // ---- Geometry programs
  std::vector<std::uint8_t> geometry_results{};  // GP_RESULT_MAP; 0x80: 0.0, 0x81: 1.0; at most 128
  std::uint32_t geometry_output = 3;    // GP_OUTPUT_PRIMITIVE_TYPE: 1 points, 2 line strip, 3 triangle strip
  std::uint32_t geometry_vertices = 1;  // GP_VERTEX_OUTPUT_COUNT of an invocation, 1 to 1024

  // ---- Fragment programs
  // FP_INTERPOLANT_CTRL. Bits 7:0: how many slots v[] has; 15:8: the first one; 23:16: how many of them are
  // interpolated, the others are flat; 27:24: which of x, y, depth and 1/w of the pixel come before them.
  std::uint32_t interpolants = 0x8000400;
  std::array<std::uint32_t, 4> noperspective{};  // NOPERSPECTIVE_BITMAP: bit n is slot n
  std::uint32_t fragment_control = 0;  // FP_CONTROL. Bit 0: a colour for each target; 8: exports depth
  std::uint32_t fragment_results = 4;  // FP_RESULT_COUNT: words; the last one is the depth if one is exported
  bool pixel_center_integer = false;   // PIXEL_CENTER_INTEGER: x and y of a pixel are integers, not halves
  std::uint32_t primitive_id_slot = 0;  // SEMANTIC_PRIM_ID: reads as the primitive's number; 0: none
  // VERTEX_TWO_SIDE_ENABLE: back-facing primitives take their colours from the back colours' slots.
  bool two_sided = false;
  bool point_sprites = false;  // POINT_SPRITE_ENABLE: points have coordinates in place of some slots
  // POINT_COORD_REPLACE_MAP: a nibble for each slot, 0 to 4: the slot itself, s, t, 0, 1.
  std::array<std::uint32_t, 16> point_coordinates{};
  bool point_upper_left = false;  // POINT_SPRITE_CTRL: t counts from the row with the smallest y

  // ---- Fragment programs and the program before them
  // SEMANTIC_COLOR. Bits 7:0: the first slot of front colours; 15:8: of back colours; 23:16: how many words
  // each; 24: the program that writes them clamps them to 0 ... 1.
  std::uint32_t color_slots = 0;

  bool operator==(const GraphicsState&) const = default;
};

// A text or ELF cubin, which may be hostile and is not kept. Errors: bad_input, naming the byte or line;
// resource_limit.
WARPJIT_API Result<warpjit::Program> load_cubin(std::span<const std::byte> bytes,
                                                const Selection& selection = {}, const Modes& modes = {});
// warpjit's assembly, which is also what it lists.
WARPJIT_API Result<warpjit::Program> load_assembly(std::string_view text, const Selection& selection = {},
                                                   const Modes& modes = {});
// Bare code words, which may hold several programs.
struct RawProgram {
  std::span<const std::uint32_t> code{};
  std::uint32_t entry = 0;         // byte of the code where threads begin, a multiple of 4
  std::uint32_t registers = 128;   // of a thread
  std::uint32_t shared_bytes = 0;  // launch header and parameters included
  std::uint32_t local_bytes = 0;   // of a thread
  std::string source_name = {};    // for messages
  Stage stage = Stage::compute;
  // The other stages read it. A vertex or geometry program without a result map gets one as its code is: word
  // n of o[] is slot n, up to the last word that is stored at a fixed place, at least 4. Without attributes,
  // the words of a[] are the components of the attributes, in order; a geometry program makes as many
  // vertices as it has `emit`, 1024 with loops.
  GraphicsState graphics = {};
};
WARPJIT_API Result<warpjit::Program> load_words(const RawProgram& raw, const Modes& modes = {});

// ---- Textures and samplers as the hardware has them: entries of eight words (docs/textures.md).
using Entry = std::array<std::uint32_t, 8>;
// Memory of the guest in which textures lie.
struct TextureMemory {
  std::uint64_t address = 0;  // guest address of its first byte
  const void* data = nullptr;
  std::size_t size = 0;  // bytes
  // G84 and later: word 7 says which levels programs see. Before, they see all, and it is not used.
  bool level_views = true;
};
// TIC. Errors name the field: bad_input; unsupported. Launch::set_texture checks the size of the memory.
WARPJIT_API Result<Texture> read_texture_entry(const Entry& entry, const TextureMemory& memory);
// TSC. `seamless_cubes`: TEX_MISC, a switch for all textures from G200 on. Maximum anisotropy is ignored.
WARPJIT_API Result<Sampler> read_sampler_entry(const Entry& entry, bool seamless_cubes = false);

}  // namespace warpjit::tesla
