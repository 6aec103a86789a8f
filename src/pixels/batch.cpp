#include "pixels/batch.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "pixels/clip.h"
#include "pixels/coverage.h"
#include "pixels/setup.h"
#include "pixels/vertex.h"

namespace warpjit::pixels {

namespace {

// A batch is full when it has that much; one primitive may go over.
constexpr std::size_t kMostShapes = 32768, kMostRows = 1U << 20, kMostEntries = 1U << 20;
constexpr std::uint64_t kMostLookedAt = 1U << 18;  // primitives, dropped ones, too

// A tile that more primitives reach is taken as a whole: looking at each costs more than it saves.
constexpr std::uint32_t kMostMeasured = 64;

constexpr std::uint32_t kWholeTile = 1U << 31;  // in an entry: the shape covers all of the tile

// The vertices of primitive i of a topology are at places i * step, i * step + 1, ...
struct TopologyRow {
  unsigned vertices;       // of a primitive
  std::uint8_t step;       // places from a primitive to the next
  bool fan;                // place 0 is the first vertex of all
  std::uint8_t first_one;  // provoking vertex of the rule "first", a place after i * step
};
constexpr std::array<TopologyRow, 6> kTopologies{{
    {1, 1, false, 0},  // points
    {2, 2, false, 0},  // lines
    {2, 1, false, 0},  // line_strip
    {3, 3, false, 0},  // triangles
    {3, 1, false, 0},  // triangle_strip
    {3, 1, true, 1},   // triangle_fan
}};
const TopologyRow& row(Topology topology) { return kTopologies[static_cast<std::size_t>(topology)]; }
// Odd triangles of a strip have their first two vertices exchanged.
bool exchanges(Topology topology, std::uint64_t primitive) {
  return topology == Topology::triangle_strip && (primitive & 1) != 0;
}

constexpr double kMostSize = 16384;  // of points and lines, in pixels
// Half of a size, in 1/256 pixels; 0: nothing to draw.
std::int32_t half_size(float size) {
  if (!(size > 0)) return 0;
  return static_cast<std::int32_t>(std::nearbyint(std::min<double>(size, kMostSize) * 128));
}

}  // namespace

// Vertices that were transformed last, by place modulo the size.
class VertexCache {
 public:
  void clear() { numbers_.fill(kNone); }
  template <class Make>
  const SourceVertex& find(std::uint64_t number, Make make) {
    const std::size_t place = number % numbers_.size();
    if (numbers_[place] != number) {
      numbers_[place] = number;
      make(number, vertices_[place]);
    }
    return vertices_[place];
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  // Apart from the vertices, because these alone are cleared. They have no values before.
  std::array<std::uint64_t, 64> numbers_;
  std::array<SourceVertex, 64> vertices_;
};

std::uint64_t primitive_count(Topology topology, std::uint64_t vertices) {
  const TopologyRow& r = row(topology);
  return vertices < r.vertices ? 0 : (vertices - r.vertices) / r.step + 1;
}

unsigned vertices_of(Topology topology) { return row(topology).vertices; }

std::array<std::uint64_t, 3> vertex_places(Topology topology, std::uint64_t primitive) {
  const TopologyRow& r = row(topology);
  const std::uint64_t start = primitive * r.step;
  std::array<std::uint64_t, 3> places{r.fan ? 0 : start, start + 1, start + 2};
  if (exchanges(topology, primitive)) std::swap(places[0], places[1]);
  return places;
}

// What became of a primitive: where it is counted, or nowhere if anything of it is drawn.
using Fate = std::uint64_t DrawCounts::*;
constexpr Fate kDrawn = nullptr;
// The fate of a primitive with two parts: that of the part that came further.
constexpr Fate both(Fate a, Fate b) {
  for (const Fate later : {kDrawn, &DrawCounts::beside, &DrawCounts::culled, &DrawCounts::empty})
    if (a == later || b == later) return later;
  return a;
}

struct BatchMemory::Parts {
  RecordRows rows;
  std::vector<Shape> shapes;
  struct Entry {
    std::uint32_t tile, shape;
  };
  std::vector<Entry> entries;         // in the order of primitives
  std::vector<std::uint32_t> sorted;  // shapes, by tile
  // Each tile of the target: how many entries it has, and where they are in `sorted`.
  struct Place {
    std::uint32_t count = 0, first = 0;
  };
  std::vector<Place> places;
  std::vector<std::uint32_t> touched;  // tiles with entries
  std::vector<PrimitiveBatch::Tile> tiles;
  VertexCache cache;
  std::array<std::vector<std::uint32_t>, 2> aligned_words;  // of a triangle's second and third vertex

