#include "device/valhall/run_launch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "device/valhall/images.h"
#include "device/valhall/textures.h"
#include "frontend/valhall/container/descriptor.h"
#include "frontend/valhall/container/draw.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/flow/texture_uses.h"
#include "frontend/valhall/interpret/numbers.h"
#include "frontend/valhall/shader.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kPositionStride = 128, kSizeOffset = 64;  // bytes; the second record is 4 further
constexpr unsigned kMostSlots = 128;

Error at_job(const Job& job, const Image& image, const std::string& what,
             ErrorCode code = ErrorCode::bad_input) {
  return {code, job.place() + ": " + what, image.name()};
}
// An error of a run names the job.
Error at_job(const Job& job, const Error& error) {
  return {error.code, job.place() + ": " + error.message, error.where};
}

Result<Report> run_grid(const Engine& engine, Image& image, const Job& job, const Environment& environment,
                        const JobLaunch& given, const KeptPictures& kept, const RunOptions& options) {
  DescriptorCopies copies;
  copies.add(image, given.descriptors);
  Program program = given.program;
  if (const Status tables = choose_tables(program); !tables) return at_job(job, tables.error());
  Launch launch{warpjit::Program(std::make_shared<const Shader>(std::move(program)))};
  if (const Status ready = set_up(launch, given.grid, given.program.stage); !ready)
    return at_job(job, ready.error());
  TextureCopies textures;
  const TargetMemory memory{.targets = {}, .kept = &kept};
  WARPJIT_CHECK(bind_textures(launch, image, environment, memory, textures));
  WARPJIT_CHECK(bind_images(launch, image, environment, memory));
  auto report = engine.run(launch, options);
  if (!report) return at_job(job, report.error());
  WARPJIT_CHECK(copies.unchanged(image));
  return report;
}

// Results of one vertex program: rows of `stride` bytes.
struct ShadedRows {
  Report report;
  std::uint32_t first_index = 0, count = 0, stride = 0;
  std::vector<std::uint64_t> words;
};
Result<ShadedRows> run_vertex_program(const Engine& engine, Image& image, const Job& job, VertexProgram which,
                                      const KeptPictures& kept, std::uint64_t most_bytes,
                                      const RunOptions& options) {
  WARPJIT_TRY(JobLaunch given, vertex_launch(image, job, which));
  const auto& payload = std::get<MallocVertexPayload>(job.payload);
  const frontend::Vertices& vertices = given.grid.vertices;
  ShadedRows rows{.report = {},
                  .first_index = given.first_index,
                  .count = vertices.count,
                  .stride = vertices.packet_stride,
                  .words = {}};
  const std::uint64_t all = std::uint64_t{vertices.count} * given.grid.grid[1];
  if (all > most_bytes / rows.stride)
    return at_job(job, image,
                  "the results of " + std::to_string(all) + " vertices are more than " +
                      std::to_string(most_bytes) + " bytes",
                  ErrorCode::resource_limit);
  rows.words.resize(static_cast<std::size_t>(all * rows.stride / 8));
  given.grid.globals[kResultSpace] = {{0, std::as_writable_bytes(std::span(rows.words))}};
  WARPJIT_TRY(rows.report, run_grid(engine, image, job,
                                    which == VertexProgram::position ? payload.position : payload.varying,
                                    given, kept, options));
  return rows;
}

}  // namespace

Status set_up(Launch& launch, const frontend::Grid& grid, Stage stage) {
  WARPJIT_CHECK(launch.set_parameters(grid.parameters));
  for (std::size_t k = 0; k < kMaxBuffers; ++k)
    if (!grid.constants[k].empty())
      WARPJIT_CHECK(
          launch.bind_constants("c" + std::to_string(k), grid.constants[k].data(), grid.constants[k].size()));
  if (!grid.buffers.empty()) WARPJIT_CHECK(launch.set_buffers(grid.buffers));
  for (std::size_t k = 0; k < grid.high_words.size(); ++k)
    for (const frontend::MappedRange& piece : grid.globals[k])
      WARPJIT_CHECK(launch.map_memory("mem", std::uint64_t{grid.high_words[k]} << 32 | piece.address,
                                      piece.bytes.data(), piece.bytes.size()));
  if (stage == Stage::fragment) return {};
  if (stage == Stage::compute) {
    WARPJIT_CHECK(launch.set_grid(grid.grid[0], grid.grid[1], grid.grid[2]));
    WARPJIT_CHECK(launch.set_block(grid.block[0], grid.block[1], grid.block[2]));
    return launch.set_first_block(grid.first_block[0], grid.first_block[1], grid.first_block[2]);
  }
  const frontend::Vertices& vertices = grid.vertices;
  WARPJIT_CHECK(launch.set_count(vertices.count));
  WARPJIT_CHECK(launch.set_instances(grid.grid[1]));
  WARPJIT_CHECK(launch.set_first_vertex(vertices.first, vertices.first_instance));
  WARPJIT_CHECK(launch.set_attributes(vertices.attributes, vertices.attribute_offset));
  const auto& results = grid.globals[kResultSpace];
  if (results.empty()) return {};
  return launch.map_results(results[0].bytes.data(), results[0].bytes.size(), vertices.packet_stride);
}

