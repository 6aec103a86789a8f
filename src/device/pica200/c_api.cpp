// The C interface: the pipeline of the PICA200.
#include <algorithm>
#include <cstring>
#include <vector>

#include "device/pica200/c_api.h"

namespace warpjit::c_api {
namespace {

using pica200::DrawResult;
using pica200::Pipeline;
using pica200::Unit;
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

// A mode of both units' programs.
using ModeSetter = void (Pipeline::*)(bool);
warpjit_status set_mode(Handle* pipeline, std::uint32_t on, ModeSetter setter) {
  return set(pipeline, setter, on != 0);
}

static_assert(same(Unit::vertex, WARPJIT_PICA200_VERTEX_UNIT) &&
              same(Unit::geometry, WARPJIT_PICA200_GEOMETRY_UNIT));

// The same of a unit.
template <class... Parameters, class... Arguments>
warpjit_status set_of(Handle* pipeline, std::int32_t unit, warpjit_error* error,
                      Status (Pipeline::*setter)(Parameters...), Arguments... arguments) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const Unit which, enumerator(unit, Unit::geometry, "unit"));
    return (pipeline->pipeline.*setter)(arguments..., which);
  });
}
template <class... Parameters, class... Arguments>
warpjit_status set_of(Handle* pipeline, std::int32_t unit, void (Pipeline::*setter)(Parameters...),
                      Arguments... arguments) {
  return call(nullptr, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const Unit which, enumerator(unit, Unit::geometry, "unit"));
    (pipeline->pipeline.*setter)(arguments..., which);
    return {};
  });
}
// The same of `count` words.
template <class... Parameters, class... Arguments>
warpjit_status set_words(Handle* pipeline, std::int32_t unit, const std::uint32_t* words, std::size_t count,
                         warpjit_error* error,
                         Status (Pipeline::*setter)(std::span<const std::uint32_t>, Parameters...),
                         Arguments... arguments) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const Unit which, enumerator(unit, Unit::geometry, "unit"));
    WARPJIT_TRY(const std::span<const std::uint32_t> given, array(words, count, "words"));
    return (pipeline->pipeline.*setter)(given, arguments..., which);
  });
}
using Vector = std::span<const std::uint32_t, 4>;

warpjit_pica200_draw draw_to_c(const DrawResult& drawn) {
  warpjit_pica200_draw result{};
  result.vertices = reinterpret_cast<const warpjit_pica200_vertex*>(drawn.vertices.data());
  result.vertex_count = drawn.vertices.size();
  result.indices = drawn.indices.data();
  result.index_count = drawn.indices.size();
  result.triangles = drawn.triangles;
  result.topology = static_cast<std::int32_t>(drawn.topology);
  result.restarted = drawn.restarted;
  result.topology_written = drawn.topology_written;
  result.outside_vertices = drawn.outside_vertices;
  result.outside_indices = drawn.outside_indices;
  return result;
}
static_assert(same(pica200::Topology::list, WARPJIT_PICA200_LIST) &&
              same(pica200::Topology::shader, WARPJIT_PICA200_SHADER));

static_assert(sizeof(warpjit_pica200_geometry_unit) == sizeof(pica200::GeometryUnit));
static_assert(offsetof(warpjit_pica200_geometry_unit, flags) == offsetof(pica200::GeometryUnit, flags));
static_assert(offsetof(warpjit_pica200_geometry_unit, outputs) == offsetof(pica200::GeometryUnit, outputs));
static_assert(WARPJIT_PICA200_HAS_RUN == pica200::GeometryUnit::kHasRun);

// Hands what a command list does to C.
class Visitor final : public pica200::CommandVisitor {
 public:
  explicit Visitor(const warpjit_pica200_visitor& to) : to_(to) {}

  bool draw(const Result<DrawResult>& result) override {
    if (to_.draw == nullptr) return result.ok();
    warpjit_error error{};
    error.size = sizeof error;
    if (!result) {
      static_cast<void>(report_error(status_of(result.error().code), result.error(), &error));
      return to_.draw(to_.context, nullptr, nullptr, &error) != 0;
    }
    warpjit_pica200_draw drawn = draw_to_c(*result);
    drawn.size = sizeof drawn;
    warpjit_report report = to_c(result->report);
    report.size = sizeof report;
    return to_.draw(to_.context, &drawn, &report, nullptr) != 0;
  }
  void write(std::uint32_t id, std::uint32_t value) override {
    if (to_.write != nullptr) to_.write(to_.context, id, value);
  }

