// Distinct vertices of an index buffer, in time linear in the number of indices and the range they span.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace warpjit::pica200 {

class IndexList {
 public:
  // `Index`: std::uint8_t or std::uint16_t. At least one index. Keeps its memory from list to list.
  template <class Index>
  void build(std::span<const Index> indices);

  std::uint32_t first() const { return first_; }  // the least and the greatest index
  std::uint32_t last() const { return last_; }
  std::uint32_t count() const { return count_; }  // distinct ones
  bool dense() const { return count_ == last_ - first_ + 1; }
  // The distinct indices, ascending, then `spare` copies of the last. Empty if dense.
  std::span<const std::uint32_t> numbers() const { return {numbers_.data(), dense() ? 0 : count_ + kSpare}; }
  // For each index: its number among the distinct ones.
  std::span<const std::uint16_t> remapped() const { return remapped_; }

  static constexpr std::uint32_t kSpare = 256;

 private:
  static constexpr std::size_t kRange = 65536, kSlack = 8;  // read and written eight at a time
  void number();
  std::unique_ptr<std::uint8_t[]> used_;    // by index: 1 where it occurs; 0 between lists
  std::unique_ptr<std::uint16_t[]> remap_;  // by index, where it occurs
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint16_t> remapped_;
  std::uint32_t first_ = 0, last_ = 0, count_ = 0;
};

}  // namespace warpjit::pica200
