// Triangles through the fixed function, pixel by pixel in the guest's memory: a scalar reading of
// docs/pica-pixels.md.
#pragma once

#include <array>
#include <atomic>
#include <optional>

#include "base/result.h"
#include "frontend/interpret/pixel_observer.h"
#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/facts/physical_memory.h"
#include "frontend/pica200/interpret/fragment/output.h"
#include "frontend/pica200/interpret/fragment/raster.h"
#include "frontend/pica200/interpret/fragment/steps.h"
#include "frontend/pica200/interpret/fragment/texture.h"
#include "warpjit/pixels.hpp"

namespace warpjit::pica200::fragment {

class Drawing {
 public:
  // All must outlive it; `cancel` and `observer` may be null. With an observer its pixel alone is drawn.
  // Errors: a target that does not lie in memory.
  static Result<Drawing> make(const FragmentSetup& setup, const PhysicalMemory& memory,
                              const std::atomic<std::uint32_t>* cancel,
                              interpret::PixelObserver* observer = nullptr);
  // Draws nothing outside of these columns and rows of the raster; the observer, which must outlive it, sees
  // the steps of fragments.
  void observe(interpret::Observer& observer, const RasterState::Rectangle& within) {
    step_observer_ = &observer;
    within_ = within;
  }

  // Errors: a texture that cannot be read; cancelled soon after `cancel` is other than 0. What was drawn
  // before stays.
  Status draw(const std::array<Vertex, 3>& triangle);
  std::uint64_t fragments() const { return fragments_; }  // pixels that triangles covered

 private:
  // What a pixel reads, by its quad.
  struct Quad {
    std::array<std::int32_t, 3> levels{};  // of the texture units
    std::array<std::array<float, 2>, 3> procedural{};
  };

  Drawing(const FragmentSetup& setup, const PhysicalMemory& memory);
  Status draw_triangle(const RasterTriangle& triangle, const Vertex& last);
  Status draw_pixel(const RasterTriangle& triangle, const Vertex& last, const Quad& quad, std::int32_t column,
                    std::int32_t row, FragmentSteps* steps);
  Status draw_observed(const RasterTriangle& triangle, const Vertex& last, const Quad& quad,
                       std::int32_t column, std::int32_t row);
  // What a fragment is before its colour, and what a unit has given.
  void show_begin(FragmentSteps& steps, const RasterTriangle& triangle, std::int32_t column, std::int32_t row,
                  float w) const;
  void show_coordinates(FragmentSteps& steps, const RasterTriangle& triangle, unsigned number,
                        std::int32_t column, std::int32_t row, float w) const;
  interpret::FragmentEnd put_out(std::size_t pixel, Bytes4& color, float depth, FragmentSteps* steps);
  // The pixel observer's pixel, and why a triangle has none there.
  Status draw_watched(const RasterTriangle& triangle, const Vertex& last);
  void tell_miss(const std::array<Vertex, 3>& triangle) const;
  bool is_drawn(std::int32_t column, std::int32_t row) const;
  Quad quad_of(const RasterTriangle& triangle, std::int32_t column, std::int32_t row) const;
  std::array<float, 2> coordinates(const RasterTriangle& triangle, unsigned number, std::int32_t column,
                                   std::int32_t row, float w) const;
  TexturePlace place(const RasterTriangle& triangle, unsigned unit, std::int32_t column, std::int32_t row,
                     float w) const;
  float depth_of(const RasterTriangle& triangle, std::int32_t column, std::int32_t row, float w) const;

  const FragmentSetup* setup_;
  const std::atomic<std::uint32_t>* cancel_ = nullptr;
  std::array<TextureUnit, 3> units_;
  Targets targets_;
  bool reads_color_ = false;
  interpret::PixelObserver* pixel_observer_ = nullptr;  // null: nobody looks
  std::uint32_t primitives_ = 0, part_ = 0;             // that have begun; of the triangle
  bool meets_ = false;                                  // a part covers the observer's pixel
  std::uint64_t fragments_ = 0;
  interpret::Observer* step_observer_ = nullptr;  // the same
  RasterState::Rectangle within_{};
};

}  // namespace warpjit::pica200::fragment
