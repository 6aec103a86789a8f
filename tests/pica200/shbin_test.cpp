#include "frontend/pica200/container/shbin.h"

#include "pica200/pica_test.h"
#include "support/share.h"

namespace warpjit::pica200 {
namespace {

constexpr const char* kFiles[] = {"mvp_light.shbin",         "skin_loop.shbin",      "branchy.shbin",
                                  "breakc_loop.shbin",       "point_quads.shbin",    "flat_quads.shbin",
                                  "blended_triangles.shbin", "kept_registers.shbin", "trail.shbin"};

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto span = std::as_bytes(std::span(text));
  return {span.begin(), span.end()};
}

Result<Container> read(const std::vector<std::byte>& bytes) { return read_shbin(bytes, "file.shbin"); }

TEST(PicaShbin, ReadThenWriteIsIdentical) {
  for (const char* name : kFiles) {
    const auto bytes = bytes_of(read_example(name));
    const auto container = read(bytes);
    ASSERT_TRUE(container.ok()) << to_string(container.error());
    EXPECT_EQ(write_shbin(*container), bytes) << name;
  }
}

TEST(PicaShbin, Contents) {
  const auto container = read(bytes_of(read_example("point_quads.shbin")));
  ASSERT_TRUE(container.ok());
  ASSERT_EQ(container->programs.size(), 2U);
  const ProgramInfo& geometry = container->programs[1];
  EXPECT_EQ(geometry.stage, Stage::geometry);
  EXPECT_EQ(geometry.geometry_mode, GeometryMode::point);
  EXPECT_EQ(geometry.entry, 13U);
  EXPECT_EQ(geometry.input_mask, 3);
  ASSERT_NE(geometry.find_symbol("gcolor"), nullptr);
  EXPECT_EQ(geometry.find_symbol("gcolor")->first, (Register{RegisterFile::v, 1}));
  EXPECT_EQ(geometry.find_symbol("extent")->first, (Register{RegisterFile::c, 0}));
  ASSERT_EQ(geometry.constants.size(), 1U);
  EXPECT_EQ(geometry.constants[0].floats(), (std::array<float, 4>{0.0F, 1.0F, -1.0F, 0.5F}));
  EXPECT_EQ(geometry.find_output("color")->reg, 1);
}

TEST(PicaShbin, Choice) {
  auto container = read(bytes_of(read_example("point_quads.shbin")));
  ASSERT_TRUE(container.ok());
  const auto stage_of = [&](const ProgramChoice& choice) {
    const auto program = select_program(*container, choice);
    return program ? std::string(name(program->stage)) : program.error().message;
  };
  EXPECT_EQ(stage_of({}), "vertex");
  EXPECT_EQ(stage_of({1, "", {}}), "geometry");
  EXPECT_EQ(stage_of({{}, "", Stage::geometry}), "geometry");
  EXPECT_EQ(stage_of({{}, "main", Stage::geometry}), "geometry");  // no labels are stored
  EXPECT_EQ(stage_of({2, "", {}}), "there is no program 2; the container has 2");
  EXPECT_EQ(stage_of({{}, "gmain", {}}), "the container has no program with the entry 'gmain'");
  // With labels, by name.
  const SourceFile files[] = {{"v", read_example("point_quads.v.pica")},
                              {"g", read_example("point_quads.g.pica")}};
  const auto labelled = read(write_shbin(*assemble(files), {.labels = true}));
  ASSERT_TRUE(labelled.ok()) << to_string(labelled.error());
  const auto geometry = select_program(*labelled, {{}, "gmain", {}});
  ASSERT_TRUE(geometry.ok());
  EXPECT_EQ(geometry->stage, Stage::geometry);
  const auto put = select_program(*labelled, {{}, "put", {}});
  ASSERT_TRUE(put.ok());
  EXPECT_EQ(put->entry, 31U);
  EXPECT_FALSE(select_program(*labelled, {{}, "nobody", {}}).ok());
}

TEST(PicaShbin, LabelsRoundTrip) {
  const SourceFile file{"a", ".proc main\nagain:\ncall f\njmpu b0, again\nend\n.end\n.proc f\nnop\n.end\n"};
  const auto container = assemble(std::span(&file, 1));
  ASSERT_TRUE(container.ok());
  const auto again = read(write_shbin(*container, {.labels = true}));
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_EQ(again->programs[0].labels, container->programs[0].labels);
  EXPECT_EQ(again->programs[0].entry_name, "main");
}

TEST(PicaShbin, EveryTruncationIsAnErrorOrHarmless) {
  for (const char* name : kFiles) {
    const auto bytes = bytes_of(read_example(name));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      // A copy of just that size, so that a sanitizer sees every access past it.
      const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      const auto result = read(cut);
      if (result) {
        EXPECT_GE(length + 3, bytes.size()) << name << ": only the padding may be missing";
        continue;
      }
      EXPECT_EQ(result.error().code, ErrorCode::bad_input);
      EXPECT_NE(result.error().where.find("file.shbin, byte 0x"), std::string::npos);
    }
  }
}

