// Kernels by key. A hit compares all bytes of the key; several threads that want the same kernel wait for
// one compilation; the cache is bounded by bytes and drops what was not used lately, never what is running.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/kernel.h"

namespace warpjit::runtime {

class CodeCache {
 public:
  using Key = std::vector<std::byte>;
  using KernelResult = Result<std::shared_ptr<const Kernel>>;

  explicit CodeCache(std::size_t capacity) : capacity_(capacity) {}

  // The kernel of `key`, made by `build` (without the lock held) if it is not there. `hit` tells which.
  // A failure is not remembered.
  KernelResult get(const Key& key, const std::function<KernelResult()>& build, bool& hit);

  CacheStatistics statistics() const;
  void clear();

 private:
  struct Entry {
    Key key;
    std::uint64_t hash = 0;
    std::shared_ptr<const Kernel> kernel;  // null while it is being built
  };
  using List = std::list<Entry>;

  List::iterator find(std::uint64_t hash, const Key& key);
  void erase(List::iterator entry);
  void shrink(std::size_t target);

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable built_;
  List entries_;  // most recently used first
  std::unordered_multimap<std::uint64_t, List::iterator> by_hash_;
  CacheStatistics statistics_;
};

}  // namespace warpjit::runtime
