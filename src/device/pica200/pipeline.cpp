#include "device/pica200/pipeline.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/hash.h"
#include "frontend/pica200/flow/reach.h"
#include "frontend/pica200/stage_values.h"

namespace warpjit::pica200 {

using runtime::in_bounds;
using runtime::kRowBytes;
using runtime::LaunchState;
using runtime::RowSpan;

namespace {

constexpr std::uint32_t kColorRow = 2;
static_assert(DrawBindings::kSpareResults <= IndexList::kSpare);
constexpr std::uint32_t kVertexRows = sizeof(Vertex) / kRowBytes;

// The attribute's rows, from vertex 0 on.
RowSpan span_of(const AttributeArray& array) {
  return {reinterpret_cast<std::uintptr_t>(array.data) + array.offset, array.size - array.offset,
          array.stride, size(array.format)};
}
bool holds(const AttributeArray& array, std::uint64_t vertex) {
  return array.data != nullptr && array.offset <= array.size && in_bounds(span_of(array), vertex + 1);
}
// Vertices below this lie in the array, which holds vertex 0, and less than 4 GiB after vertex 0.
std::uint64_t held_vertices(const AttributeArray& array) {
  if (array.stride == 0) return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t fit = (array.size - array.offset - size(array.format)) / array.stride + 1;
  return std::min<std::uint64_t>(fit, std::numeric_limits<std::uint32_t>::max() / array.stride + 1);
}

// The result words that the output map fills (pica200.md 11).
void map_outputs(const Registers& registers, frontend::DrawFacts& facts) {
  facts.clamped = 1u << kColorRow;
  for (std::uint32_t row = 0; row < kVertexRows; ++row) facts.results[row].fill(frontend::DrawFacts::kOne);
  unsigned enabled = 0;
  for (unsigned mask = registers.vertex.output_mask; mask != 0 && enabled < registers.map_count;
       mask &= mask - 1, ++enabled) {
    const auto output = static_cast<unsigned>(std::countr_zero(mask));
    for (unsigned c = 0; c < 4; ++c) {
      const std::uint32_t semantic = registers.output_map[enabled] >> 8 * c & 31;
      if (semantic >= kSemantics) continue;
      facts.results[semantic / 4][semantic % 4] = static_cast<std::uint8_t>(output * 4 + c);
      facts.stored |= static_cast<std::uint16_t>(1u << semantic / 4);
    }
  }
}

// The first `count` enabled outputs, a row each, for the geometry unit.
void list_outputs(const Registers& registers, unsigned count, frontend::DrawFacts& facts) {
  unsigned mask = registers.vertex.output_mask;
  for (unsigned row = 0; row < count; ++row, mask &= mask - 1) {
    const auto output = static_cast<unsigned>(std::countr_zero(mask));
    for (unsigned c = 0; c < 4; ++c) facts.results[row][c] = static_cast<std::uint8_t>(output * 4 + c);
    facts.stored |= static_cast<std::uint16_t>(1u << row);
  }
}

}  // namespace

Status PipelineState::find_program(const UnitRegisters& unit, Stage stage, UnitProgram& result) {
  if (result.version == unit.program_version) return {};
  // Words after the last one that was uploaded are dead, not code.
  const auto used = [](const auto& words) {
    constexpr std::size_t kBlock = 16;
    std::size_t count = words.size();
    const auto any = [&](std::size_t from) {
      std::uint32_t bits = 0;
      for (std::size_t n = from; n < from + kBlock; ++n) bits |= words[n];
      return bits != 0;
    };
    while (count >= kBlock && !any(count - kBlock)) count -= kBlock;
    while (count != 0 && words[count - 1] == 0) --count;
    return std::span(words.data(), count);
  };
  const std::span<const std::uint32_t> code = used(unit.code);
  const std::span<const std::uint32_t> descriptors = used(unit.descriptors);
  const auto source = [&] { return std::string(name(stage)) + " program"; };
  if (code.empty()) return bad_input("no code was uploaded", source());
  const std::uint64_t modes =
      (stage == Stage::geometry ? 4 : 0) | (unit.structural_scopes ? 2 : 0) | (unit.f24 ? 1 : 0);
  const std::uint64_t hash = hash_of(code, hash_of(descriptors, std::uint64_t{unit.entry} << 3 | modes));
  // A program that goes on to the end of the memory has the zeros there, too.
  const auto same_code = [&](const std::vector<std::uint32_t>& known) {
    return known.size() == code.size() ? std::ranges::equal(known, code)
                                       : std::ranges::equal(known, unit.code);
  };
  const warpjit::Program* found = programs_.find(hash, [&](const warpjit::Program& cached) {
    const Program& known = static_cast<const Shader&>(frontend::shader_of(cached)).program();
    return known.stage == stage && known.entry == unit.entry && known.f24 == unit.f24 &&
           known.structural_scopes == unit.structural_scopes && same_code(known.code) &&
           std::ranges::equal(known.descriptors, descriptors);
  });
  if (found == nullptr) {
    Program program;
    program.code.assign(code.begin(), code.end());
    program.descriptors.assign(descriptors.begin(), descriptors.end());
    program.stage = stage;
    program.entry = unit.entry;
    program.f24 = unit.f24;
    program.structural_scopes = unit.structural_scopes;
    program.source_name = source();
    if (unit.code.size() == kGeometryWords && unit.entry < code.size() &&
        find_reached(program, unit.entry).past_end)
      program.code = unit.code;
    WARPJIT_TRY(std::shared_ptr<const Shader> shader, Shader::make(std::move(program)));
    const std::size_t bytes = shader->memory_bytes();
    found = &programs_.add(hash, bytes, warpjit::Program(std::move(shader)));
  }
  result.program = *found;
  result.version = unit.program_version;
  return {};
}

Result<warpjit::Program> PipelineState::program(Unit unit) {
  UnitProgram found;
  WARPJIT_CHECK(unit == Unit::geometry ? find_program(registers.geometry, Stage::geometry, found)
                                       : find_program(registers.vertex, Stage::vertex, found));
  return *found.program;
}

// Programs, arrays and layout of the next draw.
Status PipelineState::prepare() {
  WARPJIT_CHECK(find_program(registers.vertex, Stage::vertex, vertex_));
  if (registers.geometry_on()) {
    WARPJIT_TRY(geometry_input_, GeometryStage::input_of(registers));
    WARPJIT_CHECK(find_program(registers.geometry, Stage::geometry, geometry_));
  }
  return lay_out();
}

// By input register; -1: none.
std::array<int, 16> PipelineState::attributes_of_inputs() const {
  std::array<int, 16> attribute_of;
  attribute_of.fill(-1);
  for (unsigned a = 0; a < std::min<unsigned>(registers.vertex.attribute_count, kAttributes); ++a)
    attribute_of[registers.vertex.permutation[a]] = static_cast<int>(a);
  return attribute_of;
}

// What the vertex program reads of the arrays and the fixed attributes, and where the results go.
Status PipelineState::lay_out() {
  const std::uint64_t layout = registers.vertex.layout_version + registers.map_version;
  const std::uint64_t read = frontend::shader_of(*vertex_.program).usage().inputs;
  const bool laid_out =
      laid_layout_ == layout && laid_arrays_ == attributes.version() && laid_inputs_ == read;
  if (laid_out && laid_program_ == vertex_.version) return {};
  for (Current& current : current_) current.laid_out = false;
  laid_program_ = vertex_.version;
  if (laid_out) return {};
  laid_layout_ = 0;
  const std::array<int, 16> attribute_of = attributes_of_inputs();
  draw_ = {};
  draw_.active = true;
  input_count_ = 0;
  for (unsigned reg = 0; reg < attribute_of.size(); ++reg) {
    if (attribute_of[reg] < 0 || (read >> reg & 1) == 0) continue;
    const auto attribute = static_cast<unsigned>(attribute_of[reg]);
    const AttributeArray* array = attributes.array(attribute);
    if (array == nullptr) {
      draw_.facts.fixed_inputs |= static_cast<std::uint16_t>(1u << reg);
      continue;
    }
    if (!holds(*array, 0))
      return outside_error("vertex 0 does not lie in the array of " + std::to_string(array->size) + " bytes",
                           attributes.name(attribute));
    input_attributes_[input_count_] = static_cast<std::uint8_t>(attribute);
    inputs_[input_count_++] = {*array, static_cast<std::uint8_t>(reg)};
  }
  lay_out_rows({inputs_.data(), input_count_}, draw_);
  whole_vertices_ = whole_vertices({inputs_.data(), input_count_}, draw_);
  held_vertices_ = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t k = 0; k < input_count_; ++k)
    held_vertices_ = std::min(held_vertices_, held_vertices(inputs_[k].array));
  if (registers.geometry_on())
    list_outputs(registers, geometry_input_.attributes, draw_.facts);
  else
    map_outputs(registers, draw_.facts);
  laid_inputs_ = read;
  laid_layout_ = layout;
  laid_arrays_ = attributes.version();
  return {};
}

PipelineState::CachedLaunch& PipelineState::find_launch() {
  const frontend::Shader* const shader = &frontend::shader_of(*vertex_.program);
  const std::uint64_t hash = hash_of(std::span<const frontend::DrawFacts>(&draw_.facts, 1),
                                     reinterpret_cast<std::uintptr_t>(shader));
  CachedLaunch* found = launches_.find(hash, [&](const CachedLaunch& entry) {
    const LaunchState& state = entry.launch.state();
    return state.shader == shader && state.draw.facts == draw_.facts;
  });
  if (found != nullptr) return *found;
  Launch launch(*vertex_.program);
  const std::size_t bytes = launch.state().memory_bytes();
  current_ = {};  // what is added may take the place of one of these
  return launches_.add(hash, bytes, {std::move(launch)});
}

void PipelineState::update_values(CachedLaunch& entry) const {
  const UnitRegisters& unit = registers.vertex;
  const std::uint64_t version = unit.values_version + unit.layout_version + registers.fixed_version;
  if (entry.values_version == version) return;
  entry.values_version = version;
  LaunchState& state = entry.launch.state();
  unit.store(state.values);
  // For a register, the highest attribute that goes there; unused where that attribute has an array.
  std::uint32_t* words = state.values.words.data() + ValueWords::kFixedInputs;
  for (unsigned a = 0; a < std::min<unsigned>(unit.attribute_count, kAttributes); ++a)
    std::memcpy(words + 4 * unit.permutation[a], registers.fixed[a].data(), sizeof(Vector));
  ++state.values_generation;
}

