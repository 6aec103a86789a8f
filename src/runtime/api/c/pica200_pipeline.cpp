// The C interface: the vertex stage of the PICA200.
#include "runtime/api/c/boundary.h"
#include "warpjit/pica200.h"

struct warpjit_pica200_pipeline {
  warpjit::pica200::Pipeline pipeline;
};

namespace warpjit::c_api {
namespace {

using pica200::DrawResult;
using pica200::Pipeline;
using pica200::Vertex;

static_assert(WARPJIT_PICA200_ATTRIBUTES == pica200::kAttributes);
static_assert(WARPJIT_PICA200_UPLOADED_WORDS == pica200::kUploadedWords);
static_assert(WARPJIT_PICA200_UPLOADED_DESCRIPTORS == pica200::kUploadedDescriptors);
static_assert(WARPJIT_PICA200_MAX_DRAW_VERTICES == pica200::kMaxDrawVertices);
static_assert(sizeof(warpjit_pica200_vertex) == sizeof(Vertex));
static_assert(offsetof(warpjit_pica200_vertex, color) == offsetof(Vertex, color));
static_assert(offsetof(warpjit_pica200_vertex, texcoord0_w) == offsetof(Vertex, texcoord0_w));
static_assert(offsetof(warpjit_pica200_vertex, texcoord2) == offsetof(Vertex, texcoord2));

using Handle = warpjit_pica200_pipeline;

// A setter that the pipeline may refuse.
template <class... Parameters, class... Arguments>
warpjit_status set(Handle* pipeline, warpjit_error* error, Status (Pipeline::*setter)(Parameters...),
                   Arguments... arguments) {
  return call(error, {{pipeline, "pipeline"}}, [&] { return (pipeline->pipeline.*setter)(arguments...); });
}
// One that fails for NULL only.
template <class... Parameters, class... Arguments>
warpjit_status set(Handle* pipeline, void (Pipeline::*setter)(Parameters...), Arguments... arguments) {
  if (pipeline == nullptr) return WARPJIT_BAD_INPUT;
  (pipeline->pipeline.*setter)(arguments...);
  return WARPJIT_OK;
}
// One of `count` words.
template <class... Parameters, class... Arguments>
warpjit_status set_words(Handle* pipeline, const std::uint32_t* words, std::size_t count,
                         warpjit_error* error,
                         Status (Pipeline::*setter)(std::span<const std::uint32_t>, Parameters...),
                         Arguments... arguments) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const std::span<const std::uint32_t> given, array(words, count, "words"));
    return (pipeline->pipeline.*setter)(given, arguments...);
  });
}
// One of the four words of a vector.
using Vector = std::span<const std::uint32_t, 4>;
template <class... Parameters, class... Arguments>
warpjit_status set_vector(Handle* pipeline, std::uint32_t index, const std::uint32_t* bits,
                          warpjit_error* error, Status (Pipeline::*setter)(unsigned, Vector, Parameters...),
                          Arguments... arguments) {
  return call(error, {{pipeline, "pipeline"}, {bits, "bits"}},
              [&] { return (pipeline->pipeline.*setter)(index, Vector(bits, 4), arguments...); });
}

