// Tesla kernels as the runtime sees them (frontend/shader.h).
#pragma once

#include "frontend/shader.h"
#include "frontend/tesla/container/program.h"
#include "frontend/tesla/translate/translate.h"

namespace warpjit::tesla {

Stage stage_of(ProgramType type);
ProgramType program_type(Stage stage);

class Shader final : public frontend::Shader {
 public:
  // Errors: numbers over the limits, programs that are not for compute.
  static Result<std::shared_ptr<const Shader>> make(Program program, const Modes& modes = {});

  const Program& program() const { return program_; }
  const Modes& modes() const { return modes_; }

  Isa isa() const override { return Isa::tesla; }
  Stage stage() const override { return stage_of(program_.type); }
  const std::string& source_name() const override { return program_.source_name; }
  std::string where(std::uint32_t guest_address) const override { return program_.where(guest_address); }
  const std::string& name() const override { return program_.name; }
  std::uint32_t entry() const override { return program_.entry; }
  std::size_t code_words() const override { return program_.code.size(); }
  Resources resources() const override {
    return {program_.registers, program_.shared_bytes, program_.local_bytes};
  }
  Result<frontend::SpaceName> find_space(std::string_view name) const override;
  std::string address_text(const ir::MemoryFault& access) const override;
  // The beginning of s[], as much as the table has room for, as a block finds it, except for the block's own
  // index.
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override;
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override;
  Result<Translation> translate(const frontend::Facts& facts, bool dispatch_all) const override;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_guest(
      const frontend::Facts& facts) const override;
  Result<frontend::CheckedGrid> check_grid(const frontend::Grid& grid) const override;
  bool reads_code_addresses() const override { return branch_spaces_ != 0; }
  frontend::GridFacts grid_facts(const frontend::Grid& grid,
                                 const frontend::CheckedGrid& checked) const override;
  void begin_block(const frontend::Grid& grid, ir::BlockPosition block,
                   std::span<std::byte> shared) const override;
  Status profile(const frontend::Grid& grid, std::optional<frontend::BlockFault>& fault,
                 Profile& profile) const override;

 private:
  Shader(Program program, const Modes& modes);
  ComputeFacts compute_facts(const frontend::Facts& facts) const;

  Program program_;
  Modes modes_;
  Result<std::vector<std::byte>> code_key_;
  std::uint32_t branch_spaces_ = 0;  // 0: there is no `bra c[]`
};

}  // namespace warpjit::tesla
