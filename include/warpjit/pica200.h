/* The PICA200, the GPU of the Nintendo 3DS, in C: its pipeline up to the vertices, which an emulator feeds with
 * its command list and has draw, and the whole GPU, which draws pixels. warpjit.h has what all GPUs share, the
 * conventions, and the loaders of programs (warpjit_program_from_shbin, warpjit_program_from_words).
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
/* [one] Several from number `first` on, four words for each float uniform; nothing is set after an error. Of
 * booleans, b[first] is bit 0 of `bits`. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_floats(warpjit_pica200_pipeline* pipeline,
                                                               int32_t unit, uint32_t first,
                                                               const uint32_t* bits, size_t count,
                                                               warpjit_error* error);
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_ints(warpjit_pica200_pipeline* pipeline, int32_t unit,
                                                             uint32_t first, const uint32_t* bytes,
                                                             size_t count, warpjit_error* error);
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_some_bools(warpjit_pica200_pipeline* pipeline,
                                                                   int32_t unit, uint32_t first,
                                                                   uint32_t count, uint16_t bits,
                                                                   warpjit_error* error);
/* [one] The modes of one unit's program. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_unit_f24(warpjit_pica200_pipeline* pipeline,
                                                                 int32_t unit, uint32_t on,
                                                                 warpjit_error* error);
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_unit_structural_scopes(
    warpjit_pica200_pipeline* pipeline, int32_t unit, uint32_t on, warpjit_error* error);
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
/* [one] Several from number `first` on, four words for each. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_fixed_attributes(warpjit_pica200_pipeline* pipeline,
                                                                         uint32_t first, const uint32_t* bits,
                                                                         size_t count, warpjit_error* error);

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

/* ---- What it holds, and options ------------------------------------------------------------------------- */

/* What a shader unit holds: pointers live as long as the pipeline, and show what it holds at the time. */
typedef struct warpjit_pica200_unit {
  size_t size;
  const uint32_t* code; /* all of the table; 0 where nothing was uploaded */
  size_t code_count;
  const uint32_t* descriptors;
  size_t descriptor_count;
  const uint32_t* floats; /* c0-c95: x, y, z, w of each */
  size_t float_count;     /* vectors */
  const uint32_t* ints;   /* i0-i3: x, y, z, w from the lowest byte on */
  size_t int_count;
  const uint8_t* permutation; /* by attribute: its input register */
  size_t permutation_count;
  uint32_t entry; /* word */
  uint32_t attribute_count;
  uint16_t bools; /* b0-b15 from the lowest bit on */
  uint16_t output_mask;
  uint32_t f24, structural_scopes; /* modes: 0 or 1 */
} warpjit_pica200_unit;
/* [one] */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_unit(const warpjit_pica200_pipeline* pipeline,
                                                         int32_t unit, warpjit_pica200_unit* view,
                                                         warpjit_error* error);
/* [one] The program that draws would run on a unit, for warpjit_program_disassemble and launches; uniforms are
 * not part of it. The caller destroys it. WARPJIT_BAD_INPUT as those of draws. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_program(const warpjit_pica200_pipeline* pipeline,
                                                            int32_t unit, warpjit_program** program,
                                                            warpjit_error* error);
/* [one] The value of an attribute that has no array, by its bits. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_fixed_attribute(const warpjit_pica200_pipeline* pipeline,
                                                                    uint32_t attribute, uint32_t bits[4],
                                                                    warpjit_error* error);
/* [one] What was last written, also to a data port; 0 from 0x300 on, and for NULL. Typed calls write none. */
WARPJIT_API uint32_t warpjit_pica200_pipeline_get_register(const warpjit_pica200_pipeline* pipeline,
                                                           uint32_t id);

