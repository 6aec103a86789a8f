#include "frontend/valhall/container/framebuffer.h"

#include "frontend/valhall/container/descriptor.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kParameterBytes = 64, kFramebufferBytes = 128, kExtensionBytes = 64,
                        kTargetBytes = 64;

Result<BlockFormat> block_format(const Descriptor& d, const char* field, std::uint32_t value) {
  const auto blocks = static_cast<BlockFormat>(value);
  if (name(blocks).empty()) return d.error(std::string(field) + ": there is no " + std::to_string(value));
  return blocks;
}

Result<RenderTarget> read_target(const Image& image, std::string place, std::uint64_t address) {
  WARPJIT_TRY(const Descriptor d, Descriptor::read(image, std::move(place), address, kTargetBytes));
  RenderTarget target{.address = address,
                      .place = d.place(),
                      .tile_format = static_cast<std::uint8_t>(d.bits(0, 26, 6)),
                      .stored_format = static_cast<std::uint8_t>(d.bits(1, 3, 5)),
                      .write = d.bit(1, 0),
                      .write_clean = d.bit(1, 31),
                      .srgb = d.bit(1, 14),
                      .swizzle = static_cast<std::uint16_t>(d.bits(1, 16, 12)),
                      .memory = d.address(8),
                      .row_stride = d.word(10)};
  if (d.bit(0, 24)) return d.refuse("YUV enable is set");
  if (const std::uint32_t samples = d.bits(1, 12, 2); samples != 0)
    return d.refuse("writeback MSAA is " + std::to_string(samples));
  WARPJIT_TRY(target.blocks, block_format(d, "writeback block format", d.bits(1, 8, 4)));
  for (std::size_t k = 0; k < 4; ++k) target.clear[k] = d.word(12 + k);
  return target;
}

Status read_extension(const Image& image, Framebuffer& framebuffer) {
  const std::uint64_t address = framebuffer.address + kFramebufferBytes;
  WARPJIT_TRY(const Descriptor d,
              Descriptor::read(image, framebuffer.place + ", ZS/CRC extension " + hex_text(address), address,
                               kExtensionBytes));
  if (d.bits(0, 8, 2) != 0) return d.refuse("ZS MSAA is " + std::to_string(d.bits(0, 8, 2)));
  if (d.bits(0, 24, 2) != 0) return d.refuse("S MSAA is " + std::to_string(d.bits(0, 24, 2)));
  framebuffer.depth_write_clean = d.bit(0, 31);
  const auto plane = [&](const char* field, unsigned low, std::size_t word) -> Result<DepthPlane> {
    DepthPlane plane{.format = static_cast<std::uint8_t>(d.bits(0, low, 4)),
                     .memory = d.address(word),
                     .row_stride = d.word(word + 2)};
    WARPJIT_TRY(plane.blocks, block_format(d, field, d.bits(0, low + 4, 4)));
    return plane;
  };
  WARPJIT_TRY(framebuffer.depth, plane("ZS block format", 0, 8));
  WARPJIT_TRY(framebuffer.stencil, plane("S block format", 16, 12));
  return {};
}

Status refuse_fields(const Descriptor& d) {
  const struct {
    const char* name;
    std::uint32_t value;
  } kFields[] = {{"post frame", d.bits(0, 6, 3)},
                 {"downscale", d.bits(0, 9, 2)},
                 {"layer", d.bits(0, 24, 8)},
                 {"sample count", d.bits(11, 0, 3)}};
  for (const auto& field : kFields)
    if (field.value != 0) return d.refuse(std::string(field.name) + " is " + std::to_string(field.value));
  return {};
}

}  // namespace

std::string_view name(BlockFormat format) {
  switch (format) {
    case BlockFormat::none:
      return "none";
    case BlockFormat::u_interleaved:
      return "u-interleaved";
    case BlockFormat::linear:
      return "linear";
    case BlockFormat::afbc:
      return "AFBC";
    case BlockFormat::afbc_tiled:
      return "tiled AFBC";
  }
  return {};
}

std::string_view name(FrameShaderMode mode) {
  constexpr std::string_view kNames[] = {"never", "always", "intersect", "early ZS always"};
  return kNames[static_cast<std::size_t>(mode)];
}

std::string_view name(DepthFormat format) {
  constexpr std::string_view kNames[] = {"D16", "D24", "D32"};
  return kNames[static_cast<std::size_t>(format)];
}

Result<Framebuffer> read_framebuffer(const Image& image, const Job& job) {
  const auto* payload = std::get_if<FragmentPayload>(&job.payload);
  if (payload == nullptr)
    return Error{ErrorCode::bad_input, job.place() + ": it is no fragment job", image.name()};
  const std::uint64_t address = payload->framebuffer;
  WARPJIT_TRY(const Descriptor d, Descriptor::read(image, job.place() + ", framebuffer " + hex_text(address),
                                                   address, kParameterBytes));
  WARPJIT_CHECK(refuse_fields(d));
  Framebuffer framebuffer{.address = address,
                          .place = d.place(),
                          .width = d.bits(8, 0, 16) + 1,
                          .height = d.bits(8, 16, 16) + 1,
                          .frame_argument = d.address(2),
                          .first_provoking = d.bit(11, 14),
                          .points_from_bottom = d.bit(11, 15),
                          .depth_clear = d.number(13),
                          .stencil_clear = static_cast<std::uint8_t>(d.bits(12, 0, 8)),
                          .depth_write = d.bit(12, 18),
                          .stencil_write = d.bit(12, 8),
                          .tiler = d.address(14)};
  if (framebuffer.width > kMaxFramebufferExtent || framebuffer.height > kMaxFramebufferExtent)
    return d.error(std::to_string(framebuffer.width) + " x " + std::to_string(framebuffer.height) +
                       " pixels are more than " + std::to_string(kMaxFramebufferExtent) + " each way",
                   ErrorCode::resource_limit);
  for (unsigned k = 0; k < 2; ++k) {
    framebuffer.first[k] = d.bits(9, 16 * k, 16);
    framebuffer.last[k] = d.bits(10, 16 * k, 16);
  }
  for (unsigned k = 0; k < 2; ++k) {
    const std::uint32_t mode = d.bits(0, 3 * k, 3);
    if (mode > 3)
      return d.error("pre frame " + std::to_string(k) + ": there is no mode " + std::to_string(mode));
    framebuffer.pre_frame[k] = static_cast<FrameShaderMode>(mode);
  }
  framebuffer.frame_draws = d.address(6);
  const std::uint32_t depth = d.bits(12, 16, 2), count = d.bits(11, 19, 4) + 1;
  if (depth > 2) return d.error("Z internal format: there is no 3");
  framebuffer.depth_format = static_cast<DepthFormat>(depth);
  if (count > 8) return d.error("render target count is " + std::to_string(count) + ", above 8");
  const bool extended = d.bit(12, 21);
  if (extended) WARPJIT_CHECK(read_extension(image, framebuffer));
  for (std::uint32_t n = 0; n < count; ++n) {
    WARPJIT_TRY(RenderTarget target, read_target(image, d.place() + ", target " + std::to_string(n),
                                                 address + kFramebufferBytes +
                                                     (extended ? kExtensionBytes : 0) + kTargetBytes * n));
    framebuffer.targets.push_back(std::move(target));
  }
  return framebuffer;
}

}  // namespace warpjit::valhall
