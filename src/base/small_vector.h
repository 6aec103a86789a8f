// A vector whose first N elements stand in the object itself, for the many lists that hardly ever are longer:
// edges of blocks, operands. Only for trivially copyable types.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace warpjit {

template <class T, std::uint32_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && N > 0);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() = default;
  explicit SmallVector(std::size_t count, T value = T{}) { resize(count, value); }
  SmallVector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  SmallVector(const SmallVector& other) { assign(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { swap(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return more_ ? more_.get() : inline_; }
  const T* data() const { return more_ ? more_.get() : inline_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t k) {
    assert(k < size_);
    return data()[k];
  }
  const T& operator[](std::size_t k) const {
    assert(k < size_);
    return data()[k];
  }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void clear() { size_ = 0; }
  void push_back(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    data()[size_++] = value;
  }
  void pop_back() {
    assert(size_ > 0);
    --size_;
  }
  T* erase(const T* place) {
    T* at = begin() + (place - begin());
    std::copy(at + 1, end(), at);
    --size_;
    return at;
  }
  // All elements that are equal to `value`.
  void remove(T value) { size_ = static_cast<std::uint32_t>(std::remove(begin(), end(), value) - begin()); }
  void resize(std::size_t count, T value = T{}) {
    if (count > capacity_) grow(count);
    if (count > size_) std::fill(data() + size_, data() + count, value);
    size_ = static_cast<std::uint32_t>(count);
  }
  // The range is not part of this vector.
  template <std::forward_iterator It>
  void assign(It first, It last) {
    clear();
    const auto count = static_cast<std::size_t>(std::distance(first, last));
    if (count > capacity_) grow(count);
    std::copy(first, last, data());
    size_ = static_cast<std::uint32_t>(count);
  }
  void assign(std::size_t count, T value) {
    clear();
    resize(count, value);
  }
  void swap(SmallVector& other) noexcept {
    std::swap(inline_, other.inline_);
    std::swap(more_, other.more_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void grow(std::size_t count) {
    const std::size_t capacity = std::max<std::size_t>(count, std::size_t{capacity_} * 2);
    auto bigger = std::make_unique_for_overwrite<T[]>(capacity);
    std::copy(begin(), end(), bigger.get());
    more_ = std::move(bigger);
    capacity_ = static_cast<std::uint32_t>(capacity);
  }

  std::uint32_t size_ = 0, capacity_ = N;
  std::unique_ptr<T[]> more_;  // in place of inline_ when that became too small
  T inline_[N] = {};
};

}  // namespace warpjit
