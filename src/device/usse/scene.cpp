#include "device/usse/scene.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "base/fill.h"
#include "base/float_environment.h"
#include "base/result.h"
#include "device/usse/state.h"
#include "frontend/usse/facts/slots.h"
#include "frontend/usse/shader.h"

namespace warpjit::usse {
namespace {

constexpr std::uint32_t kMaxVertices = 1 << 22, kMaxIndices = 1 << 24, kMaxInstances = 1 << 16;
constexpr std::size_t kMaxDefaultWords = 1 << 16;

Error bad(std::string message, ErrorCode code = ErrorCode::bad_input) {
  return {code, std::move(message), {}};
}
Error within(const std::string& place, const Error& error) {
  return {error.code, place + ": " + to_string(error), {}};
}

Result<const usse::Program*> program_of(const StageSetup& setup, Stage stage) {
  if (setup.program == nullptr) return bad(std::string(stage_name(stage)) + " program is missing");
  if (setup.program->isa() != Isa::usse || setup.program->stage() != stage)
    return bad(std::string(stage_name(stage)) + " program is not a " + name(stage) +
               " program of usse, but a " + name(setup.program->stage()) + " program of " +
               name(setup.program->isa()));
  return &static_cast<const Shader&>(frontend::shader_of(*setup.program)).program();
}

class DrawBinder {
 public:
  DrawBinder(SceneState& scene, const Draw& draw, BoundDraw& bound)
      : scene_(scene), draw_(draw), bound_(bound) {}

  Status run() {
    WARPJIT_TRY(vertex_, program_of(draw_.vertex, Stage::vertex));
    WARPJIT_TRY(fragment_, program_of(draw_.fragment, Stage::fragment));
    WARPJIT_CHECK(count_vertices());
    if (bound_.nothing) return {};
    bound_.vertex.emplace(*draw_.vertex.program);
    bound_.fragment.emplace(*draw_.fragment.program);
    WARPJIT_CHECK(bind_values(draw_.vertex, *vertex_, *bound_.vertex, 0));
    WARPJIT_CHECK(bind_values(draw_.fragment, *fragment_, *bound_.fragment, 1));
    WARPJIT_CHECK(bind_attributes());
    WARPJIT_CHECK(bound_.vertex->set_count(vertices_));
    Launch& launch = *bound_.fragment;
    WARPJIT_TRY(const RasterState raster, convert_raster(draw_, *vertex_));
    WARPJIT_CHECK(launch.set_raster_state(raster));
    const PixelFormat depth = scene_.depth ? scene_.depth->format : PixelFormat::none;
    WARPJIT_TRY(const OutputState output,
                convert_output(draw_, scene_.surface.target(), depth, fragment_->has(Flag::native_color)));
    WARPJIT_CHECK(launch.set_output_state(output));
    WARPJIT_CHECK(bind_targets(launch, depth));
    if (!draw_.indices.empty()) WARPJIT_CHECK(launch.set_indices(draw_.indices));
    WARPJIT_CHECK(launch.set_instances(draw_.instances));
    return launch.set_vertex_stage(*bound_.vertex);
  }

 private:
  Status count_vertices() {
    if (draw_.indices.size() > kMaxIndices)
      return bad("indices are more than 16777216", ErrorCode::resource_limit);
    if (draw_.instances > kMaxInstances)
      return bad("instances are more than 65536", ErrorCode::resource_limit);
    const std::uint32_t most = draw_.indices.empty() ? 0 : *std::ranges::max_element(draw_.indices);
    if (most >= kMaxVertices)
      return bad("index " + std::to_string(most) + " is above 4194303", ErrorCode::resource_limit);
    vertices_ = draw_.indices.empty() ? 0 : most + 1;
    bound_.nothing = vertices_ == 0 || draw_.instances == 0;
    return {};
  }

  // ---- Values

