// tex* in the guest interpreter: arguments, packed results, lanes, quads, and the hardware's entries.
#include <bit>

#include "frontend/interpret/textures/sample.h"
#include "frontend/tesla/interpret/interpret.h"
#include "tesla/tesla_test.h"

namespace warpjit::tesla {
namespace {

std::uint32_t bits_of(float number) { return std::bit_cast<std::uint32_t>(number); }

// 4 x 4 texels with the level's number, and x, y and layer in bytes; levels of 4, 2 and 1.
struct Numbered {
  std::vector<std::uint32_t> words;
  Texture texture;

  explicit Numbered(std::uint32_t layers = 1, std::uint32_t levels = 3) {
    for (std::uint32_t layer = 0; layer < layers; ++layer)
      for (std::uint32_t level = 0; level < levels; ++level)
        for (std::uint32_t y = 0; y < 4U >> level; ++y)
          for (std::uint32_t x = 0; x < 4U >> level; ++x)
            words.push_back(level | x << 8 | y << 16 | layer << 24);
    texture.format = *parse_texture_format("rgba8ui");
    texture.width = texture.height = 4;
    texture.levels = levels;
    texture.array = layers > 1;
    texture.layers = layers;
    texture.data = words.data();
    texture.size = 4 * words.size();
  }
};

class TeslaTextures : public testing::Test {
 protected:
  void bind(unsigned slot, const Texture& texture) {
    auto view = textures::make_view(texture, "texture");
    ASSERT_TRUE(view) << to_string(view.error());
    if (launch_.bound.textures.size() <= slot) launch_.bound.textures.resize(slot + 1);
    launch_.bound.textures[slot] = std::make_shared<const textures::TextureView>(std::move(*view));
  }
  void bind(unsigned slot, const Sampler& sampler) {
    if (launch_.bound.samplers.size() <= slot) launch_.bound.samplers.resize(slot + 1);
    launch_.bound.samplers[slot] = sampler;
  }
  // $r0 to $r3 of each lane before; those after are in registers_.
  void run(const std::string& source, const Modes& modes = {}) {
    launch_.block = {32, 1, 1};
    const Program program = program_of(".registers 8\n" + source + "exit nop\n");
    const auto interpreter = Interpreter::prepare(program, modes);
    ASSERT_TRUE(interpreter) << to_string(interpreter.error());
    RunReport report;
    const Status status = interpreter->run_warp(launch_, registers_, report);
    ASSERT_TRUE(status) << to_string(status.error());
  }
  void set(unsigned index, std::uint32_t word) { std::fill_n(registers_.r[index], kLanes, word); }

