#include <cstddef>
#include <cstdint>
#include <span>

void example(const warpjit::Engine& engine, std::span<const std::uint64_t> words,
             std::span<const std::byte> uniforms, const void* buffer, std::size_t buffer_size, void* data,
             std::size_t size) {
  // the block
}

void show(const warpjit::valhall::CapturePicture& picture);

void example(const warpjit::Engine& engine, std::span<const std::byte> file_bytes) {
  // the block
}
