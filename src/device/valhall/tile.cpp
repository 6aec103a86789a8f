#include "device/valhall/tile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <tuple>

#include "frontend/interpret/pixels/format.h"
#include "frontend/valhall/container/format_names.h"
#include "frontend/valhall/interpret/numbers.h"

namespace warpjit::valhall {
namespace {

// Channels of an internal format with channels, from the lowest bit up: bits, and below them in a clear word
// the bits of a fraction.
struct TileRow {
  std::uint8_t code, bytes;
  PixelFormat format;
  std::array<std::uint8_t, 4> bits, fraction;
};
constexpr TileRow kTiles[] = {
    {1, 4, PixelFormat::rgba8, {8, 8, 8, 8}, {}},
    {2, 4, PixelFormat::rgb10a2, {10, 10, 10, 2}, {}},
    {4, 2, PixelFormat::rgba4, {4, 4, 4, 4}, {4, 4, 4, 4}},
    {5, 2, PixelFormat::rgb565, {5, 6, 5, 0}, {5, 4, 5, 2}},
    {6, 2, PixelFormat::rgb5a1, {5, 5, 5, 1}, {5, 5, 5, 1}},
};
const TileRow* find_tile(std::uint8_t code) {
  const auto* row = std::ranges::find(kTiles, code, &TileRow::code);
  return row == std::end(kTiles) ? nullptr : row;
}
constexpr std::uint8_t kRaw = 32, kLastRaw = 36;  // 1, 2, 4, 8, 16 bytes

// Formats in memory: raw ones alone by their bytes.
struct StoredRow {
  std::uint8_t code, bytes;
  std::array<std::uint8_t, 4> bits{};  // of r, g, b, a
  bool reversed = false;               // a lowest
};
constexpr StoredRow kStored[] = {{0, 1},
                                 {1, 2},
                                 {2, 3},
                                 {3, 4},
                                 {4, 6},
                                 {5, 8},
                                 {6, 12},
                                 {7, 16},
                                 {16, 1, {8, 0, 0, 0}},
                                 {17, 2, {8, 8, 0, 0}},
                                 {18, 3, {8, 8, 8, 0}},
                                 {19, 4, {8, 8, 8, 8}},
                                 {20, 2, {4, 4, 4, 4}},
                                 {21, 2, {5, 6, 5, 0}},
                                 {24, 4, {10, 10, 10, 2}},
                                 {25, 4, {10, 10, 10, 2}, true},
                                 {28, 2, {5, 5, 5, 1}},
                                 {29, 2, {5, 5, 5, 1}, true}};

std::uint32_t read_pixel(const std::byte* from, std::uint32_t bytes) {
  std::uint32_t value = 0;
  for (std::uint32_t k = 0; k < bytes; ++k) value |= std::to_integer<std::uint32_t>(from[k]) << 8 * k;
  return value;
}
void write_pixel(std::byte* to, std::uint32_t bytes, std::uint32_t value) {
  for (std::uint32_t k = 0; k < bytes; ++k) to[k] = static_cast<std::byte>(value >> 8 * k);
}
std::uint32_t most(unsigned bits) { return (1U << bits) - 1; }

// How a pixel of a tile becomes one in memory.
class PixelStore {
 public:
  // Nothing: the two do not go together. `what` then says why.
  static std::optional<PixelStore> make(const RenderTarget& target, std::string& what) {
    const auto* row = std::ranges::find(kStored, target.stored_format, &StoredRow::code);
    if (row == std::end(kStored)) {
      what = "writeback format is " + stored_format_text(target.stored_format);
      return std::nullopt;
    }
    PixelStore store;
    store.bytes_ = row->bytes;
    store.tile_bytes_ = tile_pixel_bytes(target.tile_format);
    const TileRow* tile = find_tile(target.tile_format);
    const std::string pair = "writeback format " + stored_format_text(target.stored_format) +
                             " of internal format " + tile_format_text(target.tile_format);
    if ((row->bits[0] == 0) != (tile == nullptr) || (tile == nullptr && row->bytes > store.tile_bytes_)) {
      what = pair;
      return std::nullopt;
    }
    if (tile == nullptr) return store;
    unsigned to = 0;
    std::size_t count = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned channel = row->reversed ? 3 - k : k, bits = row->bits[channel];
      if (bits == 0) continue;
      const unsigned selector = target.swizzle >> 3 * channel & 7;
      if (selector > 5) {
        what = "swizzle: there is no " + std::to_string(selector);
        return std::nullopt;
      }
      store.bits_[count++] = static_cast<std::uint8_t>(bits);
      Part part{.from = 0, .to = static_cast<std::uint8_t>(to), .bits = static_cast<std::uint8_t>(bits)};
      to += bits;
      if (selector >= 4) {
        if (selector == 5) store.constant_ |= most(bits) << part.to;
        continue;
      }
      if (tile->bits[selector] != bits) {
        what = pair;
        return std::nullopt;
      }
      for (unsigned n = 0; n < selector; ++n)
        part.from = static_cast<std::uint8_t>(part.from + tile->bits[n]);
      store.parts_.push_back(part);
    }
    store.channels_ = true;
    return store;
  }

