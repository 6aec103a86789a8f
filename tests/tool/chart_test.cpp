#include "chart.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chart_font.h"

namespace warpjit::tool {
namespace {

BarChart example() {
  return {"mvp_light <&>",
          "M threads/s",
          {"guest", "ir", "jit-v4"},
          {{"64 threads", {3.1, 0.1, 88}}, {"4,096 threads", {3.2, 0, 101}}}};
}

TEST(ChartTest, Svg) {
  const std::string svg = draw_svg(example());
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("mvp_light &lt;&amp;&gt;"), std::string::npos);
  EXPECT_NE(svg.find("jit-v4"), std::string::npos);
}

TEST(ChartTest, Png) {
  const std::vector<std::byte> png = draw_png(example());
  constexpr unsigned char kSignature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  ASSERT_GT(png.size(), 500u);
  for (std::size_t k = 0; k < sizeof kSignature; ++k)
    EXPECT_EQ(static_cast<unsigned char>(png[k]), kSignature[k]);
}

TEST(ChartTest, NothingToShow) {
  EXPECT_FALSE(draw_png({}).empty());
  BarChart extremes = example();
  extremes.groups[0].values = {1e-300, 1e300, -1};
  EXPECT_FALSE(draw_png(extremes).empty());
}

TEST(ChartTest, RefusesOtherEndings) { EXPECT_FALSE(write_chart(example(), "chart.jpeg")); }

TEST(ChartFontTest, GlyphsAreComplete) {
  for (char c = ' '; c < 127; ++c)
    EXPECT_EQ(glyph(c).size(), static_cast<std::size_t>(kGlyphColumns * kGlyphRows)) << c;
}

}  // namespace
}  // namespace warpjit::tool
