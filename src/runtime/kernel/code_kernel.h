// A kernel that is made from IR, by the JIT or for the IR interpreter, of any guest.
// Runs blocks by calls for their groups.
#pragma once

#include "runtime/kernel/block_memory.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/pool.h"

namespace warpjit::runtime {

class CodeKernel : public Kernel {
 public:
  explicit CodeKernel(const ir::Function& f) : layout_(f) {}
  CodeKernel(const ir::Function& f, std::uint32_t shared_phase) : layout_(f), shared_phase_(shared_phase) {}

  Status run(backend::KernelArgs& args, const frontend::Shader& shader,
             const frontend::Values& values) const final {
    TexelViews textures;
    if (shader.sampling().any() || !values.grid.bound.memories.empty())
      textures.bind(shader, values.grid.bound);
    args.textures = textures.data();
    if (!layout_.needs_memory()) return call(args, shader);
    Pool<BlockMemory>::Lease memory = memories_.borrow();
    memory->bind_group(*this, shader, args);
    return call(args, shader);
  }
  Status run_blocks(const BlockRun& run, std::uint64_t first, std::uint64_t count,
                    std::optional<frontend::BlockFault>& fault) const final;

 protected:
  virtual Status call(backend::KernelArgs& args, const frontend::SourceMap& guest) const = 0;

 private:
  friend class BlockMemory;
  BlockLayout layout_;
  std::uint32_t shared_phase_ = 0;  // backend::MachineCode::shared_phase
  mutable Pool<BlockMemory> memories_;
};

}  // namespace warpjit::runtime
