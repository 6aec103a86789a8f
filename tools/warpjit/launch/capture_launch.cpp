#include "launch/capture_launch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "files.h"
#include "frontend/tesla/container/cubin.h"
#include "frontend/tesla/shader.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "runtime/work/launch.h"
#include "stop.h"
#include "warpjit/launch_recorder.hpp"

namespace warpjit::tool {

namespace {

using capture::BufferPlace;
using capture::RecordedLaunch;

class LaunchConverter {
 public:
  LaunchConverter(const capture::LaunchScene& scene, const capture::LaunchMachine& machine)
      : scene_(scene), machine_(machine) {}

  Result<LaunchFile> convert(const RecordedLaunch& recorded) const {
    LaunchFile launch;
    const Program& program = scene_.programs[recorded.program];
    launch.program = frontend::shared_shader(program);
    launch.count = launch.rows = recorded.count;
    add_values(recorded, launch);
    for (const capture::RecordedTexture& texture : recorded.textures)
      WARPJIT_CHECK(add_texture(texture, launch));
    for (const capture::RecordedSampler& sampler : recorded.samplers)
      launch.samplers.push_back({sampler.slot, sampler.sampler});
    launch.grid.parameters = recorded.parameters;
    launch.grid.parameters.resize((recorded.parameters.size() + 3) / 4 * 4);
    launch.grid.images = recorded.images;
    launch.grid.buffers = recorded.buffers;
    add_memory(recorded, launch);
    if (recorded.rows) WARPJIT_CHECK(add_rows(*recorded.rows, launch));
    if (recorded.grid) {
      launch.work = Work::grid;
      launch.grid.grid = recorded.grid->grid;
      launch.grid.block = recorded.grid->block;
      launch.grid.first_block = recorded.grid->first_block;
      launch.grid.shared_bytes = recorded.grid->shared_bytes;
    }
    if (recorded.vertices) add_vertices(recorded, launch);
    if (recorded.primitives) {
      launch.work = Work::primitives;
      if (recorded.primitives->unit.size != 0) return no_words("a bound geometry unit", launch);
      launch.geometry = recorded.primitives->input;
      launch.primitives = recorded.primitives->list;
    }
    if (recorded.pixels) WARPJIT_CHECK(add_pixels(*recorded.pixels, launch));
    for (const RecordedLaunch& stage : recorded.vertex) {
      WARPJIT_TRY(LaunchFile vertex, convert(stage));
      if (recorded.primitives) {
        launch.count = launch.rows = vertex.count;
        vertex.outputs.clear();
        for (unsigned n = 0; n < 64; ++n) {
          if ((recorded.vertex_outputs >> n & 1) == 0) continue;
          WARPJIT_TRY(LaunchOutput output,
                      register_output(*vertex.program,
                                      vertex.program->register_name(numbered(LocationKind::output, n))));
          vertex.outputs.push_back(std::move(output));
        }
      } else {
        launch.count = launch.rows = vertex.count;
      }
      launch.vertex.push_back(std::move(vertex));
    }
    for (const RecordedLaunch& stage : recorded.geometry) {
      WARPJIT_TRY(LaunchFile geometry, convert(stage));
      launch.geometry_stage.push_back(std::move(geometry));
    }
    if (launch.work == Work::grid) add_outputs(launch);
    return launch;
  }

 private:
  static Error no_words(const std::string& what, const LaunchFile& launch) {
    return {ErrorCode::unsupported, "launch files have no words for " + what, launch.program->source_name()};
  }

  std::vector<std::byte> bytes_of(const BufferPlace& place) const {
    const std::span<const std::byte> bytes = machine_.bytes_of(place);
    return {bytes.begin(), bytes.end()};
  }

