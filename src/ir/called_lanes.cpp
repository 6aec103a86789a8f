// Called operations of many lanes at once, which compilers make vectors of.
#include "ir/called.h"
#include "ir/evaluate.h"

namespace warpjit::ir {
namespace {

using Words = const std::uint32_t* __restrict;

__attribute__((always_inline)) inline void multiply_add(Words a, Words b, Words c,
                                                        std::uint32_t* __restrict results,
                                                        std::size_t count) {
  for (std::size_t n = 0; n < count; ++n)
    results[n] = std::bit_cast<std::uint32_t>(meaning::FMadTruncFlush32(
        std::bit_cast<float>(a[n]), std::bit_cast<float>(b[n]), std::bit_cast<float>(c[n])));
}

using MultiplyAdd = void (*)(Words, Words, Words, std::uint32_t*, std::size_t);

void multiply_add_plain(Words a, Words b, Words c, std::uint32_t* results, std::size_t count) {
  multiply_add(a, b, c, results, count);
}
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) void multiply_add_avx2(Words a, Words b, Words c, std::uint32_t* results,
                                                       std::size_t count) {
  multiply_add(a, b, c, results, count);
}
MultiplyAdd best() { return __builtin_cpu_supports("avx2") ? multiply_add_avx2 : multiply_add_plain; }
#else
MultiplyAdd best() { return multiply_add_plain; }
#endif

}  // namespace

void multiply_add_truncated(const std::uint32_t* words, std::size_t count, std::uint32_t* results) {
  static const MultiplyAdd kMultiplyAdd = best();
  kMultiplyAdd(words, words + count, words + 2 * count, results, count);
}

}  // namespace warpjit::ir
