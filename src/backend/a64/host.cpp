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

}  // namespace

constinit const Host kNeon = {capabilities(Target::a64), Target::a64, 0, lower, nullptr, register_file, emit};
constinit const Host kNeonFp16 = {
    capabilities(Target::a64_fp16), Target::a64_fp16, 0, lower, nullptr, register_file, emit};

}  // namespace warpjit::backend::a64
