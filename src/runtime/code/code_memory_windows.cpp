// Executable memory on Windows.
#define WIN32_LEAN_AND_MEAN
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>

#include <algorithm>
#include <cstring>
#include <memory>

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

void* add_unwinding(const std::byte* code, std::span<const backend::MachineCode::Unwinding> parts) {
  if (parts.empty()) return nullptr;
  auto table = std::make_unique<RUNTIME_FUNCTION[]>(parts.size());
  for (std::size_t n = 0; n < parts.size(); ++n) {
    table[n].BeginAddress = parts[n].begin;
    table[n].EndAddress = parts[n].end;
    table[n].UnwindData = parts[n].info;
  }
  const auto base = reinterpret_cast<std::uintptr_t>(code);
  if (!RtlAddFunctionTable(table.get(), static_cast<DWORD>(parts.size()), base)) return nullptr;
  return table.release();
}
void remove_unwinding(void* handle) {
  if (handle == nullptr) return;
  const std::unique_ptr<RUNTIME_FUNCTION[]> table(static_cast<RUNTIME_FUNCTION*>(handle));
  RtlDeleteFunctionTable(table.get());
}

}  // namespace warpjit::runtime
