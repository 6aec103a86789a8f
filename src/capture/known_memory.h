// Memory by addresses, as a replay of what was recorded has it: bytes are stored when something first reads or
// writes them, later only what changed. Where the host has them may differ from time to time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/memory_writer.h"

namespace warpjit::capture {

class KnownMemory {
 public:
  // Called with each range before its bytes are stored; `first`: no earlier range reached them.
  using See = std::function<void(std::uint64_t address, std::size_t size, bool first)>;
  explicit KnownMemory(MemoryWriter& memory, See see = {}) : memory_(memory), see_(std::move(see)) {}

  // What lies at these addresses now, before it is read or written.
  void reach(std::uint64_t address, std::span<const std::byte> bytes);
  // What a job has left there, which a replay has, too. All of it was reached.
  void learn(std::uint64_t address, std::span<const std::byte> bytes);
  // What a replay has there, or zeros.
  std::vector<std::byte> read(std::uint64_t address, std::size_t size) const;

 private:
  static constexpr std::size_t kBlock = 4 * kPageBytes;
  struct Block {
    std::array<std::byte, kBlock> bytes;             // those that are known
    std::array<std::uint64_t, kBlock / 64> known{};  // a bit a byte
    std::size_t unknown = kBlock;
    std::size_t first = 0, end = 0;  // of a part that is known: jobs reach the same again and again

    bool knows_part(std::size_t from, std::size_t to) const {
      return (from >= first && to <= end) || unknown == 0;
    }
    bool knows(std::size_t byte) const { return (known[byte / 64] >> byte % 64 & 1) != 0; }
    // Where bytes end that are known, or not, as the first one is.
    std::size_t run_end(std::size_t from, std::size_t to) const;
    void set_known(std::size_t from, std::size_t to);
    void remember_part(std::size_t from, std::size_t to);  // which is known
  };
  Block& block_of(std::uint64_t address);
  void store(std::uint64_t address, std::span<const std::byte> bytes, bool first);
  void store_changes(std::uint64_t address, std::span<const std::byte> bytes, std::byte* known);

  MemoryWriter& memory_;
  See see_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Block>> blocks_;  // by address / kBlock
  Block* last_ = nullptr;                                             // the one that was looked for last
  std::uint64_t last_number_ = 0;
};

}  // namespace warpjit::capture
