// A descriptor in the memory of a Mali v9: its words, and what messages say of it.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "frontend/valhall/container/image.h"

namespace warpjit::valhall {

class Descriptor {
 public:
  // `place` begins its messages. Errors: it is outside of the image.
  static Result<Descriptor> read(const Image& image, std::string place, std::uint64_t address,
                                 std::uint32_t bytes) {
    const auto found = image.find(address, bytes);
    if (!found)
      return Error{ErrorCode::bad_input,
                   place + ": its " + std::to_string(bytes) + " bytes at " + hex_text(address) +
                       " are outside of the image",
                   image.name()};
    return Descriptor(image, std::move(place), *found);
  }

  std::uint32_t bits(std::size_t word, unsigned low, unsigned count) const {
    const std::uint32_t value = this->word(word) >> low;
    return count == 32 ? value : value & ((std::uint32_t{1} << count) - 1);
  }
  bool bit(std::size_t word, unsigned low) const { return bits(word, low, 1) != 0; }
  std::uint32_t word(std::size_t n) const {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) value |= std::to_integer<std::uint32_t>(bytes_[4 * n + k]) << 8 * k;
    return value;
  }
  float number(std::size_t n) const { return std::bit_cast<float>(word(n)); }
  std::uint64_t address(std::size_t n) const { return std::uint64_t{word(n + 1)} << 32 | word(n); }

  Error error(const std::string& what, ErrorCode code = ErrorCode::bad_input) const {
    return {code, place_ + ": " + what, image_->name()};
  }
  // "multisample enable is set: unsupported" and the like.
  Error refuse(const std::string& what) const { return error(what, ErrorCode::unsupported); }
  const std::string& place() const { return place_; }

 private:
  Descriptor(const Image& image, std::string place, std::span<const std::byte> bytes)
      : image_(&image), place_(std::move(place)), bytes_(bytes) {}

  const Image* image_;
  std::string place_;
  std::span<const std::byte> bytes_;
};

}  // namespace warpjit::valhall
