/* The pipeline of the PICA200, the GPU of the Nintendo 3DS, in C: what an emulator feeds with its command
 * list and asks to draw. warpjit.h has what all GPUs share, the conventions, and the loaders of programs
 * (warpjit_program_from_shbin, warpjit_program_from_words).
 *
 * Registers of programs: inputs v0-v15; uniforms c0-c95, i0-i3, b0-b15; outputs o0-o15, r0-r15, a0, aL, cmp
 * and, of geometry programs, emit (the vertex, primitive and winding flag that SETEMIT latched); state r0-r15
 * (4 floats), a0 (2 signed integers), aL (1), cmp (2, each 0 or 1).
 *
 * "Section" means one of docs/guests/pica200.md.
 */
#ifndef WARPJIT_PICA200_H
#define WARPJIT_PICA200_H

#include "warpjit/warpjit.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WARPJIT_PICA200_ATTRIBUTES 12
#define WARPJIT_PICA200_UPLOADED_WORDS 512 /* of a vertex program */
#define WARPJIT_PICA200_UPLOADED_DESCRIPTORS 128
#define WARPJIT_PICA200_MAX_DRAW_VERTICES 1048576 /* vertices or indices of a draw */

#define WARPJIT_PICA200_GEOMETRY_WORDS 4096 /* of a geometry program */
#define WARPJIT_PICA200_MAX_MEMORY_RANGES 64

/* The shader units. */
enum { WARPJIT_PICA200_VERTEX_UNIT = 0, WARPJIT_PICA200_GEOMETRY_UNIT = 1 };

/* Everything is 0 at first: no code, no uniforms, no attributes, no outputs. */
typedef struct warpjit_pica200_pipeline warpjit_pica200_pipeline;
/* [any] */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_create(warpjit_pica200_pipeline** pipeline,
                                                           warpjit_error* error);
WARPJIT_API void warpjit_pica200_pipeline_destroy(warpjit_pica200_pipeline* pipeline);

/* ---- Registers ----------------------------------------------------------------------------------------- */

typedef struct warpjit_pica200_register {
  uint32_t id, value;
} warpjit_pica200_register;
/* [one] A write of section 11. Registers that the section does not name are ignored, and so is what it says
 * is discarded: float vectors from index 96 on, code and descriptors after the end of the unit's tables,
 * fixed attributes from 12 on. Writes of draw triggers do nothing here. WARPJIT_RESOURCE_LIMIT for more than
 * WARPJIT_PICA200_MAX_DRAW_VERTICES vertices sent in immediate mode. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_write_register(warpjit_pica200_pipeline* pipeline,
                                                                   uint32_t id, uint32_t value,
                                                                   warpjit_error* error);
/* [one] The same of some bytes of the register: bit 0 of `bytes` is the lowest one. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_write_bytes(warpjit_pica200_pipeline* pipeline,
                                                                uint32_t id, uint32_t value, uint32_t bytes,
                                                                warpjit_error* error);
/* [one] In the order of a command list; stops at the first error. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_write_registers(warpjit_pica200_pipeline* pipeline,
                                                                    const warpjit_pica200_register* writes,
                                                                    size_t count, warpjit_error* error);

/* ---- The same, typed ------------------------------------------------------------------------------------
 *
 * `unit` is WARPJIT_PICA200_VERTEX_UNIT or WARPJIT_PICA200_GEOMETRY_UNIT; each call sets one unit alone.
 * WARPJIT_BAD_INPUT for a number or a length outside the hardware's range.
 */