  // Registers that differ from what the program presets, and state that is given.
  static void add_values(const RecordedLaunch& recorded, LaunchFile& launch) {
    const frontend::Shader& shader = *launch.program;
    frontend::Values values;
    shader.reset(values);
    std::vector<bool> given(values.words.size());
    for (const RecordedLaunch::Words& run : recorded.values)
      for (std::size_t n = 0; n < run.words.size() && run.first + n < values.words.size(); ++n) {
        values.words[run.first + n] = run.words[n];
        given[run.first + n] = true;
      }
    const auto add = [&](LocationKind by, const std::string& first, std::vector<LaunchValue>& to,
                         std::uint64_t only) {
      const auto found = shader.find(by, first);
      if (!found) return;
      Location location = *found;
      for (unsigned left = by == LocationKind::state ? 1 : location.count; left > 0;
           --left, ++location.first, location.word += location.components) {
        LaunchValue value{location, {}};
        if (location.kind == LocationKind::bool_uniform) {
          const std::uint64_t bit = std::uint64_t{1} << location.first;
          if ((recorded.bools & bit) == (values.bools & bit)) continue;
          value.words = {(recorded.bools & bit) != 0 ? 1U : 0U};
        } else {
          bool any = by == LocationKind::state && (only >> location.first & 1) != 0;
          for (unsigned k = 0; k < location.components; ++k) {
            any = any || (by != LocationKind::state && given[location.word + k]);
            value.words.push_back(values.words[location.word + k]);
          }
          if (!any) continue;
        }
        to.push_back(std::move(value));
      }
    };
    for (const std::string_view file : launch.guest().uniform_files())
      add(LocationKind::uniform, std::string(file), launch.uniforms, 0);
    for (unsigned n = 0; n < 64; ++n)
      if ((recorded.state_given >> n & 1) != 0)
        add(LocationKind::state, shader.register_name(numbered(LocationKind::state, n)), launch.state,
            recorded.state_given);
  }

  Status add_texture(const capture::RecordedTexture& from, LaunchFile& launch) const {
    LaunchTexture& to = launch.textures.emplace_back();
    to.slot = from.slot;
    to.where = "texture " + std::to_string(from.slot);
    to.texture = from.texture;
    const auto places = std::make_shared<const std::vector<TextureLevelPlace>>(from.places);
    to.texture.level_places = *places;
    to.keep = places;
    to.bytes = std::make_shared<const std::vector<std::byte>>(bytes_of(from.memory));
    to.texture.data = to.bytes->data();
    to.texture.size = to.bytes->size();
    if (!name(from.texture.format) && from.texture.format.compression != BlockCompression::none)
      return no_words("the format of texture " + std::to_string(from.slot), launch);
    return {};
  }

  void add_memory(const RecordedLaunch& recorded, LaunchFile& launch) const {
    const auto add = [&](bool constant, std::uint32_t space, std::uint64_t address,
                         std::vector<std::byte> bytes) {
      LaunchMemory& piece = launch.grid.memory.emplace_back();
      piece.space = capture::space_name(scene_.isa, constant, space);
      piece.constant = constant;
      piece.address = address;
      piece.bytes = std::move(bytes);
      piece.given = piece.bytes.size();
      piece.bytes.resize((piece.bytes.size() + 7) / 8 * 8);
    };
    for (const auto& constants : recorded.constants)
      add(true, constants.space, 0, constants.copied.empty() ? bytes_of(constants.memory) : constants.copied);
    for (const auto& piece : recorded.memory) add(false, piece.space, piece.address, bytes_of(piece.memory));
  }

  Status add_rows(const capture::RecordedRows& rows, LaunchFile& launch) const {
    const frontend::Shader& shader = *launch.program;
    for (const auto& row : rows.inputs) {
      LaunchInput& input = launch.inputs.emplace_back();
      input.reg = static_cast<std::uint8_t>(row.reg);
      input.name = shader.register_name(numbered(LocationKind::input, row.reg));
      input.format = row.format;
      // Bits as they are, as those of floats.
      if (row.format.type == ComponentType::u32 || row.format.type == ComponentType::s32)
        input.format.type = ComponentType::f32;
      input.buffer = launch.buffers.size();
      input.stride = row.stride;
      input.divisor = row.divisor;
      launch.buffers.push_back({{}, bytes_of(row.memory)});
    }
    for (const auto& row : rows.outputs) {
      LaunchOutput output;
      output.name = shader.register_name(numbered(LocationKind::output, row.reg));
      WARPJIT_TRY(output.reg, shader.find(LocationKind::output, output.name));
      output.format = row.format;
      launch.outputs.push_back(std::move(output));
    }
    return {};
  }

  void add_vertices(const RecordedLaunch& recorded, LaunchFile& launch) const {
    const capture::RecordedVertices& from = *recorded.vertices;
    launch.work = Work::grid;
    launch.grid.vertices = LaunchVertices{.count = static_cast<std::uint32_t>(recorded.count),
                                          .instances = from.instances,
                                          .first = from.first,
                                          .first_instance = from.first_instance,
                                          .attribute_offset = from.attribute_offset,
                                          .packet_stride = from.packet_stride,
                                          .attributes = from.attributes};
    if (from.results.size == 0) return;
    LaunchMemory& piece = launch.grid.memory.emplace_back();
    piece.space = kResultSpace;
    piece.bytes = bytes_of(from.results);
    piece.given = piece.bytes.size();
  }

