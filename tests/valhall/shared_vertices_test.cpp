// Vertex programs of the shared corpus with the attributes and uniforms of their captures: what they store
// is what their GLSL says, computed here in doubles.
#include <cmath>
#include <filesystem>

#include "device/valhall/job_launch.h"
#include "frontend/valhall/interpret/numbers.h"
#include "support/source_dir.h"
#include "support/unpacked.h"
#include "valhall/run_vertices.h"

namespace warpjit::valhall {
namespace {

using Vector = std::vector<double>;
using Rows = std::vector<Vector>;

std::optional<Program> read_program(const std::string& path) {
  std::ifstream stream(tests::shared_file("corpus/valhall/" + path), std::ios::binary);
  if (!stream) return {};
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  auto program = read_words(std::as_bytes(std::span(bytes)), Stage::vertex, path);
  EXPECT_TRUE(program.ok()) << path;
  return program ? std::optional(*program) : std::nullopt;
}

// An attribute of 32-bit floats, a row for each vertex.
struct Input {
  std::uint32_t format;
  Rows rows;
};
constexpr std::uint32_t kRgba32 = 191 << 12, kRgb32 = 183 << 12 | 16, kRg32 = 175 << 12 | 16,
                        kR32 = 167 << 12 | 16;

FinishedVertices run_shared(const Program& program, const std::vector<Input>& inputs,
                            const std::vector<float>& uniforms, std::uint32_t packet_stride) {
  VertexOptions options;
  options.compiled = true;
  options.vertices.count = static_cast<std::uint32_t>(inputs[0].rows.size());
  options.vertices.packet_stride = packet_stride;
  std::vector<float> values;
  for (const Input& input : inputs) {
    const std::size_t first = values.size();
    for (const Vector& row : input.rows) values.insert(values.end(), row.begin(), row.end());
    options.vertices.attributes.push_back({.address = memory_at(static_cast<std::uint32_t>(4 * first)),
                                           .bytes = static_cast<std::uint32_t>(4 * (values.size() - first)),
                                           .format = input.format,
                                           .stride = static_cast<std::uint32_t>(4 * input.rows[0].size()),
                                           .from_first = true});
  }
  for (std::size_t k = 0; k < values.size(); ++k) options.memory[k] = to_bits(values[k]);
  for (const float uniform : uniforms) options.uniforms.push_back(to_bits(uniform));
  FinishedVertices run = run_vertices(program, options);
  EXPECT_TRUE(run.status.ok()) << (run.status ? "" : to_string(run.status.error()));
  EXPECT_FALSE(run.report.first_fault);
  return run;
}

void expect_stored(const FinishedVertices& run, std::size_t vertex, const Vector& wanted) {
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const float stored = to_float(run.results.at(vertex * run.packet_stride / 4 + k));
    EXPECT_NEAR(stored, wanted[k], 1e-6 * std::max(1.0, std::fabs(wanted[k]))) << vertex << ", word " << k;
  }
}
// The program in the image of the capture, whose triangle is the first three vertices here, stores the same.
void expect_from_image(const std::string& folder, VertexProgram which, const FinishedVertices& wanted) {
  const std::string path = tests::shared_file("corpus/valhall/" + folder + "/mem.pages.xz");
  auto image = Image::read(tests::unpacked(path), path);
  ASSERT_TRUE(image.ok()) << to_string(image.error());
  const auto job = read_job(*image, folder == "vs_transform_light" ? 0xf7fd7180 : 0xf7fd8180);
  ASSERT_TRUE(job.ok()) << to_string(job.error());
  auto launch = vertex_launch(*image, *job, which);
  ASSERT_TRUE(launch.ok()) << to_string(launch.error());
  const std::uint32_t stride = launch->grid.vertices.packet_stride;
  ASSERT_EQ(launch->grid.vertices.count, 3U);
  ASSERT_EQ(stride, wanted.packet_stride);
  std::vector<std::uint32_t> results(3 * stride / 4, 0xcccccccc);
  launch->grid.globals[kResultSpace] = {{0, std::as_writable_bytes(std::span(results))}};
  RunReport report;
  const Status status = run_everywhere(launch->program, launch->grid, report, true);
  ASSERT_TRUE(status.ok()) << to_string(status.error());
  EXPECT_FALSE(report.first_fault);
  for (std::size_t k = 0; k < results.size(); ++k) EXPECT_EQ(results[k], wanted.results[k]) << k;
}
// Window coordinates and 1 / w of a 64 x 64 viewport.
Vector window(const Vector& p) {
  return {p[0] / p[3] * 32 + 32, p[1] / p[3] * 32 + 32, p[2] / p[3] * 0.5 + 0.5, 1 / p[3]};
}
const std::vector<float> kViewport = {32, 32, 32, 32, 0.5F, 0.5F};
// The captures' triangle, and vertices with other w.
const Rows kPositions = {
    {-1, -1, 0.25, 1}, {3, -1, 0.25, 1}, {-1, 3, 0.25, 1}, {0.5, -2, 0.125, 3}, {7, 0.75, -0.5, -2.5}};

#define SHARED_PROGRAM(program, path)      \
  const auto program = read_program(path); \
  if (!program) GTEST_SKIP() << "the shared corpus is not there"

TEST(ValhallSharedVertices, Passthrough) {
  SHARED_PROGRAM(position, "vs_passthrough/position.bin");
  SHARED_PROGRAM(varying, "vs_passthrough/varying.bin");
  const Rows colors = {{0.03125, 0.03125, 0.53125, 0.53125},
                       {2.03125, 0.03125, 0.53125, 0.53125},
                       {0.03125, 2.03125, 0.53125, 0.53125},
                       {1, 2, 3, 4},
                       {-1, -2, -3, -4}};
  const std::vector<Input> inputs = {{kRgba32, kPositions}, {kRgba32, colors}};
  const FinishedVertices positions = run_shared(*position, inputs, kViewport, 128);
  const FinishedVertices varyings = run_shared(*varying, inputs, kViewport, 16);
  expect_from_image("vs_passthrough", VertexProgram::position, positions);
  expect_from_image("vs_passthrough", VertexProgram::varying, varyings);
  for (std::size_t v = 0; v < kPositions.size(); ++v) {
    expect_stored(positions, v, window(kPositions[v]));
    expect_stored(varyings, v, colors[v]);
    EXPECT_EQ(positions.results[v * 32 + 4], 0xccccccccU);
  }
}

TEST(ValhallSharedVertices, PointSize) {
  SHARED_PROGRAM(position, "vs_pointsize/position.bin");
  SHARED_PROGRAM(no_size, "vs_pointsize/position_nopsiz.bin");
  SHARED_PROGRAM(varying, "vs_pointsize/varying.bin");
  const Rows sizes = {{0.03125}, {2.03125}, {0.03125}, {-40}, {100}};
  constexpr double kScale = 0.265625;
  const std::vector<Input> inputs = {{kRgba32, kPositions}, {kR32, sizes}};
  std::vector<float> uniforms = kViewport;
  uniforms.insert(uniforms.end(), {static_cast<float>(kScale), 0});
  const FinishedVertices positions = run_shared(*position, inputs, uniforms, 128);
  const FinishedVertices without = run_shared(*no_size, inputs, uniforms, 128);
  const FinishedVertices varyings = run_shared(*varying, inputs, uniforms, 16);
  expect_from_image("vs_pointsize", VertexProgram::position, positions);
  expect_from_image("vs_pointsize", VertexProgram::varying, varyings);
  for (std::size_t v = 0; v < kPositions.size(); ++v) {
    const Vector& p = kPositions[v];
    const Vector wanted = window({p[0] * 0.25, p[1] * 0.25, p[2], p[3]});
    expect_stored(positions, v, wanted);
    expect_stored(without, v, wanted);
    expect_stored(varyings, v, sizes[v]);
    // Record 4 has the size as f16, at least 1.
    const std::uint32_t record = positions.results[v * 32 + 16];
    EXPECT_EQ(record & 0xffff, round_to(kHalf, std::max(4 + sizes[v][0] * kScale, 1.0))) << v;
    EXPECT_EQ(record >> 16, 0xccccU);
    EXPECT_EQ(without.results[v * 32 + 16], 0xccccccccU);
  }
}

TEST(ValhallSharedVertices, TransformLight) {
  SHARED_PROGRAM(position, "vs_transform_light/position.bin");
  SHARED_PROGRAM(varying, "vs_transform_light/varying.bin");
  const Rows places = {{-1, -1, 0.25}, {3, -1, 0.25}, {-1, 3, 0.25}, {0.5, 2, -3}};
  const Rows normals = {
      {0.03125, 0.03125, 0.53125}, {2.03125, 0.03125, 0.53125}, {0.03125, 2.03125, 0.53125}, {-1, -2, -0.5}};
  const Rows coordinates = {{0.0625, 0.0625}, {2.0625, 0.0625}, {0.0625, 2.0625}, {-1, 0.25}};
  const auto at = [](std::uint32_t word) { return static_cast<double>(to_float(word)); };
  // Matrices by columns, as the capture has them.
  double mvp[16], normal_matrix[9];
  const std::uint32_t mvp_words[16] = {0x3f800400, 0x39800000, 0x39c00000, 0x3a000000, 0x3a200000, 0x3f801800,
                                       0x3a600000, 0x3a800000, 0x3a900000, 0x3aa00000, 0x3f802c00, 0x3ac00000,
                                       0x3ad00000, 0x3ae00000, 0x3af00000, 0x3f804000};
  const std::uint32_t normal_words[9] = {0x3f804400, 0x3b100000, 0x3b180000, 0x3b200000, 0x3f805400,
                                         0x3b300000, 0x3b380000, 0x3b400000, 0x3f806400};
  const Vector light = {0.65625, 0.671875, 0.6875}, ambient = {0.703125, 0.71875, 0.734375},
               diffuse = {0.75, 0.765625, 0.78125};
  std::vector<float> uniforms = kViewport;
  for (std::size_t k = 0; k < 16; ++k) uniforms.push_back(static_cast<float>(mvp[k] = at(mvp_words[k])));
  for (std::size_t k = 0; k < 3; ++k) {
    uniforms.push_back(static_cast<float>(ambient[k]));
    uniforms.push_back(static_cast<float>(diffuse[k]));
  }
  for (std::size_t k = 0; k < 9; ++k)
    uniforms.push_back(static_cast<float>(normal_matrix[k] = at(normal_words[k])));
  for (const double value : light) uniforms.push_back(static_cast<float>(value));

  const std::vector<Input> inputs = {{kRgb32, places}, {kRgb32, normals}, {kRg32, coordinates}};
  const FinishedVertices positions = run_shared(*position, inputs, uniforms, 128);
  const FinishedVertices varyings = run_shared(*varying, inputs, uniforms, 32);
  expect_from_image("vs_transform_light", VertexProgram::position, positions);
  expect_from_image("vs_transform_light", VertexProgram::varying, varyings);
  for (std::size_t v = 0; v < places.size(); ++v) {
    Vector clip(4), n(3);
    for (std::size_t r = 0; r < 4; ++r)
      clip[r] = mvp[r] * places[v][0] + mvp[4 + r] * places[v][1] + mvp[8 + r] * places[v][2] + mvp[12 + r];
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) n[r] += normal_matrix[3 * c + r] * normals[v][c];
    const double lengths = std::hypot(n[0], n[1], n[2]) * std::hypot(light[0], light[1], light[2]);
    const double d = std::max((n[0] * light[0] + n[1] * light[1] + n[2] * light[2]) / lengths, 0.0);
    expect_stored(positions, v, window(clip));
    // The slots: v_uv in words 0 and 1, then v_lit, as the program orders them.
    expect_stored(varyings, v,
                  {coordinates[v][0] * 2 - 0.5, coordinates[v][1] * 2 - 0.5, ambient[0] + diffuse[0] * d,
                   ambient[1] + diffuse[1] * d, ambient[2] + diffuse[2] * d});
  }
}

}  // namespace
}  // namespace warpjit::valhall
