/* warpjit's C interface: runs GPU shader binaries on the CPU, one GPU thread per SIMD lane.
 *
 * Objects are opaque. NAME_create and the like give one, NAME_destroy takes it back and does nothing for
 * NULL. An object may be destroyed while others that were made with it live on: a launch keeps its program.
 *
 * Calls that can fail return a warpjit_status, 0 for success, and take a `warpjit_error* error` that may be
 * NULL. Pointers that may be NULL are marked so; NULL for any other gives WARPJIT_BAD_INPUT. What a failed
 * call would have given is not touched. Nothing throws, and no signal handler is installed.
 *
 * Structs begin with `size`: the caller sets it to sizeof the struct, and everything that it does not set to
 * 0, which is the default of every member: warpjit_run_options options = {.size = sizeof options, .threads =
 * 2}; Later versions append members. A library newer than the header takes those that are missing as 0; an
 * older one refuses (WARPJIT_UNSUPPORTED) what it does not know, unless it is 0. In structs that the library
 * fills, `size` says what there is room for; no more is written.
 *
 * Strings are UTF-8 with a zero at the end. Strings, code and values handed in are copied; vertex buffers are
 * not: they must live as long as runs use them. Sizes, offsets and strides are bytes, times nanoseconds.
 *
 * Thread-safety is stated for each call: [any]: from any thread at any time; [one]: must not overlap any
 * other call on the same object. A destroy call must not overlap anything on that object.
 */
#ifndef WARPJIT_H
#define WARPJIT_H

#include <stddef.h>
#include <stdint.h>

#include "warpjit/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Grows by one when a call changes its meaning or goes; calls and members that are added do not count. */
#define WARPJIT_ABI_VERSION 1
/* [any] WARPJIT_ABI_VERSION of the library that is linked. */
WARPJIT_API uint32_t warpjit_abi_version(void);
/* [any] The library's version; each pointer may be NULL. */
WARPJIT_API void warpjit_version(uint32_t* major, uint32_t* minor, uint32_t* patch);

/* ---- Errors ---------------------------------------------------------------------------------------------
 */

typedef int32_t warpjit_status;
enum {
  WARPJIT_OK = 0,
  WARPJIT_BAD_INPUT = 1,          /* malformed bytes, values, names or arguments */
  WARPJIT_UNSUPPORTED = 2,        /* well-formed, but not implemented, or of a later version */
  WARPJIT_OUT_OF_FUEL = 3,        /* a guest thread made more backward transfers than the launch allows */
  WARPJIT_FAULT = 4,              /* a guest access outside its memory where that is an error */
  WARPJIT_CANCELLED = 5,          /* the run or the compilation was cancelled */
  WARPJIT_TARGET_UNAVAILABLE = 6, /* this machine cannot run the wanted target */
  WARPJIT_RESOURCE_LIMIT = 7,     /* a limit was exceeded, or no memory is left */
  WARPJIT_IO = 8,                 /* a file could not be read or written */
  WARPJIT_INTERNAL = 9,           /* a bug in warpjit; never expected */
  WARPJIT_PENDING = 100           /* the time was over before the compilation was */
};
/* [any] "bad input" and the like; "?" for a number that is none. The text lives for ever. */
WARPJIT_API const char* warpjit_status_name(warpjit_status status);

/* What went wrong. Written by every call that is given one, with empty texts after success; texts that are
 * too long are cut. */
typedef struct warpjit_error {
  size_t size;
  warpjit_status status;
  char where[252];   /* the place: a byte offset, a register, a guest address with its word; or empty */
  char message[512]; /* a sentence without a full stop */
} warpjit_error;

/* ---- Engines --------------------------------------------------------------------------------------------
 */

typedef struct warpjit_engine warpjit_engine;           /* code cache, executor, options */
typedef struct warpjit_program warpjit_program;         /* immutable guest code */
typedef struct warpjit_launch warpjit_launch;           /* a program with its bindings and values */
typedef struct warpjit_compilation warpjit_compilation; /* a compilation in the background */

