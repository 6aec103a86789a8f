// Blocks of threads with their memory: what code leaves there is what the IR interpreter leaves.
#pragma once

#include <string>
#include <vector>

#include "backend/kernel.h"
#include "ir/memory.h"

namespace warpjit::backend {

struct BlockSetup {
  struct Range {
    std::uint32_t address, size;
  };
  std::uint32_t groups = 2, lanes = 32;  // groups of so many threads
  std::vector<std::vector<Range>> constants, globals;
  std::uint32_t shared_bytes = 256, local_bytes = 64;
  std::vector<std::uint32_t> table = {};
};

// The memory of a block, the same for the same seed. Each range ends before a page that nobody may touch.
class BlockContents {
 public:
  BlockContents(const BlockSetup& setup, std::uint64_t seed);
  ir::BlockMemory memory;
  std::vector<std::uint32_t> table, frame;
  // "" if all bytes, locks and the fault are the same; but shared memory, if a block is one group: what
  // nobody reads need not be stored there.
  std::string difference(const BlockContents& other) const;

 private:
  std::vector<GuardedBytes> bytes_;
  std::vector<std::vector<ir::MemoryRange>> ranges_;
  std::vector<std::uint8_t> locks_;
  bool one_group_;
};

// Runs a kernel for all groups of the block, by the interpreter and as code of the target in two settings.
// Fails the test where they differ.
void expect_same(const ir::GroupProgram& program, const BlockSetup& setup, Target target,
                 std::uint64_t seed = 1);
// The group form of a function of threads, and the same.
void expect_same(const ir::Function& thread_form, const BlockSetup& setup, Target target,
                 std::uint64_t seed = 1);

// A kernel in thread form, for groups of the setup's lanes.
struct BlockKernel {
  ir::Function function;
  ir::Builder b{function};
  explicit BlockKernel(const BlockSetup& setup);
  ir::I32 thread() {
    return b.IAdd32(b.IMul32(b.GroupIndex(), b.constant(function.group_lanes)), b.LaneIndex());
  }
  ir::I1 always() { return b.constant(true); }
  ir::I32 word(std::uint32_t value) { return b.constant(value); }
  ir::I32 load(const ir::MemoryAccess& access, ir::I32 address) {
    return b.LoadMemory(always(), address, access.pack());
  }
  void store(const ir::MemoryAccess& access, ir::I32 address, ir::I32 value) {
    b.StoreMemory(always(), address, value, access.pack());
  }
  // To a place of each thread's own, word `number` of eight, in the last global space.
  void keep(ir::I32 value, std::uint32_t number = 0);
  static constexpr std::uint8_t kKept = 15;
};

}  // namespace warpjit::backend
