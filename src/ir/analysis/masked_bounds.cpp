#include "ir/analysis/masked_bounds.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "ir/analysis/float_bounds.h"

namespace warpjit::ir {
namespace {

constexpr int kMaskDepth = 4, kTermDepth = 4, kFactorDepth = 3;  // instructions of a chain

// The least n with |x| < 2^n, not below 0; x is finite.
int exponent_above(float x) {
  const auto exponent = static_cast<int>(std::bit_cast<std::uint32_t>(x) >> 23 & 255);
  return std::max(exponent - 126, 0);
}

bool keeps_number(Opcode opcode) {
  return opcode == Opcode::FFlush32 || opcode == Opcode::CanonicalizeNaN32 ||
         opcode == Opcode::CanonicalizeNaNOnes32;
}

class MaskedBounds {
 public:
  MaskedBounds(const Function& f, Value mask) : f_(f) { collect(mask, true, kMaskDepth); }

  std::optional<FactorBounds> of(Value a, Value b) const {
    if (facts_ == 0) return {};
    const Bound first = bound(a, kFactorDepth), second = bound(b, kFactorDepth);
    constexpr int kGreatest = 128;  // beyond it a sum or a product may be infinite
    if (!first.known || !second.known || std::max(first.exponent, second.exponent) > kGreatest) return {};
    // A fact that a NaN hides does not matter if that NaN is in the product, too.
    const std::uint32_t seen = first.seen | second.seen, used = first.used | second.used;
    for (std::uint32_t k = 0; k < facts_; ++k)
      if ((used >> k & 1) != 0 && (hidden_by_[k] & ~seen) != 0) return {};
    return FactorBounds{first.exponent, second.exponent};
  }

 private:
  // A float that is below 2^exponent in magnitude, as a fact says.
  struct Limited {
    Value value;
    int exponent;
    std::uint32_t fact;
  };
  struct Bound {
    bool known = false;
    int exponent = 0;
    // The limited values that it is made of and whose NaNs it takes over, and the facts that it needs: bits.
    std::uint32_t seen = 0, used = 0;
  };
  static constexpr std::uint32_t kMostLimited = 8, kMostFacts = 4;

  Opcode opcode(Value v) const { return f_.definition_of(v).opcode; }
  Value operand(Value v, std::uint32_t k) const { return f_.operand(f_.definition(v), k); }

  // What holds where the mask is `truth`.
  void collect(Value mask, bool truth, int depth) {
    if (depth == 0) return;
    switch (opcode(mask)) {
      case Opcode::Not1:
        return collect(operand(mask, 0), !truth, depth - 1);
      case Opcode::And1:
      case Opcode::Or1:
        if (truth != (opcode(mask) == Opcode::And1)) return;
        collect(operand(mask, 0), truth, depth - 1);
        return collect(operand(mask, 1), truth, depth - 1);
      case Opcode::AndNot1:
        if (!truth) return;
        collect(operand(mask, 0), true, depth - 1);
        return collect(operand(mask, 1), false, depth - 1);
      case Opcode::FLt32:
      case Opcode::FLe32:
        return truth ? compare(operand(mask, 0), operand(mask, 1), false)
                     : compare(operand(mask, 1), operand(mask, 0), true);
      case Opcode::FGt32:
      case Opcode::FGe32:
        return truth ? compare(operand(mask, 1), operand(mask, 0), false)
                     : compare(operand(mask, 0), operand(mask, 1), true);
      default:
        return;
    }
  }

  // x <= limit; or x is a NaN, where `unordered`.
  void compare(Value x, Value limit, bool unordered) {
    if (facts_ == kMostFacts || opcode(limit) != Opcode::ConstF32) return;
    const auto most = std::bit_cast<float>(static_cast<std::uint32_t>(f_.constant(limit)));
    if (!std::isfinite(most)) return;
    const std::uint32_t before = count_;
    if (!limit_terms(x, exponent_above(most), kTermDepth)) {
      count_ = before;
      return;
    }
    const auto bits = [](std::uint32_t count) { return (1u << count) - 1; };
    hidden_by_[facts_++] = unordered ? bits(count_) & ~bits(before) : 0;
  }

