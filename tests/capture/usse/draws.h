// Draws of the Vita that tests record, and what is read of a capture.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/usse/scene_sections.h"
#include "support/byte_sink.h"
#include "support/source_dir.h"
#include "warpjit/usse.hpp"

namespace warpjit::usse {

using tests::append;

inline Result<SceneList> read(std::vector<std::byte> bytes, const SceneLimits& limits = {}) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  WARPJIT_TRY(const capture::SectionFile sections, capture::read_sections(*owner, "file.wjcap"));
  return read_scenes(sections, owner, limits);
}

inline std::vector<std::byte> file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline warpjit::Program example_program(const std::string& name) {
  auto program = warpjit::Program::load(file_bytes(tests::source_file("examples/vita/shaders/" + name)),
                                        {.source_name = name});
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  return *program;
}

// A square with a texture, as the example of the Vita draws its cube: everything lies in memory of the guest.
struct Square {
  static constexpr std::uint32_t kAddress = 0x81000000, kVertices = kAddress, kTexels = kAddress + 0x10000,
                                 kPixels = kAddress + 0x20000, kTarget = kAddress + 0x40000;
  static constexpr std::uint32_t kSize = 64;

  explicit Square(std::uint32_t texels = kTexels) : words(0x60000 / 4) {
    struct Vertex {
      std::int16_t position[4];
      std::uint16_t coordinate[2];
      std::int8_t normal[4];
    };
    std::array<Vertex, 4> vertices{};
    for (std::size_t n = 0; n < 4; ++n) {
      vertices[n].position[0] = (n & 1) != 0 ? 32767 : -32767;
      vertices[n].position[1] = (n & 2) != 0 ? 32767 : -32767;
      vertices[n].coordinate[0] = (n & 1) != 0 ? 65535 : 0;
      vertices[n].coordinate[1] = (n & 2) != 0 ? 65535 : 0;
      vertices[n].normal[2] = 127;
    }
    std::memcpy(at(kVertices), vertices.data(), sizeof vertices);
    for (std::uint32_t n = 0; n < 16 * 16; ++n) texel(n) = 0xff000000U | n * 0x010203U;
    streams = {VertexStream{at(kVertices), sizeof vertices, sizeof(Vertex)}};
    attributes = {VertexAttribute{0, 0, AttributeFormat::s16n, 3, 0},
                  VertexAttribute{0, 8, AttributeFormat::u16n, 2, 4},
                  VertexAttribute{0, 12, AttributeFormat::s8n, 3, 8}};
    uniforms = {0x3f000000, 0, 0, 0, 0, 0x3f000000, 0, 0, 0,          0,
                0x3f800000, 0, 0, 0, 0, 0x3f800000, 0, 0, 0x3f800000, 0};
    textures = {TextureBinding{0,
                               {2 << 3 | 2 << 6 | 1 << 10 | 1 << 12 | 15 << 17 | 31 << 21,
                                3U << 29 | 0x0c << 24 | 15 << 12 | 15, texels, 1U << 31}}};
    memory = {Memory{kAddress, words.data(), 4 * words.size()}};
  }
  std::byte* at(std::uint32_t address) {
    return reinterpret_cast<std::byte*>(words.data()) + (address - kAddress);
  }
  std::uint32_t& texel(std::uint32_t n) { return words[(kTexels - kAddress) / 4 + n]; }
  ColorSurface surface(std::uint32_t address, std::uint32_t size = kSize) {
    return {0, 0, size, size, size, at(address), std::size_t{4} * size * size};
  }
  Draw draw() const {
    Draw draw;
    draw.vertex.program = &vertex;
    draw.vertex.default_uniforms = uniforms;
    draw.fragment.program = &fragment;
    draw.fragment.textures = textures;
    draw.streams = streams;
    draw.attributes = attributes;
    draw.memory = memory;
    draw.primitive = Primitive::triangle_strip;
    draw.indices = indices;
    draw.viewport = {32, 32, 32, -32, 0.5F, 0.5F};
    return draw;
  }

  std::vector<std::uint32_t> words;
  warpjit::Program vertex = example_program("mesh_vertex.gxp"),
                   fragment = example_program("mesh_fragment.gxp");
  std::vector<VertexStream> streams;
  std::vector<VertexAttribute> attributes;
  std::vector<std::uint32_t> uniforms, indices{0, 1, 2, 3};
  std::vector<TextureBinding> textures;
  std::vector<Memory> memory;
};

}  // namespace warpjit::usse
