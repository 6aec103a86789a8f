#include "capture/section_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

namespace warpjit::capture {
namespace {

bool is_known(std::uint32_t kind) { return kind >= 1 && kind <= kLastKind; }

std::uint64_t padded(std::uint64_t size) { return (size + kAlign - 1) / kAlign * kAlign; }

}  // namespace

FileGuest guest_of(Isa isa) {
  switch (isa) {
    case Isa::pica200:
      return FileGuest::pica200;
    case Isa::tesla:
      return FileGuest::tesla;
    case Isa::usse:
      return FileGuest::usse;
    case Isa::valhall:
      break;
  }
  return FileGuest::valhall;
}

const char* name_of(FileGuest guest) {
  switch (guest) {
    case FileGuest::pica200:
      return "a PICA200";
    case FileGuest::tesla:
      return "a Tesla";
    case FileGuest::usse:
      return "a USSE";
    case FileGuest::valhall:
      break;
  }
  return "a Valhall GPU";
}

std::string count_text(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string hex_text(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

Error FileBytes::fail(std::size_t at, std::string what, ErrorCode code) const {
  return {code, std::move(what), name_ + ", byte " + hex_text(at)};
}

std::uint64_t FileBytes::number(std::size_t at, std::size_t size) const {
  std::uint64_t value = 0;
  for (std::size_t k = 0; k < size; ++k) value |= std::to_integer<std::uint64_t>(bytes_[at + k]) << 8 * k;
  return value;
}

std::uint32_t version_of(std::span<const std::byte> bytes) {
  const FileBytes file(bytes, {});
  return bytes.size() < 8 || file.word(0) != kMagic ? 0 : file.word(4);
}

Status Fields::expect_size(std::uint64_t size, const char* what) const {
  if (section_.bytes.size() == size) return {};
  return file_.fail(section_.at + 8, std::string("the section of ") + what + " has " +
                                         hex_text(section_.bytes.size()) + " bytes, expected " +
                                         hex_text(size));
}

Status Fields::expect_least(std::uint64_t size, const char* what) const {
  if (section_.bytes.size() >= size) return {};
  return file_.fail(section_.at + 8, std::string("the section of ") + what + " has " +
                                         hex_text(section_.bytes.size()) + " bytes, expected at least " +
                                         hex_text(size));
}

std::string Fields::text(std::size_t at, std::size_t size) const {
  return {reinterpret_cast<const char*>(section_.bytes.data()) + at, size};
}

Status read_other(const FileBytes& file, const Section& section, const char* whose, std::size_t next,
                  std::vector<std::size_t>* ends) {
  if (section.kind == SectionKind::name || section.kind == SectionKind::note) return {};
  if (section.kind != SectionKind::frame_end || ends == nullptr)
    return file.fail(section.at, "a section of kind " +
                                     std::to_string(static_cast<std::uint32_t>(section.kind)) +
                                     ", which captures of " + whose + " do not have");
  WARPJIT_CHECK(Fields(file, section).expect_size(0, "a frame's end"));
  ends->push_back(next);
  return {};
}

Result<SectionFile> read_sections(std::span<const std::byte> bytes, std::string name) {
  SectionFile read{FileBytes(bytes, std::move(name)), {}, 0, {}};
  const FileBytes& file = read.file;
  if (bytes.size() < 8 || file.word(0) != kMagic)
    return file.fail(0, "the file does not begin with WJC1 and a version");
  if (file.word(4) != kVersion)
    return file.fail(4, "version is " + std::to_string(file.word(4)) + ", expected 2",
                     ErrorCode::unsupported);
  if (bytes.size() < kFileHeader)
    return file.fail(bytes.size(), "the file ends in its header, expected 32 bytes");
  if (file.word(8) < 1 || file.word(8) > 4)
    return file.fail(8,
                     "guest is " + std::to_string(file.word(8)) +
                         ", expected 1 (PICA200), 2 (Tesla), 3 (USSE) or 4 (Valhall)",
                     ErrorCode::unsupported);
  read.guest = static_cast<FileGuest>(file.word(8));
  read.product = file.word(12);
  for (std::size_t at = 16; at < kFileHeader; at += 4)
    if (file.word(at) != 0)
      return file.fail(at, "the word is " + hex_text(file.word(at)) + ", expected 0", ErrorCode::unsupported);
  std::uint64_t count = 0;
  for (std::size_t at = kFileHeader;; ++count) {
    if (bytes.size() - at < kSectionHeader)
      return file.fail(at, "the file ends after " + std::to_string(bytes.size() - at) +
                               " bytes, expected a section of kind 14, which ends a file");
    const std::uint32_t kind = file.word(at), flags = file.word(at + 4);
    const std::uint64_t size = file.long_word(at + 8), left = bytes.size() - at - kSectionHeader;
    if (size > left || padded(size) > left)
      return file.fail(at + 8, "the section has " + hex_text(size) + " bytes, and " + hex_text(left) +
                                   " are left of the file");
    const std::span<const std::byte> contents =
        bytes.subspan(at + kSectionHeader, static_cast<std::size_t>(size));
    const std::size_t next = at + kSectionHeader + static_cast<std::size_t>(padded(size));
    if (kind == static_cast<std::uint32_t>(SectionKind::end)) {
      if (size != 8)
        return file.fail(at + 8, "the last section has " + hex_text(size) + " bytes, expected 8");
      if (file.long_word(at + kSectionHeader) != count)
        return file.fail(at + kSectionHeader, "the number of sections is " +
                                                  std::to_string(file.long_word(at + kSectionHeader)) +
                                                  ", expected " + std::to_string(count));
      if (next != bytes.size())
        return file.fail(next,
                         hex_text(bytes.size() - next) + " bytes after the last section, expected none");
      return read;
    }
    if (count == kMaxSections)
      return file.fail(at, "more than " + std::to_string(kMaxSections) + " sections",
                       ErrorCode::resource_limit);
    if (is_known(kind))
      read.sections.push_back({static_cast<SectionKind>(kind), flags, at, contents});
    else if ((flags & kMustKnow) != 0)
      return file.fail(
          at, "a section of kind " + std::to_string(kind) + ", expected 1 to " + std::to_string(kLastKind),
          ErrorCode::unsupported);
    at = next;
  }
}

SectionWriter::SectionWriter(CaptureSink sink, void* context, FileGuest guest, std::uint32_t product)
    : sink_(sink), context_(context) {
  Numbers header;
  header.word(kMagic).word(kVersion).word(static_cast<std::uint32_t>(guest)).word(product);
  header.long_word(0).long_word(0);
  put(header.bytes());
}

void SectionWriter::put(std::span<const std::byte> bytes) {
  constexpr std::size_t kRoom = std::size_t{1} << 16;
  place_ += bytes.size();
  if (bytes.size() > kRoom - waiting_.size()) flush();
  if (bytes.size() >= kRoom) return pass(bytes);
  if (waiting_.capacity() < kRoom) waiting_.reserve(kRoom);
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

void SectionWriter::pass(std::span<const std::byte> bytes) {
  if (!failed_ && !bytes.empty()) failed_ = !sink_(context_, bytes);
}

void SectionWriter::flush() {
  pass(waiting_);
  waiting_.clear();
}

std::uint64_t SectionWriter::write(SectionKind kind, std::uint32_t flags, std::span<const std::byte> first,
                                   std::span<const std::byte> second) {
  const std::uint64_t size = first.size() + second.size();
  std::array<std::byte, kSectionHeader> header;
  const auto set = [&](std::size_t at, std::uint64_t value) {
    for (unsigned k = 0; k < 8; ++k) header[at + k] = static_cast<std::byte>(value >> 8 * k);
  };
  set(0, static_cast<std::uint32_t>(kind) | std::uint64_t{flags} << 32);
  set(8, size);
  put(header);
  const std::uint64_t begin = place_;
  put(first);
  put(second);
  constexpr std::array<std::byte, kAlign> kZeros{};
  put(std::span(kZeros).first(static_cast<std::size_t>(padded(size) - size)));
  ++sections_;
  if (kind == SectionKind::frame_end) flush();
  return begin;
}

void SectionWriter::write_ends(const std::vector<std::size_t>& ends, std::size_t next) {
  for (auto count = std::ranges::count(ends, next); count != 0; --count) write(SectionKind::frame_end, 0, {});
}

Status SectionWriter::finish() {
  Numbers count;
  write(SectionKind::end, kMustKnow, count.long_word(sections_).bytes());
  flush();
  if (failed_) return Error{ErrorCode::io, "the sink did not take the capture's bytes", "capture"};
  return {};
}

void Numbers::grow(std::size_t size) {
  constexpr std::size_t kLeast = 256;
  const std::size_t room = std::max({size_ + size, 2 * room_, kLeast});
  std::unique_ptr<std::byte[]> bytes(new std::byte[room]);
  std::copy_n(bytes_.get(), size_, bytes.get());
  bytes_ = std::move(bytes);
  room_ = room;
}

Numbers& Numbers::words(std::span<const std::uint32_t> values) {
  if constexpr (std::endian::native == std::endian::little) {
    if (!values.empty()) std::memcpy(add(values.size_bytes()), values.data(), values.size_bytes());
  } else {
    for (const std::uint32_t value : values) word(value);
  }
  return *this;
}

Numbers& Numbers::text(std::string_view value) {
  if (!value.empty()) std::memcpy(add(value.size()), value.data(), value.size());
  return *this;
}

}  // namespace warpjit::capture
