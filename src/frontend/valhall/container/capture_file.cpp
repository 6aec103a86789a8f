#include "frontend/valhall/container/capture_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace warpjit::valhall {

void CaptureFile::set_gpu(std::uint32_t product) {
  gpu = product;
  if (std::exchange(gpu_assumed, false)) notes.erase(notes.begin());
}
Status CaptureFile::add_chain(const JobChain& chain) {
  if (chains.size() == kMaxChains)
    return Error{ErrorCode::resource_limit, "more than " + std::to_string(kMaxChains) + " job chains",
                 image.name()};
  chains.push_back(chain);
  return {};
}
void CaptureFile::clear_chains() {
  chains.clear();
  changes.clear();
}

namespace {

constexpr std::uint32_t kCaptureMagic = 0x31434a57;  // "WJC1"
constexpr std::uint32_t kDumpMagic = 0x464e4150;     // "PANF"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kFileHeader = 16, kSectionBytes = 32, kDumpHeader = 2000;
constexpr std::uint32_t kMustKnow = std::uint32_t{1} << 31;

// Sections of a .wjcap file.
enum Section : std::uint32_t { kMemory = 1, kZeroMemory = 2, kChain = 3, kExpected = 4, kNote = 5 };
// Objects of a core dump.
enum DumpObject : std::uint32_t { kRegisters = 0, kPageMap = 1, kBuffer = 2, kTrailer = 3 };

class CaptureReader {
 public:
  CaptureReader(std::span<const std::byte> bytes, std::string name, const ImageLimits& limits)
      : bytes_(bytes), name_(std::move(name)), limits_(limits) {}

  Result<CaptureFile> read() {
    const std::uint32_t magic = bytes_.size() < 4 ? 0 : static_cast<std::uint32_t>(number(0, 4));
    if (magic == kCaptureMagic) return read_sections();
    if (magic == kDumpMagic) return read_dump();
    WARPJIT_TRY(Image image, Image::read(bytes_, name_, limits_));
    return CaptureFile{.image = std::move(image), .chains = {}, .gpu = 0};
  }

 private:
  Error fail(std::size_t at, std::string what, ErrorCode code = ErrorCode::bad_input) const {
    return {code, std::move(what), name_ + ", byte " + hex_text(at)};
  }
  // All of it lies in the file.
  std::uint64_t number(std::size_t at, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < size; ++k) value |= std::to_integer<std::uint64_t>(bytes_[at + k]) << 8 * k;
    return value;
  }
  bool holds(std::uint64_t at, std::uint64_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }
  Status add_piece(std::size_t at, std::uint64_t address, std::uint64_t size, std::uint64_t from, bool zero) {
    if (pieces_.size() == limits_.records)
      return fail(at, "more than " + std::to_string(limits_.records) + " pieces of memory",
                  ErrorCode::resource_limit);
    if (!zero && !holds(from, size))
      return fail(at, hex_text(size) + " bytes at byte " + hex_text(from) + " are not all in the file");
    pieces_.push_back({.address = address,
                       .size = size,
                       .bytes = zero ? std::span<const std::byte>() : bytes_.subspan(from, size),
                       .at = at});
    return {};
  }
  Status add_chain(std::size_t at, std::uint64_t address, bool fragment) {
    if (chains_.size() == kMaxChains)
      return fail(at, "more than " + std::to_string(kMaxChains) + " job chains", ErrorCode::resource_limit);
    chains_.push_back({address, fragment});
    return {};
  }
  Result<CaptureFile> finish(std::uint32_t gpu) {
    WARPJIT_TRY(Image image, Image::make(std::move(pieces_), name_, limits_));
    return CaptureFile{.image = std::move(image), .chains = std::move(chains_), .gpu = gpu};
  }

  Result<CaptureFile> read_sections() {
    if (bytes_.size() < kFileHeader) return fail(0, "the file ends in its header");
    const auto version = static_cast<std::uint32_t>(number(4, 4));
    if (version != kVersion)
      return fail(4, "version is " + std::to_string(version) + ", not 1", ErrorCode::unsupported);
    const std::uint64_t count = number(12, 4);
    if (!holds(kFileHeader, count * kSectionBytes))
      return fail(12, std::to_string(count) + " sections are not all in the file");
    for (std::uint64_t n = 0; n < count; ++n) {
      const std::size_t at = kFileHeader + static_cast<std::size_t>(n) * kSectionBytes;
      const auto kind = static_cast<std::uint32_t>(number(at, 4)),
                 flags = static_cast<std::uint32_t>(number(at + 4, 4));
      const std::uint64_t address = number(at + 8, 8), from = number(at + 16, 8), size = number(at + 24, 8);
      switch (kind) {
        case kMemory:
        case kZeroMemory:
          WARPJIT_CHECK(add_piece(at, address, size, from, kind == kZeroMemory));
          break;
        case kChain:
          WARPJIT_CHECK(add_chain(at, address, (flags & 1) != 0));
          break;
        case kExpected:
        case kNote:
          if (!holds(from, size))
            return fail(at, hex_text(size) + " bytes at byte " + hex_text(from) + " are not all in the file");
          break;
        default:
          if ((flags & kMustKnow) != 0)
            return fail(at, "a section of kind " + std::to_string(kind), ErrorCode::unsupported);
          break;
      }
    }
    return finish(static_cast<std::uint32_t>(number(8, 4)));
  }

  // Headers from the beginning to the trailer; that of the registers comes first.
  Result<CaptureFile> read_dump() {
    std::uint32_t gpu = 0;
    for (std::size_t at = 0;; at += kDumpHeader) {
      if (!holds(at, kDumpHeader)) return fail(at, "the file ends before its trailer");
      if (number(at, 4) != kDumpMagic) return fail(at, "an object does not begin with PANF");
      const auto type = static_cast<std::uint32_t>(number(at + 4, 4));
      const std::uint64_t size = number(at + 8, 4), from = number(at + 12, 4);
      if ((type == kRegisters) != (at == 0))
        return fail(at, "type: the object of the registers is not the first, alone");
      if (type == kTrailer) return finish(gpu);
      switch (type) {
        case kRegisters:
          gpu = static_cast<std::uint32_t>(number(at + 24, 4));
          if (const std::uint64_t chain = number(at + 16, 8); chain != 0)
            WARPJIT_CHECK(add_chain(at, chain, false));
          break;
        case kPageMap:
          break;
        case kBuffer:
          // What the kernel could not read is not valid.
          if (number(at + 16, 4) != 0 && size != 0)
            WARPJIT_CHECK(add_piece(at, number(at + 24, 8), size, from, false));
          break;
        default:
          return fail(at, "type: there is no " + std::to_string(type));
      }
    }
  }

  std::span<const std::byte> bytes_;
  std::string name_;
  const ImageLimits& limits_;
  std::vector<ImagePiece> pieces_;
  std::vector<JobChain> chains_;
};

}  // namespace

Result<CaptureFile> read_capture(std::span<const std::byte> bytes, std::string name,
                                 const ImageLimits& limits) {
  return CaptureReader(bytes, std::move(name), limits).read();
}

bool is_core_dump(std::span<const std::byte> bytes) {
  constexpr std::array<std::byte, 4> kStart = {std::byte{'P'}, std::byte{'A'}, std::byte{'N'},
                                               std::byte{'F'}};
  return bytes.size() >= kStart.size() && std::ranges::equal(bytes.first(kStart.size()), kStart);
}

}  // namespace warpjit::valhall
