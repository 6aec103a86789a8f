// a[], o[] and v[] by an address register, and branches to addresses in c[], on every engine.
#include <algorithm>
#include <array>
#include <bit>

#include "tesla/tesla_test.h"
#include "warpjit/pixels.hpp"
#include "warpjit/tesla.hpp"

namespace warpjit::tesla {
namespace {

// `c1`, if given, gets what the source declares as the beginning of c1[].
warpjit::Program stage_program(const std::string& source, warpjit::Stage stage, const GraphicsState& state,
                               std::vector<std::uint32_t>* c1 = nullptr) {
  auto container = assemble(".type " + std::string(warpjit::name(stage)) + "\n" + source, "test");
  EXPECT_TRUE(container) << to_string(container.error());
  if (c1 != nullptr) *c1 = container->programs.at(0).constants.at(0).words;
  RawProgram raw;
  raw.code = container->programs.at(0).code;
  raw.registers = 8;
  raw.stage = stage;
  raw.graphics = state;
  auto program = load_words(raw);
  EXPECT_TRUE(program) << to_string(program.error());
  return *program;
}

template <class Check>
void on_every_engine(const warpjit::Launch& launch, Check check) {
  const Engine engine;
  for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit})
    for (const Target target : engine.info().targets) {
      if (kind == EngineKind::jit && !engine.info().jit) continue;
      RunOptions options;
      options.engine = kind;
      options.target = target;
      SCOPED_TRACE(std::string(warpjit::name(kind)) + "-" + warpjit::name(target));
      const auto report = engine.run(launch, options);
      ASSERT_TRUE(report) << to_string(report.error());
      EXPECT_EQ(report->engine, kind);
      check();
    }
}

using Pixel = std::array<std::uint32_t, 4>;

// A triangle in window coordinates, to a square of words.
template <class Vertices>
void bind_triangle(warpjit::Launch& launch, std::uint32_t side, std::vector<Pixel>& pixels,
                   const Vertices& vertices) {
  constexpr auto kWords = static_cast<std::uint32_t>(std::tuple_size_v<typename Vertices::value_type>);
  RasterState raster;
  raster.window_positions = true;
  raster.positive_is_front = false;
  pixels.resize(std::size_t{side} * side);
  ASSERT_TRUE(launch.set_raster_state(raster));
  ASSERT_TRUE(launch.set_target_size(side, side));
  ASSERT_TRUE(launch.bind_color(
      0, {pixels.data(), pixels.size() * sizeof(Pixel), side * sizeof(Pixel), PixelFormat::rgba32ui}));
  ASSERT_TRUE(launch.bind_vertices({vertices.data(), sizeof vertices, 4 * kWords, kWords}));
  EXPECT_TRUE(launch.set_count(3));
}

// Word 7 of a[] is the vertex's number n: it reads word n + 1 and stores it to word n + 4 of o[], if there
// are such.
TEST(RowAddresses, InVertexPrograms) {
  constexpr unsigned kVertices = 40, kSlots = 12;
  GraphicsState state;
  state.attributes = {0xff, 0};
  for (std::uint8_t slot = 0; slot < kSlots; ++slot) state.vertex_results.push_back(slot);
  warpjit::Launch launch(
      stage_program("ld b32 $r0 a[0x1c]\nshl $a1 $r0 0x2\nld b32 $r1 a[$a1+0x4]\n"
                    "st b32 o[$a1+0x10] $r1\nexit nop\n",
                    warpjit::Stage::vertex, state));
  std::vector<std::uint32_t> words(8 * kVertices), slots(kSlots * kVertices);
  for (std::uint32_t n = 0; n < kVertices; ++n)
    for (std::uint32_t k = 0; k < 8; ++k) words[8 * n + k] = k == 7 ? n : 0x40000000 + 256 * n + k;
  for (unsigned k = 0; k < 2; ++k)
    ASSERT_TRUE(launch.bind_input("a" + std::to_string(k),
                                  {words.data() + 4 * k, 4 * words.size() - 16 * k, 32, f32x4}));
  for (unsigned k = 0; k < kSlots / 4; ++k)
    ASSERT_TRUE(launch.bind_output(
        "slots" + std::to_string(k),
        {slots.data() + 4 * k, 4 * slots.size() - 16 * k, 4 * kSlots, Format{ComponentType::u32, 4}}));
  EXPECT_TRUE(launch.set_count(kVertices));
  on_every_engine(launch, [&] {
    for (std::uint32_t n = 0; n < kVertices; ++n)
      for (std::uint32_t k = 0; k < kSlots; ++k) {
        const std::uint32_t wanted = k == n + 4 && n + 1 < 8 ? words[8 * n + n + 1] : 0;
        ASSERT_EQ(slots[kSlots * n + k], wanted) << "vertex " << n << ", slot " << k;
      }
    std::ranges::fill(slots, 1U);
  });
}

