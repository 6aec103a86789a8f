// Launch: the public handle.
#include <algorithm>
#include <limits>
#include <utility>

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

Launch::Launch(Program program) : state_(std::make_unique<State>(std::move(program))) {}
Launch::Launch(const Launch& other)
    : state_(std::make_unique<State>(static_cast<const runtime::LaunchData&>(*other.state_))) {}
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
  WARPJIT_CHECK(check_kind(*state_, "bind_input", kRows | kPrimitives));
  return state_->bind(location, attribute);
}
Status Launch::bind_output(const Location& location, const OutputBuffer& buffer) {
  WARPJIT_CHECK(check_kind(*state_, "bind_output", kRows | kPrimitives));
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

namespace {

// The grid and the memory, to be changed. `facts`: what changes may decide the translation.
frontend::Grid& change_grid(LaunchState& state, bool facts) {
  ++state.bindings_generation;
  ++state.values_generation;
  if (facts) ++state.facts_generation;
  return state.values.grid;
}

// Also of a number that is no format.
std::string format_text(PixelFormat format) {
  return format > kLastPixelFormat ? std::to_string(static_cast<unsigned>(format)) : name(format);
}

// The launch of a fragment program, to be changed.
Result<runtime::LaunchPixels*> change_pixels(LaunchState& state) {
  if (!state.pixels)
    return Error{ErrorCode::bad_input, "this is not a fragment program", state.shader->source_name()};
  ++state.bindings_generation;
  return &*state.pixels;
}

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

// Sets a format among the facts of a launch.
void set_format(LaunchState& state, PixelFormat& format, const TargetBuffer& target) {
  const PixelFormat next = target.data != nullptr ? target.format : PixelFormat::none;
  if (format != next) ++state.facts_generation;
  format = next;
}

}  // namespace

Status Launch::set_raster_state(const RasterState& raster) {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(*state_));
  WARPJIT_CHECK(runtime::check_state(raster));
  if (raster.shade == ShadeModel::flat && state_->shader->isa() != Isa::tesla)
    return Error{ErrorCode::bad_input,
                 "the shade model 'flat' is for slots of colours, which only Tesla's graphics state names: " +
                     std::string(name(state_->shader->isa())) +
                     " programs say themselves which of their inputs are flat",
                 "raster state"};
  const bool was_narrow = pixels->has_narrow_depth();
  pixels->raster = raster;
  if (pixels->has_narrow_depth() != was_narrow) ++state_->facts_generation;
  frontend::PixelValues& values = state_->values.pixels;
  if (values.depth_bounds != raster.depth_bounds || values.positive_is_front != raster.positive_is_front)
    ++state_->values_generation;
  values.depth_bounds = raster.depth_bounds;
  values.positive_is_front = raster.positive_is_front;
  return {};
}
Status Launch::set_output_state(const OutputState& output) {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(*state_));
  WARPJIT_CHECK(runtime::check_state(output));
  OutputState next = output;
  next.colors = pixels->output.colors;
  next.depth_format = pixels->output.depth_format;
  if (!(next == pixels->output)) ++state_->facts_generation;
  pixels->output = next;
  state_->values.pixels.blend_constant = next.blend_constant;
  state_->values.pixels.alpha_reference = next.alpha_reference;
  ++state_->values_generation;
  return {};
}
Status Launch::set_target_size(std::uint32_t width, std::uint32_t height) {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(*state_));
  if (width == 0 || height == 0 || width > kMaxTargetExtent || height > kMaxTargetExtent)
    return Error{ErrorCode::bad_input,
                 "targets have 1 to " + std::to_string(kMaxTargetExtent) + " columns and rows, not " +
                     std::to_string(width) + " x " + std::to_string(height),
                 "target size"};
  pixels->width = state_->values.pixels.width = width;
  pixels->height = state_->values.pixels.height = height;
  ++state_->values_generation;
  return {};
}
Status Launch::bind_color(unsigned number, const TargetBuffer& target) {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(*state_));
  if (number >= kMaxColorTargets)
    return Error{ErrorCode::bad_input, "there are " + std::to_string(kMaxColorTargets) + " colour targets",
                 "colour target " + std::to_string(number)};
  if (target.data != nullptr &&
      (target.format > kLastPixelFormat || target.format == PixelFormat::none || is_depth(target.format)))
    return Error{ErrorCode::bad_input, format_text(target.format) + " is not the format of a colour",
                 "colour target " + std::to_string(number)};
  pixels->colors[number] = target;
  set_format(*state_, pixels->output.colors[number], target);
  return {};
}
Status Launch::bind_depth(const TargetBuffer& target) {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(*state_));
  if (target.data != nullptr && (target.format > kLastPixelFormat || !is_depth(target.format)))
    return Error{ErrorCode::bad_input,
                 format_text(target.format) + " is not a format of depth: d16, d24s8, d32f are",
                 "depth target"};
  pixels->depth = target;
  set_format(*state_, pixels->output.depth_format, target);
  return {};
}
Status Launch::bind_pass_counts(const TargetBuffer& target) {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(*state_));
  if (target.data != nullptr && target.format != PixelFormat::r32ui)
    return Error{ErrorCode::bad_input, format_text(target.format) + " is not the format of counts: r32ui is",
                 "pass counts"};
  pixels->pass_counts = target;
  return {};
}
Status Launch::bind_vertices(const VertexBuffer& vertices) {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(*state_));
  if (vertices.slots < 4 || vertices.slots > 128 || vertices.stride % 4 != 0 || vertices.stride > 1U << 20 ||
      vertices.instance_stride % 4 != 0 || reinterpret_cast<std::uintptr_t>(vertices.data) % 4 != 0)
    return Error{ErrorCode::bad_input,
                 "a vertex has 4 to 128 words, its address and strides are multiples of 4", "vertices"};
  pixels->vertices = vertices;
  pixels->vertex.reset();
  state_->keep_vertices(nullptr);
  return {};
}
Status Launch::set_indices(std::span<const std::uint32_t> indices) {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(*state_));
  pixels->indices = std::make_shared<const std::vector<std::uint32_t>>(indices.begin(), indices.end());
  return {};
}
Status Launch::set_geometry_stage(const Launch& geometry) {
  const runtime::LaunchData& from = *geometry.state_;
  if (!from.shader->varyings().strips)
    return Error{ErrorCode::bad_input, "this is not a geometry program that makes strips for a rasterizer",
                 from.shader->source_name()};
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(*state_));
  if (from.shader->isa() != state_->shader->isa())
    return Error{ErrorCode::bad_input,
                 std::string("a geometry program of ") + name(from.shader->isa()) +
                     " is given for a fragment program of " + name(state_->shader->isa()),
                 from.shader->source_name()};
  pixels->geometry = std::make_shared<const runtime::LaunchData>(from);
  return {};
}
void Launch::unset_geometry_stage() {
  if (auto pixels = change_pixels(*state_)) (*pixels)->geometry.reset();
}
Status Launch::set_instances(std::uint32_t count) {
  if (kind_of(*state_) == kFetching) {
    change_grid(*state_, true).grid[1] = count;
    return {};
  }
  WARPJIT_CHECK(check_kind(*state_, "set_instances", kFetching | kPixels));
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(*state_));
  if (pixels->instances != count) state_->keep_vertices(nullptr);
  pixels->instances = count;
  return {};
}
void Launch::unset_indices() {
  if (auto pixels = change_pixels(*state_)) (*pixels)->indices.reset();
}

