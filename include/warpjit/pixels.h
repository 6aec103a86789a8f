/* Work over pixels in C: fixed-function state, targets and vertices of launches of fragment programs.
 * warpjit.h has what all work shares, and the conventions; docs/pixels.md has the exact rules.
 */
#ifndef WARPJIT_PIXELS_H
#define WARPJIT_PIXELS_H

#include "warpjit/warpjit.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WARPJIT_MAX_COLOR_TARGETS 8
#define WARPJIT_MAX_TARGET_EXTENT 16384 /* columns, rows */

/* Pixels in memory, little endian. Names list components from the lowest bits or bytes up. */
enum {
  WARPJIT_PIXELS_NONE = 0,
  WARPJIT_PIXELS_RGBA8 = 1,    /* unorm */
  WARPJIT_PIXELS_SRGB8 = 2,    /* like RGBA8, colours encoded by the sRGB curve */
  WARPJIT_PIXELS_RGB565 = 3,   /* 16 bits, red lowest */
  WARPJIT_PIXELS_RGBA4 = 4,    /* 16 bits */
  WARPJIT_PIXELS_RGB5A1 = 5,   /* 16 bits */
  WARPJIT_PIXELS_RGB10A2 = 6,  /* 32 bits, unorm */
  WARPJIT_PIXELS_RGBA16F = 7,  /* four halves */
  WARPJIT_PIXELS_RGBA32F = 8,  /* four floats */
  WARPJIT_PIXELS_R32F = 9,     /* one float */
  WARPJIT_PIXELS_RGBA32I = 10, /* four words, the program's bits as they are */
  WARPJIT_PIXELS_RGBA32UI = 11,
  WARPJIT_PIXELS_R32I = 12, /* one word */
  WARPJIT_PIXELS_R32UI = 13,
  WARPJIT_PIXELS_RGBA8I = 14,  /* four signed bytes; a value is clamped */
  WARPJIT_PIXELS_RGBA8UI = 15, /* four unsigned bytes; a value is clamped */
  WARPJIT_PIXELS_D16 = 16,     /* depth, unorm */
  WARPJIT_PIXELS_D24S8 = 17,   /* depth in bits 0-23, unorm; stencil in bits 24-31 */
  WARPJIT_PIXELS_D32F = 18,    /* depth */
  WARPJIT_PIXELS_R8 = 19,      /* unorm, as those up to RGBA16 */
  WARPJIT_PIXELS_RG8 = 20,
  WARPJIT_PIXELS_R16 = 21,
  WARPJIT_PIXELS_RG16 = 22,
  WARPJIT_PIXELS_RGBA16 = 23,
  WARPJIT_PIXELS_R8_SNORM = 24, /* snorm, as those up to RGBA16_SNORM */
  WARPJIT_PIXELS_RG8_SNORM = 25,
  WARPJIT_PIXELS_RGBA8_SNORM = 26,
  WARPJIT_PIXELS_R16_SNORM = 27,
  WARPJIT_PIXELS_RG16_SNORM = 28,
  WARPJIT_PIXELS_RGBA16_SNORM = 29,
  WARPJIT_PIXELS_R16F = 30, /* halves */
  WARPJIT_PIXELS_RG16F = 31,
  WARPJIT_PIXELS_RG32F = 32,      /* floats */
  WARPJIT_PIXELS_R11G11B10F = 33, /* 32 bits, floats without signs */
  WARPJIT_PIXELS_R8I = 34,        /* integers, as all below; a value is clamped */
  WARPJIT_PIXELS_R8UI = 35,
  WARPJIT_PIXELS_RG8I = 36,
  WARPJIT_PIXELS_RG8UI = 37,
  WARPJIT_PIXELS_R16I = 38,
  WARPJIT_PIXELS_R16UI = 39,
  WARPJIT_PIXELS_RG16I = 40,
  WARPJIT_PIXELS_RG16UI = 41,
  WARPJIT_PIXELS_RGBA16I = 42,
  WARPJIT_PIXELS_RGBA16UI = 43,
  WARPJIT_PIXELS_RG32I = 44,
  WARPJIT_PIXELS_RG32UI = 45,
  WARPJIT_PIXELS_RGB10A2UI = 46
};
/* [any] Bytes of a pixel; 0 for NONE and for a number that is no format. */
WARPJIT_API size_t warpjit_pixel_size(int32_t format);
/* [any] 1 for formats of depth, else 0. */
WARPJIT_API uint32_t warpjit_pixels_are_depth(int32_t format);
/* [any] 1 for colours of integers, else 0. */
WARPJIT_API uint32_t warpjit_pixels_are_integers(int32_t format);