// A pixel of column n reads word n of v[]: its column and row, two flat slots, and nothing; and the word that
// lies n after the one that says which face it is.
TEST(RowAddresses, InFragmentPrograms) {
  constexpr std::uint32_t kSide = 8;
  GraphicsState state;
  state.interpolants = 0x3000402;
  warpjit::Launch launch(
      stage_program("interp $r4 v[0x0]\ncvt rzi u32 $r4 f32 $r4\nshl $a1 $r4 0x2\ninterp $r0 v[$a1+0x0]\n"
                    "interp $r1 flat v[$a1+0x4]\ninterp $r2 v[$a1+0x3fc]\nmov b32 $r3 0x1\nexit nop\n",
                    warpjit::Stage::fragment, state));
  std::vector<Pixel> pixels;
  const auto place = [](float x, float y) {
    return std::array<std::uint32_t, 6>{std::bit_cast<std::uint32_t>(x),
                                        std::bit_cast<std::uint32_t>(y),
                                        0,
                                        0x3f800000,
                                        0x12345678,
                                        0x9abcdef0};
  };
  const std::array vertices{place(0, 0), place(0, 2 * kSide), place(2 * kSide, 0)};
  bind_triangle(launch, kSide, pixels, vertices);
  on_every_engine(launch, [&] {
    for (std::uint32_t y = 0; y < kSide; ++y)
      for (std::uint32_t x = 0; x < kSide; ++x) {
        const auto word = [&](std::uint32_t n) -> std::uint32_t {
          const float half = static_cast<float>(n == 0 ? x : y) + 0.5F;
          return n < 2 ? std::bit_cast<std::uint32_t>(half) : n < 4 ? vertices[0][2 + n] : 0;
        };
        const Pixel wanted{word(x), word(x + 1), x == 0 ? ~0U : 0, 1};
        ASSERT_EQ(pixels[kSide * y + x], wanted) << x << ", " << y;
      }
    std::ranges::fill(pixels, Pixel{});
  });
}

// To one of four places that nothing else leads to, of which the last reads c2[], and to where no code is.
constexpr const char* kBranches =
    ".const c1[0x0] #zero #one #two #three\nshl $a1 $r0 0x2\nmov b32 $r0 0\njoinat #met\nbra c1[$a1]\n"
    "zero:\nadd b32 $r0 $r0 0x1\nbra #met\none:\nadd b32 $r0 $r0 0x10\nbra #met\ntwo:\nadd b32 $r0 $r0 "
    "0x100\n"
    "three:\nadd b32 $r0 $r0 c2[0x8]\nmet:\njoin nop\n";
constexpr std::uint32_t kPlaces[] = {0x1, 0x10, 0x7100, 0x7000};

TEST(BranchesThroughConstants, InVertexPrograms) {
  constexpr unsigned kVertices = 40;
  GraphicsState state;
  state.attributes = {0x1, 0};
  state.vertex_results = {0, 1, 2, 3};
  std::vector<std::uint32_t> c1;
  warpjit::Launch launch(
      stage_program("ld b32 $r0 a[0x0]\n" + std::string(kBranches) + "st b32 o[0x0] $r0\nexit nop\n",
                    warpjit::Stage::vertex, state, &c1));
  const std::uint32_t c2[4] = {0, 0, 0x7000, 0};
  ASSERT_TRUE(launch.bind_constants("c1", c1.data(), 4 * c1.size()));
  ASSERT_TRUE(launch.bind_constants("c2", c2, sizeof c2));
  std::vector<std::array<std::uint32_t, 4>> words(kVertices), slots(kVertices);
  for (std::uint32_t n = 0; n < kVertices; ++n) words[n][0] = n * 7 % 4;
  ASSERT_TRUE(launch.bind_input("a0", {words.data(), 16 * words.size(), 16, f32x4}));
  ASSERT_TRUE(
      launch.bind_output("slots0", {slots.data(), 16 * slots.size(), 16, Format{ComponentType::u32, 4}}));
  EXPECT_TRUE(launch.set_count(kVertices));
  on_every_engine(launch, [&] {
    for (std::uint32_t n = 0; n < kVertices; ++n)
      ASSERT_EQ(slots[n][0], kPlaces[n * 7 % 4]) << "vertex " << n;
    std::ranges::fill(slots, std::array<std::uint32_t, 4>{});
  });
  // One place alone; other addresses are another kernel's.
  const Engine engine;
  const std::vector<std::uint32_t> alone(c1.size(), c1[0]);
  ASSERT_TRUE(launch.bind_constants("c1", alone.data(), 4 * alone.size()));
  auto prepared = engine.prepare(launch, {});
  ASSERT_TRUE(prepared) << to_string(prepared.error());
  ASSERT_TRUE(prepared->run());
  for (const auto& slot : slots) ASSERT_EQ(slot[0], 0x1U);
  std::swap(c1[0], c1[1]);
  ASSERT_TRUE(launch.bind_constants("c1", c1.data(), 4 * c1.size()));
  on_every_engine(launch, [&] {
    constexpr std::uint32_t kSwapped[] = {0x10, 0x1, 0x7100, 0x7000};
    for (std::uint32_t n = 0; n < kVertices; ++n)
      ASSERT_EQ(slots[n][0], kSwapped[n * 7 % 4]) << "vertex " << n;
  });
  std::ranges::fill(slots, std::array<std::uint32_t, 4>{});
  ASSERT_TRUE(prepared->run());
  EXPECT_EQ(slots[0][0], 0x10U);
  EXPECT_EQ(slots[1][0], 0x7000U);
  // Past the end of c1[].
  words[33][0] = 4;
  for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
    RunOptions options;
    options.engine = kind;
    const auto report = engine.run(launch, options);
    ASSERT_FALSE(report) << warpjit::name(kind);
    EXPECT_NE(to_string(report.error()).find("control reaches code that is not there"), std::string::npos)
        << to_string(report.error());
  }
}