// `shade` draws with the run's options.
template <class Shade>
warpjit_status draw_with(Handle* pipeline, const warpjit_engine* engine, const warpjit_run_options* options,
                         warpjit_pica200_draw* draw, warpjit_report* report, warpjit_error* error,
                         Shade shade) {
  return fill(draw, "draw", error, {{pipeline, "pipeline"}, {engine, "engine"}},
              [&]() -> Result<warpjit_pica200_draw> {
                WARPJIT_CHECK(check_room(report, "report"));
                WARPJIT_TRY(const RunOptions run, run_options(options));
                WARPJIT_TRY(const DrawResult drawn, shade(run));
                if (report != nullptr) write(to_c(drawn.report), report);
                warpjit_pica200_draw result{};
                result.vertices = reinterpret_cast<const warpjit_pica200_vertex*>(drawn.vertices.data());
                result.vertex_count = drawn.vertices.size();
                result.indices = drawn.indices.data();
                result.index_count = drawn.indices.size();
                return result;
              });
}
template <class Index>
warpjit_status draw_indexed(Handle* pipeline, const warpjit_engine* engine, const Index* indices,
                            std::size_t count, const warpjit_run_options* options, warpjit_pica200_draw* draw,
                            warpjit_report* report, warpjit_error* error) {
  return draw_with(pipeline, engine, options, draw, report, error,
                   [&](const RunOptions& run) -> Result<DrawResult> {
                     WARPJIT_TRY(const std::span<const Index> list, array(indices, count, "indices"));
                     return pipeline->pipeline.draw_indexed(engine->engine, list, run);
                   });
}

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;
using warpjit::pica200::Pipeline;
using warpjit::pica200::Unit;

warpjit_status warpjit_pica200_pipeline_create(warpjit_pica200_pipeline** pipeline, warpjit_error* error) {
  return make(pipeline, "pipeline", error, {}, []() -> Result<Pipeline> { return Pipeline(); });
}
void warpjit_pica200_pipeline_destroy(warpjit_pica200_pipeline* pipeline) { delete pipeline; }

// ---- Registers -----------------------------------------------------------------------------------------

warpjit_status warpjit_pica200_pipeline_write_register(warpjit_pica200_pipeline* pipeline, uint32_t id,
                                                       uint32_t value, warpjit_error* error) {
  return set(pipeline, error, &Pipeline::write_register, id, value, 15u);
}
warpjit_status warpjit_pica200_pipeline_write_registers(warpjit_pica200_pipeline* pipeline,
                                                        const warpjit_pica200_register* writes, size_t count,
                                                        warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const auto given, array(writes, count, "writes"));
    for (const warpjit_pica200_register& write : given)
      WARPJIT_CHECK(pipeline->pipeline.write_register(write.id, write.value));
    return {};
  });
}

warpjit_status warpjit_pica200_pipeline_set_code(warpjit_pica200_pipeline* pipeline, const uint32_t* words,
                                                 size_t count, size_t first, warpjit_error* error) {
  return set_words(pipeline, words, count, error, &Pipeline::set_code, first, Unit::vertex);
}
warpjit_status warpjit_pica200_pipeline_set_descriptors(warpjit_pica200_pipeline* pipeline,
                                                        const uint32_t* words, size_t count, size_t first,
                                                        warpjit_error* error) {
  return set_words(pipeline, words, count, error, &Pipeline::set_descriptors, first, Unit::vertex);
}
warpjit_status warpjit_pica200_pipeline_set_entry(warpjit_pica200_pipeline* pipeline, uint32_t word,
                                                  warpjit_error* error) {
  return set(pipeline, error, &Pipeline::set_entry, word, Unit::vertex);
}
warpjit_status warpjit_pica200_pipeline_set_f24(warpjit_pica200_pipeline* pipeline, uint32_t on) {
  return set(pipeline, &Pipeline::set_f24, on != 0);
}
warpjit_status warpjit_pica200_pipeline_set_float(warpjit_pica200_pipeline* pipeline, uint32_t index,
                                                  const uint32_t bits[4], warpjit_error* error) {
  return set_vector(pipeline, index, bits, error, &Pipeline::set_float, Unit::vertex);
}
warpjit_status warpjit_pica200_pipeline_set_int(warpjit_pica200_pipeline* pipeline, uint32_t index,
                                                uint32_t bytes, warpjit_error* error) {
  return set(pipeline, error, &Pipeline::set_int, index, bytes, Unit::vertex);
}
warpjit_status warpjit_pica200_pipeline_set_bools(warpjit_pica200_pipeline* pipeline, uint16_t bits) {
  return set(pipeline, &Pipeline::set_bools, bits, Unit::vertex);
}
warpjit_status warpjit_pica200_pipeline_set_attribute_count(warpjit_pica200_pipeline* pipeline,
                                                            uint32_t count, warpjit_error* error) {
  return set(pipeline, error, &Pipeline::set_attribute_count, count, Unit::vertex);
}
warpjit_status warpjit_pica200_pipeline_set_permutation(warpjit_pica200_pipeline* pipeline,
                                                        uint32_t attribute, uint32_t input_register,
                                                        warpjit_error* error) {
  return set(pipeline, error, &Pipeline::set_permutation, attribute, input_register, Unit::vertex);
}
warpjit_status warpjit_pica200_pipeline_set_output_mask(warpjit_pica200_pipeline* pipeline, uint16_t mask) {
  return set(pipeline, &Pipeline::set_output_mask, mask, Unit::vertex);
}
warpjit_status warpjit_pica200_pipeline_set_output_map(warpjit_pica200_pipeline* pipeline,
                                                       const uint32_t* words, size_t count,
                                                       warpjit_error* error) {
  return set_words(pipeline, words, count, error, &Pipeline::set_output_map);
}
warpjit_status warpjit_pica200_pipeline_set_fixed_attribute(warpjit_pica200_pipeline* pipeline,
                                                            uint32_t attribute, const uint32_t bits[4],
                                                            warpjit_error* error) {
  return set_vector(pipeline, attribute, bits, error, &Pipeline::set_fixed_attribute);
}

