/* Programs in C: guest code with an entry point, and the names of its registers. warpjit.h has the
 * conventions.
 */
#ifndef WARPJIT_PROGRAM_H
#define WARPJIT_PROGRAM_H

#include "warpjit/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  /* PICA200: round every result to 24 bits: truncate, flush, overflow to infinity */
  WARPJIT_PROGRAM_F24 = 1,
  /* PICA200: scopes that end together all close, the innermost first; the hardware closes one of a kind */
  WARPJIT_PROGRAM_STRUCTURAL_SCOPES = 2
};

/* Which program of a container: the first that fits all members that are set. */
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

/* [any] Reads PICA200 assembly: one source, as warpjit lists it. `choice` may be NULL. */
WARPJIT_API warpjit_status warpjit_program_from_pica200_assembly(const char* text,
                                                                 const warpjit_program_choice* choice,
                                                                 warpjit_program** program,
                                                                 warpjit_error* error);

/* A program as words of the PICA200: at most 4096, and 128 operand descriptors. Those of Tesla: tesla.h; of
 * Valhall: valhall.h. */
typedef struct warpjit_program_words {
  size_t size;
  int32_t isa;    /* WARPJIT_ISA_PICA200 */
  uint32_t entry; /* index of a word */
  const uint32_t* code;
  size_t code_count;
  const uint32_t* descriptors; /* may be NULL if descriptor_count is 0 */
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

/* ---- Listings ------------------------------------------------------------------------------------------ */

/* [any] The code in the guest's assembly, with its directives, which warpjit_program_from_..._assembly take.
 * `text` gets as much of it as there is room for in `capacity` bytes with a zero at the end, nothing if that is
 * 0; *length, how long the whole of it is, without the zero. `text` may be NULL if `capacity` is 0, `length`
 * may be NULL. */
WARPJIT_API warpjit_status warpjit_program_disassemble(const warpjit_program* program, char* text,
                                                       size_t capacity, size_t* length, warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
