// Compute kernels: blocks of a grid through code, through the IR interpreter or the guest's own.
#pragma once

#include "frontend/compute.h"
#include "runtime/kernel.h"

namespace warpjit::runtime {

// All that the workers of one run share; nothing of it changes while they work.
struct ComputeRun {
  const frontend::ComputeShader& shader;
  const frontend::ComputeLaunch& launch;
  const frontend::ComputePlan& plan;
  std::uint32_t* table;  // of table_bytes(), prepared
  std::uint64_t fuel;    // of a thread
  const std::atomic<std::uint32_t>* cancel;
};

// What a run needs beside its kernel; the next one finds the memory that it took.
struct ComputeScratch {
  frontend::ComputePlan plan;
  KernelOptions options;
  bool may_interpret = false;
  std::vector<std::byte> key;
  // Of each piece of the grid.
  struct Outcome {
    Status status;
    frontend::BlocksReport report;
  };
  std::vector<Outcome> outcomes;

  // The uniform table: zeros, aligned for whole vectors.
  std::span<std::uint32_t> make_table(std::size_t words) {
    table_.assign(words + 16, 0);
    const auto address = reinterpret_cast<std::uintptr_t>(table_.data());
    return {table_.data() + ((64 - address % 64) % 64) / 4, words};
  }

 private:
  std::vector<std::uint32_t> table_;
};

class ComputeKernel : public Cached {
 public:
  virtual std::size_t table_bytes() const { return 0; }
  virtual Status prepare(std::uint32_t*) const { return {}; }
  // Blocks `first` to `first + count - 1`. Needs a FloatEnvironment.
  virtual Status run(const ComputeRun& run, std::uint64_t first, std::uint64_t count,
                     frontend::BlocksReport& report) const = 0;
  // Why it is the guest interpreter that runs, where another engine was asked for.
  const std::string& interpreted_because() const { return interpreted_because_; }

 protected:
  std::string interpreted_because_;
};

// Errors: those of translation, of the backend; where neither JIT nor IR can run the kernel, the guest
// interpreter does if `may_interpret`.
Result<std::shared_ptr<const ComputeKernel>> make_compute_kernel(const frontend::ComputeShader& shader,
                                                                 const frontend::ComputeLaunch& launch,
                                                                 const frontend::ComputePlan& plan,
                                                                 const KernelOptions& options,
                                                                 bool may_interpret, CodeMemory* memory,
                                                                 WorkspacePool& workspaces);

// Makes `key` the one under which the kernel is cached.
Status compute_key(const frontend::ComputeShader& shader, const frontend::ComputeLaunch& launch,
                   const frontend::ComputePlan& plan, const KernelOptions& options, bool may_interpret,
                   std::vector<std::byte>& key);

// "store to g14[0x1000] by thread 3 of block (0, 1)".
ComputeFault describe(const frontend::BlocksReport::Fault& fault, const frontend::Guest& guest);

}  // namespace warpjit::runtime
