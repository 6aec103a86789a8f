// Makes kernels: translates a shader and compiles it, or prepares an interpreter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/code/code_memory.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/pool.h"

namespace warpjit::runtime {

// The memory that compilations of an engine use again and again.
using WorkspacePool = Pool<backend::Workspace>;

// The same target as the backend and the public interface name it; `automatic` has none.
inline Target public_target(backend::Target target) {
  return static_cast<Target>(static_cast<unsigned>(target) + 1);
}
inline std::optional<backend::Target> backend_target(Target target) {
  if (target == Target::automatic) return std::nullopt;
  return static_cast<backend::Target>(static_cast<unsigned>(target) - 1);
}

// 0 for none; else a number below 8 for each layout.
constexpr std::uint32_t number_of(const std::optional<backend::RowLayout>& rows) {
  return rows ? 1U | (rows->interleaved_inputs ? 2U : 0U) | (rows->packed_outputs ? 4U : 0U) : 0U;
}

// What a kernel is made from, besides the shader.
struct KernelOptions {
  EngineKind engine = EngineKind::jit;
  backend::Target target = backend::Target::x64_v3;
  bool dispatch_all = false;
  bool checks = false;
  bool speculate = true;  // JIT: try without the rule for 0 times infinity (speculative_kernel.h)
  bool small_primitives = false, large_primitives = false;  // JIT, pixels: as backend::CompileOptions
  bool quads = false;                                       // no single pixels
  std::optional<backend::RowLayout> rows_ahead{};           // JIT: these three as backend::CompileOptions
  bool many_ranges = false;
  backend::Tuning tuning{};
  std::uint32_t parts = 0, registers = 0;
  std::uint32_t code_bytes = 0;  // JIT: a larger kernel is refused; 0: none is (runtime::TestHooks)
};

// Translates, optimizes, compiles and places. `memory` and `workspaces` are for the JIT only.
Result<std::shared_ptr<Kernel>> make_kernel(const frontend::Shader& shader, const frontend::Facts& facts,
                                            const KernelOptions& options, CodeMemory* memory,
                                            WorkspacePool& workspaces);

// A kernel of the guest interpreter whose runs the observer sees, if there is one; it must outlive the kernel.
Result<std::shared_ptr<Kernel>> make_observed_kernel(const frontend::Shader& shader,
                                                     const frontend::Facts& facts,
                                                     interpret::Observer* observer);

// The key under which a kernel is cached. Errors: as translation.
Result<std::vector<std::byte>> kernel_key(const frontend::Shader& shader, const frontend::Facts& facts,
                                          const KernelOptions& options);

}  // namespace warpjit::runtime