  void clear() {
    for (const std::uint32_t tile : touched) places[tile] = {};
    touched.clear();
    tiles.clear();
    entries.clear();
    sorted.clear();
    shapes.clear();
    rows.clear();
  }
  // Before the next batch: the places of its target, none of them reached.
  void begin(std::size_t tile_count) {
    clear();
    places.resize(tile_count);
  }
  // After the last batch: what is large goes back to the system.
  void end() {
    constexpr std::size_t kMostShapesKept = 4096, kMostRowsKept = 1U << 16;
    if (shapes.capacity() > kMostShapesKept || entries.capacity() > kMostShapesKept ||
        rows.capacity() > kMostRowsKept || places.size() > kMostShapesKept)
      *this = Parts();
  }
};

BatchMemory::BatchMemory() : parts_(std::make_unique<Parts>()) {}
BatchMemory::BatchMemory(BatchMemory&&) noexcept = default;
BatchMemory& BatchMemory::operator=(BatchMemory&&) noexcept = default;
BatchMemory::~BatchMemory() = default;

struct PrimitiveBatch::State {
  State(const RasterState& state, const RasterRules& rules, std::uint32_t width, std::uint32_t height,
        std::uint32_t slots, const PixelRectangle& bounds, std::span<const SlotUse> uses, Memory& lent)
      : memory(lent),
        raster(state),
        transform(state, rules),
        quaternion_slot(rules.quaternion_slot),
        vertex_slots(slots),
        setup(uses, bounds),
        clipper(transform, setup.interpolated()),
        tile_columns((width + kTileExtent - 1) / kTileExtent) {
    memory.begin(std::size_t{tile_columns} * ((height + kTileExtent - 1) / kTileExtent));
  }
  State(const State&) = delete;  // the clipper points to its neighbours
  ~State() { memory.end(); }

  RecordRow* new_record() { return memory.rows.append(setup.record_rows(), Setup::kSpareRows); }
  bool full() const {
    return memory.shapes.size() >= kMostShapes || memory.rows.size() >= kMostRows ||
           memory.entries.size() >= kMostEntries || looked_at >= kMostLookedAt;
  }

  Fate primitive(std::span<const SourceVertex> vertices, const PrimitiveFacts& facts);
  Fate triangle(std::span<const SourceVertex> vertices, const PrimitiveFacts& facts);
  Fate line(std::span<const SourceVertex> vertices, const PrimitiveFacts& facts);
  Fate point(const SourceVertex& vertex, PrimitiveFacts facts);
  template <class Write>
  Fate set_up(const Corners& v, PrimitiveFacts facts, Write write);
  // The same with values that set_values() sets, which are wanted only where it is drawn.
  template <class SetValues>
  Fate set_up_values(const Corners& v, const PrimitiveFacts& facts, SetValues set_values);
  Fate parallelogram(const WindowVertex& v0, const WindowVertex& v1, const PrimitiveFacts& facts,
                     const auto* values0, const auto* values1);
  void bin(const Shape& shape, double area);
  void bin(std::uint32_t tile, std::uint32_t entry);
  // The part of a tile that these entries reach.
  TilePart part_of(const Tile& tile, std::span<const std::uint32_t> entries) const;