  Launch launch_;
  WarpRegisters registers_;
};

TEST_F(TeslaTextures, FetchPacksResults) {
  const Numbered numbered(3);
  bind(5, numbered.texture);
  set(0, 1), set(1, 2), set(2, 7), set(3, 0);  // x, y, layer (too large), level
  set(4, 99);
  run("texfetch all #:$r0:#:$r1 $t5 $s0 $r0:$r1:$r2:$r3 0x1 -0x2 0x3\n");
  EXPECT_EQ(registers_.r[0][31], 2u);  // green: x + 1
  EXPECT_EQ(registers_.r[1][31], 2u);  // alpha: the last layer
  EXPECT_EQ(registers_.r[2][31], 7u);
  set(0, 0), set(1, 1), set(2, 0), set(3, 1);
  run("texfetch all $r0:$r1:$r2:$r3 $t5 $s0 $r0:$r1:$r2:$r3 0x0 0x0 0x0\n");
  EXPECT_EQ(registers_.r[0][0], 1u);
  EXPECT_EQ(registers_.r[1][0], 0u);
  EXPECT_EQ(registers_.r[2][0], 1u);
}

TEST_F(TeslaTextures, OnlyExecutingLanesAreWritten) {
  const Numbered numbered(1, 1);
  bind(0, numbered.texture);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    registers_.r[0][lane] = lane % 4, registers_.c[1][lane] = lane < 16 ? 1 : 0;
  set(1, 3), set(2, 0), set(3, 77);
  run("(e $c1) texfetch all #:#:#:$r0 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0\n");
  EXPECT_EQ(registers_.r[0][15], 0u);
  EXPECT_EQ(registers_.r[0][17], 1u);  // as it was
}

TEST_F(TeslaTextures, Samplers) {
  const Numbered numbered(1, 1);
  bind(2, numbered.texture);
  Sampler repeat, border;
  border.wrap.fill(Wrap::clamp_to_border);
  border.border = {5, 6, 7, 8};
  bind(1, repeat);
  bind(2, border);
  const auto outside = [&] { set(0, bits_of(1.1F)), set(1, bits_of(0.1F)); };
  outside();
  run("texauto all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1 0x1 0x0 0x0\n");
  EXPECT_EQ(registers_.r[1][0], 1u);  // x 0, plus 1
  outside();
  run("texauto all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1 0x1 0x0 0x0\n", {.linked_samplers = true});
  EXPECT_EQ(registers_.r[1][0], 6u);
}

TEST_F(TeslaTextures, LevelOfDetail) {
  const Numbered numbered;
  bind(0, numbered.texture);
  Sampler sampler;
  sampler.mip = MipFilter::nearest;
  bind(0, sampler);
  // A step of two texels a lane, in x: level 1.
  const auto steps = [&] {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      registers_.r[0][lane] = bits_of(static_cast<float>(lane & 1) / 2);
      registers_.r[1][lane] = 0;
      registers_.c[0][lane] = lane % 4 == 1 ? 1 : 0;
    }
    set(2, bits_of(1.0F));
  };
  steps();
  run("texauto all deriv $r0:#:#:# $t0 $s0 $r0:$r1 0x0 0x0 0x0\n");
  EXPECT_EQ(registers_.r[0][0], 1u);
  steps();  // a kernel has no quads of its own
  run("texauto all $r0:#:#:# $t0 $s0 $r0:$r1 0x0 0x0 0x0\n");
  EXPECT_EQ(registers_.r[0][0], 0u);
  steps();  // a lane whose instruction is predicated off gives its coordinates
  run("(lg $c0) texauto all deriv $r0:#:#:# $t0 $s0 $r0:$r1 0x0 0x0 0x0\n");
  EXPECT_EQ(registers_.r[0][0], 1u);
  steps();  // one that is not active does not: lane 1 has left, and so the pair with lane 0; lane 3 has left,
            // too
  for (unsigned lane = 0; lane < kLanes; ++lane) registers_.c[0][lane] = (lane & 1) != 0 ? 1 : 0;
  run("exit (e $c0) nop\ntexauto all deriv $r0:#:#:# $t0 $s0 $r0:$r1 0x0 0x0 0x0\n");
  steps();
  run("texbias all deriv $r0:#:#:# $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0\n");
  EXPECT_EQ(registers_.r[0][0], 2u);
  steps();
  set(2, bits_of(1.0F));
  run("texlod all $r0:#:#:# $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0\n");
  EXPECT_EQ(registers_.r[0][0], 1u);
  steps();
  run("texquerylod all deriv $r0:$r1:#:# $t0 $s0 $r0:$r1\n");
  EXPECT_EQ(registers_.r[0][0], 256u);
  EXPECT_EQ(registers_.r[1][0], 256u);
}

// Texels whose number says where they are: 10 y + x + 100 layer.
struct Placed {
  std::vector<std::uint32_t> words;
  Texture texture;

  explicit Placed(std::uint32_t width = 4, std::uint32_t height = 4, std::uint32_t layers = 1) {
    for (std::uint32_t layer = 0; layer < layers; ++layer)
      for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) words.push_back(100 * layer + 10 * y + x);
    texture.format = *parse_texture_format("r32ui");
    texture.dimension = height > 1 ? TextureDimension::d2 : TextureDimension::d1;
    texture.width = width;
    texture.height = height;
    texture.array = layers > 1;
    texture.layers = layers;
    texture.data = words.data();
    texture.size = 4 * words.size();
  }
};

using Four = std::array<std::uint32_t, 4>;

class TeslaGather : public TeslaTextures {
 protected:
  Four results() const {
    return {registers_.r[0][0], registers_.r[1][0], registers_.r[2][0], registers_.r[3][0]};
  }
  // $r0 to $r3 are the arguments.
  Four gather(const Four& arguments, const std::string& rest = "0x0 0x0 0x0", const std::string& cube = "") {
    for (unsigned k = 0; k < 4; ++k) set(k, arguments[k]);
    run("texgather " + cube + "all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2:$r3 " + rest + "\n");
    return results();
  }
  void bind_wrap(Wrap wrap) {
    Sampler sampler;
    sampler.wrap.fill(wrap);
    sampler.border = {7, 8, 9, 10};
    bind(0, sampler);
  }
};

