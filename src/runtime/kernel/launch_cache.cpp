#include "runtime/kernel/launch_cache.h"

#include <algorithm>
#include <cassert>
#include <thread>

namespace warpjit::runtime {

// A reader announces itself before it looks at `ready`; a writer takes `ready` away before it looks for
// readers. Sequential consistency makes one of them see the other.
bool LaunchCache::enter(Entry& entry, const LaunchKey& key, std::uint64_t generation, Lease& lease) {
  assert(lease.entry_ == nullptr);  // it would never be given back
  entry.users.fetch_add(1, std::memory_order_seq_cst);
  if (entry.ready.load(std::memory_order_seq_cst) == generation && entry.key == key) {
    lease.kernel_ = entry.kernel.lock();
    if (lease.kernel_) {
      lease.table_ = entry.table.get();
      lease.entry_ = &entry;
      return true;
    }
  }
  entry.users.fetch_sub(1, std::memory_order_release);
  return false;
}

bool LaunchCache::find(const LaunchKey& key, std::uint64_t generation, Lease& lease) {
  const std::uint64_t tag = key.tag();
  for (Entry& entry : entries_)
    if (entry.tag.load(std::memory_order_relaxed) == tag && enter(entry, key, generation, lease)) return true;
  return false;
}

bool LaunchCache::claim(Entry& entry) {
  const std::uint64_t before = entry.ready.exchange(0, std::memory_order_seq_cst);
  for (int tries = 0; tries < 16; ++tries) {
    if (entry.users.load(std::memory_order_seq_cst) == 0) return true;
    // It may be a reader that is about to find that the entry has another key.
    std::this_thread::yield();
  }
  entry.ready.store(before, std::memory_order_seq_cst);
  return false;
}

LaunchCache::Entry* LaunchCache::choose(const LaunchKey& key) {
  // The entry of this key with old values or a dropped kernel is the first choice, then the next in turn.
  for (Entry& entry : entries_)
    if (entry.tag.load(std::memory_order_relaxed) == key.tag() && entry.key == key && claim(entry))
      return &entry;
  for (std::size_t n = 0; n < kEntries; ++n) {
    Entry& entry = entries_[next_++ % kEntries];
    if (claim(entry)) return &entry;
  }
  return nullptr;
}

std::size_t LaunchCache::table_bytes(const Kernel& kernel, const frontend::Shader& shader) {
  return std::max(shader.table_bytes(), kernel.table_bytes());
}

Status LaunchCache::fill_table(Entry& entry, const Kernel& kernel, const frontend::Shader& shader,
                               const frontend::Values& values) {
  shader.fill_table(values, {entry.table.get(), table_bytes(kernel, shader) / 4});
  return kernel.prepare(entry.table.get());
}

Status LaunchCache::Lease::refill_own(const frontend::Shader& shader, const frontend::Values& values) {
  return fill_table(*own_, *kernel_, shader, values);
}

// The entry is claimed: nobody reads it.
Status LaunchCache::write(Entry& entry, const LaunchKey& key, std::uint64_t generation,
                          std::shared_ptr<const Kernel> kernel, const frontend::Shader& shader,
                          const frontend::Values& values, Lease& lease) {
  assert(lease.entry_ == nullptr);
  const std::size_t bytes = table_bytes(*kernel, shader);
  if (entry.table_bytes < bytes) {
    const std::size_t rounded = (bytes + 63) & ~std::size_t{63};
    entry.table.reset(static_cast<std::uint32_t*>(::operator new[](rounded, std::align_val_t{64})));
    entry.table_bytes = rounded;
  }
  if (Status status = fill_table(entry, *kernel, shader, values); !status) {
    entry.tag.store(0, std::memory_order_relaxed);
    return status;
  }
  entry.key = key;
  entry.kernel = kernel;
  lease.kernel_ = std::move(kernel);
  lease.table_ = entry.table.get();
  lease.entry_ = &entry;
  entry.users.fetch_add(1, std::memory_order_relaxed);
  entry.tag.store(key.tag(), std::memory_order_relaxed);
  entry.ready.store(generation, std::memory_order_seq_cst);
  return {};
}

Result<bool> LaunchCache::refill(const LaunchKey& key, std::uint64_t generation,
                                 const frontend::Shader& shader, const frontend::Values& values,
                                 Lease& lease) {
  const std::lock_guard lock(mutex_);
  if (find(key, generation, lease)) return true;  // another run was faster
  for (Entry& entry : entries_) {
    if (entry.tag.load(std::memory_order_relaxed) != key.tag() || !(entry.key == key)) continue;
    std::shared_ptr<const Kernel> kernel = entry.kernel.lock();
    if (!kernel || !claim(entry)) return false;
    if (Status status = write(entry, key, generation, std::move(kernel), shader, values, lease); !status)
      return status.error();
    return true;
  }
  return false;
}

Status LaunchCache::fill(const LaunchKey& key, std::uint64_t generation, std::shared_ptr<const Kernel> kernel,
                         const frontend::Shader& shader, const frontend::Values& values, Lease& lease) {
  const std::lock_guard lock(mutex_);
  if (find(key, generation, lease)) return {};
  Entry* entry = choose(key);
  if (entry == nullptr) {
    lease.own_ = std::make_unique<Entry>();
    entry = lease.own_.get();
  }
  return write(*entry, key, generation, std::move(kernel), shader, values, lease);
}

Status LaunchCache::fill_once(std::shared_ptr<const Kernel> kernel, const frontend::Shader& shader,
                              const frontend::Values& values, Lease& lease) {
  lease.own_ = std::make_unique<Entry>();
  return write(*lease.own_, {}, 1, std::move(kernel), shader, values, lease);
}

}  // namespace warpjit::runtime
