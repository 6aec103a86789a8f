#include "bound_launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "frontend/pica200/shader.h"
#include "runtime/work/launch.h"

namespace warpjit::tool {

namespace {

using pica200::ExitFile;

constexpr std::uint64_t kMaxResultBytes = std::uint64_t{4} << 30;

std::vector<std::uint32_t> state_words(const pica200::ThreadState& start, StateName state) {
  switch (state.file) {
    case ExitFile::a0:
      return {static_cast<std::uint32_t>(start.a0[0]), static_cast<std::uint32_t>(start.a0[1])};
    case ExitFile::aL:
      return {static_cast<std::uint32_t>(start.aL)};
    case ExitFile::cmp:
      return {start.cmp[0], start.cmp[1]};
    default:
      break;
  }
  std::vector<std::uint32_t> words(4);
  std::memcpy(words.data(), start.r[state.index], 16);
  return words;
}

std::string value_text(std::uint32_t bits, bool is_float) {
  if (!is_float) return fmt::format("{}", static_cast<std::int32_t>(bits));
  return fmt::format("{} ({:#010x})", std::bit_cast<float>(bits), bits);
}

Mismatch make_mismatch(std::uint64_t thread, StateName state, unsigned k, std::uint32_t got,
                       std::uint32_t wanted) {
  std::string text = name(state);
  if (components(state) > 1) text += std::string(".") + "xyzw"[k];
  return {thread, false, std::move(text), is_float(state), got, wanted};
}

}  // namespace

Result<BoundLaunch> BoundLaunch::make(LaunchFile file) {
  WARPJIT_TRY(auto shader, pica200::Shader::make(file.program));
  auto owned = std::make_unique<LaunchFile>(std::move(file));
  BoundLaunch bound(std::move(owned), Launch(Program(std::move(shader))));
  WARPJIT_CHECK(bound.bind());
  return bound;
}

namespace {

// Uniforms, state and inputs.
Status bind_values(const LaunchFile& file, Launch& launch) {
  const pica200::Uniforms& uniforms = file.uniforms;
  std::vector<std::uint32_t> floats(std::size(uniforms.c) * 4), integers;
  std::memcpy(floats.data(), uniforms.c, sizeof uniforms.c);
  for (const auto& reg : uniforms.i) integers.insert(integers.end(), std::begin(reg), std::end(reg));
  WARPJIT_CHECK(launch.set_bits("c0", floats));
  WARPJIT_CHECK(launch.set_int("i0", integers));
  for (unsigned k = 0; k < 16; ++k)
    WARPJIT_CHECK(launch.set_bool("b" + std::to_string(k), (uniforms.b >> k & 1) != 0));
  for (const StateName state : file.state)
    WARPJIT_CHECK(launch.set_state(name(state), state_words(file.start, state)));
  for (const LaunchInput& input : file.inputs) {
    const std::vector<std::byte>& bytes = file.buffers[input.buffer].bytes;
    Attribute attribute;
    attribute.data = bytes.data() + input.offset;
    attribute.size = bytes.size() - static_cast<std::size_t>(input.offset);
    attribute.stride = static_cast<std::size_t>(input.stride);
    attribute.format = input.format;
    WARPJIT_CHECK(launch.bind_input("v" + std::to_string(input.reg), attribute));
  }
  launch.set_count(file.count);
  return {};
}

}  // namespace

Status BoundLaunch::bind() {
  WARPJIT_CHECK(bind_values(*file_, launch_));
  if (file_->is_geometry()) WARPJIT_CHECK(bind_geometry());
  threads_ = launch_.state().thread_count();
  for (const LaunchOutput& output : file_->outputs)
    add_column(output.name, output.state, output.components, true);
  for (const Expectation& wanted : file_->expectations)
    add_column(wanted.name, wanted.state, wanted.components, false);
  if (threads_ * row_words_ * 4 > kMaxResultBytes)
    return Error{ErrorCode::resource_limit,
                 fmt::format("the results of {} threads need more than {} bytes", threads_, kMaxResultBytes),
                 file_->name};
  words_.assign(static_cast<std::size_t>(threads_) * row_words_, 0);
  for (const ResultColumn& column : columns_) {
    OutputBuffer buffer;
    buffer.data = words_.data() + column.first;
    buffer.size = (words_.size() - column.first) * 4;
    buffer.stride = row_words_ * 4;
    buffer.format = {is_float(column.state) ? ComponentType::f32 : ComponentType::s32,
                     static_cast<std::uint8_t>(column.components)};
    WARPJIT_CHECK(launch_.bind_output(tool::name(column.state), buffer));
  }
  return {};
}

Status BoundLaunch::bind_geometry() {
  const LaunchFile& file = *file_;
  WARPJIT_CHECK(launch_.set_geometry_input(file.geometry));
  if (!file.primitives.empty()) WARPJIT_CHECK(launch_.bind_primitives(file.primitives));
  if (!file.vertex.empty()) {
    const LaunchFile& stage = file.vertex.front();
    WARPJIT_TRY(auto shader, pica200::Shader::make(stage.program));
    Launch vertex{Program(std::move(shader))};
    WARPJIT_CHECK(bind_values(stage, vertex));
    std::uint64_t outputs = 0;
    for (const LaunchOutput& output : stage.outputs) outputs |= std::uint64_t{1} << output.state.index;
    WARPJIT_CHECK(launch_.set_vertex_stage(vertex, outputs));
  }
  const std::uint64_t most = launch_.state().thread_count() * file.geometry.max_triangles;
  if (most * std::max(1u, triangle_words()) * 4 > kMaxResultBytes)
    return Error{ErrorCode::resource_limit,
                 fmt::format("{} triangles need more than {} bytes", most, kMaxResultBytes), file.name};
  // Without initialization: most of it may never be used.
  triangles_.reset(new std::uint32_t[most * triangle_words() + 1]);
  inverted_.reset(new std::uint8_t[most + 1]);
  TriangleBuffer buffer;
  buffer.vertices = triangles_.get();
  buffer.size = most * triangle_words() * 4;
  buffer.inverted = inverted_.get();
  buffer.inverted_size = most;
  return launch_.bind_triangles(buffer);
}

void BoundLaunch::add_column(const std::string& name, StateName state, unsigned count, bool listed) {
  // A register is one column, wide enough for all who ask for it.
  for (ResultColumn& column : columns_) {
    if (column.state != state) continue;
    if (column.components >= count) return;
    for (ResultColumn& later : columns_)
      if (later.first > column.first) later.first += count - column.components;
    row_words_ += count - column.components;
    column.components = count;
    return;
  }
  columns_.push_back({name, state, count, row_words_, listed});
  row_words_ += count;
}

Result<Report> BoundLaunch::run(const Engine& engine, const RunOptions& options) {
  std::fill(words_.begin(), words_.end(), 0xCDCDCDCD);
  triangle_count_ = 0;
  auto report = engine.run(launch_, options);
  if (report) triangle_count_ = report->triangles;
  return report;
}

std::vector<std::uint32_t> BoundLaunch::results() const {
  std::vector<std::uint32_t> all = words_;
  for (std::uint64_t n = 0; n < triangle_count_; ++n) {
    all.push_back(inverted(n) ? 1 : 0);
    all.insert(all.end(), triangle(n), triangle(n) + triangle_words());
  }
  return all;
}

std::uint64_t BoundLaunch::checksum() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint32_t word) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      hash ^= word >> shift & 0xFF;
      hash *= 0x100000001b3;
    }
  };
  for (std::uint64_t thread = 0; thread < threads_; ++thread)
    for (const LaunchOutput& output : file_->outputs)
      for (const ResultColumn& column : columns_) {
        if (column.state != output.state) continue;
        for (unsigned k = 0; k < output.components; ++k) add(word(column, thread, k));
      }
  for (std::uint64_t n = 0; n < triangle_count_; ++n) {
    add(inverted(n) ? 1 : 0);
    for (unsigned k = 0; k < triangle_words(); ++k) add(triangle(n)[k]);
  }
  return hash;
}

