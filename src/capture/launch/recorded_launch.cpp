#include "capture/launch/recorded_launch.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "capture/section_file.h"
#include "frontend/shader.h"
#include "runtime/work/launch.h"

namespace warpjit::capture {
namespace {

using frontend::Vertices;
using runtime::LaunchData;

// ---- From a launch

// Bytes that rows take, of `size`.
std::size_t rows_size(std::size_t size, std::uint64_t stride, std::uint64_t count, std::size_t row) {
  if (count == 0 || (stride != 0 && (count - 1) > (SIZE_MAX - row) / stride)) return size;
  return static_cast<std::size_t>(std::min<std::uint64_t>(size, stride * (count - 1) + row));
}

class Describer {
 public:
  Describer(const PlaceBuffer& place, const NumberProgram& number) : place_(place), number_(number) {}

  Result<RecordedLaunch> describe(const LaunchData& launch) const {
    RecordedLaunch recorded;
    if (launch.draw.active || (launch.pixels && (launch.pixels->has_blocks() || launch.pixels->instructions)))
      return not_recorded(launch, "a launch that no setters made");
    recorded.program = number_(launch.program);
    recorded.count = launch.count;
    recorded.fuel = launch.fuel;
    add_values(launch, recorded);
    add_textures(launch, recorded);
    add_memory(launch, recorded);
    const frontend::Grid& grid = launch.values.grid;
    if (launch.shader->traits().runs_on_grid) {
      if (launch.shader->stage() == Stage::compute)
        recorded.grid = RecordedGrid{grid.grid, grid.block, grid.first_block, grid.shared_bytes};
      else
        add_vertices(grid, recorded.vertices.emplace());
    } else if (launch.pixels) {
      add_pixels(*launch.pixels, launch.count, recorded.pixels.emplace());
      WARPJIT_CHECK(add_stage(launch.pixels->vertex, recorded.vertex));
      WARPJIT_CHECK(add_stage(launch.pixels->geometry, recorded.geometry));
    } else {
      add_rows(launch, recorded.rows.emplace());
      if (launch.primitives) {
        add_primitives(*launch.primitives, recorded.primitives.emplace());
        recorded.vertex_outputs = launch.primitives->attributes;
        WARPJIT_CHECK(add_stage(launch.primitives->vertex, recorded.vertex));
      }
    }
    return recorded;
  }

 private:
  static Error not_recorded(const LaunchData& launch, const char* what) {
    return {ErrorCode::unsupported, std::string("a capture cannot have ") + what,
            launch.shader->source_name()};
  }

  Status add_stage(const std::shared_ptr<const LaunchData>& stage, std::vector<RecordedLaunch>& to) const {
    if (stage == nullptr) return {};
    WARPJIT_TRY(RecordedLaunch recorded, describe(*stage));
    to.push_back(std::move(recorded));
    return {};
  }

  static void add_values(const LaunchData& launch, RecordedLaunch& recorded) {
    frontend::Values preset;
    launch.shader->reset(preset);
    const std::vector<std::uint32_t>&words = launch.values.words, &usual = preset.words;
    constexpr std::size_t kMany = 16;  // most are as usual
    for (std::size_t n = 0; n < words.size(); ++n) {
      while (n + kMany < words.size() && std::equal(&words[n], &words[n + kMany], &usual[n])) n += kMany;
      if (words[n] == usual[n]) continue;
      auto& values = recorded.values;
      if (values.empty() || values.back().first + values.back().words.size() != n)
        values.push_back({static_cast<std::uint32_t>(n), {}});
      values.back().words.push_back(words[n]);
    }
    recorded.bools = launch.values.bools;
    recorded.state_given = launch.values.state_given;
  }

  void add_textures(const LaunchData& launch, RecordedLaunch& recorded) const {
    for (const runtime::GivenTexture& given : launch.given_textures) {
      RecordedTexture& texture = recorded.textures.emplace_back();
      texture.slot = given.slot;
      texture.texture = given.texture;
      texture.texture.data = nullptr;
      texture.texture.size = 0;
      texture.places = given.places;
      texture.memory = place_(given.texture.data, given.texture.size, false);
    }
    const auto& samplers = launch.values.grid.bound.samplers;
    for (std::size_t slot = 0; slot < samplers.size(); ++slot)
      if (samplers[slot]) recorded.samplers.push_back({static_cast<std::uint32_t>(slot), *samplers[slot]});
  }

