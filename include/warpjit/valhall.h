/* Arm Mali Valhall (v9; G57, G77, G78) in C: compute and vertex programs. warpjit.h has what all GPUs share,
 * and the conventions; warpjit/valhall.hpp says what a launch of a compute program has.
 *
 * Parameters are the words u0, u1, ...: up to 256. Spaces are "mem" with 64-bit addresses
 * (warpjit_launch_map_memory) and "c0" to "c14", the buffers of table 0 (warpjit_launch_bind_constants).
 * Fragment programs are loaded, but do not run.
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
  WARPJIT_VALHALL_SUPPRESS_NAN = 4,     /* a NaN result becomes +0 */
  WARPJIT_VALHALL_SUPPRESS_INFINITY = 8 /* an infinite one, the greatest finite number with its sign */
};
/* Bare code words, which may be hostile and are not kept. */
typedef struct warpjit_valhall_words {
  size_t size;
  const uint64_t* code;
  size_t code_count;
  uint64_t address;        /* in the guest's memory, of the first word */
  uint32_t entry;          /* byte of the code where threads begin, a multiple of 8 */
  uint32_t local_bytes;    /* of a thread's own memory, at most 64 KiB */
  uint32_t shared_bytes;   /* of a workgroup's memory, likewise */
  uint32_t flags;          /* WARPJIT_VALHALL_... */
  int32_t stage;           /* WARPJIT_STAGE_...; ANY: compute */
  const char* source_name; /* for messages; may be NULL */
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

#ifdef __cplusplus
}
#endif

#endif
