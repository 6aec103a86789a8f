// The draw interface beside a plain launch of the same shader over as many vertices: float4 rows in and out
// against arrays of bytes and shorts, an index buffer that uses each vertex three times, and result vertices.
// Each way is measured in turn, in many short rounds, of which the fastest counts, because other programs on
// the machine only add time. Then the same with 8 vertices, and a launch of one vertex, prepared and not;
// draws that each have another program than the one before; and draws over 16 x 16 pixels.
//   bench_draw [vertices]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/shader.h"
#include "frontend/pica200/stage_values.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "runtime/work/launch.h"
#include "runtime/work/row_format.h"
#include "warpjit/pica200.hpp"

namespace {

using namespace warpjit;
using pica200::Pipeline;

constexpr int kRounds = 400, kProgramRounds = 40;

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "bench_draw: %s\n", to_string(error).c_str());
  std::exit(2);
}
void require(const Status& status) {
  if (!status) fail(status.error());
}

// Attributes as games have them: 16 bytes a vertex.
struct Attribute {
  std::size_t offset;
  Format format;
};
struct Shader {
  const char* name;
  std::vector<Attribute> attributes;  // of v0, v1, ...
};
const Shader kShaders[] = {
    {"mvp_light", {{0, {ComponentType::s16, 3}}, {8, {ComponentType::u8, 3}}, {12, {ComponentType::s16, 2}}}},
    {"skin_loop",
     {{0, {ComponentType::s16, 3}},
      {6, {ComponentType::s8, 2}},
      {8, {ComponentType::u8, 4}},
      {12, {ComponentType::u8, 4}}}},
};
constexpr std::size_t kStride = 16;

std::uint32_t semantics_of(pica200::Semantic semantic) {
  switch (semantic) {
    case pica200::Semantic::position:
      return 0x03020100u;
    case pica200::Semantic::color:
      return 0x0B0A0908u;
    default:
      return 0x1F1F0D0Cu;
  }
}

// The launch file's program and values in a vertex stage.
void set_up(Pipeline& pipeline, const tool::BoundLaunch& bound) {
  const auto& shader = dynamic_cast<const pica200::Shader&>(frontend::shader_of(bound.launch().program()));
  const pica200::Program& program = shader.program();
  require(pipeline.set_code(program.code));
  require(pipeline.set_descriptors(program.descriptors));
  require(pipeline.set_entry(program.entry));
  const frontend::Values& values = bound.launch().state().values;
  for (unsigned n = 0; n < 96; ++n)
    require(pipeline.set_float(n, std::span<const std::uint32_t, 4>(values.words.data() + 4 * n, 4)));
  for (unsigned n = 0; n < 4; ++n) {
    std::uint32_t bytes = 0;
    for (unsigned c = 0; c < 4; ++c) bytes |= values.words[pica200::ValueWords::kInt + 4 * n + c] << 8 * c;
    require(pipeline.set_int(n, bytes));
  }
  pipeline.set_bools(static_cast<std::uint16_t>(values.bools));
  std::uint16_t mask = 0;
  std::vector<std::uint32_t> map;
  for (const pica200::Output& output : program.outputs) {
    mask |= static_cast<std::uint16_t>(1u << output.reg);
    map.push_back(semantics_of(output.semantic));
  }
  pipeline.set_output_mask(mask);
  require(pipeline.set_output_map(map));
}

void bind_arrays(Pipeline& pipeline, const Shader& shader, const std::vector<std::byte>& array) {
  require(pipeline.set_attribute_count(static_cast<unsigned>(shader.attributes.size())));
  for (unsigned n = 0; n < shader.attributes.size(); ++n) {
    const Attribute& a = shader.attributes[n];
    require(pipeline.set_permutation(n, n));
    require(pipeline.bind_attribute(n, {array.data(), array.size(), a.offset, kStride, a.format}));
  }
}

// Strips of triangles over a grid of `step` times `vertices` places, each vertex in three of them.
std::vector<std::uint16_t> triangles(std::size_t vertices, std::size_t step) {
  std::vector<std::uint16_t> indices;
  for (std::size_t n = 0; n < vertices; ++n)
    for (std::size_t corner : {n, n + 1, n + 33})
      indices.push_back(static_cast<std::uint16_t>(corner % vertices * step));
  return indices;
}

struct Way {
  std::string name;
  std::function<void()> run;
  double best = 1e30;  // nanoseconds of one run
};

