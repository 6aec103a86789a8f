#include "ir/memory.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "ir/function.h"

namespace warpjit::ir {

static_assert(std::endian::native == std::endian::little, "guests are little-endian");

std::string_view name(Space space) {
  constexpr std::string_view kNames[] = {"constant", "shared", "local", "global"};
  return kNames[static_cast<std::size_t>(space)];
}

namespace {

// The last piece that does not begin after the address; nothing if all begin after it.
MemoryRange before(std::span<const MemoryRange> ranges, std::uint32_t address) {
  auto range = std::upper_bound(ranges.begin(), ranges.end(), address,
                                [](std::uint32_t a, const MemoryRange& r) { return a < r.address; });
  return range == ranges.begin() ? MemoryRange() : *--range;
}

// The piece with `size` bytes from the address on, or null.
std::byte* in_ranges(std::span<const MemoryRange> ranges, std::uint32_t address, std::uint32_t size) {
  const MemoryRange range = before(ranges, address);
  const std::uint64_t start = address - range.address;
  return start + size <= range.size ? range.bytes + start : nullptr;
}

template <class Word>
Word after(AtomicFunction function, Word a, Word b, Word c) {
  using Signed = std::make_signed_t<Word>;
  const bool less_s = static_cast<Signed>(b) < static_cast<Signed>(a), less_u = b < a;
  switch (function) {
    case AtomicFunction::add:
      return a + b;
    case AtomicFunction::exchange:
      return b;
    case AtomicFunction::compare_exchange:
      return a == b ? c : a;
    case AtomicFunction::increment:
      return a + 1 > b ? 0 : a + 1;
    case AtomicFunction::decrement:
      return a - 1 > b ? b : a - 1;
    case AtomicFunction::max_s:
      return less_s ? a : b;
    case AtomicFunction::max_u:
      return less_u ? a : b;
    case AtomicFunction::min_s:
      return less_s ? b : a;
    case AtomicFunction::min_u:
      return less_u ? b : a;
    case AtomicFunction::and_:
      return a & b;
    case AtomicFunction::or_:
      return a | b;
    case AtomicFunction::xor_:
      return a ^ b;
    case AtomicFunction::add_saturated_u:
      return std::max<Word>(a + b, Word{0} - Word{Word(a + b) < a});
    case AtomicFunction::add_saturated_s: {
      const Word sum = a + b, most = ~Word{0} >> 1;
      const bool overflows = static_cast<Signed>((a ^ sum) & (b ^ sum)) < 0;
      return overflows ? most + (a > most ? 1 : 0) : sum;
    }
  }
  return a;
}

// Blocks of the grid may run on other threads.
template <class Word>
Word update(std::byte* at, AtomicFunction function, Word b, Word c) {
  const std::atomic_ref<Word> memory(*reinterpret_cast<Word*>(at));
  Word old = memory.load(std::memory_order_relaxed);
  while (!memory.compare_exchange_weak(old, after(function, old, b, c), std::memory_order_relaxed)) {
  }
  return old;
}

}  // namespace

std::byte* BlockMemory::find(MemoryAccess access, std::uint32_t address, Accessor by, bool is_store) {
  std::byte* at = nullptr;
  const std::uint64_t end = std::uint64_t{address} + access.extent;
  if ((address & (access.alignment - 1u)) == 0) {
    switch (access.space) {
      case Space::constant:
        at = in_ranges(constants[access.index], address, access.extent);
        break;
      case Space::global:
        at = in_ranges(globals[access.index], address, access.extent);
        break;
      case Space::shared:
        if (end <= shared.size()) at = shared.data() + address;
        break;
      case Space::local:
        if (end <= local_bytes) {
          const std::uint32_t b = address + access.offset;
          const std::size_t words =
              std::size_t{by.thread / lanes} * local_words(local_bytes) + std::size_t{b / 4};
          return local + (words * lanes + by.thread % lanes) * 4 + b % 4;
        }
        break;
    }
  }
  if (at != nullptr) return at + access.offset;
  if (!fault.happened)
    fault = {true, is_store, access.space, access.index, address, by.guest_address, by.thread, block};
  return nullptr;
}

std::uint32_t BlockMemory::load(MemoryAccess access, std::uint32_t address, Accessor by) {
  const std::byte* at = find(access, address, by, false);
  if (at == nullptr) return 0;
  std::uint32_t word = 0;
  std::memcpy(&word, at, size_of(access.element));
  switch (access.element) {
    case Element::s8:
      return static_cast<std::uint32_t>(static_cast<std::int8_t>(word));
    case Element::s16:
      return static_cast<std::uint32_t>(static_cast<std::int16_t>(word));
    default:
      return word;
  }
}

void BlockMemory::store(MemoryAccess access, std::uint32_t address, std::uint32_t value, Accessor by) {
  if (std::byte* at = find(access, address, by, true)) std::memcpy(at, &value, size_of(access.element));
}

std::uint32_t BlockMemory::atomic(MemoryAccess access, std::uint32_t address, std::uint32_t b,
                                  std::uint32_t c, Accessor by) {
  std::byte* at = find(access, address, by, true);
  return at != nullptr ? update<std::uint32_t>(at, access.function, b, c) : 0;
}

std::uint64_t BlockMemory::atomic64(MemoryAccess access, std::uint32_t address, std::uint64_t b,
                                    std::uint64_t c, Accessor by) {
  std::byte* at = find(access, address, by, true);
  return at != nullptr ? update<std::uint64_t>(at, access.function, b, c) : 0;
}

BlockMemory::Locked BlockMemory::lock(MemoryAccess access, std::uint32_t address, Accessor by) {
  const std::byte* at = find(access, address, by, false);
  if (at == nullptr) return {};
  Locked result;
  std::memcpy(&result.value, at, sizeof result.value);
  std::uint8_t& taken = locks[address / 4];
  result.success = taken == 0;
  taken = 1;
  return result;
}

void BlockMemory::unlock(MemoryAccess access, std::uint32_t address, std::uint32_t value, Accessor by) {
  std::byte* at = find(access, address, by, true);
  if (at == nullptr) return;
  std::memcpy(at, &value, sizeof value);
  locks[address / 4] = 0;
}

void BlockMemory::access(Opcode opcode, MemoryAccess access, const std::uint32_t* operands,
                         std::uint32_t* results, Accessor by) {
  const std::uint32_t address = operands[1];
  const auto pair = [&](std::size_t k) { return operands[k] | std::uint64_t{operands[k + 1]} << 32; };
  switch (opcode) {
    case Opcode::LoadMemory:
      results[0] = load(access, address, by);
      break;
    case Opcode::StoreMemory:
      store(access, address, operands[2], by);
      break;
    case Opcode::AtomicMemory:
      results[0] = atomic(access, address, operands[2], operands[3], by);
      break;
    case Opcode::AtomicMemory64: {
      const std::uint64_t old = atomic64(access, address, pair(2), pair(4), by);
      results[0] = static_cast<std::uint32_t>(old);
      results[1] = static_cast<std::uint32_t>(old >> 32);
      break;
    }
    case Opcode::LockMemory: {
      const Locked locked = lock(access, address, by);
      results[0] = locked.value;
      results[1] = locked.success ? 1 : 0;
      break;
    }
    case Opcode::UnlockMemory:
      unlock(access, address, operands[2], by);
      break;
    default:
      break;
  }
}

MemoryRange BlockMemory::piece(MemoryAccess access, std::uint32_t address) const {
  switch (access.space) {
    case Space::constant:
      return before(constants[access.index], address);
    case Space::global:
      return before(globals[access.index], address);
    case Space::shared:
      return {shared.data(), 0, static_cast<std::uint32_t>(shared.size())};
    case Space::local:
      break;
  }
  return {};
}

MemoryUse memory_use(const Function& f) {
  MemoryUse use;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (const Inst i : f.insts(Block{b})) {
      const InstData& data = f.inst(i);
      if (family(data.opcode) != Family::memory) continue;
      const Space space = MemoryAccess::unpack(data.immediate).space;
      use.shared = use.shared || space == Space::shared;
      use.local = use.local || space == Space::local;
      use.locks = use.locks || data.opcode == Opcode::LockMemory || data.opcode == Opcode::UnlockMemory;
    }
  return use;
}

}  // namespace warpjit::ir
