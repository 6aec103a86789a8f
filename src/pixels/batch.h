// The rasterizer of the fast engines: primitives become records that kernels read, and quads of tiles. The
// rules are in docs/pixels.md. A draw is done in batches, so that its size needs no memory:
//
//   batch.clear(); next = batch.add(vertices, next); batch.sort();
//   for each tile of batch.tiles(), on any thread: batch.rasterize(tile, quads a group, sink);
//
// Several batches may be filled at once on several threads. Where a tile's batches are rasterized in the
// order of their primitives, the outcome is that of one batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "pixels/records.h"
#include "pixels/rules.h"
#include "warpjit/pixels.hpp"

namespace warpjit::pixels {

// How many primitives the topology makes of that many vertices or indices.
std::uint64_t primitive_count(Topology topology, std::uint64_t vertices);
unsigned vertices_of(Topology topology);  // of a primitive
// Where the vertices of a primitive stand in the list of vertices or indices, in the primitive's order.
std::array<std::uint64_t, 3> vertex_places(Topology topology, std::uint64_t primitive);

// Vertices of a draw, or of a part that begins with primitive `number`.
struct Vertices {
  const std::uint32_t* words = nullptr;
  std::uint32_t stride = 4;  // words from one vertex to the next, at least the batch's slots
  std::uint64_t count = 0;
  bool indexed = false;
  std::span<const std::uint32_t> indices{};  // one of `count` or more drops its primitive
  std::uint32_t number = 0;                  // of the first primitive of this part; or
  std::span<const std::uint32_t> numbers{};  // ... of each primitive
  std::uint64_t primitives(Topology topology) const {
    return primitive_count(topology, indexed ? indices.size() : count);
  }
};

// Receives groups of quads: group g has quads g * n to g * n + n - 1, n being an argument of
// rasterize(). All covered quads of a primitive come first, then of the next; coverage 0 fills up the end of
// a group. Groups of pixels come in the same order.
template <class Record>
class GroupSink {
 public:
  virtual ~GroupSink() = default;
  // The records stay valid until it returns. False: the sink takes no more.
  virtual bool run(const Record* records, std::span<const GroupRecord> groups) = 0;
};
using QuadSink = GroupSink<QuadRecord>;
using PixelSink = GroupSink<PixelRecord>;

inline constexpr std::size_t kMostUses = 256;

// The memory of a batch. The next one that gets it need not allocate; of a large batch nothing is kept.
class BatchMemory {
 public:
  BatchMemory();
  BatchMemory(BatchMemory&&) noexcept;
  BatchMemory& operator=(BatchMemory&&) noexcept;
  ~BatchMemory();

 private:
  friend class PrimitiveBatch;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

class PrimitiveBatch {
 public:
  // A tile in which something may be covered.
  struct Tile {
    std::uint32_t column, row;  // in tiles; pixels begin at 64 times that
    std::uint32_t primitives;   // how many reach it
    bool starts_covered;        // the first of them covers all of it
    TilePart part;              // what they may cover
  };

  // For targets of `width` by `height` pixels and vertices of `slots` words; depth bias depends on the format
  // of the depth target. `memory`, if there is some, is lent until the batch ends. Errors: bad_input for a size above
  // kMaxTargetExtent, or a slot that vertices do not have.
  static Result<PrimitiveBatch> make(const RasterState& state, std::uint32_t width, std::uint32_t height,
                                     std::uint32_t slots, std::span<const SlotUse> uses,
                                     PixelFormat depth_format = PixelFormat::none,
                                     const RasterRules& rules = {}, BatchMemory* memory = nullptr);
  PrimitiveBatch(PrimitiveBatch&&) noexcept;
  PrimitiveBatch& operator=(PrimitiveBatch&&) noexcept;
  ~PrimitiveBatch();

  // Bytes of a primitive's record.
  std::size_t record_size() const;

  void clear();
  // Adds primitives from `first` on, counted within these vertices, until the batch is full. Returns the
  // first that was not added: the number of primitives if all were. None from `end` on.
  std::uint64_t add(const Vertices& vertices, std::uint64_t first, std::uint64_t end = ~std::uint64_t{0});
  // To be called after the last add() and before what follows, which is const and may run on many threads.
  void sort();
  std::span<const Tile> tiles() const;  // by row, then column
  // What became of all primitives that were added since the batch was made; pixels are not counted.
  const DrawCounts& counts() const;
  // Whether 1/w is 1 at all vertices.
  bool has_flat_w() const;
  // About how many pixels a primitive covers in a tile that it reaches, on average.
  double pixels_per_tile() const;
  // Hands the quads of a tile to the sink, or its covered pixels; nothing, if no primitive reaches it. False
  // if the sink said so.
  bool rasterize(std::uint32_t column, std::uint32_t row, std::uint32_t quads_per_group,
                 QuadSink& sink) const;
  bool rasterize(std::uint32_t column, std::uint32_t row, std::uint32_t pixels_per_group,
                 PixelSink& sink) const;

 private:
  template <class Record>
  bool hand_out(std::uint32_t column, std::uint32_t row, std::uint32_t per_group,
                GroupSink<Record>& sink) const;
  using Memory = BatchMemory::Parts;
  struct State;
  explicit PrimitiveBatch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpjit::pixels
