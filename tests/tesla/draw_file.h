// Whole draws of graphics programs as data: tests/tesla/data/draws/NAME.json has code, the driver's
// registers, vertices, and the hashes of the pictures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/interpret/interpret.h"
#include "tesla/tesla_test.h"
#include "warpjit/pixels.hpp"

namespace warpjit::tesla {

struct DrawFile {
  struct Stage {
    Program program;
    std::vector<std::uint32_t> c0;
  };
  std::string name;
  std::optional<Stage> vertex, geometry, fragment;
  Topology topology = Topology::triangles;
  std::uint32_t instances = 1;
  std::uint32_t vertices = 0;
  std::vector<std::uint32_t> attributes;  // of InputVertices
  std::vector<std::uint32_t> indices;     // of the vertices; in order if there are none
  RasterState raster;
  OutputState output;
  std::uint32_t width = 0, height = 0;
  std::vector<std::vector<std::uint32_t>> clear;  // words of a pixel of each colour target
  std::uint32_t clear_depth = 0;
  struct Expected {
    int target = 0;  // -1: depth
    std::uint64_t hash = 0;
  };
  std::vector<Expected> expected;
};

std::vector<std::string> draw_names();
DrawFile read_draw(const std::string& name);
// FNV-1a of the bytes.
std::uint64_t picture_hash(std::span<const std::byte> bytes);

}  // namespace warpjit::tesla
