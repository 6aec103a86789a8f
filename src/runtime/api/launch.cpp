// Launch: the public handle.
#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "base/result.h"
#include "runtime/api/kinds.h"
#include "runtime/work/launch.h"
#include "runtime/work/pixel_checks.h"
#include "runtime/work/primitives.h"

namespace warpjit {
using runtime::LaunchState;

namespace {

// An error if a word exceeds what the register takes.
Status check_limit(std::span<const std::uint32_t> words, const LaunchState& state, const Location& location) {
  const std::uint32_t limit = state.shader->declarations().largest_word(location);
  for (const std::uint32_t word : words)
    if (word > limit)
      return Error{ErrorCode::bad_input,
                   std::to_string(word) + " is above the largest value, " + std::to_string(limit),
                   state.shader->register_name(location)};
  return {};
}

}  // namespace

Launch::Launch(Program program) : program_(std::move(program)), state_(make_or_null<State>(program_)) {}
Launch::Launch(const Launch& other) : program_(other.program_) {
  if (other.state_) state_ = make_or_null<State>(static_cast<const runtime::LaunchData&>(*other.state_));
}
Launch& Launch::operator=(const Launch& other) {
  if (this != &other) *this = Launch(other);
  return *this;
}
Launch::Launch(Launch&&) noexcept = default;
Launch& Launch::operator=(Launch&&) noexcept = default;
Launch::~Launch() = default;

const Program& Launch::program() const { return program_; }
Status Launch::status() const { return state_ ? Status() : no_memory(); }
Launch::State& Launch::state() const {
  if (!state_) throw std::bad_alloc();  // the call gives it as its status
  return *state_;
}

Status Launch::set_uniform(const Location& location, std::span<const float> values) try {
  return state().set_words(location, LocationKind::float_uniform, values.data(), values.size());
} catch (...) {
  return caught();
}
Status Launch::set_bits(const Location& location, std::span<const std::uint32_t> words) try {
  return state().set_words(location, LocationKind::float_uniform, words.data(), words.size());
} catch (...) {
  return caught();
}
Status Launch::set_int(const Location& location, std::span<const std::uint32_t> values) try {
  if (Status status = check_limit(values, state(), location); !status) return status;
  return state().set_words(location, LocationKind::int_uniform, values.data(), values.size());
} catch (...) {
  return caught();
}
Status Launch::set_bool(const Location& location, bool value) try {
  if (location.kind != LocationKind::bool_uniform || location.first >= 64)
    return Error{ErrorCode::bad_input, "this register takes other values",
                 state().shader->register_name(location)};
  const std::uint64_t bit = std::uint64_t{1} << location.first;
  state().values.bools = value ? state().values.bools | bit : state().values.bools & ~bit;
  ++state().values_generation;
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_state(const Location& location, std::span<const std::uint32_t> words) try {
  if (location.kind == LocationKind::state)
    if (Status status = check_limit(words, state(), location); !status) return status;
  if (Status status = state().set_words(location, LocationKind::state, words.data(), words.size()); !status)
    return status;
  const std::size_t touched = (words.size() + location.components - 1) / location.components;
  for (std::size_t n = 0; n < touched && location.first + n < 64; ++n) {
    const std::uint64_t bit = std::uint64_t{1} << (location.first + n);
    if ((state().values.state_given & bit) == 0) ++state().facts_generation;
    state().values.state_given |= bit;
  }
  return {};
} catch (...) {
  return caught();
}
Status Launch::bind_input(const Location& location, const Attribute& attribute) try {
  WARPJIT_CHECK(check_kind(state(), "bind_input", kRows | kPrimitives));
  return state().bind(location, attribute);
} catch (...) {
  return caught();
}
Status Launch::bind_output(const Location& location, const OutputBuffer& buffer) try {
  WARPJIT_CHECK(check_kind(state(), "bind_output", kRows | kPrimitives));
  return state().bind(location, buffer);
} catch (...) {
  return caught();
}

Status Launch::set_uniform(std::string_view name, std::span<const float> values) try {
  WARPJIT_TRY(const Location location, program().uniform(name));
  return set_uniform(location, values);
} catch (...) {
  return caught();
}
Status Launch::set_bits(std::string_view name, std::span<const std::uint32_t> words) try {
  WARPJIT_TRY(const Location location, program().uniform(name));
  return set_bits(location, words);
} catch (...) {
  return caught();
}
Status Launch::set_int(std::string_view name, std::span<const std::uint32_t> values) try {
  WARPJIT_TRY(const Location location, program().uniform(name));
  return set_int(location, values);
} catch (...) {
  return caught();
}
Status Launch::set_bool(std::string_view name, bool value) try {
  WARPJIT_TRY(const Location location, program().uniform(name));
  return set_bool(location, value);
} catch (...) {
  return caught();
}
Status Launch::set_state(std::string_view name, std::span<const std::uint32_t> words) try {
  WARPJIT_TRY(const Location location, program().state(name));
  return set_state(location, words);
} catch (...) {
  return caught();
}
Status Launch::bind_input(std::string_view name, const Attribute& attribute) try {
  WARPJIT_TRY(const Location location, program().input(name));
  return bind_input(location, attribute);
} catch (...) {
  return caught();
}
Status Launch::bind_output(std::string_view name, const OutputBuffer& buffer) try {
  WARPJIT_TRY(const Location location, program().output(name));
  return bind_output(location, buffer);
} catch (...) {
  return caught();
}

namespace {

Status set_pixel_vertices(LaunchState& state, const runtime::LaunchData& from, std::uint64_t outputs) {
  if (from.work() != Work::rows || from.shader->varyings().result_slots == 0)
    return Error{ErrorCode::bad_input, "a vertex stage is a program whose outputs are slots of vertices",
                 from.shader->source_name()};
  if (outputs != 0)
    return Error{ErrorCode::bad_input, "all slots of the vertex stage come to the rasterizer",
                 from.shader->source_name()};
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(state));
  pixels->vertex = std::make_shared<const runtime::LaunchData>(from);
  pixels->vertices = {};
  state.keep_vertices(nullptr);
  return {};
}

}  // namespace

Status Launch::set_instances(std::uint32_t count) try {
  if (kind_of(state()) == kFetching) {
    change_grid(state(), true).grid[1] = count;
    return {};
  }
  WARPJIT_CHECK(check_kind(state(), "set_instances", kFetching | kPixels));
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(state()));
  if (pixels->instances != count) state().keep_vertices(nullptr);
  pixels->instances = count;
  return {};
} catch (...) {
  return caught();
}