TEST_F(TeslaGather, FourTexelsCounterclockwise) {
  const Placed placed;
  bind(0, placed.texture);
  bind_wrap(Wrap::clamp_to_edge);
  const std::uint32_t half = bits_of(0.5F);
  // 0.5 lies between texels 1 and 2: (1, 2), (2, 2), (2, 1), (1, 1).
  EXPECT_EQ(gather({half, half, 0, 0}), (Four{21, 22, 12, 11}));
  EXPECT_EQ(gather({half, half, 0, 0}, "0x1 -0x1 0x7"), (Four{12, 13, 3, 2}));
  // The next two begin at the middle of texel 2, less half a unit of the weight.
  EXPECT_EQ(gather({bits_of(0.6245F), half, 0, 0}), (Four{21, 22, 12, 11}));
  EXPECT_EQ(gather({bits_of(639.5F / 1024), half, 0, 0}), (Four{22, 23, 13, 12}));
  set(0, half), set(1, half), set(2, 0), set(3, 77);
  run("texgather all #:$r0:#:$r1 $t0 $s0 $r0:$r1 0x0 0x0 0x0\n");
  EXPECT_EQ(results(), (Four{22, 11, 0, 77}));
}

TEST_F(TeslaGather, Wraps) {
  const Placed placed;
  bind(0, placed.texture);
  const auto at_left = [&](Wrap wrap) {
    bind_wrap(wrap);
    return gather({0, bits_of(0.5F), 0, 0});
  };
  EXPECT_EQ(at_left(Wrap::repeat), (Four{23, 20, 10, 13}));
  EXPECT_EQ(at_left(Wrap::mirror), (Four{20, 20, 10, 10}));
  EXPECT_EQ(at_left(Wrap::clamp_to_edge), (Four{20, 20, 10, 10}));
  EXPECT_EQ(at_left(Wrap::clamp_to_border), (Four{7, 20, 10, 7}));
  EXPECT_EQ(at_left(Wrap::clamp), (Four{7, 20, 10, 7}));
}

TEST_F(TeslaGather, LayersLevelsAndSources) {
  const Placed layers(4, 4, 3);
  bind(0, layers.texture);
  bind_wrap(Wrap::clamp_to_edge);
  const std::uint32_t half = bits_of(0.5F);
  EXPECT_EQ(gather({half, half, 1, 0}), (Four{121, 122, 112, 111}));
  EXPECT_EQ(gather({half, half, 9, 0}), (Four{221, 222, 212, 211}));
  const Placed line(4, 1);
  bind(0, line.texture);
  EXPECT_EQ(gather({half, 0, 0, 0}), (Four{1, 2, 2, 1}));
  // The first level that programs see; what is gathered is the first of the results.
  Numbered numbered;
  numbered.texture.first_level = 1;
  numbered.texture.swizzle = {TexelSource::green, TexelSource::red, TexelSource::red, TexelSource::red};
  bind(0, numbered.texture);
  EXPECT_EQ(gather({half, half, 0, 0}), (Four{0, 1, 1, 0}));
  numbered.texture.swizzle[0] = TexelSource::integer_one;
  bind(0, numbered.texture);
  EXPECT_EQ(gather({half, half, 0, 0}), (Four{1, 1, 1, 1}));
}

TEST_F(TeslaGather, Comparisons) {
  const std::vector<float> depths{0.1F, 0.2F, 0.3F, 0.4F};
  Texture texture;
  texture.format = *parse_texture_format("d32f");
  texture.width = texture.height = 2;
  texture.data = depths.data();
  texture.size = 16;
  bind(0, texture);
  Sampler sampler;
  sampler.wrap.fill(Wrap::clamp_to_edge);
  sampler.compare = true;
  sampler.compare_op = Compare::less;
  bind(0, sampler);
  const std::uint32_t half = bits_of(0.5F), one = bits_of(1.0F);
  EXPECT_EQ(gather({half, half, bits_of(0.25F), 0}), (Four{one, one, 0, 0}));
  EXPECT_EQ(gather({half, half, bits_of(0.1F), 0}), (Four{one, one, one, 0}));
  EXPECT_EQ(gather({half, half, bits_of(0.4F), 0}), (Four{0, 0, 0, 0}));
}

