#include "frontend/valhall/interpret/arithmetic.h"

#include <algorithm>
#include <cstdio>

#include "frontend/valhall/interpret/families.h"

namespace warpjit::valhall {
namespace {

// Instructions that no driver emits and whose values no source gives.
constexpr Opcode kUndefined[] = {Opcode::frcp_approx, Opcode::frsq_approx,       Opcode::flog_table,
                                 Opcode::fexp_table,  Opcode::fsincos_offset,    Opcode::fatan_assist,
                                 Opcode::fpclass,     Opcode::fma_rscale_scale16};

const Meaning* find_meaning(Opcode opcode) {
  for (const auto& family : {integer_meanings(), float_meanings(), conversion_meanings()})
    for (const Meaning& meaning : family)
      if (meaning.opcode == opcode) return &meaning;
  return nullptr;
}

Operation::Result result_of(const Instruction& i, const Meaning& meaning) {
  if (elements_of(i.type).bits == 64) return Operation::Result::wide;
  return i.type == Type::v2f16 || i.type == Type::f16 ? Operation::Result::word : meaning.result;
}

bool is_comparison(const Instruction& i) {
  return i.opcode == Opcode::icmp_or || i.opcode == Opcode::icmp_and || i.opcode == Opcode::fcmp_or ||
         i.opcode == Opcode::fcmp_and;
}
// encoding.inc has them side by side.
bool is_shift(const Instruction& i) { return i.opcode >= Opcode::rshift_and && i.opcode <= Opcode::lrot_xor; }

// Why fields of an instruction that is otherwise defined have no defined meaning together; empty: they have.
std::string undefined_fields(const Instruction& i, Operation::Result result) {
  const bool wide = result == Operation::Result::wide;
  const Elements elements = elements_of(i.type);
  if (i.condition == Condition::total) return "the comparison `total` is not defined";
  if (is_comparison(i) && i.result_type == ResultType::u1) return "only ICMP_MULTI gives u1";
  if (is_comparison(i) && elements.bits == 8 && i.result_type == ResultType::f1)
    return "a byte cannot be 1.0";
  if (wide && i.saturate) return "saturation of 64 bits is not defined";
  if (wide && i.write_mask != 3) return "a mask of a pair is not defined";
  if (result == Operation::Result::word && i.write_mask == 0) return "a result without halves is not defined";
  if (i.sqrt && i.log) return "a range of `sqrt` and `log` together is not defined";
  if (i.opcode == Opcode::mux && i.mux == Mux::fp_zero && elements.bits == 8) return "bytes are no floats";
  const Lanes count = i.source[1].lanes;
  if (is_shift(i) && elements.count == 1 && (count == Lanes::b01 || count == Lanes::b23))
    return "one element has one shift count";
  return {};
}

Error unsupported(const Instruction& i, const std::string& why) {
  return {ErrorCode::unsupported, mnemonic(i) + ": " + why, {}};
}

}  // namespace

Result<Operation> find_operation(const Instruction& i) {
  if (std::ranges::find(kUndefined, i.opcode) != std::end(kUndefined))
    return unsupported(i, "its values are not known");
  const Meaning* meaning = find_meaning(i.opcode);
  if (meaning == nullptr) return unsupported(i, "this instruction does not run yet");
  if (i.unused != 0) {
    char bits[32];
    std::snprintf(bits, sizeof bits, "0x%llx", static_cast<unsigned long long>(i.unused));
    return unsupported(i, "bits " + std::string(bits) + " have no known meaning");
  }
  const Operation operation{meaning->compute, result_of(i, *meaning)};
  if (const std::string why = undefined_fields(i, operation.result); !why.empty()) return unsupported(i, why);
  return operation;
}

std::uint64_t merged(const Operation& operation, const Instruction& instruction, const Inputs& inputs,
                     std::uint64_t value) {
  if (operation.result == Operation::Result::single) {
    // A second rounding, to nearest even whatever the first one was.
    const double single = static_cast<double>(to_float(static_cast<std::uint32_t>(value)));
    const std::uint32_t half = finish(kHalf, single, Instruction{}, inputs.mode);
    value = half | half << 16;
  }
  const std::uint32_t written = instruction.write_mask == 1   ? 0x0000ffff
                                : instruction.write_mask == 2 ? 0xffff0000
                                                              : 0xffffffff;
  return (value & written) | (inputs.destination & 0xffffffff & ~std::uint64_t{written});
}

}  // namespace warpjit::valhall