/* What draws do with a vertex, or an index of a list, that does not lie in its array or in memory. */
enum {
  WARPJIT_PICA200_OUTSIDE_ERROR = 0, /* WARPJIT_OUTSIDE; nothing is drawn */
  WARPJIT_PICA200_OUTSIDE_ZERO =
      1 /* bytes that do not lie there read as 0, and warpjit_pica200_draw counts */
};
/* [one] Options are no part of a saved state. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_outside(warpjit_pica200_pipeline* pipeline,
                                                                int32_t outside, warpjit_error* error);
/* [one] Other than 0: while the geometry unit is on and the topology is a strip or a fan, the three vertices
 * of each submitted triangle go through primitive assembly, as in some emulators: `triangles` of a draw is 0,
 * and `topology` says what the vertices are. At first they are triangles in every topology. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_set_geometry_topology(warpjit_pica200_pipeline* pipeline,
                                                                          uint32_t on);

/* What a pipeline or a GPU begins with. */
enum {
  WARPJIT_PICA200_START_ZERO = 0,
  /* As emulators begin: 0 but for register 0x289, which is 0xA0000001, so that the geometry unit takes two
   * attributes of an invocation in point mode. Some games draw without writing it. */
  WARPJIT_PICA200_START_EMULATORS = 1
};
/* [one] Back to that; arrays, memory and options stay. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_reset(warpjit_pica200_pipeline* pipeline, int32_t start,
                                                          warpjit_error* error);

/* [one] The state for save states: registers, code, uniforms, tables, the geometry unit, and vectors and
 * vertices that were sent in part; not arrays, memory, options and what a draw gave. The bytes name their
 * version, do not depend on the host, and are equal for equal states. `bytes` gets them if `capacity` is
 * enough; *byte_count, how many they are. With too little room, nothing is written, and `bytes` may be NULL
 * if `capacity` is 0. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_save(const warpjit_pica200_pipeline* pipeline,
                                                         void* bytes, size_t capacity, size_t* byte_count,
                                                         warpjit_error* error);
/* [one] WARPJIT_BAD_INPUT for bytes that are no state of a pipeline, of another version, or cut: the place is
 * named. The pipeline is then as it was. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_load(warpjit_pica200_pipeline* pipeline,
                                                         const void* bytes, size_t byte_count,
                                                         warpjit_error* error);

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
  const uint16_t* indices;   /* of an indexed draw without geometry unit: for each index, the vertex above */
  size_t index_count;        /* 0 otherwise: the vertices are in order */
  uint32_t triangles;        /* 1: from the geometry unit */
  int32_t topology;          /* WARPJIT_PICA200_LIST ... */
  uint32_t restarted;        /* 1: primitive assembly was restarted (register 0x25F) since the draw before */
  uint32_t topology_written; /* 1: register 0x25E was written since the draw before */
  /* With WARPJIT_PICA200_OUTSIDE_ZERO: distinct vertices of which the program reads bytes outside, and indices
   * outside. */
  uint64_t outside_vertices, outside_indices;
} warpjit_pica200_draw;

