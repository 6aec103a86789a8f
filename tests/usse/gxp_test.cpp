#include "frontend/usse/container/gxp.h"

#include "usse/gxp_builder.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

TEST(UsseGxp, VertexPrograms) {
  const auto program = read_gxp(GxpBuilder::vertex().finish(), "a.gxp");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  EXPECT_EQ(program->stage, Stage::vertex);
  EXPECT_EQ(program->primary, (std::vector<std::uint64_t>{0xfa44070000000000, 0xfb275000a0200000}));
  EXPECT_EQ(program->secondary.size(), 1U);
  EXPECT_EQ(program->primary_attributes, 8U);
  EXPECT_EQ(program->secondary_attributes, 32U);
  EXPECT_EQ(program->temporaries, 4U);
  EXPECT_EQ(program->default_words, 16U);
  Parameter position;
  position.name = "aPosition";
  position.components = 3;
  position.semantic = 11;
  position.semantic_index = 2;
  position.array_size = 1;
  position.resource = 3;
  EXPECT_EQ(program->parameters, std::vector{position});
  EXPECT_EQ(semantic_name(11), "position");
  ASSERT_EQ(program->containers.size(), 3U);
  EXPECT_EQ(*program->container(kDataContainer), (RegisterContainer{19, 20, 8}));
  EXPECT_EQ(program->container(3), nullptr);
  EXPECT_EQ(program->literals, (std::vector{Literal{2, 0x3f800000}}));
  EXPECT_EQ(program->uniform_buffers, (std::vector{UniformBuffer{3, 1, -4}}));
  EXPECT_EQ(program->dependent_samplers, (std::vector{DependentSampler{1, 1, 2}, DependentSampler{1, 2, 3}}));
  const VertexInterface& vertex = program->vertex;
  EXPECT_EQ(vertex.live, 0x37U);
  EXPECT_EQ(vertex.untyped, 0x10U);
  EXPECT_EQ(vertex.clip_distances, 1);
  EXPECT_TRUE(vertex.point_size && vertex.fog && vertex.color[0] && !vertex.color[1]);
  EXPECT_EQ(vertex.texcoord_words(0), 3U);
  EXPECT_EQ(vertex.texcoord_words(1), 1U);  // two halves
  EXPECT_EQ(vertex.words, 4 + 4 + 2 + 3 + 1 + 1 + 1);
  EXPECT_EQ(vertex.index, 6);
  EXPECT_EQ(vertex.instance, 7);
}

TEST(UsseGxp, FragmentPrograms) {
  const auto program = read_gxp(GxpBuilder::fragment().finish(), "a.gxp");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  EXPECT_EQ(program->stage, Stage::fragment);
  const FragmentInterface& fragment = program->fragment;
  EXPECT_EQ(fragment.output_start, 2);
  EXPECT_EQ(fragment.output_type, ParameterType::f16);
  EXPECT_EQ(fragment.output_components, 4);
  ASSERT_EQ(fragment.inputs.size(), 2U);
  using Value = FragmentInput::Value;
  EXPECT_EQ(fragment.inputs[0].iterated,
            (FragmentInput::Iterated{Value::color, 0, 4, FragmentInput::Format::f16, 2}));
  EXPECT_FALSE(fragment.inputs[0].sampled);
  EXPECT_EQ(fragment.inputs[1].iterated,
            (FragmentInput::Iterated{Value::texcoord, 1, 2, FragmentInput::Format::f32, 2}));
  EXPECT_EQ(fragment.inputs[1].sampled,
            (FragmentInput::Sampled{Value::texcoord, 1, FragmentInput::Projection::none, false, 3,
                                    FragmentInput::Texel::f32, 3}));
  EXPECT_EQ(fragment.inputs[1].words(), 5U);
  EXPECT_TRUE(program->parameters[0].cube);
  EXPECT_EQ(program->parameters[0].semantic_index, 3);
}

// The message after one field was changed.
std::string changed(const GxpBuilder& gxp, std::size_t at, std::uint64_t value, unsigned size) {
  GxpBuilder copy = gxp;
  copy.put(at, value, size);
  std::vector<std::byte> bytes = copy.finish();
  if (at == 8) {
    for (unsigned k = 0; k < 4; ++k) bytes[8 + k] = static_cast<std::byte>(value >> 8 * k);
  }
  const auto program = read_gxp(bytes, "a.gxp");
  return program ? "read" : to_string(program.error());
}

