#include "backend/a64/host.h"

namespace warpjit::backend::a64 {
namespace {

lir::RegisterFile register_file(const Host& host, std::uint32_t limit) {
  lir::RegisterFile file;
  auto op = [](Op o) { return static_cast<std::uint16_t>(o); };
  auto& vectors = file.allocatable[static_cast<std::size_t>(lir::RegClass::vector)];
  auto& scalars = file.allocatable[static_cast<std::size_t>(lir::RegClass::scalar)];
  // Those that need not be saved come first: all vectors but the low halves of v8 to v15, and x2 to x13.
  for (std::uint8_t r = 0; r < 8; ++r) vectors.push_back(r);
  for (std::uint8_t r = 16; r < 32; ++r) vectors.push_back(r);
  for (std::uint8_t r = 8; r < 16; ++r) vectors.push_back(r);
  for (std::uint8_t r = 2; r < 14; ++r) scalars.push_back(r);
  for (std::uint8_t r = 19; r < 29; ++r) scalars.push_back(r);
  if (limit != 0)
    for (auto& registers : file.allocatable)
      if (registers.size() > limit) registers.resize(limit);
  const lir::RegisterFile::Moves vector = {op(Op::Copy), op(Op::LoadFull), op(Op::StoreFull)};
  file.moves = {{vector, vector, {op(Op::SCopy), op(Op::SLoad64), op(Op::SStore)}}};
  file.slot_bytes = {host.vector_bytes, host.vector_bytes, 8};
  return file;
}

// Conditional branches and loads of constants reach 1 MiB.
constexpr Capabilities kCapabilities = {
    .lanes = 4,
    .vector_bytes = 16,
    .vector_registers = 32,
    .vector_ports = 2,
    .pool_repeat = 4,
    .max_code_bytes = 1u << 20,
    .mask_registers = false,
    .memory_operands = false,
    .broadcast_operands = false,
    .two_operand_scalars = false,
    .scaled_row_index = false,
    .blend_overwrites = true,
    .embedded_rounding = false,
    .unsigned_conversions = true,
    .number_extremes = true,
    .rotates = false,
    .scatters = false,
    .guarded_broadcasts = false,
    .three_operand_logic = false,
    .packs_bytes = false,
    .reciprocals = false,
    .half_arithmetic = false,
    .table_look_ups = false,
    .flushes_first = true,
    .permuted_words = 0,
    .loads_ahead = false,  // not measured
    .one_row_test = false,
    .single_pixels = false,
};

}  // namespace

constinit const Host kNeon = {kCapabilities, Target::a64, 0, lower, nullptr, register_file, emit};
constinit const Host kNeonFp16 = {
    with_half_arithmetic(kCapabilities), Target::a64_fp16, 0, lower, nullptr, register_file, emit};

}  // namespace warpjit::backend::a64
