// Counts beyond the rows of a launch, and comparisons with tolerances.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "launch/launch_file.h"

namespace warpjit::tool {
namespace {

// Two interleaved inputs and one with a layout of its own, three rows.
LaunchFile three_rows() {
  LaunchFile launch;
  launch.count = launch.rows = 3;
  for (int buffer = 0; buffer < 2; ++buffer) {
    launch.buffers.push_back({});
    for (int k = 0; k < 64; ++k)
      launch.buffers.back().bytes.push_back(static_cast<std::byte>(buffer * 100 + k));
  }
  launch.inputs = {{"a", 0, f32x2, 0, 4, 20},
                   {"b", 1, f32x1, 0, 12, 20},
                   {"c", 2, f32x1, 1, 0, 8},
                   {"d", 3, f32x1, 1, 40, 8},
                   {"e", 4, f32x1, 1, 2, 0}};
  return launch;
}

std::byte at(const LaunchFile& launch, std::size_t input, std::uint64_t thread) {
  const LaunchInput& in = launch.inputs[input];
  return launch.buffers[in.buffer].bytes.at(in.offset + thread * in.stride);
}

TEST(LaunchCountTest, RepeatsRows) {
  const LaunchFile before = three_rows();
  LaunchFile launch = three_rows();
  ASSERT_TRUE(set_count(launch, 1000));
  EXPECT_EQ(launch.count, 1000u);
  for (std::size_t input = 0; input < launch.inputs.size(); ++input) {
    for (const std::uint64_t thread : {0u, 1u, 2u, 3u, 500u, 999u})
      EXPECT_EQ(at(launch, input, thread), at(before, input, thread % 3)) << input << " " << thread;
    const LaunchInput& in = launch.inputs[input];
    EXPECT_LE(in.offset + 999 * in.stride + size(in.format), launch.buffers[in.buffer].bytes.size());
  }
  EXPECT_EQ(launch.inputs[0].buffer, launch.inputs[1].buffer);  // still interleaved
  EXPECT_EQ(launch.inputs[0].stride, 20u);
  EXPECT_EQ(launch.inputs[4].stride, 0u);
}

TEST(LaunchCountTest, Limits) {
  LaunchFile launch = three_rows();
  EXPECT_TRUE(set_count(launch, 2));
  EXPECT_EQ(launch.buffers.size(), 2u);
  EXPECT_FALSE(set_count(launch, 0));
  EXPECT_FALSE(set_count(launch, kMaxThreads + 1));
  launch.inputs[0].stride = 1 << 30;
  const Status status = set_count(launch, kMaxThreads);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::resource_limit);
}

std::uint32_t bits(float f) { return std::bit_cast<std::uint32_t>(f); }

TEST(ExpectationTest, Tolerances) {
  Expectation exact;
  EXPECT_TRUE(exact.accepts(bits(1), bits(1)));
  EXPECT_FALSE(exact.accepts(bits(-0.0f), bits(0.0f)));
  EXPECT_TRUE(exact.accepts(0x7fc00000, 0xffc12345));  // any NaN
  EXPECT_FALSE(exact.accepts(0x7fc00000, bits(1)));

  Expectation ulp;
  ulp.ulp = 2;
  EXPECT_TRUE(ulp.accepts(bits(-0.0f), bits(0.0f)));
  EXPECT_TRUE(ulp.accepts(bits(1.0f) + 2, bits(1.0f)));
  EXPECT_FALSE(ulp.accepts(bits(1.0f) + 3, bits(1.0f)));
  EXPECT_TRUE(ulp.accepts(1, 0x80000001));  // smallest denormals of both signs
  EXPECT_FALSE(ulp.accepts(2, 0x80000001));
  EXPECT_TRUE(ulp.accepts(0x7f800000, 0x7f7fffff));  // infinity is the next value

  Expectation any;
  any.absolute = 0.5;
  any.relative = 0.1;
  EXPECT_TRUE(any.accepts(bits(0.4f), bits(0)));
  EXPECT_TRUE(any.accepts(bits(109), bits(100)));
  EXPECT_FALSE(any.accepts(bits(111), bits(100)));
  EXPECT_FALSE(any.accepts(0x7f800000, bits(100)));
  EXPECT_TRUE(any.accepts(0x7f800000, 0x7f800000));

  Expectation flags;
  flags.what.format.type = ComponentType::s32;
  EXPECT_FALSE(flags.accepts(0, 0x80000000));
}

}  // namespace
}  // namespace warpjit::tool
