// What the parts of one lowering share: what is lowered, what is made, where it stands, and the registers
// that values have.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "backend/host.h"
#include "ir/analysis/lane_sets.h"

namespace warpjit::backend {

class HostConstants;
class HostMasks;

// Loads rows of inputs where their first component is used.
class InputLoader {
 public:
  virtual void load_input(ir::Inst i) = 0;

 protected:
  ~InputLoader() = default;
};

// A register and the block (State::current_block) in which it may be used.
struct Cached {
  lir::Reg reg = lir::kNoReg;
  std::uint32_t block = ~0u;
};

struct State {
  // Empties `code`, which keeps the memory it had.
  State(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool, std::uint32_t parts,
        lir::Code& code);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const ir::Function& f;
  const Host& host;
  const Role& role;
  ConstantPool& pool;
  const std::uint32_t parts;  // vectors of a varying value
  // Lanes that a vector has besides those of the group belong to no thread: their values are anything.
  const bool has_idle_lanes;
  lir::Code& code;
  const ir::LaneSets lane_sets;  // of groups without idle lanes

  std::uint32_t current_block = 0;  // the caches' stamp: the IR block being lowered, or a place within it
  std::uint32_t guest_address = ir::kNoAddress;
  std::uint32_t table_epoch = 0;  // stores to the uniform table so far (in preambles)
  bool flushing = false;          // the mode at this place (lir::Code::flushes)

  std::vector<lir::Reg> regs;            // by value and part
  std::vector<char> inverted;            // by value: the registers hold the complement of the mask
  std::vector<std::uint32_t> use_count;  // of IR values
  std::vector<char> read_whole;          // of IR values: read by more than what rounds it to a half
  // Other forms of values: of uniform ones by value, of inverted masks by value and part.
  std::vector<Cached> vector_cache, scalar_cache, mask_cache, upright_cache;
  Cached live_lanes;  // the mask of those that threads have
  Cached no_lanes, all_lanes;
  std::vector<Cached> lane_numbers;                              // by part
  std::vector<std::pair<std::uint32_t, Cached>> constant_cache;  // constants in registers, this block's

  // Who makes forms that a value does not have yet. FunctionLowering sets them before it lowers anything.
  HostConstants* constants = nullptr;
  HostMasks* masks = nullptr;
  InputLoader* inputs = nullptr;
};

}  // namespace warpjit::backend
