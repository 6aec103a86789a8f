// Pictures of one pixel: the words of its targets after a draw.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include "frontend/interpret/pixels/format.h"
#include "frontend/pixel_scene.h"

namespace warpjit::interpret {

using Color = std::array<std::uint32_t, 4>;
inline constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInf = std::numeric_limits<float>::infinity();

inline Color color(float r, float g, float b, float a) {
  return {to_bits(r), to_bits(g), to_bits(b), to_bits(a)};
}

// Draws `source` over a target of one pixel, which held `before`, and gives the words of its memory.
struct Shaded {
  std::array<std::uint32_t, 4> words;
  friend bool operator==(const Shaded&, const Shaded&) = default;
};
inline Shaded shade(PixelFormat format, const Color& source, Shaded before = {},
                    const std::function<void(OutputState&)>& change = {}) {
  Scene scene(1, 1);
  scene.work.raster.topology = Topology::points;
  scene.vertex(0.5F, 0.5F);
  GuardedBytes& bytes = scene.color(format, format_info(format).bytes);
  std::memcpy(bytes.data(), before.words.data(), bytes.size());
  if (change) change(scene.work.output);
  EXPECT_TRUE(scene.draw([&](const Lane&, Fragment& fragment) { fragment.colors[0] = source; }).ok());
  Shaded after{};
  std::memcpy(after.words.data(), bytes.data(), bytes.size());
  return after;
}

// One pixel with a depth target; gives the word after it and whether the colour was written.
struct Tested {
  std::uint32_t word;
  bool passed;
  friend bool operator==(const Tested&, const Tested&) = default;
};
inline Tested depth_test(PixelFormat format, std::uint32_t before, float exported,
                         const std::function<void(Scene&)>& change, bool front = true) {
  Scene scene(1, 1);
  scene.work.raster.positive_is_front = front;
  scene.vertex(0, 0).vertex(4, 0).vertex(0, 4);
  GuardedBytes& colors = scene.color(PixelFormat::r32f, 4);
  GuardedBytes& depths = scene.depth(format, format_info(format).bytes);
  std::memcpy(depths.data(), &before, depths.size());
  change(scene);
  FunctionProgram program([&](const Lane&, Fragment& fragment) {
    fragment.depth = to_bits(exported);
    set_color(fragment, {1, 1, 1, 1});
  });
  program.depth = true;
  EXPECT_TRUE(scene.draw(program).ok());
  Tested tested{};
  std::memcpy(&tested.word, depths.data(), depths.size());
  std::uint32_t written = 0;
  std::memcpy(&written, colors.data(), 4);
  tested.passed = written != 0;
  return tested;
}

}  // namespace warpjit::interpret
