// Every arithmetic opcode with edge values, against expectations written from docs/guests/pica200.md 6, 7
// and 13.
#include <cmath>
#include <functional>
#include <limits>

#include "base/math.h"
#include "pica200/pica_test.h"

namespace warpjit::pica200 {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// pica200.md 7: 0 * inf = 0, a NaN stays a NaN.
float product(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return kNaN;
  if ((a == 0 && std::isinf(b)) || (b == 0 && std::isinf(a))) return 0.0F;
  return a * b;
}

struct Vector {
  float x, y, z, w;
  const float* begin() const { return &x; }
};

// All pairs of edge values, packed four to a vector in varying positions.
void for_each_pair(const std::function<void(const Vector&, const Vector&)>& visit) {
  const auto& e = edge_values();
  const std::size_t n = e.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      visit({e[i], e[(i + 5) % n], e[(j + 2) % n], e[(i * 3 + j) % n]},
            {e[j], e[(i + j) % n], e[(i + 7) % n], e[(j * 5 + 1) % n]});
}

void set(float (&reg)[4], const Vector& value) { std::copy(value.begin(), value.begin() + 4, reg); }

using Expected = std::function<Vector(const Vector&, const Vector&)>;

// Checks `instruction`, which reads v0 (a), v1 and r1 (b), c0 (a) and c1 (b), and writes o0.
void check(const std::string& instruction, const Expected& expected) {
  const Program program = program_of_main("mov r1, v1\n" + instruction);
  const auto interpreter = Interpreter::prepare(program, program.entry);
  ASSERT_TRUE(interpreter.ok());
  for_each_pair([&](const Vector& a, const Vector& b) {
    ThreadState state;
    Uniforms uniforms;
    set(state.v[0], a);
    set(state.v[1], b);
    set(uniforms.c[0], a);
    set(uniforms.c[1], b);
    ASSERT_TRUE(interpreter->run(uniforms, state, 0));
    const Vector wanted = expected(a, b);
    for (int k = 0; k < 4; ++k)
      ASSERT_TRUE(same(state.o[0][k], wanted.begin()[k]))
          << instruction << " lane " << k << ": got " << state.o[0][k] << ", wanted " << wanted.begin()[k]
          << " for (" << a.x << " " << a.y << " " << a.z << " " << a.w << "), (" << b.x << " " << b.y << " "
          << b.z << " " << b.w << ")";
  });
}

Expected each(const std::function<float(float, float)>& f) {
  return [f](const Vector& a, const Vector& b) {
    return Vector{f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)};
  };
}
Expected all(const std::function<float(const Vector&, const Vector&)>& f) {
  return [f](const Vector& a, const Vector& b) {
    const float value = f(a, b);
    return Vector{value, value, value, value};
  };
}

float greater_equal(float a, float b) { return a >= b ? 1.0F : 0.0F; }
float less(float a, float b) { return a < b ? 1.0F : 0.0F; }
float dot3(const Vector& a, const Vector& b) {
  return (product(a.x, b.x) + product(a.y, b.y)) + product(a.z, b.z);
}
float dot4(const Vector& a, const Vector& b) {
  return (product(a.x, b.x) + product(a.y, b.y)) + (product(a.z, b.z) + product(a.w, b.w));
}
float dot_homogeneous(const Vector& a, const Vector& b) {
  return (product(a.x, b.x) + product(a.y, b.y)) + (product(a.z, b.z) + b.w);
}
Vector distance(const Vector& a, const Vector& b) { return {1.0F, product(a.y, b.y), a.z, b.w}; }

TEST(PicaArithmetic, PerComponent) {
  check("add o0, v0, v1", each([](float a, float b) { return a + b; }));
  check("add o0, c0, -r1", each([](float a, float b) { return a + -b; }));
  check("mul o0, v0, v1", each(product));
  check("mul o0, c0, r1", each(product));
  check("max o0, v0, v1", each([](float a, float b) { return a > b ? a : b; }));
  check("min o0, v0, v1", each([](float a, float b) { return a < b ? a : b; }));
  check("sge o0, v0, v1", each(greater_equal));
  check("slt o0, v0, v1", each(less));
  check("sgei o0, v0, c1", each(greater_equal));
  check("slti o0, v0, c1", each(less));
  check("mov o0, c0", each([](float a, float) { return a; }));
  check("mov o0, -v0", each([](float a, float) { return -a; }));
  check("flr o0, v0", each([](float a, float) { return std::floor(a); }));
}

