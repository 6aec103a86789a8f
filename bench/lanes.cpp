// Compiled once per width with WARPJIT_LANES set, and with all instructions of the machine that builds.
#include "lanes.h"

#include <cmath>
#include <cstdint>

namespace warpjit::bench {

namespace {

constexpr unsigned kWidth = WARPJIT_LANES;
using Floats [[gnu::vector_size(kWidth * 4)]] = float;
using Ints [[gnu::vector_size(kWidth * 4)]] = std::int32_t;

Floats broadcast(float f) { return Floats{} + f; }

// The product, 0 where it is a NaN made from numbers.
Floats multiply(Floats a, Floats b) {
  const Floats product = a * b;
  const Ints bad = (product != product) & (a == a) & (b == b);
  return (Floats)((Ints)product & ~bad);
}
Floats maximum(Floats a, Floats b) { return a > b ? a : b; }
Floats minimum(Floats a, Floats b) { return a < b ? a : b; }

Floats reciprocal_root(Floats a) {
  Floats result{};
  for (unsigned k = 0; k < kWidth; ++k) result[k] = 1.0f / std::sqrt(a[k]);
  return result;
}

Floats logarithm(Floats x) {
  const Ints bits = (Ints)x;
  const Floats exponent = __builtin_convertvector((bits >> 23) - 127, Floats);
  const Floats m = (Floats)((bits & 0x7fffff) | 0x3f800000);
  Floats p = broadcast(0.05979f);
  for (const float coefficient : {-0.46575f, 1.48011f, -2.52064f, 2.88802f})
    p = p * m + broadcast(coefficient);
  return x > 0.0f ? exponent + p * (m - 1.0f) : broadcast(-INFINITY);
}

Floats exponential(Floats x) {
  x = minimum(maximum(x, broadcast(-126.0f)), broadcast(127.0f));
  Floats whole{};
  for (unsigned k = 0; k < kWidth; ++k) whole[k] = std::floor(x[k]);
  const Floats rest = x - whole;
  Floats p = broadcast(0.0135f);
  for (const float coefficient : {0.0520f, 0.2414f, 0.6930f, 1.0f}) p = p * rest + broadcast(coefficient);
  const Ints exponent = (__builtin_convertvector(whole, Ints) + 127) << 23;
  return p * (Floats)exponent;
}

template <int N>
Floats dot(const float* constant, const Floats* vector) {
  Floats sum = multiply(broadcast(constant[0]), vector[0]);
  for (int k = 1; k < N; ++k) sum += multiply(broadcast(constant[k]), vector[k]);
  return sum;
}

void normalize(Floats* v) {
  const Floats scale = reciprocal_root(multiply(v[0], v[0]) + multiply(v[1], v[1]) + multiply(v[2], v[2]));
  for (int k = 0; k < 3; ++k) v[k] = multiply(scale, v[k]);
}

void mvp_light(const LaneConstants& u, const Floats* in, Floats* out) {
  const Floats position[4] = {in[0], in[1], in[2], broadcast(1)};
  Floats view[4], normal[3];
  for (int k = 0; k < 4; ++k) view[k] = dot<4>(u.model_view[k], position);
  for (int k = 0; k < 4; ++k) out[k] = dot<4>(u.projection[k], view);
  for (int k = 0; k < 3; ++k) normal[k] = dot<3>(u.model_view[k], in + 4);
  normalize(normal);
  const Floats diffuse = maximum(broadcast(0), dot<3>(u.light, normal));
  Floats specular = maximum(broadcast(1e-4f), dot<3>(u.half_way, normal));
  specular = exponential(multiply(broadcast(u.shininess), logarithm(specular)));
  for (int k = 0; k < 4; ++k)
    out[4 + k] =
        minimum(broadcast(1), multiply(specular, broadcast(u.specular[k])) +
                                  (multiply(diffuse, broadcast(u.diffuse[k])) + broadcast(u.ambient[k])));
  for (int k = 0; k < 2; ++k) out[8 + k] = dot<4>(u.texture[k], in + 8);
}

Floats gather(const LaneConstants& u, Ints row, int component) {
  Floats result{};
  for (unsigned lane = 0; lane < kWidth; ++lane) result[lane] = u.bones[row[lane]][component];
  return result;
}

void skin_loop(const LaneConstants& u, const Floats* in, Floats* out) {
  const Floats position[4] = {in[0], in[1], in[2], broadcast(1)};
  const Floats* const normal_in = in + 4;
  Floats skinned[4] = {Floats{}, Floats{}, Floats{}, broadcast(1)}, normal[3] = {};
  for (int bone = 0; bone < 4; ++bone) {
    const Ints first = __builtin_convertvector(in[8 + bone], Ints);
    const Floats weight = in[12 + bone];
    for (int j = 0; j < 3; ++j) {
      const Ints index = (first + j) & 127;
      Floats c[4];
      for (int k = 0; k < 4; ++k) c[k] = gather(u, index, k);
      const Floats p = multiply(c[0], position[0]) + multiply(c[1], position[1]) +
                       multiply(c[2], position[2]) + multiply(c[3], position[3]);
      const Floats n =
          multiply(c[0], normal_in[0]) + multiply(c[1], normal_in[1]) + multiply(c[2], normal_in[2]);
      skinned[j] = multiply(p, weight) + skinned[j];
      normal[j] = multiply(n, weight) + normal[j];
    }
  }
  normalize(normal);
  for (int k = 0; k < 4; ++k) out[k] = dot<4>(u.projection[k], skinned);
  for (int k = 0; k < 3; ++k) out[4 + k] = maximum(Floats{}, normal[k]);
  out[7] = Floats{};
}

template <auto kernel, unsigned kInputs, unsigned kOutputs>
void run(const LaneConstants& constants, const float* in, float* out, std::size_t vertices, bool copy) {
  alignas(64) Floats input[kInputs], output[kOutputs];
  const auto load = [&](std::size_t first) {
    for (unsigned c = 0; c < kInputs; ++c)
      for (unsigned lane = 0; lane < kWidth; ++lane) input[c][lane] = in[(first + lane) * kLaneRow + c];
  };
  load(0);
  for (std::size_t v = 0; v < vertices; v += kWidth) {
    if (copy) load(v);
    asm volatile("" : : "r"(input) : "memory");  // the vectors are in memory, and not known
    kernel(constants, input, output);
    asm volatile("" : : "r"(output) : "memory");
    if (!copy) continue;
    for (unsigned c = 0; c < kOutputs; ++c)
      for (unsigned lane = 0; lane < kWidth; ++lane) out[(v + lane) * kLaneRow + c] = output[c][lane];
  }
}

constexpr std::array<LaneKernel, 2> kKernels = {
    {{"mvp_light", kWidth, run<mvp_light, 12, 10>}, {"skin_loop", kWidth, run<skin_loop, 16, 8>}}};

}  // namespace

#if WARPJIT_LANES == 16
std::array<LaneKernel, 2> lane_kernels_16() { return kKernels; }
#else
std::array<LaneKernel, 2> lane_kernels_8() { return kKernels; }
#endif

}  // namespace warpjit::bench
