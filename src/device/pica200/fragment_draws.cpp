#include "device/pica200/fragment_draws.h"

#include <cstring>
#include <numeric>
#include <utility>

#include "base/hash.h"

namespace warpjit::pica200 {

namespace {

constexpr std::uint8_t kPlaneOfW = 6;

// The planes of the view volume, that of the user last, in the order in which they cut.
pixels::RasterRules rules_of(const FragmentSetup& setup) {
  constexpr double kLeastW = 1e-5, kNearZero = -1e-8;
  pixels::RasterRules rules;
  rules.subpixel_bits = 4;
  rules.planes = {{{{-1, 0, 0, 1}},
                   {{1, 0, 0, 1}},
                   {{0, -1, 0, 1}},
                   {{0, 1, 0, 1}},
                   {{0, 0, -1, 0}, 0, kNearZero},
                   {{0, 0, 1, 1}},
                   {{0, 0, 0, 1}, -kLeastW}}};
  rules.plane_count = kPlaneOfW + 1;
  if (setup.raster.user_plane) {
    for (std::size_t n = 0; n < 4; ++n) rules.planes[rules.plane_count].factors[n] = setup.raster.plane[n];
    ++rules.plane_count;
  }
  if (setup.state.lighting.on) rules.quaternion_slot = kQuaternionSlot;
  return rules;
}

RasterState raster_of(const RasterSetup& setup) {
  constexpr std::uint8_t kDropPositive = 1, kDropNegative = 2;
  RasterState raster;
  const auto half_width = static_cast<float>(setup.half_width),
             half_height = static_cast<float>(setup.half_height);
  raster.viewport_scale = {half_width, half_height, 1};
  raster.viewport_translate = {half_width + static_cast<float>(setup.x),
                               half_height + static_cast<float>(setup.y), 0};
  raster.positive_is_front = true;
  raster.cull_front = setup.cull == kDropPositive;
  raster.cull_back = setup.cull == kDropNegative;
  if (setup.scissor == RasterSetup::Scissor::inside) {
    const auto extent = [](std::int32_t first, std::int32_t last) {
      return first > last ? 0U : static_cast<std::uint32_t>(last - first + 1);
    };
    raster.scissor = {static_cast<std::uint32_t>(setup.left), static_cast<std::uint32_t>(setup.bottom),
                      extent(setup.left, setup.right), extent(setup.bottom, setup.top)};
  }
  return raster;
}

// Targets in blocks as those who move these see them; without data, if nothing touches them.
pixels::TargetMemory blocks_of(const runtime::LaunchPixels& pixels, const TargetBuffer& target,
                               const pixels::TargetBlocks& blocks) {
  return {static_cast<std::byte*>(target.data), 0, pixels.width, pixels.height, blocks};
}

void bind_targets(const FragmentSetup& setup, const FoundTargets& targets, runtime::LaunchPixels& pixels) {
  const OutputState& output = setup.state.output;
  const TargetSetup& target = setup.target;
  pixels.width = target.width;
  pixels.height = target.height;
  pixels.output = {};
  pixels.colors[0] = pixels.depth = {};
  pixels.color_blocks = pixels.depth_blocks = {};
  if (output.touches_color()) {
    pixels.output.colors[0] = PixelFormat::r32ui;
    pixels.colors[0] = {targets.color, targets.color_size, 0, PixelFormat::r32ui};
    pixels.color_blocks = {static_cast<std::uint8_t>(pixel_bytes(output.color_format)), !target.mirrored};
  }
  if (output.touches_depth()) {
    pixels.output.depth_format = PixelFormat::d24s8;
    pixels.depth = {targets.depth, targets.depth_size, 0, PixelFormat::d24s8};
    pixels.depth_blocks = {static_cast<std::uint8_t>(pixel_bytes(output.depth_format)), !target.mirrored};
  }
}

}  // namespace

Result<FragmentDraws::CachedLaunch*> FragmentDraws::find_launch(const FragmentState& state) {
  const std::uint64_t hash = hash_bytes(std::as_bytes(std::span(&state, 1)));
  CachedLaunch* found = launches_.find(hash, [&](const CachedLaunch& cached) {
    return static_cast<const FragmentShader&>(*cached.launch.state().shader).state() == state;
  });
  if (found != nullptr) return found;
  Launch launch{warpjit::Program(std::make_shared<const FragmentShader>(state))};
  WARPJIT_CHECK(launch.status());
  launch.state().values.data = data_.get();
  const std::size_t bytes = launch.state().memory_bytes() + sizeof(FragmentShader);
  return &launches_.add(hash, bytes, {std::move(launch)});
}

Status FragmentDraws::bind_memories(const FragmentSetup& setup, const FragmentTables& tables,
                                    const PhysicalMemory& memory, const FoundTargets& targets,
                                    runtime::LaunchState& launch, FragmentWords& words) {
  std::vector<ir::TexelView>& views = launch.values.grid.bound.memories;
  views.clear();
  const auto add = [&](const std::byte* data, std::size_t size) {
    views.push_back(ir::texel_view({data, size}));
  };
  for (unsigned unit = 0; unit < 3; ++unit) {
    const TextureState& state = setup.state.textures[unit];
    FoundTexture& found = textures_[unit];
    found.copy.clear();
    if (state.type == TextureType::off) continue;
    if (state.absent) {
      add(reinterpret_cast<const std::byte*>(&tables_), sizeof tables_);  // nothing reads it
      continue;
    }
    WARPJIT_CHECK(find_texture(setup, unit, memory, targets, found));
    add(found.data, found.size);
    TextureWords& own = words.textures[unit];
    for (std::size_t face = 0; face < found.faces.size(); ++face)
      own.faces[face] = found.faces[face] - own.levels[found.first_level];
  }
  const FragmentMemories memories(setup.state);
  if (!memories.has_tables) return {};
  if (!tables_current_) fill(tables, tables_);
  tables_current_ = true;
  add(reinterpret_cast<const std::byte*>(&tables_), sizeof tables_);
  return {};
}

void FragmentDraws::read_commands(std::span<const std::byte> list) {
  list_ = list;
  if (kept_.overlaps(list.data(), list.size())) version_ = kNone;
}

Status FragmentDraws::begin(GpuRegisters registers, std::uint64_t version, const FragmentTables& tables,
                            const PhysicalMemory& memory, bool keeps) {
  version_ = kNone;
  launch_ = nullptr;
  WARPJIT_TRY(data_->setup, read_fragment_setup(registers, tables));
  const FragmentSetup& setup = data_->setup;
  WARPJIT_TRY(const FoundTargets targets, find_targets(setup, memory));
  keeps_ = keeps && !targets.overlap(list_.data(), list_.size());
  if (!keeps_) targets.reach(memory);
  WARPJIT_TRY(CachedLaunch* const cached, find_launch(setup.state));
  runtime::LaunchState& launch = cached->launch.state();
  runtime::LaunchPixels& pixels = *launch.pixels;
  bind_targets(setup, targets, pixels);
  // Before textures are looked for, which may lie over what is kept.
  if (keeps_)
    kept_.begin(blocks_of(pixels, pixels.colors[0], pixels.color_blocks),
                blocks_of(pixels, pixels.depth, pixels.depth_blocks));
  FragmentWords words = words_of(setup);
  WARPJIT_CHECK(bind_memories(setup, tables, memory, targets, launch, words));
  version_ = version;
  if (targets.color == nullptr && targets.depth == nullptr) return {};
  launch_ = cached;
  if (std::memcmp(launch.values.words.data(), &words, sizeof words) != 0) {
    std::memcpy(launch.values.words.data(), &words, sizeof words);
    ++launch.values_generation;
  }
  data_->memory = &memory;
  pixels.raster = raster_of(setup.raster);
  pixels.rules = rules_of(setup);
  ++launch.bindings_generation;
  return {};
}

Status FragmentDraws::run(const Engine& engine, const PrimitiveTriangles& triangles,
                          const RunOptions& options, bool last) {
  runtime::LaunchState& launch = launch_->launch.state();
  runtime::LaunchPixels& pixels = *launch.pixels;
  pixels.vertices = {triangles.vertices.data(), triangles.vertices.size_bytes(), sizeof(Vertex),
                     kVertexSlots};
  if (triangles.indexed && triangles.indices.data() != indices_->data())
    indices_->assign(triangles.indices.begin(), triangles.indices.end());
  pixels.indices = triangles.indexed ? indices_ : nullptr;
  launch.count = triangles.vertices.size();
  pixels.kept = keeps_ && (!last || kept_.holds()) ? &kept_ : nullptr;
  pixels.stores_kept = last;
  if (pixels.kept != nullptr) kept_.prepare();
  const auto report = engine.run(launch_->launch, options);
  if (!report) {
    Error error = report.error();
    if (error.code == ErrorCode::fault) error.code = ErrorCode::bad_input;  // the registers, not a program
    return error;
  }
  counts_.primitives += triangles.count();
  counts_.covered += report->draw.covered;
  return {};
}

Status FragmentDraws::add(const Engine& engine, const PrimitiveTriangles& triangles,
                          const RunOptions& options) {
  // So many vertices are not worth being copied.
  constexpr std::size_t kManyVertices = 1024, kMostWaiting = std::size_t{1} << 16;
  if (launch_ == nullptr || triangles.count() == 0) return {};
  if (vertices_.size() + triangles.vertices.size() > kMostWaiting) WARPJIT_CHECK(flush(engine, options));
  if (vertices_.empty() && triangles.vertices.size() >= kManyVertices)
    return run(engine, triangles, options, false);
  const auto first = static_cast<std::uint32_t>(vertices_.size());
  if (triangles.indexed && !indexed_) {
    indices_->resize(first);
    std::iota(indices_->begin(), indices_->end(), 0U);
    indexed_ = true;
  }
  const std::size_t used = triangles.indexed ? triangles.vertices.size() : 3 * triangles.count();
  vertices_.insert(vertices_.end(), triangles.vertices.begin(),
                   triangles.vertices.begin() + static_cast<std::ptrdiff_t>(used));
  if (!indexed_) return {};
  if (triangles.indexed)
    for (const std::uint32_t index : triangles.indices) indices_->push_back(first + index);
  else
    for (std::size_t n = 0; n < used; ++n) indices_->push_back(first + static_cast<std::uint32_t>(n));
  return {};
}

Status FragmentDraws::flush(const Engine& engine, const RunOptions& options, bool last) {
  if (vertices_.empty()) return {};
  Status status;
  try {
    status = run(engine, {vertices_, *indices_, indexed_}, options, last);
  } catch (...) {
    status = caught();
  }
  vertices_.clear();
  indices_->clear();
  indexed_ = false;
  // What lies in copies may change.
  for (const FoundTexture& texture : textures_)
    if (!texture.copy.empty()) version_ = kNone;
  return status;
}

Status FragmentDraws::finish(const Engine& engine, const RunOptions& options) {
  const Status status = flush(engine, options, true);
  write_back();
  return status;
}

}  // namespace warpjit::pica200
