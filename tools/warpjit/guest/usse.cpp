#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "device/usse/surface.h"
#include "files.h"
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/assembly/disassemble.h"
#include "frontend/usse/assembly/interface.h"
#include "frontend/usse/container/texture.h"
#include "frontend/usse/facts/launch.h"
#include "frontend/usse/facts/slots.h"
#include "frontend/usse/facts/texels.h"
#include "frontend/usse/shader.h"
#include "frontend/usse/stage_values.h"
#include "guest/guest.h"
#include "guest/usse/console.h"
#include "warpjit/usse.hpp"

namespace warpjit::tool {

namespace {

const usse::Program& usse_program(const frontend::Shader& shader) {
  return static_cast<const usse::Shader&>(shader).program();
}

// ---- What a container says, for `info`

Json parameter_json(const usse::Parameter& parameter) {
  Json json{{"category", usse::name(parameter.category)}, {"name", parameter.name}};
  if (parameter.category == usse::Category::attribute || parameter.category == usse::Category::uniform) {
    json["type"] = usse::name(parameter.type);
    json["components"] = parameter.components;
    json["array"] = parameter.array_size;
  }
  if (parameter.category == usse::Category::uniform) json["container"] = parameter.container;
  if (const std::string_view semantic = usse::semantic_name(parameter.semantic); !semantic.empty())
    json["semantic"] = std::string(semantic) + std::to_string(parameter.semantic_index);
  if (parameter.cube) json["cube"] = true;
  json["resource"] = parameter.resource;
  return json;
}

Json vertex_json(const usse::VertexInterface& vertex) {
  Json outputs = Json::array();
  unsigned word = 0;
  const auto add = [&](const std::string& output, unsigned words) {
    if (words == 0) return;
    outputs.push_back({{"name", output}, {"word", word}, {"words", words}});
    word += words;
  };
  if (vertex.words == 0) return outputs;  // nothing says what they are
  add("position", 4);
  for (unsigned n = 0; n < 2; ++n) add("color" + std::to_string(n), vertex.color[n] ? 4 : 0);
  add("fog", vertex.fog ? 2 : 0);
  for (unsigned n = 0; n < usse::kTexcoords; ++n)
    add("texcoord" + std::to_string(n), vertex.texcoord_words(n));
  add("point_size", vertex.point_size ? 1 : 0);
  for (unsigned n = 0; n < 8; ++n)
    add("clip" + std::to_string(n), (vertex.clip_distances >> n & 1) != 0 ? 1 : 0);
  return outputs;
}

Json fragment_json(const usse::FragmentInterface& fragment) {
  constexpr const char* kValues[] = {"texcoord", "color", "fog", "position", "point"};
  constexpr const char* kFormats[] = {"f32", "f16", "c10", "u8"};
  constexpr const char* kTexels[] = {"native", "f16", "f32"};
  constexpr const char* kProjections[] = {"none", "z", "w"};
  const auto value_name = [&](usse::FragmentInput::Value value, unsigned index) {
    const bool numbered = static_cast<unsigned>(value) < 2;
    return kValues[static_cast<std::size_t>(value)] + (numbered ? std::to_string(index) : std::string());
  };
  Json inputs = Json::array();
  unsigned word = 0;
  for (const usse::FragmentInput& input : fragment.inputs) {
    Json json{{"word", word}, {"words", input.words()}};
    if (const auto& value = input.iterated)
      json["iterated"] = {{"value", value_name(value->value, value->index)},
                          {"components", value->components},
                          {"format", kFormats[static_cast<std::size_t>(value->format)]}};
    if (const auto& texel = input.sampled)
      json["sampled"] = {{"unit", texel->unit},
                         {"coordinate", value_name(texel->value, texel->index)},
                         {"projection", kProjections[static_cast<std::size_t>(texel->projection)]},
                         {"format", kTexels[static_cast<std::size_t>(texel->format)]}};
    inputs.push_back(std::move(json));
    word += input.words();
  }
  return inputs;
}

Json flags_json(const usse::Program& program) {
  Json flags = Json::array();
  for (const auto& [flag, text] : usse::flag_names())
    if (program.has(flag)) flags.push_back(text);
  return flags;
}

void describe_program(const usse::Program& program, Json& json) {
  json["secondary_instructions"] = program.secondary.size();
  json["flags"] = flags_json(program);
  json["primary_attributes"] = program.primary_attributes;
  json["secondary_attributes"] = program.secondary_attributes;
  json["temporaries"] = program.temporaries;
  json["phases"] = program.phases;
  const auto list = [&](const char* key, const auto& entries, const auto& entry_json) {
    if (entries.empty()) return;
    Json& rows = json[key] = Json::array();
    for (const auto& entry : entries) rows.push_back(entry_json(entry));
  };
  list("parameters", program.parameters, parameter_json);
  list("containers", program.containers, [](const usse::RegisterContainer& container) -> Json {
    return {{"index", container.index}, {"base", container.base}, {"words", container.words}};
  });
  list("literals", program.literals, [](const usse::Literal& literal) -> Json {
    return {{"offset", literal.offset}, {"value", hex(literal.value)}};
  });
  list("uniform_buffers", program.uniform_buffers, [](const usse::UniformBuffer& buffer) -> Json {
    return {{"buffer", buffer.buffer}, {"offset", buffer.offset}, {"bias", buffer.bias}};
  });
  list("dependent_samplers", program.dependent_samplers, [](const usse::DependentSampler& sampler) -> Json {
    return {{"unit", sampler.unit}, {"word", sampler.word}, {"offset", sampler.offset}};
  });
  if (program.stage == Stage::vertex) {
    json["vertex_outputs"] = vertex_json(program.vertex);
  } else {
    json["fragment_output"] = {{"type", usse::name(program.fragment.output_type)},
                               {"components", program.fragment.output_components},
                               {"word", program.fragment.output_start}};
    json["fragment_inputs"] = fragment_json(program.fragment);
  }
}

// ---- Launches

// Registers of sa that the code may read, from sa0 on. Registers by an index are not known.
std::uint32_t read_words(const usse::Program& program) {
  std::uint32_t end = 0;
  for (const auto* code : {&program.secondary, &program.primary})
    for (const std::uint64_t word : *code) {
      const auto i = usse::decode(word);
      if (!i) continue;
      for (const usse::Source& source : i->s)
        if (source.bank == usse::Bank::sa && source.index == 0)
          end = std::max(end, source.number + (i->group <= usse::Group::tst ? 4U : 1U));
    }
  return std::min(end, std::min(program.secondary_attributes, usse::kMaxRegisters));
}

// What the container puts into sa, nothing being given: literals.
std::array<std::uint32_t, usse::kMaxRegisters> preset_words(const usse::Program& program) {
  std::array<std::uint32_t, usse::kMaxRegisters> sa{};
  usse::fill_secondary_attributes(program, {}, sa);
  return sa;
}

// Where control words of a unit's texture go.
template <class Visit>
void each_control_register(const usse::Program& program, const Visit& visit) {
  const usse::RegisterContainer* const data = program.container(usse::kDataContainer);
  for (const usse::DependentSampler& sampler : program.dependent_samplers)
    visit(sampler, sampler.offset + (data == nullptr ? 0U : data->base));
}

// A texture of 4 by 4 texels of 8 bits a channel, which are filtered: red from the left, green from the top,
// blue by the face of a cube.
Json template_texture(bool cube) {
  constexpr std::uint32_t kStart = 0x1000, kSides = 0x00020002, kFormat = 0x0c000000, kCube = 2U << 29;
  const std::uint32_t type = kFormat | kSides | (cube ? kCube : 0);
  constexpr std::uint32_t kNormalized = 1U << 31;  // as consoles write it
  Json texture{{"control", {"0x03fe1490", hex(type), hex(kStart), hex(kNormalized)}},
               {"address", hex(kStart)}};
  Json& texels = texture["data"] = Json::array();
  for (std::uint32_t face = 0; face < (cube ? 6U : 1U); ++face)
    for (std::uint32_t n = 0; n < 16; ++n) {  // swizzled: y in even places
      const std::uint32_t x = (n >> 1 & 1) | (n >> 2 & 2), y = (n & 1) | (n >> 1 & 2);
      texels.push_back(hex(0xff000000 | face * 51 << 16 | y * 85 << 8 | x * 85));
    }
  return texture;
}

// True if the texture of a unit is a cube, as instructions or inputs sample it.
bool is_sampled_as_cube(const usse::Program& program, unsigned unit) {
  for (const auto* code : {&program.secondary, &program.primary})
    for (const std::uint64_t word : *code)
      if (const auto i = usse::decode(word); i && i->opcode == usse::Opcode::smp)
        if (usse::sampled_unit(program, *i) == unit) return i->dimension == usse::SampleDimension::cube;
  return usse::samples_cube(program, unit);
}

Result<ControlTexture> control_texture(const frontend::Shader& shader, unsigned slot,
                                       std::span<const std::uint32_t> words, const EntryMemory& memory) {
  usse::ControlWords control{};
  if (words.size() != control.size() || slot >= usse::kTextureUnits)
    return Error{ErrorCode::bad_input, "there are 16 texture units, each with four control words", ""};
  std::ranges::copy(words, control.begin());
  WARPJIT_TRY(const usse::TextureState state, usse::read_texture(control));
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(memory.data), memory.size);
  const auto read = [&](std::uint32_t address, std::uint64_t size) -> std::span<const std::byte> {
    if (address < memory.address || address - memory.address > bytes.size() ||
        size > bytes.size() - (address - memory.address))
      return {};
    return bytes.subspan(static_cast<std::size_t>(address - memory.address), static_cast<std::size_t>(size));
  };
  WARPJIT_TRY(usse::BoundTexture bound, usse::bind_texture(state, read));
  const auto kept = std::make_shared<usse::BoundTexture>(std::move(bound));
  if (!kept->copy.empty()) kept->texture.data = kept->copy.data();
  kept->texture.level_places = kept->places;
  ControlTexture texture{kept->texture, kept->sampler, kept, {}};
  const usse::Program& program = usse_program(shader);
  each_control_register(program, [&](const usse::DependentSampler& sampler, unsigned place) {
    if (sampler.unit != slot) return;
    const auto location = shader.find(LocationKind::uniform, "sa" + std::to_string(place));
    if (!location) return;  // beyond the program's registers
    texture.registers.emplace_back(*location, control[sampler.word]);
    texture.registers.back().first.count = 1;
  });
  return texture;
}

// The only program of a container or source.
class UsseContainer final : public Container {
 public:
  explicit UsseContainer(const Program& program) : shader_(frontend::shared_shader(program)) {}

