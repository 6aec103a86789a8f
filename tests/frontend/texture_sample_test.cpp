// The guest interpreters' sampler against a judge: plain mathematics in double precision over tables of
// numbers, which knows nothing of weights of 8 bits, paths and rounding. A result is right if it is what the
// judge gives for a place at most half a unit of a weight away, and what rounding to f32 adds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "base/bits.h"
#include "frontend/interpret/textures/sample.h"

namespace warpjit::interpret {
namespace {

constexpr double kHalfUnit = 1.0 / 512;

// What bits of a component mean.
double meaning(const TexelComponent& component, std::uint64_t raw, std::uint64_t exponent, bool srgb) {
  const double most = std::ldexp(1.0, component.bits) - 1;
  const auto number = [&](int fraction_bits, bool sign) {
    const double fraction = static_cast<double>(raw & ((1u << fraction_bits) - 1));
    const int e = static_cast<int>(raw >> fraction_bits & 31);
    const double magnitude = e == 0 ? std::ldexp(fraction, -14 - fraction_bits)
                                    : std::ldexp(1 + std::ldexp(fraction, -fraction_bits), e - 15);
    return sign && (raw >> 15) != 0 ? -magnitude : magnitude;
  };
  switch (component.type) {
    case TexelType::unorm: {
      const double c = static_cast<double>(raw) / most;
      return !srgb ? c : c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    }
    case TexelType::snorm: {
      const double half = std::ldexp(1.0, component.bits - 1), c = static_cast<double>(raw);
      return std::max((c >= half ? c - 2 * half : c) / (half - 1), -1.0);
    }
    case TexelType::float_bits:
      if (component.bits == 32) return to_float(static_cast<std::uint32_t>(raw));
      return component.bits == 16 ? number(10, true) : number(component.bits - 5, false);
    case TexelType::shared_exponent:
      return std::ldexp(static_cast<double>(raw), static_cast<int>(exponent) - 24);
    default:
      return 0;
  }
}

// A texture of random texels with the numbers that they mean.
struct Scene {
  TextureFormat format;
  textures::TextureView view;
  std::vector<std::byte> bytes;
  std::vector<std::array<double, 4>> numbers;  // of all levels, each by layers, slices, rows

  static Scene make(std::string_view name, TextureDimension dimension, std::uint32_t width,
                    std::uint32_t height, std::uint32_t depth, std::uint32_t layers, std::uint32_t levels,
                    unsigned seed) {
    Scene scene;
    scene.format = *parse_texture_format(name);
    std::mt19937 random(seed);
    Texture texture;
    texture.dimension = dimension;
    texture.format = scene.format;
    texture.width = width;
    texture.height = height;
    texture.depth_extent = depth;
    texture.array = layers > 1;
    texture.layers = layers;
    texture.levels = levels;
    const std::uint32_t faces = layers * (dimension == TextureDimension::cube ? 6 : 1);
    for (std::uint32_t layer = 0; layer < faces; ++layer)
      for (std::uint32_t level = 0; level < levels; ++level) {
        const auto at = [&](std::uint32_t extent) { return std::max(1U, extent >> level); };
        const std::uint32_t count = at(width) * at(height) * at(depth);
        for (std::uint32_t n = 0; n < count; ++n) scene.add_texel(random);
      }
    texture.data = scene.bytes.data();
    texture.size = scene.bytes.size();
    auto view = textures::make_view(texture, "texture");
    EXPECT_TRUE(view) << to_string(view.error());
    scene.view = std::move(*view);
    return scene;
  }

