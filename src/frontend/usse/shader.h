// USSE programs as the runtime and the tool see them (frontend/shader.h).
#pragma once

#include <vector>

#include "frontend/shader.h"
#include "frontend/usse/container/program.h"
#include "frontend/usse/translate/translate.h"

namespace warpjit::usse {

// Values::words of a launch are sa as it is before the secondary program. Vertex programs have the inputs and
// outputs of translate_vertex. Memory is space "mem", of 32-bit addresses.
class Shader final : public frontend::Shader {
 public:
  explicit Shader(Program program);

  const Program& program() const { return program_; }

  Isa isa() const override { return Isa::usse; }
  Stage stage() const override { return program_.stage; }
  const std::string& source_name() const override { return program_.source_name; }
  // Addresses are words of the primary program, then those of the secondary one.
  std::string where(std::uint32_t guest_address) const override;
  const std::string& name() const override { return name_; }
  std::uint32_t entry() const override { return 0; }
  std::size_t code_words() const override {
    return 2 * (program_.primary.size() + program_.secondary.size());
  }

  // Inputs "pa0", "pa4", ... of four words, and "id"; uniforms "sa0", "sa1", ...; outputs "slots0", ...; also
  // what the container calls an attribute that begins such a row, and a uniform that lies in sa.
  Result<Location> find(LocationKind kind, std::string_view name) const override;
  std::string register_name(const Location& location) const override;
  unsigned input_registers() const override { return kNumbersInput + 1; }
  Result<frontend::SpaceName> find_space(std::string_view name) const override;
  std::string address_text(const ir::MemoryFault& access, const frontend::Grid& grid) const override;

  frontend::Usage usage() const override;
  void reset(frontend::Values& values) const override;
  std::size_t table_bytes() const override { return (table_.bytes() + 63) / 64 * 64; }
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override;
  unsigned result_slots() const override;
  bool rows_have_memory() const override { return true; }
  bool rows_form_quads() const override { return reads_quads_; }
  std::span<const pixels::SlotUse> slot_uses() const override { return uses_; }
  std::span<const frontend::TextureUse> texture_uses() const override { return texture_uses_; }
  const char* refuses(const textures::TextureView& texture, const Sampler& sampler) const override;
  Result<frontend::CheckedGrid> check_grid(const frontend::Grid& grid) const override;

  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override;
  Result<Translation> translate(const frontend::Facts& facts, bool dispatch_all) const override;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_guest(
      const frontend::Facts& facts) const override;

 private:
  Program program_;
  std::vector<pixels::SlotUse> uses_;  // of fragment programs
  std::vector<frontend::TextureUse> texture_uses_;
  UniformTable table_{};
  // The words of sa that a uniform of this name has.
  std::optional<Location> find_uniform(std::string_view name) const;
  std::optional<unsigned> find_attribute(std::string_view name) const;  // its row

  bool reads_quads_ = false;
  std::string name_;  // containers give none
};

}  // namespace warpjit::usse
