#include "frontend/valhall/container/image.h"

#include <algorithm>
#include <cstdio>

#include "frontend/valhall/launch.h"

namespace warpjit::valhall {
namespace {

constexpr std::size_t kHeader = 16;
constexpr std::uint64_t kBlock = std::uint64_t{1} << 32;  // addresses with one high word

struct Record {
  std::uint64_t address = 0, size = 0;
  std::size_t at = 0;  // byte of the file where its header begins
};

std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t k = 0; k < 8; ++k) value |= std::to_integer<std::uint64_t>(bytes[at + k]) << 8 * k;
  return value;
}

Error bad_record(const std::string& name, std::size_t at, std::string what,
                 ErrorCode code = ErrorCode::bad_input) {
  return {code, std::move(what), name + ", byte " + hex_text(at)};
}

// The records, sorted by address.
Result<std::vector<Record>> read_records(std::span<const std::byte> bytes, const std::string& name,
                                         const ImageLimits& limits) {
  std::vector<Record> records;
  std::uint64_t total = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto fail = [&](std::string what, ErrorCode code = ErrorCode::bad_input) {
      return bad_record(name, at, std::move(what), code);
    };
    if (records.size() == limits.records)
      return fail("more than " + std::to_string(limits.records) + " records", ErrorCode::resource_limit);
    if (bytes.size() - at < kHeader) return fail("the file ends in the address and length of a record");
    const Record record{number_at(bytes, at), number_at(bytes, at + 8), at};
    if (record.size == 0) return fail("a record has a length of 0");
    if (record.size > bytes.size() - at - kHeader)
      return fail("a record has a length of " + hex_text(record.size) + ", but " +
                  hex_text(bytes.size() - at - kHeader) + " bytes follow");
    if (record.address + (record.size - 1) < record.address)
      return fail("the addresses of a record from " + hex_text(record.address) + " on wrap");
    total += record.size;
    if (total > limits.bytes)
      return fail("the records have more than " + hex_text(limits.bytes) + " bytes",
                  ErrorCode::resource_limit);
    records.push_back(record);
    at += kHeader + record.size;
  }
  if (records.empty()) return bad_record(name, 0, "an image needs at least one record");
  std::ranges::sort(records, {}, &Record::address);
  for (std::size_t k = 1; k < records.size(); ++k) {
    const Record &before = records[k - 1], &record = records[k];
    if (record.address - before.address < before.size)
      return bad_record(name, std::max(before.at, record.at),
                        "a record overlaps the one at byte " + hex_text(std::min(before.at, record.at)) +
                            ", at address " + hex_text(record.address));
  }
  return records;
}

}  // namespace

std::string hex_text(std::uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

Result<Image> Image::read(std::span<const std::byte> bytes, std::string name, const ImageLimits& limits) {
  WARPJIT_TRY(const std::vector<Record> records, read_records(bytes, name, limits));
  Image image;
  image.name_ = std::move(name);
  // A record may cross a multiple of 4 GiB, but not two: it is no longer than all records may be.
  struct Piece {
    std::uint64_t first, last;  // addresses of bytes
    const Record* record;
  };
  std::vector<Piece> pieces;
  for (const Record& record : records) {
    const std::uint64_t last = record.address + (record.size - 1), line = last / kBlock * kBlock;
    if (record.address < line) {
      pieces.push_back({record.address, line - 1, &record});
      pieces.push_back({line, last, &record});
    } else {
      pieces.push_back({record.address, last, &record});
    }
  }
  for (std::size_t k = 0; k < pieces.size();) {
    const std::uint64_t high = pieces[k].first / kBlock;
    std::size_t end = k;
    while (end < pieces.size() && pieces[end].first / kBlock == high) ++end;
    const auto fail = [&](std::string what) {
      return bad_record(image.name_, pieces[k].record->at, std::move(what), ErrorCode::resource_limit);
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
      const std::size_t from = piece.record->at + kHeader + (piece.first - piece.record->address);
      std::ranges::copy(bytes.subspan(from, piece.last - piece.first + 1),
                        window.bytes().begin() + static_cast<std::ptrdiff_t>(piece.first % kBlock - low));
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

Result<std::span<const std::byte>> Image::bytes(std::uint64_t address, std::uint64_t size) const {
  if (const auto found = find(address, size)) return *found;
  return Error{ErrorCode::bad_input,
               hex_text(size) + " bytes at " + hex_text(address) + " are outside of the image", name_};
}

}  // namespace warpjit::valhall
