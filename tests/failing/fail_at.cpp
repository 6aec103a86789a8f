#include "failing/fail_at.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// Neither has a constructor: memory is allocated before any runs.
std::atomic<int> armed{-1};  // a Failing
std::atomic<std::uint64_t> call_count{0}, first{0};
std::atomic<bool> lasting{false};

bool fails(warpjit::test::Failing what) {
  if (armed.load(std::memory_order_relaxed) != static_cast<int>(what)) return false;
  const std::uint64_t call = call_count.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::uint64_t from = first.load(std::memory_order_relaxed);
  if (call != from && (call < from || !lasting.load(std::memory_order_relaxed))) return false;
  errno = ENOMEM;
  return true;
}
bool memory_fails() { return fails(warpjit::test::Failing::memory); }
[[maybe_unused]] bool system_fails() { return fails(warpjit::test::Failing::system); }

// The function of the next library that has one of this name.
template <class Function>
[[maybe_unused]] Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

namespace warpjit::test {

FailAt::FailAt(Failing what, std::uint64_t n, bool then_all) : n_(n) {
  call_count = 0;
  first = n;
  lasting = then_all;
  armed = static_cast<int>(what);
}
void FailAt::stop() { armed = -1; }
std::uint64_t FailAt::calls() const { return call_count; }

}  // namespace warpjit::test

// The C library calls these, too, so they are visible although the build hides what is not exported.
#pragma GCC visibility push(default)
extern "C" {

#ifndef WARPJIT_SANITIZED
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) { return memory_fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return memory_fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) { return memory_fails() ? nullptr : __libc_realloc(old, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memory_fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** to, std::size_t alignment, std::size_t size) {
  void* const memory = memory_fails() ? nullptr : __libc_memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *to = memory;
  return 0;
}
void* mmap(void* address, std::size_t length, int protection, int flags, int file, off_t offset) noexcept {
  static auto* const real = next<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  return system_fails() ? MAP_FAILED : real(address, length, protection, flags, file, offset);
}
int mprotect(void* address, std::size_t length, int protection) noexcept {
  static auto* const real = next<int(void*, std::size_t, int)>("mprotect");
  return system_fails() ? -1 : real(address, length, protection);
}
int ftruncate(int file, off_t length) noexcept {
  static auto* const real = next<int(int, off_t)>("ftruncate");
  return system_fails() ? -1 : real(file, length);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) noexcept {
  static auto* const real =
      next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return system_fails() ? EAGAIN : real(thread, attributes, body, argument);
}
#endif

}  // extern "C"
#pragma GCC visibility pop

#ifdef WARPJIT_SANITIZED
// A sanitizer has its own malloc and threads, so that only these can fail.
void* operator new(std::size_t size) {
  void* const memory = memory_fails() ? nullptr : std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return memory_fails() ? nullptr : std::malloc(size != 0 ? size : 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  void* const memory = memory_fails() ? nullptr : std::aligned_alloc(a, (size + a - 1) / a * a);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif
