// Interprets IR in thread form and group form: the oracle of passes and backends, and the engine where no
// code can be made. A function is prepared once into flat operations over a frame of words [value][lane]; a
// run allocates nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "ir/function.h"
#include "ir/memory.h"
#include "pixels/records.h"

namespace warpjit::ir {

// The memory of a function's memory operations. Thread t of the launch has the 16 bytes at address + t *
// stride, or the row that a word of another binding chooses (LoadInput); the caller guarantees them for every
// thread that it runs. Outputs overlap nothing.
struct InputBinding {
  const std::byte* address = nullptr;
  std::int64_t stride = 0;
};
struct OutputBinding {
  std::byte* address = nullptr;
  std::int64_t stride = 0;
};
struct Memory {
  std::span<const InputBinding> inputs;                // at least input_count
  std::span<const OutputBinding> outputs;              // at least output_count
  std::span<std::uint32_t> uniform;                    // at least uniform_bytes; only a preamble writes it
  const std::atomic<std::uint32_t>* cancel = nullptr;  // optional: polled where fuel burns, not 0 stops
  BlockMemory* block = nullptr;                        // LoadMemory and its relatives
  // Functions over pixels: records of the quads and groups that are run and of those before, by number, and
  // the planes of the tile.
  const pixels::QuadRecord* quads = nullptr;
  const pixels::GroupRecord* groups = nullptr;
  std::byte* tile = nullptr;
  std::span<const TexelView> textures{};  // at least texture_count
  // max(block_groups, 1) * frame_slots * lanes words: LoadFrame and its relatives.
  std::span<std::uint32_t> frame{};
};

class Interpreter {
 public:
  // The widths that a group can have.
  static bool valid_lanes(unsigned lanes);

  // Expects valid IR (verify). `lanes` is the width of a group in group form, and of the groups that records
  // of pixels describe; thread form always runs one thread at a time. Fails with resource_limit if the frame
  // would exceed 256 MiB.
  static Result<Interpreter> prepare(const Function& f, unsigned lanes = 16);

  // The scratch memory of one host thread, reusable for any number of runs of this interpreter.
  class Frame {
   public:
    Frame() = default;
    Frame(Frame&&) = default;
    Frame& operator=(Frame&&) = default;

   private:
    friend class Interpreter;
    std::vector<std::uint32_t> storage_;
    std::uint32_t* words_ = nullptr;  // 64-byte aligned
  };
  Frame make_frame() const;

  // Runs threads first_thread .. first_thread + thread_count - 1, ascending, in groups of `lanes`; the idle
  // lanes of a last group copy its last thread and store nothing. A preamble runs with a count of 1.
  // Each thread may make `fuel` backward transfers (base/fuel.h): in thread form on marked edges, exactly, in
  // group form by BurnFuel (or on marked edges, as long as insert_fuel has not run).
  // Functions over pixels: whole groups.
  // Functions of blocks: threads 0 .. n-1, n = block_groups / inner_groups * lanes, are those of one block.
  // Errors: out_of_fuel with "guest address N", cancelled, bad_input if a binding is missing, fault by Stop.
  // The outputs of threads before the failing group are complete.
  Status run(Frame& frame, const Memory& memory, std::uint64_t first_thread, std::uint64_t thread_count,
             std::uint64_t fuel) const;
  Status run(const Memory& memory, std::uint64_t first_thread, std::uint64_t thread_count,
             std::uint64_t fuel) const;

  unsigned lanes() const { return lanes_; }

  // One operation of the prepared program. Operands and results are word offsets into the frame.
  struct Operation {
    Opcode opcode = Opcode::Return;  // Phi: copy a to result; Jump: go to target
    std::uint32_t result = 0, a = 0, b = 0, c = 0;
    std::uint32_t guest_address = kNoAddress;
    std::uint64_t immediate = 0;  // also targets: operation indices, the true one low, the false one high
  };

 private:
  friend class Preparation;

  unsigned lanes_ = 1;
  std::uint32_t frame_words_ = 0;
  std::uint32_t first_slot_ = 0, slot_words_ = 0;  // LoadSlot, StoreSlot
  std::uint32_t input_count_ = 0, output_count_ = 0, uniform_words_ = 0, texture_count_ = 0;
  std::uint32_t inner_groups_ = 1;
  std::uint32_t frame_slots_ = 0, frame_words_of_block_ = 0;
  std::uint32_t group_lanes_ = 1;  // of LaneIndex and GroupIndex
  bool needs_block_ = false, needs_pixels_ = false;
  bool has_blocks_ = false;         // else all groups have one memory of their own, one after the other
  std::uint32_t record_lanes_ = 1;  // threads of a pixels::GroupRecord
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> lists_;  // operands of StoreOutput(Row), targets of Switch
  struct Constant {
    std::uint32_t result, bits;
  };
  std::vector<Constant> constants_;    // in the frame from the start
  std::vector<Operation> broadcasts_;  // LoadUniform*: once per run
};

}  // namespace warpjit::ir
