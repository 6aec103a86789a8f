#include "runtime/engine/speculative_kernel.h"

#include <algorithm>
#include <cstring>

#include "base/float_environment.h"

namespace warpjit::runtime {

SpeculativeKernel::SpeculativeKernel(std::shared_ptr<const Kernel> fast, std::uint32_t inputs,
                                     std::uint32_t outputs, Make make_exact)
    : fast_(std::move(fast)), inputs_(inputs), outputs_(outputs), make_exact_(std::move(make_exact)) {
  report_ = fast_->report();
  table_bytes_ = fast_->table_bytes();
  piece_ = std::max<std::uint64_t>(1, kPieceThreads / lanes());
  // The exact version may come: it is about twice as large.
  cost_ = sizeof *this + fast_->cost() + 2 * report_.code_bytes;
}

Status SpeculativeKernel::prepare(std::uint32_t* table) const { return fast_->prepare(table); }

Result<const Kernel*> SpeculativeKernel::exact(const frontend::Shader& shader) const {
  if (const Kernel* exact = exact_.load(std::memory_order_acquire)) return exact;
  const std::lock_guard lock(mutex_);
  if (exact_owner_ == nullptr) {
    WARPJIT_TRY(exact_owner_, make_exact_(shader));
    exact_.store(exact_owner_.get(), std::memory_order_release);
  }
  return exact_owner_.get();
}

void SpeculativeKernel::complete(const frontend::Shader& shader) const { static_cast<void>(exact(shader)); }

Status SpeculativeKernel::run(backend::KernelArgs& args, const frontend::Shader& shader,
                              const frontend::Values& values) const {
  if (args.group_count <= piece_) return run_piece(args, shader, values);
  for (std::uint64_t left = args.group_count; left != 0; left -= std::min(left, piece_)) {
    args.group_count = std::min(left, piece_);
    if (Status status = run_piece(args, shader, values); !status) return status;
  }
  return {};
}

Status SpeculativeKernel::run_piece(backend::KernelArgs& args, const frontend::Shader& shader,
                                    const frontend::Values& values) const {
  const std::int32_t distrust = distrust_.load(std::memory_order_relaxed);
  if (distrust <= kTooMany) {
    const std::uint64_t groups = args.group_count;
    std::byte* addresses[backend::kMaxInputs + backend::kMaxOutputs];
    for (std::uint32_t k = 0; k < inputs_; ++k) addresses[k] = args.inputs[k].address;
    for (std::uint32_t k = 0; k < outputs_; ++k) addresses[inputs_ + k] = args.outputs[k].address;
    // An ordered kernel changes the unit that it reads.
    std::byte unit[frontend::kMaxUnitRows * 16];
    const std::size_t unit_bytes = report_.ordered ? shader.geometry_unit()->unit_rows() * 16 : 0;
    std::byte* unit_rows = unit_bytes != 0 ? addresses[inputs_ + outputs_ - 1] : nullptr;
    if (unit_bytes != 0) std::memcpy(unit, unit_rows, unit_bytes);
    FloatEnvironment::clear_invalid();
    Status status = fast_->run(args, shader, values);
    const bool cancelled = !status && status.error().code == ErrorCode::cancelled;
    if (!FloatEnvironment::invalid_raised() || cancelled) {
      if (distrust > 0) distrust_.store(distrust - 1, std::memory_order_relaxed);
      return status;
    }
    distrust_.store(distrust + kFailure, std::memory_order_relaxed);
    args.group_count = groups;
    if (unit_bytes != 0) std::memcpy(unit_rows, unit, unit_bytes);
    for (std::uint32_t k = 0; k < inputs_; ++k) args.inputs[k].address = addresses[k];
    for (std::uint32_t k = 0; k < outputs_; ++k) args.outputs[k].address = addresses[inputs_ + k];
  } else {
    distrust_.store(distrust - 1, std::memory_order_relaxed);
  }
  WARPJIT_TRY(const Kernel* kernel, exact(shader));
  return kernel->run(args, shader, values);
}

}  // namespace warpjit::runtime
