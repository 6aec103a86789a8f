// What must hold for frames of every guest that can do without parts of themselves.
#pragma once

#include <gtest/gtest.h>

#include "capture/frames.h"
#include "hostile_bytes.h"

namespace warpjit::tests {

struct PartPictures final : CaptureVisitor {
  CaptureInterest interest() const override { return {true, true}; }
  bool picture(const CapturePicture& picture) override {
    pictures.emplace_back(picture.bytes.begin(), picture.bytes.end());
    return true;
  }
  std::vector<std::vector<std::byte>> pictures;
};

// Without none they show what they did; without half or all of a kind they have fewer, and are written and read.
inline void expect_parts(const Capture& capture, std::initializer_list<capture::Part> kinds) {
  const Engine engine;
  const capture::Frames& frames = *capture.state().frames;
  PartPictures before;
  ASSERT_TRUE(frames.run(engine, before, {}).ok());
  for (const capture::Part part : kinds) {
    SCOPED_TRACE(static_cast<int>(part));
    const std::size_t count = frames.parts(part);
    ASSERT_NE(count, 0u);
    const auto same = frames.without(part, std::vector<bool>(count));
    ASSERT_NE(same, nullptr);
    PartPictures after;
    EXPECT_TRUE(same->run(engine, after, {}).ok());
    EXPECT_TRUE(after.pictures == before.pictures);
    for (const std::size_t step : {1, 2}) {
      std::vector<bool> left_out(count);
      for (std::size_t n = 0; n < count; n += step) left_out[n] = true;
      auto less = frames.without(part, left_out);
      if (step == 1 && less == nullptr) continue;  // some must stay
      ASSERT_NE(less, nullptr);
      EXPECT_EQ(less->parts(part), count - (count + step - 1) / step);
      auto state = std::make_unique<Capture::State>();
      state->frames = std::move(less);
      std::vector<std::byte> file;
      ASSERT_TRUE(Capture(std::move(state)).write(append, &file).ok());
      const auto again = Capture::load(file, "less.wjcap");
      EXPECT_TRUE(again.ok()) << to_string(again.error());
    }
  }
}

// Without the last vertices of the last draw they still run, and are written and read. `visible`: it shows.
inline void expect_fewer_vertices(const Capture& capture, bool visible = true) {
  const capture::Frames& frames = *capture.state().frames;
  const std::size_t vertices = frames.vertices(), parts = frames.parts(capture::Part::vertices);
  ASSERT_GT(vertices, 0u);
  ASSERT_GT(parts, 0u);
  std::vector<bool> left_out(parts);
  left_out.back() = true;
  const auto same = frames.without(capture::Part::vertices, std::vector<bool>(parts));
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->vertices(), vertices);
  const auto less = frames.without(capture::Part::vertices, left_out);
  ASSERT_NE(less, nullptr);
  EXPECT_LT(less->vertices(), vertices);
  EXPECT_GT(less->vertices(), 0u);
  PartPictures whole, shorter;
  EXPECT_TRUE(same->run(Engine(), whole, {}).ok());
  EXPECT_TRUE(less->run(Engine(), shorter, {}).ok());
  EXPECT_EQ(shorter.pictures.size(), whole.pictures.size());
  EXPECT_EQ(shorter.pictures != whole.pictures, visible);
  const std::size_t left = less->vertices();
  auto state = std::make_unique<Capture::State>();
  state->frames = frames.without(capture::Part::vertices, left_out);
  std::vector<std::byte> file;
  ASSERT_TRUE(Capture(std::move(state)).write(append, &file).ok());
  const auto again = Capture::load(file, "less.wjcap");
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_EQ(again->state().frames->vertices(), left);
}

}  // namespace warpjit::tests
