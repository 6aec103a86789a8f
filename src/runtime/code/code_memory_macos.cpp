// Executable memory on macOS. Written from Apple's documentation, neither compiled nor run so far.
//
// Apple silicon makes only MAP_JIT pages executable, and a thread sees them either writable or executable
// (pthread_jit_write_protect_np). A program with the hardened runtime needs the entitlement
// com.apple.security.cs.allow-jit. On Intel the same pages are switched by mprotect.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/compiler.h"
#include "runtime/code/code_arena.h"

#if WARPJIT_HOST_A64
#include <pthread.h>
#endif

namespace warpjit::runtime {
namespace {

// Own pages for every piece: written, then executable for good, then gone.
class FlipArena final : public CodeArena {
 public:
  const std::byte* place(std::span<const std::uint8_t> bytes,
                         std::size_t) override {  // pages are aligned enough
    const std::size_t size = whole_pages(bytes.size());
#if WARPJIT_HOST_A64
    void* pages =
        mmap(nullptr, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANON | MAP_JIT, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    pthread_jit_write_protect_np(0);
    if (!bytes.empty()) std::memcpy(pages, bytes.data(), bytes.size());
    pthread_jit_write_protect_np(1);
#else
    void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    if (!bytes.empty()) std::memcpy(pages, bytes.data(), bytes.size());
    if (mprotect(pages, size, PROT_READ | PROT_EXEC) != 0) {
      const int saved = errno;
      munmap(pages, size);
      errno = saved;
      return nullptr;
    }
#endif
    synchronize_caches(pages, pages, size);  // sys_icache_invalidate
    return static_cast<const std::byte*>(pages);
  }
  void release(const std::byte* code, std::size_t size) override {
    munmap(const_cast<std::byte*>(code), whole_pages(size));
  }

 private:
  static std::size_t whole_pages(std::size_t size) {
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (std::max<std::size_t>(size, 1) + page - 1) / page * page;
  }
};

}  // namespace

std::unique_ptr<CodeArena> make_dual_arena(std::string& reason) {
  reason = "not supported on macOS";
  return nullptr;
}
std::unique_ptr<CodeArena> make_flip_arena(std::string& reason) {
  return probed(std::make_unique<FlipArena>(), reason);
}

unsigned forks() { return 0; }

int take_system_error() { return std::exchange(errno, 0); }

int open_perf_map() { return -1; }
void close_perf_map(int) {}
void append_perf_map(int, const void*, std::size_t, const std::string&) {}

void* add_unwinding(const std::byte*, std::span<const backend::MachineCode::Unwinding>) { return nullptr; }
void remove_unwinding(void*) {}

}  // namespace warpjit::runtime