Status Launch::set_geometry_input(const GeometryInput& input) try {
  return state().set_geometry_input(input);
} catch (...) {
  return caught();
}
const GeometryInput& Launch::geometry_input() const {
  static const GeometryInput kNone;
  return state_ && state_->primitives ? state_->primitives->input : kNone;
}
Status Launch::set_vertex_stage(const Launch& vertex, std::uint64_t outputs) try {
  const runtime::LaunchData& from = vertex.state();
  if (state().pixels) return set_pixel_vertices(state(), from, outputs);
  if (!state().primitives || from.primitives)
    return Error{ErrorCode::bad_input, "a vertex stage is a vertex program's and feeds a geometry program",
                 state().shader->source_name()};
  const std::uint64_t attributes = outputs != 0 ? outputs : from.shader->declarations().enabled_outputs;
  if (attributes == 0 || (attributes & ~state().shader->declarations().vertex_outputs) != 0)
    return Error{ErrorCode::bad_input, "the vertex stage has no outputs, or some that do not exist",
                 from.shader->source_name()};
  state().primitives->vertex = std::make_shared<const runtime::LaunchData>(from);
  state().primitives->attributes = attributes;
  ++state().facts_generation;
  ++state().bindings_generation;
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_primitives(std::span<const std::uint32_t> list) try {
  if (!state().primitives)
    return Error{ErrorCode::bad_input, "this is not a geometry program", state().shader->source_name()};
  if (Status status = runtime::check_primitive_list(list); !status) return status;
  state().primitives->list.assign(list.begin(), list.end());
  ++state().facts_generation;
  ++state().bindings_generation;
  return {};
} catch (...) {
  return caught();
}
Status Launch::bind_triangles(const TriangleBuffer& buffer) try {
  if (!state().primitives)
    return Error{ErrorCode::bad_input, "this is not a geometry program", state().shader->source_name()};
  TriangleBuffer& bound = state().primitives->triangles;
  if ((bound.vertices == nullptr) != (buffer.vertices == nullptr)) ++state().facts_generation;
  bound = buffer;
  return {};
} catch (...) {
  return caught();
}
Status Launch::bind_unit(std::span<std::uint32_t> words) try {
  if (!state().primitives)
    return Error{ErrorCode::bad_input, "this is not a geometry program", state().shader->source_name()};
  const std::size_t wanted = program().unit_words();
  if (!words.empty() && words.size() != wanted)
    return Error{ErrorCode::bad_input,
                 "the state of the geometry unit has " + std::to_string(wanted) + " words, not " +
                     std::to_string(words.size()),
                 state().shader->source_name()};
  std::span<std::uint32_t>& bound = state().primitives->unit;
  if (bound.empty() != words.empty()) ++state().facts_generation;
  bound = words;
  return {};
} catch (...) {
  return caught();
}

void Launch::unbind_inputs() {
  if (!state_) return;
  if (state().bound_inputs != 0) ++state().facts_generation;
  state().bound_inputs = 0;
  ++state().bindings_generation;
}
void Launch::unbind_outputs() {
  if (!state_) return;
  if (state().output_count != 0) ++state().facts_generation;
  state().output_count = 0;
  ++state().bindings_generation;
}

namespace {

// Bytes of constants that a launch without a grid copies, of one space.
constexpr std::size_t kMostConstantBytes = 1 << 16;

}  // namespace

Status Launch::set_grid(std::uint32_t x, std::uint32_t y, std::uint32_t z) try {
  WARPJIT_CHECK(check_kind(state(), "set_grid", kCompute));
  change_grid(state(), false).grid = {x, y, z};
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_block(std::uint32_t x, std::uint32_t y, std::uint32_t z) try {
  WARPJIT_CHECK(check_kind(state(), "set_block", kCompute));
  const std::array<std::uint32_t, 3> block{x, y, z};
  change_grid(state(), block != state().values.grid.block).block = block;
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_first_block(std::uint32_t x, std::uint32_t y, std::uint32_t z) try {
  WARPJIT_CHECK(check_kind(state(), "set_first_block", kCompute));
  if (state().shader->isa() == Isa::tesla)
    return Error{ErrorCode::bad_input, "set_first_block: the first block of Tesla's grids has the number 0",
                 state().shader->source_name()};
  change_grid(state(), true).first_block = {x, y, z};
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_shared_bytes(std::uint32_t bytes) try {
  WARPJIT_CHECK(check_kind(state(), "set_shared_bytes", kCompute));
  change_grid(state(), true).shared_bytes = bytes;
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_parameters(std::span<const std::byte> bytes) try {
  if (!state().shader->traits().memory.parameters)
    return Error{ErrorCode::bad_input,
                 std::string("there are no parameters in a ") + name(state().shader->stage()) +
                     " program of " + name(state().shader->isa()),
                 state().shader->source_name()};
  const bool resized = bytes.size() != state().values.grid.parameters.size();
  change_grid(state(), resized).parameters.assign(bytes.begin(), bytes.end());
  return {};
} catch (...) {
  return caught();
}

Status Launch::bind_constants(std::string_view space, const void* data, std::size_t size) try {
  WARPJIT_TRY(const frontend::SpaceName found, frontend::find_space(*state().shader, space));
  if (!found.constant)
    return Error{ErrorCode::bad_input, "this space is not constant: map_memory maps pieces of it",
                 std::string(space)};
  auto& bound = state().values.grid.constants[found.index];
  if (!state().shader->traits().runs_on_grid) {
    if (data == nullptr && size != 0) return Error{ErrorCode::bad_input, "no data", std::string(space)};
    if (size > kMostConstantBytes)
      return Error{ErrorCode::bad_input,
                   "a constant space has at most " + std::to_string(kMostConstantBytes) + " bytes",
                   std::string(space)};
    const auto* from = static_cast<const std::byte*>(data);
    const auto copy = std::make_shared<const std::vector<std::byte>>(from, from + size);
    state().constants[found.index] = copy;
    const bool facts = bound.size() != size || state().shader->traits().memory.code_addresses;
    change_grid(state(), facts).constants[found.index] = *copy;
    return {};
  }
  change_grid(state(), bound.size() != size);
  bound = {static_cast<const std::byte*>(data), size};
  return {};
} catch (...) {
  return caught();
}

Status Launch::map_memory(std::string_view space, std::uint64_t address, void* data, std::size_t size) try {
  WARPJIT_TRY(const frontend::SpaceName found, frontend::find_space(*state().shader, space));
  if (found.constant)
    return Error{ErrorCode::bad_input, "this space is constant: bind_constants binds it as a whole",
                 std::string(space)};
  if ((kind_of(state()) & (kCompute | kFetching | kPixels)) == 0 && !state().shader->traits().memory.rows)
    return Error{ErrorCode::unsupported,
                 "memory for vertex and geometry programs, which have constants alone", std::string(space)};
  const auto high = static_cast<std::uint32_t>(address >> 32), low = static_cast<std::uint32_t>(address);
  if (high != 0 && found.high_words == 0)
    return Error{ErrorCode::bad_input, "addresses of this guest have 32 bits", std::string(space)};
  const std::vector<std::uint32_t>& high_words = state().values.grid.high_words;
  const bool new_window = found.high_words != 0 && std::ranges::find(high_words, high) == high_words.end();
  if (new_window && high_words.size() == found.high_words)
    return Error{ErrorCode::bad_input,
                 "memory is mapped at " + std::to_string(found.high_words) +
                     " high words of addresses, and no launch has more",
                 std::string(space)};
  const bool facts =
      new_window || !state().values.grid.vertices.attributes.empty() || !state().values.grid.images.empty();
  frontend::Grid& grid = change_grid(state(), facts);
  if (new_window) grid.high_words.push_back(high);
  const auto window = found.high_words == 0
                          ? std::ptrdiff_t{found.index}
                          : std::ranges::find(grid.high_words, high) - grid.high_words.begin();
  auto& ranges = grid.globals[static_cast<std::size_t>(window)];
  const auto next =
      std::ranges::find_if(ranges, [&](const frontend::MappedRange& range) { return range.address > low; });
  ranges.insert(next, {low, {static_cast<std::byte*>(data), size}});
  state().many_ranges = state().many_ranges || ranges.size() > 1;
  return {};
} catch (...) {
  return caught();
}

void Launch::unmap_memory() {
  if (!state_) return;
  frontend::Grid& grid = change_grid(state(), true);
  grid.constants = {};
  state().constants = {};
  for (auto& ranges : grid.globals) ranges.clear();
  state().many_ranges = false;
  grid.high_words.clear();
}

Status Launch::set_first_vertex(std::uint32_t vertex, std::uint32_t instance) try {
  WARPJIT_CHECK(check_kind(state(), "set_first_vertex", kFetching));
  frontend::Vertices& vertices = change_grid(state(), true).vertices;
  vertices.first = vertex;
  vertices.first_instance = instance;
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_attributes(std::span<const AttributeSource> attributes,
                              std::uint32_t attribute_offset) try {
  WARPJIT_CHECK(check_kind(state(), "set_attributes", kFetching));
  frontend::Vertices& vertices = change_grid(state(), true).vertices;
  vertices.attributes.assign(attributes.begin(), attributes.end());
  vertices.attribute_offset = attribute_offset;
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_images(std::span<const ImageSource> images) try {
  if (!state().shader->traits().memory.tables)
    return Error{ErrorCode::bad_input, "images are given, but programs of this GPU have none",
                 state().shader->source_name()};
  frontend::Grid& grid = change_grid(state(), true);
  grid.images.assign(images.begin(), images.end());
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_buffers(std::span<const BufferSource> buffers) try {
  if (!state().shader->traits().memory.tables)
    return Error{ErrorCode::bad_input, "buffers are given, but programs of this GPU have no tables of them",
                 state().shader->source_name()};
  frontend::Grid& grid = change_grid(state(), true);
  grid.buffers.assign(buffers.begin(), buffers.end());
  return {};
} catch (...) {
  return caught();
}
Status Launch::map_results(void* data, std::size_t size, std::uint32_t packet_stride) try {
  WARPJIT_CHECK(check_kind(state(), "map_results", kFetching));
  frontend::Grid& grid = change_grid(state(), true);
  grid.vertices.packet_stride = packet_stride;
  grid.globals[frontend::Vertices::kResultSpace] = {{0, {static_cast<std::byte*>(data), size}}};
  return {};
} catch (...) {
  return caught();
}

namespace {

// A program that fetches has vertices of an instance as blocks of the grid, and instances as its rows.
Status set_fetched_count(LaunchState& state, std::uint64_t count) {
  if (count > std::numeric_limits<std::uint32_t>::max())
    return Error{ErrorCode::bad_input,
                 "an instance has at most 2^32 - 1 vertices, not " + std::to_string(count),
                 state.shader->source_name()};
  constexpr std::uint32_t kOfBlock = frontend::Vertices::kOfBlock;
  frontend::Grid& grid = change_grid(state, true);
  grid.block = {kOfBlock, 1, 1};
  grid.grid[0] = static_cast<std::uint32_t>((count + kOfBlock - 1) / kOfBlock);
  grid.vertices.count = static_cast<std::uint32_t>(count);
  return {};
}

}  // namespace

Status Launch::set_count(std::uint64_t count) try {
  const Kinds kind = kind_of(state());
  WARPJIT_CHECK(check_kind(state(), "set_count", kRows | kPrimitives | kFetching | kPixels));
  if (kind == kFetching) WARPJIT_CHECK(set_fetched_count(state(), count));
  state().count = count;
  ++state().bindings_generation;
  return {};
} catch (...) {
  return caught();
}
std::uint64_t Launch::count() const { return state_ ? state_->count : 0; }
void Launch::set_fuel(std::uint64_t fuel) {
  if (state_) state_->fuel = state_->values.grid.fuel = fuel;
}
std::uint64_t Launch::fuel() const { return state_ ? state_->fuel : 0; }
Status Launch::set_allow_overlap(bool allow) try {
  WARPJIT_CHECK(check_kind(state(), "set_allow_overlap", kRows | kPrimitives));
  state().allow_overlap = allow;
  ++state().bindings_generation;
  return {};
} catch (...) {
  return caught();
}

}  // namespace warpjit
