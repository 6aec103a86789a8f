#include "launch/bound_launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "frontend/interpret/pixels/format.h"
#include "runtime/work/launch.h"

namespace warpjit::tool {

namespace {

constexpr std::uint64_t kMaxResultBytes = std::uint64_t{4} << 30;

Status set_value(Launch& launch, const LaunchValue& value) {
  switch (value.location.kind) {
    case LocationKind::bool_uniform:
      return launch.set_bool(value.location, value.words.front() != 0);
    case LocationKind::int_uniform:
      return launch.set_int(value.location, value.words);
    case LocationKind::state:
      return launch.set_state(value.location, value.words);
    default:
      return launch.set_bits(value.location, value.words);
  }
}

Status bind_textures(const LaunchFile& file, Launch& launch) {
  for (const LaunchTexture& texture : file.textures)
    if (auto status = launch.set_texture(texture.slot, texture.texture); !status) {
      Error error = status.error();
      error.where = file.name.empty() ? texture.where : file.name + ", " + texture.where;
      return error;
    }
  for (const LaunchSampler& sampler : file.samplers)
    WARPJIT_CHECK(launch.set_sampler(sampler.slot, sampler.sampler));
  return {};
}

Status bind_uniforms(const LaunchFile& file, Launch& launch) {
  for (const auto* values : {&file.uniforms, &file.state})
    for (const LaunchValue& value : *values) WARPJIT_CHECK(set_value(launch, value));
  return {};
}

// Uniforms, state and inputs.
Status bind_values(const LaunchFile& file, Launch& launch) {
  WARPJIT_CHECK(bind_uniforms(file, launch));
  for (const LaunchInput& input : file.inputs) {
    const std::vector<std::byte>& bytes = file.buffers[input.buffer].bytes;
    Attribute attribute;
    attribute.data = bytes.data() + input.offset;
    attribute.size = bytes.size() - static_cast<std::size_t>(input.offset);
    attribute.stride = static_cast<std::size_t>(input.stride);
    attribute.format = input.format;
    attribute.divisor = input.divisor;
    WARPJIT_CHECK(launch.bind_input(numbered(LocationKind::input, input.reg), attribute));
  }
  return launch.set_count(file.count);
}

std::uint32_t word_at(const std::vector<std::byte>& bytes, std::size_t place) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + place, std::min<std::size_t>(4, bytes.size() - place));
  return word;
}

}  // namespace

Result<BoundLaunch> BoundLaunch::make(LaunchFile file) {
  Launch launch{Program(file.program)};
  BoundLaunch bound(std::make_unique<LaunchFile>(std::move(file)), std::move(launch));
  WARPJIT_CHECK(bound.bind());
  return bound;
}

Status BoundLaunch::bind() {
  WARPJIT_CHECK(bind_textures(*file_, launch_));
  if (file_->work == Work::grid) return bind_grid();
  if (file_->work == Work::pixels) return bind_pixels();
  WARPJIT_CHECK(bind_values(*file_, launch_));
  WARPJIT_CHECK(file_->program->traits().memory.rows ? bind_memory() : bind_stage_memory(*file_, launch_));
  if (file_->work == Work::primitives) WARPJIT_CHECK(bind_primitives());
  return bind_rows();
}

Status BoundLaunch::bind_rows() {
  threads_ = launch_.state().thread_count();
  for (const LaunchOutput& output : file_->outputs) add_column(output);
  for (const Expectation& wanted : file_->expectations) add_column(wanted.what);
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
    buffer.format = {ComponentType::u32, static_cast<std::uint8_t>(column.components)};
    WARPJIT_CHECK(launch_.bind_output(column.reg, buffer));
  }
  return {};
}