  void add_memory(const LaunchData& launch, RecordedLaunch& recorded) const {
    const frontend::Grid& grid = launch.values.grid;
    recorded.parameters = grid.parameters;
    for (std::size_t space = 0; space < grid.constants.size(); ++space) {
      const std::span<const std::byte> bytes = grid.constants[space];
      if (bytes.empty()) continue;
      RecordedLaunch::Constants& constants = recorded.constants.emplace_back();
      constants.space = static_cast<std::uint32_t>(space);
      if (launch.shader->traits().runs_on_grid)
        constants.memory = place_(bytes.data(), bytes.size(), false);
      else
        constants.copied.assign(bytes.begin(), bytes.end());
    }
    const bool fetches = launch.shader->traits().runs_on_grid && launch.shader->stage() != Stage::compute;
    for (std::size_t space = 0; space < grid.globals.size(); ++space) {
      if (fetches && space == Vertices::kResultSpace) continue;
      const bool windows = !grid.high_words.empty();
      for (const frontend::MappedRange& range : grid.globals[space]) {
        if (range.bytes.empty()) continue;
        RecordedLaunch::Mapped& piece = recorded.memory.emplace_back();
        piece.space = windows ? 0 : static_cast<std::uint32_t>(space);
        piece.address = (windows ? std::uint64_t{grid.high_words[space]} << 32 : 0) | range.address;
        piece.memory = place_(range.bytes.data(), range.bytes.size(), true);
      }
    }
    recorded.images = grid.images;
    recorded.buffers = grid.buffers;
  }

  void add_vertices(const frontend::Grid& grid, RecordedVertices& to) const {
    to.instances = grid.grid[1];
    to.first = grid.vertices.first;
    to.first_instance = grid.vertices.first_instance;
    to.attribute_offset = grid.vertices.attribute_offset;
    to.attributes = grid.vertices.attributes;
    to.packet_stride = grid.vertices.packet_stride;
    for (const frontend::MappedRange& range : grid.globals[Vertices::kResultSpace])
      to.results = place_(range.bytes.data(), range.bytes.size(), true);
  }

  void add_rows(const LaunchData& launch, RecordedRows& to) const {
    to.allow_overlap = launch.allow_overlap;
    const std::uint64_t threads = launch.thread_count();
    for (std::uint64_t bits = launch.bound_inputs; bits != 0; bits &= bits - 1) {
      const auto reg = static_cast<std::uint32_t>(std::countr_zero(bits));
      const Attribute& input = launch.inputs[reg].attribute;
      // Instances are the draw's.
      const std::size_t used =
          input.divisor != 0 ? input.size : rows_size(input.size, input.stride, threads, size(input.format));
      to.inputs.push_back({reg, input.divisor, input.format, input.stride, place_(input.data, used, false)});
    }
    for (std::uint32_t k = 0; k < launch.output_count; ++k) {
      const OutputBuffer& output = launch.outputs[k].buffer;
      const std::size_t used = rows_size(output.size, output.stride, threads, size(output.format));
      to.outputs.push_back({launch.outputs[k].number, 0, output.format, output.stride,
                            place_(output.data, used, output.data != nullptr)});
    }
  }

  void add_primitives(const runtime::LaunchPrimitives& from, RecordedPrimitives& to) const {
    to.input = from.input;
    to.list = from.list;
    to.triangles = place_(from.triangles.vertices, from.triangles.size, true);
    to.inverted = place_(from.triangles.inverted, from.triangles.inverted_size, true);
    to.unit = place_(from.unit.data(), from.unit.size_bytes(), true);
  }

  void add_pixels(const runtime::LaunchPixels& from, std::uint64_t count, RecordedPixels& to) const {
    to.raster = from.raster;
    to.output = from.output;
    to.width = from.width;
    to.height = from.height;
    to.instances = from.instances;
    const auto target = [&](const TargetBuffer& buffer) -> RecordedTarget {
      if (buffer.data == nullptr) return {};
      const std::size_t row = from.width * pixel_size(buffer.format);
      return {buffer.format, buffer.pitch,
              place_(buffer.data, rows_size(buffer.size, buffer.pitch, from.height, row), true)};
    };
    for (std::size_t n = 0; n < to.colors.size(); ++n) to.colors[n] = target(from.colors[n]);
    to.depth = target(from.depth);
    to.pass_counts = target(from.pass_counts);
    const VertexBuffer& vertices = from.vertices;
    const std::size_t row = std::size_t{vertices.slots} * 4;
    const std::size_t used = vertices.instance_stride != 0 && from.instances > 1
                                 ? vertices.size
                                 : rows_size(vertices.size, vertices.stride, count, row);
    to.vertices = {place_(vertices.data, used, false), vertices.stride, vertices.instance_stride,
                   vertices.slots};
    to.indexed = from.indices != nullptr;
    if (to.indexed) to.indices = *from.indices;
  }