/* [one] Words of code, and descriptors of operands, from number `first` on. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_code(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                             const uint32_t* words, size_t count,
                                                             size_t first, warpjit_error* error);
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_descriptors(warpjit_pica200_pipeline* pipeline,
                                                                    int32_t unit, const uint32_t* words,
                                                                    size_t count, size_t first,
                                                                    warpjit_error* error);
/* [one] Word address at which the program begins. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_entry(warpjit_pica200_pipeline* pipeline,
                                                              int32_t unit, uint32_t word,
                                                              warpjit_error* error);
/* [one] Other than 0: rounds every result of the program to 24 bits, as WARPJIT_PROGRAM_F24 does. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_f24(warpjit_pica200_pipeline* pipeline, uint32_t on);
/* [one] Other than 0: closes scopes that end together, as WARPJIT_PROGRAM_STRUCTURAL_SCOPES does. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_structural_scopes(warpjit_pica200_pipeline* pipeline,
                                                                          uint32_t on);
/* [one] c0-c95 by the bits of x, y, z and w. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_float(warpjit_pica200_pipeline* pipeline,
                                                              int32_t unit, uint32_t index,
                                                              const uint32_t bits[4], warpjit_error* error);
/* [one] i0-i3: x, y, z, w from the lowest byte on. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_int(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                            uint32_t index, uint32_t bytes,
                                                            warpjit_error* error);
/* [one] b0-b15 from the lowest bit on. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_bools(warpjit_pica200_pipeline* pipeline,
                                                              int32_t unit, uint16_t bits);
/* [one] Vertex unit: attributes 0 to count - 1 are fed to the program, 0 to 12. Geometry unit: attributes
 * of an invocation in point mode, 1 to 16. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_attribute_count(warpjit_pica200_pipeline* pipeline,
                                                                        int32_t unit, uint32_t count,
                                                                        warpjit_error* error);
/* [one] Attribute to input register. Where several go to one register, the highest counts. At first all go to
 * v0. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_permutation(warpjit_pica200_pipeline* pipeline,
                                                                    int32_t unit, uint32_t attribute,
                                                                    uint32_t input_register,
                                                                    warpjit_error* error);
/* [one] Bit n: the output register n is enabled. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_output_mask(warpjit_pica200_pipeline* pipeline,
                                                                    int32_t unit, uint16_t mask);
/* [one] Words of the output map: for each enabled output, ascending, four semantics from the lowest byte on.
 * At most 7; outputs without one are dropped. Semantics 24 to 31 are ignored. Where two outputs write one
 * semantic, the later counts. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_output_map(warpjit_pica200_pipeline* pipeline,
                                                                   const uint32_t* words, size_t count,
                                                                   warpjit_error* error);
/* [one] The value of an attribute that has no array, by its bits. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_fixed_attribute(warpjit_pica200_pipeline* pipeline,
                                                                        uint32_t attribute,
                                                                        const uint32_t bits[4],
                                                                        warpjit_error* error);

/* Where an attribute lies: vertex n has it at data + offset + n * stride. No byte outside `byte_count` is
 * touched. Missing components are 0, 0, 0, 1. Attributes of one array of structures are best bound with the
 * same data, byte_count and stride. */
typedef struct warpjit_pica200_array {
  size_t size;
  const void* data;
  size_t byte_count; /* at `data` */
  size_t offset;
  size_t stride;       /* 0: every vertex reads the same */
  int32_t type;        /* WARPJIT_S8, U8, S16 or F32; become the float of the same value */
  uint32_t components; /* 1 to 4 */
} warpjit_pica200_array;
/* [one] The array must live as long as draws use it. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_bind_attribute(warpjit_pica200_pipeline* pipeline,
                                                                   uint32_t attribute,
                                                                   const warpjit_pica200_array* array,
                                                                   warpjit_error* error);
/* [one] An attribute that does not exist has no array either. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_unbind_attribute(warpjit_pica200_pipeline* pipeline,
                                                                     uint32_t attribute);
WARPJIT_API warpjit_status warpjit_pica200_pipeline_unbind_attributes(warpjit_pica200_pipeline* pipeline);

/* A piece of the guest's physical memory, for arrays that the attribute loader's registers find. */
typedef struct warpjit_pica200_memory {
  uint32_t address;
  const void* data;
  size_t byte_count;
} warpjit_pica200_memory;
/* [one] At most WARPJIT_PICA200_MAX_MEMORY_RANGES pieces that do not overlap; the memory must outlive the
 * draws, and may change between them. An array lies in one piece. An array that is bound goes before one that
 * the registers name. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_memory(warpjit_pica200_pipeline* pipeline,
                                                               const warpjit_pica200_memory* ranges,
                                                               size_t count, warpjit_error* error);

/* ---- The geometry unit's state --------------------------------------------------------------------------
 *
 * What it keeps from invocation to invocation, draw to draw and program to program. Plain data of the host's
 * byte order, for save states; all 0 is a unit that nothing has run on. Nothing resets it but
 * warpjit_pica200_pipeline_set_geometry_unit; a write of the unit's booleans sets b15 anew.
 */