/* [one of `pipeline`, any of `engine`] Shades `count` vertices from number `first` on, each once. Arrays
 * of attributes that the program reads must have every needed vertex. `options` and `report` may be
 * NULL. An engine may serve several pipelines, and may be destroyed before them. Errors: those of
 * warpjit_engine_run; WARPJIT_OUTSIDE for a vertex outside an array, naming it; WARPJIT_RESOURCE_LIMIT for
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

/* What one vertex of a draw is made of, for debuggers: registers of the vertex program by their bits. */
typedef struct warpjit_pica200_vertex_view {
  size_t size;
  uint64_t number;             /* in its arrays */
  uint32_t inputs[16][4];      /* v0-v15; 0 where the program has no attribute */
  uint32_t outputs[16][4];     /* o0-o15 at the end, before the output map */
  uint32_t temporaries[16][4]; /* r0-r15 at the end */
  int32_t a0[2], aL;
  uint32_t cmp; /* bit 0: cmp.x, bit 1: cmp.y */
} warpjit_pica200_vertex_view;
/* [one] The n-th vertex that the last draw shades (without geometry unit: vertices[n]), again, in the guest
 * interpreter: with the uniforms and the bytes of the arrays that there are now, which must live.
 * WARPJIT_BAD_INPUT if the last draw has no such vertex. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_inspect_vertex(const warpjit_pica200_pipeline* pipeline,
                                                                   size_t n,
                                                                   warpjit_pica200_vertex_view* view,
                                                                   warpjit_error* error);

/* An instruction that a vertex executed, and what it left. */
typedef struct warpjit_pica200_vertex_step {
  size_t size;
  uint32_t address;  /* of the instruction, in words */
  uint32_t file;     /* of the vector register that it wrote: 0 none, 1 o, 2 r */
  uint32_t index;    /* of the register */
  uint32_t mask;     /* components that it wrote: bit 0 is x */
  uint32_t value[4]; /* all of the register */
  int32_t a0[2], aL;
  uint32_t cmp; /* bit 0: cmp.x, bit 1: cmp.y */
} warpjit_pica200_vertex_step;
/* Called after each instruction of a vertex, in the order in which it executes them. 0 ends the vertex there. */
typedef int (*warpjit_pica200_step_function)(void* context, const warpjit_pica200_vertex_step* step);
/* [one] The same as warpjit_pica200_pipeline_inspect_vertex, instruction by instruction. The view is of where the
 * vertex ended, or where `function` ended it. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_trace_vertex(
    const warpjit_pica200_pipeline* pipeline, size_t n, warpjit_pica200_step_function function, void* context,
    warpjit_pica200_vertex_view* view, warpjit_error* error);

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

/* An entry of a command list: words that go to registers. */
typedef struct warpjit_pica200_packet {
  size_t size;
  uint32_t id;    /* of the first register */
  uint32_t bytes; /* a bit for each byte that is written, the lowest first: 15 for whole words */
  const uint32_t* values;
  size_t value_count;   /* any number */
  uint32_t consecutive; /* other than 0: each word goes to the next register, else all to the first */
} warpjit_pica200_packet;
/* [one of `pipeline`, any of `engine`] One entry of a list, for callers that walk through lists themselves:
 * writes, and the draws that they trigger. Vertices sent in immediate mode wait until the next write of
 * another register, or warpjit_pica200_pipeline_draw_immediate, which the caller calls at a list's end. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_run_packet(
    warpjit_pica200_pipeline* pipeline, const warpjit_engine* engine, const warpjit_pica200_packet* packet,
    const warpjit_run_options* options, const warpjit_pica200_visitor* visitor, warpjit_error* error);

/* ---- The GPU: command lists to pixels, and the engines that move memory (docs/pica-pixels.md) ------------ */

/* Everything is 0 at first. Memory is read and written in place. Calls on one GPU must not overlap each
 * other, nor calls that write its memory. */
typedef struct warpjit_pica200_gpu warpjit_pica200_gpu;
/* [any] */
WARPJIT_API warpjit_status warpjit_pica200_gpu_create(warpjit_pica200_gpu** gpu, warpjit_error* error);
WARPJIT_API void warpjit_pica200_gpu_destroy(warpjit_pica200_gpu* gpu);

/* What a GPU raises when a job is done; the numbers are those of the console's interrupts. */
enum {
  WARPJIT_PICA200_PSC0 = 0x28, /* a fill, of unit 0 */
  WARPJIT_PICA200_PSC1 = 0x29, /* of unit 1 */
  WARPJIT_PICA200_PPF = 0x2C,  /* a display transfer or a texture copy */
  WARPJIT_PICA200_P3D = 0x2D   /* a command list: 0x12345678 was written to register 0x010 */
};
/* Called on the thread of the call that did the job, as the last thing that this call does: it may call the
 * GPU, also to start the next job, but not destroy it. What C++ code throws in it ends the call with
 * WARPJIT_INTERNAL; the job is done nevertheless. */
typedef void (*warpjit_pica200_interrupt_function)(void* context, int32_t interrupt);
/* [one] Whom finished jobs are told; NULL: nobody. An unfinished job, after an error, tells nothing. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_set_interrupt(warpjit_pica200_gpu* gpu,
                                                             warpjit_pica200_interrupt_function function,
                                                             void* context);

/* [one] 0 at first: once a call has ended, memory has what it drew. 1: what is drawn stays with the GPU, which draws
 * faster so, until one of its jobs or draws reaches it in memory, the state is saved or loaded, or a capture begins.
 * Before anyone else reads or writes memory that targets may have, warpjit_pica200_gpu_write_back is called; memory
 * lives until then. What is not written when the GPU is destroyed is lost. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_set_lazy_targets(warpjit_pica200_gpu* gpu, uint32_t on);
/* [one] Memory has what was drawn to targets that have some of these bytes. With address 0 and UINT64_MAX: all that
 * was drawn. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_write_back(warpjit_pica200_gpu* gpu, uint64_t address,
                                                          uint64_t byte_count);

/* A piece of physical memory, which the GPU reads and writes. */
typedef struct warpjit_pica200_gpu_memory {
  uint32_t address;
  void* data;
  size_t byte_count;
} warpjit_pica200_gpu_memory;
/* [one] At most WARPJIT_PICA200_MAX_MEMORY_RANGES pieces that do not overlap; they must outlive the calls.
 * Addresses outside of them are errors. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_set_memory(warpjit_pica200_gpu* gpu,
                                                          const warpjit_pica200_gpu_memory* ranges,
                                                          size_t count, warpjit_error* error);

/* [one] An internal register, below 0x300, as a word without side effects: triggers, data ports, jumps and
 * interrupt registers stay as they were. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_set_register(warpjit_pica200_gpu* gpu, uint32_t id,
                                                            uint32_t value, warpjit_error* error);
/* [one] 0 from 0x300 on, and for NULL. */
WARPJIT_API uint32_t warpjit_pica200_gpu_get_register(const warpjit_pica200_gpu* gpu, uint32_t id);

