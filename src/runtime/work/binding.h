// Where the rows of an input or output lie in the caller's memory. Checks that no thread leaves its buffer or
// writes rows that another one reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace warpjit::runtime {

struct RowSpan {
  std::uintptr_t address = 0;  // of thread 0's row
  std::uint64_t size = 0;      // bytes in the buffer
  std::uint64_t stride = 0;
  std::uint64_t row = 0;  // bytes of one row, at least 1
};

// True if rows 0 to count-1 lie inside the buffer, and the buffer inside the address space.
bool in_bounds(const RowSpan& span, std::uint64_t count);
// Why in_bounds is false. `where` names the binding: "input v0".
Error bounds_error(const RowSpan& span, std::uint64_t count, std::string where);

// True if a row of one may share a byte with a row of the other. Both must be in_bounds with `count`.
// Exact for equal strides that are at least the row sizes, else a comparison of the whole ranges.
bool rows_overlap(const RowSpan& a, const RowSpan& b, std::uint64_t count);

// True if rows of one span share bytes with each other.
inline bool overlaps_itself(const RowSpan& span, std::uint64_t count) {
  return count > 1 && span.stride < span.row;
}

}  // namespace warpjit::runtime