/* What runs threads. All give the same bits. */
enum {
  WARPJIT_JIT = 0,  /* host SIMD code */
  WARPJIT_IR = 1,   /* the IR interpreter; what runs where there is no JIT */
  WARPJIT_GUEST = 2 /* the interpreter of the guest's own instructions */
};
/* Host instruction set that the JIT makes code for; automatic: the widest that this machine runs. */
enum { WARPJIT_TARGET_AUTOMATIC = 0, WARPJIT_TARGET_V3 = 1, WARPJIT_TARGET_V4 = 2, WARPJIT_TARGET_A64 = 3 };
/* How executable memory is got: two mappings of the same pages, one whose protection is switched, none (the
 * interpreters run). */
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
  WARPJIT_ENGINE_NO_BACKGROUND = 4, /* no thread of its own: what asks for the background waits */
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
  uint32_t reserved; /* 0 */
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

/* What an engine did since it was made. */
typedef struct warpjit_statistics {
  size_t size;
  uint64_t hits;                /* runs and compile calls that found their kernel */
  uint64_t misses;              /* compilations begun, by whomever */
  uint64_t compiles;            /* that gave a kernel */
  uint64_t failures;            /* that gave an error */
  uint64_t evictions;           /* kernels dropped */
  uint64_t kernels;             /* in the cache */
  uint64_t bytes;               /* of these */
  uint64_t capacity;            /* warpjit_engine_options.cache_bytes */
  uint64_t compile_ns;          /* total */
  uint64_t background_compiles; /* of `compiles` */
  uint64_t interpreted_runs;    /* that began in the interpreter while their kernel was compiled */
  uint64_t waiting;             /* compilations in the background that have not begun */
  uint64_t compiling;           /* in the background now */
} warpjit_statistics;
/* [any] */
WARPJIT_API warpjit_status warpjit_engine_get_statistics(const warpjit_engine* engine,
                                                         warpjit_statistics* statistics,
                                                         warpjit_error* error);
/* [any] Drops all kernels that are not running, and forgets what failed in the background. */
WARPJIT_API warpjit_status warpjit_engine_clear_cache(warpjit_engine* engine);

/* ---- Programs -------------------------------------------------------------------------------------------
 */

enum { WARPJIT_ISA_PICA200 = 0 };
enum { WARPJIT_STAGE_ANY = 0, WARPJIT_STAGE_VERTEX = 1, WARPJIT_STAGE_GEOMETRY = 2 };

enum {
  WARPJIT_PROGRAM_F24 = 1 /* PICA200: round every result to 24 bits: truncate, flush, overflow to infinity */
};

/* Which program of a container; of those that fit, the first. */
typedef struct warpjit_program_choice {
  size_t size;
  const char* entry;       /* name of the entry point; NULL: any */
  const char* source_name; /* for messages; may be NULL */
  uint32_t position;       /* in the container, from 1; 0: any */
  int32_t stage;           /* WARPJIT_STAGE_... */
  uint32_t flags;          /* WARPJIT_PROGRAM_... */
  uint32_t reserved;       /* 0 */
} warpjit_program_choice;
/* [any] Reads an SHBIN container. The bytes may be hostile. `choice` may be NULL. */
WARPJIT_API warpjit_status warpjit_program_from_shbin(const void* bytes, size_t byte_count,
                                                      const warpjit_program_choice* choice,
                                                      warpjit_program** program, warpjit_error* error);

/* A vertex program as guest words. PICA200: at most 4096 words and 128 operand descriptors. */
typedef struct warpjit_program_words {
  size_t size;
  int32_t isa;    /* WARPJIT_ISA_... */
  uint32_t entry; /* index of a word */
  const uint32_t* code;
  size_t code_count;
  const uint32_t* descriptors; /* may be NULL if there are none */
  size_t descriptor_count;
  const char* source_name; /* for messages; may be NULL */
  uint32_t flags;          /* WARPJIT_PROGRAM_... */
  uint32_t reserved;       /* 0 */
} warpjit_program_words;
/* [any] */
WARPJIT_API warpjit_status warpjit_program_from_words(const warpjit_program_words* words,
                                                      warpjit_program** program, warpjit_error* error);
WARPJIT_API void warpjit_program_destroy(warpjit_program* program);

