/* Launches in C: a program with its values, its memory and its work. Fragment programs have further calls
 * (pixels.h), and so have textures (textures.h). warpjit.h has the conventions.
 */
#ifndef WARPJIT_LAUNCH_H
#define WARPJIT_LAUNCH_H

#include "warpjit/program.h"
#include "warpjit/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows that threads read: thread t reads one at data + t * stride. Missing components are 0, 0, 0, 1. */
typedef struct warpjit_attribute {
  size_t size;
  const void* data;
  size_t byte_count;   /* at `data`; nothing outside is touched */
  size_t stride;       /* 0: every thread reads the same row */
  int32_t type;        /* WARPJIT_F32, ... */
  uint32_t components; /* 1 to 4 */
  /* Since 0.2. In the vertex stage of a draw over pixels: with 0, vertex n of each instance reads row n; else
   * all vertices of instance i read row i / divisor. Elsewhere there is instance 0 alone. */
  uint32_t divisor;
  uint32_t reserved; /* 0 */
} warpjit_attribute;
/* Rows that threads write: thread t writes one at data + t * stride. They must not overlap each other or rows
 * of inputs. */
typedef struct warpjit_output_buffer {
  size_t size;
  void* data;
  size_t byte_count;
  size_t stride;
  int32_t type;
  uint32_t components;
} warpjit_output_buffer;

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
WARPJIT_API warpjit_status warpjit_launch_set_uniform(warpjit_launch* launch,
                                                      const warpjit_location* location, const float* values,
                                                      size_t count, warpjit_error* error);
/* [one] The same as bit patterns. */
WARPJIT_API warpjit_status warpjit_launch_set_bits(warpjit_launch* launch, const warpjit_location* location,
                                                   const uint32_t* words, size_t count, warpjit_error* error);
/* [one] Integer uniforms: four components of 0 to 255 a register. */
WARPJIT_API warpjit_status warpjit_launch_set_int(warpjit_launch* launch, const warpjit_location* location,
                                                  const uint32_t* values, size_t count, warpjit_error* error);
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
                                                      const warpjit_output_buffer* output,
                                                      warpjit_error* error);
/* [one] */
WARPJIT_API warpjit_status warpjit_launch_unbind_inputs(warpjit_launch* launch);
WARPJIT_API warpjit_status warpjit_launch_unbind_outputs(warpjit_launch* launch);
/* [one] Threads over rows; invocations of a geometry program without a vertex stage; vertices of an instance
 * of a draw, and of a vertex program that fetches its attributes. At first 0. WARPJIT_BAD_INPUT for compute
 * programs, whose grid says it. */
WARPJIT_API warpjit_status warpjit_launch_set_count(warpjit_launch* launch, uint64_t count,
                                                    warpjit_error* error);
/* [one] Instances of a draw, or of a vertex program that fetches its attributes; at first 1. They run one
 * after the other. Vertex stages see their numbers, from 0 on, and inputs with a divisor advance. */
WARPJIT_API warpjit_status warpjit_launch_set_instances(warpjit_launch* launch, uint32_t count,
                                                        warpjit_error* error);
/* Fuel bounds how long a guest program runs, in all kinds of work and in every engine. It counts the backward
 * transfers of each guest thread: branches, calls, returns and breaks to an address that does not follow their
 * own. With fuel F a run in which no thread takes more than F finishes, one in which a thread takes more than
 * 2F ends with WARPJIT_OUT_OF_FUEL and a guest address; between these either may happen. */
#define WARPJIT_DEFAULT_FUEL 524288
/* [one] At first WARPJIT_DEFAULT_FUEL. */
WARPJIT_API warpjit_status warpjit_launch_set_fuel(warpjit_launch* launch, uint64_t fuel);
/* [one] Other than 0: output rows may share bytes with input rows, as for a transformation in place. */
WARPJIT_API warpjit_status warpjit_launch_set_allow_overlap(warpjit_launch* launch, uint32_t allow,
                                                            warpjit_error* error);
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
 * enables, ascending.
 *
 * - WARPJIT_PRIMITIVES_POINT: the attributes of vertex after vertex fill registers[0], registers[1], ...; an
 *   invocation that the end of the launch leaves incomplete is dropped.
 * - WARPJIT_PRIMITIVES_VARIABLE: float uniform 0 is the number of vertices; their attributes follow from
 *   uniform 1 on: all attributes of the first `full_vertices`, the first attribute of the others. Registers
 *   that a primitive does not fill keep what earlier ones put there. warpjit_launch_set_primitives lists the
 *   vertices of primitives.
 * - WARPJIT_PRIMITIVES_FIXED: the attributes of `vertices` vertices from float uniform `first` on. */
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
/* [one] The launch of the vertex program whose outputs feed this one: a geometry program, which then runs for
 * each primitive, or a fragment program, which draws these vertices. Its count is the number of vertices; its
 * output bindings do not count. Copied. `outputs`: of geometry programs, bit n: output register n is an
 * attribute; 0: those that its container enables. */
WARPJIT_API warpjit_status warpjit_launch_set_vertex_stage(warpjit_launch* launch,
                                                           const warpjit_launch* vertex, uint64_t outputs,
                                                           warpjit_error* error);
