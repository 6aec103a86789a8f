/* Draws as an emulator of the 3DS does: a vertex program and its uniforms, attributes in guest memory, an
 * index buffer; out come the vertices that the rasterizer gets. */
#include <warpjit/pica200.h>

#include "check.h"

/* What the assembler makes of:
 *   mul r0, c0, v0
 *   add o0, c1, r0
 *   mov o1, v1
 *   end */
static const uint32_t kCode[] = {0x22020000, 0x00021800, 0x4C201000, 0x88000000};
static const uint32_t kDescriptors[] = {0x0006C36F};
/* o0 is the position, words 0 to 3 of a vertex, and o1 the colour, words 8 to 11. */
static const uint32_t kOutputMap[] = {0x03020100, 0x0B0A0908};

/* The bits of 2, 3, 1, 1 and of 10, 20, 0, 0: scale and offset. */
static const uint32_t kScale[4] = {0x40000000, 0x40400000, 0x3F800000, 0x3F800000};
static const uint32_t kOffset[4] = {0x41200000, 0x41A00000, 0, 0};
static const uint32_t kRed[4] = {0x3F800000, 0, 0, 0x3F800000};

int main(void) {
  warpjit_engine* engine = NULL;
  warpjit_pica200_pipeline* pipeline = NULL;
  check(warpjit_engine_create(NULL, &engine, &error));
  check(warpjit_pica200_pipeline_create(&pipeline, &error));

  /* Typed calls here; warpjit_pica200_pipeline_write_register takes the command list as it is. */
  check(warpjit_pica200_pipeline_set_code(pipeline, WARPJIT_PICA200_VERTEX_UNIT, kCode, COUNT(kCode), 0,
                                          &error));
  check(warpjit_pica200_pipeline_set_descriptors(pipeline, WARPJIT_PICA200_VERTEX_UNIT, kDescriptors,
                                                 COUNT(kDescriptors), 0, &error));
  check(warpjit_pica200_pipeline_set_float(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 0, kScale, &error));
  check(warpjit_pica200_pipeline_set_float(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 1, kOffset, &error));
  check(warpjit_pica200_pipeline_set_output_mask(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 3));
  check(warpjit_pica200_pipeline_set_output_map(pipeline, kOutputMap, COUNT(kOutputMap), &error));

  /* Attribute 0 is an array in memory and goes to v0, attribute 1 is the same for all vertices and goes to
   * v1. */
  static const int16_t kSquare[4][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
  const warpjit_pica200_array positions = {.size = sizeof positions,
                                           .data = kSquare,
                                           .byte_count = sizeof kSquare,
                                           .stride = sizeof kSquare[0],
                                           .type = WARPJIT_S16,
                                           .components = 2};
  check(warpjit_pica200_pipeline_set_attribute_count(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 2, &error));
  check(warpjit_pica200_pipeline_set_permutation(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 0, 0, &error));
  check(warpjit_pica200_pipeline_set_permutation(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 1, 1, &error));
  check(warpjit_pica200_pipeline_bind_attribute(pipeline, 0, &positions, &error));
  check(warpjit_pica200_pipeline_set_fixed_attribute(pipeline, 1, kRed, &error));

  /* Two triangles of four vertices, each of which is shaded once. */
  static const uint16_t kIndices[] = {0, 1, 2, 2, 1, 3};
  warpjit_pica200_draw draw = {.size = sizeof draw};
  warpjit_report report = {.size = sizeof report};
  check(warpjit_pica200_pipeline_draw_indexed16(pipeline, engine, kIndices, COUNT(kIndices), NULL, &draw,
                                                &report, &error));
  printf("draw: %zu indices, %zu vertices\n", draw.index_count, draw.vertex_count);
  if (draw.index_count != COUNT(kIndices) || draw.vertex_count != 4 || report.work != WARPJIT_WORK_DRAW)
    return 1;
  for (size_t n = 0; n < draw.index_count; ++n) {
    const warpjit_pica200_vertex* vertex = &draw.vertices[draw.indices[n]];
    const int16_t* corner = kSquare[kIndices[n]];
    printf("  %5.1f %5.1f  red %.1f\n", vertex->position[0], vertex->position[1], vertex->color[0]);
    if (vertex->position[0] != 2.0f * corner[0] + 10 || vertex->position[1] != 3.0f * corner[1] + 20)
      return 1;
    if (vertex->color[0] != 1 || vertex->color[1] != 0) return 1;
  }

  /* An index without a vertex in the array is an error, not an access. */
  static const uint16_t kWild[] = {0, 60000};
  if (warpjit_pica200_pipeline_draw_indexed16(pipeline, engine, kWild, COUNT(kWild), NULL, &draw, NULL,
                                              &error) != WARPJIT_OUTSIDE)
    return 1;
  printf("  %s: %s\n", error.where, error.message);
  warpjit_pica200_pipeline_destroy(pipeline);
  warpjit_engine_destroy(engine);
  return 0;
}
