#include "base/lazy_bytes.h"

#include <cstdlib>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#define WARPJIT_MAPS_ZEROS 1
#endif

namespace warpjit::lazy {

#if defined(WARPJIT_MAPS_ZEROS)

namespace {

// Smaller memory is calloc's: a process has a limit of such pieces.
constexpr std::size_t kLeastMapped = 65536;

}  // namespace

// calloc may be set to write the zeros.
std::byte* allocate(std::size_t size) {
  if (size < kLeastMapped) return static_cast<std::byte*>(std::calloc(size, 1));
  void* const pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
}
void release(std::byte* bytes, std::size_t size) {
  if (size < kLeastMapped)
    std::free(bytes);
  else
    munmap(bytes, size);
}

#else

std::byte* allocate(std::size_t size) { return static_cast<std::byte*>(std::calloc(size, 1)); }
void release(std::byte* bytes, std::size_t) { std::free(bytes); }

#endif

}  // namespace warpjit::lazy
