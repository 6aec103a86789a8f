#include "backend/lower/deferred_checks.h"

#include <algorithm>
#include <cassert>

namespace warpjit::backend {
namespace {

// Does its code do the same in all modes of rounding?
bool rounds_nothing(ir::Family family) {
  switch (family) {
    case ir::Family::constant:
    case ir::Family::cast:
    case ir::Family::integer_arithmetic:
    case ir::Family::integer_comparison:
    case ir::Family::logic:
    case ir::Family::selection:
    case ir::Family::uniform:
    case ir::Family::memory:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool DeferredChecks::worthwhile(std::span<const ir::Inst> insts) const {
  if (!code_.flushes) return false;
  const auto count = std::count_if(insts.begin(), insts.end(), [&](ir::Inst i) { return defers(i); });
  return static_cast<std::size_t>(count) * parts_ >= flushing_.fewest_deferred();
}

ir::Inst DeferredChecks::last_from(ir::Inst first) const {
  constexpr int kMost = 128;  // all of it is lowered twice
  if (!code_.flushes || !defers(first)) return {};
  std::size_t count = 0;
  ir::Inst last, i = first;
  for (int n = 0; n < kMost; ++n, i = f_.inst(i).next) {
    const ir::OpcodeInfo& row = ir::info(f_.inst(i).opcode);
    if (!row.pure || row.callout || row.terminator || f_.inst(i).opcode == ir::Opcode::LoadInput) break;
    if (defers(i)) last = i, ++count;
  }
  return count * parts_ >= flushing_.fewest_deferred() ? last : ir::Inst{};
}

void DeferredChecks::multiply_ahead(ir::Inst i) {
  state_.guest_address = f_.inst(i).guest_address;
  flushing_.multiply_ahead(i, parts_of(f_.result(i)));
}

// In levels, so that the mode changes seldom: on odd ones products are made, on even ones what else rounds,
// each on the first that is behind those of its operands. What rounds nothing is made where it is first read.
void DeferredChecks::order(std::span<const ir::Inst> insts) {
  steps_.clear();
  const std::size_t fewest = flushing_.fewest_ahead();
  if (fewest == 0 || !in_loop_) return;
  constexpr std::uint32_t kNone = ~0u;
  place_.resize(f_.inst_count(), kNone);
  const auto place_of = [&](ir::Value v) {
    const ir::Inst made = f_.definition(v);
    const std::uint32_t place = place_[made.id];
    return place < insts.size() && insts[place] == made ? place : kNone;
  };
  // Of instructions and, where they are made apart, of their products.
  std::vector<std::uint32_t> level(insts.size()), of_product(insts.size(), kNone);
  const auto level_of = [&](ir::Value v) {
    const std::uint32_t place = place_of(v);
    return place == kNone ? 0 : level[place];
  };
  std::vector<std::size_t> products(2 * insts.size() + 2);  // vectors of them by level
  for (std::uint32_t n = 0; n < insts.size(); ++n) {
    const ir::Inst i = insts[n];
    place_[i.id] = n;
    const auto operands = f_.operands(i);
    if (defers(i)) {
      of_product[n] = std::max(level_of(operands[0]), level_of(operands[1])) | 1;
      std::uint32_t behind = of_product[n];
      for (ir::Value v : operands.subspan(2)) behind = std::max(behind, level_of(v));  // addend, mask
      level[n] = behind + (behind & 1);
      products[of_product[n]] += parts_of(f_.result(i));
      continue;
    }
    std::uint32_t behind = 0;
    for (ir::Value v : operands) behind = std::max(behind, level_of(v));
    const ir::Family family = ir::family(f_.inst(i).opcode);
    level[n] = rounds_nothing(family) ? behind : behind + (behind & 1);
    // Rows of these are made as one, and what they read is no other one's result.
    const auto in_row = [&](std::size_t at) { return ir::family(f_.inst(insts[at]).opcode) == family; };
    if (family != ir::Family::canonical_nan || n == 0) continue;
    for (std::size_t before = n; before-- > 0 && in_row(before) && level[before] != level[n];)
      level[before] = level[n] = std::max(level[before], level[n]);
  }
  std::vector<std::uint32_t> first_read(insts.size(), kNone);
  std::uint32_t last = 0;
  std::size_t ahead = 0;
  for (std::size_t n = insts.size(); n-- > 0;) {
    const ir::Inst i = insts[n];
    const auto operands = f_.operands(i);
    if (of_product[n] != kNone && products[of_product[n]] < fewest) of_product[n] = kNone;
    if (of_product[n] != kNone) ++ahead;
    if (first_read[n] != kNone && rounds_nothing(ir::family(f_.inst(i).opcode))) {
      assert(first_read[n] >= level[n]);
      level[n] = first_read[n];
    }
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const std::uint32_t place = place_of(operands[k]);
      if (place == kNone) continue;
      const std::uint32_t reads = k < 2 && of_product[n] != kNone ? of_product[n] : level[n];
      first_read[place] = std::min(first_read[place], reads);
    }
    last = std::max(last, level[n]);
  }
  if (ahead == 0) return;
  std::vector<std::uint32_t> next(last + 2);  // where the steps of a level go
  for (std::size_t n = 0; n < insts.size(); ++n) {
    ++next[level[n]];
    if (of_product[n] != kNone) ++next[of_product[n]];
  }
  const auto makes_products = [&](std::uint32_t l) { return (l & 1) != 0 && products[l] >= fewest; };
  std::uint32_t first = 0;
  for (std::uint32_t l = 0; l <= last; ++l) {
    const std::uint32_t count = next[l];
    next[l] = first + (makes_products(l) ? 1 : 0);
    first = next[l] + count + (makes_products(l) ? 1 : 0);
  }
  steps_.resize(first);
  for (std::uint32_t n = 0; n < insts.size(); ++n) {
    if (of_product[n] != kNone) steps_[next[of_product[n]]++] = {Step::Kind::product, n};
    steps_[next[level[n]]++] = {Step::Kind::inst, n};
  }
  first = 0;
  for (std::uint32_t l = 0; l <= last; ++l) {
    if (makes_products(l)) {
      steps_[first] = {Step::Kind::begin_products};
      steps_[next[l]++] = {Step::Kind::end_products};
    }
    first = next[l];
  }
}

}  // namespace warpjit::backend