Result<frontend::Facts> BoundLaunch::facts() const {
  const runtime::LaunchState& state = launch_.state();
  return state.facts(state.usage.bools);
}

std::string to_string(const Mismatch& m) {
  return fmt::format("{} {}, {}: got {}, wanted {}", m.triangle ? "triangle" : "thread", m.thread, m.name,
                     value_text(m.got, m.is_float), value_text(m.wanted, m.is_float));
}

namespace {

// Word `place` of a triangle, its flag being word 0.
Mismatch triangle_mismatch(const BoundLaunch& bound, std::uint64_t triangle, unsigned place,
                           std::uint32_t got, std::uint32_t wanted) {
  if (place == 0) return {triangle, true, "inverted", false, got, wanted};
  const unsigned word = place - 1, vertex = word / bound.vertex_words();
  unsigned index = word % bound.vertex_words() / 4, reg = 0;
  for (std::uint64_t mask = bound.file().geometry.outputs; index > 0 || (mask & 1) == 0; mask >>= 1, ++reg)
    index -= static_cast<unsigned>(mask & 1);
  return {triangle, true, fmt::format("vertex {}, o{}.{}", vertex, reg, "xyzw"[word % 4]), true, got, wanted};
}

Mismatch other_count(std::string name, std::uint64_t got, std::uint64_t wanted) {
  return {
      0, false, std::move(name), false, static_cast<std::uint32_t>(got), static_cast<std::uint32_t>(wanted)};
}

std::optional<Mismatch> check_triangles(const BoundLaunch& bound) {
  const LaunchFile& file = bound.file();
  if (!file.triangles || file.count != file.rows) return std::nullopt;
  if (bound.triangle_count() != file.triangles->size())
    return other_count("number of triangles", bound.triangle_count(), file.triangles->size());
  Expectation exact;
  exact.state = {ExitFile::o, 0};
  for (std::uint64_t n = 0; n < bound.triangle_count(); ++n) {
    const WantedTriangle& wanted = (*file.triangles)[static_cast<std::size_t>(n)];
    if (wanted.inverted != bound.inverted(n))
      return triangle_mismatch(bound, n, 0, bound.inverted(n), wanted.inverted);
    for (unsigned vertex = 0; vertex < 3; ++vertex)
      for (unsigned reg = 0, place = 0; reg < 16; ++reg) {
        if ((file.geometry.outputs >> reg & 1) == 0) continue;
        for (unsigned c = 0; c < 4; ++c, ++place) {
          if ((wanted.given >> reg & 1) == 0) continue;
          const unsigned word = vertex * bound.vertex_words() + place;
          const std::uint32_t got = bound.triangle(n)[word], want = wanted.words[reg][vertex][c];
          if (!exact.accepts(got, want)) return triangle_mismatch(bound, n, 1 + word, got, want);
        }
      }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Mismatch> check_expectations(const BoundLaunch& bound) {
  const LaunchFile& file = bound.file();
  for (const Expectation& wanted : file.expectations)
    for (const ResultColumn& column : bound.columns()) {
      if (column.state != wanted.state) continue;
      const std::uint64_t rows = wanted.words.size() / wanted.components;
      if (rows == 0 || (rows * wanted.components != wanted.words.size()) ||
          (!file.vertex.empty() && file.count == file.rows && rows != bound.threads()))
        return other_count("number of values of " + wanted.name, bound.threads() * wanted.components,
                           wanted.words.size());
      for (std::uint64_t thread = 0; thread < bound.threads(); ++thread)
        for (unsigned k = 0; k < wanted.components; ++k) {
          const std::uint32_t word =
              wanted.words[static_cast<std::size_t>(thread % rows) * wanted.components + k];
          const std::uint32_t got = bound.word(column, thread, k);
          if (!wanted.accepts(got, word)) return make_mismatch(thread, wanted.state, k, got, word);
        }
    }
  return check_triangles(bound);
}

std::optional<Mismatch> compare_results(const BoundLaunch& bound, const std::vector<std::uint32_t>& wanted) {
  const std::vector<std::uint32_t> all = bound.results();
  const std::size_t common = std::min(all.size(), wanted.size());
  const auto [got, expected] =
      std::mismatch(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(common), wanted.begin());
  const std::size_t position = static_cast<std::size_t>(got - all.begin());
  const std::size_t rows = static_cast<std::size_t>(bound.threads()) * bound.row_words();
  if (position == common) {
    if (all.size() == wanted.size()) return std::nullopt;
    const std::size_t each = bound.triangle_words() + 1;
    return other_count("number of triangles", (all.size() - rows) / each, (wanted.size() - rows) / each);
  }
  if (position >= rows) {
    const std::size_t each = bound.triangle_words() + 1;
    return triangle_mismatch(bound, (position - rows) / each, static_cast<unsigned>((position - rows) % each),
                             *got, *expected);
  }
  const std::uint64_t thread = position / bound.row_words();
  const unsigned place = static_cast<unsigned>(position % bound.row_words());
  for (const ResultColumn& column : bound.columns())
    if (place >= column.first && place < column.first + column.components)
      return make_mismatch(thread, column.state, place - column.first, *got, *expected);
  return std::nullopt;  // every word belongs to a column
}

}  // namespace warpjit::tool
