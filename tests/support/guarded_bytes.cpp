#include "support/guarded_bytes.h"

#include <algorithm>
#include <cstring>

#include "support/pages.h"

namespace warpjit::tests {
namespace {

const std::size_t kPage = page_size();
std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

void GuardedBytes::Unmap::operator()(std::byte* address) const { unmap_pages(address, bytes); }

GuardedBytes::GuardedBytes(std::size_t size, bool at_end) : size_(size) {
  const std::size_t pages = whole_pages(size + 64);  // always some guard bytes on the other side
  mapping_ = {map_pages(pages + 2 * kPage, Access::none), Unmap{pages + 2 * kPage}};
  begin_ = mapping_.get() + kPage;
  end_ = begin_ + pages;
  protect_pages(begin_, pages, Access::write);
  std::fill(begin_, end_, kGuard);
  data_ = at_end ? end_ - size : begin_;
}

bool GuardedBytes::guards_intact() const {
  const auto intact = [](const std::byte* begin, const std::byte* end) {  // equal to itself, one byte on
    return begin == end || (*begin == kGuard && std::memcmp(begin, begin + 1, end - begin - 1) == 0);
  };
  return intact(begin_, data_) && intact(data_ + size_, end_);
}

}  // namespace warpjit::tests
