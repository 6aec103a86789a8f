// What fragment programs leave in their targets, on every engine and target of this machine.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <memory>

#include "frontend/usse/facts/slots.h"
#include "frontend/usse/shader.h"
#include "runtime/shaders.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

constexpr std::uint32_t kSize = 4, kNan = 0xffc77d1c;  // a NaN that arithmetic would not give

struct Drawn {
  std::vector<std::uint32_t> colors;  // words of the target
  std::vector<float> depths;
};

Program assembled(const std::string& code, std::initializer_list<Flag> flags) {
  auto program = assemble(".stage fragment\n.primary\n" + code, "test.usse");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  program->flags = 1U << static_cast<unsigned>(Flag::fragment);
  for (const Flag flag : flags) program->flags |= 1U << static_cast<unsigned>(flag);
  program->fragment.output_type = ParameterType::f32;
  program->fragment.output_components = 4;
  return *program;
}

// One triangle over a target of 4 x 4 pixels, at depth 0.5; color is what each word holds before.
void draw(const Program& program, PixelFormat format, std::uint32_t color,
          const std::function<void(const std::string& way, const Result<Report>&, const Drawn&)>& check,
          std::uint64_t count = 3, std::uint32_t size = kSize,
          const std::function<void(Launch&)>& bind = {}) {
  Engine engine;
  for (const test::Way& way : test::all_ways(engine)) {
    Launch launch(warpjit::Program(std::make_shared<const Shader>(program)));
    std::vector<std::uint32_t> vertices(3 * kSlots);
    constexpr std::array<std::array<float, 4>, 3> kPlaces = {{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}};
    for (std::size_t n = 0; n < 3; ++n)
      for (std::size_t k = 0; k < 4; ++k)
        vertices[n * kSlots + k] = std::bit_cast<std::uint32_t>(kPlaces[n][k]);
    Drawn drawn;
    const std::size_t words = pixel_size(format) / 4;
    drawn.colors.assign(kSize * kSize * words, color);
    drawn.depths.assign(kSize * kSize, 1.0F);
    RasterState raster;
    raster.viewport_scale = {kSize / 2.0F, kSize / 2.0F, 0.5F};
    raster.viewport_translate = {kSize / 2.0F, kSize / 2.0F, 0.5F};
    OutputState output;
    output.depth = {true, true, Compare::less};
    ASSERT_TRUE(
        launch.bind_color(0, {drawn.colors.data(), drawn.colors.size() * 4, kSize * words * 4, format}));
    ASSERT_TRUE(
        launch.bind_depth({drawn.depths.data(), drawn.depths.size() * 4, kSize * 4, PixelFormat::d32f}));
    ASSERT_TRUE(launch.set_target_size(size, size));
    ASSERT_TRUE(launch.set_raster_state(raster));
    ASSERT_TRUE(launch.set_output_state(output));
    ASSERT_TRUE(
        launch.bind_vertices({vertices.data(), vertices.size() * 4, kSlots * std::size_t{4}, kSlots}));
    EXPECT_TRUE(launch.set_count(count));
    launch.set_fuel(1000);
    if (bind) bind(launch);
    check(way.name, engine.run(launch, way.options), drawn);
  }
}

// g16 says which way round the primitive is in the target, whatever faces count as front.
TEST(UsseFragments, GlobalValue16IsTheFace) {
  const Program program = assembled("or pa0, g16, #0, rot:0\nnop.end", {});
  for (const bool anticlockwise : {false, true})
    for (const bool positive_is_front : {false, true})
      draw(
          program, PixelFormat::r32ui, 7,
          [&](const std::string& way, const Result<Report>& report, const Drawn& drawn) {
            ASSERT_TRUE(report.ok()) << way << ": " << to_string(report.error());
            EXPECT_EQ(std::ranges::count(drawn.colors, anticlockwise ? 1U : 0U), std::ssize(drawn.colors))
                << way;
          },
          3, kSize,
          [&](Launch& launch) {
            // The vertices are clockwise; a negative scale turns them round.
            RasterState raster;
            raster.viewport_scale = {kSize / 2.0F, (anticlockwise ? -1.0F : 1.0F) * kSize / 2.0F, 0.5F};
            raster.viewport_translate = {kSize / 2.0F, kSize / 2.0F, 0.5F};
            raster.positive_is_front = positive_is_front;
            ASSERT_TRUE(launch.set_raster_state(raster));
          });
}

