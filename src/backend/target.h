// The interface of the backend: targets, compile options, and position-independent machine code with what the
// runtime needs to place and call it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/loop_cost.h"
#include "backend/processor.h"
#include "base/fuel.h"
#include "base/result.h"
#include "ir/analysis/lane_sets.h"
#include "ir/memory.h"
#include "ir/pipeline.h"
#include "pixels/records.h"

namespace warpjit::backend {

// Host instruction sets that code can be made for, on any host.
enum class Target : std::uint8_t {
  x64_v3,  // x86-64-v3: AVX2, FMA, BMI; 8 lanes a vector, masks in vectors
  x64_v4,  // x86-64-v4: AVX-512 F/BW/DQ/VL; 16 lanes a vector, masks in k registers
  a64,     // AArch64: NEON; 4 lanes a vector, masks in vectors
  // With arithmetic of halves; for guests without it, code is that of the target without.
  x64_v4_fp16,  // AVX512-FP16
  a64_fp16,     // FEAT_FP16
};
inline constexpr Target kTargets[] = {Target::x64_v3, Target::x64_v4, Target::a64, Target::x64_v4_fp16,
                                      Target::a64_fp16};
// Those without arithmetic of halves.
inline constexpr Target kPlainTargets[] = {Target::x64_v3, Target::x64_v4, Target::a64};
constexpr Target plain(Target target) {  // the same without arithmetic of halves
  return target == Target::x64_v4_fp16 ? Target::x64_v4 : target == Target::a64_fp16 ? Target::a64 : target;
}
constexpr bool has_half_arithmetic(Target target) { return target != plain(target); }
std::string_view name(Target target);                // "v3", "v4", "a64", "v4-fp16", "a64-fp16"
std::uint32_t lanes(Target target);                  // 32-bit lanes of a vector
bool built_in(Target target);                        // true if this build makes code for it
Result<Target> parse_target(std::string_view text);  // the names above
bool runs_here(Target target);                       // true if this CPU (and OS) executes it
Result<Target> best_target();                        // widest that runs here, or target_unavailable

// Calling convention of the kernel's entries. native: what the target's system uses, on AArch64 always
// AAPCS64 with x18 left alone, on x86-64 that of the system warpjit was built for.
enum class Abi : std::uint8_t { native, system_v, win64 };

// One input or output of a kernel call: four 32-bit words a thread, at address + thread * stride. An input
// may also hold words that number the rows of others (LoadInput): then those have a step of 0.
struct Binding {
  std::byte* address;   // of the call's first thread; the kernel advances it group by group
  std::int64_t stride;  // bytes from one thread to the next; any value, also 0
  std::int64_t step;    // stride * lanes
};

enum class KernelStatus : std::uint32_t { done = 0, out_of_fuel = 1, cancelled = 2, stopped = 3 };

inline constexpr std::size_t kGroupLaneBits = std::bit_width(ir::kMaxGroupLanes) - 1;

// An operation that code leaves to call_out.
struct CallSite {
  ir::Opcode opcode{};
  std::uint32_t guest_address = ir::kNoAddress;
  std::uint32_t lanes = 0;  // that take part: those of the group
  std::uint32_t pitch = 0;  // words from one operand to the next, as many as lanes or more
  std::uint64_t immediate = 0;
  // For accesses to memory, and for BurnFuel, whose immediate is 0 but for groups of fixed width, where it is
  // ir::Function::inner_groups. All lanes act: operand 0, the guard, is not among the words.
  bool unguarded = false;
  // For accesses: these lanes act, and the guard is not among the words either.
  std::optional<ir::LaneSet> guard{};
  // Operand 1, the address, is the word of the group's lane 0 only. A lane adds the strides of the bits that
  // are set in its number, modulo 2^16 if wraps16 (ir/analysis/lane_shape).
  bool strided = false, wraps16 = false;
  std::array<std::uint32_t, kGroupLaneBits> strides{};
  // The call also makes the accesses of this number of sites after this one. They have the guard and the
  // addresses of this one, and `further` bytes. Their values follow operand 2, their results follow result 0.
  std::uint32_t followers = 0;
  std::uint32_t further = 0;
};

// Alignment of the addresses of global ranges that code reaches itself.
inline constexpr std::uint32_t kWindowAlignment = 8;
// Bytes of shared memory that code reaches itself; beyond them it calls out. Addresses count modulo 2^16: a
// vector, or a run of accesses, that begins inside ends before 2^16 and does not wrap around.
inline constexpr std::uint32_t kMostSharedSeen = 0xff00;

// The most 32-bit lanes that a vector of any host has.
inline constexpr std::uint32_t kMostHostLanes = 16;

inline constexpr std::uint32_t kSharedLine = 64;  // bytes of shared memory that code clears at once
// Code loads up to this number of bytes before and after shared memory: for lanes that take no part, and as
// the rest of a vector that begins or ends there.
inline constexpr std::uint32_t kSharedMargin = (ir::kMaxGroupLanes + kMostHostLanes) * 4;

// The piece of a space that code reaches itself; the rest is for call_out. An access of 2^k bytes at an
// address begins inside if address - `address`, unsigned, is below limits[k].
struct MemoryWindow {
  const std::byte* bytes;  // readable, 4 bytes at least; of shared memory with margins
  // Global spaces: a multiple of kWindowAlignment. Local memory: bytes of a group. All others: 0.
  std::uint32_t address;
  std::uint32_t limits[5];
  std::uint32_t counts[5];  // pieces of 2^k bytes
};
// Where a launch has a pointer into a global space. The compiler guesses that because
// addresses are made of the word.
struct PointerPlace {
  std::uint8_t into;  // the global space
  bool in_table;      // in the uniform table, else in the space of `access`: shared or constant
  ir::MemoryAccess access;
  std::uint32_t address;  // byte of the table, or of the space
  bool operator==(const PointerPlace&) const = default;
};
// The windows of all spaces of a block, in the order of constant, global, shared, local. After them those of
// pointers (MachineCode::pointers): of the range that each points into, where a global space has several.
class MemoryWindows {
 public:
  static constexpr std::size_t kLocks = 2 * ir::kMaxSpaces + 2;  // of shared memory, a byte for each word
  static constexpr std::size_t kCount = kLocks + 1;
  static constexpr std::size_t kMostPointers = 8;
  static std::size_t number(ir::Space space, std::uint8_t index);
  MemoryWindows();  // nothing in any
  // Only `shared` and `local` change from block to block. The caller provides kSharedMargin readable bytes
  // before `shared` and after it.
  void set(const ir::BlockMemory& memory);
  // After it, when what the pointers lie in is there: at most kMostPointers.
  void aim(std::span<const PointerPlace> pointers, const ir::BlockMemory& memory, const std::uint32_t* table);
  const MemoryWindow* data() const { return windows_.data(); }

