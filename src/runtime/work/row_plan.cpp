#include "runtime/work/row_plan.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/work/staging_area.h"

namespace warpjit::runtime {
namespace {

void pad_rows(std::byte* rows, std::uint64_t count, std::uint64_t padded) {
  for (std::uint64_t n = count; n < padded; ++n)
    std::memcpy(rows + n * kRowBytes, rows + copied_thread(n, count) * kRowBytes, kRowBytes);
}

}  // namespace

RowPlan::RowPlan(const KernelCall& call) : WorkPlan(call), lanes_(call.kernel.lanes()) {
  const LaunchState& launch = call.launch;
  if (launch.draw.active) return;
  // A stride that no row uses may be anything.
  const auto usable = [&](std::size_t stride) {
    return launch.count > 1 ? static_cast<std::ptrdiff_t>(stride) : std::ptrdiff_t{0};
  };
  quads_ = launch.shader->traits().rows_form_quads;
  if (launch.shader->traits().memory.rows) {
    memory_ = std::make_shared<LaunchMemory>();
    memory_->bind(launch.values.grid, {}, call.kernel.pointers(), call.table);
  }
  const bool direct = !launch.allow_overlap;
  alone_ = launch.count == 1 && !quads_;  // lanes of a quad give different results
  for (std::uint64_t bits = launch.bound_inputs & launch.usage.inputs; bits != 0; bits &= bits - 1) {
    const LaunchData::Input& input = launch.inputs[static_cast<std::size_t>(std::countr_zero(bits))];
    const bool of_instance = input.attribute.divisor != 0;
    inputs_[input_count_++] = {static_cast<const std::byte*>(input.attribute.data),
                               of_instance ? 0 : usable(input.attribute.stride), input.load,
                               direct && input.attribute.format == f32x4};
    all_direct_ &= inputs_[input_count_ - 1].direct;
  }
  for (std::uint32_t k = 0; k < launch.output_count; ++k) {
    const LaunchData::Output& output = launch.outputs[k];
    outputs_[output_count_++] = {static_cast<std::byte*>(output.buffer.data), usable(output.buffer.stride),
                                 output.store, direct && size(output.buffer.format) == kRowBytes};
    all_direct_ &= outputs_[k].direct;
  }
}

RowPlan RowPlan::with_rows(std::byte* rows, std::uint64_t first) const {
  RowPlan plan = *this;
  const std::size_t stride = output_count_ * kRowBytes;
  const auto base = reinterpret_cast<std::uintptr_t>(rows) - static_cast<std::uintptr_t>(first) * stride;
  plan.alone_ = false;
  plan.all_direct_ = std::all_of(inputs_, inputs_ + input_count_, [](const Input& in) { return in.direct; });
  for (std::uint32_t k = 0; k < output_count_; ++k)
    plan.outputs_[k] = {reinterpret_cast<std::byte*>(base + k * kRowBytes),
                        static_cast<std::ptrdiff_t>(stride), store_rows(f32x4), true};
  return plan;
}

Status RowPlan::call(backend::KernelArgs& args, std::uint64_t groups) const {
  if (!memory_) return call_.run(args, groups);
  ir::BlockMemory memory = memory_->memory;
  memory_->lend(args);
  return call_.run(args, groups, &memory);
}

Status RowPlan::run(std::uint64_t first, std::uint64_t count) const {
  if (call_.launch.draw.active) return run_draw(first, count);
  if (!all_direct_) return run_staged(first, count);
  if (alone_) return run_direct(first, 1);
  const std::uint64_t groups = count / lanes_, rest = count % lanes_;
  if (groups != 0)
    if (Status status = run_direct(first, groups); !status) return status;
  if (rest == 0) return {};
  // A last group that is not full moves back over threads that have run: they get the same bits again, and
  // nothing is copied. The same holds for a launch of one thread, whose strides are 0:
  // all lanes are that one.
  if (groups != 0 && !quads_ && !call_.kernel.is_observed()) return run_direct(first + count - lanes_, 1);
  return run_staged(first + count - rest, rest);
}

Status RowPlan::run_direct(std::uint64_t first, std::uint64_t groups) const {
  backend::KernelArgs args;
  const auto offset = static_cast<std::ptrdiff_t>(first);
  for (std::uint32_t k = 0; k < input_count_; ++k) {
    const Input& input = inputs_[k];
    args.inputs[k] = group_rows(input.data + offset * input.stride, input.stride, lanes_);
  }
  for (std::uint32_t k = 0; k < output_count_; ++k) {
    const Output& output = outputs_[k];
    args.outputs[k] = group_rows(output.data + offset * output.stride, output.stride, lanes_);
  }
  return call(args, groups);
}

Status RowPlan::run_staged(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t group_bytes = lanes_ * kRowBytes;
  const std::uint64_t bindings = std::max<std::uint64_t>(1, input_count_ + output_count_);
  // Every binding has room for `piece` threads; a piece that is full leaves direct ones unused.
  const std::uint64_t groups_per_piece =
      std::max<std::uint64_t>(1, StagingArea::kBytes / (group_bytes * bindings));
  StagingArea staging;
  std::byte* const area = staging.get(groups_per_piece * group_bytes * bindings);
  if (area == nullptr) return Error{ErrorCode::resource_limit, "no memory for staging", ""};
  const std::uint64_t piece = groups_per_piece * lanes_;

  while (count != 0) {
    const std::uint64_t threads = std::min(count, piece);
    const std::uint64_t groups = (threads + lanes_ - 1) / lanes_, padded = groups * lanes_;
    const auto offset = static_cast<std::ptrdiff_t>(first);
    const bool full = threads == padded;
    backend::KernelArgs args;  // the kernel may advance the addresses in it
    std::byte* rows = area;
    const std::byte* staged[frontend::kMaxOutputs];
    for (std::uint32_t k = 0; k < input_count_; ++k) {
      const Input& input = inputs_[k];
      const std::byte* from = input.data + offset * input.stride;
      if (input.direct && full) {
        args.inputs[k] = group_rows(from, input.stride, lanes_);
        continue;
      }
      input.load(from, input.stride, threads, rows);
      pad_rows(rows, threads, padded);
      args.inputs[k] = group_rows(rows, kRowBytes, lanes_);
      rows += padded * kRowBytes;
    }
    for (std::uint32_t k = 0; k < output_count_; ++k) {
      const Output& output = outputs_[k];
      if (output.direct && full) {
        args.outputs[k] = group_rows(output.data + offset * output.stride, output.stride, lanes_);
        continue;
      }
      staged[k] = rows;
      args.outputs[k] = group_rows(rows, kRowBytes, lanes_);
      rows += padded * kRowBytes;
    }
    if (Status status = call(args, groups); !status) return status;
    for (std::uint32_t k = 0; k < output_count_; ++k) {
      const Output& output = outputs_[k];
      if (output.direct && full) continue;
      output.store(staged[k], output.data + offset * output.stride, output.stride, threads);
    }
    first += threads;
    count -= threads;
  }
  return {};
}

}  // namespace warpjit::runtime
