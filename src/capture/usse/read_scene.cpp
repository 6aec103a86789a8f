#include <string>
#include <utility>

#include "base/bits.h"
#include "capture/usse/draw_layout.h"
#include "capture/usse/scene_sections.h"
#include "device/usse/attributes.h"
#include "frontend/usse/stage_values.h"

namespace warpjit::usse {
namespace {

using capture::Fields;
using capture::hex_text;
using capture::Section;
using capture::SectionFile;
using capture::SectionKind;

class DrawReader {
 public:
  // `programs`, `scenes`: that lie before it.
  DrawReader(const Fields& fields, std::size_t programs, std::size_t scenes)
      : fields_(fields), programs_(programs), scenes_(scenes) {}

  Result<DrawData> read() {
    WARPJIT_CHECK(fields_.expect_least(layout::kHeader, "a draw"));
    WARPJIT_CHECK(read_state());
    WARPJIT_CHECK(read_indices());
    at_ = layout::kHeader;
    WARPJIT_CHECK(read_streams());
    WARPJIT_CHECK(read_attributes());
    WARPJIT_CHECK(read_memory());
    WARPJIT_CHECK(read_stage(layout::kVertexStage, draw_.vertex));
    WARPJIT_CHECK(read_stage(layout::kFragmentStage, draw_.fragment));
    return std::move(draw_);
  }

 private:
  // A number of at most that.
  Result<std::uint32_t> number(std::size_t at, std::uint32_t most, const char* what) const {
    const std::uint32_t value = fields_.word(at);
    if (value <= most) return value;
    return fields_.fail(at, std::string(what) + " is " + std::to_string(value) + ", expected at most " +
                                std::to_string(most));
  }
  std::uint8_t byte(std::size_t at) const {
    return static_cast<std::uint8_t>(fields_.word(at & ~std::size_t{3}) >> 8 * (at & 3));
  }
  template <class Enumeration>
  Status enumerator(std::size_t at, Enumeration last, const char* what, Enumeration& to) const {
    const std::uint8_t value = byte(at);
    if (value > static_cast<std::uint8_t>(last))
      return fields_.fail(at, std::string(what) + " is " + std::to_string(value) + ", expected at most " +
                                  std::to_string(static_cast<unsigned>(last)));
    to = static_cast<Enumeration>(value);
    return {};
  }
  float real(std::size_t at) const { return to_float(fields_.word(at)); }

  // Bytes that a number places: they end before the section does.
  Result<DataBytes> place(std::size_t at, std::uint64_t size) const {
    if (size == 0) return DataBytes();
    const std::uint64_t from = fields_.long_word(at);
    const Section& section = fields_.section();
    const std::uint64_t end = section.at + capture::kSectionHeader + section.bytes.size();
    if (from > end || size > end - from)
      return fields_.fail(
          at, hex_text(size) + " bytes at byte " + hex_text(from) + " do not lie before the section's end");
    return fields_.file().bytes().subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(size));
  }
  // That many rows of a table come next.
  Status expect_rows(std::size_t count_at, std::uint64_t count, std::size_t row) const {
    if (count * row <= fields_.section().bytes.size() - at_) return {};
    return fields_.fail(count_at, std::to_string(count) + " rows of " + std::to_string(row) +
                                      " bytes, and the section has " +
                                      hex_text(fields_.section().bytes.size() - at_) + " more bytes");
  }

  Status read_stencil(std::size_t at, StencilFunction& to) const {
    WARPJIT_CHECK(enumerator(at, Compare::always, "the stencil's comparison", to.compare));
    WARPJIT_CHECK(enumerator(at + 1, StencilOp::decrement_wrap, "a stencil operation", to.fail));
    WARPJIT_CHECK(enumerator(at + 2, StencilOp::decrement_wrap, "a stencil operation", to.depth_fail));
    WARPJIT_CHECK(enumerator(at + 3, StencilOp::decrement_wrap, "a stencil operation", to.pass));
    to.reference = byte(at + 4);
    to.compare_mask = byte(at + 5);
    to.write_mask = byte(at + 6);
    return {};
  }

