// Lets one call, or all from one on, of those that give memory or threads fail while it is in scope.
#pragma once

#include <cstdint>

namespace warpjit::test {

enum class Failing : std::uint8_t {
  memory,  // malloc and its like; with sanitizers operator new alone
  system,  // mmap, mprotect, ftruncate, pthread_create; nothing with sanitizers
};

class FailAt {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  // The n-th call from now on of any thread, counted from 1. `lasting`: those after it, too.
  FailAt(Failing what, std::uint64_t n, bool lasting = false);
  ~FailAt() { stop(); }
  FailAt(const FailAt&) = delete;
  FailAt& operator=(const FailAt&) = delete;
  // Everything succeeds again.
  void stop();
  // Calls until now, or until the end.
  std::uint64_t calls() const;
  bool reached() const { return calls() >= n_; }

 private:
  const std::uint64_t n_;
};

}  // namespace warpjit::test