 private:
  std::array<MemoryWindow, kCount + kMostPointers> windows_;
  bool set_[kCount] = {};
};

// The single argument of both entries. Offsets are part of the generated code.
inline constexpr std::uint32_t kMaxInputs = 18;
inline constexpr std::uint32_t kMaxOutputs = 44;
struct KernelArgs {
  std::uint32_t* table;         // the uniform table, 64-byte aligned; the preamble writes to it
  std::uint64_t group_count;    // groups to run, at least 1; every lane of them is live
  std::uint64_t fuel;           // group_fuel: backward transfers of a group before its threads are counted
  const std::uint32_t* cancel;  // polled where fuel is burnt; not 0 stops the call
  KernelStatus status;          // set by the kernel when it stops early
  std::uint32_t guest_address;  // where it stopped

  // For work over pixels: the records of the first group, which the kernel advances. The tile's planes stay.
  const void* quads;                  // QuadRecords, lanes / 4 a group; or PixelRecords, `lanes` a group
  const pixels::GroupRecord* groups;  // one a group
  std::byte* tile;                    // planes; after them a word that code may write

  const ir::TexelView* textures;  // of the function's texture_count

  Binding inputs[kMaxInputs];
  Binding outputs[kMaxOutputs];

  // Only code with call sites, with memory of threads, or for groups of fixed width
  // (ir::Function::group_lanes), looks at what follows. Work without blocks has one frame and one local
  // memory, those of group 0.
  void (*call)(KernelArgs*, std::uint32_t site, std::uint32_t* words);  // call_out; in the code's convention
  const CallSite* call_sites;                                           // MachineCode::call_sites
  ir::BlockMemory* memory;
  const MemoryWindow* windows;  // MemoryWindows of `memory`
  std::uint32_t* frame;         // of LoadFrame: max(block_groups, 1) * frame_slots * group_lanes words
  std::uint32_t group_index;    // of the first group in its block; the kernel advances it
  std::uint32_t stop_reason;    // ir::StopReason, with KernelStatus::stopped

