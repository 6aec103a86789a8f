// Program: the public handle of a frontend's shader, and the readers of containers.
#include <algorithm>
#include <cstring>

#include "base/result.h"
#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/container/shbin.h"
#include "frontend/pica200/shader.h"
#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/container/cubin.h"
#include "frontend/tesla/facts/default_state.h"
#include "frontend/tesla/shader.h"
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/container/gxp.h"
#include "frontend/usse/shader.h"
#include "frontend/valhall/assembly/assemble.h"
#include "frontend/valhall/shader.h"
#include "warpjit/pica200.hpp"
#include "warpjit/tesla.hpp"
#include "warpjit/usse.hpp"
#include "warpjit/valhall.hpp"

namespace warpjit {

namespace {

// A container or source with one program, which has no name.
Result<Program> make_usse(usse::Program program, const Selection& selection, usse::ProgramSource::Form form,
                          std::span<const std::byte> source) {
  const auto wrong = [&](std::string message) {
    return Error{ErrorCode::bad_input, std::move(message), selection.source_name};
  };
  if (!selection.entry.empty() || selection.index.value_or(0) != 0)
    return wrong("there is one program, without a name");
  if (selection.stage && *selection.stage != program.stage) return wrong("the program is for another stage");
  return Program(std::make_shared<const usse::Shader>(
      std::move(program), usse::ProgramSource{form, {source.begin(), source.end()}}));
}

Result<Program> load_gxp(std::span<const std::byte> bytes, const Selection& selection) {
  WARPJIT_TRY(usse::Program program, usse::read_gxp(bytes, selection.source_name));
  return make_usse(std::move(program), selection, usse::ProgramSource::Form::gxp, bytes);
}

}  // namespace

Result<Program> Program::load(std::span<const std::byte> bytes, const Selection& selection) try {
  constexpr char kShbin[4] = {'D', 'V', 'L', 'B'};
  if (bytes.size() >= sizeof kShbin && std::memcmp(bytes.data(), kShbin, sizeof kShbin) == 0)
    return pica200::load_shbin(bytes, selection);
  if (usse::is_gxp(bytes)) return load_gxp(bytes, selection);
  if (tesla::is_cubin(bytes)) return tesla::load_cubin(bytes, selection);
  return Error{
      ErrorCode::bad_input,
      "no container of a known kind; these are read: SHBIN (begins with DVLB), cubin (ELF for CUDA, or "
      "text that begins with `architecture {` or `code {`) and GXP (begins with GXP)",
      selection.source_name};
} catch (...) {
  return caught();
}

using frontend::shader_of;

Isa Program::isa() const { return shader_of(*this).isa(); }
Stage Program::stage() const { return shader_of(*this).stage(); }
const std::string& Program::name() const { return shader_of(*this).name(); }
std::uint32_t Program::entry() const { return shader_of(*this).entry(); }
std::size_t Program::code_size() const { return shader_of(*this).code_words(); }
Resources Program::resources() const { return shader_of(*this).resources(); }
std::size_t Program::unit_words() const {
  const frontend::GeometryUnit* const unit = shader_of(*this).geometry_unit();
  return unit != nullptr ? unit->unit_rows() * 4 : 0;
}
const std::string& Program::source_name() const { return shader_of(*this).source_name(); }
std::span<const Symbol> Program::inputs() const { return shader_of(*this).declarations().inputs; }
std::span<const Symbol> Program::uniforms() const { return shader_of(*this).declarations().uniforms; }
std::span<const Symbol> Program::outputs() const { return shader_of(*this).declarations().outputs; }
Result<Location> Program::input(std::string_view name) const try {
  return shader_of(*this).find(LocationKind::input, name);
} catch (...) {
  return caught();
}
Result<Location> Program::uniform(std::string_view name) const try {
  return shader_of(*this).find(LocationKind::uniform, name);
} catch (...) {
  return caught();
}
Result<Location> Program::output(std::string_view name) const try {
  return shader_of(*this).find(LocationKind::output, name);
} catch (...) {
  return caught();
}
Result<Location> Program::state(std::string_view name) const try {
  return shader_of(*this).find(LocationKind::state, name);
} catch (...) {
  return caught();
}

namespace pica200 {
namespace {

Result<warpjit::Program> make_program(Program program, const Modes& modes) {
  program.f24 = modes.f24;
  program.structural_scopes = modes.structural_scopes;
  WARPJIT_TRY(std::shared_ptr<const Shader> shader, Shader::make(std::move(program)));
  return warpjit::Program(std::move(shader));
}

// Errors: a stage that the guest does not have.
Result<Stage> stage_of(warpjit::Stage stage, const std::string& source_name) {
  if (stage == warpjit::Stage::vertex) return Stage::vertex;
  if (stage == warpjit::Stage::geometry) return Stage::geometry;
  return Error{ErrorCode::unsupported, std::string("this GPU has no ") + warpjit::name(stage) + " programs",
               source_name};
}

Result<warpjit::Program> load_container(const Container& container, const Selection& selection,
                                        const Modes& modes) {
  ProgramChoice choice;
  choice.index = selection.index;
  choice.entry = selection.entry;
  if (selection.stage) {
    WARPJIT_TRY(choice.stage, stage_of(*selection.stage, selection.source_name));
  }
  WARPJIT_TRY(Program program, select_program(container, choice));
  return make_program(std::move(program), modes);
}

}  // namespace

Result<warpjit::Program> load_shbin(std::span<const std::byte> bytes, const Selection& selection,
                                    const Modes& modes) try {
  WARPJIT_TRY(const Container container, read_shbin(bytes, selection.source_name));
  return load_container(container, selection, modes);
} catch (...) {
  return caught();
}

Result<warpjit::Program> load_assembly(std::string_view text, const Selection& selection,
                                       const Modes& modes) try {
  const SourceFile source{selection.source_name, std::string(text)};
  WARPJIT_TRY(const Container container, assemble({&source, 1}));
  return load_container(container, selection, modes);
} catch (...) {
  return caught();
}

Result<warpjit::Program> load_words(const RawProgram& words, const Modes& modes) try {
  Program program;
  program.code.assign(words.code.begin(), words.code.end());
  program.descriptors.assign(words.descriptors.begin(), words.descriptors.end());
  program.entry = words.entry;
  WARPJIT_TRY(program.stage, stage_of(words.stage, words.source_name));
  program.source_name = words.source_name;
  return make_program(std::move(program), modes);
} catch (...) {
  return caught();
}

}  // namespace pica200

namespace tesla {
namespace {

Result<warpjit::Program> make_program(const Container& container, const Selection& selection,
                                      const Modes& modes) {
  const auto wrong = [&](std::string message) {
    return Error{ErrorCode::bad_input, std::move(message), selection.source_name};
  };
  if (selection.index && *selection.index >= container.programs.size())
    return wrong("there is no program " + std::to_string(*selection.index) + " in a container of " +
                 std::to_string(container.programs.size()));
  if (selection.index && !selection.entry.empty() &&
      container.programs[*selection.index].name != selection.entry)
    return wrong("program " + std::to_string(*selection.index) + " is not '" + selection.entry + "'");
  Program program;
  if (selection.index) {
    program = container.programs[*selection.index];
  } else {
    const auto type = selection.stage ? std::optional(program_type(*selection.stage)) : std::nullopt;
    WARPJIT_TRY(program, select_program(container, selection.entry, type));
  }
  if (selection.stage && program.type != program_type(*selection.stage))
    return wrong("program " + std::to_string(*selection.index) + " is for another stage");
  WARPJIT_TRY(std::shared_ptr<const Shader> shader, Shader::make(std::move(program), modes));
  return warpjit::Program(std::move(shader));
}

}  // namespace

Result<warpjit::Program> load_cubin(std::span<const std::byte> bytes, const Selection& selection,
                                    const Modes& modes) try {
  WARPJIT_TRY(const Container container, read_cubin(bytes, selection.source_name));
  return make_program(container, selection, modes);
} catch (...) {
  return caught();
}

Result<warpjit::Program> load_assembly(std::string_view text, const Selection& selection,
                                       const Modes& modes) try {
  WARPJIT_TRY(const Container container, assemble(text, selection.source_name));
  return make_program(container, selection, modes);
} catch (...) {
  return caught();
}

Result<warpjit::Program> load_words(const RawProgram& words, const Modes& modes) try {
  Program program;
  program.code.assign(words.code.begin(), words.code.end());
  program.registers = words.registers;
  program.shared_bytes = words.shared_bytes;
  program.local_bytes = words.local_bytes;
  program.source_name = words.source_name;
  program.type = program_type(words.stage);
  program.graphics = words.graphics;
  program.entry = words.entry;
  if (program.entry % 4 != 0 || program.entry / 4 >= std::max<std::size_t>(program.code.size(), 1))
    return Error{ErrorCode::bad_input,
                 "entry " + std::to_string(program.entry) + ": expected a multiple of 4 below the code's " +
                     std::to_string(4 * program.code.size()) + " bytes",
                 program.source_name};
  complete_state(program);
  WARPJIT_TRY(std::shared_ptr<const Shader> shader, Shader::make(std::move(program), modes));
  return warpjit::Program(std::move(shader));
} catch (...) {
  return caught();
}

}  // namespace tesla

namespace valhall {
namespace {

Result<warpjit::Program> make_program(Program program) {
  WARPJIT_CHECK(check_limits(program));
  return warpjit::Program(std::make_shared<const Shader>(std::move(program)));
}

}  // namespace

Result<warpjit::Program> load_words(const RawProgram& raw) try {
  if (raw.code.size() > kMaxCodeWords)  // before they are copied
    return Error{ErrorCode::resource_limit, "more code than 16 MiB", raw.source_name};
  return make_program({.stage = raw.stage,
                       .code = {raw.code.begin(), raw.code.end()},
                       .source_name = raw.source_name,
                       .address = raw.address,
                       .entry = raw.entry,
                       .local_bytes = raw.local_bytes,
                       .shared_bytes = raw.shared_bytes,
                       .mode = raw.mode,
                       .fragment = raw.fragment});
} catch (...) {
  return caught();
}

Result<warpjit::Program> load_assembly(std::string_view text, const Selection& selection) try {
  const auto wrong = [&](std::string message) {
    return Error{ErrorCode::bad_input, std::move(message), selection.source_name};
  };
  WARPJIT_TRY(Program program, assemble(text, selection.source_name));
  if (!selection.entry.empty() || selection.index.value_or(0) != 0)
    return wrong("a source has one program, without a name");
  if (selection.stage && *selection.stage != program.stage) return wrong("the program is for another stage");
  return make_program(std::move(program));
} catch (...) {
  return caught();
}

}  // namespace valhall

namespace usse {

Result<warpjit::Program> load_words(const RawProgram& raw) try {
  if (raw.stage != Stage::vertex && raw.stage != Stage::fragment)
    return Error{ErrorCode::bad_input,
                 std::string("this GPU has no ") + warpjit::name(raw.stage) + " programs", raw.source_name};
  WARPJIT_TRY(Program program, read_words(std::as_bytes(raw.code), raw.stage, raw.source_name));
  return make_usse(std::move(program), {}, ProgramSource::Form::words, std::as_bytes(raw.code));
} catch (...) {
  return caught();
}

Result<warpjit::Program> load_assembly(std::string_view text, const Selection& selection) try {
  WARPJIT_TRY(Program program, assemble(text, selection.source_name));
  return make_usse(std::move(program), selection, ProgramSource::Form::assembly,
                   std::as_bytes(std::span(text)));
} catch (...) {
  return caught();
}

}  // namespace usse
}  // namespace warpjit
