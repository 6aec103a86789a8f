// Executable memory on systems without support for it: never any, so interpreters run.
#include "runtime/code/code_arena.h"

namespace warpjit::runtime {

std::unique_ptr<CodeArena> make_dual_arena(std::string& reason) {
  reason = "not supported on this system";
  return nullptr;
}
std::unique_ptr<CodeArena> make_flip_arena(std::string& reason) {
  reason = "not supported on this system";
  return nullptr;
}

unsigned forks() { return 0; }

int take_system_error() { return 0; }

int open_perf_map() { return -1; }
void close_perf_map(int) {}
void append_perf_map(int, const void*, std::size_t, const std::string&) {}

void* add_unwinding(const std::byte*, std::span<const backend::MachineCode::Unwinding>) { return nullptr; }
void remove_unwinding(void*) {}

}  // namespace warpjit::runtime
