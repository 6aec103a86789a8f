// The C interface: what the PICA200's pipeline and GPU hold, whole and in parts.
#include <cstring>

#include "device/pica200/c_api.h"

namespace warpjit::c_api {
namespace {

using pica200::FloatBits;
using pica200::Gpu;
using pica200::Outside;
using pica200::Start;
using pica200::Unit;

static_assert(same(Outside::zero, WARPJIT_PICA200_OUTSIDE_ZERO) &&
              same(Start::emulators, WARPJIT_PICA200_START_EMULATORS));
static_assert(same(Gpu::Table::light, WARPJIT_PICA200_TABLE_LIGHT) &&
              same(Gpu::Table::noise, WARPJIT_PICA200_TABLE_NOISE) &&
              same(Gpu::Table::color_differences, WARPJIT_PICA200_TABLE_COLOR_DIFFERENCES));

Result<Unit> unit_of(std::int32_t number) { return enumerator(number, Unit::geometry, "unit"); }

Result<std::span<const FloatBits>> vectors(const std::uint32_t* bits, std::size_t count) {
  WARPJIT_TRY(const auto words, array(bits, count <= SIZE_MAX / 4 ? 4 * count : SIZE_MAX, "bits"));
  return std::span(reinterpret_cast<const FloatBits*>(words.data()), count);
}

template <class From>
Status save(const From& from, void* bytes, std::size_t capacity, std::size_t* byte_count) {
  if (capacity != 0) WARPJIT_CHECK(given(bytes, "bytes"));
  WARPJIT_TRY(const std::vector<std::byte> saved, from.save());
  if (byte_count != nullptr) *byte_count = saved.size();
  if (saved.size() <= capacity) std::memcpy(bytes, saved.data(), saved.size());
  return {};
}
template <class To>
Status load(To& to, const void* bytes, std::size_t byte_count) {
  WARPJIT_TRY(const auto saved, bytes_at(bytes, byte_count));
  return to.load(saved);
}

std::uint32_t flags_of(const bool (&cmp)[2]) { return (cmp[0] ? 1u : 0u) | (cmp[1] ? 2u : 0u); }
warpjit_pica200_vertex_view view_of(const pica200::VertexView& from) {
  warpjit_pica200_vertex_view to{};
  to.number = from.number;
  static_assert(sizeof to.inputs == sizeof from.inputs);
  std::memcpy(to.inputs, from.inputs, sizeof to.inputs);
  std::memcpy(to.outputs, from.outputs, sizeof to.outputs);
  std::memcpy(to.temporaries, from.temporaries, sizeof to.temporaries);
  std::memcpy(to.a0, from.a0, sizeof to.a0);
  to.aL = from.aL;
  to.cmp = flags_of(from.cmp);
  return to;
}

// A caller's function for steps.
struct StepCall {
  warpjit_pica200_step_function function;
  void* context;