enum {
  WARPJIT_PICA200_PRIMITIVE = 1, /* SETEMIT's flags */
  WARPJIT_PICA200_WINDING = 2,
  WARPJIT_PICA200_HAS_RUN = 4 /* b15 is true, also if the registers say false; every invocation sets it */
};
typedef struct warpjit_pica200_geometry_unit {
  uint32_t r[16][4];
  int32_t a0[2], aL;
  uint32_t cmp;    /* bit 0: cmp.x, bit 1: cmp.y */
  uint32_t vertex; /* 0 to 3, latched by SETEMIT */
  uint32_t flags;
  uint32_t unused[2];
  uint32_t outputs[2][16][4];  /* o0-o15: the bank that instructions write, then the other one */
  uint32_t vertices[3][16][4]; /* of EMIT: o0-o15 of vertices 0 to 2, as far as they were enabled */
} warpjit_pica200_geometry_unit;
/* [one] */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_geometry_unit(const warpjit_pica200_pipeline* pipeline,
                                                                  warpjit_pica200_geometry_unit* unit,
                                                                  warpjit_error* error);
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_geometry_unit(
    warpjit_pica200_pipeline* pipeline, const warpjit_pica200_geometry_unit* unit, warpjit_error* error);

/* ---- Draws --------------------------------------------------------------------------------------------- */

/* What the GPU gives to its rasterizer for one vertex: 24 words, of which word n is semantic n of the output
 * map (section 11). Semantics that nothing writes are 1.0; a colour c is min(|c|, 1), 1 for NaN. */
typedef struct warpjit_pica200_vertex {
  float position[4];
  float quaternion[4]; /* of the normal */
  float color[4];
  float texcoord0[2], texcoord1[2];
  float texcoord0_w, unused17;
  float view[3], unused21;
  float texcoord2[2];
} warpjit_pica200_vertex;

/* How vertices of a draw without geometry unit become triangles (register 0x25E). */
enum {
  WARPJIT_PICA200_LIST = 0,
  WARPJIT_PICA200_STRIP = 1,
  WARPJIT_PICA200_FAN = 2,
  WARPJIT_PICA200_SHADER = 3
};

/* Valid until the next draw or the end of its pipeline. */
typedef struct warpjit_pica200_draw {
  size_t size;
  /* A draw without geometry unit has its vertices here, each once. Others have three for each triangle, in
   * the order of the invocations and of their EMITs; the first two of a triangle with a winding flag are
   * swapped if the topology is WARPJIT_PICA200_SHADER. */
  const warpjit_pica200_vertex* vertices;
  size_t vertex_count;
  const uint16_t* indices; /* of an indexed draw without geometry unit: for each index, the vertex above */
  size_t index_count;      /* 0 otherwise: the vertices are in order */
  uint32_t triangles;      /* 1: from the geometry unit */
  int32_t topology;        /* WARPJIT_PICA200_LIST ... */
  uint32_t restarted;      /* 1: primitive assembly was restarted (register 0x25F) since the draw before */
} warpjit_pica200_draw;

