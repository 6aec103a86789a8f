#include "device/valhall/target_memory.h"

#include <algorithm>

#include "device/valhall/tile_format.h"

namespace warpjit::valhall {
namespace {

// What a sample's layer begins with; 0 where all samples come to one place.
std::uint64_t layer_offset(SampleStore samples, std::uint32_t stride, std::optional<unsigned> layer) {
  return samples == SampleStore::layered ? std::uint64_t{stride} * layer.value_or(0) : 0;
}

}  // namespace

bool is_stored(BlockFormat blocks) {
  return blocks == BlockFormat::linear || blocks == BlockFormat::u_interleaved;
}
bool is_compressed(BlockFormat blocks) {
  return blocks == BlockFormat::afbc || blocks == BlockFormat::afbc_tiled;
}
std::uint64_t compressed_size(const Framebuffer& framebuffer, std::uint32_t pixel_bytes) {
  const std::uint64_t blocks =
      std::uint64_t{framebuffer.width + 15} / 16 * ((std::uint64_t{framebuffer.height} + 15) / 16);
  return blocks * (16 + 256ULL * std::max(pixel_bytes, 1U));
}

std::uint32_t depth_bytes(DepthFormat tile, std::uint8_t stored) {
  switch (stored) {
    case 1:
      return tile == DepthFormat::d16 ? 2 : 0;
    case 4:
    case 5:
      return tile == DepthFormat::d24 ? 4 : 0;
    case 14:
      return tile == DepthFormat::d32 ? 4 : 0;
    default:
      return 0;
  }
}

bool has_layer(SampleStore samples, std::optional<unsigned> layer) {
  return (samples == SampleStore::layered) == layer.has_value();
}

std::optional<PlanePlace> depth_place(const Framebuffer& framebuffer, std::optional<unsigned> layer) {
  if (!framebuffer.depth_write || !framebuffer.depth || !is_stored(framebuffer.depth->blocks))
    return std::nullopt;
  const DepthPlane& plane = *framebuffer.depth;
  return PlanePlace{plane.blocks, plane.memory + layer_offset(plane.samples, plane.layer_stride, layer),
                    plane.row_stride, depth_bytes(framebuffer.depth_format, plane.format)};
}
std::optional<PlanePlace> stencil_place(const Framebuffer& framebuffer, std::optional<unsigned> layer) {
  if (!framebuffer.stencil_write || !framebuffer.stencil || !is_stored(framebuffer.stencil->blocks))
    return std::nullopt;
  const DepthPlane& plane = *framebuffer.stencil;
  return PlanePlace{plane.blocks, plane.memory + layer_offset(plane.samples, plane.layer_stride, layer),
                    plane.row_stride, plane.format == 1 ? 1U : 0U};
}
PlanePlace target_place(const RenderTarget& target, std::uint32_t bytes, std::optional<unsigned> layer) {
  return {target.blocks, target.memory + layer_offset(target.samples, target.layer_stride, layer),
          target.row_stride, bytes};
}

std::vector<TargetRange> target_ranges(const Framebuffer& framebuffer) {
  std::vector<TargetRange> ranges;
  const DrawArea whole{.last = {framebuffer.width - 1, framebuffer.height - 1}};
  const auto add = [&](const std::string& place, const PlanePlace& plane, bool write, std::uint64_t last) {
    const std::uint64_t layers = last * (framebuffer.samples - 1);
    if (!write || plane.blocks == BlockFormat::none) return;
    TargetRange range{.place = place, .address = plane.memory, .stored = is_stored(plane.blocks)};
    if (range.stored) {
      range.size = plane.end(whole) + layers;
    } else {
      range.size = compressed_size(framebuffer, plane.bytes);
    }
    ranges.push_back(std::move(range));
  };
  for (const RenderTarget& target : framebuffer.targets)
    add(target.place, target_place(target, tile_pixel_bytes(target.tile_format)), target.write,
        layer_offset(target.samples, target.layer_stride, 1));
  const std::string place = framebuffer.place + ", ZS/CRC extension";
  if (framebuffer.depth)
    add(place, {framebuffer.depth->blocks, framebuffer.depth->memory, framebuffer.depth->row_stride, 4},
        framebuffer.depth_write,
        layer_offset(framebuffer.depth->samples, framebuffer.depth->layer_stride, 1));
  if (framebuffer.stencil)
    add(place, {framebuffer.stencil->blocks, framebuffer.stencil->memory, framebuffer.stencil->row_stride, 1},
        framebuffer.stencil_write,
        layer_offset(framebuffer.stencil->samples, framebuffer.stencil->layer_stride, 1));
  return ranges;
}

namespace {

MemoryRange memory_of(const Framebuffer& framebuffer, const PlanePlace& plane, SampleStore samples,
                      std::uint32_t layer_stride) {
  const DrawArea whole{.last = {framebuffer.width - 1, framebuffer.height - 1}};
  return {plane.memory, plane.end(whole) + layer_offset(samples, layer_stride, framebuffer.samples - 1)};
}

}  // namespace

std::optional<MemoryRange> target_memory(const Framebuffer& framebuffer, std::size_t target) {
  const RenderTarget& from = framebuffer.targets[target];
  std::string ignored;
  const auto store = PixelStore::make(from, ignored);
  if (!from.write || !is_stored(from.blocks) || !store) return std::nullopt;
  return memory_of(framebuffer, target_place(from, store->bytes()), from.samples, from.layer_stride);
}

std::optional<MemoryRange> depth_memory(const Framebuffer& framebuffer) {
  if (!framebuffer.depth) return std::nullopt;
  const DepthPlane& plane = *framebuffer.depth;
  const bool layered = plane.samples == SampleStore::layered;
  const auto place = depth_place(framebuffer, layered ? std::optional(0U) : std::nullopt);
  if (!place || place->bytes == 0) return std::nullopt;
  return memory_of(framebuffer, *place, plane.samples, plane.layer_stride);
}

std::string TargetMemory::target_of(std::uint64_t address, std::uint64_t size) const {
  for (const TargetRange& target : targets)
    if (address < target.address + target.size && target.address < address + size) return target.place;
  return {};
}

std::string TargetMemory::place_of(std::uint64_t address, std::uint64_t size) const {
  const KeptPicture* const picture = kept != nullptr ? kept->find_over(address, size) : nullptr;
  return picture != nullptr ? picture->place : target_of(address, size);
}

}  // namespace warpjit::valhall
