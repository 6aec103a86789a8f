// PICA200 programs as the runtime sees them (frontend/shader.h).
#pragma once

#include <memory>

#include "frontend/pica200/container/program.h"
#include "frontend/pica200/facts/instruction_facts.h"
#include "frontend/pica200/facts/register_file.h"
#include "frontend/pica200/facts/usage.h"
#include "frontend/pica200/interpret/interpret.h"
#include "frontend/pica200/translate/translate.h"
#include "frontend/shader.h"

namespace warpjit::pica200 {

class Shader final : public frontend::Shader, private frontend::GeometryUnit {
 public:
  // Errors: bad_input for an entry outside the code or tables beyond the ISA's size.
  static Result<std::shared_ptr<const Shader>> make(Program program);

  const Program& program() const { return program_; }
  const TableLayout& layout() const { return layout_; }
  // That it takes, names aside.
  std::size_t memory_bytes() const {
    return sizeof *this + 4 * (program_.code.capacity() + program_.descriptors.capacity()) +
           code_key_.capacity();
  }
  // The neutral facts as this module's own.
  TranslationFacts translation_facts(const frontend::Facts& facts) const;
  const std::string& source_name() const override { return program_.source_name; }
  std::string where(std::uint32_t guest_address) const override { return program_.where(guest_address); }
  Result<Location> find(LocationKind kind, std::string_view name) const override;
  std::string register_name(const Location& location) const override;
  void reset(frontend::Values& values) const override;
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override;
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override;
  Result<Translation> translate(const frontend::Facts& facts, bool dispatch_all) const override;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_interpreter(
      const frontend::Facts& facts) const override;
  std::span<const frontend::RegisterBank> register_banks() const override {
    return register_banks_of(program_.stage == Stage::geometry);
  }
  std::vector<frontend::InstructionFacts> instruction_facts() const override {
    return pica200::instruction_facts(program_);
  }
  const frontend::GeometryUnit* geometry_unit() const override {
    return program_.stage == Stage::geometry ? this : nullptr;
  }

 private:
  explicit Shader(Program program);

  GeometryInput geometry_input() const override;
  frontend::PrimitiveLimits primitive_limits() const override;
  std::size_t unit_rows() const override { return UnitRows::kCount; }
  void fill_unit(const frontend::Values& values, std::span<const std::uint32_t> unit,
                 std::byte* rows) const override;
  void keep_unit(const std::byte* rows, std::span<std::uint32_t> unit) const override;
  bool has_run(const std::byte* rows) const override;
  void swap_banks(std::byte* rows) const override;

  Program program_;
  CodeUsage usage_;
  TableLayout layout_;
  std::vector<std::byte> code_key_;  // reachable words and descriptors
};

}  // namespace warpjit::pica200
