// Which invocations of a geometry program depend on which: the code is translated with all that the unit
// keeps as loads at the start and as stores at the end, and the IR then shows what is needed. Words that no
// invocation changes are the same for the whole run. Words that each invocation writes before it reads them
// cost nothing. Words that it has from the invocation before are found by running that one, too, in the same
// thread. All else makes a program ordered.
#include <algorithm>

#include "frontend/pica200/flow/reach.h"
#include "frontend/pica200/translate/instruction.h"
#include "frontend/pica200/translate/unit_marks.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

namespace warpjit::pica200 {
namespace {

using ir::Inst;
using ir::Opcode;
using ir::Value;

// Invocations before its own that a thread may run, and input bindings that a kernel may have then.
constexpr unsigned kMostHistory = 2;
constexpr std::uint32_t kMostBindings = 16;

using Rows = std::bitset<UnitRows::kCount>;
using Words = std::bitset<4 * std::size_t{UnitRows::kCount}>;

void optimize(ir::Function& f) {
  ir::simplify(f);
  ir::number_values(f);
}

template <class Visit>
void each_instruction(const ir::Function& f, Opcode opcode, Visit visit) {
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(ir::Block{b}))
      if (f.inst(i).opcode == opcode) visit(i);
}

// The unit's rows in a function, whose bindings of them are the last ones.
struct UnitCode {
  ir::Function& f;

  bool is_unit(Inst i, std::uint32_t binding) const {
    return static_cast<std::uint32_t>(f.inst(i).immediate) == binding;
  }
  // visit(instruction, row)
  template <class Visit>
  void each_load(Visit visit) const {
    each_instruction(f, Opcode::LoadInputRow, [&](Inst i) {
      if (is_unit(i, f.input_count - 1)) visit(i, static_cast<std::size_t>(f.constant(f.operand(i, 0))));
    });
  }
  template <class Visit>
  void each_store(Visit visit) const {
    each_instruction(f, Opcode::StoreOutputRow, [&](Inst i) {
      if (is_unit(i, f.output_count - 1)) visit(i, static_cast<std::size_t>(f.constant(f.operand(i, 1))));
    });
  }
  Rows loaded() const {
    Rows rows;
    each_load([&](Inst, std::size_t row) { rows.set(row); });
    return rows;
  }
  template <class Keep>
  void keep_stores(Keep keep) const {
    each_store([&](Inst i, std::size_t row) {
      if (!keep(i, row)) f.remove(i);
    });
    ir::eliminate_dead_code(f);
  }
};

// Words that are the same for all invocations of a run.
struct Unchanged {
  Words kept;     // never written
  Words swapped;  // of both banks: never written, but each invocation leaves the banks swapped
};

class UnitTranslation {
 public:
  UnitTranslation(const Program& program, std::uint32_t entry, const TranslationFacts& facts)
      : program_(program), entry_(entry), facts_(facts) {
    facts_.layout.has_unit = true;
    facts_.bools_known |= 0x8000;
    facts_.bools |= 0x8000;
  }

  Result<GeometryTranslation> run() {
    WARPJIT_TRY(ir::Function all, translate_all(0));
    scan_code();
    find_unchanged(all);
    const bool loops = has_loops(all);
    may_mark_ = facts_.geometry.keeps_unit && !loops;
    ir::Function lanes = all;
    Rows before;
    for (unsigned history = 0;;) {
      Rows needed;
      if (runs_in_lanes(lanes, history, needed)) return finish(std::move(lanes), history);
      // A thread's fuel is that of one invocation, so those of its history have no loops.
      if (++history > kMostHistory || loops || needed == before) break;
      if ((history + 1) * bindings() > kMostBindings) break;
      before = needed;
      Result<ir::Function> longer = translate_all(history);
      if (!longer) break;
      lanes = std::move(*longer);
    }
    return finish_ordered(std::move(all));
  }

 private:
  Result<ir::Function> translate_all(unsigned history) {
    UnitAccess access;
    access.loads = access.stores = true;
    access.history = history;
    WARPJIT_TRY(ir::Function function, translate(program_, entry_, facts_, access));
    optimize(function);
    return function;
  }

  std::uint32_t bindings() const {
    return static_cast<std::uint32_t>(std::popcount(facts_.bound_inputs)) +
           (facts_.geometry.row_count != 0 ? 1 : 0);
  }

  static bool has_loops(const ir::Function& f) {
    for (std::uint32_t b = 0; b < f.block_count(); ++b)
      if (f.block(ir::Block{b}).backward != 0) return true;
    return false;
  }

  // Flags share words, so that the IR does not show which are never written; the instructions do.
  void scan_code() {
    const ReachedCode code = find_reached(program_, entry_);
    for (const auto& [address, i] : code.code.instructions()) {
      if (i.opcode == pica200::Opcode::cmp || (i.info().traits & kWritesFlags) != 0) writes_flags_ = true;
      if (i.opcode == pica200::Opcode::setemit) latches_ = true;
      if ((i.opcode == pica200::Opcode::callu || i.opcode == pica200::Opcode::ifu ||
           i.opcode == pica200::Opcode::jmpu) &&
          i.uniform == 15)
        reads_b15_ = true;
    }
  }