  std::size_t size() const override { return 1; }
  Stage stage(std::size_t) const override { return shader_->stage(); }
  Result<ShaderPtr> load(const ProgramRequest& request, const GuestModes&) const override {
    WARPJIT_CHECK(check_only_program(request, shader_->stage(), 0, 0, shader_->source_name()));
    return shader_;
  }

 private:
  ShaderPtr shader_;
};

constexpr std::string_view kGxp("GXP\0", 4);  // what such a container begins with

class UsseGuest final : public Guest, public NamedRegisters, public SampledTextures, public ConsoleState {
 public:
  UsseGuest()
      : Guest(
            {.isa = Isa::usse,
             .stages = kStages,
             .file_kinds = "a GXP (which begins with GXP), a USSE assembly source (whose name ends in .usse)",
             .words = {.code = std::size_t{2} * usse::kMaxCodeWords},
             .takes_source = true,
             .fragment_uniforms = true},
            {.registers = this, .samples = this, .console = this}) {}

  bool recognizes(std::string_view content, const std::string& name) const override {
    return content.starts_with(kGxp) || name.ends_with(".usse");
  }
  Result<std::unique_ptr<Container>> read(std::span<const std::byte> bytes,
                                          const std::string& name) const override {
    const Selection selection{.source_name = name};
    WARPJIT_TRY(const Program program, as_text(bytes).starts_with(kGxp)
                                           ? Program::load(bytes, selection)
                                           : usse::load_assembly(as_text(bytes), selection));
    return std::unique_ptr<Container>(new UsseContainer(program));
  }
  Result<ShaderPtr> load_words(const RawWords& words, const GuestModes&) const override {
    if (words.code.size() % 2 != 0)
      return Error{ErrorCode::bad_input,
                   fmt::format("instructions have two words each, but there are {} words", words.code.size()),
                   words.source_name};
    std::vector<std::uint64_t> code(words.code.size() / 2);
    for (std::size_t k = 0; k < words.code.size(); ++k)
      code[k / 2] |= std::uint64_t{words.code[k]} << (k % 2 * 32);
    WARPJIT_TRY(const Program program,
                usse::load_words({.code = code, .stage = words.stage, .source_name = words.source_name}));
    return frontend::shared_shader(program);
  }
  Result<Assembled> assemble(std::span<const SourceText> sources,
                             const AssembleOptions& options) const override {
    WARPJIT_TRY(const SourceText source, only_source(sources, options));
    WARPJIT_TRY(const Program program, usse::load_assembly(source.text, {.source_name = source.name}));
    const usse::Program& code = usse_program(frontend::shader_of(program));
    Assembled assembled;
    WARPJIT_TRY(assembled.container, usse::write_words(code));
    assembled.summary = fmt::format("{} instructions", code.primary.size());
    assembled.programs = std::make_unique<UsseContainer>(program);
    return assembled;
  }

