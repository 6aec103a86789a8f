#include "runtime/code_cache.h"

#include "base/hash.h"

namespace warpjit::runtime {

CodeCache::List::iterator CodeCache::find(std::uint64_t hash, const Key& key) {
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at)
    if (at->second->key == key) return at->second;
  return entries_.end();
}

void CodeCache::erase(List::iterator entry) {
  const auto [begin, end] = by_hash_.equal_range(entry->hash);
  for (auto at = begin; at != end; ++at)
    if (at->second == entry) {
      by_hash_.erase(at);
      break;
    }
  entries_.erase(entry);
}

CodeCache::KernelResult CodeCache::get(const Key& key, const std::function<KernelResult()>& build,
                                       bool& hit) {
  const std::uint64_t hash = hash_bytes(key);
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto found = find(hash, key);
    if (found == entries_.end()) break;
    if (found->kernel) {
      entries_.splice(entries_.begin(), entries_, found);
      ++statistics_.hits;
      hit = true;
      return found->kernel;
    }
    built_.wait(lock);
  }

  hit = false;
  ++statistics_.misses;
  entries_.push_front({key, hash, nullptr});
  const auto entry = entries_.begin();
  by_hash_.emplace(hash, entry);
  lock.unlock();
  KernelResult result = build();
  lock.lock();
  if (result) {
    entry->kernel = *result;
    const CompileReport& report = (*result)->report();
    statistics_.compile_ns += report.translate_ns + report.passes_ns + report.backend_ns + report.place_ns;
    statistics_.bytes += (*result)->cost() + key.size();
    ++statistics_.kernels;
    shrink(capacity_);
  } else {
    erase(entry);
  }
  lock.unlock();
  built_.notify_all();
  return result;
}

void CodeCache::shrink(std::size_t target) {
  // Launches use kernels without telling the list, so a kernel that was touched since the last look gets a
  // second chance. Each entry is looked at twice at most.
  std::size_t looks = 2 * entries_.size();
  auto at = entries_.end();
  while (statistics_.bytes > target && !entries_.empty() && looks-- > 0) {
    if (at == entries_.begin()) at = entries_.end();
    --at;
    if (!at->kernel || at->kernel.use_count() > 1) continue;  // being built, or running
    const auto candidate = at++;
    if (target != 0 && candidate->kernel->take_touched()) {
      entries_.splice(entries_.begin(), entries_, candidate);
      continue;
    }
    statistics_.bytes -= candidate->kernel->cost() + candidate->key.size();
    --statistics_.kernels;
    ++statistics_.evictions;
    erase(candidate);
  }
}

CacheStatistics CodeCache::statistics() const {
  const std::lock_guard lock(mutex_);
  CacheStatistics result = statistics_;
  result.capacity = capacity_;
  return result;
}

void CodeCache::clear() {
  const std::lock_guard lock(mutex_);
  shrink(0);
}

}  // namespace warpjit::runtime
