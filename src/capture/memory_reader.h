// Memory of a guest from sections of a file: what lies there at first, and what is written later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/lazy_bytes.h"
#include "capture/section_file.h"

namespace warpjit::capture {

// Bytes of memory that a file may have, also as zeros, which cost nothing, or as bytes that it names again, ...
inline constexpr std::uint64_t kMaxCaptureMemory = std::uint64_t{1} << 29;
// ... and for each byte of the file those that are not said to be zeros: a page is named again in 48 bytes.
inline constexpr std::uint64_t kMaxMemoryPerByte = 128;

struct MemoryLimits {
  unsigned address_bits = 32;
  std::size_t pieces = SIZE_MAX;             // neighbours with the smallest gaps are joined until it is met
  std::uint64_t memory = kMaxCaptureMemory;  // all of it, such gaps included
  std::uint64_t loads = std::uint64_t{1} << 30;  // bytes that are written between jobs
};

// Bytes that are written at an address; they lie in the file.
struct MemoryChange {
  std::uint64_t address = 0, size = 0;
  std::span<const std::byte> bytes;  // empty: zeros
};
struct MemoryPiece {
  std::uint64_t address = 0;
  LazyBytes bytes;
};

inline bool is_memory(SectionKind kind) {
  return kind == SectionKind::memory || kind == SectionKind::memory_again || kind == SectionKind::memory_zero;
}

class MemoryReader {
 public:
  MemoryReader(const FileBytes& file, const MemoryLimits& limits) : file_(file), limits_(limits) {}
  // A section of memory. `started`: a job lies before it. A change is to be made before the next job; none:
  // it lies there at first. Errors name the byte: bad_input, resource_limit.
  Result<std::optional<MemoryChange>> read(const Section& section, bool started);
  // All memory that any section names, as it is at first, ascending. Errors: bad_input for sections that lie
  // over each other; resource_limit.
  Result<std::vector<MemoryPiece>> finish();
  // The same in place: bytes of the file, and zeros for what changes alone name.
  struct Piece : MemoryChange {
    std::size_t at = 0;  // of the section in the file
    std::uint64_t end() const { return address + size; }
  };
  Result<std::vector<Piece>> finish_in_place();

 private:
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // begin, end
  Result<Piece> read_piece(const Section& section) const;
  Status sort_first();
  Status check_given() const;
  static Ranges unite(const Ranges& ranges, std::uint64_t most);
  Result<Ranges> join(Ranges ranges) const;

  const FileBytes& file_;
  MemoryLimits limits_;
  std::vector<Piece> first_, changes_;
  std::uint64_t loaded_ = 0;
};

}  // namespace warpjit::capture
