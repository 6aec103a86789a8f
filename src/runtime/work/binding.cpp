#include "runtime/work/binding.h"

#include <limits>

namespace warpjit::runtime {
namespace {

// Bytes from the first row's start to the last row's end. Does not overflow when in_bounds.
std::uint64_t extent(const RowSpan& span, std::uint64_t count) {
  return count == 0 ? 0 : (count - 1) * span.stride + span.row;
}

bool inside_address_space(const RowSpan& span) {
  return span.size <= std::numeric_limits<std::uintptr_t>::max() - span.address &&
         span.size <= static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());
}

}  // namespace

bool in_bounds(const RowSpan& span, std::uint64_t count) {
  if (count == 0) return true;
  if (span.address == 0 || !inside_address_space(span) || span.row > span.size) return false;
  return span.stride == 0 || count - 1 <= (span.size - span.row) / span.stride;
}

Error bounds_error(const RowSpan& span, std::uint64_t count, std::string where) {
  if (span.address == 0) return {ErrorCode::bad_input, "the buffer is null", std::move(where)};
  if (!inside_address_space(span))
    return {ErrorCode::bad_input, "the buffer is larger than the address space", std::move(where)};
  return {ErrorCode::bad_input,
          std::to_string(count) + " rows of " + std::to_string(span.row) + " bytes, " +
              std::to_string(span.stride) + " apart, do not fit in the buffer of " +
              std::to_string(span.size) + " bytes",
          std::move(where)};
}

bool rows_overlap(const RowSpan& a, const RowSpan& b, std::uint64_t count) {
  if (count == 0) return false;
  if (a.address + extent(a, count) <= b.address || b.address + extent(b, count) <= a.address) return false;
  if (count == 1) return true;
  if (a.stride != b.stride || a.stride < a.row || b.stride < b.row) return true;
  // Both lie in the same lattice of period `stride`: compare one period, with a's row at its start.
  const std::uint64_t stride = a.stride;
  const std::uint64_t distance = b.address >= a.address
                                     ? (b.address - a.address) % stride
                                     : (stride - (a.address - b.address) % stride) % stride;
  return distance < a.row || distance + b.row > stride;
}

}  // namespace warpjit::runtime
