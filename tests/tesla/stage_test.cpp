// Vertex, geometry and fragment programs that look outside of c[] and l[], at other lanes, and at much of
// l[], on every engine; and the state of code that comes without one.
#include <algorithm>
#include <cstring>

#include "frontend/tesla/facts/default_state.h"
#include "frontend/tesla/shader.h"
#include "support/engine_ways.h"
#include "tesla/tesla_test.h"
#include "warpjit/tesla.hpp"
#include "warpjit/textures.hpp"

namespace warpjit::tesla {
namespace {

using Words = std::vector<std::uint32_t>;

using test::engine_ways;
using test::EngineWay;

Program stage_of_source(ProgramType type, const std::string& source, std::uint32_t local_bytes = 0) {
  Program program = program_of(".type " + std::string(name(type)) + "\n" + source);
  program.local_bytes = local_bytes;
  complete_state(program);
  if (type == ProgramType::fragment) program.graphics = state_of_code(program);
  return program;
}
warpjit::Launch launch_of(Program program) {
  auto shader = Shader::make(std::move(program));
  EXPECT_TRUE(shader) << to_string(shader.error());
  return warpjit::Launch(warpjit::Program(*shader));
}

// Words of c0, as bytes.
struct Constants {
  Words words;
  std::size_t bytes;
  explicit Constants(Words given) : words(std::move(given)), bytes(4 * words.size()) {}
  Constants(Words given, std::size_t size) : words(std::move(given)), bytes(size) {}
};

// slots0 of vertices 0, 1, ..., whose a[0] is their number: by every engine alike.
std::vector<Words> run_vertices(Program program, const Constants& c0, std::uint32_t count) {
  std::vector<Words> results;
  Words numbers;
  for (std::uint32_t n = 0; n < count; ++n) numbers.insert(numbers.end(), {n, 0, 0, 0});
  warpjit::Launch launch = launch_of(std::move(program));
  EXPECT_TRUE(launch.bind_constants("c0", c0.words.data(), c0.bytes));
  EXPECT_TRUE(launch.bind_input("a0", {numbers.data(), 4 * numbers.size(), 16, f32x4}));
  Words slots(std::size_t{4} * count);
  EXPECT_TRUE(launch.bind_output("slots0", {slots.data(), 4 * slots.size(), 16, {ComponentType::u32, 4}}));
  EXPECT_TRUE(launch.set_count(count));
  launch.set_fuel(1000);
  const Engine engine;
  for (const EngineWay& way : engine_ways(engine)) {
    std::ranges::fill(slots, 0xdeadU);
    const auto report = engine.run(launch, way.options);
    EXPECT_TRUE(report) << to_string(report.error());
    if (!report) return {};
    EXPECT_EQ(report->engine, way.options.engine) << report->interpreted_because;
    EXPECT_FALSE(report->fault);
    std::vector<Words> rows;
    for (std::uint32_t n = 0; n < count; ++n)
      rows.emplace_back(slots.begin() + 4 * n, slots.begin() + 4 * n + 4);
    if (results.empty()) results = rows;
    EXPECT_EQ(rows, results) << way.name;
  }
  return results;
}

constexpr std::uint32_t kSide = 8;  // of targets

// The pixels of a draw of one triangle over the whole target, after a geometry program if there is one.
std::vector<Words> draw(Program fragment, const Constants& c0, std::optional<Program> geometry = {}) {
  std::vector<Words> results;
  warpjit::Launch launch = launch_of(std::move(fragment));
  const float corners[] = {-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1};
  Words pixels(std::size_t{4} * kSide * kSide);
  EXPECT_TRUE(launch.bind_constants("c0", c0.words.data(), c0.bytes));
  EXPECT_TRUE(launch.bind_vertices({corners, sizeof corners, 16, 4}));
  EXPECT_TRUE(launch.set_target_size(kSide, kSide));
  EXPECT_TRUE(launch.bind_color(
      0, {pixels.data(), 4 * pixels.size(), std::size_t{16} * kSide, PixelFormat::rgba32ui}));
  RasterState raster;
  raster.viewport_scale = {kSide / 2, kSide / 2, 0.5F};
  raster.viewport_translate = {kSide / 2, kSide / 2, 0.5F};
  EXPECT_TRUE(launch.set_raster_state(raster));
  EXPECT_TRUE(launch.set_count(3));
  launch.set_fuel(1000);
  if (geometry) {
    warpjit::Launch stage = launch_of(std::move(*geometry));
    EXPECT_TRUE(stage.bind_constants("c0", c0.words.data(), c0.bytes));
    EXPECT_TRUE(launch.set_geometry_stage(stage));
  }
  const Engine engine;
  for (const EngineWay& way : engine_ways(engine)) {
    std::ranges::fill(pixels, 0U);
    const auto report = engine.run(launch, way.options);
    EXPECT_TRUE(report) << to_string(report.error());
    if (!report) return {};
    EXPECT_EQ(report->interpreted_because, "");
    EXPECT_FALSE(report->fault);
    std::vector<Words> all;
    for (std::size_t n = 0; n < pixels.size(); n += 4)
      all.emplace_back(pixels.begin() + static_cast<std::ptrdiff_t>(n),
                       pixels.begin() + static_cast<std::ptrdiff_t>(n) + 4);
    if (results.empty()) results = all;
    EXPECT_EQ(all, results) << way.name;
  }
  return results;
}

std::string stored_slots() {
  std::string text;
  for (unsigned k = 0; k < 4; ++k)
    text += "st b32 o[" + std::to_string(4 * k) + "] $r" + std::to_string(k) + "\n";
  return text + "exit nop\n";
}

// $r0 to $r3 of three words outside of c[] and l[], in all ways to look; $r5 is an address far beyond both,
// or before them.
const std::string kOutside =
    "shl $a1 $r5 0x0\n"
    "ld $r0 b32 c0[0x100]\n"
    "ld $r1 b32 c0[$a1]\n"
    "add b32 $r1 $r1 c0[$a1+0x10]\n"
    "ld $r2 u16 c1[$a1]\n"
    "st b32 l[$a1] $r5\nst b32 l[0xff0] $r5\nst b128 l[$a1] $r8q\n"
    "ld b32 $r3 l[$a1]\nld b32 $r4 l[0xff0]\nadd b32 $r3 $r3 $r4\n"
    "ld b64 $r8d l[$a1]\nadd b32 $r3 $r3 $r8\nld u8 $r4 l[$a1+0x3]\nadd b32 $r3 $r3 $r4\n";

TEST(TeslaStages, ReadsOutsideConstantsAndLocalAreZero) {
  const Constants c0({1, 2});
  for (const std::uint32_t local : {0U, 4U, 6U, 64U, 2048U})
    for (const std::uint32_t address : {0x1000U, 0xfffcU, 0xfffdU}) {
      const std::string source = ".registers 16\nmov b32 $r5 " + std::to_string(address) + "\n" + kOutside;
      const Words zeros(4, 0);
      for (const Words& slots :
           run_vertices(stage_of_source(ProgramType::vertex, source + stored_slots(), local), c0, 3))
        EXPECT_EQ(slots, zeros) << local << " " << address;
      for (const Words& pixel :
           draw(stage_of_source(ProgramType::fragment, source + "exit nop\n", local), c0))
        EXPECT_EQ(pixel, zeros) << local << " " << address;
    }
}

// Words of a vertex that tell what the geometry program read.
TEST(TeslaStages, ReadsOutsideInGeometryPrograms) {
  std::string source = ".registers 16\nmov b32 $r5 0xfffc\n" + kOutside;
  for (unsigned corner = 0; corner < 3; ++corner) {
    source += "shl $a2 a[" + std::to_string(4 * corner) + "] 0x0\n";
    for (unsigned k = 0; k < 4; ++k)
      source += "mov b32 o[" + std::to_string(4 * k) + "] p[$a2+" + std::to_string(4 * k) + "]\nst b32 o[" +
                std::to_string(16 + 4 * k) + "] $r" + std::to_string(k) + "\n";
    source += "emit\n";
  }
  Program fragment = program_of(
      ".type fragment\n.interpolants 0x8000404\ninterp $r0 flat v[0x4]\ninterp $r1 flat v[0x8]\n"
      "interp $r2 flat v[0xc]\nadd b32 $r1 $r1 $r2\ninterp $r2 flat v[0x10]\nmov b32 $r3 7\nexit nop\n");
  const std::vector<Words> pixels = draw(std::move(fragment), Constants({1, 2}),
                                         stage_of_source(ProgramType::geometry, source + "exit nop\n", 64));
  ASSERT_FALSE(pixels.empty());
  for (const Words& pixel : pixels) EXPECT_EQ(pixel, (Words{0, 0, 0, 7}));
}

// The last word of c[], of which there are two bytes.
TEST(TeslaStages, BytesAfterConstantsAreZero) {
  const std::string source =
      "ld $r0 b32 c0[0x4]\nld $r1 u16 c0[0x4]\nmov b32 $r4 0x4\nshl $a1 $r4 0x0\n"
      "ld $r2 b32 c0[$a1]\nld $r3 u16 c0[$a1+0x2]\n";
  const Constants c0({1, 0x11223344}, 6);
  const Words expected{0x3344, 0x3344, 0x3344, 0};
  for (const Words& slots :
       run_vertices(stage_of_source(ProgramType::vertex, source + stored_slots()), c0, 1))
    EXPECT_EQ(slots, expected);
  for (const Words& pixel : draw(stage_of_source(ProgramType::fragment, source + "exit nop\n"), c0))
    EXPECT_EQ(pixel, expected);
}

// --- Lanes -------------------------------------------------------------------------------------------------

// After vertex 5 come copies of it, as far as its quad goes.
TEST(TeslaStages, VerticesSeeTheirQuad) {
  const std::string source =
      "ld b32 $r4 a[0x0]\ncvt rn f32 $r4 u32 $r4\n"
      "quadop f32 add add add add $r0 l2 $r4 $r63\n"  // 2q + 2
      "mov $r1 $physid\nvote any $c0\nmov b32 $r6 0x1\nmov b32 $r7 0x5\n"
      "(lg $c0) mov b32 $r2 $r6\n(l02) mov b32 $r2 $r7\n"
      "mov b32 $r5 0x40000000\nset $c1 # l f32 $r4 $r5\n(lg $c1) vote all $c2\nmov $r3 $c2\n";
  const std::vector<Words> slots = run_vertices(
      stage_of_source(ProgramType::vertex, ".registers 64\n" + source + stored_slots()), Constants({0}), 6);
  ASSERT_EQ(slots.size(), 6U);
  for (std::uint32_t n = 0; n < 6; ++n) {
    // Some of vertices 0 to 3 are below 2.
    const std::uint32_t voted = 1;  // no: Z
    EXPECT_EQ(slots[n], (Words{bits(n < 4 ? 2.0F : 5.0F), n % 4, n % 2 == 0 ? 5U : 1U, voted}));
  }
}

// Lanes take turns, as a compiler lets them for samples: each turn serves the lanes whose number is that of a
// lane of the quad.
TEST(TeslaStages, LanesTakeTurns) {
  std::string source =
      ".registers 64\nld b32 $r4 a[0x0]\nand b32 $r4 $r4 0x5\ncvt rn f32 $r5 u32 $r4\n"
      "mov b32 $r0 0x0\nmov b32 $r1 0x0\njoinat #end\n";
  for (unsigned lane = 0; lane < 4; ++lane)
    source += "quadop f32 subr subr subr subr $c0 # l" + std::to_string(lane) + " $r5 $r5\nmov b32 $r1 " +
              std::to_string(lane) + "\n(e $c0) bra #turn\n";
  source +=
      "turn:\nadd b32 $r0 $r0 $r4\nadd b32 $r0 $r0 0x10\nquadop f32 add add add add $r2 l3 $r5 $r63\n"
      "end:\njoin nop\nmov b32 $r3 $r4\n";
  const std::vector<Words> slots =
      run_vertices(stage_of_source(ProgramType::vertex, source + stored_slots()), Constants({0}), 13);
  ASSERT_EQ(slots.size(), 13U);
  for (std::uint32_t n = 0; n < 13; ++n) {
    const std::uint32_t number = n & 5, quad = n & ~3U;
    std::uint32_t turn = 0;
    while ((std::min(quad + turn, 12U) & 5) != number) ++turn;
    EXPECT_EQ(slots[n],
              (Words{number + 0x10, turn, bits(static_cast<float>(std::min(quad + 3, 12U) & 5)), number}))
        << n;
  }
}

// --- l[] ---------------------------------------------------------------------------------------------------

// Stores multiples of the thread's number ($r4) to words of l[] in a loop, and adds those in the other order.
const std::string kLoops =
    "mov b32 $r6 0x0\nmov b32 $r7 0x0\nmov b32 $r1 0x1\n"
    "store:\nshl $a1 $r6 0x2\nadd b32 $r7 $r7 $r4\nst b32 l[$a1] $r7\nadd b32 $r6 $r6 0x1\n"
    "set $c0 # l u32 $r6 c0[0x0]\n(lg $c0) bra #store\n"
    "load:\nsub b32 $r6 $r6 $r1\nshl $a1 $r6 0x2\nld b32 $r5 l[$a1]\n"
    "add b32 $r0 $r0 $r5\nset $c0 # lg u32 $r6 $r63\n(lg $c0) bra #load\n"
    "ld b32 $r1 l[0x20]\nld u16 $r2 l[0x22]\nld b32 $r3 l[$a1+0x7fc]\n";

TEST(TeslaStages, LargeLocalMemory) {
  constexpr std::uint32_t kWords = 300, kSum = kWords * (kWords + 1) / 2;
  const Program vertex = stage_of_source(
      ProgramType::vertex, ".registers 64\nld b32 $r4 a[0x0]\n" + kLoops + stored_slots(), 2048);
  const std::vector<Words> slots = run_vertices(vertex, Constants({kWords}), 37);
  ASSERT_EQ(slots.size(), 37U);
  for (std::uint32_t n = 0; n < 37; ++n) EXPECT_EQ(slots[n], (Words{n * kSum, 9 * n, 0, 0}));

  const std::vector<Words> pixels =
      draw(stage_of_source(ProgramType::fragment, ".registers 64\nmov b32 $r4 0x3\n" + kLoops + "exit nop\n",
                           2048),
           Constants({kWords}));
  for (const Words& pixel : pixels) EXPECT_EQ(pixel, (Words{3 * kSum, 27, 0, 0}));
}

// Places that the program does not know are memory of the thread: code is as long for much of l[] as for
// little. Known ones are slots.
TEST(TeslaStages, CodeDoesNotGrowWithLocal) {
  const auto translated = [](const std::string& body, std::uint32_t local_bytes) {
    auto shader = Shader::make(stage_of_source(ProgramType::vertex, body + "exit nop\n", local_bytes));
    EXPECT_TRUE(shader);
    auto made = (*shader)->translate({}, false);
    EXPECT_TRUE(made) << to_string(made.error());
    return std::move(made->function);
  };
  const ir::Function little = translated(kLoops, 128), much = translated(kLoops, 16384);
  EXPECT_EQ(little.slot_count, 0U);
  EXPECT_EQ(much.slot_count, 0U);
  EXPECT_LT(much.inst_count(), little.inst_count() + 20);
  EXPECT_EQ(translated("st b32 l[0x40] $r1\nld b32 $r2 l[0x40]\n", 1024).slot_count, 256U);
  EXPECT_EQ(translated("shl $a1 $r1 0x2\nst b32 l[$a1] $r1\nld b32 $r2 l[0x4]\n", 32).slot_count, 8U);
}

// Narrow elements, several words at once, and what a group before has left there.
TEST(TeslaStages, ElementsOfLocalInMemory) {
  const std::string source =
      ".registers 64\nld b32 $r4 a[0x0]\nand b32 $r5 $r4 0x3\nshl $a1 $r5 0x5\n"
      "ld b32 $r3 l[$a1+0x10]\n"
      "mov b32 $r8 0x11223344\nmov b32 $r9 $r4\nmov b32 $r10 0x8899aabb\nmov b32 $r11 0xccddeeff\n"
      "st b128 l[$a1+0x10] $r8q\nst u8 l[$a1+0x11] $r4\nst u16 l[$a1+0x1a] $r4\n"
      "ld b32 $r0 l[$a1+0x10]\nld b64 $r12d l[$a1+0x18]\nmov b32 $r1 $r12\nld s16 $r2 l[$a1+0x18]\n";
  const std::vector<Words> slots =
      run_vertices(stage_of_source(ProgramType::vertex, source + stored_slots(), 1024), Constants({0}), 100);
  ASSERT_EQ(slots.size(), 100U);
  for (std::uint32_t n = 0; n < 100; ++n)
    EXPECT_EQ(slots[n], (Words{0x11220044 | n << 8, n << 16 | 0xaabb, 0xffffaabb, 0}));
}

// Two programs that differ in their l[] alone have kernels of their own.
TEST(TeslaStages, SizesOfLocalAreKept) {
  const std::string source = "mov b32 $r1 0x7\nst b32 l[0x10] $r1\nld b32 $r0 l[0x10]\n" + stored_slots();
  const Engine engine;
  for (const std::uint32_t local : {16U, 32U}) {
    warpjit::Launch launch =
        launch_of(stage_of_source(ProgramType::vertex, ".registers 8\n" + source, local));
    Words slots(4);
    ASSERT_TRUE(launch.bind_output("slots0", {slots.data(), 16, 16, {ComponentType::u32, 4}}));
    EXPECT_TRUE(launch.set_count(1));
    ASSERT_TRUE(engine.run(launch));
    EXPECT_EQ(slots[0], local == 16 ? 0U : 7U);
  }
}

// --- Textures after branches through tables ---------------------------------------------------------------

// What a branch through a table of the container leads to is known before any launch.
TEST(TeslaStages, SamplesAfterPresetTables) {
  const std::string source =
      ".registers 8\n.const c1[0x0] 0x20\nmov b32 $r1 0x0\nshl $a1 $r1 0x2\nbra c1[$a1]\nexit nop\n"
      "texauto all $r4:$r5:$r6:$r7 $t3 $s2 $r4:$r5 0x0 0x0 0x0\nmov b32 $r1 0x10\n"
      "exit st b32 g0[$r1] $r5\n";
  warpjit::Launch launch = launch_of(program_of(source));
  Words memory(8);
  EXPECT_TRUE(launch.set_grid(1));
  EXPECT_TRUE(launch.set_block(1));
  ASSERT_TRUE(launch.map_memory("g0", 0, memory.data(), 4 * memory.size()));
  const Engine engine;
  const auto unbound = engine.run(launch);
  ASSERT_FALSE(unbound);
  EXPECT_EQ(unbound.error().where, "texture 3");
  const Words texel{0x0000ff00};
  Texture texture;
  texture.format = *parse_texture_format("rgba8");
  texture.width = texture.height = 1;
  texture.data = texel.data();
  texture.size = 4;
  ASSERT_TRUE(launch.set_texture(3, texture));
  ASSERT_TRUE(launch.set_sampler(2, Sampler{}));
  for (const EngineWay& way : engine_ways(engine)) {
    std::ranges::fill(memory, 0U);
    const auto report = engine.run(launch, way.options);
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_EQ(report->engine, way.options.engine) << report->interpreted_because;
    EXPECT_EQ(memory[4], bits(1)) << way.name;
  }
}

// --- State that is not given -------------------------------------------------------------------------------

TEST(TeslaStages, StateOfCode) {
  Program vertex =
      program_of(".type vertex\n.results 0 1 2 3\nld b32 $r0 a[0x14]\nst b32 o[0x14] $r0\nexit nop\n");
  vertex.graphics = {};
  const GraphicsState v = state_of_code(vertex);
  EXPECT_EQ(v.vertex_results, (std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(v.attributes, (std::array<std::uint32_t, 2>{0x3f, 0}));
  vertex.graphics.builtin_attributes = 1;
  EXPECT_EQ(state_of_code(vertex).attributes, (std::array<std::uint32_t, 2>{0, 0}));

  Program geometry = program_of(".type geometry\n.results 0 1 2 3\nemit\nemit\nrestart\nemit\nexit nop\n");
  geometry.graphics = {};
  const GraphicsState g = state_of_code(geometry);
  EXPECT_EQ(g.geometry_results, (std::vector<std::uint8_t>{0, 1, 2, 3}));
  EXPECT_EQ(g.geometry_vertices, 3U);
  geometry = program_of(".type geometry\n.results 0 1 2 3\na:\nemit\n(lg $c0) bra #a\nexit nop\n");
  EXPECT_EQ(state_of_code(geometry).geometry_vertices, kMaxEmittedVertices);

  const Program fragment = program_of(
      ".type fragment\ninterp $r0 v[0x0]\ninterp $r1 v[0x8] $r0\ninterp $r2 flat v[0x10]\n"
      "interp $r3 flat v[0x3fc]\nexit nop\n");
  EXPECT_EQ(state_of_code(fragment).interpolants, 0x8020404U);
}

TEST(TeslaStages, WordsWithoutAStateAndWithAnEntry) {
  const Words code = program_of(
                         ".type vertex\n.results 0 1 2 3\nexit mov b32 o[0x0] a[0x0]\n"
                         "exit mov b32 o[0x10] a[0x4]\n")
                         .code;
  RawProgram raw;
  raw.code = code;
  raw.stage = Stage::vertex;
  const auto slots = [&](const warpjit::Program& program) {
    return frontend::shader_of(program).varyings().result_slots;
  };
  const auto first = load_words(raw);
  ASSERT_TRUE(first) << to_string(first.error());
  EXPECT_EQ(slots(*first), 4U);
  raw.entry = 8;
  const auto second = load_words(raw);
  ASSERT_TRUE(second) << to_string(second.error());
  EXPECT_EQ(slots(*second), 5U);
  EXPECT_EQ(second->entry(), 8U);
  raw.source_name = "w";
  for (const std::uint32_t entry : {2U, 16U}) {
    raw.entry = entry;
    const auto refused = load_words(raw);
    ASSERT_FALSE(refused);
    EXPECT_EQ(to_string(refused.error()),
              "w: entry " + std::to_string(entry) + ": expected a multiple of 4 below the code's 16 bytes");
  }
}

}  // namespace
}  // namespace warpjit::tesla
