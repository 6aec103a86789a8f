// Tesla programs as the runtime sees them (frontend/shader.h).
#pragma once

#include "frontend/shader.h"
#include "frontend/tesla/container/program.h"
#include "frontend/tesla/interpret/interpret.h"
#include "frontend/tesla/translate/graphics.h"
#include "frontend/tesla/translate/translate.h"

namespace warpjit::tesla {

Stage stage_of(ProgramType type);
ProgramType program_type(Stage stage);
// The first one of a run of the interpreter.
std::optional<frontend::BlockFault> fault_of(const RunReport& run);

// What is known of a graphics program besides its code.
struct GraphicsParts {
  ReachedCode code;                     // without what is reached through c[] alone
  ConstantTable constants;              // with that
  std::vector<pixels::SlotUse> uses{};  // of a fragment program
  GraphicsParts(const Program& program, ReachedCode reached);
};

class Shader final : public frontend::Shader {
 public:
  // Errors: numbers over the limits.
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
  Result<Location> find(LocationKind kind, std::string_view name) const override;
  std::string register_name(const Location& location) const override;
  frontend::Usage usage() const override;
  unsigned input_registers() const override { return kIdInput + 1; }
  std::size_t table_bytes() const override;
  bool rows_form_quads() const override { return shows_lanes_; }
  unsigned result_slots() const override;
  std::optional<frontend::StripOutput> strip_output() const override;
  std::span<const pixels::SlotUse> slot_uses() const override;
  Result<frontend::SpaceName> find_space(std::string_view name) const override;
  std::string address_text(const ir::MemoryFault& access, const frontend::Grid& grid) const override;
  // What is sampled; of kernels behind it the beginning of s[], as much as the table has room for, as a block
  // finds it, except for the block's own index; of graphics programs before it their constants.
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override;
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override;
  Result<Translation> translate(const frontend::Facts& facts, bool dispatch_all) const override;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_guest(
      const frontend::Facts& facts) const override;
  std::span<const frontend::TextureUse> texture_uses() const override { return texture_uses_; }
  Result<frontend::CheckedGrid> check_grid(const frontend::Grid& grid) const override;
  bool reads_code_addresses() const override { return branch_spaces_ != 0; }
  frontend::GridFacts grid_facts(const frontend::Grid& grid,
                                 const frontend::CheckedGrid& checked) const override;
  std::size_t begin_block(const frontend::Grid& grid, const ir::BlockPosition& block,
                          std::span<std::byte> shared) const override;
  std::optional<std::uint32_t> position_place() const override { return kPositionOffset; }
  Status profile(const frontend::Grid& grid, std::optional<frontend::BlockFault>& fault,
                 Profile& profile) const override;

 private:
  Shader(Program program, const Modes& modes);
  ComputeFacts compute_facts(const frontend::Facts& facts) const;
  // Of graphics programs (graphics_shader.cpp).
  Result<ir::Function> translate_graphics(const frontend::Facts& facts, bool dispatch_all) const;
  void append_graphics_key(const frontend::Facts& facts, std::vector<std::byte>& key) const;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_graphics_guest(
      const frontend::Facts& facts) const;

  Program program_;
  Modes modes_;
  Result<std::vector<std::byte>> code_key_;
  std::uint32_t branch_spaces_ = 0;  // 0: there is no `bra c[]`
  bool shows_lanes_ = false;         // of vertex and geometry programs: threads may see others of their quad
  std::optional<GraphicsParts> graphics_;
  std::vector<frontend::TextureUse> texture_uses_;
  frontend::SampleTable sample_table_{};
};

}  // namespace warpjit::tesla
