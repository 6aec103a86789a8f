// Runs assembly, for tests of launches.
#pragma once

#include <cstring>

#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/interpret/interpret.h"
#include "valhall/engines.h"
#include "valhall/valhall_test.h"

namespace warpjit::valhall {

inline constexpr std::uint32_t kMemoryHigh = 0x7, kMemoryLow = 0x1000;

// How a run ended, and the words at kMemoryLow.
struct Finished {
  Status status;
  RunReport report;
  std::vector<std::uint32_t> memory;
};

struct GuestOptions {
  frontend::Grid grid{};  // parameters and pieces are added
  std::vector<std::uint32_t> memory = std::vector<std::uint32_t>(512);
  std::vector<std::uint32_t> uniforms{};  // after u0 and u1, the memory's address
  std::uint32_t local_bytes = 0, shared_bytes = 0, entry = 0;
  std::uint64_t address = 0;
  FloatMode mode{};
  bool compiled = false;  // every engine must compile it
};

// With r0 = thread in x and r2:r3 = the address of the thread's word of memory.
inline const std::string kPrologue = "U16_TO_U32 r0, r55.h00\nSHADDX.u64 r2, u0, r0.w0, shift:0x2\n";
inline const std::string kStoreR4 = "STORE.i32.slot0 @r4, r2, offset:0\nNOP.end\n";

inline Finished run_source(const std::string& source, GuestOptions options = {}) {
  Finished finished;
  auto program = assemble(source, "test");
  if (!program) {
    finished.status = program.error();
    ADD_FAILURE() << to_string(program.error());
    return finished;
  }
  program->local_bytes = options.local_bytes;
  program->shared_bytes = options.shared_bytes;
  program->entry = options.entry;
  program->address = options.address;
  program->mode = options.mode;
  frontend::Grid grid = options.grid;
  finished.memory = options.memory;
  grid.high_words.insert(grid.high_words.begin(), kMemoryHigh);
  grid.globals[0] = {{kMemoryLow, std::as_writable_bytes(std::span(finished.memory))}};
  std::vector<std::uint32_t> uniforms{kMemoryLow, kMemoryHigh};
  uniforms.insert(uniforms.end(), options.uniforms.begin(), options.uniforms.end());
  const auto bytes = std::as_bytes(std::span(uniforms));
  grid.parameters.assign(bytes.begin(), bytes.end());
  finished.status = run_everywhere(*program, grid, finished.report, options.compiled);
  return finished;
}

// kPrologue, the body, kStoreR4; a workgroup of 16 threads unless the grid has another.
inline Finished run_body(const std::string& body, GuestOptions options = {}) {
  if (options.grid.block == std::array<std::uint32_t, 3>{1, 1, 1}) options.grid.block = {16, 1, 1};
  return run_source(kPrologue + body + kStoreR4, std::move(options));
}

// What a run that ends without error leaves in the thread's words.
inline std::vector<std::uint32_t> words_of(const std::string& body, GuestOptions options = {}) {
  const Finished finished = run_body(body, std::move(options));
  EXPECT_TRUE(finished.status.ok()) << body << (finished.status ? "" : to_string(finished.status.error()));
  EXPECT_FALSE(finished.report.first_fault) << body;
  return finished.memory;
}

// Why a program is not prepared or does not finish: the error's code, message and place.
inline std::string failure(const Status& status) {
  if (status) return "runs";
  const Error& error = status.error();
  return std::string(name(error.code)) + ": " + error.message + ", at " + error.where;
}
inline std::string failure(const std::string& source, GuestOptions options = {}) {
  return failure(run_source(source, std::move(options)).status);
}

}  // namespace warpjit::valhall
