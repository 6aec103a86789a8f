/* NVIDIA Tesla (nv50; CUDA 1.x, sm_10 to sm_13) in C: containers and modes of its kernels and graphics
 * programs. warpjit.h has what all GPUs share, and the conventions.
 *
 * A kernel's parameters are the bytes at s[0x10]; grids are up to 65535 by 65535 by 1 blocks of at most 512
 * threads; spaces are g0 to g15 (warpjit_launch_map_memory) and c0 to c15 (warpjit_launch_bind_constants).
 */
#ifndef WARPJIT_TESLA_H
#define WARPJIT_TESLA_H

#include "warpjit/warpjit.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WARPJIT_TESLA_SATURATED_NAN_IS_ZERO = 1, /* G200 and later can; else a saturated NaN stays one */
  WARPJIT_TESLA_ZERO_WINS = 2,             /* 0 times anything is +0 */
  /* quadop lane selects 4 to 7 outside fragment programs: +inf, not 0 */
  WARPJIT_TESLA_INFINITE_DERIVATIVES = 4,
  WARPJIT_TESLA_FAST_FMAD = 8, /* not of the chip: fmad rounds once, as an FMA */
  /* not of the chip: special functions in few instructions (warpjit/tesla.hpp) */
  WARPJIT_TESLA_FAST_SFU = 16,
  WARPJIT_TESLA_LINKED_SAMPLERS = 32 /* texture n is sampled with sampler n */
};
/* Modes of the chip that its driver sets, and two that no chip has. */
typedef struct warpjit_tesla_modes {
  size_t size;
  uint32_t flags;      /* WARPJIT_TESLA_... */
  uint32_t call_limit; /* of limited calls; 0: 4096 */
} warpjit_tesla_modes;

/* [any] Reads a text or ELF cubin. The bytes may be hostile. `choice` (its flags are 0) and `modes` may be
 * NULL. */
WARPJIT_API warpjit_status warpjit_program_from_cubin(const void* bytes, size_t byte_count,
                                                      const warpjit_program_choice* choice,
                                                      const warpjit_tesla_modes* modes,
                                                      warpjit_program** program, warpjit_error* error);
/* [any] The same of warpjit's assembly, which is also what it lists. */
WARPJIT_API warpjit_status warpjit_program_from_tesla_assembly(const char* text,
                                                               const warpjit_program_choice* choice,
                                                               const warpjit_tesla_modes* modes,
                                                               warpjit_program** program,
                                                               warpjit_error* error);

/* What the driver sets for graphics programs besides their code; registers of the 3D class. A program takes
 * the members of its stage. */
typedef struct warpjit_tesla_graphics {
  size_t size;
  /* Vertex programs. */
  uint32_t attributes[2];      /* VP_ATTR_EN: a nibble for each of 16 attributes, x in its bit 0 */
  uint32_t builtin_attributes; /* bit 0: the vertex's id follows those words; bit 4: then the instance's */
  /* VP_RESULT_MAP: entry n is the word of o[] that becomes slot n, or 0x40 for 0.0, 0x41 for 1.0. Copied. */
  const uint8_t* vertex_results;
  size_t vertex_result_count;
  uint32_t geometry_enabled; /* GP_ENABLE */
  /* Geometry programs. */
  uint32_t geometry_output;        /* 1 points, 2 line strip, 3 triangle strip */
  const uint8_t* geometry_results; /* GP_RESULT_MAP, with 0x80 for 0.0, 0x81 for 1.0. Copied. */
  size_t geometry_result_count;
  uint32_t geometry_vertices; /* of an invocation, 1 to 1024 */
  /* Fragment programs. FP_INTERPOLANT_CTRL: bits 7:0: how many slots v[] has; 15:8: the first one; 23:16: how
   * many of them are interpolated; 27:24: which of x, y, depth and 1/w of the pixel come before them. */
  uint32_t interpolants;
  uint32_t noperspective[4];     /* bit n is slot n */
  uint32_t fragment_control;     /* bit 0: a colour for each target; 8: exports depth */
  uint32_t fragment_results;     /* words; the last one is the depth if one is exported */
  uint32_t pixel_center_integer; /* 1: x and y of a pixel are integers, not halves */
  uint32_t primitive_id_slot;    /* reads as the primitive's number; 0: none */
  uint32_t two_sided;            /* 1: back-facing primitives take the back colours' slots */
  /* SEMANTIC_COLOR, of fragment programs and the one before them. Bits 7:0: the first slot of front colours;
   * 15:8: of back colours; 23:16: how many words each; 24: the program that writes them clamps them. */
  uint32_t color_slots;
  /* Points of fragment programs. */
  uint32_t point_sprites;         /* 1: points have coordinates in place of some slots */
  uint32_t point_coordinates[16]; /* 4 bits for each slot, 0 to 4: the slot itself, s, t, 0, 1 */
  uint32_t point_upper_left;      /* 1: t counts from the row with the smallest y */
} warpjit_tesla_graphics;
/* [any] Every member as after a reset of the chip. `graphics->size` is set before. */
WARPJIT_API warpjit_status warpjit_tesla_default_graphics(warpjit_tesla_graphics* graphics,
                                                          warpjit_error* error);

/* Bare code words, which may hold several programs. */
typedef struct warpjit_tesla_words {
  size_t size;
  const uint32_t* code;
  size_t code_count;
  uint32_t registers;      /* of a thread; 0: 128 */
  uint32_t shared_bytes;   /* of a block, launch header and parameters included */
  uint32_t local_bytes;    /* of a thread */
  int32_t stage;           /* WARPJIT_STAGE_...; ANY: compute */
  const char* source_name; /* for messages; may be NULL */
  /* Since 0.2: */
  /* Graphics programs; NULL: the defaults. A result map without words follows from the code (tesla.hpp,
   * RawProgram). */
  const warpjit_tesla_graphics* graphics;
  uint32_t entry; /* byte of the code where threads begin, a multiple of 4 */
} warpjit_tesla_words;
/* [any] `modes` may be NULL. */
WARPJIT_API warpjit_status warpjit_program_from_tesla_words(const warpjit_tesla_words* words,
                                                            const warpjit_tesla_modes* modes,
                                                            warpjit_program** program, warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
