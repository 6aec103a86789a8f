/* What all calls of the C interface share: handles, errors, enumerations and their names. warpjit.h has the
 * conventions.
 */
#ifndef WARPJIT_TYPES_H
#define WARPJIT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "warpjit/export.h"
#include "warpjit/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Grows by one when a call changes its meaning or goes; calls and members that are added do not count. */
#define WARPJIT_ABI_VERSION 2
/* [any] WARPJIT_ABI_VERSION of the linked library. */
WARPJIT_API uint32_t warpjit_abi_version(void);
/* [any] The version of the linked library, which may be newer than the headers (version.h); each pointer may
 * be NULL. */
WARPJIT_API void warpjit_version(uint32_t* major, uint32_t* minor, uint32_t* patch);

typedef struct warpjit_engine warpjit_engine;             /* code cache, executor, options */
typedef struct warpjit_program warpjit_program;           /* immutable guest code */
typedef struct warpjit_launch warpjit_launch;             /* a program with its bindings and values */
typedef struct warpjit_compilation warpjit_compilation;   /* a compilation in the background */
typedef struct warpjit_prepared_run warpjit_prepared_run; /* a launch with all that its runs look up */
typedef struct warpjit_profile warpjit_profile;           /* what the threads of a launch did */

/* Takes the next bytes of a capture that is being written, which are valid during the call. 0: they cannot be
 * taken, and the file is given up. */
typedef int (*warpjit_capture_sink)(void* context, const void* bytes, size_t size);

/* ---- Errors -------------------------------------------------------------------------------------------- */

typedef int32_t warpjit_status;
enum {
  WARPJIT_OK = 0,
  WARPJIT_BAD_INPUT = 1,          /* malformed bytes, values, names or arguments */
  WARPJIT_UNSUPPORTED = 2,        /* well-formed, but not implemented, or of a later version */
  WARPJIT_OUT_OF_FUEL = 3,        /* a guest thread took more backward transfers than the launch allows */
  WARPJIT_FAULT = 4,              /* a guest access outside its memory where that is an error */
  WARPJIT_CANCELLED = 5,          /* the run or the compilation was cancelled */
  WARPJIT_TARGET_UNAVAILABLE = 6, /* this machine cannot run the requested target */
  WARPJIT_RESOURCE_LIMIT = 7,     /* a limit was exceeded, or no memory is left */
  WARPJIT_IO = 8,                 /* a file could not be read or written */
  WARPJIT_INTERNAL = 9,           /* a bug in warpjit; never expected */
  WARPJIT_OUTSIDE = 10, /* a vertex or an index of a draw does not lie in the memory that was given */
  WARPJIT_PENDING = 100 /* the time was over before the compilation was */
};
/* [any] "bad input" and the like; "?" for a number that is no status. The text lives for ever. */
WARPJIT_API const char* warpjit_status_name(warpjit_status status);

/* What went wrong. Every call that gets one writes it, with empty texts after success; texts that are too
 * long are cut. */
typedef struct warpjit_error {
  size_t size;
  warpjit_status status;
  char where[252];   /* the place: a byte offset, a register, a guest address with its word; or empty */
  char message[512]; /* a sentence without a full stop */
} warpjit_error;

/* ---- Kinds of things and their names ------------------------------------------------------------------- */

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
/* Three ways to run a launch, with bit-identical results. */
enum {
  WARPJIT_JIT = 0,  /* host SIMD code */
  WARPJIT_IR = 1,   /* the IR interpreter; it runs where there is no JIT */
  WARPJIT_GUEST = 2 /* the interpreter of the guest's own instructions */
};
/* The host instruction set of the JIT's code; automatic: the widest that this machine runs. */
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
 * "?" for a number that is no enumerator. The text lives for ever. */
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

#ifdef __cplusplus
}
#endif

#endif
