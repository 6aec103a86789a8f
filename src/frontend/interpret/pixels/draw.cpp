#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/fuel.h"
#include "frontend/interpret/pixels.h"
#include "frontend/interpret/pixels/clip.h"
#include "frontend/interpret/pixels/output.h"
#include "frontend/interpret/pixels/primitive.h"
#include "frontend/interpret/pixels/watch.h"

namespace warpjit::interpret {

namespace {

// --- Assembly ----------------------------------------------------------------------------------------------

// Which places in the list of vertices make a primitive, and which of them gives its flat words.
struct Assembled {
  std::array<std::uint64_t, 3> places{};
  std::uint64_t provoking = 0;
};

unsigned corners(Topology topology) {
  if (topology == Topology::points) return 1;
  return topology == Topology::lines || topology == Topology::line_strip ? 2 : 3;
}

std::uint64_t primitive_count(Topology topology, std::uint64_t vertices) {
  switch (topology) {
    case Topology::points:
      return vertices;
    case Topology::triangles:
      return vertices / 3;
    case Topology::triangle_strip:
    case Topology::triangle_fan:
      return vertices < 3 ? 0 : vertices - 2;
    case Topology::lines:
      return vertices / 2;
    case Topology::line_strip:
      return vertices < 2 ? 0 : vertices - 1;
  }
  return 0;
}

Assembled assemble(const RasterState& raster, std::uint64_t n) {
  const bool last = raster.provoking_last;
  switch (raster.topology) {
    case Topology::points:
      break;
    case Topology::lines:
      return {{2 * n, 2 * n + 1}, last ? 2 * n + 1 : 2 * n};
    case Topology::line_strip:
      return {{n, n + 1}, last ? n + 1 : n};
    case Topology::triangles:
      return {{3 * n, 3 * n + 1, 3 * n + 2}, last ? 3 * n + 2 : 3 * n};
    case Topology::triangle_strip:
      // Every other triangle would be turned over.
      if (n % 2 != 0) return {{n + 1, n, n + 2}, last ? n + 2 : n};
      return {{n, n + 1, n + 2}, last ? n + 2 : n};
    case Topology::triangle_fan:
      return {{0, n + 1, n + 2}, last ? n + 2 : n + 1};
  }
  return {{n}, n};
}

// --- One draw ----------------------------------------------------------------------------------------------

class Draw {
 public:
  Draw(const PixelWork& work, FragmentProgram& program)
      : work_(work), program_(program), targets_(work), volume_(work) {
    const auto& scissor = work.raster.scissor;
    const auto end = [](std::uint32_t first, std::uint32_t extent, std::uint32_t limit) {
      return static_cast<std::int64_t>(std::min<std::uint64_t>(std::uint64_t{first} + extent, limit));
    };
    area_ = {scissor.x, scissor.y, end(scissor.x, scissor.width, work.width) - 1,
             end(scissor.y, scissor.height, work.height) - 1};
    if (work.observer != nullptr) {
      watch_.emplace(work);
      scissor_ = area_;
      const std::int64_t x = watch_->x() & ~1, y = watch_->y() & ~1;
      area_ = {x, y, std::min<std::int64_t>(x + 1, std::int64_t{work.width} - 1),
               std::min<std::int64_t>(y + 1, std::int64_t{work.height} - 1)};
    }
    if (work.vertices.size() >= work.slots)
      vertices_ =
          work.stride == 0 ? work.vertex_count : (work.vertices.size() - work.slots) / work.stride + 1;
  }

  // What was counted, also by a run that failed.
  const DrawCounts& counts() const { return counts_; }

  Status run() {
    if (watch_) work_.observer->begin_part();
    // Vertices that are not there make no primitives.
    const std::uint64_t places =
        work_.indexed ? work_.indices.size() : std::min(work_.vertex_count, vertices_);
    const std::uint64_t count = primitive_count(work_.raster.topology, places);
    count_ = count;
    for (std::uint64_t n = 0; n < count && !stops_at(n, 0, 0); ++n) {
      WARPJIT_CHECK(not_cancelled());
      number_ = n;
      show_progress(0, 1);
      WARPJIT_CHECK(primitive(n));
      if (stopped_) break;
    }
    if (work_.came_to == nullptr) return {};
    if (!stopped_) progress_.primitive = count;
    progress_.fragments = ran_;
    *work_.came_to = progress_;
    return {};
  }

