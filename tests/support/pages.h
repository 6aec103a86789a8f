// Pages of memory of the system, for tests of what lies beside memory and of code.
#pragma once

#include <cstddef>
#include <cstdlib>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace warpjit::tests {

enum class Access { none, write, execute };

#if defined(_WIN32)
inline std::size_t page_size() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}
inline DWORD protection(Access access) {
  return access == Access::none    ? PAGE_NOACCESS
         : access == Access::write ? PAGE_READWRITE
                                   : PAGE_EXECUTE_READ;
}
inline std::byte* map_pages(std::size_t bytes, Access access) {
  void* const address = VirtualAlloc(nullptr, bytes, MEM_COMMIT | MEM_RESERVE, protection(access));
  if (address == nullptr) std::abort();
  return static_cast<std::byte*>(address);
}
inline void protect_pages(std::byte* address, std::size_t bytes, Access access) {
  DWORD before = 0;
  if (!VirtualProtect(address, bytes, protection(access), &before)) std::abort();
}
inline void unmap_pages(std::byte* address, std::size_t) { VirtualFree(address, 0, MEM_RELEASE); }
#else
inline std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
inline int protection(Access access) {
  return access == Access::none ? PROT_NONE : PROT_READ | (access == Access::write ? PROT_WRITE : PROT_EXEC);
}
inline std::byte* map_pages(std::size_t bytes, Access access) {
  void* const address = mmap(nullptr, bytes, protection(access), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) std::abort();
  return static_cast<std::byte*>(address);
}
inline void protect_pages(std::byte* address, std::size_t bytes, Access access) {
  if (mprotect(address, bytes, protection(access)) != 0) std::abort();
}
inline void unmap_pages(std::byte* address, std::size_t bytes) { munmap(address, bytes); }
#endif

}  // namespace warpjit::tests