PipelineState::Current& PipelineState::find_current() {
  Current& current = current_[draw_.facts.numbered ? 1 : 0];
  if (current.laid_out) return current;
  CachedLaunch& found = find_launch();
  if (&found != current.launch) {
    current = {};
    current.launch = &found;
  }
  current.laid_out = true;
  found.launch.state().draw = draw_;
  return current;
}

// Draws with few vertices that follow each other look nothing up. Nobody measures how long they take: asking
// for the time takes a good part of it.
Result<Report> PipelineState::run_current(Current& current, const Engine& engine, const RunOptions& options) {
  constexpr std::uint64_t kFewVertices = 1024;
  constexpr unsigned kDraws = 4;  // in a row, before it pays to prepare more
  const Launch& launch = current.launch->launch;
  const bool few = launch.state().count <= kFewVertices && !engine.state().is_watched();
  if (few && current.prepared && current.engine == engine.state().id() && current.options == options) {
    WARPJIT_CHECK(current.prepared->run());
    Report report;
    static_cast<CompileReport&>(report) = current.prepared->report();
    report.work = Work::draw;
    return report;
  }
  WARPJIT_TRY(const Report report, engine.run(launch, options));
  if (++current.draws >= kDraws && few && options.threads <= 1 && report.engine == EngineKind::jit &&
      report.interpreted == 0) {
    current.prepared =
        std::make_unique<runtime::PreparedState>(engine.state(), launch.state(), options, false);
    current.engine = engine.state().id();
    current.options = options;
    if (!current.prepared->renew()) current.prepared.reset();
  }
  return report;
}

