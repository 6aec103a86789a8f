/* Records launches of any kind as a capture, a .wjcap file (docs/captures.md). It goes to a sink, from its
 * beginning to its end, while launches run. Calls on a recorder must not overlap.
 */
#ifndef WARPJIT_LAUNCH_RECORDER_H
#define WARPJIT_LAUNCH_RECORDER_H

#include "warpjit/engine.h"
#include "warpjit/launch.h"
#include "warpjit/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct warpjit_launch_recorder warpjit_launch_recorder;

/* [any] */
WARPJIT_API warpjit_status warpjit_launch_recorder_create(warpjit_capture_sink sink, void* context,
                                                          warpjit_launch_recorder** recorder,
                                                          warpjit_error* error);
/* NULL: nothing. Without warpjit_launch_recorder_finish before, the file is cut. */
WARPJIT_API void warpjit_launch_recorder_destroy(warpjit_launch_recorder* recorder);
/* [one of `recorder` and `launch`] As warpjit_engine_run, and records the launch, what it reads, and what has
 * changed of that since the last one. One that ends with FAULT or OUT_OF_FUEL is the last of the file; one
 * that ends with another error is not in it. Memory may be freed between runs. `options` and `report` may be
 * NULL. */
WARPJIT_API warpjit_status warpjit_launch_recorder_run(warpjit_launch_recorder* recorder,
                                                       const warpjit_engine* engine,
                                                       const warpjit_launch* launch,
                                                       const warpjit_run_options* options,
                                                       warpjit_report* report, warpjit_error* error);
/* [one] What follows is another frame. */
WARPJIT_API warpjit_status warpjit_launch_recorder_end_frame(warpjit_launch_recorder* recorder,
                                                             warpjit_error* error);
/* [one] Writes what the launches have left as expected outputs, and the file's end. Errors: BAD_INPUT if
 * nothing was recorded, or for launches of several guests; UNSUPPORTED for what captures do not have;
 * RESOURCE_LIMIT; IO for a sink that does not take bytes; that of the launch which ended the capture. */
WARPJIT_API warpjit_status warpjit_launch_recorder_finish(warpjit_launch_recorder* recorder,
                                                          warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
