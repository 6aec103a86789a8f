#include "capture/launch/buffer_recorder.h"

#include <algorithm>
#include <bit>

#include "base/bits.h"
#include "capture/memory_reader.h"
#include "pixels/records.h"

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

template <class Choose>
void BufferRecorder::unite(const Choose& choose) {
  united_.clear();
  for (const JobBuffer& buffer : job_)
    if (choose(buffer)) united_.emplace_back(buffer.data, buffer.size);
  std::ranges::sort(united_, {}, [](std::span<const std::byte> bytes) { return bytes.data(); });
  std::size_t count = 0;
  for (const std::span<const std::byte> bytes : united_) {
    if (count != 0 && bytes.data() < united_[count - 1].data() + united_[count - 1].size()) {
      std::span<const std::byte>& before = united_[count - 1];
      const std::byte* const end = std::max(before.data() + before.size(), bytes.data() + bytes.size());
      before = {before.data(), static_cast<std::size_t>(end - before.data())};
    } else {
      united_[count++] = bytes;
    }
  }
  united_.resize(count);
}

bool BufferRecorder::must_compare(const Buffer& buffer) const {
  if (!buffer.drawn ||
      std::ranges::find(last_targets_, find(buffer.data, buffer.size)) == last_targets_.end())
    return true;
  return std::ranges::any_of(job_, [&](const Buffer& other) {
    return other.writes && !other.drawn && other.data < buffer.data + buffer.size &&
           buffer.data < other.data + other.size;
  });
}

Status BufferRecorder::begin_job(std::span<const Buffer> buffers) {
  job_.clear();
  for (const Buffer& buffer : buffers)
    if (buffer.data != nullptr && buffer.size != 0) job_.push_back({buffer});
  changed_.clear();
  targets_.clear();
  drawn_.clear();
  const auto is_found = [&](std::span<const std::byte> bytes) {
    return find(bytes.data(), bytes.size()).size != 0;
  };
  if (!std::ranges::all_of(job_, [&](const Buffer& buffer) {
        return is_found({buffer.data, buffer.size});
      })) {
    last_targets_.clear();
    unite([](const JobBuffer&) { return true; });
    // A new region may end one in which another buffer of the job lies.
    for (bool added = true; added;) {
      added = false;
      for (const std::span<const std::byte> bytes : united_) {
        if (is_found(bytes)) continue;
        WARPJIT_CHECK(add_region(bytes.data(), bytes.size()));
        added = true;
      }
    }
  }
  for (JobBuffer& buffer : job_) buffer.compared = must_compare(buffer);
  unite([](const JobBuffer& buffer) { return buffer.compared; });
  for (const std::span<const std::byte> bytes : united_)
    known_.reach(find(bytes.data(), bytes.size()).address, bytes);
  return {};
}

void BufferRecorder::set_targets(std::span<const Target> targets, std::uint32_t width, std::uint32_t height) {
  last_targets_.clear();
  for (const Target& target : targets) {
    const BufferPlace place = find(target.data, target.size);
    last_targets_.push_back(place);
    const bool is_known = std::ranges::none_of(job_, [&](const JobBuffer& buffer) {
      return buffer.drawn && !buffer.compared && buffer.data == target.data;
    });
    targets_.push_back({target, place.address, is_known});
  }
  width_ = width;
  height_ = height;
  columns_ = (width + pixels::kTileExtent - 1) / pixels::kTileExtent;
  tile_rows_.assign(std::size_t{columns_} * ((height + pixels::kTileExtent - 1) / pixels::kTileExtent), 0);
}

template <class Visit>
void BufferRecorder::each_row(const DrawnTarget& target, const Part& part, const Visit& visit) {
  const auto& [data, size, pitch, pixel] = target.target;
  const std::size_t at = part.top * pitch + part.left * pixel, bytes = (part.right - part.left) * pixel,
                    rows = part.bottom - part.top;
  if (bytes == pitch) return visit(target.address + at, std::span(data + at, rows * pitch));
  for (std::size_t n = 0; n < rows; ++n)
    visit(target.address + at + n * pitch, std::span(data + at + n * pitch, bytes));
}

// Once a job, as that changes it.
void BufferRecorder::reach(const Part& part) {
  drawn_.push_back(part);
  for (const DrawnTarget& target : targets_)
    if (!target.is_known)
      each_row(target, part, [&](std::uint64_t address, std::span<const std::byte> bytes) {
        known_.reach(address, bytes);
      });
}

void BufferRecorder::draw(const RasterState::Rectangle& pixels) {
  constexpr std::uint32_t kExtent = pixels::kTileExtent;
  static_assert(kExtent == 64);
  const auto end_of = [](std::uint32_t first, std::uint32_t count, std::uint32_t most) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{first} + count, most));
  };
  const std::uint32_t right = end_of(pixels.x, pixels.width, width_),
                      bottom = end_of(pixels.y, pixels.height, height_);
  if (targets_.empty() || pixels.x >= right || pixels.y >= bottom) return;
  const std::uint32_t first = pixels.x / kExtent, end = (right + kExtent - 1) / kExtent;
  for (std::uint32_t y = pixels.y; y < bottom; y = (y / kExtent + 1) * kExtent) {
    const std::uint32_t origin = y / kExtent * kExtent, stop = std::min(bottom, origin + kExtent);
    const std::uint64_t rows = low_mask<std::uint64_t>(stop - y) << (y - origin);
    const std::span<std::uint64_t> tiles(tile_rows_.data() + std::size_t{y / kExtent} * columns_ + first,
                                         end - first);
    // From a tile to the last one that has the same rows to compare.
    for (std::size_t n = 0, next = 0; n < tiles.size(); n = next) {
      const std::uint64_t fresh = rows & ~tiles[n];
      for (next = n; next < tiles.size() && (rows & ~tiles[next]) == fresh; ++next) tiles[next] |= rows;
      const auto left = static_cast<std::uint32_t>(first + n) * kExtent,
                 stop_x = std::min(width_, static_cast<std::uint32_t>(first + next) * kExtent);
      for (std::uint64_t bits = fresh; bits != 0;) {
        const auto from = static_cast<std::uint32_t>(std::countr_zero(bits)),
                   count = static_cast<std::uint32_t>(std::countr_one(bits >> from));
        reach({left, stop_x, origin + from, origin + from + count});
        bits &= ~(low_mask<std::uint64_t>(count) << from);
      }
    }
  }
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
  const auto learn = [&](std::uint64_t address, std::span<const std::byte> bytes) {
    known_.learn(address, bytes);
  };
  unite([](const JobBuffer& buffer) { return buffer.writes && !buffer.drawn; });
  for (const std::span<const std::byte> bytes : united_)
    learn(find(bytes.data(), bytes.size()).address, bytes);
  for (const DrawnTarget& target : targets_)
    for (const Part& part : drawn_) each_row(target, part, learn);
}

}  // namespace warpjit::capture
