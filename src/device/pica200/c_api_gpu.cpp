// The C interface: the GPU of the PICA200.
#include <algorithm>
#include <vector>

#include "device/pica200/c_api.h"

namespace warpjit::c_api {
namespace {

using pica200::Gpu;
using pica200::GpuReport;
using pica200::Interrupt;

static_assert(same(Interrupt::psc0, WARPJIT_PICA200_PSC0) && same(Interrupt::psc1, WARPJIT_PICA200_PSC1) &&
              same(Interrupt::ppf, WARPJIT_PICA200_PPF) && same(Interrupt::p3d, WARPJIT_PICA200_P3D));
static_assert(same(GpuReport::Jump::buffer0, WARPJIT_PICA200_JUMP_BUFFER0) &&
              same(GpuReport::Jump::buffer1, WARPJIT_PICA200_JUMP_BUFFER1));

warpjit_pica200_gpu_report report_to_c(const GpuReport& from) {
  warpjit_pica200_gpu_report report{};
  report.draws = from.draws;
  report.triangles = from.triangles;
  report.fragments = from.fragments;
  report.jumps = from.jumps;
  report.interrupt = from.interrupt;
  report.jump = static_cast<std::int32_t>(from.jump);
  report.words = from.words;
  return report;
}

// A call that gives a GpuReport.
template <class Body>
warpjit_status run(warpjit_pica200_gpu* gpu, const warpjit_engine* engine, const warpjit_run_options* options,
                   warpjit_pica200_gpu_report* report, warpjit_error* error, Body body) {
  return call(error, {{gpu, "gpu"}, {engine, "engine"}}, [&]() -> Status {
    WARPJIT_CHECK(check_room(report, "report"));
    WARPJIT_TRY(const RunOptions given, run_options(options));
    WARPJIT_TRY(const GpuReport done, body(given));
    write(report_to_c(done), report);
    return {};
  });
}

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;
using warpjit::pica200::Gpu;

warpjit_status warpjit_pica200_gpu_create(warpjit_pica200_gpu** gpu, warpjit_error* error) {
  return make(gpu, "gpu", error, {}, []() -> Result<Gpu> { return Gpu(); });
}
void warpjit_pica200_gpu_destroy(warpjit_pica200_gpu* gpu) { delete gpu; }

warpjit_status warpjit_pica200_gpu_set_interrupt(warpjit_pica200_gpu* gpu,
                                                 warpjit_pica200_interrupt_function function, void* context) {
  if (gpu == nullptr) return WARPJIT_BAD_INPUT;
  gpu->interrupt = function;
  gpu->interrupt_context = context;
  const auto to_c = [](void* handle, Interrupt interrupt) {
    const auto* self = static_cast<const warpjit_pica200_gpu*>(handle);
    self->interrupt(self->interrupt_context, static_cast<std::int32_t>(interrupt));
  };
  if (function != nullptr)
    gpu->gpu.set_interrupt(to_c, gpu);
  else
    gpu->gpu.set_interrupt(nullptr);
  return WARPJIT_OK;
}

warpjit_status warpjit_pica200_gpu_set_lazy_targets(warpjit_pica200_gpu* gpu, uint32_t on) {
  if (gpu == nullptr) return WARPJIT_BAD_INPUT;
  gpu->gpu.set_lazy_targets(on != 0);
  return WARPJIT_OK;
}
warpjit_status warpjit_pica200_gpu_write_back(warpjit_pica200_gpu* gpu, uint64_t address,
                                              uint64_t byte_count) {
  if (gpu == nullptr) return WARPJIT_BAD_INPUT;
  gpu->gpu.write_back(address, byte_count);
  return WARPJIT_OK;
}

warpjit_status warpjit_pica200_gpu_set_memory(warpjit_pica200_gpu* gpu,
                                              const warpjit_pica200_gpu_memory* ranges, size_t count,
                                              warpjit_error* error) {
  return call(error, {{gpu, "gpu"}}, [&]() -> Status {
    WARPJIT_TRY(const auto given, array(ranges, count, "ranges"));
    std::vector<pica200::GpuMemory> memory;
    // One more than are allowed is an error as well.
    for (const auto& range : given.first(std::min(given.size(), pica200::kMaxMemoryRanges + 1)))
      memory.push_back({range.address, range.data, range.byte_count});
    return gpu->gpu.set_memory(memory);
  });
}

warpjit_status warpjit_pica200_gpu_set_register(warpjit_pica200_gpu* gpu, uint32_t id, uint32_t value,
                                                warpjit_error* error) {
  return call(error, {{gpu, "gpu"}}, [&] { return gpu->gpu.set_register(id, value); });
}
uint32_t warpjit_pica200_gpu_get_register(const warpjit_pica200_gpu* gpu, uint32_t id) {
  return gpu != nullptr ? gpu->gpu.get_register(id) : 0;
}

warpjit_status warpjit_pica200_gpu_run_commands(warpjit_pica200_gpu* gpu, const warpjit_engine* engine,
                                                uint32_t address, uint32_t byte_count,
                                                const warpjit_run_options* options,
                                                warpjit_pica200_gpu_report* report, warpjit_error* error) {
  return run(gpu, engine, options, report, error, [&](const RunOptions& given) {
    return gpu->gpu.run_commands(engine->engine, address, byte_count, given);
  });
}
warpjit_status warpjit_pica200_gpu_run_packet(warpjit_pica200_gpu* gpu, const warpjit_engine* engine,
                                              const warpjit_pica200_packet* packet,
                                              const warpjit_run_options* options,
                                              warpjit_pica200_gpu_report* report, warpjit_error* error) {
  return run(gpu, engine, options, report, error, [&](const RunOptions& given) -> Result<GpuReport> {
    WARPJIT_CHECK(c_api::given(packet, "packet"));
    WARPJIT_TRY(const pica200::Packet words, packet_of(packet));
    return gpu->gpu.run_packet(engine->engine, words, given);
  });
}
warpjit_status warpjit_pica200_gpu_draw_immediate(warpjit_pica200_gpu* gpu, const warpjit_engine* engine,
                                                  const warpjit_run_options* options,
                                                  warpjit_pica200_gpu_report* report, warpjit_error* error) {
  return run(gpu, engine, options, report, error,
             [&](const RunOptions& given) { return gpu->gpu.draw_immediate(engine->engine, given); });
}

warpjit_status warpjit_pica200_gpu_pipeline(warpjit_pica200_gpu* gpu, warpjit_pica200_pipeline** pipeline,
                                            warpjit_error* error) {
  return call(error, {{gpu, "gpu"}, {pipeline, "pipeline"}}, [&]() -> Status {
    *pipeline = &gpu->pipeline;
    return {};
  });
}

warpjit_status warpjit_pica200_gpu_fill(warpjit_pica200_gpu* gpu, const warpjit_pica200_fill* job,
                                        uint32_t unit, warpjit_error* error) {
  return call(error, {{gpu, "gpu"}, {job, "job"}}, [&] {
    return gpu->gpu.fill({job->start, job->end, job->value, job->control}, unit);
  });
}
warpjit_status warpjit_pica200_gpu_transfer(warpjit_pica200_gpu* gpu, const warpjit_pica200_transfer* job,
                                            warpjit_error* error) {
  return call(error, {{gpu, "gpu"}, {job, "job"}}, [&] {
    return gpu->gpu.transfer({job->input, job->output, job->input_size, job->output_size, job->flags});
  });
}
warpjit_status warpjit_pica200_gpu_copy(warpjit_pica200_gpu* gpu, const warpjit_pica200_copy* job,
                                        warpjit_error* error) {
  return call(error, {{gpu, "gpu"}, {job, "job"}}, [&] {
    return gpu->gpu.copy({job->input, job->output, job->byte_count, job->input_line, job->output_line});
  });
}
