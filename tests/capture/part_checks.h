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

}  // namespace warpjit::tests
