#include "frontend/flow/graph.h"

#include <algorithm>

namespace warpjit::flow {

// Tarjan's algorithm with an explicit stack.
std::vector<std::uint32_t> components(const Successors& successors) {
  constexpr std::uint32_t kNone = ~0u;
  const std::size_t count = successors.size();
  std::vector<std::uint32_t> index(count, kNone), low(count, 0), component(count, kNone), open;
  struct Frame {
    std::uint32_t node, next;
  };
  std::vector<Frame> stack;
  std::uint32_t counter = 0, found = 0;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (index[root] != kNone) continue;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      auto [node, next] = stack.back();
      if (next == 0) {
        index[node] = low[node] = counter++;
        open.push_back(node);
      }
      if (next < successors[node].size()) {
        ++stack.back().next;
        std::uint32_t s = successors[node][next];
        if (index[s] == kNone)
          stack.push_back({s, 0});
        else if (component[s] == kNone)
          low[node] = std::min(low[node], index[s]);
        continue;
      }
      if (low[node] == index[node]) {
        std::uint32_t member;
        do {
          member = open.back();
          open.pop_back();
          component[member] = found;
        } while (member != node);
        ++found;
      }
      stack.pop_back();
      if (!stack.empty()) low[stack.back().node] = std::min(low[stack.back().node], low[node]);
    }
  }
  return component;
}

std::vector<std::uint32_t> reverse_post_order(const Successors& successors) {
  std::vector<char> seen(successors.size(), 0);
  std::vector<std::uint32_t> order;
  struct Frame {
    std::uint32_t node, next;
  };
  std::vector<Frame> stack = {{0, 0}};
  seen[0] = 1;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const auto& next = successors[frame.node];
    if (frame.next == next.size()) {
      order.push_back(frame.node);
      stack.pop_back();
      continue;
    }
    // Successors from the last on, so that the first one comes next in the order.
    std::uint32_t s = next[next.size() - 1 - frame.next++];
    if (!seen[s]) {
      seen[s] = 1;
      stack.push_back({s, 0});
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace warpjit::flow
