// Graphics programs: their instructions, their state, and what the interpreter makes of them
// (docs/guests/tesla.md 15).
#include <bit>
#include <set>

#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/interpret/interpret.h"
#include "tesla/tesla_test.h"

namespace warpjit::tesla {
namespace {

std::string listing(ProgramType type, std::uint32_t w0, std::uint32_t w1 = 0) {
  const auto instruction = try_decode(type, w0, w1);
  return instruction ? disassemble(*instruction) : "undefined";
}

TEST(TeslaGraphics, Instructions) {
  const auto fragment = [](std::uint32_t w0, std::uint32_t w1 = 0) {
    return listing(ProgramType::fragment, w0, w1);
  };
  EXPECT_EQ(fragment(0x82010014), "interp $r5 v[0x4] $r0 {short}");
  EXPECT_EQ(fragment(0x83090034), "interp $r13 cent v[0x24] $r0 {short}");
  EXPECT_EQ(fragment(0x800b0124), "interp $r9 flat v[0x2c] {short}");
  EXPECT_EQ(fragment(0x80ff0001, 0x00040780), "interp $r0 flat v[0x3fc]");
  EXPECT_EQ(fragment(0x84038f7d, 0x00031204), "(g $c1) interp $r95 cent v[$a5+0xc] $r71");
  EXPECT_EQ(fragment(0x801797a9, 0x04030782), "join interp $r106 cent v[0x5c] neg $r75");
  // Flat values are not multiplied, and have no centroid.
  EXPECT_EQ(fragment(0x80000001, 0x00060780), "undefined");
  EXPECT_EQ(fragment(0x80000001, 0x00050780), "undefined");
  EXPECT_EQ(fragment(0x82000100), "undefined");
  EXPECT_EQ(fragment(0x00000003, 0x00000280), "(lg $c0) discard");

  const auto geometry = [](std::uint32_t w0, std::uint32_t w1) {
    return listing(ProgramType::geometry, w0, w1);
  };
  EXPECT_EQ(geometry(0xf0000201, 0xc0000781), "exit emit");
  EXPECT_EQ(geometry(0xf0000401, 0xc0000780), "restart");
  EXPECT_EQ(geometry(0xf0000601, 0xc0000780), "undefined");  // what both would do is not known
  EXPECT_EQ(geometry(0xe9820c19, 0x00210788), "add f32 o[0x18] (mul p[$a2+0x18] $r2) $r4");
  EXPECT_EQ(geometry(0x00000005, 0xc0200780), "shl $a1 a[0x0] 0x0");
  EXPECT_EQ(listing(ProgramType::vertex, 0x1000162d, 0x0423c788), "mov b32 o[0x2c] a[0x2c]");

  for (const char* text : {"interp $r5 v[0x4] neg $r9", "interp $r5 cent v[$a1+0x8]", "interp # v[0x0]",
                           "(e $c1) interp $r5 flat v[$a2]", "interp $r9 flat v[0x2c] {short}"}) {
    const auto word = assemble_instruction(ProgramType::fragment, text);
    ASSERT_TRUE(word.ok()) << to_string(word.error());
    EXPECT_EQ(fragment(static_cast<std::uint32_t>(*word), static_cast<std::uint32_t>(*word >> 32)), text);
  }
  EXPECT_FALSE(assemble_instruction(ProgramType::fragment, "interp $r5 flat v[0x4] $r1").ok());
}

std::string prepare_error(const Program& program) {
  const auto interpreter = Interpreter::prepare(program);
  return interpreter ? "none" : interpreter.error().message;
}

Program graphics_program(ProgramType type, const std::string& source) {
  Program program = program_of(".type " + std::string(name(type)) + "\n" + source);
  program.graphics.vertex_results = program.graphics.geometry_results = {0, 1, 2, 3};
  return program;
}

TEST(TeslaGraphics, EachTypeHasItsInstructions) {
  using enum ProgramType;
  const struct {
    const char* instruction;
    std::set<ProgramType> types;
  } kCases[] = {
      {"emit", {geometry}},
      {"restart", {geometry}},
      {"discard", {fragment}},
      {"interp $r0 v[0x0]", {fragment}},
      {"ld b32 $r0 a[0x0]", {vertex, geometry}},
      {"st b32 o[0x0] $r0", {vertex, geometry}},
      {"mov b32 $r0 p[$a1]", {geometry}},
      {"ld b32 $r0 g0[$r1]", {compute, fragment}},
      {"st b32 s[0x10] $r0", {compute}},
      {"bar inc wait 0x0 all", {compute}},
      {"ld b32 $r0 l[0x0]", {compute, vertex, geometry, fragment}},
      {"mov b32 $r0 $r1", {compute, vertex, geometry, fragment}},
  };
  for (const auto& [instruction, types] : kCases)
    for (const ProgramType type : {compute, vertex, geometry, fragment}) {
      if (!assemble_instruction(type, instruction).ok()) {  // such an operand is not encoded there
        EXPECT_FALSE(types.contains(type)) << instruction << " in " << name(type);
        continue;
      }
      const Program program = graphics_program(type, std::string(instruction) + "\nexit nop\n");
      EXPECT_EQ(prepare_error(program) == "none", types.contains(type))
          << instruction << " in " << name(type);
    }
}

TEST(TeslaGraphics, StateIsChecked) {
  const auto error = [](ProgramType type, auto change) {
    Program program = graphics_program(type, "exit nop\n");
    change(program.graphics);
    return prepare_error(program);
  };
  using enum ProgramType;
  EXPECT_EQ(error(vertex, [](GraphicsState&) {}), "none");
  EXPECT_EQ(error(vertex,
                  [](GraphicsState& s) {
                    s.vertex_results = {0, 1, 2};
                  }),
            "a result map has at least the 4 words of the position");
  EXPECT_EQ(error(vertex,
                  [](GraphicsState& s) {
                    s.vertex_results = {0};
                    s.geometry_enabled = true;
                  }),
            "none");
  EXPECT_EQ(error(vertex,
                  [](GraphicsState& s) {
                    s.vertex_results = {0, 1, 0x41, 0x42};
                  }),
            "a result map names word 66 of o[]");
  EXPECT_EQ(error(vertex, [](GraphicsState& s) { s.vertex_results.assign(65, 0); }),
            "a result map of 65 words; the most are 64");
  EXPECT_EQ(error(geometry, [](GraphicsState& s) { s.geometry_results.assign(128, 0x81); }), "none");
  EXPECT_NE(error(geometry, [](GraphicsState& s) { s.geometry_output = 0; }), "none");
  EXPECT_NE(error(geometry, [](GraphicsState& s) { s.geometry_output = 4; }), "none");
  EXPECT_NE(error(geometry, [](GraphicsState& s) { s.geometry_vertices = 0; }), "none");
  EXPECT_NE(error(geometry, [](GraphicsState& s) { s.geometry_vertices = 1025; }), "none");
  EXPECT_EQ(error(fragment, [](GraphicsState& s) { s.interpolants = 0xf7c047c; }), "none");
  EXPECT_NE(error(fragment, [](GraphicsState& s) { s.interpolants = 0xf7c047d; }), "none");
  EXPECT_NE(error(fragment, [](GraphicsState& s) { s.interpolants = 0x8050404; }), "none");
  EXPECT_NE(error(fragment, [](GraphicsState& s) { s.fragment_results = 129; }), "none");
  const auto sprites = [&](std::uint32_t coordinates) {
    return error(fragment, [&](GraphicsState& s) {
      s.interpolants = 0x8010401;
      s.point_sprites = true;
      s.point_coordinates[0] = coordinates;
    });
  };
  EXPECT_EQ(sprites(0xf0045555), "none");  // slot 4
  EXPECT_EQ(sprites(0x50000), "no such coordinate of points");
}

TEST(TeslaGraphics, InputsOfFragments) {
  GraphicsState state;
  state.interpolants = 0xa020403;  // y, 1/w, then slots 4 and 5 interpolated, 6 flat
  state.noperspective[0] = 1U << 5;
  state.color_slots = 0x1000a04;  // no colours
  state.two_sided = true;
  using Kind = FragmentInput::Kind;
  auto inputs = fragment_inputs(state);
  ASSERT_EQ(inputs.size(), 5U);
  EXPECT_EQ(inputs[0].kind, Kind::y);
  EXPECT_EQ(inputs[1].kind, Kind::inverse_w);
  EXPECT_TRUE(inputs[3].interpolated);
  EXPECT_FALSE(inputs[4].interpolated);
  EXPECT_EQ(inputs[4].use, 2);
  using Plane = pixels::SlotUse::Plane;
  EXPECT_EQ(fragment_uses(state),
            (std::vector<pixels::SlotUse>{{4, Plane::perspective}, {5, Plane::linear}, {6, Plane::none}}));

  state.color_slots = 0x20a05;  // slots 5 and 6, back colours 10 and 11
  state.primitive_id_slot = 4;
  inputs = fragment_inputs(state);
  EXPECT_EQ(inputs[2].kind, Kind::primitive_id);
  EXPECT_EQ(inputs[2].back_use, 0);
  EXPECT_EQ(inputs[3].back_use, 3);
  EXPECT_EQ(inputs[4].back_use, 4);
  EXPECT_EQ(fragment_uses(state)[0], (pixels::SlotUse{.slot = 4, .plane = Plane::perspective}));
  EXPECT_EQ(fragment_uses(state)[1], (pixels::SlotUse{.slot = 5, .plane = Plane::linear, .color = true}));
  EXPECT_EQ(fragment_uses(state)[3],
            (pixels::SlotUse{.slot = 10, .plane = Plane::perspective, .color = true}));
  EXPECT_EQ(fragment_uses(state)[4], (pixels::SlotUse{.slot = 11, .plane = Plane::none, .color = true}));
}

// --- Vertices ----------------------------------------------------------------------------------------------

TEST(TeslaGraphics, VerticesReadPackedAttributesAndLeaveSlots) {
  Program program =
      graphics_program(ProgramType::vertex,
                       ".registers 8\n"
                       "mov b32 o[0x0] a[0x0]\nmov b32 $r4 0x3f800000\nadd rn f32 o[0x4] a[0x4] $r4\n"
                       "ld b32 $r1 a[0x8]\nst b32 o[0x8] $r1\nld b32 $r2 a[0xc]\n"
                       "mov b32 o[0xc] $r2\nld b32 $r3 a[0x10]\nmov b32 o[0x10] $r3\n"
                       "add b16 o[0x1e]h $r4h $r63l\nshl $a1 $r1 0x0\n"
                       "exit st b32 o[$a1+0x14] $r4\n");
  program.graphics.attributes = {0x50, 0x8};  // x and z of attribute 1, w of attribute 8
  program.graphics.builtin_attributes = 0x11;
  program.graphics.vertex_results = {0, 1, 2, 3, 0x41, 4, 5, 0x40, 7};
  const AttributeLayout layout = attribute_layout(program.graphics);
  EXPECT_EQ(layout.components, (std::vector<std::uint8_t>{4, 6, 35}));
  EXPECT_EQ(layout.words, 5U);

  auto interpreter = Interpreter::prepare(program);
  ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
  std::vector<std::uint32_t> attributes, ids, instances, slots;
  for (std::uint32_t k = 0; k < 40; ++k) {
    attributes.insert(attributes.end(), {k, bits(static_cast<float>(k)), 4 * (k % 2)});
    ids.push_back(100 + k);
    instances.push_back(k / 7);
  }
  RunReport report;
  const Status status = interpreter->run_vertices({}, {attributes, ids, instances}, slots, report);
  ASSERT_TRUE(status.ok()) << to_string(status.error());
  ASSERT_EQ(slots.size(), 40U * 9);
  for (std::uint32_t k = 0; k < 40; ++k) {
    const std::vector<std::uint32_t> got(slots.begin() + 9 * k, slots.begin() + 9 * k + 9);
    const std::uint32_t one = bits(1), w = 4 * (k % 2);
    // o[0x14] or o[0x18] is stored.
    EXPECT_EQ(got, (std::vector<std::uint32_t>{k, bits(static_cast<float>(k) + 1), w, 100 + k, one, k / 7,
                                               w == 0 ? one : 0, 0, one}));
  }
  EXPECT_FALSE(
      interpreter->run_vertices({}, {attributes, ids, std::span(instances).first(39)}, slots, report).ok());
}

TEST(TeslaGraphics, ColorsAreClampedAfterTheLastStage) {
  Program program = graphics_program(
      ProgramType::vertex, "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x0]\nexit mov b32 o[0x8] a[0x0]\n");
  program.graphics.attributes = {1, 0};
  program.graphics.color_slots = 0x1010203;  // slot 3 and, of the back, 2
  program.graphics.vertex_results = {0, 0, 0, 0};
  const std::vector<std::uint32_t> attributes{bits(-2), bits(0.5), bits(3), 0x80000000, 0x7fc00000, 1};
  const std::vector<std::uint32_t> clamped{0, bits(0.5), bits(1), 0, 0x7fffffff, 0};
  const std::vector<std::uint32_t> none(6);
  for (const bool geometry_enabled : {false, true}) {
    program.graphics.geometry_enabled = geometry_enabled;
    std::vector<std::uint32_t> slots;
    RunReport report;
    const auto interpreter = Interpreter::prepare(program);
    ASSERT_TRUE(interpreter->run_vertices({}, {attributes, none, none}, slots, report).ok());
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_EQ(slots[4 * k + 1], attributes[k]);
      EXPECT_EQ(slots[4 * k + 2], geometry_enabled ? attributes[k] : clamped[k]);
      EXPECT_EQ(slots[4 * k + 3], geometry_enabled ? attributes[k] : clamped[k]);
    }
  }
}

// --- Geometry ----------------------------------------------------------------------------------------------

TEST(TeslaGraphics, EmittedVerticesAndStrips) {
  // Emits the three vertices, the odd primitives the second one only; words 1 and 2 by an offset that is
  // computed, from $vstride, or constant.
  Program program = graphics_program(
      ProgramType::geometry,
      ".registers 8\nshl $a1 a[0x4] 0x0\nld b32 $r1 a[0x18]\nmov b32 $r2 0x1\nand b32 $c0 $r2 $r2 $r1\n"
      "mov $r3 $vstride\nshl b32 $r3 $r3 0x2\nmov $r4 $a1\nadd b32 $r4 $r4 $r3\nshl $a2 $r4 0x0\n"
      "mov b32 o[0x0] p[$a1]\nmov b32 o[0x4] p[$a2]\nmov b32 o[0x8] p[$a1+0x8]\nst b32 o[0xc] $r1\n"
      "emit\n(lg $c0) bra #end\n"
      "shl $a1 a[0x0] 0x0\nmov b32 o[0x0] p[$a1]\nemit\nrestart\nrestart\n"
      "shl $a1 a[0x8] 0x0\nmov b32 o[0x0] p[$a1]\nemit\nemit\nend:\nexit nop\n");
  program.graphics.geometry_vertices = 3;
  program.graphics.geometry_results = {0, 1, 2, 3, 0x81};
  const auto interpreter = Interpreter::prepare(program);
  ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
  std::vector<std::uint32_t> words, indices;
  for (std::uint32_t vertex = 0; vertex < 50; ++vertex)
    words.insert(words.end(), {vertex, 1000 + vertex, 2000 + vertex});
  for (std::uint32_t k = 0; k < 35; ++k) indices.insert(indices.end(), {k, k + 1, k + 2});
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t k = 0; k < 35; ++k) numbers.push_back(10 + k);
  EmittedVertices output;
  RunReport report;
  const Status status = interpreter->run_geometry(
      {}, {.vertex_words = words, .words = 3, .indices = indices, .numbers = numbers}, output, report);
  ASSERT_TRUE(status.ok()) << to_string(status.error());
  std::vector<std::uint32_t> wanted, strips, invocations;
  const auto vertex = [&](std::uint32_t x, std::uint32_t k) {
    wanted.insert(wanted.end(), {x, 1001 + k, 2001 + k, 10 + k, bits(1)});
  };
  for (std::uint32_t k = 0; k < 35; ++k) {
    vertex(k + 1, k);
    invocations.push_back(k % 2 == 1 ? 1 : 3);
    if (k % 2 == 1) {
      strips.push_back(1);
      continue;
    }
    vertex(k, k);
    vertex(k + 2, k);  // the fourth one is too many
    strips.insert(strips.end(), {2, 1});
  }
  EXPECT_EQ(output.words, wanted);
  EXPECT_EQ(output.strips, strips);
  EXPECT_EQ(output.invocations, invocations);

