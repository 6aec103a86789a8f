// The C interface: captures of the PICA200's GPU.
#include "capture/c_sink.h"
#include "device/pica200/c_api.h"

using namespace warpjit;
using namespace warpjit::c_api;

warpjit_status warpjit_pica200_gpu_record(warpjit_pica200_gpu* gpu, warpjit_capture_sink sink, void* context,
                                          warpjit_error* error) {
  return call(error, {{gpu, "gpu"}}, [&]() -> Status {
    if (sink == nullptr) return Error{ErrorCode::bad_input, "the sink is null", "capture"};
    auto made = std::make_unique<capture::CSink>(capture::CSink{sink, context});
    WARPJIT_CHECK(gpu->gpu.record(capture::write_to, made.get()));
    gpu->sink = std::shared_ptr<const void>(std::move(made));
    return {};
  });
}
warpjit_status warpjit_pica200_gpu_end_frame(warpjit_pica200_gpu* gpu, warpjit_error* error) {
  return call(error, {{gpu, "gpu"}}, [&] { return gpu->gpu.end_frame(); });
}
warpjit_status warpjit_pica200_gpu_end_record(warpjit_pica200_gpu* gpu, warpjit_error* error) {
  return call(error, {{gpu, "gpu"}}, [&] {
    const Status done = gpu->gpu.end_record();
    gpu->sink.reset();
    return done;
  });
}
