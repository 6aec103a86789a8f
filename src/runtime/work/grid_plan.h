// Runs blocks of a launch's grid, and keeps the first fault of their memory accesses.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "runtime/work/work.h"

namespace warpjit::runtime {

class GridPlan final : public WorkPlan {
 public:
  // `checked` must outlive it.
  GridPlan(const KernelCall& call, const frontend::CheckedGrid& checked)
      : WorkPlan(call), run_{*call.launch.shader, call.launch.values.grid, checked, call.table, call.fuel,
                             call.cancel} {}

  Status run(std::uint64_t first, std::uint64_t count) const override;

  // The fault of the first range that had one.
  std::optional<MemoryFault> fault() const;

 private:
  const BlockRun run_;
  mutable std::mutex mutex_;
  mutable std::optional<frontend::BlockFault> fault_;
  mutable std::uint64_t fault_first_ = 0;  // the range's first block
};

// The public form of a fault.
MemoryFault describe(const frontend::BlockFault& fault, const frontend::Shader& shader,
                     const frontend::LaunchMemory& memory);
// Without the thread.
MemoryFault describe(const ir::MemoryFault& access, const frontend::Shader& shader,
                     const frontend::LaunchMemory& memory);

}  // namespace warpjit::runtime
