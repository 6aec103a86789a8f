#include "capture/program_section.h"

#include <algorithm>

#include "capture/field_cursor.h"
#include "frontend/pica200/container/shbin.h"
#include "frontend/pica200/shader.h"
#include "frontend/shader.h"
#include "frontend/tesla/container/cubin.h"
#include "frontend/tesla/shader.h"
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/assembly/disassemble.h"
#include "frontend/usse/container/gxp.h"
#include "frontend/usse/shader.h"
#include "frontend/valhall/shader.h"
#include "warpjit/pica200.hpp"

namespace warpjit::capture {
namespace {

enum class Form : std::uint32_t { container = 1, source, words };

// What a section has besides the code.
struct Header {
  Form form = Form::container;
  Stage stage = Stage::vertex;
  std::uint32_t entry = 0;
  std::string name;
};
template <class Fields, class Value>
void header_fields(Fields& fields, Value& header) {
  constexpr std::size_t kMaxName = 4096;
  fields.choice(header.form, Form::words, "the form");
  fields.choice(header.stage, Stage::fragment, "the stage");
  fields.word(header.entry);
  fields.text(header.name, kMaxName, "the name");
}

template <class Fields, class Value>
void mode_fields(Fields& fields, Value& modes) {
  using Modes = std::remove_const_t<Value>;
  if constexpr (std::is_same_v<Modes, pica200::Modes>) {
    fields.flag(modes.f24, "f24");
    fields.flag(modes.structural_scopes, "structural scopes");
  } else if constexpr (std::is_same_v<Modes, tesla::Modes>) {
    fields.flag(modes.saturated_nan_is_zero, "a mode");
    fields.flag(modes.zero_wins, "a mode");
    fields.flag(modes.infinite_derivatives, "a mode");
    fields.flag(modes.fast_fmad, "a mode");
    fields.flag(modes.fast_sfu, "a mode");
    fields.flag(modes.linked_samplers, "a mode");
    fields.word(modes.call_limit);
  } else {
    constexpr std::uint32_t kByte = 255;
    fields.long_word(modes.address);
    fields.word(modes.local_bytes);
    fields.word(modes.shared_bytes);
    fields.flag(modes.mode.flush_single, "a mode");
    fields.flag(modes.mode.flush_half, "a mode");
    fields.flag(modes.mode.suppress_nan, "a mode");
    fields.flag(modes.mode.suppress_infinity, "a mode");
    for (auto& target : modes.fragment.blend_targets) fields.number(target, kByte, "a target");
    fields.flag(modes.fragment.points_from_bottom, "a mode");
    fields.number(modes.fragment.texture_table, kByte, "a table");
    fields.number(modes.fragment.sampler_table, kByte, "a table");
    fields.number(modes.fragment.samples, kByte, "the samples");
    fields.number(modes.fragment.sample, kByte, "the sample");
    for (auto& point : modes.fragment.sample_points)
      for (auto& place : point) fields.number(place, kByte, "a place");
  }
}

Error not_stored(const Program& program) {
  return {ErrorCode::unsupported, "a capture cannot have this program: what is written reads back as another",
          program.source_name()};
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Names of outputs, which containers do not have, and what only messages need.
pica200::Program plain(pica200::Program program) {
  for (pica200::Output& output : program.outputs) output.name.clear();
  program.source_name.clear();
  return program;
}
bool same(const pica200::Program& a, const pica200::Program& b) {
  const pica200::Program x = plain(a), y = plain(b);
  pica200::ProgramInfo info_x = x, info_y = y;
  info_x.entry_name.clear();
  info_y.entry_name.clear();
  return info_x == info_y && x.code == y.code && x.descriptors == y.descriptors;
}

Result<pica200::Program> read_pica(std::span<const std::byte> bytes, const Header& header) {
  WARPJIT_TRY(const pica200::Container container, pica200::read_shbin(bytes, header.name));
  return pica200::select_program(container);
}

Result<std::vector<std::byte>> code_of(const Program& program, const pica200::Program& from) {
  pica200::Container container{from.code, from.descriptors, {from}, {}};
  std::vector<std::byte> bytes = pica200::write_shbin(container, {.labels = true});
  const auto again = read_pica(bytes, {});
  if (!again || !same(*again, from)) return not_stored(program);
  return bytes;
}

Result<tesla::Program> read_tesla(std::span<const std::byte> bytes, const Header& header) {
  WARPJIT_TRY(const tesla::Container container, tesla::read_cubin(bytes, header.name));
  if (container.programs.size() != 1)
    return Error{ErrorCode::bad_input, std::to_string(container.programs.size()) + " programs, expected 1",
                 header.name};
  tesla::Program program = container.programs.front();
  if (header.entry % 4 != 0 || header.entry / 4 >= program.code.size())
    return Error{ErrorCode::bad_input,
                 "entry " + std::to_string(header.entry) + ", expected a multiple of 4 below the code's " +
                     std::to_string(4 * program.code.size()) + " bytes",
                 header.name};
  if (header.entry != 0) program.entry = header.entry;
  return program;
}

Result<std::vector<std::byte>> code_of(const Program& program, const tesla::Program& from) {
  std::vector<std::byte> bytes = bytes_of(tesla::write_text_cubin({{from}, {}}));
  auto again = read_tesla(bytes, {Form::container, Stage::compute, from.entry, from.source_name});
  if (!again || !(*again == from)) return not_stored(program);
  return bytes;
}

Result<usse::Program> read_usse(std::span<const std::byte> bytes, const Header& header) {
  if (header.form == Form::container) return usse::read_gxp(bytes, header.name);
  if (header.form == Form::words) return usse::read_words(bytes, header.stage, header.name);
  return usse::assemble({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, header.name);
}

Result<std::vector<std::byte>> code_of(const Program& program, const usse::Program& from) {
  std::vector<std::byte> bytes = bytes_of(usse::disassemble(from, {.words = false, .labels = false}));
  const auto again = read_usse(bytes, {Form::source, from.stage, 0, from.source_name});
  if (!again || !(*again == from)) return not_stored(program);
  return bytes;
}

template <class Guest>
const auto& program_of(const Program& program) {
  return static_cast<const Guest&>(frontend::shader_of(program)).program();
}

}  // namespace

Result<std::vector<std::byte>> program_bytes(const Program& program) {
  FieldWriter fields;
  Header header{Form::container, program.stage(), 0, program.source_name()};
  std::vector<std::byte> code;
  switch (program.isa()) {
    case Isa::pica200: {
      const pica200::Program& from = program_of<pica200::Shader>(program);
      WARPJIT_TRY(code, code_of(program, from));
      header_fields(fields, header);
      const pica200::Modes modes{from.f24, from.structural_scopes};
      mode_fields(fields, modes);
      break;
    }
    case Isa::tesla: {
      const tesla::Program& from = program_of<tesla::Shader>(program);
      WARPJIT_TRY(code, code_of(program, from));
      header.entry = from.entry;
      header_fields(fields, header);
      mode_fields(fields, static_cast<const tesla::Shader&>(frontend::shader_of(program)).modes());
      break;
    }
    case Isa::usse: {
      WARPJIT_TRY(code, code_of(program, program_of<usse::Shader>(program)));
      header.form = Form::source;
      header_fields(fields, header);
      break;
    }
    case Isa::valhall: {
      const valhall::Program& from = program_of<valhall::Shader>(program);
      header.form = Form::words;
      header.entry = from.entry;
      code = valhall::write_words(from);
      header_fields(fields, header);
      mode_fields(fields, from);
      break;
    }
  }
  const std::span<const std::byte> header_bytes = fields.bytes();
  code.insert(code.begin(), header_bytes.begin(), header_bytes.end());
  return code;
}

Status write_program(SectionWriter& file, const Program& program) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, program_bytes(program));
  file.write(SectionKind::program, 0, bytes);
  return {};
}

namespace {

Result<Program> load(FieldReader& fields, const Header& header, FileGuest guest) {
  switch (guest) {
    case FileGuest::pica200: {
      pica200::Modes modes;
      mode_fields(fields, modes);
      const std::span<const std::byte> code = fields.rest();
      WARPJIT_CHECK(fields.finish());
      WARPJIT_TRY(pica200::Program program, read_pica(code, header));
      program.f24 = modes.f24;
      program.structural_scopes = modes.structural_scopes;
      WARPJIT_TRY(auto shader, pica200::Shader::make(std::move(program)));
      return Program(std::move(shader));
    }
    case FileGuest::tesla: {
      tesla::Modes modes;
      mode_fields(fields, modes);
      const std::span<const std::byte> code = fields.rest();
      WARPJIT_CHECK(fields.finish());
      WARPJIT_TRY(tesla::Program program, read_tesla(code, header));
      WARPJIT_TRY(auto shader, tesla::Shader::make(std::move(program), modes));
      return Program(std::move(shader));
    }
    case FileGuest::usse: {
      const std::span<const std::byte> code = fields.rest();
      WARPJIT_CHECK(fields.finish());
      WARPJIT_TRY(usse::Program program, read_usse(code, header));
      return Program(std::make_shared<const usse::Shader>(std::move(program)));
    }
    case FileGuest::valhall:
      break;
  }
  valhall::Program modes;
  mode_fields(fields, modes);
  const std::span<const std::byte> code = fields.rest();
  WARPJIT_CHECK(fields.finish());
  WARPJIT_TRY(valhall::Program program, valhall::read_words(code, header.stage, header.name));
  modes.stage = header.stage;
  modes.code = std::move(program.code);
  modes.entry = header.entry;
  modes.source_name = header.name;
  WARPJIT_CHECK(valhall::check_limits(modes));
  return Program(std::make_shared<const valhall::Shader>(std::move(modes)));
}

}  // namespace

Result<Program> read_program(const FileBytes& file, const Section& section, FileGuest guest) {
  FieldReader fields(file, section, "a program");
  Header header;
  const std::size_t at = fields.at();
  header_fields(fields, header);
  if (!fields.ok()) return fields.finish().error();
  const Form wanted = guest == FileGuest::valhall ? Form::words : Form::container;
  if (header.form != wanted && guest != FileGuest::usse)
    return file.fail(at, "the form is " + std::to_string(static_cast<unsigned>(header.form)) + ", expected " +
                             std::to_string(static_cast<unsigned>(wanted)) + " of this guest");
  auto program = load(fields, header, guest);
  if (program) {
    if (program->stage() == header.stage) return program;
    return file.fail(at + 4, std::string("the stage is ") + name(header.stage) + ", and the program's is " +
                                 name(program->stage()));
  }
  Error error = program.error();
  // Errors of the guest's reader name a place in the program.
  if (!error.where.starts_with(file.name() + ", byte "))
    error = file.fail(section.at + kSectionHeader,
                      "the program cannot be read: " + error.message +
                          (error.where.empty() ? "" : " (" + error.where + ")"),
                      error.code);
  return error;
}

}  // namespace warpjit::capture
