// Vertices to triangles. Strips and fans go on from draw to draw until they are restarted.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

// Three vertices a triangle, in order or, if `indexed`, as `indices` number them.
struct PrimitiveTriangles {
  std::span<const Vertex> vertices;
  std::span<const std::uint32_t> indices;
  bool indexed = false;
  std::size_t count() const { return (indexed ? indices.size() : vertices.size()) / 3; }
};

class StateBytes;

class PrimitiveAssembly {
 public:
  void describe(StateBytes& bytes);
  void restart() { count_ = 0; }
  // The triangles that the draw's vertices complete; `order`, if there is one, numbers them. Valid until the next
  // call, and as long as the vertices.
  PrimitiveTriangles assemble(Topology topology, std::span<const Vertex> vertices,
                              std::span<const std::uint16_t> order);

 private:
  template <class Add>
  void add(std::uint32_t vertex, const Add& add_triangle);

  Topology topology_ = Topology::list;
  std::uint64_t count_ = 0;  // of vertices since the restart; lists: of the triangle that is not complete
  std::array<std::uint32_t, 2> held_{};  // numbers of the vertices that go on, in their order
  std::array<Vertex, 2> kept_{};         // these, between draws
  std::vector<std::uint32_t> indices_;
  std::vector<Vertex> joined_;  // vertices that were kept, then those of the draw
};

}  // namespace warpjit::pica200