TEST(PicaArithmetic, Dots) {
  check("dp3 o0, v0, v1", all(dot3));
  check("dp4 o0, v0, v1", all(dot4));
  check("dp4 o0, c0, r1", all(dot4));
  check("dph o0, v0, v1", all(dot_homogeneous));
  check("dph o0, c0, r1", all(dot_homogeneous));
  check("dphi o0, v0, c1", all(dot_homogeneous));
}

TEST(PicaArithmetic, Distance) {
  check("dst o0, v0, v1", distance);
  check("dst o0, c0, r1", distance);
  check("dsti o0, v0, c1", distance);
}

TEST(PicaArithmetic, MultiplyAdd) {
  const auto expected = each([](float a, float b) { return product(a, b) + a; });
  check("mad o0, v0, v1, v0", expected);
  check("mad o0, v0, c1, v0", expected);
  check("madi o0, v0, v1, c0", expected);
  check("mad o0, v0, v1, -v0", each([](float a, float b) { return product(a, b) + -a; }));
  // Rounds twice: a fused result would not be 0.
  ThreadState state;
  state.v[0][0] = 1.0F + 0x1p-12F;
  state.v[1][0] = -(state.v[0][0] * state.v[0][0]);
  EXPECT_EQ(run(program_of_main("mad o0, v0, v0, v1"), state).state.o[0][0], 0.0F);
}

TEST(PicaArithmetic, Scalar) {
  check("rcp o0, v0.y", all([](const Vector& a, const Vector&) { return math::rcp(a.y); }));
  check("rsq o0, c0.w", all([](const Vector& a, const Vector&) { return math::rsqrt(a.w); }));
  check("ex2 o0, v0.z", all([](const Vector& a, const Vector&) { return math::exp2(a.z); }));
  check("lg2 o0, -v0", all([](const Vector& a, const Vector&) { return math::log2(-a.x); }));
}

TEST(PicaArithmetic, Litp) {
  const float limit = 127.99609375F;
  check("litp o0, v0", [limit](const Vector& a, const Vector&) {
    return Vector{a.x > 0 ? a.x : 0.0F,
                  a.y > limit    ? limit
                  : a.y < -limit ? -limit
                                 : a.y,
                  0.0F, a.w > 0 ? a.w : 0.0F};
  });
  const Program program = program_of_main("litp r0, v0");
  for (const float x : edge_values())
    for (const float w : edge_values()) {
      ThreadState state;
      state.v[0][0] = x;
      state.v[0][3] = w;
      const Finished result = run(program, state);
      EXPECT_EQ(result.state.cmp[0], x >= 0);
      EXPECT_EQ(result.state.cmp[1], w >= 0);
    }
}

// Special cases of pica200.md 7.
TEST(PicaArithmetic, TableOfSpecialCases) {
  const auto value = [](const std::string& instruction, float a, float b) {
    ThreadState state;
    state.v[0][0] = a;
    state.v[1][0] = b;
    return run(program_of_main(instruction), state).state.o[0][0];
  };
  EXPECT_EQ(bits(value("add o0, v0, v1", kInfinity, -kInfinity)), 0x7fc00000U);
  EXPECT_EQ(bits(value("mul o0, v0, v1", 0.0F, kInfinity)), 0U);
  EXPECT_EQ(bits(value("mul o0, v0, v1", -0.0F, kInfinity)), 0U);
  EXPECT_EQ(bits(value("mul o0, v0, v1", -kInfinity, 0.0F)), 0U);
  EXPECT_EQ(bits(value("mul o0, v0, v1", kNaN, 0.0F)), 0x7fc00000U);
  EXPECT_EQ(bits(value("rcp o0, v0", 0.0F, 0)), bits(kInfinity));
  EXPECT_EQ(bits(value("rcp o0, v0", -0.0F, 0)), bits(kInfinity));
  EXPECT_EQ(bits(value("rcp o0, v0", kInfinity, 0)), 0U);
  EXPECT_EQ(bits(value("rcp o0, v0", -kInfinity, 0)), 0U);
  EXPECT_EQ(bits(value("rsq o0, v0", 0.0F, 0)), bits(kInfinity));
  EXPECT_EQ(bits(value("rsq o0, v0", -0.0F, 0)), bits(kInfinity));
  for (const float x : {-1.0F, -kInfinity, kNaN}) EXPECT_EQ(bits(value("rsq o0, v0", x, 0)), 0x7fc00000U);
  EXPECT_EQ(bits(value("rsq o0, v0", kInfinity, 0)), 0U);
  EXPECT_EQ(bits(value("max o0, v0, v1", 0.0F, kNaN)), 0x7fc00000U);
  EXPECT_EQ(bits(value("max o0, v0, v1", kNaN, 0.0F)), 0U);
  EXPECT_EQ(bits(value("min o0, v0, v1", 0.0F, kNaN)), 0x7fc00000U);
  EXPECT_EQ(bits(value("min o0, v0, v1", kNaN, 0.0F)), 0U);
  EXPECT_EQ(bits(value("max o0, v0, v1", 0.0F, -kInfinity)), 0U);
  for (const char* op : {"sge", "slt"}) {
    const std::string text = std::string(op) + " o0, v0, v1";
    EXPECT_EQ(value(text, kNaN, 0.0F), 0.0F);
    EXPECT_EQ(value(text, 0.0F, kNaN), 0.0F);
  }
  EXPECT_EQ(bits(value("ex2 o0, v0", -kInfinity, 0)), 0U);
  EXPECT_EQ(bits(value("lg2 o0, v0", 0.0F, 0)), bits(-kInfinity));
  EXPECT_EQ(bits(value("lg2 o0, v0", -1.0F, 0)), 0x7fc00000U);
  EXPECT_EQ(value("flr o0, v0", -0.1F, 0), -1.0F);
  EXPECT_EQ(bits(value("flr o0, v0", -0.0F, 0)), 0x80000000U);
}

