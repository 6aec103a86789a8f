#include "frontend/valhall/container/framebuffer.h"

#include "frontend/encoding/names.h"
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

// Pixels of one sample store that; of several, those are averaged or have layers of their own.
Status check_samples(const Descriptor& d, const char* field, SampleStore store, unsigned samples) {
  const bool fits = samples == 1 ? store == SampleStore::single
                                 : store == SampleStore::average || store == SampleStore::layered;
  if (fits) return {};
  return d.refuse(std::string(field) + " is " + std::to_string(static_cast<unsigned>(store)) + " of " +
                  std::to_string(samples) + (samples == 1 ? " sample" : " samples"));
}

Result<RenderTarget> read_target(const Image& image, std::string place, std::uint64_t address,
                                 unsigned samples) {
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
                      .row_stride = d.word(10),
                      .layer_stride = d.word(11),
                      .samples = static_cast<SampleStore>(d.bits(1, 12, 2))};
  if (d.bit(0, 24)) return d.refuse("YUV enable is set");
  if (target.write) WARPJIT_CHECK(check_samples(d, "writeback MSAA", target.samples, samples));
  WARPJIT_TRY(target.blocks, block_format(d, "writeback block format", d.bits(1, 8, 4)));
  for (std::size_t k = 0; k < 4; ++k) target.clear[k] = d.word(12 + k);
  return target;
}

Status read_extension(const Image& image, Framebuffer& framebuffer) {
  const std::uint64_t address = framebuffer.address + kFramebufferBytes;
  WARPJIT_TRY(const Descriptor d,
              Descriptor::read(image, framebuffer.place + ", ZS/CRC extension " + hex_text(address), address,
                               kExtensionBytes));
  const auto depth_samples = static_cast<SampleStore>(d.bits(0, 8, 2)),
             stencil_samples = static_cast<SampleStore>(d.bits(0, 24, 2));
  if (framebuffer.depth_write) WARPJIT_CHECK(check_samples(d, "ZS MSAA", depth_samples, framebuffer.samples));
  if (framebuffer.stencil_write)
    WARPJIT_CHECK(check_samples(d, "S MSAA", stencil_samples, framebuffer.samples));
  framebuffer.depth_write_clean = d.bit(0, 31);
  const auto plane = [&](const char* field, unsigned low, std::size_t word,
                         SampleStore samples) -> Result<DepthPlane> {
    DepthPlane plane{.format = static_cast<std::uint8_t>(d.bits(0, low, 4)),
                     .memory = d.address(word),
                     .row_stride = d.word(word + 2),
                     .layer_stride = d.word(word + 3),
                     .samples = samples};
    WARPJIT_TRY(plane.blocks, block_format(d, field, d.bits(0, low + 4, 4)));
    return plane;
  };
  WARPJIT_TRY(framebuffer.depth, plane("ZS block format", 0, 8, depth_samples));
  WARPJIT_TRY(framebuffer.stencil, plane("S block format", 16, 12, stencil_samples));
  return {};
}

Status refuse_fields(const Descriptor& d) {
  const struct {
    const char* name;
    std::uint32_t value;
  } kFields[] = {
      {"post frame", d.bits(0, 6, 3)}, {"downscale", d.bits(0, 9, 2)}, {"layer", d.bits(0, 24, 8)}};
  for (const auto& field : kFields)
    if (field.value != 0) return d.refuse(std::string(field.name) + " is " + std::to_string(field.value));
  return {};
}

}  // namespace

std::string_view name(BlockFormat format) {
  using enum BlockFormat;
  constexpr std::pair<BlockFormat, std::string_view> kNames[] = {{none, "none"},
                                                                 {u_interleaved, "u-interleaved"},
                                                                 {linear, "linear"},
                                                                 {afbc, "AFBC"},
                                                                 {afbc_tiled, "tiled AFBC"}};
  return encoding::look_up(kNames, format);
}

std::string_view name(FrameShaderMode mode) {
  constexpr std::string_view kNames[] = {"never", "always", "intersect", "early ZS always"};
  return kNames[static_cast<std::size_t>(mode)];
}

std::string_view name(DepthFormat format) {
  constexpr std::string_view kNames[] = {"D16", "D24", "D32"};
  return kNames[static_cast<std::size_t>(format)];
}

namespace {

// The patterns of positions, in 1/16 pixels from the centre.
// Drivers write the same to the table that the framebuffer names.
Status read_samples(const Descriptor& d, Framebuffer& framebuffer) {
  constexpr std::array<std::array<int, 2>, kMostSamples> kOrdered{{{-4, -4}, {4, -4}, {-4, 4}, {4, 4}}},
      kRotated{{{-2, -6}, {6, -2}, {-6, 2}, {2, 6}}};
  const std::uint32_t count = d.bits(11, 0, 3), pattern = d.bits(11, 3, 3);
  for (auto& point : framebuffer.sample_points) point = {128, 128};
  if (count == 0) return {};
  if (count != 2) return d.refuse("sample count is " + std::to_string(1U << count));
  if (pattern != 1 && pattern != 2)
    return d.refuse("sample pattern is " + std::to_string(pattern) + " of 4 samples, not 1 or 2");
  framebuffer.samples = kMostSamples;
  for (std::size_t n = 0; n < kMostSamples; ++n)
    for (std::size_t k = 0; k < 2; ++k)
      framebuffer.sample_points[n][k] =
          static_cast<std::uint8_t>(128 + 16 * (pattern == 1 ? kOrdered : kRotated)[n][k]);
  return {};
}

}  // namespace

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
  WARPJIT_CHECK(read_samples(d, framebuffer));
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
    WARPJIT_TRY(RenderTarget target,
                read_target(image, d.place() + ", target " + std::to_string(n),
                            address + kFramebufferBytes + (extended ? kExtensionBytes : 0) + kTargetBytes * n,
                            framebuffer.samples));
    framebuffer.targets.push_back(std::move(target));
  }
  return framebuffer;
}

}  // namespace warpjit::valhall
