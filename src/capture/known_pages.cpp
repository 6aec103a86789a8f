#include "capture/known_pages.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"

namespace warpjit::capture {

struct KnownPages::Part {
  std::uint64_t address = 0;
  std::span<const std::byte> bytes;
  std::unique_ptr<Page>& page;
  std::size_t first() const { return static_cast<std::size_t>(address % kPageBytes); }
};

// In words of bits, of which the first and the last one may be used in part.
bool KnownPages::Page::knows(std::size_t first, std::size_t end) const {
  for (std::size_t at = first; at < end; at = (at / 64 + 1) * 64) {
    const auto bits = low_mask<std::uint64_t>(static_cast<unsigned>(std::min(end - at, 64 - at % 64)));
    if ((~known[at / 64] >> at % 64 & bits) != 0) return false;
  }
  return true;
}

void KnownPages::Page::set_known(std::size_t first, std::size_t end) {
  for (std::size_t at = first; at < end; at = (at / 64 + 1) * 64)
    known[at / 64] |= low_mask<std::uint64_t>(static_cast<unsigned>(std::min(end - at, 64 - at % 64)))
                      << at % 64;
}

template <class Function>
void KnownPages::each_part(std::uint64_t address, std::span<const std::byte> bytes,
                           const Function& function) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t left = kPageBytes - (address + at) % kPageBytes;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes.size() - at));
    function(Part{address + at, bytes.subspan(at, size), pages_[(address + at) / kPageBytes]});
    at += size;
  }
}

void KnownPages::reach(std::uint64_t address, std::span<const std::byte> bytes) {
  // Bytes of pages one after the other that nothing has reached, which become one section.
  std::uint64_t fresh_address = 0;
  std::span<const std::byte> fresh;
  const auto write_fresh = [&] {
    if (!fresh.empty()) memory_.write(fresh_address, fresh, true);
    fresh = {};
  };
  each_part(address, bytes, [&](const Part& part) {
    if (part.page != nullptr) {
      write_fresh();
      write_changes(part.address, part.bytes, *part.page);
      return;
    }
    part.page = std::make_unique<Page>();
    std::ranges::copy(part.bytes, part.page->bytes.begin() + static_cast<std::ptrdiff_t>(part.first()));
    part.page->set_known(part.first(), part.first() + part.bytes.size());
    if (fresh.empty()) fresh_address = part.address;
    fresh = fresh.empty() ? part.bytes : std::span(fresh.data(), fresh.size() + part.bytes.size());
  });
  write_fresh();
}

void KnownPages::write_changes(std::uint64_t address, std::span<const std::byte> bytes, Page& page) {
  constexpr std::size_t kGap = 64;  // a few equal bytes cost less than a section
  const auto first = static_cast<std::size_t>(address % kPageBytes);
  std::byte* const known = page.bytes.data() + first;
  if (page.knows(first, first + bytes.size()) && std::memcmp(known, bytes.data(), bytes.size()) == 0) return;
  const auto is_known = [&](std::size_t at) { return page.knows(first + at); };
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t end = at + 1;
    if (!is_known(at)) {
      while (end < bytes.size() && !is_known(end)) ++end;
      memory_.write(address + at, bytes.subspan(at, end - at), true);
      page.set_known(first + at, first + end);
    } else if (bytes[at] == known[at]) {
      at = end;
      continue;
    } else {
      for (std::size_t n = end; n < bytes.size() && n - end < kGap && is_known(n); ++n)
        if (bytes[n] != known[n]) end = n + 1;
      memory_.write(address + at, bytes.subspan(at, end - at), false);
    }
    at = end;
  }
  std::ranges::copy(bytes, known);
}

void KnownPages::learn(std::uint64_t address, std::span<const std::byte> bytes) {
  each_part(address, bytes, [](const Part& part) {
    std::ranges::copy(part.bytes, part.page->bytes.begin() + static_cast<std::ptrdiff_t>(part.first()));
  });
}

}  // namespace warpjit::capture
