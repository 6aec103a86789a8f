// A GPU's memory as a capture has it: records {u64 address, u64 length, bytes}, little-endian, in any order.
// It may be hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace warpjit::valhall {

// Addresses have 64 bits. A launch maps memory at up to four high words.
inline constexpr std::size_t kMaxWindows = 4;

std::string hex_text(std::uint64_t value);  // "0x1f"

struct ImageLimits {
  std::uint64_t bytes = std::uint64_t{1} << 30;  // of all records
  std::size_t records = 65536;
  std::uint64_t window_bytes = std::uint64_t{1} << 30;
};

// Bytes of a file that lie at an address. After them, up to `size`, it is 0.
struct ImagePiece {
  std::uint64_t address = 0, size = 0;
  std::span<const std::byte> bytes{};
  std::size_t at = 0;  // byte of the file that messages name
};

// What is mapped at one high word of addresses: from the lowest record to the end of the highest, the ends
// rounded to multiples of 8. What lies between records reads 0.
class ImageWindow {
 public:
  ImageWindow(std::uint32_t high, std::uint32_t low, std::size_t size)
      : high_(high),
        low_(low),
        size_(size),
        bytes_(static_cast<std::byte*>(std::calloc(size, 1)), std::free) {}

  std::uint64_t address() const { return std::uint64_t{high_} << 32 | low_; }
  std::uint32_t high_word() const { return high_; }
  std::uint32_t low_word() const { return low_; }
  std::size_t size() const { return size_; }
  std::span<std::byte> bytes() { return {bytes_.get(), bytes_ ? size_ : 0}; }
  std::span<const std::byte> bytes() const { return {bytes_.get(), bytes_ ? size_ : 0}; }

 private:
  std::uint32_t high_, low_;
  std::size_t size_;
  // Pages that nothing touches cost nothing.
  std::unique_ptr<std::byte, void (*)(void*)> bytes_;
};

class Image {
 public:
  // Errors name the byte where the record begins: bad_input, resource_limit.
  static Result<Image> read(std::span<const std::byte> records, std::string name,
                            const ImageLimits& limits = {});

  // The same of pieces in any order, which may not overlap.
  static Result<Image> make(std::vector<ImagePiece> pieces, std::string name, const ImageLimits& limits = {});

  // Errors: resource_limit, if there is not enough memory.
  Result<Image> copy() const;

  const std::string& name() const { return name_; }
  std::span<ImageWindow> windows() { return windows_; }
  std::span<const ImageWindow> windows() const { return windows_; }

  // Nothing if they are not all in one window.
  std::optional<std::span<const std::byte>> find(std::uint64_t address, std::uint64_t size) const;
  std::optional<std::span<std::byte>> find_writable(std::uint64_t address, std::uint64_t size);
  // Little-endian. Errors name the address: bad_input.
  Result<std::span<const std::byte>> bytes(std::uint64_t address, std::uint64_t size) const;
  Result<std::uint8_t> u8(std::uint64_t address) const { return number<std::uint8_t>(address); }
  Result<std::uint16_t> u16(std::uint64_t address) const { return number<std::uint16_t>(address); }
  Result<std::uint32_t> u32(std::uint64_t address) const { return number<std::uint32_t>(address); }
  Result<std::uint64_t> u64(std::uint64_t address) const { return number<std::uint64_t>(address); }

 private:
  template <class T>
  Result<T> number(std::uint64_t address) const {
    WARPJIT_TRY(const std::span<const std::byte> at, bytes(address, sizeof(T)));
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < sizeof(T); ++k) value |= std::to_integer<std::uint64_t>(at[k]) << 8 * k;
    return static_cast<T>(value);
  }

  std::string name_;
  std::vector<ImageWindow> windows_;  // by their high words
};

}  // namespace warpjit::valhall
