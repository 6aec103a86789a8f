/* PowerVR USSE, the PlayStation Vita's GPU, in C: draws of vertex and fragment programs in the console's own
 * terms. warpjit.h has what all GPUs share, and the conventions; warpjit_program_load reads GXP containers.
 * docs/guests/usse.md has the rules, warpjit/usse.hpp the same interface in C++.
 *
 * Where a member says so, it takes numbers of the console's headers (SceGxm...) as they are. A number that is
 * not supported is an error that names it.
 */
#ifndef WARPJIT_USSE_H
#define WARPJIT_USSE_H

#include "warpjit/pixels.h"
#include "warpjit/warpjit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Programs without a GXP container -------------------------------------------------------------------
 */

/* Bare code words of a primary program, which may be hostile and are not kept. Nothing says what their inputs
 * and outputs mean; samples name control words of units 0, 1 and so on, in the order of registers. */
typedef struct warpjit_usse_words {
  size_t size;
  const uint64_t* code;
  size_t code_count;       /* 1 to 65536 instructions */
  int32_t stage;           /* WARPJIT_STAGE_VERTEX or _FRAGMENT; ANY: vertex */
  const char* source_name; /* for messages; may be NULL */
} warpjit_usse_words;
/* [any] Errors: BAD_INPUT, RESOURCE_LIMIT. */
WARPJIT_API warpjit_status warpjit_program_from_usse_words(const warpjit_usse_words* words,
                                                           warpjit_program** program, warpjit_error* error);
/* [any] The same of warpjit's assembly, which is also what it lists. `choice` (its flags are 0) may be
 * NULL. */
WARPJIT_API warpjit_status warpjit_program_from_usse_assembly(const char* text,
                                                              const warpjit_program_choice* choice,
                                                              warpjit_program** program,
                                                              warpjit_error* error);

/* ---- Draws ----------------------------------------------------------------------------------------------
 */

/* Formats of attributes in memory, as the console numbers them. */
enum {
  WARPJIT_USSE_U8 = 0,
  WARPJIT_USSE_S8 = 1,
  WARPJIT_USSE_U16 = 2,
  WARPJIT_USSE_S16 = 3,
  WARPJIT_USSE_U8N = 4, /* N: stands for 0 to 1 or -1 to 1 */
  WARPJIT_USSE_S8N = 5,
  WARPJIT_USSE_U16N = 6,
  WARPJIT_USSE_S16N = 7,
  WARPJIT_USSE_F16 = 8,
  WARPJIT_USSE_F32 = 9,
  WARPJIT_USSE_UNTYPED = 10
};
enum {
  WARPJIT_USSE_TRIANGLES = 0,
  WARPJIT_USSE_TRIANGLE_STRIP = 1,
  WARPJIT_USSE_TRIANGLE_FAN = 2,
  WARPJIT_USSE_POINTS = 3
};
enum { WARPJIT_USSE_CULL_NONE = 0, WARPJIT_USSE_CULL_CLOCKWISE = 1, WARPJIT_USSE_CULL_COUNTER_CLOCKWISE = 2 };

/* ---- What a draw reads ----------------------------------------------------------------------------------
 *
 * Elements of lists have no size of their own: later additions will be lists of their own. The memory that
 * they name is read during the draw.
 */

typedef struct warpjit_usse_stream {
  const void* data;
  size_t byte_count;     /* what lies beyond is 0 */
  uint32_t stride;       /* bytes from an element to the next */
  uint32_t per_instance; /* other than 0: an element an instance, else one a vertex */
} warpjit_usse_stream;
typedef struct warpjit_usse_attribute {
  uint32_t stream;
  uint32_t offset;     /* bytes, of the first element */
  int32_t format;      /* WARPJIT_USSE_... */
  uint32_t components; /* 1 to 4 */
  uint32_t reg;        /* the first word of pa */
} warpjit_usse_attribute;

/* Words in the order in which memory has them. */
typedef struct warpjit_usse_uniform {
  const char* name;
  const uint32_t* words;
  size_t count;
} warpjit_usse_uniform;
/* A uniform buffer, 0 to 13. Programs have it in registers (`words`) or read it from memory (`address`), or
 * both, as their container says. */