enum {
  WARPJIT_COMPARE_NEVER = 0,
  WARPJIT_COMPARE_LESS = 1,
  WARPJIT_COMPARE_EQUAL = 2,
  WARPJIT_COMPARE_LESS_EQUAL = 3,
  WARPJIT_COMPARE_GREATER = 4,
  WARPJIT_COMPARE_NOT_EQUAL = 5,
  WARPJIT_COMPARE_GREATER_EQUAL = 6,
  WARPJIT_COMPARE_ALWAYS = 7
};
enum {
  WARPJIT_STENCIL_KEEP = 0,
  WARPJIT_STENCIL_ZERO = 1,
  WARPJIT_STENCIL_REPLACE = 2,
  WARPJIT_STENCIL_INCREMENT_CLAMP = 3,
  WARPJIT_STENCIL_DECREMENT_CLAMP = 4,
  WARPJIT_STENCIL_INVERT = 5,
  WARPJIT_STENCIL_INCREMENT_WRAP = 6,
  WARPJIT_STENCIL_DECREMENT_WRAP = 7
};
enum {
  WARPJIT_BLEND_ZERO = 0,
  WARPJIT_BLEND_ONE = 1,
  WARPJIT_BLEND_SOURCE_COLOR = 2,
  WARPJIT_BLEND_ONE_MINUS_SOURCE_COLOR = 3,
  WARPJIT_BLEND_SOURCE_ALPHA = 4,
  WARPJIT_BLEND_ONE_MINUS_SOURCE_ALPHA = 5,
  WARPJIT_BLEND_TARGET_COLOR = 6,
  WARPJIT_BLEND_ONE_MINUS_TARGET_COLOR = 7,
  WARPJIT_BLEND_TARGET_ALPHA = 8,
  WARPJIT_BLEND_ONE_MINUS_TARGET_ALPHA = 9,
  WARPJIT_BLEND_CONSTANT_COLOR = 10,
  WARPJIT_BLEND_ONE_MINUS_CONSTANT_COLOR = 11,
  WARPJIT_BLEND_CONSTANT_ALPHA = 12,
  WARPJIT_BLEND_ONE_MINUS_CONSTANT_ALPHA = 13,
  WARPJIT_BLEND_SOURCE_ALPHA_SATURATE = 14, /* min(source alpha, 1 - target alpha); alpha: one */
  WARPJIT_BLEND_TARGET_ALPHA_SATURATE = 15  /* min(target alpha, 1 - source alpha); alpha: one */
};
enum {
  WARPJIT_BLEND_ADD = 0,
  WARPJIT_BLEND_SUBTRACT = 1,
  WARPJIT_BLEND_REVERSE_SUBTRACT = 2,
  WARPJIT_BLEND_MIN = 3,
  WARPJIT_BLEND_MAX = 4
};
/* A component as A + B * C; the product is rounded first. */
enum { WARPJIT_MIX_ADD_ZERO = 0, WARPJIT_MIX_ADD_SOURCE = 1, WARPJIT_MIX_ADD_TARGET = 2 };
enum {
  WARPJIT_MIX_SOURCE_MINUS_TARGET = 0,
  WARPJIT_MIX_SOURCE_PLUS_TARGET = 1,
  WARPJIT_MIX_SOURCE = 2,
  WARPJIT_MIX_TARGET = 3
};
enum {
  WARPJIT_MIX_BY_ZERO = 0,
  WARPJIT_MIX_BY_SOURCE = 1,
  WARPJIT_MIX_BY_TARGET = 2,
  WARPJIT_MIX_BY_TWICE_SOURCE = 3,
  WARPJIT_MIX_BY_SOURCE_ALPHA = 4,
  WARPJIT_MIX_BY_TARGET_ALPHA = 5,
  WARPJIT_MIX_BY_CONSTANT = 6
};

