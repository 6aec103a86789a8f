#include "guest/valhall/draw.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "device/valhall/capture.h"
#include "device/valhall/textures.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/shader.h"
#include "launch/write_pixels.h"
#include "runtime/work/launch.h"
#include "stop.h"
#include "textures/layout.h"

namespace warpjit::tool {

namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{4} << 20;  // in a launch file, as text

// Levels and layers one after the other, without padding.
void pack(valhall::BoundTexture& bound, LaunchTexture& to) {
  Texture& t = to.texture = bound.texture;
  const bool compressed = t.format.compression != BlockCompression::none;
  const std::uint32_t layers = t.layers * (t.dimension == TextureDimension::cube ? 6 : 1);
  std::vector<std::byte> bytes;
  for (std::uint32_t layer = 0; layer < layers; ++layer)
    for (std::uint32_t level = 0; level < t.levels; ++level) {
      const auto extent = [&](std::uint32_t n, std::uint32_t block) {
        return (std::max(n >> level, 1U) + block - 1) / block;
      };
      const textures::LevelSize size = textures::measure_level(
          t.layout, t.format.bytes, textures::tile_bits_of(compressed), extent(t.width, t.format.block_width),
          extent(t.height, t.format.block_height), extent(t.depth_extent, 1), 0, 0);
      const TextureLevelPlace& place = bound.places[level];
      const std::uint64_t row = place.row_bytes == 0 ? size.row_bytes : place.row_bytes,
                          slice = place.slice_bytes == 0 ? size.slice_bytes : place.slice_bytes;
      const auto* from = static_cast<const std::byte*>(t.data) + layer * t.layer_bytes + place.offset;
      for (std::uint64_t z = 0; z < size.slices; ++z)
        for (std::uint64_t y = 0; y < size.rows; ++y) {
          const std::byte* start = from + z * slice + y * row;
          bytes.insert(bytes.end(), start, start + size.row_bytes);
        }
    }
  t.level_places = {};
  t.layer_bytes = 0;
  t.size = bytes.size();
  to.bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  t.data = to.bytes->data();
}

class DrawLaunch {
 public:
  DrawLaunch(const valhall::Image& image, const valhall::WaitingDraw& draw, const valhall::FragmentRun& run,
             const valhall::KeptPictures& kept)
      : image_(image), draw_(draw), run_(run), kept_(kept), state_(run.launch->state()) {}

  Result<LaunchFile> make(const valhall::FramePixels& frame) {
    file_.name = image_.name();
    file_.program = frontend::shared_shader(state_.program);
    file_.work = Work::pixels;
    add_pixels(frame);
    add_vertices();
    WARPJIT_CHECK(add_memory());
    WARPJIT_CHECK(add_textures());
    return std::move(file_);
  }

 private:
  Error fail(const std::string& what, ErrorCode code = ErrorCode::unsupported) const {
    return {code, draw_.job.place() + ", draw: " + what, image_.name()};
  }

  void add_pixels(const valhall::FramePixels& frame) {
    LaunchPixels& pixels = file_.pixels;
    pixels.width = frame.width;
    pixels.height = frame.height;
    pixels.raster = run_.state.raster;
    pixels.output = run_.state.output;
    for (std::size_t k = 0; k < frame.colors.size(); ++k) {
      const PixelFormat format = run_.state.output.colors[k];
      pixels.colors.push_back(format == PixelFormat::none
                                  ? LaunchTarget{}
                                  : cleared_target(format, frame.colors[k].bytes.data()));
    }
    if (const PixelFormat format = run_.state.output.depth_format; format != PixelFormat::none)
      pixels.depth = cleared_target(format, frame.depth.bytes.data());
  }

  void add_vertices() {
    const valhall::ShadedVertices& vertices = draw_.vertices;
    LaunchPixels& pixels = file_.pixels;
    file_.count = file_.rows = std::uint64_t{vertices.count} * vertices.instances;
    pixels.slots = vertices.slots;
    pixels.vertices = vertices.words;
    pixels.indexed = vertices.primitives.indexed;
    pixels.indices = vertices.primitives.indices;
    if (vertices.instances == 1) return;
    if (!pixels.indexed) {
      pixels.indexed = true;
      for (std::uint32_t k = 0; k < vertices.count; ++k) pixels.indices.push_back(k);
    }
    part_strips();
    const std::vector<std::uint32_t> one = pixels.indices;
    for (std::uint32_t n = 1; n < vertices.instances; ++n)
      for (const std::uint32_t index : one) pixels.indices.push_back(index + n * vertices.count);
  }

