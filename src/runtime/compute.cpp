#include "runtime/compute.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <utility>

#include "ir/pipeline.h"
#include "runtime/kernel_ir.h"

namespace warpjit::runtime {
namespace {

constexpr std::uint32_t kNeverCancelled = 0;

std::uint64_t now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

// What of a block's memory a kernel looks at.
struct Touched {
  bool shared = false, locks = false, local = false;

  explicit Touched(const ir::Function& f) {
    for (std::uint32_t b = 0; b < f.block_count(); ++b)
      for (const ir::Inst i : f.insts(ir::Block{b})) {
        const ir::InstData& data = f.inst(i);
        if (data.opcode < ir::Opcode::LoadMemory || data.opcode > ir::Opcode::UnlockMemory) continue;
        const ir::Space space = ir::MemoryAccess::unpack(data.immediate).space;
        shared = shared || space == ir::Space::shared;
        local = local || space == ir::Space::local;
        locks = locks || data.opcode == ir::Opcode::LockMemory || data.opcode == ir::Opcode::UnlockMemory;
      }
  }
};

// The numbers of a kernel's function that running it takes.
struct Shape {
  std::uint32_t lanes, groups, inner_groups, frame_slots;
  Touched touched;

  explicit Shape(const ir::Function& f)
      : lanes(f.group_lanes),
        groups(f.block_groups),
        inner_groups(f.inner_groups),
        frame_slots(f.frame_slots),
        touched(f) {}
  // Does a block leave nothing behind, so that one call may run many?
  bool runs_on() const { return !touched.shared && !touched.local && frame_slots == 0; }
};

// What a host thread needs to run blocks, one after another. Keeps its memory from run to run.
class BlockState {
 public:
  void begin(const ComputeRun& run, const Shape& shape, std::uint32_t shared_phase) {
    run_ = &run;
    shape_ = &shape;
    const Touched& touched = shape.touched;
    for (std::uint32_t k = 0; k < ir::kMaxSpaces; ++k) {
      std::vector<ir::MemoryRange>&constants = ranges_[k], &globals = ranges_[ir::kMaxSpaces + k];
      constants.clear();
      const std::span<const std::byte> constant = run.plan.constants[k];
      // Nobody writes to constants.
      if (!constant.empty())
        constants.push_back(
            {const_cast<std::byte*>(constant.data()), 0, static_cast<std::uint32_t>(constant.size())});
      memory_.constants[k] = constants;
      globals.clear();
      for (const frontend::GlobalRange& range : run.launch.globals[k])
        globals.push_back(
            {range.bytes.data(), range.address, static_cast<std::uint32_t>(range.bytes.size())});
      memory_.globals[k] = globals;
    }
    shared_.resize(touched.shared ? run.plan.shared_bytes / 4 + 2 * kMarginWords + kLineWords : 0);
    memory_.shared = {};
    if (touched.shared)
      memory_.shared = std::as_writable_bytes(std::span(
          aligned(shared_, kMarginWords * 4 + shared_phase) + kMarginWords, run.plan.shared_bytes / 4));
    locks_.resize(touched.locks ? run.plan.shared_bytes / 4 : 0);
    memory_.locks = locks_;
    memory_.lanes = shape.lanes;
    memory_.local_bytes = run.shader.local_bytes();
    local_.resize(touched.local ? std::size_t{shape.groups} * shape.lanes *
                                      ir::BlockMemory::local_words(memory_.local_bytes)
                                : 0);
    memory_.local = reinterpret_cast<std::byte*>(local_.data());
    memory_.fault = {};
    windows_.set(memory_);
    frame_.resize(std::size_t{shape.groups} * shape.frame_slots * shape.lanes + kLineWords);

    args_.table = run.table;
    const std::uint64_t threads = std::uint64_t{shape.lanes} * shape.inner_groups;
    args_.fuel = run.fuel > std::numeric_limits<std::uint64_t>::max() / threads
                     ? std::numeric_limits<std::uint64_t>::max()
                     : run.fuel * threads;
    args_.cancel =
        run.cancel != nullptr ? reinterpret_cast<const std::uint32_t*>(run.cancel) : &kNeverCancelled;
    args_.memory = &memory_;
    args_.windows = windows_.data();
    args_.frame = aligned(frame_);
    args_.grid_columns = run.launch.grid[0];
    args_.block_groups = shape.groups / shape.inner_groups;
  }

