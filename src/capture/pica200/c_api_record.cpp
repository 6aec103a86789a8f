// The C interface: captures of the PICA200's pipeline and GPU.
#include "capture/c_sink.h"
#include "device/pica200/c_api.h"

using namespace warpjit;
using namespace warpjit::c_api;

namespace {

// `kept`: keeps the sink until end_record.
template <class Device>
Status record(Device& device, std::shared_ptr<const void>& kept, warpjit_capture_sink sink, void* context) {
  if (sink == nullptr) return Error{ErrorCode::bad_input, "the sink is null", "capture"};
  auto made = std::make_shared<capture::CSink>(capture::CSink{sink, context});
  WARPJIT_CHECK(device.record(capture::write_to, made.get()));
  kept = std::move(made);
  return {};
}

}  // namespace

warpjit_status warpjit_pica200_pipeline_record(warpjit_pica200_pipeline* pipeline, warpjit_capture_sink sink,
                                               void* context, warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}},
              [&] { return record(pipeline->pipeline, pipeline->sink, sink, context); });
}
warpjit_status warpjit_pica200_pipeline_end_frame(warpjit_pica200_pipeline* pipeline, warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&] { return pipeline->pipeline.end_frame(); });
}
warpjit_status warpjit_pica200_pipeline_end_record(warpjit_pica200_pipeline* pipeline, warpjit_error* error) {
  return call(error, {{pipeline, "pipeline"}}, [&] { return pipeline->pipeline.end_record(); });
}

warpjit_status warpjit_pica200_gpu_record(warpjit_pica200_gpu* gpu, warpjit_capture_sink sink, void* context,
                                          warpjit_error* error) {
  return call(error, {{gpu, "gpu"}}, [&] { return record(gpu->gpu, gpu->sink, sink, context); });
}
warpjit_status warpjit_pica200_gpu_end_frame(warpjit_pica200_gpu* gpu, warpjit_error* error) {
  return call(error, {{gpu, "gpu"}}, [&] { return gpu->gpu.end_frame(); });
}
warpjit_status warpjit_pica200_gpu_end_record(warpjit_pica200_gpu* gpu, warpjit_error* error) {
  return call(error, {{gpu, "gpu"}}, [&] { return gpu->gpu.end_record(); });
}