  void align(std::span<const SourceVertex> vertices, std::array<SourceVertex, 3>& aligned);

  std::unique_ptr<Memory> own;  // unless it was lent
  Memory& memory;
  const RasterState raster;
  const VertexTransform transform;
  const std::uint32_t quaternion_slot, vertex_slots;
  Setup setup;
  Clipper clipper;

  DrawCounts counts;
  std::uint64_t looked_at = 0;
  double covered = 0;  // pixels, about
  bool flat_w = true;
  std::uint32_t tile_columns;
};

// A triangle in the window, whose record write(area, shape, facts, record) writes.
template <class Write>
Fate PrimitiveBatch::State::set_up(const Corners& v, PrimitiveFacts facts, Write write) {
  if (((v[0]->outside | v[1]->outside | v[2]->outside) & kBeyond) != 0) return &DrawCounts::outside;
  const std::int64_t area = Setup::area(*v[0], *v[1], *v[2]);
  if (area == 0) return &DrawCounts::empty;
  const bool of_line = row(raster.topology).vertices == 2;
  if (!of_line) {
    facts.front_facing = (area > 0) == raster.positive_is_front;
    if (facts.front_facing ? raster.cull_front : raster.cull_back) return &DrawCounts::culled;
  }
  Shape shape;
  if (!setup.shape(v, area, shape)) return &DrawCounts::beside;
  for (const WindowVertex* vertex : v) flat_w = flat_w && vertex->inverse_w == 1;
  shape.record = static_cast<std::uint32_t>(memory.rows.size());
  write(area, shape, facts, new_record());
  bin(shape, std::fabs(static_cast<double>(area)) / (2 * 65536));
  return kDrawn;
}

template <class SetValues>
Fate PrimitiveBatch::State::set_up_values(const Corners& v, const PrimitiveFacts& facts,
                                          SetValues set_values) {
  return set_up(v, facts,
                [&](std::int64_t area, const Shape& shape, const PrimitiveFacts& facts, RecordRow* record) {
                  set_values();
                  setup.write(v, area, shape, facts, row(raster.topology).vertices == 2, record);
                });
}

Fate PrimitiveBatch::State::triangle(std::span<const SourceVertex> vertices, const PrimitiveFacts& facts) {
  if (((vertices[0].window.outside | vertices[1].window.outside | vertices[2].window.outside) &
       (kClipPlanes | kNotInFront)) == 0) {
    const Corners v{&vertices[0].window, &vertices[1].window, &vertices[2].window};
    return set_up(v, facts,
                  [&](std::int64_t area, const Shape& shape, const PrimitiveFacts& facts, RecordRow* record) {
                    setup.write(v, {vertices[0].words, vertices[1].words, vertices[2].words}, area, shape,
                                facts, record);
                  });
  }
  const std::size_t count = clipper.clip(vertices);
  Fate fate = &DrawCounts::outside;
  for (std::size_t last = 2; last < count; ++last) {
    const std::array<std::size_t, 3> corners{0, last - 1, last};
    const Fate part =
        set_up_values({&clipper.window(0), &clipper.window(last - 1), &clipper.window(last)}, facts, [&] {
          for (unsigned n = 0; n < 3; ++n)
            setup.set_values(n, clipper.window(corners[n]), clipper.values(corners[n]));
        });
    fate = both(fate, part);
  }
  return fate;
}

Fate PrimitiveBatch::State::parallelogram(const WindowVertex& v0, const WindowVertex& v1,
                                          const PrimitiveFacts& facts, const auto* values0,
                                          const auto* values1) {
  if (((v0.outside | v1.outside) & kBeyond) != 0) return &DrawCounts::outside;
  const std::int32_t half = half_size(raster.line_width);
  if (half == 0) return &DrawCounts::empty;
  const auto moved = [&](WindowVertex v, std::int32_t by) {
    if (std::abs(v1.x - v0.x) >= std::abs(v1.y - v0.y))
      v.y += by;
    else
      v.x += by;
    return v;
  };
  const WindowVertex a = moved(v0, -half), b = moved(v1, -half), c = moved(v1, half), d = moved(v0, half);
  const Fate first = set_up_values({&a, &b, &c}, facts, [&] {
    setup.set_values(0, a, values0);
    setup.set_values(1, b, values1);
    setup.set_values(2, c, values1);
  });
  const Fate second = set_up_values({&a, &c, &d}, facts, [&] {
    setup.set_values(0, a, values0);
    setup.set_values(1, c, values1);
    setup.set_values(2, d, values0);
  });
  return both(first, second);
}

Fate PrimitiveBatch::State::line(std::span<const SourceVertex> vertices, const PrimitiveFacts& facts) {
  const WindowVertex &v0 = vertices[0].window, &v1 = vertices[1].window;
  if (((v0.outside | v1.outside) & (kClipPlanes | kNotInFront)) == 0)
    return parallelogram(v0, v1, facts, vertices[0].words, vertices[1].words);
  if (clipper.clip(vertices) != 2) return &DrawCounts::outside;
  return parallelogram(clipper.window(0), clipper.window(1), facts, clipper.values(0), clipper.values(1));
}

Fate PrimitiveBatch::State::point(const SourceVertex& vertex, PrimitiveFacts facts) {
  if ((vertex.window.outside & (kClipPlanes | kVolume | kNotInFront | kBeyond)) != 0)
    return &DrawCounts::outside;
  const std::uint8_t slot = raster.point_size_slot;
  const std::int32_t half = half_size(slot != 0 ? to_float(vertex.words[slot]) : raster.point_size);
  Shape shape;
  if (half == 0) return &DrawCounts::empty;
  if (!setup.point_shape(vertex.window, half, shape)) return &DrawCounts::beside;
  setup.set_values(0, vertex.window, vertex.words);
  flat_w = flat_w && vertex.window.inverse_w == 1;
  shape.record = static_cast<std::uint32_t>(memory.rows.size());
  setup.write_point(vertex.window, half, shape, facts, new_record());
  bin(shape, std::numeric_limits<double>::max());
  return kDrawn;
}

Fate PrimitiveBatch::State::primitive(std::span<const SourceVertex> vertices, const PrimitiveFacts& facts) {
  std::uint32_t any = 0, all = ~0U;
  for (const SourceVertex& vertex : vertices) {
    any |= vertex.window.outside;
    all &= vertex.window.outside;
  }
  if ((any & kNotFinite) != 0) return &DrawCounts::not_finite;
  if ((all & (kClipPlanes | kCullDistances)) != 0) return &DrawCounts::outside;
  switch (vertices.size()) {
    case 1:
      return point(vertices[0], facts);
    case 2:
      return line(vertices, facts);
    default:
      break;
  }
  if (quaternion_slot == 0) return triangle(vertices, facts);
  std::array<SourceVertex, 3> aligned;
  align(vertices, aligned);
  return triangle(aligned, facts);
}

// Vertices whose quaternion lies nearer to the first one's (RasterRules::quaternion_slot).
void PrimitiveBatch::State::align(std::span<const SourceVertex> vertices,
                                  std::array<SourceVertex, 3>& aligned) {
  constexpr std::uint32_t kSign = 0x80000000;
  std::ranges::copy(vertices, aligned.begin());
  for (std::size_t n = 1; n < 3; ++n) {
    float product = 0;
    for (std::uint32_t k = quaternion_slot; k < quaternion_slot + 4; ++k)
      product += to_float(vertices[0].words[k]) * to_float(vertices[n].words[k]);
    if (!(product < 0)) continue;
    std::vector<std::uint32_t>& words = memory.aligned_words[n - 1];
    words.assign(vertices[n].words, vertices[n].words + vertex_slots);
    for (std::uint32_t k = quaternion_slot; k < quaternion_slot + 4; ++k) words[k] ^= kSign;
    aligned[n].words = words.data();
  }
}

void PrimitiveBatch::State::bin(std::uint32_t tile, std::uint32_t entry) {
  // In this order, so that the place is among those to clear if there is no memory for the rest.
  if (memory.places[tile].count == 0) memory.touched.push_back(tile);
  ++memory.places[tile].count;
  memory.entries.push_back({tile, entry});
}

// `area` is in pixels, of what the target's edges may cut off.
void PrimitiveBatch::State::bin(const Shape& shape, double area) {
  covered += std::min(area, (shape.right - shape.left + 1.0) * (shape.bottom - shape.top + 1.0));
  const auto number = static_cast<std::uint32_t>(memory.shapes.size());
  memory.shapes.push_back(shape);
  const std::uint32_t first_column = shape.left / kTileExtent, last_column = shape.right / kTileExtent;
  const std::uint32_t first_row = shape.top / kTileExtent, last_row = shape.bottom / kTileExtent;
  const bool small = shape.right - shape.left < static_cast<int>(kTileExtent) - 1;
  if (small && first_column == last_column && first_row == last_row)
    return bin(first_row * tile_columns + first_column, number);
  for (std::uint32_t tile_row = first_row; tile_row <= last_row; ++tile_row)
    for (std::uint32_t column = first_column; column <= last_column; ++column) {
      const TileCoverage coverage =
          tile_coverage(shape, std::int64_t{column} * kTileExtent, std::int64_t{tile_row} * kTileExtent);
      if (coverage == TileCoverage::none) continue;
      bin(tile_row * tile_columns + column, coverage == TileCoverage::all ? number | kWholeTile : number);
    }
}

PrimitiveBatch::PrimitiveBatch(std::unique_ptr<State> state) : state_(std::move(state)) {}
PrimitiveBatch::PrimitiveBatch(PrimitiveBatch&&) noexcept = default;
PrimitiveBatch& PrimitiveBatch::operator=(PrimitiveBatch&&) noexcept = default;
PrimitiveBatch::~PrimitiveBatch() = default;

Result<PrimitiveBatch> PrimitiveBatch::make(const RasterState& state, std::uint32_t width,
                                            std::uint32_t height, std::uint32_t slots,
                                            std::span<const SlotUse> uses, PixelFormat depth_format,
                                            const RasterRules& rules, BatchMemory* memory) {
  const auto bad = [](std::string message) {
    return Error{ErrorCode::bad_input, std::move(message), "raster state"};
  };
  const auto lack = [&](unsigned slot, const char* what) {
    return bad("vertices have " + std::to_string(slots) + " slots, from 0 on, not slot " +
               std::to_string(slot) + ", " + what);
  };
  if (static_cast<std::size_t>(state.topology) >= kTopologies.size()) return bad("unknown topology");
  if (width > kMaxTargetExtent || height > kMaxTargetExtent) return bad("the target is too large");
  if (slots < 4) return bad("vertices have no position");
  if (state.point_size_slot >= slots) return lack(state.point_size_slot, "the point size");
  const auto& distances = state.distances;
  if (distances.count > kMostDistances)
    return bad("there are " + std::to_string(distances.count) + " distances; at most " +
               std::to_string(kMostDistances));
  if (distances.first + distances.count > static_cast<int>(slots))
    return lack(distances.first + distances.count - 1U, "the last of the distances");
  if (uses.size() > kMostUses) return bad("too many inputs of the fragment program");
  for (const SlotUse& use : uses)
    if (use.slot >= slots) return lack(use.slot, "which the fragment program reads");

  // The scissor rectangle within the target; empty ones have their last pixel before the first.
  const auto last = [](std::uint32_t first, std::uint32_t size, std::uint32_t extent) {
    return std::min<std::int64_t>(std::int64_t{first} + size, extent) - 1;
  };
  const auto& scissor = state.scissor;
  const PixelRectangle bounds{scissor.x, scissor.y, last(scissor.x, scissor.width, width),
                              last(scissor.y, scissor.height, height)};
  std::unique_ptr<Memory> own;
  if (memory == nullptr) own = std::make_unique<Memory>();
  auto made =
      std::make_unique<State>(state, rules, width, height, slots, bounds, uses, own ? *own : *memory->parts_);
  made->own = std::move(own);
  made->setup.set_depth_bias(state.depth_bias, depth_format);
  made->setup.set_sample_point(state.sample_point);
  made->setup.set_flat_colors(state.shade == ShadeModel::flat);
  return PrimitiveBatch(std::move(made));
}

std::size_t PrimitiveBatch::record_size() const { return state_->setup.record_rows() * sizeof(RecordRow); }

void PrimitiveBatch::clear() {
  State& s = *state_;
  s.memory.clear();
  s.looked_at = 0;
  s.covered = 0;
  s.flat_w = true;
}

std::uint64_t PrimitiveBatch::add(const Vertices& vertices, std::uint64_t first, std::uint64_t end) {
  State& s = *state_;
  const TopologyRow& topology = row(s.raster.topology);
  end = std::min(end, vertices.primitives(s.raster.topology));
  const bool reused = vertices.indexed || topology.step < topology.vertices;
  const auto make = [&](std::uint64_t number, SourceVertex& vertex) {
    vertex.words = vertices.words + number * vertices.stride;
    s.transform.vertex(vertex.words, vertex.window);
  };
  if (reused) s.memory.cache.clear();
  // Room for one shape of each, so that what is there need not be moved.
  const std::size_t shapes = s.memory.shapes.size() + static_cast<std::size_t>(std::min<std::uint64_t>(
                                                          end - std::min(first, end), kMostShapes));
  if (shapes > s.memory.shapes.capacity()) {
    s.memory.shapes.reserve(std::max(shapes, 2 * s.memory.shapes.capacity()));
    s.memory.entries.reserve(s.memory.shapes.capacity());
    s.memory.rows.reserve(std::min(s.memory.shapes.capacity() * s.setup.record_rows(), kMostRows));
  }
  std::array<SourceVertex, 3> corners;
  std::uint64_t i = first;
  for (; i < end && !s.full(); ++i, ++s.looked_at) {
    const std::array<std::uint64_t, 3> places = vertex_places(s.raster.topology, i);
    bool exists = true;
    for (unsigned n = 0; n < topology.vertices && exists; ++n) {
      const std::uint64_t number = vertices.indexed ? vertices.indices[places[n]] : places[n];
      exists = number < vertices.count;
      if (!exists) break;
      if (reused)
        corners[n] = s.memory.cache.find(number, make);
      else
        make(number, corners[n]);
    }
    if (!exists) {
      ++s.counts.missing;
      continue;
    }
    PrimitiveFacts facts;
    facts.number =
        vertices.numbers.empty() ? static_cast<std::uint32_t>(vertices.number + i) : vertices.numbers[i];
    const unsigned first_one = exchanges(s.raster.topology, i) ? 1 : topology.first_one;
    facts.provoking = corners[s.raster.provoking_last ? topology.vertices - 1 : first_one].words;
    const Fate fate = s.primitive({corners.data(), topology.vertices}, facts);
    if (fate != kDrawn) ++(s.counts.*fate);
  }
  if (i > first) s.counts.primitives += i - first;
  return std::max(i, first);
}

void PrimitiveBatch::sort() {
  State& s = *state_;
  std::sort(s.memory.touched.begin(), s.memory.touched.end());
  s.memory.tiles.clear();
  std::uint32_t first = 0;
  for (const std::uint32_t tile : s.memory.touched) {
    Memory::Place& place = s.memory.places[tile];
    s.memory.tiles.push_back({tile % s.tile_columns, tile / s.tile_columns, place.count, false, {}});
    place.first = first;
    first += place.count;
  }
  s.memory.sorted.resize(s.memory.entries.size());
  for (const Memory::Entry& entry : s.memory.entries)
    s.memory.sorted[s.memory.places[entry.tile].first++] = entry.shape;
  for (Tile& tile : s.memory.tiles) {
    Memory::Place& place = s.memory.places[tile.row * s.tile_columns + tile.column];
    place.first -= place.count;
    tile.starts_covered = (s.memory.sorted[place.first] & kWholeTile) != 0;
    if (place.count <= kMostMeasured)
      tile.part = s.part_of(tile, std::span(s.memory.sorted).subspan(place.first, place.count));
  }
}

TilePart PrimitiveBatch::State::part_of(const Tile& tile, std::span<const std::uint32_t> entries) const {
  const std::uint32_t x = tile.column * kTileExtent, y = tile.row * kTileExtent;
  std::uint32_t left = kTileExtent, top = kTileExtent, right = 0, bottom = 0;
  for (const std::uint32_t entry : entries) {
    const Shape& shape = memory.shapes[entry & ~kWholeTile];
    left = std::min(left, std::max<std::uint32_t>(shape.left, x) - x);
    top = std::min(top, std::max<std::uint32_t>(shape.top, y) - y);
    right = std::max(right, std::min(shape.right + 1U - x, kTileExtent));
    bottom = std::max(bottom, std::min(shape.bottom + 1U - y, kTileExtent));
  }
  return {static_cast<std::uint8_t>(left & ~3U), static_cast<std::uint8_t>(top & ~1U),
          static_cast<std::uint8_t>((right + 3) & ~3U), static_cast<std::uint8_t>((bottom + 1) & ~1U)};
}

const DrawCounts& PrimitiveBatch::counts() const { return state_->counts; }

std::span<const PrimitiveBatch::Tile> PrimitiveBatch::tiles() const { return state_->memory.tiles; }

bool PrimitiveBatch::has_flat_w() const { return state_->flat_w; }

double PrimitiveBatch::pixels_per_tile() const {
  return state_->covered / static_cast<double>(std::max<std::size_t>(state_->memory.entries.size(), 1));
}

template <class Record>
bool PrimitiveBatch::hand_out(std::uint32_t column, std::uint32_t row, std::uint32_t per_group,
                              GroupSink<Record>& sink) const {
  const State& s = *state_;
  const std::size_t tile = std::size_t{row} * s.tile_columns + column;
  if (column >= s.tile_columns || tile >= s.memory.places.size() || s.memory.places[tile].count == 0)
    return true;
  const std::int64_t x = std::int64_t{column} * kTileExtent, y = std::int64_t{row} * kTileExtent;
  const auto [count, first] = s.memory.places[tile];
  GroupWriter<Record> writer(per_group, sink);
  for (const std::uint32_t entry : std::span(s.memory.sorted).subspan(first, count)) {
    const Shape& shape = s.memory.shapes[entry & ~kWholeTile];
    const std::byte* const record = s.memory.rows.data()[shape.record].bytes.data();
    const GroupRecord group{record, static_cast<float>(x) - shape.origin_x,
                            static_cast<float>(y) - shape.origin_y};
    const bool more = (entry & kWholeTile) != 0 ? writer.all(group) : writer.some(group, shape, x, y);
    if (!more) return false;
  }
  return writer.flush();
}

bool PrimitiveBatch::rasterize(std::uint32_t column, std::uint32_t row, std::uint32_t quads_per_group,
                               QuadSink& sink) const {
  return hand_out(column, row, quads_per_group, sink);
}

bool PrimitiveBatch::rasterize(std::uint32_t column, std::uint32_t row, std::uint32_t pixels_per_group,
                               PixelSink& sink) const {
  return hand_out(column, row, pixels_per_group, sink);
}

}  // namespace warpjit::pixels