  Result<GuestModes> read_modes(const JsonField& field) const override {
    WARPJIT_CHECK(field.expect_keys({}));
    return GuestModes();
  }
  std::string_view source_ending() const override { return ".usse"; }
  Result<std::optional<assembly::SourceNotes>> source_notes(const frontend::Shader& shader,
                                                            const SourceText& source) const override {
    assembly::SourceNotes notes;
    WARPJIT_TRY(const usse::Program program, usse::assemble(source.text, source.name, &notes));
    const usse::Program& wanted = usse_program(shader);
    if (program.primary != wanted.primary || program.secondary != wanted.secondary)
      return std::optional<assembly::SourceNotes>();
    return std::optional(std::move(notes));
  }
  // A listing: words alone have no inputs and outputs.
  Json words_json(const frontend::Shader& shader) const override {
    const std::string text = usse::disassemble(usse_program(shader), {.words = false, .labels = false});
    Json lines = Json::array();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return {{"source", std::move(lines)}};
  }
  Json modes_json(const frontend::Shader&) const override { return Json::object(); }
  std::string_view names(LocationKind kind) const override {
    return kind == LocationKind::input    ? "pa0, pa4, ... pa60, id"
           : kind == LocationKind::output ? "slots0-slots17"
           : kind == LocationKind::state  ? "none"
                                          : "sa0-sa255";
  }
  std::span<const std::string_view> uniform_files() const override { return kUniformFiles; }
  bool is_float(const Location&) const override { return true; }
  Json passing_vertex() const override { return {}; }
  bool is_preset(const frontend::Shader& shader, const Location& location) const override {
    const bool uniform =
        location.kind == LocationKind::float_uniform || location.kind == LocationKind::uniform;
    if (!uniform || location.first >= usse::kMaxRegisters) return false;
    bool preset = preset_words(usse_program(shader))[location.first] != 0;
    each_control_register(usse_program(shader), [&](const usse::DependentSampler&, unsigned place) {
      preset = preset || place == location.first;
    });
    const usse::RegisterContainer* const data = usse_program(shader).container(usse::kDataContainer);
    for (const usse::UniformBuffer& buffer : usse_program(shader).uniform_buffers)
      preset = preset || buffer.offset + (data == nullptr ? 0U : data->base) == location.first;
    return preset;
  }
  std::uint64_t outputs_written(const frontend::Shader& shader) const override {
    if (usse_program(shader).vertex.words == 0) return 1;
    const auto slots = usse::slot_sources(usse_program(shader));
    std::uint64_t rows = 0;
    for (unsigned n = 0; n < slots.size(); ++n)
      if (slots[n].kind != usse::SlotSource::Kind::zero && slots[n].kind != usse::SlotSource::Kind::one)
        rows |= std::uint64_t{1} << n / 4;
    return rows;
  }
  std::uint32_t unnamed_uniforms(const frontend::Shader& shader) const override {
    return read_words(usse_program(shader));
  }
  Json textures(const frontend::Shader& shader) const override {
    Json textures = Json::object();
    for (const frontend::TextureUse& use : shader.sampling().uses)
      textures[std::to_string(use.texture)] =
          template_texture(is_sampled_as_cube(usse_program(shader), use.texture));
    return textures;
  }
  Json samplers(const frontend::Shader&) const override { return {}; }
  // The memory is of zeros.
  void add_buffers(const frontend::Shader& shader, Json& json) const override {
    constexpr std::uint32_t kFirst = 0x10000, kBytes = 4096;
    std::uint32_t address = kFirst;
    for (unsigned number = 0; number <= usse::kDefaultContainer; ++number) {
      const auto& buffers = usse_program(shader).uniform_buffers;
      if (std::ranges::find(buffers, number, &usse::UniformBuffer::buffer) == buffers.end()) continue;
      const std::string name =
          number == usse::kDefaultContainer ? std::string("default") : std::to_string(number);
      json["buffers"][name] = {{"address", hex(address)}};
      json["memory"].push_back({{"space", "mem"}, {"address", hex(address)}, {"size", kBytes}});
      address += kBytes;
    }
  }
  Status read_values(Reading& reading) const override {
    const usse::Program& program = usse_program(*reading.launch.program);
    if (program.stage == Stage::vertex) WARPJIT_CHECK(read_usse_attributes(reading, program));
    return read_usse_buffers(reading, program);
  }
  Result<PixelFormat> read_surface_format(std::uint32_t number) const override {
    WARPJIT_TRY(const usse::SurfaceFormat format, usse::find_surface_format(number));
    return format.target;
  }
  Result<BlendState> read_blend(std::uint32_t word, const frontend::Shader& fragment,
                                PixelFormat target) const override {
    return usse_blend(word, usse_program(fragment), target);
  }
  Result<RasterState> raster(const frontend::Shader* vertex, Topology topology) const override {
    return usse_raster(vertex != nullptr ? &usse_program(*vertex) : nullptr, topology);
  }
  Result<ControlTexture> read_texture(const frontend::Shader& shader, unsigned slot,
                                      std::span<const std::uint32_t> words,
                                      const EntryMemory& memory) const override {
    return control_texture(shader, slot, words, memory);
  }