TEST(UsseFragments, NativeColorsKeepTheBitsOfNan) {
  const Program program = assembled("nop.end", {Flag::native_color, Flag::reads_color});
  for (const PixelFormat format : {PixelFormat::rgba32f, PixelFormat::r32f})
    draw(program, format, kNan,
         [&](const std::string& way, const Result<Report>& report, const Drawn& drawn) {
           ASSERT_TRUE(report.ok()) << way << ": " << to_string(report.error());
           EXPECT_EQ(std::ranges::count(drawn.colors, kNan), std::ssize(drawn.colors)) << way;
           EXPECT_EQ(drawn.depths[5], 0.5F) << way;  // it was drawn
         });
}

TEST(UsseFragments, ResultsOfFloatsKeepTheBitsOfNan) {
  std::string code;  // limm writes a word
  for (unsigned k = 0; k < 4; ++k) code += "limm pa" + std::to_string(k) + ", value:0xffc77d1c\n";
  draw(assembled(code + "nop.end", {}), PixelFormat::rgba32f, 7,
       [](const std::string& way, const Result<Report>& report, const Drawn& drawn) {
         ASSERT_TRUE(report.ok()) << way << ": " << to_string(report.error());
         EXPECT_EQ(std::ranges::count(drawn.colors, kNan), std::ssize(drawn.colors)) << way;
       });
}

TEST(UsseFragments, DepthIsReplacedWhateverTheFlagsSay) {
  const std::string code = "limm pa0, value:0x3e800000\ndepthf feedback:0, pa0, sa0, sa0\nnop.end";
  for (const bool flagged : {false, true}) {
    const Program program = flagged ? assembled(code, {Flag::replaces_depth}) : assembled(code, {});
    draw(program, PixelFormat::rgba8, 7,
         [](const std::string& way, const Result<Report>& report, const Drawn& drawn) {
           ASSERT_TRUE(report.ok()) << way << ": " << to_string(report.error());
           EXPECT_EQ(std::ranges::count(drawn.depths, 0.25F), std::ssize(drawn.depths)) << way;
         });
  }
}

// Words of o and of pa, for targets of integers: 8 8 8 8 signed and unsigned, a word, four words.
TEST(UsseFragments, NativeColorsOfIntegers) {
  struct Case {
    PixelFormat format;
    std::uint32_t old, shown;  // a word of the target before, and after
  };
  // The old pixel is in o; the upper two bytes of its first word are turned.
  const std::string code = "xor o0, o0, #65535, rot:16\nnop.end";
  for (const Case& tested :
       {Case{PixelFormat::rgba8i, 0x7f80ff01, 0x807fff01}, Case{PixelFormat::rgba8ui, 0x7f80ff01, 0x807fff01},
        Case{PixelFormat::r32i, 0x80000001, 0x7fff0001}, Case{PixelFormat::r32ui, kNan, kNan ^ 0xffff0000},
        Case{PixelFormat::rgba32i, 0x80000001, 0x7fff0001},
        Case{PixelFormat::rgba32ui, kNan, kNan ^ 0xffff0000}})
    draw(assembled(code, {Flag::native_color, Flag::reads_color}), tested.format, tested.old,
         [&](const std::string& way, const Result<Report>& report, const Drawn& drawn) {
           ASSERT_TRUE(report.ok()) << way << ": " << to_string(report.error());
           EXPECT_EQ(drawn.colors[0], tested.shown) << way << name(tested.format);
           // Words but the first of each pixel are as they were.
           const bool four = tested.format == PixelFormat::rgba32i || tested.format == PixelFormat::rgba32ui;
           EXPECT_EQ(drawn.colors[3], four ? tested.old : tested.shown) << way << name(tested.format);
         });
}

