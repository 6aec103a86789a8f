#include "runtime/engine/make_kernel.h"

#include <bit>
#include <chrono>
#include <cstring>

#include "base/float_environment.h"
#include "base/fuel.h"
#include "ir/analysis/overwritten_planes.h"
#include "ir/pipeline.h"
#include "runtime/engine/kernel_ir.h"
#include "runtime/engine/speculative_kernel.h"

namespace warpjit::runtime {
namespace {

using Clock = std::chrono::steady_clock;

class Stopwatch {
 public:
  // Time since the last call.
  std::chrono::nanoseconds lap() {
    const Clock::time_point now = Clock::now();
    return now - std::exchange(last_, now);
  }

 private:
  Clock::time_point last_ = Clock::now();
};

class JitKernel final : public CodeKernel {
 public:
  JitKernel(const ir::Function& f, const backend::MachineCode& code, CodeMemory::Block block,
            const CompileReport& report)
      : CodeKernel(f, code.shared_phase), block_(std::move(block)), call_sites_(code.call_sites) {
    report_ = report;
    report_.lanes = code.lanes;
    report_.code_bytes = code.bytes.size();
    table_bytes_ = code.table_bytes;
    single_pixels_ = code.single_pixels;
    pointers_ = code.pointers;
    cost_ = sizeof *this + code.bytes.size() + code.map.size() * sizeof(backend::AddressMapping);
    run_ = entry(code.kernel_offset);
    if (code.preamble_offset != ~0u) preamble_ = entry(code.preamble_offset);
  }

  Status prepare(std::uint32_t* table) const override {
    if (preamble_ == nullptr) return {};
    backend::KernelArgs args{};
    args.table = table;
    args.call = backend::call_out;
    args.call_sites = call_sites_.data();
    synchronize_fetch();
    preamble_(&args);
    return {};
  }

  Status call(backend::KernelArgs& args, const frontend::SourceMap& guest) const override {
    args.status = backend::KernelStatus::done;
    args.call = backend::call_out;
    args.call_sites = call_sites_.data();
    FuelCounts counts(args.fuel);
    args.fuel = static_cast<std::uint64_t>(group_fuel(args.fuel));
    args.fuel_counts = &counts;
    synchronize_fetch();
    run_(&args);
    if (args.status == backend::KernelStatus::done) [[likely]]
      return {};
    if (args.status == backend::KernelStatus::stopped)
      return Error{ErrorCode::fault, message(static_cast<ir::StopReason>(args.stop_reason)),
                   guest.where(args.guest_address)};
    return stopped(args.status, guest, args.guest_address);
  }

 private:
  using Entry = void (*)(backend::KernelArgs*);
  Entry entry(std::uint32_t offset) const {
    const std::byte* address = block_.address() + offset;
    Entry result;
    std::memcpy(&result, &address, sizeof result);
    return result;
  }

  CodeMemory::Block block_;
  std::vector<backend::CallSite> call_sites_;
  Entry run_ = nullptr;
  Entry preamble_ = nullptr;
};

class GuestKernel final : public Kernel {
 public:
  // All geometry invocations run one after another.
  GuestKernel(std::unique_ptr<frontend::GuestInterpreter> guest, const frontend::Facts& facts,
              const CompileReport& report, interpret::Observer* observer = nullptr)
      : guest_(std::move(guest)),
        facts_(facts),
        observer_(observer),
        ordered_(facts.get_if<frontend::PrimitiveFacts>() != nullptr) {
    report_ = report;
    report_.lanes = guest_->lanes();
    report_.ordered = ordered_;
    is_observed_ = observer != nullptr;
    cost_ = sizeof *this + 64 * 1024;
  }

  Status prepare(std::uint32_t*) const override { return {}; }

  Status run(backend::KernelArgs& args, const frontend::Shader&,
             const frontend::Values& values) const override {
    frontend::Rows inputs[backend::kMaxInputs], outputs[backend::kMaxOutputs];
    const std::size_t input_count = facts_.input_bindings(), output_count = facts_.output_bindings();
    for (std::size_t k = 0; k < input_count; ++k) inputs[k] = {args.inputs[k].address, args.inputs[k].stride};
    for (std::size_t k = 0; k < output_count; ++k)
      outputs[k] = {args.outputs[k].address, args.outputs[k].stride};
    const auto* const cancel = reinterpret_cast<const std::atomic<std::uint32_t>*>(args.cancel);
    return guest_->run(values, facts_, {inputs, input_count}, {outputs, output_count},
                       args.group_count * guest_->lanes(), {args.fuel, cancel, observer_});
  }

