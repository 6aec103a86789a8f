// Kernels by key. A hit compares all bytes of the key; several threads that want the same kernel wait for
// one compilation; the cache is bounded by bytes and drops the least recently used, never what is running.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/kernel/kernel.h"

namespace warpjit::runtime {

class CodeCache {
 public:
  using Key = std::vector<std::byte>;
  using KernelResult = Result<std::shared_ptr<const Kernel>>;

  explicit CodeCache(std::size_t capacity) : capacity_(capacity) {}

  // The kernel of `key`, made by `build` (without the lock held) if it is not there. Sets `hit`.
  // A failure is not remembered.
  KernelResult get(const Key& key, const std::function<KernelResult()>& build, bool& hit);
  // The kernel of `key`, or null, at once: also while another thread builds it. Counts hits only.
  std::shared_ptr<const Kernel> find(const Key& key);
  // A launch that remembers `kernel` uses it again: a hit without a lookup. Takes no lock.
  void note_use(const Kernel& kernel) { kernel.set_last_use(clock_.fetch_add(1, std::memory_order_relaxed)); }

  // The statistics of the cache; members about the background are 0.
  EngineStatistics statistics() const;
  // Drops all kernels that are not running.
  void clear();

 private:
  struct Entry {
    Key key;
    std::uint64_t hash = 0;
    std::shared_ptr<const Kernel> kernel;  // null while it is being built
    std::uint64_t queued_at = 0;           // its place in by_use_
    std::size_t bytes() const { return kernel->cost() + key.size() + sizeof(Entry); }
  };
  using Entries = std::unordered_multimap<std::uint64_t, Entry>;  // by hash of the key

  Entries::iterator look_up(std::uint64_t hash, const Key& key);
  void add(Entry& entry, std::shared_ptr<const Kernel> kernel);
  void erase(const Entry& entry);
  void evict(const Entry& entry);
  void shrink(std::size_t target);

  const std::size_t capacity_;
  // Advances with every use and never repeats: the time by which entries are least recently used.
  std::atomic<std::uint64_t> clock_{1};
  mutable std::mutex mutex_;
  std::condition_variable built_;
  Entries entries_;
  // Built entries by their last known use. A use without a lookup is not recorded here, so the real last use
  // is this one or later.
  std::map<std::uint64_t, Entry*> by_use_;
  EngineStatistics statistics_;
  std::uint64_t builds_ = 0;  // clock ticks that were no hits
};

}  // namespace warpjit::runtime
