#include "ir/types.h"

#include <array>

namespace warpjit::ir {

std::string_view name(Type type) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "i1", "i32", "f32"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view name(Uniformity uniformity) {
  constexpr std::array<std::string_view, 3> kNames = {"launch", "group", "varying"};
  return kNames[static_cast<std::size_t>(uniformity)];
}

}  // namespace warpjit::ir
