#include "frontend/valhall/container/image.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace warpjit::valhall {
namespace {

constexpr std::size_t kHeader = 16;
constexpr std::uint64_t kBlock = std::uint64_t{1} << 32;  // addresses with one high word

std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t k = 0; k < 8; ++k) value |= std::to_integer<std::uint64_t>(bytes[at + k]) << 8 * k;
  return value;
}

Error bad_record(const std::string& name, std::size_t at, std::string what,
                 ErrorCode code = ErrorCode::bad_input) {
  return {code, std::move(what), name + ", byte " + hex_text(at)};
}

// Sorted by address.
Status check_pieces(std::vector<ImagePiece>& pieces, const std::string& name, const ImageLimits& limits) {
  if (pieces.empty()) return bad_record(name, 0, "an image needs at least one record");
  std::uint64_t total = 0;
  for (const ImagePiece& piece : pieces) {
    const auto fail = [&](std::string what, ErrorCode code = ErrorCode::bad_input) {
      return bad_record(name, piece.at, std::move(what), code);
    };
    if (piece.size == 0) return fail("a record has a length of 0");
    if (piece.address + (piece.size - 1) < piece.address)
      return fail("the addresses of a record from " + hex_text(piece.address) + " on wrap");
    total += std::min(piece.size, limits.bytes + 1);
    if (total > limits.bytes)
      return fail("the records have more than " + hex_text(limits.bytes) + " bytes",
                  ErrorCode::resource_limit);
  }
  std::ranges::sort(pieces, {}, &ImagePiece::address);
  for (std::size_t k = 1; k < pieces.size(); ++k) {
    const ImagePiece &before = pieces[k - 1], &piece = pieces[k];
    if (piece.address - before.address < before.size)
      return bad_record(name, std::max(before.at, piece.at),
                        "a record overlaps the one at byte " + hex_text(std::min(before.at, piece.at)) +
                            ", at address " + hex_text(piece.address));
  }
  return {};
}

}  // namespace

std::string hex_text(std::uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

Result<Image> Image::read(std::span<const std::byte> bytes, std::string name, const ImageLimits& limits) {
  std::vector<ImagePiece> pieces;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto fail = [&](std::string what, ErrorCode code = ErrorCode::bad_input) {
      return bad_record(name, at, std::move(what), code);
    };
    if (pieces.size() == limits.records)
      return fail("more than " + std::to_string(limits.records) + " records", ErrorCode::resource_limit);
    if (bytes.size() - at < kHeader) return fail("the file ends in the address and length of a record");
    const std::uint64_t address = number_at(bytes, at), size = number_at(bytes, at + 8);
    if (size > bytes.size() - at - kHeader)
      return fail("a record has a length of " + hex_text(size) + ", but " +
                  hex_text(bytes.size() - at - kHeader) + " bytes follow");
    pieces.push_back({address, size, bytes.subspan(at + kHeader, size), at});
    at += kHeader + size;
  }
  return make(std::move(pieces), std::move(name), limits);
}

Result<Image> Image::make(std::vector<ImagePiece> given, std::string name, const ImageLimits& limits) {
  WARPJIT_CHECK(check_pieces(given, name, limits));
  Image image;
  image.name_ = std::move(name);
  // One may cross a multiple of 4 GiB, but not two: it is no longer than all may be.
  struct Piece {
    std::uint64_t first, last;  // addresses of bytes
    const ImagePiece* given;
  };
  std::vector<Piece> pieces;
  for (const ImagePiece& piece : given) {
    const std::uint64_t last = piece.address + (piece.size - 1), line = last / kBlock * kBlock;
    if (piece.address < line) {
      pieces.push_back({piece.address, line - 1, &piece});
      pieces.push_back({line, last, &piece});
    } else {
      pieces.push_back({piece.address, last, &piece});
    }
  }
  for (std::size_t k = 0; k < pieces.size();) {
    const std::uint64_t high = pieces[k].first / kBlock;
    std::size_t end = k;
    while (end < pieces.size() && pieces[end].first / kBlock == high) ++end;
    const auto fail = [&](std::string what) {
      return bad_record(image.name_, pieces[k].given->at, std::move(what), ErrorCode::resource_limit);
    };
    if (image.windows_.size() == kMaxWindows)
      return fail("records at more than four high words of addresses");
    const std::uint64_t low = pieces[k].first % kBlock / 8 * 8,
                        size = (pieces[end - 1].last % kBlock / 8 + 1) * 8 - low;
    if (size > limits.window_bytes)
      return fail("from the lowest to the highest record with the high word " + hex_text(high) +
                  " there are " + hex_text(size) + " bytes, more than " + hex_text(limits.window_bytes));
    ImageWindow& window =
        image.windows_.emplace_back(static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(low), size);
    if (window.bytes().empty()) return fail("there is not enough memory");
    for (; k < end; ++k) {
      const Piece& piece = pieces[k];
      const std::span<const std::byte> bytes = piece.given->bytes;
      const std::uint64_t from = piece.first - piece.given->address, count = piece.last - piece.first + 1;
      if (from < bytes.size())
        std::ranges::copy(bytes.subspan(from, std::min<std::uint64_t>(count, bytes.size() - from)),
                          window.bytes().begin() + static_cast<std::ptrdiff_t>(piece.first % kBlock - low));
    }
  }
  return image;
}

Result<Image> Image::copy() const {
  constexpr std::size_t kPage = 4096;
  constexpr std::array<std::byte, kPage> kZeros{};
  Image image;
  image.name_ = name_;
  for (const ImageWindow& window : windows_) {
    ImageWindow& to = image.windows_.emplace_back(window.high_word(), window.low_word(), window.size());
    if (to.bytes().empty()) return Error{ErrorCode::resource_limit, "there is not enough memory", name_};
    // Pages of zeros stay untouched.
    for (std::size_t at = 0; at < window.size(); at += kPage) {
      const std::span<const std::byte> from = window.bytes().subspan(at, std::min(kPage, window.size() - at));
      if (std::memcmp(from.data(), kZeros.data(), from.size()) != 0)
        std::memcpy(to.bytes().data() + at, from.data(), from.size());
    }
  }
  return image;
}

std::optional<std::span<const std::byte>> Image::find(std::uint64_t address, std::uint64_t size) const {
  for (const ImageWindow& window : windows_) {
    const std::uint64_t offset = address - window.address();
    if (offset <= window.size() && size <= window.size() - offset)
      return window.bytes().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }
  return {};
}

std::optional<std::span<std::byte>> Image::find_writable(std::uint64_t address, std::uint64_t size) {
  for (ImageWindow& window : windows_) {
    const std::uint64_t offset = address - window.address();
    if (offset <= window.size() && size <= window.size() - offset)
      return window.bytes().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }
  return {};
}

Result<std::span<const std::byte>> Image::bytes(std::uint64_t address, std::uint64_t size) const {
  if (const auto found = find(address, size)) return *found;
  return Error{ErrorCode::bad_input,
               hex_text(size) + " bytes at " + hex_text(address) + " are outside of the image", name_};
}

}  // namespace warpjit::valhall
