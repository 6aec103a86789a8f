/* Runs a capture of any GPU that warpjit knows: says its jobs, draws and pictures, and how these differ from what is
 * expected. docs/captures.md says where captures come from. */
#include <warpjit/capture.h>

#include "check.h"
#include "files.h"

static int on_job(void* context, const warpjit_capture_job* job) {
  (void)context;
  printf("job %zu of frame %zu: %s\n", job->number, job->frame, job->what);
  return 1;
}

static int on_draw(void* context, const warpjit_capture_draw* draw) {
  (void)context;
  printf("draw %zu: %s", draw->number, draw->what);
  for (size_t n = 0; n < draw->program_count; ++n)
    printf(", %s %.3f ms", draw->programs[n].stage, (double)draw->programs[n].report->run_ns / 1e6);
  putchar('\n');
  return 1;
}

static int on_picture(void* context, const warpjit_capture_picture* picture) {
  printf("%s: %u x %u", picture->name, (unsigned)picture->width, (unsigned)picture->height);
  if (picture->compared) {
    const int holds = picture->beyond <= picture->allowed;
    if (!holds) *(int*)context = 1;
    printf(", %s", holds ? "as expected" : "not as expected");
  }
  putchar('\n');
  return 1;
}

int main(int count, char** arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: %s CAPTURE, such as fuzz/corpus/valhall_capture/triangle.wjcap\n", arguments[0]);
    return 2;
  }
  warpjit_capture_file file = {NULL, 0, arguments[1]};
  void* bytes = read_file(arguments[1], &file.size);
  file.bytes = bytes;
  warpjit_capture* capture = NULL;
  check(warpjit_capture_load(&file, 1, &capture, &error));
  free(bytes); /* it is not kept */
  for (size_t n = 0; n < warpjit_capture_note_count(capture); ++n)
    printf("note: %s\n", warpjit_capture_note(capture, n));

  warpjit_engine* engine = NULL;
  check(warpjit_engine_create(NULL, &engine, &error));
  int differs = 0;
  const warpjit_capture_visitor visitor = {
      .size = sizeof visitor, .context = &differs, .job = on_job, .draw = on_draw, .picture = on_picture};
  check(warpjit_capture_run(capture, engine, &visitor, NULL, &error));
  printf("%zu jobs, %zu frames\n", warpjit_capture_jobs(capture), warpjit_capture_frames(capture));
  warpjit_engine_destroy(engine);
  warpjit_capture_destroy(capture);
  return differs;
}
