#include <cstddef>
#include <span>

void show(const warpjit::CapturePicture& picture);

void example(const warpjit::Engine& engine, std::span<const std::byte> file_bytes) {
  // the block
}
