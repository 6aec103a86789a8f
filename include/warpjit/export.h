// What the library shows to programs that link it. For C and C++.
#ifndef WARPJIT_EXPORT_H
#define WARPJIT_EXPORT_H

// WARPJIT_SHARED: the library is a shared one. WARPJIT_BUILDS_SHARED: these are its own sources.
#if !defined(WARPJIT_SHARED)
#define WARPJIT_API
#elif defined(_WIN32) && defined(WARPJIT_BUILDS_SHARED)
#define WARPJIT_API __declspec(dllexport)
#elif defined(_WIN32)
#define WARPJIT_API __declspec(dllimport)
#elif defined(__GNUC__)
#define WARPJIT_API __attribute__((visibility("default")))
#else
#define WARPJIT_API
#endif

#endif
