// Memory of a guest as sections of a file: identical pages once, zeros without bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "capture/known_bytes.h"
#include "capture/section_file.h"

namespace warpjit::capture {

inline constexpr std::uint64_t kPageBytes = 4096;

class MemoryWriter {
 public:
  explicit MemoryWriter(SectionWriter& file) : file_(file) {}
  // What lies at the address from now on. `first`: nothing before reads or writes it.
  void write(std::uint64_t address, std::span<const std::byte> bytes, bool first);
  void write_zeros(std::uint64_t address, std::uint64_t size, bool first);
  // What is written there later; no bytes: zeros.
  void write_change(std::uint64_t address, std::uint64_t size, std::span<const std::byte> bytes) {
    if (bytes.empty())
      write_zeros(address, size, false);
    else
      write(address, bytes, false);
  }

 private:
  // Neighbours that one section holds.
  struct Run {
    SectionKind kind = SectionKind::memory;
    std::uint64_t address = 0, size = 0, place = 0;
    const std::byte* bytes = nullptr;
  };
  Run classify(std::uint64_t address, std::span<const std::byte> bytes, const Run& before);
  void flush(const Run& run, bool first);

  SectionWriter& file_;
  KnownBytes pages_;  // and where they are
};

}  // namespace warpjit::capture
