#include "runtime/work/grid_plan.h"

#include "frontend/interpret/fault.h"

namespace warpjit::runtime {

Status GridPlan::run(std::uint64_t first, std::uint64_t count) const {
  std::optional<frontend::BlockFault> fault;
  Status status = call_.kernel.run_blocks(run_, first, count, fault);
  if (fault) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t accesses = fault->access.accesses + (fault_ ? fault_->access.accesses : 0);
    if (!fault_ || first < fault_first_) {
      fault_ = fault;
      fault_first_ = first;
    }
    fault_->access.accesses = accesses;
  }
  return status;
}

std::optional<MemoryFault> GridPlan::fault() const {
  if (!fault_) return std::nullopt;
  return describe(*fault_, run_.shader, run_.grid);
}

MemoryFault describe(const ir::MemoryFault& access, const frontend::Shader& shader,
                     const frontend::LaunchMemory& memory) {
  return {shader.where(access.guest_address),
          std::string(access.is_store ? "store to " : "load from ") +
              shader.memory()->address_text(access, memory),
          access.accesses};
}

MemoryFault describe(const frontend::BlockFault& fault, const frontend::Shader& shader,
                     const frontend::LaunchMemory& memory) {
  MemoryFault described = describe(fault.access, shader, memory);
  described.what += " by thread " + std::to_string(fault.access.thread) + interpret::block_text(fault.block);
  return described;
}

}  // namespace warpjit::runtime
