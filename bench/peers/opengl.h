// Fragment programs on Mesa's llvmpipe, from GLSL. It is there if its headers were found when warpjit was
// built. LP_NUM_THREADS says how many threads it uses; bench_pixels sets it to 1 unless it is set.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace warpjit::bench {

struct PeerDraw {
  std::string vertex, fragment;  // GLSL
  std::uint32_t size = 0;        // of the target, both ways; rgba8
  std::uint32_t vertex_count = 3;
  std::span<const float> attributes;  // three vec4 of each vertex: position, attr0, attr1; empty: none
  // What `s` samples: rgba8, all levels one after the other, repeated. No size: nothing.
  struct {
    std::span<const std::uint32_t> texels;
    std::uint32_t size = 0;  // both ways, a power of two
    bool linear = false, mip_linear = false;
  } texture;
  std::span<const float> matrix;  // uniform of transform.vert, columns first; empty: none
  float scale = 0;                // uniforms of texture.frag
  bool scattered = false;
};

class PeerScene {
 public:
  virtual ~PeerScene() = default;
  virtual void draw() = 0;  // and waits for the end
};

// Nothing, and why, if there is no such engine.
std::unique_ptr<PeerScene> make_opengl(const PeerDraw& draw, std::string& why_not);

}  // namespace warpjit::bench
