// The C interface: recorders of launches.
#include "capture/c_sink.h"
#include "runtime/api/c/boundary.h"
#include "warpjit/launch_recorder.h"
#include "warpjit/launch_recorder.hpp"

struct warpjit_launch_recorder {
  warpjit::capture::CSink sink;
  warpjit::LaunchRecorder recorder;
  warpjit_launch_recorder(warpjit_capture_sink to, void* with)
      : sink{to, with}, recorder(warpjit::capture::write_to, &sink) {}
  warpjit_launch_recorder(const warpjit_launch_recorder&) = delete;
  warpjit_launch_recorder& operator=(const warpjit_launch_recorder&) = delete;
};

using namespace warpjit;
using namespace warpjit::c_api;

warpjit_status warpjit_launch_recorder_create(warpjit_capture_sink sink, void* context,
                                              warpjit_launch_recorder** recorder, warpjit_error* error) {
  return call(error, {{recorder, "recorder"}}, [&]() -> Status {
    if (sink == nullptr) return bad("is null", "sink");
    *recorder = new warpjit_launch_recorder(sink, context);
    return {};
  });
}
void warpjit_launch_recorder_destroy(warpjit_launch_recorder* recorder) { delete recorder; }

warpjit_status warpjit_launch_recorder_run(warpjit_launch_recorder* recorder, const warpjit_engine* engine,
                                           const warpjit_launch* launch, const warpjit_run_options* options,
                                           warpjit_report* report, warpjit_error* error) {
  return call(error, {{recorder, "recorder"}, {engine, "engine"}, {launch, "launch"}}, [&]() -> Status {
    WARPJIT_CHECK(check_room(report, "report"));
    WARPJIT_TRY(const RunOptions run, run_options(options));
    WARPJIT_TRY(const Report done, recorder->recorder.run(engine->engine, launch->launch, run));
    if (report != nullptr) write(to_c(done), report);
    return {};
  });
}

warpjit_status warpjit_launch_recorder_end_frame(warpjit_launch_recorder* recorder, warpjit_error* error) {
  return call(error, {{recorder, "recorder"}}, [&]() -> Status {
    recorder->recorder.end_frame();
    return {};
  });
}

warpjit_status warpjit_launch_recorder_finish(warpjit_launch_recorder* recorder, warpjit_error* error) {
  return call(error, {{recorder, "recorder"}}, [&] { return recorder->recorder.finish(); });
}