  Status default_uniforms(const StageSetup& setup, const usse::Program& program,
                          std::array<std::vector<std::uint32_t>, kUniformBuffers>& buffers) const {
    std::vector<std::uint32_t>& block = buffers[kDefaultContainer];
    if (program.default_words > kMaxDefaultWords)
      return bad("the default uniform buffer has more than 65536 words", ErrorCode::resource_limit);
    const RegisterContainer* const container = program.container(kDefaultContainer);
    block.assign(std::max<std::size_t>(program.default_words, container == nullptr ? 0 : container->words),
                 0);
    if (!setup.default_uniforms.empty())
      std::copy_n(setup.default_uniforms.begin(), std::min(setup.default_uniforms.size(), block.size()),
                  block.begin());
    for (const NamedUniform& uniform : setup.uniforms) {
      const auto found = std::ranges::find_if(program.parameters, [&](const Parameter& parameter) {
        return parameter.category == Category::uniform && parameter.name == uniform.name;
      });
      const std::string place = "uniform '" + std::string(uniform.name) + "'";
      if (found == program.parameters.end()) return bad(place + ": the program has none of that name");
      if (found->container >= kUniformBuffers)
        return bad(place + ": it is in no uniform buffer", ErrorCode::unsupported);
      std::vector<std::uint32_t>& words = buffers[found->container];
      const std::uint64_t most = std::uint64_t{uniform_stride(*found)} * std::max(1U, found->array_size);
      if (uniform.words.size() > most)
        return bad(place + ": " + std::to_string(uniform.words.size()) + " words are more than the " +
                   std::to_string(most) + " that it has");
      const std::uint64_t end = found->resource + uniform.words.size();
      if (end > kMaxDefaultWords)
        return bad(place + ": it lies beyond 65536 words", ErrorCode::resource_limit);
      if (words.size() < end) words.resize(static_cast<std::size_t>(end));
      std::ranges::copy(uniform.words, words.begin() + found->resource);
    }
    return {};
  }

  Status bind_values(const StageSetup& setup, const usse::Program& program, Launch& launch, unsigned stage) {
    const std::string name(stage_name(program.stage));
    StageValues values;
    std::array<std::vector<std::uint32_t>, kUniformBuffers> words;
    for (const UniformBufferBinding& buffer : setup.buffers) {
      if (buffer.buffer >= kDefaultContainer)
        return bad(name + " uniform buffer " + std::to_string(buffer.buffer) + ": there are 0 to 13");
      words[buffer.buffer].assign(
          buffer.words.begin(), buffer.words.begin() + static_cast<std::ptrdiff_t>(
                                                           std::min(buffer.words.size(), kMaxDefaultWords)));
      values.addresses[buffer.buffer] = buffer.address;
    }
    if (const Status given = default_uniforms(setup, program, words); !given)
      return within(name, given.error());
    WARPJIT_CHECK(map_memory(launch, program, words[kDefaultContainer], values, stage));
    for (std::size_t n = 0; n < kUniformBuffers; ++n) values.buffers[n] = words[n];
    for (const TextureBinding& texture : setup.textures) {
      if (texture.unit >= kTextureUnits)
        return bad(name + " texture unit " + std::to_string(texture.unit) + ": there are 0 to 15");
      values.textures[texture.unit] = texture.control;
      if (const Status bound = bind_unit(launch, texture); !bound)
        return within(name + " texture unit " + std::to_string(texture.unit), bound.error());
    }
    std::array<std::uint32_t, kMaxRegisters> sa{};
    fill_secondary_attributes(program, values, sa);
    const std::size_t count = std::min<std::size_t>(program.secondary_attributes, sa.size());
    if (count == 0) return {};
    return launch.set_bits("sa0", std::span(sa).first(count));
  }

