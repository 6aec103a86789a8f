// What generated code calls for callouts: operations lane by lane, by their definitions in ir/.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "backend/target.h"
#include "ir/callout.h"
#include "ir/evaluate.h"

namespace warpjit::backend {
namespace {

using ir::Opcode;
using ir::OpcodeInfo;

struct Lane {
  std::array<std::uint32_t, ir::kMaxOperands> operands{};
  std::array<std::uint32_t, ir::kMaxCalloutResults> results{};
};

void pure(const CallSite& site, const OpcodeInfo& row, Lane& lane) {
  if (!row.lane_wise())
    return ir::evaluate_callout(site.opcode, site.immediate, lane.operands.data(), lane.results.data());
  std::array<std::uint64_t, ir::kMaxOperands> operands{};
  for (std::size_t k = 0; k < row.operands.size(); ++k)
    operands[k] = row.operands[k] == 'b' ? lane.operands[k] & 1 : lane.operands[k];
  lane.results[0] =
      static_cast<std::uint32_t>(ir::evaluate(site.opcode, {operands.data(), row.operands.size()}));
}

std::uint64_t pair(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

// Atomics and locks.
void update(const CallSite& site, ir::BlockMemory& block, std::uint32_t thread, Lane& lane) {
  const auto access = ir::MemoryAccess::unpack(site.immediate);
  const ir::BlockMemory::Accessor by{site.guest_address, thread};
  const auto& words = lane.operands;
  const std::uint32_t address = words[1], b = words[2], c = words[3], d = words[4], e = words[5];
  switch (site.opcode) {
    case Opcode::AtomicMemory:
      lane.results[0] = block.atomic(access, address, b, c, by);
      break;
    case Opcode::AtomicMemory64: {
      const std::uint64_t old = block.atomic64(access, address, pair(b, c), pair(d, e), by);
      lane.results = {static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(old >> 32)};
      break;
    }
    case Opcode::LockMemory: {
      const ir::BlockMemory::Locked locked = block.lock(access, address, by);
      lane.results = {locked.value, locked.success ? 1u : 0u};
      break;
    }
    case Opcode::UnlockMemory:
      block.unlock(access, address, b, by);
      break;
    default:
      break;
  }
}

// Does lane n of an access take part?
bool acts(const CallSite& site, const std::uint32_t* words, std::size_t n) {
  return site.unguarded || (site.guard ? (*site.guard)[n] : words[n] != 0);
}
template <class Visit>
void for_each_acting(const CallSite& site, const std::uint32_t* words, Visit visit) {
  const bool asks_words = !site.unguarded && !site.guard;
  for (std::size_t n = 0; n < site.lanes; ++n) {
    if (asks_words)  // of wide groups often only a few act
      while (n + 4 < site.lanes && (words[n] | words[n + 1] | words[n + 2] | words[n + 3]) == 0) n += 4;
    if (acts(site, words, n)) visit(n);
  }
}

using Addresses = std::array<std::uint32_t, ir::kMaxGroupLanes>;

// Those of all lanes; they are made here if the call has only the first one's.
const std::uint32_t* addresses_of(const CallSite& site, const std::uint32_t* words, Addresses& made) {
  const std::uint32_t* const given = words + site.pitch;
  if (!site.strided) return given;
  made[0] = given[0];
  for (std::size_t bit = 0; std::size_t{1} << bit < site.lanes; ++bit) {
    const std::size_t have = std::size_t{1} << bit;
    for (std::size_t n = 0; n < have && have + n < site.lanes; ++n)
      made[have + n] = made[n] + site.strides[bit];
  }
  for (std::size_t n = 0; n < site.lanes && site.wraps16; ++n) made[n] &= 0xffff;
  return made.data();
}

// Words of one space: in the piece where the last one was that lies elsewhere, which is found once for many.
class Words {
 public:
  Words(ir::BlockMemory& block, const CallSite& site, std::uint32_t first_thread)
      : block_(block),
        site_(site),
        access_(ir::MemoryAccess::unpack(site.immediate)),
        thread_(first_thread) {}

  std::uint32_t load(std::uint32_t address, std::size_t lane) {
    std::uint32_t word = 0;
    const std::byte* const at = find(address);
    if (at == nullptr) return block_.load(access_, address, by(lane));
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  void store(std::uint32_t address, std::uint32_t word, std::size_t lane) {
    if (std::byte* const at = find(address))
      std::memcpy(at, &word, sizeof word);
    else
      block_.store(access_, address, word, by(lane));
  }

 private:
  // Null: it is not a word in memory, or not found here.
  std::byte* find(std::uint32_t address) {
    if (access_.element != ir::Element::word || address % access_.alignment != 0) return nullptr;
    if (!holds(address)) {
      piece_ = block_.piece(access_, address);
      if (!holds(address)) return nullptr;
    }
    return piece_.bytes + (address - piece_.address) + access_.offset;
  }
  bool holds(std::uint32_t address) const {
    return std::uint64_t{address - piece_.address} + access_.extent <= piece_.size;
  }
  ir::BlockMemory::Accessor by(std::size_t lane) const {
    return {site_.guest_address, thread_ + static_cast<std::uint32_t>(lane)};
  }

  ir::BlockMemory& block_;
  const CallSite& site_;
  const ir::MemoryAccess access_;
  const std::uint32_t thread_;  // of lane 0
  ir::MemoryRange piece_{};
};

// LoadMemory and StoreMemory, with those that follow it.
void move_words(const KernelArgs& args, const CallSite& first, std::uint32_t* words) {
  const std::uint32_t thread = args.group_index * args.memory->lanes;
  Addresses made;
  const std::uint32_t* const addresses = addresses_of(first, words, made);
  // Lanes without guard see the others' word: a load from one address may be taken for uniform.
  const bool one_address = first.strided && std::ranges::all_of(first.strides, [](auto s) { return s == 0; });
  for (std::uint32_t k = 0; k <= first.followers; ++k) {
    const CallSite& site = *(&first + k);
    Words memory(*args.memory, site, thread);
    std::uint32_t* const moved = words + std::size_t{2 + k} * first.pitch;
    if (site.opcode == Opcode::StoreMemory) {
      for_each_acting(first, words,
                      [&](std::size_t n) { memory.store(addresses[n] + site.further, moved[n], n); });
      continue;
    }
    if (!one_address) std::memset(moved, 0, first.lanes * sizeof *moved);
    std::uint32_t any_word = 0;
    for_each_acting(first, words, [&](std::size_t n) {
      any_word = moved[n] = memory.load(addresses[n] + site.further, n);
    });
    for (std::size_t n = 0; one_address && n < first.lanes; ++n)
      if (!acts(first, words, n)) moved[n] = any_word;
  }
}

// A group's LaneRead.
void read_lanes(const CallSite& site, const std::uint32_t* words, std::uint32_t* results) {
  const std::uint32_t *guard = words, *value = guard + site.pitch, *other = value + site.pitch,
                      *number = other + site.pitch;
  for (std::size_t n = 0; n < site.lanes; ++n) {
    const std::size_t from = number[n] % site.lanes;
    results[n] = guard[from] != 0 ? value[from] : other[n];
  }
}

void count_fuel(KernelArgs& args, const CallSite& site, const std::uint32_t* words) {
  args.guest_address = site.guest_address;
  // KernelArgs has the address of an atomic.
  if (reinterpret_cast<const std::atomic<std::uint32_t>*>(args.cancel)->load(std::memory_order_relaxed) !=
      0) {
    args.status = KernelStatus::cancelled;
    return;
  }
  args.status = KernelStatus::out_of_fuel;
  if (args.fuel_counts == nullptr) return;
  const bool fixed_width = site.immediate != 0;
  args.fuel_counts->of_group(args.group_count, fixed_width ? args.more_blocks : 0);
  const std::size_t first = site.immediate > 1 ? std::size_t{args.group_index} * site.lanes : 0;
  const auto takes = [&](std::size_t n) { return site.unguarded || words[n] != 0; };
  if (args.fuel_counts->count(first, site.lanes, takes)) args.status = KernelStatus::done;
}

}  // namespace

void call_out(KernelArgs* args, std::uint32_t number, std::uint32_t* words) {
  const CallSite& site = args->call_sites[number];
  const OpcodeInfo& row = ir::info(site.opcode);
  if (site.opcode == Opcode::BurnFuel) return count_fuel(*args, site, words);
  const std::size_t lanes = site.lanes, pitch = site.pitch, operand_count = row.operands.size(),
                    result_count = row.results.size();
  std::uint32_t* const results = words + operand_count * pitch;
  if (site.opcode == Opcode::TeslaSpecialFunction32) {
    sfu::evaluate(static_cast<sfu::Function>(site.immediate), {words, lanes}, results);
    return;
  }
  if (site.opcode == Opcode::FMadTruncFlush32) return ir::multiply_add_truncated(words, pitch, results);
  if (site.opcode == Opcode::LaneRead) return read_lanes(site, words, results);
  if (!row.pure) args->memory->block = args->block;
  if (site.opcode == Opcode::LoadMemory || site.opcode == Opcode::StoreMemory)
    return move_words(*args, site, words);
  Addresses made;
  const std::uint32_t* const addresses = row.pure ? nullptr : addresses_of(site, words, made);
  const auto make = [&](std::size_t n) {
    Lane lane;
    for (std::size_t k = 0; k < operand_count; ++k)
      if (k != 1 || addresses == nullptr) lane.operands[k] = words[k * pitch + n];
    if (addresses != nullptr) lane.operands[1] = addresses[n];
    if (row.pure)
      pure(site, row, lane);
    else
      update(site, *args->memory, args->group_index * args->memory->lanes + static_cast<std::uint32_t>(n),
             lane);
    for (std::size_t k = 0; k < result_count; ++k)
      results[k * pitch + n] = row.results[k] == 'b' ? 0u - lane.results[k] : lane.results[k];
  };
  if (!row.pure) return for_each_acting(site, words, make);
  for (std::size_t n = 0; n < lanes; ++n) make(n);
}

}  // namespace warpjit::backend