typedef struct warpjit_usse_uniform_buffer {
  uint32_t buffer;
  uint32_t address;
  const uint32_t* words;
  size_t count;
} warpjit_usse_uniform_buffer;
typedef struct warpjit_usse_texture {
  uint32_t unit; /* 0 to 15 */
  /* The words of a SceGxmTexture as consoles write them: bit 31 of the last one is set, which means that
   * channels are numbers of 0 to 1 or -1 to 1; clear, they are their integers. */
  uint32_t control[4];
} warpjit_usse_texture;
/* A piece of the guest's memory. Address and data are multiples of 8. */
typedef struct warpjit_usse_memory {
  uint32_t address;
  uint32_t reserved; /* 0 */
  void* data;
  size_t byte_count;
} warpjit_usse_memory;

/* A program of one stage and what is its own. */
typedef struct warpjit_usse_stage {
  size_t size;
  const warpjit_program* program;
  const warpjit_usse_uniform* uniforms;
  size_t uniform_count;
  const uint32_t* default_uniforms; /* instead: the default uniform buffer as it is */
  size_t default_uniform_count;     /* words */
  const warpjit_usse_uniform_buffer* buffers;
  size_t buffer_count;
  const warpjit_usse_texture* textures;
  size_t texture_count;
} warpjit_usse_stage;

/* ---- State --------------------------------------------------------------------------------------------- */

/* The fields of a SceGxmBlendInfo, by their numbers. */
typedef struct warpjit_usse_blend {
  size_t size;
  uint32_t color_mask; /* 1 alpha, 2 red, 4 green, 8 blue */
  uint32_t color_function, alpha_function;
  uint32_t color_source, color_target, alpha_source, alpha_target;
} warpjit_usse_blend;
typedef struct warpjit_usse_stencil {
  int32_t compare;                              /* WARPJIT_COMPARE_... */
  int32_t fail, depth_fail, pass;               /* WARPJIT_STENCIL_... */
  uint32_t reference, compare_mask, write_mask; /* 0 to 255 */
} warpjit_usse_stencil;
typedef struct warpjit_usse_depth_stencil {
  size_t size;
  int32_t depth_compare; /* WARPJIT_COMPARE_...: fragment OP stored */
  uint32_t depth_write;
  uint32_t stencil;   /* 1: is tested and written */
  uint32_t two_sided; /* else the front function holds for both sides */
  warpjit_usse_stencil front, back;
} warpjit_usse_depth_stencil;
/* [any] Nothing is tested or written. `state->size` is set before. */
WARPJIT_API warpjit_status warpjit_usse_default_depth_stencil(warpjit_usse_depth_stencil* state,
                                                              warpjit_error* error);

typedef struct warpjit_usse_draw {
  size_t size;
  const warpjit_usse_stage *vertex, *fragment;
  const warpjit_usse_stream* streams;
  size_t stream_count;
  const warpjit_usse_attribute* attributes;
  size_t attribute_count;
  const warpjit_usse_memory* memory; /* not overlapping */
  size_t memory_count;
  const uint32_t* indices;
  size_t index_count;
  uint32_t instances;
  int32_t primitive; /* WARPJIT_USSE_TRIANGLES ... */
  int32_t cull;      /* WARPJIT_USSE_CULL_... */
  /* x of the screen is offset + scale * (x / w); the same for y and z */
  float viewport_offset[3], viewport_scale[3];
  /* Pixels outside are not drawn: left, top, right, bottom, first and last. */
  uint32_t has_region;
  uint32_t region[4];
  const warpjit_usse_blend* blend;                 /* NULL: the colour replaces what is there */
  const warpjit_usse_depth_stencil* depth_stencil; /* NULL: the default one */
} warpjit_usse_draw;
/* [any] One instance of nothing, a viewport of scale 1, depth 0 to 1. `draw->size` is set before. */
WARPJIT_API warpjit_status warpjit_usse_default_draw(warpjit_usse_draw* draw, warpjit_error* error);

/* ---- Scenes -------------------------------------------------------------------------------------------- */