  // What it kept of a pixel comes back to it.
  void load(const std::byte* from, std::byte* to) const {
    if (!channels_) {
      std::memcpy(to, from, bytes_);
      return;
    }
    const std::uint32_t stored = read_pixel(from, bytes_);
    std::uint32_t value = read_pixel(to, tile_bytes_);
    for (const Part& part : parts_) {
      value &= ~(most(part.bits) << part.from);
      value |= (stored >> part.to & most(part.bits)) << part.from;
    }
    write_pixel(to, tile_bytes_, value);
  }

  std::uint32_t bytes() const { return bytes_; }
  // Bits of a stored pixel's components, from the lowest up; raw pixels have no components.
  const std::array<std::uint8_t, 4>& bits() const { return bits_; }
  // Bits of a tile's pixel that are stored; of raw ones all.
  std::uint32_t stored_bits() const {
    std::uint32_t bits = channels_ ? 0 : ~0U;
    for (const Part& part : parts_) bits |= most(part.bits) << part.from;
    return bits;
  }
  void store(const std::byte* from, std::byte* to) const {
    if (!channels_) {
      std::memcpy(to, from, bytes_);
      return;
    }
    const std::uint32_t pixel = read_pixel(from, tile_bytes_);
    std::uint32_t value = constant_;
    for (const Part& part : parts_) value |= (pixel >> part.from & most(part.bits)) << part.to;
    write_pixel(to, bytes_, value);
  }

 private:
  struct Part {
    std::uint8_t from = 0, to = 0, bits = 0;
  };
  std::uint32_t bytes_ = 0, tile_bytes_ = 0, constant_ = 0;
  bool channels_ = false;
  std::array<std::uint8_t, 4> bits_{};
  std::vector<Part> parts_;
};

// Where pixels of a linear or u-interleaved plane lie.
struct PlanePlace {
  BlockFormat blocks = BlockFormat::linear;
  std::uint64_t memory = 0;
  std::uint32_t row_stride = 0, bytes = 0;

