// A launch file to fill in, for a program that someone just has. It runs as it is.
#pragma once

#include <cstdint>
#include <vector>

#include "program.h"

namespace warpjit::tool {

// Programs over threads get `count` rows (0: a few) of each input and the values of all uniforms; a kernel
// gets a block of `count` threads, with parameters, constants and pieces of memory where the code reads or
// writes them. Errors: as translation, for code that cannot be decoded.
Result<Json> launch_template(const GivenProgram& given, std::uint32_t count);

// What to fill in, for people.
const char* template_advice(const GivenProgram& given);

// The most general facts of a program over rows: every input that the code reads is bound, no boolean is
// known, the outputs are those that it declares, else all of a vertex.
frontend::Facts general_facts(const frontend::Shader& shader);
// What the textures and samplers of a template are, for a program that has no launch of its own, in the order
// of its texture_uses().
Result<std::vector<ir::SampleKey>> template_samples(const GivenProgram& given);

}  // namespace warpjit::tool
