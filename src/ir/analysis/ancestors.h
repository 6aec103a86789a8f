// Ways up a tree in logarithmic time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpjit::ir {

// A tree that grows from its root. Each node knows its parent and one ancestor farther up, chosen so that a
// climb that takes the farther one whenever it may needs a logarithmic number of steps (Myers 1983).
class AncestorTree {
 public:
  AncestorTree(std::size_t nodes, std::uint32_t root) : nodes_(nodes, {root, root, 0}) {}

  // `parent` was added before.
  void add(std::uint32_t node, std::uint32_t parent) {
    const Node& above = nodes_[parent];
    const Node& far = nodes_[above.far];
    const bool equal = above.depth - far.depth == far.depth - nodes_[far.far].depth;
    nodes_[node] = {parent, equal ? far.far : parent, above.depth + 1};
  }
  std::uint32_t nearest_common(std::uint32_t a, std::uint32_t b) const {
    if (nodes_[a].depth < nodes_[b].depth) std::swap(a, b);
    const std::uint32_t depth = nodes_[b].depth;
    while (nodes_[a].depth > depth)
      a = nodes_[nodes_[a].far].depth >= depth ? nodes_[a].far : nodes_[a].parent;
    while (a != b) {
      const bool far = nodes_[a].far != nodes_[b].far;
      a = far ? nodes_[a].far : nodes_[a].parent;
      b = far ? nodes_[b].far : nodes_[b].parent;
    }
    return a;
  }
  // The last ancestor on the way up from `node` for which holds(ancestor) is true. It is true for `node`, and
  // from the first ancestor on for which it is false, it stays so up to the root.
  template <class Holds>
  std::uint32_t last(std::uint32_t node, const Holds& holds) const {
    for (;;) {
      if (holds(nodes_[node].far) && nodes_[node].far != node)
        node = nodes_[node].far;
      else if (holds(nodes_[node].parent) && nodes_[node].parent != node)
        node = nodes_[node].parent;
      else
        return node;
    }
  }

 private:
  struct Node {
    std::uint32_t parent, far, depth;
  };
  std::vector<Node> nodes_;
};

}  // namespace warpjit::ir
