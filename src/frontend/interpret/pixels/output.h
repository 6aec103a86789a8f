// What becomes of a fragment: alpha, stencil and depth test, blending, write (docs/pixels.md 9).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "frontend/interpret/pixels.h"

namespace warpjit::interpret {

enum class TestResult : std::uint8_t { passes, fails_alpha, fails_stencil, fails_depth };

// Both tests and what they write. Without a depth target, or without the component in it, a test passes.
// `depth`: bits of f32, from the program or from the plane; `reference`: of stencil, in place of the state's.
// The pixel is in the targets, here and below.
TestResult depth_stencil_test(const PixelWork& work, bool front_facing, std::uint32_t depth,
                              std::optional<std::uint8_t> reference, std::int32_t x, std::int32_t y);
// These tests too, unless they came early.
TestResult write_fragment(const PixelWork& work, bool front_facing, std::uint32_t depth,
                          const Fragment& fragment, std::int32_t x, std::int32_t y);

// The pixels of the work's targets, as they are.
class WorkTargets final : public Targets {
 public:
  explicit WorkTargets(const PixelWork& work) : work_(work) {}
  std::array<std::uint32_t, 4> color(unsigned target, std::int32_t x, std::int32_t y) const override;

 private:
  const PixelWork& work_;
};

}  // namespace warpjit::interpret
