// Lists of what happens in frames, without some of it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace warpjit::capture {

// `frame_ends`: before which numbers of the list frames end. Frames with nothing in them are no frames.
template <class Item>
void leave_out(std::vector<Item>& items, std::vector<std::size_t>& frame_ends,
               const std::vector<bool>& left_out) {
  std::vector<Item> left;
  std::vector<std::size_t> ends;
  auto end = frame_ends.begin();
  for (std::size_t n = 0; n < items.size(); ++n) {
    for (; end != frame_ends.end() && *end <= n; ++end)
      if (!left.empty() && (ends.empty() || ends.back() != left.size())) ends.push_back(left.size());
    if (!left_out[n]) left.push_back(std::move(items[n]));
  }
  items = std::move(left);
  frame_ends = std::move(ends);
}

}  // namespace warpjit::capture
