// A small picture for tests of the scalar oracle: vertices, targets, and a fragment program made of a
// function.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "frontend/interpret/pixels.h"
#include "support/guarded_bytes.h"

namespace warpjit::interpret {

using tests::GuardedBytes;

// One lane of a program.
struct Lane {
  const Primitive& primitive;
  std::int32_t x, y;
  bool covered;
};

class FunctionProgram final : public FragmentProgram {
 public:
  using Function = std::function<void(const Lane&, Fragment&)>;
  explicit FunctionProgram(Function function) : function_(std::move(function)) {}
  unsigned most_quads() const override { return quads_a_call; }
  bool exports_depth() const override { return depth; }
  Status run(std::span<const Quad> quads, std::span<Fragment> fragments) override {
    if (before) before();
    calls.emplace_back(quads.begin(), quads.end());
    for (std::size_t n = 0; n < fragments.size(); ++n) {
      const Quad& quad = quads[n / 4];
      const int lane = static_cast<int>(n % 4);
      function_(
          {*quad.primitive, quad.x + (lane & 1), quad.y + (lane >> 1), (quad.coverage >> lane & 1) != 0},
          fragments[n]);
    }
    return error ? Status(*error) : Status();
  }

  unsigned quads_a_call = 8;
  std::function<void()> before;  // each call
  bool depth = false;
  std::optional<Error> error;
  std::vector<std::vector<Quad>> calls;  // primitives in them are gone

 private:
  Function function_;
};

inline void set_color(Fragment& fragment, std::initializer_list<float> color, unsigned target = 0) {
  std::size_t n = 0;
  for (const float component : color) fragment.colors[target][n++] = to_bits(component);
}

// Targets of width x height pixels; the viewport makes clip coordinates -1 to 1 of it.
class Scene {
 public:
  explicit Scene(std::uint32_t width = 8, std::uint32_t height = 8) {
    work.width = width;
    work.height = height;
    const float half_width = static_cast<float>(width) / 2, half_height = static_cast<float>(height) / 2;
    work.raster.viewport_scale = {half_width, half_height, 0.5F};
    work.raster.viewport_translate = {half_width, half_height, 0.5F};
  }

  // At a place of the window, in pixels; z in clip space before it is multiplied by w.
  Scene& vertex(float x, float y, float w = 1, std::vector<float> slots = {}, float z = 0) {
    const auto& scale = work.raster.viewport_scale;
    const auto& translate = work.raster.viewport_translate;
    return clip_vertex((x - translate[0]) / scale[0] * w, (y - translate[1]) / scale[1] * w, z * w, w,
                       std::move(slots));
  }
  Scene& clip_vertex(float x, float y, float z, float w, const std::vector<float>& slots = {}) {
    for (const float word : {x, y, z, w}) words.push_back(to_bits(word));
    for (const float word : slots) words.push_back(to_bits(word));
    work.slots = work.stride = static_cast<std::uint32_t>(4 + slots.size());
    ++work.vertex_count;
    return *this;
  }
  Scene& use(std::uint8_t slot, pixels::SlotUse::Plane plane) {
    work.uses.push_back({slot, plane});
    return *this;
  }

  // Binds colour target `number`, all bytes `fill`.
  GuardedBytes& color(PixelFormat format, std::size_t pixel_bytes, unsigned number = 0, int fill = 0) {
    work.output.colors[number] = format;
    return bind(work.colors[number], pixel_bytes, fill);
  }
  GuardedBytes& depth(PixelFormat format, std::size_t pixel_bytes, int fill = 0) {
    work.output.depth_format = format;
    return bind(work.depth, pixel_bytes, fill);
  }

  Status draw(FunctionProgram& program) {
    work.vertices = words;
    return interpret::draw(work, program);
  }
  Status draw(FunctionProgram::Function function) {
    FunctionProgram program(std::move(function));
    return draw(program);
  }

  // What is covered, a text a row: how often, "." for never.
  std::vector<std::string> coverage() {
    return picture(
        [counts = std::vector<int>(std::size_t{work.width} * work.height), this](const Lane& lane) mutable {
          const auto place = static_cast<std::size_t>(lane.y) * work.width + static_cast<std::size_t>(lane.x);
          return static_cast<char>('0' + ++counts[place]);
        });
  }
  // A sign for each covered pixel of a row, "." for others.
  std::vector<std::string> picture(const std::function<char(const Lane&)>& sign) {
    std::vector<std::string> rows(work.height, std::string(work.width, '.'));
    const Status status = draw([&](const Lane& lane, Fragment&) {
      if (lane.covered)
        rows.at(static_cast<std::size_t>(lane.y)).at(static_cast<std::size_t>(lane.x)) = sign(lane);
    });
    EXPECT_TRUE(status.ok());
    return rows;
  }

  PixelWork work;
  std::vector<std::uint32_t> words;

 private:
  GuardedBytes& bind(PixelTarget& target, std::size_t pixel_bytes, int fill) {
    const std::size_t row = pixel_bytes * work.width;
    auto& bytes = *targets_.emplace_back(std::make_unique<GuardedBytes>(row * work.height, true));
    std::memset(bytes.data(), fill, bytes.size());
    target = {bytes.data(), static_cast<std::ptrdiff_t>(row)};
    return bytes;
  }

  std::vector<std::unique_ptr<GuardedBytes>> targets_;
};

}  // namespace warpjit::interpret
