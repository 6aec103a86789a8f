#include "base/cpu.h"

#include <gtest/gtest.h>

#include <string_view>

namespace warpjit::cpu {
namespace {

// GCC's and clang's own reading of CPUID.
#if defined(__x86_64__) && defined(__GNUC__)
TEST(Cpu, IsAsTheCompilerSeesIt) {
  EXPECT_EQ(has(Feature::avx2), bool(__builtin_cpu_supports("avx2")));
  EXPECT_EQ(has(Feature::fma), bool(__builtin_cpu_supports("fma")));
  EXPECT_EQ(has(Feature::bmi), bool(__builtin_cpu_supports("bmi")));
  EXPECT_EQ(has(Feature::bmi2), bool(__builtin_cpu_supports("bmi2")));
  EXPECT_EQ(has(Feature::avx512f), bool(__builtin_cpu_supports("avx512f")));
  EXPECT_EQ(has(Feature::avx512bw), bool(__builtin_cpu_supports("avx512bw")));
  EXPECT_EQ(has(Feature::avx512dq), bool(__builtin_cpu_supports("avx512dq")));
  EXPECT_EQ(has(Feature::avx512vl), bool(__builtin_cpu_supports("avx512vl")));
  EXPECT_EQ(std::string_view(model().maker) == "AuthenticAMD", bool(__builtin_cpu_is("amd")));
  EXPECT_EQ(std::string_view(model().maker) == "GenuineIntel", bool(__builtin_cpu_is("intel")));
}
#endif

TEST(Cpu, HasAllOfThem) {
  EXPECT_EQ(has({Feature::avx2, Feature::fma}), has(Feature::avx2) && has(Feature::fma));
  EXPECT_LE(has({Feature::avx512f, Feature::avx512_fp16}), has(Feature::avx512f));
}

}  // namespace
}  // namespace warpjit::cpu
