#include "runtime/index_list.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace warpjit::runtime {

template <class Index>
void IndexList::build(std::span<const Index> indices) {
  if (!used_) {
    used_ = std::make_unique<std::uint8_t[]>(kRange);
    place_ = std::make_unique<std::uint16_t[]>(kRange);
  }
  std::uint8_t* const used = used_.get();
  std::uint32_t first = ~0u, last = 0;
  for (const std::uint32_t index : indices) {
    used[index] = 1;
    first = std::min(first, index);
    last = std::max(last, index);
  }
  first_ = first;
  last_ = last;
  count_ = std::accumulate(used + first, used + last + 1, 0u);
  places_.resize(indices.size());
  if (dense()) {
    for (std::size_t k = 0; k < indices.size(); ++k)
      places_[k] = static_cast<std::uint16_t>(indices[k] - first);
  } else {
    // Every index is written to the end of the list, and stays if it occurs.
    numbers_.resize(count_ + kSpare);
    std::uint32_t end = 0;
    for (std::uint32_t index = first; index <= last; ++index) {
      numbers_[end] = index;
      place_[index] = static_cast<std::uint16_t>(end);
      end += used[index];
    }
    std::fill(numbers_.begin() + count_, numbers_.end(), last);
    for (std::size_t k = 0; k < indices.size(); ++k) places_[k] = place_[indices[k]];
  }
  std::memset(used + first, 0, last - first + 1);
}

template void IndexList::build(std::span<const std::uint8_t>);
template void IndexList::build(std::span<const std::uint16_t>);

}  // namespace warpjit::runtime
