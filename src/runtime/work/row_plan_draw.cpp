// Runs a range of a draw's threads (draw.h).
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime/work/row_plan.h"
#include "runtime/work/staging_area.h"

namespace warpjit::runtime {
namespace {

// Constant sizes: a call of memcpy for a few bytes would take longer than all else here.
using CopyRow = void (*)(std::byte* to, const std::byte* from);
template <std::size_t kBytes>
void copy_row(std::byte* to, const std::byte* from) {
  std::memcpy(to, from, kBytes);
}
CopyRow copy_row(std::uint32_t bytes) {
  return [&]<std::size_t... kSizes>(std::index_sequence<kSizes...>) {
    static constexpr CopyRow kCopies[] = {copy_row<kSizes + 1>...};
    return kCopies[bytes - 1];
  }
  (std::make_index_sequence<kRowBytes>());
}

}  // namespace

Status RowPlan::run_draw(std::uint64_t first, std::uint64_t count) const {
  const DrawBindings& draw = call_.launch.draw;
  if (lanes_ > DrawBindings::kSpareResults)
    return Error{ErrorCode::resource_limit,
                 "groups of " + std::to_string(lanes_) + " threads are too wide for a draw", ""};
  const std::uint64_t end = first + count, whole_end = std::min(end, std::max(first, draw.whole_rows));
  // Threads after the end: numbered ones repeat the last one; others are vertices outside of the draw.
  const std::uint64_t groups = (whole_end - first) / lanes_;
  if (draw.whole_rows >= end + lanes_ && (end - first) % lanes_ != 0) {
    if (run_draw_whole(first, groups + 1)) return {};
    // Perhaps a vertex outside of the draw failed.
  }
  if (groups != 0)
    if (Status status = run_draw_whole(first, groups); !status) return status;
  std::uint64_t done = first + groups * lanes_;
  // A last group that is not full moves back over threads that have run.
  if (done < end && groups != 0 && whole_end == end && !call_.kernel.is_observed())
    return run_draw_whole(end - lanes_, 1);
  while (done < end) {
    const std::uint64_t threads = std::min(lanes_, end - done);
    if (Status status = run_draw_copy(done, threads); !status) return status;
    done += threads;
  }
  return {};
}

void RowPlan::bind_results(std::uint64_t first, backend::KernelArgs& args) const {
  const DrawBindings& draw = call_.launch.draw;
  const auto stride = static_cast<std::ptrdiff_t>(draw.result_stride);
  const std::byte* vertex = draw.results + static_cast<std::ptrdiff_t>(first) * stride;
  backend::Binding* binding = args.outputs;
  for (unsigned bits = draw.facts.stored; bits != 0; bits &= bits - 1)
    *binding++ =
        group_rows(vertex + static_cast<std::size_t>(std::countr_zero(bits)) * kRowBytes, stride, lanes_);
}

Status RowPlan::run_draw_whole(std::uint64_t first, std::uint64_t groups) const {
  const DrawBindings& draw = call_.launch.draw;
  backend::KernelArgs args;
  for (std::uint32_t k = 0; k < draw.facts.row_count; ++k) {
    const auto stride = static_cast<std::ptrdiff_t>(draw.rows[k].stride);
    const std::byte* data = draw.rows[k].data;
    args.inputs[k] = draw.facts.numbered
                         ? group_rows(data, stride, 0)
                         : group_rows(data + static_cast<std::ptrdiff_t>(first) * stride, stride, lanes_);
  }
  if (draw.facts.numbered) {
    constexpr std::ptrdiff_t kStride = sizeof *draw.numbers;
    const auto* numbers = reinterpret_cast<const std::byte*>(draw.numbers + first);
    args.inputs[draw.facts.row_count] = group_rows(numbers, kStride, lanes_);
  }
  bind_results(first, args);
  return call(args, groups);
}

// One group from copies of its rows.
Status RowPlan::run_draw_copy(std::uint64_t first, std::uint64_t count) const {
  const DrawBindings& draw = call_.launch.draw;
  StagingArea staging;
  std::byte* area = staging.get((draw.facts.row_count * kRowBytes + sizeof(std::uint32_t)) * lanes_);
  if (area == nullptr) return Error{ErrorCode::resource_limit, "no memory for a group's rows", ""};
  constexpr auto kStride = static_cast<std::ptrdiff_t>(kRowBytes);
  backend::KernelArgs args;
  for (std::uint32_t k = 0; k < draw.facts.row_count; ++k) {
    const DrawBindings::Rows& rows = draw.rows[k];
    const CopyRow copy = copy_row(rows.bytes);
    args.inputs[k] = group_rows(area, kStride, draw.facts.numbered ? 0 : lanes_);
    for (std::uint64_t t = 0; t < lanes_; ++t, area += kRowBytes) {
      const std::uint64_t thread = first + copied_thread(t, count);
      copy(area, rows.data + (draw.facts.numbered ? draw.numbers[thread] : thread) * rows.stride);
    }
  }
  if (draw.facts.numbered) {
    args.inputs[draw.facts.row_count] = group_rows(area, sizeof(std::uint32_t), lanes_);
    for (std::uint32_t t = 0; t < lanes_; ++t, area += sizeof t) std::memcpy(area, &t, sizeof t);
  }
  bind_results(first, args);
  return call(args, 1);
}

}  // namespace warpjit::runtime
