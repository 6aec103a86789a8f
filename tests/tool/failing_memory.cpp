// Loaded before a program by LD_PRELOAD: makes allocations fail. WARPJIT_FAIL_AT: the number of the allocation
// that fails, counted from 1; WARPJIT_FAIL_ALL=1: all later ones, too. WARPJIT_FAIL_COUNT: a file that gets how
// many there were.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

constinit std::atomic<unsigned long> allocations{0};
constinit unsigned long fail_at = 0;
constinit bool fail_all = false, begun = false;

bool fails() {
  if (!begun) {  // no other thread runs yet
    const char *const at = std::getenv("WARPJIT_FAIL_AT"), *const all = std::getenv("WARPJIT_FAIL_ALL");
    fail_at = at != nullptr ? std::strtoul(at, nullptr, 10) : 0;
    fail_all = all != nullptr && *all == '1';
    begun = true;
  }
  const unsigned long number = ++allocations;
  if (fail_at == 0 || (fail_all ? number < fail_at : number != fail_at)) return false;
  errno = ENOMEM;
  return true;
}

[[gnu::destructor]] void tell_count() {
  const char* const name = std::getenv("WARPJIT_FAIL_COUNT");
  if (name == nullptr) return;
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%lu\n", allocations.load());
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0 && write(file, text, static_cast<std::size_t>(length)) == length) close(file);
}

}  // namespace

extern "C" {
[[gnu::visibility("default")]] void* malloc(std::size_t size) {
  return fails() ? nullptr : __libc_malloc(size);
}
[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __libc_calloc(count, size);
}
[[gnu::visibility("default")]] void* realloc(void* old, std::size_t size) {
  return fails() ? nullptr : __libc_realloc(old, size);
}
[[gnu::visibility("default")]] void* memalign(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
[[gnu::visibility("default")]] int posix_memalign(void** place, std::size_t alignment, std::size_t size) {
  void* const memory = memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *place = memory;
  return 0;
}
}
