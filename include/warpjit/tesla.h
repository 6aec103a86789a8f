/* NVIDIA Tesla (nv50; CUDA 1.x, sm_10 to sm_13) in C: containers and modes of its compute kernels. warpjit.h
 * has what all GPUs share, and the conventions.
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
  WARPJIT_TESLA_FAST_FMAD = 8 /* not of the chip: fmad rounds once, as an FMA */
};
/* Modes of the chip that its driver sets, and one that no chip has. */
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

/* Bare code words from the entry on. */
typedef struct warpjit_tesla_words {
  size_t size;
  const uint32_t* code;
  size_t code_count;
  uint32_t registers;      /* of a thread; 0: 128 */
  uint32_t shared_bytes;   /* of a block, launch header and parameters included */
  uint32_t local_bytes;    /* of a thread */
  uint32_t reserved;       /* 0 */
  const char* source_name; /* for messages; may be NULL */
} warpjit_tesla_words;
/* [any] `modes` may be NULL. */
WARPJIT_API warpjit_status warpjit_program_from_tesla_words(const warpjit_tesla_words* words,
                                                            const warpjit_tesla_modes* modes,
                                                            warpjit_program** program, warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
