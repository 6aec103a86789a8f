#include "capture/page_recorder.h"

#include <algorithm>

namespace warpjit::capture {

std::uint64_t PageRecorder::Units::address() const {
  return std::max((range->first_unit() + first) * kUnit, range->address);
}

std::span<const std::byte> PageRecorder::Units::bytes() const {
  const std::uint64_t begin = address(),
                      stop = std::min((range->first_unit() + end) * kUnit, range->address + range->size);
  return {range->data + (begin - range->address), static_cast<std::size_t>(stop - begin)};
}

void PageRecorder::add_range(std::uint64_t address, std::byte* data, std::size_t size) {
  Range& range = ranges_.emplace_back();
  range.address = address;
  range.data = data;
  range.size = size;
  const std::uint64_t pages = (address + size + kPageBytes - 1) / kPageBytes - address / kPageBytes;
  range.units.resize(static_cast<std::size_t>(pages * (kPageBytes / kUnit)));
}

std::span<const std::byte> PageRecorder::find(std::uint64_t address, std::size_t size) const {
  const auto range = std::ranges::find_if(ranges_, [&](const Range& r) {
    return address >= r.address && address - r.address < r.size && size <= r.size - (address - r.address);
  });
  if (range == ranges_.end()) return {};
  return {range->data + (address - range->address), size};
}

void PageRecorder::end_job() {
  for (const Units& units : written_) known_.learn(units.address(), units.bytes());
  written_.clear();
}

bool PageRecorder::reach(const std::byte* data, std::size_t size, bool writes) {
  if (size == 0) return true;
  const auto range = std::ranges::find_if(ranges_, [&](const Range& r) {
    return data >= r.data && data < r.data + r.size &&
           size <= static_cast<std::size_t>(r.data + r.size - data);
  });
  if (range == ranges_.end()) return false;
  const std::uint64_t begin = range->address + static_cast<std::uint64_t>(data - range->data);
  const auto first = static_cast<std::size_t>(begin / kUnit - range->first_unit()),
             last = static_cast<std::size_t>((begin + size - 1) / kUnit - range->first_unit());
  constexpr std::size_t kPageUnits = kPageBytes / kUnit;
  // Neighbours that this job has not reached before.
  Units fresh{&*range, first, first};
  const auto reach_fresh = [&] {
    if (fresh.first != fresh.end) known_.reach(fresh.address(), fresh.bytes());
  };
  for (std::size_t n = first; n <= last; ++n) {
    Unit& unit = range->units[n];
    if (unit.job == 0) {
      // All of a page that no job has reached.
      const std::size_t page = n / kPageUnits * kPageUnits;
      for (std::size_t k = page; k < page + kPageUnits; ++k) range->units[k].job = job_;
      fresh.first = std::min(fresh.first, page);
      fresh.end = page + kPageUnits;
    } else if (unit.job != job_) {
      unit.job = job_;
      unit.writes = false;
      fresh.end = n + 1;
    } else if (n >= fresh.end) {
      reach_fresh();
      fresh.first = fresh.end = n + 1;
    }
    if (writes && !unit.writes) {
      unit.writes = true;
      if (!written_.empty() && written_.back().range == &*range && written_.back().end == n)
        ++written_.back().end;
      else
        written_.push_back({&*range, n, n + 1});
    }
  }
  reach_fresh();
  return true;
}

}  // namespace warpjit::capture
