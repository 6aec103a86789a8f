/* warpjit's C interface: runs GPU shader binaries on the CPU, one GPU thread per SIMD lane. What one GPU
 * alone has (loaders, modes, register interfaces) is in the header of that name: pica200.h, tesla.h,
 * valhall.h, usse.h. Launches of fragment programs have further calls in pixels.h, textures in textures.h.
 *
 * Objects are opaque. NAME_create and the like give one, NAME_destroy takes it back and does nothing for
 * NULL. An object may be destroyed before others that were created with it: a launch keeps its program.
 *
 * Calls that can fail return a warpjit_status, 0 for success, and take a `warpjit_error* error` that may be
 * NULL. Pointers that may be NULL are marked so; NULL for any other gives WARPJIT_BAD_INPUT. What a failed
 * call would have given is not touched. Nothing throws, and no signal handler is installed.
 *
 * Structs begin with `size`: the caller sets it to sizeof the struct, and everything that it does not set to
 * 0, which is the default of every member:
 *
 *   warpjit_run_options options = {.size = sizeof options, .threads = 2};
 *
 * Later versions append members. A library newer than the header takes those that are missing as 0; an
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

#include "warpjit/engine.h"
#include "warpjit/launch.h"
#include "warpjit/program.h"
#include "warpjit/run.h"
#include "warpjit/types.h"
#include "warpjit/version.h"

#endif
