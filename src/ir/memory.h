// The memory of threads as LoadMemory and its relatives see it: spaces, what an access is, and accesses one
// lane at a time, which define the meaning. The IR interpreter runs these; compiled code has its own way for
// the common case and comes here with the rest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ir/types.h"

namespace warpjit::ir {

enum class Space : std::uint8_t {
  constant,  // read only; several, by index
  shared,    // of a block
  local,     // of a thread
  global,    // several, by index
};
std::string_view name(Space space);
inline constexpr std::uint32_t kMaxSpaces = 16;  // of a kind

enum class Element : std::uint8_t { u8, s8, u16, s16, word };  // what is narrow is extended to 32 bits
constexpr std::uint32_t size_of(Element element) {
  return element <= Element::s8 ? 1 : element <= Element::s16 ? 2 : 4;
}

// What an atomic leaves in memory, from the old value a, the operand b and the value c.
enum class AtomicFunction : std::uint8_t {
  add,
  exchange,          // b
  compare_exchange,  // a == b ? c : a
  increment,         // a + 1 > b ? 0 : a + 1, unsigned
  decrement,         // a - 1 > b ? b : a - 1, unsigned
  max_s,
  max_u,
  min_s,
  min_u,
  and_,
  or_,
  xor_,
  add_saturated_u,  // a + b, at most the greatest word
  add_saturated_s,  // a + b, of signed words, within their range
};
inline constexpr std::uint32_t kAtomicFunctions = 14;

// An access of one instruction of the guest, or a word of one: `extent` bytes from the address on must be in
// the space, the address a multiple of `alignment`; of these the element at address + offset is accessed.
struct MemoryAccess {
  Space space = Space::global;
  std::uint8_t index = 0;  // of constant and global spaces
  Element element = Element::word;
  std::uint8_t alignment = 4;  // a power of two up to 16
  std::uint8_t extent = 4;     // up to 16
  std::uint8_t offset = 0;
  AtomicFunction function{};  // of atomics

  constexpr std::uint64_t pack() const {
    return static_cast<std::uint64_t>(space) | std::uint64_t{index} << 2 |
           static_cast<std::uint64_t>(element) << 8 | std::uint64_t{alignment} << 16 |
           std::uint64_t{extent} << 24 | std::uint64_t{offset} << 32 |
           static_cast<std::uint64_t>(function) << 40;
  }
  static constexpr MemoryAccess unpack(std::uint64_t bits) {
    const auto byte = [&](unsigned shift) { return static_cast<std::uint8_t>(bits >> shift); };
    return {static_cast<Space>(bits & 3),
            static_cast<std::uint8_t>(bits >> 2 & 15),
            static_cast<Element>(byte(8)),
            byte(16),
            byte(24),
            byte(32),
            static_cast<AtomicFunction>(byte(40))};
  }
  // True if the numbers fit together.
  constexpr bool valid() const {
    return element <= Element::word && (alignment & (alignment - 1)) == 0 && alignment >= 1 &&
           alignment <= 16 && extent <= 16 && offset + size_of(element) <= extent &&
           static_cast<std::uint32_t>(function) < kAtomicFunctions;
  }
  bool operator==(const MemoryAccess&) const = default;
};

// Which memory of a block a function uses.
struct MemoryUse {
  bool shared = false, local = false, locks = false;
};
class Function;
MemoryUse memory_use(const Function& f);

// A piece of a space. Size and address are multiples of 4.
struct MemoryRange {
  std::byte* bytes = nullptr;
  std::uint32_t address = 0;  // of its first byte in the space
  std::uint32_t size = 0;     // address + size <= 2^32
};

// Memory of a texture, of at least 8 bytes: LoadTexel and LoadTexelPair, which do not align.
struct TexelView {
  const std::byte* bytes = nullptr;
  std::uint32_t last = 0;       // byte of the last word; below 2^31
  std::uint32_t last_pair = 0;  // of the last two
};
inline TexelView texel_view(std::span<const std::byte> bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  return {bytes.data(), size - 4, size - 8};
}

// The first access of a run that was outside or not aligned.
struct MemoryFault {
  bool happened = false;
  bool is_store = false;
  Space space = Space::global;
  std::uint8_t index = 0;
  std::uint32_t address = 0;
  std::uint32_t guest_address = kNoAddress;
  std::uint32_t thread = 0;  // in its block
  BlockPosition block{};
  // How many accesses of lanes faulted, this one too; 0: nobody counts.
  std::uint64_t accesses = 0;

  // With faults that came later.
  void add(const MemoryFault& later) {
    const std::uint64_t all = accesses + later.accesses;
    if (!happened) *this = later;
    accesses = all;
  }
};

// The memory of one block; work without blocks has local memory for one group, which each has in its turn.
// Local memory: byte b of thread t is byte
// (t / lanes * bytes + b / 4 * 4) * lanes + t % lanes * 4 + b % 4, with local_bytes rounded up to words as
// `bytes`, so that the lanes of a group have their words side by side.
struct BlockMemory {
  std::array<std::span<const MemoryRange>, kMaxSpaces> constants{}, globals{};  // by address
  std::span<std::byte> shared{};
  std::span<std::uint8_t> locks{};  // one for each word of `shared`: not 0 while locked
  std::byte* local = nullptr;
  std::uint32_t local_bytes = 0;  // of a thread
  std::uint32_t lanes = 32;       // of a group
  BlockPosition block{};
  MemoryFault fault{};

  static std::uint32_t local_words(std::uint32_t local_bytes) { return (local_bytes + 3) / 4; }

  // Who makes an access: one lane. `thread` is its number in the block.
  struct Accessor {
    std::uint32_t guest_address, thread;
  };
  std::uint32_t load(MemoryAccess access, std::uint32_t address, Accessor by);
  void store(MemoryAccess access, std::uint32_t address, std::uint32_t value, Accessor by);
  std::uint32_t atomic(MemoryAccess access, std::uint32_t address, std::uint32_t b, std::uint32_t c,
                       Accessor by);
  std::uint64_t atomic64(MemoryAccess access, std::uint32_t address, std::uint64_t b, std::uint64_t c,
                         Accessor by);
  // The word, and whether its lock was free.
  struct Locked {
    std::uint32_t value = 0;
    bool success = false;
  };
  Locked lock(MemoryAccess access, std::uint32_t address, Accessor by);
  void unlock(MemoryAccess access, std::uint32_t address, std::uint32_t value, Accessor by);
  // What an opcode of the family `memory` does in a lane where its guard holds: operands and results as in
  // its row (ir/opcodes.inc).
  void access(Opcode opcode, MemoryAccess access, const std::uint32_t* operands, std::uint32_t* results,
              Accessor by);
  // The piece of the access's space that the address is in; nothing if no piece holds
  // it, and for local memory.
  MemoryRange piece(MemoryAccess access, std::uint32_t address) const;

 private:
  std::byte* find(MemoryAccess access, std::uint32_t address, Accessor by, bool is_store);
};

}  // namespace warpjit::ir
