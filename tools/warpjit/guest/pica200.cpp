#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "files.h"
#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/assembly/check.h"
#include "frontend/pica200/assembly/disassemble.h"
#include "frontend/pica200/container/shbin.h"
#include "frontend/pica200/shader.h"
#include "guest/guest.h"
#include "guest/pica200.h"

namespace warpjit::tool {

namespace {

using pica200::RegisterFile;

const pica200::Program& pica200_program(const frontend::Shader& shader) {
  return static_cast<const pica200::Shader&>(shader).program();
}

pica200::Stage stage_of(Stage stage) {
  return stage == Stage::geometry ? pica200::Stage::geometry : pica200::Stage::vertex;
}

pica200::DisassembleOptions disassemble_options(const ListOptions& options) {
  return {
      .names = options.names, .structure = options.labels, .words = options.words, .exact = options.exact};
}

class Pica200Container final : public Container {
 public:
  explicit Pica200Container(pica200::Container container) : container_(std::move(container)) {}

  std::size_t size() const override { return container_.programs.size(); }
  Stage stage(std::size_t index) const override {
    return container_.programs[index].stage == pica200::Stage::vertex ? Stage::vertex : Stage::geometry;
  }
  Result<ShaderPtr> load(const ProgramRequest& request, const GuestModes& modes) const override {
    WARPJIT_TRY(pica200::Program program, choose(request));
    if (request.address) program.entry = *request.address;
    if (program.entry >= program.code.size())
      return wrong(
          fmt::format("entry {} lies past the code of {} words", program.entry, program.code.size()));
    const auto chosen = modes_or_usual<pica200::Modes>(modes);
    program.f24 = chosen.f24;
    program.structural_scopes = chosen.structural_scopes;
    WARPJIT_TRY(auto shader, pica200::Shader::make(std::move(program)));
    return ShaderPtr(std::move(shader));
  }
  std::optional<std::string> list(const ListOptions& options) const override {
    return pica200::disassemble(container_, disassemble_options(options));
  }

 private:
  Error wrong(std::string message) const {
    return {ErrorCode::bad_input, std::move(message), container_.source_name};
  }

  Result<pica200::Program> choose(const ProgramRequest& request) const {
    pica200::ProgramChoice choice;
    choice.index = request.index;
    choice.entry = request.entry;
    if (request.stage) choice.stage = stage_of(*request.stage);
    if (request.address)
      for (std::size_t k = 0; k < container_.programs.size() && !choice.index; ++k) {
        const pica200::ProgramInfo& info = container_.programs[k];
        if (info.entry == *request.address && (!choice.stage || info.stage == *choice.stage))
          choice.index = k;
      }
    WARPJIT_TRY(pica200::Program program, pica200::select_program(container_, choice));
    if (choice.stage && program.stage != *choice.stage)
      return wrong(fmt::format("the chosen program is a {} program, not a {} program",
                               pica200::name(program.stage), pica200::name(*choice.stage)));
    return program;
  }

  pica200::Container container_;
};

std::string components(std::uint8_t mask) {
  std::string text;
  for (unsigned k = 0; k < 4; ++k)
    if ((mask >> k & 1) != 0) text += "xyzw"[k];
  return text;
}

// A constant as a launch file's `uniforms` would have it: floats that JSON has no number for as their bits.
Json constant_json(const pica200::Constant& constant) {
  if (constant.reg.file == RegisterFile::b) return constant.raw[0] != 0;
  Json values = Json::array();
  for (unsigned k = 0; k < 4; ++k) {
    const float number = constant.floats()[k];
    if (constant.reg.file != RegisterFile::c)
      values.push_back(constant.raw[k]);
    else if (std::isfinite(number))
      values.push_back(number);
    else
      values.push_back(hex(std::bit_cast<std::uint32_t>(number)));
  }
  return values;
}

class Pica200Guest final : public Guest, public NamedRegisters {
 public:
  Pica200Guest()
      : Guest({.isa = Isa::pica200,
               .stages = kStages,
               .file_kinds =
                   "an SHBIN (which begins with DVLB) or an assembly source (whose name ends in .pica)",
               .words = {.code = pica200::kMaxCodeWords,
                         .descriptors = pica200::kMaxDescriptors,
                         .entry_unit = 1}},
              {.registers = this}) {}

