#include "hand.h"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace warpjit::bench {

bool has_hand_kernels() { return true; }

// Four vectors of a row in flight.
void hand_mandelbrot(std::uint32_t* out) {
  constexpr int kFlight = 4;
  const __m512 lane = _mm512_set_ps(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512 step = _mm512_set1_ps(2.5F / kMandelbrotSide), four = _mm512_set1_ps(4);
  const __m512i one = _mm512_set1_epi32(1);
  for (unsigned y = 0; y < kMandelbrotSide; ++y) {
    const __m512 ci = _mm512_set1_ps(-1.25F + static_cast<float>(y) * (2.5F / kMandelbrotSide));
    for (unsigned x = 0; x < kMandelbrotSide; x += 16 * kFlight) {
      __m512 cr[kFlight], zr[kFlight], zi[kFlight];
      __m512i count[kFlight];
      __mmask16 active[kFlight];
      for (int k = 0; k < kFlight; ++k) {
        const __m512 column =
            _mm512_add_ps(_mm512_set1_ps(static_cast<float>(x + 16 * static_cast<unsigned>(k))), lane);
        cr[k] = _mm512_fmadd_ps(column, step, _mm512_set1_ps(-2));
        zr[k] = zi[k] = _mm512_setzero_ps();
        count[k] = _mm512_setzero_si512();
        active[k] = 0xffff;
      }
      for (unsigned turn = 0; turn < kMandelbrotLimit; ++turn) {
        __mmask16 any = 0;
        for (int k = 0; k < kFlight; ++k) {
          const __m512 a = _mm512_mul_ps(zr[k], zr[k]), b = _mm512_mul_ps(zi[k], zi[k]);
          active[k] = _mm512_mask_cmp_ps_mask(active[k], _mm512_add_ps(a, b), four, _CMP_LE_OQ);
          count[k] = _mm512_mask_add_epi32(count[k], active[k], count[k], one);
          zi[k] = _mm512_fmadd_ps(_mm512_add_ps(zr[k], zr[k]), zi[k], ci);
          zr[k] = _mm512_add_ps(_mm512_sub_ps(a, b), cr[k]);
          any = static_cast<__mmask16>(any | active[k]);
        }
        if (any == 0) break;
      }
      for (int k = 0; k < kFlight; ++k)
        _mm512_store_si512(out + y * kMandelbrotSide + x + 16 * static_cast<unsigned>(k), count[k]);
    }
  }
}

void hand_saxpy(float a, const float* x, float* y, std::size_t count) {
  const __m512 factor = _mm512_set1_ps(a);
  for (std::size_t i = 0; i < count; i += 32) {
    _mm512_store_ps(y + i, _mm512_fmadd_ps(factor, _mm512_load_ps(x + i), _mm512_load_ps(y + i)));
    _mm512_store_ps(y + i + 16,
                    _mm512_fmadd_ps(factor, _mm512_load_ps(x + i + 16), _mm512_load_ps(y + i + 16)));
  }
}

// Panels of 256 x 32 of B, 8 x 32 results in registers.
void hand_matmul(const float* a, const float* b, float* c) {
  constexpr unsigned kN = kMatrixSide, kDepth = 256, kWidth = 32, kRows = 8;
  alignas(64) static thread_local float panel[kDepth * kWidth];
  for (unsigned first = 0; first < kN; first += kDepth)
    for (unsigned column = 0; column < kN; column += kWidth) {
      for (unsigned k = 0; k < kDepth; ++k)
        for (unsigned half = 0; half < kWidth; half += 16)
          _mm512_store_ps(panel + k * kWidth + half, _mm512_load_ps(b + (first + k) * kN + column + half));
      for (unsigned row = 0; row < kN; row += kRows) {
        __m512 sum[kRows][2];
        for (auto& pair : sum) pair[0] = pair[1] = _mm512_setzero_ps();
        const float* from = a + row * kN + first;
        for (unsigned k = 0; k < kDepth; ++k) {
          const __m512 left = _mm512_load_ps(panel + k * kWidth),
                       right = _mm512_load_ps(panel + k * kWidth + 16);
          for (unsigned r = 0; r < kRows; ++r) {
            const __m512 factor = _mm512_set1_ps(from[r * kN + k]);
            sum[r][0] = _mm512_fmadd_ps(factor, left, sum[r][0]);
            sum[r][1] = _mm512_fmadd_ps(factor, right, sum[r][1]);
          }
        }
        for (unsigned r = 0; r < kRows; ++r)
          for (unsigned half = 0; half < 2; ++half) {
            float* to = c + (row + r) * kN + column + 16 * half;
            _mm512_store_ps(to, first == 0 ? sum[r][half] : _mm512_add_ps(sum[r][half], _mm512_load_ps(to)));
          }
      }
    }
}

void hand_reduce(const std::uint32_t* in, std::uint32_t* out, std::size_t count) {
  for (std::size_t block = 0; block < count / 256; ++block, in += 256) {
    __m512i sum[4];
    for (int k = 0; k < 4; ++k)
      sum[k] = _mm512_add_epi32(
          _mm512_add_epi32(_mm512_load_si512(in + 64 * k), _mm512_load_si512(in + 64 * k + 16)),
          _mm512_add_epi32(_mm512_load_si512(in + 64 * k + 32), _mm512_load_si512(in + 64 * k + 48)));
    out[block] = static_cast<std::uint32_t>(_mm512_reduce_add_epi32(
        _mm512_add_epi32(_mm512_add_epi32(sum[0], sum[1]), _mm512_add_epi32(sum[2], sum[3]))));
  }
}

void hand_scan(const std::uint32_t* in, std::uint32_t* out, std::size_t count) {
  const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi32(15);
  for (std::size_t block = 0; block < count / 256; ++block, in += 256, out += 256) {
    __m512i before = zero;
    for (int k = 0; k < 16; ++k) {
      __m512i v = _mm512_load_si512(in + 16 * k);
      v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 15));
      v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 14));
      v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 12));
      v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 8));
      _mm512_store_si512(out + 16 * k, _mm512_add_epi32(v, before));
      before = _mm512_add_epi32(before, _mm512_permutexvar_epi32(last, v));
    }
  }
}

