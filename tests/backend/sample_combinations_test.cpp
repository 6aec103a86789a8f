// Every wrap mode with every filter, format and dimension, at edge coordinates of edge sizes: the guest
// interpreters' sampler, the IR interpreter and code give the same bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "backend/sampled_kernel.h"
#include "base/random.h"
#include "frontend/textures/facts.h"
#include "support/share.h"

namespace warpjit::backend {
namespace {

std::span<const std::byte> texels() {
  static const std::vector<std::byte> kTexels = [] {
    std::vector<std::byte> bytes(std::size_t{1} << 22);
    Random random(11);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    return bytes;
  }();
  return kTexels;
}

enum class Filtering : std::uint8_t { nearest, linear, two_levels };

struct Extent {
  std::uint32_t width, height, depth;
};
constexpr std::uint32_t kMost = kMaxTextureExtent;
// By TextureDimension. A cube of the greatest extent has more bytes than textures may have.
const std::vector<Extent>& extents(TextureDimension dimension) {
  static const std::vector<Extent> kLists[] = {
      {{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {kMost, 1, 1}},
      {{1, 2, 1}, {2, 3, 1}, {3, 1, 1}, {kMost, 2, 1}, {1, kMost, 1}},
      {{1, 2, 3}, {2, 3, 1}, {3, 1, 2}, {kMost, 1, 2}, {2, kMost, 1}, {1, 2, kMost}},
      {{1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {128, 128, 1}},
      {{1, 1, 1}, {3, 1, 1}, {40000, 1, 1}, {200000, 1, 1}},  // numbers of texels are far here
  };
  return kLists[static_cast<std::size_t>(dimension)];
}

// Centres and borders of texels and what lies beside them, of any of them and of the first and last ones;
// halves between two weights; far places, denormals, what is no number.
std::vector<float> edge_coordinates(std::uint32_t size, bool normalized) {
  const float n = static_cast<float>(size);
  std::vector<float> list;
  for (const float texel :
       {0.0F, 0.5F, 1.0F, 1.5F, n - 1, n - 0.5F, n, n + 0.5F, 2 * n - 0.5F, -0.5F, -1.0F, -n})
    list.push_back(texel);
  list.insert(list.end(), {0.5F + 0x1p-9F, 0.5F + 0x3p-9F, n / 2 + 0x1p-9F, 0.31F * n, 2.77F * n, -1.6F * n});
  if (normalized)
    for (float& place : list) place /= n;
  const std::size_t exact = list.size();
  for (std::size_t k = 0; k < exact; k += 3)
    list.push_back(std::nextafter(list[k], k % 2 == 0 ? -1e9F : 1e9F));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  list.insert(list.end(), {-0.0F, 1e-41F, -1e-41F, 65536.0F, -65537.0F, 0x1p24F, -0x1p24F, 1e10F, -3e38F,
                           kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(),
                           -std::numeric_limits<float>::quiet_NaN()});
  return list;
}

// Directions: each face, its edges and its corners, texels of it; one in four anything.
SampleOperands cube_operands(std::size_t n, const std::vector<float>& list, Random& random) {
  constexpr float kPlaces[] = {0, 1, -1, 0x1.fffffep-1F, -0x1.fffffep-1F, 0.5F, -0.25F, 1.0F / 3, -2.0F / 3};
  SampleOperands operands{};
  const auto any = [&](unsigned k) { return list[(n * (2 * k + 1) + 5 * k) % list.size()]; };
  for (unsigned k = 0; k < 3; ++k)
    operands[k] = std::bit_cast<std::uint32_t>(
        n % 4 == 3 ? any(k) : kPlaces[random.below(static_cast<unsigned>(std::size(kPlaces)))]);
  if (n % 4 != 3) operands[n % 3] = n / 3 % 2 == 0 ? 0x3f800000U : 0xbf800000U;
  return operands;
}

std::vector<SampleOperands> edge_operands(const Texture& texture, Random& random) {
  constexpr std::size_t kThreads = 96;
  const std::uint32_t sizes[3] = {texture.width, texture.height, texture.depth_extent};
  std::vector<float> lists[3];
  for (unsigned k = 0; k < 3; ++k) lists[k] = edge_coordinates(sizes[k], texture.normalized);
  std::vector<SampleOperands> threads(kThreads);
  for (std::size_t n = 0; n < kThreads; ++n) {
    SampleOperands& operands = threads[n];
    if (texture.dimension == TextureDimension::cube) {
      operands = cube_operands(n, lists[0], random);
    } else {  // each one along the first axis, with others along the others
      for (unsigned k = 0; k < 3; ++k)
        operands[k] = std::bit_cast<std::uint32_t>(
            k == 0 ? lists[0][n % lists[0].size()]
                   : lists[k][random.below(static_cast<unsigned>(lists[k].size()))]);
    }
    operands[3] = random.below(4);
    operands[5] = std::bit_cast<std::uint32_t>(static_cast<float>(random.below(9)) * 0.25F - 0.5F);
  }
  return threads;
}

class SampleCombinations : public ::testing::TestWithParam<std::tuple<Target, TextureDimension>> {};

TEST_P(SampleCombinations, EveryWrapFilterAndFormat) {
  const auto [target, dimension] = GetParam();
  if (!runs_here(target)) GTEST_SKIP() << "this CPU does not run " << name(target);
  constexpr std::size_t kWraps = 8, kLayouts = 4;
  std::uint64_t number = 0, kernels = 0;
  for (const std::string_view format : list_texture_formats()) {
    Texture texture;
    texture.format = *parse_texture_format(format);
    if (texture.format.compression != BlockCompression::none) continue;  // is decoded when it is bound
    texture.dimension = dimension;
    texture.data = texels().data();
    texture.size = texels().size();
    for (std::size_t wrap = 0; wrap < kWraps; ++wrap)
      for (const Filtering filtering : {Filtering::nearest, Filtering::linear, Filtering::two_levels}) {
        if (filtering != Filtering::nearest && textures::has_integers(texture.format)) continue;
        ++number;
        if (!in_share(number + number / 24)) continue;  // another wrap mode for each format
        Random random(number);
        const bool buffer = dimension == TextureDimension::buffer;
        texture.layout = buffer ? TextureLayout::linear : static_cast<TextureLayout>(number % kLayouts);
        texture.array = !buffer && dimension != TextureDimension::d3 && number % 3 == 0;
        texture.layers = texture.array ? 2 : 1;
        texture.normalized = dimension == TextureDimension::cube || number % 5 != 0;
        Sampler sampler;
        for (std::size_t axis = 0; axis < 3; ++axis)
          sampler.wrap[axis] = static_cast<Wrap>((wrap + axis * (1 + number / 7 % 3)) % kWraps);
        sampler.magnify = sampler.minify = filtering == Filtering::nearest ? Filter::nearest : Filter::linear;
        if (filtering == Filtering::two_levels) sampler.mip = MipFilter::linear;
        sampler.seamless = wrap % 2 == 0;
        sampler.border = {0x3e800000, 0xbf800000, 0x3f000000, 0x40000000};
        const Setting setting{target, static_cast<std::uint32_t>(1 + number % 2)};
        std::optional<SampledKernel> kernel;
        std::optional<ir::SampleKey> key;
        for (const Extent& extent : extents(dimension)) {
          texture.width = extent.width;
          texture.height = extent.height;
          texture.depth_extent = extent.depth;
          const std::uint32_t longest = std::max({extent.width, extent.height, extent.depth});
          texture.levels = filtering != Filtering::two_levels || longest == 1 || buffer ? 1 : 2;
          const TextureLayout layout = texture.layout;
          auto view = textures::make_view(texture, "texture");
          if (!view) {  // more bytes than there are, because of what the layout rounds up
            texture.layout = TextureLayout::linear;
            view = textures::make_view(texture, "texture");
          }
          ASSERT_TRUE(view) << to_string(view.error());
          const BoundTexture bound{texture, sampler, std::move(*view)};
          ir::SampleKey found = frontend::sample_key(bound.view, sampler);
          found.mirrors_texels = number / 5 % 2 != 0;
          ASSERT_EQ(ir::unsupported(found), nullptr) << format;
          ir::SampleUse use;
          use.operation = ir::SampleOperation::lod;
          SCOPED_TRACE(std::string(format) + ", number " + std::to_string(number) + ": " +
                       text_of(bound, use));
          if (found != key) {
            kernel.emplace(found, use, setting);
            key = found;
            ++kernels;
          }
          kernel->compare(bound, edge_operands(texture, random));
          texture.layout = layout;
          if (HasFailure()) return;
        }
      }
  }
  EXPECT_GE(kernels, share(64 * kWraps));
}

std::string name_of(const ::testing::TestParamInfo<SampleCombinations::ParamType>& tested) {
  constexpr const char* kNames[] = {"d1", "d2", "d3", "cube", "buffer"};
  return std::string(name(std::get<0>(tested.param))) + "_" +
         kNames[static_cast<std::size_t>(std::get<1>(tested.param))];
}
INSTANTIATE_TEST_SUITE_P(Targets, SampleCombinations,
                         ::testing::Combine(::testing::ValuesIn(kPlainTargets),
                                            ::testing::Values(TextureDimension::d1, TextureDimension::d2,
                                                              TextureDimension::d3, TextureDimension::cube,
                                                              TextureDimension::buffer)),
                         name_of);

}  // namespace
}  // namespace warpjit::backend
