#include "runtime/work/row_plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "runtime/fakes.h"

namespace warpjit::runtime {
namespace {

using test::FakeKernel;
using test::FakeShader;

float* row(const backend::Binding& binding, unsigned lane) {
  return reinterpret_cast<float*>(binding.address + static_cast<std::ptrdiff_t>(lane) * binding.stride);
}

// o0 = v0 + 1 (all components), o1 = v1 * 2, as a kernel of `lanes` lanes would.
std::unique_ptr<FakeKernel> arithmetic_kernel(unsigned lanes, std::uint64_t* groups = nullptr) {
  return std::make_unique<FakeKernel>(lanes, 0, [=](const backend::KernelArgs& args) {
    if (groups != nullptr) ++*groups;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      float a[4], b[4];
      std::memcpy(a, row(args.inputs[0], lane), 16);
      std::memcpy(b, row(args.inputs[1], lane), 16);
      for (int k = 0; k < 4; ++k) a[k] += 1, b[k] *= 2;
      std::memcpy(row(args.outputs[0], lane), a, 16);
      std::memcpy(row(args.outputs[1], lane), b, 16);
    }
  });
}

struct Case {
  Format in0, in1, out0, out1;
  std::size_t gap;  // bytes between rows
};

// Buffers are exactly as long as their last row needs, and filled beyond the rows with a pattern.
void check(const Case& c, std::uint64_t count, unsigned lanes) {
  const std::size_t s0 = size(c.in0) + c.gap, s1 = size(c.in1) + c.gap, t0 = size(c.out0) + c.gap,
                    t1 = size(c.out1) + c.gap;
  std::vector<std::byte> v0((count - 1) * s0 + size(c.in0)), v1((count - 1) * s1 + size(c.in1)),
      o0((count - 1) * t0 + size(c.out0), std::byte{0xCD}),
      o1((count - 1) * t1 + size(c.out1), std::byte{0xCD});
  const auto fill = [](std::vector<std::byte>& to, Format format) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = static_cast<std::byte>(k * 7 & 0x3F);
    (void)format;
  };
  fill(v0, c.in0);
  fill(v1, c.in1);

  LaunchState launch{Program(std::make_shared<FakeShader>())};
  const auto at = [&](LocationKind kind, const char* name) { return *launch.shader->find(kind, name); };
  ASSERT_TRUE(launch.bind(at(LocationKind::input, "v0"), Attribute{v0.data(), v0.size(), s0, c.in0}));
  ASSERT_TRUE(launch.bind(at(LocationKind::input, "v1"), Attribute{v1.data(), v1.size(), s1, c.in1}));
  ASSERT_TRUE(launch.bind(at(LocationKind::output, "o0"), OutputBuffer{o0.data(), o0.size(), t0, c.out0}));
  ASSERT_TRUE(launch.bind(at(LocationKind::output, "o1"), OutputBuffer{o1.data(), o1.size(), t1, c.out1}));
  launch.count = count;
  ASSERT_TRUE(launch.check());

  alignas(64) std::uint32_t table[32];
  const auto kernel = arithmetic_kernel(lanes);
  const RowPlan plan({launch, *kernel, table, 1, nullptr});
  ASSERT_TRUE(plan.run(0, count));

  for (std::uint64_t n = 0; n < count; ++n) {
    float a[4], b[4], got0[4] = {}, got1[4] = {};
    load_rows(c.in0)(&v0[n * s0], 0, 1, reinterpret_cast<std::byte*>(a));
    load_rows(c.in1)(&v1[n * s1], 0, 1, reinterpret_cast<std::byte*>(b));
    std::memcpy(got0, &o0[n * t0], size(c.out0));
    std::memcpy(got1, &o1[n * t1], size(c.out1));
    for (unsigned k = 0; k < c.out0.components; ++k)
      ASSERT_EQ(got0[k], a[k] + 1) << n << ' ' << count << ' ' << lanes;
    for (unsigned k = 0; k < c.out1.components; ++k)
      ASSERT_EQ(got1[k], b[k] * 2) << n << ' ' << count << ' ' << lanes;
    for (std::size_t k = size(c.out0); k < t0 && n + 1 < count; ++k)
      ASSERT_EQ(o0[n * t0 + k], std::byte{0xCD});
  }
}

TEST(RowPlan, AllFormatsAndTails) {
  const Format u8x4{ComponentType::u8, 4}, s16x2{ComponentType::s16, 2};
  const Case cases[] = {{f32x4, f32x4, f32x4, f32x4, 0},
                        {f32x4, f32x4, f32x4, f32x4, 5},
                        {f32x3, f32x4, f32x4, f32x2, 0},
                        {u8x4, s16x2, f32x1, f32x3, 3},
                        {f32x4, u8x4, f32x4, f32x4, 16}};
  for (const Case& c : cases)
    for (const unsigned lanes : {1u, 8u, 16u, 64u})
      for (std::uint64_t count = 1; count <= 70; ++count) check(c, count, lanes);
  for (const Case& c : cases)
    for (const std::uint64_t count : {255u, 256u, 1000u, 4097u}) check(c, count, 32);
}

TEST(RowPlan, WideGroupsOfManyBindings) { check({f32x2, f32x2, f32x2, f32x2, 0}, 700, 512); }

TEST(RowPlan, InPlaceNeedsTheFlag) {
  std::vector<float> rows(4 * 100);
  std::iota(rows.begin(), rows.end(), 0.0f);
  std::vector<float> other(400, 3.0f), second(400);
  LaunchState launch{Program(std::make_shared<FakeShader>())};
  const auto at = [&](LocationKind kind, const char* name) { return *launch.shader->find(kind, name); };
  ASSERT_TRUE(launch.bind(at(LocationKind::input, "v0"), Attribute{rows.data(), 1600, 16, f32x4}));
  ASSERT_TRUE(launch.bind(at(LocationKind::input, "v1"), Attribute{other.data(), 1600, 16, f32x4}));
  ASSERT_TRUE(launch.bind(at(LocationKind::output, "o0"), OutputBuffer{rows.data(), 1600, 16, f32x4}));
  ASSERT_TRUE(launch.bind(at(LocationKind::output, "o1"), OutputBuffer{second.data(), 1600, 16, f32x4}));
  launch.count = 100;
  const Status refused = launch.check();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::bad_input);
  EXPECT_EQ(refused.error().where, "output o0");

  launch.allow_overlap = true;
  ASSERT_TRUE(launch.check());
  alignas(64) std::uint32_t table[32];
  const auto kernel = arithmetic_kernel(32);
  ASSERT_TRUE(RowPlan({launch, *kernel, table, 1, nullptr}).run(0, 100));
  for (int n = 0; n < 400; ++n) EXPECT_EQ(rows[static_cast<std::size_t>(n)], static_cast<float>(n) + 1);
}

TEST(RowPlan, FuelIsThatOfAThread) {
  LaunchState launch{Program(std::make_shared<FakeShader>())};
  launch.count = 8;
  std::uint64_t seen = 0;
  const FakeKernel kernel(8, 0, [&](const backend::KernelArgs& args) { seen = args.fuel; });
  ASSERT_TRUE(RowPlan({launch, kernel, nullptr, 5, nullptr}).run(0, 8));
  EXPECT_EQ(seen, 5u);
  ASSERT_TRUE(RowPlan({launch, kernel, nullptr, ~std::uint64_t{0}, nullptr}).run(0, 8));
  EXPECT_EQ(seen, ~std::uint64_t{0});
}

}  // namespace
}  // namespace warpjit::runtime