  // What people look at first: the beginning of each piece.
  static void add_outputs(LaunchFile& launch) {
    constexpr std::size_t kMost = 1024;  // words
    for (std::size_t n = 0; n < launch.grid.memory.size(); ++n) {
      const LaunchMemory& piece = launch.grid.memory[n];
      if (piece.constant) continue;
      LaunchOutput& output = launch.outputs.emplace_back();
      output.format = {ComponentType::u32, 1};
      output.piece = n;
      output.count = std::min(kMost, piece.bytes.size() / 4);
    }
  }

  LaunchTarget target(const capture::RecordedTarget& from, const capture::RecordedPixels& pixels) const {
    LaunchTarget to;
    if (from.memory.size == 0) return to;
    to.format = from.format;
    const std::span<const std::byte> bytes = machine_.bytes_of(from.memory);
    const std::size_t row = pixels.width * pixel_size(from.format);
    std::vector<std::byte> packed;
    packed.reserve(row * pixels.height);
    for (std::size_t y = 0; y < pixels.height && y * from.pitch + row <= bytes.size(); ++y) {
      const auto line = bytes.subspan(static_cast<std::size_t>(y * from.pitch), row);
      packed.insert(packed.end(), line.begin(), line.end());
    }
    to.data = std::make_shared<const std::vector<std::byte>>(std::move(packed));
    return to;
  }

  Status add_pixels(const capture::RecordedPixels& from, LaunchFile& launch) const {
    launch.work = Work::pixels;
    LaunchPixels& to = launch.pixels;
    to.width = from.width;
    to.height = from.height;
    to.instances = from.instances;
    to.raster = from.raster;
    to.output = from.output;
    if (from.output.count_passed || from.pass_counts.memory.size != 0)
      return no_words("counts of passed fragments", launch);
    for (unsigned n = 0; n < from.colors.size(); ++n)
      if (from.colors[n].memory.size != 0) to.colors.resize(n + 1);
    for (unsigned n = 0; n < to.colors.size(); ++n) to.colors[n] = target(from.colors[n], from);
    to.depth = target(from.depth, from);
    to.indexed = from.indexed;
    to.indices = from.indices;
    const capture::RecordedPixels::Vertices& vertices = from.vertices;
    if (vertices.memory.size == 0) return {};
    if (vertices.instance_stride != 0 && from.instances > 1)
      return no_words("vertices of each instance", launch);
    to.slots = vertices.slots;
    const std::span<const std::byte> bytes = machine_.bytes_of(vertices.memory);
    const std::size_t row = std::size_t{vertices.slots} * 4;
    to.vertices.resize(static_cast<std::size_t>(launch.count) * vertices.slots);
    for (std::size_t n = 0; n < launch.count && n * vertices.stride + row <= bytes.size(); ++n)
      std::memcpy(to.vertices.data() + n * vertices.slots, bytes.data() + n * vertices.stride, row);
    return {};
  }

