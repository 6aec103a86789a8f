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
#include "warpjit/textures.hpp"
#include "warpjit/warpjit.hpp"

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
  // The fragment program's, by their numbers; they refer to `texels`.
  std::vector<std::pair<unsigned, Texture>> textures;
  std::vector<std::pair<unsigned, Sampler>> samplers;
  std::vector<std::byte> texels;
  bool linked_samplers = false;
};

// Targets as they are in memory.
struct Picture {
  std::vector<std::vector<std::byte>> colors;
  std::vector<std::byte> depth;
};
Picture cleared(const DrawFile& draw);

std::vector<std::string> draw_names();
DrawFile read_draw(const std::string& name);
// A draw of the shared corpus, of which no pictures are expected.
DrawFile read_shared_draw(const std::string& path);
// FNV-1a of the bytes.
std::uint64_t picture_hash(std::span<const std::byte> bytes);

// A draw as a launch, over targets of its own.
class LaunchedDraw {
 public:
  // `draw` must outlive it.
  explicit LaunchedDraw(const DrawFile& draw);
  LaunchedDraw(const LaunchedDraw&) = delete;
  LaunchedDraw& operator=(const LaunchedDraw&) = delete;
  warpjit::Launch& launch() { return *launch_; }
  const Picture& picture() const { return picture_; }

 private:
  Picture picture_;
  std::optional<warpjit::Launch> launch_;
};

}  // namespace warpjit::tesla
