// Random registers and constants, with edge values of integers and floats among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/random.h"

namespace warpjit::tesla {

struct Operands : Random {
  using Random::Random;
  // One word in four is an edge value.
  std::uint32_t word() {
    constexpr std::uint32_t kEdges[] = {
        0,          1,          2,          0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff,
        0x80000000, 0xffffffff, 0x00800000, 0x007fffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
        0x7f7fffff, 0x7fc00001, 0x33800000, 0x4b000000, 0x4f000000, 0xcf000001, 0x3f7fffff, 0x00800001,
        0x7ff00000, 0xfff80000, 0x43e00000, 0x43f00000, 0xc3e00000, 0x80000001, 0x00000020, 0x0000001f};
    const std::uint64_t x = next();
    return x % 4 == 0 ? kEdges[x / 4 % std::size(kEdges)] : static_cast<std::uint32_t>(x >> 32);
  }
};

// The bytes of a constant buffer.
inline std::vector<std::byte> random_constants(Operands& random) {
  std::vector<std::byte> constants(4096);
  for (std::byte& byte : constants) byte = static_cast<std::byte>(random.next() & 0xff);
  return constants;
}

}  // namespace warpjit::tesla
