#include "runtime/launch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/primitives.h"

namespace warpjit {
namespace runtime {
namespace {

RowSpan span_of(const Attribute& a) {
  return {reinterpret_cast<std::uintptr_t>(a.data), a.size, a.stride, size(a.format)};
}
RowSpan span_of(const OutputBuffer& b) {
  return {reinterpret_cast<std::uintptr_t>(b.data), b.size, b.stride, size(b.format)};
}

}  // namespace

LaunchData::LaunchData(Program with)
    : program(std::move(with)), shader(program.shader().get()), usage(shader->usage()) {
  shader->reset(values);
  if (shader->stage() != Stage::geometry) return;
  primitives.emplace();
  primitives->input = shader->geometry_input();
}

Status LaunchData::set_words(const Location& location, LocationKind kind, const void* words,
                             std::size_t count) {
  const auto where = [&] { return shader->register_name(location); };
  if (location.kind != kind) return Error{ErrorCode::bad_input, "this register takes other values", where()};
  const std::size_t room = std::size_t{location.count} * location.components;
  if (count > room || location.word + count > values.words.size())
    return Error{ErrorCode::bad_input,
                 std::to_string(count) + " values given, there is room for " + std::to_string(room), where()};
  if (count != 0) std::memcpy(values.words.data() + location.word, words, count * sizeof(std::uint32_t));
  ++values_generation;
  return {};
}

Status LaunchData::bind(const Location& location, const Attribute& attribute) {
  if (location.kind != LocationKind::input || location.first >= inputs.size())
    return Error{ErrorCode::bad_input, "this is not an input", shader->register_name(location)};
  const LoadRows load = load_rows(attribute.format);
  if (load == nullptr)
    return Error{ErrorCode::bad_input, "inputs cannot have the format " + name(attribute.format),
                 shader->register_name(location)};
  inputs[location.first] = {attribute, load};
  const std::uint64_t bit = std::uint64_t{1} << location.first;
  if ((bound_inputs & bit) == 0) ++facts_generation;
  bound_inputs |= bit;
  ++bindings_generation;
  return {};
}

Status LaunchData::bind(const Location& location, const OutputBuffer& buffer) {
  if (location.kind != LocationKind::output || location.first >= frontend::kMaxOutputs)
    return Error{ErrorCode::bad_input, "this is not an output", shader->register_name(location)};
  if (primitives && (frontend::kVertexRegisters >> location.first & 1) != 0)
    return Error{ErrorCode::bad_input, "output registers of a geometry program are in its triangles",
                 shader->register_name(location)};
  const StoreRows store = store_rows(buffer.format);
  if (store == nullptr)
    return Error{ErrorCode::bad_input, "outputs cannot have the format " + name(buffer.format),
                 shader->register_name(location)};
  std::uint32_t at = 0;
  while (at < output_count && outputs[at].number != location.first) ++at;
  if (at == output_count) {
    ++output_count;
    ++facts_generation;
  }
  outputs[at] = {buffer, store, static_cast<std::uint8_t>(location.first)};
  ++bindings_generation;
  return {};
}

Status LaunchData::set_geometry_input(const GeometryInput& input) {
  const auto wrong = [&](std::string message) {
    return Error{ErrorCode::bad_input, std::move(message), shader->source_name()};
  };
  if (!primitives) return wrong("this is not a geometry program");
  if (input.mode > PrimitiveMode::fixed) return wrong("there is no such input mode");
  if (input.max_triangles < 1 || input.max_triangles > frontend::kMaxTriangles)
    return wrong("an invocation may emit 1 to " + std::to_string(frontend::kMaxTriangles) + " triangles");
  if ((input.outputs & ~frontend::kVertexRegisters) != 0) return wrong("there is no such output register");
  if (input.first >= frontend::kUniformRows || input.vertices > frontend::kUniformRows ||
      input.full_vertices > frontend::kUniformRows)
    return wrong("there are " + std::to_string(frontend::kUniformRows) + " float uniform registers");
  std::uint64_t seen = 0;
  for (const std::uint8_t reg : input.registers) {
    if (reg >= frontend::kMaxInputs || (seen >> reg & 1) != 0)
      return wrong("input register " + std::to_string(reg) + " does not exist or is listed twice");
    seen |= std::uint64_t{1} << reg;
  }
  primitives->input = input;
  ++facts_generation;
  ++bindings_generation;
  return {};
}

std::uint64_t LaunchData::thread_count() const {
  return primitives && primitives->vertex ? primitive_count(*primitives) : count;
}

std::uint64_t LaunchData::given_inputs() const {
  if (!primitives || !primitives->vertex) return bound_inputs;
  std::uint64_t given = 0;
  if (primitives->input.mode == PrimitiveMode::point)
    for (const std::uint8_t reg : primitives->input.registers) given |= std::uint64_t{1} << reg;
  return given;
}

std::string LaunchState::place(LocationKind kind, unsigned number) const {
  Location location;
  location.kind = kind;
  location.first = static_cast<std::uint16_t>(number);
  return (kind == LocationKind::input ? "input " : "output ") + shader->register_name(location);
}

Status LaunchState::check_bindings() {
  if (draw.facts.active) return {};
  if (checked_generation_.load(std::memory_order_relaxed) == bindings_generation) return {};
  const std::uint64_t threads = thread_count();
  RowSpan in[frontend::kMaxInputs];
  for (std::uint64_t bits = bound_inputs; bits != 0; bits &= bits - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(bits));
    in[number] = span_of(inputs[number].attribute);
    if (!in_bounds(in[number], threads))
      return bounds_error(in[number], threads, place(LocationKind::input, number));
  }
  for (std::uint32_t k = 0; k < output_count; ++k) {
    const RowSpan output = span_of(outputs[k].buffer);
    const auto what = [&](std::uint32_t n) { return place(LocationKind::output, outputs[n].number); };
    if (!in_bounds(output, threads)) return bounds_error(output, threads, what(k));
    if (allow_overlap) continue;
    if (overlaps_itself(output, threads))
      return Error{ErrorCode::bad_input, "rows overlap each other", what(k)};
    for (std::uint32_t other = 0; other < k; ++other)
      if (rows_overlap(output, span_of(outputs[other].buffer), threads))
        return Error{ErrorCode::bad_input, "rows overlap those of " + what(other), what(k)};
    for (std::uint64_t bits = bound_inputs; bits != 0; bits &= bits - 1) {
      const auto number = static_cast<unsigned>(std::countr_zero(bits));
      if (rows_overlap(output, in[number], threads))
        return Error{ErrorCode::bad_input, "rows overlap those of " + place(LocationKind::input, number),
                     what(k)};
    }
  }
  checked_generation_.store(bindings_generation, std::memory_order_relaxed);
  return {};
}

Result<frontend::Facts> LaunchState::facts(std::uint64_t known) const {
  if (draw.facts.active) {
    frontend::Facts facts;
    facts.known_bools = known;
    facts.bools = values.bools & known;
    facts.draw = draw.facts;
    return facts;
  }
  for (const Symbol& symbol : shader->inputs()) {
    WARPJIT_TRY(const Location location, shader->find(LocationKind::input, symbol.reg));
    const unsigned covered = std::min<unsigned>(symbol.count, location.count);
    for (unsigned n = location.first; n < location.first + covered; ++n)
      if ((given_inputs() >> n & 1) == 0)
        return Error{ErrorCode::bad_input, "the declared input '" + symbol.name + "' is not bound",
                     place(LocationKind::input, n)};
  }
  frontend::Facts facts;
  facts.bound_inputs = given_inputs() & usage.inputs;
  facts.known_bools = known;
  facts.bools = values.bools & known;
  facts.state_given = values.state_given;
  facts.output_count = output_count;
  for (std::uint32_t k = 0; k < output_count; ++k) facts.outputs[k] = outputs[k].number;
  if (primitives) facts.primitives = primitive_facts(*primitives);
  return facts;
}

}  // namespace runtime