 private:
  const warpjit_pica200_visitor to_;
};

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
                return draw_to_c(drawn);
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
void warpjit_pica200_pipeline_destroy(warpjit_pica200_pipeline* pipeline) {
  if (pipeline != nullptr && pipeline->own) delete pipeline;
}

// ---- Registers -----------------------------------------------------------------------------------------

warpjit_status warpjit_pica200_pipeline_write_register(warpjit_pica200_pipeline* pipeline, uint32_t id,
                                                       uint32_t value, warpjit_error* error) {
  return set(pipeline, error, &Pipeline::write_register, id, value, 15u);
}
warpjit_status warpjit_pica200_pipeline_write_bytes(warpjit_pica200_pipeline* pipeline, uint32_t id,
                                                    uint32_t value, uint32_t bytes, warpjit_error* error) {
  return set(pipeline, error, &Pipeline::write_register, id, value, bytes);
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

warpjit_status warpjit_pica200_pipeline_set_code(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                 const uint32_t* words, size_t count, size_t first,
                                                 warpjit_error* error) {
  return set_words(pipeline, unit, words, count, error, &Pipeline::set_code, first);
}
warpjit_status warpjit_pica200_pipeline_set_descriptors(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                        const uint32_t* words, size_t count, size_t first,
                                                        warpjit_error* error) {
  return set_words(pipeline, unit, words, count, error, &Pipeline::set_descriptors, first);
}
warpjit_status warpjit_pica200_pipeline_set_entry(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                  uint32_t word, warpjit_error* error) {
  return set_of(pipeline, unit, error, &Pipeline::set_entry, word);
}
warpjit_status warpjit_pica200_pipeline_set_f24(warpjit_pica200_pipeline* pipeline, uint32_t on) {
  return set_mode(pipeline, on, static_cast<ModeSetter>(&Pipeline::set_f24));
}
warpjit_status warpjit_pica200_pipeline_set_structural_scopes(warpjit_pica200_pipeline* pipeline,
                                                              uint32_t on) {
  return set_mode(pipeline, on, static_cast<ModeSetter>(&Pipeline::set_structural_scopes));
}
warpjit_status warpjit_pica200_pipeline_set_float(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                  uint32_t index, const uint32_t bits[4],
                                                  warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}, {bits, "bits"}}, [&]() -> Status {
    WARPJIT_TRY(const Unit which, enumerator(unit, Unit::geometry, "unit"));
    return pipeline->pipeline.set_float(index, Vector(bits, 4), which);
  });
}
warpjit_status warpjit_pica200_pipeline_set_int(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                uint32_t index, uint32_t bytes, warpjit_error* error) {
  return set_of(pipeline, unit, error, &Pipeline::set_int, index, bytes);
}
warpjit_status warpjit_pica200_pipeline_set_bools(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                  uint16_t bits) {
  return set_of(pipeline, unit, &Pipeline::set_bools, bits);
}
warpjit_status warpjit_pica200_pipeline_set_attribute_count(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                            uint32_t count, warpjit_error* error) {
  return set_of(pipeline, unit, error, &Pipeline::set_attribute_count, count);
}
warpjit_status warpjit_pica200_pipeline_set_permutation(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                        uint32_t attribute, uint32_t input_register,
                                                        warpjit_error* error) {
  return set_of(pipeline, unit, error, &Pipeline::set_permutation, attribute, input_register);
}
warpjit_status warpjit_pica200_pipeline_set_output_mask(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                        uint16_t mask) {
  return set_of(pipeline, unit, &Pipeline::set_output_mask, mask);
}
warpjit_status warpjit_pica200_pipeline_set_output_map(warpjit_pica200_pipeline* pipeline,
                                                       const uint32_t* words, size_t count,
                                                       warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const std::span<const std::uint32_t> given, array(words, count, "words"));
    return pipeline->pipeline.set_output_map(given);
  });
}
warpjit_status warpjit_pica200_pipeline_set_fixed_attribute(warpjit_pica200_pipeline* pipeline,
                                                            uint32_t attribute, const uint32_t bits[4],
                                                            warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}, {bits, "bits"}},
              [&] { return pipeline->pipeline.set_fixed_attribute(attribute, Vector(bits, 4)); });
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

