// Kernels that take 0 times infinity for impossible until the CPU's flag says otherwise: the same bits as the
// guest interpreter's, wherever such products are.
#include <gtest/gtest.h>

#include <limits>

#include "base/float_environment.h"
#include "runtime/shaders.h"

namespace warpjit::test {
namespace {

// Products of all kinds, one of which decides about a loop and a branch.
Program products() {
  return assemble(
      ".verbatim\n.out o0_ position\n.out o1_ texcoord0\n.constf one(1.0, 0.0, 2.0, 0.5)\n"
      ".alias a v0\n.alias b v1\n"
      ".proc main\n"
      "mul r0, a, b\ndp4 r1, a, b\nmad r2, a, b, one\ndp3 r3, b, a\n"
      "mov r4, one.yyyy\n"
      "cmp one.y, eq, eq, r0\n"
      "ifc cmp.x\n rcp r4, a.x\n mul r4, r4, b\n.else\n add r4, r4, r2\n.end\n"
      "mov o0_, r0\nadd o1_, r4, r1\nend\n.end\n");
}

struct Density {
  const char* name;
  std::uint64_t every;  // which threads have a product of 0 and infinity; 0: none
};

TEST(Speculation, SameBitsWhereverZeroMeetsInfinity) {
  const Program program = products();
  const float infinity = std::numeric_limits<float>::infinity();
  const Engine engine;
  for (const Density density :
       {Density{"none", 0}, {"one", 1'000'000}, {"few", 5000}, {"some", 100}, {"all", 1}})
    for (const std::uint64_t count : {1u, 7u, 33u, 100u, 20'000u}) {
      SCOPED_TRACE(std::string(density.name) + ", " + std::to_string(count));
      Bench bench(program, count);
      for (std::uint64_t t = 0; density.every != 0 && t < count; t += density.every) {
        bench.inputs[64 * t] = t % 2 == 0 ? infinity : -0.0f;
        bench.inputs[64 * t + 4] = t % 2 == 0 ? 0.0f : -infinity;
      }
      std::vector<std::uint32_t> wanted;
      for (const Way& way : all_ways(engine))
        for (int again = 0; again < 3; ++again) {  // what was seen in one run changes the next
          const std::vector<std::uint32_t> got = bench.run(engine, way.options);
          if (wanted.empty()) wanted = got;
          ASSERT_EQ(got, wanted) << way.name << ", run " << again;
        }
    }
}

// A matrix palette whose indices a host may read from tables that hold only a part of the rows.
TEST(Speculation, SameBitsWhereverRowsAreOutOfReach) {
  const Program program = assemble(
      ".out o0_ position\n.out o1_ texcoord0\n.out o2_ color\n"
      ".alias a v0\n.alias b v1\n"
      ".proc main\n"
      "mova a0.xy, a.xy\n"
      "dp4 r0.x, c4[a0.x], b\ndp4 r0.y, c5[a0.x], b\ndp4 r0.z, c6[a0.x], b\ndp4 r0.w, c7[a0.x], b\n"
      "mul r1, c8[a0.x], b\nmul r2, c40[a0.y], r1\n"
      "mov o0_, r0\nmov o1_, r1\nmov o2_, r2\nend\n.end\n");
  const Engine engine;
  // Indices are at least `first` and below `first` + `span`.
  for (const auto& [first, span] :
       {std::pair{0, 1}, {0, 20}, {0, 60}, {0, 88}, {30, 70}, {-10, 30}, {-140, 300}})
    for (const std::uint64_t count : {1u, 33u, 5000u}) {
      SCOPED_TRACE(std::to_string(first) + " + " + std::to_string(span) + ", " + std::to_string(count));
      Bench bench(program, count);
      for (std::uint64_t t = 0; t < count; ++t)
        for (std::uint64_t n = 0; n < 2; ++n)
          bench.inputs[64 * t + n] =
              static_cast<float>(first + static_cast<int>((t / 3 * 7 + n) % static_cast<unsigned>(span)));
      std::vector<std::uint32_t> wanted;
      for (const Way& way : all_ways(engine))
        for (int again = 0; again < 2; ++again) {
          const std::vector<std::uint32_t> got = bench.run(engine, way.options);
          if (wanted.empty()) wanted = got;
          ASSERT_EQ(got, wanted) << way.name << ", run " << again;
        }
    }
}

// After branches that all go one way both factors are constants, which only late passes see.
TEST(Speculation, ConstantsThatLatePassesFind) {
  std::string body =
      ".out o0_ position\n.out o1_ color\n.alias a v0\n.proc main\n"
      "slt r1, a, a\nrcp r3.x, r1.x\nmov r0.x, r1.x\n";
  for (int k = 0; k < 8; ++k)
    body += "cmp r0.xx, eq, eq, r1.xx\nifc cmp.x\n mov r0.x, r1.x\n.else\n mov r0.x, a.y\n.end\n";
  body += "mul r4.x, r3.x, r0.x\nmov o0_, r4.xxxx\nmov o1_, r3.xxxx\nend\n.end\n";
  const Engine engine;
  Bench bench(assemble(body), 100);
  std::vector<std::uint32_t> wanted;
  for (const Way& way : all_ways(engine)) {
    const std::vector<std::uint32_t> got = bench.run(engine, way.options);
    if (wanted.empty()) wanted = got;
    ASSERT_EQ(got, wanted) << way.name;
  }
}

// Values that are nothing special after those that are: the kernel goes back to the quick version, and on.
TEST(Speculation, SwitchesBothWays) {
  const Engine engine;
  Bench bench(products(), 3000);
  RunOptions guest;
  guest.engine = EngineKind::guest;
  for (int round = 0; round < 200; ++round) {
    const bool special = round / 30 % 2 == 1;
    bench.inputs[64 * 1234] = special ? std::numeric_limits<float>::infinity() : 1.0f;
    bench.inputs[64 * 1234 + 4] = 0.0f;
    const std::vector<std::uint32_t> got = bench.run(engine, {});
    if (round % 10 == 0) {
      ASSERT_EQ(got, bench.run(engine, guest)) << round;
    }
  }
}

// The caller's sticky flags are neither lost nor added to.
TEST(Speculation, FlagsOfTheCallerStay) {
  const Engine engine;
  Bench bench(products(), 64);
  bench.inputs[0] = std::numeric_limits<float>::infinity();
  bench.inputs[4] = 0.0f;
  const auto before = FloatEnvironment::read();
  bench.run(engine, {});
  EXPECT_EQ(FloatEnvironment::read(), before);
  FloatEnvironment::write(before | FloatEnvironment::kInvalid);
  bench.run(engine, {});
  EXPECT_EQ(FloatEnvironment::read(), before | FloatEnvironment::kInvalid);
  FloatEnvironment::write(before);
}

}  // namespace
}  // namespace warpjit::test
