// A kernel: one translation of a shader under certain facts, ready to run groups of threads. There is one
// kind per engine; all take the same arguments, so bindings, staging and threading are shared.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "backend/target.h"
#include "base/result.h"
#include "frontend/frontend.h"
#include "runtime/code_memory.h"
#include "runtime/pool.h"

namespace warpjit::runtime {

// The memory that compilations of an engine use again and again.
using WorkspacePool = Pool<backend::Workspace>;

// What the cache keeps.
class Cached {
 public:
  virtual ~Cached() = default;

  const CompileReport& report() const { return report_; }
  std::uint32_t lanes() const { return report_.lanes; }
  // What the cache counts for it.
  std::size_t cost() const { return cost_; }

  // When it was used last, by the clock of its cache.
  std::uint64_t last_use() const { return last_use_.load(std::memory_order_relaxed); }
  void set_last_use(std::uint64_t time) const { last_use_.store(time, std::memory_order_relaxed); }

 protected:
  CompileReport report_;
  std::size_t cost_ = 0;

 private:
  mutable std::atomic<std::uint64_t> last_use_{0};
};

class Kernel : public Cached {
 public:
  // Fills the words of the table behind those of Shader::fill_table: whatever is the same for all threads.
  virtual Status prepare(std::uint32_t* table) const = 0;
  // Runs args.group_count groups. `shader` names places in messages; `values` is what the table was filled
  // from. Needs a FloatEnvironment.
  virtual Status run(backend::KernelArgs& args, const frontend::Shader& shader,
                     const frontend::Values& values) const = 0;

  // Makes now what a run might have to make first. A failure is for that run to report.
  virtual void complete(const frontend::Shader&) const {}

  std::size_t table_bytes() const { return table_bytes_; }

 protected:
  std::size_t table_bytes_ = 0;
};

// A kernel that is made from IR, by the JIT or for the IR interpreter: of any guest.
class CodeKernel : public Kernel {
 public:
  virtual Status call(backend::KernelArgs& args, const frontend::Guest& guest) const = 0;
  std::uint32_t shared_phase() const { return shared_phase_; }  // backend::MachineCode::shared_phase
  Status run(backend::KernelArgs& args, const frontend::Shader& shader, const frontend::Values&) const final {
    return call(args, shader);
  }

 protected:
  std::uint32_t shared_phase_ = 0;
};

// What is told of a kernel that was found in the cache, or made.
CompileReport report_of(const Cached& kernel, bool hit);

// The same target as the backend and the public interface name it; `automatic` has none.
inline Target public_target(backend::Target target) {
  return static_cast<Target>(static_cast<unsigned>(target) + 1);
}
inline std::optional<backend::Target> backend_target(Target target) {
  if (target == Target::automatic) return std::nullopt;
  return static_cast<backend::Target>(static_cast<unsigned>(target) - 1);
}

// What a kernel is made from, besides the shader.
struct KernelOptions {
  EngineKind engine = EngineKind::jit;
  backend::Target target = backend::Target::x64_v3;
  bool dispatch_all = false;
  bool checks = false;
  bool speculate = true;  // JIT: try without the rule for 0 times infinity (speculative_kernel.h)
  std::uint32_t parts = 0, registers = 0;
};

// Translates, optimizes, compiles and places. `memory` and `workspaces` are for the JIT only.
Result<std::shared_ptr<const Kernel>> make_kernel(const frontend::Shader& shader,
                                                  const frontend::Facts& facts, const KernelOptions& options,
                                                  CodeMemory* memory, WorkspacePool& workspaces);

// Compiles and places. The report has what was done before, and gets the rest.
Result<std::shared_ptr<const CodeKernel>> make_jit_kernel(const ir::GroupProgram& program,
                                                          CompileReport report, const std::string& name,
                                                          const KernelOptions& options, CodeMemory* memory,
                                                          WorkspacePool& workspaces);

// The key under which a kernel is cached.
std::vector<std::byte> kernel_key(const frontend::Shader& shader, const frontend::Facts& facts,
                                  const KernelOptions& options);

}  // namespace warpjit::runtime