  Status read_state() {
    Draw& state = draw_.state;
    draw_.scene = fields_.word(layout::kScene);
    if (draw_.scene >= scenes_)
      return fields_.fail(layout::kScene, "scene " + std::to_string(draw_.scene) + " of " +
                                              std::to_string(scenes_) + " that lie before it");
    WARPJIT_CHECK(enumerator(layout::kPrimitive, Primitive::points, "the primitive", state.primitive));
    WARPJIT_CHECK(enumerator(layout::kCull, Cull::counter_clockwise, "culling", state.cull));
    state.instances = fields_.word(layout::kInstances);
    const std::size_t view = layout::kViewport;
    state.viewport = {real(view),      real(view + 4),  real(view + 8),
                      real(view + 12), real(view + 16), real(view + 20)};
    const std::uint32_t flags = fields_.word(layout::kFlags);
    if ((flags & layout::kRegion) != 0) {
      state.region.emplace();
      for (std::size_t n = 0; n < 4; ++n) (*state.region)[n] = fields_.word(layout::kRegionEdges + 4 * n);
    }
    if ((flags & layout::kBlend) != 0) {
      const std::size_t at = layout::kBlendBytes;
      state.blend =
          Blend{byte(at), byte(at + 1), byte(at + 2), byte(at + 3), byte(at + 4), byte(at + 5), byte(at + 6)};
    }
    DepthStencil& depth = state.depth_stencil;
    WARPJIT_CHECK(
        enumerator(layout::kDepthCompare, Compare::always, "the depth comparison", depth.depth_compare));
    depth.depth_write = (flags & layout::kDepthWrite) != 0;
    depth.stencil = (flags & layout::kStencil) != 0;
    depth.two_sided = (flags & layout::kTwoSided) != 0;
    WARPJIT_CHECK(read_stencil(layout::kFront, depth.front));
    return read_stencil(layout::kBack, depth.back);
  }

  Status read_indices() {
    draw_.index_bytes = fields_.word(layout::kIndexBytes);
    if (draw_.index_bytes != 2 && draw_.index_bytes != 4)
      return fields_.fail(layout::kIndexBytes,
                          "indices have " + std::to_string(draw_.index_bytes) + " bytes, expected 2 or 4");
    WARPJIT_TRY(const std::uint32_t count,
                number(layout::kIndexCount, kMaxDrawIndices, "the number of indices"));
    WARPJIT_TRY(draw_.indices, place(layout::kIndexPlace, std::uint64_t{count} * draw_.index_bytes));
    return {};
  }

  Status read_streams() {
    WARPJIT_TRY(const std::uint32_t count, number(layout::kStreams, kMaxStreams, "the number of streams"));
    WARPJIT_CHECK(expect_rows(layout::kStreams, count, layout::kStream));
    for (std::uint32_t n = 0; n < count; ++n, at_ += layout::kStream) {
      StreamData stream;
      WARPJIT_TRY(const std::uint32_t where, number(at_, 1, "where a stream lies"));
      stream.stride = fields_.word(at_ + 4);
      WARPJIT_TRY(const std::uint32_t per_instance, number(at_ + 8, 1, "whether a stream is of instances"));
      stream.per_instance = per_instance != 0;
      stream.size = fields_.long_word(at_ + 24);
      if (where == 0) {
        stream.address = fields_.long_word(at_ + 16);
      } else {
        WARPJIT_TRY(stream.bytes, place(at_ + 16, stream.size));
      }
      draw_.streams.push_back(stream);
    }
    return {};
  }

  Status read_attributes() {
    WARPJIT_TRY(const std::uint32_t count,
                number(layout::kAttributes, kMaxAttributes, "the number of attributes"));
    WARPJIT_CHECK(expect_rows(layout::kAttributes, count, layout::kAttribute));
    for (std::uint32_t n = 0; n < count; ++n, at_ += layout::kAttribute) {
      VertexAttribute attribute;
      attribute.stream = fields_.word(at_);
      attribute.offset = fields_.word(at_ + 4);
      WARPJIT_CHECK(enumerator(at_ + 8, AttributeFormat::untyped, "an attribute's format", attribute.format));
      attribute.components = byte(at_ + 9);
      attribute.reg = static_cast<std::uint16_t>(byte(at_ + 10) | byte(at_ + 11) << 8);
      draw_.attributes.push_back(attribute);
    }
    return {};
  }

  Status read_memory() {
    WARPJIT_TRY(const std::uint32_t count,
                number(layout::kMemoryPieces, kMaxMemoryPieces, "the number of pieces of memory"));
    WARPJIT_CHECK(expect_rows(layout::kMemoryPieces, count, layout::kMemory));
    for (std::uint32_t n = 0; n < count; ++n, at_ += layout::kMemory) {
      const MemoryData piece{fields_.word(at_), fields_.long_word(at_ + 8)};
      if (piece.size > kOwnMemory - piece.address)
        return fields_.fail(at_, hex_text(piece.size) + " bytes at " + hex_text(piece.address) +
                                     ", expected none from 2^32 on");
      draw_.memory.push_back(piece);
    }
    return {};
  }

