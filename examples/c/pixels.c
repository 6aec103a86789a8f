/* Draws a triangle of three colours with a vertex and a fragment program of an NVIDIA Tesla. */
#include <warpjit/pixels.h>
#include <warpjit/tesla.h>

#include "check.h"

/* The vertex program passes its attributes on: a position (slots 0 to 3) and a colour (slots 4 to 6). */
static const char kSource[] =
    ".kernel passes\n"
    ".type vertex\n"
    ".attributes 0x7f\n" /* all of a0, three components of a1 */
    ".results 0 1 2 3 4 5 6\n"
    ".registers 1\n"
    "  mov b32 o[0x0] a[0x0]\n"
    "  mov b32 o[0x4] a[0x4]\n"
    "  mov b32 o[0x8] a[0x8]\n"
    "  mov b32 o[0xc] a[0xc]\n"
    "  mov b32 o[0x10] a[0x10]\n"
    "  mov b32 o[0x14] a[0x14]\n"
    "  mov b32 o[0x18] a[0x18]\n"
    "  exit nop\n"
    ".kernel shades\n"
    ".type fragment\n"
    ".interpolants 0x8030403\n" /* 1/w, then three slots from 4 on */
    ".registers 5\n"
    "  interp $r4 v[0x0]\n"
    "  rcp f32 $r4 $r4\n"
    "  interp $r0 v[0x4] $r4\n"
    "  interp $r1 v[0x8] $r4\n"
    "  interp $r2 v[0xc] $r4\n"
    "  mov b32 $r3 1.0\n"
    "  exit nop\n";

enum { kWidth = 48, kHeight = 24 };

static warpjit_program* load(int32_t stage) {
  const warpjit_program_choice choice = {.size = sizeof choice, .source_name = "triangle", .stage = stage};
  warpjit_program* program = NULL;
  check(warpjit_program_from_tesla_assembly(kSource, &choice, NULL, &program, &error));
  return program;
}

static void bind(warpjit_launch* launch, warpjit_program* program, const char* name, const float* data,
                 size_t byte_count, uint32_t components) {
  warpjit_location place;
  check(warpjit_program_find(program, WARPJIT_INPUT, name, &place, &error));
  const warpjit_attribute rows = {.size = sizeof rows,
                                  .data = data,
                                  .byte_count = byte_count,
                                  .stride = components * sizeof *data,
                                  .type = WARPJIT_F32,
                                  .components = components};
  check(warpjit_launch_bind_input(launch, &place, &rows, &error));
}

int main(void) {
  static const float kPositions[] = {-0.9f, -0.9f, 0, 1, 0.9f, -0.9f, 0, 1, 0, 0.9f, 0, 1};
  static const float kColors[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static uint32_t pixels[kHeight][kWidth];
  warpjit_engine* engine = NULL;
  warpjit_launch *vertices = NULL, *draw = NULL;
  check(warpjit_engine_create(NULL, &engine, &error));
  warpjit_program *vertex = load(WARPJIT_STAGE_VERTEX), *fragment = load(WARPJIT_STAGE_FRAGMENT);

  check(warpjit_launch_create(vertex, &vertices, &error));
  bind(vertices, vertex, "a0", kPositions, sizeof kPositions, 4);
  bind(vertices, vertex, "a1", kColors, sizeof kColors, 3);
  check(warpjit_launch_set_count(vertices, 3, &error));

  check(warpjit_launch_create(fragment, &draw, &error));
  check(warpjit_launch_set_vertex_stage(draw, vertices, 0, &error));
  warpjit_raster_state raster = {.size = sizeof raster};
  check(warpjit_default_raster_state(&raster, &error));
  raster.viewport_scale[0] = raster.viewport_translate[0] = kWidth / 2.0f;
  raster.viewport_scale[1] = raster.viewport_translate[1] = kHeight / 2.0f;
  check(warpjit_launch_set_raster_state(draw, &raster, &error));
  check(warpjit_launch_set_target_size(draw, kWidth, kHeight, &error));
  const warpjit_target_buffer target = {.size = sizeof target,
                                        .data = pixels,
                                        .byte_count = sizeof pixels,
                                        .pitch = sizeof pixels[0],
                                        .format = WARPJIT_PIXELS_RGBA8};
  check(warpjit_launch_bind_color(draw, 0, &target, &error));
  warpjit_report report = {.size = sizeof report};
  check(warpjit_engine_run(engine, draw, NULL, &report, &error));

  /* Window y goes up: the last row is the top one. */
  for (int row = kHeight; row-- > 0;) {
    for (int column = 0; column < kWidth; ++column) {
      const uint32_t pixel = pixels[row][column];
      const uint32_t red = pixel & 255, green = pixel >> 8 & 255, blue = pixel >> 16 & 255;
      putchar(pixel == 0 ? '.' : red > green && red > blue ? 'r' : green > blue ? 'g' : 'b');
    }
    putchar('\n');
  }
  if (report.work != WARPJIT_WORK_PIXELS || pixels[kHeight - 1][0] != 0 || pixels[4][kWidth / 2] == 0)
    return 1;
  warpjit_launch_destroy(draw);
  warpjit_launch_destroy(vertices);
  warpjit_program_destroy(fragment);
  warpjit_program_destroy(vertex);
  warpjit_engine_destroy(engine);
  return 0;
}
