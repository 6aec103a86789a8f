#include "backend/host.h"

#include <algorithm>

#if WARPJIT_HAS_X64
#include "backend/x64/host.h"
#endif
#if WARPJIT_HAS_A64
#include "backend/a64/host.h"
#endif

namespace warpjit::backend {

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
  for (const Constant& known : constants_)
    if (known.word == word) return known.offset;
  constants_.push_back({word, end()});
  words_.insert(words_.end(), repeat_, word);
  return constants_.back().offset;
}

std::int32_t ConstantPool::offset(std::span<const std::uint32_t> vector) {
  for (const Vector& known : vectors_)
    if (std::ranges::equal(known.words, vector)) return known.offset;
  vectors_.push_back({{vector.begin(), vector.end()}, end()});
  words_.insert(words_.end(), vector.begin(), vector.end());
  return vectors_.back().offset;
}

}  // namespace warpjit::backend