  // Blocks `first` to `first + count - 1`.
  Status run(const CodeKernel& kernel, std::uint64_t first, std::uint64_t count) {
    if (shape_->runs_on()) return call(kernel, first, count - 1);
    for (std::uint64_t k = first; k < first + count; ++k) {
      std::fill(memory_.shared.begin(), memory_.shared.end(), std::byte{});
      std::fill(local_.begin(), local_.end(), 0);
      std::fill(locks_.begin(), locks_.end(), std::uint8_t{0});
      if (shape_->touched.shared)
        run_->shader.begin_block(run_->launch, run_->launch.block_at(k), memory_.shared);
      WARPJIT_CHECK(call(kernel, k, 0));
    }
    return {};
  }

  // The first fault since the begin.
  const ir::MemoryFault& fault() const { return memory_.fault; }

 private:
  // Vectors of a host should not straddle its cache lines. What is in the margins does not matter.
  static constexpr std::size_t kLineWords = 16, kMarginWords = backend::kSharedMargin / 4;
  // Where byte `phase` begins a line.
  static std::uint32_t* aligned(std::vector<std::uint32_t>& words, std::uint32_t phase = 0) {
    constexpr std::uintptr_t kLine = kLineWords * 4;
    const auto address = reinterpret_cast<std::uintptr_t>(words.data()) + phase;
    return words.data() + (kLine - address % kLine) % kLine / 4;
  }

  Status call(const CodeKernel& kernel, std::uint64_t first, std::uint64_t more) {
    const std::array<std::uint32_t, 2> block = run_->launch.block_at(first);
    std::copy(block.begin(), block.end(), args_.block);
    args_.more_blocks = more;
    args_.group_count = args_.block_groups;
    args_.group_index = 0;
    return kernel.call(args_, run_->shader);
  }

  const ComputeRun* run_ = nullptr;
  const Shape* shape_ = nullptr;
  std::vector<std::uint32_t> shared_;
  std::vector<std::uint8_t> locks_;
  std::vector<std::uint32_t> local_, frame_;
  std::array<std::vector<ir::MemoryRange>, std::size_t{2} * ir::kMaxSpaces> ranges_;
  ir::BlockMemory memory_;
  backend::MemoryWindows windows_;
  backend::KernelArgs args_{};
};

// Machine code or IR.
class CodeBlocks final : public ComputeKernel {
 public:
  CodeBlocks(std::shared_ptr<const CodeKernel> kernel, const Shape& shape)
      : kernel_(std::move(kernel)), shape_(shape) {
    report_ = kernel_->report();
    cost_ = kernel_->cost();
  }

  std::size_t table_bytes() const override { return kernel_->table_bytes(); }
  Status prepare(std::uint32_t* table) const override { return kernel_->prepare(table); }

  Status run(const ComputeRun& run, std::uint64_t first, std::uint64_t count,
             frontend::BlocksReport& report) const override {
    Pool<BlockState>::Lease state = states_.borrow();
    state->begin(run, shape_, kernel_->shared_phase());
    Status status = state->run(*kernel_, first, count);
    if (state->fault().happened) report.fault = {state->fault(), state->fault().block};
    return status;
  }

 private:
  std::shared_ptr<const CodeKernel> kernel_;
  Shape shape_;
  mutable Pool<BlockState> states_;
};

class GuestKernel final : public ComputeKernel {
 public:
  GuestKernel(std::unique_ptr<frontend::GuestBlocks> guest, const CompileReport& report, std::string because)
      : guest_(std::move(guest)) {
    report_ = report;
    report_.engine = EngineKind::guest;
    report_.target = Target::automatic;
    report_.lanes = 32;
    interpreted_because_ = std::move(because);
    cost_ = sizeof *this + 64 * 1024;
  }

  Status run(const ComputeRun& run, std::uint64_t first, std::uint64_t count,
             frontend::BlocksReport& report) const override {
    frontend::ComputeLaunch launch = run.launch;
    launch.fuel = run.fuel;
    return guest_->run(launch, first, count, report);
  }