  indices.back() = 50;
  EXPECT_FALSE(
      interpreter->run_geometry({}, {.vertex_words = words, .words = 3, .indices = indices}, output, report)
          .ok());
  EXPECT_FALSE(
      interpreter->run_geometry({}, {.vertex_words = words, .words = 3, .vertices = 7}, output, report).ok());
}

// --- Fragments ---------------------------------------------------------------------------------------------

// Values that tell what was asked for.
struct TestPrimitive final : interpret::Primitive {
  bool front = true;
  std::uint32_t plane_depth = bits(0.25);
  bool front_facing() const override { return front; }
  std::uint32_t number() const override { return 77; }
  std::uint32_t value(unsigned use, std::int32_t x, std::int32_t y) const override {
    return bits(static_cast<float>(100 * static_cast<int>(use) + 10 * y + x));
  }
  std::uint32_t inverse_w(std::int32_t, std::int32_t) const override { return bits(0.5); }
  std::uint32_t value_at(unsigned use, std::int32_t x, std::int32_t y, float, float) const override {
    return value(use, x, y);
  }
  std::uint32_t inverse_w_at(std::int32_t x, std::int32_t y, float, float) const override {
    return inverse_w(x, y);
  }
  std::uint32_t depth(std::int32_t, std::int32_t) const override { return plane_depth; }
  std::uint32_t flat(unsigned use) const override { return 0xabc0 + use; }
};