  std::uint64_t offset(std::uint32_t x, std::uint32_t y) const {
    if (blocks == BlockFormat::linear) return std::uint64_t{y} * row_stride + std::uint64_t{x} * bytes;
    std::uint32_t inside = 0;
    for (unsigned n = 0; n < 4; ++n) inside |= ((x ^ y) >> n & 1) << 2 * n | (y >> n & 1) << (2 * n + 1);
    return std::uint64_t{y / 16} * row_stride + (std::uint64_t{x / 16} * 256 + inside) * bytes;
  }
  // Bytes from offset() of the first row, or row of blocks, to the end of the last.
  std::uint64_t begin(const DrawArea& area) const {
    if (blocks == BlockFormat::linear) return offset(area.first[0], area.first[1]);
    return offset(area.first[0] & ~15U, area.first[1] & ~15U);
  }
  std::uint64_t end(const DrawArea& area) const {
    if (blocks == BlockFormat::linear) return offset(area.last[0], area.last[1]) + bytes;
    return offset(area.last[0] & ~15U, area.last[1] & ~15U) + 256ULL * bytes;
  }
  std::uint64_t least_row(const DrawArea& area) const {
    if (blocks == BlockFormat::linear) return (area.last[0] + 1ULL) * bytes;
    return (area.last[0] / 16 + 1ULL) * 256 * bytes;
  }
};

bool is_stored(BlockFormat blocks) {
  return blocks == BlockFormat::linear || blocks == BlockFormat::u_interleaved;
}
bool is_compressed(BlockFormat blocks) {
  return blocks == BlockFormat::afbc || blocks == BlockFormat::afbc_tiled;
}
// A header of 16 bytes for each block of 16 x 16 pixels, and bodies that are no larger than the pixels.
std::uint64_t compressed_size(const Framebuffer& framebuffer, std::uint32_t pixel_bytes) {
  const std::uint64_t blocks =
      std::uint64_t{framebuffer.width + 15} / 16 * ((std::uint64_t{framebuffer.height} + 15) / 16);
  return blocks * (16 + 256ULL * std::max(pixel_bytes, 1U));
}

// Pixels that nothing writes keep their memory.
bool keeps_unwritten(const RenderTarget& target) {
  return target.write && target.blocks != BlockFormat::none && !target.write_clean;
}
bool keeps_unwritten_depth(const Framebuffer& framebuffer) {
  return (framebuffer.depth_write || framebuffer.stencil_write) && framebuffer.depth &&
         !framebuffer.depth_write_clean;
}
// Colours are loaded only in tiles that a draw touches, and stored in all.
bool clears_untouched(const Framebuffer& framebuffer) {
  return framebuffer.pre_frame[0] == FrameShaderMode::intersect &&
         std::ranges::any_of(framebuffer.targets, &RenderTarget::write_clean);
}

constexpr std::uint8_t kDepthWithStencil = 5;  // a format in memory
// The format of a texture that reads such depth: Z16, Z24X8, a float.
std::uint8_t depth_texel(std::uint8_t stored) { return stored == 1 ? 75 : stored == 14 ? 167 : 77; }
// Bytes of a pixel of depth, or of stencil alone; 0: not supported.
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

// What a sample's layer begins with; 0 where all samples come to one place.
std::uint64_t layer_offset(SampleStore samples, std::uint32_t stride, std::optional<unsigned> layer) {
  return samples == SampleStore::layered ? std::uint64_t{stride} * layer.value_or(0) : 0;
}
// True if the layer's samples go there; without a layer, if all samples share one place.
bool has_layer(SampleStore samples, std::optional<unsigned> layer) {
  return (samples == SampleStore::layered) == layer.has_value();
}

std::optional<PlanePlace> depth_place(const Framebuffer& framebuffer, std::optional<unsigned> layer = {}) {
  if (!framebuffer.depth_write || !framebuffer.depth || !is_stored(framebuffer.depth->blocks))
    return std::nullopt;
  const DepthPlane& plane = *framebuffer.depth;
  return PlanePlace{plane.blocks, plane.memory + layer_offset(plane.samples, plane.layer_stride, layer),
                    plane.row_stride, depth_bytes(framebuffer.depth_format, plane.format)};
}
std::optional<PlanePlace> stencil_place(const Framebuffer& framebuffer, std::optional<unsigned> layer = {}) {
  if (!framebuffer.stencil_write || !framebuffer.stencil || !is_stored(framebuffer.stencil->blocks))
    return std::nullopt;
  const DepthPlane& plane = *framebuffer.stencil;
  return PlanePlace{plane.blocks, plane.memory + layer_offset(plane.samples, plane.layer_stride, layer),
                    plane.row_stride, plane.format == 1 ? 1U : 0U};
}
PlanePlace target_place(const RenderTarget& target, std::uint32_t bytes, std::optional<unsigned> layer = {}) {
  return {target.blocks, target.memory + layer_offset(target.samples, target.layer_stride, layer),
          target.row_stride, bytes};
}

class FrameBuilder {
 public:
  FrameBuilder(const Image& image, const Framebuffer& framebuffer, const DrawArea& area)
      : image_(image), framebuffer_(framebuffer), area_(area) {}

  Result<FramePixels> build() {
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
    frame_.width = framebuffer_.width;
    frame_.height = framebuffer_.height;
    const std::uint64_t pixels = std::uint64_t{frame_.width} * frame_.height;
    std::uint64_t bytes = pixels * pixel_size(depth_pixels(framebuffer_.depth_format));
    for (const RenderTarget& target : framebuffer_.targets) {
      const std::uint32_t size = tile_pixel_bytes(target.tile_format);
      if (size == 0 && !target.is_off())
        return fail(target.place, "internal format is " + tile_format_text(target.tile_format));
      bytes += size * pixels;
      WARPJIT_CHECK(check_target(target));
    }
    WARPJIT_CHECK(check_depth());
    const bool counts = keeps_unwritten_depth(framebuffer_) || clears_untouched(framebuffer_) ||
                        std::ranges::any_of(framebuffer_.targets, keeps_unwritten);
    if (counts) bytes += sizeof(std::uint32_t) * pixels;
    bytes *= framebuffer_.samples;
    if (bytes > kMostBytes)
      return fail(framebuffer_.place,
                  std::to_string(bytes) + " bytes of its targets are more than " + std::to_string(kMostBytes),
                  ErrorCode::resource_limit);
    for (const RenderTarget& target : framebuffer_.targets) clear_target(target, pixels);
    clear_depth(pixels);
    if (counts) frame_.passed.resize(static_cast<std::size_t>(pixels));
    return std::move(frame_);
  }