  Result<std::string> list(const frontend::Shader& shader, const ListOptions& options) const override {
    WARPJIT_CHECK(check_names(options));
    // Every form of the listing is exact.
    return usse::disassemble(usse_program(shader), {.words = options.words, .labels = options.labels});
  }
  Json list_json(const frontend::Shader& shader) const override {
    Json list = Json::array();
    const auto add = [&](const std::vector<std::uint64_t>& code, const char* section) {
      for (std::size_t k = 0; k < code.size(); ++k) {
        Json row{{"section", section}, {"address", k}, {"words", {fmt::format("{:#018x}", code[k])}}};
        if (const auto decoded = usse::decode(code[k])) {
          row["text"] = usse::disassemble(*decoded);
          row["mnemonic"] = usse::name(decoded->opcode);
        } else {
          row["reason"] = decoded.error().message;
        }
        list.push_back(std::move(row));
      }
    };
    add(usse_program(shader).secondary, "secondary");
    add(usse_program(shader).primary, "primary");
    return list;
  }
  std::string instruction(const frontend::Shader& shader, std::uint32_t address) const override {
    const std::vector<std::uint64_t>& code = usse_program(shader).primary;
    if (address >= code.size()) return {};
    const auto decoded = usse::decode(code[address]);
    return decoded ? usse::disassemble(*decoded) : std::string();
  }
  void describe(const frontend::Shader& shader, Json& json) const override {
    describe_program(usse_program(shader), json);
  }

 private:
  static constexpr Stage kStages[] = {Stage::vertex, Stage::fragment};
  static constexpr std::string_view kUniformFiles[] = {"sa0"};
};

}  // namespace

const Guest& usse_guest() {
  static const UsseGuest kGuest;
  return kGuest;
}

}  // namespace warpjit::tool
