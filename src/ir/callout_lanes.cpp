// Callouts of all lanes at once, which compilers make vectors of.
#include "ir/callout.h"
#include "ir/evaluate.h"

namespace warpjit::ir {

void multiply_add_truncated(const std::uint32_t* words, std::size_t count, std::uint32_t* results) {
  const std::uint32_t* a = words;
  const std::uint32_t* b = words + count;
  const std::uint32_t* c = words + 2 * count;
  for (std::size_t n = 0; n < count; ++n)
    results[n] = meaning::word(
        meaning::FMadTruncFlush32(meaning::real(a[n]), meaning::real(b[n]), meaning::real(c[n])));
}

}  // namespace warpjit::ir
