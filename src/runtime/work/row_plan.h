// Runs a range of a launch's threads through a kernel. Kernels know only whole groups and rows of four
// words; other formats, and groups that are not full, pass through a staging area on the stack.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "runtime/kernel/block_memory.h"
#include "runtime/work/work.h"

namespace warpjit::runtime {

// The thread, of `count`, whose rows lane n has. Lanes after the last thread repeat that one as far as its
// quad goes, then that quad, so that a group has no quads but those of its threads.
constexpr std::uint64_t copied_thread(std::uint64_t n, std::uint64_t count) {
  const std::uint64_t quad = (count - 1) / 4 * 4;
  return std::min(n < quad + 4 ? n : quad + n % 4, count - 1);
}

// Rows and draws. Nothing of it changes while the workers work.
class RowPlan final : public WorkPlan {
 public:
  explicit RowPlan(const KernelCall& call);

  // Threads first to first + count - 1.
  Status run(std::uint64_t first, std::uint64_t count) const override;

  // The same with other outputs: one packed row of all outputs for each thread; that of thread `first` is at
  // `rows`. No thread before `first` is run.
  RowPlan with_rows(std::byte* rows, std::uint64_t first) const;

 private:
  struct Input {
    const std::byte* data;
    std::ptrdiff_t stride;
    LoadRows load;
    bool direct;  // rows are as the kernel wants them
  };
  struct Output {
    std::byte* data;
    std::ptrdiff_t stride;
    StoreRows store;
    bool direct;
  };
  Status run_direct(std::uint64_t first, std::uint64_t groups) const;
  Status run_staged(std::uint64_t first, std::uint64_t count) const;
  Status run_draw(std::uint64_t first, std::uint64_t count) const;
  Status run_draw_whole(std::uint64_t first, std::uint64_t groups) const;
  Status run_draw_copy(std::uint64_t first, std::uint64_t count) const;
  void bind_results(std::uint64_t first, backend::KernelArgs& args) const;
  Status call(backend::KernelArgs& args, std::uint64_t groups) const;

  std::uint64_t lanes_;
  std::uint32_t input_count_ = 0, output_count_ = 0;
  bool all_direct_ = true;
  bool quads_ = false;  // threads see others of their quad: no group begins within one
  bool alone_ = false;  // one thread without a quad, and all strides are 0: every lane is it
  std::shared_ptr<LaunchMemory> memory_;  // of rows that have memory; it points into itself
  // Only the first input_count_ and output_count_ are set.
  Input inputs_[frontend::kMaxInputs];
  Output outputs_[frontend::kMaxOutputs];
};

}  // namespace warpjit::runtime
