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
constexpr Capabilities kAvx2 = {
    .lanes = 8,
    .vector_bytes = 32,
    .vector_registers = 16,
    .vector_ports = 3,
    .pool_repeat = 8,
    .max_code_bytes = 1u << 30,
    .mask_registers = false,
    .memory_operands = true,
    .broadcast_operands = false,
    .two_operand_scalars = true,
    .scaled_row_index = true,
    .blend_overwrites = false,
    .embedded_rounding = false,
    .unsigned_conversions = false,
    .number_extremes = false,
    .rotates = false,
    .scatters = false,
    .guarded_broadcasts = false,
    .three_operand_logic = false,
    .packs_bytes = true,
    .reciprocals = false,  // division takes as long
    .half_arithmetic = false,
    .table_look_ups = true,
    .flushes_first = false,
    .permuted_words = 32,  // of 8 each, four and three selects
    .loads_ahead = true,
    .one_row_test = true,
    .single_pixels = true,
};

constexpr Capabilities kAvx512 = {
    .lanes = 16,
    .vector_bytes = 64,
    .vector_registers = 32,
    .vector_ports = 2,
    .pool_repeat = 1,
    .max_code_bytes = 1u << 30,
    .mask_registers = true,
    .memory_operands = true,
    .broadcast_operands = true,
    .two_operand_scalars = true,
    .scaled_row_index = true,
    .blend_overwrites = false,
    .embedded_rounding = true,
    .unsigned_conversions = true,
    .number_extremes = true,
    .rotates = true,
    .scatters = true,
    .guarded_broadcasts = true,
    .three_operand_logic = true,
    .packs_bytes = false,  // shuffles of 512 bits have one port
    .reciprocals = true,
    .half_arithmetic = false,
    .table_look_ups = true,
    .flushes_first = false,
    .permuted_words = 128,
    .loads_ahead = true,
    .one_row_test = false,
    .single_pixels = true,
};

constexpr std::uint8_t kRax = 0;
constexpr auto kCompareExchange = static_cast<std::uint16_t>(Op::SCompareExchange);
constexpr lir::FixedOperand kFixed[] = {{kCompareExchange, 0, kRax},
                                        {kCompareExchange, lir::FixedOperand::kDefinition, kRax}};

}  // namespace

constinit const Host kV3 = {kAvx2, Target::x64_v3, 0, lower, nullptr, register_file, emit, kFixed};
constinit const Host kV4 = {kAvx512,           Target::x64_v4, 1,    lower,
                            choose_row_tables, register_file,  emit, kFixed};
constinit const Host kV4Fp16 = {with_half_arithmetic(kAvx512),
                                Target::x64_v4_fp16,
                                1,
                                lower,
                                choose_row_tables,
                                register_file,
                                emit,
                                kFixed};

}  // namespace warpjit::backend::x64