 private:
  // A vertex, as far as all primitives have it alike.
  struct Corner {
    std::uint64_t index = ~std::uint64_t{0};
    std::uint32_t behind = 0, culled = 0;  // bits of planes, of distances that cull
    bool finite = false, drawable = false, in_window = false;
    std::int64_t x = 0, y = 0;  // if it is in the window: in subpixels
  };

  Status not_cancelled() const {
    if (work_.cancel == nullptr || work_.cancel->load(std::memory_order_relaxed) == 0) return {};
    return Error{ErrorCode::cancelled, kCancelledMessage, {}};
  }

  // So many rows of a part of primitive number_ are done.
  void show_progress(std::int64_t rows, std::int64_t of) const {
    if (work_.progress == nullptr) return;
    const double part = static_cast<double>(std::max<std::int64_t>(rows, 0)) / static_cast<double>(of);
    const double done = (static_cast<double>(number_) + part) / static_cast<double>(count_);
    work_.progress->store(static_cast<std::uint32_t>(1000 * done), std::memory_order_relaxed);
  }

  std::optional<std::uint64_t> vertex_at(std::uint64_t place) const {
    const std::uint64_t vertex = work_.indexed ? work_.indices[static_cast<std::size_t>(place)] : place;
    return vertex < vertices_ ? std::optional(vertex) : std::nullopt;
  }

  Status primitive(std::uint64_t n) {
    ++counts_.primitives;
    const Assembled assembled = assemble(work_.raster, n);
    const unsigned count = corners(work_.raster.topology);
    std::array<Corner, 3> corners;
    std::uint32_t behind = ~0U, culled = ~0U, across = 0;  // by all vertices; by one
    for (unsigned k = 0; k < count; ++k) {
      const auto vertex = vertex_at(assembled.places[k]);
      if (!vertex) return ends(&DrawCounts::missing, {});
      corners[k] = corner_of(*vertex);
      behind &= corners[k].behind;
      culled &= corners[k].culled;
      across |= corners[k].behind;
    }
    const std::span<const Corner> all{corners.data(), count};
    if (!std::ranges::all_of(all, &Corner::finite)) return ends(&DrawCounts::not_finite, all);
    if (behind != 0 || culled != 0) return ends(&DrawCounts::outside, all);
    if (across == 0)
      if (const Ending ending = covers_none(all)) return ends(ending, all);
    polygon_.resize(count);
    for (unsigned k = 0; k < count; ++k) {
      load_vertex(work_, all[k].index, polygon_[k]);
      load_values(work_, all[k].index, polygon_[k]);
    }
    if (across != 0) polygon_ = volume_.clip(std::move(polygon_));
    const std::uint64_t provoking = *vertex_at(assembled.provoking);
    if (work_.raster.shade == ShadeModel::flat)
      for (Vertex& vertex : polygon_) take_colors(work_, provoking, vertex);
    const Source source{
        primitive_number(),
        work_.vertices.subspan(static_cast<std::size_t>(provoking) * work_.stride, work_.slots),
        work_.uses,
        work_.raster.depth_bounds,
        work_.output.depth_format,
        from_sample(work_.raster)};
    Ending ending = &DrawCounts::outside;
    std::vector<std::unique_ptr<RasterPrimitive>> parts = parts_of(source, count, ending);
    if (watch_ && across != 0 && (parts.empty() || std::ranges::none_of(parts, [&](const auto& part) {
                                    return watch_->covers(*part);
                                  })))
      watch_->miss_clipped(primitive_number(), indices_of(all));
    if (parts.empty()) return across == 0 ? ends(ending, all) : ends(ending, {});
    if (parts.size() > 1 && work_.enough) return fill_by_rows(parts);
    for (part_ = 0; part_ < parts.size(); ++part_) WARPJIT_CHECK(fill(*parts[part_]));
    return {};
  }

