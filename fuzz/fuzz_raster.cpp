// Any words as vertices of a draw, through the rasterizer: every quad lies in its tile and every covered
// pixel in the target and the scissor rectangle. Input: state, then words.
#include <cmath>
#include <vector>

#include "pixels/batch.h"
#include "reader.h"
#include "target.h"

namespace {

using namespace warpjit;
using namespace warpjit::pixels;

constexpr std::uint32_t kSlots = 6, kMostRasterSize = 150;

class Judge : public QuadSink {
 public:
  Judge(const RasterState& state, std::uint32_t width, std::uint32_t height, const PrimitiveBatch::Tile& tile,
        std::uint32_t per_group)
      : state_(state), width_(width), height_(height), tile_(tile), per_group_(per_group) {}

  bool run(const QuadRecord* quads, std::span<const GroupRecord> groups) override {
    for (std::size_t n = 0; n < groups.size() * per_group_; ++n) {
      const QuadRecord& quad = quads[n];
      fuzz::require(quad.x >= 0 && quad.x <= kTileExtent - 2 && quad.y >= 0 && quad.y <= kTileExtent - 2,
                    "a quad lies in its tile");
      const auto column = static_cast<std::uint32_t>(quad.x), row = static_cast<std::uint32_t>(quad.y);
      fuzz::require(quad.offset == 16 * morton(column / 2, row / 2), "a quad is where its place says");
      fuzz::require(quad.coverage <= 15, "a quad has four pixels");
      for (std::uint32_t k = 0; k < 4; ++k)
        if ((quad.coverage >> k & 1) != 0)
          covered(kTileExtent * tile_.column + column + (k & 1), kTileExtent * tile_.row + row + (k >> 1));
    }
    return true;
  }

 private:
  void covered(std::uint32_t x, std::uint32_t y) const {
    const RasterState::Rectangle& scissor = state_.scissor;
    fuzz::require(x < width_ && y < height_, "a covered pixel lies in the target");
    fuzz::require(
        x >= scissor.x && y >= scissor.y && x - scissor.x < scissor.width && y - scissor.y < scissor.height,
        "a covered pixel lies in the scissor rectangle");
  }

  const RasterState& state_;
  std::uint32_t width_, height_;
  PrimitiveBatch::Tile tile_;
  std::uint32_t per_group_;
};

}  // namespace

int warpjit::fuzz::fuzz_raster(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  fuzz::Reader reader(data, size);
  const auto flags = reader.take<std::uint32_t>();
  const auto bit = [&](unsigned n) { return (flags >> n & 1) != 0; };
  RasterState state;
  state.topology = static_cast<Topology>(flags % 6);
  state.depth_zero_to_one = bit(8);
  state.clip_near = bit(9);
  state.clip_far = bit(10);
  state.positive_is_front = bit(11);
  state.cull_front = bit(12);
  state.cull_back = bit(13);
  state.provoking_last = bit(14);
  state.window_positions = bit(15);
  if (bit(7)) state.shade = ShadeModel::flat;
  state.point_size_slot = bit(16) ? 4 : 0;
  if (bit(17))
    state.distances = {4, 2, static_cast<std::uint8_t>(flags >> 20), static_cast<std::uint8_t>(flags >> 24)};
  const std::uint32_t width = 1 + reader.take<std::uint8_t>() % kMostRasterSize;
  const std::uint32_t height = 1 + reader.take<std::uint8_t>() % kMostRasterSize;
  const std::uint32_t per_group = 1 + reader.take<std::uint8_t>() % 16;
  if (bit(18))
    state.scissor = {reader.take<std::uint8_t>(), reader.take<std::uint8_t>(), reader.take<std::uint8_t>(),
                     reader.take<std::uint8_t>()};
  for (unsigned axis = 0; axis < 2; ++axis)
    state.viewport_scale[axis] = state.viewport_translate[axis] =
        static_cast<float>(axis == 0 ? width : height) / 2;
  if (bit(19)) {
    state.depth_bias = {reader.take<float>(), reader.take<float>(), reader.take<float>()};
    state.depth_bounds = {0.25F, 0.5F};
  }
  state.line_width = reader.take<float>();
  state.point_size = reader.take<float>();
  const std::size_t index_count = reader.take<std::uint8_t>() % 64;
  std::vector<std::uint32_t> indices, words;
  for (std::size_t n = 0; n < index_count; ++n) indices.push_back(reader.take<std::uint8_t>());
  while (reader.left() != 0) words.push_back(reader.take<std::uint32_t>());
  const std::array<SlotUse, 3> uses{{{4, SlotUse::Plane::perspective, SlotUse::Sprite::none,
                                      bit(19) ? SlotUse::Part::high_half : SlotUse::Part::word},
                                     {.slot = 5, .plane = SlotUse::Plane::linear, .color = true},
                                     {5, SlotUse::Plane::none}}};
  auto batch = PrimitiveBatch::make(state, width, height, kSlots, uses, PixelFormat::d32f);
  if (!batch) return 0;
  const Vertices vertices{words.data(), kSlots, words.size() / kSlots, index_count != 0, indices, 0};
  const std::uint64_t count = vertices.primitives(state.topology);
  for (std::uint64_t next = 0; next < count;) {
    batch->clear();
    next = batch->add(vertices, next);
    batch->sort();
    for (const PrimitiveBatch::Tile& tile : batch->tiles()) {
      Judge judge(state, width, height, tile, per_group);
      fuzz::require(batch->rasterize(tile.column, tile.row, per_group, judge), "all quads come");
    }
  }
  return 0;
}