/* Where a scene is drawn: format, type and stride as the console's headers number them. */
typedef struct warpjit_usse_color_surface {
  size_t size;
  uint32_t format; /* SceGxmColorFormat: base format and swizzle */
  uint32_t type;   /* SceGxmColorSurfaceType: 0 linear, 0x04000000 tiled, 0x08000000 swizzled */
  uint32_t width, height;
  uint32_t stride;   /* pixels, of a linear one */
  uint32_t reserved; /* 0 */
  void* data;        /* must live as long as the scene */
  size_t byte_count;
} warpjit_usse_color_surface;
/* What depth and stencil are in, while the scene lasts, and what they begin with. */
typedef struct warpjit_usse_depth_surface {
  size_t size;
  int32_t format; /* WARPJIT_PIXELS_D16, D24S8 or D32F */
  float depth;
  uint32_t stencil; /* 0 to 255 */
} warpjit_usse_depth_surface;

/* A surface while it is drawn to, as the console's tiles hold it: draws see each other's pixels, the memory
 * of the surface sees them at the end. */
typedef struct warpjit_usse_scene warpjit_usse_scene;
/* [any] Reads the surface. `depth` NULL: no such surface. */
WARPJIT_API warpjit_status warpjit_usse_scene_begin(const warpjit_usse_color_surface* color,
                                                    const warpjit_usse_depth_surface* depth,
                                                    warpjit_usse_scene** scene, warpjit_error* error);
WARPJIT_API void warpjit_usse_scene_destroy(warpjit_usse_scene* scene); /* NULL: nothing */
/* [one of `scene`, any of `engine`] `options`, `drawn` and `report` may be NULL. `drawn` becomes 0 if there
 * was nothing to draw, else 1; without a draw the report is empty. Errors name stage, unit, attribute or
 * field; also those of warpjit_engine_run. */
WARPJIT_API warpjit_status warpjit_usse_scene_draw(warpjit_usse_scene* scene, const warpjit_engine* engine,
                                                   const warpjit_usse_draw* draw,
                                                   const warpjit_run_options* options, uint32_t* drawn,
                                                   warpjit_report* report, warpjit_error* error);
/* [one] Writes the surface. The scene can go on. */
WARPJIT_API warpjit_status warpjit_usse_scene_end(warpjit_usse_scene* scene, warpjit_error* error);

/* ---- Captures -------------------------------------------------------------------------------------------
 *
 * A recorder writes the scenes that begin with it as a .wjcap file (docs/captures.md), as many as there are,
 * one after the other or at the same time. Recording begins and ends between frames. Calls on a recorder and
 * on its scenes must not overlap.
 */

typedef struct warpjit_usse_recorder warpjit_usse_recorder;
/* [any] `memory`, the guest's: streams and surfaces in it get its addresses; the bytes must live as long as
 * scenes are recorded. May be NULL with `memory_count` 0. */
WARPJIT_API warpjit_status warpjit_usse_recorder_begin(warpjit_capture_sink sink, void* context,
                                                       const warpjit_usse_memory* memory, size_t memory_count,
                                                       warpjit_usse_recorder** recorder,
                                                       warpjit_error* error);
/* NULL: nothing. Without warpjit_usse_recorder_end before, the file is cut. */
WARPJIT_API void warpjit_usse_recorder_destroy(warpjit_usse_recorder* recorder);
/* [one of `recorder`] As warpjit_usse_scene_begin. The scene may outlive the recorder. */
WARPJIT_API warpjit_status warpjit_usse_scene_begin_recorded(const warpjit_usse_recorder* recorder,
                                                             const warpjit_usse_color_surface* color,
                                                             const warpjit_usse_depth_surface* depth,
                                                             warpjit_usse_scene** scene,
                                                             warpjit_error* error);
/* [one] Errors: none but those of arguments. */
WARPJIT_API warpjit_status warpjit_usse_recorder_end_frame(warpjit_usse_recorder* recorder,
                                                           warpjit_error* error);
/* [one] Ends the file; its scenes go on without it. Errors: IO for a sink that did not take bytes, UNSUPPORTED
 * for what a capture cannot have, that of the draw that failed, which is the file's last one. */
WARPJIT_API warpjit_status warpjit_usse_recorder_end(warpjit_usse_recorder* recorder, warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
