#include "runtime/work/primitives.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpjit::runtime {
namespace {

// No counts of attributes overflow.
constexpr std::uint64_t kMaxVertices = std::uint64_t{1} << 40;

Error wrong(const LaunchData& launch, std::string message) {
  return {ErrorCode::bad_input, std::move(message), launch.shader->source_name()};
}

// Float uniforms that a variable primitive of `vertices` fills.
std::uint64_t variable_rows(const LaunchData::Primitives& p, std::uint64_t vertices) {
  const std::uint64_t full = std::min<std::uint64_t>(vertices, p.input.full_vertices);
  return 1 + full * p.attribute_count() + (vertices - full);
}

// Calls visit(first place in the list, vertices) for each primitive.
template <class Visit>
void each_listed(std::span<const std::uint32_t> list, Visit visit) {
  for (std::size_t at = 0; at < list.size(); at += 1 + list[at]) visit(at + 1, list[at]);
}

std::uint32_t most_listed(const LaunchData::Primitives& p) {
  std::uint32_t most = 0;
  each_listed(p.list, [&](std::size_t, std::uint32_t vertices) { most = std::max(most, vertices); });
  return most;
}

}  // namespace

Status check_primitive_list(std::span<const std::uint32_t> list) {
  for (std::size_t at = 0; at < list.size(); at += 1 + list[at])
    if (list[at] == 0 || list[at] > list.size() - at - 1)
      return Error{ErrorCode::bad_input, "a primitive of " + std::to_string(list[at]) + " vertices cannot be",
                   "primitive list, place " + std::to_string(at)};
  return {};
}

std::uint64_t primitive_count(const LaunchData::Primitives& p) {
  const std::uint64_t vertices = p.vertex->count;
  std::uint64_t primitives = 0;
  switch (p.input.mode) {
    case PrimitiveMode::point:
      return p.input.registers.empty() ? 0 : vertices * p.attribute_count() / p.input.registers.size();
    case PrimitiveMode::fixed:
      return p.input.vertices == 0 ? 0 : vertices / p.input.vertices;
    case PrimitiveMode::variable:
      each_listed(p.list, [&](std::size_t, std::uint32_t) { ++primitives; });
      break;
  }
  return primitives;
}

frontend::PrimitiveFacts primitive_facts(const LaunchData& launch) {
  const LaunchData::Primitives& p = *launch.primitives;
  frontend::PrimitiveFacts facts;
  facts.keeps_unit = !p.unit.empty();
  facts.enabled =
      p.triangles.vertices != nullptr || p.sink != nullptr || facts.keeps_unit ? p.input.outputs : 0;
  facts.max_triangles = p.input.max_triangles;
  if (!p.vertex) {
    facts.first_row = p.rows.first;
    facts.row_count = p.rows.count;
  }
  if (!p.vertex || p.input.mode == PrimitiveMode::point) return facts;
  if (p.input.mode == PrimitiveMode::fixed) {
    facts.first_row = p.input.first;
    facts.row_count = p.input.vertices * p.attribute_count();
  } else {
    // In steps, so that draws of different primitives share a kernel.
    const std::uint64_t rows = (variable_rows(p, most_listed(p)) + 15) / 16 * 16;
    facts.row_count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(rows, launch.shader->geometry_unit()->primitive_limits().uniform_rows));
  }
  return facts;
}

Status check_primitives(const LaunchData& launch) {
  const LaunchData::Primitives& p = *launch.primitives;
  const std::uint64_t uniform_rows = launch.shader->geometry_unit()->primitive_limits().uniform_rows;
  if (!p.vertex) {
    if (p.input.mode == PrimitiveMode::point) return {};  // or rows of uniforms
    return wrong(launch, std::string(name(p.input.mode)) + " primitives need a vertex stage");
  }
  if (p.vertex->count > kMaxVertices) return wrong(launch, "there are too many vertices");
  if (launch.bound_inputs != 0) return wrong(launch, "inputs are bound, but the vertex stage gives them");
  if (p.input.mode == PrimitiveMode::point) {
    if (p.input.registers.empty())
      return wrong(launch, "no input register takes an attribute: the program declares and reads none");
  } else if (p.input.mode == PrimitiveMode::fixed) {
    const std::uint64_t rows = std::uint64_t{p.input.vertices} * p.attribute_count();
    if (rows == 0 || p.input.first + rows > uniform_rows)
      return wrong(launch, std::to_string(p.input.vertices) + " vertices of " +
                               std::to_string(p.attribute_count()) + " attributes do not fit the uniforms");
  } else {
    if (variable_rows(p, most_listed(p)) > uniform_rows)
      return wrong(launch, "a primitive of " + std::to_string(most_listed(p)) +
                               " vertices does not fit the "
                               "uniforms");
    std::uint64_t highest = 0;
    each_listed(p.list, [&](std::size_t at, std::uint32_t vertices) {
      for (std::uint32_t k = 0; k < vertices; ++k) highest = std::max<std::uint64_t>(highest, p.list[at + k]);
    });
    if (!p.list.empty() && highest >= p.vertex->count)
      return wrong(launch, "vertex " + std::to_string(highest) + " of the primitive list does not exist");
  }
  return {};
}

std::vector<std::uint32_t> gather_primitives(const LaunchData::Primitives& p,
                                             const frontend::PrimitiveFacts& facts, const std::byte* vertices,
                                             std::span<const std::uint32_t> uniforms) {
  const std::size_t record = std::size_t{facts.row_count} * 4, attributes = p.attribute_count();
  std::vector<std::uint32_t> rows,
      file(uniforms.begin(), uniforms.begin() + static_cast<std::ptrdiff_t>(record));
  rows.reserve(static_cast<std::size_t>(primitive_count(p)) * record);
  each_listed(p.list, [&](std::size_t at, std::uint32_t count) {
    std::uint32_t* to = file.data();
    std::fill_n(to, 4, std::bit_cast<std::uint32_t>(static_cast<float>(count)));
    to += 4;
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::size_t copied = k < p.input.full_vertices ? attributes : 1;
      std::memcpy(to, vertices + p.list[at + k] * attributes * kRowBytes, copied * kRowBytes);
      to += copied * 4;
    }
    rows.insert(rows.end(), file.begin(), file.end());
  });
  return rows;
}

}  // namespace warpjit::runtime
