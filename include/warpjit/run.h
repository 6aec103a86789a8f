/* Runs, compilations, reports and profiles in C. warpjit.h has the conventions. */
#ifndef WARPJIT_RUN_H
#define WARPJIT_RUN_H

#include "warpjit/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  /* Do not wait for a kernel that is not there: it is compiled in the background, and the guest interpreter
   * runs the work until it is ready, with the same bits. If the compilation fails, the runs after it do. */
  WARPJIT_RUN_BACKGROUND = 1,
  WARPJIT_RUN_GENERIC = 2, /* do not specialize for the values of booleans */
};
typedef struct warpjit_run_options {
  size_t size;
  int32_t engine;   /* WARPJIT_JIT, ... */
  int32_t target;   /* WARPJIT_TARGET_... */
  uint32_t threads; /* host threads; 0: by the amount of work */
  uint32_t flags;   /* WARPJIT_RUN_... */
  uint64_t fuel;    /* instead of the launch's; 0: the launch's */
  /* NULL, or a word that ends the run soon after warpjit_store set it to other than 0. */
  const uint32_t* cancel;
} warpjit_run_options;
/* [any] Stores a value where another thread may read it. */
WARPJIT_API void warpjit_store(uint32_t* word, uint32_t value);

/* What became of the primitives of a draw, to tell why pixels stayed as they were. */
typedef struct warpjit_draw_counts {
  uint64_t primitives; /* in all instances, or as a geometry program emitted them */
  /* Those of which nothing was drawn, each by what ended it; all others had a shape to fill. */
  uint64_t missing;    /* an index names no vertex */
  uint64_t not_finite; /* a coordinate of a position is NaN or infinite */
  uint64_t outside;    /* of the view volume, or of a clip or cull distance */
  uint64_t culled;     /* by the side that is seen */
  uint64_t empty;      /* without area; points and lines: a size that is not above 0 */
  uint64_t beside;     /* around them no centre of a pixel inside the targets and the scissor */
  /* Counted by the guest engine alone, which looks at every pixel: those that primitives covered, and of
   * these the ones that the program discarded or a test rejected. */
  uint64_t covered, discarded, alpha_failed, stencil_failed, depth_failed;
} warpjit_draw_counts;

/* What it took. The times of a compilation are 0 for a kernel from the cache. */
typedef struct warpjit_report {
  size_t size;
  int32_t engine;      /* the one that ran: the IR interpreter where there is no JIT */
  int32_t target;      /* of the JIT */
  uint32_t lanes;      /* threads a group */
  uint32_t threads;    /* host threads that could work */
  uint32_t cache_hit;  /* 1: the kernel was there */
  uint32_t generic;    /* 1: booleans are read at run time */
  uint64_t code_bytes; /* machine code with its constants */
  uint64_t compile_ns; /* all that the caller waited for to have the kernel */
  uint64_t run_ns;
  /* Threads, invocations, blocks or fragments that ran in the guest interpreter during compilation. */
  uint64_t interpreted;
  /* Since 0.2: */
  int32_t work;     /* WARPJIT_WORK_..., of a run */
  uint32_t ordered; /* 1: geometry invocations may depend on earlier ones and run one after another */
  /* Parts of compile_ns. The rest went into finding out which kernel it is, and attempts that gave none. */
  uint64_t translate_ns, passes_ns, backend_ns, place_ns;
  uint64_t invocations, triangles; /* of a geometry program */
  /* 1: an access outside its space, or one that is not aligned to its size, read 0 or wrote nothing. The
   * texts tell the first one of the first part of the work that had one. The run went on. */
  uint32_t fault;
  uint32_t reserved;
  char fault_where[256]; /* "saxpy.cubin, byte 0x18 (0x20008409)" */
  char fault_what[256];  /* "store to g14[0x1000] by thread 3 of block (0, 1)" */
  /* Why an interpreter runs the program although the JIT was requested and is available; else empty. */
  char interpreted_because[512];
  uint64_t primitives, groups; /* over pixels: primitives drawn, after clipping; groups run */
  warpjit_draw_counts draw;    /* over pixels */
  /* How many accesses faulted, one for each lane of an instruction. Only runs of the guest engine alone count
   * them; 0 for others. */
  uint64_t fault_accesses;
  uint64_t vertex_ns; /* over pixels: of run_ns, what the vertex stage took */
} warpjit_report;

/* [any] Runs all threads of the launch, and returns when they are done; several threads may run one launch.
 * `options` and `report` may be NULL. After an error the contents of the output buffers are unspecified. */
WARPJIT_API warpjit_status warpjit_engine_run(warpjit_engine* engine, const warpjit_launch* launch,
                                              const warpjit_run_options* options, warpjit_report* report,
                                              warpjit_error* error);
/* A launch over rows that runs again and again with little work each time, such as one vertex. What
 * warpjit_engine_run looks up for each run was found once. The launch may be changed between calls: the next
 * run finds again what the change affects. Launch and engine must outlive it. Calls must not overlap each
 * other, nor calls on the launch. WARPJIT_UNSUPPORTED: other work than rows. The options `threads` and
 * WARPJIT_RUN_BACKGROUND do not count. */
WARPJIT_API warpjit_status warpjit_engine_prepare(warpjit_engine* engine, const warpjit_launch* launch,
                                                  const warpjit_run_options* options,
                                                  warpjit_prepared_run** prepared, warpjit_error* error);
