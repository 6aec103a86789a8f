// USSE programs as the runtime and the tool see them (frontend/shader.h). They are decoded, listed and
// assembled; whatever would run one is an error.
#pragma once

#include "frontend/shader.h"
#include "frontend/usse/container/program.h"

namespace warpjit::usse {

class Shader final : public frontend::Shader {
 public:
  explicit Shader(Program program) : program_(std::move(program)) {}

  const Program& program() const { return program_; }

  Isa isa() const override { return Isa::usse; }
  Stage stage() const override { return program_.stage; }
  const std::string& source_name() const override { return program_.source_name; }
  // Addresses are words of the primary program.
  std::string where(std::uint32_t guest_address) const override {
    return program_.where(false, guest_address);
  }
  const std::string& name() const override { return name_; }
  std::uint32_t entry() const override { return 0; }
  std::size_t code_words() const override {
    return 2 * (program_.primary.size() + program_.secondary.size());
  }

  void fill_table(const frontend::Values&, std::span<std::uint32_t>) const override {}
  // Errors: unsupported.
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override;
  Result<Translation> translate(const frontend::Facts& facts, bool dispatch_all) const override;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_guest(
      const frontend::Facts& facts) const override;

 private:
  Program program_;
  std::string name_;  // containers give none
};

}  // namespace warpjit::usse
