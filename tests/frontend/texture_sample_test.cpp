// The guest interpreters' sampler against the judge, and against numbers that are known.
#include <cstring>

#include "frontend/texture_judge.h"

namespace warpjit::interpret {
namespace {

// Centres, edges, far places, what is no number.
std::vector<float> coordinates_for(std::uint32_t size) {
  const float n = static_cast<float>(size);
  std::vector<float> list{0.0F,
                          -0.0F,
                          0.5F / n,
                          1.0F / n,
                          (n - 0.5F) / n,
                          1.0F,
                          0.999F,
                          0.31F,
                          0.77F,
                          -0.31F,
                          -0.5F / n,
                          -1.0F,
                          1.26F,
                          1.5F,
                          2.0F,
                          2.7F,
                          -2.4F,
                          17.13F,
                          -9.6F,
                          1e6F,
                          -1e6F,
                          3e7F,
                          3e38F,
                          -3e38F,
                          1e-41F,
                          -1e-41F,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()};
  return list;
}

struct Shape {
  TextureDimension dimension;
  std::uint32_t width, height, depth, layers;
};
constexpr Shape kShapes[] = {
    {TextureDimension::d1, 1, 1, 1, 1},     {TextureDimension::d1, 3, 1, 1, 1},
    {TextureDimension::d1, 16384, 1, 1, 1}, {TextureDimension::d1, 5, 1, 1, 3},
    {TextureDimension::d2, 1, 1, 1, 1},     {TextureDimension::d2, 2, 3, 1, 1},
    {TextureDimension::d2, 3, 2, 1, 2},     {TextureDimension::d2, 8, 5, 1, 1},
    {TextureDimension::d3, 2, 3, 1, 1},     {TextureDimension::d3, 3, 2, 5, 1},
};
constexpr Wrap kWraps[] = {Wrap::repeat,
                           Wrap::mirror,
                           Wrap::clamp_to_edge,
                           Wrap::clamp_to_border,
                           Wrap::clamp,
                           Wrap::mirror_once_to_edge,
                           Wrap::mirror_once_to_border,
                           Wrap::mirror_once};

bool filters(const TextureFormat& format) {
  return format.compression == BlockCompression::none && !textures::has_integers(format);
}

TEST(TextureSampler, EveryWrapFilterAndFormat) {
  unsigned seed = 1;
  std::uint64_t samples = 0;
  for (std::string_view name : list_texture_formats()) {
    if (!filters(*parse_texture_format(name))) continue;
    for (const Shape& shape : kShapes) {
      const TextureScene scene = TextureScene::make(name, shape.dimension, shape.width, shape.height,
                                                    shape.depth, shape.layers, 1, ++seed);
      std::mt19937 random(seed);
      for (const Wrap wrap : kWraps)
        for (const bool linear : {false, true}) {
          Sampler sampler;
          sampler.wrap = {wrap, kWraps[random() % 8], kWraps[random() % 8]};
          sampler.magnify = linear ? Filter::linear : Filter::nearest;
          sampler.border = {to_bits(0.25F), to_bits(-1.0F), to_bits(0.5F), to_bits(2.0F)};
          const std::vector<float> list = coordinates_for(shape.width),
                                   others = coordinates_for(shape.height);
          for (const float u : list) {
            SamplePlace place;
            const std::array<float, 3> at{u, others[random() % others.size()],
                                          others[random() % others.size()]};
            for (unsigned axis = 0; axis < 3; ++axis) place.coordinates[axis] = to_bits(at[axis]);
            place.layer = random() % 5;
            place.mirrors_texels = random() % 2 != 0;
            const std::uint32_t layer = std::min(place.layer, shape.layers - 1);
            const TexelWords got = sample(scene.view, sampler, place, kNoDetail);
            ++samples;
            TextureJudge judge(scene, sampler, 0, layer, linear);
            judge.mirrors_texels = place.mirrors_texels;
            ASSERT_TRUE(judge.accepts({at[0], at[1], at[2]}, got))
                << name << ", wrap " << static_cast<int>(wrap) << (linear ? " linear " : " nearest ")
                << shape.width << " x " << shape.height << " x " << shape.depth << " at " << u;
          }
        }
    }
  }
  EXPECT_GT(samples, 100000u);
}

// Offsets in texels, before they are wrapped; the border in sRGB and of depth.
TEST(TextureSampler, OffsetsAndBorders) {
  std::mt19937 random(31);
  for (std::string_view name : {"rgba8", "srgb8", "rgba32f", "d16"})
    for (const TextureDimension dimension :
         {TextureDimension::d1, TextureDimension::d2, TextureDimension::d3}) {
      const bool is_deep = dimension == TextureDimension::d3;
      TextureScene scene = TextureScene::make(name, dimension, 5, dimension == TextureDimension::d1 ? 1 : 3,
                                              is_deep ? 4 : 1, 1, 1, 17);
      scene.view.depth = name == "d16";
      for (int n = 0; n < 400; ++n) {
        Sampler sampler;
        for (Wrap& wrap : sampler.wrap) wrap = kWraps[random() % 8];
        const bool linear = random() % 2 != 0;
        sampler.magnify = linear ? Filter::linear : Filter::nearest;
        sampler.border = {to_bits(0.25F), to_bits(-1.0F), to_bits(0.5F), to_bits(2.0F)};
        if (random() % 2 != 0) sampler.srgb_border = {to_bits(0.75F), to_bits(0.125F), to_bits(1.0F)};
        SamplePlace place;
        std::array<double, 3> at{};
        for (unsigned axis = 0; axis < 3; ++axis) {
          const float u = static_cast<float>(static_cast<int>(random() % 900) - 300) / 301;
          at[axis] = u;
          place.coordinates[axis] = to_bits(u);
          place.offsets[axis] = static_cast<std::int32_t>(random() % 16) - 8;
        }
        place.mirrors_texels = random() % 2 != 0;
        const TexelWords got = sample(scene.view, sampler, place, kNoDetail);
        TextureJudge judge(scene, sampler, 0, 0, linear, place.offsets);
        judge.mirrors_texels = place.mirrors_texels;
        ASSERT_TRUE(judge.accepts(at, got))
            << name << (linear ? " linear, wrap " : " nearest, wrap ") << static_cast<int>(sampler.wrap[0]);
      }
    }
}

// Unorm8 is exact: the same sum in integers, rounded once. And a texture of one colour stays that colour.
TEST(TextureSampler, EightBitsAreExact) {
  const TextureScene scene = TextureScene::make("rgba8", TextureDimension::d2, 4, 4, 1, 1, 1, 7);
  Sampler sampler;
  sampler.magnify = Filter::linear;
  for (unsigned x = 0; x < 256; x += 5)
    for (unsigned y = 0; y < 256; y += 7) {
      // Between texels (1, 1) and (2, 2), in 1/256 of a texel.
      SamplePlace place;
      place.coordinates = {to_bits((1.5F + static_cast<float>(x) / 256) / 4),
                           to_bits((1.5F + static_cast<float>(y) / 256) / 4), 0};
      const TexelWords got = sample(scene.view, sampler, place, 0);
      for (unsigned c = 0; c < 4; ++c) {
        const auto byte = [&](unsigned column, unsigned row) {
          return std::to_integer<std::uint32_t>(scene.bytes[4 * (4 * row + column) + c]);
        };
        const std::uint32_t sum = (256 - x) * (256 - y) * byte(1, 1) + x * (256 - y) * byte(2, 1) +
                                  (256 - x) * y * byte(1, 2) + x * y * byte(2, 2);
        const float factor = (1.0F / 255) * 0x1p-16F;
        ASSERT_EQ(got[c], to_bits(static_cast<float>(sum) * factor));
      }
    }
}

TEST(TextureSampler, Levels) {
  for (std::string_view name : {"rgba8", "rgba32f", "rgb10a2", "srgb8"}) {
    const TextureScene scene = TextureScene::make(name, TextureDimension::d2, 8, 8, 1, 1, 4, 21);
    Sampler sampler;
    sampler.magnify = sampler.minify = Filter::linear;
    SamplePlace place;
    place.coordinates = {to_bits(0.3F), to_bits(0.8F), 0};
    const std::array<double, 3> at{0.3F, 0.8F, 0};
    sampler.mip = MipFilter::nearest;
    // 0.5 goes to the lower level, what is above it to the next.
    const std::pair<int, unsigned> rounded[] = {{-5, 0},  {0, 0},   {1, 0},   {128, 0},
                                                {129, 1}, {384, 1}, {385, 2}, {99999, 3}};
    for (const auto& [detail, level] : rounded)
      EXPECT_TRUE(TextureJudge(scene, sampler, level, 0, true)
                      .accepts(at, sample(scene.view, sampler, place, detail)))
          << detail;
    sampler.mip = MipFilter::linear;
    for (const int detail : {1, 40, 255, 256, 300, 700, 768, 900}) {
      const TexelWords got = sample(scene.view, sampler, place, detail);
      const unsigned low = std::min(detail / 256, 3), high = std::min(low + 1, 3U);
      Sampler one = sampler;
      one.mip = MipFilter::nearest;
      const TexelWords a = sample(scene.view, one, place, static_cast<int>(low) * 256 + (low == 0 ? 0 : 0));
      const TexelWords b = sample(scene.view, one, place, static_cast<int>(high) * 256);
      for (unsigned c = 0; c < 4; ++c) {
        const double weight = (detail & 255) / 256.0;
        const double wanted = to_float(a[c]) * (1 - weight) + to_float(b[c]) * weight;
        EXPECT_NEAR(to_float(got[c]), wanted, (std::fabs(wanted) + 1) * 0x1p-20) << name << detail;
      }
    }
    // Clamps and biases.
    sampler.mip = MipFilter::nearest;
    sampler.min_lod = 256;
    EXPECT_TRUE(
        TextureJudge(scene, sampler, 1, 0, true).accepts(at, sample(scene.view, sampler, place, -900)));
    sampler.min_lod = 0;
    sampler.max_lod = 512;
    EXPECT_TRUE(
        TextureJudge(scene, sampler, 2, 0, true).accepts(at, sample(scene.view, sampler, place, 9000)));
    sampler.lod_bias = -256;
    EXPECT_TRUE(
        TextureJudge(scene, sampler, 1, 0, true).accepts(at, sample(scene.view, sampler, place, 512)));
    // Those of the texture: its bias is added, its least level applies after the limits of the sampler.
    textures::TextureView biased = scene.view;
    biased.lod_bias = 300;
    EXPECT_TRUE(TextureJudge(scene, sampler, 2, 0, true).accepts(at, sample(biased, sampler, place, 400)));
    biased.lod_bias = 0;
    biased.min_lod = 700;
    for (const int detail : {-900, 0, 400, 9000})
      EXPECT_TRUE(
          TextureJudge(scene, sampler, 3, 0, true).accepts(at, sample(biased, sampler, place, detail)))
          << detail;
  }
}

TEST(TextureSampler, Detail) {
  const TextureScene scene = TextureScene::make("rgba8", TextureDimension::d2, 64, 32, 1, 1, 1, 3);
  for (const double step : {0.001, 0.01, 0.02, 1.0 / 64, 0.1, 0.7, 3.0}) {
    const std::array<std::uint32_t, 3> from{to_bits(0.25F), to_bits(0.5F), 0};
    const std::array<std::uint32_t, 3> to{to_bits(static_cast<float>(0.25F + step)), to_bits(0.5F), 0};
    const double texels = (to_float(to[0]) - 0.25) * 64;
    EXPECT_NEAR(detail_of(widen_gradient(0, scene.view, from, to)) / 256.0, std::log2(texels), 0.006) << step;
  }
  EXPECT_EQ(detail_of(0), kNoDetail);
  EXPECT_EQ(detail_of(to_bits(1.0F)), 0);
  EXPECT_EQ(detail_of(0x7f800000), kAllDetail);
  const std::array<std::uint32_t, 3> nan{0x7fc00000, 0, 0};
  EXPECT_EQ(detail_of(widen_gradient(0, scene.view, nan, nan)), kAllDetail);
  EXPECT_EQ(detail_operand(to_bits(1.5F)), 384);
  EXPECT_EQ(detail_operand(to_bits(1e9F)), 64 * 256);
  EXPECT_EQ(detail_operand(0xffc00000), 0);
}

// Every face: the texel that a direction means, by geometry in double.
TEST(TextureSampler, Cubes) {
  const TextureScene scene = TextureScene::make("rgba32f", TextureDimension::cube, 4, 4, 1, 1, 1, 5);
  std::mt19937 random(9);
  for (int n = 0; n < 2000; ++n) {
    std::array<double, 3> d{};
    for (double& axis : d) axis = static_cast<double>(random() % 2001) / 1000 - 1;
    const unsigned major = random() % 3;
    d[major] = random() % 2 != 0 ? 1 : -1;
    SamplePlace place;
    for (unsigned axis = 0; axis < 3; ++axis) {
      d[axis] = static_cast<float>(d[axis]);
      place.coordinates[axis] = to_bits(static_cast<float>(d[axis]));
    }
    const FacePlace face = find_face(place.coordinates);
    if (std::fabs(d[(major + 1) % 3]) == 1 || std::fabs(d[(major + 2) % 3]) == 1) continue;
    EXPECT_EQ(face.face, 2 * major + (d[major] < 0 ? 1 : 0));
    // Looking at a face from inside of the cube: right and down.
    const double right[6] = {-d[2], d[2], d[0], d[0], d[0], -d[0]},
                 down[6] = {-d[1], -d[1], d[2], -d[2], -d[1], -d[1]};
    EXPECT_NEAR(to_float(face.s), right[face.face] / 2 + 0.5, 1e-6);
    EXPECT_NEAR(to_float(face.t), down[face.face] / 2 + 0.5, 1e-6);
    Sampler sampler;
    sampler.wrap.fill(Wrap::clamp_to_edge);
    for (const bool linear : {false, true}) {
      sampler.magnify = linear ? Filter::linear : Filter::nearest;
      EXPECT_TRUE(
          TextureJudge(scene, sampler, 0, face.face, linear)
              .accepts({to_float(face.s), to_float(face.t), 0}, sample(scene.view, sampler, place, 0)));
    }
  }
}

// The layer numbers cubes, and the last one stands for those after it; fetches number faces.
TEST(TextureSampler, ArraysOfCubes) {
  constexpr std::uint32_t kCubes = 3;
  const TextureScene scene = TextureScene::make("rgba32f", TextureDimension::cube, 4, 4, 1, kCubes, 2, 15);
  std::mt19937 random(10);
  for (int n = 0; n < 1000; ++n) {
    SamplePlace place;
    for (std::uint32_t& axis : place.coordinates)
      axis = to_bits(static_cast<float>(random() % 1999) / 1000 - 0.9995F);
    place.coordinates[random() % 3] = to_bits(random() % 2 != 0 ? 1.0F : -1.0F);
    place.layer = random() % 5;
    place.offsets = {1, 2, 3};  // which cubes do not have
    const FacePlace face = find_face(place.coordinates);
    const std::uint32_t cube = std::min(place.layer, kCubes - 1);
    Sampler sampler;
    sampler.wrap.fill(Wrap::clamp_to_edge);
    sampler.mip = MipFilter::nearest;
    const bool linear = random() % 2 != 0;
    sampler.magnify = sampler.minify = linear ? Filter::linear : Filter::nearest;
    const std::uint32_t level = random() % 2;
    const TexelWords got = sample(scene.view, sampler, place, static_cast<std::int32_t>(256 * level));
    ASSERT_TRUE(TextureJudge(scene, sampler, level, 6 * cube + face.face, linear)
                    .accepts({to_float(face.s), to_float(face.t), 0}, got))
        << "cube " << cube << ", face " << face.face;
    SamplePlace integers;
    for (unsigned axis = 0; axis < 2; ++axis)
      integers.coordinates[axis] = static_cast<std::uint32_t>(random() % 4);
    integers.layer = random() % 20;
    const TexelWords fetched = fetch(scene.view, integers, 0);
    const std::size_t of_face = 16 + 4, number = std::min(integers.layer, 6 * kCubes - 1);
    for (unsigned c = 0; c < 4; ++c)
      ASSERT_EQ(to_float(fetched[c]),
                scene.numbers[number * of_face + 4 * integers.coordinates[1] + integers.coordinates[0]][c]);
  }
}

// Where a filter crosses an edge of the cube it must not jump: directions on both sides of the edge give
// almost the same, which faces by themselves do not.
TEST(TextureSampler, SeamlessCubes) {
  const TextureScene scene = TextureScene::make("rgba32f", TextureDimension::cube, 4, 4, 1, 1, 1, 6);
  Sampler sampler;
  sampler.magnify = Filter::linear;
  std::mt19937 random(4);
  double largest_jump = 0, largest_seamless = 0;
  for (int n = 0; n < 3000; ++n) {
    const unsigned major = random() % 3, other = (major + 1 + random() % 2) % 3, rest = 3 - major - other;
    std::array<float, 3> inside{}, outside{};
    const float sign = random() % 2 != 0 ? 1.0F : -1.0F, other_sign = random() % 2 != 0 ? 1.0F : -1.0F;
    const float along = static_cast<float>(random() % 1001) / 500 - 1;
    inside[major] = outside[other] = 1;
    inside[other] = outside[major] = 0.9999F;
    for (auto* d : {&inside, &outside}) {
      (*d)[major] *= sign;
      (*d)[other] *= other_sign;
      (*d)[rest] = along * 0.999F;
    }
    const auto taken = [&](const std::array<float, 3>& d, bool seamless) {
      SamplePlace place;
      for (unsigned axis = 0; axis < 3; ++axis) place.coordinates[axis] = to_bits(d[axis]);
      sampler.seamless = seamless;
      return to_float(sample(scene.view, sampler, place, 0)[0]);
    };
    largest_seamless =
        std::max<double>(largest_seamless, std::fabs(taken(inside, true) - taken(outside, true)));
    largest_jump = std::max<double>(largest_jump, std::fabs(taken(inside, false) - taken(outside, false)));
  }
  EXPECT_LT(largest_seamless, 0.5);  // of numbers from -16 to 16
  EXPECT_GT(largest_jump, 5);
}

// A cube of one colour has it everywhere, at its corners, too.
TEST(TextureSampler, CornersOfCubes) {
  TextureScene scene = TextureScene::make("rgba32f", TextureDimension::cube, 4, 4, 1, 1, 1, 6);
  for (std::size_t at = 0; at < scene.bytes.size(); at += 4) {
    const float number = 5;
    std::memcpy(scene.bytes.data() + at, &number, 4);
  }
  Sampler sampler;
  sampler.magnify = Filter::linear;
  sampler.seamless = true;
  for (unsigned corner = 0; corner < 8; ++corner) {
    SamplePlace place;
    for (unsigned axis = 0; axis < 3; ++axis)
      place.coordinates[axis] = to_bits((corner >> axis & 1) != 0 ? 1.0F : -1.0F);
    for (const std::uint32_t word : sample(scene.view, sampler, place, 0))
      EXPECT_NEAR(to_float(word), 5, 1e-5);
  }
}

TEST(TextureSampler, Compare) {
  TextureScene scene = TextureScene::make("d16", TextureDimension::d2, 2, 1, 1, 1, 1, 8);
  scene.view.swizzle = {TexelSource::red, TexelSource::zero, TexelSource::one, TexelSource::red};
  const double stored[2] = {scene.numbers[0][0], scene.numbers[1][0]};
  Sampler sampler;
  sampler.compare = true;
  sampler.wrap.fill(Wrap::clamp_to_edge);
  for (unsigned op = 0; op < 8; ++op) {
    sampler.compare_op = static_cast<Compare>(op);
    for (const double reference : {-1.0, 0.0, 0.5, stored[0], stored[1], 1.0, 2.0}) {
      const double limited = std::clamp<double>(static_cast<float>(reference), 0, 1);
      const auto holds = [&](double texel) {
        const bool table[8] = {false, limited<texel, limited == texel, limited <= texel, limited> texel,
                               limited != texel, limited >= texel, true};
        return table[op] ? 1.0F : 0.0F;
      };
      SamplePlace place;
      place.coordinates = {to_bits(0.5F), to_bits(0.5F), 0};
      place.reference = to_bits(static_cast<float>(reference));
      sampler.magnify = Filter::linear;
      const TexelWords mixed = sample(scene.view, sampler, place, 0);
      EXPECT_EQ(to_float(mixed[0]),
                (holds(static_cast<float>(stored[0])) + holds(static_cast<float>(stored[1]))) / 2);
      EXPECT_EQ(mixed[1], 0u);
      EXPECT_EQ(mixed[2], to_bits(1.0F));
      EXPECT_EQ(mixed[3], mixed[0]);
      const TexelWords four = gather(scene.view, sampler, place);
      EXPECT_EQ(to_float(four[3]), holds(static_cast<float>(stored[0])));
      EXPECT_EQ(to_float(four[2]), holds(static_cast<float>(stored[1])));
    }
  }
}

TEST(TextureSampler, FetchAndSizes) {
  const TextureScene scene = TextureScene::make("rgba8ui", TextureDimension::d2, 5, 3, 1, 4, 3, 12);
  SamplePlace place;
  place.coordinates = {2, 1, 0};
  place.layer = 9;  // the last one
  place.offsets = {1, 1, 0};
  const TexelWords got = fetch(scene.view, place, 0);
  const std::size_t of_layer = 15 + 2 + 1;
  for (unsigned c = 0; c < 4; ++c)
    EXPECT_EQ(got[c], std::to_integer<std::uint32_t>(scene.bytes[4 * (3 * of_layer + 2 * 5 + 3) + c]));
  for (const auto& [x, y, level] :
       {std::array{5, 0, 0}, std::array{-2, 0, 0}, std::array{0, 3, 0}, std::array{0, 0, 3},
        std::array{0, 0, -1}, std::array{0, 0, INT32_MAX}, std::array{INT32_MAX, 0, 0}}) {
    place.coordinates = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 0};
    EXPECT_EQ(fetch(scene.view, place, level), TexelWords{}) << x << ' ' << y << ' ' << level;
  }
  EXPECT_EQ(query_size(scene.view, 0), (TexelWords{5, 3, 4, 3}));
  EXPECT_EQ(query_size(scene.view, 2), (TexelWords{1, 1, 4, 3}));
  EXPECT_EQ(query_size(scene.view, 3), TexelWords{});
  textures::TextureView part = scene.view;
  part.first_level = 1;
  EXPECT_EQ(query_size(part, 0), (TexelWords{2, 1, 4, 2}));
}

}  // namespace
}  // namespace warpjit::interpret