 private:
  Error fail(const std::string& place, const std::string& what,
             ErrorCode code = ErrorCode::unsupported) const {
    return {code, place + ": " + what, image_.name()};
  }

  // Every sample's layer, or what they share.
  Status check_place(const std::string& place, PlanePlace plane, SampleStore samples,
                     std::uint32_t stride) const {
    const unsigned layers = samples == SampleStore::layered ? framebuffer_.samples : 1;
    if (const std::uint64_t least = area_.empty ? 0 : plane.end(area_) - plane.begin(area_);
        layers > 1 && stride < least)
      return fail(place,
                  "surface stride " + std::to_string(stride) + " is below the " + std::to_string(least) +
                      " bytes of a sample's layer",
                  ErrorCode::bad_input);
    for (unsigned n = 0; n < layers; ++n, plane.memory += stride) WARPJIT_CHECK(check_layer(place, plane));
    return {};
  }
  Status check_layer(const std::string& place, const PlanePlace& plane) const {
    if (area_.empty) return {};
    const std::uint64_t least = plane.least_row(area_);
    if (plane.row_stride < least && (area_.first[1] != area_.last[1] || plane.row_stride != 0))
      return fail(place,
                  "row stride " + std::to_string(plane.row_stride) + " is below the " +
                      std::to_string(least) + " bytes of a row",
                  ErrorCode::bad_input);
    const std::uint64_t begin = plane.begin(area_), end = plane.end(area_);
    if (!image_.find(plane.memory + begin, end - begin))
      return fail(place,
                  "base: " + std::to_string(end - begin) + " bytes at " + hex_text(plane.memory + begin) +
                      " are not all in the image",
                  ErrorCode::bad_input);
    return {};
  }

  Status check_target(const RenderTarget& target) const {
    if (!target.write || !is_stored(target.blocks)) return {};
    std::string what;
    const auto store = PixelStore::make(target, what);
    if (!store) return fail(target.place, what);
    return check_place(target.place, target_place(target, store->bytes()), target.samples,
                       target.layer_stride);
  }

  Status check_depth() const {
    if (!std::isfinite(framebuffer_.depth_clear))
      return fail(framebuffer_.place, "Z clear is no finite number", ErrorCode::bad_input);
    const std::string place = framebuffer_.place + ", ZS/CRC extension";
    if (const auto depth = depth_place(framebuffer_)) {
      if (depth->bytes == 0)
        return fail(place, "ZS write format is " + depth_format_text(framebuffer_.depth->format) + " of " +
                               std::string(name(framebuffer_.depth_format)));
      WARPJIT_CHECK(check_place(place + ", ZS writeback", *depth, framebuffer_.depth->samples,
                                framebuffer_.depth->layer_stride));
    }
    if (const auto stencil = stencil_place(framebuffer_)) {
      if (stencil->bytes == 0 || framebuffer_.depth_format != DepthFormat::d24)
        return fail(place, "S write format is " + stencil_format_text(framebuffer_.stencil->format) + " of " +
                               std::string(name(framebuffer_.depth_format)));
      WARPJIT_CHECK(check_place(place + ", S writeback", *stencil, framebuffer_.stencil->samples,
                                framebuffer_.stencil->layer_stride));
    }
    return {};
  }

  void clear_target(const RenderTarget& target, std::uint64_t pixels) {
    TilePixels color{.pixel_bytes = tile_pixel_bytes(target.tile_format)};
    std::array<std::byte, 16> pixel{};
    if (target.is_off()) {
      frame_.colors.emplace_back();
      return;
    }
    if (const TileRow* tile = find_tile(target.tile_format)) {
      color.format = tile->format;
      // What is behind the point is rounded off.
      std::uint32_t value = 0;
      unsigned from = 0, to = 0;
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned bits = tile->bits[k], fraction = tile->fraction[k];
        const std::uint32_t given = target.clear[0] >> from & most(bits + fraction);
        std::uint32_t whole = given >> fraction;
        if (fraction != 0) {
          const std::uint32_t rest = given & most(fraction), half = 1U << (fraction - 1);
          if (rest > half || (rest == half && whole % 2 != 0)) ++whole;
        }
        value |= std::min(whole, most(bits)) << to;
        from += bits + fraction;
        to += bits;
      }
      write_pixel(pixel.data(), color.pixel_bytes, value);
    } else {
      for (std::size_t k = 0; k < 16; ++k)
        pixel[k] = static_cast<std::byte>(target.clear[k / 4] >> 8 * (k % 4));
    }
    fill(color, pixel, pixels);
    frame_.colors.push_back(std::move(color));
  }

