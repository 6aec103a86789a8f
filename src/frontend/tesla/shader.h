// Tesla programs as the runtime sees them (frontend/shader.h).
#pragma once

#include "frontend/shader.h"
#include "frontend/tesla/container/program.h"
#include "frontend/tesla/facts/instruction_facts.h"
#include "frontend/tesla/facts/register_file.h"
#include "frontend/tesla/interpret/interpret.h"
#include "frontend/tesla/translate/graphics.h"
#include "frontend/tesla/translate/translate.h"

namespace warpjit::tesla {

Stage stage_of(ProgramType type);
ProgramType program_type(Stage stage);

// What is known of a graphics program besides its code.
struct GraphicsParts {
  ReachedCode code;         // without what is reached through c[] alone
  ConstantTable constants;  // with that
  GraphicsParts(const Program& program, ReachedCode reached);
};

class Shader final : public frontend::Shader, private frontend::MemorySpaces, private frontend::BlockHeader {
 public:
  // Errors: numbers over the limits.
  static Result<std::shared_ptr<const Shader>> make(Program program, const Modes& modes = {});

  const Program& program() const { return program_; }
  const Modes& modes() const { return modes_; }

  const std::string& source_name() const override { return program_.source_name; }
  std::string where(std::uint32_t guest_address) const override { return program_.where(guest_address); }
  Result<Location> find(LocationKind kind, std::string_view name) const override;
  std::string register_name(const Location& location) const override;
  // What is sampled; of kernels after it the beginning of s[], as much as the table has room for, as a block
  // finds it, except for the block's own index; of graphics programs before it their constants.
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override;
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override;
  Result<Translation> translate(const frontend::Facts& facts, bool dispatch_all) const override;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_interpreter(
      const frontend::Facts& facts) const override;
  const frontend::MemorySpaces* memory() const override { return this; }
  const frontend::BlockHeader* block_header() const override {
    return stage() == Stage::compute ? this : nullptr;
  }
  std::span<const frontend::RegisterBank> register_banks() const override {
    return tesla::register_banks(program_.type);
  }
  std::vector<frontend::InstructionFacts> instruction_facts() const override {
    return tesla::instruction_facts(program_);
  }

 private:
  Shader(Program program, const Modes& modes);

  Result<frontend::SpaceName> find_space(std::string_view name) const override;
  std::string address_text(const ir::MemoryFault& access, const frontend::LaunchMemory&) const override;
  Result<frontend::CheckedGrid> check_grid(const frontend::Grid& grid) const override;
  std::vector<std::byte> pack_facts(const frontend::Grid& grid,
                                    const frontend::CheckedGrid& checked) const override;
  std::size_t begin_block(const frontend::Grid& grid, const ir::BlockPosition& block,
                          std::span<std::byte> shared) const override;
  std::uint32_t position_place() const override { return kPositionOffset; }
  ComputeFacts compute_facts(const frontend::Facts& facts) const;
  // For graphics programs.
  Result<ir::Function> translate_graphics(const frontend::Facts& facts, bool dispatch_all) const;
  void append_graphics_key(const frontend::Facts& facts, std::vector<std::byte>& key) const;

  Program program_;
  Modes modes_;
  Result<std::vector<std::byte>> code_key_;
  std::uint32_t branch_spaces_ = 0;  // 0: there is no `bra c[]`
  std::optional<GraphicsParts> graphics_;
  frontend::SampleTable sample_table_{};
};

}  // namespace warpjit::tesla
