// A kernel in two versions: one that assumes that 0 times infinity does not occur, and the exact one, made
// when it is first needed. 0 times infinity raises the CPU's sticky invalid flag. If a range of groups leaves
// the flag clear, its results are right; otherwise the exact version runs the range again. Code may make
// further assumptions and raise the flag itself: with AVX-512, that indexed rows lie in the part of the
// uniform table that it looks up in registers (backend/x64/lower_row_tables.cpp).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "runtime/kernel/kernel.h"

namespace warpjit::runtime {

class SpeculativeKernel final : public Kernel {
 public:
  using Make = std::function<Result<std::shared_ptr<const Kernel>>(const frontend::Shader&)>;
  // `fast` has `inputs` and `outputs` bindings. The exact kernel has as many lanes, and the same preamble and
  // uniform table, the end of which it may not need.
  SpeculativeKernel(std::shared_ptr<const Kernel> fast, std::uint32_t inputs, std::uint32_t outputs,
                    Make make_exact);

  Status prepare(std::uint32_t* table) const override;
  // No output may lie over an input, but for the unit's rows of an ordered kernel.
  Status run(backend::KernelArgs& args, const frontend::Shader& shader,
             const frontend::Values& values) const override;
  // The exact version.
  void complete(const frontend::Shader& shader) const override;

 private:
  // Threads between two checks of the flag: few enough that running them again costs little, many enough that
  // the check costs nothing.
  static constexpr std::uint64_t kPieceThreads = 2048;
  // A failed try adds kFailure; above kTooMany the exact version runs, and each of its runs takes one off. So
  // at worst one try in kFailure ranges is in vain.
  static constexpr std::int32_t kFailure = 16, kTooMany = 48;

  Result<const Kernel*> exact(const frontend::Shader& shader) const;
  Status run_piece(backend::KernelArgs& args, const frontend::Shader& shader,
                   const frontend::Values& values) const;

  std::shared_ptr<const Kernel> fast_;
  std::uint32_t inputs_, outputs_;
  std::uint64_t piece_ = 1;  // groups
  Make make_exact_;
  mutable std::atomic<std::int32_t> distrust_{0};
  mutable std::atomic<const Kernel*> exact_{nullptr};
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Kernel> exact_owner_;  // under mutex_
};

}  // namespace warpjit::runtime
