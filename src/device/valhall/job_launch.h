// Launches of the programs that jobs name (docs/guests/valhall.md 9).
#pragma once

#include "frontend/grid.h"
#include "frontend/valhall/container/descriptor_copies.h"
#include "frontend/valhall/container/job.h"

namespace warpjit::valhall {

struct JobLaunch {
  Program program;
  // Its memory and constants are the image's.
  frontend::Grid grid;
  // For indexed vertices: results begin with those of this index.
  std::uint32_t first_index = 0;
  // What was read as descriptors, uniforms and code. The program may not change it (DescriptorCopies).
  std::vector<DescriptorRange> descriptors{};
};

enum class VertexProgram : std::uint8_t { position, varying };

// The image must outlive the launch, whose stores change it. Grid::globals of a vertex launch's results are
// left empty: the caller gives room for count * instances packets. Errors name the descriptor: bad_input for
// jobs of other kinds and for what is outside of the image, resource_limit, unsupported.
Result<JobLaunch> compute_launch(Image& image, const Job& job);
Result<JobLaunch> vertex_launch(Image& image, const Job& job, VertexProgram program);

// The launch of the fragment program of a draw, whose environment this is: no extents,
// textures or FragmentSetup.
Result<JobLaunch> fragment_launch(Image& image, const Job& job, const Environment& environment);

// The words from the lowest to the highest that control can reach from the program's code address on, as far
// as the image has them. Errors: also more than kMaxCodeWords (resource_limit).
Result<Program> read_code(const Image& image, const Environment& environment);

}  // namespace warpjit::valhall
