#include <cmath>
#include <random>

#include "lanes.h"

namespace warpjit::bench {

LaneConstants make_lane_constants() {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> distribution(-1, 1);
  LaneConstants constants{};
  float* const begin = &constants.projection[0][0];
  float* const end = &constants.bones[60][0];
  for (float* number = begin; number != end; ++number) *number = distribution(generator);
  return constants;
}

std::vector<float> make_lane_rows(std::size_t vertices, bool bones) {
  std::mt19937 generator(2);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> rows(vertices * kLaneRow);
  for (float& number : rows) number = distribution(generator);
  for (std::size_t v = 0; v < vertices; ++v) {
    float* const row = rows.data() + v * kLaneRow;
    for (unsigned k = 0; k < 4; ++k) {
      row[12 + k] = std::fabs(row[12 + k]) + 0.05f;
      if (bones) row[8 + k] = 3.0f * static_cast<float>(generator() % 19);
    }
  }
  return rows;
}

}  // namespace warpjit::bench
