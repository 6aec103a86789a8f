// LIR, the result of lowering and the input of the allocator: host instructions over virtual registers in SSA
// form with block arguments. An instruction itself holds everything that the allocator must know of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/element_ref.h"
#include "base/small_vector.h"
#include "ir/types.h"

namespace warpjit::lir {

enum class RegClass : std::uint8_t { vector, mask, scalar };
inline constexpr int kClassCount = 3;

// A virtual register before allocation, a register number within its class after it.
using Reg = std::uint32_t;
inline constexpr Reg kNoReg = ~0u;
using Regs = SmallVector<Reg, 4>;

// A memory operand. Registers it uses are among the instruction's uses (the last ones).
enum class MemBase : std::uint8_t {
  none,   // no memory operand
  table,  // the uniform table
  args,   // the KernelArgs
  pool,   // the constant pool; displacement in bytes
  frame,  // the lowering's own area of the stack frame
  spill,  // spill slot number `displacement`
  reg,    // use[base_use]
};
struct Mem {
  MemBase base = MemBase::none;
  std::uint8_t base_use = 0xff;   // MemBase::reg: which use
  std::uint8_t index_use = 0xff;  // 0xff: no index
  std::uint8_t scale_log2 = 0;
  bool broadcast = false;  // one 32-bit element for all lanes
  std::int32_t displacement = 0;
};

enum InstFlags : std::uint8_t {
  kTied = 1,          // the definition is made in the register of use[0]
  kEarlyClobber = 2,  // the definition is written before all uses are read
  kPure = 4,          // may be removed when its definition is unused
  kRemat = 8,         // no register uses and cheap: emit again instead of spilling
  kRematFolds = 16,   // kRemat, and its memory operand may replace a use that folds
  kFixed = 32,        // Code::fixed has rows for the operation
};

// A register of the host that an operand of an operation must be in, which is not tied or folded. It may be
// one that the allocator does not give to values: then the operand is copied to it, or from it.
struct FixedOperand {
  std::uint16_t op;
  std::int8_t use;  // which; kDefinition: the definition
  std::uint8_t reg;
  static constexpr std::int8_t kDefinition = -1;
};

inline constexpr int kMaxUses = 6;

struct Inst {
  std::uint16_t op = 0;
  std::uint8_t use_count = 0;
  std::uint8_t flags = 0;
  std::uint8_t fold = 0;    // bit k: use[k] may become kNoReg with the memory operand in its place
  std::uint8_t prefer = 0;  // bit k: the definition would like the register of use[k]
  Reg def = kNoReg;
  std::array<Reg, kMaxUses> use = {kNoReg, kNoReg, kNoReg, kNoReg, kNoReg, kNoReg};
  Mem mem;
  std::int64_t imm = 0;
  std::uint32_t guest_address = ir::kNoAddress;
  Reg virtual_def = kNoReg;  // after allocation: the virtual register that `def` holds
};

using InstRef = ElementRef<Inst>;
using Edges = SmallVector<std::uint32_t, 2>;  // blocks at the other ends of a block's edges

struct Block {
  std::uint32_t first = 0, end = 0;  // instructions [first, end) of Code::insts; the last is the terminator
  Regs params;                       // block arguments
  Regs args;                         // for the parameters of the only successor
  Edges successors;                  // with more than one, none of them has parameters
  Edges predecessors;
  std::uint32_t loop_depth = 0;
  bool cold = false;  // hardly ever reached: emitted after the rest
  bool rare = false;  // reached only when the fuel is used up: not counted in the statistics
};

// `flush`: denormals are zeros, as operands and as results.
enum class FloatMode : std::uint8_t { flush, flush_toward_zero, keep_denormals };

// Blocks are in emission order: every block but the entry comes after one of its predecessors.
struct Code {
  std::vector<Inst> insts;
  std::vector<Block> blocks;
  std::vector<RegClass> classes;  // of each virtual register
  // Which part of a value each virtual register is; 0 if it is no part. A hint, which order_parts completes.
  std::vector<std::uint8_t> part_of;
  std::span<const FixedOperand> fixed;  // of operations with kFixed; no register is named twice for one
  std::uint32_t frame_bytes = 0;        // the lowering's own area
  std::uint32_t shared_phase = 0;       // MachineCode::shared_phase
  bool flushes = false;                 // some of it runs in the mode `flush`
  bool flushes_between = false;         // blocks begin and end so, else in `keep_denormals`

  Reg new_reg(RegClass c) {
    classes.push_back(c);
    return static_cast<Reg>(classes.size() - 1);
  }
  InstRef new_inst() { return append(insts); }
};

// Removing instructions and parameters of blocks that nobody uses takes two linear steps, between which more
// definitions may be made unused. The first step: an upper bound of how often what is needed uses each
// register; removes the parameters that nobody uses, with their arguments.
void count_uses(Code& code, std::vector<std::uint32_t>& uses);
inline bool is_dead(const Inst& inst, const std::vector<std::uint32_t>& uses) {
  return (inst.flags & kPure) != 0 && inst.def != kNoReg && uses[inst.def] == 0;
}
void remove_dead(Code& code, const std::vector<std::uint32_t>& uses);
// Takes both steps.
void eliminate_dead_code(Code& code);

// By block: for a cold one the first cold block on every way to it, which dominates it; for others kNoBlock.
// Empty if no block is cold.
inline constexpr std::uint32_t kNoBlock = ~0u;
void find_cold_entries(const Code& code, std::vector<std::uint32_t>& entries);

// Structural check: definitions before uses, classes, arguments match parameters. Empty text if it holds.
std::string verify(const Code& code);

}  // namespace warpjit::lir
