#include "runtime/engine/code_cache.h"

#include "base/hash.h"

namespace warpjit::runtime {

CodeCache::Entries::iterator CodeCache::look_up(std::uint64_t hash, const Key& key) {
  const auto [begin, end] = entries_.equal_range(hash);
  for (auto at = begin; at != end; ++at)
    if (at->second.key == key) return at;
  return entries_.end();
}

std::shared_ptr<const Kernel> CodeCache::find(const Key& key) {
  const std::uint64_t hash = hash_bytes(key);
  const std::lock_guard lock(mutex_);
  const auto found = look_up(hash, key);
  if (found == entries_.end() || !found->second.kernel) return nullptr;
  note_use(*found->second.kernel);
  return std::static_pointer_cast<const Kernel>(found->second.kernel);
}

CodeCache::KernelResult CodeCache::get(const Key& key, const std::function<KernelResult()>& build,
                                       bool& hit) {
  const std::uint64_t hash = hash_bytes(key);
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto found = look_up(hash, key);
    if (found == entries_.end()) break;
    if (found->second.kernel) {
      note_use(*found->second.kernel);
      hit = true;
      return found->second.kernel;
    }
    built_.wait(lock);
  }

  hit = false;
  // Stays where it is. Those who wait for it go on when it is filled or gone, also after an exception.
  Entry& entry = entries_.emplace(hash, Entry{key, hash, nullptr})->second;
  ++statistics_.misses;
  lock.unlock();
  const auto give_up = [&] {
    ++statistics_.failures;
    erase(entry);
    lock.unlock();
    built_.notify_all();
  };
  try {
    KernelResult result = build();
    lock.lock();
    if (!result) {
      give_up();
      return result;
    }
    add(entry, *result);
    shrink(capacity_);
    lock.unlock();
    built_.notify_all();
    return result;
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    give_up();
    throw;
  }
}

void CodeCache::add(Entry& entry, std::shared_ptr<const Kernel> kernel) {
  note_use(*kernel);
  by_use_.emplace(kernel->last_use(), &entry);  // the only step that can fail
  const CompileReport& report = kernel->report();
  statistics_.compile_time += report.compile_time();
  ++statistics_.compiles;
  ++statistics_.kernels;
  ++builds_;
  entry.kernel = std::move(kernel);
  entry.queued_at = entry.kernel->last_use();
  statistics_.bytes += entry.bytes();
}

void CodeCache::evict(const Entry& entry) {
  statistics_.bytes -= entry.bytes();
  --statistics_.kernels;
  ++statistics_.evictions;
  by_use_.erase(entry.queued_at);
  erase(entry);
}

void CodeCache::erase(const Entry& entry) {
  const auto [begin, end] = entries_.equal_range(entry.hash);
  for (auto at = begin; at != end; ++at)
    if (&at->second == &entry) {
      entries_.erase(at);
      return;
    }
}

void CodeCache::shrink(std::size_t target) {
  auto at = by_use_.begin();
  while (statistics_.bytes > target && at != by_use_.end()) {
    Entry& entry = *at->second;
    ++at;
    if (entry.kernel.use_count() > 1) continue;  // running
    if (const std::uint64_t last = entry.kernel->last_use(); last != entry.queued_at) {
      // Used since it was queued: it belongs further back. A use moves it at most once.
      auto node = by_use_.extract(entry.queued_at);
      node.key() = entry.queued_at = last;
      const auto moved = by_use_.insert(std::move(node)).position;
      if (at == by_use_.end() || moved->first < at->first) at = moved;
      continue;
    }
    evict(entry);
  }
}

EngineStatistics CodeCache::statistics() const {
  const std::lock_guard lock(mutex_);
  EngineStatistics result = statistics_;
  result.hits = clock_.load(std::memory_order_relaxed) - 1 - builds_;
  result.capacity = capacity_;
  return result;
}

void CodeCache::clear() {
  const std::lock_guard lock(mutex_);
  shrink(0);
}

}  // namespace warpjit::runtime
