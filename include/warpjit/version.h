/* The version of these headers. CMake reads it from here. */
#ifndef WARPJIT_VERSION_H
#define WARPJIT_VERSION_H

#define WARPJIT_VERSION_MAJOR 0
#define WARPJIT_VERSION_MINOR 1
#define WARPJIT_VERSION_PATCH 0
#define WARPJIT_VERSION_STRING "0.1.0"

#endif
