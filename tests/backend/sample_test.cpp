// Samples of random textures with random samplers, at random coordinates and edges: generated code against
// the IR interpreter, bit for bit, and both against a sampler in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string_view>

#include "backend/kernel.h"
#include "frontend/interpret/textures/sample.h"
#include "frontend/random/textures.h"
#include "frontend/textures/facts.h"
#include "ir/interpret.h"
#include "ir/pipeline.h"

namespace warpjit::backend {
namespace {

using textures::TextureView;
using Choices = warpjit::Random;

constexpr std::uint32_t kSampledThreads = 16 * 3 * 4;
constexpr std::uint32_t kFirstWord = 64;  // of the sample in the table

struct Bound {
  Texture texture;
  Sampler sampler;
  TextureView view;
};

// Nothing if the random choices do not go together.
std::optional<Bound> random_texture(Choices& random) {
  const std::optional<Texture> texture = random::texture(random);
  if (!texture) return {};
  Bound made;
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

ir::Function sampling_function(const ir::SampleKey& key, const ir::SampleUse& use) {
  ir::Function f;
  f.name = "sample";
  f.input_count = 2;
  f.output_count = 1;
  f.uniform_bytes = (kFirstWord + ir::sample_words::kBytes + 63) / 64 * 64;
  f.texture_count = 1;
  f.samples = {{key, kFirstWord}};
  ir::Builder b(f);
  b.set_block(f.add_block());
  const auto first = b.LoadInput(0), second = b.LoadInput(1);
  const auto word = [&](ir::F32 x) { return b.BitcastF32ToI32(x); };
  const auto found = b.Sample(word(first[0]), word(first[1]), word(first[2]), word(first[3]), word(second[0]),
                              word(second[1]), use.pack());
  const auto real = [&](ir::I32 x) { return b.BitcastI32ToF32(x); };
  b.StoreOutput(b.constant(true), real(found[0]), real(found[1]), real(found[2]), real(found[3]), 0);
  b.ret();
  return f;
}

std::string text_of(const Bound& bound, const ir::SampleUse& use) {
  const Texture& t = bound.texture;
  std::string text = std::string(name(t.format).value_or("?")) + " " + std::to_string(t.width) + "x" +
                     std::to_string(t.height) + "x" + std::to_string(t.depth_extent) + ", dimension " +
                     std::to_string(static_cast<int>(t.dimension)) + ", layout " +
                     std::to_string(static_cast<int>(t.layout)) + ", levels " + std::to_string(t.levels) +
                     (t.array ? ", array, wraps" : ", wraps");
  for (const Wrap wrap : bound.sampler.wrap) text += " " + std::to_string(static_cast<int>(wrap));
  text += ", filters " + std::to_string(static_cast<int>(bound.sampler.magnify)) +
          std::to_string(static_cast<int>(bound.sampler.minify)) +
          std::to_string(static_cast<int>(bound.sampler.mip));
  if (bound.sampler.compare) text += ", compares";
  return text + ", " + std::string(ir::name(use.operation));
}

class SampleCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(SampleCode);

// A launch of threads with random operands.
Launch launch_of(const Bound& bound, const ir::SampleKey& key, const ir::SampleUse& use, std::uint64_t seed,
                 bool at_edges, std::uint32_t table_bytes) {
  Choices random(seed);
  Launch launch;
  launch.threads = kSampledThreads;
  launch.textures = {frontend::texel_view(bound.view)};
  for (int k = 0; k < 2; ++k) launch.inputs.emplace_back(kSampledThreads, 16);
  launch.outputs.emplace_back(kSampledThreads, 16);
  for (std::uint32_t t = 0; t < kSampledThreads; ++t)
    for (unsigned row = 0; row < 2; ++row) {
      Words words{};
      for (unsigned k = 0; k < 4; ++k)
        if (4 * row + k < 6) words[k] = random_operand(random, 4 * row + k, use.operation, at_edges);
      if (row == 0 && key.gives_face) words[2] = random.below(7);
      launch.inputs[row].set(t, words);
    }
  launch.table.resize(table_bytes / 4);
  frontend::fill_sample_words(bound.view, bound.sampler, std::span(launch.table).subspan(kFirstWord / 4));
  return launch;
}

// By the scalar sampler.
Words sampled(const Bound& bound, const ir::SampleKey& key, const ir::SampleUse& use,
              const std::array<std::uint32_t, 6>& words, std::int32_t implicit) {
  interpret::SamplePlace place;
  for (unsigned k = 0; k < 3; ++k) {
    place.coordinates[k] = words[k];
    place.offsets[k] = use.offsets[k];
  }
  if (key.gives_face) place.on_face = {std::min(words[2], 5U), words[0], words[1]};
  place.layer = words[3];
  place.reference = words[4];
  const std::uint32_t last = words[5];
  const auto filtered = [&](std::int32_t detail) {
    return interpret::sample(bound.view, bound.sampler, place, detail);
  };
  // The component of a gather as the first one; of comparisons it is the border's x, whatever the component.
  TextureView view = bound.view;
  Sampler sampler = bound.sampler;
  view.swizzle[0] = view.swizzle[use.component];
  if (!sampler.compare) {
    sampler.border[0] = textures::border_of(view, sampler)[use.component];
    sampler.srgb_border.reset();
  }
  interpret::TexelWords found{};
  switch (use.operation) {
    case ir::SampleOperation::automatic:
      found = filtered(implicit);
      break;
    case ir::SampleOperation::bias:
      found = filtered(implicit + interpret::detail_operand(last));
      break;
    case ir::SampleOperation::lod:
      found = filtered(interpret::detail_operand(last));
      break;
    case ir::SampleOperation::fetch:
      found = interpret::fetch(bound.view, place, static_cast<std::int32_t>(last));
      break;
    case ir::SampleOperation::gather:
      found = interpret::gather(view, sampler, place);
      break;
    case ir::SampleOperation::size:
      found = interpret::query_size(bound.view, last);
      break;
    case ir::SampleOperation::query_lod: {
      const interpret::Detail detail = interpret::resolve_detail(bound.view, bound.sampler, implicit);
      found = {static_cast<std::uint32_t>(detail.clamped), static_cast<std::uint32_t>(detail.unclamped)};
      break;
    }
  }
  for (unsigned k = 0; k < 4; ++k)
    if ((use.components >> k & 1) == 0) found[k] = 0;
  return found;
}

// The level of detail of a thread, whose quad's coordinates are these.
std::int32_t detail_from_quad(const Bound& bound, const ir::SampleKey& key,
                              const std::array<std::array<std::uint32_t, 6>, 4>& quad, unsigned thread) {
  const auto face = [&](unsigned lane) {
    return interpret::FacePlace{std::min(quad[lane][2], 5U), quad[lane][0], quad[lane][1]};
  };
  const auto place = [&](unsigned lane) {
    if (key.gives_face) return interpret::point_of_cube(face(lane));
    return std::array<std::uint32_t, 3>{quad[lane][0], quad[lane][1], quad[lane][2]};
  };
  std::uint32_t most = 0;
  const auto pair = [&](unsigned a, unsigned b) {
    const auto other = key.gives_face ? interpret::seen_on_face(place(b), face(a)) : place(b);
    most = interpret::widen_gradient(most, bound.view, place(a), other);
  };
  if (key.own_levels) {
    pair(thread, thread ^ 1);
    pair(thread, thread ^ 2);
  } else {
    pair(0, 1);
    pair(0, 2);
    if (key.four_pairs) pair(2, 3);
    if (key.four_pairs) pair(1, 3);
  }
  return interpret::detail_of(most);
}

std::array<std::uint32_t, 6> words_of(const Launch& launch, std::uint32_t thread) {
  const Words a = launch.inputs[0].get(thread), b = launch.inputs[1].get(thread);
  return {a[0], a[1], a[2], a[3], b[0], b[1]};
}

// The same samples by the guests' sampler, by the IR interpreter without optimization, and by code.
void compare_samples(const Bound& bound, const ir::SampleKey& key, const ir::SampleUse& use,
                     std::uint64_t seed, bool at_edges, Target target) {
  const ir::Function f = sampling_function(key, use);
  ir::PipelineOptions plain;
  plain.optimize = false;
  plain.verify = true;
  auto reference = ir::run_pipeline(f, plain);
  ASSERT_TRUE(reference.ok()) << to_string(reference.error());
  auto interpreter = ir::Interpreter::prepare(reference->kernel, 16);
  ASSERT_TRUE(interpreter.ok());
  Launch wanted = launch_of(bound, key, use, seed, at_edges, reference->kernel.uniform_bytes);
  const ir::InputBinding inputs[] = {{wanted.inputs[0].first(), 16}, {wanted.inputs[1].first(), 16}};
  const ir::OutputBinding output{wanted.outputs[0].first(), 16};
  ir::Memory memory;
  memory.inputs = inputs;
  memory.outputs = {&output, 1};
  memory.uniform = wanted.table;
  memory.textures = wanted.textures;
  ASSERT_TRUE(interpreter->run(memory, 0, kSampledThreads, 1000).ok());

  for (std::uint32_t t = 0; key.without_denormals && t < kSampledThreads; ++t) {
    std::array<std::array<std::uint32_t, 6>, 4> quad;
    for (unsigned k = 0; k < 4; ++k) quad[k] = words_of(wanted, t / 4 * 4 + k);
    const std::int32_t implicit =
        use.from_quad ? detail_from_quad(bound, key, quad, t % 4) : interpret::kNoDetail;
    ASSERT_EQ(wanted.outputs[0].get(t), sampled(bound, key, use, words_of(wanted, t), implicit))
        << t << ": " << ::testing::PrintToString(words_of(wanted, t));
  }

  ir::PipelineOptions options;
  options.verify = true;
  auto program = ir::run_pipeline(f, options);
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const Setting setting{target, 1 + static_cast<std::uint32_t>(seed % 2), seed % 7 == 0 ? 4U : 0U};
  const MachineCode code = compile(*program, setting);
  ASSERT_FALSE(::testing::Test::HasFailure());
  Launch launch = launch_of(bound, key, use, seed, at_edges, code.table_bytes);
  EXPECT_EQ(run(Executable(code), launch).status, KernelStatus::done);
  for (std::uint32_t t = 0; t < kSampledThreads; ++t)
    ASSERT_EQ(launch.outputs[0].get(t), wanted.outputs[0].get(t))
        << t << ": " << ::testing::PrintToString(words_of(launch, t));
}

TEST_P(SampleCode, GivesWhatTheInterpreterGives) {
  std::uint32_t tested = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Choices random(seed);
    const std::optional<Bound> bound = random_texture(random);
    if (!bound) continue;
    ir::SampleKey key = frontend::sample_key(bound->view, bound->sampler);
    key.without_denormals = random.chance(80);
    key.gives_face = key.is_cube() && random.one_in(2);
    key.own_levels = key.gives_face || random.one_in(3);
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
  EXPECT_GT(tested, 80u);
}

// Seamless cubes at their edges and corners, where a footprint has texels of two faces, or three texels. With
// and without comparisons, of depths and of what has no green; results that are constant.
TEST_P(SampleCode, CubesAtEdgesAndCorners) {
  constexpr std::string_view kDepths[] = {"d16", "d24", "d32f", "d24s8", "r8", "r16f"};
  constexpr std::uint32_t kExtents[] = {1, 2, 3, 8, 33};
  std::uint32_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Choices random(seed);
    std::optional<Bound> bound = random_texture(random);
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

}  // namespace
}  // namespace warpjit::backend
