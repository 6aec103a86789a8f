// Launches of random vertex and geometry programs, which are stages before a random fragment program. For
// tests and fuzzing, beside the runtime.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "frontend/tesla/shader.h"
#include "random/tesla/random.h"
#include "random/textures.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tesla {

// A launch of the program with its constants and, if it samples, random textures.
template <class RandomProgram>
Result<warpjit::Launch> random_stage(RandomProgram made, Random& random) {
  WARPJIT_TRY(const auto shader, Shader::make(std::move(made.program)));
  warpjit::Launch stage{warpjit::Program(shader)};
  WARPJIT_CHECK(stage.bind_constants("c0", made.c0.data(), made.c0.size() * 4));
  if (made.samples) WARPJIT_CHECK(random::set_textures(stage, random, kRandomTextures, kRandomSamplers));
  stage.set_fuel(kRandomFuel);
  return stage;
}

// Its vertices are those of the fragment program, or of the geometry program before that:
// rows of `slots` words.
inline Result<warpjit::Launch> random_vertex_stage(std::uint64_t seed,
                                                   std::span<const std::uint32_t> vertices,
                                                   std::uint32_t slots, bool before_geometry,
                                                   const RandomOptions& options, Random& random) {
  WARPJIT_TRY(warpjit::Launch stage,
              random_stage(random_vertex(seed, slots, before_geometry, options), random));
  for (std::uint32_t k = 0; k < 4 && 4 * k + 4 <= slots; ++k) {
    const std::span<const std::uint32_t> rows = vertices.subspan(std::size_t{4} * k);
    WARPJIT_CHECK(
        stage.bind_input("a" + std::to_string(k),
                         {rows.data(), rows.size_bytes(), slots * std::size_t{4}, {ComponentType::f32, 4}}));
  }
  WARPJIT_CHECK(stage.set_count(vertices.size() / slots));
  return stage;
}

// Reads and makes vertices of `slots` words.
inline Result<warpjit::Launch> random_geometry_stage(std::uint64_t seed, Topology topology,
                                                     std::uint32_t slots, const RandomOptions& options,
                                                     Random& random) {
  constexpr std::uint32_t kVertices[] = {1, 2, 2, 3, 3, 3};
  return random_stage(
      random_geometry(seed, kVertices[static_cast<unsigned>(topology)], slots, slots, options), random);
}

}  // namespace warpjit::tesla
