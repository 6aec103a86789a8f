// The rounding mode of the host's arithmetic. On x86-64 not by the C library: its functions keep the mode of x87 beside it,
// which nothing here computes with, and those of mingw-w64 ask the CPUID instruction each time, which takes longer than
// all else that an operation does, and in a virtual machine some hundred times as long.
#pragma once

#include <cfenv>

#include "base/float_environment.h"

namespace warpjit {

// FE_TONEAREST, FE_DOWNWARD, FE_UPWARD or FE_TOWARDZERO, in the order of what instructions call modes 0 to 3.
inline constexpr int kHostRoundings[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

inline int host_rounding() {
#if WARPJIT_HOST_X64
  return kHostRoundings[FloatEnvironment::read() >> 13 & 3];
#else
  return std::fegetround();
#endif
}

// A mode, by its number, for the time that the object lives; to nearest after that, as before it. What is computed then
// must be `volatile`, in a file that is compiled with -frounding-math.
class HostRounding {
 public:
  explicit HostRounding(unsigned mode) : changed_(mode != 0) {
    if (changed_) set(mode);
  }
  ~HostRounding() {
    if (changed_) set(0);
  }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  static void set(unsigned mode) {
#if WARPJIT_HOST_X64
    FloatEnvironment::write((FloatEnvironment::read() & ~(3U << 13)) | mode << 13);
#else
    std::fesetround(kHostRoundings[mode]);
#endif
  }
  bool changed_;
};

}  // namespace warpjit
