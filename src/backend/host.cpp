#include "backend/host.h"

#include <algorithm>
#include <array>

#if WARPJIT_HAS_X64
#include "backend/x64/host.h"
#endif
#if WARPJIT_HAS_A64
#include "backend/a64/host.h"
#endif

namespace warpjit::backend {

OpKind kind(Op op) {
  static constexpr std::array kKinds = {
#define LIR_OP(name, kind) OpKind::kind,
#include "backend/opcodes.inc"
#undef LIR_OP
  };
  return kKinds[static_cast<std::size_t>(op)];
}

const Host* find_host(Target target) {
  switch (target) {
#if WARPJIT_HAS_X64
    case Target::x64_v3:
      return &x64::kV3;
    case Target::x64_v4:
      return &x64::kV4;
#endif
#if WARPJIT_HAS_A64
    case Target::a64:
      return &a64::kNeon;
#endif
    default:
      return nullptr;
  }
}

std::int32_t ConstantPool::offset(std::uint32_t word) {
  auto found = std::find(distinct_.begin(), distinct_.end(), word);
  auto index = static_cast<std::int32_t>(found - distinct_.begin());
  if (found == distinct_.end()) {
    distinct_.push_back(word);
    words_.insert(words_.end(), repeat_, word);
  }
  return index * static_cast<std::int32_t>(repeat_ * 4);
}

}  // namespace warpjit::backend