  void add_texel(std::mt19937& random) {
    std::vector<std::uint8_t> texel(format.bytes);
    std::array<double, 4> meant{0, 0, 0, 1};
    const std::uint64_t exponent = 10 + random() % 8;
    const auto put = [&](unsigned first, unsigned width, std::uint64_t raw) {
      for (unsigned bit = 0; bit < width; ++bit)
        texel[(first + bit) / 8] =
            static_cast<std::uint8_t>(texel[(first + bit) / 8] | (raw >> bit & 1) << (first + bit) % 8);
    };
    for (unsigned c = 0; c < 4; ++c) {
      const TexelComponent& component = format.components[c];
      if (component.type == TexelType::none) continue;
      std::uint64_t raw = random() & ((std::uint64_t{1} << component.bits) - 1);
      if (component.type == TexelType::float_bits) {
        // Numbers of moderate size.
        const float value = static_cast<float>(static_cast<int>(random() % 2048)) / 64;
        if (component.bits == 32) raw = to_bits(value - 16);
        if (component.bits != 32)
          raw = raw % (std::uint64_t{20} << (component.bits == 16 ? 10 : component.bits - 5));
      }
      put(component.first_bit, component.bits, raw);
      if (component.type == TexelType::shared_exponent && c == 0) put(27, 5, exponent);
      meant[c] = meaning(component, raw, exponent, format.srgb && c < 3);
    }
    for (std::uint8_t byte : texel) bytes.push_back(static_cast<std::byte>(byte));
    numbers.push_back(meant);
  }
};

// The texel with these indices, by the rule of a wrap mode; none: the border.
std::optional<std::int64_t> wrapped(std::int64_t i, Wrap wrap, std::int64_t n, bool linear) {
  const auto mod = [](std::int64_t a, std::int64_t m) { return (a % m + m) % m; };
  const bool outside = i < 0 || i >= n;
  switch (wrap) {
    case Wrap::repeat:
      return mod(i, n);
    case Wrap::mirror: {
      const std::int64_t j = mod(i, 2 * n);
      return j < n ? j : 2 * n - 1 - j;
    }
    case Wrap::clamp_to_edge:
    case Wrap::mirror_once_to_edge:
      return std::clamp<std::int64_t>(i, 0, n - 1);
    case Wrap::clamp_to_border:
    case Wrap::mirror_once_to_border:
      if (outside) return std::nullopt;
      return i;
    default:
      if (linear && outside) return std::nullopt;
      return std::clamp<std::int64_t>(i, 0, n - 1);
  }
}

class Judge {
 public:
  Judge(const Scene& scene, const Sampler& sampler, std::uint32_t level, std::uint32_t layer, bool linear)
      : scene_(scene), sampler_(sampler), linear_(linear) {
    const Texture shape = [&] {
      Texture t;
      const textures::Level& found = scene.view.levels[level];
      t.width = found.width;
      t.height = found.height;
      t.depth_extent = found.depth;
      return t;
    }();
    size_ = {shape.width, shape.height, shape.depth_extent};
    // Texels of all levels of a layer stand together.
    std::size_t of_layer = 0, before = 0;
    for (std::uint32_t n = 0; n < scene.view.level_count; ++n) {
      const textures::Level& found = scene.view.levels[n];
      if (n == level) before = of_layer;
      of_layer += std::size_t{found.width} * found.height * found.depth;
    }
    first_ = layer * of_layer + before;
    switch (scene.view.dimension) {
      case TextureDimension::d3:
        axes_ = 3;
        break;
      case TextureDimension::d2:
      case TextureDimension::cube:
        axes_ = 2;
        break;
      default:
        axes_ = 1;
    }
  }

  // In texels.
  double place(double u, unsigned axis) const {
    const Wrap wrap = sampler_.wrap[axis];
    const double n = size_[axis];
    if (std::isnan(u)) u = 0;
    const bool mirror_once = wrap >= Wrap::mirror_once_to_edge;
    if (mirror_once) u = std::fabs(u);
    if (wrap == Wrap::repeat || wrap == Wrap::mirror) {
      if (std::fabs(u) >= 0x1p24) u = 0;
      u = wrap == Wrap::repeat ? u - std::floor(u) : u - 2 * std::floor(u / 2);
    }
    double p = u * n;
    if (wrap == Wrap::clamp || wrap == Wrap::mirror_once) p = std::clamp(p, 0.0, n);
    return std::clamp(p, -65536.0, 65536.0);
  }

  // Is `got` a result for a place near p?
  testing::AssertionResult accepts(const std::array<double, 3>& u, const TexelWords& got) const {
    std::array<double, 3> p{}, error{};
    for (unsigned axis = 0; axis < axes_; ++axis) {
      p[axis] = place(u[axis], axis);
      error[axis] = kHalfUnit * (linear_ ? 1 : 0) + (std::fabs(p[axis]) + size_[axis]) * 0x1p-23;
    }
    return linear_ ? accepts_linear(p, error, got) : accepts_nearest(p, error, got);
  }

 private:
  std::array<double, 4> texel(const std::array<std::int64_t, 3>& index) const {
    std::array<std::int64_t, 3> at{};
    for (unsigned axis = 0; axis < axes_; ++axis) {
      const auto found = wrapped(index[axis], sampler_.wrap[axis], size_[axis], linear_);
      if (!found) {
        std::array<double, 4> border{};
        for (unsigned c = 0; c < 4; ++c) border[c] = to_float(sampler_.border[c]);
        return border;
      }
      at[axis] = *found;
    }
    return scene_.numbers[first_ + static_cast<std::size_t>((at[2] * size_[1] + at[1]) * size_[0] + at[0])];
  }

  testing::AssertionResult accepts_nearest(const std::array<double, 3>& p, const std::array<double, 3>& error,
                                           const TexelWords& got) const {
    std::array<double, 4> wanted{};
    for (unsigned pick = 0; pick < 8; ++pick) {
      std::array<std::int64_t, 3> index{};
      for (unsigned axis = 0; axis < axes_; ++axis)
        index[axis] = static_cast<std::int64_t>(
            std::floor(p[axis] + ((pick >> axis & 1) != 0 ? error[axis] : -error[axis])));
      wanted = texel(index);
      bool same = true;
      for (unsigned c = 0; c < 4; ++c) same &= near(to_float(got[c]), wanted[c], 0, std::fabs(wanted[c]));
      if (same) return testing::AssertionSuccess();
    }
    return wrong(got, wanted, p);
  }