namespace {

// The element of a slot; the list becomes as long as that needs.
template <class List>
auto& element_of(List& list, unsigned slot) {
  if (list.size() <= slot) list.resize(slot + 1U);
  return list[slot];
}

// An error for guests whose programs sample nothing.
Status check_samples(const LaunchState& state, const char* call) {
  if (state.shader->isa() != Isa::pica200) return {};
  return Error{ErrorCode::bad_input, std::string(call) + ": programs of pica200 sample no textures",
               state.shader->source_name()};
}

// The textures and samplers of a launch, to be changed.
frontend::BoundTextures& change_textures(LaunchState& state) {
  ++state.values_generation;
  ++state.facts_generation;
  ++state.bindings_generation;
  return state.values.grid.bound;
}

}  // namespace

Status Launch::set_texture(unsigned slot, const Texture& texture) {
  WARPJIT_CHECK(check_samples(*state_, "set_texture"));
  const std::string where = "texture " + std::to_string(slot);
  if (slot >= kMaxTextures)
    return Error{ErrorCode::bad_input, "there are " + std::to_string(kMaxTextures) + " textures", where};
  WARPJIT_TRY(textures::TextureView view, textures::make_view(texture, where));
  element_of(change_textures(*state_).textures, slot) =
      std::make_shared<const textures::TextureView>(std::move(view));
  return {};
}
Status Launch::set_sampler(unsigned slot, const Sampler& sampler) {
  WARPJIT_CHECK(check_samples(*state_, "set_sampler"));
  const std::string where = "sampler " + std::to_string(slot);
  if (slot >= kMaxSamplers)
    return Error{ErrorCode::bad_input, "there are " + std::to_string(kMaxSamplers) + " samplers", where};
  WARPJIT_CHECK(textures::check_sampler(sampler, where));
  element_of(change_textures(*state_).samplers, slot) = sampler;
  return {};
}
void Launch::unset_textures() { change_textures(*state_) = {}; }