// Faces of one texel each: at the corner of -x, +y and +z the fourth one is the mean of these.
TEST_F(TeslaGather, Cubes) {
  const std::vector<float> faces{0, 10, 20, 30, 40, 50};
  Texture texture;
  texture.dimension = TextureDimension::cube;
  texture.format = *parse_texture_format("r32f");
  texture.width = texture.height = 1;
  texture.data = faces.data();
  texture.size = 24;
  bind(0, texture);
  Sampler sampler;
  sampler.wrap.fill(Wrap::clamp_to_edge);
  bind(0, sampler);
  const Four corner{bits_of(-1.0F), bits_of(1.0F), bits_of(1.0F), 0};
  const std::uint32_t z = bits_of(40.0F);
  EXPECT_EQ(gather(corner, "", "cube "), (Four{z, z, z, z}));
  sampler.seamless = true;
  bind(0, sampler);
  constexpr float kThird = 1.0F / 3;
  EXPECT_EQ(gather(corner, "", "cube "), (Four{bits_of(10.0F), z, bits_of(20.0F), bits_of(70 * kThird)}));
  // The middle of the edge of +z and +y lies on the texels' middle: the second ones are +x, and its corner.
  const Four edge{0, bits_of(1.0F), bits_of(1.0F), 0};
  EXPECT_EQ(gather(edge, "", "cube "), (Four{z, 0, bits_of(60 * kThird), bits_of(20.0F)}));
}

TEST_F(TeslaTextures, SizesAndFaces) {
  const Numbered numbered(6);
  bind(0, numbered.texture);
  set(0, 1);
  run("texsize all $r0:$r1:$r2:$r3 $t0 $s0 $r0\n");
  EXPECT_EQ(registers_.r[0][0], 2u);
  EXPECT_EQ(registers_.r[1][0], 2u);
  EXPECT_EQ(registers_.r[2][0], 6u);
  EXPECT_EQ(registers_.r[3][0], 3u);
  // -y of cube 2: s = x, t = -z.
  set(0, bits_of(0.5F)), set(1, bits_of(-1.0F)), set(2, bits_of(-0.25F)), set(3, 2);
  run("texprep cube all $r0:$r1:$r2:# $t9 $s0 $r0:$r1:$r2:$r3\n");
  EXPECT_EQ(registers_.r[0][0], bits_of(0.75F));
  EXPECT_EQ(registers_.r[1][0], bits_of(0.625F));
  EXPECT_EQ(registers_.r[2][0], 15u);
}

TEST_F(TeslaTextures, CompareTakesItsReferenceAfterTheLayer) {
  const std::vector<float> depths{0.25F, 0.75F};
  Texture texture;
  texture.format = *parse_texture_format("d32f");
  texture.width = texture.height = 1;
  texture.array = true;
  texture.layers = 2;
  texture.data = depths.data();
  texture.size = 8;
  texture.swizzle.fill(TexelSource::red);
  bind(0, texture);
  Sampler sampler;
  sampler.compare = true;
  sampler.compare_op = Compare::less;
  bind(0, sampler);
  for (const std::uint32_t layer : {0U, 1U}) {
    set(0, 0), set(1, 0), set(2, layer), set(3, bits_of(0.5F));
    run("texauto all $r0:#:#:# $t0 $s0 $r0:$r1:$r2:$r3 0x0 0x0 0x0\n");
    EXPECT_EQ(registers_.r[0][0], layer == 1 ? bits_of(1.0F) : 0u);
  }
}

