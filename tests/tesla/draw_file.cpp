#include "tesla/draw_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/source_dir.h"
#include "warpjit/tesla.hpp"

namespace warpjit::tesla {
namespace {

using Json = nlohmann::json;

std::string folder() { return tests::source_file("tests/tesla/data/draws"); }

std::uint32_t word_of(const Json& text) {
  return static_cast<std::uint32_t>(std::stoul(text.get<std::string>(), nullptr, 16));
}
float float_of(const Json& text) { return std::bit_cast<float>(word_of(text)); }
std::vector<std::uint32_t> words_of(const Json& lines) {
  std::vector<std::uint32_t> words;
  for (const Json& line : lines)
    for (const std::string& word : split(line.get<std::string>(), ' '))
      if (!word.empty()) words.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
  return words;
}

// The registers that a state is made of.
class Registers {
 public:
  explicit Registers(const Json& json) : json_(json) {}
  std::uint32_t word(const char* name, std::uint32_t otherwise = 0) const {
    return json_.contains(name) ? word_of(json_[name]) : otherwise;
  }
  std::vector<std::uint8_t> bytes(const char* name) const {
    std::vector<std::uint8_t> result;
    if (json_.contains(name))
      for (const Json& entry : json_[name]) result.push_back(static_cast<std::uint8_t>(word_of(entry)));
    return result;
  }
  template <std::size_t kCount>
  void words(const char* name, std::array<std::uint32_t, kCount>& into) const {
    for (std::size_t k = 0; k < kCount; ++k) into[k] = word_of(json_[name][k]);
  }
  const Json& operator[](const char* name) const { return json_[name]; }