enum { WARPJIT_PICA200_NO_JUMP = 0, WARPJIT_PICA200_JUMP_BUFFER0 = 1, WARPJIT_PICA200_JUMP_BUFFER1 = 2 };
/* What command lists or writes did. */
typedef struct warpjit_pica200_gpu_report {
  size_t size;
  uint64_t draws;
  uint64_t triangles; /* as they were assembled */
  uint64_t fragments; /* pixels that they covered: counted by WARPJIT_GUEST alone */
  uint64_t jumps;     /* to other lists */
  uint32_t interrupt; /* 1: the list raised the interrupt P3D, which ended it */
  int32_t jump;       /* of run_packet: 0x23C or 0x23D was written, the caller goes on with that buffer */
  uint64_t words;     /* of run_packet: that were written; the interrupt and a jump drop those after them */
} warpjit_pica200_gpu_report;
/* [one of `gpu`, any of `engine`] Runs a command list, and the lists that it jumps to, until the interrupt,
 * or the end of a list. Errors name the register and the command's address; what was drawn before stays, and
 * nothing else is written. `report` may be NULL. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_run_commands(
    warpjit_pica200_gpu* gpu, const warpjit_engine* engine, uint32_t address, uint32_t byte_count,
    const warpjit_run_options* options, warpjit_pica200_gpu_report* report, warpjit_error* error);
/* [one of `gpu`, any of `engine`] One entry of a list, for callers that walk through lists themselves.
 * Vertices sent in immediate mode wait until the next write of another register, or
 * warpjit_pica200_gpu_draw_immediate, which the caller calls at a list's end. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_run_packet(
    warpjit_pica200_gpu* gpu, const warpjit_engine* engine, const warpjit_pica200_packet* packet,
    const warpjit_run_options* options, warpjit_pica200_gpu_report* report, warpjit_error* error);
WARPJIT_API warpjit_status warpjit_pica200_gpu_draw_immediate(warpjit_pica200_gpu* gpu,
                                                              const warpjit_engine* engine,
                                                              const warpjit_run_options* options,
                                                              warpjit_pica200_gpu_report* report,
                                                              warpjit_error* error);

/* [one] The part up to the vertices, for its typed calls and getters. Register writes through it do what the
 * pipeline says, without tables, triggers and interrupts; its draws make no pixels. It lives as long as the
 * GPU; destroying it does nothing. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_pipeline(warpjit_pica200_gpu* gpu,
                                                        warpjit_pica200_pipeline** pipeline,
                                                        warpjit_error* error);

/* Look-up tables. */
enum {
  WARPJIT_PICA200_TABLE_LIGHT = 0,             /* 256 words */
  WARPJIT_PICA200_TABLE_FOG = 1,               /* 128 */
  WARPJIT_PICA200_TABLE_NOISE = 2,             /* 128, of the procedural unit, as those after it */
  WARPJIT_PICA200_TABLE_COLOR_MAP = 3,         /* 128 */
  WARPJIT_PICA200_TABLE_ALPHA_MAP = 4,         /* 128 */
  WARPJIT_PICA200_TABLE_COLORS = 5,            /* 256 */
  WARPJIT_PICA200_TABLE_COLOR_DIFFERENCES = 6, /* 256 */
  WARPJIT_PICA200_TABLE_WORDS = 256            /* that the longest has */
};
/* [one] A table as it was written, a word for each entry; *count is its length. `number`: of a light table,
 * as register 0x1C5 has it. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_table(const warpjit_pica200_gpu* gpu, int32_t table,
                                                     uint32_t number,
                                                     uint32_t words[WARPJIT_PICA200_TABLE_WORDS],
                                                     size_t* count, warpjit_error* error);
/* [one] As those of the pipeline, with the look-up tables and primitive assembly. Memory is not part of the
 * bytes, nor is the interrupt function. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_reset(warpjit_pica200_gpu* gpu, int32_t start,
                                                     warpjit_error* error);
WARPJIT_API warpjit_status warpjit_pica200_gpu_save(const warpjit_pica200_gpu* gpu, void* bytes,
                                                    size_t capacity, size_t* byte_count,
                                                    warpjit_error* error);
WARPJIT_API warpjit_status warpjit_pica200_gpu_load(warpjit_pica200_gpu* gpu, const void* bytes,
                                                    size_t byte_count, warpjit_error* error);

/* The words of the memory engines' registers; addresses in bytes. WARPJIT_BAD_INPUT for what the hardware
 * hangs on, and for addresses outside of memory. Then nothing is written. */
