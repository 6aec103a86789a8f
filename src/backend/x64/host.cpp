#include "backend/x64/host.h"

namespace warpjit::backend::x64 {
namespace {

lir::RegisterFile register_file(const Host& host, std::uint32_t limit) {
  lir::RegisterFile file;
  auto op = [](Op o) { return static_cast<std::uint16_t>(o); };
  auto& vectors = file.allocatable[static_cast<std::size_t>(lir::RegClass::vector)];
  auto& masks = file.allocatable[static_cast<std::size_t>(lir::RegClass::mask)];
  auto& scalars = file.allocatable[static_cast<std::size_t>(lir::RegClass::scalar)];
  for (std::uint8_t r = 0; r < host.vector_registers; ++r) vectors.push_back(r);
  for (std::uint8_t r = 1; r < 8; ++r) masks.push_back(r);  // k0 cannot predicate
  // rax is the emitter's own, rdi holds the KernelArgs, rsi the table, rsp the frame, rbp its anchor; those
  // that need not be saved come first.
  for (std::uint8_t r : {1, 2, 8, 9, 10, 11, 3, 12, 13, 14, 15}) scalars.push_back(r);
  if (limit != 0)
    for (auto& registers : file.allocatable)
      if (registers.size() > limit) registers.resize(limit);
  file.moves = {{{op(Op::Copy), op(Op::LoadFull), op(Op::StoreFull)},
                 {op(Op::KCopy), op(Op::KLoad), op(Op::KStore)},
                 {op(Op::SCopy), op(Op::SLoad64), op(Op::SStore)}}};
  file.slot_bytes = {host.vector_bytes, 8, 8};
  return file;
}

// On AVX2 each constant is repeated over a whole vector, so that it can be a memory operand.
constexpr Host make(Target target, std::uint32_t lanes, bool v4) {
  Host host = {};
  host.target = target;
  host.lanes = lanes;
  host.vector_bytes = lanes * 4;
  host.vector_registers = v4 ? 32 : 16;
  host.pool_repeat = v4 ? 1 : lanes;
  host.mask_registers = v4;
  host.memory_operands = true;
  host.two_operand_scalars = true;
  host.scaled_row_index = true;
  host.max_code_bytes = 1u << 30;
  host.lower = lower;
  if (v4) host.choose_row_tables = choose_row_tables;
  host.register_file = register_file;
  host.emit = emit;
  return host;
}

}  // namespace

constinit const Host kV3 = make(Target::x64_v3, 8, false), kV4 = make(Target::x64_v4, 16, true);

}  // namespace warpjit::backend::x64
