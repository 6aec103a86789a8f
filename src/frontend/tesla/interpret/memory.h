// The interpreter's memory spaces (tesla.md 9 and 10): every access is checked, what fails reads 0 or
// writes nothing and is reported, but for c[] and l[] of graphics programs (tesla.md 15). Internal linkage,
// as in interpret/ops.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "base/compiler.h"
#include "frontend/tesla/facts/register_file.h"
#include "frontend/tesla/interpret/op.h"

namespace warpjit::tesla {
namespace {

// Whether this is the loop that warps with an observer run in.
#ifdef TESLA_OBSERVED
constexpr bool kObserved = true;
#else
constexpr bool kObserved = false;
#endif

// Memory of one operand of one warp.
class OperandMemory {
 public:
  OperandMemory(BlockContext& context, const Warp& warp, const WarpOp& op, const Operand& operand)
      : context_(context), warp_(warp), op_(op), operand_(operand) {}

  // The address that a lane uses; 16 bits but for g[].
  std::uint32_t address(unsigned lane) const {
    if (operand_.kind == Operand::Kind::global) {
      if (operand_.value >= context_.registers) return 0;
      const std::uint32_t at = warp_.registers.r[operand_.value][lane];
      if constexpr (kObserved) warp_.observer->read(general_word(operand_.value), lane, at);
      return at;
    }
    const std::uint32_t base = warp_.registers.a[operand_.address][lane];
    if constexpr (kObserved)
      if (operand_.address != 0) warp_.observer->read(address_word(operand_.address), lane, base);
    return (operand_.post_increment ? base : base + operand_.value) & 0xffff;
  }

  // The bytes of an access, or nullptr after reporting it.
  const std::byte* read(unsigned lane, std::uint32_t address, unsigned size) const {
    const std::byte* at = nullptr;
    if (operand_.kind == Operand::Kind::constant) {
      at = constants(address, size);
    } else {
      at = writable(lane, address, size);
    }
    if (address % size != 0) at = nullptr;
    if constexpr (kObserved) show(lane, address, size, at, false);
    return at != nullptr ? at : report(lane, address, false);
  }
  std::byte* write(unsigned lane, std::uint32_t address, unsigned size) const {
    std::byte* at = writable(lane, address, size);
    if (address % size != 0) at = nullptr;
    if constexpr (kObserved) show(lane, address, size, at, true);
    return at != nullptr ? at : report(lane, address, true);
  }

  // To the warp's observer: an access, of which `at` is the place.
  void show(unsigned lane, std::uint32_t address, unsigned size, const std::byte* at, bool is_store) const {
    interpret::Event::Memory access{
        .address = address,
        .bytes = static_cast<std::uint8_t>(size),
        .lane = static_cast<std::uint8_t>(lane),
        .space = space_number(operand_.kind, operand_.space),
        .store = is_store,
        .faulted = at == nullptr && !may_miss(),
        .shared = operand_.kind == Operand::Kind::shared,
        .atomic = op_.i.lock != 0 || op_.i.opcode == Opcode::red_g || op_.i.opcode == Opcode::atom_g};
    access.place = at;
    if (at != nullptr) std::memcpy(&access.value, at, std::min(size, 4U));
    access.before = access.value;
    if (access.faulted) warp_.observer->happened(interpret::kFaulted);
    warp_.observer->event().memory.push_back(access);
  }
  // The same, after write(): these bytes are there now.
  void show_stored(const std::byte* at, unsigned size) const {
    std::memcpy(&warp_.observer->event().memory.back().value, at, std::min(size, 4U));
  }

 private:
  const std::byte* constants(std::uint32_t address, unsigned size) const {
    const std::span<const std::byte> space = context_.constants[operand_.space];
    if (std::uint64_t{address} + size <= space.size()) return space.data() + address;
    if (context_.graphics == nullptr || address >= space.size()) return nullptr;
    // For graphics programs, the bytes after the last one are 0.
    last_ = {};
    std::ranges::copy(space.subspan(address), last_.begin());
    return last_.data();
  }
  std::byte* writable(unsigned lane, std::uint32_t address, unsigned size) const {
    const std::uint64_t end = std::uint64_t{address} + size;
    switch (operand_.kind) {
      case Operand::Kind::shared:
        return end <= context_.shared.size() ? context_.shared.data() + address : nullptr;
      case Operand::Kind::local: {
        const std::uint32_t each = context_.program->local_bytes;
        return end <= each ? context_.local.data() + std::size_t{warp_.first_thread + lane} * each + address
                           : nullptr;
      }
      case Operand::Kind::global: {
        const auto& ranges = context_.launch->globals[operand_.space];
        auto range = std::upper_bound(ranges.begin(), ranges.end(), address,
                                      [](std::uint32_t a, const GlobalRange& r) { return a < r.address; });
        if (range == ranges.begin()) return nullptr;
        --range;
        return end <= std::uint64_t{range->address} + range->bytes.size()
                   ? range->bytes.data() + (address - range->address)
                   : nullptr;
      }
      default:
        return nullptr;
    }
  }

  // An access outside c[] or l[] is no fault of a graphics program.
  bool may_miss() const {
    const bool own = operand_.kind == Operand::Kind::constant || operand_.kind == Operand::Kind::local;
    return own && context_.graphics != nullptr;
  }
  WARPJIT_COLD std::byte* report(unsigned lane, std::uint32_t address, bool is_store) const {
    if (may_miss()) return nullptr;
    if (!context_.report.first_fault)
      context_.report.first_fault = MemoryFault{.pc = op_.pc,
                                                .block = context_.block,
                                                .thread = context_.first_number + warp_.first_thread + lane,
                                                .space = operand_.kind,
                                                .index = operand_.space,
                                                .address = address,
                                                .is_store = is_store};
    ++context_.report.first_fault->accesses;
    return nullptr;
  }

  BlockContext& context_;
  const Warp& warp_;
  const WarpOp& op_;
  const Operand& operand_;
  mutable std::array<std::byte, 16> last_{};  // bytes of an access that ends beyond c[]
};

// Little-endian words in memory, on any host of that order.
static_assert(std::endian::native == std::endian::little);

inline std::uint32_t load_element(const std::byte* at, Type type) {
  switch (type) {
    case Type::u8:
    case Type::b8:
      return std::to_integer<std::uint32_t>(*at);
    case Type::s8:
      return static_cast<std::uint32_t>(static_cast<std::int8_t>(*at));
    case Type::u16:
    case Type::b16: {
      std::uint16_t value = 0;
      std::memcpy(&value, at, 2);
      return value;
    }
    case Type::s16: {
      std::int16_t value = 0;
      std::memcpy(&value, at, 2);
      return static_cast<std::uint32_t>(value);
    }
    default: {
      std::uint32_t value = 0;
      std::memcpy(&value, at, 4);
      return value;
    }
  }
}

}  // namespace
}  // namespace warpjit::tesla
