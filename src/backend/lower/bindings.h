// Where bindings are in the KernelArgs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/target.h"

namespace warpjit::backend {

constexpr std::size_t input_displacement(std::uint64_t index) {
  return offsetof(KernelArgs, inputs) + index * sizeof(Binding);
}
constexpr std::size_t output_displacement(std::uint64_t index) {
  return offsetof(KernelArgs, outputs) + index * sizeof(Binding);
}

}  // namespace warpjit::backend
