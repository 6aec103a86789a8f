// Samples of random textures with random samplers, at random coordinates and edges: generated code against
// the IR interpreter, bit for bit, and both against a sampler in double precision.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string_view>

#include "backend/sampled_kernel.h"
#include "frontend/textures/facts.h"
#include "random/textures.h"
#include "support/share.h"

namespace warpjit::backend {
namespace {

using Choices = warpjit::Random;

constexpr std::uint32_t kSampledThreads = 16 * 3 * 4;

// Nothing if the random choices do not go together.
std::optional<BoundTexture> random_texture(Choices& random) {
  const std::optional<Texture> texture = random::texture(random);
  if (!texture) return {};
  BoundTexture made;
  made.texture = *texture;
  made.sampler = random::sampler(random, !textures::has_integers(texture->format));
  made.view = std::move(*textures::make_view(*texture, "texture"));
  if (!textures::check_sampler(made.sampler, "sampler") ||
      !textures::check_pair(made.view, made.sampler, "pair"))
    return {};
  return made;
}

template <std::size_t N>
float one_of(Choices& random, const float (&values)[N]) {
  return values[random.below(N)];
}

float random_coordinate(Choices& random) {
  constexpr float kEdges[] = {0.0F,  1.0F,   -1.0F, 0.5F,   0.25F,      2.0F,
                              -0.0F, 1e-40F, 1e10F, -1e10F, 16777216.0F};
  switch (random.below(8)) {
    case 0:
      return one_of(random, kEdges);
    case 1:  // texel borders and centres
      return static_cast<float>(static_cast<int>(random.below(300)) - 100) / 128.0F;
    case 2:
      return std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
    case 3:
      return static_cast<float>(static_cast<int>(random.below(60)) - 20) / 33.0F;
    default:
      return static_cast<float>(random.below(1u << 20)) / static_cast<float>(1u << 20);
  }
}

// Where faces of a cube meet, and beside that by parts of a texel and of a weight.
float edge_coordinate(Choices& random) {
  constexpr float kFromEdge[] = {0,        0,        0x1p-24F,  0x1p-23F,  -0x1p-23F, 0x1p-15F,
                                 0x1p-14F, 0x1p-11F, 0x3p-11F,  0x1p-9F,   0x1p-5F,   1.0F / 33,
                                 0x1p-3F,  1.0F / 3, 1.0F / 17, -0x1p-10F, -0.25F,    1.0F};
  const float at = 1 - one_of(random, kFromEdge);
  if (random.one_in(40)) return std::numeric_limits<float>::quiet_NaN();
  return random.one_in(2) ? -at : at;
}

std::uint32_t random_operand(Choices& random, unsigned k, ir::SampleOperation operation, bool at_edges) {
  const bool integers = operation == ir::SampleOperation::fetch || operation == ir::SampleOperation::size;
  if (at_edges && k < 3) return std::bit_cast<std::uint32_t>(edge_coordinate(random));
  if (k == 3) return random.below(5);
  if (k == 5 && !integers)
    return std::bit_cast<std::uint32_t>(static_cast<float>(random.below(900)) / 100 - 2);
  if (integers) return k == 5 ? random.below(4) : random.below(20);
  return std::bit_cast<std::uint32_t>(k == 4 ? random_coordinate(random) : random_coordinate(random));
}

class SampleCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(SampleCode);

// Random threads through every engine.
void compare_samples(const BoundTexture& bound, const ir::SampleKey& key, const ir::SampleUse& use,
                     std::uint64_t seed, bool at_edges, Target target) {
  Choices random(seed);
  std::vector<SampleOperands> threads(kSampledThreads);
  for (SampleOperands& operands : threads) {
    for (unsigned k = 0; k < operands.size(); ++k)
      operands[k] = random_operand(random, k, use.operation, at_edges);
    if (key.gives_face) operands[2] = random.below(7);
  }
  const SampledKernel kernel(key, use,
                             {target, 1 + static_cast<std::uint32_t>(seed % 2), seed % 7 == 0 ? 4U : 0U});
  kernel.compare(bound, threads);
}

TEST_P(SampleCode, GivesWhatTheInterpreterGives) {
  std::uint32_t tested = 0;
  for (std::uint64_t seed = 1; seed <= share(300); ++seed) {
    Choices random(seed);
    const std::optional<BoundTexture> bound = random_texture(random);
    if (!bound) continue;
    ir::SampleKey key = frontend::sample_key(bound->view, bound->sampler);
    key.without_denormals = random.chance(80);
    key.gives_face = key.is_cube() && random.one_in(2);
    key.own_levels = key.gives_face || random.one_in(3);
    key.mirrors_texels = random.one_in(2);
    ir::SampleUse use;
    use.from_quad = random.one_in(2);
    use.operation = static_cast<ir::SampleOperation>(random.chance(60) ? random.below(3) : random.below(7));
    if (random.chance(20)) use.components = static_cast<std::uint8_t>(random.below(16));
    if (random.chance(20))
      for (std::int8_t& offset : use.offsets)
        offset = static_cast<std::int8_t>(random.one_in(4) ? random.below(256) : random.below(16) - 8);
    if (random.one_in(2)) use.component = static_cast<std::uint8_t>(random.below(4));
    if (ir::unsupported(key) != nullptr) continue;
    SCOPED_TRACE(std::to_string(seed) + ": " + text_of(*bound, use));
    ++tested;
    compare_samples(*bound, key, use, seed, false, GetParam());
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tested, share(80));
}

// Seamless cubes at their edges and corners, where a footprint has texels of two faces, or three texels. With
// and without comparisons, of depths and of what has no green; results that are constant.
TEST_P(SampleCode, CubesAtEdgesAndCorners) {
  constexpr std::string_view kDepths[] = {"d16", "d24", "d32f", "d24s8", "r8", "r16f"};
  constexpr std::uint32_t kExtents[] = {1, 2, 3, 8, 33};
  std::uint32_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Choices random(seed);
    std::optional<BoundTexture> bound = random_texture(random);
    if (!bound) continue;
    Texture& texture = bound->texture;
    Sampler& sampler = bound->sampler;
    if (random.one_in(2)) texture.format = *parse_texture_format(kDepths[random.below(std::size(kDepths))]);
    texture.dimension = TextureDimension::cube;
    texture.width = texture.height = kExtents[random.below(std::size(kExtents))];
    texture.depth_extent = texture.levels = 1;
    texture.first_level = 0;
    texture.block_depth = 0;
    texture.normalized = true;
    while (texture.width >> texture.levels != 0 && random.one_in(2)) ++texture.levels;
    auto view = textures::make_view(texture, "texture");
    if (!view) continue;
    bound->view = std::move(*view);
    sampler.seamless = !random.one_in(8);
    sampler.compare = random.one_in(2);
    if (!textures::has_integers(texture.format) && random.one_in(2))
      sampler.magnify = sampler.minify = Filter::linear;
    if (!textures::check_pair(bound->view, sampler, "pair")) continue;
    ir::SampleKey key = frontend::sample_key(bound->view, sampler);
    key.gives_face = random.one_in(2);
    key.own_levels = key.gives_face || random.one_in(2);
    key.mirrors_texels = random.one_in(2);
    if (ir::unsupported(key) != nullptr) continue;
    ir::SampleUse use;
    use.operation = random.one_in(2)   ? ir::SampleOperation::automatic
                    : random.one_in(2) ? ir::SampleOperation::gather
                                       : ir::SampleOperation::lod;
    use.from_quad = random.one_in(2);
    SCOPED_TRACE(std::to_string(seed) + ": " + text_of(*bound, use));
    compared += key.compare && key.crosses_edges() ? 1 : 0;
    compare_samples(*bound, key, use, seed, true, GetParam());
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(compared, 40u);
}

// expand_samples has replaced them all.
TEST(LeftOverSamples, AreAnError) {
  KernelBuilder k(1, 1, 1024);
  const auto bound = [] {
    Choices random(1);
    std::optional<BoundTexture> made;
    while (!made) made = random_texture(random);
    return *made;
  }();
  k.function.texture_count = 1;
  k.function.samples = {{frontend::sample_key(bound.view, bound.sampler), 64}};
  const ir::I32 word = k.word(k.b.LoadInput(0)[0]);
  const auto found =
      k.b.Sample(k.b.constant(true), word, word, word, word, word, word, ir::SampleUse{}.pack());
  k.store(k.real(found[0]), k.real(found[1]), k.real(found[2]), k.real(found[3]));
  k.b.ret();
  for (const Target target : kPlainTargets) {
    if (!built_in(target)) continue;
    const Result<MachineCode> code = compile(ir::GroupProgram{{}, k.function}, target, {});
    ASSERT_FALSE(code.ok()) << name(target);
    EXPECT_NE(code.error().message.find("should have replaced"), std::string::npos) << code.error().message;
  }
}

}  // namespace
}  // namespace warpjit::backend
