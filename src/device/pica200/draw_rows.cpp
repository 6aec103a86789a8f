#include "device/pica200/draw_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/work/row_format.h"

namespace warpjit::pica200 {

using runtime::kRowBytes;
namespace {

bool same_array(const pica200::AttributeArray& a, const pica200::AttributeArray& b) {
  return a.data == b.data && a.size == b.size && a.stride == b.stride;
}

std::size_t end_of(const ArrayInput& input) { return input.array.offset + size(input.array.format); }

}  // namespace

void lay_out_rows(std::span<const ArrayInput> inputs, DrawBindings& draw) {
  frontend::DrawFacts& facts = draw.facts;
  facts.row_count = 0;
  facts.input_count = 0;
  std::array<const ArrayInput*, frontend::DrawFacts::kMaxRows> list;
  std::uint32_t done = 0;  // bit n: input n has its row
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    if (done >> n & 1) continue;
    // All of this array, by offset.
    std::size_t count = 0;
    for (std::size_t m = n; m < inputs.size(); ++m)
      if (same_array(inputs[m].array, inputs[n].array)) {
        list[count++] = &inputs[m];
        done |= 1u << m;
      }
    std::sort(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count),
              [](const ArrayInput* a, const ArrayInput* b) {
                return std::pair(a->array.offset, a) < std::pair(b->array.offset, b);
              });
    for (std::size_t k = 0; k < count;) {
      std::size_t start = list[k]->array.offset, end = start, after = k;
      while (after < count && end_of(*list[after]) - start <= kRowBytes)
        end = std::max(end, end_of(*list[after++]));
      // A row that needs fewer bytes begins earlier, so that it ends with the attributes; by whole
      // words, to keep the alignment.
      const std::size_t back = std::min(kRowBytes - (end - start), start) & ~std::size_t{3};
      start -= back;
      for (; k < after; ++k)
        facts.inputs[facts.input_count++] = {list[k]->reg, facts.row_count,
                                             static_cast<std::uint8_t>(list[k]->array.offset - start),
                                             list[k]->array.format};
      const pica200::AttributeArray& array = inputs[n].array;
      draw.rows[facts.row_count++] = {static_cast<const std::byte*>(array.data) + start, array.stride,
                                      static_cast<std::uint32_t>(end - start)};
    }
  }
}

std::uint64_t whole_vertices(std::span<const ArrayInput> inputs, const DrawBindings& draw) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (unsigned k = 0; k < draw.facts.row_count; ++k) {
    const DrawBindings::Rows& rows = draw.rows[k];
    // The array of the first input in this row has its size.
    const frontend::FetchedInput* fetched =
        std::find_if(draw.facts.inputs.begin(), draw.facts.inputs.end(),
                     [&](const frontend::FetchedInput& input) { return input.row == k; });
    const auto input = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const ArrayInput& in) { return in.reg == fetched->reg; });
    const pica200::AttributeArray& array = input->array;
    const std::size_t start = array.offset - fetched->offset;
    if (array.size - start < kRowBytes) return 0;
    if (rows.stride != 0)
      least = std::min<std::uint64_t>(least, (array.size - start - kRowBytes) / rows.stride + 1);
  }
  return least;
}

}  // namespace warpjit::pica200
