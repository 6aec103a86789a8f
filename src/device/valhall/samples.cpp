// Pixels with several samples become pixels with one.
#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.h"
#include "device/valhall/tile.h"
#include "device/valhall/tile_format.h"
#include "frontend/interpret/pixels/format.h"
#include "frontend/valhall/interpret/numbers.h"

namespace warpjit::valhall {
namespace {

// The mean of a component's bits: normalized numbers are averaged as the integers that they are stored as,
// ties to even; floats are rounded once; integers give the first one.
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

// A sample to which nothing was drawn has no format, and is clear.
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

}  // namespace

FramePixels resolve_samples(std::span<const FramePixels> samples) {
  FramePixels resolved = samples.front();
  for (std::size_t n = 0; n < resolved.colors.size(); ++n) average_color(samples, n, resolved.colors[n]);
  for (std::size_t pixel = 0; pixel < resolved.passed.size(); ++pixel)
    for (const FramePixels& sample : samples.subspan(1)) resolved.passed[pixel] += sample.passed[pixel];
  return resolved;
}

}  // namespace warpjit::valhall
