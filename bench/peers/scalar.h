// What programs without SIMD lanes do, as a yardstick: a scalar interpreter of PICA200 code that shades one
// vertex a call, and a geometry stage that runs one invocation a call and hands each emitted vertex to a
// function. Written from docs/guests/pica200.md alone; nothing of warpjit is in it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

namespace warpjit::bench {

using Vector = std::array<float, 4>;

struct ScalarProgram {
  std::span<const std::uint32_t> code, descriptors;
  std::uint32_t entry = 0;
  std::array<Vector, 96> c{};
  std::array<std::array<std::uint8_t, 4>, 4> i{};
  std::uint16_t b = 0;
};

// One shader unit.
class ScalarUnit {
 public:
  std::array<Vector, 16> v{}, r{};
  std::array<Vector, 16> banks[2]{};  // o0-o15
  unsigned bank = 0;                  // the one that instructions write
  // Called for EMIT, with what SETEMIT latched.
  std::function<void(ScalarUnit& unit, unsigned vertex, bool primitive, bool winding)> emit;

  void run(const ScalarProgram& program);

 private:
  struct Call {
    std::uint32_t end, back;
  };
  struct If {
    std::uint32_t otherwise, end;
  };
  struct Loop {
    std::uint32_t entry, end;
    unsigned count, step;
  };
  Vector source(const ScalarProgram& program, std::uint32_t number, unsigned index) const;
  bool condition(std::uint32_t word) const;

  std::int32_t a0_[2] = {}, aL_ = 0;
  bool cmp_[2] = {};
  unsigned vertex_ = 0;
  bool primitive_ = false, winding_ = false;
};

// EMIT: fills the buffer of three vertices and hands on triangles.
class ScalarAssembly {
 public:
  // triangle(three vertices, winding flag)
  using Triangle = std::function<void(const std::array<std::array<Vector, 16>, 3>& corners, bool winding)>;
  ScalarAssembly(std::uint16_t enabled, Triangle triangle)
      : enabled_(enabled), triangle_(std::move(triangle)) {}
  void emit(ScalarUnit& unit, unsigned vertex, bool primitive, bool winding);

 private:
  std::array<std::array<Vector, 16>, 3> corners_{};
  std::uint16_t enabled_;
  Triangle triangle_;
};

}  // namespace warpjit::bench
