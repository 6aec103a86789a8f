// The console's side: what a game leaves in memory, and the calls that it makes for a frame. A turning cube
// with a texture, and a spot of light that is added in front of it.
#pragma once

#include "gxm.h"
#include "renderer.h"

class Game {
 public:
  static constexpr std::uint32_t kWidth = 240, kHeight = 136;

  Game();
  gxm::Memory& memory() { return memory_; }
  warpjit::Status frame(Renderer& renderer, unsigned number);
  // Rows of RGBA, as the display controller would show them.
  const std::uint8_t* pixels() const;

 private:
  // Copies to memory and gives the address.
  std::uint32_t place(const void* data, std::size_t size);
  template <class T>
  std::uint32_t place(const std::vector<T>& values) {
    return place(values.data(), sizeof(T) * values.size());
  }
  void write(std::uint32_t address, const void* data, std::size_t size);

  gxm::Memory memory_;
  std::uint32_t used_ = 0;
  gxm::VertexProgram mesh_;
  gxm::FragmentProgram textured_, glow_;
  gxm::Texture texture_{};
  std::uint32_t pixels_ = 0, vertices_ = 0, indices_ = 0, spot_ = 0, spot_indices_ = 0;
  std::uint32_t uniforms_ = 0, spot_uniforms_ = 0, glow_uniforms_ = 0;
};