  bool recognizes(std::string_view content, const std::string& name) const override {
    return content.starts_with("DVLB") || name.ends_with(".pica") || name.ends_with(".shbin");
  }
  Result<std::unique_ptr<Container>> read(std::span<const std::byte> bytes,
                                          const std::string& name) const override {
    pica200::Container container;
    if (as_text(bytes).starts_with("DVLB")) {
      WARPJIT_TRY(container, pica200::read_shbin(bytes, name));
    } else if (name.ends_with(".pica")) {
      const pica200::SourceFile source{name, std::string(as_text(bytes))};
      WARPJIT_TRY(container, pica200::assemble({&source, 1}));
    } else {
      return Error{ErrorCode::bad_input,
                   "neither an SHBIN (which begins with DVLB) nor an assembly source "
                   "(whose name ends in .pica)",
                   name};
    }
    return std::unique_ptr<Container>(new Pica200Container(std::move(container)));
  }
  Result<ShaderPtr> load_words(const RawWords& words, const GuestModes& modes) const override {
    pica200::RawProgram raw;
    raw.code = words.code;
    raw.descriptors = words.descriptors;
    raw.entry = words.entry;
    raw.stage = words.stage;
    raw.source_name = words.source_name;
    WARPJIT_TRY(const Program program, pica200::load_words(raw, modes_or_usual<pica200::Modes>(modes)));
    return frontend::shared_shader(program);
  }
  Result<Assembled> assemble(std::span<const SourceText> texts,
                             const AssembleOptions& options) const override {
    std::vector<pica200::SourceFile> sources;
    for (const SourceText& text : texts) sources.push_back({text.name, text.text});
    pica200::SourceNotes notes;
    WARPJIT_TRY(pica200::Container container, pica200::assemble(sources, &notes));
    Assembled assembled;
    for (pica200::Warning& warning : pica200::check(container, notes))
      assembled.warnings.push_back({std::move(warning.where), std::move(warning.message)});
    assembled.container = pica200::write_shbin(container, {.labels = options.labels});
    assembled.summary =
        fmt::format("{} code words, {} descriptors", container.code.size(), container.descriptors.size());
    assembled.programs = std::make_unique<Pica200Container>(std::move(container));
    return assembled;
  }

