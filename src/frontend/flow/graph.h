// Graphs of blocks, as lists of the successors of each.
#pragma once

#include <cstdint>
#include <vector>

namespace warpjit::flow {

using Successors = std::vector<std::vector<std::uint32_t>>;

// Strongly connected components: the component number of each node. Two nodes lie on a common cycle if and
// only if their numbers are equal (a node alone: if it has a self edge).
std::vector<std::uint32_t> components(const Successors& successors);
// Nodes reachable from node 0, in reverse post-order.
std::vector<std::uint32_t> reverse_post_order(const Successors& successors);
// The targets of each block's edges, but of those where threads end.
template <class Block>
Successors successors_of(const std::vector<Block>& blocks, std::uint32_t ends) {
  Successors result(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (unsigned k = 0; k < blocks[b].edge_count; ++k)
      if (const std::uint32_t target = blocks[b].edges[k].target; target != ends) result[b].push_back(target);
  return result;
}

// Only transfers that can be part of a cycle take fuel: no other edge of the blocks stays `backward`.
template <class Block>
void keep_backward_in_cycles(std::vector<Block>& blocks, const Successors& successors) {
  const std::vector<std::uint32_t> component = components(successors);
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (unsigned k = 0; k < blocks[b].edge_count; ++k) {
      auto& edge = blocks[b].edges[k];
      edge.backward = edge.backward && component[edge.target] == component[b];
    }
}

}  // namespace warpjit::flow
