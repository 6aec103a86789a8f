#include "ir/types.h"

#include <array>

namespace warpjit::ir {

std::string_view name(Type type) {
  constexpr std::array<std::string_view, 9> kNames = {"none", "i1", "i8", "i16", "i32", "i64", "f16", "f32", "f64"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view name(Shape shape) {
  constexpr std::array<std::string_view, 3> kNames = {"launch", "group", "varying"};
  return kNames[static_cast<std::size_t>(shape)];
}

namespace {
constexpr OpcodeInfo decode_row(std::string_view name, std::string_view results, std::string_view operands,
                                std::string_view flags) {
  auto has = [&](char flag) { return flags.find(flag) != std::string_view::npos; };
  return {name, results, operands, has('P'), has('C'), has('R'), has('W'), has('X'), has('T'), has('I')};
}

constexpr std::array<OpcodeInfo, kOpcodeCount> kOpcodes = {{
#define WARPJIT_IR_OP(name, results, operands, flags) decode_row(#name, results, operands, flags),
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
}};
}  // namespace

const OpcodeInfo& info(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)]; }

}  // namespace warpjit::ir