 private:
  const Json& json_;
};

GraphicsState state_of(const Registers& registers) {
  GraphicsState state;
  registers.words("VP_ATTR_EN", state.attributes);
  registers.words("NOPERSPECTIVE_BITMAP", state.noperspective);
  state.builtin_attributes = registers.word("VP_GP_BUILTIN_ATTR_EN");
  state.vertex_results = registers.bytes("VP_RESULT_MAP");
  state.geometry_results = registers.bytes("GP_RESULT_MAP");
  state.geometry_enabled = registers.word("GP_ENABLE") != 0;
  state.geometry_output = registers.word("GP_OUTPUT_PRIMITIVE_TYPE", 3);
  state.geometry_vertices = registers.word("GP_VERTEX_OUTPUT_COUNT", 1);
  state.interpolants = registers.word("FP_INTERPOLANT_CTRL");
  state.fragment_control = registers.word("FP_CONTROL");
  state.fragment_results = registers.word("FP_RESULT_COUNT");
  state.pixel_center_integer = registers.word("PIXEL_CENTER_INTEGER") != 0;
  state.primitive_id_slot = registers.word("SEMANTIC_PRIM_ID");
  state.color_slots = registers.word("SEMANTIC_COLOR");
  return state;
}

// What both kinds of files have alike.
DrawFile read_state(const Json& json, const std::string& name) {
  const Registers registers(json["hw"]);
  DrawFile draw;
  draw.name = name;
  draw.raster.topology = draw.topology;
  for (std::size_t k = 0; k < 3; ++k) {
    draw.raster.viewport_scale[k] = float_of(registers["VIEWPORT"][k]);
    draw.raster.viewport_translate[k] = float_of(registers["VIEWPORT"][k + 3]);
  }
  draw.raster.provoking_last = registers.word("PROVOKING_VERTEX_LAST") != 0;
  draw.raster.positive_is_front = registers.word("FRONT_FACE") == 0x900;
  const std::uint32_t clip = registers.word("VIEW_VOLUME_CLIP_CTRL");
  draw.raster.clip_near = (clip >> 3 & 1) == 0;
  draw.raster.clip_far = (clip >> 4 & 1) == 0;
  draw.linked_samplers = registers.word("LINKED_TSC") != 0;

  const Json& target = json["target"];
  draw.width = target["width"].get<std::uint32_t>();
  draw.height = target["height"].get<std::uint32_t>();
  for (const Json& format : target["formats"]) {
    draw.output.colors[draw.clear.size()] = format == "rgba8" ? PixelFormat::rgba8 : PixelFormat::rgba32f;
    std::vector<std::uint32_t>& words = draw.clear.emplace_back();
    for (const Json& word : target["clear"][draw.clear.size() - 1]) words.push_back(word_of(word));
    if (format == "rgba8") words.resize(1);
  }
  if (!target["depth"].is_null()) draw.output.depth_format = PixelFormat::d32f;
  draw.clear_depth = word_of(target["clear_depth"]);
  draw.output.depth.test = json["state"]["depth_test"].get<bool>();
  return draw;
}

void set_topology(DrawFile& draw, const Json& mode) {
  draw.topology = mode == "triangles" ? Topology::triangles : Topology::triangle_strip;
  draw.raster.topology = draw.topology;
}

// The stage at that key; `code` and `c0` give its words.
template <class Code, class Constants>
std::optional<DrawFile::Stage> read_stage(const Json& json, const char* key, ProgramType type,
                                          const std::string& name, Code code, Constants c0) {
  if (!json["stages"].contains(key)) return std::nullopt;
  const Json& from = json["stages"][key];
  DrawFile::Stage result;
  result.program.type = type;
  result.program.name = name;
  result.program.source_name = name + "." + key;
  result.program.code = code(from);
  result.program.registers = from["registers"].get<std::uint32_t>();
  result.program.local_bytes = from["local"].get<std::uint32_t>();
  result.program.graphics = state_of(Registers(json["hw"]));
  result.c0 = c0(from);
  return result;
}

template <class Code, class Constants>
void read_stages(DrawFile& draw, const Json& json, Code code, Constants c0) {
  draw.vertex = read_stage(json, "vertex", ProgramType::vertex, draw.name, code, c0);
  draw.geometry = read_stage(json, "geometry", ProgramType::geometry, draw.name, code, c0);
  draw.fragment = read_stage(json, "fragment", ProgramType::fragment, draw.name, code, c0);
}

// The words that `enabled`, VP_ATTR_EN, says, vertex by vertex.
std::vector<std::uint32_t> packed_attributes(const Json& vertex, const std::array<std::uint32_t, 2>& enabled,
                                             const std::string& buffer) {
  std::vector<std::uint32_t> words;
  for (std::size_t n = 0; n < vertex["count"].get<std::size_t>(); ++n)
    for (const Json& attribute : vertex["attributes"])
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned bit = 4 * attribute["slot"].get<unsigned>() + k;
        if ((enabled[bit / 32] >> bit % 32 & 1) == 0) continue;
        std::uint32_t word = k == 3 ? 0x3f800000 : 0;
        const std::size_t at =
            attribute["offset"].get<std::size_t>() + n * attribute["stride"].get<std::size_t>() + 4 * k;
        if (k < attribute["components"].get<unsigned>() && at + 4 <= buffer.size())
          std::memcpy(&word, buffer.data() + at, 4);
        words.push_back(word);
      }
  return words;
}

template <class Word>
void fill(std::vector<std::byte>& bytes, std::size_t pixels, const std::vector<Word>& words) {
  bytes.resize(pixels * words.size() * sizeof(Word));
  for (std::size_t k = 0; k < pixels; ++k)
    std::memcpy(bytes.data() + k * words.size() * sizeof(Word), words.data(), words.size() * sizeof(Word));
}

warpjit::Launch launch_of(const DrawFile::Stage& stage, bool linked_samplers) {
  constexpr warpjit::Stage kStages[] = {warpjit::Stage::compute, warpjit::Stage::vertex,
                                        warpjit::Stage::geometry, warpjit::Stage::fragment};
  RawProgram raw;
  raw.code = stage.program.code;
  raw.registers = stage.program.registers;
  raw.local_bytes = stage.program.local_bytes;
  raw.source_name = stage.program.source_name;
  raw.stage = kStages[static_cast<std::size_t>(stage.program.type)];
  raw.graphics = stage.program.graphics;
  auto program = load_words(raw, {.linked_samplers = linked_samplers});
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  warpjit::Launch launch(*program);
  if (!stage.c0.empty()) {
    EXPECT_TRUE(launch.bind_constants("c0", stage.c0.data(), 4 * stage.c0.size()).ok());
  }
  return launch;
}

}  // namespace

std::vector<std::string> draw_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

DrawFile read_draw(const std::string& name) {
  const Json json = Json::parse(read_text(folder() + "/" + name + ".json"));
  DrawFile draw = read_state(json, name);
  read_stages(
      draw, json, [](const Json& stage) { return words_of(stage["code"]); },
      [](const Json& stage) { return words_of(stage["c0"]); });
  set_topology(draw, json["mode"]);
  draw.instances = json["instances"].get<std::uint32_t>();
  draw.vertices = json["vertices"].get<std::uint32_t>();
  draw.attributes = words_of(json["attributes"]);
  if (json.contains("indices")) draw.indices = json["indices"].get<std::vector<std::uint32_t>>();
  for (const Json& expected : json["expect"])
    draw.expected.push_back({expected["target"].is_number() ? expected["target"].get<int>() : -1,
                             std::stoull(expected["fnv"].get<std::string>(), nullptr, 16)});
  return draw;
}