 private:
  std::unique_ptr<frontend::GuestBlocks> guest_;
};

using KernelPointer = std::shared_ptr<const ComputeKernel>;

Result<KernelPointer> make_guest(const frontend::ComputeShader& shader, const frontend::ComputeLaunch& launch,
                                 std::string because) {
  const std::uint64_t start = now();
  CompileReport report;
  WARPJIT_TRY(std::unique_ptr<frontend::GuestBlocks> guest, shader.prepare_guest(launch));
  report.translate_ns = now() - start;
  return KernelPointer(std::make_shared<GuestKernel>(std::move(guest), report, std::move(because)));
}

Result<KernelPointer> make_code(const frontend::ComputeShader& shader, const frontend::ComputeLaunch& launch,
                                const frontend::ComputePlan& plan, const KernelOptions& options,
                                bool may_interpret, CodeMemory* memory, WorkspacePool& workspaces) {
  std::uint64_t start = now();
  const auto lap = [&] {
    const std::uint64_t time = now();
    return time - std::exchange(start, time);
  };
  CompileReport report;
  report.engine = options.engine;
  WARPJIT_TRY(ir::Function function, shader.translate(launch, plan, options.dispatch_all));
  report.translate_ns = lap();
  ir::PipelineOptions pipeline;
  pipeline.dispatch_all = options.dispatch_all;
  pipeline.verify = options.checks;
  if (options.engine == EngineKind::jit)
    pipeline.group_lanes = [&](const ir::Function& f) {
      return options.parts != 0 ? options.parts * backend::lanes(options.target)
                                : backend::choose_group_lanes(f, options.target);
    };
  WARPJIT_TRY(ir::GroupProgram program, ir::run_pipeline(std::move(function), pipeline));
  report.passes_ns = lap();
  std::shared_ptr<const CodeKernel> kernel;
  if (options.engine == EngineKind::jit) {
    auto made = make_jit_kernel(program, report, shader.source_name(), options, memory, workspaces);
    if (!made && !(may_interpret && made.error().code == ErrorCode::resource_limit)) return made.error();
    if (made) kernel = std::move(*made);
  }
  const Shape shape(program.kernel);
  if (!kernel) {
    report.engine = EngineKind::ir;
    WARPJIT_TRY(kernel, make_ir_kernel(std::move(program), report, shape.lanes));
  }
  return KernelPointer(std::make_shared<CodeBlocks>(std::move(kernel), shape));
}

}  // namespace

Result<KernelPointer> make_compute_kernel(const frontend::ComputeShader& shader,
                                          const frontend::ComputeLaunch& launch,
                                          const frontend::ComputePlan& plan, const KernelOptions& options,
                                          bool may_interpret, CodeMemory* memory, WorkspacePool& workspaces) {
  if (options.engine == EngineKind::guest) return make_guest(shader, launch, {});
  auto made = make_code(shader, launch, plan, options, may_interpret, memory, workspaces);
  if (made || !may_interpret || made.error().code != ErrorCode::unsupported) return made;
  return make_guest(shader, launch, to_string(made.error()));
}

Status compute_key(const frontend::ComputeShader& shader, const frontend::ComputeLaunch& launch,
                   const frontend::ComputePlan& plan, const KernelOptions& options, bool may_interpret,
                   std::vector<std::byte>& key) {
  key.clear();
  for (const unsigned byte :
       {0xc0U, static_cast<unsigned>(options.engine), static_cast<unsigned>(options.target),
        options.dispatch_all ? 1U : 0U, may_interpret ? 1U : 0U})
    key.push_back(static_cast<std::byte>(byte));
  WARPJIT_CHECK(shader.append_key(launch, plan, key));
  // Messages of the guest interpreter name its source file.
  for (const char letter : shader.source_name()) key.push_back(static_cast<std::byte>(letter));
  return {};
}

ComputeFault describe(const frontend::BlocksReport::Fault& fault, const frontend::Guest& guest) {
  constexpr const char* kNames[] = {"c", "s", "l", "g"};
  const ir::MemoryFault& access = fault.access;
  const bool indexed = access.space == ir::Space::constant || access.space == ir::Space::global;
  char address[32];
  std::snprintf(address, sizeof address, "[0x%x]", access.address);
  return {guest.where(access.guest_address), std::string(access.is_store ? "store to " : "load from ") +
                                                 kNames[static_cast<std::size_t>(access.space)] +
                                                 (indexed ? std::to_string(access.index) : std::string()) +
                                                 address + " by thread " + std::to_string(access.thread) +
                                                 " of block (" + std::to_string(fault.block[0]) + ", " +
                                                 std::to_string(fault.block[1]) + ")"};
}

}  // namespace warpjit::runtime
