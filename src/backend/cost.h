// What operations of LIR cost on a host, and code that measures it. The numbers stand in x64/costs.inc and
// here; lir/opcodes.inc says which row is an operation's, and which unit it takes.
#pragma once

#include <span>

#include "backend/lir/operations.h"
#include "backend/processor.h"
#include "backend/target.h"

namespace warpjit::backend {

// In clocks: from an address to the word, and from a stored word to one that loads it.
inline constexpr double kLoadLatency = 5, kForwardLatency = 5;
inline constexpr double kIssue = 6;  // operations that begin in a clock
// Operations that have begun while not all of those before them have ended: the number
// of Zen 3, which has the fewest.
inline constexpr std::size_t kReorderWindow = 256;

// In clocks. Latency: from operands to a result that the same operation may take; 0: it takes none of that
// kind. Clocks: from one to the next that does not wait for it.
struct OperationCost {
  Op op;
  double latency, clocks;
};
// The costs of the target's operations that have rows, on processors of a maker; those of other makers count
// as Intel's. Empty for a target without a table.
std::span<const OperationCost> costs(Target target, Maker on = maker());
// Those without a row count as another one that is as dear everywhere, or as what takes one place among six
// in a clock.
double clocks_of(Target target, Op op, Maker on = maker());
std::span<const double, kOpCount> clocks_by_operation(Target target, Maker on = maker());
double latency_of(Target target, Op op, Maker on = maker());  // without a row: one clock

// Which part of a processor with vectors an operation takes; none: it is of scalars or of memory alone.
enum class Unit : std::uint8_t { none, any, multiplier, adder, shuffler };
Unit unit_of(Op op);
double vector_ports(Target target, Maker on = maker());  // operations on vectors that begin in a clock
bool adds_where_it_multiplies(Maker on = maker());       // adder and multiplier are the same ports

// A kernel whose groups do nothing but the operation, kProbeRepeats times: each takes what the one before
// made, or not. Its table needs kProbeTable bytes. Errors: unsupported for an operation that is not
// among the target's costs(), except kClock, dependent, which has no row: one takes a clock on every
// processor. Additions of vectors take two where they wait for each other on Zen 5.
inline constexpr Op kClock = Op::SAdd;
inline constexpr std::uint32_t kProbeRepeats = 240, kProbeTable = 256;
Result<MachineCode> compile_probe(Target target, Op op, bool dependent);
// A kernel whose groups do nothing but change the float mode, kProbeRepeats times, to two modes by turns,
// with a product after each change: so that the processor guesses the modes right (Tuning::guesses_modes), or
// as they come.
Result<MachineCode> compile_mode_probe(Target target, bool guessed_right);

}  // namespace warpjit::backend
