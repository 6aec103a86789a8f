// The part of the GPU after the shader units, as far as a picture needs it:
// triangles with a colour, nearest first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpjit/pica200.hpp"

class Picture {
 public:
  Picture(unsigned width, unsigned height);
  void triangle(const warpjit::pica200::Vertex& a, const warpjit::pica200::Vertex& b,
                const warpjit::pica200::Vertex& c);
  // As a PNG file; false if it cannot be written.
  bool write(const std::string& path) const;
  std::uint64_t pixels_drawn() const { return drawn_; }

 private:
  unsigned width_, height_;
  std::vector<float> depth_;
  std::vector<std::uint8_t> colors_;  // RGB
  std::uint64_t drawn_ = 0;
};