  void clear_depth(std::uint64_t pixels) {
    TilePixels& depth = frame_.depth;
    depth.format = depth_pixels(framebuffer_.depth_format);
    depth.pixel_bytes = static_cast<std::uint32_t>(pixel_size(depth.format));
    const float clear = framebuffer_.depth_clear, limited = std::clamp(clear, 0.0F, 1.0F);
    std::uint32_t value = 0;
    switch (framebuffer_.depth_format) {
      case DepthFormat::d16:
        value = static_cast<std::uint32_t>(std::nearbyint(limited * 65535.0F));
        break;
      case DepthFormat::d24:
        value = static_cast<std::uint32_t>(std::nearbyint(limited * 16777215.0F)) |
                std::uint32_t{framebuffer_.stencil_clear} << 24;
        break;
      case DepthFormat::d32:
        value = std::bit_cast<std::uint32_t>(clear);
        break;
    }
    std::array<std::byte, 16> pixel{};
    write_pixel(pixel.data(), depth.pixel_bytes, value);
    fill(depth, pixel, pixels);
  }

  static void fill(TilePixels& target, const std::array<std::byte, 16>& pixel, std::uint64_t pixels) {
    const std::size_t size = target.pixel_bytes;
    target.clear = pixel;
    target.bytes.resize(size * static_cast<std::size_t>(pixels));
    for (std::size_t at = 0; at < target.bytes.size(); at += size)
      std::memcpy(target.bytes.data() + at, pixel.data(), size);
  }

  const Image& image_;
  const Framebuffer& framebuffer_;
  const DrawArea& area_;
  FramePixels frame_;
};

// True if a fragment has passed there.
bool is_written(const FramePixels& frame, std::size_t pixel) {
  return frame.passed.empty() || frame.passed[pixel] != 0;
}
// A test that fails may change the stencil.
bool is_depth_written(const FramePixels& frame, std::size_t pixel) {
  if (is_written(frame, pixel) || frame.depth_before.empty()) return true;
  const std::size_t at = pixel * frame.depth.pixel_bytes;
  return !std::equal(frame.depth.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     frame.depth.bytes.begin() + static_cast<std::ptrdiff_t>(at + frame.depth.pixel_bytes),
                     frame.depth_before.begin() + static_cast<std::ptrdiff_t>(at));
}

// Calls body(x, y, number of the pixel) for those of the area for which `wanted(number)`.
template <class Wanted, class Body>
void each_pixel(const DrawArea& area, const FramePixels& frame, const Wanted& wanted, const Body& body) {
  for (std::uint32_t y = area.first[1]; y <= area.last[1]; ++y)
    for (std::uint32_t x = area.first[0]; x <= area.last[0]; ++x)
      if (const std::size_t pixel = std::size_t{y} * frame.width + x; wanted(pixel)) body(x, y, pixel);
}
template <class Wanted, class Store>
void store_pixels(Image& image, const PlanePlace& plane, const DrawArea& area, const FramePixels& frame,
                  const TilePixels& pixels, const Wanted& wanted, const Store& store) {
  const std::uint64_t begin = plane.begin(area);
  std::byte* const base = image.find_writable(plane.memory + begin, plane.end(area) - begin)->data();
  each_pixel(area, frame, wanted, [&](std::uint32_t x, std::uint32_t y, std::size_t pixel) {
    store(pixels.bytes.data() + pixel * pixels.pixel_bytes, base + (plane.offset(x, y) - begin));
  });
}

// How depth lies in memory, with the stencil above it if the format says so.
void store_depth(const Framebuffer& framebuffer, std::uint32_t pixel_bytes, std::uint32_t bytes,
                 const std::byte* from, std::byte* to) {
  std::uint32_t value = read_pixel(from, pixel_bytes);
  if (framebuffer.depth->format == 4) value &= 0xffffff;
  write_pixel(to, bytes, value);
}

