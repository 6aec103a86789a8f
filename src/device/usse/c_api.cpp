// The C interface: scenes of the PlayStation Vita.
#include <memory>
#include <vector>

#include "device/usse/c_api.h"

struct warpjit_usse_scene {
  warpjit::usse::Scene scene;
};

namespace warpjit::c_api {
namespace {

static_assert(same(usse::AttributeFormat::u8n, WARPJIT_USSE_U8N) &&
              same(usse::AttributeFormat::untyped, WARPJIT_USSE_UNTYPED));
static_assert(WARPJIT_USSE_UNTYPED + 1 == usse::kAttributeFormats);
static_assert(same(usse::Primitive::triangle_strip, WARPJIT_USSE_TRIANGLE_STRIP) &&
              same(usse::Primitive::triangle_fan, WARPJIT_USSE_TRIANGLE_FAN) &&
              same(usse::Primitive::points, WARPJIT_USSE_POINTS));
static_assert(same(usse::Cull::clockwise, WARPJIT_USSE_CULL_CLOCKWISE) &&
              same(usse::Cull::counter_clockwise, WARPJIT_USSE_CULL_COUNTER_CLOCKWISE));

template <class Number>
Result<Number> narrow(std::uint32_t number, std::uint32_t most, const char* what) {
  if (number > most) return bad(std::to_string(number) + " is above " + std::to_string(most), what);
  return static_cast<Number>(number);
}
Result<std::uint8_t> byte_of(std::uint32_t number, const char* what) {
  return narrow<std::uint8_t>(number, 0xff, what);
}

// What a stage's lists are converted to.
struct StageLists {
  std::vector<usse::NamedUniform> uniforms;
  std::vector<usse::UniformBufferBinding> buffers;
  std::vector<usse::TextureBinding> textures;
};

// A draw as C++ has it, with the lists that it refers to.
class ConvertedDraw {
 public:
  Status read(const warpjit_usse_draw* given_draw) {
    WARPJIT_TRY(const warpjit_usse_draw from, c_api::read(given_draw, "draw"));
    WARPJIT_CHECK(stage(from.vertex, "draw.vertex", vertex_, draw_.vertex));
    WARPJIT_CHECK(stage(from.fragment, "draw.fragment", fragment_, draw_.fragment));
    WARPJIT_CHECK(vertices(from));
    WARPJIT_CHECK(memory(from));
    WARPJIT_TRY(draw_.indices, array(from.indices, from.index_count, "draw.indices"));
    draw_.instances = from.instances;
    WARPJIT_TRY(draw_.primitive, enumerator(from.primitive, usse::Primitive::points, "draw.primitive"));
    WARPJIT_TRY(draw_.cull, enumerator(from.cull, usse::Cull::counter_clockwise, "draw.cull"));
    const float *const offset = from.viewport_offset, *const scale = from.viewport_scale;
    draw_.viewport = {offset[0], scale[0], offset[1], scale[1], offset[2], scale[2]};
    if (from.has_region != 0)
      draw_.region.emplace(std::array{from.region[0], from.region[1], from.region[2], from.region[3]});
    if (from.blend != nullptr) WARPJIT_CHECK(blend(*from.blend));
    if (from.depth_stencil != nullptr) WARPJIT_CHECK(depth_stencil(*from.depth_stencil));
    return {};
  }
  const usse::Draw& draw() const { return draw_; }

 private:
  static Status stage(const warpjit_usse_stage* given_stage, const char* what, StageLists& lists,
                      usse::StageSetup& to) {
    WARPJIT_CHECK(given(given_stage, what));
    WARPJIT_TRY(const warpjit_usse_stage from, c_api::read(given_stage, what));
    WARPJIT_CHECK(given(from.program, "program of a stage"));
    to.program = &from.program->program;
    WARPJIT_TRY(const auto uniforms, array(from.uniforms, from.uniform_count, "uniforms"));
    for (const warpjit_usse_uniform& uniform : uniforms) {
      WARPJIT_CHECK(given(uniform.name, "name of a uniform"));
      WARPJIT_TRY(const auto words, array(uniform.words, uniform.count, "words of a uniform"));
      lists.uniforms.push_back({uniform.name, words});
    }
    WARPJIT_TRY(to.default_uniforms,
                array(from.default_uniforms, from.default_uniform_count, "default_uniforms"));
    WARPJIT_TRY(const auto buffers, array(from.buffers, from.buffer_count, "buffers"));
    for (const warpjit_usse_uniform_buffer& buffer : buffers) {
      WARPJIT_TRY(const auto words, array(buffer.words, buffer.count, "words of a uniform buffer"));
      lists.buffers.push_back({buffer.buffer, words, buffer.address});
    }
    WARPJIT_TRY(const auto textures, array(from.textures, from.texture_count, "textures"));
    for (const warpjit_usse_texture& texture : textures) {
      const std::uint32_t* const control = texture.control;
      lists.textures.push_back({texture.unit, {control[0], control[1], control[2], control[3]}});
    }
    to.uniforms = lists.uniforms;
    to.buffers = lists.buffers;
    to.textures = lists.textures;
    return {};
  }

