// Captures of launches that are cut, or lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "capture/launch/launch_scene.h"
#include "capture/memory_writer.h"
#include "capture/program_section.h"
#include "hostile_bytes.h"
#include "warpjit/tesla.hpp"

namespace warpjit::tests {
namespace {

using capture::BufferPlace;
using capture::RecordedLaunch;

Program small_program() {
  const auto program = tesla::load_assembly(".kernel small\n.registers 4\n  mov b32 $r0 1\n  exit nop\n",
                                            {.source_name = "small.tesla"});
  if (!program) ADD_FAILURE() << to_string(program.error());
  return *program;
}

// One of every field.
RecordedLaunch full_launch() {
  RecordedLaunch launch;
  launch.count = 3;
  launch.values = {{2, {1, 2, 3}}, {9, {4}}};
  launch.textures.push_back({.slot = 1, .texture = {}, .places = {{1, 2, 3}}, .memory = {0x10000, 16}});
  launch.samplers.push_back({.slot = 2, .sampler = {}});
  launch.samplers[0].sampler.srgb_border = {5, 6, 7};
  launch.parameters.assign(5, std::byte{1});
  launch.constants = {{1, std::vector<std::byte>(3), {}}, {2, {}, {0x10000, 8}}};
  launch.memory = {{14, 0x100, {0x10010, 16}}};
  launch.images.resize(1);
  launch.buffers.resize(2);
  launch.rows.emplace();
  launch.rows->inputs.push_back({1, 2, f32x3, 12, {0x10000, 24}});
  launch.rows->outputs.push_back({4, 0, f32x4, 16, {0x10020, 32}});
  launch.grid.emplace();
  launch.vertices.emplace().attributes.resize(2);
  launch.primitives.emplace().list = {3, 0, 1, 2};
  launch.primitives->input.registers = {1, 2};
  auto& pixels = launch.pixels.emplace();
  pixels.width = pixels.height = 2;
  pixels.colors[3] = {PixelFormat::rgba8, 8, {0x10000, 16}};
  pixels.indexed = true;
  pixels.indices = {0, 2, 1};
  launch.vertex.emplace_back().rows.emplace();
  launch.geometry.emplace_back();
  return launch;
}

std::vector<std::byte> file_of(const RecordedLaunch& launch) {
  std::vector<std::byte> bytes;
  capture::SectionWriter file(append, &bytes, capture::FileGuest::tesla);
  capture::MemoryWriter memory(file);
  std::vector<std::byte> content(0x40);
  for (std::size_t n = 0; n < content.size(); ++n) content[n] = static_cast<std::byte>(n);
  memory.write(0x10000, content, true);
  EXPECT_TRUE(capture::write_program(file, small_program()).ok());
  capture::write_launch(file, launch);
  capture::write_output(file, {.name = "color3",
                               .memory = {0x10000, 16},
                               .format = PixelFormat::rgba8,
                               .width = 2,
                               .height = 2,
                               .pitch = 8,
                               .expected = std::vector<std::byte>(16)});
  EXPECT_TRUE(file.finish().ok());
  return bytes;
}

Result<capture::LaunchScene> read_file(std::vector<std::byte> bytes) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  auto sections = capture::read_sections(*owner, "file.wjcap");
  if (!sections) return sections.error();
  return capture::read_launches(*sections, owner);
}

void expect_error(const std::vector<std::byte>& bytes, const std::string& message) {
  const auto scene = read_file(bytes);
  ASSERT_FALSE(scene.ok()) << message;
  EXPECT_NE(scene.error().message.find(message), std::string::npos) << to_string(scene.error());
  EXPECT_EQ(scene.error().where.find("file.wjcap, byte 0x"), 0u) << scene.error().where;
}

TEST(LaunchSection, KeepsEverything) {
  const std::vector<std::byte> file = file_of(full_launch());
  const auto scene = read_file(file);
  ASSERT_TRUE(scene.ok()) << to_string(scene.error());
  ASSERT_EQ(scene->events.size(), 1u);
  EXPECT_EQ(scene->launches(), 1u);
  const auto& launch = std::get<RecordedLaunch>(scene->events[0]);
  EXPECT_EQ(launch.values[0].words, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(launch.parameters.size(), 5u);
  EXPECT_EQ(launch.textures[0].places.size(), 1u);
  EXPECT_EQ(launch.samplers[0].sampler.srgb_border, full_launch().samplers[0].sampler.srgb_border);
  EXPECT_EQ(launch.pixels->colors[3].memory, (BufferPlace{0x10000, 16}));
  EXPECT_EQ(launch.pixels->indices, (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_TRUE(launch.vertex[0].rows);
  // Written again, it is the same section.
  EXPECT_EQ(file_of(launch), file);
}

TEST(LaunchSection, CutFilesAreErrors) {
  const std::vector<std::byte> file = file_of(full_launch());
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(read_file({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)}).ok()) << size;
}

// The words of a launch may be anything: an error that names the byte, or a launch.
TEST(LaunchSection, WordsThatLieAreErrorsOrLaunches) {
  const std::vector<std::byte> file = file_of(full_launch());
  std::size_t errors = 0;
  for (std::size_t at = 32; at + 4 <= file.size(); at += 4)
    for (const std::uint32_t word : {0xffffffffU, 0x80000000U, 0x7fffffffU, 1U}) {
      std::vector<std::byte> changed = file;
      std::memcpy(changed.data() + at, &word, 4);
      const auto scene = read_file(std::move(changed));
      if (scene) continue;
      ++errors;
      EXPECT_EQ(scene.error().where.find("file.wjcap, byte 0x"), 0u) << at << " " << to_string(scene.error());
      EXPECT_FALSE(scene.error().message.empty());
    }
  EXPECT_GT(errors, 500u);
}

TEST(LaunchSection, SaysWhatIsWrong) {
  const auto with = [](const std::function<void(RecordedLaunch&)>& change) {
    RecordedLaunch launch = full_launch();
    change(launch);
    return file_of(launch);
  };
  expect_error(with([](auto& l) { l.program = 1; }), "program 1 of 1 that lie before the launch");
  expect_error(with([](auto& l) { l.vertex[0].program = 9; }), "program 9 of 1 that lie before the launch");
  expect_error(with([](auto& l) {
                 l.memory[0].memory = {0x10030, 0x11};
               }),
               "memory_14_100 has 0x11 bytes at 0x10030, which do not lie in one piece of memory");
  expect_error(with([](auto& l) { l.memory[0].memory = {~0ULL, 2}; }), "which do not lie in one piece");
  expect_error(with([](auto& l) { l.vertex[0].vertex.emplace_back(); }), "the parts is 33, expected 0 to 1");
  expect_error(with([](auto& l) { l.pixels->raster.topology = static_cast<Topology>(6); }),
               "the topology is 6, expected 0 to 5");
  expect_error(with([](auto& l) { l.rows->inputs[0].format.components = 5; }),
               "the number of components is 5, expected 1 to 4");
  expect_error(with([](auto& l) { l.textures[0].slot = 128; }),
               "the texture's slot is 128, expected 0 to 127");
}

// Lists that claim more than the section has allocate nothing.
TEST(LaunchSection, ListsHaveNoMoreThanTheSectionHolds) {
  RecordedLaunch launch;
  std::vector<std::byte> bytes;
  capture::SectionWriter file(append, &bytes, capture::FileGuest::tesla);
  EXPECT_TRUE(capture::write_program(file, small_program()).ok());
  capture::Numbers numbers;
  numbers.word(0).long_word(1).long_word(1).word(0xffffffff);
  file.write(capture::SectionKind::launch, 0, numbers.bytes());
  ASSERT_TRUE(file.finish().ok());
  expect_error(bytes, "values: 4294967295, expected at most 0 in what is left of the section");
}

TEST(LaunchSection, OutputsLieInTheirMemory) {
  const auto with = [](capture::LaunchOutput output) {
    std::vector<std::byte> bytes;
    capture::SectionWriter file(append, &bytes, capture::FileGuest::tesla);
    capture::MemoryWriter memory(file);
    memory.write(0x10000, std::vector<std::byte>(64), true);
    capture::write_output(file, output);
    EXPECT_TRUE(file.finish().ok());
    return bytes;
  };
  capture::LaunchOutput output{.name = "color0",
                               .memory = {0x10000, 64},
                               .format = PixelFormat::rgba8,
                               .width = 4,
                               .height = 4,
                               .pitch = 16,
                               .expected = std::vector<std::byte>(64)};
  EXPECT_TRUE(read_file(with(output)).ok());
  auto changed = output;
  changed.name = "../x";
  expect_error(with(changed), "the name is not of letters");
  changed = output;
  changed.height = 5;
  expect_error(with(changed), "do not lie in the output's 0x40");
  changed = output;
  changed.pitch = 15;
  expect_error(with(changed), "do not lie in the output's 0x40");
  changed = output;
  changed.width = 0;
  expect_error(with(changed), "0 x 4 pixels, expected 1 to 16384");
  changed = output;
  changed.expected->resize(63);
  expect_error(with(changed), "0x3f bytes are expected of 0x40");
  changed = output;
  changed.memory.address = 0x10008;
  expect_error(with(changed),
               "the output has 0x40 bytes at 0x10008, which do not lie in one piece of memory");
}

}  // namespace
}  // namespace warpjit::tests
