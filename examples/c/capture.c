/* Runs a capture of an Arm Mali Valhall, the GPU's memory with the jobs in it: says what is drawn, and prints
 * colour target 0 in small. docs/captures.md says where captures come from. */
#include <warpjit/pixels.h>
#include <warpjit/valhall.h>

#include "check.h"
#include "files.h"

enum { kColumns = 64, kRows = 32 }; /* of a printed picture, at most */

typedef struct {
  unsigned draws, pictures;
} Seen;

static int on_draw(void* context, const warpjit_valhall_draw* draw, const warpjit_report* fragment) {
  ++((Seen*)context)->draws;
  printf("draw %zu: %s, %u vertices", draw->number, draw->mode, (unsigned)draw->vertices);
  if (fragment == NULL) printf(", no pixel can change");
  putchar('\n');
  return 1;
}

static int on_picture(void* context, const warpjit_valhall_picture* picture) {
  if (picture->target == WARPJIT_VALHALL_DEPTH) return 1;
  ++((Seen*)context)->pictures;
  printf("target %u: %u x %u\n", (unsigned)picture->target, (unsigned)picture->width,
         (unsigned)picture->height);
  if (picture->target != 0 || picture->format != WARPJIT_PIXELS_RGBA8) return 1;
  const uint32_t across = (picture->width + kColumns - 1) / kColumns,
                 down = (picture->height + kRows - 1) / kRows, step = across > 2 * down ? across : 2 * down;
  for (uint32_t y = 0; y < picture->height; y += step) {
    for (uint32_t x = 0; x<picture->width; x += step> 1 ? step / 2 : 1) {
      const uint8_t* pixel = (const uint8_t*)picture->pixels + 4 * ((size_t)y * picture->width + x);
      putchar(" .:-=+*#%@"[(pixel[0] + pixel[1] + pixel[2]) * 9 / (3 * 255)]);
    }
    putchar('\n');
  }
  return 1;
}

int main(int count, char** arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: %s CAPTURE, such as fuzz/corpus/valhall_capture/triangle.wjcap\n", arguments[0]);
    return 2;
  }
  size_t size = 0;
  void* bytes = read_file(arguments[1], &size);
  warpjit_valhall_capture* capture = NULL;
  check(warpjit_valhall_capture_load(bytes, size, arguments[1], &capture, &error));
  free(bytes); /* it is not kept */
  printf("%zu chains of jobs\n", warpjit_valhall_capture_chain_count(capture));

  warpjit_engine* engine = NULL;
  check(warpjit_engine_create(NULL, &engine, &error));
  Seen seen = {0, 0};
  const warpjit_valhall_visitor visitor = {.context = &seen, .draw = on_draw, .picture = on_picture};
  check(warpjit_valhall_capture_run(capture, engine, &visitor, NULL, &error));
  printf("%u draws, %u pictures\n", seen.draws, seen.pictures);
  warpjit_engine_destroy(engine);
  warpjit_valhall_capture_destroy(capture);
  return seen.pictures != 0 ? 0 : 1;
}