void PipelineState::reach(const std::byte* data, std::size_t size) const {
  if (kept != nullptr) kept->reach(data, size, false);
  if (recording != nullptr) recording->reach(data, size, false);
}

void PipelineState::watch_arrays(std::uint64_t first, std::uint64_t last) const {
  if (attributes.sent()) return;
  // Attributes of one array of structures lie in the same bytes.
  std::uintptr_t begin = 0, end = 0;
  const auto reach_all = [&] {
    if (begin < end) reach(reinterpret_cast<const std::byte*>(begin), end - begin);
  };
  for (std::size_t k = 0; k < input_count_; ++k) {
    const AttributeArray& array = inputs_[k].array;
    const std::uint64_t from = array.offset + first * array.stride,
                        to = std::min<std::uint64_t>(array.offset + last * array.stride + size(array.format),
                                                     array.size);
    if (from >= to) continue;
    const auto data = reinterpret_cast<std::uintptr_t>(array.data);
    if (data + from <= end && data + to >= begin) {
      begin = std::min(begin, data + static_cast<std::size_t>(from));
      end = std::max(end, data + static_cast<std::size_t>(to));
      continue;
    }
    reach_all();
    begin = data + static_cast<std::size_t>(from);
    end = data + static_cast<std::size_t>(to);
  }
  reach_all();
}

Status PipelineState::check_arrays(std::uint64_t first, std::uint64_t last) const {
  if (recording != nullptr || kept != nullptr) watch_arrays(first, last);
  if (last < held_vertices_) return {};
  for (std::size_t k = 0; k < input_count_; ++k) {
    const AttributeArray& array = inputs_[k].array;
    const auto where = [&] { return attributes.name(input_attributes_[k]); };
    if (!holds(array, last)) {
      // The first one that does not.
      const std::uint64_t fit = (array.size - array.offset - size(array.format)) / array.stride + 1;
      return outside_error("vertex " + std::to_string(std::max(first, fit)) +
                               " does not lie in the array of " + std::to_string(array.size) + " bytes",
                           where());
    }
    if (last != 0 && array.stride > std::numeric_limits<std::uint32_t>::max() / last)
      return Error{ErrorCode::resource_limit,
                   "vertex " + std::to_string(last) + " lies 4 GiB or more after vertex 0", where()};
  }
  return {};
}

// Words that a draw does not store must stay 1.0, so draws that store other words use other memory.
std::vector<Vertex>& PipelineState::find_results(std::size_t count) {
  auto found = std::find_if(results_.begin(), results_.end(), [&](const Results& results) {
    return results.used != 0 && results.stored == draw_.facts.stored;
  });
  if (found == results_.end()) {
    found = std::min_element(results_.begin(), results_.end(),
                             [](const Results& a, const Results& b) { return a.used < b.used; });
    *found = {draw_.facts.stored, 0, {}};
  }
  found->used = ++results_clock_;
  if (found->vertices.size() < count + DrawBindings::kSpareResults) {
    Vertex ones;
    constexpr float kOne = 1.0f;
    for (std::size_t n = 0; n < sizeof ones; n += sizeof kOne)
      std::memcpy(reinterpret_cast<std::byte*>(&ones) + n, &kOne, sizeof kOne);
    found->vertices.resize(count + DrawBindings::kSpareResults, ones);
  }
  return found->vertices;
}

