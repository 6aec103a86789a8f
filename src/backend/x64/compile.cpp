#include "backend/x64/compile.h"

#include "backend/workspace.h"
#include "backend/x64/emit.h"
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {
namespace {

// A kernel's frame may take this much of the caller's stack.
constexpr std::uint32_t kMaxFrameBytes = 256 * 1024;
constexpr std::size_t kMaxInstructions = 1'000'000;

Result<const lir::Allocation*> allocate_routine(const ir::Function& f, const Host& host, ConstantPool& pool,
                                                std::uint32_t parts, const CompileOptions& options,
                                                Workspace::State::Routine& routine) {
  Lowering(f, host, pool, parts, routine.code).run();
  lir::eliminate_dead_code(routine.code);
  if (routine.code.insts.size() > kMaxInstructions)
    return Error{ErrorCode::resource_limit, "the program needs more than 1,000,000 host instructions",
                 f.name};
  if (options.validate)
    if (std::string wrong = lir::verify(routine.code); !wrong.empty())
      return Error{ErrorCode::internal, wrong, f.name};
  const lir::Allocation& allocation =
      routine.allocator.run(routine.code, register_file(host, options.registers));
  if (options.registers == 0 && routine.code.frame_bytes + allocation.spill_bytes > kMaxFrameBytes)
    return Error{ErrorCode::resource_limit, "the program needs more than 256 KiB of stack for live values",
                 f.name};
  if (options.validate)
    if (std::string wrong = lir::check(routine.code, allocation); !wrong.empty())
      return Error{ErrorCode::internal, wrong, f.name};
  return &allocation;
}

}  // namespace

Result<MachineCode> compile(const ir::GroupProgram& program, Target target, const CompileOptions& options,
                            Workspace::State& workspace) {
  if (program.kernel.input_count > kMaxInputs || program.kernel.output_count > kMaxOutputs)
    return Error{ErrorCode::resource_limit, "too many inputs or outputs", program.kernel.name};
  const Host& h = host(target);
  ConstantPool pool(h);
  MachineCode out;
  out.target = target;
  out.parts = options.parts != 0 ? options.parts : choose_parts(program.kernel, h);
  out.lanes = out.parts * h.lanes;
  out.table_bytes = program.kernel.uniform_bytes;
  WARPJIT_TRY(const lir::Allocation* kernel,
              allocate_routine(program.kernel, h, pool, out.parts, options, workspace.kernel));
  const Routine kernel_routine = {&workspace.kernel.code, kernel, true, program.kernel.input_count,
                                  program.kernel.output_count};
  const ir::Function& before = program.preamble;
  const bool has_preamble = before.block_count() != 0 && before.block(ir::Function::entry()).first !=
                                                             before.block(ir::Function::entry()).last;
  Routine preamble_routine = {};
  if (has_preamble) {
    WARPJIT_TRY(const lir::Allocation* preamble,
                allocate_routine(before, h, pool, 1, options, workspace.preamble));
    preamble_routine = {&workspace.preamble.code, preamble, false, 0, 0};
  }
  WARPJIT_CHECK(emit(kernel_routine, has_preamble ? &preamble_routine : nullptr, h, pool, options, out));
  return out;
}

}  // namespace warpjit::backend::x64
