#include "frontend/valhall/guest_interpreter.h"

#include "frontend/valhall/interpret/interpret.h"
#include "frontend/valhall/interpret/lanes.h"
#include "frontend/valhall/interpret/op.h"

namespace warpjit::valhall {
namespace {

class BlockAndPixelInterpreter final : public frontend::GuestInterpreter {
 public:
  explicit BlockAndPixelInterpreter(Interpreter interpreter) : interpreter_(std::move(interpreter)) {}

  Status run_blocks(const frontend::Grid& grid, std::uint64_t first, std::uint64_t count,
                    const RunLimits& limits, std::optional<frontend::BlockFault>& fault) const override {
    RunReport run;
    const Status status = interpreter_.run(grid, first, count, run, limits);
    fault = run.first_fault;
    return status;
  }
  Status draw(const frontend::Values& values, const interpret::PixelWork& work,
              const RunLimits& limits) const override {
    RunReport run;
    WARPJIT_TRY(const auto program, interpreter_.make_fragment_program(values.grid, work, run, limits));
    const Status status = interpret::draw(work, *program);
    if (run.first_fault && work.fault != nullptr) work.fault->add(run.first_fault->access);
    return status;
  }
  unsigned lanes() const override { return kWarpLanes; }

 private:
  Interpreter interpreter_;
};

}  // namespace

Result<std::unique_ptr<frontend::GuestInterpreter>> make_guest_interpreter(const Program& program) {
  WARPJIT_TRY(Interpreter interpreter, Interpreter::prepare(program));
  return std::unique_ptr<frontend::GuestInterpreter>(
      std::make_unique<BlockAndPixelInterpreter>(std::move(interpreter)));
}

}  // namespace warpjit::valhall