using runtime::LaunchState;

namespace {

// Does any of the words exceed `limit`?
Status check_limit(std::span<const std::uint32_t> words, std::uint32_t limit, const LaunchState& state,
                   const Location& location) {
  for (const std::uint32_t word : words)
    if (word > limit)
      return Error{ErrorCode::bad_input,
                   std::to_string(word) + " is above the largest value, " + std::to_string(limit),
                   state.shader->register_name(location)};
  return {};
}

}  // namespace

Launch::Launch(Program program) : state_(std::make_unique<LaunchState>(std::move(program))) {}
Launch::Launch(const Launch& other)
    : state_(std::make_unique<LaunchState>(static_cast<const runtime::LaunchData&>(*other.state_))) {}
Launch& Launch::operator=(const Launch& other) {
  if (this != &other) *this = Launch(other);
  return *this;
}
Launch::Launch(Launch&&) noexcept = default;
Launch& Launch::operator=(Launch&&) noexcept = default;
Launch::~Launch() = default;

const Program& Launch::program() const { return state_->program; }

Status Launch::set_uniform(const Location& location, std::span<const float> values) {
  return state_->set_words(location, LocationKind::float_uniform, values.data(), values.size());
}
Status Launch::set_bits(const Location& location, std::span<const std::uint32_t> words) {
  return state_->set_words(location, LocationKind::float_uniform, words.data(), words.size());
}
Status Launch::set_int(const Location& location, std::span<const std::uint32_t> values) {
  if (Status status = check_limit(values, 255, *state_, location); !status) return status;
  return state_->set_words(location, LocationKind::int_uniform, values.data(), values.size());
}
Status Launch::set_bool(const Location& location, bool value) {
  if (location.kind != LocationKind::bool_uniform || location.first >= 64)
    return Error{ErrorCode::bad_input, "this register takes other values",
                 state_->shader->register_name(location)};
  const std::uint64_t bit = std::uint64_t{1} << location.first;
  state_->values.bools = value ? state_->values.bools | bit : state_->values.bools & ~bit;
  ++state_->values_generation;
  return {};
}
Status Launch::set_state(const Location& location, std::span<const std::uint32_t> words) {
  if (location.kind == LocationKind::state && state_->shader->register_name(location) == "cmp")
    if (Status status = check_limit(words, 1, *state_, location); !status) return status;
  if (Status status = state_->set_words(location, LocationKind::state, words.data(), words.size()); !status)
    return status;
  const std::size_t touched = (words.size() + location.components - 1) / location.components;
  for (std::size_t n = 0; n < touched && location.first + n < 64; ++n) {
    const std::uint64_t bit = std::uint64_t{1} << (location.first + n);
    if ((state_->values.state_given & bit) == 0) ++state_->facts_generation;
    state_->values.state_given |= bit;
  }
  return {};
}
Status Launch::bind_input(const Location& location, const Attribute& attribute) {
  return state_->bind(location, attribute);
}
Status Launch::bind_output(const Location& location, const OutputBuffer& buffer) {
  return state_->bind(location, buffer);
}