// Runs the vertex program over vertices base + t, or those that indices_ numbers.
Result<Report> PipelineState::shade(const Engine& engine, std::uint64_t base, std::uint64_t count,
                                    std::byte* results, std::size_t result_stride,
                                    const RunOptions& options) {
  const std::uint32_t* numbers = nullptr;
  std::uint64_t whole_rows = 0;
  if (draw_.facts.numbered) {
    const std::span<const std::uint32_t> list = indices_.numbers();
    numbers = list.data();
    whole_rows = list[count - 1] < whole_vertices_
                     ? list.size()
                     : static_cast<std::uint64_t>(
                           std::lower_bound(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count),
                                            whole_vertices_) -
                           list.begin());
  } else {
    whole_rows = whole_vertices_ - std::min(whole_vertices_, base);
  }

  Current& current = find_current();
  update_values(*current.launch);
  LaunchState& state = current.launch->launch.state();
  state.draw.numbers = numbers;
  state.draw.whole_rows = whole_rows;
  for (unsigned k = 0; k < draw_.facts.row_count; ++k)
    state.draw.rows[k].data = draw_.rows[k].data + base * draw_.rows[k].stride;
  state.draw.results = results;
  state.draw.result_stride = result_stride;
  state.count = count;
  return run_current(current, engine, options);
}

// Vertices as shade() has them, through both units. `indexed`: the draw's are indices_.remapped() of them.
Result<DrawResult> PipelineState::run(const Engine& engine, std::uint64_t base, std::uint64_t count,
                                      bool indexed, const RunOptions& options) {
  if (!registers.geometry_on()) {
    std::vector<Vertex>& results = find_results(count);
    DrawResult result;
    WARPJIT_TRY(result.report, shade(engine, base, count, reinterpret_cast<std::byte*>(results.data()),
                                     sizeof(Vertex), options));
    result.vertices = {results.data(), count};
    if (indexed) result.indices = indices_.remapped();
    return result;
  }
  const std::size_t stride = geometry_input_.attributes * kRowBytes;
  const std::size_t needed = (count + DrawBindings::kSpareResults) * stride;
  if (attribute_rows_.size() < needed) attribute_rows_.resize(needed);
  WARPJIT_TRY(const Report shaded, shade(engine, base, count, attribute_rows_.data(), stride, options));
  GeometryStage::Vertices vertices;
  vertices.rows = attribute_rows_.data();
  vertices.attributes = geometry_input_.attributes;
  vertices.count = indexed ? indices_.remapped().size() : count;
  if (indexed) vertices.order = indices_.remapped();
  vertices.sizes = sizes_;
  WARPJIT_TRY(DrawResult result,
              geometry_stage_.run(engine, registers, *geometry_.program, geometry_input_, vertices, options));
  result.report.run_time += shaded.run_time;
  return result;
}

// What every draw says in addition; the next one begins.
DrawResult PipelineState::finish(DrawResult result) {
  result.topology = registers.topology();
  const bool assembled = result.topology == Topology::strip || result.topology == Topology::fan;
  result.triangles = registers.geometry_on() && !(geometry_topology && assembled);
  result.restarted = registers.restarted;
  result.topology_written = registers.topology_written;
  registers.restarted = registers.topology_written = false;
  return result;
}

Result<DrawResult> PipelineState::draw(const Engine& engine, std::uint32_t first, std::size_t count,
                                       const RunOptions& options) {
  attributes.update(registers);
  WARPJIT_TRY(const DrawResult result, draw_range(engine, first, count, options));
  return finish(result);
}

Result<DrawResult> PipelineState::draw_range(const Engine& engine, std::uint32_t first, std::size_t count,
                                             const RunOptions& options) {
  if (count > kMaxDrawVertices)
    return Error{ErrorCode::resource_limit, std::to_string(count) + " vertices in one draw", "draw"};
  shaded_ = {first, count, false};
  if (count == 0) return DrawResult();
  bool held = true;
  if (Status laid_out = prepare(); !laid_out) {
    if (!may_read_zero(laid_out)) return laid_out.error();
    held = false;
  }
  if (registers.geometry_on() && geometry_input_.mode == PrimitiveMode::variable)
    return bad_input("primitives of variable size need indices", "register 0x252");
  if (held) {
    if (Status status = check_arrays(first, std::uint64_t{first} + count - 1); !status) {
      if (!may_read_zero(status)) return status.error();
      held = false;
    }
  }
  if (!held) return draw_copied(engine, options);
  draw_.facts.numbered = false;
  return run(engine, first, count, false, options);
}

