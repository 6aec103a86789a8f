// Runs blocks of a launch's grid, and keeps the first fault of their memory accesses.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "runtime/kernel/kernel.h"
#include "runtime/work/launch.h"
#include "runtime/work/work.h"

namespace warpjit::runtime {

class GridPlan final : public WorkPlan {
 public:
  // `checked` must outlive it.
  GridPlan(const LaunchState& launch, const frontend::CheckedGrid& checked, const Kernel& kernel,
           std::uint32_t* table, std::uint64_t fuel, const std::atomic<std::uint32_t>* cancel)
      : WorkPlan(cancel), kernel_(kernel), run_{*launch.shader, launch.values.grid, checked, table, fuel,
                                                cancel} {}

  Status run(std::uint64_t first, std::uint64_t count) const override;

  // The fault of the first range that had one.
  std::optional<MemoryFault> fault() const;

 private:
  const Kernel& kernel_;
  const BlockRun run_;
  mutable std::mutex mutex_;
  mutable std::optional<frontend::BlockFault> fault_;
  mutable std::uint64_t fault_first_ = 0;  // the range's first block
};

// The public form of a fault.
MemoryFault describe(const frontend::BlockFault& fault, const frontend::Shader& shader,
                     const frontend::Grid& grid);
// Without the thread.
MemoryFault describe(const ir::MemoryFault& access, const frontend::Shader& shader,
                     const frontend::Grid& grid);

}  // namespace warpjit::runtime