TEST(PicaShbin, RandomDamageNeverCrashes) {
  std::uint32_t random = 99;
  const auto next = [&] { return (random = random * 1664525 + 1013904223) >> 8; };
  for (const char* name : kFiles) {
    const auto bytes = bytes_of(read_example(name));
    for (std::uint64_t k = 0; k < share(4000); ++k) {
      auto damaged = bytes;
      for (unsigned flips = next() % 4 + 1; flips > 0; --flips)
        damaged[next() % damaged.size()] ^=
            static_cast<std::byte>(k % 2 == 0 ? 1U << next() % 8 : next() & 0xFF);
      const auto container = read(damaged);
      if (!container) continue;
      // What was accepted can be written, read again and prepared.
      const auto again = read(write_shbin(*container, {.labels = true}));
      ASSERT_TRUE(again.ok()) << to_string(again.error());
      EXPECT_EQ(again->code, container->code);
      EXPECT_EQ(again->programs.size(), container->programs.size());
      for (std::size_t p = 0; p < again->programs.size(); ++p) {
        EXPECT_EQ(again->programs[p].constants, container->programs[p].constants);
        EXPECT_EQ(again->programs[p].symbols, container->programs[p].symbols);
        EXPECT_EQ(again->programs[p].labels, container->programs[p].labels);
        const auto program = select_program(*container, {p, "", {}});
        ASSERT_TRUE(program.ok());
        if (const auto interpreter = Interpreter::prepare(*program, program->entry)) {
          ThreadState state;
          (void)interpreter->run({}, state, 1000);
        }
      }
    }
  }
}

TEST(PicaShbin, ErrorsNameOffsetAndField) {
  const auto bytes = bytes_of(read_example("branchy.shbin"));
  const auto error = [&](std::size_t at, std::uint32_t value) {
    auto changed = bytes;
    for (unsigned k = 0; k < 4; ++k) changed[at + k] = static_cast<std::byte>(value >> (8 * k) & 0xFF);
    const auto result = read(changed);
    return result ? std::string("no error") : to_string(result.error());
  };
  EXPECT_EQ(error(0, 0), "file.shbin, byte 0x0 (DVLB): expected the magic number 'DVLB', found 0x0");
  EXPECT_EQ(error(4, 1000), "file.shbin, byte 0x4 (DVLB program count): 1000 programs; the limit is 256");
  EXPECT_EQ(error(0x18, 0xFFFFFFFF),
            "file.shbin, byte 0x18 (DVLP code size): 4294967295 words; the limit is 4096");
  EXPECT_EQ(error(0x20, 129), "file.shbin, byte 0x20 (DVLP descriptor count): 129 entries; the limit is 128");
  EXPECT_EQ(error(0x14, 0xFFFFFFF0),
            "file.shbin, byte 0xfffffffc (DVLP code): the file ends at byte 0x210, but this needs 35 entries "
            "of 4 bytes");
  EXPECT_EQ(error(0x128, 0x23),
            "file.shbin, byte 0x128 (DVLE entry): the entry 0x23 is past the code of 35 words");
  EXPECT_EQ(error(0x13C, 0x10000000).substr(0, 37), "file.shbin, byte 0x160 (constant tabl");
}

}  // namespace
}  // namespace warpjit::pica200