struct FragmentRun {
  Program program;
  TestPrimitive primitive{};
  std::vector<std::uint8_t> coverage{15};
  Launch launch{};
  Modes modes{};
  RunReport report{};

  explicit FragmentRun(const std::string& source)
      : program(graphics_program(ProgramType::fragment, source)) {}

  // Quads lie side by side from (2, 4) on.
  std::vector<interpret::Fragment> run(std::string* error = nullptr) {
    const auto interpreter = Interpreter::prepare(program, modes);
    EXPECT_TRUE(interpreter.ok()) << to_string(interpreter.error());
    auto fragments = interpreter->make_fragment_program(launch, report);
    EXPECT_TRUE(fragments.ok());
    std::vector<interpret::Quad> quads;
    for (const std::uint8_t covered : coverage)
      quads.push_back({2 + 2 * static_cast<std::int32_t>(quads.size()), 4, covered, &primitive});
    std::vector<interpret::Fragment> result(4 * quads.size());
    const Status status = (*fragments)->run(quads, result);
    if (error != nullptr)
      *error = status.ok() ? "none" : status.error().message;
    else
      EXPECT_TRUE(status.ok()) << to_string(status.error());
    return result;
  }
};

TEST(TeslaGraphics, FragmentsReadTheirPixel) {
  FragmentRun run(
      "quadop f32 add add add add $r0 dx $r63 $r63\n"  // because of it helpers run
      "interp $r0 v[0x0]\ninterp $r1 v[0x4]\ninterp $r2 v[0x8]\ninterp $r3 v[0xc]\n"  // position
      "interp $r4 v[0x10]\ninterp $r5 v[0x10] neg $r3\ninterp $r6 flat v[0x10]\ninterp $r7 v[0x14] $r3\n"
      "interp $r8 flat v[0x3fc]\ninterp $r9 v[0x1c]\nadd $a1 0x0 0x6\ninterp $r10 cent v[$a1+0xc]\n"
      "exit interp $r11 v[0x18] $r3\n");
  run.program.graphics.interpolants = 0xf010403;  // slot 4 interpolated; 5, 6 flat
  run.program.graphics.primitive_id_slot = 6;
  run.program.graphics.fragment_control = 1;
  run.coverage = {1, 15};
  auto fragments = run.run();
  const auto& a = fragments[3].colors;  // pixel (3, 5), a helper
  EXPECT_EQ(a[0], (std::array{bits(3.5), bits(5.5), bits(0.25), bits(0.5)}));
  EXPECT_EQ(a[1], (std::array<std::uint32_t, 4>{bits(53), bits(-26.5), 0xabc0, 0xabc1}));
  EXPECT_EQ(a[2], (std::array<std::uint32_t, 4>{~0U, 0, bits(53), 77}));
  EXPECT_EQ(fragments[5].colors[1][0], bits(45));  // pixel (5, 4)
  for (const auto& fragment : fragments) EXPECT_TRUE(fragment.live);

  run.primitive.front = false;
  run.primitive.plane_depth = 0x7fffffff;
  run.program.graphics.color_slots = 0x10904;
  run.program.graphics.two_sided = true;
  run.program.graphics.pixel_center_integer = true;
  fragments = run.run();
  EXPECT_EQ(fragments[3].colors[0], (std::array{bits(3), bits(5), 0U, bits(0.5)}));
  EXPECT_EQ(fragments[3].colors[1][0], bits(353));  // use 3, the back colour
  EXPECT_EQ(fragments[3].colors[1][2], 0xabc3U);
  EXPECT_EQ(fragments[3].colors[2][0], 0U);
  run.primitive.plane_depth = bits(1.5);
  EXPECT_EQ(run.run()[0].colors[0][2], bits(1));
}

