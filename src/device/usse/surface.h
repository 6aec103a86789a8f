// Colour surfaces of the Vita and the targets that their pixels are drawn to (docs/guests/usse.md 10).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "warpjit/usse.hpp"

namespace warpjit::usse {

// How pixels in memory are those of a target: field n of a pixel, from its lowest bits up, is a channel.
struct SurfaceFormat {
  std::string_view name;
  unsigned bytes = 0;  // of a pixel
  unsigned fields = 0;
  std::array<std::uint8_t, 4> bits{};      // of each field
  std::array<std::uint8_t, 4> channels{};  // 0 red ... 3 alpha
  PixelFormat target = PixelFormat::none;
};
// Errors: unsupported.
Result<SurfaceFormat> find_surface_format(std::uint32_t format);
// By the name of base format and swizzle: "U5U6U5_BGR". Errors: unsupported, with the names that there are.
Result<std::uint32_t> parse_surface_format(std::string_view name);

// From pixels of one layout to those of another one, whose fields have the same bits at other places.
struct PixelCopy {
  struct Field {
    std::uint8_t from = 0, to = 0, bits = 0;  // none crosses a word of 64 bits
  };
  std::size_t from_bytes = 0, to_bytes = 0;  // of a pixel, up to 16
  std::array<Field, 4> fields{};
  unsigned field_count = 0;
  std::array<std::uint64_t, 2> others{};  // bits of no field
  bool same = true;                       // the layouts are equal

  void copy(const std::byte* from, std::byte* to, std::size_t pixels) const;
};

class Surface {
 public:
  // Errors: those of Scene::begin.
  static Result<Surface> open(const ColorSurface& surface);

  const ColorSurface& where() const { return surface_; }
  PixelFormat target() const { return format_.target; }
  // Rows without padding.
  std::size_t pitch() const { return surface_.width * pixel_size(format_.target); }
  void load(std::vector<std::byte>& pixels) const;
  void store(const std::vector<std::byte>& pixels) const;

  std::uint64_t extent() const;  // bytes from the first pixel on
  // Where the target's rows have the pixel of which a byte in memory is; nothing: it is of none.
  std::optional<std::size_t> pixel_of(std::size_t byte) const;
  unsigned fields() const { return format_.fields; }
  // Fields are floats; else they are numbers of 0 to 1.
  bool has_floats() const { return format_.bits[0] >= 16; }
  // Writes a colour (red, green, blue, alpha) to a pixel, rounded to nearest.
  void put_color(std::uint32_t x, std::uint32_t y, const std::array<float, 4>& color) const;
  // The fields of a pixel in memory that has the surface's layout, at most four.
  std::array<std::uint32_t, 4> fields_at(std::span<const std::byte> memory, std::uint32_t x,
                                         std::uint32_t y) const;

 private:
  Surface(const ColorSurface& surface, const SurfaceFormat& format);
  std::size_t offset(std::uint32_t x, std::uint32_t y) const;
  // Log2 of the shorter side, of a swizzled surface.
  unsigned square_bits() const {
    return static_cast<unsigned>(std::bit_width(std::min(surface_.width, surface_.height)) - 1);
  }
  template <class Call>
  void each_run(const Call& call) const;

  ColorSurface surface_;
  SurfaceFormat format_;
  PixelCopy loads_, stores_;
};

}  // namespace warpjit::usse