warpjit_status warpjit_pica200_pipeline_bind_attribute(warpjit_pica200_pipeline* pipeline, uint32_t attribute,
                                                       const warpjit_pica200_array* array,
                                                       warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}, {array, "array"}}, [&]() -> Status {
    WARPJIT_TRY(const warpjit_pica200_array rows, read(array, "array"));
    WARPJIT_TRY(const Format format, format(rows.type, rows.components));
    return pipeline->pipeline.bind_attribute(attribute,
                                             {rows.data, rows.byte_count, rows.offset, rows.stride, format});
  });
}
warpjit_status warpjit_pica200_pipeline_unbind_attribute(warpjit_pica200_pipeline* pipeline,
                                                         uint32_t attribute) {
  return set(pipeline, &Pipeline::unbind_attribute, attribute);
}
warpjit_status warpjit_pica200_pipeline_unbind_attributes(warpjit_pica200_pipeline* pipeline) {
  return set(pipeline, &Pipeline::unbind_attributes);
}

// ---- Draws ---------------------------------------------------------------------------------------------

warpjit_status warpjit_pica200_pipeline_draw(warpjit_pica200_pipeline* pipeline, const warpjit_engine* engine,
                                             uint32_t first, size_t count, const warpjit_run_options* options,
                                             warpjit_pica200_draw* draw, warpjit_report* report,
                                             warpjit_error* error) {
  return draw_with(pipeline, engine, options, draw, report, error, [&](const RunOptions& run) {
    return pipeline->pipeline.draw(engine->engine, first, count, run);
  });
}
warpjit_status warpjit_pica200_pipeline_draw_indexed8(warpjit_pica200_pipeline* pipeline,
                                                      const warpjit_engine* engine, const uint8_t* indices,
                                                      size_t count, const warpjit_run_options* options,
                                                      warpjit_pica200_draw* draw, warpjit_report* report,
                                                      warpjit_error* error) {
  return draw_indexed(pipeline, engine, indices, count, options, draw, report, error);
}
warpjit_status warpjit_pica200_pipeline_draw_indexed16(warpjit_pica200_pipeline* pipeline,
                                                       const warpjit_engine* engine, const uint16_t* indices,
                                                       size_t count, const warpjit_run_options* options,
                                                       warpjit_pica200_draw* draw, warpjit_report* report,
                                                       warpjit_error* error) {
  return draw_indexed(pipeline, engine, indices, count, options, draw, report, error);
}
