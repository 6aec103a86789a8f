/* Draws as an emulator of the PlayStation Vita does: two GXP programs, a stream of vertices, uniforms, a
 * texture in the guest's memory, and a colour surface that the scene is in at its end. */
#include <stddef.h>
#include <string.h>
#include <warpjit/usse.h>

#include "check.h"
#include "files.h"

enum { kWidth = 48, kHeight = 24, kSide = 8, kTextureAddress = 0x60000000 };

typedef struct {
  float position[3], normal[3];
  uint8_t coordinate[2]; /* U8N */
  uint8_t unused[2];
} Vertex;

static warpjit_program* load(const char* name, int32_t stage) {
  size_t size = 0;
  void* bytes = read_file(name, &size);
  const warpjit_program_choice choice = {.size = sizeof choice, .source_name = name, .stage = stage};
  warpjit_program* program = NULL;
  check(warpjit_program_load(bytes, size, &choice, &program, &error));
  free(bytes); /* it is not kept */
  return program;
}

int main(int count, char** arguments) {
  if (count != 3) {
    fprintf(stderr,
            "usage: %s VERTEX.gxp FRAGMENT.gxp, mesh_vertex.gxp and mesh_fragment.gxp of "
            "examples/vita/shaders\n",
            arguments[0]);
    return 2;
  }
  warpjit_engine* engine = NULL;
  check(warpjit_engine_create(NULL, &engine, &error));
  warpjit_program *vertex_program = load(arguments[1], WARPJIT_STAGE_VERTEX),
                  *fragment_program = load(arguments[2], WARPJIT_STAGE_FRAGMENT);

  /* A roof: two sides of a strip, one in the light. */
  static const Vertex kRoof[] = {{{-0.8f, -0.8f, 0}, {-0.8f, 0, 0.6f}, {0, 255}, {0}},
                                 {{-0.8f, 0.8f, 0}, {-0.8f, 0, 0.6f}, {0, 0}, {0}},
                                 {{0, -0.8f, 0}, {0, 0, 1}, {128, 255}, {0}},
                                 {{0, 0.8f, 0}, {0, 0, 1}, {128, 0}, {0}},
                                 {{0.8f, -0.8f, 0}, {0.8f, 0, 0.6f}, {255, 255}, {0}},
                                 {{0.8f, 0.8f, 0}, {0.8f, 0, 0.6f}, {255, 0}, {0}}};
  static const uint32_t kIndices[] = {0, 1, 2, 3, 4, 5};
  const warpjit_usse_stream stream = {.data = kRoof, .byte_count = sizeof kRoof, .stride = sizeof kRoof[0]};
  const warpjit_usse_attribute attributes[] = {
      {.offset = offsetof(Vertex, position), .format = WARPJIT_USSE_F32, .components = 3, .reg = 0},
      {.offset = offsetof(Vertex, coordinate), .format = WARPJIT_USSE_U8N, .components = 2, .reg = 4},
      {.offset = offsetof(Vertex, normal), .format = WARPJIT_USSE_F32, .components = 3, .reg = 8}};

  /* The columns of a matrix, here one that leaves all as it is; the direction of the light, and what it
   * leaves in the dark. */
  static const float kUniforms[20] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.8f, 0, 0.2f, 0.2f};
  uint32_t uniforms[20];
  memcpy(uniforms, kUniforms, sizeof uniforms);

  /* A board of two colours: 8 by 8 texels of 8 bits a channel, linear, without filter. */
  static uint64_t texels[kSide * kSide / 2]; /* aligned as the guest's memory must be */
  for (unsigned n = 0; n < kSide * kSide; ++n)
    ((uint32_t*)texels)[n] = ((n / kSide ^ n) & 2) != 0 ? 0xff2040ff : 0xffffd080;
  const warpjit_usse_memory memory = {
      .address = kTextureAddress, .data = texels, .byte_count = sizeof texels};
  const warpjit_usse_texture texture = {
      .unit = 0,
      .control = {2 << 3 | 2 << 6 | 15 << 17 | 31 << 21,
                  3u << 29 | 0x0c << 24 | (kSide - 1) << 12 | (kSide - 1), kTextureAddress, 1u << 31}};

  const warpjit_usse_stage vertex = {.size = sizeof vertex,
                                     .program = vertex_program,
                                     .default_uniforms = uniforms,
                                     .default_uniform_count = COUNT(uniforms)};
  const warpjit_usse_stage fragment = {
      .size = sizeof fragment, .program = fragment_program, .textures = &texture, .texture_count = 1};

  static uint32_t pixels[kHeight][kWidth];
  const warpjit_usse_color_surface surface = {.size = sizeof surface,
                                              .width = kWidth,
                                              .height = kHeight,
                                              .stride = kWidth,
                                              .data = pixels,
                                              .byte_count = sizeof pixels};
  const warpjit_usse_depth_surface depth = {.size = sizeof depth, .format = WARPJIT_PIXELS_D32F, .depth = 1};
  warpjit_usse_scene* scene = NULL;
  check(warpjit_usse_scene_begin(&surface, &depth, &scene, &error));
  warpjit_usse_depth_stencil state = {.size = sizeof state};
  check(warpjit_usse_default_depth_stencil(&state, &error));
  state.depth_compare = WARPJIT_COMPARE_LESS;
  state.depth_write = 1;
  warpjit_usse_draw draw = {.size = sizeof draw};
  check(warpjit_usse_default_draw(&draw, &error));
  draw.vertex = &vertex;
  draw.fragment = &fragment;
  draw.streams = &stream;
  draw.stream_count = 1;
  draw.attributes = attributes;
  draw.attribute_count = COUNT(attributes);
  draw.memory = &memory;
  draw.memory_count = 1;
  draw.indices = kIndices;
  draw.index_count = COUNT(kIndices);
  draw.primitive = WARPJIT_USSE_TRIANGLE_STRIP;
  draw.depth_stencil = &state;
  draw.viewport_offset[0] = draw.viewport_scale[0] = kWidth / 2.0f;
  draw.viewport_offset[1] = kHeight / 2.0f;
  draw.viewport_scale[1] = -(kHeight / 2.0f); /* rows of the screen grow downward */
  draw.viewport_offset[2] = draw.viewport_scale[2] = 0.5f;
  uint32_t drawn = 0;
  warpjit_report report = {.size = sizeof report};
  check(warpjit_usse_scene_draw(scene, engine, &draw, NULL, &drawn, &report, &error));
  check(warpjit_usse_scene_end(scene, &error));

  for (int row = 0; row < kHeight; ++row) {
    for (int column = 0; column < kWidth; ++column) {
      const uint32_t pixel = pixels[row][column];
      const uint32_t light = (pixel & 255) + (pixel >> 8 & 255) + (pixel >> 16 & 255);
      putchar(" .:-=+*#%@"[light * 9 / (3 * 255)]);
    }
    putchar('\n');
  }
  /* Nothing in the corner; the side that faces the light is the brighter one. */
  const uint32_t dark = pixels[kHeight / 2][kWidth / 4] & 255,
                 lit = pixels[kHeight / 2][3 * kWidth / 4] & 255;
  if (drawn != 1 || report.work != WARPJIT_WORK_PIXELS || pixels[0][0] != 0 || dark == 0 || lit <= dark)
    return 1;

  /* A texture that is not in the memory is an error, not an access. */
  draw.memory_count = 0;
  if (warpjit_usse_scene_draw(scene, engine, &draw, NULL, NULL, NULL, &error) != WARPJIT_BAD_INPUT) return 1;
  printf("%s: %s\n", error.where, error.message);
  warpjit_usse_scene_destroy(scene);
  warpjit_program_destroy(fragment_program);
  warpjit_program_destroy(vertex_program);
  warpjit_engine_destroy(engine);
  return 0;
}