// The mean of a component's bits: numbers that are stored as integers are averaged as these, ties to even,
// and floats rounded once; of integers the first one counts.
std::uint32_t average(const interpret::Component& component, std::span<const std::uint32_t> bits) {
  using interpret::Encoding;
  const auto count = static_cast<std::int64_t>(bits.size());
  switch (component.encoding) {
    case Encoding::unorm:
    case Encoding::srgb:
    case Encoding::snorm: {
      std::int64_t sum = 0;
      for (const std::uint32_t one : bits)
        sum += component.encoding == Encoding::snorm
                   ? static_cast<std::int32_t>(sign_extend(one, component.width))
                   : std::int64_t{one};
      const std::int64_t whole = (sum - (((sum % count) + count) % count)) / count,
                         rest = sum - whole * count;
      const bool up = 2 * rest > count || (2 * rest == count && whole % 2 != 0);
      return static_cast<std::uint32_t>(whole + (up ? 1 : 0)) & most(component.width);
    }
    case Encoding::half:
    case Encoding::small:
    case Encoding::word: {
      double sum = 0;
      for (const std::uint32_t one : bits)
        sum += static_cast<double>(to_float(interpret::decode(component, one)));
      return interpret::encode(component,
                               round_by_hand(kSingle, sum / static_cast<double>(count), Round::nearest_even));
    }
    default:
      return bits.front();
  }
}

// Those that nothing has drawn to have no format of their own, and are clear.
void average_color(std::span<const FramePixels> samples, std::size_t target, TilePixels& to) {
  for (const FramePixels& sample : samples)
    if (to.format == PixelFormat::none) to.format = sample.colors[target].format;
  const interpret::FormatInfo& format = interpret::format_info(to.format);
  if (to.format == PixelFormat::none) return;
  std::vector<std::uint32_t> bits(samples.size());
  for (std::size_t at = 0; at < to.bytes.size(); at += to.pixel_bytes) {
    interpret::PixelWords pixel = interpret::load_pixel(to.bytes.data() + at, format.bytes);
    for (const interpret::Component& component : format.components) {
      if (component.encoding == interpret::Encoding::none) continue;
      for (std::size_t n = 0; n < samples.size(); ++n)
        bits[n] = interpret::extract(
            component, interpret::load_pixel(samples[n].colors[target].bytes.data() + at, format.bytes));
      interpret::insert(component, pixel, average(component, bits));
    }
    interpret::store_pixel(to.bytes.data() + at, format.bytes, pixel);
  }
}

// A target in AFBC gets what it had where nothing is written.
template <class Wanted, class Store>
Status keep_pixels(KeptPictures& kept, KeptPicture picture, const DrawArea& area, const FramePixels& frame,
                   const TilePixels& pixels, const Wanted& wanted, const Store& store) {
  const KeptPicture* const before = kept.find(picture.address);
  picture.width = frame.width;
  picture.height = frame.height;
  if (before != nullptr && before->width == picture.width && before->height == picture.height &&
      before->pixel_bytes == picture.pixel_bytes)
    std::tie(picture.bytes, picture.known) = std::tie(before->bytes, before->known);
  const std::size_t count = picture.pixel_bytes == 0 ? 0 : std::size_t{frame.width} * frame.height;
  picture.bytes.resize(count * picture.pixel_bytes);
  picture.known.resize(count);
  if (picture.pixel_bytes != 0)
    each_pixel(area, frame, wanted, [&](std::uint32_t, std::uint32_t, std::size_t pixel) {
      store(pixels.bytes.data() + pixel * pixels.pixel_bytes,
            picture.bytes.data() + pixel * picture.pixel_bytes);
      picture.known[pixel] = 1;
    });
  return kept.keep(std::move(picture));
}

}  // namespace

std::uint32_t tile_pixel_bytes(std::uint8_t tile_format) {
  if (const TileRow* row = find_tile(tile_format)) return row->bytes;
  return tile_format >= kRaw && tile_format <= kLastRaw ? 1U << (tile_format - kRaw) : 0;
}

bool tile_has(std::uint8_t tile_format, const TargetFormat& target) {
  const auto& [format, raw] = target;
  if (const TileRow* row = find_tile(tile_format))
    return !raw &&
           (format == row->format || (format == PixelFormat::srgb8 && row->format == PixelFormat::rgba8));
  return raw && pixel_size(format) == tile_pixel_bytes(tile_format);
}

