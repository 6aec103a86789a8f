// The base of an address (analysis/lane_shape) is computed beside each operation that the address comes from,
// phis included, once for all lanes. What the lanes add is made anew at each access. The same holds for what
// is compared, and for what addresses of 64 bits carry to their high words.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "ir/analysis/dominators.h"
#include "ir/analysis/lane_shape.h"
#include "ir/analysis/uniformity.h"
#include "ir/builder.h"
#include "ir/memory.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

class AddressSplitter {
 public:
  explicit AddressSplitter(Function& f) : f_(f), builder_(f), shapes_(f), bases_(f.value_count()) {}

  // False: there was nothing to split.
  bool run() {
    const std::vector<Block> order = reverse_postorder(f_);
    for (Block b : order)
      for (Inst i : f_.insts(b))
        if (const std::uint32_t k = splittable(i); k != kNone) {
          wanting_.push_back({i, k});
          want(f_.operand(i, k));
        }
    if (wanting_.empty()) return false;
    while (!pending_.empty()) {
      const Inst i = f_.definition(pending_.back());
      pending_.pop_back();
      for (Value v : f_.operands(i))
        if (f_.value(v).type == Type::i32) want(v);
    }
    for (Block b : order)
      for (Inst i : f_.insts(b)) {
        if (f_.inst(i).result_count != 1) continue;
        const Value v = f_.result(i);
        if (v.id >= bases_.size() || !bases_[v.id].wanted) continue;
        make_base(i, v);
      }
    for (const auto& [phi, original] : phis_) fill(phi, original);
    for (const auto& [i, k] : wanting_)
      if (info(f_.inst(i).opcode).guarded)
        replace_address(i);
      else if (const std::uint32_t step = carry_step(i); step != kNone)
        split_carry(i, step);
      else
        replace_comparison(i, k);
    if (!carries_.empty()) replace_carries(order);
    return true;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::uint32_t kGreatest = 0x7fffffff;  // as a signed number

  // A base is root (none: 0) + offset.
  struct Base {
    bool wanted = false;
    Value root;
    std::uint32_t offset = 0;
  };

  // The operand that is to be split.
  std::uint32_t splittable(Inst i) const {
    if (has_splittable_address(i)) return 1;
    const Opcode opcode = f_.inst(i).opcode;
    if (opcode != Opcode::ILtU32 && opcode != Opcode::ILeU32) return kNone;
    if (carry_step(i) != kNone) return 0;
    for (std::uint32_t k = 0; k < 2; ++k)
      if (is_consecutive(f_.operand(i, k)) &&
          f_.value(f_.operand(i, 1 - k)).uniformity != Uniformity::varying)
        return k;
    return kNone;
  }

  // If `sum < a`, where sum = a + b, is the carry of a number that all lanes share and of one that grows by a
  // power of two from lane to lane: the logarithm of the step; else kNone.
  std::uint32_t carry_step(Inst i) const {
    // Some ten operations for all lanes in place of three to five a vector: 1.6 times the rate of Valhall's
    // sums in groups of 256 on v4, 0.97 of that of programs in groups of 32.
    constexpr std::uint32_t kFewestLanes = 128;
    if (f_.group_lanes < kFewestLanes) return kNone;
    const Value sum = f_.operand(i, 0), a = f_.operand(i, 1);
    const Inst made = f_.definition(sum);
    if (f_.inst(i).opcode != Opcode::ILtU32 || f_.inst(made).opcode != Opcode::IAdd32 || varies(a) ||
        !varies(sum) || shapes_[sum].kind != LaneShape::Kind::exact)
      return kNone;
    for (std::uint32_t k = 0; k < 2; ++k) {
      if (f_.operand(made, k) != a) continue;
      const LaneShape& shape = shapes_[f_.operand(made, 1 - k)];
      const std::uint32_t step = shape.strides[0].coefficient;
      if (shape.kind != LaneShape::Kind::exact || !shape.constant_strides() || !std::has_single_bit(step))
        return kNone;
      std::uint64_t most = shape.most;  // of b, which does not wrap
      for (std::uint32_t bit = 0; 1u << bit < f_.group_lanes; ++bit) {
        if (shape.strides[bit].coefficient != step << bit) return kNone;
        most += std::uint64_t{step} << bit;
      }
      if (most > 0xffffffffu) return kNone;
      return static_cast<std::uint32_t>(std::countr_zero(step));
    }
    return kNone;
  }
  bool varies(Value v) const { return f_.value(v).uniformity == Uniformity::varying; }

  // True if the value is a base plus the lane's number, but not that alone, and always less than kGreatest.
  bool is_consecutive(Value v) const {
    const LaneShape& shape = shapes_[v];
    if (f_.value(v).uniformity != Uniformity::varying || f_.definition_of(v).opcode == Opcode::LaneIndex ||
        !shape.fits(kGreatest >> 1))
      return false;
    for (std::uint32_t k = 0; 1u << k < f_.group_lanes; ++k)
      if (shape.strides[k].coefficient != 1u << k) return false;
    return true;
  }

  // Loads and stores of words whose address is known to be one, or consecutive, in groups of lanes.
  bool has_splittable_address(Inst i) const {
    const Opcode opcode = f_.inst(i).opcode;
    if (opcode != Opcode::LoadMemory && opcode != Opcode::StoreMemory) return false;
    const MemoryAccess access = MemoryAccess::unpack(f_.inst(i).immediate);
    const Value address = f_.operand(i, 1);
    if (access.space == Space::local || access.element != Element::word ||
        f_.value(address).uniformity != Uniformity::varying)
      return false;
    const LaneShape& shape = shapes_[address];
    if (shape.kind != LaneShape::Kind::exact && shape.kind != LaneShape::Kind::wrapped16) return false;
    constexpr std::uint32_t kFewestLanes = 4;  // of a host's vector
    const std::uint32_t step = shape.strides[0].coefficient;
    if (step != 0 && step != 4) return false;
    for (std::uint32_t k = 0; 1u << k < kFewestLanes; ++k)
      if (shape.strides[k].factor.valid() || shape.strides[k].coefficient != step << k) return false;
    return true;
  }

  void want(Value v) {
    if (shapes_[v].told || bases_[v.id].wanted || !shapes_[v].known()) return;
    bases_[v.id].wanted = true;
    pending_.push_back(v);
  }

  Base base_of(Value v) const {
    const LaneShape& shape = shapes_[v];
    return shape.told ? Base{true, shape.base, shape.offset} : bases_[v.id];
  }
  I32 constant(std::uint32_t word) { return builder_.constant(word); }
  I32 whole(const Base& base) {
    if (!base.root.valid()) return constant(base.offset);
    return base.offset == 0 ? I32{base.root} : builder_.IAdd32(I32{base.root}, constant(base.offset));
  }

  void make_base(Inst i, Value v) {
    const Opcode opcode = f_.inst(i).opcode;
    Base& made = bases_[v.id];
    if (opcode == Opcode::Phi) {
      made.root = builder_.phi(f_.inst(i).block, Type::i32);
      phis_.push_back({made.root, i});
      return;
    }
    builder_.set_before(f_.inst(i).next);
    builder_.set_guest_address(f_.inst(i).guest_address);
    const auto base = [&](std::uint32_t k) { return base_of(f_.operand(i, k)); };
    switch (opcode) {
      case Opcode::IAdd32: {
        const Base a = base(0), b = base(1);
        made.offset = a.offset + b.offset;
        made.root = a.root;
        if (b.root.valid())
          made.root = a.root.valid() ? builder_.IAdd32(I32{a.root}, I32{b.root}) : I32{b.root};
        return;
      }
      case Opcode::ISub32: {
        const Base a = base(0), b = base(1);
        made.offset = a.offset - b.offset;
        made.root = a.root;
        if (b.root.valid())
          made.root = builder_.ISub32(a.root.valid() ? I32{a.root} : constant(0), I32{b.root});
        return;
      }
      case Opcode::IMul32:
      case Opcode::IShl32: {
        const bool left = opcode == Opcode::IMul32 && f_.is_constant(f_.operand(i, 0));
        const Value by = f_.operand(i, left ? 0 : 1);
        const Base a = base(left ? 1 : 0);
        if (f_.is_constant(by)) {
          const auto word = static_cast<std::uint32_t>(f_.constant(by));
          made.offset = opcode == Opcode::IMul32 ? a.offset * word : a.offset << word;
          if (a.root.valid()) made.root = builder_.emit(opcode, std::array<Value, 2>{a.root, by});
          return;
        }
        break;
      }
      case Opcode::IAnd32:
        // Lanes that wrap after 16 bits do so with the whole address.
        if (shapes_[v].kind == LaneShape::Kind::wrapped16) {
          made = base(f_.is_constant(f_.operand(i, 0)) ? 1 : 0);
          return;
        }
        for (std::uint32_t k = 0; k < 2; ++k)
          if (f_.is_constant(f_.operand(i, k)) &&
              shapes_[f_.operand(i, 1 - k)].fits(static_cast<std::uint32_t>(f_.constant(f_.operand(i, k))))) {
            made = base(1 - k);
            return;
          }
        break;
      case Opcode::SelectI32:
        made.root = builder_.SelectI32(I1{f_.operand(i, 0)}, whole(base(1)), whole(base(2)));
        return;
      default:
        break;
    }
    const I32 a = whole(base(0)), b = whole(base(1));
    made.root = builder_.emit(opcode, std::array<Value, 2>{a, b});
  }

  void fill(Value phi, Inst original) {
    const Block home = f_.inst(original).block;
    std::vector<Value> operands;
    for (std::size_t k = 0; k < f_.block(home).predecessors.size(); ++k) {
      builder_.set_before(f_.terminator(f_.block(home).predecessors[k]));
      operands.push_back(whole(base_of(f_.operand(original, static_cast<std::uint32_t>(k)))));
    }
    f_.set_operands(f_.definition(phi), operands);
  }

  void replace_address(Inst i) {
    const LaneShape shape = shapes_[f_.operand(i, 1)];
    builder_.set_before(i);
    builder_.set_guest_address(f_.inst(i).guest_address);
    I32 address = builder_.IAdd32(whole(base_of(f_.operand(i, 1))), lanes_of(shape));
    if (shape.kind == LaneShape::Kind::wrapped16) address = builder_.IAnd32(address, constant(0xffff));
    f_.set_operand(i, 1, address);
  }

  // Operand k is less than kGreatest in all lanes: so a greater bound, made kGreatest, compares as it did.
  void replace_comparison(Inst i, std::uint32_t k) {
    builder_.set_before(i);
    builder_.set_guest_address(f_.inst(i).guest_address);
    const I32 bound = builder_.IMinU32(I32{f_.operand(i, 1 - k)}, constant(kGreatest));
    const I32 left = builder_.ISub32(bound, whole(base_of(f_.operand(i, k))));
    f_.set_operand(i, k, builder_.LaneIndex());
    f_.set_operand(i, 1 - k, left);
    InstData& data = f_.inst(i);
    data.opcode = data.opcode == Opcode::ILtU32 ? Opcode::ILtS32 : Opcode::ILeS32;
  }

  // Lanes carry if all do, or from the one after `last` on.
  struct Carry {
    I1 all;
    I32 last;
  };
  void split_carry(Inst i, std::uint32_t step) {
    builder_.set_before(i);
    builder_.set_guest_address(f_.inst(i).guest_address);
    const I32 base = whole(base_of(f_.operand(i, 0)));
    const I1 all = builder_.ILtU32(base, I32{f_.operand(i, 1)});
    const I32 room = builder_.IXor32(base, constant(~0u)), last = builder_.IShrU32(room, constant(step));
    carry_at_.resize(f_.value_count(), kNone);
    carry_at_[f_.result(i).id] = static_cast<std::uint32_t>(carries_.size());
    carries_.push_back({all, last});
  }

  // Where a high word with its carry is compared with a number, and where AnyLane takes that comparison.
  void replace_carries(const std::vector<Block>& order) {
    std::vector<Value> replacement(f_.value_count());
    std::vector<std::optional<Split>> split;
    const auto split_of = [&](Value v) -> const std::optional<Split>& {
      static const std::optional<Split> kNoSplit;
      return v.id < split.size() ? split[v.id] : kNoSplit;
    };
    for (Block b : order)
      for (Inst i : f_.insts(b)) {
        const Opcode opcode = f_.inst(i).opcode;
        builder_.set_before(i);
        builder_.set_guest_address(f_.inst(i).guest_address);
        std::optional<Split> made;
        Value by;
        if (opcode == Opcode::IEq32 || opcode == Opcode::INe32) {
          made = compare_high(i);
          if (made) by = builder_.Xor1(made->first, builder_.ILtU32(made->last, builder_.LaneIndex()));
        } else if (opcode == Opcode::Not1) {
          if (const auto& of = split_of(f_.operand(i, 0)); of)
            made = Split{builder_.Not1(of->first), of->last};
        } else if (opcode == Opcode::AnyLane) {
          if (const auto& of = split_of(f_.operand(i, 0)); of)
            by = builder_.Or1(of->first, builder_.ILtU32(of->last, constant(f_.group_lanes - 1)));
        }
        if (!made && !by.valid()) continue;
        replacement.resize(f_.value_count());
        split.resize(f_.value_count());
        if (made) split[f_.result(i).id] = made;
        if (by.valid()) replacement[f_.result(i).id] = by;
      }
    f_.replace_values(replacement);
  }

  // What lanes up to `last` have; those after it have the opposite.
  struct Split {
    I1 first;
    I32 last;
  };
  // (high + (carry ? a : b)) == number
  std::optional<Split> compare_high(Inst i) {
    for (std::uint32_t k = 0; k < 2; ++k) {
      const Value sum = f_.operand(i, k), number = f_.operand(i, 1 - k);
      const Inst add = f_.definition(sum);
      if (varies(number) || !varies(sum) || f_.inst(add).opcode != Opcode::IAdd32) continue;
      for (std::uint32_t n = 0; n < 2; ++n) {
        const Value high = f_.operand(add, n);
        const Inst select = f_.definition(f_.operand(add, 1 - n));
        if (varies(high) || f_.inst(select).opcode != Opcode::SelectI32) continue;
        const Value carry = f_.operand(select, 0), a = f_.operand(select, 1), c = f_.operand(select, 2);
        if (carry.id >= carry_at_.size() || carry_at_[carry.id] == kNone || varies(a) || varies(c)) continue;
        const Carry split = carries_[carry_at_[carry.id]];
        const I32 carried = builder_.IAdd32(I32{high}, I32{a}), plain = builder_.IAdd32(I32{high}, I32{c});
        const auto compare = [&](I32 word) {
          return f_.inst(i).opcode == Opcode::IEq32 ? builder_.IEq32(word, I32{number})
                                                    : builder_.INe32(word, I32{number});
        };
        const I1 with = compare(carried), first = compare(builder_.SelectI32(split.all, carried, plain));
        const I1 differ = builder_.Xor1(with, first);
        // All alike: none is after the last one.
        return Split{first, builder_.SelectI32(differ, split.last, constant(~0u))};
      }
    }
    return std::nullopt;
  }

  // What the lanes add: bits whose strides double from one to the next are taken together.
  I32 lanes_of(const LaneShape& shape) {
    const I32 lane = builder_.LaneIndex();
    I32 sum = constant(0);
    std::uint32_t top = 0;
    while (top < LaneShape::kBits && 1u << top < f_.group_lanes) ++top;
    for (std::uint32_t first = 0, end; first < top; first = end) {
      const auto& [coefficient, factor] = shape.strides[first];
      end = first + 1;
      if (coefficient == 0) continue;
      while (end < top && shape.strides[end] == LaneShape::Stride{coefficient << (end - first), factor})
        ++end;
      I32 bits = builder_.IShrU32(lane, constant(first));
      if (end < top) bits = builder_.IAnd32(bits, constant((1u << (end - first)) - 1));
      I32 stride = constant(coefficient);
      if (factor.valid()) stride = builder_.IMul32(I32{factor}, stride);
      sum = builder_.IAdd32(sum, builder_.IMul32(bits, stride));
    }
    return sum;
  }

  Function& f_;
  Builder builder_;
  LaneShapes shapes_;
  std::vector<Base> bases_;  // of the values that had one when the pass began
  std::vector<Value> pending_;
  std::vector<std::pair<Inst, std::uint32_t>> wanting_;  // and the operand
  std::vector<Carry> carries_;
  std::vector<std::uint32_t> carry_at_;       // by value: index in carries_
  std::vector<std::pair<Value, Inst>> phis_;  // of bases, and what each is the base of
};

}  // namespace

void split_addresses(Function& f) {
  analyze_uniformity(f);
  if (!AddressSplitter(f).run()) return;
  eliminate_dead_code(f);
  analyze_uniformity(f);
}

}  // namespace warpjit::ir
