// Runs fragment programs, for tests of draws.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <map>
#include <vector>

#include "frontend/interpret/pixels.h"
#include "frontend/valhall/flow/varying_uses.h"
#include "valhall/run_program.h"

namespace warpjit::valhall {

inline std::uint32_t bits_of(float number) { return std::bit_cast<std::uint32_t>(number); }

inline RasterState window_raster() {
  RasterState state;
  state.window_positions = true;
  return state;
}
inline OutputState output_of(std::initializer_list<PixelFormat> colors) {
  OutputState state;
  std::ranges::copy(colors, state.colors.begin());
  return state;
}

// A draw of one triangle over all of a small target, unless it says other.
struct FragmentOptions {
  std::uint32_t width = 4, height = 4;
  RasterState raster = window_raster();
  OutputState output = output_of({PixelFormat::rgba32ui});
  // Slots of the vertices, row by row: x, y, z, 1/w and words of varyings. Empty: corners far enough outside,
  // z = 1/4, 1/w = 1, and the words of `varyings`; if these are empty, x and y of the window.
  std::vector<std::vector<std::uint32_t>> vertices{};
  std::array<std::vector<std::uint32_t>, 3> varyings{};
  std::uint32_t background = 0;  // every word of colours
  std::uint32_t depth = 0;       // of the depth target, if there is one
  std::vector<std::uint32_t> memory = std::vector<std::uint32_t>(64), uniforms{};
  std::vector<BufferSource> buffers{};
  std::uint32_t local_bytes = 0;
  std::map<unsigned, Texture> textures{};  // by slots
  std::map<unsigned, Sampler> samplers{};
  FragmentSetup setup{};
  FloatMode mode{};
  std::uint64_t fuel = kDefaultFuel;
  bool counted = false;
  bool compiled = false;     // every engine must compile it
  bool guest_alone = false;  // no other engine runs it
};

struct FinishedFragments {
  Status status;
  RunReport report;
  std::uint32_t width = 0;
  std::array<std::vector<std::uint32_t>, kMaxColorTargets> colors;  // words, row 0 first
  std::vector<std::uint32_t> depth, memory, instructions;

  // A word of a pixel of target 0, if it has four.
  std::uint32_t word(std::uint32_t x, std::uint32_t y, unsigned component = 0) const {
    return colors[0].at(4 * (std::size_t{y} * width + x) + component);
  }
  float number(std::uint32_t x, std::uint32_t y, unsigned component = 0) const {
    return std::bit_cast<float>(word(x, y, component));
  }
};

// Ends with r0 to r3 as the colour of target 0.
inline const std::string kEmit =
    "BLEND.slot0.v4.u32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n";

// The guest interpreter, whose results these are. An engine that runs compiled code or IR and differs fails
// the test; `compiled`: so does one that cannot.
FinishedFragments run_fragments(const Program& program, const FragmentOptions& options = {});
// Runs so far that another engine left to the guest interpreter.
std::size_t fragment_runs_left();

inline FinishedFragments run_fragments(const std::string& source, const FragmentOptions& options = {}) {
  auto program = assemble(".stage fragment\n" + source, "test");
  if (!program) {
    ADD_FAILURE() << to_string(program.error());
    FinishedFragments failed;
    failed.status = program.error();
    return failed;
  }
  program->fragment = options.setup;
  program->mode = options.mode;
  program->local_bytes = options.local_bytes;
  return run_fragments(*program, options);
}

// A body with kEmit that must run without error and fault.
inline FinishedFragments pixels_of(const std::string& body, const FragmentOptions& options = {}) {
  FinishedFragments finished = run_fragments(body + kEmit, options);
  EXPECT_TRUE(finished.status.ok()) << body << (finished.status ? "" : to_string(finished.status.error()));
  EXPECT_FALSE(finished.report.first_fault) << body;
  return finished;
}

}  // namespace warpjit::valhall
