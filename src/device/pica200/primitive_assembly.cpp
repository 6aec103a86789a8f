#include "device/pica200/primitive_assembly.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpjit::pica200 {

template <class Add>
void PrimitiveAssembly::add(std::uint32_t vertex, const Add& add_triangle) {
  const std::uint64_t number = count_++;
  if (number < 2) {
    held_[number] = vertex;
    return;
  }
  std::array<std::uint32_t, 3> triangle = {held_[0], held_[1], vertex};
  if (topology_ == Topology::strip) {
    if (number % 2 != 0) std::swap(triangle[0], triangle[1]);
    held_ = {held_[1], vertex};
  } else if (topology_ == Topology::fan) {
    held_[1] = vertex;
  } else {
    count_ = 0;
  }
  add_triangle(triangle);
}

PrimitiveTriangles PrimitiveAssembly::assemble(Topology topology, std::span<const Vertex> vertices,
                                               std::span<const std::uint16_t> order) {
  if (topology != topology_) restart();
  topology_ = topology;
  const bool is_list = topology != Topology::strip && topology != Topology::fan;
  if (is_list && count_ == 0 && order.empty() && vertices.size() % 3 == 0) return {vertices, {}, false};
  const std::size_t kept = static_cast<std::size_t>(std::min<std::uint64_t>(count_, 2));
  if (kept != 0) {
    joined_.assign(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(kept));
    joined_.insert(joined_.end(), vertices.begin(), vertices.end());
    vertices = joined_;
    for (std::size_t n = 0; n < kept; ++n) held_[n] = static_cast<std::uint32_t>(n);
  }
  indices_.clear();
  const auto first = static_cast<std::uint32_t>(kept);
  const auto add_triangle = [&](const std::array<std::uint32_t, 3>& triangle) {
    indices_.insert(indices_.end(), triangle.begin(), triangle.end());
  };
  if (order.empty())
    for (std::uint32_t n = first; n < vertices.size(); ++n) add(n, add_triangle);
  else
    for (const std::uint16_t n : order) add(first + n, add_triangle);
  for (std::size_t n = 0; n < std::min<std::uint64_t>(count_, 2); ++n) kept_[n] = vertices[held_[n]];
  return {vertices, indices_, true};
}

}  // namespace warpjit::pica200
