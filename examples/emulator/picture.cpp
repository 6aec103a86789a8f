#include "picture.h"

#include <png.h>

#include <algorithm>
#include <cmath>

using warpjit::pica200::Vertex;

Picture::Picture(unsigned width, unsigned height)
    : width_(width), height_(height), depth_(width * height, 0.0f), colors_(3 * width * height, 24) {}

void Picture::triangle(const Vertex& a, const Vertex& b, const Vertex& c) {
  const Vertex* corners[] = {&a, &b, &c};
  float x[3], y[3], inverse_w[3];
  for (int n = 0; n < 3; ++n) {
    const float* position = corners[n]->position;
    if (!(position[3] > 1e-6f)) return;  // no clipping at the near plane
    inverse_w[n] = 1 / position[3];
    x[n] = (position[0] * inverse_w[n] + 1) * 0.5f * static_cast<float>(width_);
    y[n] = (1 - position[1] * inverse_w[n]) * 0.5f * static_cast<float>(height_);
    if (!(std::fabs(x[n]) < 1e6f && std::fabs(y[n]) < 1e6f)) return;
  }
  const float area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  if (area == 0) return;
  const auto range = [](const float* v, unsigned size) {
    const auto [least, most] = std::minmax({v[0], v[1], v[2]});
    const float end = static_cast<float>(size);
    return std::pair(static_cast<unsigned>(std::clamp(std::floor(least), 0.0f, end)),
                     static_cast<unsigned>(std::clamp(std::ceil(most), 0.0f, end)));
  };
  const auto [left, right] = range(x, width_);
  const auto [top, bottom] = range(y, height_);
  for (unsigned row = top; row < bottom; ++row)
    for (unsigned column = left; column < right; ++column) {
      const float px = static_cast<float>(column) + 0.5f, py = static_cast<float>(row) + 0.5f;
      float weight[3], w = 0;
      for (int n = 0; n < 3; ++n) {
        const int p = (n + 1) % 3, q = (n + 2) % 3;
        weight[n] = ((x[q] - x[p]) * (py - y[p]) - (px - x[p]) * (y[q] - y[p])) / area;
      }
      if (weight[0] < 0 || weight[1] < 0 || weight[2] < 0) continue;
      for (int n = 0; n < 3; ++n) w += weight[n] *= inverse_w[n];
      const std::size_t at = std::size_t{row} * width_ + column;
      if (w <= depth_[at]) continue;  // farther than what is there
      depth_[at] = w;
      ++drawn_;
      for (int channel = 0; channel < 3; ++channel) {
        float value = 0;
        for (int n = 0; n < 3; ++n) value += weight[n] * corners[n]->color[channel];
        colors_[3 * at + static_cast<std::size_t>(channel)] =
            static_cast<std::uint8_t>(std::clamp(value / w, 0.0f, 1.0f) * 255 + 0.5f);
      }
    }
}

bool Picture::write(const std::string& path) const {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width_;
  image.height = height_;
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, path.c_str(), 0, colors_.data(), 0, nullptr) != 0;
}
