// Values found by a hash and a comparison. They are bounded by bytes; the least recently used go first. Every
// call takes constant time but for the values that it drops. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>

namespace warpjit {

template <class Value>
class RecentCache {
 public:
  explicit RecentCache(std::size_t capacity) : capacity_(capacity) {}

  // The value of this hash for which same(value) holds, now the most recently used; null if no value does.
  template <class Same>
  Value* find(std::uint64_t hash, Same same) {
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      const typename Entries::iterator entry = at->second;
      if (!same(std::as_const(entry->value))) continue;
      if (entry != entries_.begin()) entries_.splice(entries_.begin(), entries_, entry);
      return &entry->value;
    }
    return nullptr;
  }

  // Adds a value that counts for `bytes`, and drops others until all fit; this one stays in any case. The
  // reference is valid until the value is dropped.
  Value& add(std::uint64_t hash, std::size_t bytes, Value value) {
    entries_.push_front({hash, bytes, std::move(value)});
    by_hash_.emplace(hash, entries_.begin());
    bytes_ += bytes;
    while (bytes_ > capacity_ && entries_.size() > 1) drop_last();
    return entries_.front().value;
  }

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::uint64_t hash;
    std::size_t bytes;
    Value value;
  };
  using Entries = std::list<Entry>;  // the most recently used first

  void drop_last() {
    const auto last = std::prev(entries_.end());
    auto at = by_hash_.equal_range(last->hash).first;
    while (at->second != last) ++at;
    by_hash_.erase(at);
    bytes_ -= last->bytes;
    entries_.pop_back();
  }

  std::size_t capacity_, bytes_ = 0;
  Entries entries_;
  std::unordered_multimap<std::uint64_t, typename Entries::iterator> by_hash_;
};

}  // namespace warpjit