  Result<GuestModes> read_modes(const JsonField& field) const override {
    pica200::Modes modes;
    WARPJIT_CHECK(field.expect_keys({"float", "scopes"}));
    // One of two words, the second of which switches the mode on.
    const auto read = [&](const char* key, const std::string& off, const std::string& on,
                          bool& mode) -> Status {
      const auto member = field.find(key);
      if (!member) return {};
      WARPJIT_TRY(const std::string text, member->string());
      if (text != off && text != on)
        return member->error(fmt::format("'{}' is no mode; it may be {} or {}", text, off, on));
      mode = text == on;
      return {};
    };
    WARPJIT_CHECK(read("float", "f32", "f24", modes.f24));
    WARPJIT_CHECK(read("scopes", "hardware", "structural", modes.structural_scopes));
    return GuestModes(modes);
  }
  Json words_json(const frontend::Shader& shader) const override {
    const pica200::Program& program = pica200_program(shader);
    return {{"words", words_array(program.code)},
            {"descriptors", words_array(program.descriptors)},
            {"entry", program.entry}};
  }
  Json modes_json(const frontend::Shader& shader) const override {
    Json json = Json::object();
    if (pica200_program(shader).f24) json["float"] = "f24";
    if (pica200_program(shader).structural_scopes) json["scopes"] = "structural";
    return json;
  }
  std::span<const std::string_view> uniform_files() const override { return kUniformFiles; }
  std::string_view names(LocationKind kind) const override {
    switch (kind) {
      case LocationKind::input:
        return "v0-v15";
      case LocationKind::output:
        return "o0-o15, r0-r15, a0, aL, cmp";
      case LocationKind::state:
        return "r0-r15, a0, aL, cmp";
      case LocationKind::float_uniform:
        return "c0-c95";
      default:
        return "c0-c95, i0-i3, b0-b15";
    }
  }
  std::uint32_t unnamed_uniforms(const frontend::Shader&) const override { return 0; }
  bool is_preset(const frontend::Shader& shader, const Location& location) const override {
    const std::string reg = shader.register_name(location);
    const auto& constants = pica200_program(shader).constants;
    return std::any_of(constants.begin(), constants.end(),
                       [&](const pica200::Constant& constant) { return pica200::name(constant.reg) == reg; });
  }
  // o and r hold floats; a0, aL, cmp and emit integers, which are counted after them.
  bool is_float(const Location& location) const override {
    return location.first < (location.kind == LocationKind::state ? 16 : 32);
  }
  std::uint64_t outputs_written(const frontend::Shader& shader) const override {
    const pica200::Program& program = pica200_program(shader);
    std::uint64_t mask = 0;
    for (const std::uint16_t address : pica200::find_usage(program, program.entry).addresses) {
      const auto instruction = pica200::try_decode(program.code[address]);
      if (!instruction || (instruction->info().traits & pica200::kWritesDest) == 0) continue;
      const pica200::Register reg = pica200::dest_register(instruction->dst);
      if (reg.file == RegisterFile::o) mask |= std::uint64_t{1} << reg.index;
    }
    return mask;
  }
  Json passing_vertex() const override {  // mov o0, v0; end
    return {{"words", {"0x4c000000", "0x88000000"}}, {"descriptors", {"0x0d86c36f"}}};
  }

