// The loop of a guest interpreter is compiled twice from one source: for any host, and on x86-64 for AVX2 and
// FMA (see CMakeLists.txt). Both give the same bits.
#pragma once

#include <cstdint>

namespace warpjit::interpret {

// Which of the instances runs: the fastest one that this host has, or the one for any host.
enum class HostCode : std::uint8_t { best, portable };

// Whether this host can run the faster instances.
bool host_has_avx2();

template <class Loop>
class Instances {
 public:
  Instances(Loop portable, Loop avx2) : portable_(portable), best_(host_has_avx2() ? avx2 : portable) {}
  Loop choose(HostCode code) const { return code == HostCode::best ? best_ : portable_; }

 private:
  Loop portable_, best_;
};

// The instances of NAME_baseline and NAME_avx2.
#if defined(WARPJIT_INTERPRET_AVX2)
#define WARPJIT_INSTANCES(name) ::warpjit::interpret::Instances(&name##_baseline, &name##_avx2)
#else
#define WARPJIT_INSTANCES(name) ::warpjit::interpret::Instances(&name##_baseline, &name##_baseline)
#endif

}  // namespace warpjit::interpret
