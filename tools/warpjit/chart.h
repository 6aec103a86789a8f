// Bar charts as SVG text or PNG pixels, drawn from the same rectangles and texts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace warpjit::tool {

// Groups of bars on a logarithmic scale; bar k of every group has the name series[k]. A value of 0 or less
// is left out.
struct BarChart {
  std::string title, unit;
  std::vector<std::string> series;
  struct Group {
    std::string name;
    std::vector<double> values;
  };
  std::vector<Group> groups;
};

std::string draw_svg(const BarChart& chart);
std::vector<std::byte> draw_png(const BarChart& chart);
// By the ending of the file's name, .svg or .png.
Status write_chart(const BarChart& chart, const std::string& file);

}  // namespace warpjit::tool
