// Doubles under each rounding mode.
// Compiled with -frounding-math; the modes are the host's, set around each operation.
#include <bit>

#include "base/fma.h"
#include "base/rounding.h"
#include "frontend/tesla/interpret/op.h"

namespace warpjit::tesla {
// `volatile` keeps the operation between the changes of the mode.
std::uint64_t round_dadd(std::uint64_t a, std::uint64_t b, Rounding rounding) {
  const volatile double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
  const HostRounding mode(static_cast<unsigned>(rounding));
  const volatile double result = x + y;
  return std::bit_cast<std::uint64_t>(double{result});
}

std::uint64_t round_dmul(std::uint64_t a, std::uint64_t b, Rounding rounding) {
  const volatile double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
  const HostRounding mode(static_cast<unsigned>(rounding));
  const volatile double result = x * y;
  return std::bit_cast<std::uint64_t>(double{result});
}

std::uint64_t round_dfma(std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rounding) {
  const volatile double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b),
                        z = std::bit_cast<double>(c);
  const HostRounding mode(static_cast<unsigned>(rounding));
  const volatile double result = fma::fused(x, y, z);
  return std::bit_cast<std::uint64_t>(double{result});
}

}  // namespace warpjit::tesla
