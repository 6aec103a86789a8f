#include <cstring>

#include "base/bits.h"
#include "capture/memory_writer.h"
#include "capture/usse/draw_layout.h"
#include "capture/usse/scene_sections.h"
#include "device/usse/attributes.h"
#include "frontend/usse/stage_values.h"

namespace warpjit::usse {

using capture::Numbers;
using capture::SectionKind;

std::uint64_t surface_hash(DataBytes bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;  // little-endian, as the host
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    hash = (hash ^ word) * 0x100000001b3;
  }
  return hash;
}

const char* misfit(const DrawData& draw) {
  for (const StageData* stage : {&draw.vertex, &draw.fragment}) {
    if (stage->uniforms.size() > kMaxStageUniforms) return "more than 4096 uniforms of a stage";
    if (stage->buffers.size() > kUniformBuffers) return "more uniform buffers of a stage than there are";
    if (stage->textures.size() > kTextureUnits) return "more textures of a stage than there are units";
    for (const UniformData& uniform : stage->uniforms)
      if (uniform.name.size() > kMaxNameBytes || uniform.words.size() > 4 * kMaxWords)
        return "uniforms with names of more than 256 bytes or more than 65536 words";
    for (const UniformBufferData& buffer : stage->buffers)
      if (buffer.words.size() > 4 * kMaxWords) return "uniform buffers of more than 65536 words";
    if (stage->default_uniforms.size() > 4 * kMaxWords) return "more than 65536 default uniforms";
  }
  if (draw.indices.size() / draw.index_bytes > kMaxDrawIndices) return "more than 16777216 indices";
  if (draw.streams.size() > kMaxStreams) return "more than 16 streams";
  if (draw.attributes.size() > kMaxAttributes) return "more than 16 attributes";
  if (draw.memory.size() > kMaxMemoryPieces) return "more than 256 pieces of memory in a draw";
  const Draw& state = draw.state;
  const auto is_function = [](const StencilFunction& function) {
    return function.compare <= Compare::always && function.fail <= StencilOp::decrement_wrap &&
           function.depth_fail <= StencilOp::decrement_wrap && function.pass <= StencilOp::decrement_wrap;
  };
  if (state.primitive > Primitive::points || state.cull > Cull::counter_clockwise ||
      state.depth_stencil.depth_compare > Compare::always || !is_function(state.depth_stencil.front) ||
      !is_function(state.depth_stencil.back))
    return "state that is no enumerator";
  return nullptr;
}

// Numbers of a section, and after them the bytes that these place.
class SceneWriter::Contents {
 public:
  // `size`: bytes of the numbers.
  Contents(SceneWriter& writer, std::size_t size)
      : writer_(writer), first_(writer.file_.place() + capture::kSectionHeader + size), numbers_(size) {}
  Numbers& numbers() { return numbers_; }
  void place(DataBytes bytes) {
    if (bytes.empty()) {
      numbers_.long_word(0);
      return;
    }
    const std::uint64_t here = first_ + bytes_.size();
    const auto known = writer_.places_.find_or_add(bytes, here);
    if (!known) bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    numbers_.long_word(known.value_or(here));
  }
  void write(SectionKind kind) { writer_.file_.write(kind, 0, numbers_.bytes(), bytes_); }

 private:
  SceneWriter& writer_;
  std::uint64_t first_ = 0;  // where bytes begin in the file
  Numbers numbers_;
  std::vector<std::byte> bytes_;
};

namespace {

std::uint32_t count(std::size_t size) { return static_cast<std::uint32_t>(size); }
std::uint32_t bytes_word(unsigned a, unsigned b, unsigned c, unsigned d) {
  return a | b << 8 | c << 16 | d << 24;
}
template <class Enumeration>
unsigned number(Enumeration value) {
  return static_cast<unsigned>(value);
}

void write_stencil(Numbers& numbers, const StencilFunction& face) {
  numbers.word(
      bytes_word(number(face.compare), number(face.fail), number(face.depth_fail), number(face.pass)));
  numbers.word(bytes_word(face.reference, face.compare_mask, face.write_mask, 0));
}

void write_state(Numbers& numbers, const DrawData& draw) {
  const Draw& state = draw.state;
  const DepthStencil& depth = state.depth_stencil;
  numbers.word(count(draw.scene))
      .word(number(state.primitive))
      .word(number(state.cull))
      .word(state.instances);
  const Viewport& view = state.viewport;
  for (const float value :
       {view.x_offset, view.x_scale, view.y_offset, view.y_scale, view.z_offset, view.z_scale})
    numbers.word(to_bits(value));
  numbers.word((state.region ? layout::kRegion : 0) | (state.blend ? layout::kBlend : 0) |
               (depth.depth_write ? layout::kDepthWrite : 0) | (depth.stencil ? layout::kStencil : 0) |
               (depth.two_sided ? layout::kTwoSided : 0));
  const std::array<std::uint32_t, 4> region = state.region.value_or(std::array<std::uint32_t, 4>{});
  for (const std::uint32_t edge : region) numbers.word(edge);
  const Blend blend = state.blend.value_or(Blend{});
  numbers.word(bytes_word(blend.color_mask, blend.color_function, blend.alpha_function, blend.color_source));
  numbers.word(bytes_word(blend.color_target, blend.alpha_source, blend.alpha_target, 0));
  numbers.word(number(depth.depth_compare));
  write_stencil(numbers, depth.front);
  write_stencil(numbers, depth.back);
}

std::size_t table_bytes(const DrawData& draw) {
  std::size_t size = layout::kHeader + layout::kStream * draw.streams.size() +
                     layout::kAttribute * draw.attributes.size() + layout::kMemory * draw.memory.size();
  for (const StageData* stage : {&draw.vertex, &draw.fragment})
    size += layout::kUniform * stage->uniforms.size() + layout::kBuffer * stage->buffers.size() +
            layout::kTexture * stage->textures.size();
  return size;
}

}  // namespace

