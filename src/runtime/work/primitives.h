// How the vertices of a geometry launch become invocations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/work/launch.h"

namespace warpjit::runtime {

// The list consists of whole primitives of at least one vertex each. Errors: bad_input.
Status check_primitive_list(std::span<const std::uint32_t> list);
// Primitives that the vertex stage's vertices make.
std::uint64_t primitive_count(const LaunchData::Primitives& primitives);
frontend::PrimitiveFacts primitive_facts(const LaunchData& launch);
// Checks of the launch as a whole: vertices fit the registers, listed vertices exist.
Status check_primitives(const LaunchData& launch);

// The float uniforms of every invocation in variable mode, row_count rows each. `vertices` holds the
// attributes of all vertices; `uniforms` the launch's registers, PrimitiveLimits::uniform_rows of them.
std::vector<std::uint32_t> gather_primitives(const LaunchData::Primitives& primitives,
                                             const frontend::PrimitiveFacts& facts, const std::byte* vertices,
                                             std::span<const std::uint32_t> uniforms);

}  // namespace warpjit::runtime