TEST(UsseFragments, IntegersAsResultsForTargetsOfIntegers) {
  struct Case {
    ParameterType type;
    std::uint8_t components;
    PixelFormat format;
    std::array<std::uint32_t, 4> words;
  };
  // pa0 is 0x8081fe7f, pa1 3.
  for (const Case& tested :
       {Case{ParameterType::s8, 4, PixelFormat::rgba32i, {0x7f, ~1U, 0xffffff81, 0xffffff80}},
        Case{ParameterType::u8, 4, PixelFormat::rgba32i, {0x7f, 0xfe, 0x81, 0x80}},
        Case{ParameterType::s16, 3, PixelFormat::rgba32i, {0xfffffe7f, 0xffff8081, 3, 1}},
        Case{ParameterType::u16, 2, PixelFormat::rgba32ui, {0xfe7f, 0x8081, 0, 1}},
        Case{ParameterType::u32, 2, PixelFormat::rgba32ui, {0x8081fe7f, 3, 0, 1}},
        Case{ParameterType::s32, 1, PixelFormat::rgba32i, {0x8081fe7f, 0, 0, 1}},
        Case{ParameterType::f32, 1, PixelFormat::rgba32i, {0x8081fe7f, 0, 0, 0x3f800000}},
        Case{ParameterType::f16, 2, PixelFormat::rgba32i, {0x7fc00000, 0xb7010000, 0, 0x3f800000}},
        Case{ParameterType::s8, 4, PixelFormat::rgba8i, {0x8081fe7f, 0x8081fe7f, 0x8081fe7f, 0x8081fe7f}}}) {
    Program program = assembled("limm pa0, value:0x8081fe7f\nlimm pa1, value:3\nnop.end", {});
    program.fragment.output_type = tested.type;
    program.fragment.output_components = tested.components;
    draw(program, tested.format, 7,
         [&](const std::string& way, const Result<Report>& report, const Drawn& drawn) {
           ASSERT_TRUE(report.ok()) << way << ": " << to_string(report.error());
           for (unsigned k = 0; k < 4; ++k)
             EXPECT_EQ(drawn.colors[k], tested.words[k]) << way << name(tested.format) << k;
         });
  }
}

// What 32 bits stand for is known for targets of integers alone.
TEST(UsseFragments, ResultsThatAreRefused) {
  const auto run = [](ParameterType type, std::initializer_list<Flag> flags, bool runs) {
    Program program = assembled("nop.end", flags);
    program.fragment.output_type = type;
    draw(program, PixelFormat::rgba8, 7,
         [&](const std::string& way, const Result<Report>& report, const Drawn& drawn) {
           ASSERT_EQ(report.ok(), runs) << way;
           if (!runs) {
             EXPECT_EQ(report.error().code, ErrorCode::unsupported) << way;
             EXPECT_EQ(report.error().message,
                       type == ParameterType::aggregate
                           ? "a colour of this type is not supported"
                           : std::string("a colour of integers of 32 bits for a target of ") +
                                 name(PixelFormat::rgba8) + " is not supported")
                 << way;
             EXPECT_EQ(std::ranges::count(drawn.colors, 7U), std::ssize(drawn.colors)) << way;
           }
           EXPECT_EQ(drawn.depths[0], runs ? 0.5F : 1.0F) << way;
         });
  };
  for (const ParameterType type : {ParameterType::u32, ParameterType::s32, ParameterType::aggregate}) {
    run(type, {Flag::output_undefined}, true);
    run(type, {Flag::native_color}, true);
    run(type, {}, false);
  }
}

