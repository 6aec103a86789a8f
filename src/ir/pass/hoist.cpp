// Launch-uniform computation moves to the preamble. What remains reads its results from words at the end of
// the uniform table. Constants, plain loads and i1 values stay: they cost nothing where they are used.
#include <array>

#include "ir/builder.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

bool is_plain(Opcode op) {
  return op <= Opcode::ConstF32 || op == Opcode::LoadUniformF32 || op == Opcode::LoadUniformI32;
}

class Hoister {
 public:
  Hoister(Function& f, Function& preamble) : f_(f), preamble_(preamble), builder_(preamble) {
    moved_.resize(f.value_count());
    replacement_.resize(f.value_count());
  }

  void run() {
    preamble_.name = f_.name + " preamble";
    preamble_.form = Form::group;
    builder_.set_block(preamble_.add_block());
    std::vector<Value> needed;
    std::vector<char> seen(f_.value_count(), 0);
    for (std::uint32_t b = 0; b < f_.block_count(); ++b)
      for (Inst i : f_.insts(Block{b})) {
        if (stays_launch_uniform(i)) continue;
        for (Value v : f_.operands(i))
          if (!seen[v.id] && hoists(v)) {
            seen[v.id] = 1;
            needed.push_back(v);
          }
      }
    for (Value v : needed) replace(v);
    builder_.ret();
    if (!needed.empty()) f_.replace_values(replacement_);
    preamble_.uniform_bytes = f_.uniform_bytes = (f_.uniform_bytes + 63) / 64 * 64;
    for (std::uint32_t v = 0; v < preamble_.value_count(); ++v) preamble_.value(Value{v}).shape = Shape::launch;
  }

 private:
  // An instruction that hoisting takes along when something behind it needs a word: its operands need none.
  bool stays_launch_uniform(Inst i) const {
    return f_.inst(i).result_count != 0 && hoists(f_.result(i));
  }

  // Only words can be stored; an i1 that varying code reads is computed again from words.
  bool hoists(Value v) const {
    const ValueData& value = f_.value(v);
    const InstData& made = f_.definition_of(v);
    return value.shape == Shape::launch && (value.type == Type::f32 || value.type == Type::i32) &&
           info(made.opcode).pure && !is_plain(made.opcode) && made.opcode != Opcode::Phi;
  }

  void replace(Value v) {
    const bool is_float = f_.value(v).type == Type::f32;
    const std::uint32_t offset = f_.uniform_bytes;
    f_.uniform_bytes += 4;
    Value in_preamble = copy(v);
    const std::array<Value, 1> stored = {in_preamble};
    builder_.emit_inst(is_float ? Opcode::StoreUniformF32 : Opcode::StoreUniformI32, stored, offset);
    Inst load = f_.make(is_float ? Opcode::LoadUniformF32 : Opcode::LoadUniformI32, {}, offset);
    f_.inst(load).guest_address = f_.definition_of(v).guest_address;
    f_.value(f_.result(load)).shape = Shape::launch;
    f_.insert_before(f_.inst(f_.definition(v)).block.valid() ? f_.definition(v) : f_.terminator(Function::entry()), load);
    if (replacement_.size() <= v.id) replacement_.resize(v.id + 1);
    replacement_[v.id] = f_.result(load);
  }

  // The value in the preamble, with all that it is computed from. Launch-uniform code has no phis, so
  // operands come before their uses in a depth-first walk with an explicit stack.
  Value copy(Value root) {
    std::vector<Value> stack = {root};
    while (!stack.empty()) {
      const Value v = stack.back();
      if (moved_[v.id].valid()) {
        stack.pop_back();
        continue;
      }
      const Inst i = f_.definition(v);
      bool ready = true;
      for (Value operand : f_.operands(i))
        if (!moved_[operand.id].valid()) {
          stack.push_back(operand);
          ready = false;
        }
      if (!ready) continue;
      stack.pop_back();
      std::vector<Value> operands;
      for (Value operand : f_.operands(i)) operands.push_back(moved_[operand.id]);
      builder_.set_guest_address(f_.inst(i).guest_address);
      const Inst made = preamble_.make(f_.inst(i).opcode, operands, f_.inst(i).immediate);
      preamble_.append(builder_.block(), made);
      preamble_.inst(made).guest_address = f_.inst(i).guest_address;
      for (std::uint32_t k = 0; k < f_.inst(i).result_count; ++k)
        moved_[f_.result(i, k).id] = preamble_.result(made, k);
    }
    return moved_[root.id];
  }

  Function& f_;
  Function& preamble_;
  Builder builder_;
  std::vector<Value> moved_;        // values of f in the preamble
  std::vector<Value> replacement_;  // values of f by their loads
};

}  // namespace

void hoist_launch_uniform(Function& f, Function& preamble) { Hoister(f, preamble).run(); }

}  // namespace warpjit::ir
