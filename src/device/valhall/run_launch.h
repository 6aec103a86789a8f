// Runs the programs of jobs (docs/guests/valhall.md 9).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "device/valhall/job_launch.h"
#include "device/valhall/primitives.h"
#include "device/valhall/tile.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::valhall {

// Gives a launch what a job's grid has: extents, parameters, constants, memory, vertices and their results.
Status set_up(Launch& launch, const frontend::Grid& grid, Stage stage);

// Binds the textures and samplers of an environment that the launch's program uses. `copies` must outlive its
// runs. Errors: also a texture in the memory of a target.
using TextureCopies = std::vector<std::vector<std::byte>>;
Status bind_textures(Launch& launch, const Image& image, const Environment& environment,
                     const TargetMemory& memory, TextureCopies& copies);

// Gives it the images that its program names. Errors: also an image in the memory of a target.
Status bind_images(Launch& launch, const Image& image, const Environment& environment,
                   const TargetMemory& memory);

// A compute job. Errors: also those of Engine::run, and a program that writes its own descriptors.
Result<Report> run_compute(const Engine& engine, Image& image, const Job& job, const KeptPictures& kept,
                           const RunOptions& options);

// What a draw's vertex programs leave: slots as pixels.md has them, window positions first, then the words of
// the varyings, then the point's size if the program gives one.
struct ShadedVertices {
  std::uint32_t count = 0, instances = 0;  // vertices of an instance
  unsigned slots = 4, size_slot = 0;       // 0: none
  std::vector<std::uint32_t> words;        // of all vertices of an instance, then of the next one
  Primitives primitives;                   // by numbers below `count`
  Report position;
  std::optional<Report> varying;

  std::uint64_t bytes() const { return 4 * (words.size() + std::uint64_t{primitives.indices.size()}); }
};
// `most_bytes` of results and indices; more is an error (resource_limit). A draw without vertices has
// none, and runs nothing.
Result<ShadedVertices> shade_vertices(const Engine& engine, Image& image, const Job& job,
                                      bool first_provoking, const KeptPictures& kept,
                                      std::uint64_t most_bytes, const RunOptions& options);

}  // namespace warpjit::valhall
