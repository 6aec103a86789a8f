#include "ir/analysis/lane_shape.h"

#include <algorithm>

#include "ir/analysis/dominators.h"
#include "ir/analysis/range.h"

namespace warpjit::ir {
namespace {

using Kind = LaneShape::Kind;
using Stride = LaneShape::Stride;

constexpr LaneShape kUnknown = {};

// Shapes that an operation on the low bits of its operands keeps: what is known of 16 bits only stays so.
Kind sum_of(Kind a, Kind b) { return a == Kind::exact && b == Kind::exact ? Kind::exact : Kind::modulo16; }

// The bits that may be set in the base.
std::uint32_t base_bits(const LaneShape& s) {
  const std::uint64_t below = s.most == 0 ? 0 : std::bit_ceil(s.most + 1) - 1;
  return s.zeros >= 32 ? 0 : static_cast<std::uint32_t>(below) & ~0u << s.zeros;
}

// True if base and strides are made of different bits each, so that their sum is their union.
bool apart(const LaneShape& s, std::uint32_t taken = 0) {
  if (s.kind != Kind::exact || !s.constant_strides()) return false;
  if ((taken & base_bits(s)) != 0) return false;
  taken |= base_bits(s);
  for (const Stride& stride : s.strides) {
    if ((taken & stride.coefficient) != 0) return false;
    taken |= stride.coefficient;
  }
  return true;
}
std::uint32_t all_bits(const LaneShape& s) {
  std::uint32_t bits = base_bits(s);
  for (const Stride& stride : s.strides) bits |= stride.coefficient;
  return bits;
}

LaneShape sum(const LaneShape& a, const LaneShape& b, bool difference) {
  if (!a.known() || !b.known()) return kUnknown;
  LaneShape made;
  made.kind = sum_of(a.kind, b.kind);
  for (std::uint32_t k = 0; k < LaneShape::kBits; ++k) {
    Stride &to = made.strides[k], add = b.strides[k];
    to = a.strides[k];
    if (difference) add.coefficient = 0 - add.coefficient;
    if (add.coefficient == 0) continue;
    if (to.coefficient == 0)
      to = add;
    else if (to.factor == add.factor)
      to.coefficient += add.coefficient;
    else
      return kUnknown;
    if (to.coefficient == 0) to.factor = {};
  }
  // A base that is one of the two bases.
  made.told = a.told && b.told && (!b.base.valid() || (!a.base.valid() && !difference));
  made.base = a.base.valid() ? a.base : b.base;
  made.offset = difference ? a.offset - b.offset : a.offset + b.offset;
  made.most = difference || a.most + b.most > kMaxWord ? kMaxWord : a.most + b.most;
  made.zeros = std::min(a.zeros, b.zeros);
  return made;
}

// By a value that is the same in all lanes: a constant, or not.
LaneShape product(const LaneShape& a, const LaneShape& b, Value factor, const Function& f) {
  if (!a.known()) return kUnknown;
  LaneShape made = a;
  made.kind = sum_of(a.kind, Kind::exact);
  const bool constant = f.is_constant(factor);
  const auto word = constant ? static_cast<std::uint32_t>(f.constant(factor)) : 1;
  for (Stride& stride : made.strides) {
    if (stride.coefficient == 0) continue;
    if (!constant) {
      if (stride.factor.valid()) return kUnknown;
      stride.factor = factor;
    }
    stride.coefficient *= word;
    if (stride.coefficient == 0) stride.factor = {};
  }
  made.told = a.told && !a.base.valid() && (constant || a.offset == 0);
  made.offset = a.offset * word;
  made.most = b.most == 0 || a.most <= kMaxWord / b.most ? a.most * b.most : kMaxWord;
  made.zeros = std::min(a.zeros + b.zeros, 32u);
  return made;
}

// After an operation that works on each bit, or moves bits, of a shape whose parts are apart.
template <class Change>
LaneShape each_part(const LaneShape& a, Change change) {
  LaneShape made = a;
  for (Stride& stride : made.strides) stride.coefficient = change(stride.coefficient);
  const std::uint32_t bits = change(base_bits(a));
  made.most = bits;
  made.zeros = static_cast<std::uint32_t>(std::countr_zero(bits));
  made.told = bits == 0 || (a.told && !a.base.valid());
  made.base = {};
  made.offset = bits == 0 ? 0 : change(a.offset);
  return made;
}

LaneShape masked(const LaneShape& a, std::uint32_t mask) {
  if (!a.known()) return kUnknown;
  if (a.fits(mask)) return a;
  if (apart(a)) return each_part(a, [&](std::uint32_t word) { return word & mask; });
  if (mask != 0xffff) return kUnknown;
  LaneShape made = a;
  made.kind = Kind::wrapped16;
  made.most = kMaxWord;
  return made;
}

}  // namespace

bool LaneShape::constant_strides() const {
  return std::none_of(strides.begin(), strides.end(), [](const Stride& s) { return s.factor.valid(); });
}

bool LaneShape::fits(std::uint32_t mask) const {
  std::uint64_t greatest = most;
  for (const Stride& stride : strides) greatest += stride.coefficient;
  return (mask & (mask + 1)) == 0 && kind == Kind::exact && constant_strides() && greatest <= mask;
}

std::uint32_t LaneShape::at(std::uint32_t lane) const {
  std::uint32_t sum = 0;
  for (std::uint32_t k = 0; k < kBits; ++k)
    if ((lane >> k & 1) != 0) sum += strides[k].coefficient;
  return sum;
}

LaneShapes::LaneShapes(const Function& f) : f_(f), shapes_(f.value_count()), visited_(f.value_count(), 0) {
  const std::vector<Block> order = reverse_postorder(f);
  stored_.resize(f.frame_slots);
  for (Block b : order)
    for (Inst i : f.insts(b))
      if (f.inst(i).opcode == Opcode::StoreFrame) stored_[f.inst(i).immediate].push_back(f.operand(i, 1));
  constexpr int kMostRounds = 4;
  for (int round = 0;; ++round) {
    phis_are_unknown_ = round == kMostRounds;
    bool changed = false;
    for (Block b : order)
      for (Inst i : f.insts(b)) {
        const InstData& data = f.inst(i);
        for (std::uint32_t k = 0; k < data.result_count; ++k) {
          const Value v = f.result(i, k);
          if (f.value(v).type != Type::i32 || (round > 0 && uniform(v))) continue;
          LaneShape& shape = shapes_[v.id];
          const LaneShape now = uniform(v) ? leaf(v) : of(i);
          changed |= (data.opcode == Opcode::Phi || data.opcode == Opcode::LoadFrame) && !(now == shape);
          shape = now;
          visited_[v.id] = 1;
        }
      }
    if (phis_are_unknown_ || !changed) break;
  }
}

// The same in all lanes.
LaneShape LaneShapes::leaf(Value v) const {
  LaneShape made;
  made.kind = Kind::exact;
  made.told = true;
  made.most = upper_bound(f_, v);
  made.zeros = trailing_zeros(f_, v);
  const Inst i = f_.definition(v);
  if (f_.is_constant(v)) {
    made.offset = static_cast<std::uint32_t>(f_.constant(v));
    return made;
  }
  made.base = v;
  if (f_.inst(i).opcode != Opcode::IAdd32) return made;
  for (std::uint32_t k = 0; k < 2; ++k)
    if (f_.is_constant(f_.operand(i, k))) {
      made.base = f_.operand(i, 1 - k);
      made.offset = static_cast<std::uint32_t>(f_.constant(f_.operand(i, k)));
    }
  return made;
}

LaneShape LaneShapes::of_any(Value result, std::span<const Value> values) const {
  if (phis_are_unknown_ || f_.form == Form::thread) return kUnknown;
  LaneShape made;
  for (Value v : values) {
    if (visited_[v.id] == 0) continue;  // over a back edge: hopefully the same
    const LaneShape& other = shapes_[v.id];
    if (!other.known()) return kUnknown;
    if (!made.known()) made = other;
    if (other.kind != made.kind || other.strides != made.strides) return kUnknown;
    made.most = std::max(made.most, other.most);
    made.zeros = std::min(made.zeros, other.zeros);
  }
  // What grows from turn to turn is not followed.
  if (visited_[result.id] != 0 && shapes_[result.id].known() && made.most > shapes_[result.id].most)
    made.most = kMaxWord;
  made.told = false;
  made.base = {};
  made.offset = 0;
  return made;
}

LaneShape LaneShapes::of(Inst i) const {
  const InstData& data = f_.inst(i);
  const auto shape = [&](std::uint32_t k) -> const LaneShape& { return shapes_[f_.operand(i, k).id]; };
  const auto constant = [&](std::uint32_t k) {
    return static_cast<std::uint32_t>(f_.constant(f_.operand(i, k)));
  };
  const auto is_constant = [&](std::uint32_t k) { return f_.is_constant(f_.operand(i, k)); };
  switch (data.opcode) {
    case Opcode::LaneIndex: {
      LaneShape made;
      made.kind = Kind::exact;
      made.told = true;
      made.most = 0;
      made.zeros = 32;
      for (std::uint32_t k = 0; k < LaneShape::kBits && 1u << k < f_.group_lanes; ++k)
        made.strides[k].coefficient = 1u << k;
      return made;
    }
    case Opcode::IAdd32:
    case Opcode::ISub32:
      return sum(shape(0), shape(1), data.opcode == Opcode::ISub32);
    case Opcode::IMul32:
      for (std::uint32_t k = 0; k < 2; ++k)
        if (uniform(f_.operand(i, k))) return product(shape(1 - k), shape(k), f_.operand(i, k), f_);
      return kUnknown;
    case Opcode::IShl32: {
      if (!is_constant(1) || constant(1) >= 32 || !shape(0).known()) return kUnknown;
      const std::uint32_t count = constant(1);
      LaneShape made = shape(0);
      made.kind = sum_of(made.kind, Kind::exact);
      for (Stride& stride : made.strides) {
        stride.coefficient <<= count;
        if (stride.coefficient == 0) stride.factor = {};
      }
      made.told = made.told && !made.base.valid();
      made.offset <<= count;
      made.most = made.most << count <= kMaxWord ? made.most << count : kMaxWord;
      made.zeros = std::min(made.zeros + count, 32u);
      return made;
    }
    case Opcode::IShrU32: {
      if (!is_constant(1) || constant(1) >= 32 || !apart(shape(0))) return kUnknown;
      const std::uint32_t count = constant(1);
      return each_part(shape(0), [&](std::uint32_t word) { return word >> count; });
    }
    case Opcode::IAnd32:
      for (std::uint32_t k = 0; k < 2; ++k)
        if (is_constant(k)) return masked(shape(1 - k), constant(k));
      return kUnknown;
    case Opcode::IOr32:
    case Opcode::IXor32:
      if (apart(shape(0)) && apart(shape(1), all_bits(shape(0)))) return sum(shape(0), shape(1), false);
      return kUnknown;
    case Opcode::SelectI32: {  // the condition is the same, so the base is
      if (!uniform(f_.operand(i, 0)) || !shape(1).known() || shape(1).kind != shape(2).kind ||
          shape(1).strides != shape(2).strides)
        return kUnknown;
      LaneShape made = shape(1);
      made.told = false;
      made.most = std::max(made.most, shape(2).most);
      made.zeros = std::min(made.zeros, shape(2).zeros);
      return made;
    }
    case Opcode::Phi:
      return of_any(f_.result(i), f_.operands(i));
    case Opcode::LoadFrame: {  // one of what is stored there, before
      constexpr std::size_t kMost = 8;
      const std::vector<Value>& stored = stored_[data.immediate];
      if (stored.size() > kMost) return kUnknown;
      const LaneShape made = of_any(f_.result(i), stored);
      return made.constant_strides() ? made : kUnknown;  // a factor may not be known here
    }
    default:
      return kUnknown;
  }
}

}  // namespace warpjit::ir
