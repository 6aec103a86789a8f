// Runs a program on the registers of a quad in the engines that translate it, below the runtime.
#pragma once

#include <span>

#include "base/result.h"
#include "frontend/usse/container/program.h"
#include "frontend/usse/facts/checks.h"
#include "frontend/usse/interpret/quad.h"

namespace warpjit::usse {

enum class CompiledEngine : std::uint8_t { ir, ir_dispatched, v3, v4 };
inline constexpr CompiledEngine kCompiledEngines[] = {CompiledEngine::ir, CompiledEngine::ir_dispatched,
                                                      CompiledEngine::v3, CompiledEngine::v4};
const char* name(CompiledEngine engine);
bool runs_here(CompiledEngine engine);

// Words of sa that the primary program changes are copied back. Errors: those of translation, unsupported;
// out_of_fuel.
Status run_compiled(const Program& program, CompiledEngine engine, Quad& quad, std::span<std::uint32_t> sa,
                    std::uint64_t fuel = 1000);

}  // namespace warpjit::usse
