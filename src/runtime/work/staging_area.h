// Memory for copies of rows: on the stack, or allocated if they need more.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace warpjit::runtime {

class StagingArea {
 public:
  // Half of a usual L1 cache is left to the caller's rows and the table; only very many bindings on wide
  // groups need more.
  static constexpr std::size_t kBytes = 16 * 1024;

  // Null: there is no memory.
  std::byte* get(std::size_t bytes) {
    if (bytes <= kBytes) return local_;
    allocated_.reset(new (std::nothrow) std::byte[bytes]);
    return allocated_.get();
  }

 private:
  alignas(64) std::byte local_[kBytes];
  std::unique_ptr<std::byte[]> allocated_;
};

}  // namespace warpjit::runtime
