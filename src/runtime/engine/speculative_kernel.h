// A kernel in two versions: one that takes 0 times infinity for impossible, and the exact one, made when it
// is first needed. 0 times infinity raises the CPU's sticky invalid flag, so that a range of groups whose run
// left the flag alone was right; else its results are made again by the exact version. Code may assume more
// and raise the flag itself: with AVX-512, that rows by an index are in the part of the uniform table that
// it looks up in registers (backend/x64/lower_row_tables.cpp).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "runtime/engine/kernel.h"

namespace warpjit::runtime {

class SpeculativeKernel final : public Kernel {
 public:
  using Make = std::function<Result<std::shared_ptr<const Kernel>>(const frontend::Shader&)>;
  // `fast` has `inputs` and `outputs` bindings. The exact kernel has as many lanes, and the same preamble and
  // uniform table, the end of which it may not need.
  SpeculativeKernel(std::shared_ptr<const Kernel> fast, std::uint32_t inputs, std::uint32_t outputs,
                    Make make_exact);

  Status prepare(std::uint32_t* table) const override;
  // No output may lie over an input.
  Status run(backend::KernelArgs& args, const frontend::Shader& shader,
             const frontend::Values& values) const override;
  // The exact version.
  void complete(const frontend::Shader& shader) const override;

 private:
  // Threads between two looks at the flag: few enough that doing them again costs little beside the rest,
  // enough that the look costs nothing.
  static constexpr std::uint64_t kPieceThreads = 2048;
  // A failed try counts kFailure; above kTooMany the exact version runs, and counts one back each time. So at
  // worst one try in kFailure pieces is in vain.
  static constexpr std::int32_t kFailure = 16, kTooMany = 48;

  Result<const Kernel*> exact(const frontend::Shader& shader) const;
  Status run_piece(backend::KernelArgs& args, const frontend::Shader& shader,
                   const frontend::Values& values) const;

  std::shared_ptr<const Kernel> fast_;
  std::uint32_t inputs_, outputs_;
  Make make_exact_;
  mutable std::atomic<std::int32_t> distrust_{0};
  mutable std::atomic<const Kernel*> exact_{nullptr};
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Kernel> exact_owner_;  // under mutex_
};

}  // namespace warpjit::runtime
