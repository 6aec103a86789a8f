#include "renderer.h"

#include <algorithm>
#include <cstring>

using warpjit::Error;
using warpjit::ErrorCode;
using warpjit::Result;
using warpjit::Status;
namespace usse = warpjit::usse;

Renderer::Renderer(gxm::Memory& memory) : memory_(std::as_writable_bytes(std::span(memory.words))) {}

std::span<std::byte> Renderer::bytes_at(std::uint32_t address) {
  const std::uint32_t offset = address - gxm::Memory::kAddress;
  return offset < memory_.size() ? memory_.subspan(offset) : std::span<std::byte>();
}
std::span<const std::uint32_t> Renderer::words_at(std::uint32_t address, std::size_t most) {
  const std::span<std::byte> bytes = bytes_at(address & ~3U);
  return {reinterpret_cast<const std::uint32_t*>(bytes.data()), std::min(bytes.size() / 4, most)};
}

// Games register their programs once: they are loaded once. The container knows its size.
Result<const warpjit::Program*> Renderer::program_at(std::uint32_t address) {
  if (const auto found = programs_.find(address); found != programs_.end()) return &found->second;
  std::span<const std::byte> gxp = bytes_at(address);
  if (const auto header = words_at(address, 3); header.size() == 3 && header[2] < gxp.size())
    gxp = gxp.first(header[2]);
  auto program = warpjit::Program::load(gxp);
  if (!program) return program.error();
  return &programs_.emplace(address, std::move(*program)).first->second;
}

Result<usse::StageSetup> Renderer::stage(const gxm::Context& context, gxm::Stage stage, std::uint32_t gxp,
                                         Bindings& kept) {
  const auto program = program_at(gxp);
  if (!program) return program.error();
  usse::StageSetup setup;
  setup.program = *program;
  // A GXP tells the words of its default uniform buffer at byte 0x64.
  if (const auto words = words_at(gxp + 0x64, 1); !words.empty() && context.default_uniforms[stage] != 0)
    setup.default_uniforms = words_at(context.default_uniforms[stage], words[0]);
  for (unsigned n = 0; n < context.uniform_buffers[stage].size(); ++n)
    if (const std::uint32_t address = context.uniform_buffers[stage][n]; address != 0)
      kept.buffers.push_back({n, words_at(address, 256), address});
  for (unsigned unit = 0; unit < context.textures[stage].size(); ++unit)
    if (const auto& texture = context.textures[stage][unit]) kept.textures.push_back({unit, *texture});
  setup.buffers = kept.buffers;
  setup.textures = kept.textures;
  return setup;
}

// From one frame to another. The recorder knows the memory, so that what is drawn and then sampled has one address.
Status Renderer::record(std::FILE* file) {
  const auto write = [](void* to, std::span<const std::byte> bytes) {
    return std::fwrite(bytes.data(), 1, bytes.size(), static_cast<std::FILE*>(to)) == bytes.size();
  };
  const usse::Memory memory{gxm::Memory::kAddress, memory_.data(), memory_.size()};
  auto recorder = usse::Recorder::begin(write, file, {&memory, 1});
  if (!recorder) return recorder.error();
  recorder_ = std::move(*recorder);
  return {};
}
Status Renderer::end_frame() { return recorder_ ? recorder_->end_frame() : Status(); }
Status Renderer::end_record() {
  const Status ended = recorder_->end();
  recorder_.reset();
  return ended;
}

Status Renderer::begin_scene(const gxm::ColorSurface& color) {
  const std::span<std::byte> pixels = bytes_at(color.address);
  auto scene = usse::Scene::begin(
      {color.format, color.type, color.width, color.height, color.stride, pixels.data(), pixels.size()},
      usse::DepthSurface{}, recorder_ ? &*recorder_ : nullptr);
  if (!scene) return scene.error();
  scene_ = std::move(*scene);
  return {};
}

Status Renderer::draw(const gxm::Context& context, std::uint32_t primitive, std::uint32_t index_format,
                      std::uint32_t indices, std::uint32_t index_count, std::uint32_t instances) {
  if (!scene_ || context.vertex_program == nullptr || context.fragment_program == nullptr)
    return Error{ErrorCode::bad_input, "a draw without scene or programs", {}};
  const gxm::VertexProgram& vertex = *context.vertex_program;
  const gxm::FragmentProgram& fragment = *context.fragment_program;
  Bindings kept[gxm::kStages];
  usse::Draw draw;
  auto vertex_stage = stage(context, gxm::kVertex, vertex.gxp, kept[gxm::kVertex]);
  if (!vertex_stage) return vertex_stage.error();
  auto fragment_stage = stage(context, gxm::kFragment, fragment.gxp, kept[gxm::kFragment]);
  if (!fragment_stage) return fragment_stage.error();
  draw.vertex = *vertex_stage;
  draw.fragment = *fragment_stage;

  std::vector<usse::VertexStream> streams;
  for (std::size_t n = 0; n < vertex.streams.size() && n < context.streams.size(); ++n) {
    const std::span<std::byte> data = bytes_at(context.streams[n]);
    streams.push_back(
        {data.data(), data.size(), vertex.streams[n].stride, vertex.streams[n].index_source >= 2});
  }
  std::vector<usse::VertexAttribute> attributes;
  for (const gxm::VertexAttribute& attribute : vertex.attributes)
    attributes.push_back({attribute.stream, attribute.offset,
                          static_cast<usse::AttributeFormat>(attribute.format), attribute.components,
                          attribute.reg});
  draw.streams = streams;
  draw.attributes = attributes;

  switch (primitive) {
    case gxm::kTriangles:
      break;
    case gxm::kStrip:
      draw.primitive = usse::Primitive::triangle_strip;
      break;
    case gxm::kFan:
      draw.primitive = usse::Primitive::triangle_fan;
      break;
    case gxm::kPoints:
      draw.primitive = usse::Primitive::points;
      break;
    default:
      return Error{ErrorCode::unsupported, "a draw of lines or triangle edges", {}};
  }
  const std::size_t index_size = index_format == gxm::kIndices32 ? 4 : 2;
  const std::span<std::byte> list = bytes_at(indices);
  indices_.assign(std::min<std::size_t>(index_count, list.size() / index_size), 0);
  for (std::size_t n = 0; n < indices_.size(); ++n)  // little-endian, as the host
    std::memcpy(&indices_[n], list.data() + n * index_size, index_size);
  draw.indices = indices_;
  draw.instances = instances;

  const auto& viewport = context.viewport;
  draw.viewport = {viewport[0], viewport[1], viewport[2], viewport[3], viewport[4], viewport[5]};
  draw.cull = static_cast<usse::Cull>(context.cull);
  // Functions are numbered in warpjit's order, from bit 22 on.
  draw.depth_stencil.depth_compare = static_cast<warpjit::Compare>(context.depth_function >> 22 & 7);
  draw.depth_stencil.depth_write = context.depth_write != gxm::kWriteDisabled;
  if (fragment.blend) {
    const auto field = [&](unsigned first) {
      return static_cast<std::uint8_t>(*fragment.blend >> first & 15);
    };
    draw.blend.emplace(
        usse::Blend{field(0), field(8), field(12), field(16), field(20), field(24), field(28)});
  }
  const usse::Memory memory{gxm::Memory::kAddress, memory_.data(), memory_.size()};
  draw.memory = {&memory, 1};

  const auto report = scene_->draw(engine_, draw);
  if (!report) return report.error();
  primitives_ += report->pixels.primitives;
  return {};
}

Status Renderer::end_scene() {
  const Status written = scene_->end();
  scene_.reset();
  return written;
}
