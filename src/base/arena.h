// A bump allocator for the arrays of compile passes: nothing is freed singly, everything at once.
// Only for trivially destructible types, because no destructor runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace warpjit {

class Arena {
 public:
  // Memory is taken from the system in blocks of at least `block_size` bytes.
  explicit Arena(std::size_t block_size = 64 * 1024) : block_size_(block_size) {}

  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `count` value-initialized objects, valid until reset() or the arena's end. Throws std::bad_alloc.
  template <class T>
  std::span<T> alloc(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count == 0) return {};
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length();
    T* first = static_cast<T*>(take(count * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }

  // Makes all memory free again, but keeps the blocks for the next use.
  void reset() { current_ = used_ = 0; }

  // Bytes taken from the system.
  std::size_t capacity() const {
    std::size_t sum = 0;
    for (const Block& block : blocks_) sum += block.size;
    return sum;
  }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
  };

  void* take(std::size_t size, std::size_t alignment) {
    for (; current_ < blocks_.size(); ++current_, used_ = 0) {
      Block& block = blocks_[current_];
      void* place = block.bytes.get() + used_;
      std::size_t space = block.size - used_;
      if (std::align(alignment, size, place, space) != nullptr) {
        used_ = block.size - space + size;
        return place;
      }
    }
    if (size > SIZE_MAX - alignment) throw std::bad_alloc();
    const std::size_t block_size = std::max(block_size_, size + alignment);
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(block_size), block_size});
    return take(size, alignment);
  }

  std::size_t block_size_;
  std::vector<Block> blocks_;
  std::size_t current_ = 0;  // the block that allocations come from
  std::size_t used_ = 0;     // bytes of it that are taken, padding included
};

}  // namespace warpjit