  // The draw's memory, and the default uniforms where nothing else is, if the program reads them there.
  Status map_memory(Launch& launch, const usse::Program& program, std::span<const std::uint32_t> uniforms,
                    StageValues& values, unsigned stage) {
    for (const Memory& piece : draw_.memory) {
      if (piece.size == 0) continue;
      const Status mapped = launch.map_memory("mem", piece.address, piece.data, piece.size);
      if (!mapped) return within("memory", mapped.error());
    }
    const bool reads = std::ranges::any_of(program.uniform_buffers, [](const UniformBuffer& buffer) {
      return buffer.buffer == kDefaultContainer;
    });
    if (!reads) return {};
    std::vector<std::uint32_t>& copy = bound_.uniforms[stage];
    copy.assign(uniforms.begin(), uniforms.end());
    copy.resize((copy.size() + 5) / 4 * 4);
    const std::uint64_t bytes = 4 * copy.size();
    for (std::uint64_t address = 0x1000; address + bytes < std::uint64_t{1} << 32;) {
      const auto hit = std::ranges::find_if(draw_.memory, [&](const Memory& piece) {
        return piece.address < address + bytes && address < std::uint64_t{piece.address} + piece.size;
      });
      if (hit == draw_.memory.end()) {
        values.addresses[kDefaultContainer] = static_cast<std::uint32_t>(address);
        return launch.map_memory("mem", address, copy.data(), static_cast<std::size_t>(bytes));
      }
      address = (std::uint64_t{hit->address} + hit->size + 0xfff) & ~std::uint64_t{0xfff};
    }
    return bad("memory leaves no place for the default uniform buffer", ErrorCode::resource_limit);
  }

  Status bind_unit(Launch& launch, const TextureBinding& binding) {
    WARPJIT_TRY(const TextureState state, read_texture(binding.control));
    const auto read = [&](std::uint32_t address, std::uint64_t size) -> std::span<const std::byte> {
      for (const Memory& piece : draw_.memory)
        if (address >= piece.address && address - piece.address + size <= piece.size) {
          const std::span bytes(static_cast<const std::byte*>(piece.data) + (address - piece.address),
                                static_cast<std::size_t>(size));
          if (bound_.keeps_reads) bound_.reads.push_back(bytes);
          return bytes;
        }
      return {};
    };
    WARPJIT_TRY(BoundTexture bound, bind_texture(state, read));
    BoundTexture& kept = bound_.textures.emplace_back(std::move(bound));
    if (!kept.copy.empty()) kept.texture.data = kept.copy.data();
    kept.texture.level_places = kept.places;
    WARPJIT_CHECK(launch.set_texture(binding.unit, kept.texture));
    return launch.set_sampler(binding.unit, kept.sampler);
  }

  // ---- Vertices

  Status bind_attributes() {
    WARPJIT_TRY(bound_.attributes,
                fetch_attributes(*vertex_, draw_.streams, draw_.attributes, vertices_, draw_.instances));
    WARPJIT_CHECK(bind_rows(bound_.attributes.of_vertices, 0));
    return bind_rows(bound_.attributes.of_instances, 1);
  }

  Status bind_rows(const AttributeRows& rows, std::uint32_t divisor) {
    std::size_t skipped = 0;
    for (unsigned row = 0; row < kAttributeRows; ++row) {
      if ((rows.rows >> row & 1) == 0) continue;
      WARPJIT_CHECK(bound_.vertex->bind_input("pa" + std::to_string(kRowWords * row),
                                              {.data = rows.words.data() + skipped,
                                               .size = 4 * (rows.words.size() - skipped),
                                               .stride = 4 * rows.element_words(),
                                               .format = f32x4,
                                               .divisor = divisor}));
      skipped += kRowWords;
    }
    return {};
  }

  Status bind_targets(Launch& launch, PixelFormat depth) {
    const ColorSurface& where = scene_.surface.where();
    WARPJIT_CHECK(launch.set_target_size(where.width, where.height));
    WARPJIT_CHECK(launch.bind_color(
        0, {scene_.color.data(), scene_.color.size(), scene_.surface.pitch(), scene_.surface.target()}));
    if (depth == PixelFormat::none) return {};
    return launch.bind_depth(
        {scene_.depth_pixels.data(), scene_.depth_pixels.size(), where.width * pixel_size(depth), depth});
  }