typedef struct warpjit_pica200_fill {
  uint32_t start, end; /* the end is not filled */
  uint32_t value;
  uint32_t control; /* bits 8 and 9: 0 fills words of 16 bits, 2 of 32, 1 and 3 of 24 */
} warpjit_pica200_fill;
typedef struct warpjit_pica200_transfer {
  uint32_t input, output;
  uint32_t input_size, output_size; /* pixels: width in bits 0 to 15, height above */
  uint32_t flags;
} warpjit_pica200_transfer;
typedef struct warpjit_pica200_copy {
  uint32_t input, output;
  uint32_t byte_count;
  uint32_t input_line, output_line; /* 16 bytes: width in bits 0 to 15, gap above */
} warpjit_pica200_copy;
/* [one] `unit` is 0 or 1, and tells the interrupt. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_fill(warpjit_pica200_gpu* gpu, const warpjit_pica200_fill* job,
                                                    uint32_t unit, warpjit_error* error);
/* [one] */
WARPJIT_API warpjit_status warpjit_pica200_gpu_transfer(warpjit_pica200_gpu* gpu,
                                                        const warpjit_pica200_transfer* job,
                                                        warpjit_error* error);
/* [one] */
WARPJIT_API warpjit_status warpjit_pica200_gpu_copy(warpjit_pica200_gpu* gpu, const warpjit_pica200_copy* job,
                                                    warpjit_error* error);

/* [one] Records all calls of a pipeline until end_record as a capture of version 2, as
 * warpjit_pica200_gpu_record does, with hashes of what draws give. WARPJIT_BAD_INPUT while another capture is
 * recorded, a GPU's among them. */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_record(warpjit_pica200_pipeline* pipeline,
                                                           warpjit_capture_sink sink, void* context,
                                                           warpjit_error* error);
/* [one] */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_end_frame(warpjit_pica200_pipeline* pipeline,
                                                              warpjit_error* error);
/* [one] */
WARPJIT_API warpjit_status warpjit_pica200_pipeline_end_record(warpjit_pica200_pipeline* pipeline,
                                                               warpjit_error* error);

/* [one] Records all that the GPU does until end_record as a capture of version 2 (docs/captures.md), which
 * `sink` takes on the threads of calls. Until then, memory must not change beside calls, and set_memory is an error.
 * WARPJIT_BAD_INPUT while another capture is recorded; WARPJIT_UNSUPPORTED for arrays that were bound. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_record(warpjit_pica200_gpu* gpu, warpjit_capture_sink sink,
                                                      void* context, warpjit_error* error);
/* [one] The frame that is recorded ends here, and another one begins with the next job. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_end_frame(warpjit_pica200_gpu* gpu, warpjit_error* error);
/* [one] Ends the file. Errors also for a job that failed, which is the last one of the file; WARPJIT_IO for a
 * sink that did not take bytes. */
WARPJIT_API warpjit_status warpjit_pica200_gpu_end_record(warpjit_pica200_gpu* gpu, warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