TEST(BranchesThroughConstants, InFragmentPrograms) {
  constexpr std::uint32_t kSide = 8;
  GraphicsState state;
  state.interpolants = 0x1000400;
  std::vector<std::uint32_t> c1;
  warpjit::Launch launch(
      stage_program("interp $r0 v[0x0]\ncvt rzi u32 $r0 f32 $r0\nmov b32 $r1 0x3\nand b32 $r0 $r0 $r1\n" +
                        std::string(kBranches) + "mov b32 $r1 0\nmov b32 $r2 0\nmov b32 $r3 0\nexit nop\n",
                    warpjit::Stage::fragment, state, &c1));
  const std::uint32_t c2[4] = {0, 0, 0x7000, 0};
  ASSERT_TRUE(launch.bind_constants("c1", c1.data(), 4 * c1.size()));
  ASSERT_TRUE(launch.bind_constants("c2", c2, sizeof c2));
  std::vector<Pixel> pixels;
  const auto place = [](float x, float y) { return std::array<float, 4>{x, y, 0, 1}; };
  const std::array vertices{place(0, 0), place(0, 2 * kSide), place(2 * kSide, 0)};
  bind_triangle(launch, kSide, pixels, vertices);
  on_every_engine(launch, [&] {
    for (std::uint32_t n = 0; n < kSide * kSide; ++n)
      ASSERT_EQ(pixels[n][0], kPlaces[n % 4]) << "pixel " << n;
    std::ranges::fill(pixels, Pixel{});
  });
}

// The geometry program passes its triangle on, with a number that the branch leads to as a fifth word.
TEST(BranchesThroughConstants, InGeometryPrograms) {
  GraphicsState made;
  made.geometry_enabled = true;
  made.geometry_results = {0, 1, 2, 3, 4};
  made.geometry_vertices = 3;
  std::string source = ".const c1[0x0] #two\nmov b32 $r2 0x5\nbra c1[0x0]\none:\nmov b32 $r2 0x6\ntwo:\n";
  for (const char* const corner : {"0x0", "0x4", "0x8"}) {
    source += "shl $a1 a[" + std::string(corner) + "] 0x0\n";
    for (const char* const word : {"0x0", "0x4", "0x8", "0xc"})
      source += "mov b32 o[" + std::string(word) + "] p[$a1+" + word + "]\n";
    source += "mov b32 o[0x10] $r2\nemit\n";
  }
  std::vector<std::uint32_t> c1;
  warpjit::Launch geometry(stage_program(source + "exit nop\n", warpjit::Stage::geometry, made, &c1));
  ASSERT_TRUE(geometry.bind_constants("c1", c1.data(), 4 * c1.size()));
  GraphicsState read;
  read.interpolants = 0x401;  // slot 4, flat
  warpjit::Launch launch(
      stage_program("interp $r0 flat v[0x0]\nmov b32 $r1 0\nmov b32 $r2 0\nmov b32 $r3 0\nexit nop\n",
                    warpjit::Stage::fragment, read));
  Pixel pixel{};
  const std::array<std::array<float, 4>, 3> vertices{{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}};
  RasterState raster;
  raster.viewport_scale = raster.viewport_translate = {0.5F, 0.5F, 0.5F};
  ASSERT_TRUE(launch.set_raster_state(raster));
  ASSERT_TRUE(launch.set_target_size(1, 1));
  ASSERT_TRUE(launch.bind_color(0, {&pixel, sizeof pixel, sizeof pixel, PixelFormat::rgba32ui}));
  ASSERT_TRUE(launch.bind_vertices({vertices.data(), sizeof vertices, 16, 4}));
  ASSERT_TRUE(launch.set_geometry_stage(geometry));
  EXPECT_TRUE(launch.set_count(3));
  on_every_engine(launch, [&] {
    EXPECT_EQ(pixel[0], 5U);
    pixel = {};
  });
}

}  // namespace
}  // namespace warpjit::tesla