/* [one of `pipeline`, any of `engine`] Shades `count` vertices from number `first` on, each once. Arrays
 * of attributes that the program reads must have every needed vertex. `options` and `report` may be
 * NULL. An engine may serve several pipelines, and may be destroyed before them. Errors: those of
 * warpjit_engine_run; WARPJIT_BAD_INPUT for a vertex outside an array, naming it; WARPJIT_RESOURCE_LIMIT for
 * more than WARPJIT_PICA200_MAX_DRAW_VERTICES, or for an index whose bytes begin 4 GiB after the array.
 * While the geometry unit is on (register 0x229) the vertices are three for each triangle that it gives. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_draw(warpjit_pica200_pipeline* pipeline,
                                                         const warpjit_engine* engine, uint32_t first,
                                                         size_t count, const warpjit_run_options* options,
                                                         warpjit_pica200_draw* draw, warpjit_report* report,
                                                         warpjit_error* error);
/* [one of `pipeline`, any of `engine`] Shades each vertex that the indices name once. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_draw_indexed8(
    warpjit_pica200_pipeline* pipeline, const warpjit_engine* engine, const uint8_t* indices, size_t count,
    const warpjit_run_options* options, warpjit_pica200_draw* draw, warpjit_report* report,
    warpjit_error* error);
WARPJIT_API warpjit_status warpjit_pica200_pipeline_draw_indexed16(
    warpjit_pica200_pipeline* pipeline, const warpjit_engine* engine, const uint16_t* indices, size_t count,
    const warpjit_run_options* options, warpjit_pica200_draw* draw, warpjit_report* report,
    warpjit_error* error);

/* [one of `pipeline`, any of `engine`] The draws that writes of 0x22E and 0x22F trigger, with the vertices or
 * indices that registers 0x227, 0x228 and 0x22A name. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_draw_arrays(warpjit_pica200_pipeline* pipeline,
                                                                const warpjit_engine* engine,
                                                                const warpjit_run_options* options,
                                                                warpjit_pica200_draw* draw,
                                                                warpjit_report* report, warpjit_error* error);
WARPJIT_API warpjit_status warpjit_pica200_pipeline_draw_elements(
    warpjit_pica200_pipeline* pipeline, const warpjit_engine* engine, const warpjit_run_options* options,
    warpjit_pica200_draw* draw, warpjit_report* report, warpjit_error* error);
/* [one of `pipeline`, any of `engine`] Vertices that were sent in immediate mode (fixed attribute 15) and not
 * drawn yet, in order. They are forgotten. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_draw_immediate(
    warpjit_pica200_pipeline* pipeline, const warpjit_engine* engine, const warpjit_run_options* options,
    warpjit_pica200_draw* draw, warpjit_report* report, warpjit_error* error);
/* [one] How many were sent and not drawn yet. */
WARPJIT_API size_t warpjit_pica200_pipeline_immediate_vertices(const warpjit_pica200_pipeline* pipeline);

/* ---- Command lists ------------------------------------------------------------------------------------- */

/* Sees what a command list does, in its order. Members may be NULL. */
typedef struct warpjit_pica200_visitor {
  void* context;
  /* A draw with its report; or an error, and NULL for both. 0 ends the list. Without this function the list
   * ends at a draw's error. */
  int (*draw)(void* context, const warpjit_pica200_draw* draw, const warpjit_report* report,
              const warpjit_error* error);
  /* A write, once it is done: what the register now holds. */
  void (*write)(void* context, uint32_t id, uint32_t value);
} warpjit_pica200_visitor;
/* [one of `pipeline`, any of `engine`] A command list as the GPU reads it: writes and draws. Vertices that
 * were sent in immediate mode are drawn before the next write of another register, and at the end of the
 * list. WARPJIT_BAD_INPUT for a list that is cut: then nothing of it is done. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_run_commands(
    warpjit_pica200_pipeline* pipeline, const warpjit_engine* engine, const uint32_t* words, size_t count,
    const warpjit_run_options* options, const warpjit_pica200_visitor* visitor, warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