  static bool step(void* call, const pica200::VertexStep& from) {
    warpjit_pica200_vertex_step to{};
    to.size = sizeof to;
    to.address = from.address;
    to.file = static_cast<std::uint32_t>(from.file);
    to.index = from.index;
    to.mask = from.mask;
    std::memcpy(to.value, from.value.data(), sizeof to.value);
    std::memcpy(to.a0, from.a0, sizeof to.a0);
    to.aL = from.aL;
    to.cmp = flags_of(from.cmp);
    const StepCall& own = *static_cast<const StepCall*>(call);
    return own.function(own.context, &to) != 0;
  }
};

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;

// ---- Several values ------------------------------------------------------------------------------------

warpjit_status warpjit_pica200_pipeline_set_floats(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                   uint32_t first, const uint32_t* bits, size_t count,
                                                   warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const Unit which, unit_of(unit));
    WARPJIT_TRY(const auto values, vectors(bits, count));
    return pipeline->pipeline.set_floats(first, values, which);
  });
}
warpjit_status warpjit_pica200_pipeline_set_ints(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                 uint32_t first, const uint32_t* bytes, size_t count,
                                                 warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const Unit which, unit_of(unit));
    WARPJIT_TRY(const auto values, array(bytes, count, "bytes"));
    return pipeline->pipeline.set_ints(first, values, which);
  });
}
warpjit_status warpjit_pica200_pipeline_set_some_bools(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                       uint32_t first, uint32_t count, uint16_t bits,
                                                       warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const Unit which, unit_of(unit));
    return pipeline->pipeline.set_bools(first, count, bits, which);
  });
}
warpjit_status warpjit_pica200_pipeline_set_fixed_attributes(warpjit_pica200_pipeline* pipeline,
                                                             uint32_t first, const uint32_t* bits,
                                                             size_t count, warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const auto values, vectors(bits, count));
    return pipeline->pipeline.set_fixed_attributes(first, values);
  });
}
warpjit_status warpjit_pica200_pipeline_set_unit_f24(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                     uint32_t on, warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const Unit which, unit_of(unit));
    pipeline->pipeline.set_f24(on != 0, which);
    return {};
  });
}
warpjit_status warpjit_pica200_pipeline_set_unit_structural_scopes(warpjit_pica200_pipeline* pipeline,
                                                                   int32_t unit, uint32_t on,
                                                                   warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const Unit which, unit_of(unit));
    pipeline->pipeline.set_structural_scopes(on != 0, which);
    return {};
  });
}

// ---- What it holds, and options ------------------------------------------------------------------------

warpjit_status warpjit_pica200_pipeline_unit(const warpjit_pica200_pipeline* pipeline, int32_t unit,
                                             warpjit_pica200_unit* view, warpjit_error* error) {
  return fill(view, "view", error, {{pipeline, "pipeline"}}, [&]() -> Result<warpjit_pica200_unit> {
    WARPJIT_TRY(const Unit which, unit_of(unit));
    const pica200::UnitView from = pipeline->pipeline.unit(which);
    warpjit_pica200_unit to{};
    to.code = from.code.data();
    to.code_count = from.code.size();
    to.descriptors = from.descriptors.data();
    to.descriptor_count = from.descriptors.size();
    to.floats = from.floats.empty() ? nullptr : from.floats[0].data();
    to.float_count = from.floats.size();
    to.ints = from.ints.data();
    to.int_count = from.ints.size();
    to.permutation = from.permutation.data();
    to.permutation_count = from.permutation.size();
    to.entry = from.entry;
    to.attribute_count = from.attribute_count;
    to.bools = from.bools;
    to.output_mask = from.output_mask;
    to.f24 = from.f24;
    to.structural_scopes = from.structural_scopes;
    return to;
  });
}
warpjit_status warpjit_pica200_pipeline_program(const warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                warpjit_program** program, warpjit_error* error) {
  return make(program, "program", error, {{pipeline, "pipeline"}}, [&]() -> Result<warpjit::Program> {
    WARPJIT_TRY(const Unit which, unit_of(unit));
    return pipeline->pipeline.program(which);
  });
}
warpjit_status warpjit_pica200_pipeline_fixed_attribute(const warpjit_pica200_pipeline* pipeline,
                                                        uint32_t attribute, uint32_t bits[4],
                                                        warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}, {bits, "bits"}}, [&]() -> Status {
    WARPJIT_TRY(const FloatBits* const value, element(pipeline->pipeline.fixed_attributes(), attribute));
    std::memcpy(bits, value->data(), sizeof *value);
    return {};
  });
}
uint32_t warpjit_pica200_pipeline_get_register(const warpjit_pica200_pipeline* pipeline, uint32_t id) {
  return pipeline != nullptr ? pipeline->pipeline.get_register(id) : 0;
}

warpjit_status warpjit_pica200_pipeline_set_outside(warpjit_pica200_pipeline* pipeline, int32_t outside,
                                                    warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const Outside what, enumerator(outside, Outside::zero, "outside"));
    pipeline->pipeline.set_outside(what);
    return {};
  });
}
warpjit_status warpjit_pica200_pipeline_set_geometry_topology(warpjit_pica200_pipeline* pipeline,
                                                              uint32_t on) {
  if (pipeline == nullptr) return WARPJIT_BAD_INPUT;
  pipeline->pipeline.set_geometry_topology(on != 0);
  return WARPJIT_OK;
}

