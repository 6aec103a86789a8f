// Compiles the group form of a kernel to machine code: the same steps for every host.
#include <algorithm>
#include <string>

#include "backend/allocate/liveness.h"
#include "backend/host.h"
#include "backend/lower/choose_parts.h"
#include "backend/workspace.h"

namespace warpjit::backend {
namespace {

// A kernel's frame may take this much of the caller's stack.
constexpr std::uint32_t kMaxFrameBytes = 256 * 1024;
constexpr std::size_t kMaxInstructions = 1'000'000;
// Blocks times values that cross from one to another, so that hostile programs take seconds at most.
constexpr std::uint64_t kMaxCrossings = std::uint64_t{1} << 29;

Result<const lir::Allocation*> allocate_entry(const ir::Function& f, const Host& host, ConstantPool& pool,
                                              std::uint32_t parts, const Role& role,
                                              const CompileOptions& options, Workspace::State::Entry& entry) {
  host.lower(f, host, role, pool, parts, entry.code);
  lir::count_uses(entry.code, entry.uses);
  hoist_tests(entry.code, host, entry.uses, entry.insts);
  fold_masks(entry.code, host, entry.uses);
  fold_loads(entry.code, host, entry.uses);
  if (!sink_to_cold(entry.code, entry.uses, entry.insts)) lir::remove_dead(entry.code, entry.uses);
  if (entry.code.insts.size() > kMaxInstructions)
    return Error{ErrorCode::resource_limit, "the program needs more than 1,000,000 host instructions",
                 f.name};
  if (parts > 1) order_parts(entry.code, entry.insts);
  // An exact count is needed only for very large kernels.
  if (static_cast<std::uint64_t>(entry.code.blocks.size()) * entry.code.classes.size() > kMaxCrossings &&
      lir::liveness_bound(entry.code) > kMaxCrossings)
    return Error{ErrorCode::resource_limit, "the program has too many values that are live across blocks",
                 f.name};
  if (options.validate)
    for (const std::string& wrong : {lir::verify(entry.code), verify_effects(entry.code)})
      if (!wrong.empty()) return Error{ErrorCode::internal, wrong, f.name};
  const lir::Allocation& allocation =
      entry.allocator.run(entry.code, host.register_file(host, options.registers));
  if (options.registers == 0 && entry.code.frame_bytes + allocation.spill_bytes > kMaxFrameBytes)
    return Error{ErrorCode::resource_limit, "the program needs more than 256 KiB of stack for live values",
                 f.name};
  if (options.validate)
    if (std::string wrong = lir::check(entry.code, allocation); !wrong.empty())
      return Error{ErrorCode::internal, wrong, f.name};
  return &allocation;
}

bool is_empty(const ir::Function& f) {
  if (f.block_count() == 0) return true;
  const ir::BlockData& entry = f.block(ir::Function::entry());
  return entry.first == entry.last;  // the terminator alone
}

Result<MachineCode> compile_for(const Host& host, const ir::GroupProgram& program,
                                const CompileOptions& options, Workspace::State& workspace) {
  if (program.kernel.input_count > kMaxInputs || program.kernel.output_count > kMaxOutputs)
    return Error{ErrorCode::resource_limit, "too many inputs or outputs", program.kernel.name};
  const std::uint32_t group_lanes = program.kernel.group_lanes;
  const bool has_idle_lanes = group_lanes < host.lanes;
  if (group_lanes != 0 && !has_idle_lanes && group_lanes % host.lanes != 0)
    return Error{ErrorCode::unsupported,
                 "groups of " + std::to_string(group_lanes) + " threads are no whole vectors",
                 program.kernel.name};
  if (group_lanes != 0 && has_idle_lanes && program.kernel.input_count + program.kernel.output_count != 0)
    return Error{ErrorCode::unsupported,
                 "rows for groups of " + std::to_string(group_lanes) + " threads, which leave lanes idle",
                 program.kernel.name};
  if (program.kernel.pixels && group_lanes != 0 && has_idle_lanes)
    return Error{ErrorCode::unsupported, "pixels in groups that leave lanes idle", program.kernel.name};
  for (std::uint32_t b = 0; b < program.kernel.block_count(); ++b)
    for (ir::Inst i : program.kernel.insts(ir::Block{b})) {
      const ir::Opcode opcode = program.kernel.inst(i).opcode;
      if (opcode == ir::Opcode::Barrier || opcode == ir::Opcode::ThreadIndex ||
          opcode == ir::Opcode::QuadRead || opcode == ir::Opcode::Sample)
        return Error{ErrorCode::internal, "an operation that a pass should have replaced",
                     program.kernel.name};
    }
  ConstantPool pool(host.pool_repeat);
  MachineCode out;
  out.target = host.target;
  const std::optional<RowLayout> rows_ahead = host.loads_ahead ? options.rows_ahead : std::nullopt;
  out.parts = group_lanes != 0     ? std::max(group_lanes / host.lanes, 1u)
              : options.parts != 0 ? options.parts
                                   : choose_parts(program.kernel, host,
                                                  {options.large_primitives,
                                                   rows_ahead ? options.tuning.most_rows_ahead : UINT32_MAX});
  out.lanes = group_lanes != 0 ? group_lanes : out.parts * host.lanes;
  if (program.kernel.pixels && out.lanes > 4 * pixels::kMostQuadsPerGroup)
    return Error{ErrorCode::unsupported,
                 "groups of " + std::to_string(out.lanes) + " pixels, more than a rasterizer makes",
                 program.kernel.name};
  out.table_bytes = program.kernel.uniform_bytes;
  Role role{out.call_sites, out.pointers};
  role.tuning = options.tuning;
  role.alike = options.alike;
  role.rows_ahead = rows_ahead;
  role.many_ranges = options.many_ranges;
  out.single_pixels =
      host.single_pixels &&
      options.single_pixels.value_or(!options.large_primitives &&
                                     single_pixels_pay(program.kernel, host, options.small_primitives));
  role.single_pixels = out.single_pixels;
  if (host.choose_row_tables != nullptr && program.assumes_no_zero_inf &&
      program.preamble.block_count() != 0) {
    RowTables& tables = role.row_tables;
    tables = host.choose_row_tables(program.kernel);
    if (tables.rows != 0) {
      tables.place = static_cast<std::int32_t>((out.table_bytes + 63) / 64 * 64);
      out.table_bytes = static_cast<std::uint32_t>(tables.place) + tables.bytes();
    }
  }
  WARPJIT_TRY(const lir::Allocation* kernel,
              allocate_entry(program.kernel, host, pool, out.parts, role, options, workspace.kernel));
  out.shared_phase = workspace.kernel.code.shared_phase;
  const EntryCode kernel_code = {&workspace.kernel.code,
                                 kernel,
                                 true,
                                 program.kernel.input_count,
                                 program.kernel.output_count,
                                 program.kernel.block_groups != 0,
                                 program.kernel.pixels,
                                 ir::memory_use(program.kernel).shared};
  const bool has_preamble = !is_empty(program.preamble) || role.row_tables.rows != 0;
  EntryCode preamble_code = {};
  if (has_preamble) {
    role.preamble = true;
    WARPJIT_TRY(const lir::Allocation* preamble,
                allocate_entry(program.preamble, host, pool, 1, role, options, workspace.preamble));
    preamble_code = {&workspace.preamble.code, preamble, false, 0, 0};
  }
  WARPJIT_CHECK(host.emit(kernel_code, has_preamble ? &preamble_code : nullptr, host, pool, options, out));
  return out;
}

}  // namespace

Result<MachineCode> compile(const ir::GroupProgram& program, Target target, const CompileOptions& options,
                            Workspace& workspace) {
  const Host* host = find_host(target);
  if (host == nullptr)
    return Error{ErrorCode::unsupported,
                 "this build of warpjit makes no code for " + std::string(name(target)), program.kernel.name};
  return compile_for(*host, program, options, workspace.state());
}

Result<MachineCode> compile(const ir::GroupProgram& program, Target target, const CompileOptions& options) {
  Workspace workspace;
  return compile(program, target, options, workspace);
}

}  // namespace warpjit::backend