  std::uint32_t primitive_number() const {
    return work_.numbers.empty() ? static_cast<std::uint32_t>(number_)
                                 : work_.numbers[static_cast<std::size_t>(number_)];
  }

  // Nothing of the primitive is drawn. No corners: nobody asks where it would have been.
  Status ends(Ending ending, std::span<const Corner> corners) {
    ++(counts_.*ending);
    if (watch_) tell_miss(ending, corners);
    return {};
  }

  void tell_miss(Ending ending, std::span<const Corner> corners) {
    if (ending == &DrawCounts::missing) watch_->miss(primitive_number(), Miss::missing);
    if (ending == &DrawCounts::not_finite) watch_->miss(primitive_number(), Miss::not_finite);
    if (!corners.empty() && may_be_near(corners))
      watch_->miss(primitive_number(), indices_of(corners), ending);
  }

  // False: the watched pixel is not in the box around a triangle.
  bool may_be_near(std::span<const Corner> corners) const {
    if (corners.size() != 3 || !std::ranges::all_of(corners, &Corner::in_window)) return true;
    const auto reaches = [&](std::int64_t Corner::*of, std::int32_t pixel) {
      return std::min({corners[0].*of, corners[1].*of, corners[2].*of}) >> 8 <= pixel &&
             pixel <= std::max({corners[0].*of, corners[1].*of, corners[2].*of}) >> 8;
    };
    return reaches(&Corner::x, watch_->x()) && reaches(&Corner::y, watch_->y());
  }

  static std::vector<std::uint64_t> indices_of(std::span<const Corner> corners) {
    std::vector<std::uint64_t> indices;
    for (const Corner& corner : corners) indices.push_back(corner.index);
    return indices;
  }

  // What is left of polygon_, as triangles or a point; nothing: `ending` is why, if it knows better.
  std::vector<std::unique_ptr<RasterPrimitive>> parts_of(const Source& source, unsigned count,
                                                         Ending& ending) {
    std::vector<std::optional<WindowVertex>> window;
    window.reserve(polygon_.size());
    for (const Vertex& vertex : polygon_) window.push_back(to_window(work_.raster, vertex));
    std::vector<std::unique_ptr<RasterPrimitive>> parts;
    if (window.empty()) return parts;
    if (count == 1 && window[0]) parts.push_back(make_point(work_.raster, source, *window[0], ending));
    if (count == 2 && window[0] && window[1])
      for (auto& triangle : make_line(work_.raster, source, {*window[0], *window[1]}, ending))
        parts.push_back(std::move(triangle));
    for (std::size_t corner = 2; count == 3 && corner < window.size(); ++corner) {
      const auto &a = window[0], &b = window[corner - 1], &c = window[corner];
      if (!a || !b || !c) continue;
      Ending own = ending;
      parts.push_back(make_triangle(work_.raster, source, {*a, *b, *c}, own));
      if (ending != &DrawCounts::culled) ending = own;  // of the part that came furthest
    }
    std::erase(parts, nullptr);
    if (parts.empty() || std::ranges::any_of(parts, [&](const auto& part) { return reaches(*part); }))
      return parts;
    ending = &DrawCounts::beside;
    parts.clear();
    return parts;
  }

  // True if the box around it has the centre of a pixel that may be drawn.
  bool reaches(const RasterPrimitive& part) const {
    const RasterPrimitive::Box centers = part.centers();
    return std::max(centers.left, area_.left) <= std::min(centers.right, area_.right) &&
           std::max(centers.top, area_.top) <= std::min(centers.bottom, area_.bottom);
  }

