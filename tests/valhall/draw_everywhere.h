// Draws of a page on all engines.
#pragma once

#include "valhall/draw_page.h"

namespace warpjit::valhall {

inline constexpr std::uint32_t kColor = 0xff8000ff;  // u0 to u3 as RGBA8
inline constexpr std::uint32_t kClear = 0x04030201;
inline constexpr EngineKind kKinds[] = {EngineKind::guest, EngineKind::ir, EngineKind::jit};

// On all engines, which must agree; the results of the last one.
inline RanPage draw_everywhere(const ImagePage& page) {
  std::optional<RanPage> first;
  for (const EngineKind kind : kKinds) {
    RanPage ran = run_page(page, true, kind);
    EXPECT_TRUE(ran.status.ok()) << name(kind) << ": " << to_string(ran.status.error());
    if (!ran.status) return ran;
    for (const CaptureDraw& draw : ran.seen.draws)
      if (draw.fragment) {
        EXPECT_EQ(draw.fragment->engine, kind) << draw.fragment->interpreted_because;
      }
    if (!first) {
      first = std::move(ran);
      continue;
    }
    for (const auto& [target, picture] : ran.seen.pictures)
      EXPECT_TRUE(picture.pixels == first->seen.pictures.at(target).pixels)
          << name(kind) << ", target " << target;
  }
  return std::move(*first);
}
inline std::size_t covered(const RanPage& ran, unsigned target = 0) {
  std::size_t count = 0;
  const auto& picture = ran.seen.pictures.at(target);
  for (std::uint32_t y = 0; y < picture.height; ++y)
    for (std::uint32_t x = 0; x < picture.width; ++x) count += picture.at(x, y) != kClear;
  return count;
}

}  // namespace warpjit::valhall
