// From Tesla vertex, geometry and fragment programs to the thread form of the IR.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "frontend/pixels/facts.h"
#include "frontend/shader.h"
#include "frontend/tesla/facts/reach.h"
#include "frontend/tesla/translate/texture.h"
#include "frontend/tesla/translate/translate.h"
#include "ir/function.h"

namespace warpjit::tesla {

// Where c[] of graphics programs lies in the uniform table: of each space as much as the code may read. Words
// that the launch does not give are 0.
struct ConstantTable {
  std::array<std::uint32_t, kConstantSpaces> offset{};  // bytes
  std::array<std::uint32_t, kConstantSpaces> bytes{};   // multiples of 16; 0: not read
  std::uint32_t end = 0;                                // after the last, a multiple of 64
  ConstantTable() = default;
  // Branches through c[] may lead anywhere in the program.
  ConstantTable(const Program& program, const ReachedCode& code, std::uint32_t first);
  void fill(std::span<const std::span<const std::byte>> constants, std::span<std::uint32_t> table) const;
};

// `dispatch_all` and errors of all: as translate().
//
// A vertex program: inputs are the attributes, four words each, and after them one with the vertex's and the
// instance's ids; output n is slots 4n to 4n + 3. `inputs`: bit n is attribute n, bound.
inline constexpr std::uint32_t kIdInput = 16;
Result<ir::Function> translate_vertex(const Program& program, const ComputeFacts& facts,
                                      const ReachedCode& code, const ConstantTable& constants,
                                      const SampledTextures& textures, std::uint64_t inputs,
                                      std::span<const std::uint8_t> outputs, bool dispatch_all);

// A geometry program (frontend::StripFacts has its bindings).
Result<ir::Function> translate_geometry(const Program& program, const ComputeFacts& facts,
                                        const ReachedCode& code, const ConstantTable& constants,
                                        const SampledTextures& textures, const frontend::StripFacts& strips,
                                        bool dispatch_all);
frontend::StripOutput strip_output(const Program& program);

// A fragment program with its tests and blending.
Result<ir::Function> translate_fragment(const Program& program, const ComputeFacts& facts,
                                        const ReachedCode& code, const ConstantTable& constants,
                                        const SampledTextures& textures, const frontend::PixelFacts& pixels,
                                        bool dispatch_all);

}  // namespace warpjit::tesla
