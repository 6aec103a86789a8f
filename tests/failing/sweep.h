// A story again and again, each time with another allocation that fails.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "failing/fail_at.h"
#include "support/share.h"

namespace warpjit::test {

// Runs `story`, which gives a hash of its results, with each failing call, or about `most` of them; after each one
// undisturbed.
template <class Story>
void sweep(const Story& story, std::uint64_t most = share(400)) {
  Result<std::uint64_t> first = story();  // what is made once in a process is made now
  ASSERT_TRUE(first) << to_string(first.error());
  const std::uint64_t right = *first;
  std::uint64_t count = 0;
  {
    const FailAt counting(Failing::memory, FailAt::kNever);
    EXPECT_TRUE(story().ok());
    count = counting.calls();
  }
  EXPECT_GT(count, 50u);
  const std::uint64_t step = std::max<std::uint64_t>(1, count / most);
  for (std::uint64_t n = 1; n <= count + 1; n += step)
    for (const bool lasting : {false, true}) {
      SCOPED_TRACE("call " + std::to_string(n) + (lasting ? " and all after it" : ""));
      FailAt failing(Failing::memory, n, lasting);
      const Result<std::uint64_t> result = story();
      failing.stop();
      if (result)
        EXPECT_EQ(*result, right);
      else
        EXPECT_EQ(result.error().code, ErrorCode::resource_limit) << to_string(result.error());
      const Result<std::uint64_t> again = story();
      ASSERT_TRUE(again) << to_string(again.error());
      ASSERT_EQ(*again, right);
    }
}

}  // namespace warpjit::test