  void find_unchanged(ir::Function& all) {
    const UnitCode unit{all};
    std::array<Inst, UnitRows::kCount> loads{};
    unit.each_load([&](Inst i, std::size_t row) { loads[row] = i; });
    const auto is_start = [&](Value v, std::size_t row, unsigned c) {
      return loads[row].valid() && v == all.result(loads[row], c);
    };
    unit.each_store([&](Inst i, std::size_t row) {
      for (unsigned c = 0; c < 4; ++c) {
        const Value end = all.operand(i, 2 + c);
        if (is_start(end, row, c)) unchanged_.kept.set(4 * row + c);
        if (row >= UnitRows::kBank && row < UnitRows::kBuffer && is_start(end, other_bank(row), c))
          unchanged_.swapped.set(4 * row + c);
      }
    });
    // Both banks, or neither.
    for (std::size_t word = 4 * UnitRows::kBank; word < 4 * UnitRows::kOther; ++word) {
      const std::size_t other = word + 4 * (UnitRows::kOther - UnitRows::kBank);
      if (unchanged_.swapped[word] != unchanged_.swapped[other])
        unchanged_.swapped.reset(word), unchanged_.swapped.reset(other);
    }
    unchanged_.kept.set(4 * UnitRows::kAddress + 3, !writes_flags_);
    unchanged_.kept.set(4 * UnitRows::kLatch + 1, !latches_);
    // Only enabled registers of the vertices are ever written; nothing looks at the others.
  }

  static std::size_t other_bank(std::size_t row) {
    constexpr std::size_t kBetween = UnitRows::kOther - UnitRows::kBank;
    return row < UnitRows::kOther ? row + kBetween : row - kBetween;
  }

  // Unchanged words come from the uniform table. Lanes begin with the table's state, so that of swapped banks
  // odd lanes see the other one.
  void use_table(ir::Function& f, unsigned history) const {
    std::vector<Value> replaced(f.value_count());
    UnitCode{f}.each_load([&](Inst load, std::size_t row) {
      const auto word = [&](std::size_t from, unsigned c) {
        const Inst made =
            f.make(Opcode::LoadUniformF32, {}, facts_.layout.unit(static_cast<unsigned>(from)) + 4 * c);
        f.insert_before(load, made);
        return f.result(made);
      };
      for (unsigned c = 0; c < 4; ++c) {
        if (unchanged_.kept[4 * row + c]) {
          replaced[f.result(load, c).id] = word(row, c);
        } else if (unchanged_.swapped[4 * row + c]) {
          const Value here = word(row, c), other = word(other_bank(row), c);
          const Value odd[] = {odd_lane(f, load), history % 2 == 0 ? other : here,
                               history % 2 == 0 ? here : other};
          const Inst select = f.make(Opcode::SelectF32, odd);
          f.insert_before(load, select);
          replaced[f.result(load, c).id] = f.result(select);
        }
      }
    });
    replaced.resize(f.value_count());
    f.replace_values(replaced);
  }

  static Value odd_lane(ir::Function& f, Inst before) {
    const auto make = [&](Opcode opcode, std::initializer_list<Value> operands) {
      const Inst made = f.make(opcode, {operands.begin(), operands.size()});
      f.insert_before(before, made);
      return f.result(made);
    };
    const Value lane = make(Opcode::LaneIndex, {});
    const Value bit = make(Opcode::IAnd32, {lane, f.constant_value(ir::Type::i32, 1)});
    return make(Opcode::INe32, {bit, f.constant_value(ir::Type::i32, 0)});
  }

  // True if all that it needs is in the table or in its history; then f loses its loads and stores of the
  // unit. If not, `needed` has the rows that are missing.
  bool runs_in_lanes(ir::Function& f, unsigned history, Rows& needed) {
    use_table(f, history);
    const UnitCode unit{f};
    const bool keeps = facts_.geometry.keeps_unit;
    unit.keep_stores([&](Inst, std::size_t) { return keeps; });
    needed = unit.loaded();
    marks_.clear();
    const bool marked = needed.any() && may_mark_ && mark_words(f, history);
    if (needed.any() && !marked) return false;
    if (keeps) unit.keep_stores([](Inst, std::size_t) { return false; });
    if (unit.loaded().any()) return false;
    --f.input_count;
    if (!marked) --f.output_count;  // else the marks have the place of the unit
    return true;
  }

