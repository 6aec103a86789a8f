// Launch-uniform computation moves to the preamble. What remains reads its results from words at the end of
// the uniform table. Constants, plain loads and i1 values stay: they cost nothing where they are used.
#include <array>

#include "ir/analysis/dominators.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

class Hoister {
 public:
  Hoister(Function& f, Function& preamble)
      : f_(f),
        preamble_(preamble),
        builder_(preamble),
        movable_(f.inst_count(), 0),
        used_(f.inst_count(), 0),
        wanted_(f.inst_count(), 0) {}

  void run() {
    if (preamble_.block_count() == 0) {
      preamble_.name = f_.name + " preamble";
      preamble_.form = Form::group;
      preamble_.append(preamble_.add_block(), preamble_.make(Opcode::Return, {}));
    } else {
      find_stored();
    }
    builder_.set_before(preamble_.terminator(Function::entry()));
    const std::vector<Block> order = reverse_postorder(f_);
    find_movable(order);
    find_needed(order);
    const std::uint32_t first_word = f_.uniform_bytes;
    if (!needed_.empty()) {
      copy_wanted(order);
      std::vector<Value> replacement(f_.value_count());
      for (Value v : needed_) replace_by_load(v, replacement);
      f_.replace_values(replacement);
    }
    remove_moved(order);
    // Whole cache lines, so that the table's words of a launch are not shared.
    if (f_.uniform_bytes != first_word) f_.uniform_bytes = (f_.uniform_bytes + 63) / 64 * 64;
    preamble_.uniform_bytes = f_.uniform_bytes;
  }

 private:
  // What the preamble has stored until now: nothing reads these words there.
  void find_stored() {
    for (Inst i : preamble_.insts(Function::entry())) {
      const InstData& data = preamble_.inst(i);
      if (data.opcode != Opcode::StoreUniformF32 && data.opcode != Opcode::StoreUniformI32) continue;
      const std::size_t word = data.immediate / 4;
      if (word >= stored_.size()) stored_.resize(word + 1);
      stored_[word] = preamble_.operand(i, 0);
    }
  }
  Value stored(const InstData& load) {
    const bool real = load.opcode == Opcode::LoadUniformF32;
    if (!real && load.opcode != Opcode::LoadUniformI32) return {};
    const std::size_t word = load.immediate / 4;
    if (word >= stored_.size() || !stored_[word].valid()) return {};
    const Value value = stored_[word];
    if ((preamble_.value(value).type == Type::f32) == real) return value;
    return builder_.emit(real ? Opcode::BitcastI32ToF32 : Opcode::BitcastF32ToI32, std::array{value});
  }

  // Pure and launch-uniform with all it is computed from, without phis.
  void find_movable(const std::vector<Block>& order) {
    for (Block b : order)
      for (Inst i : f_.insts(b)) {
        const InstData& data = f_.inst(i);
        if (data.result_count == 0 || f_.value(data.first_result).uniformity != Uniformity::launch) continue;
        const OpcodeInfo& row = info(data.opcode);
        if (!row.pure || row.convergent || data.opcode == Opcode::Phi) continue;
        // The flag that it raises is looked at after the kernel, not after the preamble.
        if (data.opcode == Opcode::FMulNoZeroInf32) continue;
        // That a number is one of f16 (holds_half) shows in the code alone, and these cost little.
        if (data.opcode == Opcode::HalfToF32 || data.opcode == Opcode::FRoundHalf32) continue;
        bool fits = true;
        for (Value v : f_.operands(i)) fits = fits && movable_[f_.definition(v).id];
        movable_[i.id] = fits;
      }
  }
  // A word that costs something where it is used.
  bool becomes_word(Value v) const {
    const Type type = f_.value(v).type;
    return movable_[f_.definition(v).id] && (type == Type::f32 || type == Type::i32) &&
           !info(f_.definition_of(v).opcode).free_to_repeat;
  }

