// The interpreter's loop with an observer, for debuggers.
#include <array>
#include <cstring>
#include <utility>

#include "frontend/pica200/facts/register_file.h"
#include "frontend/pica200/interpret/ops.h"

namespace warpjit::pica200 {
namespace {

std::uint32_t word_at(const void* data, unsigned number) {
  std::uint32_t word;
  std::memcpy(&word, static_cast<const char*>(data) + 4 * std::size_t{number}, sizeof word);
  return word;
}

// Tells an observer what the instructions of a thread do, each of which is one or several micro-operations.
class Steps {
 public:
  Steps(interpret::Observer& observer, const Uniforms& uniforms, const ThreadState& state,
        const InterpretedUnit* unit)
      : observer_(observer), uniforms_(uniforms), state_(state) {
    const auto hold = [&](unsigned word, std::uint32_t value) {
      if (value != 0) observer.holds(static_cast<std::uint16_t>(word), 0, value);
    };
    // Inputs have a value, be it 0.
    for (unsigned n = 0; n < 64; ++n)
      observer.holds(static_cast<std::uint16_t>(RegisterWords::kV + n), 0, word_at(state.v, n));
    for (unsigned n = 0; n < 64; ++n) hold(RegisterWords::kO + n, word_at(state.o, n));
    for (unsigned n = 0; n < 64; ++n) hold(RegisterWords::kR + n, word_at(state.r, n));
    for (unsigned n = 0; n < 2; ++n) hold(RegisterWords::kA0 + n, static_cast<std::uint32_t>(state.a0[n]));
    hold(RegisterWords::kAL, static_cast<std::uint32_t>(state.aL));
    for (unsigned n = 0; n < 2; ++n) hold(RegisterWords::kCmp + n, state.cmp[n] ? 1 : 0);
    for (unsigned n = 0; n < 4 * 96; ++n) hold(RegisterWords::kC + n, word_at(uniforms.c, n));
    for (unsigned n = 0; n < 16; ++n) hold(RegisterWords::kI + n, uniforms.i[n / 4][n % 4]);
    for (unsigned n = 0; n < 16; ++n) hold(RegisterWords::kB + n, uniforms.b >> n & 1);
    if (unit == nullptr) return;
    const Latch latch = latch_of(*unit);
    for (unsigned n = 0; n < latch.size(); ++n) hold(RegisterWords::kEmit + n, latch[n]);
  }

  // Before a micro-operation: the instruction before it is done if another one begins. False: the observer ends
  // the run.
  bool before(const MicroOp& op, const std::int32_t (&addresses)[4], unsigned flags) {
    if (!begins(op)) return true;
    if (!end()) return false;
    observer_.begin(op.address, 1);
    open_ = true;
    not_ieee_ = 0;
    nan_read_ = false;
    if (op.kind == Kind::fault) return true;
    if (op.kind < Kind::round)
      read_operands(op, addresses);
    else
      read_flow(op, flags);
    return true;
  }
  bool end() { return !std::exchange(open_, false) || observer_.step(); }
  void happened(unsigned what) { observer_.happened(what); }
  // Components that 0 * inf has made 0.
  void multiplied(unsigned lanes) { not_ieee_ |= lanes; }

  // Before `value` is written to the components that the operation's mask names.
  void write(const MicroOp& op, const void* value) {
    const unsigned first = op.dst / 4U;
    unsigned mask = 0;
    for (unsigned n = 0; n < 4; ++n) {
      if (op.alu.mask[n] == 0) continue;
      mask |= 1U << n;
      const std::uint32_t after = word_at(value, n);
      if (op.kind == Kind::round)
        round(first + n, after);
      else
        observer_.wrote(first + n, 0, word_at(&state_, first + n), after);
    }
    if (op.kind == Kind::round) return;
    const bool selects = op.kind >= Kind::max_plain && op.kind <= Kind::min_indexed;
    const unsigned used = is_sum(op.kind) ? op.alu.reads & 15 : mask;
    if ((not_ieee_ & used) != 0 || (selects && nan_read_)) observer_.happened(interpret::kRule);
  }
  void write_flags(unsigned before, unsigned after) {
    for (unsigned n = 0; n < 2; ++n)
      observer_.wrote(RegisterWords::kCmp + n, 0, before >> n & 1, after >> n & 1);
  }
  // Register 1 and 2: a0.x and a0.y; 3: aL.
  void write_address(unsigned number, std::int32_t before, std::int32_t after) {
    observer_.wrote(address_word(number), 0, static_cast<std::uint32_t>(before),
                    static_cast<std::uint32_t>(after));
  }

