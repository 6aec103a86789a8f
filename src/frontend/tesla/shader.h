// Tesla kernels as the runtime sees them (frontend/compute.h).
#pragma once

#include "frontend/compute.h"
#include "frontend/tesla/program.h"
#include "frontend/tesla/translate.h"

namespace warpjit::tesla {

class Shader final : public frontend::ComputeShader {
 public:
  // Errors: numbers over the limits, programs that are not for compute.
  static Result<std::shared_ptr<const Shader>> make(Program program);

  const Program& program() const { return program_; }

  const std::string& source_name() const override { return program_.source_name; }
  std::string where(std::uint32_t guest_address) const override { return program_.where(guest_address); }
  const std::string& name() const override { return program_.name; }
  std::uint32_t registers() const override { return program_.registers; }
  std::uint32_t shared_bytes() const override { return program_.shared_bytes; }
  std::uint32_t local_bytes() const override { return program_.local_bytes; }
  std::size_t code_words() const override { return program_.code.size(); }
  Result<frontend::ComputePlan> plan(const frontend::ComputeLaunch& launch) const override;
  Status append_key(const frontend::ComputeLaunch& launch, const frontend::ComputePlan& plan,
                    std::vector<std::byte>& key) const override;
  Result<ir::Function> translate(const frontend::ComputeLaunch& launch, const frontend::ComputePlan& plan,
                                 bool dispatch_all) const override;
  void fill_table(const frontend::ComputeLaunch& launch, std::span<std::byte> table) const override;
  void begin_block(const frontend::ComputeLaunch& launch, std::array<std::uint32_t, 2> block,
                   std::span<std::byte> shared) const override;
  Result<std::unique_ptr<frontend::GuestBlocks>> prepare_guest(
      const frontend::ComputeLaunch& launch) const override;
  Status run_profiled(const frontend::ComputeLaunch& launch, frontend::BlocksReport& report,
                      ComputeProfile& profile) const override;

 private:
  explicit Shader(Program program);
  BranchTargets targets(const frontend::ComputePlan& plan) const;
  Result<Interpreter> interpreter(const frontend::ComputeLaunch& launch) const;
  ComputeFacts facts(const frontend::ComputeLaunch& launch, const frontend::ComputePlan& plan) const;

  Program program_;
  Result<std::vector<std::byte>> code_key_;
  std::uint32_t branch_spaces_ = 0;  // 0: there is no `bra c[]`
};

}  // namespace warpjit::tesla
