/* warpjit's C interface: runs GPU shader binaries on the CPU, one GPU thread per SIMD lane. What one GPU
 * alone has (loaders, modes, register interfaces) is in the header of that name: pica200.h, tesla.h,
 * valhall.h.
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
 * Strings are UTF-8 with a zero at the end. Strings, code and values handed in are copied; buffers (rows,
 * triangles, constants, memory) are not: they must live as long as runs use them. Sizes, offsets and strides
 * are bytes, times nanoseconds.
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

/* ---- Kinds of things and their names --------------------------------------------------------------------
 */

enum { WARPJIT_ISA_PICA200 = 0, WARPJIT_ISA_TESLA = 1, WARPJIT_ISA_VALHALL = 2, WARPJIT_ISA_USSE = 3 };
enum {
  WARPJIT_STAGE_ANY = 0,
  WARPJIT_STAGE_VERTEX = 1,
  WARPJIT_STAGE_GEOMETRY = 2,
  WARPJIT_STAGE_COMPUTE = 3,
  WARPJIT_STAGE_FRAGMENT = 4
};
/* What a launch runs its program over. */
enum {
  WARPJIT_WORK_ROWS = 0,       /* threads, each with a row of every bound input and output */
  WARPJIT_WORK_DRAW = 1,       /* vertices of a draw, through indices or in order (pica200.h) */
  WARPJIT_WORK_PRIMITIVES = 2, /* invocations of a geometry program */
  WARPJIT_WORK_GRID = 3,       /* blocks of threads */
  WARPJIT_WORK_PIXELS = 4      /* pixels that primitives cover */
};
/* What runs threads. All give the same bits. */
enum {
  WARPJIT_JIT = 0,  /* host SIMD code */
  WARPJIT_IR = 1,   /* the IR interpreter; what runs where there is no JIT */
  WARPJIT_GUEST = 2 /* the interpreter of the guest's own instructions */
};
/* Host instruction set that the JIT makes code for; automatic: the widest that this machine runs. */
enum {
  WARPJIT_TARGET_AUTOMATIC = 0,
  WARPJIT_TARGET_V3 = 1,
  WARPJIT_TARGET_V4 = 2,
  WARPJIT_TARGET_A64 = 3,
  WARPJIT_TARGET_V4_FP16 = 4,
  WARPJIT_TARGET_A64_FP16 = 5
};
/* How the outputs of a vertex stage become the inputs of geometry invocations (warpjit_geometry_input). */
enum { WARPJIT_PRIMITIVES_POINT = 0, WARPJIT_PRIMITIVES_VARIABLE = 1, WARPJIT_PRIMITIVES_FIXED = 2 };

/* The enumerations above, for their names. */
enum {
  WARPJIT_NAMES_ISA = 0,
  WARPJIT_NAMES_STAGE = 1,
  WARPJIT_NAMES_WORK = 2,
  WARPJIT_NAMES_ENGINE = 3,
  WARPJIT_NAMES_TARGET = 4,
  WARPJIT_NAMES_PRIMITIVES = 5,
  WARPJIT_NAMES_PIXEL_FORMAT = 6 /* WARPJIT_PIXELS_... (pixels.h) */
};
/* [any] The lower-case name of an enumerator as the command line has it ("pica200", "vertex", "jit", "v3");
 * "?" for a number that is none. The text lives for ever. */
WARPJIT_API const char* warpjit_name(int32_t names, int32_t value);
/* [any] The enumerator of a name. */
WARPJIT_API warpjit_status warpjit_parse_name(int32_t names, const char* text, int32_t* value,
                                              warpjit_error* error);

/* Components of rows. Inputs: f32; the integers, converted to the float of the same value; the normalized
 * ones, value / maximum. Outputs: f32, u32 and s32, the 32 bits as they are. Rows of 1 to 4 components are
 * packed, in the host's byte order, and need no alignment. */
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
/* [any] Bytes of a component; 0 for a number that is no type. */
WARPJIT_API size_t warpjit_component_size(int32_t type);
/* [any] "f32x3", "unorm8x4", "s16" for one component; "?" for what is no format. The text lives for ever. */
WARPJIT_API const char* warpjit_format_name(int32_t type, uint32_t components);
/* [any] The format of such a name; "s16x1" is "s16". */
WARPJIT_API warpjit_status warpjit_parse_format(const char* text, int32_t* type, uint32_t* components,
                                                warpjit_error* error);