  Status vertices(const warpjit_usse_draw& from) {
    WARPJIT_TRY(const auto streams, array(from.streams, from.stream_count, "draw.streams"));
    for (const warpjit_usse_stream& stream : streams) {
      WARPJIT_CHECK(bytes_at(stream.data, stream.byte_count));
      streams_.push_back({stream.data, stream.byte_count, stream.stride, stream.per_instance != 0});
    }
    WARPJIT_TRY(const auto attributes, array(from.attributes, from.attribute_count, "draw.attributes"));
    for (const warpjit_usse_attribute& attribute : attributes) {
      usse::VertexAttribute& to = attributes_.emplace_back();
      to.stream = attribute.stream;
      to.offset = attribute.offset;
      WARPJIT_TRY(to.format,
                  enumerator(attribute.format, usse::AttributeFormat::untyped, "attribute.format"));
      WARPJIT_TRY(to.components, byte_of(attribute.components, "attribute.components"));
      WARPJIT_TRY(to.reg, narrow<std::uint16_t>(attribute.reg, 0xffff, "attribute.reg"));
    }
    draw_.streams = streams_;
    draw_.attributes = attributes_;
    return {};
  }

  Status memory(const warpjit_usse_draw& from) {
    WARPJIT_TRY(const auto pieces, array(from.memory, from.memory_count, "draw.memory"));
    for (const warpjit_usse_memory& piece : pieces) {
      WARPJIT_CHECK(bytes_at(piece.data, piece.byte_count));
      memory_.push_back({piece.address, piece.data, piece.byte_count});
    }
    draw_.memory = memory_;
    return {};
  }

  Status blend(const warpjit_usse_blend& given_blend) {
    WARPJIT_TRY(const warpjit_usse_blend from, c_api::read(&given_blend, "draw.blend"));
    usse::Blend& to = draw_.blend.emplace();
    WARPJIT_TRY(to.color_mask, byte_of(from.color_mask, "blend.color_mask"));
    WARPJIT_TRY(to.color_function, byte_of(from.color_function, "blend.color_function"));
    WARPJIT_TRY(to.alpha_function, byte_of(from.alpha_function, "blend.alpha_function"));
    WARPJIT_TRY(to.color_source, byte_of(from.color_source, "blend.color_source"));
    WARPJIT_TRY(to.color_target, byte_of(from.color_target, "blend.color_target"));
    WARPJIT_TRY(to.alpha_source, byte_of(from.alpha_source, "blend.alpha_source"));
    WARPJIT_TRY(to.alpha_target, byte_of(from.alpha_target, "blend.alpha_target"));
    return {};
  }

  static Result<usse::StencilFunction> stencil(const warpjit_usse_stencil& from) {
    usse::StencilFunction to;
    WARPJIT_TRY(to.compare, enumerator(from.compare, Compare::always, "stencil.compare"));
    WARPJIT_TRY(to.fail, enumerator(from.fail, StencilOp::decrement_wrap, "stencil.fail"));
    WARPJIT_TRY(to.depth_fail, enumerator(from.depth_fail, StencilOp::decrement_wrap, "stencil.depth_fail"));
    WARPJIT_TRY(to.pass, enumerator(from.pass, StencilOp::decrement_wrap, "stencil.pass"));
    WARPJIT_TRY(to.reference, byte_of(from.reference, "stencil.reference"));
    WARPJIT_TRY(to.compare_mask, byte_of(from.compare_mask, "stencil.compare_mask"));
    WARPJIT_TRY(to.write_mask, byte_of(from.write_mask, "stencil.write_mask"));
    return to;
  }
  Status depth_stencil(const warpjit_usse_depth_stencil& given_state) {
    WARPJIT_TRY(const warpjit_usse_depth_stencil from, c_api::read(&given_state, "draw.depth_stencil"));
    usse::DepthStencil& to = draw_.depth_stencil;
    WARPJIT_TRY(to.depth_compare, enumerator(from.depth_compare, Compare::always, "depth_compare"));
    to.depth_write = from.depth_write != 0;
    to.stencil = from.stencil != 0;
    to.two_sided = from.two_sided != 0;
    WARPJIT_TRY(to.front, stencil(from.front));
    WARPJIT_TRY(to.back, stencil(from.back));
    return {};
  }

