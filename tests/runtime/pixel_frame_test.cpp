// What fragment programs of some guests alone ask for (docs/pixels.md): halves of slots, places away from the
// pixel's centre, colours that targets hold, colours that only some lanes write; and the states that go with
// them. Every engine must give what is worked out by hand.
#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "base/srgb.h"
#include "runtime/neutral_shader.h"

namespace warpjit::test {
namespace {

using interpret::Fragment;
using interpret::Quad;
using ir::F32;
using ir::I1;
using ir::I32;
using pixels::SlotUse;
using NeutralFrame = frontend::FragmentFrame;
using NeutralResults = NeutralFragment::Results;
using FrameWords = NeutralFragment::Words;

constexpr SlotUse::Plane kLinear = SlotUse::Plane::linear, kFlat = SlotUse::Plane::none,
                         kPerspective = SlotUse::Plane::perspective;
constexpr SlotUse::Sprite kNoSprite = SlotUse::Sprite::none;
constexpr SlotUse::Part kLow = SlotUse::Part::low_half, kHigh = SlotUse::Part::high_half;

I32 column_bit(ir::Builder& b, NeutralFrame& frame) {
  return b.IAnd32(b.F32ToI32Sat(frame.column()), b.constant(1));
}

// --- Planes ------------------------------------------------------------------------------------------------

// Leaves value_at of uses 0 and 1, inverse_w_at, and the flat word of use 2.
NeutralFragment read_away(const std::vector<SlotUse>& uses, float dx, float dy) {
  NeutralFragment program;
  program.uses = uses;
  program.compiled = [=](ir::Builder& b, NeutralFrame& frame, NeutralResults& results) {
    const F32 x = b.constant(dx), y = b.constant(dy);
    results.colors = {{b.BitcastF32ToI32(b.CanonicalizeNaNOnes32(frame.value_at(0, x, y))),
                       b.BitcastF32ToI32(b.CanonicalizeNaNOnes32(frame.value_at(1, x, y))),
                       b.BitcastF32ToI32(frame.inverse_w_at(x, y)), frame.flat(2)}};
  };
  program.interpreted = [=](const Quad& quad, std::int32_t x, std::int32_t y, Fragment& fragment) {
    const interpret::Primitive& p = *quad.primitive;
    fragment.colors[0] = {p.value_at(0, x, y, dx, dy), p.value_at(1, x, y, dx, dy),
                          p.inverse_w_at(x, y, dx, dy), p.flat(2)};
  };
  return program;
}

TEST(PixelFrames, HalvesOfSlotsAwayFromTheCentre) {
  const Engine engine;
  constexpr float kDx = -0.25F, kDy = 2.0F;
  NeutralDraw draw(
      read_away({{4, kLinear, kNoSprite, kLow}, {4, kLinear, kNoSprite, kHigh}, {4, kFlat}}, kDx, kDy), 8, 8);
  draw.color(0, PixelFormat::rgba32ui);
  draw.raster.provoking_last = true;
  // x in the lower half, -y in the upper one; 1/w is 1 + y / 8.
  draw.vertex(0, 0, 0.5F, 1, {0x00000000});
  draw.vertex(16, 0, 0.5F, 1, {0x80004c00});
  draw.vertex(0, 16, 0.5F, 3, {0xcc000000});
  const auto words = draw.run_everywhere(engine);
  for (std::uint32_t y = 0; y < 8; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) {
      const std::uint32_t* const pixel = &words[4 * (8 * y + x)];
      const float across = static_cast<float>(x) + 0.5F + kDx, down = static_cast<float>(y) + 0.5F + kDy;
      EXPECT_EQ(to_float(pixel[0]), across);
      EXPECT_EQ(to_float(pixel[1]), -down);
      EXPECT_EQ(to_float(pixel[2]), 1 + down / 8);
      EXPECT_EQ(pixel[3], 0xcc000000U);  // the whole word
    }
}

// A half of each kind at all vertices: the plane is level, its value the half's.
TEST(PixelFrames, HalvesAreExact) {
  const Engine engine;
  struct Case {
    std::uint32_t half;
    std::uint32_t value;
  };
  for (const Case& c : {Case{0x0000, 0}, Case{0x0001, 0x33800000}, Case{0x83ff, 0xb87fc000},
                        Case{0x0400, 0x38800000}, Case{0x3c00, 0x3f800000}, Case{0x7bff, 0x477fe000},
                        Case{0xfbff, 0xc77fe000}, Case{0x7c00, 0x7fffffff}, Case{0xfc00, 0x7fffffff},
                        Case{0x7c01, 0x7fffffff}, Case{0xffff, 0x7fffffff}, Case{0x8000, 0x80000000}}) {
    NeutralDraw draw(
        read_away({{4, kPerspective, kNoSprite, kLow}, {4, kPerspective, kNoSprite, kHigh}, {4, kFlat}}, 0,
                  0),
        1, 1);
    draw.color(0, PixelFormat::rgba32ui);
    const std::vector<std::uint32_t> slots{c.half | c.half << 16};
    draw.vertex(0, 0, 0, 1, slots);
    draw.vertex(4, 0, 0, 1, slots);
    draw.vertex(0, 4, 0, 1, slots);
    const auto words = draw.run_everywhere(engine);
    EXPECT_EQ(words[0] << 1, c.value << 1) << std::hex << c.half;  // of -0, planes make +0 or -0
    EXPECT_EQ(words[0], words[1]);
    EXPECT_EQ(words[3], slots[0]);
  }
}

TEST(PixelFrames, RandomPlacesAgree) {
  const Engine engine;
  Random random(5);
  for (unsigned round = 0; round < 12; ++round) {
    const auto offset = [&] { return (static_cast<float>(random.below(1 << 16)) - 32768) / 256; };
    const std::vector<SlotUse> uses{{4, random.one_in(2) ? kLinear : kPerspective, kNoSprite,
                                     static_cast<SlotUse::Part>(random.below(3))},
                                    {5, random.one_in(2) ? kLinear : kPerspective, kNoSprite,
                                     static_cast<SlotUse::Part>(random.below(3))},
                                    {5, kFlat, kNoSprite, kHigh}};
    NeutralDraw draw(read_away(uses, offset(), round == 0 ? 0x1p-140F : offset()), 75, 70);
    draw.color(0, PixelFormat::rgba32ui);
    for (unsigned n = 0; n < 9; ++n)
      draw.vertex(static_cast<float>(random.below(90)), static_cast<float>(random.below(90)), 0.5F,
                  round % 3 == 0 ? 1 : static_cast<float>(1 + random.below(20)) / 7,
                  {static_cast<std::uint32_t>(random.next()), static_cast<std::uint32_t>(random.next())});
    const auto words = draw.run_everywhere(engine, "round " + std::to_string(round));
    EXPECT_TRUE(std::ranges::any_of(words, [](std::uint32_t word) { return word != 0; })) << round;
  }
}

// --- Targets -----------------------------------------------------------------------------------------------

// Copies what target 0 holds to target 1, and writes 0 to target 0.
NeutralFragment copy_stored() {
  NeutralFragment program;
  program.compiled = [](ir::Builder& b, NeutralFrame& frame, NeutralResults& results) {
    const I32 zero = b.constant(0);
    results.colors = {{zero, zero, zero, zero}, frame.stored_color(0)};
  };
  program.interpreted = [](const Quad& quad, std::int32_t x, std::int32_t y, Fragment& fragment) {
    fragment.colors[1] = quad.targets->color(0, x, y);
  };
  return program;
}

std::vector<std::uint32_t> stored_words(const Engine& engine, PixelFormat format,
                                        const std::vector<std::uint32_t>& pixel) {
  NeutralDraw draw(copy_stored(), 1, 1);
  draw.color(0, format);
  draw.color(1, PixelFormat::rgba32ui);
  draw.fill(0, pixel);
  draw.cover();
  auto words = draw.run_everywhere(engine, name(format));
  const std::size_t own = words.size() - 4;
  for (std::size_t n = 0; n < own; ++n)
    EXPECT_EQ(words[n], pixel_size(format) < 4 ? pixel[n] & ~0U << 8 * pixel_size(format) : 0)
        << name(format);
  return {words.begin() + static_cast<std::ptrdiff_t>(own), words.end()};
}

TEST(PixelFrames, TargetsAreReadAsBlendingReadsThem) {
  const Engine engine;
  using Words = std::vector<std::uint32_t>;
  const auto unorm = [](float number, float most) { return to_bits(number * (1 / most)); };
  const std::uint32_t one = 0x3f800000;
  EXPECT_EQ(stored_words(engine, PixelFormat::rgba8, {0xff804001}),
            (Words{unorm(1, 255), unorm(64, 255), unorm(128, 255), one}));
  EXPECT_EQ(stored_words(engine, PixelFormat::srgb8, {0x80ff8001}),
            (Words{kSrgbDecoded[1], kSrgbDecoded[128], kSrgbDecoded[255], unorm(128, 255)}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rgb565, {0xabcd0821}),
            (Words{unorm(1, 31), unorm(1, 63), unorm(1, 31), one}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rgba4, {0x1230}),
            (Words{0, unorm(3, 15), unorm(2, 15), unorm(1, 15)}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rgb5a1, {0x7c3f}),
            (Words{unorm(31, 31), unorm(1, 31), unorm(31, 31), 0}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rgb10a2, {0x400ffc01}),
            (Words{to_bits(1.0F / 1023), to_bits(1023.0F / 1023), 0, to_bits(1.0F / 3)}));
  // Halves: NaN, a denormal, infinity, -0.
  EXPECT_EQ(stored_words(engine, PixelFormat::rgba16f, {0x0001fc01, 0x80007c00}),
            (Words{0x7fffffff, 0x33800000, 0x7f800000, 0x80000000}));
  // Floats are not touched.
  EXPECT_EQ(stored_words(engine, PixelFormat::rgba32f, {0x00000001, 0xffc12345, 0x7f800001, 0x80000000}),
            (Words{0x00000001, 0xffc12345, 0x7f800001, 0x80000000}));
  EXPECT_EQ(stored_words(engine, PixelFormat::r32f, {0x00000001}), (Words{0x00000001, 0, 0, one}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rgba32i, {1, 2, 0x80000000, ~0U}),
            (Words{1, 2, 0x80000000, ~0U}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rgba32ui, {1, 2, 3, ~0U}), (Words{1, 2, 3, ~0U}));
  EXPECT_EQ(stored_words(engine, PixelFormat::r32i, {0x80000000}), (Words{0x80000000, 0, 0, 1}));
  EXPECT_EQ(stored_words(engine, PixelFormat::r32ui, {7}), (Words{7, 0, 0, 1}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rgba8i, {0x7fff8001}), (Words{1, ~0U - 127, ~0U, 127}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rgba8ui, {0x7fff8001}), (Words{1, 128, 255, 127}));
  EXPECT_EQ(stored_words(engine, PixelFormat::r8, {0xffffff40}), (Words{unorm(64, 255), 0, 0, one}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rgba16, {0xffff0001, 0x80004001}),
            (Words{to_bits(1.0F / 65535), one, to_bits(16385 / 65535.0F), to_bits(32768 / 65535.0F)}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rgba8_snorm, {0x7f81ff80}),
            (Words{to_bits(-1.0F), to_bits(-1.0F / 127), to_bits(-1.0F), one}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rg16_snorm, {0x00038000}),
            (Words{to_bits(-1.0F), to_bits(3.0F / 32767), 0, one}));
  EXPECT_EQ(stored_words(engine, PixelFormat::r16f, {0xfc01}), (Words{0x7fffffff, 0, 0, one}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rg32f, {1, 0xffc12345}), (Words{1, 0xffc12345, 0, one}));
  // One, a denormal, infinity.
  EXPECT_EQ(stored_words(engine, PixelFormat::r11g11b10f, {0x3c0U | 1U << 11 | 0x3e0U << 22}),
            (Words{one, 0x35800000, 0x7f800000, one}));
  EXPECT_EQ(stored_words(engine, PixelFormat::r11g11b10f, {0x7c1U | 0x7bfU << 11 | 1U << 22}),
            (Words{0x7fffffff, to_bits(65024.0F), to_bits(0x1p-19F), one}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rg16i, {0x7fff8001}), (Words{~0U - 32766, 32767, 0, 1}));
  EXPECT_EQ(stored_words(engine, PixelFormat::r8i, {0x80}), (Words{~0U - 127, 0, 0, 1}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rg32ui, {~0U, 7}), (Words{~0U, 7, 0, 1}));
  EXPECT_EQ(stored_words(engine, PixelFormat::rgb10a2ui, {0x800ffc01}), (Words{1, 1023, 0, 2}));
}

TEST(PixelFrames, UnboundTargetsReadAsZero) {
  const Engine engine;
  NeutralDraw draw(copy_stored(), 1, 1);
  draw.color(1, PixelFormat::rgba32ui, 5);
  draw.cover();
  EXPECT_EQ(draw.run_everywhere(engine), std::vector<std::uint32_t>(4, 0));
}

// Each triangle adds 1 to what is there: the second sees what the first left, and pixels outside see nothing
// of it. Targets end within a quad and within a tile.
TEST(PixelFrames, TargetsAreReadInOrder) {
  const Engine engine;
  NeutralFragment program;
  program.compiled = [](ir::Builder& b, NeutralFrame& frame, NeutralResults& results) {
    FrameWords words = frame.stored_color(0);
    words[0] = b.IAdd32(words[0], b.constant(1));
    words[1] = b.IAdd32(b.IShl32(words[1], b.constant(4)), frame.primitive_number());
    results.colors = {words};
  };
  program.interpreted = [](const Quad& quad, std::int32_t x, std::int32_t y, Fragment& fragment) {
    auto words = quad.targets->color(0, x, y);
    ++words[0];
    words[1] = words[1] << 4 | quad.primitive->number();
    fragment.colors[0] = words;
  };
  NeutralDraw draw(program, 77, 67);
  draw.color(0, PixelFormat::rgba32ui, 0);
  for (unsigned times = 0; times < 3; ++times) draw.cover();
  const auto words = draw.run_everywhere(engine);
  for (std::size_t n = 0; n < words.size(); n += 4) {
    ASSERT_EQ(words[n], 3U);
    // One triangle of each pair covers the pixel.
    ASSERT_EQ(words[n + 1] & 0xeee, 0x024U);
  }
}

// What lies outside of the target: the oracle alone shows it, as kernels do by quad operations of a guest.
TEST(PixelFrames, BitsOutsideTheTargetAreZero) {
  const Engine engine;
  std::vector<std::array<std::uint32_t, 4>> outside;
  NeutralFragment program = copy_stored();
  program.interpreted = [&](const Quad& quad, std::int32_t x, std::int32_t y, Fragment&) {
    if (x >= 5 || y >= 3) outside.push_back(quad.targets->color(0, x, y));
  };
  NeutralDraw draw(program, 5, 3);
  draw.color(0, PixelFormat::rgb565, ~0U);
  draw.cover();
  Way guest;
  guest.options.engine = EngineKind::guest;
  draw.run(engine, guest);
  ASSERT_FALSE(outside.empty());
  for (const auto& color : outside) EXPECT_EQ(color, (std::array<std::uint32_t, 4>{0, 0, 0, 0x3f800000}));
}

// --- Lanes that write --------------------------------------------------------------------------------------

// Colour 0 is written in odd columns, colour 1 in even ones, colour 2 everywhere.
NeutralFragment write_some() {
  NeutralFragment program;
  program.compiled = [](ir::Builder& b, NeutralFrame& frame, NeutralResults& results) {
    const I1 odd = b.INe32(column_bit(b, frame), b.constant(0));
    const I32 half = b.BitcastF32ToI32(b.constant(0.5F));
    results.colors = {{half, half, half, half}, {half, half, half, half}, {half, half, half, half}};
    results.written = {odd, b.Not1(odd), b.constant(true)};
  };
  program.interpreted = [](const Quad&, std::int32_t x, std::int32_t, Fragment& fragment) {
    for (unsigned k = 0; k < 3; ++k) fragment.colors[k].fill(to_bits(0.5F));
    fragment.written = x % 2 != 0 ? 5 : 6;
  };
  return program;
}

TEST(PixelFrames, LanesWriteSomeColours) {
  const Engine engine;
  constexpr std::uint32_t kHalf = 0x3f000000, kOld = 0x3e800000;
  for (const bool alpha_test : {false, true}) {
    NeutralDraw draw(write_some(), 65, 3);
    draw.color(0, PixelFormat::r32f, kOld);
    draw.color(1, PixelFormat::rgba8, 0x01020304);
    draw.color(2, PixelFormat::r32f, kOld);
    draw.depth(PixelFormat::d32f, 0x3f800000);
    draw.output.depth.test = true;
    draw.output.blend[2].enabled = true;
    draw.output.blend[2].target = BlendFactor::one;
    // Fails where colour 0 is written.
    draw.output.alpha_test = alpha_test;
    draw.output.alpha_compare = Compare::greater;
    draw.output.alpha_reference = 0.5F;
    draw.cover(0.25F);
    const auto words = draw.run_everywhere(engine);
    constexpr std::size_t kCount = 65 * 3;
    for (std::size_t n = 0; n < kCount; ++n) {
      const bool odd = n % 65 % 2 != 0, failed = odd && alpha_test;
      ASSERT_EQ(words[n], odd && !failed ? kHalf : kOld) << n;
      ASSERT_EQ(words[kCount + n], odd ? 0x01020304U : 0x80808080U) << n;
      ASSERT_EQ(words[2 * kCount + n], failed ? kOld : to_bits(0.75F)) << n;
      ASSERT_EQ(words[3 * kCount + n], failed ? 0x3f800000U : kOld) << n;
    }
  }
}

// --- Early tests -------------------------------------------------------------------------------------------

// Discards odd columns and exports a depth of 1.
NeutralFragment discard_some() {
  NeutralFragment program;
  program.facts = {true, true, true};
  program.compiled = [](ir::Builder& b, NeutralFrame& frame, NeutralResults& results) {
    results.live = b.And1(results.live, b.IEq32(column_bit(b, frame), b.constant(0)));
    const I32 one = b.BitcastF32ToI32(b.constant(1.0F));
    results.colors = {{one, one, one, one}};
    results.depth = one;
  };
  program.interpreted = [](const Quad&, std::int32_t x, std::int32_t, Fragment& fragment) {
    fragment.live = x % 2 == 0;
    fragment.colors[0].fill(to_bits(1.0F));
    fragment.depth = to_bits(1.0F);
  };
  return program;
}

TEST(PixelFrames, EarlyTestsComeBeforeTheProgram) {
  const Engine engine;
  for (const bool early : {false, true})
    for (const bool alpha_fails : {false, true}) {
      NeutralDraw draw(discard_some(), 6, 4);
      draw.color(0, PixelFormat::r32f);
      // Stencil 7 everywhere; the nearest depth in the first two rows.
      draw.depth(PixelFormat::d24s8);
      std::vector<std::uint32_t> depths(24, 0x07ffffff);
      std::fill(depths.begin(), depths.begin() + 12, 0x07000000);
      draw.fill_depth(depths);
      draw.output.early_tests = early;
      draw.output.depth.test = true;
      draw.output.depth.compare = Compare::less_equal;
      draw.output.stencil.test = true;
      draw.output.stencil.front.pass = draw.output.stencil.back.pass = StencilOp::increment_clamp;
      draw.output.stencil.front.depth_fail = draw.output.stencil.back.depth_fail = StencilOp::zero;
      draw.output.alpha_test = alpha_fails;
      draw.output.alpha_compare = Compare::less;
      draw.output.alpha_reference = 0.5F;
      draw.cover(0.25F);
      const auto words = draw.run_everywhere(engine, early ? "early" : "late");
      for (std::size_t n = 0; n < 24; ++n) {
        const bool passes = n >= 12, discarded = n % 2 != 0;
        const bool tested = early || (!discarded && !alpha_fails);
        const std::uint32_t own = early ? 0x400000 : 0xffffff;  // the plane's depth, or what is exported
        const std::uint32_t after = !passes ? 0x00000000 : 0x08000000 | own;
        ASSERT_EQ(words[24 + n], tested ? after : depths[n]) << n << early << alpha_fails;
        ASSERT_EQ(words[n], passes && !discarded && !alpha_fails ? 0x3f800000U : 0)
            << n << early << alpha_fails;
      }
    }
}

}  // namespace
}  // namespace warpjit::test
