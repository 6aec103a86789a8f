// Vector<T, N>: N numbers in one value. GNU compilers have such types; the standard form is a structure with the same
// operators and results. Both have arithmetic with another vector, or with one number for all lanes; comparisons,
// which give -1 where they hold, else 0, as signed integers of the lanes' size; `v[i]`; and a list of N values in
// braces. Their bytes are those of an array. T is a number, N a power of two, N * sizeof(T) at most 16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/compiler.h"

namespace warpjit {

#if WARPJIT_GNU

template <class T, std::size_t N>
struct VectorOf {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, std::size_t N>
using Vector = typename VectorOf<T, N>::type;

// SHUFFLE(a, b, numbers...): the lanes with these numbers, of those of `a` and then of `b`.
#define WARPJIT_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
// CONVERT(To, a): each lane converted to the type that the lanes of To have, which is a vector of as many.
#define WARPJIT_CONVERT(To, a) __builtin_convertvector(a, To)

#else

// Unnamed, so that each source has its own: sources are compiled for several processors, and none of these functions
// may become the program's only copy.
namespace {

template <class T, std::size_t N>
struct Vector {
  T lanes[N];
  constexpr T& operator[](std::size_t i) { return lanes[i]; }
  constexpr const T& operator[](std::size_t i) const { return lanes[i]; }
};

template <std::size_t kBytes>
using SignedOf =
    std::conditional_t<kBytes == 1, std::int8_t,
                       std::conditional_t<kBytes == 2, std::int16_t,
                                          std::conditional_t<kBytes == 4, std::int32_t, std::int64_t>>>;

#define WARPJIT_VECTOR_OPERATOR(sign)                                                                 \
  template <class T, std::size_t N>                                                                   \
  [[maybe_unused]] constexpr Vector<T, N> operator sign(Vector<T, N> a, const Vector<T, N>& b) {      \
    for (std::size_t i = 0; i < N; ++i) a[i] = static_cast<T>(a[i] sign b[i]);                        \
    return a;                                                                                         \
  }                                                                                                   \
  template <class T, std::size_t N>                                                                   \
  [[maybe_unused]] constexpr Vector<T, N> operator sign(Vector<T, N> a, std::type_identity_t<T> b) {  \
    for (std::size_t i = 0; i < N; ++i) a[i] = static_cast<T>(a[i] sign b);                           \
    return a;                                                                                         \
  }                                                                                                   \
  template <class T, std::size_t N>                                                                   \
  [[maybe_unused]] constexpr Vector<T, N> operator sign(std::type_identity_t<T> a, Vector<T, N> b) {  \
    for (std::size_t i = 0; i < N; ++i) b[i] = static_cast<T>(a sign b[i]);                           \
    return b;                                                                                         \
  }                                                                                                   \
  template <class T, std::size_t N>                                                                   \
  [[maybe_unused]] constexpr Vector<T, N>& operator sign##=(Vector<T, N>& a, const Vector<T, N>& b) { \
    return a = a sign b;                                                                              \
  }
WARPJIT_VECTOR_OPERATOR(+)
WARPJIT_VECTOR_OPERATOR(-)
WARPJIT_VECTOR_OPERATOR(*)
WARPJIT_VECTOR_OPERATOR(/)
WARPJIT_VECTOR_OPERATOR(&)
WARPJIT_VECTOR_OPERATOR(|)
WARPJIT_VECTOR_OPERATOR(^)
WARPJIT_VECTOR_OPERATOR(<<)
WARPJIT_VECTOR_OPERATOR(>>)
#undef WARPJIT_VECTOR_OPERATOR

template <class T, std::size_t N>
[[maybe_unused]] constexpr Vector<T, N> operator~(Vector<T, N> a) {
  for (std::size_t i = 0; i < N; ++i) a[i] = static_cast<T>(~a[i]);
  return a;
}

#define WARPJIT_VECTOR_COMPARISON(sign)                                                                \
  template <class T, std::size_t N>                                                                    \
  [[maybe_unused]] constexpr Vector<SignedOf<sizeof(T)>, N> operator sign(const Vector<T, N>& a,       \
                                                                          const Vector<T, N>& b) {     \
    Vector<SignedOf<sizeof(T)>, N> result{};                                                           \
    for (std::size_t i = 0; i < N; ++i) result[i] = a[i] sign b[i] ? -1 : 0;                           \
    return result;                                                                                     \
  }                                                                                                    \
  template <class T, std::size_t N>                                                                    \
  [[maybe_unused]] constexpr Vector<SignedOf<sizeof(T)>, N> operator sign(const Vector<T, N>& a,       \
                                                                          std::type_identity_t<T> b) { \
    Vector<SignedOf<sizeof(T)>, N> result{};                                                           \
    for (std::size_t i = 0; i < N; ++i) result[i] = a[i] sign b ? -1 : 0;                              \
    return result;                                                                                     \
  }
WARPJIT_VECTOR_COMPARISON(==)
WARPJIT_VECTOR_COMPARISON(!=)
WARPJIT_VECTOR_COMPARISON(<)
WARPJIT_VECTOR_COMPARISON(<=)
WARPJIT_VECTOR_COMPARISON(>)
WARPJIT_VECTOR_COMPARISON(>=)
#undef WARPJIT_VECTOR_COMPARISON

template <std::size_t... kLanes, class T, std::size_t N>
[[maybe_unused]] constexpr Vector<T, sizeof...(kLanes)> shuffle_lanes(const Vector<T, N>& a,
                                                                      const Vector<T, N>& b) {
  return {(kLanes < N ? a[kLanes % N] : b[kLanes % N])...};
}
template <class To, class T, std::size_t N>
[[maybe_unused]] constexpr To convert_lanes(const Vector<T, N>& a) {
  To result{};
  for (std::size_t i = 0; i < N; ++i) result[i] = static_cast<std::remove_cvref_t<decltype(result[i])>>(a[i]);
  return result;
}
#define WARPJIT_SHUFFLE(a, b, ...) ::warpjit::shuffle_lanes<__VA_ARGS__>(a, b)
#define WARPJIT_CONVERT(To, a) ::warpjit::convert_lanes<To>(a)

}  // namespace

#endif

}  // namespace warpjit