// Eight vectors in flight.
void hand_hash(const std::uint32_t* in, std::uint32_t* out, std::size_t count) {
  constexpr int kFlight = 8;
  const __m512i first = _mm512_set1_epi32(static_cast<int>(0x85ebca6b)),
                second = _mm512_set1_epi32(static_cast<int>(0xc2b2ae35));
  for (std::size_t i = 0; i < count; i += 16 * kFlight) {
    __m512i hash[kFlight];
    for (int k = 0; k < kFlight; ++k) hash[k] = _mm512_load_si512(in + i + 16 * static_cast<std::size_t>(k));
    std::uint32_t round = 0;
    for (int turn = 0; turn < 64; ++turn, round += 0x9e3779b9) {
      const __m512i addend = _mm512_set1_epi32(static_cast<int>(round));
      for (__m512i& h : hash) {
        h = _mm512_xor_si512(h, _mm512_srli_epi32(h, 16));
        h = _mm512_mullo_epi32(h, first);
        h = _mm512_xor_si512(h, _mm512_srli_epi32(h, 13));
        h = _mm512_mullo_epi32(h, second);
        h = _mm512_xor_si512(h, _mm512_srli_epi32(h, 16));
        h = _mm512_add_epi32(h, addend);
      }
    }
    for (int k = 0; k < kFlight; ++k) _mm512_store_si512(out + i + 16 * static_cast<std::size_t>(k), hash[k]);
  }
}

}  // namespace warpjit::bench

#else

namespace warpjit::bench {

bool has_hand_kernels() { return false; }
void hand_mandelbrot(std::uint32_t*) {}
void hand_saxpy(float, const float*, float*, std::size_t) {}
void hand_matmul(const float*, const float*, float*) {}
void hand_reduce(const std::uint32_t*, std::uint32_t*, std::size_t) {}
void hand_scan(const std::uint32_t*, std::uint32_t*, std::size_t) {}
void hand_hash(const std::uint32_t*, std::uint32_t*, std::size_t) {}

}  // namespace warpjit::bench

#endif
