#include "support/guarded_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace warpjit::tests {
namespace {

const std::size_t kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

std::byte* map(std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) std::abort();
  return static_cast<std::byte*>(address);
}

}  // namespace

void GuardedBytes::Unmap::operator()(std::byte* address) const { munmap(address, bytes); }

GuardedBytes::GuardedBytes(std::size_t size, bool at_end) : size_(size) {
  const std::size_t pages = whole_pages(size + 64);  // always some guard bytes on the other side
  mapping_ = {map(pages + 2 * kPage), Unmap{pages + 2 * kPage}};
  begin_ = mapping_.get() + kPage;
  end_ = begin_ + pages;
  if (mprotect(begin_, pages, PROT_READ | PROT_WRITE) != 0) std::abort();
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