// Entries of a driver: a texture of 16 x 16 texels, five levels, in blocks.
TEST(TeslaEntries, Texture) {
  const Entry entry{0x2c692488, 0x00100000, 0xd0805000, 0x00300000, 0x80000010, 0x40010010, 0x03000000, 0};
  const std::vector<std::uint32_t> memory(2048);
  TextureMemory where{0x100000 - 256, memory.data(), 4 * memory.size(), false};
  const auto texture = read_texture_entry(entry, where);
  ASSERT_TRUE(texture) << to_string(texture.error());
  EXPECT_EQ(texture->format, parse_texture_format("rgba8"));
  EXPECT_EQ(texture->width, 16u);
  EXPECT_EQ(texture->height, 16u);
  EXPECT_EQ(texture->levels, 5u);
  EXPECT_EQ(texture->last_level, 4u);
  EXPECT_EQ(texture->layout, TextureLayout::block_linear);
  EXPECT_EQ(texture->block_height, 2);
  EXPECT_TRUE(texture->normalized && texture->four_pairs && !texture->array);
  EXPECT_EQ(texture->data, memory.data() + 64);
  EXPECT_EQ(texture->size, 4 * memory.size() - 256);
  where.level_views = true;
  EXPECT_EQ(read_texture_entry(entry, where)->last_level, 0u);

  const auto refused = [&](unsigned word, std::uint32_t flip) {
    Entry other = entry;
    other[word] ^= flip;
    const auto read = read_texture_entry(other, where);
    return read ? std::string() : to_string(read.error());
  };
  EXPECT_EQ(refused(0, 1U << 30), "packed components: are set");
  EXPECT_EQ(refused(0, 0x08 ^ 0x1f), "component sizes: are 0x1f (R1), which is not supported");
  EXPECT_EQ(refused(0, 0x08 ^ 0x22), "component sizes: are 0x22 (G8B8G8R8), which is not supported");
  EXPECT_EQ(refused(0, 0x08 ^ 0x3f), "component sizes: are 0x3f, which is no format");
  EXPECT_EQ(
      refused(0, 7U << 6),
      "data type: of R is 5 (SNORM as f16) in component sizes 0x08 (A8B8G8R8); 1 to 4 and 7 are supported: "
      "SNORM, UNORM, SINT, UINT, FLOAT");
  EXPECT_EQ(
      refused(0, 5U << 9),
      "component sizes: are 0x08 (A8B8G8R8): the format has component g of 8 bits of type float, which do "
      "not go together");
  EXPECT_EQ(refused(0, (0x08 ^ 0x24) | 6U << 6),
            "data type: is 4 (UINT) in component sizes 0x24 (DXT1), blocks that are UNORM");
  EXPECT_EQ(refused(0, (3U ^ 1U) << 18), "");
  EXPECT_EQ(refused(1, 1U << 31), "address: is outside of the memory");
  EXPECT_EQ(refused(2, 1U << 13), "colour key: is set");
  EXPECT_EQ(refused(2, 1U << 30), "border: is the texture's own");
  EXPECT_EQ(refused(2, 1U << 18), "pitch: is 0");
  EXPECT_EQ(
      refused(2, 15U << 14),
      "type: is 14; 0 to 8 are 1D, 2D, 3D, cube, 1D array, 2D array, buffer, 2D without levels, cube array");
  EXPECT_EQ(refused(3, 1U << 29), "header options: control the level of detail");
  EXPECT_EQ(refused(7, 1U << 12), "multisample count: is not 0");
  // Depth that is the second component becomes red.
  Entry depth = entry;
  depth[0] = 0x29 | 4U << 6 | 2U << 9 | 3U << 18 | 3U << 21 | 3U << 24 | 7U << 27;
  const auto turned = read_texture_entry(depth, where);
  ASSERT_TRUE(turned) << to_string(turned.error());
  EXPECT_EQ(turned->format, parse_texture_format("s8d24"));
  EXPECT_EQ(turned->swizzle[0], TexelSource::red);
  EXPECT_EQ(turned->swizzle[3], TexelSource::one);
}

TEST(TeslaEntries, Sampler) {
  // wraps 2, 3, 4; compare less; magnify linear, minify nearest, between levels linear; bias -1; 0.5 to 3.
  const Entry entry{2 | 3U << 3 | 4U << 6 | 1U << 9 | 1U << 10 | 1U << 13,
                    2 | 1U << 4 | 3U << 6 | (0x1fffU & static_cast<unsigned>(-256)) << 12,
                    128 | 768U << 12 | 255U << 24,
                    0,
                    1,
                    2,
                    3,
                    4};
  const auto sampler = read_sampler_entry(entry, true);
  ASSERT_TRUE(sampler) << to_string(sampler.error());
  EXPECT_EQ(sampler->wrap, (std::array{Wrap::clamp_to_edge, Wrap::clamp_to_border, Wrap::clamp}));
  EXPECT_TRUE(sampler->compare && sampler->decode_srgb && sampler->seamless);
  EXPECT_EQ(sampler->compare_op, Compare::less);
  EXPECT_EQ(sampler->magnify, Filter::linear);
  EXPECT_EQ(sampler->minify, Filter::nearest);
  EXPECT_EQ(sampler->mip, MipFilter::linear);
  EXPECT_EQ(sampler->lod_bias, -256);
  EXPECT_EQ(sampler->min_lod, 128);
  EXPECT_EQ(sampler->max_lod, 768);
  EXPECT_EQ(sampler->border, (std::array{1U, 2U, 3U, 4U}));
  EXPECT_EQ((*sampler->srgb_border)[0], bits_of(1.0F));
  EXPECT_EQ(to_string(read_sampler_entry({}).error()), "magnification filter: is 0; 1 is nearest, 2 linear");
}

}  // namespace
}  // namespace warpjit::tesla
