// Cancels a run after a while, and looks how soon it ends.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace warpjit::test {

// How long a run may go on after the flag is set. It takes about a millisecond, but machines of tests are busy.
#if defined(WARPJIT_SANITIZED)
inline constexpr std::chrono::milliseconds kSoon{3000};
#else
inline constexpr std::chrono::milliseconds kSoon{300};
#endif

// Sets a flag after a while.
class Canceller {
 public:
  explicit Canceller(std::chrono::milliseconds after = std::chrono::milliseconds(20))
      : thread_([this, after] {
          std::this_thread::sleep_for(after);
          since_ = std::chrono::steady_clock::now();
          flag = 1;
        }) {}
  ~Canceller() { thread_.join(); }
  // To be called when the run has ended.
  void expect_soon() {
    const std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
    ASSERT_EQ(flag, 1U) << "it ended before";
    EXPECT_LT(now - since_, kSoon) << std::chrono::duration<double>(now - since_).count() << " s";
  }

  std::atomic<std::uint32_t> flag{0};

 private:
  std::chrono::steady_clock::time_point since_;
  std::thread thread_;
};

}  // namespace warpjit::test