TEST(UsseGxp, Errors) {
  const GxpBuilder v = GxpBuilder::vertex(), f = GxpBuilder::fragment();
  EXPECT_EQ(changed(v, 0, 'X', 1), "a.gxp, byte 0x0: magic: this is no GXP");
  EXPECT_EQ(changed(v, 4, 2, 1), "a.gxp, byte 0x4: major version: 2 is not known, 1 is");
  EXPECT_EQ(changed(v, 5, 6, 1), "a.gxp, byte 0x5: minor version: 6 is not known, 4 and 5 are");
  EXPECT_EQ(changed(v, 8, 0x20, 4), "a.gxp, byte 0x8: size: less than the header");
  EXPECT_EQ(changed(v, 8, 9999, 4),
            "a.gxp, byte 0x8: size: 9999 bytes, but the file has " + std::to_string(v.finish().size()));
  EXPECT_EQ(changed(f, 0x14, 0x101, 4),
            "a.gxp, byte 0x14: flags: native colour with several samples is not supported");
  EXPECT_EQ(changed(v, 0x34, 300, 4), "a.gxp, byte 0x34: temporaries: more than 256 registers");
  EXPECT_EQ(changed(v, 0x3a, 0, 2), "a.gxp, byte 0x3a: phases: 0, but programs have 1 or 2");
  EXPECT_EQ(changed(v, 0x3c, 0, 4), "a.gxp, byte 0x3c: primary program: it has no instructions");
  EXPECT_EQ(changed(v, 0x3c, 1 << 20, 4), "a.gxp, byte 0x3c: primary program: more than 65536 instructions");
  const std::string outside =
      ": what it leads to is outside the " + std::to_string(v.finish().size()) + " bytes of the program";
  EXPECT_EQ(changed(v, 0x40, 0x7fffffff, 4), "a.gxp, byte 0x40: primary program" + outside);
  EXPECT_EQ(changed(v, 0x40, 0x80000000, 4), "a.gxp, byte 0x40: primary program" + outside);
  EXPECT_EQ(changed(v, 0x28, 0xffffff00, 4), "a.gxp, byte 0x28: parameters" + outside);
  EXPECT_EQ(changed(v, 0x24, 0xffffffff, 4), "a.gxp, byte 0x24: parameters: more than 4096");
  EXPECT_EQ(changed(v, 0x2c, 0x10000, 4), "a.gxp, byte 0x2c: varyings" + outside);
  EXPECT_EQ(changed(v, 0x44, 2, 4),
            "a.gxp, byte 0x4c: end of the secondary program: it says 1 instructions, the count 2");
  const auto place = [](const char* text, std::size_t at) {
    char where[32];
    std::snprintf(where, sizeof where, "a.gxp, byte 0x%zx: ", at);
    return std::string(where) + text;
  };
  EXPECT_EQ(changed(v, v.varyings + 16, 0x1000, 4),
            place("vertex outputs: they are 8 words, but 0 are declared", v.varyings + 16));
  EXPECT_EQ(changed(v, v.varyings + 28, 400, 2),
            place("registers of index and instance: there is no such primary attribute", v.varyings + 28));
  EXPECT_EQ(changed(f, f.varyings + 10, 9, 1),
            place("type of the fragment output: 9 is not defined", f.varyings + 10));
  EXPECT_EQ(changed(f, f.varyings + 11, 5, 1),
            place("components of the fragment output: more than four", f.varyings + 11));
  EXPECT_EQ(changed(f, 0x30, 6, 2),
            place("fragment inputs: they are 7 words, but there are 6 primary attributes", f.varyings + 16));
  EXPECT_EQ(changed(f, f.inputs, 0x20c0e00f, 4),
            place("fragment input: iterated value 14 is not defined", f.inputs));
  EXPECT_EQ(changed(f, f.inputs, 0x30c0a00f, 4),
            place("fragment input: the format of its values is not defined", f.inputs));
  EXPECT_EQ(changed(f, f.inputs + 16, 0x0040110b, 4),
            place("fragment input: texture coordinate 11 is not defined", f.inputs + 16));
  EXPECT_EQ(changed(f, f.inputs + 16, 0x00401001, 4),
            place("fragment input: its texture coordinate has no components", f.inputs + 16));
  EXPECT_EQ(changed(f, f.inputs + 20, 16, 4),
            place("texture unit of a fragment input: there is no unit 16", f.inputs + 20));
  EXPECT_EQ(changed(f, f.inputs + 28, 0x10, 4),
            place("format of a fragment input: 1 is not defined", f.inputs + 28));
}