void measure(std::vector<Way>& ways, std::size_t runs, int rounds = kRounds) {
  using Clock = std::chrono::steady_clock;
  for (int round = -1; round < rounds; ++round)
    for (Way& way : ways) {
      const auto start = Clock::now();
      for (std::size_t n = 0; n < runs; ++n) way.run();
      const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
      if (round >= 0) way.best = std::min(way.best, elapsed.count() / static_cast<double>(runs));
    }
}

void compare(const Engine& engine, Target target, const Shader& shader, std::size_t vertices, bool small) {
  auto file = tool::read_launch(std::string(WARPJIT_EXAMPLES) + shader.name + ".json");
  if (!file) fail(file.error());
  require(tool::set_count(*file, vertices));
  const auto bound = tool::BoundLaunch::make(std::move(*file));
  if (!bound) fail(bound.error());
  RunOptions options;
  options.target = target;
  options.threads = 1;

  // Room after the last vertex, as in a console's memory.
  std::vector<std::byte> array(2 * vertices * kStride + 64);
  std::mt19937 random(1);
  for (std::byte& byte : array) byte = static_cast<std::byte>(random() & 0x3F);
  // The plain launch gets the same values.
  std::vector<float> rows(4 * shader.attributes.size() * vertices);
  Launch launch(bound->launch());
  for (std::size_t n = 0; n < shader.attributes.size(); ++n) {
    const Attribute& a = shader.attributes[n];
    auto* to = reinterpret_cast<std::byte*>(rows.data() + 4 * n);
    const std::size_t stride = 16 * shader.attributes.size();
    for (std::size_t v = 0; v < vertices; ++v)
      runtime::load_rows(a.format)(array.data() + v * kStride + a.offset, 0, 1, to + v * stride);
    require(launch.bind_input("v" + std::to_string(n), {to, rows.size() * 4 - 16 * n, stride, f32x4}));
  }
  const std::vector<std::uint16_t> dense = triangles(vertices, 1), sparse = triangles(vertices, 2);
  Pipeline pipelines[3];
  for (Pipeline& pipeline : pipelines) {
    set_up(pipeline, *bound);
    bind_arrays(pipeline, shader, array);
  }
  const auto check = [](const Result<pica200::DrawResult>& result) {
    if (!result) fail(result.error());
  };
  std::vector<Way> ways;
  ways.push_back({"launch, float4", [&] {
                    if (const auto report = engine.run(launch, options); !report) fail(report.error());
                  }});
  ways.push_back({"draw, no indices", [&] { check(pipelines[0].draw(engine, 0, vertices, options)); }});
  ways.push_back({"draw, indices", [&] { check(pipelines[1].draw_indexed(engine, dense, options)); }});
  ways.push_back({"draw, indices, gaps", [&] { check(pipelines[2].draw_indexed(engine, sparse, options)); }});
  measure(ways, small ? 100 : 1);
  const double plain = ways[0].best;
  for (Way& way : ways)
    std::printf("%-10s %-3s %6zu  %-20s %9.1f ns a run  %7.1f M vertices/s  %5.2f of the launch\n",
                shader.name, name(target), vertices, way.name.c_str(), way.best,
                static_cast<double>(vertices) / way.best * 1e3, plain / way.best);
}

void compare_single(const Engine& engine, Target target, const Shader& shader) {
  auto file = tool::read_launch(std::string(WARPJIT_EXAMPLES) + shader.name + ".json");
  if (!file) fail(file.error());
  require(tool::set_count(*file, 1));
  const auto bound = tool::BoundLaunch::make(std::move(*file));
  if (!bound) fail(bound.error());
  RunOptions options;
  options.target = target;
  Launch launch(bound->launch());
  std::vector<float> rows(4 * shader.attributes.size(), 0.5f), results(64);
  for (std::size_t n = 0; n < shader.attributes.size(); ++n)
    require(launch.bind_input("v" + std::to_string(n), {rows.data() + 4 * n, 16, 16, f32x4}));
  launch.unbind_outputs();
  for (std::size_t n = 0; n < launch.program().outputs().size(); ++n)
    require(launch.bind_output(launch.program().outputs()[n].reg, {results.data() + 4 * n, 16, 16, f32x4}));
  auto prepared = engine.prepare(launch, options);
  if (!prepared) fail(prepared.error());
  std::vector<Way> ways;
  ways.push_back({"launch", [&] {
                    if (const auto report = engine.run(launch, options); !report) fail(report.error());
                  }});
  ways.push_back({"prepared", [&] { require(prepared->run()); }});
  measure(ways, 100);
  for (const Way& way : ways)
    std::printf("%-10s %-3s %6d  %-20s %9.1f ns a run  %28.2f of the launch\n", shader.name, name(target), 1,
                way.name.c_str(), way.best, ways[0].best / way.best);
}