TEST(TeslaGraphics, ResultsOfFragments) {
  FragmentRun run(
      ".registers 6\nmov b32 $r0 0x10\nmov b32 $r1 0x11\nmov b32 $r2 0x12\nmov b32 $r3 0x13\nmov b32 $r4 "
      "0x14\n"
      "exit mov b32 $r5 $r4\n");
  run.program.graphics.fragment_results = 6;
  run.program.graphics.fragment_control = 0x101;
  auto fragment = run.run()[0];
  EXPECT_EQ(fragment.colors[1], (std::array<std::uint32_t, 4>{0x14, 0x14, 0, 0}));
  EXPECT_EQ(fragment.depth, 0x14U);
  run.program.graphics.fragment_control = 0;
  fragment = run.run()[0];
  EXPECT_EQ(fragment.colors[7], (std::array<std::uint32_t, 4>{0x10, 0x11, 0x12, 0x13}));
}

TEST(TeslaGraphics, NeighboursInTheQuad) {
  // x, y of the slot: 10 * y + x. dx: other column minus own or own minus other; dy alike.
  FragmentRun run(
      "interp $r4 v[0x4]\nquadop f32 sub subr sub subr $r0 dx $r4 $r4\nquadop f32 sub sub subr subr $r1 dy "
      "$r4 $r4\n"
      "quadop f32 add add add add $r2 l2 $r4 $r63\nexit mov b32 $r3 $r4\n");
  run.program.graphics.interpolants = 0x8010401;
  for (const auto& fragment : run.run())
    EXPECT_EQ((std::array{fragment.colors[0][0], fragment.colors[0][1], fragment.colors[0][2]}),
              (std::array{bits(1), bits(10), bits(52)}));
  run.modes.infinite_derivatives = true;  // outside fragment programs
  EXPECT_EQ(run.run()[0].colors[0][0], bits(1));
}