Status BoundLaunch::bind_primitives() {
  const LaunchFile& file = *file_;
  WARPJIT_CHECK(launch_.set_geometry_input(file.geometry));
  if (!file.primitives.empty()) WARPJIT_CHECK(launch_.set_primitives(file.primitives));
  if (!file.vertex.empty()) {
    const LaunchFile& stage = file.vertex.front();
    Launch vertex{Program(stage.program)};
    WARPJIT_CHECK(bind_values(stage, vertex));
    std::uint64_t outputs = 0;
    for (const LaunchOutput& output : stage.outputs) outputs |= std::uint64_t{1} << output.reg.first;
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

Status BoundLaunch::bind_grid() {
  const LaunchGrid& grid = file_->grid;
  WARPJIT_CHECK(launch_.set_parameters(grid.parameters));
  if (const auto& vertices = grid.vertices) {
    WARPJIT_CHECK(launch_.set_count(vertices->count));
    WARPJIT_CHECK(launch_.set_instances(vertices->instances));
    WARPJIT_CHECK(launch_.set_first_vertex(vertices->first, vertices->first_instance));
    WARPJIT_CHECK(launch_.set_attributes(vertices->attributes, vertices->attribute_offset));
    return bind_memory();
  }
  WARPJIT_CHECK(launch_.set_grid(grid.grid[0], grid.grid[1], grid.grid[2]));
  WARPJIT_CHECK(launch_.set_block(grid.block[0], grid.block[1], grid.block[2]));
  if (grid.first_block != std::array<std::uint32_t, 3>{})
    WARPJIT_CHECK(launch_.set_first_block(grid.first_block[0], grid.first_block[1], grid.first_block[2]));
  WARPJIT_CHECK(launch_.set_shared_bytes(grid.shared_bytes));
  return bind_memory();
}

Status BoundLaunch::bind_memory() {
  if (!file_->grid.images.empty()) WARPJIT_CHECK(launch_.set_images(file_->grid.images));
  if (!file_->grid.buffers.empty()) WARPJIT_CHECK(launch_.set_buffers(file_->grid.buffers));
  for (const LaunchMemory& piece : file_->grid.memory) {
    std::vector<std::byte>& bytes = memory_.emplace_back(piece.bytes);
    if (piece.space == kResultSpace) {
      WARPJIT_CHECK(launch_.map_results(bytes.data(), bytes.size(), file_->grid.vertices->packet_stride));
      continue;
    }
    WARPJIT_CHECK(piece.constant
                      ? launch_.bind_constants(piece.space, bytes.data(), bytes.size())
                      : launch_.map_memory(piece.space, piece.address, bytes.data(), bytes.size()));
  }
  return {};
}

// The memory of vertex and geometry programs: those of most guests have constants alone.
Status BoundLaunch::bind_stage_memory(const LaunchFile& file, Launch& launch) {
  for (const LaunchMemory& piece : file.grid.memory) {
    if (!piece.constant && file.program->traits().memory.rows) {
      std::vector<std::byte>& bytes = stage_memory_.emplace_back(&piece, piece.bytes).second;
      WARPJIT_CHECK(launch.map_memory(piece.space, piece.address, bytes.data(), bytes.size()));
      continue;
    }
    if (!piece.constant)
      return Error{ErrorCode::unsupported, "vertex and geometry programs have no memory but constants",
                   piece.space};
    WARPJIT_CHECK(launch.bind_constants(piece.space, piece.bytes.data(), piece.bytes.size()));
  }
  return {};
}

Status BoundLaunch::bind_pixels() {
  const LaunchPixels& pixels = file_->pixels;
  if (!file_->grid.parameters.empty()) WARPJIT_CHECK(launch_.set_parameters(file_->grid.parameters));
  WARPJIT_CHECK(bind_uniforms(*file_, launch_));
  WARPJIT_CHECK(bind_memory());
  WARPJIT_CHECK(launch_.set_raster_state(pixels.raster));
  WARPJIT_CHECK(launch_.set_output_state(pixels.output));
  WARPJIT_CHECK(launch_.set_target_size(pixels.width, pixels.height));
  const std::size_t count = std::size_t{pixels.width} * pixels.height;
  std::uint64_t needed = std::uint64_t{count} * pixel_size(pixels.depth.format);
  for (const LaunchTarget& target : pixels.colors) needed += std::uint64_t{count} * pixel_size(target.format);
  if (needed > kMaxResultBytes)
    return Error{ErrorCode::resource_limit,
                 fmt::format("the targets need more than {} bytes", kMaxResultBytes), file_->name};
  const auto bind = [&](unsigned number, const LaunchTarget& target) -> Status {
    if (target.format == PixelFormat::none) return {};
    const std::size_t size = pixel_size(target.format);
    Picture& picture = pictures_.emplace_back();
    picture.target = number;
    picture.format = target.format;
    picture.bytes.resize(count * size);
    const TargetBuffer buffer{picture.bytes.data(), picture.bytes.size(), pixels.width * size, target.format};
    return number == kDepthPicture ? launch_.bind_depth(buffer) : launch_.bind_color(number, buffer);
  };
  for (unsigned k = 0; k < pixels.colors.size(); ++k) WARPJIT_CHECK(bind(k, pixels.colors[k]));
  WARPJIT_CHECK(bind(kDepthPicture, pixels.depth));
  if (pixels.indexed) WARPJIT_CHECK(launch_.set_indices(pixels.indices));
  WARPJIT_CHECK(launch_.set_instances(pixels.instances));
  for (const LaunchFile& stage : file_->geometry_stage) {
    Launch geometry{Program(stage.program)};
    WARPJIT_CHECK(bind_textures(stage, geometry));
    WARPJIT_CHECK(bind_stage_memory(stage, geometry));
    WARPJIT_CHECK(launch_.set_geometry_stage(geometry));
  }
  if (file_->vertex.empty()) {
    WARPJIT_CHECK(launch_.set_count(file_->count));
    return launch_.bind_vertices(
        {pixels.vertices.data(), pixels.vertices.size() * 4, std::size_t{pixels.slots} * 4, pixels.slots});
  }
  const LaunchFile& stage = file_->vertex.front();
  Launch vertex{Program(stage.program)};
  WARPJIT_CHECK(bind_values(stage, vertex));
  WARPJIT_CHECK(bind_textures(stage, vertex));
  WARPJIT_CHECK(bind_stage_memory(stage, vertex));
  return launch_.set_vertex_stage(vertex);
}

std::vector<std::byte> BoundLaunch::cleared_pixel(const Picture& picture) const {
  const LaunchTarget& target =
      picture.target == kDepthPicture ? file_->pixels.depth : file_->pixels.colors[picture.target];
  const interpret::FormatInfo& format = interpret::format_info(target.format);
  interpret::PixelWords pixel{};
  for (std::size_t k = 0; k < format.components.size(); ++k)
    if (const interpret::Component& component = format.components[k];
        component.encoding != interpret::Encoding::none)
      interpret::insert(component, pixel, interpret::encode(component, target.clear[k]));
  std::vector<std::byte> bytes(format.bytes);
  interpret::store_pixel(bytes.data(), format.bytes, pixel);
  return bytes;
}

void BoundLaunch::clear_pictures() {
  for (Picture& picture : pictures_) {
    const LaunchTarget& target =
        picture.target == kDepthPicture ? file_->pixels.depth : file_->pixels.colors[picture.target];
    if (target.data) {
      std::ranges::copy(*target.data, picture.bytes.begin());
      continue;
    }
    const std::vector<std::byte> pixel = cleared_pixel(picture);
    for (std::size_t at = 0; at < picture.bytes.size(); at += pixel.size())
      std::memcpy(picture.bytes.data() + at, pixel.data(), pixel.size());
  }
}

const BoundLaunch::Picture* BoundLaunch::picture(unsigned target) const {
  const auto found = std::ranges::find(pictures_, target, &Picture::target);
  return found != pictures_.end() ? &*found : nullptr;
}

std::string BoundLaunch::picture_name(unsigned target) {
  return target == kDepthPicture ? "depth" : "color" + std::to_string(target);
}

std::uint64_t BoundLaunch::Picture::hash() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
  return hash;
}

void BoundLaunch::add_column(const LaunchOutput& output) {
  // A register is one column, wide enough for all who ask for it.
  const unsigned count = output.format.components;
  for (ResultColumn& column : columns_) {
    if (column.reg.first != output.reg.first) continue;
    if (column.components >= count) return;
    for (ResultColumn& later : columns_)
      if (later.first > column.first) later.first += count - column.components;
    row_words_ += count - column.components;
    column.components = count;
    return;
  }
  columns_.push_back({output.reg, count, row_words_});
  row_words_ += count;
}

const ResultColumn& BoundLaunch::column(const LaunchOutput& output) const {
  return *std::find_if(columns_.begin(), columns_.end(),
                       [&](const ResultColumn& column) { return column.reg.first == output.reg.first; });
}

void BoundLaunch::restore_memory() {
  for (std::size_t k = 0; k < memory_.size(); ++k)
    std::copy(file_->grid.memory[k].bytes.begin(), file_->grid.memory[k].bytes.end(), memory_[k].begin());
  for (auto& [piece, bytes] : stage_memory_) std::ranges::copy(piece->bytes, bytes.begin());
}

void BoundLaunch::clear() {
  std::fill(words_.begin(), words_.end(), 0xCDCDCDCD);
  restore_memory();
  clear_pictures();
  triangle_count_ = 0;
}

Result<Report> BoundLaunch::run(const Engine& engine, const RunOptions& options) {
  clear();
  return run_on(engine, options);
}

Result<Report> BoundLaunch::run_on(const Engine& engine, const RunOptions& options) {
  auto report = engine.run(launch_, options);
  if (!report) return report;
  triangle_count_ = report->triangles;
  WARPJIT_CHECK(check_descriptors());
  return report;
}

Result<Report> BoundLaunch::run_profiled(const Engine& engine, const RunOptions& options, Profile& profile) {
  clear();
  auto report = engine.profile(launch_, profile, options);
  if (report) WARPJIT_CHECK(check_descriptors());
  return report;
}

Status BoundLaunch::check_descriptors() const {
  const LaunchGrid& grid = file_->grid;
  for (const LaunchDescriptor& descriptor : grid.descriptors)
    for (std::size_t k = 0; k < memory_.size(); ++k) {
      const LaunchMemory& piece = grid.memory[k];
      const std::uint64_t from = descriptor.address - piece.address;
      if (piece.space != "mem" || from > piece.bytes.size() || descriptor.size > piece.bytes.size() - from)
        continue;
      const auto first = piece.bytes.begin() + static_cast<std::ptrdiff_t>(from);
      if (!std::equal(first, first + static_cast<std::ptrdiff_t>(descriptor.size),
                      memory_[k].begin() + static_cast<std::ptrdiff_t>(from)))
        return descriptor.error;
    }
  return {};
}

std::vector<std::string> BoundLaunch::vertex_registers() const {
  std::vector<std::string> names;
  for (unsigned n = 0; n < 64; ++n)
    if ((file_->geometry.outputs >> n & 1) != 0)
      names.push_back(file_->program->register_name(numbered(LocationKind::output, n)));
  return names;
}

std::uint32_t BoundLaunch::word(const LaunchOutput& range, std::size_t k) const {
  return word_at(memory_[range.piece], range.offset + 4 * k);
}

std::vector<std::uint32_t> BoundLaunch::results() const {
  std::vector<std::uint32_t> all = words_;
  for (std::uint64_t n = 0; n < triangle_count_; ++n) {
    all.push_back(inverted(n) ? 1 : 0);
    all.insert(all.end(), triangle(n), triangle(n) + triangle_words());
  }
  for (const std::vector<std::byte>& bytes : memory_)
    for (std::size_t place = 0; place < bytes.size(); place += 4) all.push_back(word_at(bytes, place));
  for (const Picture& picture : pictures_)
    for (std::size_t place = 0; place < picture.bytes.size(); place += 4)
      all.push_back(word_at(picture.bytes, place));
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
      for (unsigned k = 0; k < output.format.components; ++k) add(word(column(output), thread, k));
  for (std::uint64_t n = 0; n < triangle_count_; ++n) {
    add(inverted(n) ? 1 : 0);
    for (unsigned k = 0; k < triangle_words(); ++k) add(triangle(n)[k]);
  }
  for (const std::vector<std::byte>& bytes : memory_)
    for (std::size_t place = 0; place < bytes.size(); place += 4) add(word_at(bytes, place));
  for (const Picture& picture : pictures_)
    for (std::size_t place = 0; place < picture.bytes.size(); place += 4) add(word_at(picture.bytes, place));
  return hash;
}

Result<frontend::Facts> BoundLaunch::facts(bool general) const {
  runtime::LaunchState& state = launch_.state();
  WARPJIT_CHECK(state.check());
  return state.facts(general ? 0 : state.usage.bools);
}

}  // namespace warpjit::tool