  // Lists in place of strips and fans, which would hang together.
  void part_strips() {
    LaunchPixels& pixels = file_.pixels;
    Topology& topology = pixels.raster.topology;
    const bool last = pixels.raster.provoking_last;
    const std::vector<std::uint32_t> v = std::move(pixels.indices);
    std::vector<std::uint32_t>& list = pixels.indices;
    list.clear();
    const auto put = [&](std::initializer_list<std::uint32_t> vertices) {
      list.insert(list.end(), vertices.begin(), vertices.end());
    };
    switch (topology) {
      case Topology::line_strip:
        topology = Topology::lines;
        for (std::size_t i = 1; i < v.size(); ++i) put({v[i - 1], v[i]});
        break;
      case Topology::triangle_strip:
        topology = Topology::triangles;
        for (std::size_t i = 2; i < v.size(); ++i) {
          const std::uint32_t a = v[i - 2], b = v[i - 1], c = v[i];
          if (i % 2 == 0)
            put({a, b, c});
          else if (last)
            put({b, a, c});
          else
            put({a, c, b});
        }
        break;
      case Topology::triangle_fan:
        topology = Topology::triangles;
        for (std::size_t i = 2; i < v.size(); ++i) {
          if (last)
            put({v[0], v[i - 1], v[i]});
          else
            put({v[i - 1], v[i], v[0]});
        }
        break;
      default:
        list = v;
        break;
    }
  }

  Status add_memory() {
    const frontend::Grid& grid = state_.values.grid;
    LaunchGrid& to = file_.grid;
    to.parameters = grid.parameters;
    to.images = grid.images;
    to.buffers = grid.buffers;
    WARPJIT_TRY(const GridUse use, guest_of(Isa::valhall).grid_use(*file_.program));
    std::uint64_t total = 0;
    const auto add = [&](const std::string& space, bool constant, std::uint64_t address,
                         std::span<const std::byte> bytes) {
      total += bytes.size();
      if (bytes.empty() || total > kMostMemory) return;
      LaunchMemory& piece = to.memory.emplace_back();
      piece.space = space;
      piece.constant = constant;
      piece.address = address;
      piece.bytes.assign(bytes.begin(), bytes.end());
      piece.bytes.resize((piece.bytes.size() + 7) / 8 * 8);
      piece.given = bytes.size();
    };
    for (std::size_t k = 0; k < valhall::kMaxBuffers; ++k)
      add(fmt::format("c{}", k), true, 0, grid.constants[k]);
    if (std::ranges::find(use.spaces, "mem", &GridUse::Space::name) != use.spaces.end())
      for (const valhall::ImageWindow& window : image_.windows())
        add("mem", false, window.address(), window.bytes());
    if (total > kMostMemory)
      return fail(fmt::format("buffers and memory have {} bytes, more than {}", total, kMostMemory),
                  ErrorCode::resource_limit);
    return {};
  }