  const capture::LaunchScene& scene_;
  const capture::LaunchMachine& machine_;
};

std::span<const std::byte> bytes_of_text(std::string_view text) { return std::as_bytes(std::span(text)); }

// The program as a file beside the launch file, where words alone lose something; else nothing.
Status set_program(const frontend::Shader& shader, SideFiles& side, Json& json) {
  if (shader.isa() == Isa::tesla) {
    const tesla::Program& program = static_cast<const tesla::Shader&>(shader).program();
    if (program.constants.empty()) return {};
    if (program.entry != 0)
      return Error{ErrorCode::unsupported,
                   "launch files have no words for constants of a program that does not begin at byte 0",
                   shader.source_name()};
    json = {{"file", side.add("program", bytes_of_text(tesla::write_text_cubin({{program}, {}})), ".cubin")}};
  }
  if (shader.isa() == Isa::valhall) {
    WARPJIT_TRY(const std::string listing, guest_of(shader.isa()).list(shader, {}));
    json = {{"file", side.add("program", bytes_of_text(listing), ".valhall")}};
    if (shader.entry() != 0) json["entry"] = shader.entry();
  }
  return {};
}

}  // namespace

Result<LaunchFile> launch_file_of(const capture::LaunchScene& scene, const RecordedLaunch& launch,
                                  const capture::LaunchMachine& machine) {
  return LaunchConverter(scene, machine).convert(launch);
}

Result<Json> capture_launch_json(const LaunchFile& launch, SideFiles& side) {
  Json json = write_launch(launch, 0, launch.count, &side);
  WARPJIT_CHECK(set_program(*launch.program, side, json["program"]));
  for (const LaunchFile& stage : launch.vertex)
    WARPJIT_CHECK(set_program(*stage.program, side, json["vertex"]["program"]));
  for (const LaunchFile& stage : launch.geometry_stage)
    WARPJIT_CHECK(set_program(*stage.program, side, json["geometry"]["program"]));
  return json;
}

Result<capture::LaunchScene> load_launches(const std::string& file) {
  WARPJIT_TRY(std::vector<std::byte> bytes, read_file(file));
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  WARPJIT_TRY(const capture::SectionFile sections, capture::read_sections(*owner, file));
  return capture::read_launches(sections, owner);
}

bool is_launch_capture(const std::string& file) {
  const auto bytes = read_file(file);
  if (!bytes || capture::version_of(*bytes) != capture::kVersion) return false;
  const auto sections = capture::read_sections(*bytes, file);
  return sections && capture::has_launches(*sections);
}

Status write_capture_launch(const std::string& file, std::size_t number, const std::string& out) {
  WARPJIT_TRY(const capture::LaunchScene scene, load_launches(file));
  capture::LaunchMachine machine(scene, file);
  const Engine engine;
  RunOptions options;
  options.cancel = cancel_word();
  std::size_t n = 0;
  for (const capture::LaunchScene::Event& event : scene.events) {
    if (const auto* change = std::get_if<capture::MemoryChange>(&event)) {
      machine.apply(*change);
      continue;
    }
    const auto& recorded = std::get<RecordedLaunch>(event);
    if (n != number) {
      WARPJIT_TRY(const Report report, machine.run(recorded, n++, engine, options));
      (void)report;
      continue;
    }
    WARPJIT_TRY(const LaunchFile launch, launch_file_of(scene, recorded, machine));
    const std::filesystem::path path = path_of(out);
    SideFiles side(out.empty() ? "launch" : name_of(path.stem()));
    WARPJIT_TRY(const Json json, capture_launch_json(launch, side));
    for (const auto& [name, bytes] : side.files())
      WARPJIT_CHECK(write_file(path.parent_path() / path_of(name), bytes));
    return write_file(path, launch_text(json));
  }
  return Error{ErrorCode::bad_input,
               "there is no launch " + std::to_string(number) + ", but " + std::to_string(n), file};
}

namespace {

bool append_bytes(void* to, std::span<const std::byte> bytes) {
  auto& all = *static_cast<std::vector<std::byte>*>(to);
  all.insert(all.end(), bytes.begin(), bytes.end());
  return true;
}

}  // namespace

namespace {

// A draw goes on with what another one has drawn.
Status share_targets(const Launch& first, Launch& launch, const std::string& file) {
  const auto &from = first.state().pixels, &to = launch.state().pixels;
  if (!from || !to) return {};
  const auto fits = [&](const TargetBuffer& a, const TargetBuffer& b) {
    return a.format == b.format && a.size == b.size && a.pitch == b.pitch;
  };
  bool same = from->width == to->width && from->height == to->height;
  for (unsigned k = 0; k < kMaxColorTargets; ++k)
    same = same && (to->colors[k].data == nullptr || fits(from->colors[k], to->colors[k]));
  same = same && (to->depth.data == nullptr || fits(from->depth, to->depth));
  if (!same)
    return Error{ErrorCode::bad_input,
                 "its targets have not the size and the formats of those of the first file",
                 file + ", targets"};
  for (unsigned k = 0; k < kMaxColorTargets; ++k)
    if (to->colors[k].data != nullptr) WARPJIT_CHECK(launch.bind_color(k, from->colors[k]));
  return to->depth.data != nullptr ? launch.bind_depth(from->depth) : Status();
}

}  // namespace

Result<std::vector<std::byte>> launches_as_capture(const std::vector<std::string>& files) {
  const Engine engine;
  RunOptions options;
  options.cancel = cancel_word();
  std::vector<std::byte> bytes;
  LaunchRecorder recorder(append_bytes, &bytes);
  std::vector<BoundLaunch> launches;  // a capture says what their memory holds at the end
  launches.reserve(files.size());
  for (const std::string& file : files) {
    WARPJIT_TRY(LaunchFile launch, read_launch(file));
    WARPJIT_TRY(BoundLaunch bound, BoundLaunch::make(std::move(launch)));
    bound.clear();
    launches.push_back(std::move(bound));
    if (launches.size() > 1)
      WARPJIT_CHECK(share_targets(launches.front().launch(), launches.back().launch(), file));
    const auto report = recorder.run(engine, launches.back().launch(), options);
    if (!report) return report.error();
  }
  WARPJIT_CHECK(recorder.finish());
  return bytes;
}

Status import_launches(const std::vector<std::string>& files, const std::string& out) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, launches_as_capture(files));
  return write_file(out, bytes);
}

}  // namespace warpjit::tool
