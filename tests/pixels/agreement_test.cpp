// The fast rasterizer against the scalar one of the guest interpreters, which shares no code with it: random
// draws, in which every covered pixel must have the same primitives with the same bits of all values.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "frontend/interpret/pixels.h"
#include "pixels/collect.h"
#include "random/pixel_states.h"
#include "support/share.h"

namespace warpjit::pixels {
namespace {

class Recorder : public interpret::FragmentProgram {
 public:
  Recorder(Picture& picture, const std::vector<SlotUse>& uses) : picture_(&picture), uses_(&uses) {}
  unsigned most_quads() const override { return 8; }
  bool exports_depth() const override { return false; }
  Status run(std::span<const interpret::Quad> quads, std::span<interpret::Fragment>) override {
    for (const interpret::Quad& quad : quads)
      for (int n = 0; n < 4; ++n)
        if ((quad.coverage >> n & 1) != 0) record(quad, quad.x + (n & 1), quad.y + (n >> 1));
    return {};
  }

 private:
  void record(const interpret::Quad& quad, std::int32_t x, std::int32_t y) {
    const interpret::Primitive& p = *quad.primitive;
    Covered covered{p.number(), p.front_facing(), p.inverse_w(x, y), p.depth(x, y), {}, {}};
    for (unsigned use = 0; use < uses_->size(); ++use) {
      const bool plane = (*uses_)[use].plane != SlotUse::Plane::none;
      covered.values.push_back(plane ? p.value(use, x, y) : 0);
      covered.flat.push_back(p.flat(use));
    }
    (*picture_)[{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)}].push_back(covered);
  }
  Picture* picture_;
  const std::vector<SlotUse>* uses_;
};

// `counts`: also what became of the primitives.
Picture draw_scalar(const Scene& scene, DrawCounts& counts) {
  Picture picture;
  interpret::PixelWork work;
  work.raster = scene.state;
  work.output.depth_format = scene.depth_format;
  work.width = scene.width;
  work.height = scene.height;
  work.vertices = scene.words;
  work.slots = work.stride = scene.slots;
  work.vertex_count = scene.words.size() / scene.slots;
  work.indices = scene.indices;
  work.indexed = scene.indexed;
  work.uses = scene.uses;
  work.counts = &counts;
  Recorder recorder(picture, scene.uses);
  const Status status = interpret::draw(work, recorder);
  EXPECT_TRUE(status.ok()) << (status ? "" : to_string(status.error()));
  return picture;
}

class RandomScene {
 public:
  explicit RandomScene(std::uint64_t seed) : random_(seed) {}

  Scene make() {
    Scene scene;
    scene.width = 1 + random_.below(150);
    scene.height = 1 + random_.below(150);
    scene.per_group = 1 + random_.below(16);
    RasterState& state = scene.state = random::raster_state(random_, scene.width, scene.height);
    for (float& scale : state.viewport_scale) {
      if (random_.one_in(4)) scale *= -0.7F * static_cast<float>(random_.below(5));
      if (random_.one_in(60)) scale = odd();
    }
    if (random_.one_in(20)) state.point_size = odd();
    if (random_.one_in(20)) state.line_width = odd();
    state.window_positions = random_.one_in(5);
    state.shade = random_.one_in(3) ? ShadeModel::flat : ShadeModel::smooth;
    scene.slots = 4 + random_.below(12);
    const unsigned varyings = scene.slots - 4;
    if (varyings != 0 && random_.one_in(4)) state.point_size_slot = static_cast<std::uint8_t>(slot(scene));
    if (varyings != 0 && random_.one_in(3)) {
      const unsigned count = 1 + random_.below(std::min(varyings, 8U));
      state.distances = {static_cast<std::uint8_t>(4 + random_.below(varyings - count + 1)),
                         static_cast<std::uint8_t>(count), static_cast<std::uint8_t>(random_.next()),
                         static_cast<std::uint8_t>(random_.next())};
      if (random_.one_in(2)) state.distances.cull = 0;
    }
    for (unsigned n = random_.below(8); n > 0; --n)
      scene.uses.push_back(
          {static_cast<std::uint8_t>(random_.below(scene.slots)),
           static_cast<SlotUse::Plane>(random_.below(3)), SlotUse::Sprite::none,
           random_.one_in(2) ? SlotUse::Part::word : static_cast<SlotUse::Part>(random_.below(3)),
           random_.one_in(2)});
    constexpr std::array kDepths{PixelFormat::none, PixelFormat::d16, PixelFormat::d24s8, PixelFormat::d32f};
    scene.depth_format = kDepths[random_.below(4)];
    for (float* number : {&state.depth_bias.units, &state.depth_bias.slope, &state.depth_bias.clamp})
      if (random_.one_in(20)) *number = odd();
    const bool wild = random_.one_in(4);
    const unsigned vertices = 1 + random_.below(20);
    const float spread = random_.one_in(3) ? 6 : 1.5F;
    coarse_ = random_.one_in(4);
    for (unsigned v = 0; v < vertices; ++v) vertex(scene, spread, wild);
    scene.indexed = random_.one_in(2);
    if (scene.indexed)
      for (unsigned n = random_.below(30); n > 0; --n)
        scene.indices.push_back(random_.one_in(20) ? static_cast<std::uint32_t>(random_.next())
                                                   : random_.below(vertices));
    return scene;
  }

