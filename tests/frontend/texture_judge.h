// A judge of samplers: plain mathematics in double precision over tables of numbers, which knows nothing of
// weights of 8 bits, paths and rounding. A result is right if it is what the judge gives for a place at most
// half a unit of a weight away, and what rounding to f32 adds.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "base/bits.h"
#include "frontend/interpret/textures/sample.h"

namespace warpjit::interpret {

inline constexpr double kHalfWeightUnit = 1.0 / 512;

// What bits of a component mean.
inline double component_meaning(const TexelComponent& component, std::uint64_t raw, std::uint64_t exponent,
                                bool srgb) {
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
struct TextureScene {
  TextureFormat format;
  textures::TextureView view;
  std::vector<std::byte> bytes;
  std::vector<std::array<double, 4>> numbers;  // of all levels, each by layers, slices, rows

  static TextureScene make(std::string_view name, TextureDimension dimension, std::uint32_t width,
                           std::uint32_t height, std::uint32_t depth, std::uint32_t layers,
                           std::uint32_t levels, unsigned seed) {
    TextureScene scene;
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
      meant[c] = component_meaning(component, raw, exponent, format.srgb && c < 3);
    }
    for (std::uint8_t byte : texel) bytes.push_back(static_cast<std::byte>(byte));
    numbers.push_back(meant);
  }
};

// The texel with these indices, by the rule of a wrap mode; none: the border.
inline std::optional<std::int64_t> wrapped_index(std::int64_t i, Wrap wrap, std::int64_t n, bool linear) {
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

class TextureJudge {
 public:
  // `layer` counts the faces of cubes; `offsets` are texels.
  TextureJudge(const TextureScene& scene, const Sampler& sampler, std::uint32_t level, std::uint32_t layer,
               bool linear, const std::array<std::int32_t, 3>& offsets = {})
      : scene_(scene), sampler_(sampler), linear_(linear), offsets_(offsets) {
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

  bool mirrors_texels = false;  // of SamplePlace

  // In texels.
  double place(double u, unsigned axis) const {
    const Wrap wrap = sampler_.wrap[axis];
    const double n = size_[axis];
    if (std::isnan(u)) u = 0;
    const bool mirror_once = wrap >= Wrap::mirror_once_to_edge, both_ways = mirror_once && mirrors_texels;
    if (mirror_once && !both_ways) u = std::fabs(u);
    if (wrap == Wrap::repeat || wrap == Wrap::mirror) {
      if (std::fabs(u) >= 0x1p24) u = 0;
      u = wrap == Wrap::repeat ? u - std::floor(u) : u - 2 * std::floor(u / 2);
    }
    double p = u * n;
    if (wrap == Wrap::clamp || wrap == Wrap::mirror_once) p = std::clamp(p, both_ways ? -n : 0.0, n);
    return std::clamp(p, -65536.0, 65536.0);
  }

  // True if `got` is a result for a place near p.
  testing::AssertionResult accepts(const std::array<double, 3>& u, const TexelWords& got) const {
    std::array<double, 3> p{}, error{};
    for (unsigned axis = 0; axis < axes_; ++axis) {
      p[axis] = place(u[axis], axis);
      error[axis] = kHalfWeightUnit * (linear_ ? 1 : 0) + (std::fabs(p[axis]) + size_[axis]) * 0x1p-23;
    }
    return linear_ ? accepts_linear(p, error, got) : accepts_nearest(p, error, got);
  }

 private:
  std::array<double, 4> texel(const std::array<std::int64_t, 3>& index) const {
    std::array<std::int64_t, 3> at{};
    for (unsigned axis = 0; axis < axes_; ++axis) {
      std::int64_t number = index[axis] + offsets_[axis];
      if (mirrors_texels && sampler_.wrap[axis] >= Wrap::mirror_once_to_edge && number < 0)
        number = -1 - number;
      const auto found = wrapped_index(number, sampler_.wrap[axis], size_[axis], linear_);
      if (!found) return border();
      at[axis] = *found;
    }
    return scene_.numbers[first_ + static_cast<std::size_t>((at[2] * size_[1] + at[1]) * size_[0] + at[0])];
  }

  std::array<double, 4> border() const {
    std::array<double, 4> colors{};
    for (unsigned c = 0; c < 4; ++c) colors[c] = to_float(sampler_.border[c]);
    if (scene_.format.srgb && sampler_.srgb_border)
      for (unsigned c = 0; c < 3; ++c) colors[c] = to_float((*sampler_.srgb_border)[c]);
    if (scene_.view.depth) colors.fill(colors[0]);
    return colors;
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

  const TextureScene& scene_;
  const Sampler& sampler_;
  bool linear_;
  std::array<std::int32_t, 3> offsets_;
  std::array<std::uint32_t, 3> size_{};
  std::size_t first_ = 0;
  unsigned axes_ = 1;
};

}  // namespace warpjit::interpret
