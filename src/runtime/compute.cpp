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

// What a host thread needs to run blocks, one after another.
class BlockState {
 public:
  BlockState(const ComputeRun& run, const ir::Function& shape)
      : run_(run),
        lanes_(shape.group_lanes),
        groups_(shape.block_groups),
        shared_(run.plan.shared_bytes / 4),
        locks_(run.plan.shared_bytes / 4) {
    for (std::uint32_t k = 0; k < ir::kMaxSpaces; ++k) {
      const std::span<const std::byte> constant = run.plan.constants[k];
      if (!constant.empty()) {
        // Nobody writes to constants.
        ranges_[k].push_back(
            {const_cast<std::byte*>(constant.data()), 0, static_cast<std::uint32_t>(constant.size())});
        memory_.constants[k] = ranges_[k];
      }
      std::vector<ir::MemoryRange>& globals = ranges_[ir::kMaxSpaces + k];
      for (const frontend::GlobalRange& range : run.launch.globals[k])
        globals.push_back(
            {range.bytes.data(), range.address, static_cast<std::uint32_t>(range.bytes.size())});
      memory_.globals[k] = globals;
    }
    memory_.shared = std::as_writable_bytes(std::span(shared_));
    memory_.locks = locks_;
    memory_.lanes = lanes_;
    memory_.local_bytes = run.shader.local_bytes();
    local_.resize(std::size_t{groups_} * lanes_ * ir::BlockMemory::local_words(memory_.local_bytes));
    memory_.local = reinterpret_cast<std::byte*>(local_.data());
    windows_.set(memory_);
    frame_.resize(std::size_t{groups_} * shape.frame_slots * lanes_ + 16);
  }

  Status run(const CodeKernel& kernel, std::uint32_t inner_groups, std::array<std::uint32_t, 2> block) {
    std::fill(shared_.begin(), shared_.end(), 0);
    std::fill(local_.begin(), local_.end(), 0);
    std::fill(locks_.begin(), locks_.end(), std::uint8_t{0});
    run_.shader.begin_block(run_.launch, block, memory_.shared);
    args_.table = run_.table;
    args_.group_count = groups_ / inner_groups;
    const std::uint64_t threads = std::uint64_t{lanes_} * inner_groups;
    args_.fuel = run_.fuel > std::numeric_limits<std::uint64_t>::max() / threads
                     ? std::numeric_limits<std::uint64_t>::max()
                     : run_.fuel * threads;
    args_.cancel =
        run_.cancel != nullptr ? reinterpret_cast<const std::uint32_t*>(run_.cancel) : &kNeverCancelled;
    args_.memory = &memory_;
    args_.windows = windows_.data();
    args_.group_index = 0;
    const auto address = reinterpret_cast<std::uintptr_t>(frame_.data());
    args_.frame = frame_.data() + ((64 - address % 64) % 64) / 4;
    return kernel.call(args_, run_.shader);
  }

  const ir::MemoryFault& fault() const { return memory_.fault; }

 private:
  const ComputeRun& run_;
  std::uint32_t lanes_, groups_;
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
  CodeBlocks(std::shared_ptr<const CodeKernel> kernel, const ir::Function& f) : kernel_(std::move(kernel)) {
    report_ = kernel_->report();
    cost_ = kernel_->cost();
    shape_.group_lanes = f.group_lanes;
    shape_.block_groups = f.block_groups;
    shape_.inner_groups = f.inner_groups;
    shape_.frame_slots = f.frame_slots;
  }

  std::size_t table_bytes() const override { return kernel_->table_bytes(); }
  Status prepare(std::uint32_t* table) const override { return kernel_->prepare(table); }

  Status run(const ComputeRun& run, std::uint64_t first, std::uint64_t count,
             frontend::BlocksReport& report) const override {
    BlockState state(run, shape_);
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::array<std::uint32_t, 2> block = run.launch.block_at(first + k);
      const Status status = state.run(*kernel_, shape_.inner_groups, block);
      if (state.fault().happened && !report.fault) report.fault = {state.fault(), block};
      if (!status) return status;
    }
    return {};
  }

 private:
  std::shared_ptr<const CodeKernel> kernel_;
  ir::Function shape_;  // its numbers alone
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
    pipeline.group_lanes = [&](const ir::Function& f) { return backend::choose_group_lanes(f, options.target); };
  WARPJIT_TRY(ir::GroupProgram program, ir::run_pipeline(std::move(function), pipeline));
  report.passes_ns = lap();
  std::shared_ptr<const CodeKernel> kernel;
  if (options.engine == EngineKind::jit) {
    auto made = make_jit_kernel(program, report, shader.source_name(), options, memory, workspaces);
    if (!made && !(may_interpret && made.error().code == ErrorCode::resource_limit)) return made.error();
    if (made) kernel = std::move(*made);
  }
  const ir::Function f = program.kernel;
  if (!kernel) {
    report.engine = EngineKind::ir;
    WARPJIT_TRY(kernel, make_ir_kernel(std::move(program), report, f.group_lanes));
  }
  return KernelPointer(std::make_shared<CodeBlocks>(std::move(kernel), f));
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

Result<std::vector<std::byte>> compute_key(const frontend::ComputeShader& shader,
                                           const frontend::ComputeLaunch& launch,
                                           const frontend::ComputePlan& plan, const KernelOptions& options,
                                           bool may_interpret) {
  std::vector<std::byte> key;
  for (const unsigned byte :
       {0xc0U, static_cast<unsigned>(options.engine), static_cast<unsigned>(options.target),
        options.dispatch_all ? 1U : 0U, may_interpret ? 1U : 0U})
    key.push_back(static_cast<std::byte>(byte));
  WARPJIT_CHECK(shader.append_key(launch, plan, key));
  // Messages of the guest interpreter name its source file.
  for (const char letter : shader.source_name()) key.push_back(static_cast<std::byte>(letter));
  return key;
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