/* Runs all rows on the calling thread. */
WARPJIT_API warpjit_status warpjit_prepared_run_run(warpjit_prepared_run* prepared, warpjit_error* error);
WARPJIT_API void warpjit_prepared_run_destroy(warpjit_prepared_run* prepared);
/* [any] Gets the kernel without running it, so that the first run finds it. */
WARPJIT_API warpjit_status warpjit_engine_compile(warpjit_engine* engine, const warpjit_launch* launch,
                                                  const warpjit_run_options* options, warpjit_report* report,
                                                  warpjit_error* error);
/* [any] The same in the background. `compilation` may be NULL: nobody waits. */
WARPJIT_API warpjit_status warpjit_engine_warm(warpjit_engine* engine, const warpjit_launch* launch,
                                               const warpjit_run_options* options,
                                               warpjit_compilation** compilation, warpjit_error* error);
/* [any] Waits until nothing is compiled in the background. */
WARPJIT_API warpjit_status warpjit_engine_wait_for_compilations(warpjit_engine* engine);
/* [any] Cancels what has not begun. */
WARPJIT_API warpjit_status warpjit_engine_cancel_compilations(warpjit_engine* engine);

#define WARPJIT_FOREVER UINT64_MAX
/* [any] Waits, at most that long. WARPJIT_PENDING: it goes on. Else its result; `report` may be NULL. */
WARPJIT_API warpjit_status warpjit_compilation_wait(const warpjit_compilation* compilation,
                                                    uint64_t nanoseconds, warpjit_report* report,
                                                    warpjit_error* error);
enum {
  WARPJIT_COMPILATION_WAITING = 0,
  WARPJIT_COMPILATION_COMPILING = 1,
  WARPJIT_COMPILATION_DONE = 2,
  WARPJIT_COMPILATION_FAILED = 3,
  WARPJIT_COMPILATION_CANCELLED = 4
};
/* [any] WARPJIT_COMPILATION_...; -1 for NULL. */
WARPJIT_API int32_t warpjit_compilation_state(const warpjit_compilation* compilation);
/* [any] Gives it up if it has not begun: 1; else 0. */
WARPJIT_API int warpjit_compilation_cancel(warpjit_compilation* compilation);
/* The compilation goes on. */
WARPJIT_API void warpjit_compilation_destroy(warpjit_compilation* compilation);

/* ---- Profiles ------------------------------------------------------------------------------------------ */

/* [any] An empty one. */
WARPJIT_API warpjit_status warpjit_profile_create(warpjit_profile** profile, warpjit_error* error);
WARPJIT_API void warpjit_profile_destroy(warpjit_profile* profile);
/* [any; one of `profile`] Runs a launch in the guest interpreter, slowly, on the calling thread, and puts
 * into `profile` what was seen in place of what it held, until the error if the run ends with one. `report`
 * may be NULL. WARPJIT_UNSUPPORTED for guests without warps. */
WARPJIT_API warpjit_status warpjit_engine_profile(const warpjit_engine* engine, const warpjit_launch* launch,
                                                  warpjit_profile* profile, warpjit_report* report,
                                                  warpjit_error* error);

/* Texts and arrays of a profile live until it gets another run or is destroyed. */
typedef struct warpjit_profile_info {
  size_t size;
  size_t instruction_count;     /* that were executed, by address */
  size_t race_count;            /* pairs of instructions, at most 1024 */
  uint64_t further_races;       /* of other pairs */
  const uint64_t* active_lanes; /* [n]: instructions of warps with n active lanes */
  size_t active_lane_count;     /* numbers in that array */
  uint32_t deepest_stack;       /* entries of a warp's control stack */
  uint32_t reserved;
} warpjit_profile_info;
/* [any, while no run fills `profile`; so are the others] */
WARPJIT_API warpjit_status warpjit_profile_get_info(const warpjit_profile* profile,
                                                    warpjit_profile_info* info, warpjit_error* error);

typedef struct warpjit_profile_instruction {
  size_t size;
  uint32_t address; /* guest */
  uint32_t reserved;
  const char* text;                 /* disassembled */
  uint64_t warps;                   /* how often a warp executed it */
  uint64_t lanes;                   /* ... in how many lanes, all together */
  uint64_t diverged;                /* of a branch, break or return: how often it parted active lanes */
  uint64_t faults;                  /* accesses outside their space or not aligned */
  uint64_t uninitialized_registers; /* reads of registers that the lane has not written */
  uint64_t uninitialized_shared;    /* reads of bytes of shared memory that the block has not written */
  const char* first_uninitialized;  /* "$r5 of thread 3 of block (0, 0)"; or empty */
} warpjit_profile_instruction;
WARPJIT_API warpjit_status warpjit_profile_get_instruction(const warpjit_profile* profile, size_t index,
                                                           warpjit_profile_instruction* instruction,
                                                           warpjit_error* error);

/* Two warps, not ordered by a barrier, access bytes of shared memory, at least one of them stores, not both
 * with a lock. */
typedef struct warpjit_profile_race {
  size_t size;
  uint32_t first, second; /* guest addresses of the instructions, in the order they ran here */
  uint64_t count;
  const char* example; /* "s[64]: store by thread 3, load by thread 40 of block (0, 0)" */
} warpjit_profile_race;
WARPJIT_API warpjit_status warpjit_profile_get_race(const warpjit_profile* profile, size_t index,
                                                    warpjit_profile_race* race, warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
