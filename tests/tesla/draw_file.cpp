#include "tesla/draw_file.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/source_dir.h"

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
  const Registers registers(json["hw"]);
  DrawFile draw;
  draw.name = name;
  const GraphicsState state = state_of(registers);
  const auto stage = [&](const char* key, ProgramType type) -> std::optional<DrawFile::Stage> {
    if (!json["stages"].contains(key)) return std::nullopt;
    const Json& from = json["stages"][key];
    DrawFile::Stage result;
    result.program.type = type;
    result.program.name = name;
    result.program.source_name = name + "." + key;
    result.program.code = words_of(from["code"]);
    result.program.registers = from["registers"].get<std::uint32_t>();
    result.program.local_bytes = from["local"].get<std::uint32_t>();
    result.program.graphics = state;
    result.c0 = words_of(from["c0"]);
    return result;
  };
  draw.vertex = stage("vertex", ProgramType::vertex);
  draw.geometry = stage("geometry", ProgramType::geometry);
  draw.fragment = stage("fragment", ProgramType::fragment);
  draw.topology = json["mode"] == "triangles" ? Topology::triangles : Topology::triangle_strip;
  draw.instances = json["instances"].get<std::uint32_t>();
  draw.vertices = json["vertices"].get<std::uint32_t>();
  draw.attributes = words_of(json["attributes"]);
  if (json.contains("indices")) draw.indices = json["indices"].get<std::vector<std::uint32_t>>();

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
  for (const Json& expected : json["expect"])
    draw.expected.push_back({expected["target"].is_number() ? expected["target"].get<int>() : -1,
                             std::stoull(expected["fnv"].get<std::string>(), nullptr, 16)});
  return draw;
}

std::uint64_t picture_hash(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace warpjit::tesla