template <class Index>
Result<DrawResult> PipelineState::draw_indexed(const Engine& engine, std::span<const Index> indices,
                                               const RunOptions& options) {
  attributes.update(registers);
  if (indices.size() > kMaxDrawVertices)
    return Error{ErrorCode::resource_limit, std::to_string(indices.size()) + " indices in one draw", "draw"};
  shaded_ = {};
  if (indices.empty()) return finish({});
  bool held = true;
  if (Status laid_out = prepare(); !laid_out) {
    if (!may_read_zero(laid_out)) return laid_out.error();
    held = false;
  }
  sizes_.clear();
  if (registers.geometry_on() && geometry_input_.mode == PrimitiveMode::variable) {
    WARPJIT_CHECK(split_primitives(indices));
    WARPJIT_TRY(const DrawResult result,
                draw_listed(engine, std::span<const std::uint16_t>(listed_), held, options));
    return finish(result);
  }
  WARPJIT_TRY(const DrawResult result, draw_listed(engine, indices, held, options));
  return finish(result);
}

// Indices in variable mode: each primitive's number of vertices, then those.
template <class Index>
Status PipelineState::split_primitives(std::span<const Index> indices) {
  listed_.clear();
  for (std::size_t at = 0; at < indices.size(); at += 1 + std::size_t{indices[at]}) {
    const std::size_t count = indices[at];
    if (count == 0 || count > indices.size() - at - 1)
      return bad_input("a primitive of " + std::to_string(count) + " vertices cannot be",
                       "index " + std::to_string(at));
    if (geometry_input_.variable_rows(count) > kFloatUniforms)
      return bad_input(
          "a primitive of " + std::to_string(count) + " vertices does not fit the 96 float uniforms",
          "index " + std::to_string(at));
    sizes_.push_back(static_cast<std::uint8_t>(count));
    listed_.insert(listed_.end(), indices.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                   indices.begin() + static_cast<std::ptrdiff_t>(at + 1 + count));
  }
  return {};
}

template <class Index>
Result<DrawResult> PipelineState::draw_listed(const Engine& engine, std::span<const Index> indices, bool held,
                                              const RunOptions& options) {
  indices_.build(indices);
  shaded_ = {indices_.first(), indices_.count(), true};
  if (!held) return draw_copied(engine, options);
  if (Status status = check_arrays(indices_.first(), indices_.last()); !status) {
    if (may_read_zero(status)) return draw_copied(engine, options);
    // The error names an index that occurs in the buffer.
    const auto at = std::find_if(indices.begin(), indices.end(), [&](Index index) {
      for (std::size_t k = 0; k < input_count_; ++k)
        if (!holds(inputs_[k].array, index)) return true;
      return false;
    });
    if (at == indices.end()) return status.error();
    return outside_error("index " + std::to_string(at - indices.begin()) + ", vertex " + std::to_string(*at) +
                             ", does not lie in the attribute's array",
                         status.error().where);
  }
  // Without gaps, vertices are fetched in order, as for a draw without indices.
  draw_.facts.numbered = !indices_.dense() && draw_.facts.row_count != 0;
  return run(engine, draw_.facts.numbered ? 0 : indices_.first(), indices_.count(), true, options);
}

template Result<DrawResult> PipelineState::draw_indexed(const Engine&, std::span<const std::uint8_t>,
                                                        const RunOptions&);
template Result<DrawResult> PipelineState::draw_indexed(const Engine&, std::span<const std::uint16_t>,
                                                        const RunOptions&);

}  // namespace warpjit::pica200
