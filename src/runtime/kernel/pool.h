// Objects that are costly to make and are used by one thread at a time;
// a thread that is done with one returns it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace warpjit::runtime {

template <class T>
class Pool {
 public:
  // One until the end of the lease's life. The pool must live longer.
  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<T> leased) : pool_(pool), leased_(std::move(leased)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      const std::lock_guard lock(pool_.mutex_);
      if (pool_.idle_count_ < kMostIdle) pool_.idle_[pool_.idle_count_++] = std::move(leased_);
    }
    T& operator*() { return *leased_; }
    T* operator->() { return leased_.get(); }

   private:
    Pool& pool_;
    std::unique_ptr<T> leased_;
  };

  Lease borrow() {
    {
      const std::lock_guard lock(mutex_);
      if (idle_count_ != 0) return {*this, std::move(idle_[--idle_count_])};
    }
    return {*this, std::make_unique<T>()};
  }

 private:
  static constexpr std::size_t kMostIdle = 16;
  std::mutex mutex_;
  std::array<std::unique_ptr<T>, kMostIdle> idle_;  // not a list that grows: a lease ends without allocating
  std::size_t idle_count_ = 0;
};

}  // namespace warpjit::runtime