namespace {

class TextureBinder {
 public:
  TextureBinder(Launch& launch, const Image& image, const Environment& environment,
                const TargetMemory& memory, TextureCopies& copies)
      : launch_(launch),
        image_(image),
        environment_(environment),
        memory_(memory),
        copies_(copies),
        shader_(std::static_pointer_cast<const Shader>(frontend::shared_shader(launch.program()))),
        setup_(shader_->program().fragment) {
    normalized_.fill(kUnknown);
  }

  Status bind() {
    if (shader_->sampling().computed) return bind_tables();
    for (const frontend::TextureUse& use : shader_->sampling().uses) {
      if (!use.needs_sampler) continue;
      WARPJIT_TRY(const bool wanted, bind_sampler(use.sampler));
      std::int8_t& known = normalized_[use.texture % kMaxTextures];
      if (known != kUnknown && (known != 0) != wanted) return differ("texture", use.texture);
      known = wanted ? 1 : 0;
    }
    for (const frontend::TextureUse& use : shader_->sampling().uses)
      WARPJIT_CHECK(bind_texture(use.texture, normalized_[use.texture % kMaxTextures] != 0));
    return {};
  }

 private:
  static constexpr std::int8_t kUnknown = -1;

  Error named(const char* what, unsigned slot, const Error& error) const {
    return {error.code, environment_.place + ", " + what + " " + std::to_string(slot) + ": " + error.message,
            image_.name()};
  }
  // Whether coordinates of a texture are normalized is the sampler's to say.
  Error differ(const char* what, unsigned slot) const {
    return named(
        what, slot,
        {ErrorCode::unsupported, "it is used with samplers of normalized and of other coordinates", ""});
  }
  Error missing(const char* what, unsigned slot, std::uint32_t table, DescriptorType type) const {
    return named(what, slot,
                 {ErrorCode::bad_input, missing_descriptor(image_, environment_, table, slot, type), ""});
  }

  // Whether its coordinates are normalized.
  Result<bool> bind_sampler(unsigned slot) {
    WARPJIT_TRY(const auto sampler, read_sampler(image_, environment_, setup_.sampler_table, slot));
    if (!sampler) return missing("sampler", slot, setup_.sampler_table, DescriptorType::sampler);
    WARPJIT_TRY(const Sampler converted, convert_sampler(image_, *sampler));
    if (const Status set = launch_.set_sampler(slot, converted); !set)
      return named("sampler", slot, set.error());
    return sampler->normalized;
  }

  Status bind_texture(unsigned slot, bool normalized) {
    if (std::exchange(bound_[slot % kMaxTextures], true)) return {};
    WARPJIT_TRY(const auto texture, read_texture(image_, environment_, setup_.texture_table, slot));
    if (!texture) return missing("texture", slot, setup_.texture_table, DescriptorType::texture);
    WARPJIT_TRY(BoundTexture converted, convert_texture(image_, *texture, normalized, memory_));
    if (const Status set = launch_.set_texture(slot, converted.texture); !set)
      return named("texture", slot, set.error());
    copied_ += converted.copy.size();
    if (copied_ > kMaxDecodedTextureBytes)
      return named("texture", slot,
                   {ErrorCode::resource_limit,
                    "with it the copies of the program's textures are more than " +
                        std::to_string(kMaxDecodedTextureBytes) + " bytes",
                    ""});
    copies_.push_back(std::move(converted.copy));
    return {};
  }

  // All entries that are there, as the program may name any.
  Status bind_tables() {
    const auto entries = [&](std::uint32_t table, unsigned most, DescriptorType type,
                             const auto& bind_entry) -> Status {
      const std::uint64_t count = table < environment_.tables.size() ? environment_.tables[table].count() : 0;
      if (count > most)
        return Error{ErrorCode::unsupported,
                     environment_.place + ": table " + std::to_string(table) + " has " +
                         std::to_string(count) + " entries, of which a program computes one; " +
                         std::to_string(most) + " can be bound",
                     image_.name()};
      for (unsigned slot = 0; slot < count; ++slot) {
        WARPJIT_TRY(const auto there, read_descriptor(image_, environment_, table, slot, type));
        if (there) WARPJIT_CHECK(bind_entry(slot));
      }
      return {};
    };
    std::optional<bool> normalized;
    WARPJIT_CHECK(
        entries(setup_.sampler_table, kMaxSamplers, DescriptorType::sampler, [&](unsigned slot) -> Status {
          WARPJIT_TRY(const bool wanted, bind_sampler(slot));
          if (normalized.value_or(wanted) != wanted) return differ("sampler", slot);
          normalized = wanted;
          return {};
        }));
    return entries(setup_.texture_table, kMaxTextures, DescriptorType::texture,
                   [&](unsigned slot) { return bind_texture(slot, normalized.value_or(true)); });
  }