TEST(TeslaGraphics, LanesThatExitedKeepTheirRegisters) {
  // Lanes of the right column exit with 7 in $r0; the others go on, and read them.
  FragmentRun run(
      "interp $r4 v[0x0]\nmov b32 $r0 0x40e00000\nmov b32 $r5 0x40400000\nset $c0 # g f32 $r4 $r5\n"
      "(lg $c0) bra #out\nmov b32 $r0 0x3f800000\nquadop f32 add add add add $r1 dx $r0 $r63\nexit nop\n"
      "out:\nmov b32 $r1 0x9\nexit nop\n");
  run.program.graphics.interpolants = 0x1000400;  // x of the pixel
  const auto fragments = run.run();
  EXPECT_EQ(fragments[0].colors[0][1], bits(7));
  EXPECT_EQ(fragments[1].colors[0][1], 9U);
}

TEST(TeslaGraphics, DiscardedLanesGoOn) {
  alignas(8) std::array<std::uint32_t, 16> memory{};
  const std::string body =
      "interp $r4 v[0x0]\nmov b32 $r5 0x40400000\nset $c0 # g f32 $r4 $r5\n"
      "(lg $c0) discard\nmov b32 $r0 0x3f800000\n(lg $c0) mov b32 $r0 $r5\n"
      "quadop f32 add add add add $r1 dx $r0 $r63\n"
      // g0: a word for each lane
      "mov $r6 $physid\nand b32 $r6 $r6 0xff\nshl b32 $r6 $r6 0x2\nst b32 g0[$r6] $r5\n"
      "mov b32 $r2 0x1234\nld add u32 $r2 g0[$r6] $r63\nexit nop\n";
  FragmentRun run(body);
  run.program.graphics.interpolants = 0x1000400;
  run.coverage = {5, 11, 0};  // only the left column; all but the lower left; nothing
  run.launch.globals[0] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(memory))}};
  const auto fragments = run.run();
  EXPECT_TRUE(fragments[0].live);
  EXPECT_EQ(fragments[0].colors[0][1], bits(3));  // of the discarded neighbour
  EXPECT_EQ(fragments[0].colors[0][2], bits(3));
  EXPECT_FALSE(fragments[4].live);
  EXPECT_EQ(fragments[4].colors[0][0], bits(3));
  EXPECT_EQ(fragments[4].colors[0][2], 0x1234U);  // its atomic did nothing
  for (unsigned lane = 0; lane < 16; ++lane)      // x > 3 is discarded: all of the second quad
    EXPECT_EQ(memory[lane], lane == 0 || lane == 2 ? bits(3) : 0) << lane;
}

TEST(TeslaGraphics, FuelAndErrorsOfFragments) {
  std::string error;
  FragmentRun endless("again:\nbra #again\nexit nop\n");
  endless.launch.fuel = 100;
  endless.run(&error);
  EXPECT_EQ(error, "a thread made more backward transfers than the launch allows");
  FragmentRun trap("trap\n");
  trap.run(&error);
  EXPECT_NE(error, "none");
  const auto vertex = Interpreter::prepare(graphics_program(ProgramType::vertex, "exit nop\n"));
  RunReport report;
  EXPECT_EQ(vertex->make_fragment_program({}, report).error().message,
            "a vertex program runs as a fragment program");
}

}  // namespace
}  // namespace warpjit::tesla
