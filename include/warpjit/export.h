// What the library shows to programs that link it. For C and C++.
#ifndef WARPJIT_EXPORT_H
#define WARPJIT_EXPORT_H

// A DLL of mingw-w64 exports everything.
#if defined(WARPJIT_SHARED) && defined(__GNUC__) && !defined(_WIN32)
#define WARPJIT_API __attribute__((visibility("default")))
#else
#define WARPJIT_API
#endif

#endif