  void emit(InterpretedUnit& unit) {
    for (unsigned n = 0; n < 64; ++n)
      if ((unit.enabled >> n / 4 & 1) != 0)
        observer_.read(RegisterWords::kO + n, 0, word_at(unit.registers.o, n));
    const Latch latch = latch_of(unit);
    for (unsigned n = 0; n < latch.size(); ++n) observer_.read(RegisterWords::kEmit + n, 0, latch[n]);
    // The banks change places.
    for (unsigned n = 0; n < 64; ++n) {
      const std::uint32_t before = word_at(unit.registers.o, n), after = word_at(unit.other_bank, n);
      if (before != after) observer_.wrote(RegisterWords::kO + n, 0, before, after);
    }
    unit.emit();
  }
  using Latch = std::array<std::uint32_t, 3>;
  static Latch latch_of(const InterpretedUnit& unit) { return {unit.vertex, unit.primitive, unit.winding}; }
  void write_latch(const Latch& before, const Latch& after) {
    for (unsigned n = 0; n < after.size(); ++n)
      observer_.wrote(RegisterWords::kEmit + n, 0, before[n], after[n]);
  }

 private:
  static bool begins(const MicroOp& op) {
    switch (op.kind) {
      case Kind::round:
      case Kind::check:
      case Kind::check_call:
      case Kind::check_if:
      case Kind::check_loop:
        return false;
      default:
        return op.kind != Kind::structural || op.flow.opcode != Opcode::nop;
    }
  }
  // Every component that it reads counts, whatever it writes.
  static bool is_sum(Kind kind) { return kind >= Kind::dp3_plain && kind <= Kind::dphi_indexed; }
  static unsigned address_word(unsigned number) {
    return number == 3 ? RegisterWords::kAL : RegisterWords::kA0 + number - 1;
  }

  void read_operands(const MicroOp& op, const std::int32_t (&addresses)[4]) {
    const unsigned reads = op.alu.reads;
    if (op.idx != 0) {
      observer_.read(address_word(op.idx), 0, static_cast<std::uint32_t>(addresses[op.idx]));
      const unsigned n = relative_index(op, addresses);
      if (n < 96) read(RegisterWords::kC + 4 * n, uniforms_.c[n], op.alu.wide, reads);
    } else if (op.wide_base != 0) {
      read(RegisterWords::kC + op.wide / 4U, reinterpret_cast<const char*>(&uniforms_) + op.wide, op.alu.wide,
           reads);
    } else {
      read_register(op.wide, op.alu.wide, reads);
    }
    read_register(op.narrow1, op.alu.narrow1, reads >> 4);
    read_register(op.narrow2, op.alu.narrow2, reads >> 8);
  }
  void read_register(unsigned offset, const std::int32_t (&selector)[4], unsigned lanes) {
    read(offset / 4, reinterpret_cast<const char*>(&state_) + offset, selector, lanes);
  }
  // The components that these lanes select, each once.
  void read(unsigned first, const void* data, const std::int32_t (&selector)[4], unsigned lanes) {
    unsigned components = 0;
    for (unsigned n = 0; n < 4; ++n)
      if ((lanes >> n & 1) != 0) components |= 1U << selector[n];
    for (unsigned n = 0; n < 4; ++n) {
      if ((components >> n & 1) == 0) continue;
      const std::uint32_t value = word_at(data, n);
      nan_read_ |= (value & 0x7fffffff) > 0x7f800000;
      observer_.read(first + n, 0, value);
    }
  }
  void read_flow(const MicroOp& op, unsigned flags) {
    const MicroOp::Flow& flow = op.flow;
    switch (flow.opcode) {
      case Opcode::callc:
      case Opcode::ifc:
      case Opcode::jmpc:
      case Opcode::breakc:
        for (unsigned n = 0; n < 2; ++n) {
          // The flag decides if another value of it may give another result.
          const unsigned other = n == 0 ? (flow.truth >> 1 & 5) | (flow.truth << 1 & 10)
                                        : (flow.truth >> 2 & 3) | (flow.truth << 2 & 12);
          if (other != (flow.truth & 15U)) observer_.read(RegisterWords::kCmp + n, 0, flags >> n & 1);
        }
        return;
      case Opcode::callu:
      case Opcode::ifu:
      case Opcode::jmpu:
        observer_.read(RegisterWords::kB + flow.uniform, 0, uniforms_.b >> flow.uniform & 1);
        return;
      case Opcode::loop:
        for (unsigned n = 0; n < 3; ++n)
          observer_.read(RegisterWords::kI + 4U * flow.uniform + n, 0, uniforms_.i[flow.uniform][n]);
        return;
      default:
        return;
    }
  }
  // The f24 mode rounds what the instruction has written.
  void round(unsigned word, std::uint32_t value) {
    for (interpret::Event::Write& write : observer_.event().writes) {
      if (write.word != word || write.after == value) continue;
      write.after = value;
      observer_.happened(interpret::kRule);
    }
  }

  interpret::Observer& observer_;
  const Uniforms& uniforms_;
  const ThreadState& state_;
  bool open_ = false;      // an instruction has begun
  unsigned not_ieee_ = 0;  // what multiplied() was told since then
  bool nan_read_ = false;
};

}  // namespace
}  // namespace warpjit::pica200

#define PICA_RUN_NAME run_loop_observed
#define PICA_OBSERVED
#include "frontend/pica200/interpret/loop.inc"
