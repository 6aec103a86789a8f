// PICA200 programs as the runtime sees them (frontend/shader.h).
#pragma once

#include <memory>

#include "frontend/pica200/container/program.h"
#include "frontend/pica200/facts/usage.h"
#include "frontend/pica200/interpret/interpret.h"
#include "frontend/pica200/translate/translate.h"
#include "frontend/shader.h"

namespace warpjit::pica200 {

class Shader final : public frontend::Shader {
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
  // Where frontend::Values::words has c0, i0, and the fixed input register v0 of a draw.
  static constexpr std::uint32_t kFloatUniforms = 96;
  static constexpr std::uint32_t kFloatWord = 0, kIntWord = 4 * kFloatUniforms,
                                 kFixedInputWord = kIntWord + 88;
  // The neutral facts as this module's own.
  TranslationFacts translation_facts(const frontend::Facts& facts) const;
  // The launch's values as the guest interpreter takes them.
  static Uniforms guest_uniforms(const frontend::Values& values);

  Isa isa() const override { return Isa::pica200; }
  warpjit::Stage stage() const override;
  const std::string& name() const override { return program_.entry_name; }
  std::uint32_t entry() const override { return program_.entry; }
  std::size_t code_words() const override { return program_.code.size(); }
  const std::string& source_name() const override { return program_.source_name; }
  std::span<const warpjit::Symbol> inputs() const override { return inputs_; }
  std::span<const warpjit::Symbol> uniforms() const override { return uniforms_; }
  std::span<const warpjit::Symbol> outputs() const override { return outputs_; }
  frontend::Usage usage() const override { return {usage_.inputs, usage_.bools}; }

  std::uint64_t enabled_outputs() const override { return program_.output_mask; }

  Result<Location> find(LocationKind kind, std::string_view name) const override;
  std::string register_name(const Location& location) const override;
  std::uint32_t largest_word(const Location& location) const override;
  void reset(frontend::Values& values) const override;
  std::size_t table_bytes() const override { return layout_.bytes(); }
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override;
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override;
  Result<Translation> translate(const frontend::Facts& facts, bool dispatch_all) const override;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_guest(
      const frontend::Facts& facts) const override;
  GeometryInput geometry_input() const override;
  frontend::PrimitiveLimits primitive_limits() const override { return {0xffff, kFloatUniforms, kFloatWord}; }
  std::size_t unit_rows() const override {
    return program_.stage == Stage::geometry ? UnitRows::kCount : std::size_t{0};
  }
  void fill_unit(const frontend::Values& values, std::span<const std::uint32_t> unit,
                 std::byte* rows) const override;
  void keep_unit(const std::byte* rows, std::span<std::uint32_t> unit) const override;
  bool has_run(const std::byte* rows) const override;
  void swap_banks(std::byte* rows) const override;
  std::string where(std::uint32_t guest_address) const override { return program_.where(guest_address); }

 private:
  explicit Shader(Program program);

  Program program_;
  CodeUsage usage_;
  TableLayout layout_;
  std::vector<warpjit::Symbol> inputs_, uniforms_, outputs_;
  std::vector<std::byte> code_key_;  // reachable words and descriptors
};

}  // namespace warpjit::pica200
