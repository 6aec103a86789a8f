#include <cstddef>
#include <span>
#include <warpjit/usse.hpp>

warpjit::Status example(warpjit::CaptureSink write, void* file, std::span<const warpjit::usse::Memory> memory,
                        const warpjit::usse::ColorSurface& color, const warpjit::usse::DepthSurface& depth) {
  // the block
}