  usse::Draw draw_;
  StageLists vertex_, fragment_;
  std::vector<usse::VertexStream> streams_;
  std::vector<usse::VertexAttribute> attributes_;
  std::vector<usse::Memory> memory_;
};

warpjit_usse_stencil stencil_to_c(const usse::StencilFunction& from) {
  return {static_cast<std::int32_t>(from.compare),
          static_cast<std::int32_t>(from.fail),
          static_cast<std::int32_t>(from.depth_fail),
          static_cast<std::int32_t>(from.pass),
          from.reference,
          from.compare_mask,
          from.write_mask};
}

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;

warpjit_status warpjit_usse_default_depth_stencil(warpjit_usse_depth_stencil* state, warpjit_error* error) {
  return fill(state, "state", error, {}, []() -> Result<warpjit_usse_depth_stencil> {
    const usse::DepthStencil from;
    warpjit_usse_depth_stencil to{};
    to.depth_compare = static_cast<std::int32_t>(from.depth_compare);
    to.front = stencil_to_c(from.front);
    to.back = stencil_to_c(from.back);
    return to;
  });
}

warpjit_status warpjit_usse_default_draw(warpjit_usse_draw* draw, warpjit_error* error) {
  return fill(draw, "draw", error, {}, []() -> Result<warpjit_usse_draw> {
    const usse::Draw from;
    const usse::Viewport& viewport = from.viewport;
    warpjit_usse_draw to{};
    to.instances = from.instances;
    const float offset[] = {viewport.x_offset, viewport.y_offset, viewport.z_offset};
    const float scale[] = {viewport.x_scale, viewport.y_scale, viewport.z_scale};
    std::ranges::copy(offset, to.viewport_offset);
    std::ranges::copy(scale, to.viewport_scale);
    return to;
  });
}

namespace {

warpjit_status begin_scene(const usse::Recorder* recorder, const warpjit_usse_color_surface* color,
                           const warpjit_usse_depth_surface* depth, warpjit_usse_scene** scene,
                           warpjit_error* error) {
  return make(scene, "scene", error, {{color, "color"}}, [&]() -> Result<usse::Scene> {
    WARPJIT_TRY(const warpjit_usse_color_surface from, c_api::read(color, "color"));
    WARPJIT_CHECK(bytes_at(from.data, from.byte_count));
    const usse::ColorSurface surface{from.format, from.type, from.width,     from.height,
                                     from.stride, from.data, from.byte_count};
    std::optional<usse::DepthSurface> cleared;
    if (depth != nullptr) {
      WARPJIT_TRY(const warpjit_usse_depth_surface given_depth, c_api::read(depth, "depth"));
      usse::DepthSurface& to = cleared.emplace();
      WARPJIT_TRY(to.format, enumerator(given_depth.format, kLastPixelFormat, "depth.format"));
      to.depth = given_depth.depth;
      WARPJIT_TRY(to.stencil, byte_of(given_depth.stencil, "depth.stencil"));
    }
    return usse::Scene::begin(surface, cleared, recorder);
  });
}

}  // namespace

warpjit_status warpjit_usse_scene_begin(const warpjit_usse_color_surface* color,
                                        const warpjit_usse_depth_surface* depth, warpjit_usse_scene** scene,
                                        warpjit_error* error) {
  return begin_scene(nullptr, color, depth, scene, error);
}
warpjit_status warpjit_usse_scene_begin_recorded(const warpjit_usse_recorder* recorder,
                                                 const warpjit_usse_color_surface* color,
                                                 const warpjit_usse_depth_surface* depth,
                                                 warpjit_usse_scene** scene, warpjit_error* error) {
  return begin_scene(recorder == nullptr ? nullptr : &recorder->recorder, color, depth, scene, error);
}
void warpjit_usse_scene_destroy(warpjit_usse_scene* scene) { delete scene; }

warpjit_status warpjit_usse_scene_draw(warpjit_usse_scene* scene, const warpjit_engine* engine,
                                       const warpjit_usse_draw* draw, const warpjit_run_options* options,
                                       uint32_t* drawn, warpjit_report* report, warpjit_error* error) {
  return call(error, {{scene, "scene"}, {engine, "engine"}, {draw, "draw"}}, [&]() -> Status {
    WARPJIT_CHECK(check_room(report, "report"));
    WARPJIT_TRY(const RunOptions run, run_options(options));
    ConvertedDraw converted;
    WARPJIT_CHECK(converted.read(draw));
    WARPJIT_TRY(const usse::DrawReport result, scene->scene.draw(engine->engine, converted.draw(), run));
    if (drawn != nullptr) *drawn = result.drawn ? 1 : 0;
    write(result.drawn ? c_api::to_c(result.pixels) : warpjit_report{}, report);
    return {};
  });
}

warpjit_status warpjit_usse_scene_end(warpjit_usse_scene* scene, warpjit_error* error) {
  return call(error, {{scene, "scene"}}, [&] { return scene->scene.end(); });
}
