#include "capture/launch/buffer_recorder.h"

#include <algorithm>
#include <cstring>

#include "capture/memory_reader.h"

namespace warpjit::capture {

BufferRecorder::Region* BufferRecorder::live_region(const std::byte* data, std::size_t size) const {
  const auto next = live_.upper_bound(data);
  if (next == live_.begin()) return nullptr;
  Region* const region = std::prev(next)->second;
  return region->contains(data, size) ? region : nullptr;
}

Result<BufferRecorder::Region*> BufferRecorder::region_of(const std::byte* data, std::size_t size) {
  if (Region* const found = live_region(data, size)) return found;
  // What overlaps it is a memory of its own from now on: a replay has both.
  auto other = live_.upper_bound(data);
  if (other != live_.begin() && std::prev(other)->first + std::prev(other)->second->size > data) --other;
  while (other != live_.end() && other->first < data + size) other = live_.erase(other);
  if (size > kMaxCaptureMemory - total_)
    return Error{ErrorCode::resource_limit,
                 "the launches bind more than " + hex_text(kMaxCaptureMemory) + " bytes", "capture"};
  total_ += size;
  Region& region = regions_.emplace_back();
  region.data = data;
  region.size = size;
  // As it is aligned on the host: what is read in place there is so in a replay.
  constexpr std::uint64_t kAligned = 64;
  region.address = next_address_ + reinterpret_cast<std::uintptr_t>(data) % kAligned;
  next_address_ = (region.address + size + 2 * kPageBytes) / kPageBytes * kPageBytes;
  region.known = std::make_unique_for_overwrite<std::byte[]>(size);
  live_.emplace(data, &region);
  by_address_.emplace(region.address, &region);
  return &region;
}

Status BufferRecorder::begin_job(std::vector<Buffer> buffers) {
  std::erase_if(buffers, [](const Buffer& buffer) { return buffer.data == nullptr || buffer.size == 0; });
  job_ = std::move(buffers);
  changed_.clear();
  std::vector<Buffer> united = job_;
  std::ranges::sort(united, {}, &Buffer::data);
  std::vector<Buffer> apart;
  for (const Buffer& buffer : united) {
    if (!apart.empty() && buffer.data < apart.back().data + apart.back().size) {
      const std::byte* const end = std::max(apart.back().data + apart.back().size, buffer.data + buffer.size);
      apart.back().size = static_cast<std::size_t>(end - apart.back().data);
    } else {
      apart.push_back(buffer);
    }
  }
  for (const Buffer& buffer : apart) {
    WARPJIT_TRY(Region* const region, region_of(buffer.data, buffer.size));
    reach(*region, buffer);
  }
  return {};
}

void BufferRecorder::reach(Region& region, const Buffer& buffer) {
  const auto begin = static_cast<std::size_t>(buffer.data - region.data), end = begin + buffer.size;
  auto& ranges = region.known_ranges;
  auto range = ranges.upper_bound(begin);
  if (range != ranges.begin() && std::prev(range)->second > begin) --range;
  std::size_t at = begin;
  std::size_t united_begin = begin, united_end = end;
  while (at < end) {
    const bool known = range != ranges.end() && range->first <= at;
    const std::size_t to = std::min(end, known ? range->second : range != ranges.end() ? range->first : end);
    if (known) {
      store_changes(region, at, to);
    } else {
      memory_.write(region.address + at, {region.data + at, to - at}, true);
      std::memcpy(region.known.get() + at, region.data + at, to - at);
      changed_.emplace_back(region.data + at, region.data + to);
    }
    at = to;
    if (known) {
      united_begin = std::min(united_begin, range->first);
      united_end = std::max(united_end, range->second);
      range = ranges.erase(range);
    }
  }
  ranges[united_begin] = united_end;
}

// Bytes that differ from those that are known; a few equal ones between them cost less than a section.
void BufferRecorder::store_changes(Region& region, std::size_t from, std::size_t to) {
  constexpr std::size_t kGap = 64;
  const std::byte* const now = region.data;
  std::byte* const known = region.known.get();
  for (std::size_t block = from; block < to;) {
    const std::size_t block_end =
        std::min<std::size_t>(to, block + kPageBytes - (region.address + block) % kPageBytes);
    if (std::memcmp(now + block, known + block, block_end - block) == 0) {
      block = block_end;
      continue;
    }
    for (std::size_t at = block; at < block_end;) {
      if (now[at] == known[at]) {
        ++at;
        continue;
      }
      std::size_t end = at + 1;
      for (std::size_t n = end; n < block_end && n - end < kGap; ++n)
        if (now[n] != known[n]) end = n + 1;
      memory_.write(region.address + at, {now + at, end - at}, false);
      changed_.emplace_back(now + at, now + end);
      at = end;
    }
    std::memcpy(known + block, now + block, block_end - block);
    block = block_end;
  }
}

BufferPlace BufferRecorder::find(const void* data, std::size_t size) const {
  const auto* const from = static_cast<const std::byte*>(data);
  if (data == nullptr || size == 0) return {};
  const Region* const region = live_region(from, size);
  if (region == nullptr) return {};
  return {region->address + static_cast<std::uint64_t>(from - region->data), size};
}

bool BufferRecorder::has_changed(const void* data, std::size_t size) const {
  const auto* const from = static_cast<const std::byte*>(data);
  return std::ranges::any_of(
      changed_, [&](const auto& range) { return from < range.second && range.first < from + size; });
}

void BufferRecorder::end_job() {
  for (const Buffer& buffer : job_) {
    if (!buffer.writes) continue;
    const Region* const region = live_region(buffer.data, buffer.size);
    if (region != nullptr)
      std::memcpy(region->known.get() + (buffer.data - region->data), buffer.data, buffer.size);
  }
}

std::span<const std::byte> BufferRecorder::known(const BufferPlace& place) const {
  const auto next = by_address_.upper_bound(place.address);
  if (next == by_address_.begin()) return {};
  const Region& region = *std::prev(next)->second;
  const std::uint64_t from = place.address - region.address;
  if (from >= region.size || place.size > region.size - from) return {};
  return {region.known.get() + from, static_cast<std::size_t>(place.size)};
}

}  // namespace warpjit::capture