  // The words that code which stays reads. From the end on, as what can move but becomes no word stays only
  // where it is used.
  void find_needed(const std::vector<Block>& order) {
    std::vector<char> seen(f_.value_count(), 0);
    for (Block b : order)
      for (Inst i : f_.insts(b)) {
        if (f_.inst(i).opcode != Opcode::Phi) break;
        for (Value v : f_.operands(i)) used_[f_.definition(v).id] = 1;  // also over back edges
      }
    for (std::size_t at = order.size(); at-- > 0;)
      for (Inst i = f_.block(order[at]).last; i.valid(); i = f_.inst(i).previous) {
        if (!stays(i)) continue;
        for (Value v : f_.operands(i)) {
          if (!becomes_word(v)) {
            used_[f_.definition(v).id] = 1;
          } else if (!seen[v.id]) {
            seen[v.id] = 1;
            needed_.push_back(v);
          }
        }
      }
    // And all that they are computed from.
    std::vector<Inst> work;
    for (Value v : needed_) want(f_.definition(v), work);
    while (!work.empty()) {
      const Inst i = work.back();
      work.pop_back();
      for (Value v : f_.operands(i)) want(f_.definition(v), work);
    }
  }
  bool stays(Inst i) const {
    return !movable_[i.id] || (used_[i.id] && !becomes_word(f_.inst(i).first_result));
  }
  // Blocks that nothing reaches may read it: then it stays.
  void remove_moved(const std::vector<Block>& order) {
    if (!are_all(f_, order)) return;
    for (Block b : order)
      for (Inst i : f_.insts(b))
        if (i.id < movable_.size() && !stays(i)) f_.remove(i);
  }
  void want(Inst i, std::vector<Inst>& work) {
    if (wanted_[i.id]) return;
    wanted_[i.id] = 1;
    work.push_back(i);
  }

  void copy_wanted(const std::vector<Block>& order) {
    moved_.resize(f_.value_count());
    for (Block b : order)
      for (Inst i : f_.insts(b)) {
        if (!wanted_[i.id]) continue;
        const InstData& data = f_.inst(i);
        if (is_constant(data.opcode)) {
          moved_[data.first_result.id] =
              preamble_.constant_value(f_.value(data.first_result).type, data.immediate);
          continue;
        }
        if (const Value known = stored(data); known.valid()) {
          moved_[data.first_result.id] = known;
          continue;
        }
        std::array<Value, kMaxOperands> operands;
        for (std::uint32_t k = 0; k < data.operand_count; ++k) operands[k] = moved_[f_.operand(i, k).id];
        builder_.set_guest_address(data.guest_address);
        const Inst made =
            builder_.emit_inst(data.opcode, std::span(operands.data(), data.operand_count), data.immediate);
        for (std::uint32_t k = 0; k < data.result_count; ++k)
          moved_[f_.result(i, k).id] = preamble_.result(made, k);
      }
  }

  void replace_by_load(Value v, std::vector<Value>& replacement) {
    const bool real = f_.value(v).type == Type::f32;
    const std::uint32_t offset = f_.uniform_bytes;
    f_.uniform_bytes += 4;
    const Inst source = f_.definition(v);
    builder_.set_guest_address(f_.inst(source).guest_address);
    builder_.emit_inst(real ? Opcode::StoreUniformF32 : Opcode::StoreUniformI32, std::array{moved_[v.id]},
                       offset);
    Builder local(f_);
    local.set_before(source);
    local.set_guest_address(f_.inst(source).guest_address);
    const Inst load = local.emit_inst(real ? Opcode::LoadUniformF32 : Opcode::LoadUniformI32, {}, offset);
    replacement[v.id] = f_.result(load);
  }

  Function& f_;
  Function& preamble_;
  Builder builder_;
  std::vector<char> movable_, used_, wanted_;  // per instruction
  std::vector<Value> stored_;                  // by word of the table
  std::vector<Value> needed_;
  std::vector<Value> moved_;  // values of f in the preamble
};

}  // namespace

void hoist_launch_uniform(Function& f, Function& preamble) { Hoister(f, preamble).run(); }

}  // namespace warpjit::ir
