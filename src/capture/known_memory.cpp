#include "capture/known_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bits.h"

namespace warpjit::capture {
namespace {

// Cuts a range at multiples of `block` bytes: calls visit(address, where in the range, size) for each part in turn.
template <class Visit>
void each_part(std::uint64_t address, std::size_t size, std::size_t block, const Visit& visit) {
  for (std::size_t at = 0; at < size;) {
    const auto left = block - static_cast<std::size_t>((address + at) % block);
    const std::size_t part = std::min(left, size - at);
    visit(address + at, at, part);
    at += part;
  }
}

std::uint64_t word_at(const std::byte* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

std::size_t KnownMemory::Block::run_end(std::size_t from, std::size_t to) const {
  const std::uint64_t flip = knows(from) ? 0 : ~std::uint64_t{0};
  for (std::size_t at = from; at < to;) {
    const auto left = 64 - at % 64,
               same = static_cast<std::size_t>(std::countr_one((known[at / 64] ^ flip) >> at % 64));
    if (same < left) return std::min(at + same, to);
    at += left;
  }
  return to;
}

void KnownMemory::Block::set_known(std::size_t from, std::size_t to) {
  for (std::size_t at = from; at < to && unknown != 0; at = (at / 64 + 1) * 64) {
    std::uint64_t& word = known[at / 64];
    const auto bits = low_mask<std::uint64_t>(static_cast<unsigned>(std::min(to - at, 64 - at % 64)))
                      << at % 64;
    unknown -= static_cast<std::size_t>(std::popcount(bits & ~word));
    word |= bits;
  }
  remember_part(from, to);
}

void KnownMemory::Block::remember_part(std::size_t from, std::size_t to) {
  if (from <= end && to >= first) {
    first = std::min(first, from);
    end = std::max(end, to);
  } else {
    first = from;
    end = to;
  }
}

KnownMemory::Block& KnownMemory::block_of(std::uint64_t address) {
  const std::uint64_t number = address / kBlock;
  if (last_ == nullptr || number != last_number_) {
    std::unique_ptr<Block>& block = blocks_[number];
    if (block == nullptr) block = std::make_unique<Block>();
    last_ = block.get();
    last_number_ = number;
  }
  return *last_;
}

void KnownMemory::store(std::uint64_t address, std::span<const std::byte> bytes, bool first) {
  if (see_) see_(address, bytes.size(), first);
  memory_.write(address, bytes, first);
}

void KnownMemory::reach(std::uint64_t address, std::span<const std::byte> bytes) {
  // Bytes that nothing has reached, also in several blocks, become one section.
  std::size_t fresh = 0;
  const auto store_fresh = [&](std::size_t end) {
    if (fresh != 0) store(address + end - fresh, bytes.subspan(end - fresh, fresh), true);
    fresh = 0;
  };
  each_part(address, bytes.size(), kBlock, [&](std::uint64_t begin, std::size_t at, std::size_t size) {
    Block* const block = &block_of(begin);
    const auto first = static_cast<std::size_t>(begin % kBlock);
    if (block->knows_part(first, first + size)) {
      store_fresh(at);
      store_changes(begin, bytes.subspan(at, size), block->bytes.data() + first);
      return;
    }
    bool all_known = true;
    for (std::size_t n = 0; n < size;) {
      const bool known = block->knows(first + n);
      all_known = all_known && known;
      const std::size_t end =
          block->unknown == kBlock ? size : block->run_end(first + n, first + size) - first;
      if (known) {
        store_fresh(at + n);
        store_changes(begin + n, bytes.subspan(at + n, end - n), block->bytes.data() + first + n);
      } else {
        fresh += end - n;
        std::memcpy(block->bytes.data() + first + n, bytes.data() + at + n, end - n);
      }
      n = end;
    }
    if (all_known)
      block->remember_part(first, first + size);
    else
      block->set_known(first, first + size);
  });
  store_fresh(bytes.size());
}

// Bytes that differ from those that are known; a few equal ones between them cost less than a section.
void KnownMemory::store_changes(std::uint64_t address, std::span<const std::byte> bytes, std::byte* known) {
  if (std::memcmp(known, bytes.data(), bytes.size()) == 0) return;
  constexpr std::size_t kGap = 64, kWord = sizeof(std::uint64_t);
  each_part(address, bytes.size(), kPageBytes, [&](std::uint64_t begin, std::size_t from, std::size_t size) {
    const std::byte* const now = bytes.data() + from;
    std::byte* const before = known + from;
    if (std::memcmp(before, now, size) == 0) return;
    const auto is_equal = [&](std::size_t at) { return word_at(now + at) == word_at(before + at); };
    for (std::size_t at = 0; at < size;) {
      while (at + kWord <= size && is_equal(at)) at += kWord;
      while (at < size && now[at] == before[at]) ++at;
      if (at == size) break;
      std::size_t end = at + 1;
      for (std::size_t n = end; n < size && n - end < kGap;) {
        const std::size_t step = n + kWord <= size ? kWord : 1;
        if (step == kWord ? !is_equal(n) : now[n] != before[n]) end = n + step;
        n += step;
      }
      while (now[end - 1] == before[end - 1]) --end;
      store(begin + at, bytes.subspan(from + at, end - at), false);
      at = end;
    }
    std::memcpy(before, now, size);
  });
}

void KnownMemory::learn(std::uint64_t address, std::span<const std::byte> bytes) {
  each_part(address, bytes.size(), kBlock, [&](std::uint64_t begin, std::size_t at, std::size_t size) {
    std::memcpy(block_of(begin).bytes.data() + begin % kBlock, bytes.data() + at, size);
  });
}

std::vector<std::byte> KnownMemory::read(std::uint64_t address, std::size_t size) const {
  std::vector<std::byte> bytes(size);
  each_part(address, size, kBlock, [&](std::uint64_t begin, std::size_t at, std::size_t part) {
    if (const auto block = blocks_.find(begin / kBlock); block != blocks_.end())
      std::memcpy(bytes.data() + at, block->second->bytes.data() + begin % kBlock, part);
  });
  return bytes;
}

}  // namespace warpjit::capture