TEST(UsseFragments, DrawsOfNothingRunNoSecondaryProgram) {
  auto endless =
      assemble(".stage fragment\n.secondary\nagain:\nbr offset:again\n.primary\nnop.end", "test.usse");
  ASSERT_TRUE(endless.ok()) << to_string(endless.error());
  endless->flags = 1U << static_cast<unsigned>(Flag::fragment);
  for (const std::uint64_t count : {0U, 3U})
    draw(
        *endless, PixelFormat::rgba8, 7,
        [&](const std::string& way, const Result<Report>& report, const Drawn&) {
          ASSERT_EQ(report.ok(), count == 0) << way;
          if (count != 0) {
            EXPECT_EQ(report.error().code, ErrorCode::out_of_fuel) << way;
          }
        },
        count);
}

// A texture of one component, whose input has four components or its own.
TEST(UsseFragments, TexelsAsInputsHaveFourComponentsOrTheirOwn) {
  static constexpr std::uint32_t kTexel = 255;
  Texture texture;
  texture.format = *parse_texture_format("r8");
  texture.width = texture.height = 1;
  texture.swizzle = {TexelSource::red, TexelSource::zero, TexelSource::zero, TexelSource::one};
  texture.data = &kTexel;
  texture.size = sizeof kTexel;
  for (const bool own : {false, true}) {
    auto program = assemble(std::string(".stage fragment\n.registers pa:4 sa:4 r:4\n.sampler unit:0 sa:0\n") +
                                ".texel texcoord0 f32 unit:0 words:4" + (own ? " own" : "") +
                                "\n.output f32 4 pa:0\n.primary\nnop.end",
                            "test.usse");
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    draw(
        *program, PixelFormat::rgba32f, 7,
        [&](const std::string& way, const Result<Report>& report, const Drawn& drawn) {
          ASSERT_TRUE(report.ok()) << way << ": " << to_string(report.error());
          EXPECT_EQ(std::bit_cast<float>(drawn.colors[0]), 1.0F) << way;
          EXPECT_EQ(std::bit_cast<float>(drawn.colors[3]), own ? 0.0F : 1.0F) << way;
        },
        3, kSize,
        [&](Launch& launch) {
          ASSERT_TRUE(launch.set_texture(0, texture).ok());
          ASSERT_TRUE(launch.set_sampler(0, {}).ok());
        });
  }
}

// Endless in pixels with x >= 3, which a target of three columns has as helpers only, and in dead ones.
Program endless_beyond(const std::string& before, const std::string& after) {
  auto program = assemble(
      ".stage fragment\n.registers pa:4 sa:2 r:4\n.literal sa:0 0x40400000\n"
      ".input position f32 4\n.output f32 4 pa:0\n.primary\n" +
          before +
          "vtst.sub.f32.positive.nonzero.both.chan0.p0 c0, pa0, sa0\n"
          "again:\np0 br offset:again\n" +
          after + "nop.end",
      "test.usse");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  return *program;
}

TEST(UsseFragments, HelpersRunWhereLanesSeeEachOther) {
  for (const char* const after : {"", "vdsx.f32 r0.xyzw, pa0, pa0\n", "again2:\np1 br.any offset:again2\n"})
    draw(
        endless_beyond("", after), PixelFormat::rgba32f, 7,
        [&](const std::string& way, const Result<Report>& report, const Drawn& drawn) {
          ASSERT_EQ(report.ok(), *after == 0) << way << after;
          if (*after != 0) {
            EXPECT_EQ(report.error().code, ErrorCode::out_of_fuel) << way;
          } else {
            EXPECT_EQ(std::bit_cast<float>(drawn.colors[0]), 0.5F) << way;
          }
        },
        3, 3);
}

TEST(UsseFragments, DeadPixelsGoOnWhereLanesSeeEachOther) {
  for (const char* const after : {"", "vdsx.f32 r0.xyzw, pa0, pa0\n"})
    draw(endless_beyond("kill sa0, sa0\n", after), PixelFormat::rgba32f, 7,
         [&](const std::string& way, const Result<Report>& report, const Drawn& drawn) {
           ASSERT_EQ(report.ok(), *after == 0) << way << after;
           if (*after == 0) {
             EXPECT_EQ(std::ranges::count(drawn.colors, 7U), std::ssize(drawn.colors)) << way;
           }
         });
}

}  // namespace
}  // namespace warpjit::usse
