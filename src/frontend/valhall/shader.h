// Valhall programs as the runtime and the tool see them (frontend/shader.h).
#pragma once

#include "frontend/shader.h"
#include "frontend/valhall/flow/buffer_uses.h"
#include "frontend/valhall/flow/varying_uses.h"
#include "frontend/valhall/translate/translate.h"

namespace warpjit::valhall {

class Shader final : public frontend::Shader {
 public:
  explicit Shader(Program program);

  const Program& program() const { return program_; }

  Isa isa() const override { return Isa::valhall; }
  Stage stage() const override { return program_.stage; }
  const std::string& source_name() const override { return program_.source_name; }
  std::string where(std::uint32_t guest_address) const override { return program_.where(guest_address); }
  const std::string& name() const override { return name_; }
  std::uint32_t entry() const override { return program_.entry; }
  std::size_t code_words() const override { return 2 * program_.code.size(); }
  Resources resources() const override {
    return {.registers = 64, .shared_bytes = program_.shared_bytes, .local_bytes = program_.local_bytes};
  }
  std::span<const frontend::TextureUse> texture_uses() const override { return texture_uses_; }
  bool computes_textures() const override { return computes_textures_; }
  bool runs_on_grid() const override { return stage() != Stage::fragment; }
  bool takes_parameters() const override { return true; }
  bool takes_images() const override { return true; }
  bool takes_buffers() const override { return true; }
  // "mem", where all addresses lie; "c0" to "c14", the buffers of table 0.
  Result<frontend::SpaceName> find_space(std::string_view name) const override;
  std::string address_text(const ir::MemoryFault& access, const frontend::Grid& grid) const override;

  std::span<const pixels::SlotUse> slot_uses() const override { return uses_; }
  std::size_t table_bytes() const override;
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override;
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override;
  Result<Translation> translate(const frontend::Facts& facts, bool dispatch_all) const override;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_guest(
      const frontend::Facts& facts) const override;

  Result<frontend::CheckedGrid> check_grid(const frontend::Grid& grid) const override;
  frontend::GridFacts grid_facts(const frontend::Grid& grid,
                                 const frontend::CheckedGrid& checked) const override;

  // Does a fragment program give references of the stencil test?
  bool emits_stencil() const;
  // True if it may store to memory or do atomics.
  bool changes_memory() const;
  // The numbers of the images that the program names, each once, ascending.
  std::vector<std::uint32_t> image_uses() const;

 private:
  LaunchFacts launch_facts(const frontend::Facts& facts) const;

  Program program_;
  Result<ReachedCode> code_;
  std::vector<pixels::SlotUse> uses_;  // of fragment programs
  std::vector<frontend::TextureUse> texture_uses_;
  bool computes_textures_ = false;
  BufferUses buffer_uses_;
  UniformTable table_{};
  std::string name_;  // bare binaries have none
};

}  // namespace warpjit::valhall