warpjit_status warpjit_pica200_pipeline_inspect_vertex(const warpjit_pica200_pipeline* pipeline, size_t n,
                                                       warpjit_pica200_vertex_view* view,
                                                       warpjit_error* error) {
  return fill(view, "view", error, {{pipeline, "pipeline"}}, [&]() -> Result<warpjit_pica200_vertex_view> {
    WARPJIT_TRY(const pica200::VertexView from, pipeline->pipeline.inspect_vertex(n));
    return view_of(from);
  });
}
warpjit_status warpjit_pica200_pipeline_trace_vertex(const warpjit_pica200_pipeline* pipeline, size_t n,
                                                     warpjit_pica200_step_function function, void* context,
                                                     warpjit_pica200_vertex_view* view,
                                                     warpjit_error* error) {
  return fill(view, "view", error, {{pipeline, "pipeline"}}, [&]() -> Result<warpjit_pica200_vertex_view> {
    if (function == nullptr) return Error{ErrorCode::bad_input, "the function is null", "step"};
    StepCall call{function, context};
    WARPJIT_TRY(const pica200::VertexView from, pipeline->pipeline.trace_vertex(n, &StepCall::step, &call));
    return view_of(from);
  });
}

// ---- All of it -----------------------------------------------------------------------------------------

warpjit_status warpjit_pica200_pipeline_reset(warpjit_pica200_pipeline* pipeline, int32_t start,
                                              warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&]() -> Status {
    WARPJIT_TRY(const Start with, enumerator(start, Start::emulators, "start"));
    return pipeline->pipeline.reset(with);
  });
}
warpjit_status warpjit_pica200_pipeline_save(const warpjit_pica200_pipeline* pipeline, void* bytes,
                                             size_t capacity, size_t* byte_count, warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}},
              [&] { return save(pipeline->pipeline, bytes, capacity, byte_count); });
}
warpjit_status warpjit_pica200_pipeline_load(warpjit_pica200_pipeline* pipeline, const void* bytes,
                                             size_t byte_count, warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&] { return load(pipeline->pipeline, bytes, byte_count); });
}

warpjit_status warpjit_pica200_gpu_reset(warpjit_pica200_gpu* gpu, int32_t start, warpjit_error* error) {
  return call(error, {{gpu, "gpu"}}, [&]() -> Status {
    WARPJIT_TRY(const Start with, enumerator(start, Start::emulators, "start"));
    return gpu->gpu.reset(with);
  });
}
warpjit_status warpjit_pica200_gpu_save(const warpjit_pica200_gpu* gpu, void* bytes, size_t capacity,
                                        size_t* byte_count, warpjit_error* error) {
  return call(error, {{gpu, "gpu"}}, [&] { return save(gpu->gpu, bytes, capacity, byte_count); });
}
warpjit_status warpjit_pica200_gpu_load(warpjit_pica200_gpu* gpu, const void* bytes, size_t byte_count,
                                        warpjit_error* error) {
  return call(error, {{gpu, "gpu"}}, [&] { return load(gpu->gpu, bytes, byte_count); });
}
warpjit_status warpjit_pica200_gpu_table(const warpjit_pica200_gpu* gpu, int32_t table, uint32_t number,
                                         uint32_t words[WARPJIT_PICA200_TABLE_WORDS], size_t* count,
                                         warpjit_error* error) {
  return call(error, {{gpu, "gpu"}, {words, "words"}}, [&]() -> Status {
    WARPJIT_TRY(const Gpu::Table which, enumerator(table, Gpu::Table::color_differences, "table"));
    const std::span<const std::uint32_t> from = gpu->gpu.table(which, number);
    if (from.empty()) return bad("there is no light table " + std::to_string(number), "number");
    std::memcpy(words, from.data(), from.size_bytes());
    if (count != nullptr) *count = from.size();
    return {};
  });
}
