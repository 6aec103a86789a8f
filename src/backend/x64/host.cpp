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
  for (std::uint8_t r = 1; r <= host.mask_registers; ++r) masks.push_back(r);  // k0 cannot predicate
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

constexpr std::uint8_t kRax = 0;
constexpr auto kCompareExchange = static_cast<std::uint16_t>(Op::SCompareExchange);
constexpr lir::FixedOperand kFixed[] = {{kCompareExchange, 0, kRax},
                                        {kCompareExchange, lir::FixedOperand::kDefinition, kRax}};

constexpr Host host(Target target, std::uint32_t encoding, RowTables (*tables)(const ir::Function&)) {
  return {capabilities(target), target, encoding, lower, tables, register_file, emit, kFixed};
}

}  // namespace

constinit const Host kV3 = host(Target::x64_v3, 0, nullptr);
constinit const Host kV4 = host(Target::x64_v4, 1, choose_row_tables);
constinit const Host kV4Fp16 = host(Target::x64_v4_fp16, 1, choose_row_tables);

}  // namespace warpjit::backend::x64