  Status read_stage(std::size_t header, StageData& stage) {
    stage.program = fields_.word(header + layout::kProgram);
    if (stage.program >= programs_)
      return fields_.fail(header + layout::kProgram, "program " + std::to_string(stage.program) + " of " +
                                                         std::to_string(programs_) + " that lie before it");
    WARPJIT_TRY(const std::uint32_t defaults,
                number(header + layout::kDefaultWords, kMaxWords, "the number of default uniforms"));
    WARPJIT_TRY(stage.default_uniforms, place(header + layout::kDefaultPlace, 4 * std::uint64_t{defaults}));
    WARPJIT_TRY(const std::uint32_t uniforms,
                number(header + layout::kUniforms, kMaxStageUniforms, "the number of uniforms"));
    WARPJIT_CHECK(expect_rows(header + layout::kUniforms, uniforms, layout::kUniform));
    for (std::uint32_t n = 0; n < uniforms; ++n, at_ += layout::kUniform) {
      WARPJIT_TRY(const std::uint32_t name, number(at_, kMaxNameBytes, "the size of a name"));
      WARPJIT_TRY(const std::uint32_t words, number(at_ + 4, kMaxWords, "the number of words"));
      WARPJIT_TRY(const DataBytes text, place(at_ + 8, name));
      UniformData uniform;
      uniform.name = {reinterpret_cast<const char*>(text.data()), text.size()};
      WARPJIT_TRY(uniform.words, place(at_ + 16, 4 * std::uint64_t{words}));
      stage.uniforms.push_back(uniform);
    }
    WARPJIT_TRY(const std::uint32_t buffers,
                number(header + layout::kBuffers, kUniformBuffers, "the number of uniform buffers"));
    WARPJIT_CHECK(expect_rows(header + layout::kBuffers, buffers, layout::kBuffer));
    for (std::uint32_t n = 0; n < buffers; ++n, at_ += layout::kBuffer) {
      UniformBufferData buffer;
      buffer.buffer = fields_.word(at_);
      buffer.address = fields_.word(at_ + 4);
      WARPJIT_TRY(const std::uint32_t words, number(at_ + 8, kMaxWords, "the number of words"));
      WARPJIT_TRY(buffer.words, place(at_ + 16, 4 * std::uint64_t{words}));
      stage.buffers.push_back(buffer);
    }
    WARPJIT_TRY(const std::uint32_t textures,
                number(header + layout::kTextures, kTextureUnits, "the number of textures"));
    WARPJIT_CHECK(expect_rows(header + layout::kTextures, textures, layout::kTexture));
    for (std::uint32_t n = 0; n < textures; ++n, at_ += layout::kTexture) {
      TextureBinding texture;
      texture.unit = fields_.word(at_);
      for (std::size_t k = 0; k < texture.control.size(); ++k)
        texture.control[k] = fields_.word(at_ + 8 + 4 * k);
      stage.textures.push_back(texture);
    }
    return {};
  }

  const Fields& fields_;
  std::size_t programs_ = 0, scenes_ = 0;
  std::size_t at_ = 0;  // of the next row
  DrawData draw_;
};

class SceneReader {
 public:
  SceneReader(const SectionFile& sections, const SceneLimits& limits)
      : sections_(sections),
        memory_(sections.file, {.address_bits = kCaptureAddressBits,
                                .pieces = kMaxMemoryPieces,
                                .memory = limits.memory,
                                .loads = limits.loads}) {}

  Result<SceneList> read() {
    for (const Section& section : sections_.sections) WARPJIT_CHECK(read(section));
    WARPJIT_TRY(list_.memory, memory_.finish());
    return std::move(list_);
  }

 private:
  Status read(const Section& section) {
    const Fields fields(sections_.file, section);
    if (capture::is_memory(section.kind)) {
      WARPJIT_TRY(const auto change, memory_.read(section, list_.scenes != 0));
      if (change) list_.steps.emplace_back(*change);
      return {};
    }
    switch (section.kind) {
      case SectionKind::program:
        return read_program(fields);
      case SectionKind::scene:
        return read_begin(fields);
      case SectionKind::scene_draw: {
        WARPJIT_TRY(DrawData draw, DrawReader(fields, list_.programs.size(), list_.scenes).read());
        list_.steps.emplace_back(std::move(draw));
        return {};
      }
      case SectionKind::scene_end:
        return read_end(fields);
      default:
        return capture::read_other(sections_.file, section, "a USSE", list_.steps.size(), &list_.frame_ends);
    }
  }