  Status add_textures() {
    WARPJIT_TRY(const valhall::DrawDescriptor draw, valhall::read_draw(image_, draw_.job));
    const valhall::Environment& environment = draw.fragment;
    if (file_.program->sampling().computed) return add_tables(environment);
    for (const frontend::TextureUse& use : file_.program->sampling().uses) {
      bool normalized = true;
      if (use.needs_sampler) {
        WARPJIT_TRY(normalized, add_sampler(environment, use.sampler));
      }
      WARPJIT_CHECK(add_texture(environment, use.texture, normalized));
    }
    return {};
  }
  // All entries that there are, of which the program computes one.
  Status add_tables(const valhall::Environment& environment) {
    const auto count = [&](std::uint32_t table) {
      return table < environment.tables.size() ? environment.tables[table].count() : 0;
    };
    bool normalized = true;  // those of a draw that runs agree
    for (unsigned slot = 0; slot < count(setup().sampler_table); ++slot) {
      WARPJIT_TRY(const auto there, valhall::read_sampler(image_, environment, setup().sampler_table, slot));
      if (!there) continue;
      WARPJIT_TRY(normalized, add_sampler(environment, slot));
    }
    for (unsigned slot = 0; slot < count(setup().texture_table); ++slot) {
      WARPJIT_TRY(const auto there, valhall::read_texture(image_, environment, setup().texture_table, slot));
      if (there) WARPJIT_CHECK(add_texture(environment, slot, normalized));
    }
    return {};
  }
  // Whether its coordinates are normalized.
  Result<bool> add_sampler(const valhall::Environment& environment, unsigned slot) {
    const std::uint32_t table = setup().sampler_table;
    WARPJIT_TRY(const auto sampler, valhall::read_sampler(image_, environment, table, slot));
    if (!sampler) return fail(fmt::format("there is no sampler {}", slot));
    WARPJIT_TRY(const Sampler converted, valhall::convert_sampler(image_, *sampler));
    if (std::ranges::find(file_.samplers, slot, &LaunchSampler::slot) == file_.samplers.end())
      file_.samplers.push_back({slot, converted});
    return sampler->normalized;
  }
  Status add_texture(const valhall::Environment& environment, unsigned slot, bool normalized) {
    if (std::ranges::find(file_.textures, slot, &LaunchTexture::slot) != file_.textures.end()) return {};
    WARPJIT_TRY(const auto texture, valhall::read_texture(image_, environment, setup().texture_table, slot));
    if (!texture) return fail(fmt::format("there is no texture {}", slot));
    WARPJIT_TRY(valhall::BoundTexture bound,
                valhall::convert_texture(image_, *texture, normalized, {.targets = {}, .kept = &kept_}));
    if (!name(bound.texture.format)) return fail(fmt::format("texture {} has a format without a name", slot));
    LaunchTexture& added = file_.textures.emplace_back();
    added.slot = slot;
    added.where = fmt::format("textures.{}", slot);
    pack(bound, added);
    return {};
  }
  const valhall::FragmentSetup& setup() const {
    return static_cast<const valhall::Shader&>(*file_.program).program().fragment;
  }

  const valhall::Image& image_;
  const valhall::WaitingDraw& draw_;
  const valhall::FragmentRun& run_;
  const valhall::KeptPictures& kept_;
  const runtime::LaunchState& state_;
  LaunchFile file_;
};

}  // namespace

Result<LaunchFile> launch_of_draw(valhall::CaptureFile& capture, std::size_t number) {
  valhall::Image& image = capture.image;
  const Engine engine;
  RunOptions options;
  options.cancel = cancel_word();
  valhall::CaptureVisitor visitor;
  valhall::CaptureRun run(image, engine, visitor, options);
  valhall::CaptureRun::Stop stop{.number = number};
  run.stop_before(stop);
  WARPJIT_CHECK(valhall::run_chains(capture, image, run));
  if (!stop.draw)
    return Error{ErrorCode::bad_input, fmt::format("no fragment job draws a draw {}", number), image.name()};
  if (const unsigned samples = stop.frame->framebuffer().samples; samples != 1)
    return Error{
        ErrorCode::unsupported,
        fmt::format("{}: its pixels have {} samples, for each of which the draw runs; a launch is one run",
                    stop.frame->framebuffer().place, samples),
        image.name()};
  if (stop.frame->framebuffer().has_pre_frame())
    return Error{ErrorCode::unsupported,
                 stop.frame->framebuffer().place +
                     ": pre-frame draws load its targets; a launch begins with cleared ones",
                 image.name()};
  WARPJIT_TRY(valhall::FragmentRun prepared, stop.frame->prepare(image, *stop.draw));
  if (!prepared.launch)
    return Error{ErrorCode::bad_input, fmt::format("draw {} changes no pixel", number), image.name()};
  // The targets as they are before the first draw.
  WARPJIT_TRY(const valhall::FramePixels clear, stop.frame->cleared(image));
  return DrawLaunch(image, *stop.draw, prepared, stop.frame->kept()).make(clear);
}

}  // namespace warpjit::tool
