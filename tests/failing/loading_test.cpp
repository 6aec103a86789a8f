// Memory that fails while containers are loaded, launches bound and devices used: each call gives its result
// or an error. What a story does between its calls allocates nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "failing/sweep.h"
#include "support/source_dir.h"
#include "warpjit/pica200.hpp"
#include "warpjit/tesla.hpp"
#include "warpjit/usse.hpp"
#include "warpjit/valhall.hpp"
#include "warpjit/warpjit.hpp"

namespace warpjit::test {
namespace {

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream in(tests::source_file(path), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_FALSE(text.empty()) << path;
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}
template <class T, std::size_t kCount>
std::uint64_t hash_of(const std::array<T, kCount>& values) {
  return hash_bytes(std::as_bytes(std::span(values)));
}

TEST(FailingMemory, RowsOfAContainer) {
  const std::vector<std::byte> bytes = read_file("examples/pica200/mvp_light.shbin");
  std::array<float, 4 * 64> inputs{};
  for (std::size_t n = 0; n < inputs.size(); ++n) inputs[n] = static_cast<float>(n % 13) - 5;
  sweep([&]() -> Result<std::uint64_t> {
    WARPJIT_TRY(const Program program, Program::load(bytes));
    Launch launch(program);
    for (const Symbol& input : program.inputs())
      WARPJIT_CHECK(launch.bind_input(input.name, {inputs.data(), sizeof inputs, 16, f32x4}));
    std::array<float, 4 * 64> output{};
    WARPJIT_CHECK(launch.bind_output("o0", {output.data(), sizeof output, 16, f32x4}));
    WARPJIT_CHECK(launch.set_uniform("c0", std::array{1.0F, 2.0F, 3.0F, 4.0F}));
    WARPJIT_CHECK(launch.set_count(64));
    const Engine engine;
    WARPJIT_TRY(PreparedRun prepared, engine.prepare(launch));
    WARPJIT_CHECK(prepared.run());
    WARPJIT_CHECK(engine.run(launch).ok() ? Status() : no_memory());
    return hash_of(output);
  });
}

TEST(FailingMemory, GridOfASource) {
  constexpr std::string_view kSource =
      ".kernel k\n.registers 8\n.shared 0x20\n  mov b32 $r1 u16 s[0xc]\n  and b32 $r0 $r0 0xffff\n"
      "  shl b32 $r2 $r0 0x2\n  add b32 $r2 b32 s[0x10] $r2\n  mul $r3 u16 $r0l u16 $r0l\n"
      "  exit st b32 g14[$r2] $r3\n";
  sweep([&]() -> Result<std::uint64_t> {
    WARPJIT_TRY(const Program program, tesla::load_assembly(kSource));
    Launch launch(program);
    std::array<std::uint32_t, 64> memory{};
    const std::array<std::uint32_t, 1> parameters{0x1000};
    WARPJIT_CHECK(launch.map_memory("g14", 0x1000, memory.data(), sizeof memory));
    WARPJIT_CHECK(launch.set_parameters(std::as_bytes(std::span(parameters))));
    WARPJIT_CHECK(launch.set_grid(1));
    WARPJIT_CHECK(launch.set_block(64));
    const Engine engine;
    WARPJIT_TRY(const Report report, engine.run(launch));
    return hash_of(memory) + report.threads;
  });
}

class Pictures final : public valhall::CaptureVisitor {
 public:
  bool picture(const valhall::CapturePicture& picture) override {
    hash = hash * 31 + hash_bytes(picture.pixels);
    return true;
  }
  std::uint64_t hash = 1;
};
TEST(FailingMemory, CaptureOfAFrame) {
  const std::vector<std::byte> bytes = read_file("fuzz/corpus/valhall_capture/triangle.wjcap");
  sweep([&]() -> Result<std::uint64_t> {
    WARPJIT_TRY(valhall::Capture capture, valhall::Capture::load(bytes, "triangle.wjcap"));
    const Engine engine;
    Pictures pictures;
    WARPJIT_CHECK(capture.run(engine, pictures));
    return pictures.hash;
  });
}

TEST(FailingMemory, DrawsOfAPipeline) {
  // mov o0, v0; end, with the operand descriptor xyzw.
  constexpr std::array<std::uint32_t, 2> kCode{0x4C000000, 0x88000000};
  constexpr std::array<std::uint32_t, 1> kDescriptors{0x0000036F};
  std::array<float, 4 * 12> rows{};
  for (std::size_t n = 0; n < rows.size(); ++n) rows[n] = static_cast<float>(n);
  sweep([&]() -> Result<std::uint64_t> {
    const Engine engine;
    pica200::Pipeline pipeline;
    WARPJIT_CHECK(pipeline.set_code(kCode));
    WARPJIT_CHECK(pipeline.set_descriptors(kDescriptors));
    WARPJIT_CHECK(pipeline.set_entry(0));
    WARPJIT_CHECK(pipeline.set_attribute_count(1));
    WARPJIT_CHECK(pipeline.bind_attribute(0, {rows.data(), sizeof rows, 0, 16, f32x4}));
    pipeline.set_output_mask(1);
    WARPJIT_CHECK(pipeline.set_output_map(std::array{0x03020100U}));
    std::uint64_t hash = 0;
    for (const std::uint32_t first : {0U, 3U, 0U}) {
      WARPJIT_TRY(const pica200::DrawResult drawn, pipeline.draw(engine, first, 9));
      for (const pica200::Vertex& vertex : drawn.vertices)
        hash = hash * 31 + hash_bytes(std::as_bytes(std::span(vertex.position)));
    }
    // Vertices outside of the array, one for a debugger, and a saved state.
    pipeline.set_outside(pica200::Outside::zero);
    WARPJIT_TRY(const pica200::DrawResult drawn, pipeline.draw(engine, 9, 6));
    hash = hash * 31 + drawn.outside_vertices;
    WARPJIT_TRY(const pica200::VertexView view, pipeline.inspect_vertex(1));
    hash = hash * 31 + view.outputs[0][0];
    WARPJIT_TRY(const pica200::VertexView traced,
                pipeline.trace_vertex(1, [](void*, const pica200::VertexStep&) { return true; }));
    hash = hash * 31 + traced.outputs[0][0];
    WARPJIT_TRY(const std::vector<std::byte> saved, pipeline.save());
    pica200::Pipeline next;
    WARPJIT_CHECK(next.load(saved));
    return hash * 31 + hash_bytes(saved);
  });
}

TEST(FailingMemory, StatesOfAGpu) {
  std::array<std::uint32_t, 256> memory{};
  const pica200::GpuMemory range{0x18000000, memory.data(), sizeof memory};
  constexpr std::array<std::uint32_t, 4> kWords{15, 1, 2, 3};
  RunOptions options;
  options.engine = EngineKind::guest;
  sweep([&]() -> Result<std::uint64_t> {
    const Engine engine;
    pica200::Gpu gpu;
    WARPJIT_CHECK(gpu.set_memory({&range, 1}));
    WARPJIT_CHECK(gpu.fill({0x18000000, 0x18000040, 1, 0x201}));
    for (const std::uint32_t id : {0x041U, 0x0E6U, 0x2C0U, 0x232U}) {  // the last one sends a vertex
      WARPJIT_TRY(const pica200::GpuReport report, gpu.run_packet(engine, {id, kWords, 15, true}, options));
      static_cast<void>(report);
    }
    std::uint64_t hash = 0;
    for (unsigned n = 0; n < 8; ++n) {
      WARPJIT_TRY(const std::vector<std::byte> saved, gpu.save());
      pica200::Gpu next;
      WARPJIT_CHECK(next.reset(pica200::Start::emulators));
      WARPJIT_CHECK(next.load(saved));
      hash = hash * 31 + hash_bytes(saved);
    }
    return hash;
  });
}

TEST(FailingMemory, DrawOfAScene) {
  const std::vector<std::byte> vertex = read_file("examples/vita/shaders/mesh_vertex.gxp"),
                               fragment = read_file("examples/vita/shaders/glow.gxp");
  std::array<float, 3 * 16> vertices{};
  for (std::size_t n = 0; n < vertices.size(); ++n) vertices[n] = static_cast<float>(n % 5) / 4;
  const std::array<usse::VertexStream, 1> streams{{{vertices.data(), sizeof vertices, 64}}};
  const std::array<usse::VertexAttribute, 1> attributes{{{.components = 4}}};
  const std::array<std::uint32_t, 3> indices{0, 1, 2};
  const std::array<std::uint32_t, 256> uniforms{};
  sweep([&]() -> Result<std::uint64_t> {
    const Engine engine;
    WARPJIT_TRY(const Program of_vertices, Program::load(vertex));
    WARPJIT_TRY(const Program of_fragments, Program::load(fragment));
    std::array<std::uint32_t, 64> pixels{};
    WARPJIT_TRY(usse::Scene scene,
                usse::Scene::begin({.width = 8, .height = 8, .stride = 8, .data = pixels.data(), .size = 256},
                                   usse::DepthSurface()));
    usse::Draw draw;
    draw.vertex.program = &of_vertices;
    draw.vertex.default_uniforms = uniforms;
    draw.fragment.program = &of_fragments;
    draw.fragment.default_uniforms = uniforms;
    draw.streams = streams;
    draw.attributes = attributes;
    draw.indices = indices;
    draw.viewport = {.x_offset = 4, .x_scale = 4, .y_offset = 4, .y_scale = 4};
    WARPJIT_TRY(const usse::DrawReport report, scene.draw(engine, draw));
    WARPJIT_CHECK(scene.end());
    return hash_of(pixels) + report.drawn;
  });
}

}  // namespace
}  // namespace warpjit::test
