// Triangles, points and lines after clipping: planes of what is interpolated, and coverage
// (docs/pixels.md 4 to 7).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "frontend/interpret/pixels.h"
#include "frontend/interpret/pixels/clip.h"

namespace warpjit::interpret {

struct WindowVertex {
  std::int64_t x = 0, y = 0;  // subpixels
  double z = 0, inverse_w = 0;
  std::span<const float> values;  // of the vertex
};
// None: the vertex lies too far out.
std::optional<WindowVertex> to_window(const RasterState& raster, const Vertex& vertex);

// From a pixel's sample to its centre, in subpixels. Everything is moved so that samples are where the
// centres of pixels would be.
std::array<std::int64_t, 2> from_sample(const RasterState& raster);

// What all parts of a primitive share.
struct Source {
  std::uint32_t number = 0;
  std::span<const std::uint32_t> provoking;  // words of its vertex
  std::span<const pixels::SlotUse> uses;
  std::array<float, 2> depth_bounds{0, 1};
  PixelFormat depth_format = PixelFormat::none;
  std::array<std::int64_t, 2> to_center{};  // from samples, in subpixels
};

// The plane of a value: three words of f32.
struct Plane {
  std::uint32_t a = 0, b = 0, c = 0;
};

class RasterPrimitive : public Primitive {
 public:
  // Columns and rows that may be covered, first and last.
  struct Box {
    std::int64_t left = 0, top = 0, right = -1, bottom = -1;
  };
  const Box& box() const { return box_; }
  // The pixels whose centres are in the box around it.
  const Box& centers() const { return centers_; }
  virtual bool covers(std::int64_t x, std::int64_t y) const = 0;  // the centre of a pixel, in subpixels

  bool front_facing() const override { return front_facing_; }
  std::uint32_t number() const override { return source_.number; }
  std::uint32_t value(unsigned use, std::int32_t x, std::int32_t y) const override;
  std::uint32_t inverse_w(std::int32_t x, std::int32_t y) const override;
  std::uint32_t value_at(unsigned use, std::int32_t x, std::int32_t y, float dx, float dy) const override;
  std::uint32_t inverse_w_at(std::int32_t x, std::int32_t y, float dx, float dy) const override;
  std::uint32_t depth(std::int32_t x, std::int32_t y) const override;
  std::uint32_t flat(unsigned use) const override { return source_.provoking[source_.uses[use].slot]; }

 protected:
  explicit RasterPrimitive(const Source& source) : source_(source) {}
  // Around the primitive, in subpixels; the origin of planes, too. Points end before `right` and `bottom`.
  void set_box(const Box& box, bool is_open);
  std::uint32_t at(const Plane& plane, std::int32_t x, std::int32_t y, float dx, float dy) const;

  Source source_;
  Box box_, centers_;
  bool front_facing_ = true;
  std::int64_t origin_x_ = 0, origin_y_ = 0;
  Plane inverse_w_, depth_;
  std::vector<Plane> planes_;  // one of each use
};

// Where a primitive is counted of which nothing is drawn.
using Ending = std::uint64_t DrawCounts::*;
// Null: nothing of it is drawn, and `ending` says why; also of points and lines.
std::unique_ptr<RasterPrimitive> make_triangle(const RasterState& raster, const Source& source,
                                               const std::array<WindowVertex, 3>& vertices, Ending& ending);
std::unique_ptr<RasterPrimitive> make_point(const RasterState& raster, const Source& source,
                                            const WindowVertex& vertex, Ending& ending);
// The two triangles of a line.
std::array<std::unique_ptr<RasterPrimitive>, 2> make_line(const RasterState& raster, const Source& source,
                                                          const std::array<WindowVertex, 2>& vertices,
                                                          Ending& ending);

}  // namespace warpjit::interpret
