// Embeds warpjit: runs a PICA200 vertex shader over the corners of a cube, from an array of structures to
// arrays of clip positions and colours, and prints what came out.
#include <warpjit/pica200.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

// What the assembler makes of:
//   dp4 o0.x, c0, v0     ; the rows of a projection in c0-c3
//   dp4 o0.y, c1, v0
//   dp4 o0.z, c2, v0
//   dp4 o0.w, c3, v0
//   mov o1, v1
//   end
constexpr std::uint32_t kCode[] = {0x08020000, 0x08021001, 0x08022002, 0x08023003, 0x4C201004, 0x88000000};
constexpr std::uint32_t kDescriptors[] = {0x6C368, 0x6C364, 0x6C362, 0x6C361, 0x6C36F};

struct Vertex {
  float position[3];
  std::uint8_t color[4];
};

int failed(const warpjit::Error& error) {
  std::fprintf(stderr, "embed: %s\n", warpjit::to_string(error).c_str());
  return 1;
}

}  // namespace

int main() {
  auto program =
      warpjit::pica200::load_words({.code = kCode, .descriptors = kDescriptors, .source_name = "cube"});
  if (!program) return failed(program.error());

  std::vector<Vertex> vertices;
  for (int n = 0; n < 8; ++n) {
    const bool x = n & 1, y = n & 2, z = n & 4;
    vertices.push_back(
        {{x ? 1.f : -1.f, y ? 1.f : -1.f, z ? 1.f : -1.f},
         {std::uint8_t(x ? 255 : 0), std::uint8_t(y ? 255 : 0), std::uint8_t(z ? 255 : 0), 255}});
  }
  const std::array<float, 16> projection = {1.5f, 0, 0, 0, 0, 2, 0, 0, 0, 0, -1.25f, 2.75f, 0, 0, -1, 4};
  std::vector<std::array<float, 4>> clip(vertices.size()), color(vertices.size());

  warpjit::Launch launch(*program);
  const warpjit::Format unorm8x4{warpjit::ComponentType::unorm8, 4};
  const std::size_t stride = sizeof(Vertex), size = vertices.size() * stride;
  // The colour rows begin inside the first vertex, so their buffer is shorter.
  const std::size_t color_offset = offsetof(Vertex, color);
  const auto* bytes = reinterpret_cast<const std::byte*>(vertices.data());
  for (const warpjit::Status& status :
       {launch.set_uniform("c0", projection), launch.bind_input("v0", {bytes, size, stride, warpjit::f32x3}),
        launch.bind_input("v1", {bytes + color_offset, size - color_offset, stride, unorm8x4}),
        launch.bind_output("o0", {clip.data(), clip.size() * 16, 16, warpjit::f32x4}),
        launch.bind_output("o1", {color.data(), color.size() * 16, 16, warpjit::f32x4}),
        launch.set_count(vertices.size())})
    if (!status) return failed(status.error());

  const warpjit::Engine engine;
  const warpjit::EngineInfo info = engine.info();
  if (!info.jit) std::printf("no JIT here: %s\n", info.no_jit_reason.c_str());
  const auto report = engine.run(launch);
  if (!report) return failed(report.error());

  std::printf("%zu vertices, engine %s, %u lanes\n", vertices.size(), warpjit::name(report->engine),
              report->lanes);
  for (std::size_t n = 0; n < vertices.size(); ++n)
    std::printf("%zu  position %6.2f %6.2f %6.2f %6.2f   color %.1f %.1f %.1f %.1f\n", n, clip[n][0],
                clip[n][1], clip[n][2], clip[n][3], color[n][0], color[n][1], color[n][2], color[n][3]);
  return 0;
}