  const Corner& corner_of(std::uint64_t index) {
    constexpr std::uint64_t kMostKnown = 256;
    if (known_.empty()) known_.resize(static_cast<std::size_t>(std::min(vertices_, kMostKnown)));
    Corner& known = known_[static_cast<std::size_t>(index % known_.size())];
    if (known.index == index) return known;
    known = {};
    known.index = index;
    load_vertex(work_, index, vertex_);
    known.finite = is_finite(vertex_);
    known.drawable = is_drawable(vertex_);
    known.behind = volume_.behind(vertex_);
    for (std::size_t n = 0; n < work_.raster.distances.count; ++n)
      if (!(vertex_.distances[n] >= 0)) known.culled |= work_.raster.distances.cull & 1U << n;
    if (!known.drawable) return known;
    if (const auto window = to_window(work_.raster, vertex_)) {
      known.in_window = true;
      known.x = window->x;
      known.y = window->y;
    }
    return known;
  }

  // How a whole primitive ends if a vertex has no place in the window, or if the box around a triangle
  // has no pixel's centre. Most triangles of a mesh that is small in the picture are such. Null: it
  // may cover something.
  Ending covers_none(std::span<const Corner> corners) const {
    if (!std::ranges::all_of(corners, [](const Corner& c) { return c.drawable && c.in_window; }))
      return &DrawCounts::outside;
    if (corners.size() != 3) return nullptr;
    const auto none = [&](std::int64_t Corner::*of, std::int64_t first, std::int64_t last) {
      const std::int64_t least = std::min({corners[0].*of, corners[1].*of, corners[2].*of});
      const std::int64_t most = std::max({corners[0].*of, corners[1].*of, corners[2].*of});
      return std::max((least + 127) >> 8, first) > std::min((most - 128) >> 8, last);
    };
    if (!none(&Corner::x, area_.left, area_.right) && !none(&Corner::y, area_.top, area_.bottom))
      return nullptr;
    const std::int64_t area = (corners[1].x - corners[0].x) * (corners[2].y - corners[0].y) -
                              (corners[2].x - corners[0].x) * (corners[1].y - corners[0].y);
    const bool front_facing = (area > 0) == work_.raster.positive_is_front;
    const bool culled = front_facing ? work_.raster.cull_front : work_.raster.cull_back;
    return area == 0 ? &DrawCounts::empty : culled ? &DrawCounts::culled : &DrawCounts::beside;
  }

  RasterPrimitive::Box box_of(const RasterPrimitive& primitive) const {
    const RasterPrimitive::Box box = primitive.box();
    return {std::max(box.left, area_.left), std::max(box.top, area_.top), std::min(box.right, area_.right),
            std::min(box.bottom, area_.bottom)};
  }

  // Runs the quads that the primitive covers, rows from the top, each from the left.
  Status fill(const RasterPrimitive& primitive) {
    const RasterPrimitive::Box box = box_of(primitive);
    for (std::int64_t y = box.top & ~1; y <= box.bottom && !stopped_; y += 2) {
      show_progress(y - box.top, box.bottom - box.top + 1);
      WARPJIT_CHECK(fill_rows(primitive, box, y, true));
    }
    return run_quads();  // of this primitive alone
  }

  // Parts of a primitive, in the same order in all rows, so that it can be left between two.
  Status fill_by_rows(std::span<const std::unique_ptr<RasterPrimitive>> parts) {
    std::int64_t top = area_.bottom + 1, bottom = area_.top - 1;
    for (const auto& part : parts) {
      top = std::min(top, box_of(*part).top);
      bottom = std::max(bottom, box_of(*part).bottom);
    }
    for (std::int64_t y = top & ~1; y <= bottom && !stops_at(number_, 0, y); y += 2)
      for (const auto& part : parts) {
        if (const RasterPrimitive::Box box = box_of(*part); (box.top & ~1) <= y && y <= box.bottom)
          WARPJIT_CHECK(fill_rows(*part, box, y, false));
        WARPJIT_CHECK(run_quads());
      }
    return {};
  }

