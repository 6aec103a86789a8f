// What happens to a fragment's colour and depth: tests, blending, logic operations, shadow maps; pixels of
// the targets in the guest's memory.
#pragma once

#include <cstdint>

#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/interpret/fragment/color_pixel.h"
#include "frontend/pica200/interpret/fragment/texture.h"

namespace warpjit::pica200::fragment {

// The targets' memory, in whole tiles; null where nothing touches it.
struct Targets {
  std::byte* color = nullptr;
  std::byte* depth = nullptr;
};

// A pixel's place in a target: its number in the order of memory.
std::size_t pixel_number(const TargetSetup& target, std::uint32_t column, std::uint32_t row);

bool compare(Comparison op, std::uint32_t incoming, std::uint32_t stored);
std::uint8_t apply_stencil(std::uint8_t op, std::uint8_t stored, std::uint8_t reference);
Bytes4 blend(const OutputState& state, const Bytes4& source, const Bytes4& target, const Bytes4& constant);
std::uint8_t apply_logic(std::uint8_t op, std::uint8_t source, std::uint8_t target);

class FragmentSteps;

std::uint32_t read_depth(DepthFormat format, const std::byte* pixel);
std::uint32_t depth_number(DepthFormat format, float depth);

enum class TestResult : std::uint8_t { passes, fails_stencil, fails_depth };
// A pixel whose alpha has passed its test. `steps`: null, or is told what happens.
TestResult output(const OutputState& state, const FragmentValues& values, const Targets& targets,
                  std::size_t pixel, const Bytes4& color, float depth, FragmentSteps* steps = nullptr);
TestResult output_shadow(const FragmentValues& values, const Targets& targets, std::size_t pixel,
                         const Bytes4& color, float depth, FragmentSteps* steps = nullptr);

}  // namespace warpjit::pica200::fragment
