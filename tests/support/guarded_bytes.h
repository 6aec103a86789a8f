// Memory with guard pages and guard bytes at its borders.
#pragma once

#include <cstddef>
#include <memory>

namespace warpjit::tests {

// A mapping of whole pages between two inaccessible ones. The `size` bytes lie at its end, so that an access
// after them traps, or at its begin; the rest holds kGuard.
class GuardedBytes {
 public:
  static constexpr std::byte kGuard{0xa5};
  GuardedBytes(std::size_t size, bool at_end);
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool guards_intact() const;

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* address) const;
  };
  std::unique_ptr<std::byte, Unmap> mapping_;
  std::byte* begin_ = nullptr;  // of the pages that may be touched
  std::byte* end_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpjit::tests
