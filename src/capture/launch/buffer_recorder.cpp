#include "capture/launch/buffer_recorder.h"

#include <algorithm>

#include "capture/memory_reader.h"

namespace warpjit::capture {

Status BufferRecorder::add_region(const std::byte* data, std::size_t size) {
  // What it overlaps is a memory of its own from now on: a replay has both.
  auto other = regions_.upper_bound(data);
  if (other != regions_.begin() && std::prev(other)->first + std::prev(other)->second.size > data) --other;
  while (other != regions_.end() && other->first < data + size) other = regions_.erase(other);
  if (size > kMaxCaptureMemory - total_)
    return Error{ErrorCode::resource_limit,
                 "the launches bind more than " + hex_text(kMaxCaptureMemory) + " bytes", "capture"};
  total_ += size;
  // As it is aligned on the host: what is read in place there is so in a replay.
  constexpr std::uint64_t kAligned = 64;
  const std::uint64_t address = next_address_ + reinterpret_cast<std::uintptr_t>(data) % kAligned;
  next_address_ = (address + size + 2 * kPageBytes) / kPageBytes * kPageBytes;
  regions_.emplace(data, Region{size, address});
  return {};
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
  // A new region may end one in which another buffer of the job lies.
  for (bool added = true; added;) {
    added = false;
    for (const Buffer& buffer : apart) {
      if (find(buffer.data, buffer.size).size != 0) continue;
      WARPJIT_CHECK(add_region(buffer.data, buffer.size));
      added = true;
    }
  }
  for (const Buffer& buffer : apart)
    known_.reach(find(buffer.data, buffer.size).address, {buffer.data, buffer.size});
  return {};
}

BufferPlace BufferRecorder::find(const void* data, std::size_t size) const {
  const auto* const from = static_cast<const std::byte*>(data);
  const auto next = regions_.upper_bound(from);
  if (data == nullptr || size == 0 || next == regions_.begin()) return {};
  const auto& [begin, region] = *std::prev(next);
  const auto at = static_cast<std::size_t>(from - begin);
  if (at >= region.size || size > region.size - at) return {};
  return {region.address + at, size};
}

bool BufferRecorder::has_changed(const void* data, std::size_t size) const {
  const BufferPlace place = find(data, size);
  return std::ranges::any_of(changed_, [&](const auto& range) {
    return place.address < range.second && range.first < place.address + place.size;
  });
}

void BufferRecorder::end_job() {
  for (const Buffer& buffer : job_)
    if (buffer.writes) known_.learn(find(buffer.data, buffer.size).address, {buffer.data, buffer.size});
}

}  // namespace warpjit::capture