typedef struct warpjit_stencil_face {
  int32_t compare;                /* WARPJIT_COMPARE_...: (reference & read mask) OP (stored & read mask) */
  int32_t fail, depth_fail, pass; /* WARPJIT_STENCIL_... */
  uint32_t reference, read_mask, write_mask; /* 0 to 255 */
} warpjit_stencil_face;
typedef struct warpjit_blend_mix {
  int32_t add; /* A: WARPJIT_MIX_ADD_ZERO ... */
  uint32_t negate_add;
  int32_t multiply; /* B: WARPJIT_MIX_SOURCE_MINUS_TARGET ... */
  uint32_t negate_multiply;
  int32_t by;         /* C: WARPJIT_MIX_BY_ZERO ... */
  uint32_t invert_by; /* 1 - C in place of C */
} warpjit_blend_mix;
typedef struct warpjit_blend_state {
  uint32_t enabled;                                   /* ignored by integer formats */
  int32_t source, target, source_alpha, target_alpha; /* WARPJIT_BLEND_ZERO ... */
  int32_t op, op_alpha;                               /* WARPJIT_BLEND_ADD ... */
  uint32_t write_mask;                                /* bit 0: red; 0 to 15 */
  uint32_t mixed; /* by `mix` and `mix_alpha` instead of factors and operation */
  warpjit_blend_mix mix, mix_alpha;
  /* Unorm formats that are not mixed: factors and operation on bytes, each product rounded. */
  uint32_t bytes;
} warpjit_blend_state;

/* What happens to a fragment's results. The bound targets say the formats. */
typedef struct warpjit_output_state {
  size_t size;
  uint32_t depth_test; /* without it there are no depth writes either */
  uint32_t depth_write;
  int32_t depth_compare; /* fragment OP stored */
  uint32_t stencil_test;
  warpjit_stencil_face front, back;
  warpjit_blend_state blend[WARPJIT_MAX_COLOR_TARGETS];
  uint32_t alpha_test; /* alpha of colour 0 OP alpha_reference */
  int32_t alpha_compare;
  float alpha_reference;
  float blend_constant[4];
  /* Depth and stencil are tested and written before the program runs, also if it discards or changes them. */
  uint32_t early_tests;
  /* Pixels that pass all tests are counted (warpjit_launch_bind_pass_counts). */
  uint32_t count_passed;
} warpjit_output_state;
/* [any] Every member as a new launch has it: no tests, no blending, all components written. `state->size` is
 * set before. */
WARPJIT_API warpjit_status warpjit_default_output_state(warpjit_output_state* state, warpjit_error* error);

enum {
  WARPJIT_POINTS = 0,
  WARPJIT_LINES = 1,
  WARPJIT_LINE_STRIP = 2,
  WARPJIT_TRIANGLES = 3,
  WARPJIT_TRIANGLE_STRIP = 4,
  WARPJIT_TRIANGLE_FAN = 5
};
enum { WARPJIT_SHADE_SMOOTH = 0, WARPJIT_SHADE_FLAT = 1 };
/* How vertices become covered pixels. Row 0 of a target is the row with the smallest window y. */
typedef struct warpjit_raster_state {
  size_t size;
  int32_t topology; /* WARPJIT_POINTS ... */
  /* window = clip / w * scale + translate; x, y in pixels, z as depth */
  float viewport_scale[3], viewport_translate[3];
  /* Pixels outside are not drawn: columns from x to x + width - 1. */
  uint32_t scissor_x, scissor_y, scissor_width, scissor_height;
  uint32_t depth_zero_to_one;   /* 1: clip space has 0 <= z <= w, else -w <= z <= w */
  uint32_t clip_near, clip_far; /* 0: depth is clamped instead */
  uint32_t positive_is_front;   /* 1: triangles whose area is positive, with rows growing downward */
  uint32_t cull_front, cull_back;
  uint32_t provoking_last;      /* which vertex gives flat slots */
  float point_size, line_width; /* pixels */
  uint32_t point_size_slot;     /* not 0: the slot of the vertex that has the size instead */
  /* Slots first to first + count - 1 are distances; bit n of `clip` and `cull` says what distance n does. */
  uint32_t distance_first, distance_count, distance_clip, distance_cull;
  uint32_t window_positions; /* 1: positions are window coordinates with 1/w in place of w */
  /* What a triangle's depth is moved by: slope * the larger of its changes per column and per row, + units *
   * the smallest step of the depth format. clamp > 0 is the most that this may be, clamp < 0 the least. */
  float depth_bias_units, depth_bias_slope, depth_bias_clamp;
  /* Least and greatest depth, 0 <= least <= greatest <= 1: depth is limited to that. */
  float depth_bounds[2];
  /* WARPJIT_SHADE_...: flat gives the slots of colours that Tesla's state names the provoking vertex's
   * values, though the program interpolates them. WARPJIT_BAD_INPUT for programs of other guests. */
  int32_t shade;
  /* With window positions, clip_near and clip_far cut at these depths, the first not above the second. */
  float clip_bounds[2];
  /* Where in a pixel its coverage and depth are taken: columns and rows from its corner, 1/256 pixels, 0 to
   * 255. What the program interpolates stays at the centre, unless it asks for the sample. */
  uint32_t sample_x, sample_y;
} warpjit_raster_state;
/* [any] Every member as a new launch has it: triangles, a viewport of scale 1, everything inside the scissor.
 * `state->size` is set before. */