  // Calls for groups of blocks may run several blocks, in the order of the grid, if they have no memory of
  // their own but `shared`. The kernel advances the following members, except those that stay.
  ir::BlockPosition block;
  std::uint32_t grid_columns, grid_rows;  // stay
  std::uint32_t block_groups;             // stays: what group_count is at the begin of the blocks that follow
  std::uint64_t more_blocks;              // after this one
  // What shared memory holds as a block begins, for code that uses it. All stay; sizes are multiples of
  // kSharedLine, those of the head are at least one.
  std::byte* shared;
  std::uint64_t shared_bytes;
  const std::byte* head;     // its begin, the same for all blocks but for the position; zeros follow
  std::uint64_t head_bytes;  // at most shared_bytes
  std::uint32_t* position;   // of the block: where 16 bits of column and row go. Not null

  // Transfers of each thread, for call_out. Null: no thread may make a further transfer.
  FuelCounts* fuel_counts;

  // Goes on to the next block, as code does after the last group of one. False: there is no next block.
  bool next_block() {
    if (more_blocks == 0) return false;
    --more_blocks;
    group_count = block_groups;
    group_index = 0;
    advance_block();
    if (shared != nullptr) begin_shared();
    return true;
  }
  // Makes shared memory what it is as the block begins.
  void begin_shared() const {
    std::memcpy(shared, head, head_bytes);
    std::memset(shared + head_bytes, 0, shared_bytes - head_bytes);
    const std::uint32_t word = (block[0] & 0xffff) | block[1] << 16;
    std::memcpy(position, &word, 4);
  }

