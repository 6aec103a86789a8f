/* Runs a PICA200 geometry program after a vertex program: each point becomes a triangle around it. */
#include "check.h"

/* mov o0, v0; end */
static const uint32_t kVertexCode[] = {0x4C000000, 0x88000000};
/* Three times: setemit n; add r0, cn, v0; mov o0, r0; emit. The last SETEMIT completes the triangle; end. */
static const uint32_t kGeometryCode[] = {0xAC000000, 0x02020000, 0x4C010000, 0xA8000000, 0xAD000000,
                                         0x02021000, 0x4C010000, 0xA8000000, 0xAE800000, 0x02022000,
                                         0x4C010000, 0xA8000000, 0x88000000};
static const uint32_t kDescriptors[] = {0x0006C36F};

enum { kPoints = 3 };
static const float kCenters[kPoints][4] = {{0, 0, 0, 1}, {10, 0, 0, 1}, {0, 10, 0, 1}};
static const float kCorners[3][4] = {{-1, -1, 0, 0}, {1, -1, 0, 0}, {0, 1, 0, 0}}; /* c0 to c2 */

/* A launch of a program given as words. */
static warpjit_launch* launch_of(const uint32_t* code, size_t count, int32_t stage) {
  const warpjit_program_words words = {.size = sizeof words,
                                       .code = code,
                                       .code_count = count,
                                       .descriptors = kDescriptors,
                                       .descriptor_count = COUNT(kDescriptors),
                                       .stage = stage};
  warpjit_program* program = NULL;
  warpjit_launch* launch = NULL;
  check(warpjit_program_from_words(&words, &program, &error));
  check(warpjit_launch_create(program, &launch, &error));
  warpjit_program_destroy(program); /* a launch keeps its program */
  return launch;
}

static warpjit_location find(const warpjit_launch* launch, int32_t kind, const char* name) {
  warpjit_program* program = NULL;
  warpjit_location location;
  check(warpjit_launch_get_program(launch, &program, &error));
  check(warpjit_program_find(program, kind, name, &location, &error));
  warpjit_program_destroy(program);
  return location;
}

int main(void) {
  /* The vertex stage is a launch over rows whose outputs nobody binds. */
  warpjit_launch* points = launch_of(kVertexCode, COUNT(kVertexCode), WARPJIT_STAGE_VERTEX);
  const warpjit_attribute centers = {.size = sizeof centers,
                                     .data = kCenters,
                                     .byte_count = sizeof kCenters,
                                     .stride = sizeof kCenters[0],
                                     .type = WARPJIT_F32,
                                     .components = 4};
  const warpjit_location v0 = find(points, WARPJIT_INPUT, "v0");
  check(warpjit_launch_bind_input(points, &v0, &centers, &error));
  check(warpjit_launch_set_count(points, kPoints, &error));

  warpjit_launch* triangles = launch_of(kGeometryCode, COUNT(kGeometryCode), WARPJIT_STAGE_GEOMETRY);
  const warpjit_location c0 = find(triangles, WARPJIT_UNIFORM, "c0");
  check(warpjit_launch_set_uniform(triangles, &c0, kCorners[0], 12, &error));
  static const uint8_t kRegisters[] = {0}; /* o0 of a vertex goes to v0 of an invocation */
  const warpjit_geometry_input input = {.size = sizeof input,
                                        .mode = WARPJIT_PRIMITIVES_POINT,
                                        .registers = kRegisters,
                                        .register_count = COUNT(kRegisters),
                                        .outputs = 1, /* o0 is what an emitted vertex has */
                                        .max_triangles = 1};
  check(warpjit_launch_set_geometry_input(triangles, &input, &error));
  check(warpjit_launch_set_vertex_stage(triangles, points, 1, &error));
  float out[kPoints][3][4];
  const warpjit_triangle_buffer buffer = {.size = sizeof buffer, .vertices = out, .byte_count = sizeof out};
  check(warpjit_launch_bind_triangles(triangles, &buffer, &error));

  warpjit_engine* engine = NULL;
  check(warpjit_engine_create(NULL, &engine, &error));
  warpjit_report report = {.size = sizeof report};
  check(warpjit_engine_run(engine, triangles, NULL, &report, &error));
  printf("geometry: %u invocations, %u triangles\n", (unsigned)report.invocations,
         (unsigned)report.triangles);
  if (report.triangles != kPoints) return 1;
  for (int t = 0; t < kPoints; ++t)
    for (int v = 0; v < 3; ++v) {
      printf("%s%5.1f %5.1f%s", v == 0 ? "  " : "   ", out[t][v][0], out[t][v][1], v == 2 ? "\n" : "");
      for (int c = 0; c < 4; ++c)
        if (out[t][v][c] != kCenters[t][c] + kCorners[v][c]) return 1;
    }
  warpjit_launch_destroy(triangles);
  warpjit_launch_destroy(points);
  warpjit_engine_destroy(engine);
  return 0;
}
