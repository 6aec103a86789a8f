// Memory by the guest's addresses, as a replay of what was recorded has it: a writer of captures stores bytes when
// something first reads or writes them, later only what changed. Where the host has them may differ from time to
// time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "capture/memory_writer.h"

namespace warpjit::capture {

class KnownPages {
 public:
  explicit KnownPages(MemoryWriter& memory) : memory_(memory) {}
  // What lies at these addresses now, before it is read or written.
  void reach(std::uint64_t address, std::span<const std::byte> bytes);
  // What a job has left there, which a replay has, too. All of it was reached.
  void learn(std::uint64_t address, std::span<const std::byte> bytes);

 private:
  struct Page {
    std::array<std::byte, kPageBytes> bytes;             // those that are known
    std::array<std::uint64_t, kPageBytes / 64> known{};  // a bit a byte

    bool knows(std::size_t byte) const { return (known[byte / 64] >> byte % 64 & 1) != 0; }
    bool knows(std::size_t first, std::size_t end) const;
    void set_known(std::size_t first, std::size_t end);
  };
  struct Part;
  // Parts of pages that lie in a range, in their order.
  template <class Function>
  void each_part(std::uint64_t address, std::span<const std::byte> bytes, const Function& function);
  void write_changes(std::uint64_t address, std::span<const std::byte> bytes, Page& page);

  MemoryWriter& memory_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by address / kPageBytes
};

}  // namespace warpjit::capture