WARPJIT_API warpjit_status warpjit_default_raster_state(warpjit_raster_state* state, warpjit_error* error);

/* ---- Launches of fragment programs ----------------------------------------------------------------------
 *
 * A thread is a pixel. The primitives are warpjit_launch_set_count() vertices, or those that the index list
 * names. Vertices are bound, or come from a vertex stage (warpjit_launch_set_vertex_stage with `outputs` 0),
 * whose output n is slots 4n to 4n + 3 and whose count is the number of vertices. Constants are copied
 * (warpjit_launch_bind_constants). WARPJIT_BAD_INPUT for other programs.
 */

/* [one] Copied. */
WARPJIT_API warpjit_status warpjit_launch_set_raster_state(warpjit_launch* launch,
                                                           const warpjit_raster_state* state,
                                                           warpjit_error* error);
WARPJIT_API warpjit_status warpjit_launch_set_output_state(warpjit_launch* launch,
                                                           const warpjit_output_state* state,
                                                           warpjit_error* error);
/* [one] Of all targets, 1 to WARPJIT_MAX_TARGET_EXTENT. */
WARPJIT_API warpjit_status warpjit_launch_set_target_size(warpjit_launch* launch, uint32_t width,
                                                          uint32_t height, warpjit_error* error);
/* Rows need no alignment; no byte outside is touched. */
typedef struct warpjit_target_buffer {
  size_t size;
  void* data;
  size_t byte_count;
  size_t pitch;      /* bytes from a row to the next */
  int32_t format;    /* WARPJIT_PIXELS_... */
  uint32_t reserved; /* 0 */
} warpjit_target_buffer;
/* [one] The memory must live as long as runs use it. `target` NULL: unbinds. */
WARPJIT_API warpjit_status warpjit_launch_bind_color(warpjit_launch* launch, uint32_t number,
                                                     const warpjit_target_buffer* target,
                                                     warpjit_error* error);
/* [one] With stencil, if the format has it. */
WARPJIT_API warpjit_status warpjit_launch_bind_depth(warpjit_launch* launch,
                                                     const warpjit_target_buffer* target,
                                                     warpjit_error* error);
/* [one] With `count_passed`: how many fragments of each pixel passed all tests is added here; the format is
 * WARPJIT_PIXELS_R32UI. */
WARPJIT_API warpjit_status warpjit_launch_bind_pass_counts(warpjit_launch* launch,
                                                           const warpjit_target_buffer* target,
                                                           warpjit_error* error);
/* Vertices as they come to the rasterizer: words, of which the first four are the position. */
typedef struct warpjit_vertex_buffer {
  size_t size;
  const void* data; /* aligned to 4 */
  size_t byte_count;
  size_t stride;     /* bytes from a vertex to the next, a multiple of 4 */
  uint32_t slots;    /* words of a vertex, 4 to 128 */
  uint32_t reserved; /* 0 */
} warpjit_vertex_buffer;
/* [one] The memory must live as long as runs use it. */
WARPJIT_API warpjit_status warpjit_launch_bind_vertices(warpjit_launch* launch,
                                                        const warpjit_vertex_buffer* vertices,
                                                        warpjit_error* error);
/* [one] Numbers of vertices. Copied. */
WARPJIT_API warpjit_status warpjit_launch_set_indices(warpjit_launch* launch, const uint32_t* indices,
                                                      size_t count, warpjit_error* error);
/* [one] Vertices in order. */
WARPJIT_API warpjit_status warpjit_launch_unset_indices(warpjit_launch* launch);
/* [one] A geometry program between vertices and rasterizer: its invocations read the primitives, which are of
 * the raster state's topology, and the strips that they emit are drawn, in order. `geometry` has the
 * program's constants and is copied; NULL: no such stage. */
WARPJIT_API warpjit_status warpjit_launch_set_geometry_stage(warpjit_launch* launch,
                                                             const warpjit_launch* geometry,
                                                             warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
