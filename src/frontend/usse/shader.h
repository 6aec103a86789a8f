// USSE programs as the runtime and the tool see them (frontend/shader.h).
#pragma once

#include <vector>

#include "frontend/shader.h"
#include "frontend/usse/container/program.h"
#include "frontend/usse/facts/instruction_facts.h"
#include "frontend/usse/facts/register_file.h"
#include "frontend/usse/translate/translate.h"

namespace warpjit::usse {

// What a program was made of, which makes the same one again.
struct ProgramSource {
  enum class Form : std::uint8_t { gxp = 1, assembly, words };
  Form form = Form::gxp;
  std::vector<std::byte> bytes{};  // none: nobody has kept them
};

// Values::words of a launch are sa as it is before the secondary program. Vertex programs have the inputs and
// outputs of translate_vertex. Memory is space "mem", of 32-bit addresses.
class Shader final : public frontend::Shader, private frontend::MemorySpaces {
 public:
  explicit Shader(Program program, ProgramSource source = {});

  const Program& program() const { return program_; }
  const ProgramSource& source() const { return source_; }

  const std::string& source_name() const override { return program_.source_name; }
  // Addresses are words of the primary program, then those of the secondary one.
  std::string where(std::uint32_t guest_address) const override;
  // Inputs "pa0", "pa4", ... of four words, and "id"; uniforms "sa0", "sa1", ...; outputs "slots0", ...; also
  // what the container calls an attribute that begins such a row, and a uniform that lies in sa.
  Result<Location> find(LocationKind kind, std::string_view name) const override;
  std::string register_name(const Location& location) const override;
  void reset(frontend::Values& values) const override;
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override;
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override;
  Result<Translation> translate(const frontend::Facts& facts, bool dispatch_all) const override;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_interpreter(
      const frontend::Facts& facts) const override;
  const frontend::MemorySpaces* memory() const override { return this; }
  std::span<const frontend::RegisterBank> register_banks() const override { return kRegisterBanks; }
  bool changes_memory() const override;
  std::vector<frontend::InstructionFacts> instruction_facts() const override {
    return usse::instruction_facts(program_);
  }

 private:
  Result<frontend::SpaceName> find_space(std::string_view name) const override;
  std::string address_text(const ir::MemoryFault& access,
                           const frontend::LaunchMemory& memory) const override;
  Result<frontend::CheckedGrid> check_grid(const frontend::Grid& grid) const override;
  // The words of sa that a uniform of this name has.
  std::optional<Location> find_uniform(std::string_view name) const;
  std::optional<unsigned> find_attribute(std::string_view name) const;  // its row

  Program program_;
  ProgramSource source_;
  UniformTable table_{};
};

}  // namespace warpjit::usse