  SceneState& scene_;
  const Draw& draw_;
  BoundDraw& bound_;
  const usse::Program *vertex_ = nullptr, *fragment_ = nullptr;
  std::uint32_t vertices_ = 0;
};

void clear_depth(SceneState& scene) {
  const DepthSurface& depth = *scene.depth;
  const float limited = std::clamp(depth.depth == depth.depth ? depth.depth : 1.0F, 0.0F, 1.0F);
  std::uint32_t word = to_bits(limited);
  if (depth.format == PixelFormat::d16)
    word = static_cast<std::uint32_t>(static_cast<double>(limited) * 65535 + 0.5);
  if (depth.format == PixelFormat::d24s8)
    word = static_cast<std::uint32_t>(static_cast<double>(limited) * 16777215 + 0.5) |
           std::uint32_t{depth.stencil} << 24;
  const std::size_t bytes = pixel_size(depth.format);
  const ColorSurface& where = scene.surface.where();
  scene.depth_pixels.resize(std::size_t{where.width} * where.height * bytes);
  fill_pattern(scene.depth_pixels, word, bytes);
}

}  // namespace

Status bind_draw(SceneState& scene, const Draw& draw, BoundDraw& bound) {
  const FloatEnvironment environment;
  return DrawBinder(scene, draw, bound).run();
}

Scene::Scene(std::unique_ptr<State> state) : state_(std::move(state)) {}
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;
Scene::~Scene() = default;

Result<Scene> Scene::begin(const ColorSurface& color, const std::optional<DepthSurface>& depth,
                           const Recorder* recorder) try {
  const FloatEnvironment environment;
  WARPJIT_TRY(Surface surface, Surface::open(color));
  if (depth && depth->format != PixelFormat::d16 && depth->format != PixelFormat::d24s8 &&
      depth->format != PixelFormat::d32f)
    return bad(std::string("depth surface format ") + name(depth->format) +
                   " is not supported; d16, d24s8 and d32f are",
               ErrorCode::unsupported);
  auto state = std::make_unique<State>(State{{std::move(surface), {}, depth, {}, nullptr, 0}});
  state->surface.load(state->color);
  if (depth) clear_depth(*state);
  if (recorder != nullptr) {
    state->recording = recorder->shared_state();
    if (state->recording) state->number = state->recording->begin_scene(color, depth);
  }
  return Scene(std::move(state));
} catch (...) {
  return caught();
}

Result<DrawReport> Scene::draw(const Engine& engine, const Draw& draw, const RunOptions& options) try {
  SceneRecording* const recording = state_->recording.get();
  BoundDraw bound;
  bound.keeps_reads = recording != nullptr;
  const Status is_bound = bind_draw(*state_, draw, bound);
  if (recording != nullptr) recording->begin_draw(state_->number, draw, bound.reads);
  const auto run = [&]() -> Result<DrawReport> {
    DrawReport report;
    WARPJIT_CHECK(is_bound);
    if (bound.nothing) return report;
    WARPJIT_TRY(report.pixels, engine.run(*bound.fragment, options));
    report.drawn = true;
    return report;
  };
  Result<DrawReport> report = run();
  if (recording != nullptr)
    recording->end_draw(state_->number, draw, report ? Status() : Status(report.error()));
  return report;
} catch (...) {
  return caught();
}

Status Scene::end() try {
  SceneRecording* const recording = state_->recording.get();
  if (recording != nullptr) recording->begin_store(state_->number, state_->surface.where());
  state_->surface.store(state_->color);
  if (recording != nullptr) recording->end_store(state_->number, state_->surface.where());
  return {};
} catch (...) {
  return caught();
}

}  // namespace warpjit::usse
