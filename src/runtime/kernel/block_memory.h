// What a host thread needs to run blocks of a grid, one after another: the memory of a block, and the
// arguments of the calls for its groups. Keeps its memory from run to run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "backend/target.h"
#include "base/small_vector.h"
#include "frontend/shader.h"

namespace warpjit::runtime {

class CodeKernel;
struct BlockRun;

// What running blocks needs to know of a kernel's function: its sizes, and which memory of a block it uses.
struct BlockLayout {
  std::uint32_t lanes = 0, groups = 0, inner_groups = 1, frame_slots = 0;
  ir::MemoryUse uses;

  explicit BlockLayout(const ir::Function& f);
  std::size_t frame_words() const { return std::size_t{std::max(groups, 1U)} * frame_slots * lanes; }
  // True if groups have memory of their own that a call must bring.
  bool needs_memory() const { return frame_slots != 0 || uses.local; }
  // True if one call may run many blocks: code makes nothing but shared memory anew.
  bool runs_on() const { return !uses.local && !uses.locks; }
};

// The pieces of a launch's memory, as accesses see them. All arguments outlive it.
class MappedSpaces {
 public:
  // Sets those of `memory`. Spaces that are not given are empty.
  void bind(const frontend::LaunchMemory& launch, std::span<const std::span<const std::byte>> constants,
            ir::BlockMemory& memory);

 private:
  std::array<std::vector<ir::MemoryRange>, std::size_t{2} * ir::kMaxSpaces> ranges_;
};

// The memory of what a shader samples, in the order of its uses.
class TexelViews {
 public:
  // All are bound.
  void bind(const frontend::Shader& shader, const frontend::BoundTextures& bound);
  const ir::TexelView* data() const { return views_.data(); }

 private:
  SmallVector<ir::TexelView, 8> views_;
};

// The memory of a launch that is no grid. Host threads have copies of `memory` and share the rest.
struct LaunchMemory {
  MappedSpaces spaces;
  ir::BlockMemory memory;
  backend::MemoryWindows windows;

  void bind(const frontend::Grid& grid, std::span<const std::span<const std::byte>> constants,
            std::span<const backend::PointerPlace> pointers, const std::uint32_t* table) {
    spaces.bind(grid, constants, memory);
    windows.set(memory);
    windows.aim(pointers, memory, table);
  }
  // For a call that gets a copy of `memory`.
  void lend(backend::KernelArgs& args) const {
    args.windows = windows.data();
    args.group_index = 0;
    args.block = {};
  }
};

class BlockMemory {
 public:
  void begin(const CodeKernel& kernel, const BlockRun& run);
  // Blocks `first` to `first + count - 1`.
  Status run(std::uint64_t first, std::uint64_t count);
  // For work that is no grid: what a group has of its own, its frame and the memory of its threads, each as
  // far as the code uses it. Code clears that memory, which serves one group after the other. `args.memory`
  // is the launch's, or null.
  void bind_group(const CodeKernel& kernel, const frontend::Shader& shader, backend::KernelArgs& args);
  // The first fault since the begin.
  const ir::MemoryFault& fault() const { return memory_.fault; }

 private:
  std::uint32_t* frame(const BlockLayout& layout);
  // Vectors of a host should not straddle its cache lines. What is in the margins does not matter.
  static constexpr std::size_t kLineWords = 16, kMarginWords = backend::kSharedMargin / 4;
  static std::uint32_t* aligned(std::vector<std::uint32_t>& words, std::uint32_t phase = 0);
  // Makes shared memory that of this block, and says what code does for those that follow.
  void prepare_shared(const ir::BlockPosition& first);
  // What the hardware writes there before a block; gives how many bytes that are.
  std::size_t begin_block(const ir::BlockPosition& block);
  void aim();
  Status call(const ir::BlockPosition& first, std::uint64_t more);

  const CodeKernel* kernel_ = nullptr;
  const BlockRun* run_ = nullptr;
  const BlockLayout* layout_ = nullptr;
  std::vector<std::uint32_t> shared_;
  std::vector<std::uint8_t> locks_;
  std::vector<std::uint32_t> local_, frame_;
  std::vector<std::byte> head_;
  std::uint32_t unused_position_ = 0;  // of guests that have none in shared memory
  MappedSpaces spaces_;
  TexelViews textures_;
  ir::BlockMemory memory_;
  backend::MemoryWindows windows_;
  bool aimed_ = false;  // MemoryWindows::aim
  backend::KernelArgs args_{};
};

}  // namespace warpjit::runtime