/* ---- Engines --------------------------------------------------------------------------------------------
 */

typedef struct warpjit_engine warpjit_engine;             /* code cache, executor, options */
typedef struct warpjit_program warpjit_program;           /* immutable guest code */
typedef struct warpjit_launch warpjit_launch;             /* a program with its bindings and values */
typedef struct warpjit_compilation warpjit_compilation;   /* a compilation in the background */
typedef struct warpjit_prepared_run warpjit_prepared_run; /* a launch with all that its runs look up */
typedef struct warpjit_profile warpjit_profile;           /* what the threads of a launch did */

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

/* ---- Programs -------------------------------------------------------------------------------------------
 */

enum {
  /* PICA200: round every result to 24 bits: truncate, flush, overflow to infinity */
  WARPJIT_PROGRAM_F24 = 1,
  /* PICA200: scopes that end together all close, the innermost first; the hardware closes one of a kind */
  WARPJIT_PROGRAM_STRUCTURAL_SCOPES = 2
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
/* [any] Reads any container that warpjit knows: SHBIN, text cubin, ELF cubin, GXP. The bytes may be hostile.
 * `choice` may be NULL; its flags must be 0, for modes are the default ones: from_shbin and
 * warpjit_program_from_cubin (tesla.h) take others. */
WARPJIT_API warpjit_status warpjit_program_load(const void* bytes, size_t byte_count,
                                                const warpjit_program_choice* choice,
                                                warpjit_program** program, warpjit_error* error);
/* [any] Reads an SHBIN container. The bytes may be hostile. `choice` may be NULL. */
WARPJIT_API warpjit_status warpjit_program_from_shbin(const void* bytes, size_t byte_count,
                                                      const warpjit_program_choice* choice,
                                                      warpjit_program** program, warpjit_error* error);

/* A program as words of the PICA200: at most 4096, and 128 operand descriptors. Those of Tesla: tesla.h; of
 * Valhall: valhall.h. */
typedef struct warpjit_program_words {
  size_t size;
  int32_t isa;    /* WARPJIT_ISA_PICA200 */
  uint32_t entry; /* index of a word */
  const uint32_t* code;
  size_t code_count;
  const uint32_t* descriptors; /* may be NULL if there are none */
  size_t descriptor_count;
  const char* source_name; /* for messages; may be NULL */
  uint32_t flags;          /* WARPJIT_PROGRAM_... */
  uint32_t reserved;       /* 0 */
  /* Since 0.2: */
  int32_t stage;      /* any and vertex: a vertex program; or geometry */
  uint32_t reserved2; /* 0 */
} warpjit_program_words;
/* [any] */
WARPJIT_API warpjit_status warpjit_program_from_words(const warpjit_program_words* words,
                                                      warpjit_program** program, warpjit_error* error);
WARPJIT_API void warpjit_program_destroy(warpjit_program* program);

/* What a program is, and what it needs of its machine, as its container says. The texts live as long as the
 * program. */
typedef struct warpjit_program_info {
  size_t size;
  int32_t isa;             /* WARPJIT_ISA_... */
  int32_t stage;           /* WARPJIT_STAGE_..., never any */
  uint32_t entry;          /* guest address, in words or bytes, as the guest counts */
  uint32_t registers;      /* of a thread */
  uint32_t shared_bytes;   /* of a block, launch header and parameters included */
  uint32_t local_bytes;    /* of a thread */
  size_t code_words;       /* of 32 bits, of the whole program, reachable or not */
  const char* name;        /* of the entry point; may be empty */
  const char* source_name; /* for messages; may be empty */
} warpjit_program_info;
/* [any] */
WARPJIT_API warpjit_status warpjit_program_get_info(const warpjit_program* program,
                                                    warpjit_program_info* info, warpjit_error* error);

/* [any] Words of the state that the program's unit keeps from run to run; 0: none, or NULL was given. */
WARPJIT_API size_t warpjit_program_unit_words(const warpjit_program* program);

/* Kinds of names. */
enum { WARPJIT_INPUT = 0, WARPJIT_OUTPUT = 1, WARPJIT_UNIFORM = 2, WARPJIT_STATE = 3 };

/* A resolved name, to be passed on as it is. Valid for the program that gave it. */
typedef struct warpjit_location {
  uint32_t kind, first, count, components, word;
} warpjit_location;
/* [any] Resolves the name of a register ("v0", "c8", "b3", "o1"; the headers of the GPUs list them) or one
 * that the program declares. */
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

/* Rows that threads read: thread t reads one at data + t * stride. Missing components are 0, 0, 0, 1. */
typedef struct warpjit_attribute {
  size_t size;
  const void* data;
  size_t byte_count;   /* at `data`; nothing outside is touched */
  size_t stride;       /* 0: every thread reads the same row */
  int32_t type;        /* WARPJIT_F32, ... */
  uint32_t components; /* 1 to 4 */
  /* Since 0.2: of the vertex stage of a draw over pixels. 0: vertex n of each instance reads row n; else all
   * vertices of instance i read row i / divisor. Elsewhere there is instance 0 alone. */
  uint32_t divisor;
  uint32_t reserved; /* 0 */
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
/* [any] A handle of its own of the launch's program. */
WARPJIT_API warpjit_status warpjit_launch_get_program(const warpjit_launch* launch, warpjit_program** program,
                                                      warpjit_error* error);

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
/* [one] Threads to run, at first 0; with a vertex stage the invocations follow from that one's, and a grid
 * has its own. */
WARPJIT_API warpjit_status warpjit_launch_set_count(warpjit_launch* launch, uint64_t count);
/* Fuel bounds how long a guest program runs, in all kinds of work and in every engine alike. It counts the
 * backward transfers of each guest thread. With fuel F a run in which no thread makes more than F finishes,
 * one in which a thread makes more than 2F ends with WARPJIT_OUT_OF_FUEL and a guest address; in between
 * either may happen. */
#define WARPJIT_DEFAULT_FUEL 524288
/* [one] At first WARPJIT_DEFAULT_FUEL. */
WARPJIT_API warpjit_status warpjit_launch_set_fuel(warpjit_launch* launch, uint64_t fuel);
/* [one] Other than 0: output rows may share bytes with input rows, as for a transformation in place. */
WARPJIT_API warpjit_status warpjit_launch_set_allow_overlap(warpjit_launch* launch, uint32_t allow);
/* [any, while nothing changes `launch`] What was set; 0 for NULL. */
WARPJIT_API uint64_t warpjit_launch_count(const warpjit_launch* launch);
WARPJIT_API uint64_t warpjit_launch_fuel(const warpjit_launch* launch);

/* ---- Launches of geometry programs ----------------------------------------------------------------------
 *
 * A thread is an invocation. Without a vertex stage, inputs are bound as for vertex programs, one row an
 * invocation. Registers and flags that persist from one invocation to the next start as set_state says (else
 * 0) in each run. Outputs that can be bound are registers at the end of each invocation. For other programs
 * these calls give WARPJIT_BAD_INPUT.
 */

/* How inputs come and what comes out. The attributes of a vertex are the outputs that the vertex stage
 * enables, ascending. point     attributes of vertex after vertex fill registers[0], registers[1], ...; what
 * is left over at the end of the launch is dropped variable  float uniform 0 = the number of vertices, then
 * their attributes from 1 on: of the first `full_vertices` all, of the others the first one. Registers that a
 * primitive does not fill keep what earlier ones put there. The vertices of a primitive are listed
 * (bind_primitives) fixed     the attributes of `vertices` vertices from float uniform `first` on */
typedef struct warpjit_geometry_input {
  size_t size;
  int32_t mode;             /* WARPJIT_PRIMITIVES_... */
  uint32_t first;           /* fixed: a float uniform register */
  uint32_t vertices;        /* fixed: of a primitive */
  uint32_t full_vertices;   /* variable */
  const uint8_t* registers; /* point: the input register of each attribute, each once */
  size_t register_count;
  uint64_t outputs;       /* bit n: output register n belongs to an emitted vertex */
  uint32_t max_triangles; /* of one invocation, 1 to 96, more is an error of the run; 0: 8 */
  uint32_t reserved;      /* 0 */
} warpjit_geometry_input;
/* [one] Starts as the container says. */
WARPJIT_API warpjit_status warpjit_launch_set_geometry_input(warpjit_launch* launch,
                                                             const warpjit_geometry_input* input,
                                                             warpjit_error* error);
/* [any, while nothing changes `launch`] `registers` is valid until the launch changes; it may be handed back
 * to set_geometry_input. */
WARPJIT_API warpjit_status warpjit_launch_get_geometry_input(const warpjit_launch* launch,
                                                             warpjit_geometry_input* input,
                                                             warpjit_error* error);
/* [one] The launch whose outputs feed this one, which then runs for each primitive. It is copied; its output
 * bindings do not count. `outputs`: bit n: output register n is an attribute; 0: those that its container
 * enables. */
WARPJIT_API warpjit_status warpjit_launch_set_vertex_stage(warpjit_launch* launch,
                                                           const warpjit_launch* vertex, uint64_t outputs,
                                                           warpjit_error* error);
/* [one] Variable mode: each primitive as its number of vertices and so many numbers of vertices. Copied. */
WARPJIT_API warpjit_status warpjit_launch_bind_primitives(warpjit_launch* launch, const uint32_t* list,
                                                          size_t count, warpjit_error* error);

/* [one] The state of the unit that runs the program, warpjit_program_unit_words() words in the layout of the
 * GPU's header. A run starts with it and leaves there what its last invocation left; after an error, and
 * after a run of no invocations, it is what it was. It belongs to the caller; runs with the same words must
 * not overlap. `words` NULL with `count` 0: no unit. */
WARPJIT_API warpjit_status warpjit_launch_bind_unit(warpjit_launch* launch, uint32_t* words, size_t count,
                                                    warpjit_error* error);

/* Where emitted triangles go, in the order of the invocations and of their EMITs: three vertices a triangle,
 * 16 bytes for each enabled output register a vertex, ascending. */
typedef struct warpjit_triangle_buffer {
  size_t size;
  void* vertices;
  size_t byte_count; /* at `vertices` */
  uint8_t* inverted; /* the winding flag of each triangle, 0 or 1; may be NULL */
  size_t inverted_count;
} warpjit_triangle_buffer;
/* [one] Must live as long as runs use it. A run that needs more room ends with WARPJIT_RESOURCE_LIMIT. */
WARPJIT_API warpjit_status warpjit_launch_bind_triangles(warpjit_launch* launch,
                                                         const warpjit_triangle_buffer* buffer,
                                                         warpjit_error* error);

/* ---- Launches of compute programs -----------------------------------------------------------------------
 *
 * Values are checked when the launch runs; a launch of another kind of program to which they were given is
 * then refused.
 */

/* [one] Blocks of the grid, and threads of a block, in x, y and z. At first 1. */
WARPJIT_API warpjit_status warpjit_launch_set_grid(warpjit_launch* launch, uint32_t x, uint32_t y,
                                                   uint32_t z);
WARPJIT_API warpjit_status warpjit_launch_set_block(warpjit_launch* launch, uint32_t x, uint32_t y,
                                                    uint32_t z);
/* [one] What threads of the first block read as its number, where the guest can have that other than 0. At
 * first 0. */
WARPJIT_API warpjit_status warpjit_launch_set_first_block(warpjit_launch* launch, uint32_t x, uint32_t y,
                                                          uint32_t z);
/* [one] Bytes for where the guest has its parameters. Copied. */
WARPJIT_API warpjit_status warpjit_launch_set_parameters(warpjit_launch* launch, const void* bytes,
                                                         size_t byte_count, warpjit_error* error);
/* [one] Bytes of shared memory of a block, if more than the program says. */
WARPJIT_API warpjit_status warpjit_launch_set_shared_bytes(warpjit_launch* launch, uint32_t bytes);
/* [one] Binds a whole constant space, named as in the guest's assembly ("c0"), from address 0 on; what the
 * container presets lies behind what is given. The memory must live as long as runs use it. */
WARPJIT_API warpjit_status warpjit_launch_bind_constants(warpjit_launch* launch, const char* space,
                                                         const void* data, size_t byte_count,
                                                         warpjit_error* error);
/* [one] Maps a piece of another space ("g14"). Address and data are multiples of 8; pieces of a space do not
 * overlap. The memory must live as long as runs use it. */
WARPJIT_API warpjit_status warpjit_launch_map_memory(warpjit_launch* launch, const char* space,
                                                     uint64_t address, void* data, size_t byte_count,
                                                     warpjit_error* error);
/* [one] Takes back all that was bound or mapped so. */
WARPJIT_API warpjit_status warpjit_launch_unmap_memory(warpjit_launch* launch);

/* ---- Launches of vertex programs that fetch attributes and store results themselves ----------------------
 *
 * They have parameters, constants and memory as compute programs have (Valhall's have). Values are checked
 * when the launch runs.
 */

/* [one] Vertices of an instance, and instances; what programs read as the numbers of the first ones. */
WARPJIT_API warpjit_status warpjit_launch_set_vertices(warpjit_launch* launch, uint32_t count,
                                                       uint32_t instances, uint32_t first,
                                                       uint32_t first_instance);
enum { WARPJIT_DIVISION_NONE = 0, WARPJIT_DIVISION_SHIFT = 1, WARPJIT_DIVISION_MULTIPLY = 2 };
/* An attribute in memory at 64-bit addresses, as a descriptor of the guest says it. Element n begins at byte
 * offset + n * stride of a buffer. */
typedef struct warpjit_attribute_source {
  size_t size;
  uint64_t address;    /* of the buffer */
  uint32_t byte_count; /* of it */
  uint32_t format;     /* in the guest's own numbers */
  int32_t offset;
  uint32_t stride;
  uint32_t per_instance; /* 1: numbered by the instance, not by the vertex */
  uint32_t from_first;   /* 1: the launch's attribute offset is added to that */
  /* The element of a number: the number; number >> shift; ((number + add) * multiplier) >> (32 + shift). */
  int32_t division; /* WARPJIT_DIVISION_... */
  uint32_t shift;   /* below 32 */
  uint32_t add;     /* 0 or 1 */
  uint32_t multiplier;
} warpjit_attribute_source;
/* [one] All attributes, from number 0 on; their sizes are equal. Copied. */
WARPJIT_API warpjit_status warpjit_launch_set_attributes(warpjit_launch* launch,
                                                         const warpjit_attribute_source* attributes,
                                                         size_t count, uint32_t attribute_offset,
                                                         warpjit_error* error);
/* An image that programs read and write by coordinates, in memory at 64-bit addresses. */
typedef struct warpjit_image_source {
  size_t size;
  uint64_t address;              /* of texel (0, 0, 0) */
  uint32_t format;               /* in the guest's own numbers */
  uint32_t width, height, depth; /* texels; slices or layers. A width of 0: there is none */
  uint32_t row_stride;           /* bytes */
  uint32_t slice_stride;
  uint32_t interleaved; /* 1: rows are of tiles of 16 x 16 texels */
  uint32_t is_3d;       /* 1: z counts its slices; else they are layers */
} warpjit_image_source;
/* [one] All images, from number 0 on; their sizes are equal. Copied, and checked when the launch runs. The
 * texels are mapped memory. WARPJIT_BAD_INPUT for GPUs whose programs have none. */
WARPJIT_API warpjit_status warpjit_launch_set_images(warpjit_launch* launch,
                                                     const warpjit_image_source* images, size_t count,
                                                     warpjit_error* error);
/* A buffer that programs name by a table and an entry of it, in memory at 64-bit addresses. */
typedef struct warpjit_buffer_source {
  size_t size;
  uint32_t table; /* below 256 */
  uint32_t entry;
  uint64_t address;    /* of its first byte */
  uint32_t byte_count; /* beyond them loads give 0 */
} warpjit_buffer_source;
/* [one] All buffers; their sizes are equal. Copied, and checked when the launch runs. Their bytes are mapped
 * memory. WARPJIT_BAD_INPUT for GPUs whose programs have none. */
WARPJIT_API warpjit_status warpjit_launch_set_buffers(warpjit_launch* launch,
                                                      const warpjit_buffer_source* buffers, size_t count,
                                                      warpjit_error* error);
/* [one] Where the results of vertex n of the launch lie: n * packet_stride bytes from `data` on. Data is at a
 * multiple of 8 bytes and of such a size; the stride is a multiple of 16. The memory must live as long as
 * runs use it. */
WARPJIT_API warpjit_status warpjit_launch_map_results(warpjit_launch* launch, void* data, size_t byte_count,
                                                      uint32_t packet_stride, warpjit_error* error);

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
  int32_t engine;      /* what ran: the IR interpreter where there is no JIT */
  int32_t target;      /* of the JIT */
  uint32_t lanes;      /* threads a group */
  uint32_t threads;    /* host threads asked to work */
  uint32_t cache_hit;  /* 1: the kernel was there */
  uint32_t generic;    /* 1: booleans are read at run time */
  uint64_t code_bytes; /* machine code with its constants */
  uint64_t compile_ns; /* guest words to kernel */
  uint64_t run_ns;
  uint64_t interpreted; /* threads, invocations, blocks or fragments that the guest interpreter ran in place
                           of a kernel being compiled */
  /* Since 0.2: */
  int32_t work;     /* WARPJIT_WORK_..., of a run */
  uint32_t ordered; /* 1: geometry invocations may depend on earlier ones and run one after another */
  uint64_t translate_ns, passes_ns, backend_ns, place_ns; /* compile_ns in parts */
  uint64_t invocations, triangles;                        /* of a geometry program */
  /* 1: an access outside its space, or one that is not aligned to its size, read 0 or wrote nothing. Of
   * several the texts tell the first of the first part of the work that had one. The run went on. */
  uint32_t fault;
  uint32_t reserved;
  char fault_where[256]; /* "saxpy.cubin, byte 0x18 (0x20008409)" */
  char fault_what[256];  /* "store to g14[0x1000] by thread 3 of block (0, 1)" */
  /* Why an interpreter runs the program although the JIT was asked for, and is available; else empty. */
  char interpreted_because[512];
  uint64_t primitives, groups; /* over pixels: primitives drawn, after clipping; groups run */
  warpjit_draw_counts draw;    /* over pixels */
  /* How many accesses faulted, one for each lane of an instruction; 0: another engine than the guest ran,
   * which alone counts them. */
  uint64_t fault_accesses;
} warpjit_report;

/* [any] Runs all threads of the launch, and returns when they are done; several threads may run one launch.
 * `options` and `report` may be NULL. After an error the contents of the output buffers are unspecified. */
WARPJIT_API warpjit_status warpjit_engine_run(warpjit_engine* engine, const warpjit_launch* launch,
                                              const warpjit_run_options* options, warpjit_report* report,
                                              warpjit_error* error);
/* A launch over rows that runs again and again with little work each time, such as one vertex. What
 * warpjit_engine_run looks up for each run was found once. The launch may be changed between calls: the next
 * run finds what has to be found anew. Launch and engine must outlive it. Calls must not overlap each other,
 * nor calls on the launch. WARPJIT_UNSUPPORTED: other work than rows. Of the options, `threads` and
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

/* Waits, at most that long. WARPJIT_PENDING: it has not ended. Else what became of it; `report` may be NULL.
 */
#define WARPJIT_FOREVER UINT64_MAX
/* [any] */
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

/* ---- Profiles -------------------------------------------------------------------------------------------
 */

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