warpjit_status warpjit_pica200_pipeline_set_memory(warpjit_pica200_pipeline* pipeline,
                                                   const warpjit_pica200_memory* ranges, size_t count,
                                                   warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const auto given, array(ranges, count, "ranges"));
    std::vector<pica200::MemoryRange> memory;
    memory.reserve(std::min(given.size(), pica200::kMaxMemoryRanges + 1));
    for (const warpjit_pica200_memory& range : given.first(memory.capacity()))
      memory.push_back({range.address, range.data, range.byte_count});
    return pipeline->pipeline.set_memory(memory);
  });
}

// ---- The geometry unit's state -------------------------------------------------------------------------

warpjit_status warpjit_pica200_pipeline_geometry_unit(const warpjit_pica200_pipeline* pipeline,
                                                      warpjit_pica200_geometry_unit* unit,
                                                      warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}, {unit, "unit"}}, [&]() -> Status {
    std::memcpy(unit, &pipeline->pipeline.geometry_unit(), sizeof *unit);
    return {};
  });
}
warpjit_status warpjit_pica200_pipeline_set_geometry_unit(warpjit_pica200_pipeline* pipeline,
                                                          const warpjit_pica200_geometry_unit* unit,
                                                          warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}, {unit, "unit"}}, [&]() -> Status {
    pica200::GeometryUnit state;
    std::memcpy(state.words().data(), unit, sizeof state);
    pipeline->pipeline.set_geometry_unit(state);
    return {};
  });
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
warpjit_status warpjit_pica200_pipeline_draw_arrays(warpjit_pica200_pipeline* pipeline,
                                                    const warpjit_engine* engine,
                                                    const warpjit_run_options* options,
                                                    warpjit_pica200_draw* draw, warpjit_report* report,
                                                    warpjit_error* error) {
  return draw_with(pipeline, engine, options, draw, report, error, [&](const RunOptions& run) {
    return pipeline->pipeline.draw_arrays(engine->engine, run);
  });
}
warpjit_status warpjit_pica200_pipeline_draw_elements(warpjit_pica200_pipeline* pipeline,
                                                      const warpjit_engine* engine,
                                                      const warpjit_run_options* options,
                                                      warpjit_pica200_draw* draw, warpjit_report* report,
                                                      warpjit_error* error) {
  return draw_with(pipeline, engine, options, draw, report, error, [&](const RunOptions& run) {
    return pipeline->pipeline.draw_elements(engine->engine, run);
  });
}
warpjit_status warpjit_pica200_pipeline_draw_immediate(warpjit_pica200_pipeline* pipeline,
                                                       const warpjit_engine* engine,
                                                       const warpjit_run_options* options,
                                                       warpjit_pica200_draw* draw, warpjit_report* report,
                                                       warpjit_error* error) {
  return draw_with(pipeline, engine, options, draw, report, error, [&](const RunOptions& run) {
    return pipeline->pipeline.draw_immediate(engine->engine, run);
  });
}
size_t warpjit_pica200_pipeline_immediate_vertices(const warpjit_pica200_pipeline* pipeline) {
  return pipeline != nullptr ? pipeline->pipeline.immediate_vertices() : 0;
}

warpjit_status warpjit_pica200_pipeline_run_commands(warpjit_pica200_pipeline* pipeline,
                                                     const warpjit_engine* engine, const uint32_t* words,
                                                     size_t count, const warpjit_run_options* options,
                                                     const warpjit_pica200_visitor* visitor,
                                                     warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}, {engine, "engine"}, {visitor, "visitor"}}, [&]() -> Status {
    WARPJIT_TRY(const std::span<const std::uint32_t> list, array(words, count, "words"));
    WARPJIT_TRY(const RunOptions run, run_options(options));
    Visitor to(*visitor);
    return pipeline->pipeline.run_commands(engine->engine, list, to, run);
  });
}
warpjit_status warpjit_pica200_pipeline_run_packet(
    warpjit_pica200_pipeline* pipeline, const warpjit_engine* engine, const warpjit_pica200_packet* packet,
    const warpjit_run_options* options, const warpjit_pica200_visitor* visitor, warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}, {engine, "engine"}, {packet, "packet"}, {visitor, "visitor"}},
              [&]() -> Status {
                WARPJIT_TRY(const pica200::Packet words, packet_of(packet));
                WARPJIT_TRY(const RunOptions run, run_options(options));
                Visitor to(*visitor);
                return pipeline->pipeline.run_packet(engine->engine, words, to, run);
              });
}