/* [one] Variable mode: each primitive as its number of vertices and then their numbers. Copied. */
WARPJIT_API warpjit_status warpjit_launch_set_primitives(warpjit_launch* launch, const uint32_t* list,
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
 * Values are checked when the launch runs. For other programs these calls give WARPJIT_BAD_INPUT.
 */

/* [one] Blocks of the grid, and threads of a block, in x, y and z. At first 1. */
WARPJIT_API warpjit_status warpjit_launch_set_grid(warpjit_launch* launch, uint32_t x, uint32_t y, uint32_t z,
                                                   warpjit_error* error);
WARPJIT_API warpjit_status warpjit_launch_set_block(warpjit_launch* launch, uint32_t x, uint32_t y,
                                                    uint32_t z, warpjit_error* error);
/* [one] What threads of the first block read as its number (Valhall). At first 0. */
WARPJIT_API warpjit_status warpjit_launch_set_first_block(warpjit_launch* launch, uint32_t x, uint32_t y,
                                                          uint32_t z, warpjit_error* error);
/* [one] Bytes for where the guest has its parameters. Copied. */
WARPJIT_API warpjit_status warpjit_launch_set_parameters(warpjit_launch* launch, const void* bytes,
                                                         size_t byte_count, warpjit_error* error);
/* [one] Bytes of shared memory of a block, if more than the program says. */
WARPJIT_API warpjit_status warpjit_launch_set_shared_bytes(warpjit_launch* launch, uint32_t bytes,
                                                           warpjit_error* error);

/* ---- Parameters and memory -------------------------------------------------------------------------------
 *
 * For programs whose guest and stage have them (the table in docs/embedding.md).
 */

/* [one] Binds a whole constant space, named as in the guest's assembly ("c0"), from address 0 on; after its
 * bytes follow those that the container presets. The memory must live as long as runs use it; programs over
 * rows, primitives and pixels copy it. */
WARPJIT_API warpjit_status warpjit_launch_bind_constants(warpjit_launch* launch, const char* space,
                                                         const void* data, size_t byte_count,
                                                         warpjit_error* error);
/* [one] Maps a piece of another space ("g14"). Address and data are multiples of 8; pieces of a space do not
 * overlap. The memory must live as long as runs use it. */
WARPJIT_API warpjit_status warpjit_launch_map_memory(warpjit_launch* launch, const char* space,
                                                     uint64_t address, void* data, size_t byte_count,
                                                     warpjit_error* error);
/* [one] Takes back all that these two calls bound. */
WARPJIT_API warpjit_status warpjit_launch_unmap_memory(warpjit_launch* launch);

/* An image that programs read and write by coordinates, in memory at 64-bit addresses. */
typedef struct warpjit_image_source {
  size_t size;
  uint64_t address;              /* of texel (0, 0, 0) */
  uint32_t format;               /* in the guest's own numbers */
  uint32_t width, height, depth; /* texels; slices or layers. With width 0 there is no image */
  uint32_t row_stride;           /* bytes */
  uint32_t slice_stride;
  uint32_t interleaved; /* 1: rows are of tiles of 16 x 16 texels */
  uint32_t is_3d;       /* 1: z counts its slices; else they are layers */
} warpjit_image_source;
/* [one] All images, from number 0 on; their sizes are equal. Copied, and checked when the launch runs. The
 * texels are mapped memory. WARPJIT_BAD_INPUT for GPUs without them. */
WARPJIT_API warpjit_status warpjit_launch_set_images(warpjit_launch* launch,
                                                     const warpjit_image_source* images, size_t count,
                                                     warpjit_error* error);
/* A buffer that programs name by a table and an entry of it, in memory at 64-bit addresses. */
typedef struct warpjit_buffer_source {
  size_t size;
  uint32_t table; /* below 256 */
  uint32_t entry;
  uint64_t address;    /* of its first byte */
  uint32_t byte_count; /* loads after them give 0 */
} warpjit_buffer_source;
/* [one] All buffers; their sizes are equal. Copied, and checked when the launch runs. Their bytes are mapped
 * memory. WARPJIT_BAD_INPUT for GPUs without them. */
WARPJIT_API warpjit_status warpjit_launch_set_buffers(warpjit_launch* launch,
                                                      const warpjit_buffer_source* buffers, size_t count,
                                                      warpjit_error* error);

/* ---- Launches of vertex programs that fetch attributes and store results themselves ----------------------
 *
 * Valhall's do. warpjit_launch_set_count says how many vertices an instance has, and
 * warpjit_launch_set_instances how many instances there are. Values are checked when the launch runs. For
 * other programs these calls give WARPJIT_BAD_INPUT.
 */

/* [one] What programs read as the numbers of the first vertex and of the first instance. At first 0. */
WARPJIT_API warpjit_status warpjit_launch_set_first_vertex(warpjit_launch* launch, uint32_t vertex,
                                                           uint32_t instance, warpjit_error* error);
enum { WARPJIT_DIVISION_NONE = 0, WARPJIT_DIVISION_SHIFT = 1, WARPJIT_DIVISION_MULTIPLY = 2 };
/* An attribute in memory at 64-bit addresses, as a descriptor of the guest says it. Element n begins at byte
 * offset + n * stride of a buffer. */
typedef struct warpjit_attribute_source {
  size_t size;
  uint64_t address;    /* of the buffer */
  uint32_t byte_count; /* of the buffer */
  uint32_t format;     /* in the guest's own numbers */
  int32_t offset;
  uint32_t stride;
  uint32_t per_instance; /* 1: numbered by the instance, not by the vertex */
  uint32_t from_first;   /* 1: the launch's attribute offset is added to that number */
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
/* [one] Where the results of vertex n of the launch lie: n * packet_stride bytes from `data` on. `data` and
 * `byte_count` are multiples of 8, the stride of 16. The memory must live as long as
 * runs use it. */
WARPJIT_API warpjit_status warpjit_launch_map_results(warpjit_launch* launch, void* data, size_t byte_count,
                                                      uint32_t packet_stride, warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
