// For shared builds on distributions whose libasmjit.a is not position-independent (Debian's): its only
// relocation that a shared library cannot have is a direct one to `stderr`, where failed assertions are
// printed. The link redirects the name (--wrap=stderr) to this variable, which lies inside the library.
#include <cstdio>

extern "C" {
extern FILE* __real_stderr;  // NOLINT: the linker's name of the C library's stderr
__attribute__((visibility("hidden"))) FILE* __wrap_stderr = __real_stderr;  // NOLINT
}