  // Rows y and y + 1; if `stops`, perhaps not all of them.
  Status fill_rows(const RasterPrimitive& primitive, const RasterPrimitive::Box& box, std::int64_t y,
                   bool stops) {
    WARPJIT_CHECK(not_cancelled());  // they may be long, and covered nowhere
    for (std::int64_t x = box.left & ~1; x <= box.right; x += 2) {
      Quad quad{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), 0, &primitive, &targets_};
      for (int n = 0; n < 4; ++n) {
        const std::int64_t column = x + (n & 1), row = y + (n >> 1);
        const bool inside = box.left <= column && column <= box.right && box.top <= row && row <= box.bottom;
        if (inside && primitive.covers(256 * column + 128, 256 * row + 128) && is_admitted(column, row))
          quad.coverage = static_cast<std::uint8_t>(quad.coverage | 1 << n);
      }
      counts_.covered += static_cast<unsigned>(std::popcount(quad.coverage));
      const bool seen = watch_ && (quad.coverage >> watched_lane() & 1) != 0;
      if (seen) watch_->begin(primitive, static_cast<std::uint32_t>(part_));
      if (work_.output.early_tests) test(quad);
      if (quad.coverage == quad.failed) {
        if (seen) watch_->report();
        continue;
      }
      quads_.push_back(quad);
      if (quads_.size() != program_.most_quads()) continue;
      WARPJIT_CHECK(run_quads());
      if (stops && stops_at(number_, x + 2, y)) return {};
    }
    return {};
  }

  // Of the watched quad: whether a covered pixel is in the scissor, which area_ else says.
  bool is_admitted(std::int64_t x, std::int64_t y) {
    if (!watch_) return true;
    if (scissor_.left <= x && x <= scissor_.right && scissor_.top <= y && y <= scissor_.bottom) return true;
    if (watch_->is_at(x, y)) watch_->miss(primitive_number(), Miss::scissor);
    return false;
  }
  unsigned watched_lane() const {
    return static_cast<unsigned>(watch_->x() & 1) | static_cast<unsigned>(watch_->y() & 1) << 1;
  }

  // Asks whether somebody else draws what is there from this place on.
  bool stops_at(std::uint64_t primitive, std::int64_t x, std::int64_t y) {
    if (!work_.enough || !work_.enough()) return false;
    progress_ = {primitive, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 0};
    return stopped_ = true;
  }

  // The tests that come before the program.
  void test(Quad& quad) {
    for (int n = 0; n < 4; ++n) {
      if ((quad.coverage >> n & 1) == 0) continue;
      const std::int32_t x = quad.x + (n & 1), y = quad.y + (n >> 1);
      const std::uint32_t depth = quad.primitive->depth(x, y);
      const bool seen = watch_ && watch_->is_at(x, y);
      if (seen) watch_->compare(depth, {});
      const TestResult result = depth_stencil_test(work_, quad.primitive->front_facing(), depth, {}, x, y);
      if (seen) watch_->tested(result, true);
      if (result == TestResult::passes) continue;
      count(result);
      quad.failed = static_cast<std::uint8_t>(quad.failed | 1 << n);
    }
  }

  void count(TestResult result) {
    if (result == TestResult::fails_alpha) ++counts_.alpha_failed;
    if (result == TestResult::fails_stencil) ++counts_.stencil_failed;
    if (result == TestResult::fails_depth) ++counts_.depth_failed;
  }

  void note_pass(std::int32_t x, std::int32_t y) const {
    if (work_.passed.data == nullptr) return;
    std::byte* const place = work_.passed.data + y * work_.passed.pitch + std::ptrdiff_t{4} * x;
    std::uint32_t passed = 0;
    std::memcpy(&passed, place, sizeof passed);
    ++passed;
    std::memcpy(place, &passed, sizeof passed);
  }

