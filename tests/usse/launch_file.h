// A whole draw of the shared corpus, as its JSON has it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/bits.h"
#include "usse/usse_test.h"
#include "warpjit/usse.hpp"

namespace warpjit::usse {

inline std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
inline std::uint32_t hex_word(const nlohmann::json& word) {
  return static_cast<std::uint32_t>(std::stoul(word.get<std::string>(), nullptr, 16));
}
// The bytes of whole words of 64 bits, 0 at their end.
inline std::vector<std::byte> hex_bytes(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t k = 0; k + 1 < text.size(); k += 2)
    bytes.push_back(static_cast<std::byte>(std::stoul(text.substr(k, 2), nullptr, 16)));
  return bytes;
}

struct LaunchFile {
  struct Stage {
    std::vector<std::byte> gxp;
    std::map<std::string, std::vector<std::uint32_t>> uniforms;
    std::vector<NamedUniform> named;
    std::vector<TextureBinding> textures;
    std::vector<UniformBufferBinding> buffers;
  };
  Stage vertex, fragment;
  std::vector<std::byte> stream_bytes;
  VertexStream stream;
  std::vector<VertexAttribute> attributes;
  std::vector<std::uint32_t> indices;
  std::vector<std::vector<std::byte>> memory_bytes;
  std::vector<Memory> memory;
  Draw draw;  // but for the programs
  std::array<std::uint8_t, 4> clear{};
  std::uint32_t width = 0, height = 0;
  std::filesystem::path picture;
  unsigned max_difference = 1, max_pixels_beyond = 0;

  void read(const std::filesystem::path& path) {
    std::ifstream stream_file(path);
    const nlohmann::json json = nlohmann::json::parse(stream_file);
    const std::filesystem::path folder = path.parent_path();
    read_stage(json["vertex"], json, folder, vertex);
    read_stage(json["fragment"], json, folder, fragment);
    const nlohmann::json& target = json["target"];
    ASSERT_EQ(target["format"], "U8U8U8U8_ABGR");
    width = target["width"], height = target["height"];
    for (unsigned k = 0; k < 4; ++k) clear[k] = target["clear"][k];
    const nlohmann::json& view = json["viewport"];
    draw.viewport = {view[0], view[1], view[2], view[3], view[4], view[5]};
    const std::string primitive = json["primitive"], cull = json["cull"];
    draw.primitive = primitive == "strip" ? Primitive::triangle_strip
                     : primitive == "fan" ? Primitive::triangle_fan
                                          : Primitive::triangles;
    draw.cull = cull == "cw" ? Cull::clockwise : cull == "ccw" ? Cull::counter_clockwise : Cull::none;
    for (const auto& index : json["indices"]) indices.push_back(index);
    stream_bytes = hex_bytes(json["vertex"]["data"]);
    stream = {stream_bytes.data(), stream_bytes.size(), json["vertex"]["stride"].get<std::uint32_t>()};
    for (const auto& entry : json["vertex"]["attributes"]) {
      std::string format = entry["format"];
      for (char& letter : format) letter = static_cast<char>(std::tolower(letter));
      const auto parsed = parse_attribute_format(format);
      ASSERT_TRUE(parsed) << format;
      attributes.push_back({.offset = entry["offset"],
                            .format = *parsed,
                            .components = entry["components"],
                            .reg = entry["register"]});
    }
    for (const auto& entry : json["memory"]) {
      std::vector<std::byte>& bytes = memory_bytes.emplace_back(hex_bytes(entry["data"]));
      bytes.resize((bytes.size() + 7) / 8 * 8);
      memory.push_back({hex_word(entry["address"]), bytes.data(), bytes.size()});
    }
    if (const nlohmann::json& blend = json["fragment"]["blend"]; !blend.is_null()) read_blend(blend);
    EXPECT_EQ(json["fragment"]["output_format"], "UCHAR4");
    picture = folder / json["expect"]["file"].get<std::string>();
    max_difference = json["expect"]["max_difference"];
    max_pixels_beyond = json["expect"]["max_pixels_beyond"];
    draw.streams = {&stream, 1};
    draw.attributes = attributes;
    draw.memory = memory;
    draw.indices = indices;
    draw.vertex = setup(vertex);
    draw.fragment = setup(fragment);
  }

 private:
  static void read_stage(const nlohmann::json& json, const nlohmann::json& all,
                         const std::filesystem::path& folder, Stage& stage) {
    stage.gxp = read_bytes(folder / json["program"].get<std::string>());
    for (const auto& [name, words] : json["uniforms"].items())
      for (const auto& word : words) stage.uniforms[name].push_back(hex_word(word));
    for (const auto& [name, words] : stage.uniforms) stage.named.push_back({name, words});
    if (json.contains("textures"))
      for (const auto& [unit, words] : json["textures"].items()) {
        TextureBinding& texture = stage.textures.emplace_back();
        texture.unit = static_cast<unsigned>(std::stoul(unit));
        for (unsigned k = 0; k < 4; ++k) texture.control[k] = hex_word(words[k]);
      }
    for (const auto& [number, address] : all["buffers"].items())
      stage.buffers.push_back({static_cast<unsigned>(std::stoul(number)), {}, hex_word(address)});
  }
  static StageSetup setup(const Stage& stage) {
    return {.uniforms = stage.named, .buffers = stage.buffers, .textures = stage.textures};
  }
  void read_blend(const nlohmann::json& json) {
    const auto number = [&](const char* key) -> std::uint8_t { return json.at(key); };
    draw.blend = Blend{number("colorMask"), number("colorFunc"), number("alphaFunc"), number("colorSrc"),
                       number("colorDst"),  number("alphaSrc"),  number("alphaDst")};
  }
};

}  // namespace warpjit::usse
