// Guests whose registers hold words give floats that go through i32 values: phis of words that are floats on
// all ways become phis of floats.
#include <algorithm>
#include <array>

#include "ir/analysis/dominators.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

class FloatValues {
 public:
  explicit FloatValues(Function& f) : f_(f), order_(reverse_postorder(f)) {}

  void run() {
    find_float_phis();
    if (!phis_.empty()) retype();
  }

 private:
  static constexpr std::size_t kMaxRounds = 64;  // over all phis

  // Optimistic: an i32 phi carries a float if some user takes it for one and all that comes in is a float, a
  // constant or such a phi.
  void find_float_phis() {
    carries_.assign(f_.value_count(), 0);
    std::vector<char> wanted(f_.value_count(), 0);
    for (Block b : order_)
      for (Inst i : f_.insts(b)) {
        const InstData& data = f_.inst(i);
        if (data.opcode == Opcode::BitcastI32ToF32) wanted[f_.operand(i, 0).id] = 1;
        if (data.opcode == Opcode::Phi && data.phi_type == Type::i32) phis_.push_back(i);
      }
    for (Inst phi : phis_) carries_[f_.result(phi).id] = 1;
    std::size_t rounds = 0;
    // What is wanted of a phi is wanted of the phis that flow into it.
    for (bool changed = true; changed && ++rounds < kMaxRounds;) {
      changed = false;
      for (Inst phi : phis_)
        if (wanted[f_.result(phi).id] != 0)
          for (Value v : f_.operands(phi))
            if (carries_[v.id] != 0 && wanted[v.id] == 0) wanted[v.id] = 1, changed = true;
    }
    for (bool changed = true; changed;) {
      if (++rounds > kMaxRounds) return phis_.clear();
      changed = false;
      for (Inst phi : phis_) {
        std::uint32_t& carries = carries_[f_.result(phi).id];
        if (carries == 0) continue;
        bool real = wanted[f_.result(phi).id] != 0, some = false;
        for (Value v : f_.operands(phi)) {
          const bool cast = f_.definition_of(v).opcode == Opcode::BitcastF32ToI32;
          real = real && (cast || f_.is_constant(v) || carries_[v.id] != 0);
          some = some || cast || carries_[v.id] != 0;
        }
        if (real && some) continue;
        carries = 0;
        changed = true;
      }
    }
    std::erase_if(phis_, [&](Inst phi) { return carries_[f_.result(phi).id] == 0; });
    for (std::uint32_t k = 0; k < phis_.size(); ++k) carries_[f_.result(phis_[k]).id] = k + 1;
  }

  void retype() {
    std::vector<Value> replacement(f_.value_count());
    std::vector<Inst> made;
    Builder builder(f_);
    for (Inst phi : phis_) {
      const Inst real = f_.make(Opcode::Phi, {}, 0, Type::f32);
      f_.inst(real).guest_address = f_.inst(phi).guest_address;
      f_.insert_before(phi, real);
      made.push_back(real);
    }
    for (std::size_t k = 0; k < phis_.size(); ++k) {
      // Who looks at the word still finds it.
      Inst behind = phis_[k];
      while (f_.inst(behind).opcode == Opcode::Phi) behind = f_.inst(behind).next;
      const std::array<Value, 1> operand = {f_.result(made[k])};
      const Inst word = f_.make(Opcode::BitcastF32ToI32, operand);
      f_.inst(word).guest_address = f_.inst(phis_[k]).guest_address;
      f_.insert_before(behind, word);
      replacement[f_.result(phis_[k]).id] = f_.result(word);
    }
    for (std::size_t k = 0; k < phis_.size(); ++k) {
      std::vector<Value> operands;
      for (Value v : f_.operands(phis_[k])) operands.push_back(real_of(v, made));
      f_.set_operands(made[k], operands);
    }
    for (Inst phi : phis_) f_.remove(phi);
    f_.replace_values(replacement);
    // A float of the word of a float is that float.
    std::vector<Value> direct(f_.value_count());
    for (Block b : order_)
      for (Inst i : f_.insts(b)) {
        if (f_.inst(i).opcode != Opcode::BitcastI32ToF32) continue;
        const Inst source = f_.definition(f_.operand(i, 0));
        if (f_.inst(source).opcode != Opcode::BitcastF32ToI32) continue;
        direct[f_.result(i).id] = f_.operand(source, 0);
        f_.remove(i);
      }
    f_.replace_values(direct);
  }

  Value real_of(Value v, const std::vector<Inst>& made) {
    if (f_.is_constant(v)) return f_.constant_value(Type::f32, f_.constant(v));
    const Inst source = f_.definition(v);
    if (f_.inst(source).opcode == Opcode::BitcastF32ToI32) return f_.operand(source, 0);
    return f_.result(made[carries_[f_.result(source).id] - 1]);
  }

  Function& f_;
  std::vector<Block> order_;
  std::vector<Inst> phis_;              // i32 ones that carry floats
  std::vector<std::uint32_t> carries_;  // per value: not 0 if it is one, in the end its number in phis_ + 1
};

}  // namespace

void keep_floats(Function& f) { FloatValues(f).run(); }

}  // namespace warpjit::ir
