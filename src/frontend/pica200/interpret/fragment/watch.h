// What the fixed function tells the observer of a pixel (frontend/interpret/pixel_observer.h).
#pragma once

#include <array>
#include <optional>

#include "frontend/interpret/pixel_observer.h"
#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/interpret/fragment/output.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200::fragment {

// The record of a fragment, from before its tests on.
class SeenFragment {
 public:
  // All must outlive it. `pixel`: its number in the targets.
  SeenFragment(const FragmentSetup& setup, const Targets& targets, std::size_t pixel);
  // What the tests are about to compare.
  void compare(const Bytes4& color, float depth);
  // `color`: that is blended.
  void end(interpret::FragmentEnd end, const Bytes4& color);
  interpret::SeenFragment& record() { return record_; }

 private:
  interpret::SeenPixel color() const;
  interpret::SeenPixel depth() const;

  const FragmentSetup& setup_;
  const Targets& targets_;
  std::size_t pixel_;
  interpret::SeenFragment record_;
};

// Why a triangle of which no part covers the pixel has no fragment there; nothing: it lies elsewhere.
std::optional<interpret::Miss> why_missed(const RasterSetup& raster, const std::array<Vertex, 3>& triangle,
                                          std::int32_t column, std::int32_t row);

}  // namespace warpjit::pica200::fragment
