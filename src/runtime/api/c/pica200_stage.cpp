// The C interface: the vertex stage of the PICA200.
#include "runtime/api/c/boundary.h"
#include "warpjit/pica200.h"

struct warpjit_pica200_stage {
  warpjit::pica200::VertexStage stage;
};

namespace warpjit::c_api {
namespace {

using pica200::DrawResult;
using pica200::Vertex;
using pica200::VertexStage;

static_assert(WARPJIT_PICA200_ATTRIBUTES == pica200::kAttributes);
static_assert(WARPJIT_PICA200_UPLOADED_WORDS == pica200::kUploadedWords);
static_assert(WARPJIT_PICA200_UPLOADED_DESCRIPTORS == pica200::kUploadedDescriptors);
static_assert(WARPJIT_PICA200_MAX_DRAW_VERTICES == pica200::kMaxDrawVertices);
static_assert(sizeof(warpjit_pica200_vertex) == sizeof(Vertex));
static_assert(offsetof(warpjit_pica200_vertex, color) == offsetof(Vertex, color));
static_assert(offsetof(warpjit_pica200_vertex, texcoord0_w) == offsetof(Vertex, texcoord0_w));
static_assert(offsetof(warpjit_pica200_vertex, texcoord2) == offsetof(Vertex, texcoord2));

using Stage = warpjit_pica200_stage;

// A setter that the stage may refuse.
template <class... Parameters, class... Arguments>
warpjit_status set(Stage* stage, warpjit_error* error, Status (VertexStage::*setter)(Parameters...),
                   Arguments... arguments) {
  return call(error, {{stage, "stage"}}, [&] { return (stage->stage.*setter)(arguments...); });
}
// One that fails for NULL only.
template <class... Parameters, class... Arguments>
warpjit_status set(Stage* stage, void (VertexStage::*setter)(Parameters...), Arguments... arguments) {
  if (stage == nullptr) return WARPJIT_BAD_INPUT;
  (stage->stage.*setter)(arguments...);
  return WARPJIT_OK;
}
// One of `count` words.
template <class... Parameters, class... Arguments>
warpjit_status set_words(Stage* stage, const std::uint32_t* words, std::size_t count, warpjit_error* error,
                         Status (VertexStage::*setter)(std::span<const std::uint32_t>, Parameters...),
                         Arguments... arguments) {
  return call(error, {{stage, "stage"}}, [&]() -> Status {
    WARPJIT_TRY(const std::span<const std::uint32_t> given, array(words, count, "words"));
    return (stage->stage.*setter)(given, arguments...);
  });
}
// One of the four words of a vector.
using Vector = std::span<const std::uint32_t, 4>;
warpjit_status set_vector(Stage* stage, std::uint32_t index, const std::uint32_t* bits, warpjit_error* error,
                          Status (VertexStage::*setter)(unsigned, Vector)) {
  return call(error, {{stage, "stage"}, {bits, "bits"}},
              [&] { return (stage->stage.*setter)(index, Vector(bits, 4)); });
}

// `shade` draws with the run's options.
template <class Shade>
warpjit_status draw_with(Stage* stage, const warpjit_engine* engine, const warpjit_run_options* options,
                         warpjit_pica200_draw* draw, warpjit_report* report, warpjit_error* error,
                         Shade shade) {
  return fill(draw, "draw", error, {{stage, "stage"}, {engine, "engine"}},
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
warpjit_status draw_indexed(Stage* stage, const warpjit_engine* engine, const Index* indices,
                            std::size_t count, const warpjit_run_options* options, warpjit_pica200_draw* draw,
                            warpjit_report* report, warpjit_error* error) {
  return draw_with(stage, engine, options, draw, report, error,
                   [&](const RunOptions& run) -> Result<DrawResult> {
                     WARPJIT_TRY(const std::span<const Index> list, array(indices, count, "indices"));
                     return stage->stage.draw_indexed(engine->engine, list, run);
                   });
}

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;
using warpjit::pica200::VertexStage;

warpjit_status warpjit_pica200_stage_create(warpjit_pica200_stage** stage, warpjit_error* error) {
  return make(stage, "stage", error, {}, []() -> Result<VertexStage> { return VertexStage(); });
}
void warpjit_pica200_stage_destroy(warpjit_pica200_stage* stage) { delete stage; }

// ---- Registers -----------------------------------------------------------------------------------------

warpjit_status warpjit_pica200_stage_write_register(warpjit_pica200_stage* stage, uint32_t id, uint32_t value,
                                                    warpjit_error* error) {
  return set(stage, error, &VertexStage::write_register, id, value);
}
warpjit_status warpjit_pica200_stage_write_registers(warpjit_pica200_stage* stage,
                                                     const warpjit_pica200_register* writes, size_t count,
                                                     warpjit_error* error) {
  return call(error, {{stage, "stage"}}, [&]() -> Status {
    WARPJIT_TRY(const auto given, array(writes, count, "writes"));
    for (const warpjit_pica200_register& write : given)
      WARPJIT_CHECK(stage->stage.write_register(write.id, write.value));
    return {};
  });
}

warpjit_status warpjit_pica200_stage_set_code(warpjit_pica200_stage* stage, const uint32_t* words,
                                              size_t count, size_t first, warpjit_error* error) {
  return set_words(stage, words, count, error, &VertexStage::set_code, first);
}
warpjit_status warpjit_pica200_stage_set_descriptors(warpjit_pica200_stage* stage, const uint32_t* words,
                                                     size_t count, size_t first, warpjit_error* error) {
  return set_words(stage, words, count, error, &VertexStage::set_descriptors, first);
}
warpjit_status warpjit_pica200_stage_set_entry(warpjit_pica200_stage* stage, uint32_t word,
                                               warpjit_error* error) {
  return set(stage, error, &VertexStage::set_entry, word);
}
warpjit_status warpjit_pica200_stage_set_f24(warpjit_pica200_stage* stage, uint32_t on) {
  return set(stage, &VertexStage::set_f24, on != 0);
}
warpjit_status warpjit_pica200_stage_set_float(warpjit_pica200_stage* stage, uint32_t index,
                                               const uint32_t bits[4], warpjit_error* error) {
  return set_vector(stage, index, bits, error, &VertexStage::set_float);
}
warpjit_status warpjit_pica200_stage_set_int(warpjit_pica200_stage* stage, uint32_t index, uint32_t bytes,
                                             warpjit_error* error) {
  return set(stage, error, &VertexStage::set_int, index, bytes);
}
warpjit_status warpjit_pica200_stage_set_bools(warpjit_pica200_stage* stage, uint16_t bits) {
  return set(stage, &VertexStage::set_bools, bits);
}
warpjit_status warpjit_pica200_stage_set_attribute_count(warpjit_pica200_stage* stage, uint32_t count,
                                                         warpjit_error* error) {
  return set(stage, error, &VertexStage::set_attribute_count, count);
}
warpjit_status warpjit_pica200_stage_set_permutation(warpjit_pica200_stage* stage, uint32_t attribute,
                                                     uint32_t input_register, warpjit_error* error) {
  return set(stage, error, &VertexStage::set_permutation, attribute, input_register);
}
warpjit_status warpjit_pica200_stage_set_output_mask(warpjit_pica200_stage* stage, uint16_t mask) {
  return set(stage, &VertexStage::set_output_mask, mask);
}
warpjit_status warpjit_pica200_stage_set_output_map(warpjit_pica200_stage* stage, const uint32_t* words,
                                                    size_t count, warpjit_error* error) {
  return set_words(stage, words, count, error, &VertexStage::set_output_map);
}
warpjit_status warpjit_pica200_stage_set_fixed_attribute(warpjit_pica200_stage* stage, uint32_t attribute,
                                                         const uint32_t bits[4], warpjit_error* error) {
  return set_vector(stage, attribute, bits, error, &VertexStage::set_fixed_attribute);
}

warpjit_status warpjit_pica200_stage_bind_attribute(warpjit_pica200_stage* stage, uint32_t attribute,
                                                    const warpjit_pica200_array* array,
                                                    warpjit_error* error) {
  return call(error, {{stage, "stage"}, {array, "array"}}, [&]() -> Status {
    WARPJIT_TRY(const warpjit_pica200_array rows, read(array, "array"));
    WARPJIT_TRY(const Format format, format(rows.type, rows.components));
    return stage->stage.bind_attribute(attribute,
                                       {rows.data, rows.byte_count, rows.offset, rows.stride, format});
  });
}
warpjit_status warpjit_pica200_stage_unbind_attribute(warpjit_pica200_stage* stage, uint32_t attribute) {
  return set(stage, &VertexStage::unbind_attribute, attribute);
}
warpjit_status warpjit_pica200_stage_unbind_attributes(warpjit_pica200_stage* stage) {
  return set(stage, &VertexStage::unbind_attributes);
}

// ---- Draws ---------------------------------------------------------------------------------------------

warpjit_status warpjit_pica200_stage_draw(warpjit_pica200_stage* stage, const warpjit_engine* engine,
                                          uint32_t first, size_t count, const warpjit_run_options* options,
                                          warpjit_pica200_draw* draw, warpjit_report* report,
                                          warpjit_error* error) {
  return draw_with(stage, engine, options, draw, report, error, [&](const RunOptions& run) {
    return stage->stage.draw(engine->engine, first, count, run);
  });
}
warpjit_status warpjit_pica200_stage_draw_indexed8(warpjit_pica200_stage* stage, const warpjit_engine* engine,
                                                   const uint8_t* indices, size_t count,
                                                   const warpjit_run_options* options,
                                                   warpjit_pica200_draw* draw, warpjit_report* report,
                                                   warpjit_error* error) {
  return draw_indexed(stage, engine, indices, count, options, draw, report, error);
}
warpjit_status warpjit_pica200_stage_draw_indexed16(warpjit_pica200_stage* stage,
                                                    const warpjit_engine* engine, const uint16_t* indices,
                                                    size_t count, const warpjit_run_options* options,
                                                    warpjit_pica200_draw* draw, warpjit_report* report,
                                                    warpjit_error* error) {
  return draw_indexed(stage, engine, indices, count, options, draw, report, error);
}