 private:
  void advance_block() {
    if (++block[0] < grid_columns) return;
    block[0] = 0;
    if (++block[1] < grid_rows) return;
    block[1] = 0;
    ++block[2];
  }
};

// Does what a call site stands for, lane by lane: the lanes' words of operand k are at words[k * pitch],
// results follow the operands. i1 words are 0 or all ones. Operations on memory act where their guard holds
// and leave faults in args->memory. Expects the environment of base/float_environment.h.
void call_out(KernelArgs* args, std::uint32_t site, std::uint32_t* words);

// How the rows of one thread lie in memory.
struct RowLayout {
  bool interleaved_inputs = false;  // beside each other, in one array
  bool packed_outputs = false;      // in one array, one after the other, with nothing between two threads
  bool operator==(const RowLayout&) const = default;
};

struct CompileOptions {
  Tuning tuning{};
  Abi abi = Abi::native;
  std::uint32_t parts = 0;        // vectors per value; 0: chosen for the program
  bool small_primitives = false;  // pixels: most primitives cover few pixels of a tile
  bool large_primitives = false;  // pixels: most groups are full, however wide they are
  // Pixels: whether the code takes PixelRecords, if the host can and no lane reads others; without a value:
  // where it pays.
  std::optional<bool> single_pixels{};
  // Rows of bindings mostly come from memory: cache lines are prefetched before groups come to them, if the
  // host does so.
  std::optional<RowLayout> rows_ahead{};
  bool many_ranges = false;     // global spaces may have several: pointers get windows of their own
  bool alike = false;           // all lanes of a group are one thread: rows are read and written once
  std::uint32_t registers = 0;  // registers per class the allocator may use (tests: 4); 0: all
  bool validate = false;        // asmjit operand validation, LIR verifier, allocation checker
  bool listing = false;         // keep asmjit's text of each instruction
  bool costs = false;           // MachineCode::loops and costs
};

// A host offset from which on code belongs to a guest address (ir::kNoAddress: to none), ascending.
struct AddressMapping {
  std::uint32_t offset;
  std::uint32_t guest_address;
};

struct CodeStatistics {
  std::uint32_t instructions = 0;        // host instructions of the group loop and preamble
  std::uint32_t group_instructions = 0;  // without the preamble
  std::uint32_t vector_arithmetic = 0;   // of all: vector arithmetic, mask and compare instructions
  std::uint32_t vector_operands = 0;     // of all: what brings constants and uniforms into vectors
  std::uint32_t spill_stores = 0;
  std::uint32_t spill_loads = 0;
  std::uint32_t rematerialized = 0;
  std::uint32_t moves = 0;  // register copies
  // For one group that goes through each block once, and through no cold one: the sum of clocks_of(), or 0 if
  // that is not known.
  double group_clocks = 0;
};

// Machine code of one kernel. Its entries are called inside a FloatEnvironment (base/float_environment.h).
// The code reads its constant pool relative to itself and nothing else by address, so it may be placed
// anywhere; where it is not a multiple of `alignment`, which is a power of two from 64 on, it may be slower.
struct MachineCode {
  Target target = Target::x64_v3;
  std::vector<std::uint8_t> bytes;  // code, then the constant pool
  std::uint32_t alignment = 64;
  std::uint32_t code_size = 0;          // bytes of code; the pool begins at the next multiple of 64
  std::uint32_t kernel_offset = 0;      // void(KernelArgs*)
  std::uint32_t preamble_offset = ~0u;  // void(KernelArgs*); ~0: none needed
  std::uint32_t lanes = 0;              // threads per group
  std::uint32_t parts = 0;              // vectors per value
  bool single_pixels = false;           // takes PixelRecords
  std::uint32_t table_bytes = 0;        // size of the uniform table, preamble words included
  // This byte of shared memory, a multiple of 16 below 64, should begin a cache line: most vectors there have
  // it as the constant part of their address modulo 64.
  std::uint32_t shared_phase = 0;
  std::vector<CallSite> call_sites;
  std::vector<PointerPlace> pointers;  // for MemoryWindows::aim
  std::vector<AddressMapping> map;
  // For Abi::win64: UNWIND_INFO of parts of the code, offsets in `bytes`, as RUNTIME_FUNCTION has them; ascending.
  struct Unwinding {
    std::uint32_t begin, end, info;
  };
  std::vector<Unwinding> unwinding;
  CodeStatistics statistics;
  struct Line {
    std::uint32_t offset;
    std::string text;
  };
  std::vector<Line> listing;  // with CompileOptions::listing
  // With CompileOptions::costs, if the target has a table.
  std::vector<LoopCost> loops;         // of the kernel, outer ones first
  std::vector<InstructionCost> costs;  // of all code, ascending
};

// Memory that compilations fill and leave for the next one. One compilation at a time may use it.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// How wide the groups of a function should be that may be widened (ir::PipelineOptions::group_lanes).
std::uint32_t choose_group_lanes(const ir::Function& f, Target target);

// What passes should know of the target.
ir::PipelineOptions pipeline_options(Target target);

// Lowers, allocates and emits. The program must verify in group form. Fails with `unsupported` for a target
// that was not built in, `resource_limit` for code larger than the backend's limits.
Result<MachineCode> compile(const ir::GroupProgram& program, Target target, const CompileOptions& options,
                            Workspace& workspace);
Result<MachineCode> compile(const ir::GroupProgram& program, Target target, const CompileOptions& options);

// A listing of the code with guest addresses: asmjit's text where the code has it, else Zydis's of x86-64
// where built with it, else bytes. Where costs are there, they stand before what they are of: clocks,
// latency. `annotate` gives the text printed where a new guest address begins (for example its disassembly).
std::string list(const MachineCode& code, const std::function<std::string(std::uint32_t)>& annotate = {});

}  // namespace warpjit::backend
