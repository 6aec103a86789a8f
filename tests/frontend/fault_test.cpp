#include "frontend/interpret/fault.h"

#include <gtest/gtest.h>

#include "frontend/interpret/host_code.h"

namespace warpjit::interpret {
namespace {

TEST(Fault, AccessesNameSpaceThreadAndBlock) {
  EXPECT_EQ(access_text(true, "g14", 0x1000, 3, {0, 1}), "store to g14[0x1000] by thread 3 of block (0, 1)");
  EXPECT_EQ(access_text(false, "s", 0xffffffff, 511, {7, 0}),
            "load from s[0xffffffff] by thread 511 of block (7, 0)");
}

int baseline() { return 1; }
int avx2() { return 2; }

TEST(HostCode, TheBestInstanceIsThatOfTheHost) {
  const Instances<int (*)()> instances(baseline, avx2);
  EXPECT_EQ(instances.choose(HostCode::portable)(), 1);
  EXPECT_EQ(instances.choose(HostCode::best)(), host_has_avx2() ? 2 : 1);
}

}  // namespace
}  // namespace warpjit::interpret