// Programs in turn, as in a frame of a game, each uploaded before its draw of 8 vertices: a change of the
// last program, a multiplication or an addition for each bit of its number.
void compare_programs(const Engine& engine, Target target, std::size_t programs) {
  struct Code {
    std::vector<std::uint32_t> words, descriptors;
  };
  std::vector<Code> codes;
  for (std::size_t n = 0; n < programs; ++n) {
    std::string text = ".out outpos position\n.proc main\nmov r0, v0\n";
    for (unsigned bit = 0; bit < 12; ++bit)
      text += (n >> bit & 1) != 0 ? "add r0, c0, r0\n" : "mul r0, c1, r0\n";
    const pica200::SourceFile source{"bench.v.pica", text + "mov outpos, r0\nend\n.end\n"};
    const auto container = pica200::assemble({&source, 1});
    if (!container) fail(container.error());
    const auto program = pica200::select_program(*container);
    if (!program) fail(program.error());
    codes.push_back({program->code, program->descriptors});
  }
  Pipeline pipeline;
  std::vector<float> array(4 * 64, 0.5f);
  require(pipeline.set_attribute_count(1));
  require(pipeline.bind_attribute(0, {array.data(), array.size() * sizeof(float), 0, 16, f32x4}));
  pipeline.set_output_mask(1);
  require(pipeline.set_output_map(std::array{semantics_of(pica200::Semantic::position)}));
  RunOptions options;
  options.target = target;
  std::size_t turn = 0;
  std::vector<Way> ways;
  ways.push_back({"", [&] {
                    const Code& code = codes[turn++ % codes.size()];
                    require(pipeline.set_code(code.words));
                    require(pipeline.set_descriptors(code.descriptors));
                    if (const auto result = pipeline.draw(engine, 0, 8, options); !result)
                      fail(result.error());
                  }});
  for (std::size_t n = 0; n < programs; ++n) ways[0].run();
  measure(ways, programs, kProgramRounds);
  std::printf("%5zu programs %-3s  draws of 8 vertices, one program after another %9.1f ns a draw\n",
              programs, name(target), ways[0].best);
}

// A few primitives over 16 x 16 pixels, which are all of the target or lie in one tile of a large one. All
// pass the depth test over all that the draw before may have left.
void compare_pixels(const Engine& engine, Target target, const char* example) {
  RunOptions options;
  options.target = target;
  options.threads = 1;
  constexpr std::uint32_t kExtent = 16, kPlace = 200;
  for (const std::uint32_t extent : {kExtent, 512U}) {
    auto file = tool::read_launch(std::string(WARPJIT_EXAMPLES) + "../tesla/graphics/" + example + ".json");
    if (!file) fail(file.error());
    tool::set_target_size(*file, kExtent, kExtent);
    file->pixels.output.depth.compare = Compare::always;
    if (extent != kExtent) {
      file->pixels.width = file->pixels.height = extent;
      for (const unsigned axis : {0U, 1U}) file->pixels.raster.viewport_translate[axis] += kPlace;
      file->pixels.raster.scissor = {kPlace, kPlace, kExtent, kExtent};
    }
    const auto bound = tool::BoundLaunch::make(std::move(*file));
    if (!bound) fail(bound.error());
    const Launch launch(bound->launch());
    std::vector<Way> ways;
    ways.push_back({"", [&] {
                      if (const auto report = engine.run(launch, options); !report) fail(report.error());
                    }});
    constexpr std::size_t kRuns = 50;
    measure(ways, kRuns);
    std::printf("%-18s %-3s  16 x 16 pixels of %3u x %-3u %9.1f ns a draw\n", example, name(target), extent,
                extent, ways[0].best);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t vertices = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 4096;
  if (vertices == 0 || vertices > 32768) fail({ErrorCode::bad_input, "1 to 32768 vertices", ""});
  const Engine engine;
  for (const Target target : engine.info().targets)
    for (const Shader& shader : kShaders) {
      compare(engine, target, shader, vertices, false);
      compare(engine, target, shader, 8, true);
      compare_single(engine, target, shader);
    }
  for (const Target target : engine.info().targets)
    for (const std::size_t programs : {1, 16, 100, 1000}) compare_programs(engine, target, programs);
  for (const Target target : engine.info().targets)
    for (const char* example :
         {"discard", "block_texture", "depth_blend", "compiled_checker", "compiled_phong"})
      compare_pixels(engine, target, example);
  return 0;
}