Status Launch::set_geometry_input(const GeometryInput& input) { return state_->set_geometry_input(input); }
const GeometryInput& Launch::geometry_input() const {
  static const GeometryInput kNone;
  return state_->primitives ? state_->primitives->input : kNone;
}
Status Launch::set_vertex_stage(const Launch& vertex, std::uint64_t outputs) {
  const runtime::LaunchData& from = *vertex.state_;
  if (state_->pixels) return set_pixel_vertices(*state_, from, outputs);
  if (!state_->primitives || from.primitives)
    return Error{ErrorCode::bad_input, "a vertex stage is a vertex program's and feeds a geometry program",
                 state_->shader->source_name()};
  const std::uint64_t attributes = outputs != 0 ? outputs : from.shader->declarations().enabled_outputs;
  if (attributes == 0 || (attributes & ~state_->shader->declarations().vertex_outputs) != 0)
    return Error{ErrorCode::bad_input, "the vertex stage has no outputs, or some that do not exist",
                 from.shader->source_name()};
  state_->primitives->vertex = std::make_shared<const runtime::LaunchData>(from);
  state_->primitives->attributes = attributes;
  ++state_->facts_generation;
  ++state_->bindings_generation;
  return {};
}
Status Launch::set_primitives(std::span<const std::uint32_t> list) {
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

// Bytes of constants that a launch without a grid copies, of one space.
constexpr std::size_t kMostConstantBytes = 1 << 16;

}  // namespace

Status Launch::set_grid(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  WARPJIT_CHECK(check_kind(*state_, "set_grid", kCompute));
  change_grid(*state_, false).grid = {x, y, z};
  return {};
}
Status Launch::set_block(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  WARPJIT_CHECK(check_kind(*state_, "set_block", kCompute));
  const std::array<std::uint32_t, 3> block{x, y, z};
  change_grid(*state_, block != state_->values.grid.block).block = block;
  return {};
}
Status Launch::set_first_block(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  WARPJIT_CHECK(check_kind(*state_, "set_first_block", kCompute));
  if (state_->shader->isa() == Isa::tesla)
    return Error{ErrorCode::bad_input, "set_first_block: the first block of Tesla's grids has the number 0",
                 state_->shader->source_name()};
  change_grid(*state_, true).first_block = {x, y, z};
  return {};
}
Status Launch::set_shared_bytes(std::uint32_t bytes) {
  WARPJIT_CHECK(check_kind(*state_, "set_shared_bytes", kCompute));
  change_grid(*state_, true).shared_bytes = bytes;
  return {};
}
Status Launch::set_parameters(std::span<const std::byte> bytes) {
  if (!state_->shader->traits().memory.parameters)
    return Error{ErrorCode::bad_input,
                 std::string("there are no parameters in a ") + name(state_->shader->stage()) +
                     " program of " + name(state_->shader->isa()),
                 state_->shader->source_name()};
  const bool resized = bytes.size() != state_->values.grid.parameters.size();
  change_grid(*state_, resized).parameters.assign(bytes.begin(), bytes.end());
  return {};
}

Status Launch::bind_constants(std::string_view space, const void* data, std::size_t size) {
  WARPJIT_TRY(const frontend::SpaceName found, frontend::find_space(*state_->shader, space));
  if (!found.constant)
    return Error{ErrorCode::bad_input, "this space is not constant: map_memory maps pieces of it",
                 std::string(space)};
  auto& bound = state_->values.grid.constants[found.index];
  if (!state_->shader->traits().runs_on_grid) {
    if (data == nullptr && size != 0) return Error{ErrorCode::bad_input, "no data", std::string(space)};
    if (size > kMostConstantBytes)
      return Error{ErrorCode::bad_input,
                   "a constant space has at most " + std::to_string(kMostConstantBytes) + " bytes",
                   std::string(space)};
    const auto* from = static_cast<const std::byte*>(data);
    const auto copy = std::make_shared<const std::vector<std::byte>>(from, from + size);
    state_->constants[found.index] = copy;
    const bool facts = bound.size() != size || state_->shader->traits().memory.code_addresses;
    change_grid(*state_, facts).constants[found.index] = *copy;
    return {};
  }
  change_grid(*state_, bound.size() != size);
  bound = {static_cast<const std::byte*>(data), size};
  return {};
}

