// Where code memory comes from: arenas that place code, and the interface to the operating system, which
// code_memory_SYSTEM.cpp implements; CMake picks the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "backend/target.h"
#include "base/compiler.h"

namespace warpjit::runtime {

// Places code. One implementation per way of getting memory; thread-safe.
class CodeArena {
 public:
  virtual ~CodeArena() = default;
  static constexpr std::size_t kAlignment = 64, kMostAlignment = 4096;
  // Copies `bytes` to executable memory, at a multiple of `alignment`, a power of two between these. Null
  // if no executable memory is left.
  virtual const std::byte* place(std::span<const std::uint8_t> bytes, std::size_t alignment) = 0;
  virtual void release(const std::byte* code, std::size_t size) = 0;
};

// ---- From the operating system -------------------------------------------------------------------------

// Null with the reason if the system does not allow it. The flip arena gives each piece its own pages, so
// that a page that may be running is never made writable.
std::unique_ptr<CodeArena> make_dual_arena(std::string& reason);
std::unique_ptr<CodeArena> make_flip_arena(std::string& reason);
// The system's number of the last error of this thread, 0 if there was none; forgets it.
int take_system_error();
// How often this process, or one that it comes from, has forked since it first asked.
unsigned forks();
// The list of code that a profiler of the system reads. Negative: no such list.
int open_perf_map();
void close_perf_map(int file);
void append_perf_map(int file, const void* address, std::size_t size, const std::string& name);

// What walks stacks finds these parts of placed code, until the handle is given back. Null: nothing to give back,
// also where the system has no such list.
void* add_unwinding(const std::byte* code, std::span<const backend::MachineCode::Unwinding> parts);
void remove_unwinding(void* handle);

// ---- For the files of the systems ----------------------------------------------------------------------

// Two mappings of the same pages, as asmjit makes them on POSIX systems and Windows. Null with the reason
// also if the host goes on running old code after new code was written over it:
// some emulators miss such writes.
std::unique_ptr<CodeArena> make_asmjit_dual_arena(std::string& reason);
// The arena, or null with the reason if it cannot place a first piece.
std::unique_ptr<CodeArena> probed(std::unique_ptr<CodeArena> arena, std::string& reason);
// Makes code written at `writable` visible to instruction fetches from `executable`, on hosts whose
// instruction caches do not see writes. The two may be the same.
void synchronize_caches(const void* writable, const void* executable, std::size_t size);

// ---- For who calls code --------------------------------------------------------------------------------

// Drops instructions that this CPU fetched before the code was placed.
// Call it before each entry into placed code.
inline void synchronize_fetch() {
#if WARPJIT_HOST_A64
  a64::synchronize_fetch();
#endif
}

}  // namespace warpjit::runtime