DrawFile read_shared_draw(const std::string& path) {
  const Json json = Json::parse(read_text(path));
  const std::string place = std::filesystem::path(path).parent_path().string() + "/";
  const auto file = [&](const Json& name) { return read_text(place + name.get<std::string>()); };
  DrawFile draw = read_state(json, json["name"].get<std::string>());
  const auto code = [&](const Json& stage) {
    const std::string bytes = file(stage["code"]);
    std::vector<std::uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), 4 * words.size());
    return words;
  };
  const auto c0 = [](const Json& stage) { return words_of(stage["constants"]["c0"]); };
  read_stages(draw, json, code, c0);
  const Json& vertex = json["vertex"];
  set_topology(draw, vertex["mode"]);
  draw.instances = vertex["instances"].get<std::uint32_t>();
  draw.vertices = vertex["count"].get<std::uint32_t>();
  if (vertex.contains("buffer"))
    draw.attributes =
        packed_attributes(vertex, draw.vertex->program.graphics.attributes, file(vertex["buffer"]));
  if (vertex.contains("indices") && !vertex["indices"].is_null())
    draw.indices = vertex["indices"].get<std::vector<std::uint32_t>>();
  if (!json.contains("textures")) return draw;
  const Json& textures = json["textures"];
  const std::string texels = file(textures["memory"]["file"]);
  const auto bytes = std::as_bytes(std::span(texels));
  draw.texels.assign(bytes.begin(), bytes.end());
  const auto each = [](const Json& entries, auto body) {
    for (const auto& [number, words] : entries.items()) {
      Entry entry{};
      const std::vector<std::uint32_t> read = words_of(words);
      std::copy_n(read.begin(), std::min(read.size(), entry.size()), entry.begin());
      body(static_cast<unsigned>(std::stoul(number)), entry);
    }
  };
  const TextureMemory memory{.address = word_of(textures["memory"]["address"]),
                             .data = draw.texels.data(),
                             .size = draw.texels.size(),
                             .level_views = word_of(json["chip"]) != 0x50};
  each(textures["tic"], [&](unsigned number, const Entry& entry) {
    const auto texture = read_texture_entry(entry, memory);
    EXPECT_TRUE(texture.ok()) << to_string(texture.error());
    if (texture) draw.textures.emplace_back(number, *texture);
  });
  each(textures["tsc"], [&](unsigned number, const Entry& entry) {
    const auto sampler = read_sampler_entry(entry);
    EXPECT_TRUE(sampler.ok()) << to_string(sampler.error());
    if (sampler) draw.samplers.emplace_back(number, *sampler);
  });
  return draw;
}

Picture cleared(const DrawFile& draw) {
  Picture picture;
  const std::size_t pixels = std::size_t{draw.width} * draw.height;
  for (const auto& words : draw.clear) fill(picture.colors.emplace_back(), pixels, words);
  fill(picture.depth, pixels, std::vector{draw.clear_depth});
  return picture;
}

LaunchedDraw::LaunchedDraw(const DrawFile& draw) : picture_(cleared(draw)) {
  const auto holds = [](const Status& status) { EXPECT_TRUE(status.ok()) << to_string(status.error()); };
  warpjit::Launch vertex = launch_of(*draw.vertex, draw.linked_samplers);
  EXPECT_TRUE(vertex.set_count(draw.vertices));
  const auto& enabled = draw.vertex->program.graphics.attributes;
  const std::size_t row = 4U * static_cast<unsigned>(std::popcount(enabled[0]) + std::popcount(enabled[1]));
  for (unsigned n = 0, offset = 0; n < 16; ++n) {
    const auto count = static_cast<unsigned>(std::popcount(enabled[n / 8] >> 4 * (n % 8) & 15));
    if (count == 0) continue;
    holds(
        vertex.bind_input("a" + std::to_string(n), {draw.attributes.data() + offset,
                                                    4 * (draw.attributes.size() - offset),
                                                    row,
                                                    {ComponentType::f32, static_cast<std::uint8_t>(count)}}));
    offset += count;
  }
  warpjit::Launch& launch = launch_.emplace(launch_of(*draw.fragment, draw.linked_samplers));
  holds(launch.set_vertex_stage(vertex));
  if (draw.geometry) holds(launch.set_geometry_stage(launch_of(*draw.geometry, draw.linked_samplers)));
  holds(launch.set_instances(draw.instances));
  if (!draw.indices.empty()) holds(launch.set_indices(draw.indices));
  holds(launch.set_raster_state(draw.raster));
  holds(launch.set_output_state(draw.output));
  holds(launch.set_target_size(draw.width, draw.height));
  const auto target = [&](std::vector<std::byte>& bytes, PixelFormat format) {
    return TargetBuffer{bytes.data(), bytes.size(), bytes.size() / draw.height, format};
  };
  for (unsigned k = 0; k < picture_.colors.size(); ++k)
    holds(launch.bind_color(k, target(picture_.colors[k], draw.output.colors[k])));
  if (draw.output.depth_format != PixelFormat::none)
    holds(launch.bind_depth(target(picture_.depth, draw.output.depth_format)));
  for (const auto& [number, texture] : draw.textures) holds(launch.set_texture(number, texture));
  for (const auto& [number, sampler] : draw.samplers) holds(launch.set_sampler(number, sampler));
}

std::uint64_t picture_hash(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace warpjit::tesla
