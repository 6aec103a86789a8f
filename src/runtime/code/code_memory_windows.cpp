// Executable memory on Windows. Compiled with mingw-w64 (scripts/check-windows), never run so far.
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <algorithm>
#include <cstring>

#include "runtime/code/code_arena.h"

namespace warpjit::runtime {
namespace {

// Own pages for every piece: written, then executable for good, then gone.
class FlipArena final : public CodeArena {
 public:
  const std::byte* place(std::span<const std::uint8_t> bytes,
                         std::size_t) override {  // pages are aligned enough
    const std::size_t size = std::max<std::size_t>(bytes.size(), 1);
    void* pages = VirtualAlloc(nullptr, size, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
    if (pages == nullptr) return nullptr;
    if (!bytes.empty()) std::memcpy(pages, bytes.data(), bytes.size());
    DWORD before = 0;
    if (!VirtualProtect(pages, size, PAGE_EXECUTE_READ, &before)) {
      const DWORD saved = GetLastError();
      VirtualFree(pages, 0, MEM_RELEASE);
      SetLastError(saved);
      return nullptr;
    }
    synchronize_caches(pages, pages, size);  // FlushInstructionCache
    return static_cast<const std::byte*>(pages);
  }
  void release(const std::byte* code, std::size_t) override {
    VirtualFree(const_cast<std::byte*>(code), 0, MEM_RELEASE);
  }
};

}  // namespace

std::unique_ptr<CodeArena> make_dual_arena(std::string& reason) {
  return make_asmjit_dual_arena(reason);  // CreateFileMapping, two views of it
}
std::unique_ptr<CodeArena> make_flip_arena(std::string& reason) {
  return probed(std::make_unique<FlipArena>(), reason);
}

unsigned forks() { return 0; }

int take_system_error() {
  const DWORD error = GetLastError();
  SetLastError(0);
  return static_cast<int>(error);
}

int open_perf_map() { return -1; }
void close_perf_map(int) {}
void append_perf_map(int, const void*, std::size_t, const std::string&) {}

}  // namespace warpjit::runtime