  const PlaceBuffer& place_;
  const NumberProgram& number_;
};

// ---- To a launch

class Maker {
 public:
  Maker(std::span<const Program> programs, const FindBuffer& find) : programs_(programs), find_(find) {}

  Result<Launch> make(const RecordedLaunch& recorded) const {
    Launch launch(programs_[recorded.program]);
    WARPJIT_CHECK(launch.status());
    WARPJIT_CHECK(set_values(recorded, launch));
    launch.set_fuel(recorded.fuel);
    // Geometry programs of a rasterizer have none.
    if (recorded.count != 0) WARPJIT_CHECK(launch.set_count(recorded.count));
    for (const RecordedTexture& given : recorded.textures) {
      Texture texture = given.texture;
      texture.data = find_(given.memory);
      texture.size = static_cast<std::size_t>(given.memory.size);
      texture.level_places = given.places;
      WARPJIT_CHECK(launch.set_texture(given.slot, texture));
    }
    for (const RecordedSampler& sampler : recorded.samplers)
      WARPJIT_CHECK(launch.set_sampler(sampler.slot, sampler.sampler));
    WARPJIT_CHECK(set_memory(recorded, launch));
    if (recorded.rows) WARPJIT_CHECK(set_rows(*recorded.rows, launch));
    if (recorded.grid) {
      const RecordedGrid& grid = *recorded.grid;
      WARPJIT_CHECK(launch.set_grid(grid.grid[0], grid.grid[1], grid.grid[2]));
      WARPJIT_CHECK(launch.set_block(grid.block[0], grid.block[1], grid.block[2]));
      if (grid.first_block != std::array<std::uint32_t, 3>{})
        WARPJIT_CHECK(launch.set_first_block(grid.first_block[0], grid.first_block[1], grid.first_block[2]));
      WARPJIT_CHECK(launch.set_shared_bytes(grid.shared_bytes));
    }
    if (recorded.vertices) WARPJIT_CHECK(set_vertices(*recorded.vertices, launch));
    if (recorded.primitives) WARPJIT_CHECK(set_primitives(*recorded.primitives, launch));
    if (recorded.pixels) WARPJIT_CHECK(set_pixels(*recorded.pixels, launch));
    for (const RecordedLaunch& stage : recorded.vertex) {
      WARPJIT_TRY(const Launch vertex, make(stage));
      WARPJIT_CHECK(launch.set_vertex_stage(vertex, recorded.vertex_outputs));
    }
    for (const RecordedLaunch& stage : recorded.geometry) {
      WARPJIT_TRY(const Launch geometry, make(stage));
      WARPJIT_CHECK(launch.set_geometry_stage(geometry));
    }
    return launch;
  }

 private:
  static Error no_register(const Launch& launch, const std::string& what) {
    return {ErrorCode::bad_input, "the program has no " + what, launch.program().source_name()};
  }

  // Registers with these numbers.
  static bool has_all(const frontend::Shader& shader, LocationKind kind, LocationKind by,
                      std::uint64_t bits) {
    for (; bits != 0; bits &= bits - 1) {
      const auto number = static_cast<unsigned>(std::countr_zero(bits));
      const auto found = shader.find(by, shader.register_name(runtime::register_of(kind, number)));
      if (!found || found->kind != kind || found->first != number) return false;
    }
    return true;
  }

  static Status set_values(const RecordedLaunch& recorded, Launch& launch) {
    LaunchData& data = launch.state();
    const frontend::Shader& shader = *data.shader;
    std::vector<std::uint32_t>& words = data.values.words;
    for (const RecordedLaunch::Words& run : recorded.values) {
      if (run.first > words.size() || run.words.size() > words.size() - run.first)
        return no_register(launch, "words " + std::to_string(run.first) + " to " +
                                       std::to_string(run.first + run.words.size()) + ": there are " +
                                       std::to_string(words.size()));
      std::ranges::copy(run.words, words.begin() + run.first);
    }
    for (const frontend::Declarations::Limit& limit : shader.declarations().limits)
      for (unsigned n = limit.first; n < unsigned{limit.first} + limit.count; ++n) {
        const LocationKind by =
            limit.kind == LocationKind::state ? LocationKind::state : LocationKind::uniform;
        const std::string name = shader.register_name(runtime::register_of(limit.kind, n));
        const auto found = shader.find(by, name);
        if (!found || found->word + found->components > words.size()) continue;
        for (unsigned k = 0; k < found->components; ++k)
          if (words[found->word + k] > limit.largest)
            return Error{ErrorCode::bad_input,
                         std::to_string(words[found->word + k]) + " is above the largest value, " +
                             std::to_string(limit.largest),
                         name};
      }
    if (!has_all(shader, LocationKind::bool_uniform, LocationKind::uniform,
                 recorded.bools & ~data.values.bools))
      return no_register(launch, "such boolean");
    if (!has_all(shader, LocationKind::state, LocationKind::state, recorded.state_given))
      return no_register(launch, "such state");
    data.values.bools = recorded.bools;
    data.values.state_given = recorded.state_given;
    ++data.values_generation;
    ++data.facts_generation;
    return {};
  }

