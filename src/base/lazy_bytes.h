// Memory whose pages cost nothing before something is written there.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace warpjit {

namespace lazy {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::array<std::byte, kPage> kZeros{};

// Zeros from the system, which has them without writing them; null: it has no such memory.
std::byte* allocate(std::size_t size);
void release(std::byte* bytes, std::size_t size);

// A copy, and zeros, that leave alone what is so already.
inline void write(std::byte* to, std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kPage) {
    const std::size_t size = std::min(kPage, bytes.size() - at);
    if (std::memcmp(to + at, bytes.data() + at, size) != 0) std::memcpy(to + at, bytes.data() + at, size);
  }
}
inline void clear(std::byte* to, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kPage)
    write(to + at, std::span(kZeros).first(std::min(kPage, bytes - at)));
}

}  // namespace lazy

// Zeros at first. Copies of pages of zeros cost nothing, either. Constructors throw std::bad_alloc.
class LazyBytes {
 public:
  LazyBytes() = default;
  explicit LazyBytes(std::size_t size) : data_(size == 0 ? nullptr : lazy::allocate(size)), size_(size) {
    if (data_ == nullptr && size != 0) throw std::bad_alloc();
  }
  LazyBytes(std::span<const std::byte> bytes) : LazyBytes(bytes.size()) { lazy::write(data(), bytes); }
  LazyBytes(const std::vector<std::byte>& bytes) : LazyBytes(std::span(bytes)) {}
  LazyBytes(const LazyBytes& from) : LazyBytes(std::span(from)) {}
  LazyBytes(LazyBytes&& from) noexcept
      : data_(std::exchange(from.data_, nullptr)), size_(std::exchange(from.size_, 0)) {}
  LazyBytes& operator=(LazyBytes from) noexcept {
    std::swap(data_, from.data_);
    std::swap(size_, from.size_);
    return *this;
  }
  ~LazyBytes() {
    if (data_ != nullptr) lazy::release(data_, size_);
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::byte* begin() { return data(); }
  std::byte* end() { return data() + size_; }
  const std::byte* begin() const { return data(); }
  const std::byte* end() const { return data() + size_; }
  std::byte& operator[](std::size_t at) { return data()[at]; }
  std::byte operator[](std::size_t at) const { return data()[at]; }
  friend bool operator==(const LazyBytes& a, const LazyBytes& b) {
    return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data(), b.data(), a.size_) == 0);
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpjit
