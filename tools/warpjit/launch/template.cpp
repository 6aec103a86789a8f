#include "launch/template.h"

#include <fmt/core.h>

#include <algorithm>

#include "frontend/textures/facts.h"
#include "launch/reading.h"
#include "textures/view.h"

namespace warpjit::tool {
namespace {

constexpr std::uint32_t kThreads = 3, kKernelThreads = 64;  // without a count
constexpr const char* kAddress = "0x1000";                  // of each piece of memory
constexpr std::uint32_t kBytes = 4096, kShownWords = 16, kImageSide = 16;
constexpr std::uint32_t kPacketBytes = 128;  // of a vertex's results

std::string register_name(const frontend::Shader& shader, LocationKind kind, unsigned number) {
  return shader.register_name(numbered(kind, number));
}

// The output registers that the program declares.
std::uint64_t declared_outputs(const frontend::Shader& shader) {
  std::uint64_t mask = 0;
  for (const Symbol& symbol : shader.declarations().outputs)
    if (const auto location = shader.find(LocationKind::output, symbol.reg))
      mask |= std::uint64_t{1} << location->first;
  return mask;
}

// What a uniform starts as: an identity for a 4x4 or 3x4 matrix, else zeros.
Json uniform_value(const Location& location) {
  if (location.kind == LocationKind::bool_uniform)
    return location.count == 1 ? Json(false) : Json(std::vector<bool>(location.count, false));
  const bool matrix =
      location.kind == LocationKind::float_uniform && (location.count == 3 || location.count == 4);
  Json rows = Json::array();
  for (unsigned row = 0; row < location.count; ++row) {
    std::array<int, 4> values{};
    if (matrix) values[row] = 1;
    rows.push_back(values);
  }
  return location.count == 1 ? *rows.begin() : rows;
}

// The uniforms that the container declares and does not give itself.
Json uniforms_of(const frontend::Shader& shader, const Guest& guest) {
  Json uniforms = Json::object();
  for (const Symbol& symbol : shader.declarations().uniforms) {
    const auto found = shader.find(LocationKind::uniform, symbol.reg);
    if (!found) continue;
    Location location = *found;
    location.count = static_cast<std::uint16_t>(symbol.count);
    bool preset = false;
    for (unsigned k = 0; k < symbol.count; ++k)
      preset |= guest.is_preset(shader, numbered(location.kind, location.first + k));
    if (!preset) uniforms[symbol.name] = uniform_value(location);
  }
  return uniforms;
}

// The uniform registers that have no names, as far as code reads them.
void add_unnamed_uniforms(const frontend::Shader& shader, const Guest& guest, double value, Json& json) {
  const std::uint32_t words = guest.registers() != nullptr ? guest.registers()->unnamed_uniforms(shader) : 0;
  if (words == 0) return;
  Json list = Json::object();
  for (const std::string_view file : guest.uniform_files()) {
    const auto first = shader.find(LocationKind::uniform, std::string(file));
    if (!first) continue;
    for (std::uint32_t n = 0; n < std::min<std::uint32_t>(words, first->count); ++n) {
      const Location location = numbered(first->kind, first->first + n);
      if (!guest.is_preset(shader, location)) list[shader.register_name(location)] = value;
    }
  }
  if (!list.empty()) json["uniforms"] = std::move(list);
}

Json packed_rows(std::uint32_t count) {
  Json data = Json::array();
  for (std::uint32_t row = 0; row < count; ++row)
    for (const int number : {0, 0, 0, 1}) data.push_back(number);
  return {{"format", "f32x4"}, {"data", std::move(data)}};
}

// The inputs that are declared, and those that the code reads without.
Json inputs_of(const frontend::Shader& shader, std::uint32_t count) {
  Json inputs = Json::object();
  std::uint64_t named = 0;
  for (const Symbol& symbol : shader.declarations().inputs) {
    const auto location = shader.find(LocationKind::input, symbol.reg);
    if (!location) continue;
    for (unsigned k = 0; k < symbol.count; ++k) {
      const std::uint64_t flag = std::uint64_t{1} << (location->first + k);
      if ((named & flag) != 0) continue;  // a second name of the register
      named |= flag;
      inputs[k == 0 ? symbol.name : register_name(shader, LocationKind::input, location->first + k)] =
          packed_rows(count);
    }
  }
  for (unsigned n = 0; n < frontend::kMaxInputs; ++n)
    if ((shader.usage().inputs >> n & 1) != 0 && (named >> n & 1) == 0)
      inputs[register_name(shader, LocationKind::input, n)] = packed_rows(count);
  return inputs;
}

// The output registers that are worth a look, at least one.
Json outputs_of(const frontend::Shader& shader, const Guest& guest) {
  std::uint64_t mask = declared_outputs(shader) | shader.declarations().enabled_outputs;
  if (mask == 0 && guest.registers() != nullptr) mask = guest.registers()->outputs_written(shader);
  if (mask == 0) mask = 1;
  Json outputs = Json::object();
  for (unsigned n = 0; n < frontend::kMaxOutputs; ++n)
    if ((mask >> n & 1) != 0) outputs[register_name(shader, LocationKind::output, n)] = Json::object();
  return outputs;
}

// A stage for a geometry program that comes alone.
Json passing_vertex(const Guest& guest, std::uint32_t count) {
  Json json{{"program", guest.registers()->passing_vertex()}};
  json["inputs"] = {{"v0", packed_rows(count)}};
  json["outputs"] = {{"o0", Json::object()}};
  return json;
}

// The first vertex program of the container, and its index; null without one.
struct VertexProgram {
  ShaderPtr shader;
  std::size_t index = 0;
};
Result<VertexProgram> vertex_program(const GivenProgram& given) {
  ProgramRequest request;
  for (std::size_t k = 0; given.container != nullptr && k < given.container->size(); ++k) {
    if (given.container->stage(k) != Stage::vertex) continue;
    request.index = k;
    WARPJIT_TRY(ShaderPtr shader, given.container->load(request, {}));
    return VertexProgram{std::move(shader), k};
  }
  return VertexProgram();
}

// The stage before a geometry program: the container's, else one that passes attributes on. Empty: the
// geometry program has inputs itself.
Result<Json> vertex_stage(const GivenProgram& given, PrimitiveMode mode, std::uint32_t count) {
  WARPJIT_TRY(const VertexProgram vertex, vertex_program(given));
  if (vertex.shader == nullptr)
    return mode == PrimitiveMode::point ? Json() : passing_vertex(*given.guest, count);
  Json json = Json::object();
  if (Json uniforms = uniforms_of(*vertex.shader, *given.guest); !uniforms.empty())
    json["uniforms"] = std::move(uniforms);
  if (Json inputs = inputs_of(*vertex.shader, count); !inputs.empty()) json["inputs"] = std::move(inputs);
  if (vertex.shader->declarations().enabled_outputs == 0)
    json["outputs"] = outputs_of(*vertex.shader, *given.guest);
  return json;
}

Json geometry_of(const frontend::Shader& shader, bool has_vertex_stage, std::uint32_t count) {
  const GeometryInput input = shader.geometry_unit()->geometry_input();
  Json json{{"mode", warpjit::name(input.mode)}};
  if (input.mode == PrimitiveMode::fixed) {
    json["first"] = register_name(shader, LocationKind::float_uniform, input.first);
    json["vertices"] = std::max(1u, input.vertices);
  } else if (input.mode == PrimitiveMode::variable) {
    json["full_vertices"] = input.full_vertices;
    json["primitives"] = {count};  // one of all vertices
    for (std::uint32_t vertex = 0; vertex < count; ++vertex) json["primitives"].push_back(vertex);
  } else if (has_vertex_stage && !input.registers.empty()) {
    for (const std::uint8_t reg : input.registers)
      json["registers"].push_back(register_name(shader, LocationKind::input, reg));
  }
  json["max_triangles"] = input.max_triangles;
  return json;
}

void add_textures(const frontend::Shader& shader, const Guest& guest, Json& json) {
  if (guest.samples() == nullptr) return;
  if (Json textures = guest.samples()->textures(shader); !textures.empty())
    json["textures"] = std::move(textures);
  if (Json samplers = guest.samples()->samplers(shader); !samplers.empty())
    json["samplers"] = std::move(samplers);
}

void add_buffers(const frontend::Shader& shader, const Guest& guest, Json& json) {
  if (guest.console() != nullptr) guest.console()->add_buffers(shader, json);
}

Result<Json> thread_template(const GivenProgram& given, Json json, std::uint32_t count) {
  const frontend::Shader& shader = *given.shader;
  json["count"] = count;
  Json vertex;
  if (shader.stage() == Stage::geometry) {
    WARPJIT_TRY(vertex, vertex_stage(given, shader.geometry_unit()->geometry_input().mode, count));
    json["geometry"] = geometry_of(shader, !vertex.is_null(), count);
    if (!vertex.is_null()) json["vertex"] = vertex;
  }
  if (Json uniforms = uniforms_of(shader, *given.guest); !uniforms.empty())
    json["uniforms"] = std::move(uniforms);
  add_unnamed_uniforms(shader, *given.guest, 0, json);
  add_textures(shader, *given.guest, json);
  if (vertex.is_null())
    if (Json inputs = inputs_of(shader, count); !inputs.empty()) json["inputs"] = std::move(inputs);
  add_buffers(shader, *given.guest, json);
  json["outputs"] = outputs_of(shader, *given.guest);
  return json;
}

Result<Json> grid_template(const GivenProgram& given, Json json, std::uint32_t count) {
  WARPJIT_TRY(const GridUse use, given.guest->grid_use(*given.shader));
  Json memory = Json::array(), outputs = Json::array();
  if (given.shader->stage() == Stage::vertex) {
    json["vertices"] = {{"count", count}, {"packet_stride", kPacketBytes}};
    const std::uint32_t stride = 16 * use.attributes;
    for (std::uint32_t k = 0; k < use.attributes; ++k)
      json["attributes"].push_back({{"format", "rgba32f"},
                                    {"address", kAddress},
                                    {"bytes", kBytes},
                                    {"offset", 16 * k},
                                    {"stride", stride}});
    if (use.results)
      outputs.push_back({{"space", kResultSpace},
                         {"address", 0},
                         {"format", "f32x4"},
                         {"count", count * (kPacketBytes / 16)}});
  } else {
    json["grid"] = {1};
    json["block"] = {count};
    if (use.shared) json["shared"] = {{"size", kBytes}};
  }
  for (std::uint32_t k = 0; k < use.images; ++k)
    json["images"].push_back({{"format", "rgba8unorm"},
                              {"address", kAddress},
                              {"width", kImageSide},
                              {"height", kImageSide},
                              {"row_stride", 4 * kImageSide}});
  for (const std::uint32_t handle : use.buffers)
    json["table_buffers"].push_back(
        {{"table", handle >> 24}, {"entry", handle & 0xffffff}, {"address", kAddress}, {"bytes", kBytes}});
  if (use.parameter_bytes != 0) json["params"] = std::vector<int>((use.parameter_bytes + 3) / 4, 0);
  add_textures(*given.shader, *given.guest, json);
  for (const GridUse::Space& space : use.spaces) {
    if (!space.constant) {
      memory.push_back({{"space", space.name}, {"address", kAddress}, {"size", kBytes}});
      if (space.written)
        outputs.push_back(
            {{"space", space.name}, {"address", kAddress}, {"format", "u32"}, {"count", kShownWords}});
    } else if (space.preset < std::max(space.bytes, 1U)) {  // what the container gives is not asked for
      const std::uint32_t words = std::max(1U, (space.bytes + 3) / 4);
      memory.push_back({{"space", space.name}, {"format", "u32"}, {"data", std::vector<int>(words, 0)}});
    }
  }
  if (!memory.empty()) json["memory"] = std::move(memory);
  if (!outputs.empty()) json["outputs"] = std::move(outputs);
  return json;
}

// The constants that the program reads and its container does not give.
Result<Json> constants_of(const Guest& guest, const frontend::Shader& shader) {
  WARPJIT_TRY(const GridUse use, guest.grid_use(shader));
  Json memory = Json::array();
  for (const GridUse::Space& space : use.spaces) {
    if (!space.constant || space.preset >= std::max(space.bytes, 1U)) continue;
    const std::uint32_t words = std::max(1U, (space.bytes + 3) / 4);
    memory.push_back({{"space", space.name}, {"format", "f32"}, {"data", std::vector<double>(words, 0.5)}});
  }
  return memory;
}

// One triangle over the whole target, in which x and y of everything but the position go from 0 to 1.
constexpr float kCorners[][2] = {{-1, -1}, {3, -1}, {-1, 3}};
constexpr std::uint32_t kTemplateExtent = 64;  // of the targets
Json covering_rows(std::uint32_t count, bool position) {
  Json data = Json::array();
  for (std::uint32_t row = 0; row < count; ++row) {
    for (const float corner : kCorners[row % std::size(kCorners)])
      data.push_back(position ? corner : (corner + 1) / 2);
    data.push_back(0);
    data.push_back(1);
  }
  return {{"format", "f32x4"}, {"data", std::move(data)}};
}

// The vertex stage of a draw: the container's, without input rows for what is numbered.
Result<Json> covering_stage(const GivenProgram& given, std::uint32_t count) {
  WARPJIT_TRY(const VertexProgram program, vertex_program(given));
  if (program.shader == nullptr) return Json();
  const frontend::Shader& vertex = *program.shader;
  Json json = Json::object();
  if (given.json.contains("entry")) {
    json["program"] = given.json;
    json["program"].erase("entry");
    json["program"]["index"] = program.index;
  }
  for (unsigned n = 0; n + 1 < vertex.traits().input_registers; ++n)
    if ((vertex.usage().inputs >> n & 1) != 0)
      json["inputs"][register_name(vertex, LocationKind::input, n)] =
          covering_rows(count, !json.contains("inputs"));
  add_textures(vertex, *given.guest, json);
  WARPJIT_TRY(Json memory, constants_of(*given.guest, vertex));
  if (!memory.empty()) json["memory"] = std::move(memory);
  add_buffers(vertex, *given.guest, json);
  return json;
}

// The parameters of a fragment program that has them, and its memory besides constants.
Status add_parameters(const GivenProgram& given, Json& json, Json& memory) {
  WARPJIT_TRY(const GridUse use, given.guest->grid_use(*given.shader));
  if (use.parameter_bytes != 0) json["params"] = std::vector<double>((use.parameter_bytes + 3) / 4, 0.5);
  for (const GridUse::Space& space : use.spaces)
    if (!space.constant) memory.push_back({{"space", space.name}, {"address", kAddress}, {"size", kBytes}});
  return {};
}

// Vertices of that triangle. `window`: positions are those of pixels.
Json covering_vertices(std::uint32_t slots, std::uint32_t count, bool window) {
  Json data = Json::array();
  for (std::uint32_t row = 0; row < count; ++row)
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const float corner = kCorners[row % std::size(kCorners)][slot % 2];
      if (slot < 2 && window)
        data.push_back((corner + 1) * kTemplateExtent / 2);
      else if (slot < 4)
        data.push_back(slot < 2 ? corner : slot == 2 ? 0.0F : 1.0F);
      else
        data.push_back((corner + 1) / 2);
    }
  return {{"slots", slots}, {"data", std::move(data)}};
}

Json covered_targets() {
  return {{"size", {kTemplateExtent, kTemplateExtent}},
          {"colors", {{{"format", "rgba8"}, {"clear", {0, 0, 0, 1}}}}}};
}

// A geometry program in a draw: it gets one triangle, and what it makes is white.
Result<Json> strips_template(const GivenProgram& given, Json json, std::uint32_t count) {
  Json geometry{{"program", std::move(json["program"])}};
  add_textures(*given.shader, *given.guest, geometry);
  WARPJIT_TRY(Json memory, constants_of(*given.guest, *given.shader));
  if (!memory.empty()) geometry["memory"] = std::move(memory);
  json["stage"] = warpjit::name(Stage::fragment);
  json["program"] = given.guest->driver()->white_fragment();
  json["count"] = count;
  json["geometry"] = std::move(geometry);
  json["vertices"] = covering_vertices(given.guest->driver()->vertex_words(*given.shader), count, false);
  json["targets"] = covered_targets();
  return json;
}

Result<Json> draw_template(const GivenProgram& given, Json json, std::uint32_t count) {
  json["count"] = count;
  add_unnamed_uniforms(*given.shader, *given.guest, 0.5, json);
  add_textures(*given.shader, *given.guest, json);
  WARPJIT_TRY(Json vertex, covering_stage(given, count));
  // Where vertex programs store their results themselves, they give window positions.
  const bool window = given.guest->attributes() != nullptr;
  if (vertex.is_null()) {
    std::uint32_t slots = 4;
    for (const pixels::SlotUse use : given.shader->varyings().slots_read)
      slots = std::max(slots, use.slot + 1U);
    json["vertices"] = covering_vertices(slots, count, window);
  } else {
    json["vertex"] = std::move(vertex);
  }
  WARPJIT_TRY(Json memory, constants_of(*given.guest, *given.shader));
  if (given.shader->traits().memory.parameters) WARPJIT_CHECK(add_parameters(given, json, memory));
  if (!memory.empty()) json["memory"] = std::move(memory);
  add_buffers(*given.shader, *given.guest, json);
  if (window) json["raster"] = {{"window-positions", true}};
  json["targets"] = covered_targets();
  return json;
}

}  // namespace

Result<Json> launch_template(const GivenProgram& given, std::uint32_t count) {
  const frontend::Shader& shader = *given.shader;
  Json json{{"warpjit", 1},
            {"isa", warpjit::name(shader.isa())},
            {"stage", warpjit::name(shader.stage())},
            {"program", given.json}};
  const bool kernel = shader.stage() == Stage::compute;
  const bool grid = kernel || (shader.stage() == Stage::vertex && given.guest->attributes() != nullptr);
  if (count == 0) count = kernel ? kKernelThreads : kThreads;
  if (shader.varyings().strips) return strips_template(given, std::move(json), count);
  if (shader.stage() == Stage::fragment) return draw_template(given, std::move(json), count);
  return grid ? grid_template(given, std::move(json), count) : thread_template(given, std::move(json), count);
}

const char* template_advice(const GivenProgram& given) {
  return given.shader->stage() == Stage::compute    ? "grid, block, params and memory"
         : given.shader->varyings().strips          ? "vertices, memory, program and targets"
         : given.shader->stage() == Stage::geometry ? "geometry, uniforms and inputs"
         : given.shader->stage() == Stage::fragment ? "vertices, memory and targets"
         : given.guest->attributes() != nullptr     ? "vertices, attributes, params and memory"
                                                    : "uniforms and inputs";
}

frontend::Facts general_facts(const frontend::Shader& shader) {
  constexpr frontend::StripFacts kTriangles{3, 32};  // of eight rows a vertex
  if (shader.varyings().strips) return {.work = kTriangles};
  frontend::RowFacts facts{.bound_inputs = shader.usage().inputs};
  std::uint64_t outputs = declared_outputs(shader);
  if (outputs == 0) outputs = shader.declarations().vertex_outputs;
  for (std::uint8_t n = 0; n < frontend::kMaxOutputs; ++n)
    if ((outputs >> n & 1) != 0) facts.outputs[facts.output_count++] = n;
  return {.work = facts};
}

Result<std::vector<ir::SampleKey>> template_samples(const GivenProgram& given) {
  Json json = Json::object();
  add_textures(*given.shader, *given.guest, json);
  const std::string& name = given.shader->source_name();
  const FileReader files = [](const std::string& file) -> Result<std::vector<std::byte>> {
    return Error{ErrorCode::bad_input, "templates name no such file", file};
  };
  Reading reading{.root = JsonField(json, name), .files = files, .guest = given.guest};
  reading.launch.program = given.shader;
  WARPJIT_CHECK(read_textures(reading));
  std::vector<ir::SampleKey> keys;
  for (const frontend::TextureUse& use : given.shader->sampling().uses) {
    const auto texture = std::ranges::find(reading.launch.textures, use.texture, &LaunchTexture::slot);
    const auto sampler = std::ranges::find(reading.launch.samplers, use.sampler, &LaunchSampler::slot);
    if (texture == reading.launch.textures.end()) return std::vector<ir::SampleKey>();
    WARPJIT_TRY(const textures::TextureView view, textures::make_view(texture->texture, texture->where));
    const bool sampled = use.needs_sampler && sampler != reading.launch.samplers.end();
    keys.push_back(frontend::sample_key(view, sampled ? sampler->sampler : Sampler{}));
  }
  return keys;
}

}  // namespace warpjit::tool