// The place of a table's first entry.
std::size_t table_place(const std::vector<std::byte>& bytes, std::size_t field) {
  std::uint32_t offset = 0;
  for (unsigned k = 0; k < 4; ++k) offset |= std::to_integer<std::uint32_t>(bytes[field + 4 + k]) << 8 * k;
  return field + 4 + offset;
}

TEST(UsseGxp, ErrorsInTables) {
  const GxpBuilder v = GxpBuilder::vertex();
  const std::vector<std::byte> bytes = v.finish();
  const auto message = [&](std::size_t field, std::size_t at, std::uint64_t value, unsigned size) {
    const std::string text = changed(v, table_place(bytes, field) + at, value, size);
    return text.substr(text.find(": ") + 2);
  };
  EXPECT_EQ(message(0x24, 4, 0x0305, 2), "kind of a parameter: category 5 is not defined");
  EXPECT_EQ(message(0x24, 4, 0x03a0, 2), "kind of a parameter: type 10 is not defined");
  EXPECT_EQ(message(0x24, 4, 0x0500, 2), "kind of a parameter: more than four components");
  EXPECT_EQ(message(0x24, 6, 17, 1), "semantic of a parameter: 17 is not defined");
  EXPECT_EQ(message(0x24, 8, 1 << 20, 4), "array size of a parameter: more than 16384 elements");
  EXPECT_EQ(message(0x24, 12, 256, 4), "resource of a parameter: there is no word 256");
  EXPECT_EQ(message(0x90, 0, 20, 2), "container: 20 is not defined");
  EXPECT_EQ(message(0x90, 8, 14, 2), "container: 14 is there twice");
  EXPECT_EQ(message(0x90, 4, 250, 2), "registers of a container: there are no such secondary attributes");
  EXPECT_EQ(message(0x70, 0, 300, 4), "literal: there is no secondary attribute 328");
  EXPECT_EQ(message(0x70, 0, 0xffffffff, 4), "literal: there is no secondary attribute 4294967323");
  EXPECT_EQ(message(0x78, 0, 15, 2), "uniform buffer: there is no buffer 15");
  EXPECT_EQ(message(0x78, 2, 240, 2), "register of a uniform buffer: there is no secondary attribute 260");
  EXPECT_EQ(message(0x80, 0, 64, 2), "dependent sampler: there is no control word 64");
  EXPECT_EQ(message(0x80, 2, 240, 2), "register of a dependent sampler: there is no secondary attribute 260");
}

// Cut and changed bytes give errors that name a byte, or programs that can be listed.
TEST(UsseGxp, HostileBytes) {
  for (const std::vector<std::byte>& bytes :
       {GxpBuilder::vertex().finish(), GxpBuilder::fragment().finish()}) {
    const auto check = [](std::span<const std::byte> hostile) {
      // In a buffer of its own size, so that sanitizers see what is read after it.
      const std::vector<std::byte> exact(hostile.begin(), hostile.end());
      const auto program = read_gxp(exact, "h.gxp");
      if (program) {
        EXPECT_FALSE(disassemble(*program).empty());
      } else {
        EXPECT_NE(to_string(program.error()).find("h.gxp, byte 0x"), std::string::npos);
      }
    };
    for (std::size_t size = 0; size < bytes.size(); ++size) check(std::span(bytes).first(size));
    for (std::size_t at = 0; at < bytes.size(); ++at)
      for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0x80U, 0xffU}) {
        std::vector<std::byte> hostile = bytes;
        hostile[at] = static_cast<std::byte>(value);
        check(hostile);
      }
  }
}

}  // namespace
}  // namespace warpjit::usse
