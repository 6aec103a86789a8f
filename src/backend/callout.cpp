// What generated code calls for callouts: operations lane by lane, by their definitions in ir/.
#include <array>
#include <atomic>

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

// Of lane n, whose group begins with the call's lanes.
std::uint32_t address_of(const CallSite& site, std::uint32_t first, std::size_t n) {
  std::uint32_t sum = first;
  for (std::size_t bit = 0; bit < site.strides.size(); ++bit)
    if ((n >> bit & 1) != 0) sum += site.strides[bit];
  return site.wraps16 ? sum & 0xffff : sum;
}

std::uint64_t pair(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

void memory(const CallSite& site, ir::BlockMemory& block, std::uint32_t thread, Lane& lane) {
  const auto access = ir::MemoryAccess::unpack(site.immediate);
  const ir::BlockMemory::Accessor by{site.guest_address, thread};
  const auto& words = lane.operands;
  const std::uint32_t address = words[1], b = words[2], c = words[3], d = words[4], e = words[5];
  switch (site.opcode) {
    case Opcode::LoadMemory:
      lane.results[0] = block.load(access, address, by);
      break;
    case Opcode::StoreMemory:
      block.store(access, address, b, by);
      break;
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
  std::uint32_t any_word = 0;  // that some lane loaded
  const auto acts = [&](std::size_t n) {
    return row.pure || site.unguarded || (site.guard ? (*site.guard)[n] : words[n] != 0);
  };
  const bool asks_words = !row.pure && !site.unguarded && !site.guard;
  for (std::size_t n = 0; n < lanes; ++n) {
    if (asks_words)  // of wide groups often only a few act
      while (n + 4 < lanes && (words[n] | words[n + 1] | words[n + 2] | words[n + 3]) == 0) n += 4;
    if (!acts(n)) continue;
    Lane lane;
    for (std::size_t k = 0; k < operand_count; ++k) lane.operands[k] = words[k * pitch + n];
    if (site.strided) lane.operands[1] = address_of(site, words[pitch], n);
    if (row.pure)
      pure(site, row, lane);
    else
      memory(site, *args->memory, args->group_index * args->memory->lanes + static_cast<std::uint32_t>(n),
             lane);
    for (std::size_t k = 0; k < result_count; ++k)
      results[k * pitch + n] = row.results[k] == 'b' ? 0u - lane.results[k] : lane.results[k];
    any_word = lane.results[0];
  }
  // A load from one address may be taken for uniform: lanes without guard see the others' word.
  if (site.opcode == Opcode::LoadMemory)
    for (std::size_t n = 0; n < lanes; ++n)
      if (!acts(n)) results[n] = any_word;
}

}  // namespace warpjit::backend
