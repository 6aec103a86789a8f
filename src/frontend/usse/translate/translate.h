// From USSE programs to the thread form of the IR. The secondary program comes first, on what is the same for
// the whole launch, so that it moves to the preamble; the primary program follows. Guest addresses are words
// of the primary program, then those of the secondary one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "frontend/pixels/facts.h"
#include "frontend/shader.h"
#include "frontend/textures/facts.h"
#include "frontend/usse/container/program.h"
#include "ir/function.h"

namespace warpjit::usse {

// The uniform table: of fragment programs the words of pixels, then sa as it is before the secondary program,
// then words of samples.
struct UniformTable {
  std::uint32_t first = 0;  // byte
  std::uint32_t words = 0;  // of sa
  std::uint32_t samples = 0;
  std::uint32_t sa(std::uint32_t number) const { return first + 4 * number; }
  frontend::SampleTable sample_table() const { return {(sa(words) + 15) / 16 * 16, samples}; }
  std::uint32_t bytes() const { return samples == 0 ? (sa(words) + 15) / 16 * 16 : sample_table().end(); }
};
UniformTable uniform_table(const Program& program, std::size_t samples);
// The uses of the units that inputs or instructions sample, each once, ascending: texture and sampler have
// the unit's number.
std::vector<frontend::TextureUse> texture_uses(const Program& program);
// True if lanes of a quad see each other.
bool reads_quads(const Program& program);

inline constexpr std::uint32_t kVertexRows = 16, kNumbersInput = 16;
// A vertex program. Input n is pa[4n] to pa[4n + 3] for n below 16, input 16 has the numbers of vertex and
// instance; output n is slots 4n to 4n + 3 (flow/slots.h). `inputs`: bit n is input n, bound. Errors:
// unsupported, with the address, for what only the guest interpreter can run.
Result<ir::Function> translate_vertex(const Program& program, std::uint64_t inputs,
                                      std::span<const std::uint8_t> outputs,
                                      std::span<const ir::SampleKey> samples);

// A fragment program with its tests and blending. Errors: the same.
Result<ir::Function> translate_fragment(const Program& program, const frontend::PixelFacts& pixels,
                                        std::span<const ir::SampleKey> samples);

}  // namespace warpjit::usse
