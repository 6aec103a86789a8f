#include "capture/page_recorder.h"

#include <algorithm>
#include <cstring>

namespace warpjit::capture {

std::span<std::byte> PageRecorder::Range::bytes_of(std::size_t page) const {
  const std::uint64_t begin = std::max((first_page() + page) * kPageBytes, address),
                      end = std::min((first_page() + page + 1) * kPageBytes, address + size);
  return {data + (begin - address), static_cast<std::size_t>(end - begin)};
}

void PageRecorder::add_range(std::uint64_t address, std::byte* data, std::size_t size) {
  Range& range = ranges_.emplace_back();
  range.address = address;
  range.data = data;
  range.size = size;
  range.pages.resize(
      static_cast<std::size_t>((address + size + kPageBytes - 1) / kPageBytes - range.first_page()));
}

std::span<const std::byte> PageRecorder::find(std::uint64_t address, std::size_t size) const {
  const auto range = std::ranges::find_if(ranges_, [&](const Range& r) {
    return address >= r.address && address - r.address < r.size && size <= r.size - (address - r.address);
  });
  if (range == ranges_.end()) return {};
  return {range->data + (address - range->address), size};
}

void PageRecorder::end_job() {
  for (const PageOfRange& page : written_) {
    const std::span<const std::byte> bytes = page.range->bytes_of(page.page);
    std::memcpy(page.range->pages[page.page].known.get(), bytes.data(), bytes.size());
  }
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
  const auto first = static_cast<std::size_t>(begin / kPageBytes - range->first_page()),
             last = static_cast<std::size_t>((begin + size - 1) / kPageBytes - range->first_page());
  // Pages that no job has reached before, neighbours together.
  std::span<std::byte> fresh;
  const auto write_fresh = [&] {
    if (!fresh.empty())
      memory_.write(range->address + static_cast<std::uint64_t>(fresh.data() - range->data), fresh, true);
    fresh = {};
  };
  for (std::size_t n = first; n <= last; ++n) {
    Page& page = range->pages[n];
    if (page.job != job_) {
      const std::span<std::byte> bytes = range->bytes_of(n);
      const bool is_fresh = page.known == nullptr;
      if (is_fresh) {
        page.known = std::make_unique_for_overwrite<std::byte[]>(bytes.size());
        fresh = fresh.empty() ? bytes : std::span(fresh.data(), fresh.size() + bytes.size());
      } else {
        write_fresh();
      }
      if (is_fresh || std::memcmp(page.known.get(), bytes.data(), bytes.size()) != 0) {
        if (!is_fresh)
          write_changes(range->address + static_cast<std::uint64_t>(bytes.data() - range->data), bytes,
                        page.known.get());
        std::memcpy(page.known.get(), bytes.data(), bytes.size());
      }
      page.job = job_;
      page.writes = false;
    } else {
      write_fresh();
    }
    if (writes && !page.writes) {
      page.writes = true;
      written_.push_back({&*range, n});
    }
  }
  write_fresh();
  return true;
}

// Bytes that differ from those that are known; a few equal ones between them cost less than a section.
void PageRecorder::write_changes(std::uint64_t address, std::span<const std::byte> bytes,
                                 const std::byte* known) {
  constexpr std::size_t kGap = 64;
  for (std::size_t at = 0; at < bytes.size();) {
    if (bytes[at] == known[at]) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    for (std::size_t n = end; n < bytes.size() && n - end < kGap; ++n)
      if (bytes[n] != known[n]) end = n + 1;
    if (before_change_) before_change_();
    memory_.write(address + at, bytes.subspan(at, end - at), false);
    at = end;
  }
}

}  // namespace warpjit::capture