/* Kinds of names. */
enum { WARPJIT_INPUT = 0, WARPJIT_OUTPUT = 1, WARPJIT_UNIFORM = 2, WARPJIT_STATE = 3 };

/* A resolved name, to be passed on as it is. Valid for the program that gave it. */
typedef struct warpjit_location {
  uint32_t kind, first, count, components, word;
} warpjit_location;
/* [any] Resolves the name of a register ("v0", "c8", "b3", "o1") or one that the program declares. */
WARPJIT_API warpjit_status warpjit_program_find(const warpjit_program* program, int32_t kind,
                                                const char* name, warpjit_location* location,
                                                warpjit_error* error);

/* A name that a program declares; the texts live as long as the program. */
typedef struct warpjit_symbol {
  size_t size;
  const char* name;
  const char* reg; /* its first register */
  uint32_t count;  /* registers */
  uint32_t reserved;
} warpjit_symbol;
/* [any] Declared inputs, outputs or uniforms; 0 for anything else. */
WARPJIT_API size_t warpjit_program_symbol_count(const warpjit_program* program, int32_t kind);
/* [any] */
WARPJIT_API warpjit_status warpjit_program_get_symbol(const warpjit_program* program, int32_t kind,
                                                      size_t index, warpjit_symbol* symbol,
                                                      warpjit_error* error);

/* ---- Launches -------------------------------------------------------------------------------------------
 */

/* Components of rows. Inputs: f32; the integers, converted to the float of the same value; the normalized
 * ones, value / maximum. Outputs: f32, u32 and s32, the 32 bits as they are. */
enum {
  WARPJIT_F32 = 0,
  WARPJIT_U8 = 1,
  WARPJIT_S8 = 2,
  WARPJIT_U16 = 3,
  WARPJIT_S16 = 4,
  WARPJIT_UNORM8 = 5,
  WARPJIT_SNORM8 = 6,
  WARPJIT_UNORM16 = 7,
  WARPJIT_SNORM16 = 8,
  WARPJIT_U32 = 9,
  WARPJIT_S32 = 10
};

/* Rows that threads read: thread t reads one at data + t * stride. Missing components are 0, 0, 0, 1. */
typedef struct warpjit_attribute {
  size_t size;
  const void* data;
  size_t byte_count;   /* at `data`; nothing outside is touched */
  size_t stride;       /* 0: every thread reads the same row */
  int32_t type;        /* WARPJIT_F32, ... */
  uint32_t components; /* 1 to 4 */
} warpjit_attribute;
/* Rows that threads write, likewise. They must not overlap each other or rows of inputs. */
typedef struct warpjit_output {
  size_t size;
  void* data;
  size_t byte_count;
  size_t stride;
  int32_t type;
  uint32_t components;
} warpjit_output;

/* [any] Uniforms start as the container presets them, everything else as 0. */
WARPJIT_API warpjit_status warpjit_launch_create(const warpjit_program* program, warpjit_launch** launch,
                                                 warpjit_error* error);
/* [any, while nothing changes `launch`] A copy with the same bindings and values. */
WARPJIT_API warpjit_status warpjit_launch_copy(const warpjit_launch* launch, warpjit_launch** copy,
                                               warpjit_error* error);
WARPJIT_API void warpjit_launch_destroy(warpjit_launch* launch);

/* [one] Float uniforms: consecutive components x y z w of consecutive registers. */
WARPJIT_API warpjit_status warpjit_launch_set_floats(warpjit_launch* launch, const warpjit_location* location,
                                                     const float* values, size_t count, warpjit_error* error);
/* [one] The same as bit patterns. */
WARPJIT_API warpjit_status warpjit_launch_set_bits(warpjit_launch* launch, const warpjit_location* location,
                                                   const uint32_t* words, size_t count, warpjit_error* error);
/* [one] Integer uniforms: four components of 0 to 255 a register. */
WARPJIT_API warpjit_status warpjit_launch_set_integers(warpjit_launch* launch,
                                                       const warpjit_location* location,
                                                       const uint32_t* values, size_t count,
                                                       warpjit_error* error);
