#include "runtime/kernel/kernel.h"

namespace warpjit::runtime {

Status Kernel::run_blocks(const BlockRun& run, std::uint64_t, std::uint64_t,
                          std::optional<frontend::BlockFault>&) const {
  return Error{ErrorCode::internal, "this kernel is not for a grid", run.shader.source_name()};
}

Status Kernel::draw(const frontend::Values&, const interpret::PixelWork&, std::uint64_t) const {
  return Error{ErrorCode::internal, "this kernel does not draw", ""};
}

CompileReport report_of(const Kernel& kernel, bool hit) {
  CompileReport report = kernel.report();
  report.cache_hit = hit;
  if (hit)
    report.translate_time = report.passes_time = report.backend_time = report.place_time =
        report.other_time = {};
  return report;
}

}  // namespace warpjit::runtime
