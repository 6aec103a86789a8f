#include "backend/x64/host.h"

#include <algorithm>
#include <array>

namespace warpjit::backend::x64 {

Form form(Op op) {
  static constexpr std::array kForms = {
#define X64_OP(name, form, v3, v4) Form::form,
#include "backend/x64/opcodes.inc"
#undef X64_OP
  };
  return kForms[static_cast<std::size_t>(op)];
}

const Host& host(Target target) {
  static constexpr Host kV3 = {Target::x64_v3, 8, 32, false};
  static constexpr Host kV4 = {Target::x64_v4, 16, 64, true};
  return target == Target::x64_v4 ? kV4 : kV3;
}

const lir::RegisterFile register_file(const Host& host, std::uint32_t limit) {
  lir::RegisterFile file;
  auto op = [](Op o) { return static_cast<std::uint16_t>(o); };
  auto& vectors = file.allocatable[static_cast<std::size_t>(lir::RegClass::vector)];
  auto& masks = file.allocatable[static_cast<std::size_t>(lir::RegClass::mask)];
  auto& scalars = file.allocatable[static_cast<std::size_t>(lir::RegClass::scalar)];
  for (std::uint8_t r = 0; r < (host.mask_registers ? 32 : 16); ++r) vectors.push_back(r);
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

std::int32_t ConstantPool::offset(std::uint32_t word) {
  const std::uint32_t repeat = host_.mask_registers ? 1 : host_.lanes;
  auto found = std::find(distinct_.begin(), distinct_.end(), word);
  auto index = static_cast<std::int32_t>(found - distinct_.begin());
  if (found == distinct_.end()) {
    distinct_.push_back(word);
    words_.insert(words_.end(), repeat, word);
  }
  return index * static_cast<std::int32_t>(repeat * 4);
}

}  // namespace warpjit::backend::x64
