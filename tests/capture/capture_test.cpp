// Captures of any guest by the public class: what a run shows, and files again.
#include "warpjit/capture.hpp"

#include <gtest/gtest.h>

#include <map>

#include "hostile_bytes.h"
#include "scene/load_scene.h"
#include "support/scene_files.h"

namespace warpjit {
namespace {

struct Seen final : CaptureVisitor {
  CaptureInterest wanted{};
  std::size_t jobs = 0, draws = 0, targets = 0;
  std::map<std::string, std::vector<std::byte>> outputs;
  std::vector<std::vector<std::byte>> target_bytes;
  bool holds = true;
  std::size_t most_draws = SIZE_MAX;

  CaptureInterest interest() const override { return wanted; }
  bool job(const CaptureJob& job) override {
    EXPECT_EQ(job.number, jobs++);
    EXPECT_FALSE(job.what.empty());
    return true;
  }
  bool draw(const CaptureDraw& draw) override {
    EXPECT_EQ(draw.number, draws++);
    EXPECT_EQ(draw.job, jobs);
    return draws < most_draws;
  }
  bool picture(const CapturePicture& picture) override {
    EXPECT_EQ(picture.pixels.size(),
              picture.format == PixelFormat::none ? 0u : std::size_t{4} * picture.width * picture.height);
    if (picture.draw) {
      EXPECT_EQ(*picture.draw + 1, draws);
      ++targets;
      target_bytes.emplace_back(picture.bytes.begin(), picture.bytes.end());
      return true;
    }
    outputs[std::string(picture.name)].assign(picture.bytes.begin(), picture.bytes.end());
    holds = holds && (!picture.compared || picture.compared->holds());
    return true;
  }
};

std::vector<std::byte> example() {
  const std::filesystem::path file = tests::source_file("examples/pica200/scenes/toon/scene.json");
  const auto scene = tool::load_scene(file.string());
  EXPECT_TRUE(scene.ok()) << to_string(scene.error());
  return scene ? tests::written(*scene) : std::vector<std::byte>();
}

TEST(Capture, ShowsWhatARunDoes) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const auto capture = Capture::load(example(), "toon.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  EXPECT_EQ(capture->isa(), Isa::pica200);
  EXPECT_EQ(capture->frames(), 1u);
  const Engine engine;
  Seen guest, jit, apart;
  RunOptions options;
  options.engine = EngineKind::guest;
  ASSERT_TRUE(capture->run(engine, guest, options).ok());
  jit.wanted.draws = false;
  options.engine = EngineKind::jit;
  ASSERT_TRUE(capture->run(engine, jit, options).ok());
  apart.wanted.targets_of_draws = true;
  ASSERT_TRUE(capture->run(engine, apart, options).ok());
  EXPECT_EQ(guest.jobs, capture->jobs());
  EXPECT_EQ(jit.draws, 0u);
  EXPECT_GT(guest.draws, 0u);
  EXPECT_EQ(apart.draws, guest.draws);
  EXPECT_GE(apart.targets, apart.draws);
  EXPECT_FALSE(guest.outputs.empty());
  // A run leaves the capture as it was.
  EXPECT_EQ(jit.outputs, guest.outputs);
  EXPECT_EQ(apart.outputs, guest.outputs);
  EXPECT_TRUE(guest.holds && jit.holds);
  // The other engine draws the same to each target.
  Seen other;
  other.wanted.targets_of_draws = true;
  options.engine = EngineKind::guest;
  ASSERT_TRUE(capture->run(engine, other, options).ok());
  EXPECT_FALSE(apart.target_bytes.empty());
  EXPECT_EQ(other.target_bytes, apart.target_bytes);
}

TEST(Capture, EndsWhereTheVisitorSaysSo) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const auto capture = Capture::load(example(), "toon.wjcap");
  ASSERT_TRUE(capture.ok());
  Seen seen;
  seen.most_draws = 1;
  EXPECT_TRUE(capture->run(Engine(), seen).ok());
  EXPECT_EQ(seen.draws, 1u);
  EXPECT_TRUE(seen.outputs.empty());
}

TEST(Capture, KeepsNamesInItsFile) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  auto capture = Capture::load(example(), "toon.wjcap");
  ASSERT_TRUE(capture.ok());
  const std::vector<CaptureName> names = {{CaptureName::Of::address, 0x18000000, "colours"},
                                          {CaptureName::Of::uniform, 4, "light \xC3\xA4"}};
  ASSERT_TRUE(capture->set_names(names).ok());
  const CaptureName bad[] = {{CaptureName::Of::draw, 0, "\xFF"}}, empty[] = {{CaptureName::Of::draw, 0, ""}};
  EXPECT_EQ(capture->set_names(bad).error().code, ErrorCode::bad_input);
  EXPECT_EQ(capture->set_names(empty).error().code, ErrorCode::bad_input);
  std::vector<std::byte> bytes;
  ASSERT_TRUE(capture->write(tests::append, &bytes).ok());
  const auto again = Capture::load(bytes, "again.wjcap");
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  ASSERT_EQ(again->names().size(), 2u);
  EXPECT_EQ(again->names()[1].text, names[1].text);
  EXPECT_EQ(again->names()[1].of, CaptureName::Of::uniform);
  Seen first, second;
  ASSERT_TRUE(capture->run(Engine(), first).ok());
  ASSERT_TRUE(again->run(Engine(), second).ok());
  EXPECT_EQ(first.outputs, second.outputs);
  EXPECT_EQ(capture->write([](void*, std::span<const std::byte>) { return false; }, nullptr).error().code,
            ErrorCode::io);
}

}  // namespace
}  // namespace warpjit