void SceneWriter::write(const ProgramData& program) {
  Numbers numbers;
  numbers.word(number(program.form)).word(number(program.stage)).word(0);
  const std::string_view name = std::string_view(program.name).substr(0, kMaxNameBytes);
  numbers.word(count(name.size())).text(name);
  for (std::size_t n = name.size(); n % 4 != 0; ++n) numbers.text({"\0", 1});
  file_.write(SectionKind::program, 0, numbers.bytes(), program.bytes);
}

void SceneWriter::write(const SceneBegin& scene) {
  Numbers numbers;
  const ColorSurface& color = scene.color;
  numbers.word(color.format).word(color.type).word(color.width).word(color.height).word(color.stride);
  const DepthSurface depth = scene.depth.value_or(DepthSurface{});
  const auto format = [&]() -> std::uint32_t {
    if (!scene.depth) return 0;
    return depth.format == PixelFormat::d16 ? 1 : depth.format == PixelFormat::d24s8 ? 2 : 3;
  };
  numbers.word(format()).word(to_bits(depth.depth)).word(depth.stencil);
  numbers.long_word(scene.address).long_word(color.size);
  file_.write(SectionKind::scene, 0, numbers.bytes());
}

void SceneWriter::write(const SceneEnd& end) {
  Numbers numbers;
  numbers.word(count(end.scene)).word(end.tolerance);
  numbers.word(end.hash ? 1 : 0).word(end.beyond).long_word(end.hash.value_or(0));
  file_.write(SectionKind::scene_end, end.expected.empty() ? 0 : capture::kExpectedFlag, numbers.bytes(),
              end.expected);
}

void SceneWriter::write(const DrawData& draw) {
  Contents contents(*this, table_bytes(draw));
  Numbers& numbers = contents.numbers();
  write_state(numbers, draw);
  numbers.word(draw.index_bytes).word(count(draw.indices.size() / draw.index_bytes));
  contents.place(draw.indices);
  numbers.word(count(draw.streams.size())).word(count(draw.attributes.size()));
  numbers.word(count(draw.memory.size())).word(0);
  for (const StageData* stage : {&draw.vertex, &draw.fragment}) {
    numbers.word(stage->program).word(count(stage->uniforms.size()));
    numbers.word(count(stage->buffers.size())).word(count(stage->textures.size()));
    numbers.word(count(stage->default_uniforms.size() / 4)).word(0);
    contents.place(stage->default_uniforms);
  }
  for (const StreamData& stream : draw.streams) {
    numbers.word(stream.address ? 0 : 1).word(stream.stride).word(stream.per_instance ? 1 : 0).word(0);
    if (stream.address)
      numbers.long_word(*stream.address);
    else
      contents.place(stream.bytes);
    numbers.long_word(stream.address ? stream.size : stream.bytes.size());
  }
  for (const VertexAttribute& attribute : draw.attributes) {
    numbers.word(attribute.stream).word(attribute.offset);
    numbers.word(bytes_word(number(attribute.format), attribute.components, attribute.reg & 0xffU,
                            attribute.reg >> 8U));
    numbers.word(0);
  }
  for (const MemoryData& piece : draw.memory) numbers.word(piece.address).word(0).long_word(piece.size);
  for (const StageData* stage : {&draw.vertex, &draw.fragment}) {
    for (const UniformData& uniform : stage->uniforms) {
      numbers.word(count(uniform.name.size())).word(count(uniform.words.size() / 4));
      contents.place(std::as_bytes(std::span(uniform.name)));
      contents.place(uniform.words);
    }
    for (const UniformBufferData& buffer : stage->buffers) {
      numbers.word(buffer.buffer).word(buffer.address).word(count(buffer.words.size() / 4)).word(0);
      contents.place(buffer.words);
    }
    for (const TextureBinding& texture : stage->textures) {
      numbers.word(texture.unit).word(0);
      for (const std::uint32_t word : texture.control) numbers.word(word);
    }
  }
  contents.write(SectionKind::scene_draw);
}

void write_scenes(capture::SectionWriter& file, const SceneList& scenes) {
  capture::MemoryWriter memory(file);
  SceneWriter writer(file);
  for (const capture::MemoryPiece& piece : scenes.memory) memory.write(piece.address, piece.bytes, true);
  for (const ProgramData& program : scenes.programs) writer.write(program);
  for (std::size_t n = 0; n < scenes.steps.size(); ++n) {
    file.write_ends(scenes.frame_ends, n);
    if (const auto* change = std::get_if<capture::MemoryChange>(&scenes.steps[n])) {
      memory.write_change(change->address, change->size, change->bytes);
    } else if (const auto* begin = std::get_if<SceneBegin>(&scenes.steps[n])) {
      writer.write(*begin);
    } else if (const auto* draw = std::get_if<DrawData>(&scenes.steps[n])) {
      writer.write(*draw);
    } else {
      writer.write(std::get<SceneEnd>(scenes.steps[n]));
    }
  }
  file.write_ends(scenes.frame_ends, scenes.steps.size());
}

}  // namespace warpjit::usse
