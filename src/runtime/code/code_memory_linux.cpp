// Executable memory and the perf map on Linux.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/code/code_arena.h"

namespace warpjit::runtime {
namespace {

// Own pages for every piece: written, then executable for good, then gone.
class FlipArena final : public CodeArena {
 public:
  const std::byte* place(std::span<const std::uint8_t> bytes,
                         std::size_t) override {  // pages are aligned enough
    const std::size_t size = whole_pages(bytes.size());
    void* pages = mmap(last_released_, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    if (!bytes.empty()) std::memcpy(pages, bytes.data(), bytes.size());
    if (mprotect(pages, size, PROT_READ | PROT_EXEC) != 0) {
      const int saved = errno;
      munmap(pages, size);
      errno = saved;
      return nullptr;
    }
    synchronize_caches(pages, pages, size);
    return static_cast<const std::byte*>(pages);
  }
  void release(const std::byte* code, std::size_t size) override {
    munmap(const_cast<std::byte*>(code), whole_pages(size));
    last_released_ = const_cast<std::byte*>(code);
  }

 private:
  static std::size_t whole_pages(std::size_t size) {
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (std::max<std::size_t>(size, 1) + page - 1) / page * page;
  }

  // Where the next piece goes if that is free: qemu-user, left alone, never maps an address twice.
  std::atomic<void*> last_released_ = nullptr;
};

}  // namespace

std::unique_ptr<CodeArena> make_dual_arena(std::string& reason) { return make_asmjit_dual_arena(reason); }
std::unique_ptr<CodeArena> make_flip_arena(std::string& reason) {
  return probed(std::make_unique<FlipArena>(), reason);
}

unsigned forks() {
  static std::atomic<unsigned> count = 0;
  [[maybe_unused]] static const int registered = [] {
    const auto counted = [] { count.fetch_add(1, std::memory_order_relaxed); };
    return pthread_atfork(nullptr, counted, counted);
  }();
  return count.load(std::memory_order_relaxed);
}

int take_system_error() { return std::exchange(errno, 0); }

int open_perf_map() {
  char path[64];
  std::snprintf(path, sizeof path, "/tmp/perf-%d.map", static_cast<int>(getpid()));
  // Anyone may write to /tmp: never follow a link that waits there.
  return open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
}

void close_perf_map(int file) { close(file); }

void append_perf_map(int file, const void* address, std::size_t size, const std::string& name) {
  char line[256];
  const int length = std::snprintf(line, sizeof line, "%" PRIxPTR " %zx warpjit:%.180s\n",
                                   reinterpret_cast<std::uintptr_t>(address), size, name.c_str());
  for (int n = 0; n + 1 < length && n < static_cast<int>(sizeof line); ++n)
    if (static_cast<unsigned char>(line[n]) < ' ') line[n] = '?';  // a name must not end the line
  // A listing for a profiler: nothing depends on it, so a short write is let go.
  if (length > 0 && write(file, line, static_cast<std::size_t>(length)) < 0) return;
}

void* add_unwinding(const std::byte*, std::span<const backend::MachineCode::Unwinding>) { return nullptr; }
void remove_unwinding(void*) {}

}  // namespace warpjit::runtime
