// A host as the shared part of the backend sees it: its capabilities (capabilities.h), and the functions that
// make code for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/allocate/allocator.h"
#include "backend/capabilities.h"
#include "backend/lir/lir.h"
#include "backend/lir/operations.h"
#include "backend/target.h"
#include "ir/function.h"

namespace warpjit::backend {

// 32-bit words that code reads relative to itself, each repeated so that it can be an operand of the host.
class ConstantPool {
 public:
  explicit ConstantPool(std::uint32_t repeat) : repeat_(repeat) {}
  // Byte offset of the constant in the pool.
  std::int32_t offset(std::uint32_t word);
  // The offset of a vector of several constants, which is not repeated.
  std::int32_t offset(std::span<const std::uint32_t> vector);
  // The offset of words that begin at a multiple of 64 bytes.
  std::int32_t table(std::span<const std::uint32_t> words);
  const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  struct Before {
    using is_transparent = void;
    bool operator()(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const {
      return std::ranges::lexicographical_compare(a, b);
    }
  };
  std::int32_t end() const { return static_cast<std::int32_t>(words_.size() * 4); }

  std::uint32_t repeat_;
  std::vector<std::uint32_t> words_;  // as laid out
  std::unordered_map<std::uint32_t, std::int32_t> constants_;
  std::map<std::vector<std::uint32_t>, std::int32_t, Before> vectors_;
};

// The code of one entry of a kernel: its LIR, where its registers are, and whether it loops over groups.
struct EntryCode {
  const lir::Code* code;
  const lir::Allocation* allocation;
  bool loops_over_groups;
  std::uint32_t inputs, outputs;  // bindings to advance after each group
  bool counts_groups = false;     // advances KernelArgs::group_index, too
  bool reads_pixels = false;      // and KernelArgs::quads, groups
  bool begins_shared = false;     // makes KernelArgs::shared anew for blocks that follow
};
// The size of the records of a group, quads or single pixels.
constexpr std::uint32_t quad_bytes(std::uint32_t lanes) { return lanes / 4 * sizeof(pixels::QuadRecord); }

// Rows of the uniform table by component, so that a host can look words up in registers: component c of rows
// 0 to `rows` - 1 from byte `source` of the table on stands, row after row, at byte place + c * 4 * rows. The
// preamble makes them, the kernel reads them. A kernel that uses a row outside raises the invalid flag, so
// only kernels whose runs check that flag have tables.
struct RowTables {
  std::int32_t source = 0, place = 0;
  std::uint32_t rows = 0;  // 0: no tables
  std::uint32_t bytes() const { return rows * 16; }
};

// How a function in group form is lowered.
struct Role {
  std::vector<CallSite>& call_sites;    // where the function's are added
  std::vector<PointerPlace>& pointers;  // where its pointers are added
  Tuning tuning{};
  bool preamble = false;
  bool alike = false;                     // CompileOptions::alike
  std::optional<RowLayout> rows_ahead{};  // CompileOptions::rows_ahead
  bool many_ranges = false;               // CompileOptions::many_ranges
  bool single_pixels = false;             // MachineCode::single_pixels
  RowTables row_tables{};
};

struct Host : Capabilities {
  Target target;
  std::uint32_t encoding;  // which id of its column in lir/opcodes.inc

  // Group form to LIR; `code` keeps the memory it had.
  void (*lower)(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool,
                std::uint32_t parts, lir::Code& code);
  // The tables that the kernel wants, `place` not yet set. Null: the host never wants any.
  RowTables (*choose_row_tables)(const ir::Function& kernel);
  // Registers that the allocator may use; `limit` per class if not 0.
  lir::RegisterFile (*register_file)(const Host& host, std::uint32_t limit);
  // The kernel and, if not null, the preamble to machine code: bytes, offsets, map, statistics of `out`.
  Status (*emit)(const EntryCode& kernel, const EntryCode* preamble, const Host& host,
                 const ConstantPool& pool, const CompileOptions& options, MachineCode& out);
  std::span<const lir::FixedOperand> fixed{};  // lir::Code::fixed of its code
};

// On hosts with mask registers or memory operands: a loop that branches at a chain of tests tests values
// from before the loop only there. Takes the uses that lir::count_uses found, and keeps them. `workspace` is
// memory that the next call may use again.
void hoist_tests(lir::Code& code, const Host& host, std::vector<std::uint32_t>& uses,
                 std::vector<lir::Inst>& workspace);

// On hosts with mask registers: comparisons look only at the lanes of a mask that they are joined
// with, branches at two masks. Takes the uses that lir::count_uses found; masks that it makes
// unnecessary have no uses then.
void fold_masks(lir::Code& code, const Host& host, std::vector<std::uint32_t>& uses);

// Makes memory operands of loads from addresses in registers, and of whole vectors of the
// constant pool, that one instruction of the same block needs. Takes the uses that
// lir::count_uses found; such loads have no uses then.
void fold_loads(lir::Code& code, const Host& host, std::vector<std::uint32_t>& uses);

// Moves comparisons and the like that only cold blocks read to where control enters those, once for each
// place. What hot blocks keep live for that is less then: a number in place of the masks that it makes.
// Takes the uses that lir::count_uses found, and removes what is dead as lir::remove_dead does; false: did
// neither. `workspace` is memory that the next call may use again.
bool sink_to_cold(lir::Code& code, const std::vector<std::uint32_t>& uses, std::vector<lir::Inst>& workspace);

// Orders what loops compute by parts: first what computes the first vectors of values, then what computes
// their second ones, and so on. That way fewer vectors are live at once, and parts are still near enough for
// processors to compute them side by side.
void order_parts(lir::Code& code, std::vector<lir::Inst>& workspace);

// Checks that instructions respect their effects: a terminator ends its block; instructions that may be
// removed or repeated have no effect; a register that an instruction clears has no other reader. Returns
// empty text if so.
std::string verify_effects(const lir::Code& code);

// Null if the target was not built in.
const Host* find_host(Target target);

}  // namespace warpjit::backend