  // x is a sum of what has no sign, and below 2^exponent: so is each term, for sums and products are rounded,
  // which keeps the order of numbers. False: x may be something else.
  bool limit_terms(Value x, int exponent, int depth) {
    if (depth == 0) return false;
    const auto square_of = [&](Value root) { return limited(root, (exponent + 1) / 2); };
    switch (const Opcode made = opcode(x)) {
      case Opcode::FFlush32:
      case Opcode::CanonicalizeNaN32:
      case Opcode::CanonicalizeNaNOnes32:
        return limit_terms(operand(x, 0), exponent, depth - 1);
      case Opcode::FMul32:
      case Opcode::FMulNoZeroInf32:
      case Opcode::FMulFlush32:
        return operand(x, 0) == operand(x, 1) && square_of(operand(x, 0));
      case Opcode::FFma32:
      case Opcode::FFmaFlush32:
        return operand(x, 0) == operand(x, 1) && square_of(operand(x, 0)) &&
               limit_terms(operand(x, 2), exponent, depth - 1);
      case Opcode::FAbs32:
        return limited(operand(x, 0), exponent);
      case Opcode::FAdd32:
      case Opcode::FAddFlush32:
        return limit_terms(operand(x, 0), exponent, depth - 1) &&
               limit_terms(operand(x, 1), exponent, depth - 1);
      default:
        return made == Opcode::ConstF32 && f_.constant(x) <= 0x7f800000;
    }
  }

  bool limited(Value v, int exponent) {
    if (count_ == kMostLimited) return false;
    while (keeps_number(opcode(v))) v = operand(v, 0);
    limited_[count_++] = {v, exponent, facts_};
    return true;
  }

  Bound bound(Value v, int depth) const {
    Bound found;
    while (keeps_number(opcode(v))) v = operand(v, 0);
    for (std::uint32_t k = 0; k < count_; ++k) {
      const Limited& one = limited_[k];
      if (one.value != v) continue;
      found.exponent = found.known ? std::min(found.exponent, one.exponent) : one.exponent;
      found.known = true;
      found.seen |= 1u << k;
      found.used |= 1u << one.fact;
    }
    if (found.known || depth == 0) return found;
    const auto both = [&](auto&& join) {
      const Bound x = bound(operand(v, 0), depth - 1), y = bound(operand(v, 1), depth - 1);
      return Bound{x.known && y.known, join(x.exponent, y.exponent), x.seen | y.seen, x.used | y.used};
    };
    switch (opcode(v)) {
      case Opcode::FNeg32:
      case Opcode::FAbs32:
        return bound(operand(v, 0), depth - 1);
      case Opcode::FAdd32:
      case Opcode::FSub32:
      case Opcode::FAddFlush32:
      case Opcode::FSubFlush32:
        return both([](int x, int y) { return std::max(x, y) + 1; });
      case Opcode::FMul32:
      case Opcode::FMulNoZeroInf32:
      case Opcode::FMulFlush32:
        return both([](int x, int y) { return x + y; });
      default: {
        const FloatBounds known = float_bounds(f_, v, depth);
        const float most = std::max(std::abs(known.least), std::abs(known.greatest));
        if (std::isfinite(most)) found = {true, exponent_above(most), 0, 0};
        return found;
      }
    }
  }

  const Function& f_;
  std::array<Limited, kMostLimited> limited_{};
  std::uint32_t count_ = 0;
  // By fact: limited values whose NaNs pass its comparison.
  std::array<std::uint32_t, kMostFacts> hidden_by_{};
  std::uint32_t facts_ = 0;
};

}  // namespace

std::optional<FactorBounds> factor_bounds(const Function& f, Value mask, Value a, Value b) {
  return MaskedBounds(f, mask).of(a, b);
}

}  // namespace warpjit::ir