  Result<std::string> list(const frontend::Shader& shader, const ListOptions& options) const override {
    const pica200::Program& program = pica200_program(shader);
    return pica200::disassemble(program, disassemble_options(options));
  }
  Json list_json(const frontend::Shader& shader) const override {
    const pica200::Program& program = pica200_program(shader);
    Json list = Json::array();
    for (std::uint32_t address = 0; address < program.code.size(); ++address) {
      Json row{{"address", address}, {"words", {hex(program.code[address])}}};
      if (std::string text = instruction(shader, address); !text.empty())
        row["text"] = std::move(text);
      else
        row["reason"] = pica200::undefined_reason(program.code[address]);
      list.push_back(std::move(row));
    }
    return list;
  }
  std::string instruction(const frontend::Shader& shader, std::uint32_t address) const override {
    if (shader.stage() == Stage::fragment) return {};  // the fixed function has no instructions
    const pica200::Program& program = pica200_program(shader);
    const auto decoded =
        address < program.code.size() ? pica200::try_decode(program.code[address]) : std::nullopt;
    return decoded ? pica200::disassemble(*decoded, program.descriptor(decoded->descriptor)) : std::string();
  }
  std::string_view source_ending() const override { return ".pica"; }
  Result<std::optional<assembly::SourceNotes>> source_notes(const frontend::Shader& shader,
                                                            const SourceText& text) const override {
    if (shader.stage() == Stage::fragment) return std::optional<assembly::SourceNotes>();
    const pica200::SourceFile source{text.name, text.text};
    pica200::SourceNotes from;
    WARPJIT_TRY(const pica200::Container container, pica200::assemble({&source, 1}, &from));
    if (container.code != pica200_program(shader).code) return std::optional<assembly::SourceNotes>();
    assembly::SourceNotes notes;
    for (std::uint32_t address = 0; address < from.words.size(); ++address)
      notes.lines.emplace_back(address, from.words[address].line);
    for (const pica200::ProgramInfo& program : container.programs) add_labels(program, notes.labels);
    std::ranges::sort(notes.labels);
    notes.labels.erase(std::unique(notes.labels.begin(), notes.labels.end()), notes.labels.end());
    return std::optional(std::move(notes));
  }
  std::vector<std::pair<std::uint32_t, std::string>> labels(const frontend::Shader& shader) const override {
    std::vector<std::pair<std::uint32_t, std::string>> labels;
    if (shader.stage() != Stage::fragment) add_labels(pica200_program(shader), labels);
    std::ranges::sort(labels);
    return labels;
  }
  void describe(const frontend::Shader& shader, Json& json) const override {
    const pica200::Program& program = pica200_program(shader);
    if (json["name"] == "")  // a label says it too
      for (const pica200::Label& label : program.labels)
        if (label.address == program.entry) json["name"] = label.name;
    json["descriptors"] = program.descriptors.size();
    json["outputs"] = Json::array();
    for (const pica200::Output& output : program.outputs) {
      Json row{{"name", pica200::name(output.semantic)},
               {"register", fmt::format("o{}", output.reg)},
               {"components", components(output.mask)}};
      if (!output.name.empty()) row["alias"] = output.name;
      json["outputs"].push_back(std::move(row));
    }
    for (const pica200::Constant& constant : program.constants)
      json["constants"].push_back(
          {{"register", pica200::name(constant.reg)}, {"value", constant_json(constant)}});
    for (const pica200::Label& label : program.labels)
      json["labels"].push_back({{"name", label.name}, {"address", label.address}});
    if (program.stage != pica200::Stage::geometry) return;
    const GeometryInput input = shader.geometry_unit()->geometry_input();
    json["geometry"] = {{"mode", warpjit::name(input.mode)}};
    if (input.mode == PrimitiveMode::fixed) {
      json["geometry"]["first"] = fmt::format("c{}", input.first);
      json["geometry"]["vertices"] = input.vertices;
    } else if (input.mode == PrimitiveMode::variable) {
      json["geometry"]["full_vertices"] = input.full_vertices;
    } else {
      for (const std::uint8_t reg : input.registers)
        json["geometry"]["registers"].push_back(fmt::format("v{}", reg));
    }
  }

 private:
  static constexpr Stage kStages[] = {Stage::vertex, Stage::geometry};
  static constexpr std::string_view kUniformFiles[] = {"c0", "i0", "b0"};

  static void add_labels(const pica200::ProgramInfo& program,
                         std::vector<std::pair<std::uint32_t, std::string>>& labels) {
    for (const pica200::Label& label : program.labels) labels.emplace_back(label.address, label.name);
  }
};

}  // namespace

const Guest& pica200_guest() {
  static const Pica200Guest kGuest;
  return kGuest;
}

std::vector<LaunchValue> launch_values(const frontend::Shader& shader, const pica200::Uniforms& uniforms) {
  std::vector<LaunchValue> values;
  const auto add = [&](const std::string& name, std::vector<std::uint32_t> words) {
    if (const auto location = shader.find(LocationKind::uniform, name))
      values.push_back({*location, std::move(words)});
  };
  for (unsigned k = 0; k < std::size(uniforms.c); ++k) {
    std::vector<std::uint32_t> words;
    for (const float component : uniforms.c[k]) words.push_back(std::bit_cast<std::uint32_t>(component));
    add(fmt::format("c{}", k), std::move(words));
  }
  for (unsigned k = 0; k < std::size(uniforms.i); ++k)
    add(fmt::format("i{}", k), {std::begin(uniforms.i[k]), std::end(uniforms.i[k])});
  for (unsigned k = 0; k < 16; ++k) add(fmt::format("b{}", k), {uniforms.b >> k & 1u});
  return values;
}

}  // namespace warpjit::tool
