/* Arm Mali Valhall (v9; G57, G77, G78) in C: compute, vertex and fragment programs. warpjit.h has what all
 * GPUs share, and the conventions; warpjit/valhall.hpp says what launches have.
 *
 * Parameters are the words u0, u1, ...: up to 256. Spaces are "mem" with 64-bit addresses
 * (warpjit_launch_map_memory) and "c0" to "c14", the buffers of table 0 (warpjit_launch_bind_constants).
 */
#ifndef WARPJIT_VALHALL_H
#define WARPJIT_VALHALL_H

#include "warpjit/warpjit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a program computes with floats; its descriptor says it. */
enum {
  /* Denormal inputs and results of arithmetic become zeros with their sign. */
  WARPJIT_VALHALL_FLUSH_SINGLE = 1,
  WARPJIT_VALHALL_FLUSH_HALF = 2,
  WARPJIT_VALHALL_SUPPRESS_NAN = 4,      /* a NaN result becomes +0 */
  WARPJIT_VALHALL_SUPPRESS_INFINITY = 8, /* an infinite result becomes the greatest finite one */
  /* Fragment programs: the place in a point counts from its lower left corner. */
  WARPJIT_VALHALL_POINTS_FROM_BOTTOM = 16
};
/* Bare code words, which may be hostile and are not kept. */
typedef struct warpjit_valhall_words {
  size_t size;
  const uint64_t* code;
  size_t code_count;
  uint64_t address;        /* in the guest's memory, of the first word */
  uint32_t entry;          /* byte of the code where threads begin, a multiple of 8 */
  uint32_t local_bytes;    /* of a thread's own memory, at most 64 KiB */
  uint32_t shared_bytes;   /* of a workgroup's memory, at most 64 KiB */
  uint32_t flags;          /* WARPJIT_VALHALL_... */
  int32_t stage;           /* WARPJIT_STAGE_...; ANY: compute */
  const char* source_name; /* for messages; may be NULL */
  /* Fragment programs: the colour target (0 to 7) that BLEND of blend_descriptor_n writes, -1: it writes
   * none; eight numbers. NULL: target n. */
  const int32_t* blend_targets;
  /* Fragment programs: the resource tables, 1 to 31, whose entries are the textures and samplers of a
   * launch, by their slots. 0: 4 and 3. */
  uint32_t texture_table, sampler_table;
} warpjit_valhall_words;
/* [any] */
WARPJIT_API warpjit_status warpjit_program_from_valhall_words(const warpjit_valhall_words* words,
                                                              warpjit_program** program,
                                                              warpjit_error* error);
/* [any] The same of warpjit's assembly, which is also what it lists. `choice` (its flags are 0) may be
 * NULL. */
WARPJIT_API warpjit_status warpjit_program_from_valhall_assembly(const char* text,
                                                                 const warpjit_program_choice* choice,
                                                                 warpjit_program** program,
                                                                 warpjit_error* error);

/* ---- Captures: a GPU's memory with the jobs that a driver left in it (docs/captures.md) ---------------- */

typedef struct warpjit_valhall_capture warpjit_valhall_capture;
/* [any] A .wjcap file, a device core dump of panfrost, or memory records. The bytes may be hostile and are
 * not kept; `name` is for messages and may be NULL. */
WARPJIT_API warpjit_status warpjit_valhall_capture_load(const void* bytes, size_t size, const char* name,
                                                        warpjit_valhall_capture** capture,
                                                        warpjit_error* error);
WARPJIT_API void warpjit_valhall_capture_destroy(warpjit_valhall_capture* capture); /* NULL: nothing */
/* [any] Chains of jobs, in their order: those that the file names, then those that were added. Memory records
 * have no chains. */
WARPJIT_API size_t warpjit_valhall_capture_chain_count(const warpjit_valhall_capture* capture);
/* [one] WARPJIT_RESOURCE_LIMIT for more than 4096. */
WARPJIT_API warpjit_status warpjit_valhall_capture_add_chain(warpjit_valhall_capture* capture,
                                                             uint64_t address, warpjit_error* error);
/* [one] */
WARPJIT_API warpjit_status warpjit_valhall_capture_clear_chains(warpjit_valhall_capture* capture);

/* What a malloc vertex job draws. */
typedef struct warpjit_valhall_draw {
  size_t size;
  size_t number;                /* of the run's draws, in the order of their jobs */
  uint64_t job, fragment_job;   /* addresses; fragment_job 0: nothing draws it */
  const char* mode;             /* "triangle strip"; valid during the call */
  uint32_t vertices, instances; /* vertices of an instance that were shaded */
  uint32_t targets;             /* bit n: colour target n may be written */
  uint32_t depth;               /* 1: depth or stencil is tested or written */
} warpjit_valhall_draw;

#define WARPJIT_VALHALL_DEPTH 0xffffffffu
/* A target when its fragment job has ended: rows of pixels without padding, row 0 first. */
typedef struct warpjit_valhall_picture {
  size_t size;
  uint64_t fragment_job;
  uint32_t target; /* a colour target's number, or WARPJIT_VALHALL_DEPTH */
  int32_t format;  /* WARPJIT_PIXELS_...; NONE: raw pixels to which nothing was drawn */
  uint32_t width, height;
  size_t pixel_bytes;
  const void* pixels; /* valid during the call */
  uint32_t stored;    /* 1: they are in the capture's memory, too */
} warpjit_valhall_picture;

/* Sees what a run does, in its order. Members may be NULL; 0 ends the run. `fragment` is NULL where no pixel
 * can change. */
typedef struct warpjit_valhall_visitor {
  void* context;
  int (*draw)(void* context, const warpjit_valhall_draw* draw, const warpjit_report* fragment);
  int (*picture)(void* context, const warpjit_valhall_picture* picture);
} warpjit_valhall_visitor;
/* [one of `capture`, any of `engine`] Runs the chains, one after the other, job by job, and changes the
 * capture's memory as the GPU would, but for compressed targets, which a visitor alone sees. `visitor` and
 * `options` may be NULL. Errors name draw, job, descriptor and field; also those of warpjit_engine_run. */
WARPJIT_API warpjit_status warpjit_valhall_capture_run(warpjit_valhall_capture* capture,
                                                       const warpjit_engine* engine,
                                                       const warpjit_valhall_visitor* visitor,
                                                       const warpjit_run_options* options,
                                                       warpjit_error* error);
/* [any] Copies the memory at a guest's address. WARPJIT_BAD_INPUT for bytes that are not captured. */
WARPJIT_API warpjit_status warpjit_valhall_capture_read_memory(const warpjit_valhall_capture* capture,
                                                               uint64_t address, void* to, size_t size,
                                                               warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
