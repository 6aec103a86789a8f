// Hand-written lane kernels of the shaders mvp_light and skin_loop: W vertices a vector, with the PICA200's
// rule 0 * inf = 0. Throughput is compared with them: what an engineer writes by hand, with approximate EX2
// and LG2, on data that is a structure of arrays already, or is copied from and to the caller's layout.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace warpjit::bench {

struct LaneConstants {
  float projection[4][4], model_view[4][4], texture[2][4];
  float light[4], half_way[4], ambient[4], diffuse[4], specular[4], shininess;
  float bones[128][4];  // the index is wrapped to 7 bits; the first 60 are set
};

inline constexpr std::size_t kLaneRow = 64;  // floats from vertex to vertex, in and out

struct LaneKernel {
  const char* shader;
  unsigned width;  // vertices a vector
  // Runs `vertices` (a multiple of the width). With `copy` rows are gathered from and scattered to `in` and
  // `out` float by float; else the same vectors are computed over and over and `out` is not written.
  void (*run)(const LaneConstants& constants, const float* in, float* out, std::size_t vertices, bool copy);
};
std::array<LaneKernel, 2> lane_kernels_16();
std::array<LaneKernel, 2> lane_kernels_8();

// Random data; rows fit both kernels: 16 floats, of which 8-11 are bone indices for skin_loop.
LaneConstants make_lane_constants();
std::vector<float> make_lane_rows(std::size_t vertices, bool bones);

}  // namespace warpjit::bench
