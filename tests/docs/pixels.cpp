#include <cstddef>
#include <string>
#include <warpjit/tesla.hpp>

void example(const warpjit::Engine& engine, const std::string& source, const float* positions,
             std::size_t size, std::size_t count, void* pixels, std::size_t pixels_size, std::uint32_t width,
             std::uint32_t height) {
  // the block
}