/* [one] A boolean uniform; any value but 0 is true. */
WARPJIT_API warpjit_status warpjit_launch_set_bool(warpjit_launch* launch, const warpjit_location* location,
                                                   uint32_t value, warpjit_error* error);
/* [one] A register at the start of every thread (WARPJIT_STATE), as words. */
WARPJIT_API warpjit_status warpjit_launch_set_state(warpjit_launch* launch, const warpjit_location* location,
                                                    const uint32_t* words, size_t count,
                                                    warpjit_error* error);
/* [one] Sizes are checked by the run. */
WARPJIT_API warpjit_status warpjit_launch_bind_input(warpjit_launch* launch, const warpjit_location* location,
                                                     const warpjit_attribute* attribute,
                                                     warpjit_error* error);
WARPJIT_API warpjit_status warpjit_launch_bind_output(warpjit_launch* launch,
                                                      const warpjit_location* location,
                                                      const warpjit_output* output, warpjit_error* error);
/* [one] */
WARPJIT_API warpjit_status warpjit_launch_unbind_inputs(warpjit_launch* launch);
WARPJIT_API warpjit_status warpjit_launch_unbind_outputs(warpjit_launch* launch);
/* [one] Threads to run, at first 0. */
WARPJIT_API warpjit_status warpjit_launch_set_count(warpjit_launch* launch, uint64_t count);
/* [one] Backward transfers that one thread may make, at first 2^20. */
WARPJIT_API warpjit_status warpjit_launch_set_fuel(warpjit_launch* launch, uint64_t fuel);
/* [one] Other than 0: output rows may share bytes with input rows, as for a transformation in place. */
WARPJIT_API warpjit_status warpjit_launch_set_allow_overlap(warpjit_launch* launch, uint32_t allow);

/* ---- Runs -----------------------------------------------------------------------------------------------
 */

enum {
  /* Do not wait for a kernel that is not there: it is compiled in the background, and the guest interpreter
   * runs the threads until it is ready. If the compilation fails, the runs after it do. */
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
  /* NULL, or a word that ends the run soon after warpjit_store made it other than 0. */
  const uint32_t* cancel;
} warpjit_run_options;
/* [any] Stores a value where another thread may read it. */
WARPJIT_API void warpjit_store(uint32_t* word, uint32_t value);

/* What it took. The times of a compilation are 0 for a kernel from the cache. */
typedef struct warpjit_report {
  size_t size;
  int32_t engine;      /* what ran: the IR interpreter where there is no JIT */
  int32_t target;      /* of the JIT */
  uint32_t lanes;      /* threads a group */
  uint32_t threads;    /* host threads asked to work */
  uint32_t cache_hit;  /* 1: the kernel was there */
  uint32_t generic;    /* 1: booleans are read at run time */
  uint64_t code_bytes; /* machine code with its constants */
  uint64_t compile_ns; /* guest words to kernel */
  uint64_t run_ns;
  uint64_t interpreted; /* threads that the guest interpreter ran in place of a kernel being compiled */
} warpjit_report;

/* [any] Runs all threads of the launch, and returns when they are done; several threads may run one launch.
 * `options` and `report` may be NULL. After an error the contents of the output buffers are unspecified. */
WARPJIT_API warpjit_status warpjit_engine_run(warpjit_engine* engine, const warpjit_launch* launch,
                                              const warpjit_run_options* options, warpjit_report* report,
                                              warpjit_error* error);
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

/* Waits, at most that long. WARPJIT_PENDING: it has not ended. Else what became of it; `report` may be NULL.
 */
#define WARPJIT_FOREVER UINT64_MAX
/* [any] */
WARPJIT_API warpjit_status warpjit_compilation_wait(const warpjit_compilation* compilation,
                                                    uint64_t nanoseconds, warpjit_report* report,
                                                    warpjit_error* error);
/* [any] Gives it up if it has not begun: 1; else 0. */
WARPJIT_API int warpjit_compilation_cancel(warpjit_compilation* compilation);
/* The compilation goes on. */
WARPJIT_API void warpjit_compilation_destroy(warpjit_compilation* compilation);

#ifdef __cplusplus
}
#endif

#endif
