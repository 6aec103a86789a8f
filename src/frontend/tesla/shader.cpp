#include "frontend/tesla/shader.h"

#include "frontend/tesla/interpret.h"
#include "frontend/tesla/launch.h"

namespace warpjit::tesla {
namespace {

void copy_fault(const RunReport& run, frontend::BlocksReport& report) {
  if (!run.first_fault) return;
  const MemoryFault& fault = *run.first_fault;
  report.fault = {{.happened = true,
                   .is_store = fault.is_store,
                   .space = space_of(fault.space),
                   .index = fault.index,
                   .address = fault.address,
                   .guest_address = fault.pc,
                   .thread = fault.thread},
                  fault.block};
}

class Blocks final : public frontend::GuestBlocks {
 public:
  explicit Blocks(Interpreter interpreter) : interpreter_(std::move(interpreter)) {}

  Status run(const frontend::ComputeLaunch& launch, std::uint64_t first, std::uint64_t count,
             frontend::BlocksReport& report) const override {
    RunReport run;
    const Status status = interpreter_.run(launch, first, count, run);
    copy_fault(run, report);
    return status;
  }

 private:
  Interpreter interpreter_;
};

}  // namespace

Result<std::shared_ptr<const Shader>> Shader::make(Program program) {
  WARPJIT_CHECK(check_limits(program));
  if (program.type != ProgramType::compute)
    return Error{ErrorCode::unsupported, "only compute programs run so far", program.source_name};
  return std::shared_ptr<const Shader>(new Shader(std::move(program)));
}

Shader::Shader(Program program) : program_(std::move(program)), code_key_(std::vector<std::byte>{}) {
  const auto code = ReachedCode::find(program_);
  if (!code) {
    code_key_ = code.error();
    return;
  }
  code_key_ = code_key(program_, *code);
  if (code->branches_through_constants()) branch_spaces_ = branch_spaces(program_);
}

BranchTargets Shader::targets(const frontend::ComputePlan& plan) const {
  return branch_spaces_ == 0 ? BranchTargets{} : branch_targets(program_, branch_spaces_, plan.constants);
}

Result<Interpreter> Shader::interpreter(const frontend::ComputeLaunch& launch) const {
  if (branch_spaces_ == 0) return Interpreter::prepare(program_, launch.modes);
  WARPJIT_TRY(const frontend::ComputePlan plan, plan_launch(program_, launch));
  return Interpreter::prepare(program_, launch.modes, targets(plan));
}

Result<frontend::ComputePlan> Shader::plan(const frontend::ComputeLaunch& launch) const {
  return plan_launch(program_, launch);
}

ComputeFacts Shader::facts(const frontend::ComputeLaunch& launch, const frontend::ComputePlan& plan) const {
  ComputeFacts facts;
  facts.block = launch.block;
  facts.shared_bytes = plan.shared_bytes;
  facts.local_bytes = program_.local_bytes;
  for (std::size_t k = 0; k < kConstantSpaces; ++k)
    facts.constant_bytes[k] = static_cast<std::uint32_t>(plan.constants[k].size());
  facts.branch_targets = targets(plan);
  facts.modes = launch.modes;
  return facts;
}

Status Shader::append_key(const frontend::ComputeLaunch& launch, const frontend::ComputePlan& plan,
                          std::vector<std::byte>& key) const {
  WARPJIT_CHECK(code_key_);
  key.insert(key.end(), code_key_->begin(), code_key_->end());
  tesla::append_key(facts(launch, plan), key);
  return {};
}

Result<ir::Function> Shader::translate(const frontend::ComputeLaunch& launch,
                                       const frontend::ComputePlan& plan, bool dispatch_all) const {
  return tesla::translate(program_, facts(launch, plan), dispatch_all);
}

void Shader::fill_table(const frontend::ComputeLaunch& launch, std::span<std::byte> table) const {
  write_header(launch, {}, table);
}

void Shader::begin_block(const frontend::ComputeLaunch& launch, std::array<std::uint32_t, 2> block,
                         std::span<std::byte> shared) const {
  write_header(launch, block, shared);
}

Result<std::unique_ptr<frontend::GuestBlocks>> Shader::prepare_guest(
    const frontend::ComputeLaunch& launch) const {
  WARPJIT_TRY(Interpreter prepared, interpreter(launch));
  return std::unique_ptr<frontend::GuestBlocks>(std::make_unique<Blocks>(std::move(prepared)));
}

Status Shader::run_profiled(const frontend::ComputeLaunch& launch, frontend::BlocksReport& report,
                            ComputeProfile& profile) const {
  WARPJIT_TRY(const Interpreter prepared, interpreter(launch));
  RunReport run;
  const Status status = prepared.run_profiled(launch, run, profile);
  copy_fault(run, report);
  return status;
}

}  // namespace warpjit::tesla
