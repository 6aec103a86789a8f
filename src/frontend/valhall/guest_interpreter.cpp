#include "frontend/valhall/guest_interpreter.h"

#include "frontend/valhall/interpret/interpret.h"
#include "frontend/valhall/interpret/lanes.h"
#include "frontend/valhall/interpret/op.h"

namespace warpjit::valhall {
namespace {

class BlockAndPixelInterpreter final : public frontend::GuestInterpreter {
 public:
  explicit BlockAndPixelInterpreter(Interpreter interpreter) : interpreter_(std::move(interpreter)) {}

  Status run_blocks(const frontend::Grid& grid, std::uint64_t first, std::uint64_t count, std::uint64_t fuel,
                    std::optional<frontend::BlockFault>& fault) const override {
    RunReport run;
    std::optional<frontend::Grid> other;
    if (grid.fuel != fuel) other.emplace(grid).fuel = fuel;
    const Status status = interpreter_.run(other ? *other : grid, first, count, run);
    fault = run.first_fault;
    return status;
  }
  Status draw(const frontend::Values& values, const interpret::PixelWork& work,
              std::uint64_t fuel) const override {
    frontend::Grid grid = values.grid;
    grid.fuel = fuel;
    RunReport run;
    WARPJIT_TRY(const auto program, interpreter_.make_fragment_program(grid, work, run));
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