std::array<std::uint8_t, 4> channel_bits(PixelFormat format) {
  if (format == PixelFormat::srgb8) format = PixelFormat::rgba8;
  const auto* row = std::ranges::find(kTiles, format, &TileRow::format);
  return row == std::end(kTiles) ? std::array<std::uint8_t, 4>{} : row->bits;
}

Result<FramePixels> begin_frame(const Image& image, const Framebuffer& framebuffer, const DrawArea& area) {
  return FrameBuilder(image, framebuffer, area).build();
}

void begin_draws(const Framebuffer& framebuffer, FramePixels& frame) {
  if (keeps_unwritten_depth(framebuffer)) frame.depth_before = frame.depth.bytes;
}

void end_draws(const Framebuffer& framebuffer, std::span<FramePixels> samples) {
  if (!clears_untouched(framebuffer)) return;
  const FramePixels& frame = samples.front();
  constexpr std::uint32_t kTile = 16;
  for (std::uint32_t top = 0; top < frame.height; top += kTile)
    for (std::uint32_t left = 0; left < frame.width; left += kTile) {
      const DrawArea tile{
          .first = {left, top},
          .last = {std::min(left + kTile, frame.width) - 1, std::min(top + kTile, frame.height) - 1}};
      bool touched = false;
      for (const FramePixels& sample : samples)
        each_pixel(
            tile, sample, [&](std::size_t pixel) { return sample.passed[pixel] != 0; },
            [&](std::uint32_t, std::uint32_t, std::size_t) { touched = true; });
      if (touched) continue;
      for (FramePixels& sample : samples)
        for (TilePixels& color : sample.colors)
          each_pixel(
              tile, sample, [&](std::size_t) { return color.pixel_bytes != 0; },
              [&](std::uint32_t, std::uint32_t, std::size_t pixel) {
                std::memcpy(color.bytes.data() + pixel * color.pixel_bytes, color.clear.data(),
                            color.pixel_bytes);
              });
    }
}

std::optional<TilePixels> without_unstored(const RenderTarget& target, const TilePixels& pixels) {
  const TileRow* tile = find_tile(target.tile_format);
  std::string ignored;
  const auto store = PixelStore::make(target, ignored);
  if (tile == nullptr || !store || !target.write) return std::nullopt;
  const auto& bits = tile->bits;
  const std::uint32_t colors = most(bits[0] + bits[1] + bits[2]), alpha = most(bits[3])
                                                                          << (bits[0] + bits[1] + bits[2]);
  const std::uint32_t stored = store->stored_bits() & (colors | alpha);
  if (stored == (colors | alpha)) return std::nullopt;
  TilePixels shown = pixels;
  for (std::size_t at = 0; at < shown.bytes.size(); at += tile->bytes) {
    std::byte* const pixel = shown.bytes.data() + at;
    write_pixel(pixel, tile->bytes, (read_pixel(pixel, tile->bytes) & stored) | (alpha & ~stored));
  }
  return shown;
}

FramePixels resolve_samples(std::span<const FramePixels> samples) {
  FramePixels resolved = samples.front();
  for (std::size_t n = 0; n < resolved.colors.size(); ++n) average_color(samples, n, resolved.colors[n]);
  for (std::size_t pixel = 0; pixel < resolved.passed.size(); ++pixel)
    for (const FramePixels& sample : samples.subspan(1)) resolved.passed[pixel] += sample.passed[pixel];
  return resolved;
}

void store_frame(Image& image, const Framebuffer& framebuffer, const DrawArea& area, const FramePixels& frame,
                 std::optional<unsigned> layer) {
  if (area.empty) return;
  for (std::size_t n = 0; n < framebuffer.targets.size(); ++n) {
    const RenderTarget& target = framebuffer.targets[n];
    std::string ignored;
    if (!target.write || !is_stored(target.blocks) || !has_layer(target.samples, layer)) continue;
    if (const auto store = PixelStore::make(target, ignored))
      store_pixels(
          image, target_place(target, store->bytes(), layer), area, frame, frame.colors[n],
          [&](std::size_t pixel) { return target.write_clean || is_written(frame, pixel); },
          [&](const std::byte* from, std::byte* to) { store->store(from, to); });
  }
  const auto wanted = [&](std::size_t pixel) {
    return framebuffer.depth_write_clean || is_depth_written(frame, pixel);
  };
  if (const auto plane = depth_place(framebuffer, layer);
      plane && has_layer(framebuffer.depth->samples, layer))
    store_pixels(image, *plane, area, frame, frame.depth, wanted, [&](const std::byte* from, std::byte* to) {
      store_depth(framebuffer, frame.depth.pixel_bytes, plane->bytes, from, to);
    });
  if (const auto plane = stencil_place(framebuffer, layer);
      plane && has_layer(framebuffer.stencil->samples, layer))
    store_pixels(image, *plane, area, frame, frame.depth, wanted,
                 [&](const std::byte* from, std::byte* to) { *to = from[3]; });
}

