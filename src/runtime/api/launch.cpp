// Launch: the public handle.
#include <algorithm>

#include "runtime/work/launch.h"
#include "runtime/work/primitives.h"

namespace warpjit {
using runtime::LaunchState;

namespace {

// Does any of the words exceed what the register takes?
Status check_limit(std::span<const std::uint32_t> words, const LaunchState& state, const Location& location) {
  const std::uint32_t limit = state.shader->largest_word(location);
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
  if (Status status = check_limit(values, *state_, location); !status) return status;
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
  if (location.kind == LocationKind::state)
    if (Status status = check_limit(words, *state_, location); !status) return status;
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
  if (attributes == 0 || (attributes & ~state_->shader->primitive_limits().vertex_outputs) != 0)
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
Status Launch::bind_unit(std::span<std::uint32_t> words) {
  if (!state_->primitives)
    return Error{ErrorCode::bad_input, "this is not a geometry program", state_->shader->source_name()};
  const std::size_t wanted = program().unit_words();
  if (!words.empty() && words.size() != wanted)
    return Error{ErrorCode::bad_input,
                 "the state of the geometry unit has " + std::to_string(wanted) + " words, not " +
                     std::to_string(words.size()),
                 state_->shader->source_name()};
  std::span<std::uint32_t>& bound = state_->primitives->unit;
  if (bound.empty() != words.empty()) ++state_->facts_generation;
  bound = words;
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

namespace {

// The grid, to be changed. `facts`: what changes may decide the translation.
frontend::Grid& change_grid(LaunchState& state, bool facts) {
  state.given |= LaunchState::kGrid;
  ++state.bindings_generation;
  ++state.values_generation;
  if (facts) ++state.facts_generation;
  return state.values.grid;
}

}  // namespace

void Launch::set_grid(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  change_grid(*state_, false).grid = {x, y, z};
}
void Launch::set_block(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  const std::array<std::uint32_t, 3> block{x, y, z};
  change_grid(*state_, block != state_->values.grid.block).block = block;
}
void Launch::set_parameters(std::span<const std::byte> bytes) {
  const bool resized = bytes.size() != state_->values.grid.parameters.size();
  change_grid(*state_, resized).parameters.assign(bytes.begin(), bytes.end());
}
void Launch::set_shared_bytes(std::uint32_t bytes) { change_grid(*state_, true).shared_bytes = bytes; }

Status Launch::bind_constants(std::string_view space, const void* data, std::size_t size) {
  WARPJIT_TRY(const frontend::SpaceName found, state_->shader->find_space(space));
  if (!found.constant)
    return Error{ErrorCode::bad_input, "this space is not constant: map_memory maps pieces of it",
                 std::string(space)};
  auto& bound = state_->values.grid.constants[found.index];
  change_grid(*state_, bound.size() != size);
  bound = {static_cast<const std::byte*>(data), size};
  return {};
}

Status Launch::map_memory(std::string_view space, std::uint64_t address, void* data, std::size_t size) {
  WARPJIT_TRY(const frontend::SpaceName found, state_->shader->find_space(space));
  if (found.constant)
    return Error{ErrorCode::bad_input, "this space is constant: bind_constants binds it as a whole",
                 std::string(space)};
  if (address >> 32 != 0)
    return Error{ErrorCode::bad_input, "addresses of this guest have 32 bits", std::string(space)};
  auto& ranges = change_grid(*state_, false).globals[found.index];
  const auto behind = std::ranges::find_if(
      ranges, [&](const frontend::MappedRange& range) { return range.address > address; });
  ranges.insert(behind, {static_cast<std::uint32_t>(address), {static_cast<std::byte*>(data), size}});
  return {};
}

void Launch::unmap_memory() {
  frontend::Grid& grid = change_grid(*state_, true);
  grid.constants = {};
  for (auto& ranges : grid.globals) ranges.clear();
}

void Launch::set_count(std::uint64_t count) {
  state_->count = count;
  state_->given |= LaunchState::kCount;
  ++state_->bindings_generation;
}
std::uint64_t Launch::count() const { return state_->count; }
void Launch::set_fuel(std::uint64_t fuel) { state_->fuel = state_->values.grid.fuel = fuel; }
std::uint64_t Launch::fuel() const { return state_->fuel; }
void Launch::set_allow_overlap(bool allow) {
  state_->allow_overlap = allow;
  if (allow) state_->given |= LaunchState::kOverlap;
  ++state_->bindings_generation;
}

}  // namespace warpjit