Status Launch::set_uniform(std::string_view name, std::span<const float> values) {
  WARPJIT_TRY(const Location location, program().uniform(name));
  return set_uniform(location, values);
}
Status Launch::set_bits(std::string_view name, std::span<const std::uint32_t> words) {
  WARPJIT_TRY(const Location location, program().uniform(name));
  return set_bits(location, words);
}
Status Launch::set_int(std::string_view name, std::span<const std::uint32_t> values) {
  WARPJIT_TRY(const Location location, program().uniform(name));
  return set_int(location, values);
}
Status Launch::set_bool(std::string_view name, bool value) {
  WARPJIT_TRY(const Location location, program().uniform(name));
  return set_bool(location, value);
}
Status Launch::set_state(std::string_view name, std::span<const std::uint32_t> words) {
  WARPJIT_TRY(const Location location, program().state(name));
  return set_state(location, words);
}
Status Launch::bind_input(std::string_view name, const Attribute& attribute) {
  WARPJIT_TRY(const Location location, program().input(name));
  return bind_input(location, attribute);
}
Status Launch::bind_output(std::string_view name, const OutputBuffer& buffer) {
  WARPJIT_TRY(const Location location, program().output(name));
  return bind_output(location, buffer);
}

Status Launch::set_geometry_input(const GeometryInput& input) { return state_->set_geometry_input(input); }
const GeometryInput& Launch::geometry_input() const {
  static const GeometryInput kNone;
  return state_->primitives ? state_->primitives->input : kNone;
}
Status Launch::set_vertex_stage(const Launch& vertex, std::uint64_t outputs) {
  const runtime::LaunchData& from = *vertex.state_;
  if (!state_->primitives || from.primitives)
    return Error{ErrorCode::bad_input, "a vertex stage is a vertex program's and feeds a geometry program",
                 state_->shader->source_name()};
  const std::uint64_t attributes = outputs != 0 ? outputs : from.shader->enabled_outputs();
  if (attributes == 0 || (attributes & ~frontend::kVertexRegisters) != 0)
    return Error{ErrorCode::bad_input, "the vertex stage has no outputs, or some that do not exist",
                 from.shader->source_name()};
  state_->primitives->vertex = std::make_shared<const runtime::LaunchData>(from);
  state_->primitives->attributes = attributes;
  ++state_->facts_generation;
  ++state_->bindings_generation;
  return {};
}
Status Launch::bind_primitives(std::span<const std::uint32_t> list) {
  if (!state_->primitives)
    return Error{ErrorCode::bad_input, "this is not a geometry program", state_->shader->source_name()};
  if (Status status = runtime::check_primitive_list(list); !status) return status;
  state_->primitives->list.assign(list.begin(), list.end());
  ++state_->facts_generation;
  ++state_->bindings_generation;
  return {};
}
Status Launch::bind_triangles(const TriangleBuffer& buffer) {
  if (!state_->primitives)
    return Error{ErrorCode::bad_input, "this is not a geometry program", state_->shader->source_name()};
  TriangleBuffer& bound = state_->primitives->triangles;
  if ((bound.vertices == nullptr) != (buffer.vertices == nullptr)) ++state_->facts_generation;
  bound = buffer;
  return {};
}

void Launch::unbind_inputs() {
  if (state_->bound_inputs != 0) ++state_->facts_generation;
  state_->bound_inputs = 0;
  ++state_->bindings_generation;
}
void Launch::unbind_outputs() {
  if (state_->output_count != 0) ++state_->facts_generation;
  state_->output_count = 0;
  ++state_->bindings_generation;
}

void Launch::set_count(std::uint64_t count) {
  state_->count = count;
  ++state_->bindings_generation;
}
std::uint64_t Launch::count() const { return state_->count; }
void Launch::set_fuel(std::uint64_t fuel) { state_->fuel = fuel; }
std::uint64_t Launch::fuel() const { return state_->fuel; }
void Launch::set_allow_overlap(bool allow) {
  state_->allow_overlap = allow;
  ++state_->bindings_generation;
}

}  // namespace warpjit