void show_unwritten(const Image& image, const Framebuffer& framebuffer, const DrawArea& area,
                    const KeptPictures& kept, FramePixels& frame) {
  if (area.empty) return;
  for (std::size_t n = 0; n < framebuffer.targets.size(); ++n) {
    const RenderTarget& target = framebuffer.targets[n];
    std::string ignored;
    const auto store = PixelStore::make(target, ignored);
    if (!target.write || target.write_clean || target.samples == SampleStore::layered || !store) continue;
    TilePixels& color = frame.colors[n];
    const auto unwritten = [&](std::size_t pixel) { return !is_written(frame, pixel); };
    const auto at = [&](std::size_t pixel) { return color.bytes.data() + pixel * color.pixel_bytes; };
    if (is_stored(target.blocks)) {
      const PlanePlace plane = target_place(target, store->bytes());
      const std::uint64_t begin = plane.begin(area);
      const auto bytes = image.find(plane.memory + begin, plane.end(area) - begin);
      each_pixel(area, frame, unwritten, [&](std::uint32_t x, std::uint32_t y, std::size_t pixel) {
        store->load(bytes->data() + (plane.offset(x, y) - begin), at(pixel));
      });
    } else if (const KeptPicture* picture = kept.find(target.memory);
               is_compressed(target.blocks) && picture != nullptr && !picture->bytes.empty()) {
      each_pixel(area, frame, unwritten, [&](std::uint32_t, std::uint32_t, std::size_t pixel) {
        store->load(picture->bytes.data() + pixel * picture->pixel_bytes, at(pixel));
      });
    }
  }
}

Status keep_frame(const Framebuffer& framebuffer, const DrawArea& area, const FramePixels& frame,
                  KeptPictures& kept) {
  if (area.empty) return {};
  for (std::size_t n = 0; n < framebuffer.targets.size(); ++n) {
    const RenderTarget& target = framebuffer.targets[n];
    if (!target.write || !is_compressed(target.blocks)) continue;
    KeptPicture picture{.place = target.place,
                        .address = target.memory,
                        .size = compressed_size(framebuffer, tile_pixel_bytes(target.tile_format))};
    const auto store = PixelStore::make(target, picture.why);
    if (target.samples == SampleStore::layered) {
      picture.why = "it has several samples";
    } else if (store) {
      picture.pixel_bytes = store->bytes();
      picture.bits = store->bits();
    }
    WARPJIT_CHECK(keep_pixels(
        kept, std::move(picture), area, frame, frame.colors[n],
        [&](std::size_t pixel) { return target.write_clean || is_written(frame, pixel); },
        [&](const std::byte* from, std::byte* to) { store->store(from, to); }));
  }
  if (!framebuffer.depth_write || !framebuffer.depth || !is_compressed(framebuffer.depth->blocks)) return {};
  const DepthPlane& plane = *framebuffer.depth;
  KeptPicture picture{.place = framebuffer.place + ", ZS/CRC extension",
                      .address = plane.memory,
                      .size = compressed_size(framebuffer, 4),
                      .pixel_bytes = depth_bytes(framebuffer.depth_format, plane.format),
                      .depth = depth_texel(plane.format),
                      .stencil = plane.format == kDepthWithStencil};
  if (plane.samples == SampleStore::layered) picture.pixel_bytes = 0;
  if (picture.pixel_bytes == 0) picture.why = "ZS write format is " + depth_format_text(plane.format);
  const std::uint32_t bytes = picture.pixel_bytes;
  return keep_pixels(
      kept, std::move(picture), area, frame, frame.depth,
      [&](std::size_t pixel) { return framebuffer.depth_write_clean || is_depth_written(frame, pixel); },
      [&](const std::byte* from, std::byte* to) {
        store_depth(framebuffer, frame.depth.pixel_bytes, bytes, from, to);
      });
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
