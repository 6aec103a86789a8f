// Program: the public handle of a frontend's shader.
#include "frontend/pica200/shader.h"
#include "frontend/pica200/shbin.h"

namespace warpjit {
namespace {

Result<Program> make_program(pica200::Program program) {
  WARPJIT_TRY(std::shared_ptr<const pica200::Shader> shader, pica200::Shader::make(std::move(program)));
  return Program(std::move(shader));
}

}  // namespace

Result<Program> Program::from_shbin(std::span<const std::byte> bytes, const Choice& choice) {
  WARPJIT_TRY(const pica200::Container container, pica200::read_shbin(bytes, choice.source_name));
  pica200::ProgramChoice wanted;
  wanted.index = choice.index;
  wanted.entry = choice.entry;
  if (choice.stage)
    wanted.stage =
        *choice.stage == warpjit::Stage::vertex ? pica200::Stage::vertex : pica200::Stage::geometry;
  WARPJIT_TRY(pica200::Program program, pica200::select_program(container, wanted));
  program.f24 = choice.f24;
  return make_program(std::move(program));
}

Result<Program> Program::from_words(Isa isa, std::span<const std::uint32_t> code,
                                    std::span<const std::uint32_t> descriptors, std::uint32_t entry,
                                    std::string source_name, bool f24, Stage stage) {
  if (isa != Isa::pica200)
    return Error{ErrorCode::unsupported, "this ISA is not known", std::move(source_name)};
  pica200::Program program;
  program.code.assign(code.begin(), code.end());
  program.descriptors.assign(descriptors.begin(), descriptors.end());
  program.entry = entry;
  program.stage = stage == Stage::vertex ? pica200::Stage::vertex : pica200::Stage::geometry;
  program.f24 = f24;
  program.source_name = std::move(source_name);
  return make_program(std::move(program));
}

Isa Program::isa() const { return shader_->isa(); }
Stage Program::stage() const { return shader_->stage(); }
std::uint32_t Program::entry() const { return shader_->entry(); }
std::size_t Program::code_size() const { return shader_->code_words(); }
const std::string& Program::source_name() const { return shader_->source_name(); }
std::span<const Symbol> Program::inputs() const { return shader_->inputs(); }
std::span<const Symbol> Program::uniforms() const { return shader_->uniforms(); }
std::span<const Symbol> Program::outputs() const { return shader_->outputs(); }
Result<Location> Program::input(std::string_view name) const {
  return shader_->find(LocationKind::input, name);
}
Result<Location> Program::uniform(std::string_view name) const {
  return shader_->find(LocationKind::uniform, name);
}
Result<Location> Program::output(std::string_view name) const {
  return shader_->find(LocationKind::output, name);
}
Result<Location> Program::state(std::string_view name) const {
  return shader_->find(LocationKind::state, name);
}

}  // namespace warpjit
