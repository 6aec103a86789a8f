// Valhall programs as the runtime and the tool see them (frontend/shader.h).
#pragma once

#include "frontend/shader.h"
#include "frontend/valhall/facts/instruction_facts.h"
#include "frontend/valhall/facts/register_file.h"
#include "frontend/valhall/flow/buffer_uses.h"
#include "frontend/valhall/flow/varying_uses.h"
#include "frontend/valhall/translate/translate.h"

namespace warpjit::valhall {

class Shader final : public frontend::Shader, private frontend::MemorySpaces {
 public:
  explicit Shader(Program program);

  const Program& program() const { return program_; }

  const std::string& source_name() const override { return program_.source_name; }
  std::string where(std::uint32_t guest_address) const override { return program_.where(guest_address); }
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override;
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override;
  Result<Translation> translate(const frontend::Facts& facts, bool dispatch_all) const override;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_interpreter(
      const frontend::Facts& facts) const override;
  const frontend::MemorySpaces* memory() const override { return this; }
  std::span<const frontend::RegisterBank> register_banks() const override { return kRegisterBanks; }
  std::vector<frontend::InstructionFacts> instruction_facts() const override {
    return valhall::instruction_facts(program_);
  }

  // True if a fragment program gives references of the stencil test.
  bool emits_stencil() const;
  // True if it may store to memory or do atomics.
  bool changes_memory() const override;
  // The numbers of the images that the program names, each once, ascending.
  std::vector<std::uint32_t> image_uses() const;

 private:
  // "mem", where all addresses lie; "c0" to "c14", the buffers of table 0.
  Result<frontend::SpaceName> find_space(std::string_view name) const override;
  std::string address_text(const ir::MemoryFault& access,
                           const frontend::LaunchMemory& memory) const override;
  Result<frontend::CheckedGrid> check_grid(const frontend::Grid& grid) const override;
  std::vector<std::byte> pack_facts(const frontend::Grid& grid,
                                    const frontend::CheckedGrid& checked) const override;
  LaunchFacts launch_facts(const frontend::Facts& facts) const;

  Program program_;
  Result<ReachedCode> code_;
  BufferUses buffer_uses_;
  UniformTable table_{};
};

}  // namespace warpjit::valhall
