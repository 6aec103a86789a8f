// The kernels that a launch remembers, each with the uniform table filled for it. A repeated run, from any
// number of threads, finds both with a few atomic operations: no lock, no hash of the key, no allocation. An
// entry holds its kernel weakly, so that the code cache alone decides what is kept.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>

#include "runtime/kernel/kernel.h"

namespace warpjit::runtime {

// Which kernel a run needs, in a form that is cheap to compare.
struct LaunchKey {
  const void* engine = nullptr;
  std::uint64_t facts_generation = 0;
  std::uint64_t bools = 0;  // values of the booleans that the program reads
  std::uint64_t options = 0;
  bool operator==(const LaunchKey&) const = default;
  std::uint64_t tag() const {
    return (reinterpret_cast<std::uintptr_t>(engine) ^ facts_generation << 48 ^ bools << 24 ^ options) | 1;
  }
};

class LaunchCache {
 private:
  struct AlignedDelete {
    void operator()(std::uint32_t* words) const { ::operator delete[](words, std::align_val_t{64}); }
  };
  struct Entry {
    std::atomic<std::uint64_t> ready{0};  // values generation that the table holds; 0: being written
    std::atomic<std::uint32_t> users{0};
    std::atomic<std::uint64_t> tag{0};
    // Written only with the mutex held, `ready` 0 and no users.
    LaunchKey key;
    std::weak_ptr<const Kernel> kernel;
    std::unique_ptr<std::uint32_t[], AlignedDelete> table;
    std::size_t table_bytes = 0;
  };

 public:
  // A kernel and its table, in use for one run.
  class Lease {
   public:
    Lease() = default;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      if (entry_ != nullptr) entry_->users.fetch_sub(1, std::memory_order_release);
    }
    const Kernel& kernel() const { return *kernel_; }
    std::uint32_t* table() const { return table_; }
    // Holds a kernel that reads no table.
    void hold(std::shared_ptr<const Kernel> kernel) { kernel_ = std::move(kernel); }
    // Fills the table anew, of a lease that fill_once made.
    Status refill_own(const frontend::Shader& shader, const frontend::Values& values);

   private:
    friend class LaunchCache;
    std::shared_ptr<const Kernel> kernel_;
    std::uint32_t* table_ = nullptr;
    Entry* entry_ = nullptr;      // of the launch ...
    std::unique_ptr<Entry> own_;  // ... or for this run alone
  };

  // The entry of `key` with values of `generation` (not 0), if there is one whose kernel still lives.
  bool find(const LaunchKey& key, std::uint64_t generation, Lease& lease);

  // Fills the table of `key`'s entry anew after the values changed. False if there is no such entry, or its
  // kernel was dropped. The values must not change meanwhile, and may have changed only while nothing ran.
  Result<bool> refill(const LaunchKey& key, std::uint64_t generation, const frontend::Shader& shader,
                      const frontend::Values& values, Lease& lease);

  // Fills a table for `kernel`, in an entry of this launch if one is free.
  Status fill(const LaunchKey& key, std::uint64_t generation, std::shared_ptr<const Kernel> kernel,
              const frontend::Shader& shader, const frontend::Values& values, Lease& lease);
  // The same for one run alone: nothing is remembered.
  static Status fill_once(std::shared_ptr<const Kernel> kernel, const frontend::Shader& shader,
                          const frontend::Values& values, Lease& lease);

 private:
  static constexpr std::size_t kEntries = 8;
  static std::size_t table_bytes(const Kernel& kernel, const frontend::Shader& shader);
  static Status fill_table(Entry& entry, const Kernel& kernel, const frontend::Shader& shader,
                           const frontend::Values& values);
  static bool claim(Entry& entry);
  static bool enter(Entry& entry, const LaunchKey& key, std::uint64_t generation, Lease& lease);
  static Status write(Entry& entry, const LaunchKey& key, std::uint64_t generation,
                      std::shared_ptr<const Kernel> kernel, const frontend::Shader& shader,
                      const frontend::Values& values, Lease& lease);
  Entry* choose(const LaunchKey& key);

  std::array<Entry, kEntries> entries_;
  std::mutex mutex_;
  std::size_t next_ = 0;  // which entry to take over next
};

}  // namespace warpjit::runtime
