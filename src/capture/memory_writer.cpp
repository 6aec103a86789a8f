#include "capture/memory_writer.h"

#include <algorithm>

namespace warpjit::capture {
namespace {

constexpr std::size_t kMemoryHeader = 16;  // address and size

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{}; });
}

}  // namespace

void MemoryWriter::flush(const Run& run, bool first) {
  if (run.size == 0) return;
  Numbers numbers;
  numbers.long_word(run.address).long_word(run.size);
  if (run.kind == SectionKind::memory_again) numbers.long_word(run.place).long_word(0);
  std::span<const std::byte> bytes;
  if (run.kind == SectionKind::memory) bytes = {run.bytes, static_cast<std::size_t>(run.size)};
  file_.write(run.kind, first ? kFirstFlag : 0, numbers.bytes(), bytes);
}

// Where its bytes will be, if they go on after `before`, which is not written yet.
MemoryWriter::Run MemoryWriter::classify(std::uint64_t address, std::span<const std::byte> bytes,
                                         const Run& before) {
  Run run{SectionKind::memory, address, bytes.size(), 0, bytes.data()};
  if (all_zero(bytes)) {
    run.kind = SectionKind::memory_zero;
    return run;
  }
  if (bytes.size() != kPageBytes) return run;
  // Other kinds than memory are written before it: their sections have one size.
  std::uint64_t place = file_.place() + kSectionHeader + kMemoryHeader;
  if (before.size != 0) {
    if (before.kind == SectionKind::memory) place += before.size;
    if (before.kind == SectionKind::memory_zero) place += kSectionHeader + kMemoryHeader;
    if (before.kind == SectionKind::memory_again) place += kSectionHeader + 2 * kMemoryHeader;
  }
  if (const auto known = pages_.find_or_add(bytes, place)) {
    run.kind = SectionKind::memory_again;
    run.place = *known;
  }
  return run;
}

void MemoryWriter::write(std::uint64_t address, std::span<const std::byte> bytes, bool first) {
  Run run;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t left_of_page = kPageBytes - (address + at) % kPageBytes;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_of_page, bytes.size() - at));
    const Run next = classify(address + at, bytes.subspan(at, size), run);
    // Pages that occur again have a section each: readers have a limit of memory for each byte of a file.
    if (run.size != 0 && run.kind == next.kind && run.kind != SectionKind::memory_again) {
      run.size += next.size;
    } else {
      flush(run, first);
      run = next;
    }
    at += size;
  }
  flush(run, first);
}

void MemoryWriter::write_zeros(std::uint64_t address, std::uint64_t size, bool first) {
  flush({SectionKind::memory_zero, address, size, 0, nullptr}, first);
}

}  // namespace warpjit::capture