// pica200.md 8: every relation, with unordered operands; 6 and 7 are true.
TEST(PicaArithmetic, Compare) {
  const char* relations[] = {"eq", "ne", "lt", "le", "gt", "ge", "any6", "any7"};
  const std::function<bool(float, float)> wanted[] = {
      [](float a, float b) { return a == b; }, [](float a, float b) { return !(a == b); },
      [](float a, float b) { return a < b; },  [](float a, float b) { return a <= b; },
      [](float a, float b) { return a > b; },  [](float a, float b) { return a >= b; },
      [](float, float) { return true; },       [](float, float) { return true; }};
  for (int x = 0; x < 8; ++x)
    for (int y = 0; y < 8; ++y) {
      const Program program =
          program_of_main(std::string("cmp v0, ") + relations[x] + ", " + relations[y] + ", v1");
      const auto interpreter = Interpreter::prepare(program, program.entry);
      ASSERT_TRUE(interpreter.ok());
      for_each_pair([&](const Vector& a, const Vector& b) {
        ThreadState state;
        set(state.v[0], a);
        set(state.v[1], b);
        ASSERT_TRUE(interpreter->run({}, state, 0));
        ASSERT_EQ(state.cmp[0], wanted[x](a.x, b.x));
        ASSERT_EQ(state.cmp[1], wanted[y](a.y, b.y));
      });
    }
}

TEST(PicaArithmetic, Mova) {
  const Program both = program_of_main("mova a0, v0"), only_y = program_of_main("mova a0.y, v0");
  const std::pair<float, std::int32_t> cases[] = {{0.9F, 0},
                                                  {-0.9F, 0},
                                                  {-1.5F, -1},
                                                  {127.99F, 127},
                                                  {3e9F, INT32_MAX},
                                                  {-3e9F, INT32_MIN},
                                                  {kInfinity, INT32_MAX},
                                                  {-kInfinity, INT32_MIN},
                                                  {kNaN, 0},
                                                  {-2147483648.0F, INT32_MIN},
                                                  {2147483520.0F, 2147483520}};
  for (const auto& [value, wanted] : cases) {
    ThreadState state;
    state.v[0][0] = value;
    state.v[0][1] = -value;
    state.a0[0] = 77;
    state.a0[1] = 77;
    EXPECT_EQ(run(both, state).state.a0[0], wanted);
    state.v[0][1] = value;
    const Finished y = run(only_y, state);
    EXPECT_EQ(y.state.a0[0], 77);
    EXPECT_EQ(y.state.a0[1], wanted);
  }
}

// Every NaN word of o and r is given out as 0x7fc00000, whatever its origin.
TEST(PicaArithmetic, OutputNaNsAreCanonical) {
  ThreadState state;
  state.v[0][0] = from_bits(0xffc12345);
  state.r[5][2] = from_bits(0x7f800001);
  const Finished result = run(program_of_main("mov o0, v0\nmov r1, -v0"), state);
  EXPECT_EQ(bits(result.state.o[0][0]), 0x7fc00000U);
  EXPECT_EQ(bits(result.state.r[1][0]), 0x7fc00000U);
  EXPECT_EQ(bits(result.state.r[5][2]), 0x7fc00000U);
}

}  // namespace
}  // namespace warpjit::pica200
