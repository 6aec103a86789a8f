// What a draw tells the observer of a pixel: the record of the fragment that is under way, and why primitives have none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frontend/interpret/pixels/clip.h"
#include "frontend/interpret/pixels/output.h"
#include "frontend/interpret/pixels/primitive.h"

namespace warpjit::interpret {

class PixelWatch {
 public:
  // The work has an observer.
  explicit PixelWatch(const PixelWork& work) : work_(work), observer_(*work.observer) {}

  std::int32_t x() const { return observer_.x; }
  std::int32_t y() const { return observer_.y; }
  bool is_at(std::int64_t x, std::int64_t y) const { return x == observer_.x && y == observer_.y; }
  bool covers(const RasterPrimitive& primitive) const {
    return primitive.covers(256 * std::int64_t{observer_.x} + 128, 256 * std::int64_t{observer_.y} + 128);
  }

  // ---- The pixel's fragment of a part of a primitive
  void begin(const RasterPrimitive& primitive, std::uint32_t part);
  bool has_begun() const { return begun_; }
  // What depth and stencil test are about to compare, and how they ended.
  void compare(std::uint32_t depth, std::optional<std::uint8_t> reference);
  void tested(TestResult result, bool early);
  void ran(const Fragment& fragment);
  void end(FragmentEnd end);
  // After end(), or after a test that failed.
  void report();

  // ---- Primitives without one: their vertices, and how they ended
  void miss(std::uint32_t primitive, Miss why) { observer_.missed(primitive, why); }
  void miss(std::uint32_t primitive, std::span<const std::uint64_t> vertices, Ending ending);
  // Whether clipping alone keeps them from the pixel.
  void miss_clipped(std::uint32_t primitive, std::span<const std::uint64_t> vertices);

 private:
  SeenPixel color() const;
  SeenPixel depth() const;
  // Both sides drawn, and nothing clipped.
  bool would_cover(std::span<const Vertex> vertices, std::uint64_t last) const;
  bool is_met_by_ray(std::span<const Vertex> vertices) const;
  bool lies_around(std::span<const Vertex> vertices) const;
  std::vector<Vertex> load(std::span<const std::uint64_t> vertices) const;

  const PixelWork& work_;
  PixelObserver& observer_;
  SeenFragment fragment_;
  bool begun_ = false;
};

}  // namespace warpjit::interpret
