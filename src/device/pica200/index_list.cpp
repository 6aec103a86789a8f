#include "device/pica200/index_list.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/vector.h"

namespace warpjit::pica200 {
namespace {

// As many indices as one 64-bit load holds; loads and stores of single ones would bound these loops.
template <class Index>
constexpr std::size_t kPack = sizeof(std::uint64_t) / sizeof(Index);
template <class Index>
std::uint64_t load_pack(const Index* indices) {
  std::uint64_t pack;
  std::memcpy(&pack, indices, sizeof pack);
  return pack;
}
template <class Index, class Function>
void for_each_index(std::span<const Index> indices, Function function) {
  std::size_t k = 0;
  for (; k + kPack<Index> <= indices.size(); k += kPack<Index>) {
    std::uint64_t pack = load_pack(indices.data() + k);
    for (std::size_t n = 0; n < kPack<Index>; ++n, pack >>= 8 * sizeof(Index) % 64)
      function(k + n, static_cast<Index>(pack));
  }
  for (; k < indices.size(); ++k) function(k, indices[k]);
}

// Byte k: the sum of bytes 0 to k, none of which carries.
std::uint64_t byte_sums(std::uint64_t pack) { return pack * 0x0101010101010101u; }

}  // namespace

template <class Index>
void IndexList::build(std::span<const Index> indices) {
  if (!used_) {
    used_ = std::make_unique<std::uint8_t[]>(kRange + kSlack);
    remap_ = std::make_unique<std::uint16_t[]>(kRange + kSlack);
  }
  std::uint8_t* const used = used_.get();
  for_each_index(indices, [=](std::size_t, Index index) { used[index] = 1; });
  // Signed, for vectors without unsigned minima.
  constexpr int kBias = sizeof(Index) == 2 ? 0x8000 : 0;
  std::int16_t least = 0x7FFF, greatest = -0x8000;
  for (const Index index : indices) {
    const auto biased = static_cast<std::int16_t>(index - kBias);
    least = std::min(least, biased);
    greatest = std::max(greatest, biased);
  }
  first_ = static_cast<std::uint32_t>(least + kBias);
  last_ = static_cast<std::uint32_t>(greatest + kBias);
  count_ = 0;
  for (std::uint32_t index = first_; index <= last_; index += 8)
    count_ += static_cast<std::uint32_t>(byte_sums(load_pack(used + index)) >> 56);
  remapped_.resize(indices.size());
  std::uint16_t* const remapped = remapped_.data();
  if (dense()) {
    const auto first = static_cast<std::uint16_t>(first_);
    for (std::size_t k = 0; k < indices.size(); ++k)
      remapped[k] = static_cast<std::uint16_t>(indices[k] - first);
  } else {
    number();
    const std::uint16_t* const remap = remap_.get();
    for_each_index(indices, [=](std::size_t k, Index index) { remapped[k] = remap[index]; });
  }
  std::memset(used + first_, 0, last_ - first_ + 1);
}

void IndexList::number() {
  using Bytes = Vector<std::uint8_t, 8>;
  using Numbers = Vector<std::uint16_t, 8>;
  numbers_.resize(count_ + kSpare);
  std::uint32_t* const numbers = numbers_.data();
  std::uint32_t end = 0;
  for (std::uint32_t index = first_; index <= last_; index += 8) {
    const std::uint64_t flags = load_pack(used_.get() + index);
    if (flags == 0) continue;
    const std::uint64_t sums = byte_sums(flags);
    const auto before = std::bit_cast<Bytes>(sums << 8);
    const Numbers remapped = WARPJIT_CONVERT(Numbers, before) + static_cast<std::uint16_t>(end);
    std::memcpy(remap_.get() + index, &remapped, sizeof remapped);
    // Every index is written; one that does not occur is overwritten by the next that does.
    for (std::uint32_t n = 0; n < 8; ++n) numbers[remapped[n]] = index + n;
    end += static_cast<std::uint32_t>(sums >> 56);
  }
  std::fill(numbers_.begin() + count_, numbers_.end(), last_);
}

template void IndexList::build(std::span<const std::uint8_t>);
template void IndexList::build(std::span<const std::uint16_t>);

}  // namespace warpjit::pica200