  Status read_program(const Fields& fields) {
    constexpr std::size_t kHeader = 16;
    WARPJIT_CHECK(fields.expect_least(kHeader, "a program"));
    if (list_.programs.size() == kMaxPrograms)
      return fields.fail(0, "more than " + std::to_string(kMaxPrograms) + " programs",
                         ErrorCode::resource_limit);
    ProgramData program;
    program.form = static_cast<ProgramSource::Form>(fields.word(0));
    if (fields.word(0) < 1 || fields.word(0) > 3)
      return fields.fail(0, "the program's form is " + std::to_string(fields.word(0)) +
                                ", expected 1 (GXP), 2 (assembly) or 3 (words)");
    program.stage = static_cast<Stage>(fields.word(4));
    if (fields.word(4) != static_cast<std::uint32_t>(Stage::vertex) &&
        fields.word(4) != static_cast<std::uint32_t>(Stage::fragment))
      return fields.fail(4, "the program's stage is " + std::to_string(fields.word(4)) +
                                ", expected 0 (vertex) or 3 (fragment)");
    if (fields.word(8) != 0)
      return fields.fail(8, "the program's entry is " + std::to_string(fields.word(8)) + ", expected 0");
    const std::size_t name = fields.word(12);
    if (name > kMaxNameBytes)
      return fields.fail(12, "the name has " + std::to_string(name) + " bytes, expected at most 256");
    const std::size_t code = kHeader + (name + 3) / 4 * 4;
    WARPJIT_CHECK(fields.expect_least(code, "a program"));
    program.name = fields.text(kHeader, name);
    program.bytes = fields.rest(code);
    if (program.bytes.size() > kMaxProgramBytes)
      return fields.fail(code, "the program has more than " + hex_text(kMaxProgramBytes) + " bytes",
                         ErrorCode::resource_limit);
    list_.programs.push_back(std::move(program));
    return {};
  }

  Status read_begin(const Fields& fields) {
    WARPJIT_CHECK(fields.expect_size(48, "a scene"));
    SceneBegin scene;
    scene.color.format = fields.word(0);
    scene.color.type = fields.word(4);
    scene.color.width = fields.word(8);
    scene.color.height = fields.word(12);
    scene.color.stride = fields.word(16);
    constexpr PixelFormat kDepths[] = {PixelFormat::d16, PixelFormat::d24s8, PixelFormat::d32f};
    const std::uint32_t depth = fields.word(20);
    if (depth > 3)
      return fields.fail(20, "the depth surface is " + std::to_string(depth) +
                                 ", expected 0 (none), 1 (d16), 2 (d24s8) or 3 (d32f)");
    if (depth != 0) {
      if (fields.word(28) > 0xff)
        return fields.fail(28,
                           "the stencil is " + std::to_string(fields.word(28)) + ", expected at most 255");
      scene.depth = DepthSurface{kDepths[depth - 1], to_float(fields.word(24)),
                                 static_cast<std::uint8_t>(fields.word(28))};
    }
    scene.address = fields.long_word(32);
    const std::uint64_t size = fields.long_word(40);
    if (size > capture::kMaxCaptureMemory)
      return fields.fail(40, "the surface has " + hex_text(size) + " bytes, expected at most " +
                                 hex_text(capture::kMaxCaptureMemory));
    scene.color.size = static_cast<std::size_t>(size);
    list_.steps.emplace_back(std::move(scene));
    ++list_.scenes;
    return {};
  }

  Status read_end(const Fields& fields) {
    constexpr std::size_t kHeader = 24;
    const bool expected = (fields.section().flags & capture::kExpectedFlag) != 0;
    WARPJIT_CHECK(expected ? fields.expect_least(kHeader + 1, "a scene's end with what is expected")
                           : fields.expect_size(kHeader, "a scene's end"));
    SceneEnd end;
    end.scene = fields.word(0);
    if (end.scene >= list_.scenes)
      return fields.fail(0, "scene " + std::to_string(end.scene) + " of " + std::to_string(list_.scenes) +
                                " that lie before it");
    constexpr std::uint32_t kMostTolerance = 255;
    if (fields.word(4) > kMostTolerance)
      return fields.fail(4, "tolerance is " + std::to_string(fields.word(4)) + ", expected at most 255");
    end.tolerance = fields.word(4);
    if (fields.word(8) > 1)
      return fields.fail(
          8, "whether there is a hash is " + std::to_string(fields.word(8)) + ", expected 0 or 1");
    end.beyond = fields.word(12);
    if (fields.word(8) == 1) end.hash = fields.long_word(16);
    if (expected) end.expected = fields.rest(kHeader);
    list_.steps.emplace_back(end);
    return {};
  }

  const SectionFile& sections_;
  capture::MemoryReader memory_;
  SceneList list_;
};

}  // namespace

Result<SceneList> read_scenes(const SectionFile& sections, capture::FileOwner owner,
                              const SceneLimits& limits) {
  WARPJIT_TRY(SceneList list, SceneReader(sections, limits).read());
  list.owner = std::move(owner);
  return list;
}

}  // namespace warpjit::usse