  Status run_blocks(const BlockRun& run, std::uint64_t first, std::uint64_t count,
                    std::optional<frontend::BlockFault>& fault) const override {
    return guest_->run_blocks(run.grid, first, count, {run.fuel, run.cancel, observer_}, fault);
  }

  Status draw(const frontend::Values& values, const interpret::PixelWork& work,
              std::uint64_t fuel) const override {
    return guest_->draw(values, work, {fuel, work.cancel, observer_});
  }

 private:
  std::unique_ptr<frontend::GuestInterpreter> guest_;
  frontend::Facts facts_;
  interpret::Observer* observer_;
  bool ordered_;
};

}  // namespace

Error stopped(backend::KernelStatus status, const frontend::SourceMap& guest, std::uint32_t guest_address) {
  const std::string where =
      guest_address == ir::kNoAddress ? guest.source_name() : guest.where(guest_address);
  if (status == backend::KernelStatus::cancelled) return {ErrorCode::cancelled, kCancelledMessage, where};
  return {ErrorCode::out_of_fuel, kOutOfFuelMessage, where};
}

namespace {

using KernelPointer = std::shared_ptr<Kernel>;

// Intermediate results on the way to a kernel, with the time that each took.
struct Translation {
  CompileReport report;
  frontend::UnitUse unit;
  std::uint64_t overwritten_planes = 0;
  ir::GroupProgram program;
};

bool writes_memory(const ir::Function& f) {
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (const ir::Inst i : f.insts(ir::Block{b})) {
      const ir::Opcode opcode = f.inst(i).opcode;
      if (ir::family(opcode) == ir::Family::memory && ir::info(opcode).writes) return true;
    }
  return false;
}

Result<Translation> run_passes(const frontend::Shader& shader, const frontend::Facts& facts,
                               const KernelOptions& options, bool speculate) {
  Stopwatch watch;
  Translation translation;
  translation.report.engine = options.engine;
  translation.report.generic = (shader.usage().bools & ~facts.known_bools) != 0;
  WARPJIT_TRY(frontend::Shader::Translation code, shader.translate(facts, options.dispatch_all));
  translation.report.ordered = code.ordered;
  translation.unit = code.unit;
  if (facts.get_if<frontend::PixelFacts>() != nullptr)
    translation.overwritten_planes = ir::overwritten_planes(code.function);
  translation.report.translate_time = watch.lap();
  ir::PipelineOptions pipeline;
  if (options.engine == EngineKind::jit) pipeline = backend::pipeline_options(options.target);
  pipeline.dispatch_all = options.dispatch_all;
  pipeline.verify = options.checks;
  // Groups that run again must not have changed memory.
  pipeline.assume_no_zero_inf =
      speculate && facts.get_if<frontend::GridFacts>() == nullptr && !writes_memory(code.function);
  if (options.engine == EngineKind::jit && options.parts != 0)
    pipeline.group_lanes = [&](const ir::Function&) {
      return options.parts * backend::lanes(options.target);
    };
  WARPJIT_TRY(translation.program, ir::run_pipeline(std::move(code.function), pipeline));
  translation.report.passes_time = watch.lap();
  return translation;
}

// Compiles and places. The report has what was done before, and gets the rest.
Result<KernelPointer> make_jit_kernel(const ir::GroupProgram& program, CompileReport report,
                                      const std::string& name, const KernelOptions& options,
                                      CodeMemory* memory, WorkspacePool& workspaces) {
  Stopwatch watch;
  report.target = public_target(options.target);
  backend::CompileOptions compile;
  // One ordered invocation fills a group: more parts would only repeat it.
  compile.parts = report.ordered && options.parts == 0 ? 1 : options.parts;
  compile.small_primitives = options.small_primitives;
  compile.large_primitives = options.large_primitives;
  compile.rows_ahead = options.rows_ahead;
  compile.many_ranges = options.many_ranges;
  compile.tuning = options.tuning;
  // The exact version of a kernel takes the same records.
  if (program.assumes_no_zero_inf || options.quads) compile.single_pixels = false;
  compile.alike = report.ordered;
  compile.registers = options.registers;
  compile.validate = options.checks;
  WorkspacePool::Lease workspace = workspaces.borrow();
  WARPJIT_TRY(backend::MachineCode code, backend::compile(program, options.target, compile, *workspace));
  report.backend_time = watch.lap();
  if (options.code_bytes != 0 && code.bytes.size() > options.code_bytes)
    return Error{ErrorCode::resource_limit,
                 "the kernel has " + std::to_string(code.bytes.size()) + " bytes of code, more than " +
                     std::to_string(options.code_bytes),
                 name};
  CodeLabel label{name, code.map};
  WARPJIT_TRY(CodeMemory::Block block,
              memory->place(code.bytes, std::move(label), code.alignment, code.unwinding));
  report.place_time = watch.lap();
  return KernelPointer(std::make_shared<JitKernel>(program.kernel, code, std::move(block), report));
}

// Threads that the IR interpreter runs together: a group, where the function says how wide that is. Ordered
// invocations are alone.
unsigned ir_lanes(const Translation& translation) {
  if (translation.report.ordered) return 1;
  return translation.program.kernel.group_lanes != 0 ? translation.program.kernel.group_lanes : kIrLanes;
}

// The exact version of a kernel with `lanes` threads per group: by the JIT, or, if it is too large for that,
// by the IR interpreter.
Result<KernelPointer> make_exact_kernel(const frontend::Shader& shader, const frontend::Facts& facts,
                                        const KernelOptions& options, CodeMemory* memory,
                                        WorkspacePool& workspaces, unsigned lanes) {
  WARPJIT_TRY(Translation translation, run_passes(shader, facts, options, false));
  auto kernel = make_jit_kernel(translation.program, translation.report, shader.source_name(), options,
                                memory, workspaces);
  if (kernel || kernel.error().code != ErrorCode::resource_limit) return kernel;
  return make_ir_kernel(std::move(translation.program), translation.report, lanes);
}

Result<KernelPointer> make_guest_kernel(const frontend::Shader& shader, const frontend::Facts& facts,
                                        interpret::Observer* observer = nullptr) {
  Stopwatch watch;
  CompileReport report;
  report.engine = EngineKind::guest;
  report.generic = (shader.usage().bools & ~facts.known_bools) != 0;
  WARPJIT_TRY(std::unique_ptr<frontend::GuestInterpreter> guest, shader.prepare_interpreter(facts));
  report.translate_time = watch.lap();
  return KernelPointer(std::make_shared<GuestKernel>(std::move(guest), facts, report, observer));
}

// The kernel of the engine that the options name, from what the passes left.
Result<KernelPointer> make_code_kernel(const frontend::Shader& shader, const frontend::Facts& facts,
                                       KernelOptions options, Translation translation, CodeMemory* memory,
                                       WorkspacePool& workspaces) {
  // Two kernels that share windows.
  if (translation.program.assumes_no_zero_inf) options.many_ranges = false;
  if (options.engine == EngineKind::ir) {
    const unsigned lanes = ir_lanes(translation);
    return make_ir_kernel(std::move(translation.program), translation.report, lanes);
  }
  auto result = make_jit_kernel(translation.program, translation.report, shader.source_name(), options,
                                memory, workspaces);
  const std::uint32_t group = translation.program.kernel.group_lanes;
  const bool may_widen = translation.program.kernel.may_widen;
  if (!result && result.error().code == ErrorCode::resource_limit && options.parts == 0 &&
      (group == 0 || may_widen)) {
    // With fewer vectors for each value it may be within the limits, and is still faster than an interpreter.
    options.parts = 1;
    if (may_widen) {
      WARPJIT_TRY(translation, run_passes(shader, facts, options, translation.program.assumes_no_zero_inf));
    }
    if (group == 0 || translation.program.kernel.group_lanes != group) {
      auto narrow = make_jit_kernel(translation.program, translation.report, shader.source_name(), options,
                                    memory, workspaces);
      if (narrow) result = std::move(narrow);
    }
  }
  WARPJIT_TRY(KernelPointer kernel, std::move(result));
  if (!translation.program.assumes_no_zero_inf) return kernel;
  const ir::Function& f = translation.program.kernel;
  KernelOptions exact = options;
  exact.parts = kernel->lanes() / backend::lanes(options.target);
  exact.quads = true;
  return KernelPointer(std::make_shared<SpeculativeKernel>(
      kernel, f.input_count, f.output_count,
      // Only its engine, which owns the workspaces, runs a kernel.
      [facts, exact, memory = memory->shared_from_this(), &workspaces, lanes = kernel->lanes()](
          const frontend::Shader& same_shader) -> Result<std::shared_ptr<const Kernel>> {
        WARPJIT_TRY(std::shared_ptr<const Kernel> made_exact,
                    make_exact_kernel(same_shader, facts, exact, memory.get(), workspaces, lanes));
        return made_exact;
      }));
}

Status set_unit_use(const frontend::Shader& shader, const frontend::Facts& facts,
                    const frontend::UnitUse& use, Kernel& kernel) {
  std::shared_ptr<const frontend::GuestInterpreter> guest;
  const bool last_ones = facts.get<frontend::PrimitiveFacts>().keeps_unit && !kernel.report().ordered;
  if (use.history != 0 || use.follows_a_run || last_ones) {
    WARPJIT_TRY(std::unique_ptr<frontend::GuestInterpreter> interpreter, shader.prepare_interpreter(facts));
    guest = std::move(interpreter);
  }
  kernel.set_unit_use(use, std::move(guest));
  return {};
}

}  // namespace

Result<KernelPointer> make_kernel(const frontend::Shader& shader, const frontend::Facts& facts,
                                  const KernelOptions& options, CodeMemory* memory,
                                  WorkspacePool& workspaces) {
  if (options.engine == EngineKind::guest) return make_guest_kernel(shader, facts);
  const bool speculate =
      options.engine == EngineKind::jit && options.speculate && FloatEnvironment::kHasInvalid;
  WARPJIT_TRY(Translation translation, run_passes(shader, facts, options, speculate));
  const frontend::UnitUse unit = translation.unit;
  const std::uint64_t overwritten = translation.overwritten_planes;
  WARPJIT_TRY(KernelPointer kernel,
              make_code_kernel(shader, facts, options, std::move(translation), memory, workspaces));
  kernel->set_overwritten_planes(overwritten);
  if (facts.get_if<frontend::PrimitiveFacts>() != nullptr)
    WARPJIT_CHECK(set_unit_use(shader, facts, unit, *kernel));
  return kernel;
}

Result<KernelPointer> make_observed_kernel(const frontend::Shader& shader, const frontend::Facts& facts,
                                           interpret::Observer* observer) {
  return make_guest_kernel(shader, facts, observer);
}

Result<std::vector<std::byte>> kernel_key(const frontend::Shader& shader, const frontend::Facts& facts,
                                          const KernelOptions& options) {
  std::vector<std::byte> key;
  key.reserve(4096);
  for (const unsigned byte : {static_cast<unsigned>(shader.isa()), static_cast<unsigned>(facts.work.index()),
                              static_cast<unsigned>(options.engine), static_cast<unsigned>(options.target),
                              static_cast<unsigned>(options.dispatch_all)})
    key.push_back(static_cast<std::byte>(byte));
  for (const std::uint32_t word :
       {options.parts, options.registers, options.code_bytes, options.speculate ? 1U : 0U,
        options.small_primitives   ? 2U
        : options.large_primitives ? 1U
                                   : 0U,
        number_of(options.rows_ahead), options.many_ranges ? 1U : 0U}) {
    const auto bytes = std::as_bytes(std::span(&word, 1));
    key.insert(key.end(), bytes.begin(), bytes.end());
  }
  WARPJIT_CHECK(shader.append_key(facts, key));
  // Messages of the guest interpreter name its source file.
  // A grid may run in it even if the options name the JIT.
  if (options.engine == EngineKind::guest || facts.get_if<frontend::GridFacts>() != nullptr)
    for (const char letter : shader.source_name()) key.push_back(static_cast<std::byte>(letter));
  return key;
}

}  // namespace warpjit::runtime