  Status run_quads() {
    if (quads_.empty()) return {};
    WARPJIT_CHECK(not_cancelled());
    fragments_.assign(4 * quads_.size(), Fragment{});
    const Status ran = program_.run(quads_, fragments_);
    if (!ran && watch_ && watch_->has_begun()) {
      watch_->end(FragmentEnd::failed);
      watch_->report();
    }
    WARPJIT_CHECK(ran);
    const bool asks_for_depth = work_.depth.data != nullptr && !work_.output.early_tests;
    for (std::size_t n = 0; n < fragments_.size(); ++n) {
      const Quad& quad = quads_[n / 4];
      const std::size_t lane = n % 4;
      const Fragment& fragment = fragments_[n];
      if ((quad.coverage >> lane & 1) == 0) continue;
      ++ran_;
      const std::int32_t x = quad.x + static_cast<std::int32_t>(lane & 1),
                         y = quad.y + (lane >> 1 != 0 ? 1 : 0);
      if (work_.instructions != nullptr)
        work_.instructions[static_cast<std::size_t>(y) * work_.width + static_cast<std::size_t>(x)] +=
            fragment.instructions;
      const bool seen = watch_ && watch_->is_at(x, y);
      if (seen) watch_->ran(fragment);
      if ((quad.failed >> lane & 1) != 0) {
        if (seen) watch_->report();
        continue;
      }
      if (!fragment.live) {
        ++counts_.discarded;
        if (!seen) continue;
        watch_->end(FragmentEnd::discarded);
        watch_->report();
        continue;
      }
      std::uint32_t depth = fragment.depth;
      if (!program_.exports_depth()) depth = asks_for_depth ? quad.primitive->depth(x, y) : 0;
      if (seen && !work_.output.early_tests) watch_->compare(depth, fragment.stencil_reference);
      const TestResult result = write_fragment(work_, quad.primitive->front_facing(), depth, fragment, x, y);
      if (seen) {
        watch_->tested(result, false);
        watch_->report();
      }
      count(result);
      if (result == TestResult::passes) note_pass(x, y);
    }
    quads_.clear();
    return {};
  }

  const PixelWork& work_;
  FragmentProgram& program_;
  WorkTargets targets_;
  ClipVolume volume_;
  std::vector<Corner> known_;             // by the last digits of their indices
  Vertex vertex_;                         // at hand
  std::vector<Vertex> polygon_;           // of the primitive
  std::uint64_t vertices_ = 0;            // that the words hold
  std::uint64_t number_ = 0, count_ = 0;  // of the primitive, of all primitives
  RasterPrimitive::Box area_;             // what may be drawn
  RasterPrimitive::Box scissor_;          // with an observer, whose quad is area_
  std::optional<PixelWatch> watch_;
  std::size_t part_ = 0;     // of the primitive
  std::vector<Quad> quads_;  // that wait
  std::vector<Fragment> fragments_;
  PixelProgress progress_;
  DrawCounts counts_;
  bool stopped_ = false;
  std::uint64_t ran_ = 0;  // fragments
};

bool is_depth_format(PixelFormat format) {
  return format == PixelFormat::d16 || format == PixelFormat::d24s8 || format == PixelFormat::d32f;
}

Status check(const PixelWork& work, const FragmentProgram& program) {
  const auto bad = [](const char* what) { return Error{ErrorCode::bad_input, what, {}}; };
  const RasterState& raster = work.raster;
  if (work.width > kMaxTargetExtent || work.height > kMaxTargetExtent) return bad("a target is too large");
  if (work.slots < 4 || (work.stride != 0 && work.stride < work.slots && work.vertex_count > 1))
    return bad("vertices have too few words");
  if (raster.distances.count > 8 || raster.distances.first + raster.distances.count > work.slots ||
      raster.point_size_slot >= work.slots)
    return bad("a distance or a point size is not among the words of a vertex");
  for (const PixelFormat format : work.output.colors)
    if (is_depth_format(format)) return bad("a color target has a depth format");
  if (work.output.depth_format != PixelFormat::none && !is_depth_format(work.output.depth_format))
    return bad("the depth target has a color format");
  for (const pixels::SlotUse& use : work.uses)
    if (use.slot >= work.slots)
      return Error{ErrorCode::bad_input,
                   "vertices have " + std::to_string(work.slots) + " slots, from 0 on, not slot " +
                       std::to_string(use.slot) + ", which the program reads",
                   {}};
  if (program.most_quads() == 0) return bad("the program takes no quads");
  return {};
}

}  // namespace

Status draw(const PixelWork& work, FragmentProgram& program) {
  WARPJIT_CHECK(check(work, program));
  Draw whole(work, program);
  const Status status = whole.run();
  if (work.counts != nullptr) *work.counts = whole.counts();
  return status;
}

}  // namespace warpjit::interpret