 private:
  unsigned slot(const Scene& scene) { return 4 + random_.below(scene.slots - 4); }
  float between(float low, float high) {
    return low + (high - low) * static_cast<float>(random_.below(1U << 20)) / (1U << 20);
  }
  // Numbers that ask for trouble.
  float odd() {
    constexpr std::array<std::uint32_t, 16> kOdd{
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc01234,
        0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x4b000000, 0x7f800001};
    return to_float(random_.one_in(4) ? static_cast<std::uint32_t>(random_.next()) : kOdd[random_.below(16)]);
  }
  void vertex(Scene& scene, float spread, bool wild) {
    const RasterState& state = scene.state;
    const float w = random_.one_in(5) ? between(-1, 1) : between(0.2F, 3);
    std::array<float, 4> position;
    if (state.window_positions) {
      const float border = random_.one_in(10) ? 40000.0F : 100.0F;
      position = {between(-border, border + static_cast<float>(scene.width)),
                  between(-border, border + static_cast<float>(scene.height)), between(-0.2F, 1.2F), w};
    } else {
      position = {between(-spread, spread) * w, between(-spread, spread) * w, between(-1.3F, 1.3F) * w, w};
    }
    // Whole numbers, of which edges often meet planes where w is 0.
    if (coarse_ && !state.window_positions)
      for (float& coordinate : position) coordinate = static_cast<float>(random_.below(5)) - 2;
    if (random_.one_in(8)) position[random_.below(2)] = std::nearbyint(position[0] * 4) / 4;
    for (float& coordinate : position)
      if (wild && random_.one_in(10)) coordinate = odd();
    for (const float coordinate : position) scene.words.push_back(to_bits(coordinate));
    for (unsigned n = 4; n < scene.slots; ++n)
      scene.words.push_back(to_bits(wild && random_.one_in(10) ? odd() : between(-1, 4)));
  }

  Random random_;
  bool coarse_ = false;
};

// As a program sees it.
std::uint32_t limited(std::uint32_t depth, const std::array<float, 2>& bounds) {
  const float value = to_float(depth);
  return to_bits(value > bounds[0] ? std::min(value, bounds[1]) : bounds[0]);
}

std::string describe(const Covered& c, const std::array<float, 2>& depth_bounds) {
  std::string text = "primitive " + std::to_string(c.number) + (c.front ? " front" : " back");
  char word[16];
  const auto add = [&](std::uint32_t value) {
    std::snprintf(word, sizeof word, " %08x", value);
    text += word;
  };
  add(c.inverse_w);
  add(limited(c.depth, depth_bounds));
  for (const std::uint32_t value : c.values) add(value);
  text += " flat";
  for (const std::uint32_t value : c.flat) add(value);
  return text;
}

// What became of primitives; pixels are counted by the scalar rasterizer alone.
std::string describe(const DrawCounts& counts) {
  std::string text = std::to_string(counts.primitives);
  for (const std::uint64_t count :
       {counts.missing, counts.not_finite, counts.outside, counts.culled, counts.empty, counts.beside})
    text += " " + std::to_string(count);
  return text;
}

// WARPJIT_PIXEL_SEEDS=N runs N draws.
TEST(RandomDraws, AgreeWithTheScalarRasterizer) {
  const char* const wanted = std::getenv("WARPJIT_PIXEL_SEEDS");
  const auto seeds = wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : share(600);
  std::size_t covered_pixels = 0, empty = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Scene scene = RandomScene(seed).make();
    DrawCounts fast_counts, scalar_counts;
    const Picture fast = draw(scene, &fast_counts), scalar = draw_scalar(scene, scalar_counts);
    const std::array<float, 2>& bounds = scene.state.depth_bounds;
    for (const auto& [pixel, covered] : scalar) {
      const auto found = fast.find(pixel);
      ASSERT_TRUE(found != fast.end())
          << "seed " << seed << ": only the scalar rasterizer covers " << pixel.x << ", " << pixel.y;
      ASSERT_EQ(found->second.size(), covered.size())
          << "seed " << seed << ", pixel " << pixel.x << ", " << pixel.y;
      for (std::size_t i = 0; i < covered.size(); ++i)
        ASSERT_EQ(describe(found->second[i], bounds), describe(covered[i], bounds))
            << "seed " << seed << ", pixel " << pixel.x << ", " << pixel.y;
    }
    ASSERT_EQ(fast.size(), scalar.size()) << "seed " << seed;
    ASSERT_EQ(describe(fast_counts), describe(scalar_counts)) << "seed " << seed;
    covered_pixels += fast.size();
    empty += fast.empty() ? 1 : 0;
  }
  // The draws are not about nothing; a few of them may cover little.
  EXPECT_GT(covered_pixels, 0U);
  if (seeds < 100) return;
  EXPECT_GT(covered_pixels, seeds * 500);
  EXPECT_LT(empty, seeds * 2 / 3);
}

}  // namespace
}  // namespace warpjit::pixels
