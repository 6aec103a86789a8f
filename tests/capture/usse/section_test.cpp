// Captures of the Vita that are cut, or lie.
#include <string>

#include "capture/memory_writer.h"
#include "capture/usse/draw_layout.h"
#include "draws.h"
#include "support/same_bytes.h"

namespace warpjit::usse {
namespace {

using capture::Numbers;
using capture::SectionKind;
using capture::SectionWriter;

constexpr std::array<std::uint32_t, 3> kWords{1, 2, 0x3f800000};

// One of everything.
std::vector<std::byte> small_file() {
  std::vector<std::byte> bytes;
  SectionWriter file(append, &bytes, capture::FileGuest::usse);
  capture::MemoryWriter memory(file);
  SceneWriter writer(file);
  memory.write_zeros(0x81000000, 0x100, true);
  const std::string_view code = "a program";
  writer.write({ProgramSource::Form::assembly, Stage::vertex, "v.usse", std::as_bytes(std::span(code))});
  writer.write({ProgramSource::Form::words, Stage::fragment, "", std::as_bytes(std::span(kWords))});
  SceneBegin begin;
  begin.color = {0, 0, 8, 4, 8, nullptr, 128};
  begin.address = 0x81000000;
  begin.depth = DepthSurface{PixelFormat::d24s8, 0.5F, 7};
  writer.write(begin);
  memory.write(0x81000010, std::as_bytes(std::span(kWords)), false);
  DrawData draw;
  const auto words = std::as_bytes(std::span(kWords));
  draw.vertex.program = 0;
  draw.fragment.program = 1;
  draw.vertex.uniforms = {{"matrix", words}, {"light", words.first(4)}};
  draw.vertex.default_uniforms = words;
  draw.fragment.buffers = {{3, 0x81000020, words}};
  draw.fragment.textures = {{5, {9, 8, 7, 6}}};
  draw.streams.resize(2);
  draw.streams[0].address = 0x81000030;
  draw.streams[0].size = 16;
  draw.streams[0].stride = 4;
  draw.streams[1].bytes = words;
  draw.streams[1].per_instance = true;
  draw.attributes = {{1, 4, AttributeFormat::s8n, 3, 0x123}};
  draw.memory = {{0x81000000, 0x100}};
  draw.indices = words.first(6);
  draw.index_bytes = 2;
  draw.state.instances = 3;
  draw.state.primitive = Primitive::triangle_fan;
  draw.state.cull = Cull::clockwise;
  draw.state.viewport = {1, 2, 3, 4, 5, 6};
  draw.state.region = {{1, 2, 3, 4}};
  draw.state.blend = Blend{1, 2, 3, 4, 5, 6, 7};
  draw.state.depth_stencil = {
      Compare::less,
      true,
      true,
      true,
      {Compare::equal, StencilOp::zero, StencilOp::invert, StencilOp::replace, 1, 2, 3},
      {Compare::greater, StencilOp::keep, StencilOp::keep, StencilOp::keep, 4, 5, 6}};
  EXPECT_EQ(misfit(draw), nullptr);
  writer.write(draw);
  writer.write(SceneEnd{0, 2, 7, 0x123456789abcdef0, words});
  file.write(SectionKind::frame_end, 0, {});
  EXPECT_TRUE(file.finish().ok());
  return bytes;
}

void expect_words(DataBytes got, std::size_t bytes = sizeof kWords) {
  EXPECT_TRUE(tests::same_bytes(got, std::as_bytes(std::span(kWords)).first(bytes)));
}

TEST(UsseSections, KeepEverything) {
  const auto list = read(small_file());
  ASSERT_TRUE(list.ok()) << to_string(list.error());
  ASSERT_EQ(list->programs.size(), 2u);
  EXPECT_EQ(list->programs[0].form, ProgramSource::Form::assembly);
  EXPECT_EQ(list->programs[0].name, "v.usse");
  EXPECT_EQ(list->programs[0].bytes.size(), 9u);
  EXPECT_EQ(list->programs[1].stage, Stage::fragment);
  ASSERT_EQ(list->steps.size(), 4u);
  const auto& begin = std::get<SceneBegin>(list->steps[0]);
  EXPECT_EQ(begin.color.height, 4u);
  EXPECT_EQ(begin.color.size, 128u);
  EXPECT_EQ(begin.address, 0x81000000u);
  ASSERT_TRUE(begin.depth);
  EXPECT_EQ(begin.depth->format, PixelFormat::d24s8);
  EXPECT_EQ(begin.depth->depth, 0.5F);
  EXPECT_EQ(begin.depth->stencil, 7);
  const auto& draw = std::get<DrawData>(list->steps[2]);
  ASSERT_EQ(draw.vertex.uniforms.size(), 2u);
  EXPECT_EQ(draw.vertex.uniforms[0].name, "matrix");
  expect_words(draw.vertex.uniforms[0].words);
  expect_words(draw.vertex.uniforms[1].words, 4);
  expect_words(draw.vertex.default_uniforms);
  EXPECT_EQ(draw.fragment.program, 1u);
  ASSERT_EQ(draw.fragment.buffers.size(), 1u);
  EXPECT_EQ(draw.fragment.buffers[0].buffer, 3u);
  EXPECT_EQ(draw.fragment.buffers[0].address, 0x81000020u);
  expect_words(draw.fragment.buffers[0].words);
  ASSERT_EQ(draw.fragment.textures.size(), 1u);
  EXPECT_EQ(draw.fragment.textures[0].unit, 5u);
  EXPECT_EQ(draw.fragment.textures[0].control[3], 6u);
  ASSERT_EQ(draw.streams.size(), 2u);
  EXPECT_EQ(draw.streams[0].address, 0x81000030u);
  EXPECT_EQ(draw.streams[0].size, 16u);
  EXPECT_EQ(draw.streams[0].stride, 4u);
  EXPECT_FALSE(draw.streams[1].address);
  EXPECT_TRUE(draw.streams[1].per_instance);
  expect_words(draw.streams[1].bytes);
  ASSERT_EQ(draw.attributes.size(), 1u);
  EXPECT_EQ(draw.attributes[0].format, AttributeFormat::s8n);
  EXPECT_EQ(draw.attributes[0].components, 3);
  EXPECT_EQ(draw.attributes[0].reg, 0x123);
  EXPECT_EQ(draw.memory[0].size, 0x100u);
  expect_words(draw.indices, 6);
  EXPECT_EQ(draw.state.instances, 3u);
  EXPECT_EQ(draw.state.primitive, Primitive::triangle_fan);
  EXPECT_EQ(draw.state.viewport.z_scale, 6);
  EXPECT_EQ((*draw.state.region)[3], 4u);
  EXPECT_EQ(draw.state.blend->color_source, 4);
  EXPECT_EQ(draw.state.blend->alpha_target, 7);
  EXPECT_EQ(draw.state.depth_stencil.front.pass, StencilOp::replace);
  EXPECT_EQ(draw.state.depth_stencil.back.write_mask, 6);
  EXPECT_TRUE(draw.state.depth_stencil.two_sided);
  const auto& end = std::get<SceneEnd>(list->steps[3]);
  EXPECT_EQ(end.tolerance, 2u);
  EXPECT_EQ(end.hash, 0x123456789abcdef0u);
  expect_words(end.expected);
  EXPECT_EQ(list->frame_ends, std::vector<std::size_t>{4});
  // Written again, it is the same file.
  std::vector<std::byte> again;
  SectionWriter file(append, &again, capture::FileGuest::usse);
  write_scenes(file, *list);
  ASSERT_TRUE(file.finish().ok());
  EXPECT_EQ(again.size(), small_file().size());
}

TEST(UsseSections, CutAnywhereIsRefusedAtAByte) {
  const std::vector<std::byte> bytes = small_file();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = read({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_NE(cut.error().where.find("file.wjcap, byte 0x"), std::string::npos) << cut.error().where;
  }
}

// Whatever a byte is: a file, or an error with its byte.
TEST(UsseSections, AnyByteMayLie) {
  const std::vector<std::byte> bytes = small_file();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned value : {0x00u, 0x01u, 0x7Fu, 0x80u, 0xFFu}) {
      std::vector<std::byte> spoilt = bytes;
      spoilt[at] = static_cast<std::byte>(value);
      const auto list = read(spoilt, {.memory = 1 << 16, .loads = 1 << 16});
      if (list) continue;
      ++refused;
      EXPECT_FALSE(list.error().message.empty());
      EXPECT_NE(list.error().where.find("byte 0x"), std::string::npos) << list.error().where;
    }
  EXPECT_GT(refused, bytes.size() / 2);
}

// The file with a word of its draw changed.
std::string error_with(std::size_t place, std::uint32_t value) {
  std::vector<std::byte> bytes = small_file();
  std::size_t draw = 0;
  const auto sections = capture::read_sections(bytes, "");
  for (const capture::Section& section : sections->sections)
    if (section.kind == SectionKind::scene_draw) draw = section.at + capture::kSectionHeader;
  for (std::size_t k = 0; k < 4; ++k) bytes[draw + place + k] = static_cast<std::byte>(value >> 8 * k);
  const auto list = read(bytes);
  if (list) return "none";
  char at[64];
  std::snprintf(at, sizeof at, "file.wjcap, byte 0x%zx", draw + place);
  EXPECT_EQ(list.error().where, at);
  return list.error().message;
}

TEST(UsseSections, ErrorsNameTheByteAndWhatWasExpected) {
  EXPECT_EQ(error_with(layout::kScene, 1), "scene 1 of 1 that lie before it");
  EXPECT_EQ(error_with(layout::kPrimitive, 4), "the primitive is 4, expected at most 3");
  EXPECT_EQ(error_with(layout::kDepthCompare, 8), "the depth comparison is 8, expected at most 7");
  EXPECT_EQ(error_with(layout::kIndexBytes, 3), "indices have 3 bytes, expected 2 or 4");
  EXPECT_EQ(error_with(layout::kIndexCount, 0x7fffffff),
            "the number of indices is 2147483647, expected at most 16777216");
  EXPECT_EQ(error_with(layout::kIndexPlace, 0xffffff),
            "0x6 bytes at byte 0xffffff do not lie before the section's end");
  EXPECT_EQ(error_with(layout::kStreams, 17), "the number of streams is 17, expected at most 16");
  EXPECT_EQ(error_with(layout::kStreams, 16).substr(0, 37), "16 rows of 32 bytes, and the section ");
  EXPECT_EQ(error_with(layout::kVertexStage + layout::kProgram, 2), "program 2 of 2 that lie before it");
  EXPECT_EQ(error_with(layout::kFragmentStage + layout::kTextures, 17),
            "the number of textures is 17, expected at most 16");
  EXPECT_EQ(error_with(layout::kVertexStage + layout::kUniforms, 5000),
            "the number of uniforms is 5000, expected at most 4096");
}

// What a file says of memory that is not there, is found when it runs.
TEST(UsseSections, WhatIsNotThereIsAnErrorOfTheRun) {
  Square console;
  std::vector<std::byte> bytes;
  SectionWriter file(append, &bytes, capture::FileGuest::usse);
  SceneWriter writer(file);
  SceneBegin begin;
  begin.color = console.surface(Square::kTarget);
  begin.address = Square::kTarget;
  writer.write(begin);
  ASSERT_TRUE(file.finish().ok());
  const auto capture = Capture::load(bytes, "file.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  CaptureVisitor visitor;
  const Status done = capture->run(Engine(), visitor);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(to_string(done.error()),
            "file.wjcap, scene 0: the surface of 16384 bytes at 0x81040000 does not lie in memory");
}

}  // namespace
}  // namespace warpjit::usse