  testing::AssertionResult accepts_linear(const std::array<double, 3>& p, const std::array<double, 3>& error,
                                          const TexelWords& got) const {
    std::array<double, 4> sum{}, least{}, most{};
    least.fill(std::numeric_limits<double>::infinity());
    most.fill(-std::numeric_limits<double>::infinity());
    double along = 0;
    for (unsigned axis = 0; axis < axes_; ++axis) along += error[axis];
    // All texels that some place nearby mixes.
    for (unsigned n = 0; n < 1U << 2 * axes_; ++n) {
      std::array<std::int64_t, 3> index{};
      double weight = 1;
      for (unsigned axis = 0; axis < axes_; ++axis) {
        const double first = std::floor(p[axis] - 0.5);
        const int step = static_cast<int>(n >> 2 * axis & 3) - 1;
        index[axis] = static_cast<std::int64_t>(first) + step;
        const double fraction = p[axis] - 0.5 - first;
        weight *= step == 0 ? 1 - fraction : step == 1 ? fraction : 0;
      }
      const std::array<double, 4> found = texel(index);
      for (unsigned c = 0; c < 4; ++c) {
        sum[c] += weight * found[c];
        least[c] = std::min(least[c], found[c]);
        most[c] = std::max(most[c], found[c]);
      }
    }
    for (unsigned c = 0; c < 4; ++c)
      if (!near(to_float(got[c]), sum[c], along * (most[c] - least[c]),
                std::max(std::fabs(most[c]), std::fabs(least[c]))))
        return wrong(got, sum, p);
    return testing::AssertionSuccess();
  }

  static bool near(double got, double wanted, double allowed, double size) {
    return std::fabs(got - wanted) <= allowed + size * 0x1p-21 + 0x1p-120;
  }
  static testing::AssertionResult wrong(const TexelWords& got, const std::array<double, 4>& wanted,
                                        const std::array<double, 3>& p) {
    auto result = testing::AssertionFailure() << "at " << p[0] << ", " << p[1] << ", " << p[2] << ":";
    for (unsigned c = 0; c < 4; ++c) result << ' ' << to_float(got[c]) << " for " << wanted[c];
    return result;
  }

  const Scene& scene_;
  const Sampler& sampler_;
  bool linear_;
  std::array<std::uint32_t, 3> size_{};
  std::size_t first_ = 0;
  unsigned axes_ = 1;
};

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
      const Scene scene =
          Scene::make(name, shape.dimension, shape.width, shape.height, shape.depth, shape.layers, 1, ++seed);
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
            const std::uint32_t layer = std::min(place.layer, shape.layers - 1);
            const TexelWords got = sample(scene.view, sampler, place, kNoDetail);
            ++samples;
            ASSERT_TRUE(Judge(scene, sampler, 0, layer, linear).accepts({at[0], at[1], at[2]}, got))
                << name << ", wrap " << static_cast<int>(wrap) << (linear ? " linear " : " nearest ")
                << shape.width << " x " << shape.height << " x " << shape.depth << " at " << u;
          }
        }
    }
  }
  EXPECT_GT(samples, 100000u);
}

// Unorm8 is exact: the same sum in integers, rounded once. And a texture of one colour stays that colour.
TEST(TextureSampler, EightBitsAreExact) {
  const Scene scene = Scene::make("rgba8", TextureDimension::d2, 4, 4, 1, 1, 1, 7);
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
    const Scene scene = Scene::make(name, TextureDimension::d2, 8, 8, 1, 1, 4, 21);
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
      EXPECT_TRUE(
          Judge(scene, sampler, level, 0, true).accepts(at, sample(scene.view, sampler, place, detail)))
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
    EXPECT_TRUE(Judge(scene, sampler, 1, 0, true).accepts(at, sample(scene.view, sampler, place, -900)));
    sampler.min_lod = 0;
    sampler.max_lod = 512;
    EXPECT_TRUE(Judge(scene, sampler, 2, 0, true).accepts(at, sample(scene.view, sampler, place, 9000)));
    sampler.lod_bias = -256;
    EXPECT_TRUE(Judge(scene, sampler, 1, 0, true).accepts(at, sample(scene.view, sampler, place, 512)));
  }
}

TEST(TextureSampler, Detail) {
  const Scene scene = Scene::make("rgba8", TextureDimension::d2, 64, 32, 1, 1, 1, 3);
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
  const Scene scene = Scene::make("rgba32f", TextureDimension::cube, 4, 4, 1, 1, 1, 5);
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
          Judge(scene, sampler, 0, face.face, linear)
              .accepts({to_float(face.s), to_float(face.t), 0}, sample(scene.view, sampler, place, 0)));
    }
  }
}

// Where a filter crosses an edge of the cube it must not jump: directions on both sides of the edge give
// almost the same, which faces by themselves do not.
TEST(TextureSampler, SeamlessCubes) {
  const Scene scene = Scene::make("rgba32f", TextureDimension::cube, 4, 4, 1, 1, 1, 6);
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
  Scene scene = Scene::make("rgba32f", TextureDimension::cube, 4, 4, 1, 1, 1, 6);
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
  Scene scene = Scene::make("d16", TextureDimension::d2, 2, 1, 1, 1, 1, 8);
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
  const Scene scene = Scene::make("rgba8ui", TextureDimension::d2, 5, 3, 1, 4, 3, 12);
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
