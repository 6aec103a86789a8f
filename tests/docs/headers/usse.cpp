#include <cstddef>
#include <span>

namespace usse = warpjit::usse;
void example(const warpjit::Engine& engine, std::span<const std::byte> gxp_bytes,
             std::span<const std::byte> other_bytes, const usse::ColorSurface& color_surface,
             const usse::DepthSurface& depth_surface, std::span<const usse::VertexStream> streams,
             std::span<const usse::VertexAttribute> attributes, std::span<const usse::NamedUniform> uniforms,
             std::span<const usse::TextureBinding> textures) {
  // the block
}