  Launch& launch_;
  const Image& image_;
  const Environment& environment_;
  const TargetMemory& memory_;
  TextureCopies& copies_;
  std::shared_ptr<const Shader> shader_;
  const FragmentSetup& setup_;
  std::array<std::int8_t, kMaxTextures> normalized_{};
  std::array<bool, kMaxTextures> bound_{};
  std::uint64_t copied_ = 0;  // bytes
};

}  // namespace

Status bind_textures(Launch& launch, const Image& image, const Environment& environment,
                     const TargetMemory& memory, TextureCopies& copies) {
  return TextureBinder(launch, image, environment, memory, copies).bind();
}

Status bind_images(Launch& launch, const Image& image, const Environment& environment,
                   const TargetMemory& memory) {
  const auto shader = std::static_pointer_cast<const Shader>(frontend::shared_shader(launch.program()));
  const std::vector<std::uint32_t> uses = shader->image_uses();
  if (uses.empty()) return {};
  WARPJIT_TRY(const auto images, read_images(image, environment, uses, memory));
  return launch.set_images(images);
}

Result<Report> run_compute(const Engine& engine, Image& image, const Job& job, const KeptPictures& kept,
                           const RunOptions& options) {
  WARPJIT_TRY(const JobLaunch launch, compute_launch(image, job));
  return run_grid(engine, image, job, std::get<ComputePayload>(job.payload).environment, launch, kept,
                  options);
}

Result<ShadedVertices> shade_vertices(const Engine& engine, Image& image, const Job& job,
                                      bool first_provoking, const KeptPictures& kept,
                                      std::uint64_t most_bytes, const RunOptions& options) {
  const auto& payload = std::get<MallocVertexPayload>(job.payload);
  ShadedVertices shaded;
  if (payload.index_count == 0 || payload.instance_count == 0 || payload.mode == DrawMode::none)
    return shaded;
  WARPJIT_TRY(shaded.primitives, assemble_primitives(image, job, first_provoking));
  if (shaded.primitives.indexed && shaded.primitives.indices.empty()) return shaded;
  WARPJIT_TRY(const ShadedRows positions,
              run_vertex_program(engine, image, job, VertexProgram::position, kept, most_bytes, options));
  shaded.position = positions.report;
  shaded.count = positions.count;
  shaded.instances = payload.instance_count;
  for (std::uint32_t& index : shaded.primitives.indices) index -= positions.first_index;
  ShadedRows varyings;
  unsigned words = 0;  // of varyings
  if (payload.secondary) {
    WARPJIT_TRY(varyings,
                run_vertex_program(engine, image, job, VertexProgram::varying, kept, most_bytes, options));
    shaded.varying = varyings.report;
    words = payload.attribute_stride / 4U;
  }
  WARPJIT_TRY(const DrawDescriptor draw, read_draw(image, job));
  const bool sized = payload.mode == DrawMode::points && draw.point_size_bits != 0;
  shaded.slots = 4 + words + (sized ? 1 : 0);
  if (shaded.slots > kMostSlots)
    return at_job(job, image,
                  "vertex attribute stride is " + std::to_string(payload.attribute_stride) +
                      ", more than programs have",
                  ErrorCode::resource_limit);
  if (sized) shaded.size_slot = 4 + words;
  const std::size_t all = std::size_t{shaded.count} * shaded.instances;
  if (all > most_bytes / (4 * shaded.slots))
    return at_job(job, image, "its vertices are more than " + std::to_string(most_bytes) + " bytes",
                  ErrorCode::resource_limit);
  shaded.words.resize(all * shaded.slots);
  const auto* from = reinterpret_cast<const std::byte*>(positions.words.data());
  const auto* rest = reinterpret_cast<const std::byte*>(varyings.words.data());
  std::uint32_t* to = shaded.words.data();
  for (std::size_t v = 0; v < all; ++v, to += shaded.slots) {
    std::memcpy(to, from + v * kPositionStride, 16);
    if (words != 0) std::memcpy(to + 4, rest + v * varyings.stride, std::size_t{4} * words);
    if (!sized) continue;
    std::uint32_t size = 0;
    std::memcpy(&size, from + v * kPositionStride + kSizeOffset, 4);
    to[shaded.size_slot] = draw.point_size_bits == 16 ? widen_half(size & 0xffff) : size;
  }
  return shaded;
}

}  // namespace warpjit::valhall
