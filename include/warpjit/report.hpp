// What runs and compilations tell: reports, profiles, statistics.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warpjit/pixels.hpp"
#include "warpjit/types.hpp"

namespace warpjit {

// What it took to get a kernel. Times are 0 on a cache hit.
struct CompileReport {
  EngineKind engine = EngineKind::jit;  // what runs; not the requested one where that is not available
  Target target = Target::automatic;    // of the JIT
  unsigned lanes = 0;                   // threads per group
  bool cache_hit = false;
  bool generic = false;  // booleans are read at run time
  bool ordered = false;  // geometry: invocations may depend on earlier ones and run one after another
  std::chrono::nanoseconds translate_time{}, passes_time{}, backend_time{}, place_time{};
  // What else the caller waited for: to find out which kernel it needs, and attempts that gave none.
  std::chrono::nanoseconds other_time{};
  std::chrono::nanoseconds compile_time() const {
    return translate_time + passes_time + backend_time + place_time + other_time;
  }
  std::size_t code_bytes = 0;  // machine code with its constants
  // Why an interpreter runs the program although the JIT was requested and is available; else empty.
  std::string interpreted_because;
};

// An access outside its space, or one that is not aligned to its size: it read 0 or wrote nothing.
struct MemoryFault {
  std::string where;  // "saxpy.cubin, byte 0x18 (0x20008409)"
  std::string what;   // "store to g14[0x1000] by thread 3 of block (0, 1)"
  // How many accesses faulted, one for each lane of an instruction. Only runs of the guest engine alone count
  // them; 0 for others.
  std::uint64_t accesses = 0;
};

struct Report : CompileReport {
  Work work = Work::rows;
  std::chrono::nanoseconds run_time{};
  std::chrono::nanoseconds vertex_time{};  // over pixels: of run_time, what the vertex stage took
  unsigned threads = 1;                    // host threads that could work
  // Threads, invocations, blocks or fragments of the launch that the guest interpreter ran while the kernel
  // was compiled in the background. `engine` is guest if no kernel took over.
  std::uint64_t interpreted = 0;
  std::uint64_t invocations = 0, triangles = 0;  // of a geometry program
  std::uint64_t primitives = 0, groups = 0;      // over pixels: primitives drawn, after clipping; groups run
  DrawCounts draw;                               // over pixels
  // The first fault of the first part of the work that had one. The run went on. If there are several, the
  // engine may decide which one comes first: lanes that hardware runs one after the other can run together.
  std::optional<MemoryFault> fault;
};

// What the threads of a launch did, instruction by instruction.
struct Profile {
  struct Instruction {
    std::uint32_t address = 0;   // guest
    std::string text;            // disassembled
    std::uint64_t warps = 0;     // how often a warp executed it
    std::uint64_t lanes = 0;     // ... in how many lanes, all together
    std::uint64_t diverged = 0;  // of a branch, break or return: how often it parted active lanes
    std::uint64_t faults = 0;    // accesses outside their space or not aligned
    std::uint64_t uninitialized_registers = 0;  // reads of registers that the lane has not written
    std::uint64_t uninitialized_shared = 0;  // reads of bytes of shared memory that the block has not written
    std::string first_uninitialized;         // "$r5 of thread 3 of block (0, 0)"
  };
  // Two warps, not ordered by a barrier, access bytes of shared memory, at least one of them stores, not both
  // with a lock.
  struct Race {
    std::uint32_t first = 0, second = 0;  // guest addresses of the instructions, in the order they ran here
    std::uint64_t count = 0;
    std::string example;  // "s[64]: store by thread 3, load by thread 40 of block (0, 0)"
  };
  std::vector<Instruction> instructions;    // those that were executed, by address
  std::vector<std::uint64_t> active_lanes;  // instructions of warps by the number of their active lanes
  std::uint32_t deepest_stack = 0;          // entries of a warp's control stack
  std::vector<Race> races;                  // by pair of instructions, the first 1024 pairs
  std::uint64_t further_races = 0;          // of other pairs
};

// What an engine did since its construction.
struct EngineStatistics {
  std::uint64_t hits = 0;       // runs and compile() calls that found their kernel
  std::uint64_t misses = 0;     // compilations begun, by any call
  std::uint64_t compiles = 0;   // compilations that gave a kernel
  std::uint64_t failures = 0;   // compilations that gave an error
  std::uint64_t evictions = 0;  // kernels dropped
  std::size_t kernels = 0;      // in the cache
  std::size_t bytes = 0;        // of these
  std::size_t capacity = 0;     // EngineOptions::cache_bytes
  std::chrono::nanoseconds compile_time{};
  // In the background.
  std::uint64_t background_compiles = 0;  // of `compiles`
  std::uint64_t interpreted_runs = 0;     // runs that began in the interpreter
  std::size_t waiting = 0;                // compilations that have not begun
  std::size_t compiling = 0;
};

}  // namespace warpjit