Status Launch::map_memory(std::string_view space, std::uint64_t address, void* data, std::size_t size) {
  WARPJIT_TRY(const frontend::SpaceName found, frontend::find_space(*state_->shader, space));
  if (found.constant)
    return Error{ErrorCode::bad_input, "this space is constant: bind_constants binds it as a whole",
                 std::string(space)};
  if ((kind_of(*state_) & (kCompute | kFetching | kPixels)) == 0 && !state_->shader->traits().memory.rows)
    return Error{ErrorCode::unsupported,
                 "memory for vertex and geometry programs, which have constants alone", std::string(space)};
  const auto high = static_cast<std::uint32_t>(address >> 32), low = static_cast<std::uint32_t>(address);
  if (high != 0 && found.high_words == 0)
    return Error{ErrorCode::bad_input, "addresses of this guest have 32 bits", std::string(space)};
  const std::vector<std::uint32_t>& high_words = state_->values.grid.high_words;
  const bool new_window = found.high_words != 0 && std::ranges::find(high_words, high) == high_words.end();
  if (new_window && high_words.size() == found.high_words)
    return Error{ErrorCode::bad_input,
                 "memory is mapped at " + std::to_string(found.high_words) +
                     " high words of addresses, and no launch has more",
                 std::string(space)};
  const bool facts =
      new_window || !state_->values.grid.vertices.attributes.empty() || !state_->values.grid.images.empty();
  frontend::Grid& grid = change_grid(*state_, facts);
  if (new_window) grid.high_words.push_back(high);
  const auto window = found.high_words == 0
                          ? std::ptrdiff_t{found.index}
                          : std::ranges::find(grid.high_words, high) - grid.high_words.begin();
  auto& ranges = grid.globals[static_cast<std::size_t>(window)];
  const auto next =
      std::ranges::find_if(ranges, [&](const frontend::MappedRange& range) { return range.address > low; });
  ranges.insert(next, {low, {static_cast<std::byte*>(data), size}});
  state_->many_ranges = state_->many_ranges || ranges.size() > 1;
  return {};
}

void Launch::unmap_memory() {
  frontend::Grid& grid = change_grid(*state_, true);
  grid.constants = {};
  state_->constants = {};
  for (auto& ranges : grid.globals) ranges.clear();
  state_->many_ranges = false;
  grid.high_words.clear();
}

Status Launch::set_first_vertex(std::uint32_t vertex, std::uint32_t instance) {
  WARPJIT_CHECK(check_kind(*state_, "set_first_vertex", kFetching));
  frontend::Vertices& vertices = change_grid(*state_, true).vertices;
  vertices.first = vertex;
  vertices.first_instance = instance;
  return {};
}
Status Launch::set_attributes(std::span<const AttributeSource> attributes, std::uint32_t attribute_offset) {
  WARPJIT_CHECK(check_kind(*state_, "set_attributes", kFetching));
  frontend::Vertices& vertices = change_grid(*state_, true).vertices;
  vertices.attributes.assign(attributes.begin(), attributes.end());
  vertices.attribute_offset = attribute_offset;
  return {};
}
Status Launch::set_images(std::span<const ImageSource> images) {
  if (!state_->shader->traits().memory.tables)
    return Error{ErrorCode::bad_input, "images are given, but programs of this GPU have none",
                 state_->shader->source_name()};
  frontend::Grid& grid = change_grid(*state_, true);
  grid.images.assign(images.begin(), images.end());
  return {};
}
Status Launch::set_buffers(std::span<const BufferSource> buffers) {
  if (!state_->shader->traits().memory.tables)
    return Error{ErrorCode::bad_input, "buffers are given, but programs of this GPU have no tables of them",
                 state_->shader->source_name()};
  frontend::Grid& grid = change_grid(*state_, true);
  grid.buffers.assign(buffers.begin(), buffers.end());
  return {};
}
Status Launch::map_results(void* data, std::size_t size, std::uint32_t packet_stride) {
  WARPJIT_CHECK(check_kind(*state_, "map_results", kFetching));
  frontend::Grid& grid = change_grid(*state_, true);
  grid.vertices.packet_stride = packet_stride;
  grid.globals[frontend::Vertices::kResultSpace] = {{0, {static_cast<std::byte*>(data), size}}};
  return {};
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

Status Launch::set_count(std::uint64_t count) {
  const Kinds kind = kind_of(*state_);
  WARPJIT_CHECK(check_kind(*state_, "set_count", kRows | kPrimitives | kFetching | kPixels));
  if (kind == kFetching) WARPJIT_CHECK(set_fetched_count(*state_, count));
  state_->count = count;
  ++state_->bindings_generation;
  return {};
}
std::uint64_t Launch::count() const { return state_->count; }
void Launch::set_fuel(std::uint64_t fuel) { state_->fuel = state_->values.grid.fuel = fuel; }
std::uint64_t Launch::fuel() const { return state_->fuel; }
Status Launch::set_allow_overlap(bool allow) {
  WARPJIT_CHECK(check_kind(*state_, "set_allow_overlap", kRows | kPrimitives));
  state_->allow_overlap = allow;
  ++state_->bindings_generation;
  return {};
}

}  // namespace warpjit
