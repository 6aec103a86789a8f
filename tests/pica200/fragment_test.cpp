// The rules of the fixed function, one by one, with the values at their edges.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/interpret/fragment/draw.h"
#include "frontend/pica200/interpret/fragment/output.h"
#include "frontend/pica200/interpret/fragment/texture.h"
#include "frontend/pica200/interpret/fragment/units.h"

namespace warpjit::pica200 {
namespace {

using fragment::Bytes4;
using Words = std::array<std::uint32_t, kGpuRegisters>;

// Registers of a draw that writes vertex colours to 8 x 8 pixels of RGBA8.
Words plain_registers() {
  Words r{};
  for (const std::uint32_t id : {0x0C8u, 0x0D0u, 0x0D8u, 0x0F0u, 0x0F8u}) r[id] = 0x000F000F;  // previous
  r[0x100] = 0x100;
  r[0x101] = 0x01010000;  // source * 1 + target * 0
  r[0x107] = 0x0F00;
  r[0x113] = 0xF;
  r[0x11E] = 8 | 7u << 12 | 1u << 24;
  return r;
}
Result<FragmentSetup> setup_of(const Words& registers) {
  static const FragmentTables kTables{};
  return read_fragment_setup(registers, kTables);
}
std::string error_of(const Words& registers) {
  const auto setup = setup_of(registers);
  return setup ? "" : setup.error().where;
}

TEST(PicaFragment, SmallFloats) {
  EXPECT_EQ(decode_float(0x3C00, 5, 10), 1.0f);
  EXPECT_EQ(decode_float(0xC000, 5, 10), -2.0f);
  EXPECT_EQ(decode_float(1, 5, 10), 0x1p-24f);
  EXPECT_TRUE(std::isinf(decode_float(0x7C00, 5, 10)));
  EXPECT_TRUE(std::isnan(decode_float(0x7C01, 5, 10)));
  EXPECT_EQ(decode_float(0x3F000, 7, 12), 1.0f);
  EXPECT_EQ(decode_float(0x3F0000, 7, 16), 1.0f);
}

TEST(PicaFragment, QuotientRoundsToNearest) {
  for (std::int32_t v = 0; v <= 255 * 255; ++v)
    ASSERT_EQ(fragment::quotient(v), static_cast<int>(std::lround(v / 255.0))) << v;
  EXPECT_EQ(fragment::quotient(-1), 0);
}

// One stage whose three sources are texture 0, texture 1 and texture 2.
Bytes4 stage(CombinerOp op, Bytes4 a, Bytes4 b, Bytes4 c, std::uint8_t shift = 0) {
  FragmentState state;
  CombinerStage& first = state.stages[0];
  for (CombinerHalf* half : {&first.color, &first.alpha}) {
    half->op = op;
    half->shift = shift;
    for (std::size_t n = 0; n < 3; ++n)
      half->arguments[n].source =
          static_cast<CombinerSource>(static_cast<std::size_t>(CombinerSource::texture0) + n);
  }
  for (std::size_t n = 1; n < kCombinerStages; ++n)
    state.stages[n].color.arguments[0].source = state.stages[n].alpha.arguments[0].source =
        CombinerSource::previous;
  fragment::CombinerInputs inputs{};
  inputs[static_cast<std::size_t>(CombinerSource::texture0)] = a;
  inputs[static_cast<std::size_t>(CombinerSource::texture1)] = b;
  inputs[static_cast<std::size_t>(CombinerSource::texture2)] = c;
  return fragment::combine(state, FragmentValues{}, inputs);
}

TEST(PicaFragment, CombinerOperations) {
  const Bytes4 a{0, 255, 128, 200}, b{255, 255, 127, 100}, c{10, 255, 128, 0};
  EXPECT_EQ(stage(CombinerOp::replace, a, b, c), a);
  EXPECT_EQ(stage(CombinerOp::modulate, a, b, c), (Bytes4{0, 255, 64, 78}));
  EXPECT_EQ(stage(CombinerOp::add, a, b, c), (Bytes4{255, 255, 255, 255}));
  EXPECT_EQ(stage(CombinerOp::add_signed, a, b, c), (Bytes4{127, 255, 127, 172}));
  EXPECT_EQ(stage(CombinerOp::interpolate, a, b, c), (Bytes4{245, 255, 128, 100}));
  EXPECT_EQ(stage(CombinerOp::subtract, a, b, c), (Bytes4{0, 0, 1, 100}));
  EXPECT_EQ(stage(CombinerOp::multiply_add, a, b, c), (Bytes4{10, 255, 192, 78}));
  EXPECT_EQ(stage(CombinerOp::add_multiply, a, b, c), (Bytes4{10, 255, 128, 0}));
  EXPECT_EQ(stage(CombinerOp::replace, a, b, c, 1), (Bytes4{0, 255, 255, 255}));
  EXPECT_EQ(stage(CombinerOp::replace, Bytes4{10, 20, 63, 64}, b, c, 2), (Bytes4{40, 80, 252, 255}));
}

TEST(PicaFragment, DotProductIsOnesComplement) {
  // 0x7F has magnitude 0 and a negative sign, 0x00 magnitude 254, 0xFF 255.
  const auto dot = [](std::uint8_t x, std::uint8_t y) {
    FragmentState state;
    state.stages[0].color.op = CombinerOp::dot3_all;
    state.stages[0].color.arguments[0].source = CombinerSource::texture0;
    state.stages[0].color.arguments[1].source = CombinerSource::texture1;
    for (std::size_t n = 1; n < kCombinerStages; ++n)
      state.stages[n].color.arguments[0].source = state.stages[n].alpha.arguments[0].source =
          CombinerSource::previous;
    fragment::CombinerInputs inputs{};
    inputs[static_cast<std::size_t>(CombinerSource::texture0)] = {x, 0x80, 0x80, 0};
    inputs[static_cast<std::size_t>(CombinerSource::texture1)] = {y, 0x80, 0x80, 0};
    const Bytes4 result = fragment::combine(state, FragmentValues{}, inputs);
    EXPECT_EQ(result[0], result[3]);
    return int{result[0]};
  };
  EXPECT_EQ(dot(255, 255), 255);  // 255 + 0 + 0
  EXPECT_EQ(dot(0, 0), 253);      // 254 * 254 / 255
  EXPECT_EQ(dot(255, 0), 0);
  EXPECT_EQ(dot(0x7F, 0x80), 0);  // -0 - 1
  EXPECT_EQ(dot(0xC0, 0xFF), 129);
}

TEST(PicaFragment, BufferIsTwoStagesBehind) {
  FragmentState state;
  state.stages[0].color.arguments[0].source = state.stages[0].alpha.arguments[0].source =
      CombinerSource::primary;
  state.stages[0].color.updates = true;
  state.stages[1].color.arguments[0].source = state.stages[1].alpha.arguments[0].source =
      CombinerSource::buffer;
  for (std::size_t n = 2; n < kCombinerStages; ++n)
    state.stages[n].color.arguments[0].source = state.stages[n].alpha.arguments[0].source =
        CombinerSource::previous;
  FragmentValues values;
  values.buffer = {1, 2, 3, 4};
  fragment::CombinerInputs inputs{};
  inputs[static_cast<std::size_t>(CombinerSource::primary)] = {10, 20, 30, 40};
  EXPECT_EQ(fragment::combine(state, values, inputs), (Bytes4{1, 2, 3, 4}));
  // Stage 2 sees the colour of stage 0, and the alpha that nothing updates.
  state.stages[2].color.arguments[0].source = state.stages[2].alpha.arguments[0].source =
      CombinerSource::buffer;
  EXPECT_EQ(fragment::combine(state, values, inputs), (Bytes4{10, 20, 30, 4}));
}

TEST(PicaFragment, FirstStageReadsItsThirdSourceAsPrevious) {
  Words r = plain_registers();
  r[0x0C0] = 0x0E0F | 0x0E0Fu << 16;  // previous, primary, constant
  const auto setup = setup_of(r);
  ASSERT_TRUE(setup.ok());
  EXPECT_EQ(setup->state.stages[0].color.arguments[0].source, CombinerSource::constant);
  r[0x0C0] = 0x0F0F | 0x0F0Fu << 16;
  EXPECT_EQ(setup_of(r)->state.stages[0].color.arguments[0].source, CombinerSource::zero);
}

TEST(PicaFragment, DeadStagesAreNoPartOfTheState) {
  // Stage 1 replaces what stage 0 makes of a texture, and alpha is not written.
  Words r = plain_registers();
  r[0x080] = 1;
  r[0x082] = 8u << 16 | 8;
  r[0x0C0] = 0x00030003;  // texture 0
  r[0x0C8] = 0x000F000F;
  const auto live = setup_of(r);
  ASSERT_TRUE(live.ok());
  EXPECT_EQ(live->state.textures[0].type, TextureType::flat);
  r[0x0C8] = 0x000E000E;  // constant
  const auto dead = setup_of(r);
  ASSERT_TRUE(dead.ok());
  EXPECT_EQ(dead->state.textures[0].type, TextureType::off);
  EXPECT_EQ(dead->state.stages[0], CombinerStage());
  r[0x107] = 0x0700;
  const auto without_alpha = setup_of(r);
  ASSERT_TRUE(without_alpha.ok());
  EXPECT_EQ(without_alpha->state.stages[1].alpha, CombinerHalf());
  EXPECT_NE(without_alpha->state.stages[1].color, CombinerHalf());
  // What the buffer keeps is read two stages later.
  r[0x0E0] = 1 << 8;
  r[0x0D0] = 0x000D000D;
  const auto kept = setup_of(r);
  ASSERT_TRUE(kept.ok());
  EXPECT_TRUE(kept->state.stages[0].color.updates);
  EXPECT_EQ(kept->state.textures[0].type, TextureType::flat);
  // A draw that only tests depth has no colour.
  r[0x107] = 0x1011;
  r[0x115] = 2;
  const auto depth = setup_of(r);
  ASSERT_TRUE(depth.ok());
  for (const CombinerStage& stage : depth->state.stages) EXPECT_EQ(stage.alpha, CombinerHalf());
  EXPECT_FALSE(depth->state.output.touches_color());
}

TEST(PicaFragment, TexelFormats) {
  const auto texel = [](TexelFormat format, std::vector<unsigned> bytes, unsigned column = 0) {
    std::vector<std::byte> data(64 * 4);
    for (std::size_t n = 0; n < bytes.size(); ++n) data[n] = static_cast<std::byte>(bytes[n]);
    return fragment::read_texel(format, data.data(), 8, column, 0);
  };
  EXPECT_EQ(texel(TexelFormat::rgba8, {1, 2, 3, 4}), (Bytes4{4, 3, 2, 1}));
  EXPECT_EQ(texel(TexelFormat::rgb8, {2, 3, 4}), (Bytes4{4, 3, 2, 255}));
  EXPECT_EQ(texel(TexelFormat::rgb5a1, {0x01, 0xF8}), (Bytes4{255, 0, 0, 255}));
  EXPECT_EQ(texel(TexelFormat::rgb565, {0x20, 0x00}), (Bytes4{0, 4, 0, 255}));
  EXPECT_EQ(texel(TexelFormat::rgba4, {0x34, 0x12}), (Bytes4{0x11, 0x22, 0x33, 0x44}));
  EXPECT_EQ(texel(TexelFormat::ia8, {9, 8}), (Bytes4{8, 8, 8, 9}));
  EXPECT_EQ(texel(TexelFormat::rg8, {9, 8}), (Bytes4{8, 9, 0, 255}));
  EXPECT_EQ(texel(TexelFormat::i8, {7}), (Bytes4{7, 7, 7, 255}));
  EXPECT_EQ(texel(TexelFormat::a8, {7}), (Bytes4{0, 0, 0, 7}));
  EXPECT_EQ(texel(TexelFormat::ia4, {0x12}), (Bytes4{0x11, 0x11, 0x11, 0x22}));
  EXPECT_EQ(texel(TexelFormat::i4, {0x12}), (Bytes4{0x22, 0x22, 0x22, 255}));
  EXPECT_EQ(texel(TexelFormat::i4, {0x12}, 1), (Bytes4{0x11, 0x11, 0x11, 255}));
  EXPECT_EQ(texel(TexelFormat::a4, {0x12}, 1), (Bytes4{0, 0, 0, 0x11}));
  // Individual mode, base 8 * 17 and 0, table 0: the first texel takes +2 of it, limited below by 0.
  EXPECT_EQ(texel(TexelFormat::etc1, {0, 0, 0, 0, 0, 0, 0, 0x80}), (Bytes4{138, 2, 2, 255}));
  EXPECT_EQ(texel(TexelFormat::etc1, {0, 0, 1, 0, 0, 0, 0, 0x80}), (Bytes4{134, 0, 0, 255}));
  EXPECT_EQ(texel(TexelFormat::etc1a4, {0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80}),
            (Bytes4{138, 2, 2, 0xAA}));
}

// What a texture of 8 x 8 grey levels, column + 8 * row from the upper row of memory, gives at a place.
int sample(std::uint8_t wrap, float u, bool linear = false) {
  std::vector<std::byte> data(64);
  for (std::uint32_t y = 0; y < 8; ++y)
    for (std::uint32_t x = 0; x < 8; ++x)
      data[fragment::pixel_number(TargetSetup{8, 8, true, 0, 0}, x, y)] = static_cast<std::byte>(x * 16);
  TextureState state;
  state.type = TextureType::flat;
  state.format = TexelFormat::i8;
  state.wrap_s = wrap;
  state.magnify_linear = linear;
  TextureValues values;
  values.width = values.height = 8;
  values.addresses[0] = 0x1000;
  values.border = {200, 201, 202, 203};
  const PhysicalMemory memory({{0x1000, data.data(), data.size()}});
  const fragment::TextureUnit unit(state, values, memory);
  const auto texel = unit.sample(unit.place(u, 0.5f, 0), -256);
  EXPECT_TRUE(texel.ok());
  return (*texel)[0];
}

TEST(PicaFragment, WrapModes) {
  const auto low = [](std::uint8_t mode) { return sample(mode, -0.5f / 8); };
  const auto high = [](std::uint8_t mode) { return sample(mode, 8.5f / 8); };
  EXPECT_EQ(low(0), 0);
  EXPECT_EQ(high(0), 112);
  EXPECT_EQ(low(1), 200);
  EXPECT_EQ(high(1), 200);
  for (const std::uint8_t mode : {2, 6, 7}) {
    EXPECT_EQ(low(mode), 112);
    EXPECT_EQ(high(mode), 0);
  }
  EXPECT_EQ(low(3), 0);
  EXPECT_EQ(high(3), 112);
  EXPECT_EQ(low(4), 112);
  EXPECT_EQ(high(4), 112);
  EXPECT_EQ(low(5), 112);
  EXPECT_EQ(high(5), 200);
  EXPECT_EQ(sample(2, NAN), 0);
  EXPECT_EQ(sample(2, 0x1p25f), 0);
  EXPECT_EQ(sample(2, INFINITY), 0);
}

TEST(PicaFragment, LinearFilterHasWeightsOf8Bits) {
  EXPECT_EQ(sample(0, 1.5f / 8, true), 16);
  EXPECT_EQ(sample(0, 2.0f / 8, true), 24);
  EXPECT_EQ(sample(0, 0.0f, true), 0);
  EXPECT_EQ(sample(2, 0.0f, true), 56);
  EXPECT_EQ(sample(1, 0.0f, true), 100);
}

TEST(PicaFragment, TargetFormatsCutAndReplicate) {
  const auto stored = [](ColorFormat format, Bytes4 color, unsigned mask = 15, unsigned before = 0) {
    std::array<std::byte, 4> pixel;
    pixel.fill(static_cast<std::byte>(before));
    fragment::write_pixel(format, pixel.data(), color, mask);
    return fragment::read_pixel(format, pixel.data());
  };
  const Bytes4 color{0x84, 0x7F, 0xFF, 0x80};
  EXPECT_EQ(stored(ColorFormat::rgba8, color), color);
  EXPECT_EQ(stored(ColorFormat::rgb8, color), (Bytes4{0x84, 0x7F, 0xFF, 255}));
  EXPECT_EQ(stored(ColorFormat::rgb5a1, color), (Bytes4{0x84, 0x7B, 0xFF, 255}));
  EXPECT_EQ(stored(ColorFormat::rgb565, color), (Bytes4{0x84, 0x7D, 0xFF, 255}));
  EXPECT_EQ(stored(ColorFormat::rgba4, color), (Bytes4{0x88, 0x77, 0xFF, 0x88}));
  EXPECT_EQ(stored(ColorFormat::rgb5a1, {0, 0, 0, 0x7F}), (Bytes4{0, 0, 0, 0}));
  EXPECT_EQ(stored(ColorFormat::rgba4, color, 2, 0xFF), (Bytes4{255, 0x77, 255, 255}));
}

TEST(PicaFragment, BlendRoundsOneSum) {
  OutputState state;
  state.factors = {6, 7, 6, 7};  // source alpha, 1 - source alpha
  EXPECT_EQ(fragment::blend(state, {255, 0, 100, 128}, {0, 255, 101, 255}, {}), (Bytes4{128, 127, 100, 191}));
  state.equations = {3, 4};  // factors count
  state.factors = {0, 1, 1, 1};
  EXPECT_EQ(fragment::blend(state, {255, 255, 255, 9}, {7, 8, 9, 10}, {}), (Bytes4{0, 0, 0, 10}));
  state.equations = {1, 2};
  state.factors = {1, 1, 1, 1};
  EXPECT_EQ(fragment::blend(state, {10, 5, 255, 3}, {5, 10, 0, 10}, {}), (Bytes4{5, 0, 255, 7}));
  state.equations = {0, 0};
  state.factors = {14, 10, 14, 13};
  EXPECT_EQ(fragment::blend(state, {255, 255, 255, 200}, {10, 10, 10, 155}, {255, 0, 255, 0}),
            (Bytes4{110, 100, 110, 255}));
}

TEST(PicaFragment, StencilOperations) {
  const std::array<int, 8> at_255 = {255, 0, 9, 255, 254, 0, 0, 254}, at_0 = {0, 0, 9, 1, 0, 255, 1, 255};
  for (std::uint8_t op = 0; op < 8; ++op) {
    EXPECT_EQ(fragment::apply_stencil(op, 255, 9), at_255[op]);
    EXPECT_EQ(fragment::apply_stencil(op, 0, 9), at_0[op]);
  }
}

TEST(PicaFragment, LogicOperations) {
  const std::array<int, 16> results = {0x00, 0x08, 0x04, 0x0C, 0xFF, 0xF3, 0x0A, 0xF5,
                                       0xF7, 0x0E, 0xF1, 0x06, 0xF9, 0x02, 0xFD, 0xFB};
  for (std::uint8_t op = 0; op < 16; ++op)
    EXPECT_EQ(fragment::apply_logic(op, 0x0C, 0x0A), results[op]) << int{op};
}

Vertex vertex_at(float x, float y, float z, float red) {
  Vertex vertex{};
  vertex.position[0] = x;
  vertex.position[1] = y;
  vertex.position[2] = z;
  vertex.position[3] = 1;
  vertex.color[0] = red;
  vertex.color[3] = 1;
  return vertex;
}

// Draws a square over the lower half of 8 x 8 pixels, and gives the memory.
std::vector<std::byte> draw_square(Words r, float z) {
  r[0x041] = r[0x043] = 0x410000;  // half of the viewport: 4
  r[0x04D] = 0xBF0000;             // depth is -z
  r[0x06D] = 1;
  r[0x11D] = 0x1000 >> 3;
  r[0x11C] = 0x1100 >> 3;
  std::vector<std::byte> bytes(0x200);
  const PhysicalMemory memory({{0x1000, bytes.data(), bytes.size()}});
  const auto setup = setup_of(r);
  EXPECT_TRUE(setup.ok());
  auto drawing = fragment::Drawing::make(*setup, memory, nullptr);
  EXPECT_TRUE(drawing.ok());
  const std::array<Vertex, 4> v = {vertex_at(-1, -1, z, 1), vertex_at(1, -1, z, 1), vertex_at(1, 0, z, 1),
                                   vertex_at(-1, 0, z, 1)};
  EXPECT_TRUE(drawing->draw({v[0], v[1], v[2]}).ok());
  EXPECT_TRUE(drawing->draw({v[0], v[2], v[3]}).ok());
  return bytes;
}

TEST(PicaFragment, LowestRowIsLastInMemory) {
  const std::vector<std::byte> bytes = draw_square(plain_registers(), -0.5f);
  for (std::uint32_t y = 0; y < 8; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) {
      const std::size_t at = fragment::pixel_number(TargetSetup{8, 8, false, 0, 0}, x, y) * 4;
      EXPECT_EQ(std::to_integer<int>(bytes[at + 3]), y < 4 ? 255 : 0) << x << ", " << y;
    }
}

TEST(PicaFragment, DepthIsTruncated) {
  Words r = plain_registers();
  r[0x107] |= 1u << 12 | 1 | 1u << 4;  // write, always
  r[0x115] = 2;
  const std::vector<std::byte> d16 = draw_square(r, -0.5f);
  const std::size_t last = fragment::pixel_number(TargetSetup{8, 8, false, 0, 0}, 0, 0);
  EXPECT_EQ(std::to_integer<int>(d16[0x100 + 2 * last]) | std::to_integer<int>(d16[0x101 + 2 * last]) << 8,
            32767);
  // Games draw at z = 0 with a little noise above.
  EXPECT_EQ(std::to_integer<int>(draw_square(r, 0x1p-30f)[4 * last + 3]), 255);
  EXPECT_EQ(std::to_integer<int>(draw_square(r, 0x1p-20f)[4 * last + 3]), 0);
}

TEST(PicaFragment, EqualProgramsHaveEqualStates) {
  Words a = plain_registers(), b = a;
  b[0x0C3] = 0x12345678;  // a constant
  b[0x103] = 0x01020304;
  b[0x06D] = 1;       // nothing takes a depth
  b[0x104] = 0xFF10;  // a test that is off
  b[0x08E] = 15;      // a unit that nothing reads
  b[0x1C3] = 0x70;    // lighting that is off
  const auto first = setup_of(a), second = setup_of(b);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_TRUE(first->state == second->state);
  b[0x0C2] = 1;
  EXPECT_FALSE(first->state == setup_of(b)->state);
}

TEST(PicaFragment, ReservedCodesNameTheirRegister) {
  const auto with = [](std::uint32_t id, std::uint32_t value) {
    Words r = plain_registers();
    r[id] = value;
    return error_of(r);
  };
  EXPECT_EQ(error_of(plain_registers()), "");
  EXPECT_EQ(with(0x0C0, 7), "register 0x0C0");
  EXPECT_EQ(with(0x0C1, 6), "register 0x0C1");
  EXPECT_EQ(with(0x0C2, 12), "register 0x0C2");
  EXPECT_EQ(with(0x0C2, 6u << 16), "register 0x0C2");
  EXPECT_EQ(with(0x0E0, 3), "register 0x0E0");
  EXPECT_EQ(with(0x0E0, 7), "register 0x0E0");
  EXPECT_EQ(with(0x060, 0x100), "register 0x060");
  EXPECT_EQ(with(0x100, 1), "register 0x100");
  EXPECT_EQ(with(0x100, 2), "register 0x100");
  EXPECT_EQ(with(0x100, 1u << 24), "register 0x100");
  EXPECT_EQ(with(0x101, 0xF00000), "register 0x101");
  EXPECT_EQ(with(0x117, 5u << 16), "register 0x117");
  EXPECT_EQ(with(0x11B, 1), "register 0x11B");
  EXPECT_EQ(with(0x11E, 60 | 7u << 12), "register 0x11E");
  EXPECT_EQ(with(0x11E, 0), "register 0x11E");
  Words depth = plain_registers();
  depth[0x107] |= 1 | 4u << 4;
  depth[0x116] = 1;
  EXPECT_EQ(error_of(depth), "register 0x116");
  Words texture = plain_registers();
  texture[0x0C0] = 3;
  EXPECT_EQ(error_of(texture), "") << "a unit that is off is legal";
  texture[0x080] = 1;
  EXPECT_EQ(error_of(texture), "register 0x082") << "no size";
  texture[0x082] = 8 | 8u << 16;
  EXPECT_EQ(error_of(texture), "");
  texture[0x08E] = 14;
  EXPECT_EQ(error_of(texture), "register 0x08E");
  texture[0x083] = 6u << 28;
  EXPECT_EQ(error_of(texture), "register 0x083");
  Words light = plain_registers();
  light[0x0C0] = 1;
  light[0x08F] = 1;
  EXPECT_EQ(error_of(light), "");
  light[0x1C3] = 7u << 4;
  EXPECT_EQ(error_of(light), "register 0x1C3");
  light[0x1C3] = 0;
  light[0x1D2] = 4;
  EXPECT_EQ(error_of(light), "register 0x1D2");
}

}  // namespace
}  // namespace warpjit::pica200