  Status set_memory(const RecordedLaunch& recorded, Launch& launch) const {
    const Isa isa = launch.program().isa();
    if (!recorded.parameters.empty()) WARPJIT_CHECK(launch.set_parameters(recorded.parameters));
    for (const RecordedLaunch::Constants& constants : recorded.constants) {
      const std::string space = space_name(isa, true, constants.space);
      WARPJIT_CHECK(constants.copied.empty()
                        ? launch.bind_constants(space, find_(constants.memory),
                                                static_cast<std::size_t>(constants.memory.size))
                        : launch.bind_constants(space, constants.copied.data(), constants.copied.size()));
    }
    for (const RecordedLaunch::Mapped& piece : recorded.memory)
      WARPJIT_CHECK(launch.map_memory(space_name(isa, false, piece.space), piece.address, find_(piece.memory),
                                      static_cast<std::size_t>(piece.memory.size)));
    if (!recorded.images.empty()) WARPJIT_CHECK(launch.set_images(recorded.images));
    if (!recorded.buffers.empty()) WARPJIT_CHECK(launch.set_buffers(recorded.buffers));
    return {};
  }

  Status set_rows(const RecordedRows& rows, Launch& launch) const {
    const auto data = [&](const RecordedRows::Row& row) { return find_(row.memory); };
    if (rows.allow_overlap) WARPJIT_CHECK(launch.set_allow_overlap(true));
    for (const RecordedRows::Row& row : rows.inputs)
      WARPJIT_CHECK(
          launch.bind_input(runtime::register_of(LocationKind::input, row.reg),
                            Attribute{data(row), static_cast<std::size_t>(row.memory.size),
                                      static_cast<std::size_t>(row.stride), row.format, row.divisor}));
    for (const RecordedRows::Row& row : rows.outputs)
      WARPJIT_CHECK(launch.bind_output(runtime::register_of(LocationKind::output, row.reg),
                                       OutputBuffer{data(row), static_cast<std::size_t>(row.memory.size),
                                                    static_cast<std::size_t>(row.stride), row.format}));
    return {};
  }

  Status set_vertices(const RecordedVertices& vertices, Launch& launch) const {
    WARPJIT_CHECK(launch.set_instances(vertices.instances));
    WARPJIT_CHECK(launch.set_first_vertex(vertices.first, vertices.first_instance));
    WARPJIT_CHECK(launch.set_attributes(vertices.attributes, vertices.attribute_offset));
    if (vertices.results.size == 0) return {};
    return launch.map_results(find_(vertices.results), static_cast<std::size_t>(vertices.results.size),
                              vertices.packet_stride);
  }

  Status set_primitives(const RecordedPrimitives& primitives, Launch& launch) const {
    WARPJIT_CHECK(launch.set_geometry_input(primitives.input));
    if (!primitives.list.empty()) WARPJIT_CHECK(launch.set_primitives(primitives.list));
    WARPJIT_CHECK(launch.bind_triangles({find_(primitives.triangles),
                                         static_cast<std::size_t>(primitives.triangles.size),
                                         reinterpret_cast<std::uint8_t*>(find_(primitives.inverted)),
                                         static_cast<std::size_t>(primitives.inverted.size)}));
    if (primitives.unit.size == 0) return {};
    std::byte* const unit = find_(primitives.unit);
    if (reinterpret_cast<std::uintptr_t>(unit) % alignof(std::uint32_t) != 0)
      return Error{ErrorCode::bad_input, "the state of the geometry unit is not aligned to 4",
                   launch.program().source_name()};
    return launch.bind_unit(
        {reinterpret_cast<std::uint32_t*>(unit), static_cast<std::size_t>(primitives.unit.size / 4)});
  }

  Status set_pixels(const RecordedPixels& pixels, Launch& launch) const {
    WARPJIT_CHECK(launch.set_raster_state(pixels.raster));
    WARPJIT_CHECK(launch.set_output_state(pixels.output));
    if (pixels.width != 0 || pixels.height != 0)
      WARPJIT_CHECK(launch.set_target_size(pixels.width, pixels.height));
    WARPJIT_CHECK(launch.set_instances(pixels.instances));
    const auto target = [&](const RecordedTarget& from) {
      return TargetBuffer{find_(from.memory), static_cast<std::size_t>(from.memory.size),
                          static_cast<std::size_t>(from.pitch), from.format};
    };
    for (unsigned n = 0; n < pixels.colors.size(); ++n)
      WARPJIT_CHECK(launch.bind_color(n, target(pixels.colors[n])));
    WARPJIT_CHECK(launch.bind_depth(target(pixels.depth)));
    WARPJIT_CHECK(launch.bind_pass_counts(target(pixels.pass_counts)));
    WARPJIT_CHECK(launch.bind_vertices(
        {find_(pixels.vertices.memory), static_cast<std::size_t>(pixels.vertices.memory.size),
         static_cast<std::size_t>(pixels.vertices.stride), pixels.vertices.slots,
         static_cast<std::size_t>(pixels.vertices.instance_stride)}));
    return pixels.indexed ? launch.set_indices(pixels.indices) : Status();
  }

  std::span<const Program> programs_;
  const FindBuffer& find_;
};

}  // namespace

Result<RecordedLaunch> describe_launch(const Launch& launch, const PlaceBuffer& place,
                                       const NumberProgram& number) {
  return Describer(place, number).describe(launch.state());
}

Result<Launch> make_launch(const RecordedLaunch& launch, std::span<const Program> programs,
                           const FindBuffer& find) {
  return Maker(programs, find).make(launch);
}

std::string BufferName::text() const {
  std::string text = std::string(stage) + what;
  if (!number) return text;
  text += std::to_string(*number);
  if (!address) return text;
  return text + "_" + hex_text(*address).substr(2);
}

namespace {

template <class LaunchType, class Visit>
void visit_buffers(LaunchType& launch, const char* stage, const Visit& visit) {
  const auto see = [&](auto& place, bool writes, const BufferName& name) {
    if (place.size != 0) visit(place, writes, name);
  };
  for (auto& texture : launch.textures) see(texture.memory, false, {stage, "texture", texture.slot});
  for (auto& constants : launch.constants) see(constants.memory, false, {stage, "c", constants.space});
  for (auto& piece : launch.memory) see(piece.memory, true, {stage, "memory_", piece.space, piece.address});
  if (auto& rows = launch.rows) {
    for (auto& row : rows->inputs) see(row.memory, false, {stage, "input", row.reg});
    for (auto& row : rows->outputs) see(row.memory, true, {stage, "output", row.reg});
  }
  if (auto& vertices = launch.vertices) see(vertices->results, true, {stage, "results"});
  if (auto& primitives = launch.primitives) {
    see(primitives->triangles, true, {stage, "triangles"});
    see(primitives->inverted, true, {stage, "inverted"});
    see(primitives->unit, true, {stage, "unit"});
  }
  if (auto& pixels = launch.pixels) {
    for (std::uint32_t n = 0; n < pixels->colors.size(); ++n)
      see(pixels->colors[n].memory, true, {stage, "color", n});
    see(pixels->depth.memory, true, {stage, "depth"});
    see(pixels->pass_counts.memory, true, {stage, "counts"});
    see(pixels->vertices.memory, false, {stage, "vertices"});
  }
  // Stages have none.
  for (auto& vertex : launch.vertex) visit_buffers(vertex, "vertex_", visit);
  for (auto& geometry : launch.geometry) visit_buffers(geometry, "geometry_", visit);
}

}  // namespace

void each_buffer(const RecordedLaunch& launch, const VisitBuffer& visit) { visit_buffers(launch, "", visit); }

void each_buffer(RecordedLaunch& launch, const std::function<void(BufferPlace& place)>& visit) {
  visit_buffers(launch, "", [&](BufferPlace& place, bool, const BufferName&) { visit(place); });
}

std::string space_name(Isa isa, bool constant, std::uint32_t space) {
  if (constant) return "c" + std::to_string(space);
  return isa == Isa::tesla ? "g" + std::to_string(space) : "mem";
}

}  // namespace warpjit::capture
