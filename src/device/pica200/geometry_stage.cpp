#include "device/pica200/geometry_stage.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/hash.h"
#include "frontend/pica200/interpret/interpret.h"
#include "frontend/pica200/shader.h"
#include "frontend/pica200/stage_values.h"
#include "runtime/work/row_format.h"

namespace warpjit::pica200 {

using runtime::kRowBytes;

namespace {

constexpr std::uint32_t kFloats = kFloatUniforms;
constexpr std::size_t kMaxRowBytes = std::size_t{1} << 30;
// Triangles of an invocation that a launch allows at first.
constexpr unsigned kFirstMaxTriangles = 8;
// The guest interpreter takes more; translated code has no room for their winding flags.
constexpr unsigned kWideMaxTriangles = Triangles::kMostWide + 1;
constexpr unsigned kColorWord = 8;

void copy_rows(std::byte* to, const std::byte* from, unsigned count) {
  for (unsigned n = 0; n < count; ++n) std::memcpy(to + n * kRowBytes, from + n * kRowBytes, kRowBytes);
}

}  // namespace

VertexWriter::VertexWriter(const Registers& registers, std::uint16_t mask) {
  // Where two outputs write one semantic, the later counts.
  std::array<int, kSemantics> from;
  from.fill(-1);
  const unsigned enabled =
      std::min<unsigned>(static_cast<unsigned>(std::popcount(mask)), registers.map_count);
  for (unsigned row = 0; row < enabled; ++row)
    for (unsigned c = 0; c < 4; ++c) {
      const std::uint32_t semantic = registers.output_map[row] >> 8 * c & 31;
      if (semantic < kSemantics) from[semantic] = static_cast<int>(4 * row + c);
    }
  for (unsigned to = 0; to < kSemantics; ++to) {
    if (from[to] < 0) continue;
    words_[count_++] = {static_cast<std::uint8_t>(from[to]), static_cast<std::uint8_t>(to)};
    clamped_ |= to / 4 == kColorWord / 4;
  }
}

void VertexWriter::write(const std::byte* rows, Vertex& vertex) const {
  float words[kSemantics];
  std::fill_n(words, kSemantics, 1.0f);
  for (unsigned n = 0; n < count_; ++n)
    std::memcpy(words + words_[n].to, rows + 4 * words_[n].from, sizeof(float));
  if (clamped_)
    for (unsigned n = kColorWord; n < kColorWord + 4; ++n) {
      const float magnitude = std::fabs(words[n]);
      words[n] = magnitude < 1 ? magnitude : 1;  // NaN too
    }
  std::memcpy(&vertex, words, sizeof words);
}

Status TriangleList::reserve(std::uint64_t triangles) {
  if (vertices.size() < 3 * triangles)
    vertices.resize(std::max<std::size_t>(3 * static_cast<std::size_t>(triangles), 2 * vertices.size()));
  return {};
}

void TriangleList::store(std::uint64_t place, const std::byte* rows, std::uint32_t count,
                         const std::uint32_t* inverted) {
  Vertex* to = vertices.data() + 3 * place;
  constexpr std::uint32_t kFirst = Triangles::kMost / 32;
  std::array<std::uint32_t, Triangles::kFlags / 32> flags{};
  std::copy_n(inverted, kFirst, flags.begin());
  if (wide && vertex_bytes != 0)
    std::memcpy(flags.data() + kFirst, rows + Triangles::kMostWide * 3 * vertex_bytes,
                (flags.size() - kFirst) * sizeof flags[0]);
  for (std::uint32_t n = 0; n < count; ++n, to += 3, rows += 3 * vertex_bytes) {
    const unsigned swap = swaps ? flags[n / 32] >> n % 32 & 1 : 0;
    writer.write(rows, to[swap]);
    writer.write(rows + vertex_bytes, to[1 - swap]);
    writer.write(rows + 2 * vertex_bytes, to[2]);
  }
}

std::uint64_t GeometryStage::Input::variable_rows(std::uint64_t count) const {
  const std::uint64_t full = std::min<std::uint64_t>(count, full_vertices);
  return 1 + full * attributes + (count - full);
}

Result<GeometryStage::Input> GeometryStage::input_of(const Registers& registers) {
  const std::uint32_t mode = registers.read(kGeometryMode);
  Input input;
  input.attributes = registers.vertex_outputs();
  if (input.attributes == 0) return bad_input("the vertex unit enables no output", "register 0x2BD");
  switch (mode & 0xFF) {
    case 0:
      input.inputs = std::max<unsigned>(1, registers.geometry.attribute_count);
      return input;
    case 1:
      input.mode = PrimitiveMode::variable;
      input.full_vertices = (registers.read(kFullVertices) & 31) + 1;
      return input;
    case 2: {
      input.mode = PrimitiveMode::fixed;
      input.vertices = (mode >> 8 & 15) + 1;
      input.vertex_rows = (mode >> 12 & 15) + 1;
      input.first_row = mode >> 16 & 0xFF;
      const unsigned rows = (input.vertices - 1) * input.vertex_rows + input.attributes;
      if (input.first_row + rows > kFloats)
        return bad_input(std::to_string(rows) + " float uniforms from c" + std::to_string(input.first_row) +
                             " on do not exist",
                         "register 0x252");
      return input;
    }
    default:
      return bad_input("there is no geometry mode " + std::to_string(mode & 0xFF), "register 0x252");
  }
}

std::byte* GeometryStage::room(std::size_t bytes) {
  if (rows_.size() < bytes) rows_.resize(bytes);
  return rows_.data();
}

const std::byte* GeometryStage::in_order(const Vertices& vertices) {
  if (vertices.order.empty()) return vertices.rows;
  const std::size_t bytes = vertices.attributes * kRowBytes;
  std::byte* to = room(vertices.order.size() * bytes);
  for (const std::uint16_t vertex : vertices.order) {
    copy_rows(to, vertices.rows + vertex * bytes, vertices.attributes);
    to += bytes;
  }
  return rows_.data();
}

GeometryStage::Work GeometryStage::points(const Registers& registers, const Input& input,
                                          const Vertices& vertices) {
  Work work;
  work.count = vertices.count * input.attributes / input.inputs;
  work.rows = in_order(vertices);
  work.stride = input.inputs * kRowBytes;
  // Where several attributes go to one register, the highest counts.
  for (unsigned a = 0; a < input.inputs; ++a)
    work.shape.attribute_of[registers.geometry.permutation[a]] = static_cast<std::int8_t>(a);
  return work;
}

GeometryStage::Work GeometryStage::fixed(const Registers& registers, const Input& input,
                                         const Vertices& vertices) {
  Work work;
  work.count = vertices.count / input.vertices;
  work.shape.first_row = static_cast<std::uint8_t>(input.first_row);
  work.shape.row_count =
      static_cast<std::uint8_t>((input.vertices - 1) * input.vertex_rows + input.attributes);
  work.stride = work.shape.row_count * kRowBytes;
  if (input.vertex_rows == input.attributes) {
    work.rows = in_order(vertices);
    return work;
  }
  // Registers between the vertices keep their values; of two attributes for one register the later counts.
  const std::size_t vertex_bytes = input.attributes * kRowBytes;
  std::byte* to = room(work.count * work.stride);
  std::size_t at = 0;
  for (std::uint64_t n = 0; n < work.count; ++n, to += work.stride) {
    std::memcpy(to, registers.geometry.floats.data() + input.first_row, work.stride);
    for (unsigned v = 0; v < input.vertices; ++v, ++at)
      copy_rows(to + v * input.vertex_rows * kRowBytes,
                vertices.rows + (vertices.order.empty() ? at : vertices.order[at]) * vertex_bytes,
                input.attributes);
  }
  work.rows = rows_.data();
  return work;
}

Result<GeometryStage::Work> GeometryStage::variable(const Registers& registers, const Input& input,
                                                    const Vertices& vertices) {
  Work work;
  work.count = vertices.sizes.size();
  if (work.count == 0) return work;
  const std::uint64_t most = input.variable_rows(*std::ranges::max_element(vertices.sizes));
  // In steps, so that draws of different primitives share a kernel.
  work.shape.row_count = static_cast<std::uint8_t>(std::min<std::uint64_t>(kFloats, (most + 15) / 16 * 16));
  work.stride = work.shape.row_count * kRowBytes;
  if (work.count > kMaxRowBytes / work.stride)
    return Error{ErrorCode::resource_limit, std::to_string(work.count) + " primitives need too much memory",
                 "draw"};
  const std::size_t vertex_bytes = input.attributes * kRowBytes;
  std::byte* to = room(work.count * work.stride);
  work.rows = to;
  // Registers that a primitive does not fill keep what was there.
  const std::byte* before = reinterpret_cast<const std::byte*>(registers.geometry.floats.data());
  const std::uint16_t* vertex = vertices.order.data();
  for (const std::uint8_t size : vertices.sizes) {
    std::memcpy(to, before, work.stride);
    const auto count = static_cast<float>(size);
    for (unsigned c = 0; c < 4; ++c) std::memcpy(to + 4 * c, &count, sizeof count);
    std::byte* row = to + kRowBytes;
    for (unsigned v = 0; v < size; ++v) {
      const unsigned copied = v < input.full_vertices ? input.attributes : 1;
      copy_rows(row, vertices.rows + *vertex++ * vertex_bytes, copied);
      row += copied * kRowBytes;
    }
    before = to;
    to += work.stride;
  }
  return work;
}

GeometryStage::CachedLaunch& GeometryStage::find_launch(const warpjit::Program& program, const Shape& shape,
                                                        GeometryUnit& unit) {
  const frontend::Shader* const shader = &frontend::shader_of(program);
  const std::uint64_t hash =
      hash_of(std::span<const Shape>(&shape, 1), reinterpret_cast<std::uintptr_t>(shader));
  CachedLaunch* found = launches_.find(hash, [&](const CachedLaunch& entry) {
    return entry.launch.state().shader == shader && entry.shape == shape;
  });
  if (found != nullptr) return *found;
  Launch launch(program);
  LaunchState& state = launch.state();
  runtime::LaunchPrimitives& primitives = *state.primitives;
  primitives.input = {};
  primitives.input.outputs = shape.outputs;
  primitives.input.max_triangles = kFirstMaxTriangles;
  primitives.rows.first = shape.first_row;
  primitives.rows.count = shape.row_count;
  primitives.unit = unit.words();
  for (unsigned reg = 0; reg < shape.attribute_of.size(); ++reg) {
    if (shape.attribute_of[reg] < 0) continue;
    state.inputs[reg] = {{nullptr, 0, 0, f32x4}, runtime::load_rows(f32x4)};
    state.bound_inputs |= std::uint64_t{1} << reg;
  }
  const std::size_t bytes = state.memory_bytes();
  return launches_.add(hash, bytes, {std::move(launch), shape});
}

// The float uniforms hold what the last invocation had in them. A launch that has rows for them needs no new
// table for that.
void GeometryStage::keep_rows(Registers& registers, const Work& work, CachedLaunch& entry) {
  if (work.shape.row_count == 0) return;
  Vector* to = registers.geometry.floats.data() + work.shape.first_row;
  const std::byte* last = work.rows + (work.count - 1) * work.stride;
  if (std::memcmp(to, last, work.stride) == 0) return;
  std::memcpy(to, last, work.stride);
  entry.values_version = ++registers.geometry.values_version;
}

void GeometryStage::bind(const Work& work, LaunchState& state) {
  state.count = work.count;
  state.primitives->rows.data = work.rows;
  for (unsigned reg = 0; reg < work.shape.attribute_of.size(); ++reg) {
    if (work.shape.attribute_of[reg] < 0) continue;
    const auto offset = static_cast<std::size_t>(work.shape.attribute_of[reg]) * kRowBytes;
    state.inputs[reg].attribute = {work.rows + offset, work.count * work.stride - offset, work.stride, f32x4};
  }
}

Result<DrawResult> GeometryStage::run(const Engine& engine, Registers& registers,
                                      const warpjit::Program& program, const Input& input,
                                      const Vertices& vertices, const RunOptions& options) {
  Work work;
  if (input.mode == PrimitiveMode::point) work = points(registers, input, vertices);
  if (input.mode == PrimitiveMode::fixed) work = fixed(registers, input, vertices);
  if (input.mode == PrimitiveMode::variable) {
    WARPJIT_TRY(work, variable(registers, input, vertices));
  }
  DrawResult result;
  result.triangles = true;
  if (work.count == 0) return result;
  const std::uint16_t outputs = work.shape.outputs = registers.geometry.output_mask;
  if (writer_version_ != registers.map_version || writer_mask_ != outputs) {
    triangles_.writer = VertexWriter(registers, outputs);
    writer_version_ = registers.map_version;
    writer_mask_ = outputs;
  }
  triangles_.vertex_bytes = static_cast<std::size_t>(std::popcount(outputs)) * kRowBytes;
  triangles_.swaps = registers.topology() == Topology::shader;

  CachedLaunch& entry = find_launch(program, work.shape, registers.unit());
  LaunchState& state = entry.launch.state();
  if (entry.values_version != registers.geometry.values_version) {
    registers.geometry.store(state.values);
    entry.values_version = registers.geometry.values_version;
    ++state.values_generation;
  }
  bind(work, state);
  state.primitives->sink = &triangles_;
  unsigned& allowed = state.primitives->input.max_triangles;
  const unsigned limit = options.engine == EngineKind::guest ? kWideMaxTriangles : frontend::kMaxTriangles;
  if (allowed > limit) {
    allowed = limit;
    ++state.facts_generation;
  }
  for (;;) {
    triangles_.wide = allowed > frontend::kMaxTriangles;
    triangles_.most_emitted.store(0, std::memory_order_relaxed);
    Result<Report> report = engine.run(entry.launch, options);
    if (report) {
      result.report = *report;
      break;
    }
    const std::uint32_t most = triangles_.most_emitted.load(std::memory_order_relaxed);
    if (most <= allowed || allowed == limit) return report.error();
    allowed = most > frontend::kMaxTriangles ? limit : std::min(frontend::kMaxTriangles, std::bit_ceil(most));
    ++state.facts_generation;
  }
  keep_rows(registers, work, entry);
  result.vertices = {triangles_.vertices.data(), static_cast<std::size_t>(3 * result.report.triangles)};
  return result;
}

}  // namespace warpjit::pica200
