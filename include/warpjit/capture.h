/* Captures in C: frames of a GPU as files, of every guest (docs/captures.md). warpjit.h has the conventions;
 * warpjit/capture.hpp says what captures have.
 */
#ifndef WARPJIT_CAPTURE_H
#define WARPJIT_CAPTURE_H

#include "warpjit/warpjit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct warpjit_capture warpjit_capture;
/* A file and its name for messages, which may be NULL. This struct does not grow. */
typedef struct warpjit_capture_file {
  const void* bytes;
  size_t size;
  const char* name;
} warpjit_capture_file;
/* [any] One file of any kind, or several texts of one run in their order. The bytes may be hostile and are not
 * kept. Errors name the byte. */
WARPJIT_API warpjit_status warpjit_capture_load(const warpjit_capture_file* files, size_t count,
                                                warpjit_capture** capture, warpjit_error* error);
WARPJIT_API void warpjit_capture_destroy(warpjit_capture* capture); /* NULL: nothing */

/* [any] WARPJIT_ISA_...; -1 for NULL. */
WARPJIT_API int32_t warpjit_capture_isa(const warpjit_capture* capture);
/* [any] Of the GPU, as its guest numbers them; 0: the file does not say. */
WARPJIT_API uint32_t warpjit_capture_product(const warpjit_capture* capture);
WARPJIT_API size_t warpjit_capture_frames(const warpjit_capture* capture); /* [any] */
WARPJIT_API size_t warpjit_capture_jobs(const warpjit_capture* capture);   /* [any] */

/* What a user calls something. This struct does not grow. */
enum {
  WARPJIT_NAME_OF_ADDRESS = 0,
  WARPJIT_NAME_OF_REGISTER = 1,
  WARPJIT_NAME_OF_DRAW = 2,
  WARPJIT_NAME_OF_UNIFORM = 3
};
typedef struct warpjit_capture_name {
  int32_t of; /* WARPJIT_NAME_OF_... */
  uint64_t number;
  const char* text; /* UTF-8 */
} warpjit_capture_name;
WARPJIT_API size_t warpjit_capture_name_count(const warpjit_capture* capture); /* [any] */
/* [any] The text is valid until the names are set or the capture is destroyed. */
WARPJIT_API warpjit_status warpjit_capture_get_name(const warpjit_capture* capture, size_t index,
                                                    warpjit_capture_name* name, warpjit_error* error);
/* [one] In place of those that it has. */
WARPJIT_API warpjit_status warpjit_capture_set_names(warpjit_capture* capture,
                                                     const warpjit_capture_name* names, size_t count,
                                                     warpjit_error* error);
/* [any] What files say, and what was assumed, for people. */
WARPJIT_API size_t warpjit_capture_note_count(const warpjit_capture* capture);
/* [any] Valid until the capture is destroyed; NULL: there is no such note. */
WARPJIT_API const char* warpjit_capture_note(const warpjit_capture* capture, size_t index);

/* ---- What a run shows. Pointers are valid during the call. --------------------------------------------- */

/* A program that ran. This struct does not grow. */
typedef struct warpjit_capture_program {
  const char* stage; /* "vertex", "position", "fragment", "compute" */
  const warpjit_report* report;
} warpjit_capture_program;

/* A job of the GPU that has run. */
typedef struct warpjit_capture_job {
  size_t size;
  size_t number, frame;                    /* from 0 on */
  const char* what;                        /* "commands at 0x18000000, 64 bytes" */
  const warpjit_capture_program* programs; /* that ran for it outside of draws */
  size_t program_count;
} warpjit_capture_job;

/* A draw, or a launch without pixels, that has run. */
typedef struct warpjit_capture_draw {
  size_t size;
  size_t number, job, frame;               /* from 0 on */
  const char* what;                        /* "triangle strip of 12 vertices" */
  uint32_t drawn;                          /* 0: no pixel could change */
  const warpjit_capture_program* programs; /* in their order */
  size_t program_count;
} warpjit_capture_draw;

#define WARPJIT_CAPTURE_NO_DRAW ((size_t)-1)
/* What lies in a target or an output. */
typedef struct warpjit_capture_picture {
  size_t size;
  const char* name;  /* "color0", "depth", or that of an output */
  size_t frame, job; /* that have ended, or are about to */
  size_t draw;       /* after which; WARPJIT_CAPTURE_NO_DRAW: after the job, or at the end of the run */
  uint64_t address;  /* 0: it has none */
  int32_t format;    /* WARPJIT_PIXELS_...; NONE: the output has no pixels */
  uint32_t width, height;
  const void* pixels; /* rows without padding, the first one in memory first */
  size_t pixels_size; /* bytes */
  const void* bytes;  /* as the guest's memory has them */
  size_t bytes_size;
  /* How it differs from what is expected; 0: the file does not say. Pixels, or bytes of an output without
   * pixels: all, those that differ, those beyond the tolerance, and how many of these are allowed. */
  uint32_t compared;
  uint64_t units, differ, beyond, allowed;
  uint64_t first; /* the first one beyond, of pixels row * width + column; UINT64_MAX: none, or not known */
} warpjit_capture_picture;

/* A texture that a program of a draw samples; warpjit::CaptureTexture says more. */
typedef struct warpjit_capture_texture {
  size_t size;
  size_t draw;       /* which comes next */
  const char* stage; /* of the program */
  uint32_t unit;
  uint32_t layer;     /* a face of a cube; else 0 */
  uint64_t address;   /* 0: it has none of its own */
  const char* format; /* "rgba8", or what its guest calls it */
  uint32_t width, height, levels;
  size_t number; /* from 0 on; textures of equal address, contents and kind have the same */
  /* A picture of its first level: r, g, b, a, the top row first. NULL: the run has shown this number before. */
  uint32_t picture_width, picture_height;
  const void* rgba;
} warpjit_capture_texture;

/* Sees what a run does, in its order. Members may be NULL; 0 ends the run, which is no error. Without `draw`,
 * draws of one state may run together, which takes less time. */
typedef struct warpjit_capture_visitor {
  size_t size;
  void* context;
  int (*job)(void* context, const warpjit_capture_job* job);
  int (*draw)(void* context, const warpjit_capture_draw* draw);
  int (*picture)(void* context, const warpjit_capture_picture* picture);
  uint32_t targets_of_draws; /* 1: as pictures, after each draw that may write them */
  uint32_t textures;         /* above 0: those that draws sample, and the largest extent of their pictures */
  int (*texture)(void* context, const warpjit_capture_texture* texture);
} warpjit_capture_visitor;
/* [any] Runs all of it; the capture stays as it is. `visitor` and `options` may be NULL. Errors name job, draw
 * and field; also those of warpjit_engine_run. */
WARPJIT_API warpjit_status warpjit_capture_run(const warpjit_capture* capture, const warpjit_engine* engine,
                                               const warpjit_capture_visitor* visitor,
                                               const warpjit_run_options* options, warpjit_error* error);

/* [any] As .wjcap of version 2. WARPJIT_IO for a sink that does not take bytes. */
WARPJIT_API warpjit_status warpjit_capture_write(const warpjit_capture* capture, warpjit_capture_sink sink,
                                                 void* context, warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
