/* Engines in C: code cache, threads, options. warpjit.h has the conventions. */
#ifndef WARPJIT_ENGINE_H
#define WARPJIT_ENGINE_H

#include "warpjit/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How executable memory is allocated: two mappings of the same pages, one whose protection is switched, none
 * (the interpreters run). */
enum {
  WARPJIT_CODE_MEMORY_AUTOMATIC = 0,
  WARPJIT_CODE_MEMORY_DUAL = 1,
  WARPJIT_CODE_MEMORY_FLIP = 2,
  WARPJIT_CODE_MEMORY_NONE = 3
};

enum { WARPJIT_LOG_DEBUG = 0, WARPJIT_LOG_INFO = 1, WARPJIT_LOG_WARNING = 2 };
/* Called from any thread, from several at once; must not call the engine. `message` is one line without its
 * end, valid until the call returns. */
typedef void (*warpjit_log_function)(void* context, int32_t level, const char* message);

/* Calls body(body_context, i) once for each i below count, on any threads and in any order, and returns when
 * all have returned. Called from several threads at once. Bodies never wait for each other. */
typedef void (*warpjit_parallel_for)(void* context, size_t count,
                                     void (*body)(void* body_context, size_t index), void* body_context);

enum {
  WARPJIT_ENGINE_PERF_MAP = 1,      /* list kernels in /tmp/perf-PID.map */
  WARPJIT_ENGINE_CHECKS = 2,        /* verify the code between all stages of compilation; slow */
  WARPJIT_ENGINE_NO_BACKGROUND = 4, /* no thread of its own: calls that would use the background wait */
};
typedef struct warpjit_engine_options {
  size_t size;
  size_t cache_bytes;       /* kernels kept, the least recently used go first; 0: 64 MiB */
  uint32_t flags;           /* WARPJIT_ENGINE_... */
  int32_t code_memory;      /* WARPJIT_CODE_MEMORY_... */
  uint32_t threads;         /* of a pool that runs large launches; 0: the default executor */
  uint32_t compile_threads; /* for the background, started when first needed; 0: 1; at most 64 */
  size_t compile_queue;     /* compilations that may wait for them; 0: 1024 */
  warpjit_log_function log; /* may be NULL */
  void* log_context;
  /* NULL, or the embedder's own threads, of which `concurrency` run at once. Both contexts must live as long
   * as the engine. */
  warpjit_parallel_for parallel_for;
  void* parallel_for_context;
  uint32_t concurrency;
  /* Combinations of booleans' values, of a program, that get kernels of their own, in each of which they are
   * constants; further ones share kernels that test them. 0: 4. */
  uint32_t boolean_variants;
} warpjit_engine_options;

/* [any] `options` may be NULL. */
WARPJIT_API warpjit_status warpjit_engine_create(const warpjit_engine_options* options,
                                                 warpjit_engine** engine, warpjit_error* error);
/* Waits for the compilation that runs; those that wait for their turn are cancelled. */
WARPJIT_API void warpjit_engine_destroy(warpjit_engine* engine);

typedef struct warpjit_engine_info {
  size_t size;
  uint32_t jit;              /* 1: there is a JIT */
  int32_t target;            /* what WARPJIT_TARGET_AUTOMATIC is here */
  uint32_t targets;          /* bit n: WARPJIT_TARGET number n runs here */
  int32_t code_memory;       /* what is in use */
  uint32_t concurrency;      /* host threads that work at once */
  uint32_t reserved;         /* 0 */
  const char* no_jit_reason; /* empty where there is a JIT; lives as long as the engine */
} warpjit_engine_info;
/* [any] */
WARPJIT_API warpjit_status warpjit_engine_get_info(const warpjit_engine* engine, warpjit_engine_info* info,
                                                   warpjit_error* error);

/* What an engine did since its creation. */
typedef struct warpjit_statistics {
  size_t size;
  uint64_t hits;                /* runs and compile calls that found their kernel */
  uint64_t misses;              /* compilations begun, by any call */
  uint64_t compiles;            /* compilations that gave a kernel */
  uint64_t failures;            /* compilations that gave an error */
  uint64_t evictions;           /* kernels dropped */
  uint64_t kernels;             /* in the cache */
  uint64_t bytes;               /* of these */
  uint64_t capacity;            /* warpjit_engine_options.cache_bytes */
  uint64_t compile_ns;          /* total */
  uint64_t background_compiles; /* of `compiles` */
  uint64_t interpreted_runs;    /* runs that began in the interpreter while their kernel was compiled */
  uint64_t waiting;             /* compilations in the background that have not begun */
  uint64_t compiling;           /* in the background now */
} warpjit_statistics;
/* [any] */
WARPJIT_API warpjit_status warpjit_engine_get_statistics(const warpjit_engine* engine,
                                                         warpjit_statistics* statistics,
                                                         warpjit_error* error);
/* [any] Drops all kernels that are not running, and forgets what failed in the background. */
WARPJIT_API warpjit_status warpjit_engine_clear_cache(warpjit_engine* engine);

typedef struct warpjit_guest_place {
  size_t size;
  uint32_t found;         /* 1: the address is inside a kernel of this engine; else the rest is 0 */
  uint32_t guest_address; /* in words or bytes, as the guest counts; UINT32_MAX: of no instruction */
  char program[256];      /* the source name; cut if it is longer */
} warpjit_guest_place;
/* [any] The guest address that a host address inside a kernel belongs to, for crash reports. */
WARPJIT_API warpjit_status warpjit_engine_find_guest_place(const warpjit_engine* engine,
                                                           const void* host_address,
                                                           warpjit_guest_place* place, warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
