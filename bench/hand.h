// Hand-written AVX-512 loops of the kernels K3 to K9: what an engineer writes without a translator, with the
// tricks that fit each kernel (several vectors in flight, register blocking, sums in registers). Definitions:
// K3 escape counts of the Mandelbrot set, 1024 x 1024, at most 256; K4 y += a x; K5 C = A B, 512 x 512; K8a
// sums of 256; K8b inclusive prefix sums of 256; K9 64 rounds of an integer hash.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpjit::bench {

inline constexpr unsigned kMandelbrotSide = 1024, kMandelbrotLimit = 256, kMatrixSide = 512;

// False where the machine that builds has no AVX-512: then none of these may be called. Counts are multiples
// of 512, pointers aligned to 64 bytes.
bool has_hand_kernels();
void hand_mandelbrot(std::uint32_t* out);
void hand_saxpy(float a, const float* x, float* y, std::size_t count);
void hand_matmul(const float* a, const float* b, float* c);
void hand_reduce(const std::uint32_t* in, std::uint32_t* out, std::size_t count);
void hand_scan(const std::uint32_t* in, std::uint32_t* out, std::size_t count);
void hand_hash(const std::uint32_t* in, std::uint32_t* out, std::size_t count);

}  // namespace warpjit::bench
