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

// True if lane n of an access takes part.
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

// LoadMemory and StoreMemory of the lanes of a call.
class Mover {
 public:
  Mover(const KernelArgs& args, const CallSite& site, std::uint32_t* words)
      : block_(*args.memory),
        first_(site),
        words_(words),
        thread_(args.group_index * args.memory->lanes),
        addresses_(addresses_of(site, words, made_)) {
    for_each_acting(site, words,
                    [&](std::size_t n) { lanes_[lane_count_++] = static_cast<std::uint16_t>(n); });
  }

  // With those of the sites that follow.
  void run() {
    // Lanes without guard see the others' word: a load from one address may be taken for uniform.
    const bool one_address =
        first_.strided && std::ranges::all_of(first_.strides, [](std::uint32_t s) { return s == 0; });
    for (std::uint32_t k = 0; k <= first_.followers; ++k) {
      const CallSite& site = *(&first_ + k);
      std::uint32_t* const moved = words_ + std::size_t{2 + k} * first_.pitch;
      if (site.opcode == Opcode::StoreMemory) {
        move<true>(site, moved);
        continue;
      }
      if (lane_count_ != first_.lanes) std::memset(moved, 0, first_.lanes * sizeof *moved);
      move<false>(site, moved);
      for (std::size_t n = 0; one_address && lane_count_ != 0 && n < first_.lanes; ++n)
        if (!acts(first_, words_, n)) moved[n] = moved[lanes_[lane_count_ - 1]];
    }
  }

 private:
  // Most lie in the piece where the one before was.
  template <bool kStores>
  void move(const CallSite& site, std::uint32_t* moved) {
    const auto access = ir::MemoryAccess::unpack(site.immediate);
    const std::uint32_t low = access.alignment - 1u;
    const bool words = access.element == ir::Element::word;
    ir::MemoryRange piece = piece_;
    for (std::size_t k = 0; k < lane_count_; ++k) {
      const std::size_t n = lanes_[k];
      const std::uint32_t address = addresses_[n] + site.further;
      const auto inside = [&] {
        return words && (address & low) == 0 &&
               std::uint64_t{address - piece.address} + access.extent <= piece.size;
      };
      if (!inside()) piece = block_.piece(access, address);
      if (inside()) {
        std::byte* const at = piece.bytes + (address - piece.address) + access.offset;
        if (kStores)
          std::memcpy(at, &moved[n], sizeof moved[n]);
        else
          std::memcpy(&moved[n], at, sizeof moved[n]);
        continue;
      }
      const ir::BlockMemory::Accessor by{site.guest_address, thread_ + static_cast<std::uint32_t>(n)};
      if (kStores)
        block_.store(access, address, moved[n], by);
      else
        moved[n] = block_.load(access, address, by);
    }
    piece_ = piece;
  }

  ir::BlockMemory& block_;
  const CallSite& first_;
  std::uint32_t* const words_;
  const std::uint32_t thread_;  // of lane 0
  Addresses made_;
  const std::uint32_t* const addresses_;
  std::array<std::uint16_t, ir::kMaxGroupLanes> lanes_;
  std::size_t lane_count_ = 0;
  ir::MemoryRange piece_{};
};

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
    return Mover(*args, site, words).run();
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
      args->memory->access(
          site.opcode, ir::MemoryAccess::unpack(site.immediate), lane.operands.data(), lane.results.data(),
          {site.guest_address, args->group_index * args->memory->lanes + static_cast<std::uint32_t>(n)});
    for (std::size_t k = 0; k < result_count; ++k)
      results[k * pitch + n] = row.results[k] == 'b' ? 0u - lane.results[k] : lane.results[k];
  };
  if (!row.pure) {
    // A mask is 0 or all ones in every lane: false in those that do nothing.
    for (std::size_t k = 0; k < result_count; ++k)
      if (row.results[k] == 'b') std::memset(results + k * pitch, 0, lanes * sizeof *results);
    return for_each_acting(site, words, make);
  }
  for (std::size_t n = 0; n < lanes; ++n) make(n);
}

}  // namespace warpjit::backend
