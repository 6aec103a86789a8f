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
    case Target::x64_v4_fp16:
      return &x64::kV4Fp16;
#endif
#if WARPJIT_HAS_A64
    case Target::a64:
      return &a64::kNeon;
    case Target::a64_fp16:
      return &a64::kNeonFp16;
#endif
    default:
      return nullptr;
  }
}

std::int32_t ConstantPool::offset(std::uint32_t word) {
  const auto [known, is_new] = constants_.try_emplace(word, end());
  if (is_new) words_.insert(words_.end(), repeat_, word);
  return known->second;
}

std::int32_t ConstantPool::offset(std::span<const std::uint32_t> vector) {
  if (const auto known = vectors_.find(vector); known != vectors_.end()) return known->second;
  const std::int32_t offset = end();
  vectors_.emplace(std::vector(vector.begin(), vector.end()), offset);
  words_.insert(words_.end(), vector.begin(), vector.end());
  return offset;
}

std::int32_t ConstantPool::table(std::span<const std::uint32_t> words) {
  constexpr std::size_t kAlignment = 16;
  if (!vectors_.contains(words)) words_.resize((words_.size() + kAlignment - 1) / kAlignment * kAlignment);
  return offset(words);
}

}  // namespace warpjit::backend