  // If all that is missing only stays where it is unless it is written, the invocations say when that is.
  // With a history, all of these say it together.
  bool mark_words(ir::Function& f, unsigned history) {
    const UnitCode unit{f};
    std::vector<UnitWord> starts, ends;
    std::vector<Inst> stores;
    const auto number = [](std::size_t row, unsigned c) { return static_cast<std::uint16_t>(4 * row + c); };
    unit.each_load([&](Inst i, std::size_t row) {
      for (unsigned c = 0; c < 4; ++c) starts.push_back({f.result(i, c), number(row, c)});
    });
    const bool swaps = unchanged_.swapped.any() && history % 2 == 0;
    unit.each_store([&](Inst i, std::size_t row) {
      stores.push_back(i);
      const bool in_bank = row >= UnitRows::kBank && row < UnitRows::kBuffer;
      const std::size_t from = swaps && in_bank ? other_bank(row) : row;
      for (unsigned c = 0; c < 4; ++c) ends.push_back({f.operand(i, 2 + c), number(from, c)});
    });
    auto left = find_left_words(f, starts, ends, stores);
    if (!left || stores.empty()) return false;
    // A word that is left in one bank is written in the other: then who writes that must say so, too.
    if (unchanged_.swapped.any())
      for (std::size_t k = 0, count = left->size(); k < count; ++k) {
        const std::size_t word = (*left)[k].word, row = word / 4;
        if (row < UnitRows::kBank || row >= UnitRows::kBuffer) continue;
        const auto other = static_cast<std::uint16_t>(4 * other_bank(row) + word % 4);
        if (std::none_of(left->begin(), left->end(), [&](const Left& l) { return l.word == other; }))
          left->push_back({other, f.constant_value(ir::Type::i1, 0)});
      }
    std::vector<Value> conditions;
    for (const Left& word : *left) {
      // Always left, though not unchanged: a longer history has it.
      if (f.is_constant(word.left) && f.constant(word.left) != 0) return false;
      std::size_t group = 0;
      while (group < conditions.size() && conditions[group] != word.left) ++group;
      if (group == frontend::UnitUse::kMostMarks) return false;
      if (group == conditions.size()) {
        conditions.push_back(word.left);
        marks_.emplace_back();
      }
      marks_[group].push_back(word.word);
    }
    ir::Builder builder(f);
    builder.set_before(stores.front());
    ir::I32 bits = builder.constant(std::uint32_t{0});
    for (std::size_t group = 0; group < conditions.size(); ++group)
      bits = builder.IOr32(bits, builder.select(ir::I1{conditions[group]}, builder.constant(std::uint32_t{0}),
                                                builder.constant(std::uint32_t{1} << group)));
    const ir::F32 none = builder.constant(0.0f);
    builder.StoreOutput(builder.constant(true), builder.BitcastI32ToF32(bits), none, none, none,
                        f.output_count - 1);
    return true;
  }

  GeometryTranslation finish(ir::Function f, unsigned history) const {
    GeometryTranslation made;
    made.unit.history = history;
    made.unit.follows_a_run = reads_b15_;
    made.unit.alternates = unchanged_.swapped.any();
    made.unit.marks = marks_;
    made.unit.bank_row = UnitRows::kBank;
    made.unit.bank_rows = UnitRows::kOther - UnitRows::kBank;
    each_instruction(f, Opcode::LoadUniformF32, [&](Inst i) {
      if (f.inst(i).immediate >= facts_.layout.unit(0)) made.unit.table_offset = facts_.layout.unit(0);
    });
    made.function = std::move(f);
    return made;
  }

  // Rows that can reach a triangle or an output are stored if they change;
  // storing them may need further rows.
  GeometryTranslation finish_ordered(ir::Function all) const {
    GeometryTranslation made;
    made.ordered = true;
    made.unit.follows_a_run = reads_b15_;
    Rows stored;
    if (facts_.geometry.keeps_unit) stored.set();
    for (;;) {
      made.function = all;
      const UnitCode unit{made.function};
      unit.keep_stores(
          [&](Inst i, std::size_t row) { return stored[row] && changes(made.function, i, row); });
      const Rows loaded = unit.loaded();
      if ((loaded & ~stored).none()) return made;
      stored |= loaded;
    }
  }

  static bool changes(const ir::Function& f, Inst store, std::size_t row) {
    const Inst load = f.definition(f.operand(store, 2));
    const ir::InstData& data = f.inst(load);
    if (data.opcode != Opcode::LoadInputRow ||
        static_cast<std::uint32_t>(data.immediate) != f.input_count - 1 ||
        f.constant(f.operand(load, 0)) != row)
      return true;
    for (unsigned c = 0; c < 4; ++c)
      if (f.operand(store, 2 + c) != f.result(load, c)) return true;
    return false;
  }

  const Program& program_;
  std::uint32_t entry_;
  TranslationFacts facts_;  // with b15 true
  bool writes_flags_ = false, latches_ = false, reads_b15_ = false;
  bool may_mark_ = false;
  Unchanged unchanged_;
  std::vector<std::vector<std::uint16_t>> marks_;
};

}  // namespace

Result<GeometryTranslation> translate_geometry(const Program& program, std::uint32_t entry,
                                               const TranslationFacts& facts) {
  if (facts.geometry.keeps_unit) return UnitTranslation(program, entry, facts).run();
  UnitAccess access;
  access.loads = true;
  WARPJIT_TRY(ir::Function function, translate(program, entry, facts, access));
  optimize(function);
  ir::eliminate_dead_code(function);
  if (UnitCode{function}.loaded().any()) return UnitTranslation(program, entry, facts).run();
  --function.input_count;
  GeometryTranslation made;
  made.function = std::move(function);
  return made;
}

}  // namespace warpjit::pica200
